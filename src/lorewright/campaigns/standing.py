"""How the player stands: stats, conditions, what hangs over them, how far they have come; nothing they cannot know."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.rules.rulesets import CampaignRules
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class Counted:
    """Something with a number: a stat (without `of`), or a question that has been looked into so far `of` so much."""

    name: str
    value: int | float
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Impending:
    """A threat by what players are told of it, and the minutes that are left; or a circumstance that holds, which may
    have no end that is known."""

    title: str
    minutes_left: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Who the player is and what they are in. `conditions` are told by what the ruleset says of them."""

    name: str
    stats: tuple[Counted, ...]
    conditions: tuple[str, ...]
    threats: tuple[Impending, ...]
    situations: tuple[Impending, ...]
    inquiries: tuple[Counted, ...]


def standing_of(state: WorldState, rules: CampaignRules) -> Standing:
    """The player's standing: stats in the ruleset's order, threats by when they fall due, the rest by ID."""
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
    """The numbers of the stat block; where there is none the traits that count."""
    named = {key: stat.name for key, stat in rules.ruleset.stats.items()}
    block = [(key, state.stat(state.player_id, key)) for key in named]
    if any(value is not None for _, value in block):
        return [Counted(named[key], value) for key, value in block if value is not None]
    traits = state.entities[state.player_id].traits
    return [Counted(named.get(key, key.capitalize()), value) for key, value in sorted(traits.items()) if value]


def _condition(name: str, rules: CampaignRules) -> str:
    told = rules.ruleset.conditions.get(name)
    word = name.replace("_", " ")
    return f"{word}: {told.summary}" if told is not None and told.summary else word


def _threats(state: WorldState, rules: CampaignRules) -> list[Impending]:
    due = sorted(state.threats.items(), key=lambda one: (one[1].due, one[0]))
    return [
        Impending(rules.threats[one].title, max(threat.due - state.minutes, 0))
        for one, threat in due
        if one in rules.threats
    ]


def _situations(state: WorldState, rules: CampaignRules) -> list[Impending]:
    """Those that somebody has words for."""
    found = []
    for name, held in sorted(state.situations.items()):
        told = rules.ruleset.situations.get(name)
        if told is not None and told.summary:
            left = None if held.until is None else max(held.until - state.minutes, 0)
            found.append(Impending(told.summary, left))
    return found
