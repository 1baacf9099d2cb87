"""Check of a ruleset with valid keys -> what in it could not be played: dice, names, paths, owners, schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from lorewright.rules.checks import SCENE, STAT, TARGET
from lorewright.rules.conditions import PathIs
from lorewright.rules.dice import parse_dice, parse_formula
from lorewright.rules.effects import PathEffect
from lorewright.rules.reasons import ALL
from lorewright.rules.rulesets import OWNERS, Check, Ruleset
from lorewright.rules.validate import COST_KEYS
from lorewright.world.ops import OP_KINDS
from lorewright.world.schemas import misfits, part_of, schema_problems

_SCHEMAS = ("character_stat_schema", "scene_state_schema")


@dataclass(frozen=True, slots=True)
class RulesetProblem:
    """A fault: the keys that lead to it, the message, and a hint."""

    path: tuple[object, ...]
    message: str
    hint: str


def ruleset_problems(ruleset: Ruleset) -> list[RulesetProblem]:
    """Return every fault that would show when the ruleset is played, in the order of its parts."""
    return [
        *_schemas(ruleset),
        *_bands(ruleset),
        *_stats(ruleset),
        *_checks(ruleset),
        *_paths(ruleset),
        *_timers_and_costs(ruleset),
        *_owners(ruleset),
        *_types(ruleset),
    ]


def ruleset_remarks(ruleset: Ruleset) -> list[RulesetProblem]:
    """Return what is probably a mistake although the ruleset can be played: what is never rolled, remembered or
    faded."""
    found = []
    rolled = [action.check for action in ruleset.actions.values() if action.check is not None]
    if not rolled:
        hint = "give a type of action a check, or leave `actions` out"
        found.append(RulesetProblem(("actions",), "nothing is ever rolled: no type of action has a check", hint))
    added = {name for check in rolled for name in (*check.stats, *([check.add] if check.add else ()))}
    added |= {stat for trait in ruleset.traits for stat in ruleset.traits[trait]}
    added |= {name for text in (ruleset.roll, *(check.roll for check in rolled)) if text for name in _names(text)}
    # A check that names none adds what the attempt calls for.
    any_of_them = not rolled or any(not check.stats and check.add is None and check.roll is None for check in rolled)
    for stat in [stat for stat in ruleset.stats if not any_of_them and stat not in added]:
        hint = "name it in a check, in traits, or in the formula"
        found.append(RulesetProblem(("stats", stat), f"{stat} is never rolled: no check adds it", hint))
    if "observe" not in ruleset.allowed_ops.get("resolve", ()):
        hint = "add observe to allowed_ops.resolve, or leave `allowed_ops` out"
        found.append(RulesetProblem(("allowed_ops",), "nobody remembers anything that happens", hint))
    elif ruleset.profile == "freeform" and not ruleset.by_rulebook:
        hint = "choose another profile, here or in a scenario, where people are to remember"
        found.append(RulesetProblem(("profile",), "nobody remembers anything in the profile freeform", hint))
    elif not ruleset.decay_lambda:
        hint = "write decay_lambda: 0.0005, or leave it out"
        found.append(RulesetProblem(("decay_lambda",), "no memory ever fades", hint))
    return found


def _schemas(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    for name in _SCHEMAS:
        schema: Mapping[str, Any] = getattr(ruleset, name)
        if not schema:
            continue
        faults = list(schema_problems(schema))
        yield from (RulesetProblem((name, *path), message, hint) for path, message, hint in faults)
        if not faults and schema.get("type") != "object":
            yield RulesetProblem((name,), "it must describe an object", "write type: object and its properties")
        if faults:
            continue
        for key, part in schema.get("properties", {}).items():
            wrong = misfits(part["default"], part) if "default" in part else []
            for fault in wrong:
                path = (name, "properties", key, "default")
                yield RulesetProblem(path, f"the default does not fit: {fault}", "mend the default or its bounds")
        for key in schema.get("required", ()):
            if key not in schema.get("properties", {}):
                yield RulesetProblem((name, "required"), f"{key} is required and not described", "add it to properties")


def _bands(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    minimums = [band.minimum for band in ruleset.bands]
    if minimums != sorted(set(minimums), reverse=True):
        yield RulesetProblem(("bands",), "the bands do not fall from the highest", "write the highest minimum first")
    names = [band.name for band in ruleset.bands]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield RulesetProblem(("bands",), f"there are two bands {name}", "name each band once")
    texts = {("consequences",): ruleset.consequences} | {("stats", key): s.say for key, s in ruleset.stats.items()}
    for path, group in texts.items():
        for name in group:
            if name not in names:
                yield RulesetProblem(path, f"no dice come to {name}: there is no such band", "add the band, or drop it")
    if ruleset.clearly_higher is not None and ruleset.clearly_higher.band not in names:
        yield RulesetProblem(("clearly_higher", "band"), f"there is no band {ruleset.clearly_higher.band}", "add it")


def _stats(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    for name in ruleset.stats:
        part = part_of(ruleset.character_stat_schema, (name,))
        if part is None or part.get("type") not in ("integer", "number"):
            hint = f"add {name}: {{type: integer, minimum: 0, maximum: 10}} to character_stat_schema.properties"
            yield RulesetProblem(("stats", name), f"the stat {name} is no number of character_stat_schema", hint)
    for trait, names in ruleset.traits.items():
        yield from _unknown_stats(ruleset, ("traits", trait), names)


def _unknown_stats(ruleset: Ruleset, path: tuple[object, ...], names: tuple[str, ...]) -> Iterator[RulesetProblem]:
    for name in names:
        if name not in ruleset.stats:
            known = ", ".join(ruleset.stats) or "none"
            yield RulesetProblem(path, f"there is no stat {name}", f"the stats are: {known}")


def _checks(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    yield from _dice(("dice",), ruleset.dice)
    yield from _formula(ruleset, ("roll",), ruleset.roll)
    for kind, action in ruleset.actions.items():
        if action.check is not None:
            yield from check_problems(ruleset, ("actions", kind, "check"), action.check)


def check_problems(ruleset: Ruleset, path: tuple[object, ...], check: Check) -> Iterator[RulesetProblem]:
    """Yield the faults that would show when a check is rolled, the ruleset's or a scenario's."""
    yield from _dice((*path, "dice"), check.dice)
    yield from _formula(ruleset, (*path, "roll"), check.roll)
    yield from _unknown_stats(ruleset, (*path, "stats"), check.stats)
    text = check.roll or ruleset.roll
    if text and STAT in _names(text) and not (check.stats or check.add):
        yield RulesetProblem(path, "the formula adds a stat, and the check names none", "write stats: [NAME, …]")
    if text and check.add is not None and check.add not in (*ruleset.stats, *ruleset.traits):
        known = ", ".join((*ruleset.stats, *ruleset.traits))
        yield RulesetProblem((*path, "add"), f"there is no stat or trait {check.add}", f"there are: {known}")


def _dice(path: tuple[object, ...], text: str | None) -> Iterator[RulesetProblem]:
    try:
        parse_dice(text or "1d20")
    except ValueError as problem:
        yield RulesetProblem(path, str(problem), "write for example 2d6 or 1d20+1")


def _names(text: str) -> tuple[str, ...]:
    try:
        return parse_formula(text).names
    except ValueError:
        return ()


def _formula(ruleset: Ruleset, path: tuple[object, ...], text: str | None) -> Iterator[RulesetProblem]:
    if text is None:
        return
    try:
        names = parse_formula(text).names
    except ValueError as problem:
        yield RulesetProblem(path, str(problem), "write for example 1d20 + (10 - shyness) + chemistry")
        return
    for name in names:
        if name == STAT:
            continue
        schema, key = ruleset.character_stat_schema, name.removeprefix(TARGET)
        if name.startswith(SCENE):
            schema, key = ruleset.scene_state_schema, name.removeprefix(SCENE)
        if part_of(schema, (key,)) is None:
            hint = "name a stat, target_STAT, scene_NUMBER or stat"
            yield RulesetProblem(path, f"the formula reads {name}, which no schema describes", hint)


def _paths(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    """Yield effects and conditions about unknown paths, and effects on paths that are not the resolver's."""
    for part in ("actions", "consequences", "stats", "triggers", "streak", "escalation"):
        yield from path_problems(ruleset, getattr(ruleset, part), (part,))


def path_problems(ruleset: Ruleset, value: Any, path: tuple[object, ...]) -> Iterator[RulesetProblem]:
    """Yield the faults of paths of all effects and conditions within a value, a ruleset's or a scenario's."""
    for where, part in _walk_paths(value, path):
        schema = ruleset.scene_state_schema if part.of is None else ruleset.character_stat_schema
        if _schema_at(schema, part.path.split(".")) is None:
            which = _SCHEMAS[1] if part.of is None else _SCHEMAS[0]
            message = f"{which} of {ruleset.id} does not describe {part.path}"
            yield RulesetProblem(where, message, "add it there, or mend the path")
        elif isinstance(part, PathEffect):
            yield from _check_owner(ruleset, where, part)


def _schema_at(schema: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the schema of a path; a step that is named in play only (`$target`) stands for any known one."""
    for at, step in enumerate(path):
        if "$" in step:
            around = part_of(schema, path[:at])
            names = () if around is None else around.get("properties", {"": None})
            found = (_schema_at(schema, (*path[:at], name, *path[at + 1 :])) for name in names)
            return next((part for part in found if part is not None), None)
    return part_of(schema, path)


def _check_owner(ruleset: Ruleset, path: tuple[object, ...], effect: PathEffect) -> Iterator[RulesetProblem]:
    whole = f"{'scene' if effect.of is None else 'stats'}.{effect.path}"
    owner = ruleset.owner_of(whole)
    if owner not in (None, "resolve"):
        yield RulesetProblem(path, f"{whole} belongs to {owner}, and effects are the resolver's", "mend owners")
    allowed = ruleset.allowed_ops.get("resolve")
    if allowed is not None and effect.op not in allowed:
        yield RulesetProblem(path, f"allowed_ops.resolve has no {effect.op}", "add it, or use another op")


def _walk_paths(value: Any, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], PathEffect | PathIs]]:
    """Yield every effect and condition about a path, with the keys that lead to it."""
    if isinstance(value, PathEffect | PathIs):
        yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _walk_paths(getattr(value, name), (*path, name))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _walk_paths(part, (*path, key))
    elif isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from _walk_paths(part, (*path, number))


def _timers_and_costs(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    for path in ruleset.timers:
        part = part_of(ruleset.scene_state_schema, (path,))
        if part is None or part.get("type") != "integer" or path not in ruleset.scene_state_schema.get("required", ()):
            hint = "describe it in scene_state_schema as {type: integer, …} and add it to required"
            yield RulesetProblem(("timers", path), f"{path} is no whole number that every scene has", hint)
    for kind, action in ruleset.actions.items():
        for cost in (*action.costs, *(cost for costs in action.costs_by_word.values() for cost in costs)):
            known = cost in COST_KEYS or part_of(ruleset.scene_state_schema, (cost,)) is not None
            if cost == "time" or not known:
                hint = "minutes are their own key; other costs are heat, cred, harm, rep or a number of the scene"
                yield RulesetProblem(("actions", kind, "costs", cost), f"there is no cost {cost}", hint)


def _owners(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    """Yield paths that a schema describes and that do not have one owner, and owners of other paths."""
    described = {
        part: ruleset_schema.get("properties", {})
        for part, ruleset_schema in (("scene", ruleset.scene_state_schema), ("stats", ruleset.character_stat_schema))
    }
    for part, names in described.items():
        for name in names:
            if ruleset.owner_of(f"{part}.{name}") is None:
                hint = f"add {part}.{name}: resolve (or {', '.join(OWNERS[1:])}) to owners"
                yield RulesetProblem(("owners",), f"nobody owns {part}.{name}", hint)
    for path in ruleset.owners:
        part, _, rest = path.partition(".")
        if part not in described or (rest != "*" and rest.split(".")[0] not in described[part]):
            yield RulesetProblem(
                ("owners", path), f"no schema describes {path}", "write scene.NAME, stats.NAME or stats.*"
            )
    for owner, kinds in ruleset.allowed_ops.items():
        for kind in kinds:
            if kind not in OP_KINDS:
                yield RulesetProblem(("allowed_ops", owner), f"there is no op {kind}", f"one of: {', '.join(OP_KINDS)}")


def _types(ruleset: Ruleset) -> Iterator[RulesetProblem]:
    """Yield unknown types of action in lists of forbidden ones, and verbs with several meanings."""
    named: dict[tuple[object, ...], tuple[str, ...]] = {
        ("conditions", key): rule.forbids for key, rule in ruleset.conditions.items()
    }
    named |= {("situations", key): rule.forbids for key, rule in ruleset.situations.items()}
    named |= {("contradictions", number): rule.forbids for number, rule in enumerate(ruleset.contradictions)}
    kinds = ruleset.kinds()
    known = ", ".join(ruleset.actions)
    for path, types in named.items():
        for kind in types:
            if kind not in kinds and kind != ALL:
                yield RulesetProblem(path, f"there is no action {kind} to forbid", f"one of: {known}, or {ALL} for all")
    meant: dict[str, str] = {}
    for kind, action in ruleset.actions.items():
        for verb in action.verbs:
            if meant.setdefault(verb, kind) != kind:
                message = f"the verb {verb} means {meant[verb]} already"
                yield RulesetProblem(("actions", kind, "verbs"), message, "give it to one of them")
