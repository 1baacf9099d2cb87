"""What was chosen on all packs but one, and measured on that one -> the blocks of the page that tell of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench_cells import interval, share, signed, table, two
from measures import EVERY, Estimate
from quality_tables import MAIN, headlines, is_sure
from results import OURS, ArmResult, SetResult

# Pools of packs: those on which people wrote questions of the four kinds, and those of fewer than ninety questions.
WRITTEN, SMALL = "written", "small"
TOLD = {
    "eclipse-phase": "sourcebook",
    "dnd-srd": "rules",
    "cairn": "site",
    "tales": "tales",
    "own": "our own",
    SMALL: "site and our own",
    WRITTEN: "sourcebook, rules, site",
    EVERY: "all",
}
_NUMBERS = {
    "PRECISE_VECTOR_WEIGHT": "meaning, precise words",
    "FREE_VECTOR_WEIGHT": "meaning, others",
    "NAME_WEIGHT": "name",
    "LENGTH_DISCOUNT": "discount for length",
    "COVERAGE_POWER": "power of coverage",
    "LOOKED_AT": "sections looked at again",
    "NAMED_PLACES": "places for what they name",
}

Sets = Mapping[str, SetResult]


@dataclass(frozen=True, slots=True)
class Aim:
    """A ratio to another arm that was to be reached, on a pool of packs: to the best of all, or of those so called."""

    what: str
    pool: str
    kind: str
    metric: str
    least: float
    against: str = ""


AIMS = (
    Aim("evidence within 1,000 tokens, all questions", EVERY, EVERY, MAIN, 1.10),
    Aim("evidence within 1,000 tokens, questions of four kinds", WRITTEN, EVERY, MAIN, 1.10),
    Aim("evidence within 1,000 tokens, sourcebook", "eclipse-phase", EVERY, MAIN, 1.0),
    Aim("evidence within 1,000 tokens, rules", "dnd-srd", EVERY, MAIN, 1.0),
    Aim("evidence within 1,000 tokens, tales", "tales", EVERY, MAIN, 1.0),
    Aim("evidence within 1,000 tokens, site and our own", SMALL, EVERY, MAIN, 1.0),
    Aim("both of two sections in ten", WRITTEN, "multihop", "all@10", 1.25, "plain RRF"),
    Aim("paraphrase in ten", WRITTEN, "paraphrase", "any@10", 1.15, "plain RRF"),
    Aim("all of a scene in ten", WRITTEN, "scene", "all@10", 1.0, "plain RRF"),
    Aim("MRR, questions of four kinds", WRITTEN, EVERY, "MRR", 1.10),
    Aim("MRR, all questions", EVERY, EVERY, "MRR", 1.10),
)
# A look-up is to be answered first so often, whatever others do.
_LOOK_UP = 0.95


def aims(sets: Sets, blind: SetResult | None = None) -> str:
    """Every aim, those that were missed first."""
    told = [*([_blind(blind)] if blind else []), *(_aim(sets, aim) for aim in AIMS), _look_up(sets)]
    return "".join(f"- {line}\n" for met in (False, True) for was_met, line in told if was_met == met)


def missed(sets: Sets, blind: SetResult | None = None) -> str:
    """The aims that were missed, and how many were reached, as a paragraph."""
    told = aims(sets, blind).splitlines()
    missed = [line.removeprefix("- **missed**: ") for line in told if line.startswith("- **missed**")]
    head = f"**Missed**: {'. '.join(missed)}. " if missed else ""
    return f"{head}Reached: {len(told) - len(missed)} of {len(told)}.\n"


def _blind(result: SetResult) -> tuple[bool, str]:
    """Whether ours was ahead of every arm on the pack that nobody had read."""
    other = best_of(result, EVERY, MAIN)
    ours, theirs = result.ours.value(EVERY, MAIN), other.value(EVERY, MAIN)
    met = ours > theirs
    told = f"{times(other.ratios[EVERY][MAIN])}; ours {two(ours)}, theirs {two(theirs)}"
    where = "evidence within 1,000 tokens, a pack that nobody had read"
    return met, f"{'met' if met else '**missed**'}: {where}, > 1 × {other.arm}: {told}"


def _aim(sets: Sets, aim: Aim) -> tuple[bool, str]:
    result = sets[aim.pool]
    other = best_of(result, aim.kind, aim.metric, aim.against)
    ratio = other.ratios[aim.kind][aim.metric]
    met = ratio.value >= aim.least
    ours, theirs = result.ours.value(aim.kind, aim.metric), other.value(aim.kind, aim.metric)
    head = "met" if met else "**missed**"
    told = f"{ratio.value:.4f} × ({ratio.low:.3f}–{ratio.high:.3f})"
    line = f"{head}: {aim.what}, ≥ {aim.least:.2f} × {other.arm}: {told}; ours {two(ours)}, theirs {two(theirs)}"
    return met, line


def _look_up(sets: Sets) -> tuple[bool, str]:
    found = sets[WRITTEN].ours.kinds["lookup"]["any@1"].estimate
    met = found.value >= _LOOK_UP
    return met, f"{'met' if met else '**missed**'}: look-up first, ≥ {two(_LOOK_UP)}: {interval(found)}"


def best_of(result: SetResult, kind: str, metric: str, named: str = "") -> ArmResult:
    """The other arm that has most of a metric, among those whose name begins so."""
    return max((arm for arm in result.others if arm.arm.startswith(named)), key=lambda arm: arm.value(kind, metric))


def times(ratio: Estimate) -> str:
    """A ratio with its interval."""
    return f"{ratio.value:.2f} × ({ratio.low:.2f}–{ratio.high:.2f})"


def main_table(sets: Sets, ways: Sequence[tuple[str, Mapping[str, ArmResult]]]) -> str:
    """Ours and others' ways, each by its best variant."""
    kinds = headlines(WRITTEN)[:-1]
    count = sets[WRITTEN].questions
    head = ["", "arrives in 1,000 tokens", "ours brings", *(heading for _, _, heading in kinds), "MRR"]
    rows = []
    for way, arms in ways:
        pooled, written = arms[EVERY], arms[WRITTEN]
        counts = [f"{round(written.value(kind, metric) * count[kind])}/{count[kind]}" for kind, metric, _ in kinds]
        brings = times(pooled.ratios[EVERY][MAIN]) if pooled.ratios else ""
        row = [way, share(pooled.value(EVERY, MAIN)), brings, *counts, two(pooled.value(EVERY, "MRR"))]
        rows.append([f"**{cell}**" if way == OURS and cell else cell for cell in row])
    return table(head, rows)


def packs(sets: Sets) -> str:
    """Each pack, and all: ours beside the best of the others."""
    head = [
        "pack",
        "questions",
        "arrives in 1,000 tokens",
        "best other",
        "ours brings",
        "MRR",
        "best other",
        "ours has",
    ]
    rows = []
    for name, result in sets.items():
        cells = [TOLD.get(name, name), f"{result.questions[EVERY]:,}"]
        for metric in (MAIN, "MRR"):
            other = best_of(result, EVERY, metric)
            estimate = result.ours.kinds[EVERY][metric].estimate
            ratio = other.ratios[EVERY][metric]
            cells += [interval(estimate), f"{other.arm} {two(other.value(EVERY, metric))}", times(ratio)]
        rows.append(cells)
    return table(head, rows)


def choices(settings: Mapping[str, Mapping[str, Any]], shipped: Mapping[str, Any]) -> str:
    """What was chosen without each pack, and what ships."""
    rows = [[f"all but {TOLD.get(name, name)}", *_chosen(setting)] for name, setting in settings.items()]
    return table(["chosen on", *_NUMBERS.values()], [*rows, ["**what ships**", *_chosen(shipped)]])


def _chosen(setting: Mapping[str, Any]) -> list[str]:
    return [two(setting[name]) if setting[name] < 1 else "1" for name in _NUMBERS]


# What a plot of stages tells of each.
MOVED = ("evidence within 1,000 tokens", "MRR")


def moved(arm: ArmResult) -> list[Estimate]:
    """By how much an arm lies above ours in each of MOVED."""
    return [_difference(arm, metric) for metric in (MAIN, "MRR")]


def stages(sets: Sets) -> str:
    """Ours without each stage, or with another number: on all packs with intervals, on each pack the value alone."""
    pooled = sets[EVERY]
    each = [name for name in sets if name not in (EVERY, WRITTEN, SMALL)]
    head = ["without", "that is", "arrives, all packs", "MRR, all packs", *(f"arrives, {TOLD[name]}" for name in each)]
    rows = []
    for arm in pooled.others:
        both = [_cost(_difference(arm, metric)) for metric in (MAIN, "MRR")]
        own = [_plain(_difference(sets[name].arm(arm.arm), MAIN)) for name in each]
        rows.append([arm.arm, arm.what, *both, *own])
    return table(head, rows)


def _difference(arm: ArmResult, metric: str) -> Estimate:
    found = arm.kinds[EVERY][metric].difference
    if found is None:
        raise ValueError(f"{arm.arm} was compared with nothing")
    return found


def _cost(difference: Estimate) -> str:
    said = signed(difference)
    return f"**{said}**" if is_sure(difference.low, difference.high) else said


def _plain(difference: Estimate) -> str:
    said = signed(difference).partition(" ")[0]
    return f"**{said}**" if is_sure(difference.low, difference.high) else said


def by_kind(sets: Sets, metric: str, said: Callable[[str], str]) -> str:
    """Of every arm what it has of a metric, by the kind of question, on the packs with questions of the four kinds."""
    result = sets[WRITTEN]
    kinds = [kind for kind in result.questions if kind != EVERY]
    rows = [[arm.arm, *(interval(arm.kinds[kind][metric].estimate) for kind in kinds)] for arm in result.arms]
    return table(["arm", *(f"{said(kind)} ({result.questions[kind]})" for kind in kinds)], rows)
