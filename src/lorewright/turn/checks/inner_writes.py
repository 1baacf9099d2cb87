"""Changes that an extractor of inner life proposes -> ops, reviews of what it is not sure of, and refusals.

They are judged on the state after the turn's own ops, and touch the inner states of one character alone: named states
that there are, and stats of the ruleset's that are an extractor's. So nothing more has to be asked where the attempt
failed. Code bounds each step: nobody becomes another person in one turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lorewright.ids import canonical_json
from lorewright.rules.rulesets import Ruleset
from lorewright.turn.checks import tools
from lorewright.values.inner import kind_of, writable_stats
from lorewright.values.kept import Review
from lorewright.values.state_changes import StateChange, StateExtractorOutput
from lorewright.world.frozen import Frozen
from lorewright.world.inner import CharacterState
from lorewright.world.ops import ClearCharacterState, SetCharacterState, SetPath, StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState

KIND = "inner_state"
# A number moves so far in one turn, or by a fifth of what it is where that is more.
LARGEST_STEP = 3
_SHARE = 5
# A state in words is a line (characters); anything else is measured as JSON.
LONGEST_TEXT = 200
_LONGEST_JSON = 400


class RefusedChange(Frozen):
    """A change that did not become true, and why."""

    name: str
    reason: str
    change: StateChange


class InnerWrites(Frozen):
    """What became of an extractor's changes, in their order."""

    ops: tuple[StateOp, ...] = ()
    reviews: tuple[Review, ...] = ()
    refused: tuple[RefusedChange, ...] = ()


def inner_ops(
    output: StateExtractorOutput,
    who: str,
    state: WorldState,
    ruleset: Ruleset,
    *,
    stage: str,
    leak: Callable[[str], str | None],
) -> InnerWrites:
    """Judge what was proposed for one character, in order, each change by itself.

    `leak` says what of a text is somebody else's secret, or None. Reasons: `unknown_state`, `said_twice`, `no_change`,
    `wrong_kind`, `too_large_a_step`, `too_long`, `quotes_what_is_hidden`, and those of owners and ops.
    """
    ops: list[StateOp] = []
    reviews: list[Review] = []
    refused: list[RefusedChange] = []
    seen: set[str] = set()
    for change in output.changes:
        made = "said_twice" if change.name in seen else _made(change, who, state, ruleset, leak)
        seen.add(change.name)
        if not isinstance(made, str):
            misfit = tools.refused(state, (*ops, made), by="extract", ruleset=ruleset)
            made = made if misfit is None else misfit.reason
        if isinstance(made, str):
            refused.append(RefusedChange(name=change.name, reason=made, change=change))
        elif change.confidence < ruleset.review_below:
            reviews.append(_review(change, made, who, state, stage))
        else:
            ops.append(made)
    return InnerWrites(ops=tuple(ops), reviews=tuple(reviews), refused=tuple(refused))


def _made(
    change: StateChange, who: str, state: WorldState, ruleset: Ruleset, leak: Callable[[str], str | None]
) -> StateOp | str:
    """The op of a change, or why it is none."""
    character = state.characters.get(who)
    held = None if character is None else character.states.get(change.name)
    stats = writable_stats(who, state, ruleset)
    if held is None and change.name not in stats:
        return "unknown_state"
    was = plain(stats[change.name] if held is None else held.value)
    wrong = _wrong_with(change, was, leak)
    if wrong is not None:
        return wrong
    return _stat_op(change, who, was) if held is None else _state_op(change, who, held)


def _wrong_with(change: StateChange, was: Any, leak: Callable[[str], str | None]) -> str | None:
    value = change.value
    if value is not None and was is not None and kind_of(value) != kind_of(was):
        return "wrong_kind"
    if kind_of(value) == "number" and was is not None and abs(value - was) > max(LARGEST_STEP, abs(was) / _SHARE):
        return "too_large_a_step"
    written = value if isinstance(value, str) else canonical_json(value)
    if len(written) > (LONGEST_TEXT if isinstance(value, str) else _LONGEST_JSON):
        return "too_long"
    # The reason is kept beside the state where the change waits to be reviewed.
    return "quotes_what_is_hidden" if leak("\n".join((written, change.reason))) is not None else None


def _state_op(change: StateChange, who: str, held: CharacterState) -> StateOp | str:
    if change.over:
        return ClearCharacterState(who=who, name=change.name)
    value = plain(held.value) if change.value is None else _tidy(change.value)
    level = held.level if change.level is None else change.level
    if _same(value, plain(held.value)) and level == held.level:
        return "no_change"
    return SetCharacterState(who=who, name=change.name, value=value, level=level)


def _stat_op(change: StateChange, who: str, was: Any) -> StateOp | str:
    """A stat has no level, and is not over."""
    if change.over or change.value is None or _same(_tidy(change.value), was):
        return "no_change"
    return SetPath(path=change.name, of=who, value=_tidy(change.value))


def _tidy(value: Any) -> Any:
    """A text on one line, without what only a terminal reads."""
    if not isinstance(value, str):
        return value
    return " ".join("".join(sign if sign.isprintable() else " " for sign in value).split())


def _same(one: Any, other: Any) -> bool:
    return canonical_json(one) == canonical_json(other)


def _review(change: StateChange, op: StateOp, who: str, state: WorldState, stage: str) -> Review:
    return Review(
        stage=stage,
        kind=KIND,
        subject_id=who,
        ops=(op,),
        shown=f"{state.name_of(who)}: {_in_words(change, op)}",
        confidence=change.confidence,
        reason=change.reason,
    )


def _in_words(change: StateChange, op: StateOp) -> str:
    match op:
        case SetCharacterState():
            return f"{op.name} becomes {_said(op.value)} (level {op.level})"
        case SetPath():
            return f"{op.path} becomes {_said(op.value)}"
        case _:
            return f"{change.name} is over"


def _said(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(plain(value))
