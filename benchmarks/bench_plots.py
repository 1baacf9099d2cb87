"""Numbers -> plots as SVG that stand for themselves, in light and in dark: for the README and docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from measures import Estimate

_WIDTH = 760
_STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #57534b; } .name { fill: #1c1b19; } .strong { font-weight: 600; }
.axis { stroke: #d9d5cb; } .zero { stroke: #8f8a80; } .whisker { stroke: #1c1b19; stroke-opacity: .55; }
.s0 { fill: #2f6f8f; stroke: #2f6f8f; } .s1 { fill: #c2703d; stroke: #c2703d; } .s2 { fill: #7a8f3c; stroke: #7a8f3c; }
.s3 { fill: #8a5a9b; stroke: #8a5a9b; } .s4 { fill: #a8a296; stroke: #a8a296; } .line { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) { text { fill: #a09b90; } .name { fill: #e8e5de; } .axis { stroke: #3a3833; }
.whisker { stroke: #e8e5de; } .s0 { fill: #6fb2d2; stroke: #6fb2d2; } .s1 { fill: #e0955f; stroke: #e0955f; }
.s2 { fill: #a9bf68; stroke: #a9bf68; } .s3 { fill: #b98acb; stroke: #b98acb; }
.s4 { fill: #6f6b63; stroke: #6f6b63; } }
</style>"""
# Series have so many colours; more are drawn in the last.
_COLOURS = 5


@dataclass(frozen=True, slots=True)
class Series:
    """One arm: its value for each group (or budget)."""

    name: str
    values: Sequence[Estimate]


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of a plot of differences: what was changed, and by how much a metric moved, for each metric."""

    name: str
    values: Sequence[Estimate]


def grouped_bars(title: str, groups: Sequence[str], series: Sequence[Series]) -> str:
    """Bars from 0 to 1, side by side for each group, with the interval of each."""
    left, top, height = 44, 52, 210
    room = (_WIDTH - left - 8) / len(groups)
    width = room * 0.82 / len(series)
    drawn = [_legend(series), _scale(left, top, height)]
    for at, group in enumerate(groups):
        start = left + at * room + room * 0.09
        for place, one in enumerate(series):
            value = one.values[at]
            x = start + place * width
            told = escape(f"{group}: {one.name} {_said(value)}")
            drawn.append(
                f"<rect class='{_colour(place)}' x='{_n(x)}' y='{_n(top + height * (1 - value.value))}' "
                f"width='{_n(width * 0.88)}' height='{_n(height * value.value)}'><title>{told}</title></rect>"
            )
            middle = _n(x + width * 0.44)
            low, high = (_n(top + height * (1 - end)) for end in (value.low, value.high))
            drawn.append(f"<line class='whisker' x1='{middle}' x2='{middle}' y1='{low}' y2='{high}'/>")
        middle = _n(start + room * 0.41)
        drawn.append(
            f"<text class='name' x='{middle}' y='{top + height + 18}' text-anchor='middle'>{escape(group)}</text>"
        )
    return _svg(title, top + height + 28, drawn)


def lines(title: str, marks: Sequence[int], series: Sequence[Series], unit: str) -> str:
    """A line for each arm over the marks (which stand evenly), from 0 to 1."""
    left, top, height = 44, 52, 210
    step = (_WIDTH - left - 60) / max(len(marks) - 1, 1)
    drawn = [_legend(series), _scale(left, top, height)]
    for place, one in enumerate(series):
        points = [(left + 20 + at * step, top + height * (1 - value.value)) for at, value in enumerate(one.values)]
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        drawn.append(f"<g class='{_colour(place)}'><polyline class='line' style='fill:none' points='{path}'/>")
        for (x, y), value, mark in zip(points, one.values, marks, strict=True):
            told = escape(f"{one.name}, {mark} {unit}: {_said(value)}")
            drawn.append(f"<circle cx='{_n(x)}' cy='{_n(y)}' r='3.5'><title>{told}</title></circle>")
        drawn.append("</g>")
    for at, mark in enumerate(marks):
        x = _n(left + 20 + at * step)
        drawn.append(f"<text x='{x}' y='{top + height + 18}' text-anchor='middle'>{mark:,} {escape(unit)}</text>")
    return _svg(title, top + height + 28, drawn)


def differences(title: str, metrics: Sequence[str], rows: Sequence[Difference]) -> str:
    """A point with its interval for each row and metric; left of the line the change costs something."""
    left, top, line = 200, 48, 22
    room = (_WIDTH - left - 8) / len(metrics)
    reach = max((abs(end) for row in rows for one in row.values for end in (one.low, one.high)), default=0.0) or 1.0
    height = line * len(rows)
    drawn = []
    for place, metric in enumerate(metrics):
        middle = left + room * (place + 0.5)
        scale = room * 0.46 / reach
        drawn.append(
            f"<text class='name strong' x='{_n(middle)}' y='{top - 26}' text-anchor='middle'>{escape(metric)}</text>"
        )
        drawn.append(f"<line class='zero' x1='{_n(middle)}' x2='{_n(middle)}' y1='{top - 8}' y2='{top + height}'/>")
        for end, anchor in ((-reach, "start"), (reach, "end")):
            x = _n(middle + end * scale)
            drawn.append(f"<text x='{x}' y='{top - 10}' text-anchor='{anchor}'>{_short(end)}</text>")
        for at, row in enumerate(rows):
            value, y = row.values[place], _n(top + line * (at + 0.5))
            sure = value.high < 0 or value.low > 0
            colour = "s4" if not sure else "s1" if value.value < 0 else "s0"
            ends = f"x1='{_n(middle + value.low * scale)}' x2='{_n(middle + value.high * scale)}' y1='{y}' y2='{y}'"
            told = escape(f"{row.name}: {metric} {value.value:+.3f} ({value.low:+.3f} … {value.high:+.3f})")
            drawn.append(f"<g class='{colour}'><line {ends} stroke-width='2'/>")
            drawn.append(
                f"<circle cx='{_n(middle + value.value * scale)}' cy='{y}' r='4'><title>{told}</title></circle></g>"
            )
    for at, row in enumerate(rows):
        drawn.append(f"<text class='name' x='0' y='{_n(top + line * (at + 0.5) + 4)}'>{escape(row.name)}</text>")
    return _svg(title, top + height + 10, drawn)


def _svg(title: str, height: int, drawn: Sequence[str]) -> str:
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' role='img' "
        f"aria-label='{escape(title)}'>\n<title>{escape(title)}</title>\n{_STYLE}\n"
    )
    return head + "\n".join(drawn) + "\n</svg>\n"


def _legend(series: Sequence[Series]) -> str:
    drawn, x = [], 44.0
    for place, one in enumerate(series):
        drawn.append(f"<rect class='{_colour(place)}' x='{_n(x)}' y='8' width='11' height='11' rx='2'/>")
        drawn.append(f"<text class='name' x='{_n(x + 17)}' y='18'>{escape(one.name)}</text>")
        x += 40 + 6.4 * len(one.name)
    return "\n".join(drawn)


def _scale(left: int, top: int, height: int) -> str:
    drawn = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _n(top + height * (1 - share))
        drawn.append(f"<line class='axis' x1='{left}' x2='{_WIDTH - 8}' y1='{y}' y2='{y}'/>")
        drawn.append(f"<text x='{left - 6}' y='{_n(float(y) + 4)}' text-anchor='end'>{share:.0%}</text>")
    return "\n".join(drawn)


def _said(value: Estimate) -> str:
    return f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"


def _short(number: float) -> str:
    return f"{number:+.2f}".replace("0.", ".").replace("-", "−")


def _colour(place: int) -> str:
    return f"s{min(place, _COLOURS - 1)}"


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
