"""Outcomes of a turn -> the IDs of the entities that can be described: the subjects of the turn, and what is here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from lorewright.builtin.words.clauses import is_called
from lorewright.index.generation import Generation
from lorewright.retrieval.filters import named_entities
from lorewright.retrieval.view import hidden_from_players
from lorewright.rules.patch import Outcome
from lorewright.scene_lore.gather import are_linked, gather_person
from lorewright.turn.views.scope import scope_of
from lorewright.world.state import Entity, WorldState

# So many of the things and of the people here are described in one turn; the next turn has others.
_THINGS, _PEOPLE = 2, 1


def spoken_of(
    state: WorldState,
    outcomes: Sequence[Outcome],
    generations: Sequence[Generation],
    *,
    turn_no: int,
    heard_of: Collection[str] | None = None,
    asked_about: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the IDs of whom and what was looked at or spoken to, what was asked about where that belongs here, the
    place, and some of what is in it; each once, in this order. `state` is the one after the turn, `heard_of` are the
    absent entities that the player has heard of (None: everybody), `asked_about` those of the packs that a question
    named."""
    place = state.scene.location_id
    targets = [
        outcome.target_id
        for outcome in outcomes
        if outcome.target_id is not None and outcome.target_id != state.player_id
    ]
    found = [
        *targets,
        *_named_in_questions(state, outcomes, generations, heard_of),
        *asked_about,
        place,
        *_some(tuple(state.held_by(place)), turn_no, _THINGS),
        *_some(state.present_npcs(), turn_no, _PEOPLE),
    ]
    return tuple(dict.fromkeys(found))


# A topic of so many words is a name, whatever its letters.
_NAME = 4


def named_in_words(
    words: str, state: WorldState, generations: Sequence[Generation], heard_of: Collection[str] | None
) -> Mapping[str, str]:
    """Return the names of those of the packs' entities that words name, by ID: of whom the player may hear, and who are
    not here."""
    everybody = {entity_id for generation in generations for entity_id in generation.entities()}
    in_scene = everybody if len(words.split()) <= _NAME else frozenset[str]()
    hidden = hidden_from_players(generations)
    # A topic has lost its article, which may be a part of the name.
    found = named_entities(words, generations, in_scene=in_scene, hidden=hidden) or named_entities(
        f"the {words}", generations, in_scene=in_scene, hidden=hidden
    )
    here = {*state.present(), *state.held_by(state.scene.location_id), state.scene.location_id}
    may_hear = [
        entity_id
        for entity_id in found
        if entity_id not in here and (entity_id not in state.entities or heard_of is None or entity_id in heard_of)
    ]
    called = {entity_id: state.name_of(entity_id) for entity_id in may_hear if entity_id in state.entities}
    for entity_id in may_hear:
        named = next(filter(None, (generation.entity(entity_id) for generation in generations)), None)
        if entity_id not in called and named is not None:
            called[entity_id] = named.name
    return {entity_id: name for entity_id, name in called.items() if name}


def asked_about(
    outcomes: Sequence[Outcome],
    state: WorldState,
    generations: Sequence[Generation],
    heard_of: Collection[str] | None,
) -> Mapping[str, str]:
    """Return the names of those whom questions named that brought nothing, by ID (see `named_in_words`): of people
    who have something of their own to tell. Others pass on what their notes tie them to alone."""
    return {
        entity_id: name
        for outcome in outcomes
        if outcome.code in _UNANSWERED and outcome.target_id is not None and not outcome.item_ids
        if outcome.target_id in state.entities and _has_own_lore(state.entities[outcome.target_id], generations)
        for entity_id, name in named_in_words(outcome.words, state, generations, heard_of).items()
        if entity_id != outcome.target_id
    }


_UNANSWERED = ("does_not_know", "told_before")


def _has_own_lore(person: Entity, generations: Sequence[Generation]) -> bool:
    return bool(gather_person(generations, person.pack_entity_id or person.id).briefing.knows)


def _named_in_questions(
    state: WorldState,
    outcomes: Sequence[Outcome],
    generations: Sequence[Generation],
    heard_of: Collection[str] | None,
) -> Iterator[str]:
    """Yield the entities that a question named, if they are here or near, or linked in a pack to the person who was
    asked or to the place."""
    scope = scope_of(state, heard_of=heard_of)
    near_ids = {scope.place.id, *(way.to for way in scope.exits), *(named.id for named in (*scope.people, *scope.here))}
    nameable = (scope.place, *scope.people, *scope.here, *scope.carried, *scope.topics)
    for outcome in outcomes:
        if outcome.code != "does_not_know" or outcome.target_id is None:
            continue
        called = [named for named in nameable if is_called(outcome.words, named.name, *named.aliases)]
        for named in called:
            ties = (outcome.target_id, state.scene.location_id)
            if named.id in near_ids or any(are_linked(generations, named.id, tie) for tie in ties):
                yield named.id


def _some(ids: Sequence[str], turn_no: int, most: int) -> Sequence[str]:
    """Return some of the IDs, others in each turn."""
    start = turn_no * most % len(ids) if ids else 0
    return (*ids[start:], *ids[:start])[:most]
