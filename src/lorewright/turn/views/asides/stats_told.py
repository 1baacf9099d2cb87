"""A question about the player's stats -> what they stand for, how they count, and which of them the player has."""

from __future__ import annotations

import re

from lorewright.builtin.words.clauses import capitalised, listed
from lorewright.rules.rulesets import CampaignRules
from lorewright.world.state import WorldState


def player_told(state: WorldState, rules: CampaignRules) -> str:
    """Return who the player is, their stats that count for something, and what they carry."""
    named = {key: stat.name for key, stat in rules.ruleset.stats.items()}
    block = {name: state.stat(state.player_id, key) for key, name in named.items()}
    stats = {name: value for name, value in block.items() if value is not None}
    traits = {named.get(key, key): value for key, value in sorted(state.entities[state.player_id].traits.items())}
    shown = ", ".join(f"{name} {value:+g}" for name, value in (stats or traits).items() if value)
    return f"You are {state.name_of(state.player_id)}{f': {shown}' if shown else ''}. {_carried(state)}"


def _carried(state: WorldState) -> str:
    names = [state.name_of(item) for item in state.held_by(state.player_id)]
    return f"You carry: {', '.join(names)}." if names else "You carry nothing."


def stats_named(rules: CampaignRules, words: str) -> list[str]:
    """Return the stats of the ruleset that words name."""
    said = f" {' '.join(re.findall(r'[a-z]+', words.casefold()))} "
    return [key for key, stat in rules.ruleset.stats.items() if f" {stat.name.casefold().replace('-', ' ')} " in said]


def stats_told(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what the stats that are named stand for; else what the player's are, and which is the highest."""
    if not rules.ruleset.stats:
        return f"{_NO_STATS} {player_told(state, rules)}"
    shown = {key: value for key in rules.ruleset.stats if (value := stat_of(state, key)) is not None}
    named, said = stats_named(rules, words), words.casefold()
    meant = " ".join(meaning_of(rules, key, shown.get(key)) for key in named)
    whether = [_standing(rules, named, shown)] if _ASKS_WHETHER.search(said) else []
    whether += [_given(rules)] if _ASKS_CHANGE.search(said) or _ASKS_WHY.search(said) else []
    if meant and not (shown and _ASKS_WHICH.search(said)):
        return " ".join((meant, *filter(None, whether)))
    if not shown:
        return " ".join((player_told(state, rules), *filter(None, whether)))
    best = max(shown, key=shown.__getitem__)
    highest = f"The highest is {meaning_of(rules, best, shown[best])}" if len(shown) > 1 else ""
    whole = f"{player_told(state, rules)} {highest} {_NO_BEST} {meant} {' '.join(whether)}"
    return " ".join(whole.split())


# A question which of the stats is best, and its answer.
_ASKS_WHICH = re.compile(
    r"\b(?:which|what)\b.*\b(?:good|best|useful|main|strongest|highest|right|important|better|use|using|choose|pick)\b"
)
_NO_BEST = "None is the best one: which one counts depends on what you try."
# A question whether a stat is a good one; whether it can be changed; why it is as it is.
_ASKS_WHETHER = re.compile(
    r"\b(?:good(?! for\b)|bad|badly|crap|crappy|shit|awful|terrible|weak|strong|low|lower|high|higher|normal|average"
    r"|decent|enough|useless|poor|pathetic|tiny|better|worse|worst|okay|ok|only|matters?|sucks?|rubbish)\b"
)
_ASKS_CHANGE = re.compile(
    r"\b(?:swap|trade|exchange|switch|raise|increase|improve|boost|upgrade|train|gain|get|add|learn|buy|choose|pick"
    r"|reroll|re-roll|level|levels?|change|lower|move|redistribute|respec|rise|fall|drop|decrease"
    r"|go(?:es)? (?:up|down)|more of|grow|earn)\b"
)
_ASKS_WHY = re.compile(r"\b(?:why|how come)\b")
_NO_STATS = "This story reckons with no stats: there are none to show, and none are missing."


def stat_of(state: WorldState, key: str) -> float | None:
    """Return the player's number of a stat; None where they have none."""
    value = state.stat(state.player_id, key)
    return state.entities[state.player_id].traits.get(key) if value is None else value


def _standing(rules: CampaignRules, named: list[str], shown: dict[str, float]) -> str:
    """Return how the named stats of the player stand beside their others."""
    lines = []
    least, most = min(shown.values(), default=0), max(shown.values(), default=0)
    for key in named:
        if (value := shown.get(key)) is None:
            continue
        name = rules.ruleset.stats[key].name
        if least == most:
            lines.append(f"{name} is no lower and no higher than what else you have.")
        elif value in (least, most):
            lines.append(
                f"{name} is your {'lowest' if value == least else 'highest'}: yours go from {least:+g} to {most:+g}."
            )
        else:
            lines.append(f"{name} stands between your lowest, {least:+g}, and your highest, {most:+g}.")
    return " ".join((*lines, _WORTH))


_WORTH = "None is good or bad by itself: it matters where it is rolled for, and what fails there goes on otherwise."


def _given(rules: CampaignRules) -> str:
    known = listed([stat.name for stat in rules.ruleset.stats.values()], limit=12)
    return f"{_FIXED} Its rules know {known}, and no others."


_FIXED = "Who wrote the story gave you the figures you have: they cannot be chosen, swapped or added to."


def meaning_of(rules: CampaignRules, key: str, value: float | None) -> str:
    """Return what a stat stands for, with the player's number of it, and how it counts in a roll."""
    stat = rules.ruleset.stats[key]
    stands = "" if value is None else f" (yours is {value:+g})"
    ends = [f"high means {stat.high}" if stat.high else "", f"low means {stat.low}" if stat.low else ""]
    means = f" {capitalised('; '.join(filter(None, ends)))}." if any(ends) else ""
    formula = rules.ruleset.roll or ""
    counts = next((said for sign, said in _COUNTS.items() if re.search(rf"\{sign} {re.escape(key)}\b", formula)), "")
    return f"{stat.name}{stands}: {stat.represents}.{means}{counts}"


# How a stat counts that stands in a formula, by the sign before it.
_COUNTS = {"-": " In a roll it counts against you.", "+": " It is added to your rolls."}
