"""Scenario -> what its people carry within, what hangs over them, and how far they go, with every name looked up."""

from __future__ import annotations

from types import MappingProxyType

from lorewright.campaigns.names import PLAYER_NAMES, Names
from lorewright.campaigns.scenario import Scenario
from lorewright.campaigns.scenario_cast import ScenarioCast
from lorewright.campaigns.scenario_players import ScenarioPersona
from lorewright.rules.capability import ALL
from lorewright.rules.hardships import EscalationStep, Inquiry, ThreatRule
from lorewright.rules.rulesets import Ruleset
from lorewright.world.inner import Character, Observation, observation_id
from lorewright.world.pressures import TurnOrder
from lorewright.world.state import Relationship, relationship_key


def characters_of(scenario: Scenario, names: Names) -> dict[str, Character]:
    """Profile, states and conditions of the player, the personas and the cast, by ID; of whoever has any."""
    player = scenario.player
    found = {names.player_id: Character(profile=player.profile, states=player.states, conditions=player.conditions)}
    people: dict[str, ScenarioPersona | ScenarioCast] = {**scenario.personas, **scenario.cast}
    for key, one in people.items():
        who = names.entity(key, where=f"cast.{key}")
        found[who] = Character(profile=one.profile, states=one.states, conditions=one.conditions)
    return {who: one for who, one in found.items() if one.profile or one.states or one.conditions}


def memories_of(scenario: Scenario, names: Names) -> dict[str, dict[str, Observation]]:
    """What the player, the personas and the cast remember from the start, by whom and ID; of whoever remembers
    anything."""
    people: dict[str, ScenarioPersona | ScenarioCast] = {**scenario.personas, **scenario.cast}
    given = {"player": scenario.player.observations, **{key: one.observations for key, one in people.items()}}
    return {
        names.entity(key, where=f"cast.{key}.observations"): {
            observation_id(one.content): Observation(content=one.content, importance=one.importance, minute=0)
            for one in memories
        }
        for key, memories in given.items()
        if memories
    }


def relationships_of(scenario: Scenario, names: Names) -> dict[str, Relationship]:
    """What the scenario says that people are to each other, by key."""
    found = {}
    for number, tie in enumerate(scenario.ties):
        a, b = (names.entity(one, where=f"ties.{number}") for one in tie.between)
        if a == b:
            names.problems.append(f"ties.{number}: it is between somebody and themselves")
        found[relationship_key(a, b, tie.type)] = Relationship(a=a, b=b, rel_type=tie.type, intensity=tie.intensity)
    return found


def turn_order_of(scenario: Scenario, names: Names) -> TurnOrder | None:
    """Who acts in which order; None where only the player acts."""
    actors = tuple(dict.fromkeys(names.entity(one, where="turn_order") for one in scenario.turn_order))
    if len(actors) < len(scenario.turn_order):
        names.problems.append("turn_order: somebody stands twice in it")
    for key in scenario.turn_order:
        if key not in scenario.cast and key not in PLAYER_NAMES:
            names.problems.append(f"turn_order: {key} is not in the cast (nor you)")
    return TurnOrder(actors=actors) if actors else None


def threats_of(scenario: Scenario, names: Names) -> dict[str, ThreatRule]:
    """The threats, by ID."""
    return {key: names.resolved(one, where=f"threats.{key}") for key, one in scenario.threats.items()}


def escalation_of(scenario: Scenario, names: Names) -> dict[str, dict[str, EscalationStep]]:
    """How far each of the cast goes whose profile the scenario writes, by ID."""
    return {
        names.entity(key, where=f"cast.{key}"): {
            step: names.resolved(one, where=f"cast.{key}.escalation.{step}") for step, one in member.escalation.items()
        }
        for key, member in scenario.cast.items()
        if member.escalation
    }


def inquiries_of(scenario: Scenario, names: Names) -> dict[str, Inquiry]:
    """The threads that are looked into, by ID, with their clues as items."""
    found = {}
    for key, thread in scenario.threads.items():
        if thread.inquiry is not None:
            where = f"threads.{key}.inquiry"
            inquiry = names.resolved(thread.inquiry, where=where)
            clues = tuple(names.item(one, where=where) for one in thread.inquiry.clues)
            found[key] = inquiry.model_copy(update={"clues": clues})
    return found


def with_situations(ruleset: Ruleset, scenario: Scenario, names: Names) -> Ruleset:
    """The ruleset with the scenario's own circumstances, which go before its own of the same name."""
    if not scenario.situations:
        return ruleset
    for key, one in scenario.situations.items():
        for unknown in [kind for kind in one.forbids if kind != ALL and kind not in ruleset.actions]:
            known = ", ".join(ruleset.actions)
            names.problems.append(f"situations.{key}.forbids: there is no act {unknown} (there are {known})")
    return ruleset.model_copy(update={"situations": MappingProxyType({**ruleset.situations, **scenario.situations})})
