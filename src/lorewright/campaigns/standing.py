"""The player's standing: stats, conditions, threats, situations, inquiries; only what they can know."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.rules.rulesets import CampaignRules
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class Counted:
    """Something with a number: a stat (without `of`), or the progress of an inquiry (with `of` steps in all)."""

    name: str
    value: int | float
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Impending:
    """A threat under the title that players are told, and the minutes that are left; or a situation that holds, whose
    end may be unknown."""

    title: str
    minutes_left: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Who the player is and what they are in. `conditions` have the words that the ruleset gives for them."""

    name: str
    stats: tuple[Counted, ...]
    conditions: tuple[str, ...]
    threats: tuple[Impending, ...]
    situations: tuple[Impending, ...]
    inquiries: tuple[Counted, ...]


def standing_of(state: WorldState, rules: CampaignRules) -> Standing:
    """Return the player's standing: stats in the ruleset's order, threats by when they fall due, the rest by ID."""
    return Standing(
        name=state.name_of(state.player_id),
        stats=tuple(_stats(state, rules)),
        conditions=tuple(_condition(condition, rules) for condition in state.conditions_of(state.player_id)),
        threats=tuple(_threats(state, rules)),
        situations=tuple(_situations(state, rules)),
        inquiries=tuple(
            Counted(thread.title, thread.progress, thread.needed)
            for _, thread in sorted(state.threads.items())
            if thread.needed
        ),
    )


def _stats(state: WorldState, rules: CampaignRules) -> list[Counted]:
    """Return the numbers of the stat block; where there is none, the traits other than 0."""
    named = {key: stat.name for key, stat in rules.ruleset.stats.items()}
    block = [(key, state.stat(state.player_id, key)) for key in named]
    if any(value is not None for _, value in block):
        return [Counted(named[key], value) for key, value in block if value is not None]
    traits = state.entities[state.player_id].traits
    return [Counted(named.get(key, key.capitalize()), value) for key, value in sorted(traits.items()) if value]


def _condition(name: str, rules: CampaignRules) -> str:
    condition = rules.ruleset.conditions.get(name)
    word = name.replace("_", " ")
    return f"{word}: {condition.summary}" if condition is not None and condition.summary else word


def _threats(state: WorldState, rules: CampaignRules) -> list[Impending]:
    due = sorted(state.threats.items(), key=lambda entry: (entry[1].due, entry[0]))
    return [
        Impending(rules.threats[threat_id].title, max(threat.due - state.minutes, 0))
        for threat_id, threat in due
        if threat_id in rules.threats
    ]


def _situations(state: WorldState, rules: CampaignRules) -> list[Impending]:
    """Return the situations that the ruleset has words for."""
    found = []
    for name, held in sorted(state.situations.items()):
        rule = rules.ruleset.situations.get(name)
        if rule is not None and rule.summary:
            left = None if held.until is None else max(held.until - state.minutes, 0)
            found.append(Impending(rule.summary, left))
    return found
