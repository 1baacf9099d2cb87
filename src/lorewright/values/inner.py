"""What an extractor of a character's inner life is shown, what it answers with, and which states it may write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from lorewright.rules.actions import Action
from lorewright.rules.rulesets import Ruleset
from lorewright.values.proposals import SENTENCES, Remembered
from lorewright.values.records import InnerState, Message
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ops import Json
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState
from lorewright.world.things import PREDICATES, CharacterState

# The input of a persona's or a character's extractor: its own intention and thoughts, what was told before this round,
# and everything that moves it. The outcome of the round is not in here, because the extractor runs concurrently with
# the narrator.

# The level of a ruleset's stat that an extractor may write: its owner knows of it.
_STAT_LEVEL = 6


class InnerInput(Frozen):
    """The input of an extractor: one character's inner life, and nothing of anybody else's.

    `intention` is their own last one, `actions` its typed actions, `tags` the tags of their intent; `thoughts` are
    their own, `narrations` (turn number, message) those that they were there for before this round, both oldest first.
    `states` are all of theirs, latent ones too; `stats` those of the ruleset's stat block that an extractor may write,
    with their values; so many `new_states` may be opened beside them. `remembers` are their memories that weigh most.
    `bound_to` are the people whom they have promised something; `names` the display names of all that the actions name.
    """

    who: str
    name: str
    description: str = ""
    is_persona: bool = False
    player_name: str = ""
    intention: str
    actions: tuple[Action, ...] = ()
    tags: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    narrations: tuple[tuple[int, Message], ...] = ()
    states: tuple[InnerState, ...] = ()
    stats: FrozenMap[str, Any] = Field(default_factory=dict)
    remembers: tuple[Remembered, ...] = Field(default=(), exclude_if=lambda memories: not memories)
    new_states: int = Field(default=0, exclude_if=lambda most: not most)
    bound_to: tuple[str, ...] = ()
    names: FrozenMap[str, str] = Field(default_factory=dict)

    @property
    def all_states(self) -> tuple[InnerState, ...]:
        """Return the states, and the stats that may be written as manifest ones; where both have a name, the state
        alone."""
        named = {state.name for state in self.states}
        stats = (InnerState(name=name, value=value, level=_STAT_LEVEL) for name, value in self.stats.items())
        return (*self.states, *(stat for stat in stats if stat.name not in named))


def inner_input(
    who: str,
    state: WorldState,
    ruleset: Ruleset,
    *,
    intention: str,
    actions: Sequence[Action] = (),
    tags: Sequence[str] = (),
    thoughts: Sequence[str] = (),
    narrations: Sequence[tuple[int, Message]] = (),
    introduction: str = "",
    remembers: Sequence[Remembered] = (),
) -> InnerInput:
    """Return the extractor's view of a character that has an intention. Messages are given as the matrix lets it read
    them; `introduction` stands in for a profile that nobody wrote."""
    character = state.characters.get(who)
    profile = {} if character is None else character.profile
    states = sorted(inner_states(who, state, ruleset).items())
    targets = (entity_id for action in actions for entity_id in (action.target_id, action.item_id) if entity_id)
    involved = [who, *targets]
    return InnerInput(
        who=who,
        name=state.name_of(who),
        description=str(profile.get("description") or introduction),
        is_persona=who == state.player_id,
        player_name=state.name_of(state.player_id),
        intention=intention,
        actions=tuple(actions),
        tags=tuple(tags),
        thoughts=tuple(thoughts),
        narrations=tuple(narrations),
        states=tuple(InnerState(name=name, value=plain(inner.value), level=inner.level) for name, inner in states),
        stats=writable_stats(who, state, ruleset),
        remembers=tuple(remembers),
        new_states=states_to_open(who, state, ruleset),
        bound_to=tuple(sorted(_bound_to(who, state))),
        names={entity_id: state.name_of(entity_id) for entity_id in sorted(set(involved))},
    )


# So many states are opened by one intention, with numbers and words no larger than these.
NEW_AT_ONCE = 1
_LARGEST_NEW = 10
_LONGEST_NEW = 60
_NEW_NAME = re.compile(r"[a-z][a-z0-9_ -]{1,29}")


def can_be_opened(change: StateChange) -> bool:
    """Tell whether a change could open a state: a short name in small letters, with a small number or a few words."""
    value = change.value
    if change.over or not _NEW_NAME.fullmatch(change.name):
        return False
    if kind_of(value) == "number":
        return bool(0 <= value <= _LARGEST_NEW)
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_NEW


def inner_states(who: str, state: WorldState, ruleset: Ruleset) -> dict[str, CharacterState]:
    """Return somebody's inner states, and those of the ruleset that nothing has moved yet; without those that the stat
    block holds."""
    character = state.characters.get(who)
    own = {} if character is None else dict(character.states)
    stats = writable_stats(who, state, ruleset)
    return {**{name: inner for name, inner in ruleset.states.items() if name not in stats}, **own}


def states_to_open(who: str, state: WorldState, ruleset: Ruleset) -> int:
    """Return how many more states may be opened for somebody, beside those that the ruleset declares."""
    character = state.characters.get(who)
    own = () if character is None else character.states
    return max(ruleset.new_states - sum(name not in ruleset.states for name in own), 0)


def writable_stats(who: str, state: WorldState, ruleset: Ruleset) -> dict[str, Any]:
    """Return the stats of somebody's block that an extractor may write, by name, with their values (None: no value
    yet); empty where they have no block."""
    held = state.ruleset
    if held is None or who not in held.stats:
        return {}
    properties: Mapping[str, Any] = dict(ruleset.character_stat_schema.get("properties", {}))
    block = plain(held.stats[who])
    return {name: block.get(name) for name in sorted(properties) if ruleset.owner_of(f"stats.{name}") == "extract"}


Kind = Literal["nothing", "number", "truth", "text", "list", "object"]


def kind_of(value: Any) -> Kind:
    """Return the kind of a value, as JSON tells them apart."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "object" if isinstance(value, Mapping) else "list"


def _bound_to(who: str, state: WorldState) -> set[str]:
    """Return the IDs of the people whom they have promised something."""
    promised = (fact for fact in state.facts_about(who) if fact.predicate == PREDICATES[0])
    return {str(fact.object["to"]) for fact in promised if isinstance(fact.object, Mapping) and "to" in fact.object}


# The output of an extractor: changes of character states that an intention moves.


class StateChange(Frozen):
    """A character state that an intention moves; extractors change named states and nothing else. Without a value only
    its level moves; `over` ends it. `confidence` is how sure the extractor is (0 to 1), quite where it does not say."""

    name: str = Field(
        min_length=1,
        max_length=80,
        description="A listed state; or a new one, in a word or two, where something lasting begins that none is for",
    )
    value: Json = None
    level: int | None = Field(default=None, ge=1, le=10)
    over: bool = False
    confidence: float = Field(default=1.0, ge=0, le=1)
    reason: str = Field(default="", max_length=SENTENCES)


class StateExtractorOutput(Frozen):
    """What the persona extractor and the character extractor answer with; most intentions move nothing."""

    changes: tuple[StateChange, ...] = Field(default=(), max_length=6)
