"""Scenario and ruleset -> the stat blocks and the ruleset's scene that a campaign begins with, held to the schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.campaigns.names import PLAYER_NAMES, Names
from lorewright.campaigns.scenario import Scenario
from lorewright.errors import StateMisfit
from lorewright.rules.ruleset_checks import check_problems, path_problems
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.schemas import filled, misfits, plain
from lorewright.world.state import WorldState

# Where in a scenario what a ruleset shapes is said.
STAT_BLOCKS, SCENE_SEED = "stat_blocks", "scene_seed"


def seeded_state(scenario: Scenario, ruleset: Ruleset, names: Names) -> RulesetState | None:
    """The part of the first state that the ruleset shapes; None where it shapes none and the scenario gives none.

    Defaults of the schemas fill what the scenario does not say. Whatever does not fit is noted in `names`, by its key;
    then there is none either.
    """
    before = len(names.problems)
    stats = dict(_blocks(scenario, ruleset, names))
    scene = _scene(scenario, ruleset, names)
    if len(names.problems) > before or not (stats or ruleset.scene_state_schema):
        return None
    return RulesetState(
        stat_schema=ruleset.character_stat_schema, scene_schema=ruleset.scene_state_schema, stats=stats, scene=scene
    )


def path_faults(rules: CampaignRules) -> Iterator[str]:
    """What is wrong with the paths and formulas of a scenario's rules, each with where it stands."""
    ruleset = rules.ruleset
    for rule in rules.rules:
        where = f"rules.{rule.id}"
        found = [*path_problems(ruleset, rule, ())]
        found += [] if rule.check is None else [*check_problems(ruleset, (), rule.check)]
        yield from (f"{where}: {one.message}" for one in found)
    for clock_id, marks in rules.clock_effects.items():
        yield from (f"clocks.{clock_id}: {one.message}" for one in path_problems(ruleset, marks, ()))
    for item, effects in rules.on_find.items():
        yield from (f"finds.{item}: {one.message}" for one in path_problems(ruleset, effects, ()))
    for kind in ("threats", "escalation", "inquiries"):
        for key, one in getattr(rules, kind).items():
            yield from (f"{kind}.{key}: {fault.message}" for fault in path_problems(ruleset, one, ()))
    for ending in rules.endings:
        yield from (f"endings.{ending.id}: {one.message}" for one in path_problems(ruleset, ending, ()))


def hold_to(state: WorldState, ruleset: Ruleset) -> None:
    """See that a stored state fits the schemas of its campaign's ruleset, which it was read by its own copy of.

    Raises:
        StateMisfit: it does not; the message names the field.
    """
    held = state.ruleset
    if held is None:
        return
    wanted = {"stat_schema": ruleset.character_stat_schema, "scene_schema": ruleset.scene_state_schema}
    if all(plain(getattr(held, name)) == plain(schema) for name, schema in wanted.items()):
        return
    problem = next(held.model_copy(update=wanted).misfits(), None)
    if problem is not None:
        hint = "the campaign and its ruleset are of two versions; restore the file that they were kept in together"
        raise StateMisfit(f"the stored state does not fit the ruleset {ruleset.id}: {problem}", hint=hint)


def _blocks(scenario: Scenario, ruleset: Ruleset, names: Names) -> Iterator[tuple[str, dict[str, Any]]]:
    """One block for the player, each persona and each of the cast, where the ruleset asks for any; else those that are
    given."""
    schema, given = ruleset.character_stat_schema, scenario.stat_blocks
    for key in given:
        if key not in PLAYER_NAMES and key not in scenario.cast and key not in scenario.personas:
            names.problems.append(f"{STAT_BLOCKS}.{key}: {key} is not in the cast (nor player)")
    if given and not schema:
        names.problems.append(f"{STAT_BLOCKS}: the ruleset {ruleset.id} has no stats")
        return
    for key in ("player", *scenario.personas, *scenario.cast):
        block = next((given[one] for one in (PLAYER_NAMES if key == "player" else (key,)) if one in given), None)
        if block is None and not _asks_for(schema):
            continue
        full = filled(block or {}, schema)
        _note(full, schema, f"{STAT_BLOCKS}.{key}", names, is_given=block is not None)
        yield names.entity(key, where=f"{STAT_BLOCKS}.{key}"), full


def _scene(scenario: Scenario, ruleset: Ruleset, names: Names) -> dict[str, Any]:
    """The scene's start. For a ruleset that describes none a `scene_seed` is kept with the scenario, unread."""
    schema, given = ruleset.scene_state_schema, scenario.scene_seed
    if not schema:
        return {}
    if given is not None and not isinstance(given, Mapping):
        names.problems.append(f"{SCENE_SEED}: write `key: value` lines, as scene_state_schema of {ruleset.id} has them")
        return {}
    full = filled(given or {}, schema)
    _note(full, schema, SCENE_SEED, names, is_given=given is not None)
    return full


def _asks_for(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("required")) or any("default" in one for one in schema.get("properties", {}).values())


def _note(value: Mapping[str, Any], schema: Mapping[str, Any], where: str, names: Names, *, is_given: bool) -> None:
    for one in misfits(value, schema):
        field = ".".join((where, *one.field))
        missing = "" if is_given else " (there is none in the scenario)"
        names.problems.append(f"{field}: {one.message}{missing}")
