"""Scenario and packs -> the state and the rules that a campaign begins with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import assert_never

from lorewright.campaigns.scenarios.cast import cast_of, introductions_of, path_faults, seeded_state
from lorewright.campaigns.scenarios.derived import (
    linked_ways,
    revealed_by,
    rules_of_notes,
    state_after,
    times_of_clocks,
)
from lorewright.campaigns.scenarios.entities import (
    entities_of,
    names_made,
    positions_of_personas,
    things_of_personas,
    trust_in_personas,
    where_of,
)
from lorewright.campaigns.scenarios.faults import remark
from lorewright.campaigns.scenarios.names import PLAYER_NAMES, NameLookup, WrittenNames, find_in_packs, no_act
from lorewright.campaigns.scenarios.scenario import (
    AgendaStep,
    Scenario,
    ScenarioCast,
    ScenarioPersona,
    ScenarioPlace,
    ScenarioThing,
    ScenarioWay,
    effects_of,
)
from lorewright.errors import ScenarioError
from lorewright.ids import did_you_mean, local, qualify
from lorewright.index.generation import Generation, StoredCondition
from lorewright.packs.markdown.exits import ways_of
from lorewright.packs.models import WhenClock, WhenFact, WhenPart, WhenThread
from lorewright.retrieval.view import find_same_things, generations_in_force, ids_of, merge_entity
from lorewright.rules.aiming import COST_TAG
from lorewright.rules.effects import Effect
from lorewright.rules.reasons import ALL
from lorewright.rules.rulesets import CampaignRules, Ending, EscalationStep, Inquiry, Rule, Ruleset, ThreatRule
from lorewright.world.state import (
    OFFSTAGE,
    Clock,
    Door,
    Exit,
    Relation,
    Relationship,
    Scene,
    Thread,
    WorldState,
    pair,
    relation_key,
    relationship_key,
)
from lorewright.world.things import Character, Observation, TurnOrder, observation_id

# What the people of a scenario are like within, their threats and how far they go, with every name looked up.


def characters_of(scenario: Scenario, names: NameLookup) -> dict[str, Character]:
    """Return profile, states and conditions of the player, the personas and the cast, by ID; without those who have
    none."""
    player = scenario.player
    found = {names.player_id: Character(profile=player.profile, states=player.states, conditions=player.conditions)}
    people: dict[str, ScenarioPersona | ScenarioCast] = {**scenario.personas, **scenario.cast}
    for key, member in people.items():
        who = names.entity(key, where=f"cast.{key}")
        found[who] = Character(profile=member.profile, states=member.states, conditions=member.conditions)
    return {who: member for who, member in found.items() if member.profile or member.states or member.conditions}


def memories_of(scenario: Scenario, names: NameLookup) -> dict[str, dict[str, Observation]]:
    """Return what the player, the personas and the cast remember from the start, by person and observation ID; without
    those who remember nothing."""
    people: dict[str, ScenarioPersona | ScenarioCast] = {**scenario.personas, **scenario.cast}
    given = {"player": scenario.player.observations, **{key: member.observations for key, member in people.items()}}
    return {
        names.entity(key, where=f"cast.{key}.observations"): {
            observation_id(memory.content): Observation(content=memory.content, importance=memory.importance, minute=0)
            for memory in memories
        }
        for key, memories in given.items()
        if memories
    }


def relationships_of(scenario: Scenario, names: NameLookup) -> dict[str, Relationship]:
    """Return the relationships between people that the scenario gives, by key."""
    found = {}
    for number, tie in enumerate(scenario.ties):
        a, b = (names.entity(name, where=f"ties.{number}") for name in tie.between)
        if a == b:
            names.problems.append(f"ties.{number}: it is between somebody and themselves")
        found[relationship_key(a, b, tie.type)] = Relationship(a=a, b=b, rel_type=tie.type, intensity=tie.intensity)
    return found


def turn_order_of(scenario: Scenario, names: NameLookup) -> TurnOrder | None:
    """Return who acts in which order; None where only the player acts."""
    actors = tuple(dict.fromkeys(names.entity(name, where="turn_order") for name in scenario.turn_order))
    if len(actors) < len(scenario.turn_order):
        names.problems.append("turn_order: somebody stands twice in it")
    for key in scenario.turn_order:
        if key not in scenario.cast and key not in PLAYER_NAMES:
            names.problems.append(f"turn_order: {key} is not in the cast (nor you)")
    return TurnOrder(actors=actors) if actors else None


def threats_of(scenario: Scenario, names: NameLookup) -> dict[str, ThreatRule]:
    """Return the threats, by ID."""
    return {key: names.resolved(threat, where=f"threats.{key}") for key, threat in scenario.threats.items()}


def escalation_of(scenario: Scenario, names: NameLookup) -> dict[str, dict[str, EscalationStep]]:
    """Return how far each of the cast goes whose profile the scenario writes, by ID."""
    return {
        names.entity(key, where=f"cast.{key}"): {
            step: names.resolved(level, where=f"cast.{key}.escalation.{step}")
            for step, level in member.escalation.items()
        }
        for key, member in scenario.cast.items()
        if member.escalation
    }


def inquiries_of(scenario: Scenario, names: NameLookup) -> dict[str, Inquiry]:
    """Return the threads that can be investigated, by ID, with their clues as items."""
    found = {}
    for key, thread in scenario.threads.items():
        if thread.inquiry is not None:
            where = f"threads.{key}.inquiry"
            inquiry = names.resolved(thread.inquiry, where=where)
            clues = tuple(names.item(clue, where=where) for clue in thread.inquiry.clues)
            found[key] = inquiry.model_copy(update={"clues": clues})
    return found


def with_situations(ruleset: Ruleset, scenario: Scenario, names: NameLookup) -> Ruleset:
    """Return the ruleset with the scenario's own situations, which replace the ruleset's of the same name."""
    if not scenario.situations:
        return ruleset
    for key, situation in scenario.situations.items():
        for unknown in [kind for kind in situation.forbids if kind != ALL and kind not in ruleset.kinds()]:
            names.problems.append(f"situations.{key}.forbids: {no_act(unknown, ruleset.kinds())}")
    return ruleset.model_copy(update={"situations": MappingProxyType({**ruleset.situations, **scenario.situations})})


def condition_problems(
    scenario: Scenario, names: NameLookup, generations: Sequence[Generation], *, entity_ids: Iterable[str]
) -> Iterator[str]:
    """Yield a line for each name in the conditions of packs that the scenario does not have, with file and line: what
    such a condition hides would never be seen."""
    same = find_same_things(generations)
    concerned = {told_as for entity_id in entity_ids for told_as in ids_of(entity_id, same)}
    for generation in generations:
        for stored in generation.conditions():
            if stored.entity_id in concerned:
                for wrong in _problems(stored, scenario, names, generations, generation.pack_id):
                    yield f"{generation.pack_id}/{stored.file_path}:{stored.when.line}: {wrong}"


def _problems(
    stored: StoredCondition, scenario: Scenario, names: NameLookup, generations: Sequence[Generation], pack_id: str
) -> Iterator[str]:
    if not stored.when.parts:
        yield "the condition cannot be read"
    for part in stored.when.parts:
        missing = _missing(part, scenario, names, generations, pack_id)
        if missing:
            written = WrittenNames(scenario.model_dump(mode="json", by_alias=True, exclude_unset=True), generations)
            near = written.remark(missing.rpartition(" ")[2])
            yield f"a condition names the {missing}, which scenario {scenario.id} does not have{near}"


def _missing(
    part: WhenPart, scenario: Scenario, names: NameLookup, generations: Sequence[Generation], pack_id: str
) -> str | None:
    match part:
        case WhenThread():
            return None if part.thread in scenario.threads else f"thread {part.thread}"
        case WhenClock():
            return None if part.clock in scenario.clocks else f"clock {part.clock}"
        case WhenFact():
            known = names.is_own(part.subject) or find_in_packs(qualify(pack_id, part.subject), generations)
            return None if known else f"subject {part.subject}"
        case _:
            assert_never(part)


# The start of a scenario's personas: where they are, what they carry, how far the cast trusts them.


# The opening: the state and the rules that a campaign begins with.


@dataclass(frozen=True, slots=True)
class Opening:
    """The state and the rules that a campaign begins with."""

    state: WorldState
    rules: CampaignRules


def compose(
    scenario: Scenario,
    ruleset: Ruleset,
    generations: Sequence[Generation],
    *,
    campaign_id: str,
    source: str,
    given: Sequence[Effect] = (),
) -> Opening:
    """Make a campaign's first state from its scenario and packs; entities of packs keep their origin. The effects that
    are `given` have happened before the first turn.

    Raises:
        ScenarioError: it has unknown names, all of them in one message; `source` is the scenario's file.
    """
    opening, problems, in_packs = try_composing(scenario, ruleset, generations, campaign_id=campaign_id, given=given)
    lines = [*(f"{source}: {problem}" for problem in problems), *in_packs]
    if lines:
        raise ScenarioError("\n".join(lines), hint="add what is missing to the pack or scenario, or mend the name")
    return opening


def try_composing(
    scenario: Scenario,
    ruleset: Ruleset,
    generations: Sequence[Generation],
    *,
    campaign_id: str,
    given: Sequence[Effect] = (),
) -> tuple[Opening, list[str], list[str]]:
    """Return the opening of a scenario and its problems: those in the scenario (`rules.debt: …`), and those in its
    packs (with file and line). The opening can be played only where there are no problems."""
    generations = generations_in_force(generations)
    names = NameLookup(
        campaign_id,
        generations,
        own={name: thing.entity for name, thing in scenario.things.items()},
        made=names_made(scenario),
        clocks=scenario.clocks,
        threads=scenario.threads,
        endings=scenario.endings,
        situations=[*ruleset.situations, *scenario.situations],
        threats=scenario.threats,
        personas=scenario.personas,
        written=lambda: WrittenNames(scenario.model_dump(mode="json", by_alias=True, exclude_unset=True), generations),
    )
    composer = _Composer(scenario, names, generations)
    opening = Opening(composer.state(ruleset), composer.rules(ruleset))
    names.problems.extend(path_faults(opening.rules))
    in_packs = condition_problems(scenario, names, generations, entity_ids=opening.state.entities)
    opening = replace(opening, rules=composer.with_rules_of_notes(opening.rules))
    if given:
        opening = replace(opening, state=state_after(given, opening.state, names))
    return opening, list(dict.fromkeys(names.problems)), list(in_packs)


class _Composer:
    def __init__(self, scenario: Scenario, names: NameLookup, generations: Sequence[Generation]) -> None:
        self._scenario = scenario
        self._names = names
        self._generations = generations

    def state(self, ruleset: Ruleset) -> WorldState:
        """Return the state at turn 0."""
        scenario, names = self._scenario, self._names
        start = names.entity(scenario.start, where="start")
        if scenario.start not in scenario.places:
            near = did_you_mean(scenario.start, scenario.places)
            names.problems.append(f"start: {scenario.start} is not among the places{near and f'; {near}'}")
        positions = positions_of_personas(scenario, names, start=start)
        return WorldState(
            player_id=names.player_id,
            scene=Scene(location_id=start),
            entities={entity.id: entity for entity in entities_of(scenario, names, self._generations)},
            exits={self._place(place): tuple(self._exits(place)) for place in scenario.places},
            doors={self._id(n): self._door(n, t) for n, t in scenario.things.items() if t.kind == "door"},
            positions={names.player_id: start, **positions, **self._positions()},
            inventory=self._inventory(),
            clocks={clock_id: self._clock(clock_id) for clock_id in scenario.clocks},
            threads={thread_id: self._thread(thread_id) for thread_id in scenario.threads},
            relations=self._relations(),
            visits={start: 1},
            ruleset=seeded_state(scenario, ruleset, names),
            characters=characters_of(scenario, names),
            observations=memories_of(scenario, names),
            relationships=relationships_of(scenario, names),
            turn_order=turn_order_of(scenario, names),
            personas=(names.player_id, *positions) if positions else (),
        )

    def rules(self, ruleset: Ruleset) -> CampaignRules:
        """Return the scenario's rules with every name looked up."""
        scenario, names = self._scenario, self._names
        rules = [rule.model_copy(update={"id": rule.id or f"rule_{n}"}) for n, rule in enumerate(scenario.rules, 1)]
        for rule in rules:
            self._check_rule(rule, ruleset)
        self._check_goals()
        return CampaignRules(
            ruleset=with_situations(ruleset, scenario, names),
            profile=scenario.profile or ruleset.profile,
            cast=cast_of(scenario, ruleset, names, self._generations),
            rules=tuple(names.resolved(rule, where=f"rules.{rule.id}") for rule in rules),
            clock_effects=self._clock_effects(),
            clock_every=times_of_clocks(scenario, ruleset),
            good_clocks=tuple(sorted(clock_id for clock_id, clock in scenario.clocks.items() if clock.good)),
            clock_means={name: " ".join(clock.means.split()) for name, clock in scenario.clocks.items() if clock.means},
            on_find={
                names.item(item, where="finds"): tuple(
                    names.resolved(effect, where=f"finds.{item}") for effect in effects
                )
                for item, effects in scenario.finds.items()
            },
            threats=threats_of(scenario, names),
            escalation=escalation_of(scenario, names),
            inquiries=inquiries_of(scenario, names),
            endings=tuple(
                names.resolved(Ending(id=ending_id, when=ending.when, say=ending.say), where=f"endings.{ending_id}")
                for ending_id, ending in scenario.endings.items()
            ),
            nudges=tuple(names.resolved(nudge, where=f"nudges.{n}") for n, nudge in enumerate(scenario.nudges, 1)),
            grammar=scenario.grammar,
            listeners={
                self._place(key): names.entity(place.listener, where=f"places.{key}.listener")
                for key, place in scenario.places.items()
                if place.listener is not None
            },
            introductions=introductions_of(scenario, names, self._generations),
            begins=scenario.begins,
            until={clock_id: clock.until for clock_id, clock in scenario.clocks.items() if clock.until},
            pace=scenario.pace or 0,
        )

    def with_rules_of_notes(self, rules: CampaignRules) -> CampaignRules:
        """Return the rules with those that notes of withheld items make, after the scenario's own."""
        same = find_same_things(self._generations)
        people = map(self._place, self._scenario.cast)
        holders = {told_as: who for who in people for told_as in ids_of(who, same)}
        revealed = {*map(self._names.find_item, revealed_by(effects_of(self._scenario)))}
        made = rules_of_notes(holders, revealed, rules.ruleset, self._generations)
        return rules.model_copy(update={"rules": (*rules.rules, *(note.rule for note in made))})

    def _clock_effects(self) -> dict[str, dict[int, tuple[Effect, ...]]]:
        """Return the effects of each clock by the value that it rises to: the clock's own, then those of the cast's
        agendas."""
        found: dict[str, dict[int, tuple[Effect, ...]]] = {}
        for clock_id, clock in self._scenario.clocks.items():
            at = {
                value: self._resolved(effects, f"clocks.{clock_id}.at.{value}") for value, effects in clock.at.items()
            }
            found[clock_id] = at
        for name, member in self._scenario.cast.items():
            for number, step in enumerate(member.agenda, start=1):
                where = f"cast.{name}.agenda.{number}"
                if step.when.clock not in found:
                    near = remark(step.when.clock, found)
                    self._names.problems.append(f"{where}: there is no clock {step.when.clock}{near}")
                    continue
                at = found[step.when.clock]
                at[step.when.min] = (*at.get(step.when.min, ()), *self._resolved(self._deed(step, where), where))
        return found

    def _deed(self, step: AgendaStep, where: str) -> tuple[Effect, ...]:
        if not isinstance(step.do, str):
            return step.do
        if step.do not in self._scenario.deeds:
            known = ", ".join(self._scenario.deeds) or "none"
            near = remark(step.do, self._scenario.deeds)
            self._names.problems.append(f"{where}: there is no deed {step.do} (deeds: {known}){near}")
        return self._scenario.deeds.get(step.do, ())

    def _resolved(self, effects: Sequence[Effect], where: str) -> tuple[Effect, ...]:
        return tuple(self._names.resolved(effect, where=where) for effect in effects)

    def _check_rule(self, rule: Rule, ruleset: Ruleset) -> None:
        """Note acts that no ruleset action has, which would otherwise show only in a turn."""
        for unknown in [act for act in rule.on.acts if act not in ruleset.kinds()]:
            self._names.problems.append(f"rules.{rule.id}: {no_act(unknown, ruleset.kinds())}")

    def _check_goals(self) -> None:
        """Note goals of people who are neither in the cast nor played."""
        known = {*PLAYER_NAMES, *self._scenario.cast, *self._scenario.personas}
        for name in self._scenario.goals:
            if name not in known:
                self._names.problems.append(f"goals.{name}: {name} is not in the cast (nor player)")

    def _exits(self, place: str) -> Iterator[Exit]:
        """Yield the exits of a place: the scenario's, else those of the pack that lead to other places of the
        scenario."""
        if not self._scenario.places[place].exits and not self._scenario.map:
            yield from self._exits_of_pack(place)
            yield from self._linked.get(self._place(place), ())
        for name, way in self._scenario.places[place].exits.items():
            where = f"places.{place}.exits.{name}"
            if way.to not in self._scenario.places:
                self._names.problems.append(f"{where}: {way.to} is not among the places")
            via = self._names.entity(way.via, where=where) if way.via else None
            yield Exit(name=name, to=self._names.entity(way.to, where=where), minutes=way.minutes, via=via)
        for line in self._scenario.map:
            yield from self._mapped(place, line)

    def _mapped(self, place: str, way: ScenarioWay) -> Iterator[Exit]:
        """Yield the ends of a way of the `map` that lie in a place."""
        ends = [(way.from_, way.to, way.name), *([] if way.one_way else [(way.to, way.from_, way.back)])]
        for start, to, name in ends:
            if start != place:
                continue
            if to not in self._scenario.places:
                self._names.problems.append(f"map: {to} is not among the places")
            via = self._names.entity(way.via, where="map") if way.via else None
            shown = name or self._scenario.places.get(to, ScenarioPlace()).name or local(to).replace("_", " ")
            yield Exit(name=shown, to=self._names.entity(to, where="map"), minutes=way.minutes, via=via)

    def _exits_of_pack(self, place: str) -> Iterator[Exit]:
        entity = merge_entity(self._place(place), self._generations)
        same = find_same_things(self._generations)
        places = {
            told_as: place_id
            for place_id in map(self._place, self._scenario.places)
            for told_as in ids_of(place_id, same)
        }
        for way in ways_of(entity) if entity is not None else ():
            if way.to in places:
                thing = self._scenario.things.get(way.door or "")
                via = self._id(way.door) if way.door and thing is not None and thing.kind == "door" else None
                yield Exit(name=way.name, to=places[way.to], minutes=way.minutes, via=via)

    @cached_property
    def _linked(self) -> dict[str, tuple[Exit, ...]]:
        """The ways that are made of links between the notes of places, where no way is written anywhere."""
        places = self._scenario.places
        if self._scenario.map or any(place.exits for place in places.values()):
            return {}
        if any(way for place in places for way in self._exits_of_pack(place)):
            return {}
        return linked_ways([self._place(place) for place in places], self._generations)

    def _door(self, name: str, thing: ScenarioThing) -> Door:
        key = self._names.entity(thing.key, where=f"things.{name}") if thing.key else None
        bolt = None if thing.bolt_at is None else self._names.entity(thing.bolt_at, where=f"things.{name}")
        if bolt is not None and thing.bolt_at not in self._scenario.places:
            self._names.problems.append(f"things.{name}: {thing.bolt_at} is not among the places")
        return Door(locked=thing.locked, open=thing.open, key_id=key, shut_bars=thing.shut_bars, bolt_at=bolt)

    def _positions(self) -> dict[str, str]:
        cast = self._scenario.cast
        return {self._place(name): self._names.entity(member.at, where=f"cast.{name}") for name, member in cast.items()}

    def _inventory(self) -> dict[str, dict[str, int]]:
        held: dict[str, dict[str, int]] = things_of_personas(self._scenario, self._names)
        for item in self._scenario.player.items:
            held.setdefault(self._names.player_id, {})[self._names.entity(item, where="player.items")] = 1
        for name, thing in self._scenario.things.items():
            owner = thing.held_by or (thing.at if isinstance(thing.at, str) else None)
            if thing.kind == "item" and owner not in (None, OFFSTAGE):
                held.setdefault(self._names.entity(owner, where=f"things.{name}"), {})[self._id(name)] = 1
        return held

    def _clock(self, clock_id: str) -> Clock:
        clock = self._scenario.clocks[clock_id]
        tags, value = (COST_TAG,) if clock.cost else (), min(clock.value, clock.max)
        return Clock(id=clock_id, name=clock.name or clock_id, value=value, max=clock.max, tags=tags)

    def _thread(self, thread_id: str) -> Thread:
        thread = self._scenario.threads[thread_id]
        related = tuple(self._names.entity(related_id, where=f"threads.{thread_id}") for related_id in thread.related)
        return Thread(
            id=thread_id,
            title=thread.title,
            status=thread.status,
            stakes=thread.stakes,
            related_entity_ids=related,
            tags=thread.tags,
            needed=thread.inquiry.needed if thread.inquiry else 0,
        )

    def _relations(self) -> dict[str, Relation]:
        relations = trust_in_personas(self._scenario, self._names)
        for name, member in self._scenario.cast.items():
            if member.trust:
                a, b = pair(self._place(name), self._names.player_id)
                relations[relation_key(a, b)] = Relation(a=a, b=b, trust=member.trust)
        return relations

    def _place(self, name: str) -> str:
        return self._names.entity(name, where=where_of(self._scenario, name))

    def _id(self, name: str) -> str:
        return self._names.entity(name, where=f"things.{name}")
