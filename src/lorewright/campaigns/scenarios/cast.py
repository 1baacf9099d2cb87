"""Scenario and ruleset -> the stat blocks and the ruleset's scene that a campaign begins with, held to the schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lorewright.campaigns.scenarios.names import PLAYER_NAMES, NameLookup
from lorewright.campaigns.scenarios.scenario import Scenario, ScenarioAct, ScenarioCast
from lorewright.errors import StateMisfit
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.packs.schemas import OwnWill, own_will
from lorewright.retrieval.view import told_entity
from lorewright.rules.actions import ANYBODY, AuthoredAct, CastRule, Deed, takes
from lorewright.rules.ruleset_checks import check_problems, path_problems
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.values.entries import Agenda
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.schemas import filled, misfits, plain
from lorewright.world.state import WorldState

# A campaign's scenario, as it was stored, and its cast -> the agendas of the cast and the player, by ID.


def agendas_of(
    scenario: Mapping[str, Any], state: WorldState, cast: Mapping[str, CastRule] = MappingProxyType({})
) -> dict[str, Agenda]:
    """By ID, in the order of IDs; whoever has neither a goal nor a step is in it not at all.

    Scenarios name people with their pack or without it, and a stored one is read as it was written. A goal of somebody
    whom nobody knows (files from before that was an error) is passed over. In `cast` stand the goals that packs give.
    """
    goals, written = scenario.get("goals", {}), scenario.get("cast", {})
    found = {}
    for who in sorted(state.positions):
        names = PLAYER_NAMES if who == state.player_id else (who, local(who))
        goal = next((goals[name] for name in names if name in goals), "")
        goal = goal or (cast[who].goal if who in cast else "")
        steps = next((written[name].get("agenda", ()) for name in names if name in written), ())
        agenda = Agenda(goal, tuple((step["when"]["clock"], step["when"]["min"]) for step in steps))
        if agenda != Agenda():
            found[who] = agenda
    return found


# Scenario and packs -> how readily each of the cast acts of their own accord, what for, and the acts that their author
# wrote, with every name looked up. What the scenario says goes before what an npc's file says.

# What an act of a type must name, of the keys of a `do`. What is not here names what it likes.
_ALL_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "go": ("to",),
        "give": ("target", "item"),
        "take": ("target",),
        "drop": ("target",),
        "ask": ("target", "topic"),
        "tell": ("target",),
        "promise": ("target", "topic"),
        **dict.fromkeys(("persuade", "threaten", "attack", "recall"), ("target",)),
        **dict.fromkeys(("open", "close", "lock", "unlock"), ("target",)),
        "attempt": ("topic",),
    }
)
# Acts that are aimed at somebody, and those that name a place.
_AT_PEOPLE = frozenset({"give", "ask", "tell", "promise", "persuade", "threaten", "attack", "recall"})
_TO_PLACES = frozenset({"go", "sneak"})


def cast_of(
    scenario: Scenario, ruleset: Ruleset, names: NameLookup, generations: Sequence[Generation]
) -> dict[str, CastRule]:
    """By ID, in the order of the scenario; whoever is as anybody would be is in it not at all. What is wrong with an
    act is noted in `names`, where it stands."""
    checked = _Acts(scenario, ruleset, names)
    found = {}
    for key, one in scenario.cast.items():
        who = names.entity(key, where=f"cast.{key}")
        source = told_entity(who, generations)
        written = own_will(source.attrs) if source is not None and source.type == "npc" else OwnWill()
        rule = _rule(scenario.goals.get(key, ""), one, written, tuple(checked.of(key, one)))
        if rule != ANYBODY:
            found[who] = rule
    return found


def _rule(goal: str, one: ScenarioCast, written: OwnWill, acts: tuple[AuthoredAct, ...]) -> CastRule:
    baked = one.baked if one.baked is not None else written.baked
    said = (value for value in (one.chattiness, written.chattiness) if value is not None)
    return CastRule(
        goal=goal or written.agenda,
        baked=bool(baked),
        chattiness=next(said, ANYBODY.chattiness),
        acts=acts,
    )


class _Acts:
    """Looks up and checks what authors write for people to do."""

    def __init__(self, scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> None:
        self._scenario = scenario
        self._ruleset = ruleset
        self._names = names

    def of(self, key: str, one: ScenarioCast) -> Iterator[AuthoredAct]:
        """The acts of one of the cast, in their order."""
        known: set[str] = set()
        for number, act in enumerate(one.acts, start=1):
            where, act_id = f"cast.{key}.acts.{number}", act.id or f"act_{number}"
            if act_id in known:
                self._names.problems.append(f"{where}: there is an act {act_id} before it")
            known.add(act_id)
            self._names.problems.extend(f"{where}: {wrong}" for wrong in self._wrong(act.do))
            yield self._resolved(act, act_id, where)

    def _resolved(self, act: ScenarioAct, act_id: str, where: str) -> AuthoredAct:
        do = act.do
        meant = Deed(
            type=do.type,
            target=None if do.target is None else self._names.entity_or_you(do.target, where=where),
            to=None if do.to is None else self._names.entity(do.to, where=where),
            item=self._item(do, where),
            topic=do.topic,
            whisper=do.whisper,
        )
        bare = AuthoredAct(id=act_id, when=act.when, do=Deed(type=do.type), once=act.once)
        told = {"do": meant, "say": act.say, "thought": act.thought}
        return self._names.resolved(bare, where=where).model_copy(update=told)

    def _item(self, do: Deed, where: str) -> str | None:
        if do.item is None:
            return None
        if do.lore_item is not None:
            return self._names.item(do.lore_item, where=where)
        return self._names.entity(do.item, where=where)

    def _wrong(self, do: Deed) -> Iterator[str]:
        """What only a turn would find out otherwise."""
        if do.type not in self._ruleset.actions:
            yield f"there is no act {do.type} (there are {', '.join(self._ruleset.actions)})"
            return
        for missing in [key for key in _ALL_OF.get(do.type, ()) if not getattr(do, key)]:
            yield f"to {do.type} somebody needs `{missing}`"
        if do.type == "tell" and not (do.item or do.topic):
            yield "to tell somebody needs `item`, what is known, or `topic`, the words"
        if do.type == "use" and not (do.item or do.target):
            yield "to use somebody needs `item` or `target`"
        yield from self._idle(do)
        if do.type in _AT_PEOPLE and do.target and do.target not in (*self._scenario.cast, *PLAYER_NAMES):
            yield f"{do.target} is not in the cast (nor you)"
        if do.to and do.to not in self._scenario.places:
            yield f"{do.to} is not among the places"

    def _idle(self, do: Deed) -> Iterator[str]:
        """Keys that say nothing of such an act."""
        if do.to and do.type not in _TO_PLACES:
            yield f"`to` is where one goes; to {do.type} needs none"
        if do.item and do.type != "tell" and not takes(do.type, "item_id"):
            yield f"nothing goes along where somebody does {do.type}: leave `item` out"
        if do.whisper and do.type not in _AT_PEOPLE:
            yield f"nothing is whispered where somebody does {do.type}: leave `whisper` out"


# Where in a scenario what a ruleset shapes is said.
STAT_BLOCKS, SCENE_SEED = "stat_blocks", "scene_seed"


def seeded_state(scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> RulesetState | None:
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
        yield from (f"clocks.{clock_id}: {path_problem.message}" for path_problem in path_problems(ruleset, marks, ()))
    for item, effects in rules.on_find.items():
        yield from (f"finds.{item}: {path_problem.message}" for path_problem in path_problems(ruleset, effects, ()))
    for kind in ("threats", "escalation", "inquiries"):
        for key, one in getattr(rules, kind).items():
            yield from (f"{kind}.{key}: {fault.message}" for fault in path_problems(ruleset, one, ()))
    for ending in rules.endings:
        yield from (
            f"endings.{ending.id}: {path_problem.message}" for path_problem in path_problems(ruleset, ending, ())
        )


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


def _blocks(scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> Iterator[tuple[str, dict[str, Any]]]:
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


def _scene(scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> dict[str, Any]:
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


def _note(
    value: Mapping[str, Any], schema: Mapping[str, Any], where: str, names: NameLookup, *, is_given: bool
) -> None:
    for misfit in misfits(value, schema):
        field = ".".join((where, *misfit.field))
        missing = "" if is_given else " (there is none in the scenario)"
        names.problems.append(f"{field}: {misfit.message}{missing}")
