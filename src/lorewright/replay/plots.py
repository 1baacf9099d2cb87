"""Numbers by turn -> a plot as inline SVG: stacked bars, with what each is said where one points at it.

Colours and type are the page's: `s0`, `s1`, … are the classes of the series.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 8, 10, 26
# Numbers below the bars would run into one another.
_LABELS = 18
# Series have so many colours.
COLOURS = 6

Number = int | float


@dataclass(frozen=True, slots=True)
class Series:
    """What is counted, and its value for each bar; None where there was nothing to count."""

    name: str
    values: Sequence[Number | None]


def bars(
    title: str, labels: Sequence[str], series: Sequence[Series], shown: Callable[[Number], str], *, top: Number = 0
) -> str:
    """A figure with a bar for each label, its series on top of one another; `shown` says a value, and the axis reaches
    `top` at least. Without a single value it says so."""
    if all(value is None for one in series for value in one.values):
        return f"<figure><figcaption>{escape(title)}</figcaption><p class='none'>Nothing was counted.</p></figure>"
    totals = [sum(one.values[at] or 0 for one in series) for at in range(len(labels))]
    highest = max(*totals, top) or 1
    drawn = "".join(
        (
            _axis(highest, shown),
            *(_bar(at, labels, series, highest, shown) for at in range(len(labels))),
            *(_label(at, label, len(labels)) for at, label in enumerate(labels)),
        )
    )
    svg = f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' aria-label='{escape(title)}'>{drawn}</svg>"
    return f"<figure><figcaption>{escape(title)}</figcaption>{svg}{_legend(series)}</figure>"


def _axis(highest: Number, shown: Callable[[Number], str]) -> str:
    """Lines at nothing, half and all of the highest bar."""
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
    for place, one in enumerate(series):
        value = one.values[at]
        if value is None:
            continue
        share = value / highest
        y = _y(below + share)
        told = escape(f"{labels[at]}: {one.name} {shown(value)}")
        height = round(share * (_HEIGHT - _TOP - _BOTTOM), 2)
        drawn.append(
            f"<rect class='s{place % COLOURS}' x='{x}' y='{y}' width='{width}' height='{height}'>"
            f"<title>{told}</title></rect>"
        )
        below += share
    return "".join(drawn)


def _label(at: int, label: str, number: int) -> str:
    if at % max(-(-number // _LABELS), 1):
        return ""
    x = round(_LEFT + (at + 0.5) * _step(number), 2)
    return f"<text x='{x}' y='{_HEIGHT - 8}' text-anchor='middle'>{escape(label)}</text>"


def _legend(series: Sequence[Series]) -> str:
    if len(series) < 2:
        return ""
    keys = (f"<span><i class='s{place % COLOURS}'></i>{escape(one.name)}</span>" for place, one in enumerate(series))
    return f"<p class='legend'>{''.join(keys)}</p>"


def _step(number: int) -> float:
    return (_WIDTH - _LEFT - _RIGHT) / max(number, 1)


def _y(share: float) -> float:
    return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 2)
