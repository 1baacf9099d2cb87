"""Measurements -> a self-contained page of HTML: nothing is loaded, nothing runs, all text is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape

from lorewright.replay.metrics import MICRO, Measured, Metrics, Spread, changing_tokens, prefix_share

# The texts of metrics for people: at the terminal and on a page.

# The text for a metric that was never counted.
_NONE = "–"


def metric_rows(of: Metrics) -> Iterator[tuple[str, str]]:
    """Yield (name, value as a text) of every metric, in the order of the documentation."""
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


# Plots of numbers by turn as inline SVG: stacked bars, each with a text for the pointer.
#
# Colours and type are the page's: `s0`, `s1`, … are the classes of the series.

_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 8, 18, 26
# Shares from left to right: the height of a row, and the room for names on the left and for values on the right.
_ROW, _NAMES, _VALUES = 32, 150, 60
# More labels below the bars would overlap.
_LABELS = 18
# The number of colours for series.
COLOURS = 6

Number = int | float


@dataclass(frozen=True, slots=True)
class Series:
    """A series of numbers: its name, and its value for each bar; None where there was nothing to count."""

    name: str
    values: Sequence[Number | None]


def bars(
    title: str, labels: Sequence[str], series: Sequence[Series], shown: Callable[[Number], str], *, top: Number = 0
) -> str:
    """Return a figure with a bar for each label, its series on top of one another; `shown` turns a value into text, and
    the axis reaches `top` at least. Below it the same stands in numbers. Without a single value there is no figure."""
    if all(value is None for sery in series for value in sery.values):
        return ""
    totals = [sum(sery.values[at] or 0 for sery in series) for at in range(len(labels))]
    highest = max(*totals, top) or 1
    drawn = "".join(
        (
            _axis(highest, shown),
            *(_bar(at, labels, series, highest, shown) for at in range(len(labels))),
            *(_label(at, label, len(labels)) for at, label in enumerate(labels)),
        )
    )
    svg = f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' aria-label='{escape(title)}'>{drawn}</svg>"
    numbers = _numbers(title, labels, series, shown)
    return f"<figure><figcaption>{escape(title)}</figcaption>{svg}{_legend(series)}{numbers}</figure>"


def shares(title: str, labels: Sequence[str], values: Sequence[Number | None]) -> str:
    """Return a figure with a bar from left to right for each label, for shares between 0 and 1; labels without a value
    are left out. Without a single value there is no figure."""
    counted = [(label, value) for label, value in zip(labels, values, strict=True) if value is not None]
    if not counted:
        return ""
    drawn = []
    for at, (label, value) in enumerate(counted):
        y, room = at * _ROW, _WIDTH - _NAMES - _VALUES
        drawn.append(
            f"<text x='0' y='{y + 21}'>{escape(label)}</text>"
            f"<rect class='s1' x='{_NAMES}' y='{y + 4}' width='{room}' height='{_ROW - 10}'/>"
            f"<rect class='s0' x='{_NAMES}' y='{y + 4}' width='{round(room * min(value, 1), 2)}' height='{_ROW - 10}'>"
            f"<title>{escape(label)} {value:.0%}</title></rect>"
            f"<text x='{_WIDTH}' y='{y + 21}' text-anchor='end'>{value:.0%}</text>"
        )
    box, told = f"0 0 {_WIDTH} {len(counted) * _ROW}", escape(title)
    svg = f"<svg viewBox='{box}' role='img' aria-label='{told}'>{''.join(drawn)}</svg>"
    return f"<figure><figcaption>{told}</figcaption>{svg}</figure>"


def _numbers(title: str, labels: Sequence[str], series: Sequence[Series], shown: Callable[[Number], str]) -> str:
    """Return the values of a figure as a table that is folded away."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in ("turn", *(entry.name for entry in series)))
    rows = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f"<td>{_NONE if value is None else escape(shown(value))}</td>" for value in values)
        + "</tr>"
        for label, *values in zip(labels, *(entry.values for entry in series), strict=True)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    told = escape(f"{title}, in numbers")
    box = f"<div class='wide' role='group' aria-label='{told}' tabindex='0'>{table}</div>"
    return f"<details><summary>in numbers</summary>{box}</details>"


def _axis(highest: Number, shown: Callable[[Number], str]) -> str:
    """Return lines at nothing, half and all of the highest bar."""
    drawn = []
    for part in (0.0, 0.5, 1.0):
        y = _y(part)
        value = escape(shown(highest * part))
        drawn.append(f"<line class='axis' x1='{_LEFT}' x2='{_WIDTH - _RIGHT}' y1='{y}' y2='{y}'/>")
        drawn.append(f"<text x='{_LEFT - 6}' y='{y + 4}' text-anchor='end'>{value}</text>")
    return "".join(drawn)


def _bar(
    at: int, labels: Sequence[str], series: Sequence[Series], highest: Number, shown: Callable[[Number], str]
) -> str:
    step = _step(len(labels))
    width = round(max(step * 0.8, 0.5), 2)
    x = round(_LEFT + at * step + (step - width) / 2, 2)
    below, drawn = 0.0, []
    for place, series_of_bar in enumerate(series):
        value = series_of_bar.values[at]
        if value is None:
            continue
        share = value / highest
        y = _y(below + share)
        told = escape(f"{labels[at]}: {series_of_bar.name} {shown(value)}")
        height = round(share * (_HEIGHT - _TOP - _BOTTOM), 2)
        drawn.append(
            f"<rect class='s{place % COLOURS}' x='{x}' y='{y}' width='{width}' height='{height}'>"
            f"<title>{told}</title></rect>"
        )
        below += share
    return "".join(drawn)


def _label(at: int, label: str, number: int) -> str:
    every = max(-(-number // _LABELS), 1)
    if at % every:
        return ""
    # On a narrow screen letters are larger, and every third label is enough.
    often = " class='often'" if number > _LABELS // 3 and at // every % 3 else ""
    x = round(_LEFT + (at + 0.5) * _step(number), 2)
    return f"<text{often} x='{x}' y='{_HEIGHT - 8}' text-anchor='middle'>{escape(label)}</text>"


def _legend(series: Sequence[Series]) -> str:
    if len(series) < 2:
        return ""
    keys = (
        f"<span><i class='s{place % COLOURS}'></i>{escape(entry.name)}</span>" for place, entry in enumerate(series)
    )
    return f"<p class='legend'>{''.join(keys)}</p>"


def _step(number: int) -> float:
    return (_WIDTH - _LEFT - _RIGHT) / max(number, 1)


def _y(share: float) -> float:
    return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 2)


# The page: nothing is loaded, nothing runs, all text is escaped.

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1b19; --dim: #6b675f; --paper: #fbfaf7; --line: #d9d5cb;
  --c0: #2f6f8f; --c1: #9cc3d5; --c2: #c2703d; --c3: #7a8f3c; --c4: #8a5a9b; --c5: #b59a3a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e5de; --dim: #a09b90; --paper: #191816; --line: #3a3833;
  --c0: #6fb2d2; --c1: #35617a; --c2: #e0955f; --c3: #a9bf68; --c4: #b98acb; --c5: #d9c064; } }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 46rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p { margin: .25rem 0; } .dim { color: var(--dim); }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line);
  padding: .3rem 0; text-align: left; }
td + td, th + th { text-align: right; font-variant-numeric: tabular-nums; padding-left: .75rem; }
.wide { overflow-x: auto; overflow-wrap: normal; } summary { color: var(--dim); cursor: pointer; }
figure { margin: 2rem 0; } figcaption { font-weight: 600; } svg { width: 100%; height: auto; }
svg text { fill: var(--dim); font: 11px system-ui, sans-serif; }
@media (max-width: 600px) { svg text { font-size: 19px; } svg .often { display: none; } } .axis { stroke: var(--line); }
.s0 { fill: var(--c0); background: var(--c0); } .s1 { fill: var(--c1); background: var(--c1); }
.s2 { fill: var(--c2); background: var(--c2); } .s3 { fill: var(--c3); background: var(--c3); }
.s4 { fill: var(--c4); background: var(--c4); } .s5 { fill: var(--c5); background: var(--c5); }
.legend span { margin-right: 1.25rem; color: var(--dim); white-space: nowrap; }
.legend i { display: inline-block; width: .7rem; height: .7rem; margin-right: .4rem; border-radius: 2px; }
"""


_NO_PLOT = "<p class='dim'>There is nothing to draw yet.</p>"


def page_of(found: Measured) -> str:
    """Return the whole page, for a browser in light or dark."""
    name = escape(found.campaign_id)
    numbers = [turn.turn_no for turn in found.turns]
    turns = f"turns {numbers[0]} to {numbers[-1]}" if numbers else "no turn"
    rows = "".join(
        f"<tr><td>{escape(what)}</td><td>{escape(value)}</td></tr>" for what, value in metric_rows(found.metrics)
    )
    return (
        "<!doctype html>\n"
        "<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{name}: metrics</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{name}</h1><p class='dim'>{turns}; {len(found.failed)} failed attempts.</p>"
        f"<h2>Metrics</h2><table>{rows}</table>"
        "<p class='dim'>A dash stands where there was nothing to count.</p>"
        f"<h2>Turn by turn</h2>{''.join(_plots(found)) or _NO_PLOT}</main></body></html>\n"
    )


def _plots(found: Measured) -> list[str]:
    turns = found.turns
    labels = [str(turn.turn_no) for turn in turns]
    asked = [bool(turn.runs) for turn in turns]

    def of(name: str) -> list[int | None]:
        return [turn.sum_of(name) if ran else None for turn, ran in zip(turns, asked, strict=True)]

    fresh = [
        None if read is None or cached is None else max(read - cached, 0)
        for read, cached in zip(of("input_tokens"), of("cache_read_tokens"), strict=True)
    ]
    tokens = [
        Series("read", fresh),
        Series("read from a cache", of("cache_read_tokens")),
        Series("written", of("output_tokens")),
    ]
    cost = [None if micro is None else micro / MICRO for micro in of("cost_microusd")]
    stages = list(dict.fromkeys(run.stage for turn in turns for run in turn.runs))
    seconds = [
        Series(stage, [None if (ms := turn.milliseconds().get(stage)) is None else ms / 1000 for turn in turns])
        for stage in stages
    ]
    return [
        bars("Tokens", labels, tokens, lambda value: f"{value:,.0f}"),
        bars("Cost in dollars", labels, [Series("cost", cost)], lambda value: f"${value:.4f}"),
        bars("Seconds that models took, by stage", labels, seconds, lambda value: f"{value:.2f} s"),
        bars(
            "Share of the narrator's prompt that comes before the turn's own part",
            labels,
            [Series("prefix", [prefix_share(turn) for turn in turns])],
            lambda value: f"{value:.0%}",
            top=1,
        ),
        bars(
            "Tokens of the narrator's prompt that are the turn's own",
            labels,
            [Series("changing", [changing_tokens(turn) for turn in turns])],
            lambda value: f"{value:,.0f}",
        ),
        bars(
            "Narration, in words",
            labels,
            [Series("words", [turn.words for turn in turns])],
            lambda value: f"{value:.0f}",
        ),
        shares("Rates", *_rates_of(found)),
    ]


def _rates_of(found: Measured) -> tuple[list[str], list[float | None]]:
    names = {
        "contradicted": found.metrics.contradiction_rate,
        "invalid let in": found.metrics.invalid_action_acceptance,
        "asked back": found.metrics.clarification_rate,
        "lore cited": found.metrics.lore_relevance_rate,
        "lore cached": found.metrics.lore_cache_hit_rate,
        "unsupported": found.metrics.unsupported_rate,
        "repaired": found.metrics.repair_rate,
        "retried": found.metrics.retry_rate,
    }
    return list(names), list(names.values())
