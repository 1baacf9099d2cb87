"""A reading of the player's words and the state that it was read in -> what the player is told of the risk, of what
hinders them, and of what was assumed. All of it is shown with the result; no rule reads it."""

from __future__ import annotations

from lorewright.rules.rulesets import CampaignRules
from lorewright.values.records import InterpreterOutput
from lorewright.world.state import WorldState

# Whom the player has set against them: escalated by a step, or with so little trust.
_HOSTILE_STEP = 1
_HOSTILE_TRUST = -2


def risks_in(reading: InterpreterOutput, state: WorldState) -> tuple[str, ...]:
    """Return the risk flags of a reading; `hostile_present` is judged by the state, never by a model."""
    flags: list[str] = [flag for flag in reading.risk_flags if flag != "hostile_present"]
    if reading.proposed_actions and any(_is_hostile(who, state) for who in state.present_npcs()):
        flags.append("hostile_present")
    return tuple(dict.fromkeys(flags))


def _is_hostile(who: str, state: WorldState) -> bool:
    if state.escalation.get(who, 0) >= _HOSTILE_STEP:
        return True
    player = state.player_id
    ends = {who, player}
    return any(
        {relation.a, relation.b} == ends and relation.trust <= _HOSTILE_TRUST for relation in state.relations.values()
    )


def hindrances_in(state: WorldState, rules: CampaignRules) -> tuple[str, ...]:
    """Return the circumstances of the scene and the conditions of the player that change what they can do, by name."""
    ruleset = rules.ruleset
    held = [
        *((name, ruleset.situations.get(name)) for name in sorted(state.situations)),
        *((name, ruleset.conditions.get(name)) for name in state.conditions_of(state.player_id)),
    ]
    return tuple(name for name, rule in held if rule is not None and (rule.modifier or rule.forbids))


def assumptions_in(reading: InterpreterOutput) -> tuple[str, ...]:
    """Return what was assumed of the player's words, besides how whole clauses were understood (`Validation.read_as`
    has those)."""
    return tuple(text for text in reading.assumptions if not text.startswith("“"))
