"""What came of a turn -> the IDs of those of whom something could be told: whom it was about, what is here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lorewright.builtin.parser.naming import is_called
from lorewright.index.generation import Generation
from lorewright.rules.outcomes import Outcome
from lorewright.scene_lore.described import are_linked
from lorewright.turn.views.scope import scope_of
from lorewright.world.state import WorldState

# So many of the things and of the people here are told of in one turn; the next turn has others.
_THINGS, _PEOPLE = 2, 1


def spoken_of(
    state: WorldState,
    outcomes: Sequence[Outcome],
    generations: Sequence[Generation],
    *,
    turn_no: int,
    heard_of: Collection[str] | None = None,
) -> tuple[str, ...]:
    """Whom and what was looked at or spoken to, what was asked about where that belongs here, the place, and some of
    what is in it; each once, in this order. `state` is the one after the turn, `heard_of` are those among the absent
    whom the player has heard of (everybody, where it is not said)."""
    place = state.scene.location_id
    targets = [one.target_id for one in outcomes if one.target_id is not None and one.target_id != state.player_id]
    found = [
        *targets,
        *_asked_about(state, outcomes, generations, heard_of),
        place,
        *_some(tuple(state.held_by(place)), turn_no, _THINGS),
        *_some(state.present_npcs(), turn_no, _PEOPLE),
    ]
    return tuple(dict.fromkeys(found))


def _asked_about(
    state: WorldState,
    outcomes: Sequence[Outcome],
    generations: Sequence[Generation],
    heard_of: Collection[str] | None,
) -> Iterator[str]:
    """What a question named, if it is here or near, or a note ties it to whoever was asked or to the place."""
    scope = scope_of(state, heard_of=heard_of)
    here = {scope.place.id, *(way.to for way in scope.exits), *(one.id for one in (*scope.people, *scope.here))}
    nameable = (scope.place, *scope.people, *scope.here, *scope.carried, *scope.topics)
    for outcome in outcomes:
        if outcome.code != "does_not_know" or outcome.target_id is None:
            continue
        called = [one for one in nameable if is_called(outcome.words, one.name, *one.aliases)]
        for one in called:
            ties = (outcome.target_id, state.scene.location_id)
            if one.id in here or any(are_linked(generations, one.id, tie) for tie in ties):
                yield one.id


def _some(ids: Sequence[str], turn_no: int, most: int) -> Sequence[str]:
    """Some of the IDs, others in each turn."""
    start = turn_no * most % len(ids) if ids else 0
    return (*ids[start:], *ids[:start])[:most]
