"""Actions that a program submits in place of words -> the player's reading. Nothing is read, guessed or mended: an
action goes to the rules as it is, and what it names that the player may not know of is nothing at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from lorewright.errors import CampaignError
from lorewright.ids import canonical_json, local
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.values.records import InterpreterOutput
from lorewright.values.scope import Scope
from lorewright.world.state import WorldState

# The name of the record of a reading that was submitted.
SUBMITTED = "submitted"
# Stands for everybody and everything that the player may not know of, so that a guess is answered as a made-up ID is.
UNKNOWN = "unknown"
# The most actions of one turn, and the most characters of their JSON.
MOST_ACTIONS = 20
MOST_TEXT = 20_000

_ITEM = "item_id"
_WORDS = ("verb", "topic", "detail")
# What only the parser can say: whether the prose shows a thing, the end of a walk, an item of lore by its ID, how it
# is told.
_OF_THE_PARSER = ("detail_is", "towards", "lore_item_id", "form", "deed", "beyond", "if_none")


def actions_of(given: Sequence[Action | Mapping[str, Any]], *, player_id: str) -> tuple[Action, ...]:
    """Return what a program sent as actions. Where an action names no actor it is the player's.

    Raises:
        CampaignError: there are none or too many, or one of them is no action; the message says which and why.
    """
    if not 0 < len(given) <= MOST_ACTIONS:
        raise CampaignError(f"{len(given)} actions are not a turn", hint=f"give 1 to {MOST_ACTIONS}")
    found = tuple(_action_of(index, action, player_id) for index, action in enumerate(given))
    if len(canonical_json([action.model_dump(mode="json") for action in found])) > MOST_TEXT:
        raise CampaignError("that is too much text for one turn", hint=f"give at most {MOST_TEXT} characters")
    return found


def _action_of(index: int, given: Action | Mapping[str, Any], player_id: str) -> Action:
    if isinstance(given, Action):
        return given
    own = {} if {"actor_id", "actorId"} & set(given) else {"actor_id": player_id}
    try:
        return Action.model_validate({**own, **given})
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise CampaignError(
            f"action {index}{f' at {where}' if where else ''}: {first['msg']}; nothing was played",
            hint="an action is {actor_id?, type, target_id?, location_id?, metadata?} and nothing else",
        ) from None


def words_of(actions: Sequence[Action]) -> str:
    """Return actions in words, as their sender named things: `ask viktor the docks`. They depend on nothing else, so
    that the same actions sent again are the same submission."""
    said = []
    for action in actions:
        named = (action.target_id, action.location_id, action.item_id)
        parts = (action.type, *(local(given) for given in named if given))
        said.append(" ".join((*(part.replace("_", " ") for part in parts), action.words)).strip())
    return "; ".join(said)


def reading_of(actions: Sequence[Action], scope: Scope, player_ids: Mapping[str, str]) -> InterpreterOutput:
    """Return submitted actions as a reading, with every reference that the player cannot name as `unknown`.

    `player_ids` are the IDs by which the player knows who is in disguise, by the pack's. An ID may be given without its
    pack where that is clear."""
    ids = _ids_in(scope, player_ids)
    known = tuple(_known(action, ids) for action in actions)
    named = (value for action in known for value in (action.target_id, action.location_id, action.item_id))
    return InterpreterOutput(
        intent=words_of(known)[:300],
        referenced_entities=tuple(dict.fromkeys(value for value in named if value not in (None, UNKNOWN))),
        proposed_actions=known,
    )


def _known(action: Action, ids: Mapping[str, str]) -> Action:
    metadata = {name: value for name, value in action.metadata.items() if name not in _OF_THE_PARSER}
    if verb_of(action.type) is None:
        # No record says what these are: words stay words, and nothing is looked up in them.
        metadata = {
            name: value
            for name, value in metadata.items()
            if isinstance(value, int | float) or (isinstance(value, str) and name in (*_WORDS, _ITEM))
        }
    if metadata.get(_ITEM) is not None:
        metadata[_ITEM] = ids.get(str(metadata[_ITEM]), UNKNOWN)
    return Action(
        actor_id=ids.get(action.actor_id, UNKNOWN),
        type=action.type,
        target_id=None if action.target_id is None else ids.get(action.target_id, UNKNOWN),
        location_id=None if action.location_id is None else ids.get(action.location_id, UNKNOWN),
        metadata=metadata,
    )


def _ids_in(scope: Scope, player_ids: Mapping[str, str]) -> dict[str, str]:
    """Return the IDs of all that the player can name, by the player's ID for it and by the part behind the pack where
    only one has it."""
    things = (scope.topics, scope.doors, scope.carried, scope.here, scope.people, (scope.place, scope.player))
    # A way to a place whose name they may not hear is taken by the name of the way.
    named = dict.fromkeys(
        (*(way.to for way in scope.exits if way.to_name), *(thing.id for group in things for thing in group))
    )
    full = {player_ids.get(known, known): known for known in named}
    shared = Counter(map(local, full))
    short = {local(shown): known for shown, known in full.items() if shared[local(shown)] == 1}
    return {**{way.name: way.to for way in scope.exits}, **short, **full}


def actions_told(actions: Sequence[Action], shown: WorldState) -> tuple[Action, ...]:
    """Return actions as the player may read them: `shown` is the state without the names that they may not hear."""
    return tuple(_told(action, shown) for action in actions)


def _told(action: Action, shown: WorldState) -> Action:
    unheard = {entity.id: UNKNOWN for entity in shown.entities.values() if not entity.name}
    return action.model_copy(
        update={
            "target_id": unheard.get(action.target_id or "", action.target_id),
            "location_id": unheard.get(action.location_id or "", action.location_id),
            "metadata": {
                name: unheard.get(value, value) if isinstance(value, str) else value
                for name, value in action.metadata.items()
            },
        }
    )
