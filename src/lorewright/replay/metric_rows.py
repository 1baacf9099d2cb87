"""Metrics -> a text for each, for people: at the terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from lorewright.replay.metrics import Metrics, Spread

# What was never counted.
_NONE = "–"


def metric_rows(of: Metrics) -> Iterator[tuple[str, str]]:
    """(what it is, its value as a text) of every metric, in the order of the documentation."""
    yield "turns", str(of.turns)
    for name in (
        "contradiction_rate",
        "invalid_action_acceptance",
        "clarification_rate",
        "lore_relevance_rate",
        "lore_cache_hit_rate",
        "unsupported_rate",
        "repair_rate",
        "retry_rate",
    ):
        yield name, _percent(getattr(of, name))
    for fate, number in asdict(of.proposals).items():
        yield f"proposals {fate}", _number(number)
    for unit, spread in of.length_stats.items():
        yield f"length in {unit}, min / avg / max", _spread(spread)
    yield "tokens in", f"{of.tokens.input:,}"
    yield "tokens in, from a cache", f"{of.tokens.cached:,} ({_percent(of.tokens.cached_share)})"
    yield "tokens out", f"{of.tokens.output:,}"
    yield "cost", f"${of.cost_usd:.4f}"
    yield "stable prefix of the narrator's prompt", _percent(of.prefix.share)
    yield "tokens that change within a scene, at most", _number(of.prefix.changing_max)
    yield "prefixes that changed within a scene", _number(of.prefix.broken)
    yield "latency p50 / p95", ", ".join(_latencies(of)) or _NONE
    yield "failed attempts", ", ".join(f"{code} {n}" for code, n in of.failed_attempts.items()) or "none"


def _latencies(of: Metrics) -> Iterator[str]:
    for stage, latency in of.latency.items():
        yield f"{stage} {latency.p50:,} / {latency.p95:,} ms"


def _percent(share: float | None) -> str:
    return _NONE if share is None else f"{share:.1%}"


def _number(number: int | None) -> str:
    return _NONE if number is None else f"{number:,}"


def _spread(spread: Spread | None) -> str:
    return _NONE if spread is None else f"{spread.min} / {spread.avg:.1f} / {spread.max}"
