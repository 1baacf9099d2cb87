"""Results -> the blocks of the pages of benchmarks, each a piece of markdown by name, and the plots by their file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_plots import Difference, Series, differences, grouped_bars, lines
from measures import BUDGETS, EVERY, Estimate
from quality_tables import HEADLINES, MAIN, RECALLS, is_sure, kinds_of, ratio_said, ratio_to
from results import OURS, ArmResult, SetResult, load, load_rows

BOOK, TALES = "eclipse-phase", "tales"
# What each stage's cost is told by.
_COSTS = (
    (BOOK, MAIN, "arrives, sourcebook"),
    (BOOK, "MRR", "MRR, sourcebook"),
    (TALES, MAIN, "arrives, tales"),
    (TALES, "MRR", "MRR, tales"),
)
_KINDS = {
    "lookup": "look-up",
    "paraphrase": "paraphrase",
    "multihop": "two sections",
    "scene": "scene",
    TALES: "tales",
    EVERY: "all",
}
_SPEED = (
    ("p50_ms", "ms, middle"),
    ("p95_ms", "ms, 19 in 20"),
    ("index_per_s", "chunks/s indexed"),
    ("cold_s", "s cold"),
    ("memory_mb", "MB memory"),
    ("disk_mb", "MB disk"),
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Numbers:
    """Everything that was measured: beside others, without stages, ours at each size; and the real peers, how fast and
    how well."""

    quality: Mapping[str, SetResult]
    ablation: Mapping[str, SetResult]
    speed: Sequence[Row]
    peers: Sequence[Row]
    peers_quality: Mapping[str, SetResult]
    commands: Sequence[Row]


def read_numbers(folder: Path) -> Numbers:
    """What lies in a folder of results."""
    quality, ablation, peers_quality = (load(name, folder) for name in ("quality", "ablation", "peers-quality"))
    speed, peers, commands = (load_rows(name, folder) for name in ("speed", "peers", "commands"))
    return Numbers(quality, ablation, speed, peers, peers_quality, commands)


def blocks_of(numbers: Numbers) -> dict[str, str]:
    """Every block by its name; empty where nothing was measured for it."""
    both = {BOOK, TALES} <= numbers.quality.keys()
    book, tales = numbers.quality.get(BOOK), numbers.quality.get(TALES)
    return {
        "main": _main(numbers) if both else "",
        "ratios": _ratios(numbers.quality) if both else "",
        "book": _figures(BOOK, book) if book else "",
        "kinds": _by_kind(book) if book else "",
        "tales": _figures(TALES, tales) if tales else "",
        "behind": _behind(numbers) if both else "",
        "ablation": _ablation(numbers.ablation) if {BOOK, TALES} <= numbers.ablation.keys() else "",
        "counts": _counts(numbers.ablation[BOOK]) if BOOK in numbers.ablation else "",
        "speed": _speed(numbers.speed) if numbers.speed else "",
        "commands": _commands(numbers.commands) if numbers.commands else "",
        "peers": _peers(numbers.peers) if numbers.peers else "",
        "peers-quality": "\n".join(
            f"On {name}:\n\n{_figures(name, one)}" for name, one in numbers.peers_quality.items()
        ),
    }


def plots_of(numbers: Numbers) -> dict[str, str]:
    """Every plot by its file."""
    found: dict[str, str] = {}
    if {BOOK, TALES} <= numbers.quality.keys():
        ways = _ways(numbers.quality)
        kinds = [(BOOK, kind) for kind in kinds_of(numbers.quality[BOOK]) if kind != EVERY] + [(TALES, EVERY)]
        series = [Series(way, [arms[name].kinds[kind][MAIN].estimate for name, kind in kinds]) for way, arms in ways]
        groups = [_KINDS[kind if name == BOOK else TALES] for name, kind in kinds]
        title = "Evidence that arrives within 1,000 tokens, by kind of question"
        found["recall.svg"] = grouped_bars(title, groups, series)
        title = "Evidence that arrives, by budget, on the sourcebook"
        series = [Series(way, [arms[BOOK].kinds[EVERY][one].estimate for one in RECALLS]) for way, arms in ways]
        found["budget.svg"] = lines(title, BUDGETS, series, "tokens")
    if {BOOK, TALES} <= numbers.ablation.keys():
        rows = [
            Difference(names, [_difference(numbers.ablation[one], names, metric) for one, metric, _ in _COSTS])
            for names in _stages(numbers.ablation)
        ]
        title = "What each stage is worth: the change when it is switched off"
        found["stages.svg"] = differences(title, [heading for _, _, heading in _COSTS], rows)
    return found


def _ways(*measured: Mapping[str, SetResult]) -> list[tuple[str, dict[str, ArmResult]]]:
    """Ours, then each way of others (an arm's name up to its comma), by its best variant on each set that it was
    measured on."""
    ways: dict[str, dict[str, ArmResult]] = {OURS: {name: one.ours for name, one in measured[0].items()}}
    for results in measured:
        for way in reversed(dict.fromkeys(_way(arm) for result in results.values() for arm in result.others)):
            ways[way] = {
                name: max(variants, key=lambda arm: arm.value(EVERY, MAIN))
                for name, result in results.items()
                if (variants := [arm for arm in result.others if _way(arm) == way])
            }
    return list(ways.items())


def _way(arm: ArmResult) -> str:
    return arm.arm.partition(",")[0]


def _main(numbers: Numbers) -> str:
    """Ours, others' ways and the real peers on both sets; a dash where one was not measured."""
    book = HEADLINES[BOOK]
    head = ["", "arrives in 1,000 tokens", "ours brings", *(heading for _, _, heading in book)]
    head += ["tales: arrives", "ours brings", "MRR"]
    rows = []
    for way, arms in _ways(numbers.quality, numbers.peers_quality):
        row = [
            way,
            *_on(numbers.quality[BOOK], arms.get(BOOK), book),
            *_on(numbers.quality[TALES], arms.get(TALES), [(EVERY, "MRR", "MRR")]),
        ]
        rows.append([f"**{cell}**" if way == OURS and cell else cell for cell in row])
    return _table(head, rows)


def _on(result: SetResult, arm: ArmResult | None, headlines: Sequence[tuple[str, str, str]]) -> list[str]:
    """An arm's cells of the main table on one set."""
    if arm is None:
        return ["–"] * (2 + len(headlines))
    heads = [_headline(result, arm, kind, metric) for kind, metric, _ in headlines]
    return [_share(arm.value(EVERY, MAIN)), _ratio(result, arm), *heads]


def _ratio(result: SetResult, arm: ArmResult, kind: str = EVERY) -> str:
    return "" if arm.arm == OURS else ratio_said(ratio_to(result, arm, kind, MAIN))


def _headline(result: SetResult, arm: ArmResult, kind: str, metric: str) -> str:
    """MRR as it is; a share as a count of the questions."""
    value = arm.value(kind, metric)
    count = result.questions[kind]
    return _two(value) if metric == "MRR" else f"{round(value * count)}/{count}"


def _ratios(quality: Mapping[str, SetResult]) -> str:
    book, tales = quality[BOOK], quality[TALES]
    kinds = kinds_of(book)
    rows = [
        [arm.arm, arm.what, *(_ratio(book, arm, kind) for kind in kinds), _ratio(tales, tales.arm(arm.arm))]
        for arm in book.others
    ]
    return _table(["arm", "what it is", *(_KINDS[kind] for kind in kinds), _KINDS[TALES]], rows)


def _figures(name: str, result: SetResult) -> str:
    """Every arm: headlines, then recalls with their intervals."""
    head = ["arm", *(heading for _, _, heading in HEADLINES[name]), *(f"≤ {budget:,} tokens" for budget in BUDGETS)]
    rows = []
    for arm in result.arms:
        heads = [
            _headline(result, arm, kind, metric) if kind != EVERY else _interval(arm.kinds[kind][metric].estimate)
            for kind, metric, _ in HEADLINES[name]
        ]
        rows.append([arm.arm, *heads, *(_interval(arm.kinds[EVERY][metric].estimate) for metric in RECALLS)])
    return _table(head, rows)


def _by_kind(result: SetResult) -> str:
    kinds = [kind for kind in kinds_of(result) if kind != EVERY]
    rows = [[arm.arm, *(_interval(arm.kinds[kind][MAIN].estimate) for kind in kinds)] for arm in result.arms]
    return _table(["arm", *(f"{_KINDS[kind]} ({result.questions[kind]})" for kind in kinds)], rows)


def _behind(numbers: Numbers) -> str:
    """Each figure of the tables in which another arm is ahead of ours."""
    found = []
    for name, result in (*numbers.quality.items(), *numbers.peers_quality.items()):
        shown = [(kind, MAIN) for kind in kinds_of(result)]
        shown += [(EVERY, metric) for metric in RECALLS if metric != MAIN]
        shown += [(kind, metric) for kind, metric, _ in HEADLINES[name]]
        for kind, metric in dict.fromkeys(shown):
            ahead = [arm for arm in result.others if arm.value(kind, metric) > result.ours.value(kind, metric)]
            for arm in sorted(ahead, key=lambda one: -one.value(kind, metric)):
                difference = arm.kinds[kind][metric].difference
                by = f", ahead by {_signed(difference)}" if difference else ""
                ours, theirs = _two(result.ours.value(kind, metric)), _two(arm.value(kind, metric))
                found.append(f"- {name}, {_KINDS[kind]}, {_metric(metric)}: {arm.arm} {theirs}, ours {ours}{by}")
    return "\n".join(found or ["Nowhere in these tables."]) + "\n"


def _metric(metric: str) -> str:
    return f"evidence within {int(metric.partition('@')[2]):,} tokens" if metric in RECALLS else metric


def _stages(ablation: Mapping[str, SetResult]) -> list[str]:
    """The stages that were measured on both sets."""
    known = {arm.arm for arm in ablation[TALES].others}
    return [arm.arm for arm in ablation[BOOK].others if arm.arm in known]


def _difference(result: SetResult, name: str, metric: str, kind: str = EVERY) -> Estimate:
    found = result.arm(name).kinds[kind][metric].difference
    if found is None:
        raise ValueError(f"{name} was compared with nothing")
    return found


def _ablation(ablation: Mapping[str, SetResult]) -> str:
    rows = []
    for name in _stages(ablation):
        costs = [_cost(_difference(ablation[one], name, metric)) for one, metric, _ in _COSTS]
        rows.append([name, ablation[BOOK].arm(name).what, *costs])
    return _table(["without", "that is", *(heading for _, _, heading in _COSTS)], rows)


def _cost(difference: Estimate) -> str:
    said = _signed(difference)
    return f"**{said}**" if is_sure(difference.low, difference.high) else said


def _counts(result: SetResult) -> str:
    """What each stage costs in questions, where the headlines count questions; what ships in its first row."""
    heads = [one for one in HEADLINES[BOOK] if one[1] != "MRR"]
    rows = [[f"**{OURS}**", *(_headline(result, result.ours, kind, metric) for kind, metric, _ in heads)]]
    for arm in result.others:
        moved = [round((arm.value(k, m) - result.ours.value(k, m)) * result.questions[k]) for k, m, _ in heads]
        rows.append([arm.arm, *(f"{one:+d}".replace("-", "−") if one else "·" for one in moved)])
    return _table(["without", *(heading for _, _, heading in heads)], rows)


def _speed(rows: Sequence[Row]) -> str:
    """Ours at each size, by each way of searching vectors."""
    head = ["vectors", "search", *(heading for _, heading in _SPEED)]
    return _table(head, [[f"{row['size']:,}", str(row["arm"]), *_times(row)] for row in rows])


def _commands(rows: Sequence[Row]) -> str:
    """Whole commands, as they were told."""
    names = ("what", "ratio", "measured", "aim")
    return _table(names, [[str(row[name]) for name in names] for row in rows])


def _peers(rows: Sequence[Row]) -> str:
    """Each size: how many times as long each takes as ours on the same questions, then the figures."""
    head = ["vectors", "arm", "takes", *(heading for _, heading in _SPEED)]
    found = []
    for row in sorted(rows, key=lambda row: (row["size"], row.get("times_ours") or math.inf)):
        ratio = row.get("times_ours")
        found.append([f"{row['size']:,}", _peer(row), f"{ratio:.1f} ×" if ratio else "–", *_times(row)])
    return _table(head, found)


def _peer(row: Row) -> str:
    return str(row["arm"]).replace("ours", OURS)


def _times(row: Row) -> list[str]:
    return [_figure(row.get(key)) for key, _ in _SPEED]


def _figure(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    written = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in written)


def _interval(estimate: Estimate) -> str:
    return f"{_two(estimate.value)} ({_two(estimate.low)}–{_two(estimate.high)})"


def _signed(difference: Estimate) -> str:
    return f"{_plus(difference.value)} ({_plus(difference.low)} to {_plus(difference.high)})"


def _plus(number: float) -> str:
    said = f"{abs(number):.3f}".lstrip("0")
    return f"−{said}" if number < 0 else f"+{said}" if number > 0 else "0"


def _two(number: float) -> str:
    return f"{number:.2f}".removeprefix("0") if number < 1 else "1.00"


def _share(number: float) -> str:
    return f"{number:.0%}"
