"""Ruleset -> what `ruleset show` prints as JSON: stats, bands, action types, costs, reason codes, schemas, owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorewright.rules.effects import Effect
from lorewright.rules.reason_codes import REASON_CODES
from lorewright.rules.rulesets import ActionType, Ruleset
from lorewright.rules.validate import COST_KEYS
from lorewright.world.schemas import plain


def listed_ruleset(ruleset: Ruleset, content_hash: str) -> dict[str, Any]:
    """A line of `ruleset list`."""
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "profile": ruleset.profile,
        "roll": rolled(ruleset),
        "summary": " ".join(ruleset.summary.split()),
        "stats": list(ruleset.stats),
        "content_hash": content_hash,
    }


def shown_ruleset(ruleset: Ruleset, content_hash: str) -> dict[str, Any]:
    """All of a ruleset: its own keys as they are played by, and the costs and reason codes that every ruleset has."""
    data = ruleset.model_dump(mode="json", by_alias=True)
    return {
        **data,
        "content_hash": content_hash,
        "roll": rolled(ruleset),
        "character_stat_schema": plain(ruleset.character_stat_schema),
        "scene_state_schema": plain(ruleset.scene_state_schema),
        "costs": costs_in(ruleset),
        "reason_codes": dict(REASON_CODES),
    }


def rolled(ruleset: Ruleset) -> str:
    """What is rolled, as a formula."""
    return ruleset.roll or f"{ruleset.dice} + {'stat' if ruleset.stats else 'trait'}"


def costs_in(ruleset: Ruleset) -> list[str]:
    """The costs that an action may have: those of every ruleset, then the ruleset's own."""
    own = {cost for action in ruleset.actions.values() for cost in action.costs}
    return [*COST_KEYS, *sorted(own - set(COST_KEYS))]


def checked_by(action: ActionType) -> str:
    """What is rolled for an action, in few words; empty where nothing is."""
    check = action.check
    if check is None:
        return ""
    names = ", ".join(check.stats) or check.add or "what the attempt calls for"
    rolled_by = f"{check.roll} " if check.roll else ""
    condition = check.when.model_dump(mode="json", by_alias=True, exclude_none=True) if check.when else {}
    bounds = " ".join(f"{key} {value}" for key, value in condition.items())
    return f"{rolled_by}{names}" + (f" (while {bounds})" if bounds else "")


def priced(action: ActionType) -> str:
    """What an action costs beside its minutes, in few words."""
    return ", ".join(f"{cost} {by:+d}" for cost, by in sorted(action.costs.items()))


def hindrances(ruleset: Ruleset) -> list[tuple[str, str, str, str]]:
    """What is in the way of an attempt: when (`bound`, `dead (target)`), what it is, what it forbids, what it adds to
    dice."""
    held = [*ruleset.conditions.items(), *ruleset.situations.items()]
    rows = [
        (key, one.summary, ", ".join(one.forbids), f"{one.modifier:+d}" if one.modifier else "") for key, one in held
    ]
    facts = [
        (f"{one.fact} ({one.about})", "known as a fact", ", ".join(one.forbids), "") for one in ruleset.contradictions
    ]
    return [*rows, *facts]


def effects_in_words(effects: Sequence[Effect]) -> list[str]:
    """Each effect as its author wrote it, in one line."""
    written = [one.model_dump(mode="json", by_alias=True, exclude_defaults=True) for one in effects]
    return [", ".join(f"{key} {_short(value)}" for key, value in one.items()) for one in written]


def _short(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)
