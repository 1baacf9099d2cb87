"""Results of quality -> tables for a terminal. Which figures count stands here, for the page as well."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from measures import EVERY
from results import ArmResult, SetResult

_KINDS: Sequence[tuple[str, str, str]] = (
    ("lookup", "any@1", "look-up, first"),
    ("paraphrase", "any@10", "paraphrase, in ten"),
    ("multihop", "all@10", "two sections, both in ten"),
    ("scene", "all@10", "scene, all in ten"),
    (EVERY, "MRR", "MRR"),
)
_FOUND = ((EVERY, "any@1", "first"), (EVERY, "any@10", "in ten"), (EVERY, "MRR", "MRR"))
RECALLS = ("recall@500", "recall@1000", "recall@2000")
MAIN = "recall@1000"


def headlines(name: str) -> Sequence[tuple[str, str, str]]:
    """(kind, metric, its heading): what a set is judged by; where questions have no kinds, what all of them find."""
    return _KINDS if name in ("eclipse-phase", "dnd-srd", "cairn", "written", "crawl") else _FOUND


def columns_of(name: str) -> list[tuple[str, str, str]]:
    """What is shown of a set: its headlines, then what arrives within each budget."""
    return [*headlines(name), *((EVERY, metric, metric.replace("recall@", "≤ ")) for metric in RECALLS)]


def kinds_of(result: SetResult) -> list[str]:
    """The kinds of a set, then all; only all where there is one kind."""
    kinds = [kind for kind in result.questions if kind != EVERY]
    return [*kinds, EVERY] if len(kinds) > 1 else [EVERY]


def tables(name: str, result: SetResult, *, without: bool) -> list[Table]:
    """What a terminal shows of one set: the figures, and how many times as much of the evidence ours brings."""
    found = [figures(name, result, without=without)]
    if not without:
        found.insert(0, _ratios(name, result))
    return found


def ratio_to(result: SetResult, other: ArmResult, kind: str, metric: str) -> float | None:
    """How many times as much ours has as another arm, None where that has nothing."""
    theirs = other.value(kind, metric)
    return result.ours.value(kind, metric) / theirs if theirs else None


def ratio_said(ratio: float | None) -> str:
    """A ratio as tables say it."""
    return "∞" if ratio is None else f"{ratio:.2f} ×"


def _ratios(name: str, result: SetResult) -> Table:
    table = Table(title=f"{name}: evidence within 1,000 tokens, ours ÷ theirs")
    table.add_column("arm")
    kinds = kinds_of(result)
    for kind in kinds:
        table.add_column(kind, justify="right")
    for other in result.others:
        table.add_row(other.arm, *(ratio_said(ratio_to(result, other, kind, MAIN)) for kind in kinds))
    return table


def figures(name: str, result: SetResult, *, without: bool) -> Table:
    """Each arm's values on a set; without a stage, what it costs (with * where the interval leaves zero out)."""
    told = "without each stage: the difference to what ships" if without else "every arm"
    table = Table(title=f"{name}, {result.questions[EVERY]} questions: {told}")
    table.add_column("arm")
    for _, _, heading in columns_of(name):
        table.add_column(heading, justify="right")
    for arm in result.arms:
        table.add_row(arm.arm, *(_said(arm, kind, metric, without) for kind, metric, _ in columns_of(name)))
    return table


def _said(arm: ArmResult, kind: str, metric: str, without: bool) -> str:
    measured = arm.kinds[kind][metric]
    if not without or measured.difference is None:
        return f"{measured.estimate.value:.3f}"
    star = "*" if is_sure(measured.difference.low, measured.difference.high) else ""
    return f"{measured.difference.value:+.3f}{star}"


def is_sure(low: float, high: float) -> bool:
    """Whether an interval leaves zero out."""
    return low > 0 or high < 0
