"""An open campaign and a seat -> what that seat sees of it, and what it may do there.

Everything here runs in the engine thread. What may be seen is decided by the functions that the prompt and MCP use;
here it is only put into the shapes of the API.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.campaigns.branches import tree
from lorewright.campaigns.lore import MapPlace, map_of, support_in
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.recap import goal_of
from lorewright.campaigns.sessions import as_played_by, recap_of
from lorewright.campaigns.solver.hints import STEPS, hint_of
from lorewright.campaigns.status import introduction_of, player_status
from lorewright.campaigns.viewers import (
    Standing,
    persona_of,
    standing_of,
    state_of,
    table_of,
    turns_told,
    viewer_in,
)
from lorewright.campaigns.watching import learned_in_the_open
from lorewright.errors import AccessRefused, NotFound, SettingsError
from lorewright.ids import holder_of, local, shown_item
from lorewright.service.queries import BranchShown
from lorewright.service.web.accounts import Seat
from lorewright.service.web.shapes import (
    CitationShown,
    ClockShown,
    Codex,
    CodexEntry,
    CodexItem,
    HintShown,
    ImpendingShown,
    PlaceShown,
    RecapShown,
    RollShown,
    SentenceShown,
    SheetShown,
    StatShown,
    TableShown,
    Turns,
    TurnShown,
    WayShown,
    Why,
)
from lorewright.storage.heads import learned_on_path
from lorewright.storage.sittings import session_rows
from lorewright.turn.checks.tools import Carried, NamedThing
from lorewright.turn.views.player_ids import readable
from lorewright.values.records import TurnResult
from lorewright.world.changes import minutes_passed
from lorewright.world.state import WorldState

# The most turns that one answer holds.
MOST_TURNS = 50


def show_table(campaign: OpenCampaign, seat: Seat) -> TableShown:
    """Return the table as a seat sees it at the head.

    Raises:
        NotFound: the seat's persona is nobody in the campaign.
    """
    store, state = campaign.store, campaign.store.head().state
    seer = viewer_in(state, seat.viewer)
    at = store.position()
    row = campaign.row
    common: dict[str, Any] = {
        "id": store.campaign_id,
        "name": row.name,
        "scenario_id": row.scenario_id,
        "role": seat.role,
        "can_play": seat.may_play,
        "is_gm": seat.is_gm,
        "turn_no": at.turn_no,
        "turn_id": at.turn_id,
        "revision": at.revision,
        "ended": state.ended is not None,
    }
    if seer.is_watcher:
        seen = state_of(campaign, seer.name)
        status = player_status(state, row.scenario)
        return TableShown(
            **common,
            place="" if seen.place is None else seen.place.name,
            time=status.time,
            present=seen.present,
            clocks=tuple(
                _clock(clock["name"], clock["value"], clock["max"], state, row.scenario) for clock in seen.clocks
            ),
            threads=tuple(thread.title for thread in seen.threads if thread.status == "open"),
            opening=tuple(introduction_of(campaign)) if at.turn_no == 0 and seen.place is not None else (),
            board=table_of(campaign),
        )
    if not seer.is_player:
        seen = state_of(campaign, seer.name)
        status = player_status(state, row.scenario)
        return TableShown(
            **common,
            place="" if seen.place is None else seen.place.name,
            time=status.time,
            present=tuple(NamedThing(id=who.id, name=who.name) for who in seen.present),
            clocks=tuple(
                ClockShown(name=clock["name"], value=clock["value"], max=clock["max"]) for clock in state.clocks_shown()
            ),
            threads=tuple(thread.title for thread in state.open_threads()),
            board=table_of(campaign),
            suggested_actions=_suggested(campaign, seat),
            can_be_redone=len(store.undone()),
            branches=_branches(campaign),
        )
    who = persona_of(state, seer.name)
    knows = campaign.acquaintance(of=who)
    shown = as_played_by(who, knows.shown)
    seen = state_of(campaign, seer.name)
    status = player_status(shown, row.scenario)
    return TableShown(
        **common,
        place=status.place,
        time=status.time,
        persona=NamedThing(id=who, name=shown.name_of(who)),
        present=tuple(NamedThing(id=other.id, name=other.name) for other in seen.present),
        clocks=tuple(_clock(clock.name, clock.value, clock.max, shown, row.scenario) for clock in status.clocks),
        threads=tuple(thread.title for thread in seen.threads if thread.status == "open"),
        places=tuple(_place(place) for place in map_of(shown)),
        sheet=_sheet(
            standing_of(shown, campaign.setting.rules, unheard=knows.says_unheard),
            seen.carried,
        ),
        goal=goal_of(row.scenario, who, state),
        opening=tuple(introduction_of(campaign)) if at.turn_no == 0 and who == state.player_id else (),
        suggested_actions=_suggested(campaign, seat),
        board=table_of(campaign),
        can_be_redone=len(store.undone()) if seat.may_play and seer.kind == "player" else 0,
        branches=_branches(campaign) if seer.kind == "player" else (),
    )


def _suggested(campaign: OpenCampaign, seat: Seat) -> tuple[str, ...]:
    if not seat.may_play or seat.is_gm:
        return ()
    last = campaign.store.turns(after=_before_last(campaign))[-1:]
    return tuple(turn for told in _told(campaign, last, seat) for turn in told.suggested_actions)


def _before_last(campaign: OpenCampaign) -> str | None:
    path = campaign.store.path(last=2)
    return path[0].turn_id if len(path) == 2 else None


def _branches(campaign: OpenCampaign) -> tuple[BranchShown, ...]:
    return tuple(
        BranchShown(name=row.name, turn_no=row.head_turn_no, is_here=row.at_hand)
        for row in tree(campaign.store).branches
    )


def _clock(name: str, value: int, most: int, state: WorldState, scenario: Mapping[str, Any]) -> ClockShown:
    means = ""
    for clock_id, written in scenario.get("clocks", {}).items():
        clock = state.clocks.get(clock_id)
        if clock is not None and clock.name == name:
            means = " ".join((written.get("means") or "").split())
    return ClockShown(name=name, value=value, max=most, means=means)


def _place(place: MapPlace) -> PlaceShown:
    return PlaceShown(
        name=place.name,
        here=place.here,
        ways=tuple(
            WayShown(
                way=way.name, to=way.to, minutes=way.minutes, locked=way.locked_door is not None, visited=way.visited
            )
            for way in place.ways
        ),
    )


def _sheet(standing: Standing, carried: tuple[Carried, ...]) -> SheetShown:
    return SheetShown(
        name=standing.name,
        stats=tuple(StatShown(name=stat.name, value=stat.value) for stat in standing.stats),
        conditions=standing.conditions,
        threats=tuple(
            ImpendingShown(title=threat.title, minutes_left=threat.minutes_left) for threat in standing.threats
        ),
        situations=tuple(
            ImpendingShown(title=held.title, minutes_left=held.minutes_left) for held in standing.situations
        ),
        inquiries=tuple(StatShown(name=asked.name, value=asked.value, of=asked.of) for asked in standing.inquiries),
        memories=standing.memories,
        carried=carried,
    )


# The story.


def show_turns(campaign: OpenCampaign, seat: Seat, *, last: int = 20, before: int | None = None) -> Turns:
    """Return the last turns of the story, or those before a turn, as a seat may read them.

    Raises:
        NotFound: the seat's persona is nobody in the campaign.
    """
    last = max(1, min(last, MOST_TURNS))
    path = campaign.store.path()
    earlier = [turn for turn in path if before is None or turn.turn_no < before]
    wanted = earlier[-last:]
    if not wanted:
        return Turns(turns=())
    rest = earlier[: -len(wanted)]
    turns = campaign.store.turns(wanted[-1].turn_id, after=rest[-1].turn_id if rest else None)
    return Turns(turns=tuple(_told(campaign, turns, seat)), earlier=wanted[0].turn_no if rest else None)


def show_turns_after(campaign: OpenCampaign, seat: Seat, turn_no: int) -> Turns:
    """Return the turns that follow a turn, as a seat may read them, oldest first: the next `MOST_TURNS`."""
    path = campaign.store.path()
    later = [turn for turn in path if turn.turn_no > turn_no][:MOST_TURNS]
    if not later:
        return Turns(turns=())
    rest = [turn for turn in path if turn.turn_no <= turn_no]
    turns = campaign.store.turns(later[-1].turn_id, after=rest[-1].turn_id if rest else None)
    return Turns(turns=tuple(_told(campaign, turns, seat)))


def show_turn(campaign: OpenCampaign, seat: Seat, turn_no: int) -> TurnShown:
    """Return one turn of the story, as a seat may read it.

    Raises:
        NotFound: there is none of that number on the path to the head.
    """
    found = [turn for turn in show_turns(campaign, seat, last=1, before=turn_no + 1).turns if turn.turn_no == turn_no]
    if not found:
        raise NotFound(f"there is no turn {turn_no}")
    return found[0]


def _told(campaign: OpenCampaign, turns: Sequence[dict[str, Any]], seat: Seat) -> Iterator[TurnShown]:
    state, ids = campaign.store.head().state, campaign.player_ids()
    seer = viewer_in(state, seat.viewer)
    told = turns if seer.is_gm else turns_told(campaign.store, turns, seer.name)
    for played, seen in zip(turns, told, strict=True):
        result = TurnResult.model_validate(seen["result"] if seer.is_gm else ids.told(seen["result"]))
        # Of a turn that another persona was played in, there is what was seen of it.
        is_own = seen is played
        by = campaign.store.state_at(played["turn_id"]).player_id if state.personas else state.player_id
        kind = played["kind"]
        yield TurnShown(
            turn_no=played["turn_no"],
            turn_id=played["turn_id"],
            kind=kind,
            by=state.name_of(by) if kind != "edit" and state.personas and (is_own or result.final_text) else "",
            said=seen["player_text"] if kind != "edit" or seer.is_gm else "",
            told=result.final_text,
            is_question=result.clarification_question is not None,
            citations=tuple(
                CitationShown(
                    cite=cited.cite, quote=cited.quote, file_path=cited.file_path, section_path=cited.section_path
                )
                for cited in result.citations
            ),
            rolls=_rolls(result),
            suggested_actions=result.suggested_actions,
            is_own=is_own,
        )


def _rolls(result: TurnResult) -> tuple[RollShown, ...]:
    return tuple(
        RollShown(
            text=f"{roll.expression}{f'{roll.modifier:+d}' if roll.modifier else ''} = {roll.total}"
            f"{f', {roll.band}' if roll.band else ''}"
        )
        for roll in result.rolls
    )


def explain_turn(campaign: OpenCampaign, seat: Seat, turn_no: int) -> Why:
    """Return why a turn came out as it did, for the seat that played it and for game masters.

    Raises:
        AccessRefused: the seat watches.
        NotFound: there is no such turn, nothing was told in it, or somebody else played it.
    """
    _refuse_watcher(seat)
    support = support_in(campaign, turn_no, viewer=seat.viewer)
    turn = show_turn(campaign, seat, turn_no)
    path = {point.turn_no: point.turn_id for point in campaign.store.path()}
    minutes = None
    if turn_no - 1 in path:
        before, after = campaign.store.state_at(path[turn_no - 1]), campaign.store.state_at(path[turn_no])
        minutes = minutes_passed(before, after)
    return Why(
        turn_no=turn_no,
        told_by=support.model_key,
        sentences=tuple(
            SentenceShown(
                sentence=sentence.sentence,
                sources=tuple(
                    CitationShown(
                        cite=ground.id,
                        quote=ground.text,
                        file_path=ground.file_path or "",
                        section_path=ground.section_path or "",
                    )
                    for ground in sentence.grounds
                ),
            )
            for sentence in support.sentences
        ),
        rolls=turn.rolls,
        minutes=minutes,
    )


def show_hint(campaign: OpenCampaign, seat: Seat, *, step: int) -> HintShown:
    """Return a hint at the head, for the persona who is played next; the third step is the plainest.

    Raises:
        AccessRefused: the seat watches.
        SettingsError: the seat's persona is not the one who is played.
    """
    _refuse_watcher(seat)
    state = campaign.store.head().state
    if seat.is_gm or persona_of(state, seat.viewer) != state.player_id:
        raise SettingsError("a hint is for the one whose turn was the last", hint="play a turn first")
    step = max(1, min(step, STEPS))
    return HintShown(text=hint_of(campaign).text(step), step=step)


def _refuse_watcher(seat: Seat) -> None:
    if seat.role == "watcher":
        raise AccessRefused("you watch at this table", hint="ask its game master for a seat that plays")


def show_recap(campaign: OpenCampaign, seat: Seat) -> RecapShown:
    """Return the recap of the sitting that is played, or of the last one; empty where nothing was played, and for who
    watches: it is a persona's own."""
    if seat.role == "watcher":
        return RecapShown(text="")
    state = campaign.store.head().state
    who = state.player_id if seat.is_gm else persona_of(state, seat.viewer)
    sittings = session_rows(campaign.store.database)
    return RecapShown(text=recap_of(campaign, sittings[-1], who=who, anew=True) if sittings else "")


# The codex.


def show_codex(campaign: OpenCampaign, seat: Seat) -> Codex:
    """Return what the seat's persona has learned, by what it is about, the newest last; for who watches what all
    personas learned in the open.

    Raises:
        SettingsError: the seat is a game master's, who knows everything.
        NotFound: the persona is nobody in the campaign.
    """
    state, generations = campaign.store.head().state, campaign.setting.generations
    is_watcher = seat.role == "watcher"
    who = state.player_id if is_watcher else persona_of(state, seat.viewer)
    known = learned_in_the_open(campaign.store) if is_watcher else state.learned_by(who)
    shown, ids = campaign.acquaintance(of=who).shown, campaign.player_ids()
    can_be_looked_up = readable(state, generations, who)
    learned = learned_on_path(campaign.store.database, character_id=who)
    learned_in = {first.item_id: (first.turn_no, first.how) for first in learned}
    found: dict[str, list[CodexItem]] = {}
    for item_id in sorted(known, key=lambda item: (learned_in.get(item, (0, ""))[0], item)):
        generation = next((pack for pack in generations if pack.item(item_id) is not None), None)
        item = None if generation is None else generation.item(item_id)
        if generation is None or item is None:
            continue
        turn_no, how = learned_in.get(item_id, (0, ""))
        chunk = generation.chunk(item_id.partition("#")[0])
        where = chunk.section_path if chunk is not None and item_id in can_be_looked_up else ""
        about = ids.ids.get(holder_of(item_id), holder_of(item_id))
        entry = CodexItem(
            item=str(ids.told(shown_item(item_id))),
            text=item.text,
            turn_no=turn_no,
            how=how,
            section_path=where,
        )
        found.setdefault(_holder(shown, about), []).append(entry)
    entries = (
        CodexEntry(id=about, name=_name(campaign, shown, about), items=tuple(items))
        for about, items in sorted(found.items(), key=lambda pair: _name(campaign, shown, pair[0]).casefold())
    )
    seen = state_of(campaign, seat.viewer)
    return Codex(entries=tuple(entries), facts=tuple(_fact(fact.model_dump(mode="json")) for fact in seen.facts))


def _holder(shown: WorldState, about: str) -> str:
    """Return the entity of the campaign that stands for one of a pack."""
    if about in shown.entities:
        return about
    return next((entity.id for entity in shown.entities.values() if entity.pack_entity_id == about), about)


def _name(campaign: OpenCampaign, shown: WorldState, about: str) -> str:
    """Return the name of an entity as the player knows it."""
    if about in shown.entities:
        return shown.name_of(about) or "somebody whose name you do not know"
    found = next((entity for pack in campaign.setting.generations if (entity := pack.entity(about))), None)
    return local(about).replace("_", " ") if found is None else found.name


def _fact(fact: Mapping[str, Any]) -> str:
    subject, predicate, value = fact["subject"]["name"], str(fact["predicate"]).replace("_", " "), fact.get("object")
    if isinstance(value, Mapping):
        value = value.get("text") or value.get("name") or json.dumps(value, ensure_ascii=False)
    return " ".join(filter(None, (subject, predicate, "" if value in (None, True) else str(value))))
