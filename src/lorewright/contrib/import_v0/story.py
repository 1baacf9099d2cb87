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
    turn_numbers,
)
from lorewright.contrib.import_v0.world import our_id
from lorewright.turn.views.draft import turn_id_of
from lorewright.turn.views.story import seen_by
from lorewright.values.records import Message, TurnResult
from lorewright.world.state import WorldState

# The kind of a turn that was played in v0, and the stage that holds v0's record of it.
KIND = "imported"
STAGE = "v0"

OPENING = "What follows was played before it came here."

_RANGE = re.compile(r"\D*(\d{1,9})(?:\D+(\d{1,9}))?\D*")


@dataclass(frozen=True, slots=True)
class ImportedTurn:
    """A turn of v0 as one of ours. `given` and `made` are v0's records of its passes, as JSON; `sitting` is the index
    of its sitting in their list, or None."""

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
    """An ended sitting of v0: the numbers of its first and last turn, and the texts that sum it up."""

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
        """Return the summary, a paragraph for each text that v0 has on the sitting."""
        return "\n\n".join(self.told) or "Nothing was noted of this sitting."


def turns_of(
    campaign: V0Campaign, campaign_id: str, state: WorldState, sittings: Sequence[Sitting], root_id: str
) -> list[ImportedTurn]:
    """Return the turns after turn 0, numbered from 1 without a gap; each leads to the one state that there is."""
    made: list[ImportedTurn] = []
    rows = in_order(campaign)
    for number, row in enumerate(rows, start=1):
        parent = made[-1].turn_id if made else root_id
        sitting = next((n for n, played in enumerate(sittings) if played.first <= number <= (played.last or 0)), None)
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
    messages = tuple(
        Message.model_validate({**message, "turn_id": turn_id, "seq": seq}) for seq, message in enumerate(written)
    )
    result = TurnResult.of_no_play(
        turn_no=number,
        turn_id=turn_id,
        messages=tuple(seen_by("player", messages, own_id=state.player_id)),
        final_text=row.final_text,
        # The clocks of earlier turns are unknown.
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
    """Return a record as JSON; text that a model wrote into it may hold any characters, and numbers that JSON lacks
    were refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _audience(row: V0Event, campaign_id: str, state: WorldState) -> tuple[str, ...]:
    """Return the player and those who were there according to the turn's own packet."""
    told = row.context.get("present_entities") if isinstance(row.context, Mapping) else None
    named = [our_id(campaign_id, name) for name in told if isinstance(name, str)] if isinstance(told, list) else []
    people = [
        entity_id for entity_id in named if entity_id in state.entities and state.entities[entity_id].type == "npc"
    ]
    return tuple(dict.fromkeys((state.player_id, *people)))


def sittings_of(campaign: V0Campaign, faults: Faults, notes: Notes) -> list[Sitting]:
    """Return the sittings, each with the summaries whose last turn belongs to it. Where v0 kept no sittings, all turns
    are one, if there is a summary of any."""
    told = turn_numbers(campaign)
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
        if last is not None and any(other.last and first <= other.last and other.first <= last for other in found):
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
    """Return the numbers here of the first turn of a sitting and of its last; without a turn the last is None."""
    if row.first is None:
        return len(told) + 1, None
    before = number_of(row.first - 1, told)
    last = len(told) if row.last is None else number_of(row.last, told)
    return before + 1, last if last > before else None


def _home(row: V0Summary, told: Sequence[int], sittings: Sequence[Sitting]) -> Sitting | None:
    """Return the sitting of the last turn that a summary covers; where that is unknown, the last sitting with a
    turn."""
    played = [sitting for sitting in sittings if sitting.last is not None]
    numbers = _RANGE.fullmatch(row.turn_no_range)
    if numbers is not None:
        number = number_of(int(numbers[2] or numbers[1]), told)
        for sitting in played:
            if sitting.first <= number <= (sitting.last or 0):
                return sitting
    return played[-1] if played else None
