"""A state and what was said in it -> one character's view of the moment at which it acts. Nothing that it does not
know."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.index.generation import Generation
from lorewright.rules.outcomes import Outcome
from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import SceneLore
from lorewright.turn.intents import NpcIntentInput, OwnSelf, Remembered
from lorewright.turn.messages import Message
from lorewright.turn.premise import Premise
from lorewright.turn.scope import scope_of
from lorewright.world.inner import recalled
from lorewright.world.state import WorldState

# So many memories are shown, those that weigh most.
MEMORIES = 8


def npc_intent_input(
    who: str,
    state: WorldState,
    *,
    rules: CampaignRules,
    lore: SceneLore,
    messages: Sequence[tuple[int, Message]],
    outcomes: Sequence[Outcome],
    generations: Sequence[Generation],
    seed: str,
    turn_no: int,
    summary: Sequence[str] = (),
    claims: Sequence[Premise] = (),
) -> NpcIntentInput:
    """The view of one of the cast. `lore` is the scene's, secrets included; `messages` are (turn number, message) as
    the matrix lets this character read them, `outcomes` those of this turn that it saw, `summary` the story before them
    as far as it was there, `claims` what the player claimed in its hearing, checked."""
    entity, place = state.entities[who], state.scene.location_id
    memories = recalled(
        state.observations.get(who, {}), minute=state.minutes, decay_lambda=rules.ruleset.decay_lambda, limit=MEMORIES
    )
    return NpcIntentInput(
        me=OwnSelf(id=who, name=entity.name, pronoun=entity.pronoun, goal=rules.of_cast(who).goal),
        player_id=state.player_id,
        player_name=state.name_of(state.player_id),
        place_id=place,
        place_name=state.name_of(place),
        scope=scope_of(state),
        minutes=state.minutes,
        turn_no=turn_no,
        remembers=tuple(
            Remembered(content=one.observation.content, priority=one.priority, minute=one.observation.minute)
            for one in memories
        ),
        messages=tuple(messages),
        outcomes=tuple(outcomes),
        summary=tuple(summary),
        claims=tuple(one.shown() for one in claims),
        names={one: state.name_of(one) for one in state.present()},
        seed=seed,
        recall=state.recall,
    )
