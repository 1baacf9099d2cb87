"""A scenario that can be played -> what in it is probably a mistake: unreachable places, clocks that nothing moves,
idle doors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.faults import remark
from lorewright.campaigns.scenarios.names import WrittenNames, find_in_packs
from lorewright.campaigns.scenarios.scenario import Scenario, effects_of
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.retrieval.view import merge_entity
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import ANY_NPC, Rule, Ruleset
from lorewright.rules.verbs import verbs
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.story import Exchange, StorySoFar
from lorewright.values.records import TurnResult
from lorewright.world.state import OFFSTAGE, WorldState

# Types of notes that are no places, whatever a scenario says.
_NO_PLACES = ("item", "npc", "faction")


@dataclass(frozen=True, slots=True)
class Doubt:
    """A remark on a scenario: a stable code, the path of keys to its subject, the message, what to do."""

    code: str
    path: tuple[object, ...]
    message: str
    hint: str = ""


def find_doubts(scenario: Scenario, ruleset: Ruleset, state: WorldState | None = None) -> list[Doubt]:
    """Return every remark, in the order of the scenario's keys. With the composed state, ways through packs count
    too."""
    effects = list(effects_of(scenario))
    return [
        *_unreachable(scenario, state),
        *_things(scenario, effects),
        *_doors(scenario, effects, state),
        *_offstage(scenario, effects),
        *_clocks(scenario, ruleset, effects),
        *_gauges(scenario, ruleset),
        *_absent(scenario),
        *_told_twice(scenario),
        *_deeds(scenario),
        *_own_acts(scenario, ruleset),
        *_unknown_acts(scenario),
        *_hardships(scenario, effects),
        *_endings(scenario, effects),
        *_clock_bounds(scenario),
        *_traits(scenario, ruleset),
        *_demo(scenario),
    ]


def shown_though_hidden(scenario: Scenario, state: WorldState, generations: Sequence[Generation]) -> Iterator[Doubt]:
    """Yield a remark for each entity that a pack hides from players and that the scenario shows or names before the
    first turn."""
    titles = " ".join((scenario.intro_seed, *(thread.title for thread in scenario.threads.values())))
    knows = Acquaintance(state, generations, StorySoFar((Exchange.of(told=" ".join(titles.split())),)))
    groups = {"places": scenario.places, "cast": scenario.cast, "things": scenario.things}
    for entity_id in knows.named_though_hidden():
        name = state.name_of(entity_id)
        found = [(group, key) for group, keys in groups.items() for key in keys if local(key) == local(entity_id)]
        message = f"players know {name} from the beginning, although the pack hides {name} from them"
        yield Doubt(
            "shows-hidden", found[0] if found else ("cast",), message, "give it another name here, or some open text"
        )


def mistaken_places(written: Scenario, generations: Sequence[Generation]) -> Iterator[Doubt]:
    """Yield a remark for each place that a scenario names as its start or on its map, that no pack has and that is
    called nearly as another: rather a letter is wrong than a place new. A start that nothing else joins is remarked on
    whatever it is called."""
    names = WrittenNames({}, generations)
    named: list[tuple[tuple[object, ...], str]] = [(("start",), written.start)]
    joined = {end for way in written.map for end in (way.from_, way.to)}
    for number, way in enumerate(written.map):
        named += [(("map", number, "from"), way.from_), (("map", number, "to"), way.to)]
    told: set[str] = {*written.places, ""}
    for path, place in named:
        if place in told or names.meant(place):
            continue
        told.add(place)
        others = names.remark(place)
        is_alone = bool(generations) and path == ("start",) and place not in joined and not written.places
        if others or is_alone:
            message = f"nothing in the packs is called {place}, so it is a new place{others}"
            hint = f"mend the name, or write a new place below `places`: `{place}: {{name: …}}`"
            yield Doubt("mistaken-place", path, message, hint)


def places_of_other_types(written: Scenario, generations: Sequence[Generation]) -> Iterator[Doubt]:
    """Yield a remark for each place of a scenario that a pack has as a thing, a person or a faction."""
    for key in written.places:
        place_id = find_in_packs(key, generations)
        entity = None if place_id is None else merge_entity(place_id, generations)
        if entity is not None and entity.type in _NO_PLACES:
            message = f"{entity.name} is a place here, and its note says `type: {entity.type}`"
            hint = f"take {key} out of `places` and of the exits, or write `type: location` in its note"
            yield Doubt("mistaken-place", ("places", key), message, hint)


def people_nowhere(unplaced: Mapping[str, str]) -> Iterator[Doubt]:
    """Yield a remark on the people of the packs of whom nothing says where they are, by key, each with the place where
    they were put, which is "" where they are in none."""
    if not unplaced:
        return
    told = [f"{key} is put in {place}" if place else f"{key} is in no place" for key, place in unplaced.items()]
    shown = ", ".join(told[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "")
    hint = f"link a place in their notes (`[[The Quay]]`), or write `cast: {{{next(iter(unplaced))}: {{at: PLACE}}}}`"
    yield Doubt("nowhere", ("content_packs",), f"no note says where these are: {shown}", hint)


def _named(effects: list[Effect], *fields: str) -> set[str]:
    """Return what the effects name in any of the fields."""
    return {str(value) for effect in effects for field in fields if (value := getattr(effect, field, None)) is not None}


def _unreachable(scenario: Scenario, state: WorldState | None) -> Iterator[Doubt]:
    ways: dict[str, set[str]] = {
        key: {way.to for way in place.exits.values()} for key, place in scenario.places.items()
    }
    for way in scenario.map:
        ways.setdefault(way.from_, set()).add(way.to)
        if not way.one_way:
            ways.setdefault(way.to, set()).add(way.from_)
    if state is not None:
        keys = {_id_of(state, key): key for key in scenario.places}
        for place, exits in state.exits.items():
            ways.setdefault(keys.get(place, place), set()).update(keys.get(way.to, way.to) for way in exits)
    if scenario.start not in scenario.places:
        return
    reached, todo = {scenario.start}, [scenario.start]
    while todo:
        near = ways.get(todo.pop(), set()) - reached
        reached |= near
        todo += near
    for key in scenario.places:
        if key not in reached:
            yield Doubt("unreachable-place", ("places", key), f"no way leads from the start to {key}", "add an exit")


def _id_of(state: WorldState, key: str) -> str:
    return next((place_id for place_id in state.exits if place_id == key or place_id.endswith(f":{key}")), key)


def _things(scenario: Scenario, effects: list[Effect]) -> Iterator[Doubt]:
    carried = {item for persona in scenario.personas.values() for item in persona.items}
    given = _named(effects, "give", "put") | set(scenario.player.items) | carried
    for key, thing in scenario.things.items():
        if thing.kind == "item" and thing.at is None and thing.held_by is None and key not in given:
            message = f"{key} is nowhere, and nothing gives or puts it"
            yield Doubt("absent-thing", ("things", key), message, "say where it is (at, held_by), or give it")


def _doors(scenario: Scenario, effects: list[Effect], state: WorldState | None) -> Iterator[Doubt]:
    used = {way.via for place in scenario.places.values() for way in place.exits.values()}
    used |= {way.via for way in scenario.map}
    used |= {way.via.rpartition(":")[2] for ways in (state.exits.values() if state else ()) for way in ways if way.via}
    opened = _named(effects, "unlock")
    for key, thing in scenario.things.items():
        if thing.kind != "door":
            continue
        if key not in used:
            of_key = f", so {thing.key} opens nothing" if thing.key else ""
            yield Doubt(
                "idle-door", ("things", key), f"no way leads through {key}{of_key}", "name it as `via` of an exit"
            )
        elif thing.locked and thing.key is None and thing.bolt_at is None and key not in opened:
            message = f"{key} is locked, has no key and is never unlocked"
            yield Doubt("shut-door", ("things", key), message, "give it a key, a `bolt_at`, or an effect `unlock`")
        elif thing.bolt_at is not None and state is not None and not _is_in_a_way(state, thing.bolt_at, key):
            message = f"the bolt of {key} is in {thing.bolt_at}, from where no way leads through it"
            yield Doubt("idle-bolt", ("things", key), message, "name the place on that side of the door")


def _is_in_a_way(state: WorldState, place: str, door: str) -> bool:
    """Tell whether a way out of the place leads through the door."""
    ways = state.exits.get(_id_of(state, place), ())
    return any(way.via is not None and way.via.rpartition(":")[2] == door for way in ways)


def _offstage(scenario: Scenario, effects: list[Effect]) -> Iterator[Doubt]:
    moved = _named(effects, "arrive", "depart")
    for key, member in scenario.cast.items():
        if member.at == OFFSTAGE and key not in moved:
            yield Doubt("offstage", ("cast", key), f"{key} is offstage and never arrives", "add an effect `arrive`")


def _clocks(scenario: Scenario, ruleset: Ruleset, effects: list[Effect]) -> Iterator[Doubt]:
    moved = _named(effects, "clock") | {cost for action in ruleset.actions.values() for cost in action.costs}
    for key, clock in scenario.clocks.items():
        if key not in moved and clock.every is None and not (clock.until and scenario.pace):
            hint = "say `every: 10 minutes`, or add an effect `clock`"
            yield Doubt("still-clock", ("clocks", key), f"nothing moves the clock {key}", hint)
        for value in clock.at:
            if not clock.value < value <= clock.max:
                message = f"the clock {key} never rises to {value}"
                yield Doubt(
                    "clock-mark", ("clocks", key, "at", value), message, f"use {clock.value + 1} to {clock.max}"
                )


def _gauges(scenario: Scenario, ruleset: Ruleset) -> Iterator[Doubt]:
    """Yield a remark for each number that is explained and that the ruleset's scene does not have, or not with both
    bounds: it is shown to nobody."""
    parts = ruleset.scene_state_schema.get("properties", {})
    shown = [name for name, part in parts.items() if {"minimum", "maximum"} <= set(part)]
    for key in scenario.gauges:
        if key not in shown:
            message = f"the ruleset's scene shows no number {key}"
            hint = f"it shows: {', '.join(shown)}" if shown else "a clock of the scenario has `means` of its own"
            yield Doubt("gauge-unknown", ("gauges", key), message, hint)


def _absent(scenario: Scenario) -> Iterator[Doubt]:
    """Yield a remark for each target of a rule that is not in the scenario."""
    there = {
        *scenario.places,
        *scenario.cast,
        *scenario.personas,
        *scenario.things,
        *(entity.id for entity in scenario.entities),
        "you",
        "player",
    }
    for number, rule in enumerate(scenario.rules):
        for field, name in _concerns(rule):
            if name not in there:
                message = f"the rule {rule.id or number + 1} is about {name}, which is not in the scenario"
                yield Doubt(
                    "absent-target", ("rules", number, "on", field), message, "add it to places, cast or things"
                )


def _told_twice(scenario: Scenario) -> Iterator[Doubt]:
    """Yield a remark for each of the `entities` that is called otherwise, or is of another kind, among the cast or the
    places."""
    for number, entity in enumerate(scenario.entities):
        for group, kind, named in (("cast", "npc", scenario.cast), ("places", "location", scenario.places)):
            for key in (key for key in named if key == entity.id or {key, entity.id} == {local(entity.id), entity.id}):
                path = ("entities", number)
                if entity.name and named[key].name not in (None, entity.name):
                    message = f"{entity.id} is called {entity.name} here and {named[key].name} in {group}, which holds"
                    yield Doubt("entity-conflict", (*path, "name"), message, "write one name")
                if "type" in entity.model_fields_set and entity.type != kind:
                    message = f"{entity.id} is of the type {entity.type} here and stands in {group}: it is a {kind}"
                    yield Doubt("entity-conflict", (*path, "type"), message, "write one of them")


def _concerns(rule: Rule) -> Iterator[tuple[str, str]]:
    for field in ("target", "at", "by"):
        name = getattr(rule.on, field)
        if name is not None and (field, name) != ("by", ANY_NPC):
            yield field, name


def _deeds(scenario: Scenario) -> Iterator[Doubt]:
    used = {step.do for member in scenario.cast.values() for step in member.agenda if isinstance(step.do, str)}
    for key in scenario.deeds:
        if key not in used:
            yield Doubt(
                "idle-deed", ("deeds", key), f"no agenda names the deed {key}", "name it in an agenda, or drop it"
            )


def _own_acts(scenario: Scenario, ruleset: Ruleset) -> Iterator[Doubt]:
    """Yield a remark for each of the cast who has acts and will never do them."""
    profile = scenario.profile or ruleset.profile
    for key, member in scenario.cast.items():
        if member.acts and profile == "freeform":
            hint = "say `profile: stream` (or ensemble), or drop them"
            yield Doubt("idle-acts", ("cast", key, "acts"), "with profile freeform nobody acts by themselves", hint)
        elif member.acts and member.chattiness == 0 and not member.baked:
            message = f"{key} never acts: the chattiness is 0"
            yield Doubt("idle-acts", ("cast", key, "chattiness"), message, "give them some, or `baked: true`")


def _unknown_acts(scenario: Scenario) -> Iterator[Doubt]:
    """Yield a remark for each condition that asks for an act that nobody has."""
    acts = {
        (key, act.id or f"act_{number}")
        for key, member in scenario.cast.items()
        for number, act in enumerate(member.acts, 1)
    }
    for path, part in _parts(scenario.model_dump(mode="json", by_alias=True), ()):
        asked = next((key for key in ("did", "tried") if set(part) == {key, "by"}), None)
        if asked is not None and (part["by"], part[asked]) not in acts:
            near = remark(part[asked], (act for who, act in acts if who == part["by"]))
            message = f"there is no act {part[asked]} of {part['by']}{near}"
            yield Doubt("unknown-act", path, message, "name one by its `id`, or act_1, act_2 …")


def _hardships(scenario: Scenario, effects: list[Effect]) -> Iterator[Doubt]:
    announced, begun = _named(effects, "announce"), _named(effects, "situation")
    for key in scenario.threats:
        if key not in announced:
            hint = f"add an effect {{announce: {key}, minutes: 30}}, or drop it"
            yield Doubt("idle-threat", ("threats", key), f"nothing announces the threat {key}", hint)
    for key in scenario.situations:
        if key not in begun:
            hint = f"add an effect {{situation: {key}}}, or drop it"
            yield Doubt("idle-situation", ("situations", key), f"nothing begins the situation {key}", hint)
    brought = _named(effects, "progress")
    for key, thread in scenario.threads.items():
        if thread.inquiry is not None and len(thread.inquiry.clues) < thread.inquiry.needed and key not in brought:
            message = f"{key} needs {thread.inquiry.needed} steps, and there are {len(thread.inquiry.clues)} clues"
            hint = "name more clues, or add an effect `progress`"
            yield Doubt("open-inquiry", ("threads", key, "inquiry"), message, hint)


def _endings(scenario: Scenario, effects: list[Effect]) -> Iterator[Doubt]:
    ended = _named(effects, "end")
    statuses = {(str(getattr(effect, "thread", "")), str(getattr(effect, "status", ""))) for effect in effects}
    statuses |= {(key, thread.status) for key, thread in scenario.threads.items()}
    for key, ending in scenario.endings.items():
        if key in ended:
            continue
        if ending.when is None:
            hint = "give it a `when`, or an effect `end`"
            yield Doubt("unreached-ending", ("endings", key), f"nothing leads to the ending {key}", hint)
            continue
        for thread, status in _threads_in(ending.when.model_dump(mode="json", by_alias=True)):
            if (thread, status) not in statuses:
                message = f"the ending {key} waits for {thread} to be {status}, which nothing makes it"
                yield Doubt("unreached-ending", ("endings", key), message, "add an effect `thread`")


def _threads_in(condition: Any) -> Iterator[tuple[str, str]]:
    """Yield the threads whose status a condition asks for, except those under a `not` or an `any`."""
    if isinstance(condition, dict):
        if "thread" in condition:
            yield condition["thread"], condition["status"]
        for inner in condition.get("all") or ():
            yield from _threads_in(inner)


def _clock_bounds(scenario: Scenario) -> Iterator[Doubt]:
    """Yield a remark for each clock that begins above its own end, and each condition that asks for more of a clock
    than it has."""
    for key, of_clock in scenario.clocks.items():
        if of_clock.value > of_clock.max:
            message = f"the clock {key} begins at {of_clock.value}, above its end"
            yield Doubt("clock-mark", ("clocks", key, "value"), message, f"use 0 to {of_clock.max}")
    for path, part in _parts(scenario.model_dump(mode="json", by_alias=True), ()):
        clock = scenario.clocks.get(str(part.get("clock")))
        least = part.get("min")
        if clock is not None and isinstance(least, int) and least > clock.max:
            message = f"the clock {part['clock']} never rises to {least}"
            yield Doubt("clock-mark", path, message, f"use {clock.value + 1} to {clock.max}")


def _parts(part: Any, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], dict[str, Any]]]:
    """Yield every mapping in a scenario's data, with its path."""
    if isinstance(part, dict):
        yield path, part
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from _parts(value, (*path, key))


def _traits(scenario: Scenario, ruleset: Ruleset) -> Iterator[Doubt]:
    """Yield a remark for each check that adds a trait that nobody has."""
    people = (scenario.player, *scenario.personas.values())
    theirs = {trait for person in people for trait in person.traits}
    known = theirs | {*ruleset.stats, *ruleset.traits, *_called_for()}
    # Without stat blocks a stat is had by nobody who has traits of their own.
    had = known if scenario.stat_blocks or not theirs else theirs
    for number, rule in enumerate(scenario.rules):
        trait = None if rule.check is None else rule.check.add
        if trait is None or trait in had:
            continue
        others = remark(trait, known) if trait not in known else f"; they have {', '.join(sorted(had)[:8])}"
        message = f"nobody has the trait {trait}, so the check adds nothing{others}"
        hint = f"give it to the player, as in `player: {{traits: {{{trait}: 1}}}}`, or mend the name"
        yield Doubt("unknown-trait", ("rules", number, "check", "add"), message, hint)


def _called_for() -> Iterator[str]:
    """Yield the traits that the verbs of free attempts call for."""
    for verb in verbs().values():
        field = verb.metadata.model_fields.get("trait")
        for kind in get_args(field.annotation) if field is not None else ():
            yield from (trait for trait in get_args(kind) if isinstance(trait, str))


def _demo(scenario: Scenario) -> Iterator[Doubt]:
    if not scenario.demo:
        yield Doubt("no-demo", ("demo",), "there is no demo", "add about ten lines, for people who only want to watch")


# The demo, played line by line.


def play_demo(campaign: OpenCampaign, lines: Sequence[str]) -> Iterator[Doubt]:
    """Play the lines; yield a remark for each that is asked back or refused, and for those that an ending leaves
    unplayed."""
    for number, line in enumerate(lines):
        if campaign.store.head().state.ended is not None:
            message = f"the story has ended before the demo's line {number + 1}"
            yield Doubt("demo-line", ("demo", number), message, "drop the lines after the ending")
            return
        result = TurnResult.model_validate_json(asyncio.run(campaign.submit(line)))
        refused = [verdict.message or verdict.reason for verdict in result.validation.results if not verdict.success]
        if result.clarification_question is not None:
            message = f"the demo's line {number + 1} is asked back: {result.clarification_question}"
            yield Doubt("demo-line", ("demo", number), message, "say it in other words")
        elif refused:
            message = f"the demo's line {number + 1} is refused: {refused[0]}"
            yield Doubt("demo-line", ("demo", number), message, "choose another line, or another demo_seed")
