"""validate(attempts, state, rules) -> Validation: which attempts are possible, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lorewright.rules.actions import Attempt
from lorewright.rules.acts import plainly
from lorewright.rules.capability import unmet
from lorewright.rules.costs import COST_KEYS, costs_of
from lorewright.rules.knowledge import why_not_told
from lorewright.rules.outcomes import ActionResult, ReasonCode, Validation
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.sentences import sentence
from lorewright.world.state import WorldState

# What somebody may have opened, or not, on the way.
_BARRIERS: tuple[ReasonCode, ...] = ("door_locked", "door_bolted", "door_closed")
# What an earlier action of the same turn might have mended: another place, or another thing in hand.
_MAY_DEPEND: frozenset[ReasonCode] = frozenset(
    {"not_present", "object_not_found", "no_such_exit", "too_far", "not_in_inventory", "no_key", *_BARRIERS}
)


def validate(
    attempts: Sequence[Attempt], state: WorldState, rules: CampaignRules, *, acting: str | None = None
) -> Validation:
    """Judge the attempts in order, each as if the ones before had gone as they plainly would.

    `acting` is whose round it is: one of the cast, and the player where nobody is named. What a scenario's rules
    make of them is not known before the dice: `resolve` judges once more.
    """
    working = state
    results: list[ActionResult] = []
    costs = Counter(dict.fromkeys(COST_KEYS, 0))
    for index, attempt in enumerate(attempts):
        result = _judge(index, attempt, working, rules, results, acting)
        results.append(result)
        if result.success:
            costs.update(costs_of(attempt.action, working, rules.ruleset))
            working = plainly(attempt.action, working, rules.ruleset)
    return Validation(results=tuple(results), costs=dict(costs))


def _judge(
    index: int,
    attempt: Attempt,
    state: WorldState,
    rules: CampaignRules,
    earlier: Sequence[ActionResult],
    acting: str | None,
) -> ActionResult:
    action = attempt.action
    reason = why_not(action, state, rules.ruleset, acting=acting) or why_not_told(attempt, state)
    if reason is None:
        return ActionResult(action_index=index, success=True)
    if reason in _MAY_DEPEND and any(not result.success for result in earlier):
        reason = "depends_on_failed"
    message = (unmet(action, state, rules.ruleset) if reason == "not_allowed_now" else None) or sentence(
        reason, action, state
    )
    return ActionResult(action_index=index, success=False, reason=reason, message=message)
