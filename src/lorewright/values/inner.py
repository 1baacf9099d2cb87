"""What a persona's or a character's extractor is shown: its own intention and thoughts, what was told before this
round, and everything that moves it. How the round comes out is not in here, because it runs beside the narrator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from lorewright.rules.actions import Action
from lorewright.rules.enact import PREDICATES
from lorewright.rules.rulesets import Ruleset
from lorewright.values.messages import Message
from lorewright.values.records import InnerState
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState

# What a stat of the ruleset's that an extractor may write is shown as: its owner knows of it.
_STAT_LEVEL = 6


class InnerInput(Frozen):
    """One extractor's view: whose inner life it is, and nothing of anybody else's.

    `intention` is their own last one, `actions` what the interpreter or the intent stage made of it, `tags` what their
    intent was marked with; `thoughts` are their own, `narrations` (turn number, message) those that they were there for
    before this round, both oldest first. `states` are all of theirs, latent ones too; `stats` those of the ruleset's
    stat block that an extractor may write, with what stands there. `bound_to` are the people whom they have promised
    something; `names` the display names of whoever and whatever the actions name.
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
    bound_to: tuple[str, ...] = ()
    names: FrozenMap[str, str] = Field(default_factory=dict)

    @property
    def all_states(self) -> tuple[InnerState, ...]:
        """The states, and the stats that may be written as manifest ones; of two that are called the same the
        state."""
        named = {one.name for one in self.states}
        stats = (InnerState(name=name, value=value, level=_STAT_LEVEL) for name, value in self.stats.items())
        return (*self.states, *(one for one in stats if one.name not in named))


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
) -> InnerInput:
    """The extractor's view of one who has an intention. Messages are given as the matrix lets it read them."""
    character = state.characters.get(who)
    profile = {} if character is None else character.profile
    states = () if character is None else sorted(character.states.items())
    involved = [who, *(one for action in actions for one in (action.target_id, action.item_id) if one)]
    return InnerInput(
        who=who,
        name=state.name_of(who),
        description=str(profile.get("description") or ""),
        is_persona=who == state.player_id,
        player_name=state.name_of(state.player_id),
        intention=intention,
        actions=tuple(actions),
        tags=tuple(tags),
        thoughts=tuple(thoughts),
        narrations=tuple(narrations),
        states=tuple(InnerState(name=name, value=plain(one.value), level=one.level) for name, one in states),
        stats=writable_stats(who, state, ruleset),
        bound_to=tuple(sorted(_bound_to(who, state))),
        names={one: state.name_of(one) for one in sorted(set(involved))},
    )


def writable_stats(who: str, state: WorldState, ruleset: Ruleset) -> dict[str, Any]:
    """The stats of somebody's block that are an extractor's to write, by name, with what stands there (None: nothing
    yet); none where they have no block."""
    held = state.ruleset
    if held is None or who not in held.stats:
        return {}
    properties: Mapping[str, Any] = dict(ruleset.character_stat_schema.get("properties", {}))
    block = plain(held.stats[who])
    return {name: block.get(name) for name in sorted(properties) if ruleset.owner_of(f"stats.{name}") == "extract"}


Kind = Literal["nothing", "number", "truth", "text", "list", "object"]


def kind_of(value: Any) -> Kind:
    """What sort of value it is, as JSON tells them apart."""
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
    """Whom they have promised something, by ID."""
    promised = (fact for fact in state.facts_about(who) if fact.predicate == PREDICATES[0])
    return {str(fact.object["to"]) for fact in promised if isinstance(fact.object, Mapping) and "to" in fact.object}
