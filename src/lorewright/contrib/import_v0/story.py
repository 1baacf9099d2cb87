"""The events of a v0 campaign -> turns of ours, in their order, and the sittings that they were played in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.contrib.import_v0.values import (
    Faults,
    Notes,
    V0Campaign,
    V0Event,
    V0Session,
    V0Summary,
    in_order,
    number_of,
    numbers_told,
)
from lorewright.contrib.import_v0.world import our_id
from lorewright.turn.views.acquaintance import seen_by
from lorewright.turn.views.draft import turn_id_of
from lorewright.values.records import Message, TurnResult
from lorewright.world.state import WorldState

# The kind of a turn that was played in v0, and the stage that keeps what v0 stored of it.
KIND = "imported"
STAGE = "v0"

OPENING = "What follows was played before it came here."

_RANGE = re.compile(r"\D*(\d{1,9})(?:\D+(\d{1,9}))?\D*")


@dataclass(frozen=True, slots=True)
class ImportedTurn:
    """A turn of v0 as one of ours. `given` and `made` are what v0 stored of its passes, as JSON; `sitting` is the place
    of its sitting in the list of those, or None."""

    turn_id: str
    parent_id: str
    turn_no: int
    action_id: str
    player_text: str
    messages: tuple[Message, ...]
    result: TurnResult
    given: str
    made: str
    sitting: int | None


@dataclass(slots=True)
class Sitting:
    """A sitting of v0's, ended: its first turn's number, its last, and what it amounted to."""

    v0_id: str
    started_at: str | None
    ended_at: str | None
    first: int
    last: int | None
    lore: Mapping[str, Any]
    world_events: tuple[Any, ...]
    told: list[str]

    @property
    def summary(self) -> str:
        """What it amounted to, a paragraph for each text that v0 has on it."""
        return "\n\n".join(self.told) or "Nothing was noted of this sitting."


def turns_of(
    campaign: V0Campaign, campaign_id: str, state: WorldState, sittings: Sequence[Sitting], root_id: str
) -> list[ImportedTurn]:
    """The turns after turn 0, numbered from 1 without a gap; each leads to the one state that there is."""
    made: list[ImportedTurn] = []
    rows = in_order(campaign)
    for number, row in enumerate(rows, start=1):
        parent = made[-1].turn_id if made else root_id
        sitting = next((n for n, one in enumerate(sittings) if one.first <= number <= (one.last or 0)), None)
        made.append(_turn(row, number, parent, campaign_id, state, sitting, is_last=number == len(rows)))
    return made


def _turn(
    row: V0Event,
    number: int,
    parent: str,
    campaign_id: str,
    state: WorldState,
    sitting: int | None,
    *,
    is_last: bool,
) -> ImportedTurn:
    action_id = f"v0-{row.id}"
    turn_id = turn_id_of(campaign_id, parent, action_id)
    written: list[dict[str, Any]] = [{"owner": state.player_id, "type": "intention", "content": row.player_input}]
    if row.final_text:
        audience = _audience(row, campaign_id, state)
        written.append({"owner": "narrator", "type": "narration", "content": row.final_text, "audience": audience})
    messages = tuple(Message.model_validate({**one, "turn_id": turn_id, "seq": seq}) for seq, one in enumerate(written))
    result = TurnResult.of_no_play(
        turn_no=number,
        turn_id=turn_id,
        messages=tuple(seen_by("player", messages, own_id=state.player_id)),
        final_text=row.final_text,
        # Of the clocks of earlier turns nothing is known.
        clocks=state.clocks_shown() if is_last else (),
    )
    given, made = {"context_packet": row.context}, {"event_id": row.id, "turn_no": row.turn_no, **row.record}
    return ImportedTurn(
        turn_id=turn_id,
        parent_id=parent,
        turn_no=number,
        action_id=action_id,
        player_text=row.player_input,
        messages=messages,
        result=result,
        given=_record(given),
        made=_record(made),
        sitting=sitting,
    )


def _record(value: Any) -> str:
    """A record as JSON; what a model wrote into it may be any characters, and numbers that JSON lacks were refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _audience(row: V0Event, campaign_id: str, state: WorldState) -> tuple[str, ...]:
    """The player, and who was there as the turn's own packet says."""
    told = row.context.get("present_entities") if isinstance(row.context, Mapping) else None
    named = [our_id(campaign_id, one) for one in told if isinstance(one, str)] if isinstance(told, list) else []
    people = [one for one in named if one in state.entities and state.entities[one].type == "npc"]
    return tuple(dict.fromkeys((state.player_id, *people)))


def sittings_of(campaign: V0Campaign, faults: Faults, notes: Notes) -> list[Sitting]:
    """The sittings, and the summaries with them: each with the sitting that the last turn it tells of belongs to. Where
    v0 kept no sittings, all turns were one, if there is a summary of any."""
    told = numbers_told(campaign)
    found = _sessions(campaign, told, faults, notes)
    if not found and campaign.summaries and told:
        found = [Sitting("", None, None, 1, len(told), {}, (), [])]
        notes.say("summaries", "v0 kept no sittings: all its turns are one, with the summaries in it")
    for row in campaign.summaries:
        home = _home(row, told, found)
        about = {"scope": row.scope, "scope_id": row.scope_id, "turn_no_range": row.turn_no_range}
        if home is None:
            about["text"] = row.text
            notes.say("summaries", "there is no turn that they could belong to: they are kept beside the campaign")
        elif row.text:
            home.told.append(row.text)
        notes.keep("summaries", row.id, about)
    return found


def _sessions(campaign: V0Campaign, told: Sequence[int], faults: Faults, notes: Notes) -> list[Sitting]:
    found: list[Sitting] = []
    for row in campaign.sessions:
        first, last = _range(row, told)
        if last is not None and any(one.last and first <= one.last and one.first <= last for one in found):
            faults.add(row.where, "turn_range_start to turn_range_end overlap another sitting's")
        if row.ended_at is None:
            notes.say("sessions", "a sitting that had not ended has ended with its last turn")
        elif row.started_at is not None and row.ended_at < row.started_at:
            faults.add(row.where, "ended_at is before started_at")
        if row.summary is None:
            notes.say("sessions", "a sitting without a summary says so")
        summaries = [row.summary] if row.summary else []
        found.append(Sitting(row.id, row.started_at, row.ended_at, first, last, row.lore, row.world_events, summaries))
    return found


def _range(row: V0Session, told: Sequence[int]) -> tuple[int, int | None]:
    """The numbers here of the first turn of a sitting and of its last; without a turn the last is None."""
    if row.first is None:
        return len(told) + 1, None
    before = number_of(row.first - 1, told)
    last = len(told) if row.last is None else number_of(row.last, told)
    return before + 1, last if last > before else None


def _home(row: V0Summary, told: Sequence[int], sittings: Sequence[Sitting]) -> Sitting | None:
    """The sitting of the last turn that a summary tells of; where that cannot be told, the last one with a turn."""
    played = [sitting for sitting in sittings if sitting.last is not None]
    numbers = _RANGE.fullmatch(row.turn_no_range)
    if numbers is not None:
        number = number_of(int(numbers[2] or numbers[1]), told)
        for one in played:
            if one.first <= number <= (one.last or 0):
                return one
    return played[-1] if played else None
