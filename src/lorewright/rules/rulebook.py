"""Ruling: what somebody who knows the rulebook says comes of an attempt that no rule in code decides, as data that code
has judged. No prose decides: the dice are thrown by code, and each op is one that the ruleset lets a ruling propose."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.rules.actions import Attempt
from lorewright.rules.checks import is_rolled_for
from lorewright.rules.consequences import rule_for
from lorewright.rules.dice import band_of
from lorewright.rules.outcomes import ActionResult, Roll
from lorewright.rules.rulesets import BandName, CampaignRules, Owner, Ruleset
from lorewright.world.apply import Refusal, apply
from lorewright.world.frozen import Frozen
from lorewright.world.ops import PathOp, StateOp
from lorewright.world.state import WorldState

# Ops that a stage proposes -> those that are not its to propose: each path and kind of op has its owner.


def not_theirs(ops: Sequence[StateOp], by: Owner, ruleset: Ruleset) -> list[Refusal]:
    """The ops that an owner may not propose: `op_not_allowed` by its kind, `not_its_path` by the path's owner.

    A ruleset that lists no ops for an owner allows it none of its own but those on its paths.
    """
    found = []
    for index, op in enumerate(ops):
        if isinstance(op, PathOp):
            field = f"{'scene' if op.of is None else 'stats'}.{op.path}"
            if ruleset.owner_of(field) != by:
                found.append(Refusal(index=index, reason="not_its_path", field=field))
                continue
        elif by not in ruleset.allowed_ops:
            found.append(Refusal(index=index, reason="op_not_allowed"))
            continue
        if by in ruleset.allowed_ops and op.op not in ruleset.allowed_ops[by]:
            found.append(Refusal(index=index, reason="op_not_allowed"))
    return found


# A ruling is about one attempt: it asks for the dice of a check, at most of one that is opposed and one that follows.
MAX_ROLLS = 3


class Ruling(Frozen):
    """The band that an attempt came to (None where nothing was rolled), the dice that were thrown for it, in order, and
    the changes that follow from the rulebook."""

    band: BandName | None = None
    rolls: tuple[Roll, ...] = ()
    ops: tuple[StateOp, ...] = ()


def is_for_the_rulebook(attempt: Attempt, judged: ActionResult, state: WorldState, rules: CampaignRules) -> bool:
    """Whether code has nothing to say on an attempt but that it is made: a free attempt, possible, about which the
    scenario has no rule, and for which the ruleset rolls no dice."""
    if attempt.action.type != "attempt" or not judged.success or rule_for(attempt, state, rules) is not None:
        return False
    check = rules.ruleset.actions["attempt"].check
    return check is None or attempt.action.target_id is None or not is_rolled_for(check, state)


def wrong_with(ruling: Ruling, state: WorldState, ruleset: Ruleset) -> str | None:
    """What the ruleset does not let a ruling say, or the state does not; None where it holds.

    What the ruleset's own dice show says which band it is, and nothing else does.
    """
    if len(ruling.rolls) > MAX_ROLLS:
        return f"at most {MAX_ROLLS} rolls decide one attempt"
    own = [one for one in ruling.rolls if _is_of(one, ruleset)]
    if own and ruling.band != band_of(own[-1].total, ruleset):
        return f"a total of {own[-1].total} is {band_of(own[-1].total, ruleset)}, not {ruling.band or 'no roll'}"
    if ruling.band is not None and not own:
        return f"without a throw of {ruleset.dice} the outcome cannot be {ruling.band}: say 'no roll', or ask for dice"
    for refusal in not_theirs(ruling.ops, "resolve", ruleset):
        return f"state_ops[{refusal.index}]: {refusal.reason}: {refusal.field or ruling.ops[refusal.index].op}"
    refused = apply(state, ruling.ops).refusal
    if refused is not None:
        return f"state_ops[{refused.index}]: {refused.reason}: {refused.field or ruling.ops[refused.index].op}"
    return None


def _is_of(roll: Roll, ruleset: Ruleset) -> bool:
    """Whether a roll is of the dice that the ruleset's bands are for, whatever was added."""
    thrown = roll.expression.partition("+")[0].partition("-")[0]
    return thrown == ruleset.dice.partition("+")[0].partition("-")[0]
