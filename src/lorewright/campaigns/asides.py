"""What a player asks beside the story, without a turn being played: lore, who is here, where one has been, why.

All of it is read with the player's eyes at the head; nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.retrieval.query import LoreRetrievalQuery, LoreRetrievalResult
from lorewright.retrieval.retriever import retrieve, retrieve_for_entity
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.sections import sentences
from lorewright.turn.views.player_ids import readable
from lorewright.turn.views.scope import ways_out
from lorewright.values.lore_conditions import lore_conditions
from lorewright.values.result import TurnResult
from lorewright.world.state import WorldState

# What is asked at the prompt is answered on one screen.
_LORE_SECTIONS = 3
_LORE_TOKENS = 700
_INTRODUCTION_TOKENS = 400


def ask_lore(campaign: OpenCampaign, text: str) -> LoreRetrievalResult:
    """The lore and the history that the player may read, for some words, best first."""
    head = campaign.store.head()
    with campaign.setting.history(head, 0) as happened:
        view = LoreView(
            (*campaign.setting.generations, *happened),
            viewer="player",
            revealed=readable(head.state, campaign.setting.generations),
            conditions=lore_conditions(head.state),
        )
        query = LoreRetrievalQuery(keywords=text, viewer="player", limit=_LORE_SECTIONS, max_tokens=_LORE_TOKENS)
        return retrieve(view, query, takes_in=False).result


@dataclass(frozen=True, slots=True)
class Introduction:
    """Somebody who is here, with the first sentence that anyone may read of them; empty where there is none."""

    name: str
    line: str


def introductions(campaign: OpenCampaign) -> list[Introduction]:
    """Who is with the player, by ID."""
    state = campaign.store.head().state
    view = LoreView(campaign.setting.generations, viewer="player", conditions=lore_conditions(state))
    return [
        Introduction(state.name_of(who), _first_open_line(view, who))
        for who in state.present()
        if who != state.player_id
    ]


def _first_open_line(view: LoreView, entity_id: str) -> str:
    chunks = retrieve_for_entity(view, entity_id, max_tokens=_INTRODUCTION_TOKENS).result.chunks
    own = [chunk for chunk in chunks if chunk.chunk_id.startswith(f"{entity_id}:")]
    return next((line for chunk in own for line in sentences(chunk.text)[:1]), "")


@dataclass(frozen=True, slots=True)
class MapWay:
    """A way out of a place: where it leads, whether the player has been there, and the door in it that is locked, or
    shut where one has to open it."""

    name: str
    to: str
    visited: bool
    minutes: int
    locked_door: str | None = None
    shut_door: str | None = None
    has_key: bool = False


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A place where the player has been."""

    name: str
    here: bool
    ways: tuple[MapWay, ...]


def map_of(state: WorldState) -> list[MapPlace]:
    """The places that the player has been to with their ways, the one at hand first, then by ID. A state as the player
    may see it has no name for a place that they may not hear of: `to` is empty then."""
    here = state.scene.location_id
    visited = sorted((place for place, times in state.visits.items() if times), key=lambda one: (one != here, one))
    return [MapPlace(state.name_of(place), place == here, tuple(_ways(state, place))) for place in visited]


def _ways(state: WorldState, place: str) -> Iterator[MapWay]:
    scene = state.scene.model_copy(update={"location_id": place})
    for way in ways_out(state.model_copy(update={"scene": scene})):
        door = state.doors.get(way.door or "")
        locked = door is not None and door.locked
        yield MapWay(
            name=way.name,
            to=way.to_name,
            visited=bool(state.visits.get(way.to)),
            minutes=way.minutes,
            locked_door=state.name_of(way.door) if way.door and locked else None,
            shut_door=state.name_of(way.door) if way.door and way.barred and not locked else None,
            has_key=door is not None and door.key_id in state.held_by(state.player_id),
        )


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why the last turn came out as it did: its result, how long it took, and by how much which clock moved."""

    result: TurnResult
    minutes: int = 0
    clocks: tuple[tuple[str, int], ...] = ()


def why(campaign: OpenCampaign) -> Reasons:
    """What stands behind the last turn."""
    turns = campaign.store.turns()
    result = TurnResult.model_validate(campaign.player_ids().told(turns[-1]["result"]))
    if len(turns) == 1:
        return Reasons(result)
    before = campaign.store.state_at(turns[-2]["turn_id"])
    after = campaign.store.state_at(turns[-1]["turn_id"])
    return Reasons(result, after.minutes - before.minutes, tuple(_moved(before, after)))


def _moved(before: WorldState, after: WorldState) -> Iterator[tuple[str, int]]:
    for clock_id, clock in sorted(after.clocks.items()):
        was = before.clocks.get(clock_id)
        if was is not None and was.value != clock.value:
            yield clock.name, clock.value - was.value
