"""A campaign's own copy of a ruleset and the current ruleset -> their differences, and what in the state does not fit
any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.campaigns.upgrade_changes import Remark
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.world.ops import Reshape
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.schemas import filled, plain
from lorewright.world.state import WorldState

_SCHEMAS = {"character_stat_schema": "stats", "scene_state_schema": "scene"}


def changes(then: Ruleset, now: Ruleset, state: WorldState) -> Iterator[Remark]:
    """Yield everything that another ruleset would change for a campaign in a state."""
    if then.bands != now.bands:
        yield Remark("bands", "bands", "the bands of the dice have changed")
    for kind in sorted(then.actions.keys() | now.actions.keys()):
        if kind not in now.actions:
            yield Remark("action", kind, f"there is no action {kind} any more")
        elif kind not in then.actions:
            yield Remark("action", kind, f"there is an action {kind} now")
        elif then.actions[kind] != now.actions[kind]:
            yield Remark("action", kind, f"the action {kind} is another")
    for field, short in _SCHEMAS.items():
        yield from _schema(plain(getattr(then, field)), plain(getattr(now, field)), short)
    yield from _misfits(then, now, state)


def cast_changes(then: CampaignRules, now: CampaignRules, state: WorldState) -> Iterator[Remark]:
    """Yield the members of the cast, by ID, whose own rules the packs have changed."""
    for who in sorted(then.cast.keys() | now.cast.keys()):
        if then.of_cast(who) != now.of_cast(who):
            yield Remark("cast", who, f"how {state.name_of(who)} acts of their own accord is another")


def reshaping(then: Ruleset, now: Ruleset, state: WorldState) -> tuple[Reshape, ...]:
    """Return the op that changes a state to other schemas; none where they are the same or the state has no ruleset
    part."""
    same = all(plain(getattr(then, field)) == plain(getattr(now, field)) for field in _SCHEMAS)
    if same or state.ruleset is None:
        return ()
    return (Reshape(stat_schema=now.character_stat_schema, scene_schema=now.scene_state_schema),)


def _schema(then: Mapping[str, Any], now: Mapping[str, Any], short: str) -> Iterator[Remark]:
    was, will = then.get("properties", {}), now.get("properties", {})
    for name in sorted(was.keys() | will.keys()):
        if name not in will:
            yield Remark("schema", f"{short}.{name}", f"the ruleset describes no {name} any more")
        elif name not in was:
            yield Remark("schema", f"{short}.{name}", f"the ruleset describes {name} now")
        elif was[name] != will[name]:
            yield Remark("schema", f"{short}.{name}", f"the ruleset describes {name} otherwise")
    if was == will and then != now:
        yield Remark("schema", short, "which fields are required or allowed has changed")


def _misfits(then: Ruleset, now: Ruleset, state: WorldState) -> Iterator[Remark]:
    """Yield the stored values that do not fit, by field, once the defaults have filled what is new."""
    hint = "mend the ruleset, or go back to a turn where it fits"
    held = state.ruleset
    if held is None:
        wanted = (now.scene_state_schema, now.character_stat_schema.get("required"))
        before = (then.scene_state_schema, then.character_stat_schema.get("required"))
        if any(wanted) and wanted != before:
            what = "the ruleset asks for a scene or stats now, and this campaign was begun without any"
            yield Remark("state-misfit", "ruleset", what, True, "begin another campaign with it")
        return
    other = RulesetState.model_construct(
        stat_schema=now.character_stat_schema,
        scene_schema=now.scene_state_schema,
        stats={who: filled(block, now.character_stat_schema) for who, block in held.stats.items()},
        scene=filled(held.scene, now.scene_state_schema),
    )
    for misfit in other.misfits():
        yield Remark(
            "state-misfit", ".".join(misfit.field), f"what is stored does not fit: {misfit.message}", True, hint
        )
