"""Scenario and ruleset -> the stat blocks and the ruleset's scene that a campaign begins with, checked against the
schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lorewright.campaigns.scenarios.names import PLAYER_NAMES, NameLookup, no_act
from lorewright.campaigns.scenarios.scenario import Scenario, ScenarioAct, ScenarioCast, ScenarioPersona
from lorewright.errors import StateMisfit
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.packs.schemas import NpcInitiative, read_npc_initiative
from lorewright.retrieval.view import merge_entity
from lorewright.rules.actions import ANYBODY, AuthoredAct, CastRule, Deed, takes
from lorewright.rules.ruleset_checks import check_problems, path_problems
from lorewright.rules.rulesets import CampaignRules, OpenIntroduction, Ruleset
from lorewright.rules.verbs import verb_of, verbs
from lorewright.scene_lore.gather import described
from lorewright.values.entries import Agenda
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.schemas import filled, misfits, plain
from lorewright.world.state import WorldState

# The agendas of the cast and the player, from a campaign's scenario as it was stored.


def agendas_of(
    scenario: Mapping[str, Any], state: WorldState, cast: Mapping[str, CastRule] = MappingProxyType({})
) -> dict[str, Agenda]:
    """Return the agendas by ID, in the order of IDs; people with neither a goal nor a step are not in it.

    Scenarios name people with or without their pack, and a stored scenario is read as it was written. A goal of an
    unknown person (in files from before that was an error) is ignored. `cast` has the goals that packs give.
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


# How the packs introduce those whose profile nobody wrote.

# The most words of an introduction: a sentence or two.
_INTRODUCTION_WORDS = 45


def introductions_of(
    scenario: Scenario, names: NameLookup, generations: Sequence[Generation]
) -> dict[str, OpenIntroduction]:
    """Return by ID the first open sentences of the packs about each of the cast and the personas whom the scenario
    gives no description; nothing about somebody who goes by another name than in their pack."""
    found = {}
    members: dict[str, ScenarioPersona | ScenarioCast] = {**scenario.personas, **scenario.cast}
    ids = {names.entity(key, where=f"cast.{key}"): member for key, member in members.items()}
    wanted = {who: member for who, member in ids.items() if not member.profile.get("description")}
    lines_of = described(generations, wanted)
    for who, member in wanted.items():
        source = merge_entity(who, generations)
        if source is None or member.name not in (None, source.name):
            continue
        text: list[str] = []
        lines = lines_of.get(who, ())
        for line in (line for line in lines if line.chunk_id == lines[0].chunk_id):
            if text and sum(len(part.split()) for part in (*text, line.text)) > _INTRODUCTION_WORDS:
                break
            text.append(line.text)
        if text:
            found[who] = OpenIntroduction(text=" ".join(text), chunk_id=lines[0].chunk_id)
    return found


# How readily each of the cast acts of their own accord, their goal, and the acts that their author wrote, with every
# name looked up. The scenario's values go before those of an npc's file.


def cast_of(
    scenario: Scenario, ruleset: Ruleset, names: NameLookup, generations: Sequence[Generation]
) -> dict[str, CastRule]:
    """Return the rules of the cast by ID, in the order of the scenario; members whose rule is the default are not in
    it. Faults of an act are added to `names`, with the place where they stand."""
    checked = _Acts(scenario, ruleset, names)
    found = {}
    for key, member in scenario.cast.items():
        who = names.entity(key, where=f"cast.{key}")
        source = merge_entity(who, generations)
        written = read_npc_initiative(source.attrs) if source is not None and source.type == "npc" else NpcInitiative()
        rule = _rule(scenario.goals.get(key, ""), member, written, tuple(checked.of(key, member)))
        if rule != ANYBODY:
            found[who] = rule
    return found


def _rule(goal: str, member: ScenarioCast, written: NpcInitiative, acts: tuple[AuthoredAct, ...]) -> CastRule:
    baked = member.baked if member.baked is not None else written.baked
    given = (value for value in (member.chattiness, written.chattiness) if value is not None)
    return CastRule(
        goal=goal or written.agenda,
        baked=bool(baked),
        chattiness=next(given, ANYBODY.chattiness),
        acts=acts,
    )


class _Acts:
    """Looks up and checks the acts that authors write for the cast."""

    def __init__(self, scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> None:
        self._scenario = scenario
        self._ruleset = ruleset
        self._names = names

    def of(self, key: str, member: ScenarioCast) -> Iterator[AuthoredAct]:
        """Yield the acts of a member of the cast, in their order."""
        known: set[str] = set()
        for number, act in enumerate(member.acts, start=1):
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
        texts = {"do": meant, "say": act.say, "thought": act.thought}
        return self._names.resolved(bare, where=where).model_copy(update=texts)

    def _item(self, do: Deed, where: str) -> str | None:
        if do.item is None:
            return None
        if do.lore_item is not None:
            return self._names.item(do.lore_item, where=where)
        return self._names.entity(do.item, where=where)

    def _wrong(self, do: Deed) -> Iterator[str]:
        """Yield the faults that would otherwise show only in a turn."""
        if self._ruleset.find_row(do.type) is None:
            yield no_act(do.type, self._ruleset.kinds())
            return
        verb = verb_of(do.type)
        for missing in [key for key in (() if verb is None else verb.needs) if not getattr(do, key)]:
            yield f"to {do.type} somebody needs `{missing}`"
        keys, wanted = ((), "") if verb is None else verb.needs_one_of
        if keys and not any(getattr(do, key) for key in keys):
            yield f"to {do.type} somebody needs {wanted}"
        yield from self._idle(do)
        if _aim(do.type) == "person" and do.target and do.target not in (*self._scenario.cast, *PLAYER_NAMES):
            yield f"{do.target} is not in the cast (nor you)"
        if do.to and do.to not in self._scenario.places:
            yield f"{do.to} is not among the places"

    def _idle(self, do: Deed) -> Iterator[str]:
        """Yield the keys that have no meaning for such an act."""
        to_places = sorted(verb.name for verb in verbs().values() if verb.aim == "place")
        if do.to and do.type not in to_places:
            yield f"`to` is for {' and '.join(to_places)}; {do.type} takes none: leave it out"
        if do.item and do.lore_item is None and not takes(do.type, "item_id"):
            yield f"{do.type} takes no `item`: leave it out"
        if do.whisper and _aim(do.type) != "person":
            yield f"{do.type} cannot be whispered: leave `whisper` out"


def _aim(kind: str) -> str:
    verb = verb_of(kind)
    return "any" if verb is None else verb.aim


# The stat blocks and the ruleset's scene that a campaign begins with, checked against the schemas.

# The scenario's keys for what the ruleset's schemas describe.
STAT_BLOCKS, SCENE_SEED = "stat_blocks", "scene_seed"


def seeded_state(scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> RulesetState | None:
    """Return the part of the first state that the ruleset shapes; None where it shapes none and the scenario gives
    none.

    Defaults of the schemas fill what the scenario does not say. What does not fit is added to `names`, by its key; then
    None is returned, too.
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
    """Yield the faults in the paths and formulas of a scenario's rules, each with the place where it stands."""
    ruleset = rules.ruleset
    for rule in rules.rules:
        where = f"rules.{rule.id}"
        found = [*path_problems(ruleset, rule, ())]
        found += [] if rule.check is None else [*check_problems(ruleset, (), rule.check)]
        yield from (f"{where}: {problem.message}" for problem in found)
    for clock_id, marks in rules.clock_effects.items():
        yield from (f"clocks.{clock_id}: {problem.message}" for problem in path_problems(ruleset, marks, ()))
    for item, effects in rules.on_find.items():
        yield from (f"finds.{item}: {problem.message}" for problem in path_problems(ruleset, effects, ()))
    for kind in ("threats", "escalation", "inquiries"):
        for key, rule in getattr(rules, kind).items():
            yield from (f"{kind}.{key}: {fault.message}" for fault in path_problems(ruleset, rule, ()))
    for ending in rules.endings:
        yield from (f"endings.{ending.id}: {problem.message}" for problem in path_problems(ruleset, ending, ()))


def check_state(state: WorldState, ruleset: Ruleset) -> None:
    """Check that a stored state, which has its own copy of the schemas, fits those of its campaign's ruleset.

    Raises:
        StateMisfit: the state does not fit; the message names the field.
    """
    held = state.ruleset
    if held is None:
        return
    wanted = {"stat_schema": ruleset.character_stat_schema, "scene_schema": ruleset.scene_state_schema}
    if all(plain(getattr(held, name)) == plain(schema) for name, schema in wanted.items()):
        return
    problem = next(held.model_copy(update=wanted).misfits(), None)
    if problem is not None:
        hint = "the state and the ruleset are of different versions; restore the campaign's file from a copy"
        raise StateMisfit(f"the stored state does not fit the ruleset {ruleset.id}: {problem}", hint=hint)


def _blocks(scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the ID and stat block of the player, each persona and each of the cast, where the ruleset asks for any;
    else only the given ones."""
    schema, given = ruleset.character_stat_schema, scenario.stat_blocks
    for key in given:
        if key not in PLAYER_NAMES and key not in scenario.cast and key not in scenario.personas:
            names.problems.append(f"{STAT_BLOCKS}.{key}: {key} is not in the cast (nor player)")
    if given and not schema:
        names.problems.append(f"{STAT_BLOCKS}: the ruleset {ruleset.id} has no stats")
        return
    for key in ("player", *scenario.personas, *scenario.cast):
        block = next((given[name] for name in (PLAYER_NAMES if key == "player" else (key,)) if name in given), None)
        if block is None and not _asks_for(schema):
            continue
        full = filled(block or {}, schema)
        _note(full, schema, f"{STAT_BLOCKS}.{key}", names, is_given=block is not None)
        yield names.entity(key, where=f"{STAT_BLOCKS}.{key}"), full


def _scene(scenario: Scenario, ruleset: Ruleset, names: NameLookup) -> dict[str, Any]:
    """Return the first state of the ruleset's scene. For a ruleset that describes no scene a `scene_seed` is stored
    with the scenario, unread."""
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
    return bool(schema.get("required")) or any("default" in prop for prop in schema.get("properties", {}).values())


def _note(
    value: Mapping[str, Any], schema: Mapping[str, Any], where: str, names: NameLookup, *, is_given: bool
) -> None:
    for misfit in misfits(value, schema):
        field = ".".join((where, *misfit.field))
        missing = "" if is_given else " (there is none in the scenario)"
        names.problems.append(f"{field}: {misfit.message}{missing}")
