"""Results -> the blocks of the pages of benchmarks, each a piece of markdown by name, and the plots by their file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import speed_blocks
from bench_cells import interval, share, signed, table, two
from bench_plots import Difference, Series, differences, grouped_bars, lines
from measures import BUDGETS, EVERY, Estimate
from quality_tables import MAIN, RECALLS, headlines, is_sure, kinds_of, ratio_said, ratio_to
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


@dataclass(frozen=True, slots=True)
class Numbers:
    """Everything that was measured: beside others, without stages, ours at each size; and the real peers, how fast and
    how well."""

    quality: Mapping[str, SetResult]
    ablation: Mapping[str, SetResult]
    speed: Sequence[speed_blocks.Row]
    peers: Sequence[speed_blocks.Row]
    peers_quality: Mapping[str, SetResult]
    commands: Sequence[speed_blocks.Row]
    embedding: Sequence[speed_blocks.Row]


def read_numbers(folder: Path) -> Numbers:
    """What lies in a folder of results."""
    quality, ablation, peers_quality = (load(name, folder) for name in ("quality", "ablation", "peers-quality"))
    speed, peers, commands, embedding = (
        load_rows(name, folder) for name in ("speed", "peers", "commands", "embedding")
    )
    return Numbers(quality, ablation, speed, peers, peers_quality, commands, embedding)


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
        "ablation": _ablation(numbers.ablation) if numbers.ablation else "",
        "counts": _counts(numbers.ablation[BOOK]) if BOOK in numbers.ablation else "",
        "speed": speed_blocks.speed(numbers.speed) if numbers.speed else "",
        "commands": speed_blocks.commands(numbers.commands) if numbers.commands else "",
        "embedding": speed_blocks.embedding(numbers.embedding) if numbers.embedding else "",
        "peers": speed_blocks.peers(numbers.peers) if numbers.peers else "",
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
    if ablation := numbers.ablation:
        costs = _costs(ablation)
        rows = [
            Difference(stage, [_difference(ablation[name], stage, metric) for name, metric, _ in costs])
            for stage in _stages(ablation)
        ]
        title = "What each stage is worth: the change when it is switched off"
        found["stages.svg"] = differences(title, [heading for _, _, heading in costs], rows)
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
    book = headlines(BOOK)
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
    return table(head, rows)


def _on(result: SetResult, arm: ArmResult | None, headlines: Sequence[tuple[str, str, str]]) -> list[str]:
    """An arm's cells of the main table on one set."""
    if arm is None:
        return ["–"] * (2 + len(headlines))
    heads = [_headline(result, arm, kind, metric) for kind, metric, _ in headlines]
    return [share(arm.value(EVERY, MAIN)), _ratio(result, arm), *heads]


def _ratio(result: SetResult, arm: ArmResult, kind: str = EVERY) -> str:
    return "" if arm.arm == OURS else ratio_said(ratio_to(result, arm, kind, MAIN))


def _headline(result: SetResult, arm: ArmResult, kind: str, metric: str) -> str:
    """MRR as it is; a share as a count of the questions."""
    value = arm.value(kind, metric)
    count = result.questions[kind]
    return two(value) if metric == "MRR" else f"{round(value * count)}/{count}"


def _ratios(quality: Mapping[str, SetResult]) -> str:
    book, tales = quality[BOOK], quality[TALES]
    kinds = kinds_of(book)
    rows = [
        [arm.arm, arm.what, *(_ratio(book, arm, kind) for kind in kinds), _ratio(tales, tales.arm(arm.arm))]
        for arm in book.others
    ]
    return table(["arm", "what it is", *(_KINDS[kind] for kind in kinds), _KINDS[TALES]], rows)


def _figures(name: str, result: SetResult) -> str:
    """Every arm: headlines, then recalls with their intervals."""
    head = ["arm", *(heading for _, _, heading in headlines(name)), *(f"≤ {budget:,} tokens" for budget in BUDGETS)]
    rows = []
    for arm in result.arms:
        heads = [
            _headline(result, arm, kind, metric) if kind != EVERY else interval(arm.kinds[kind][metric].estimate)
            for kind, metric, _ in headlines(name)
        ]
        rows.append([arm.arm, *heads, *(interval(arm.kinds[EVERY][metric].estimate) for metric in RECALLS)])
    return table(head, rows)


def _by_kind(result: SetResult) -> str:
    kinds = [kind for kind in kinds_of(result) if kind != EVERY]
    rows = [[arm.arm, *(interval(arm.kinds[kind][MAIN].estimate) for kind in kinds)] for arm in result.arms]
    return table(["arm", *(f"{_KINDS[kind]} ({result.questions[kind]})" for kind in kinds)], rows)


def _behind(numbers: Numbers) -> str:
    """Each figure of the tables in which another arm is ahead of ours."""
    found = []
    for name, result in (*numbers.quality.items(), *numbers.peers_quality.items()):
        shown = [(kind, MAIN) for kind in kinds_of(result)]
        shown += [(EVERY, metric) for metric in RECALLS if metric != MAIN]
        shown += [(kind, metric) for kind, metric, _ in headlines(name)]
        for kind, metric in dict.fromkeys(shown):
            ahead = [arm for arm in result.others if arm.value(kind, metric) > result.ours.value(kind, metric)]
            for arm in sorted(ahead, key=lambda one: -one.value(kind, metric)):
                difference = arm.kinds[kind][metric].difference
                by = f", ahead by {signed(difference)}" if difference else ""
                ours, theirs = two(result.ours.value(kind, metric)), two(arm.value(kind, metric))
                found.append(f"- {name}, {_KINDS[kind]}, {_metric(metric)}: {arm.arm} {theirs}, ours {ours}{by}")
    return "\n".join(found or ["Nowhere in these tables."]) + "\n"


def _metric(metric: str) -> str:
    return f"evidence within {int(metric.partition('@')[2]):,} tokens" if metric in RECALLS else metric


def _costs(ablation: Mapping[str, SetResult]) -> list[tuple[str, str, str]]:
    """What the cost of a stage is told by, on the sets that were measured."""
    return [one for one in _COSTS if one[0] in ablation]


def _stages(ablation: Mapping[str, SetResult]) -> dict[str, str]:
    """The stages that were measured on every set, and what each is."""
    first, *rest = ablation.values()
    return {arm.arm: arm.what for arm in first.others if all(arm.arm in {a.arm for a in one.others} for one in rest)}


def _difference(result: SetResult, name: str, metric: str, kind: str = EVERY) -> Estimate:
    found = result.arm(name).kinds[kind][metric].difference
    if found is None:
        raise ValueError(f"{name} was compared with nothing")
    return found


def _ablation(ablation: Mapping[str, SetResult]) -> str:
    costs = _costs(ablation)
    rows = [
        [stage, what, *(_cost(_difference(ablation[name], stage, metric)) for name, metric, _ in costs)]
        for stage, what in _stages(ablation).items()
    ]
    return table(["without", "that is", *(heading for _, _, heading in costs)], rows)


def _cost(difference: Estimate) -> str:
    said = signed(difference)
    return f"**{said}**" if is_sure(difference.low, difference.high) else said


def _counts(result: SetResult) -> str:
    """What each stage costs in questions, where the headlines count questions; what ships in its first row."""
    heads = [one for one in headlines(BOOK) if one[1] != "MRR"]
    rows = [[f"**{OURS}**", *(_headline(result, result.ours, kind, metric) for kind, metric, _ in heads)]]
    for arm in result.others:
        moved = [round((arm.value(k, m) - result.ours.value(k, m)) * result.questions[k]) for k, m, _ in heads]
        rows.append([arm.arm, *(f"{one:+d}".replace("-", "−") if one else "·" for one in moved)])
    return table(["without", *(heading for _, _, heading in heads)], rows)
