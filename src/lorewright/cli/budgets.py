"""What a larger or smaller budget changes in an answer, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.authoring.budget_steps import BudgetStep, Given
from lorewright.cli.output import say, show_table
from lorewright.errors import SettingsError

_MOST = 12
_HINT = "numbers of tokens with commas between: --diff-budget 500,1000,2000"


def read_budgets(text: str) -> list[int]:
    """`500,1000` -> the budgets.

    Raises:
        SettingsError: there are not two or more of them, or one is no number of tokens.
    """
    parts = [part.strip() for part in text.split(",")]
    wrong = next((part for part in parts if not (part.isascii() and part.isdigit()) or len(part) > 7), None)
    if wrong is not None:
        raise SettingsError(f'"{wrong}" is no number of tokens', hint=_HINT)
    budgets = sorted({int(part) for part in parts})
    if not 2 <= len(budgets) <= _MOST:
        raise SettingsError(f"{len(budgets)} budgets were given; compare 2 to {_MOST}", hint=_HINT)
    return budgets


def show_steps(steps: Sequence[BudgetStep], *, limit: int) -> None:
    """How much each budget gives; then what comes in with each, and where it is cut."""
    rows = [
        (f"{step.max_tokens:,}", step.sections, f"{step.tokens:,}", f"+{len(step.new)}", _end(step, limit))
        for step in steps
    ]
    numbers = ("budget", "sections", "tokens", "new")
    show_table((*numbers, "where it ends"), rows, right=numbers)
    for step in steps:
        say()
        say(f"with {step.max_tokens:,} tokens", style="bold")
        for one in step.longer:
            say(f"  ~ {_told(one)}: more of it")
        for one in step.new:
            say(f"  + {_told(one)}")
        if not step.new and not step.longer:
            say("  nothing more" if step is not steps[0] else "  nothing", style="dim")


def _end(step: BudgetStep, limit: int) -> str:
    if step.cut is not None:
        return f"{step.cut.chunk_id} is cut to {step.cut.given:,} of {step.cut.tokens:,}"
    if step.next is not None:
        return f"no room for {step.next.chunk_id} ({step.next.tokens:,})"
    return f"at the limit of {limit} sections" if step.sections >= limit else "all that was found is in it"


def _told(one: Given) -> str:
    tokens = f"{one.given:,} tokens" if one.given == one.tokens else f"{one.given:,} of {one.tokens:,} tokens"
    return f"#{one.rank} {one.chunk_id} ({tokens})"
