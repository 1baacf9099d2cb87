"""A scenario's personas -> where each of them is, what they carry, how far the cast trusts them."""

from __future__ import annotations

from lorewright.campaigns.names import PLAYER_NAMES, Names
from lorewright.campaigns.scenario import Scenario
from lorewright.world.state import Relation, pair, relation_key

_GROUPS = ("cast", "places", "things")


def positions_of_personas(scenario: Scenario, names: Names, *, start: str) -> dict[str, str]:
    """Where the player's other personas are, by ID: at `start`, unless it is said otherwise."""
    found: dict[str, str] = {}
    for key, one in scenario.personas.items():
        where = f"personas.{key}"
        taken = next((group for group in _GROUPS if key in getattr(scenario, group)), None)
        if taken is not None or key in PLAYER_NAMES:
            names.problems.append(
                f"{where}: {key} is {'the player' if taken is None else f'among the {taken}'} already"
            )
        if one.at is not None and one.at not in scenario.places:
            names.problems.append(f"{where}: {one.at} is not among the places")
        found[names.entity(key, where=where)] = start if one.at is None else names.entity(one.at, where=where)
    return found


def things_of_personas(scenario: Scenario, names: Names) -> dict[str, dict[str, int]]:
    """What they carry at the start, by who and what."""
    held: dict[str, dict[str, int]] = {}
    for key, one in scenario.personas.items():
        where = f"personas.{key}.items"
        for item in one.items:
            held.setdefault(names.entity(key, where=where), {})[names.entity(item, where=where)] = 1
    return held


def trust_in_personas(scenario: Scenario, names: Names) -> dict[str, Relation]:
    """How far some of the cast trust them, by key."""
    found: dict[str, Relation] = {}
    for key, persona in scenario.personas.items():
        where = f"personas.{key}.trust"
        for name, trust in persona.trust.items():
            if name not in scenario.cast:
                names.problems.append(f"{where}: {name} is not in the cast")
            elif trust:
                a, b = pair(names.entity(name, where=where), names.entity(key, where=where))
                found[relation_key(a, b)] = Relation(a=a, b=b, trust=trust)
    return found
