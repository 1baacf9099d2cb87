"""Results -> the blocks of the pages of benchmarks, each a piece of markdown by name, and the plots by their file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import across_blocks
import speed_blocks
from bench_cells import interval, signed, table, two
from bench_plots import Difference, Series, differences, grouped_bars, lines
from measures import BUDGETS, EVERY
from quality_tables import MAIN, RECALLS, headlines, kinds_of, ratio_said, ratio_to
from results import OURS, ArmResult, SetResult, load, load_rows, load_told

BOOK, RULES, SITE, TALES, OWN_PACKS, BLIND = "eclipse-phase", "dnd-srd", "cairn", "tales", "own", "crawl"
_KINDS = {
    "lookup": "look-up",
    "paraphrase": "paraphrase",
    "multihop": "two sections",
    "scene": "scene",
    TALES: "tales",
    "golden": "golden",
    EVERY: "all",
}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Everything that was measured: beside others on each pack, with what was chosen on the rest of them; without
    stages, and without those that are gone; around what ships; ours at each size; the real peers, how fast and how
    well."""

    quality: Mapping[str, SetResult]
    ablation: Mapping[str, SetResult]
    speed: Sequence[speed_blocks.Row]
    peers: Sequence[speed_blocks.Row]
    peers_quality: Mapping[str, SetResult]
    commands: Sequence[speed_blocks.Row]
    embedding: Sequence[speed_blocks.Row]
    removed: Mapping[str, SetResult] = field(default_factory=dict)
    plateau: Mapping[str, SetResult] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)
    blind: Mapping[str, SetResult] = field(default_factory=dict)
    beside: Sequence[speed_blocks.Row] = ()


def read_numbers(folder: Path) -> Numbers:
    """What lies in a folder of results."""
    names = ("across-packs", "stages", "peers-quality", "removed", "plateau", "blind")
    quality, ablation, peers_quality, removed, plateau, blind = (load(name, folder) for name in names)
    speed, peers, commands, embedding, beside = (
        load_rows(name, folder) for name in ("speed", "peers", "commands", "embedding", "beside")
    )
    chosen = load_told("across-packs", folder)
    measured = (quality, ablation, speed, peers, peers_quality, commands, embedding)
    return Numbers(*measured, removed, plateau, chosen, blind, beside)


def blocks_of(numbers: Numbers) -> dict[str, str]:
    """Every block by its name; empty where nothing was measured for it."""
    sets, chosen = numbers.quality, numbers.chosen
    pooled = EVERY in sets
    figures = {
        name: _figures(pack, sets[pack]) if pack in sets else ""
        for name, pack in (("book", BOOK), ("rules", RULES), ("site", SITE), ("tales", TALES), ("own", OWN_PACKS))
    }
    return {
        "main": across_blocks.main_table(sets, _ways(sets)) if pooled else "",
        "aims": across_blocks.aims(sets, numbers.blind.get(BLIND)) if pooled else "",
        "missed": across_blocks.missed(sets, numbers.blind.get(BLIND)) if pooled else "",
        "packs": across_blocks.packs(sets) if pooled else "",
        "choices": across_blocks.choices(chosen["settings"], chosen["ships"]) if chosen else "",
        "ratios": _ratios(sets) if pooled else "",
        "kinds": across_blocks.by_kind(sets, MAIN, lambda kind: _KINDS[kind]) if pooled else "",
        **figures,
        "blind": _figures(BLIND, numbers.blind[BLIND]) if numbers.blind else "",
        "behind": _behind(numbers) if sets else "",
        "ablation": across_blocks.stages(numbers.ablation) if numbers.ablation else "",
        "removed": across_blocks.stages(numbers.removed) if numbers.removed else "",
        "speed": speed_blocks.speed(numbers.speed) if numbers.speed else "",
        "commands": speed_blocks.commands(numbers.commands) if numbers.commands else "",
        "embedding": speed_blocks.embedding(numbers.embedding) if numbers.embedding else "",
        "beside": speed_blocks.beside(numbers.beside) if numbers.beside else "",
        "peers": speed_blocks.peers(numbers.peers) if numbers.peers else "",
        "peers-quality": "\n".join(
            f"On {name}:\n\n{_figures(name, one)}" for name, one in numbers.peers_quality.items()
        ),
    }


def plots_of(numbers: Numbers) -> dict[str, str]:
    """Every plot by its file."""
    found: dict[str, str] = {}
    sets = numbers.quality
    if EVERY in sets:
        ways = _ways(sets)
        kinds = [kind for kind in kinds_of(sets[EVERY]) if kind != EVERY]
        series = [Series(way, [arms[EVERY].kinds[kind][MAIN].estimate for kind in kinds]) for way, arms in ways]
        title = "Evidence that arrives within 1,000 tokens, by kind of question"
        found["recall.svg"] = grouped_bars(title, [_KINDS[kind] for kind in kinds], series)
        title = "Evidence that arrives, by budget, on all packs"
        series = [Series(way, [arms[EVERY].kinds[EVERY][one].estimate for one in RECALLS]) for way, arms in ways]
        found["budget.svg"] = lines(title, BUDGETS, series, "tokens")
    for name, title, results in (
        ("stages.svg", "What each stage is worth: the change when it is switched off", numbers.ablation),
        ("removed.svg", "What was taken out: the change when it was switched off", numbers.removed),
        ("plateau.svg", "Around the numbers that ship: the change with another one", numbers.plateau),
    ):
        if EVERY in results:
            rows = [Difference(arm.arm, across_blocks.moved(arm)) for arm in results[EVERY].others]
            found[name] = differences(title, across_blocks.MOVED, rows)
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


def _headline(result: SetResult, arm: ArmResult, kind: str, metric: str) -> str:
    """MRR as it is; a share as a count of the questions."""
    value = arm.value(kind, metric)
    count = result.questions[kind]
    return two(value) if metric == "MRR" else f"{round(value * count)}/{count}"


def _ratios(sets: Mapping[str, SetResult]) -> str:
    """How many times as much of the evidence ours brings as each arm, by kind, on all packs."""
    pooled = sets[EVERY]
    kinds = kinds_of(pooled)
    rows = [
        [arm.arm, arm.what, *(ratio_said(ratio_to(pooled, arm, kind, MAIN)) for kind in kinds)] for arm in pooled.others
    ]
    return table(["arm", "what it is", *(_KINDS[kind] for kind in kinds)], rows)


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


def _behind(numbers: Numbers) -> str:
    """Each figure of the tables in which another arm is ahead of ours."""
    found = []
    for name, result in numbers.quality.items():
        shown = [(kind, MAIN) for kind in kinds_of(result)]
        shown += [(EVERY, metric) for metric in RECALLS if metric != MAIN]
        shown += [(kind, metric) for kind, metric, _ in headlines(name)]
        for kind, metric in dict.fromkeys(shown):
            ahead = [arm for arm in result.others if arm.value(kind, metric) > result.ours.value(kind, metric)]
            for arm in sorted(ahead, key=lambda one: -one.value(kind, metric)):
                difference = arm.kinds[kind][metric].difference
                by = f", ahead by {signed(difference)}" if difference else ""
                ours, theirs = two(result.ours.value(kind, metric)), two(arm.value(kind, metric))
                where = f"{across_blocks.TOLD[name]}, {_KINDS[kind]}, {_metric(metric)}"
                found.append(f"- {where}: {arm.arm} {theirs}, ours {ours}{by}")
    return "\n".join(found or ["Nowhere in these tables."]) + "\n"


def _metric(metric: str) -> str:
    return f"evidence within {int(metric.partition('@')[2]):,} tokens" if metric in RECALLS else metric
