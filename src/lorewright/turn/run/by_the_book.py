"""Attempts that no rule in code decides -> rulings by the rulebook, where a model reads it. Code throws the dice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from pydantic import ValidationError

from lorewright.errors import OutputRejected
from lorewright.llm.model import Toolbox, ToolSpec
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.checks import numbers_for
from lorewright.rules.consequences import MAX_ROLLS, Ruling, is_for_the_rulebook, wrong_with
from lorewright.rules.dice import Dice, parse_dice, parse_formula, read_request
from lorewright.rules.patch import Roll, Validation
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.turn.stages.resolution.stage import NO_ROLL, Resolve
from lorewright.turn.stages.stage import StageRecorder
from lorewright.turn.views.circumstances import guidance_in_words, scene_in_words, stats_in_words, writable_paths
from lorewright.values.proposals import ResolutionInput, ResolutionOutput
from lorewright.values.records import TurnListener
from lorewright.world import ops as o
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState
from lorewright.world.things import recalled

# The specification shows the last three to five memories of everyone involved.
_MEMORIES = 5

ROLL_DICE = ToolSpec(
    name="roll_dice",
    description="Throw dice for one check of the rulebook. The engine throws them; the same check gets the same dice.",
    schema={
        "type": "object",
        "properties": {
            "expression": {"type": "string", "description": "NdM, NdM+K or NdM-K, as in 1d20+3"},
            "context": {
                "type": "object",
                "properties": {
                    "character_id": {"type": "string", "description": "whose dice they are, of those involved"},
                    "check_type": {"type": "string", "description": "what is checked, in a word or two"},
                },
                "required": ["character_id", "check_type"],
                "additionalProperties": False,
            },
        },
        "required": ["expression", "context"],
        "additionalProperties": False,
    },
)


async def rule_attempts(
    stage: Resolve,
    attempts: Sequence[Attempt],
    validation: Validation,
    state: WorldState,
    rules: CampaignRules,
    dice: Dice,
    *,
    player_text: str,
    leak: Callable[[str], str | None] = lambda _: None,
    keeper: StageRecorder,
    listener: TurnListener,
) -> dict[int, Ruling]:
    """Return the rulings on the attempts of a turn, by their place; empty where no model reads the rulebook, or where
    code decides, also because a model's rulings stayed invalid. `leak` returns what is wrong with a text that tells
    what the player may not know, or None.

    Raises:
        ProviderError: the model could not be asked.
    """
    found: dict[int, Ruling] = {}
    if stage.is_builtin or validation.clarification is not None:
        return found
    for attempt, judged in zip(attempts, validation.results, strict=True):
        if is_for_the_rulebook(attempt, judged, state, rules):
            given = _input(attempt, state, rules, player_text)
            tool = DiceTool(
                dice,
                actor_id=attempt.action.actor_id,
                involved=tuple(given.names),
                index=judged.action_index,
                modifiers=own_modifiers(attempt.action, state, rules.ruleset),
                by_rulebook=rules.ruleset.by_rulebook,
            )
            check = _OutputCheck(tool, state, rules.ruleset, leak).wrong_with
            try:
                output = await stage.run(given, keeper, check=check, listener=listener, toolbox=tool.toolbox())
            except OutputRejected:
                continue
            found[judged.action_index] = _ruling(output, tool.rolls, state)
    return found


class DiceTool:
    """The dice of one attempt, as a tool for a model. Whatever name and bonus it gives the check, the same dice fall
    the same, so that asking again is no second throw. `rolls` are those of the current answer, in order."""

    def __init__(
        self,
        dice: Dice,
        *,
        actor_id: str,
        index: int,
        involved: Sequence[str] = (),
        modifiers: Mapping[str, range] = MappingProxyType({}),
        by_rulebook: bool = False,
    ) -> None:
        """Take the dice; `modifiers` are the bonuses that may be added to some dice, `involved` those whose checks may
        be rolled beside the actor's. With `by_rulebook` the formula is in the rulebook, and a bonus may be as large as
        the dice."""
        self._dice = dice
        self._own = modifiers
        self.actor_id = actor_id
        self._involved = frozenset((actor_id, *involved))
        self._by_rulebook = by_rulebook
        self._index = index
        self.rolls: list[Roll] = []

    def toolbox(self) -> Toolbox:
        """Return the tool as the gateway needs it."""
        return Toolbox((ROLL_DICE,), {ROLL_DICE.name: self.roll}, begin=self.rolls.clear)

    def roll(self, arguments: str) -> str:
        """Throw for a call and return the result as JSON.

        Raises:
            ValueError: the arguments are invalid, or the most dice were thrown already.
        """
        try:
            fields = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise ValueError("the arguments are not valid JSON") from None
        if not isinstance(fields, dict):
            raise ValueError("the arguments are not a JSON object")
        # Who names the seed chooses the dice: it is the engine's alone.
        request = read_request({key: fields[key] for key in ("expression", "context") if key in fields})
        whose = request.context.character_id or self.actor_id
        if whose not in self._involved:
            raise ValueError(f"{whose} is not involved: {', '.join(sorted(self._involved))}")
        throw = parse_dice("".join(request.expression.split()).lower())
        if len(self.rolls) >= MAX_ROLLS:
            raise ValueError(f"{MAX_ROLLS} rolls are enough: conclude")
        dice = f"{throw.dice}d{throw.sides}"
        if throw.bonus not in self._modifiers(dice):
            raise ValueError(f"{throw.bonus:+d} is not a bonus that the rules allow with {dice}")
        roll = self._dice.roll(dice, purpose=f"rulebook:{self._index}", actor_id=whose, modifier=throw.bonus)
        self.rolls.append(roll)
        return json.dumps({"expression": asked_of(roll), "rolls": list(roll.rolls), "total": roll.total})

    def _modifiers(self, dice: str) -> range:
        """Return the bonuses that may be added: those of the ruleset's formula for these dice, else up to half of what
        the dice can show, or all of it."""
        throw = parse_dice(dice)
        most = throw.dice * throw.sides // (1 if self._by_rulebook else 2)
        return self._own.get(dice, range(-most, most + 1))


def asked_of(roll: Roll) -> str:
    """Return the expression that was asked for: `1d20+3`."""
    return f"{roll.expression}{roll.modifier:+d}" if roll.modifier else roll.expression


def _normalised(expression: str) -> str:
    """Return an expression as `asked_of` writes it (`1d20+0` is `1d20`); an invalid one as it is."""
    try:
        throw = parse_dice("".join(expression.split()).lower())
    except ValueError:
        return expression
    return f"{throw.dice}d{throw.sides}{f'{throw.bonus:+d}' if throw.bonus else ''}"


def own_modifiers(action: Action, state: WorldState, ruleset: Ruleset) -> dict[str, range]:
    """Return the bonuses that the ruleset's formula can add to its dice in an attempt: from the least to the most that
    any stat gives, zero included."""
    if ruleset.roll is None:
        return {}
    formula, found = parse_formula(ruleset.roll), [0]
    for stat in (None, *ruleset.stats):
        with suppress(ValueError):
            found.append(formula.modifier(numbers_for(formula, stat, action, state)))
    return {formula.dice: range(min(found), max(found) + 1)}


class _OutputCheck:
    """A check of a model's output against the dice that were thrown, the ruleset and the state."""

    def __init__(self, tool: DiceTool, state: WorldState, ruleset: Ruleset, leak: Callable[[str], str | None]) -> None:
        self._leak = leak
        self._tool = tool
        self._state = state
        self._ruleset = ruleset

    def wrong_with(self, output: ResolutionOutput) -> str | None:
        thrown = [asked_of(roll) for roll in self._tool.rolls]
        said = [_normalised(expression) for expression in output.dice_request]
        if said != thrown:
            expected = ", ".join(thrown) or "nothing"
            return f"dice_request must repeat what was thrown with roll_dice, in order: {expected}"
        try:
            ruling = _ruling(output, self._tool.rolls, self._state)
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            return f"state_ops: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        texts = [observation.content for observation in output.new_observations]
        texts += [json.dumps(op.model_dump(mode="json"), ensure_ascii=False) for op in output.state_ops]
        return wrong_with(ruling, self._state, self._ruleset, actor_id=self._tool.actor_id) or self._leak(
            "\n".join(texts)
        )


def _ruling(output: ResolutionOutput, rolls: Sequence[Roll], state: WorldState) -> Ruling:
    band = None if output.resolved_outcome == NO_ROLL else output.resolved_outcome
    thrown = [roll.model_copy(update={"band": band if roll is rolls[-1] else None}) for roll in rolls]
    memories = (
        o.Observe(who=observation.character_id, content=observation.content, importance=observation.importance)
        for observation in output.new_observations
    )
    return Ruling.model_validate(
        {"band": band, "rolls": thrown, "ops": (*(op.as_op() for op in output.state_ops), *memories)}
    )


def _input(attempt: Attempt, state: WorldState, rules: CampaignRules, player_text: str) -> ResolutionInput:
    action, ruleset = attempt.action, rules.ruleset
    involved = [who for who in dict.fromkeys((action.actor_id, action.target_id)) if who is not None]
    people = [who for who in involved if who in state.positions]
    stats = {} if state.ruleset is None else {who: plain(state.ruleset.stats.get(who, {})) for who in people}
    decay = ruleset.decay_lambda
    memories = {
        who: tuple(
            memory.observation.content
            for memory in recalled(state.observations.get(who, {}), minute=state.minutes, decay_lambda=decay)[
                :_MEMORIES
            ]
        )
        for who in people
    }
    return ResolutionInput(
        rulebook_text=ruleset.rulebook_text,
        scene_state={} if state.ruleset is None else plain(state.ruleset.scene),
        player_text=player_text,
        attempt=action.words or action.type,
        actor_id=action.actor_id,
        target_id=action.target_id,
        names={who: state.name_of(who) for who in dict.fromkeys((*state.present(), *involved))},
        stat_blocks={who: block for who, block in stats.items() if block},
        recent_observations={who: found for who, found in memories.items() if found},
        writable=writable_paths(state, ruleset, by="resolve"),
        bands=tuple(band.name for band in ruleset.bands),
        guidance=guidance_in_words(ruleset),
        scene_in_words=scene_in_words(state, ruleset),
        stats_in_words={who: stats_in_words(block, ruleset) for who, block in stats.items() if block},
    )
