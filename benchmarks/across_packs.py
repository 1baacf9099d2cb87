"""Settings and stages of the ranking, each chosen on all packs but one and measured on that one.

    python benchmarks/across_packs.py                    choose, measure beside others, write across-packs.json
    python benchmarks/across_packs.py --only stages      what each stage is worth on every pack, stages.json
    python benchmarks/across_packs.py --only plateau     what the objective is around what ships, plateau.json
    python benchmarks/across_packs.py --only blind       what ships, and others, on a pack that nobody read, blind.json

A pack is left out; every number in CHOICES is chosen, one after the other, by what the questions of all other packs
say; then the questions of the pack that was left out are asked. So no question that is told of had a part in the choice
of what answers it. What a setting scores on a pack is kept in `indexes/benchmarks/scores/` until retrieval's source or
the questions change.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import lorewright.index.keywords
import lorewright.retrieval
from ablation import ABLATION, Row, homes_of, ranked_with
from across_blocks import SMALL, WRITTEN
from lorewright.index.generation import Generation
from lorewright.retrieval.filters import named_entities
from lorewright.retrieval.lanes import VisibleLore, keyword_lane, vector_lane
from measures import EVERY, METRICS, Question, Scores, ratios, scores_on, summarised
from other_arms import OtherArm, answering, other_arms
from our_arm import ours
from quality_tables import tables
from question_sets import BLIND, BOOK, KEPT, OWN, RULES, SITE, TALES, QuestionSet, Tell, has_blind, question_set
from results import OURS, RESULTS, ArmResult, SetResult, counted, save
from shown_run import Shown, shown_on

# The packs, each the sets of questions on it: our own four are one, for their golden queries are few.
PACKS: Mapping[str, Sequence[str]] = {BOOK: (BOOK,), RULES: (RULES,), SITE: (SITE,), TALES: (TALES,), "own": OWN}

# Every number that is chosen, and among which: retrieval's names. What ships is in the middle of a plateau.
CHOICES: Mapping[str, Sequence[float]] = {
    "PRECISE_VECTOR_WEIGHT": (0.2, 0.25, 0.3, 0.35, 0.4, 0.5),
    "FREE_VECTOR_WEIGHT": (0.5, 0.6, 0.65, 0.7, 0.75, 0.85),
    "NAME_WEIGHT": (0.0, 0.1, 0.15, 0.2, 0.3),
    "LENGTH_DISCOUNT": (0.0, 0.01, 0.02, 0.03, 0.04),
    "COVERAGE_POWER": (0.0, 0.25, 0.5, 0.75, 1.0),
    "LOOKED_AT": (1, 2, 3),
    "NAMED_PLACES": (0, 1, 2, 3),
}

# Pools of packs: those on which people wrote questions of the four kinds, and those of few questions.
_POOLS: Mapping[str, Sequence[str]] = {SMALL: (SITE, "own"), WRITTEN: (BOOK, RULES, SITE), EVERY: tuple(PACKS)}

# A pack's say in a choice grows with its questions up to so many: the tales alone have a thousand.
_MOST_SAY = 200
# Of the tales each so-many-th question has a say, for all of them would take most of the time.
_EVERY_TALE = 4
_ROUNDS = 3
# A number moves only if that gains so much: on a plateau it stays where it was.
_LEAST_GAIN = 0.001

# What a question's kind is judged by, besides evidence and MRR.
HEADLINE = {
    "lookup": "any@1",
    "paraphrase": "any@10",
    "multihop": "all@10",
    "scene": "all@10",
    "tales": "any@10",
    "golden": "any@10",
}

Setting = Mapping[str, Any]


class Opened:
    """The sets of questions and the arms, opened once in each of the two processes."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._sets: dict[str, QuestionSet] = {}
        self._others: dict[str, list[OtherArm]] = {}
        searches = {"keyword_lane": keyword_lane, "vector_lane": vector_lane, "named_entities": named_entities}
        self._searches = {name: _remembering(search) for name, search in searches.items()}

    def set(self, name: str) -> QuestionSet:
        """A set by its name."""
        if name not in self._sets:
            self._sets[name] = question_set(name, self._tell)
        return self._sets[name]

    def others(self, name: str) -> list[OtherArm]:
        """Every other arm on a set."""
        if name not in self._others:
            self._others[name] = other_arms(self.set(name), self._tell)
        return self._others[name]

    def ask_ours(self, name: str, asked: slice, *, setting: Setting) -> Scores:
        """What ours scores on some questions of a set with a setting: it changes what is made of what was found, not
        what is found, unless it sets a search itself."""
        with ranked_with(**{**self._searches, **setting}):
            return scores_on(self.set(name).questions[asked], ours(self.set(name).generation))

    def ask_other(self, name: str, asked: slice, *, place: int) -> Scores:
        """What another arm, by its place, scores on some questions of a set."""
        return scores_on(self.set(name).questions[asked], answering(self.set(name), self.others(name)[place].rank))


class Asked:
    """What each setting, and each other arm, scores on the sets of questions."""

    def __init__(self, shown: Shown, second: Executor) -> None:
        """`second` is one other process: it asks every other question."""
        self._shown = shown
        self._second = second
        self._opened = Opened(shown.tell)
        self._source = _source()

    def questions(self, pack: str, *, every: int = 1) -> list[Question]:
        """The questions on a pack; of each set each `every`-th."""
        return [question for name in _sets_of(pack) for question in self._opened.set(name).questions[::every]]

    def scores(self, pack: str, setting: Setting, *, every: int = 1, called: str = "") -> Scores:
        """What ours scores on a pack with a setting: (questions, METRICS); of each set each `every`-th question.
        Settings that are not numbers have a name."""
        arm = called or _written(setting)
        kept = [self._kept(name, every, arm, self._source, "ask_ours", {"setting": setting}) for name in _sets_of(pack)]
        return np.concatenate(kept)

    def others(self, pack: str) -> list[tuple[str, str, Scores]]:
        """Every other arm on a pack: its name, what it is, and what it scores."""
        found: dict[str, tuple[str, list[Scores]]] = {}
        for name in _sets_of(pack):
            for place, arm in enumerate(self._opened.others(name)):
                told = self._kept(name, 1, arm.name, "", "ask_other", {"place": place})
                found.setdefault(arm.name, (arm.what, []))[1].append(told)
        return [(name, what, np.concatenate(scores)) for name, (what, scores) in found.items()]

    def _kept(self, name: str, every: int, arm: str, source: str, ask: str, given: Setting) -> Scores:
        """What an arm scores on each `every`-th question of a set, from the disk where it was asked before; else asked
        by a method of `Opened`."""
        questions = self._opened.set(name).questions[::every]
        told = json.dumps([arm, source, repr(questions)])
        path = KEPT / "scores" / f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:16]}.npy"
        if not path.is_file():
            self._shown.begin(f"{name}: {arm}")
            scores = np.empty((len(questions), len(METRICS)))
            other_half = self._second.submit(_ask_second, ask, name, slice(every, None, 2 * every), given)
            scores[::2] = getattr(self._opened, ask)(name, slice(0, None, 2 * every), **given)
            scores[1::2] = other_half.result()
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, scores)
        return np.asarray(np.load(path))

    def worth(self, pack: str, setting: Setting) -> float:
        """What a setting is worth on a pack: the mean over questions of evidence within 1,000 tokens, MRR and the
        headline of each one's kind."""
        kinds = [question.kind for question in self.questions(pack, every=_every(pack))]
        return float(objective(kinds, self.scores(pack, setting, every=_every(pack))).mean())

    def worth_on(self, packs: Iterable[str], setting: Setting) -> float:
        """The same over packs."""
        says = {pack: min(len(self.questions(pack)), _MOST_SAY) for pack in packs}
        return sum(say * self.worth(pack, setting) for pack, say in says.items()) / sum(says.values())


def _sets_of(pack: str) -> Sequence[str]:
    return PACKS.get(pack, (pack,))


# What the second process has opened.
_SECOND: list[Opened] = []


def _ask_second(ask: str, name: str, asked: slice, given: Setting) -> Scores:
    if not _SECOND:
        _SECOND.append(Opened(lambda what: None))
    return np.asarray(getattr(_SECOND[0], ask)(name, asked, **given))


def _remembering(search: Callable[..., Any]) -> Callable[..., Any]:
    """A search that looks for the same words in the same packs once."""
    kept: dict[tuple[str, tuple[int, ...]], Any] = {}

    def found(text: str, lore: VisibleLore | Sequence[Generation], **rest: Any) -> Any:
        key = (text, tuple(map(id, lore.generations if isinstance(lore, VisibleLore) else lore)))
        if key not in kept:
            kept[key] = search(text, lore, **rest)
        return kept[key]

    return found


def objective(kinds: Sequence[str], scores: Scores) -> Scores:
    """What each question is worth, 0..1."""
    at = {metric: place for place, metric in enumerate(METRICS)}
    headlines = [scores[row, at[HEADLINE[kind]]] for row, kind in enumerate(kinds)]
    return (scores[:, at["recall@1000"]] + scores[:, at["MRR"]] + np.array(headlines)) / 3


def shipped() -> dict[str, float]:
    """The numbers in CHOICES as they ship."""
    return {name: getattr(homes_of(name)[0], name) for name in CHOICES}


def choose(worth: Callable[[Setting], float], start: Setting) -> dict[str, Any]:
    """The best setting: each number in turn the best of its values, until none moves."""
    best, most = dict(start), worth(start)
    for _ in range(_ROUNDS):
        before = dict(best)
        for name, values in CHOICES.items():
            found = {value: worth({**best, name: value}) for value in values if value != best[name]}
            value = max(found, key=lambda one: found[one])
            if found[value] > most + _LEAST_GAIN:
                best[name], most = value, found[value]
        if best == before:
            break
    return best


# Where each choice begins: in the middle of what may be chosen, whatever ships.
START = {name: values[len(values) // 2] for name, values in CHOICES.items()}


def _written(setting: Setting) -> str:
    return " ".join(f"{name.lower()}={value}" for name, value in setting.items()) or "as it ships"


def _source() -> str:
    """Changes where retrieval, or how it is asked and measured, does."""
    names = [f"lorewright.retrieval.{one.name}" for one in pkgutil.iter_modules(lorewright.retrieval.__path__)]
    modules = [*map(import_module, names), lorewright.index.keywords, *map(import_module, ("measures", "our_arm"))]
    text = "\n".join(map(inspect.getsource, modules))
    # A setting says what the numbers are.
    for name in CHOICES:
        text = re.sub(rf"^{name} = .*$", name, text, flags=re.MULTILINE)
    return hashlib.sha256(text.encode()).hexdigest()


def compare_stages(asked: Asked, rows: Sequence[Row], packs: Sequence[str]) -> dict[str, SetResult]:
    """Pack (and all of them) -> ours, then ours without each stage, at the numbers that ship; of the tales a part."""
    questions = {pack: asked.questions(pack, every=_every(pack)) for pack in packs}
    arms = []
    for row in (Row(OURS, "as it ships", {}), *rows):
        numbers = all(isinstance(value, int | float) for value in row.sets.values())
        called = "" if numbers else f"{row.name}: {_written(shipped())}"
        setting = {**shipped(), **row.sets}
        found = {pack: asked.scores(pack, setting, every=_every(pack), called=called) for pack in packs}
        arms.append((row.name, row.what, found))
    return _summed(questions, arms)


def ask_blind(asked: Asked) -> dict[str, SetResult]:
    """What ships, then every other arm, on the pack that had no part in any choice."""
    questions = asked.questions(BLIND)
    base = asked.scores(BLIND, shipped())
    results = [ArmResult(OURS, "as it ships", summarised(questions, base))]
    for name, what, theirs in asked.others(BLIND):
        results.append(ArmResult(name, what, summarised(questions, theirs, base), ratios(questions, base, theirs)))
    return {BLIND: SetResult(counted(questions), results)}


def _every(pack: str) -> int:
    """Each so-many-th question of a pack has a say."""
    return _EVERY_TALE if pack == TALES else 1


def leave_one_out(asked: Asked, packs: Sequence[str], tell: Tell) -> tuple[dict[str, Setting], dict[str, SetResult]]:
    """Pack -> the setting that was chosen on the others; and pack (and all of them) -> ours so set, then other arms."""
    settings: dict[str, Setting] = {}
    for pack in packs:
        others = [other for other in PACKS if other != pack]
        settings[pack] = choose(lambda setting, others=others: asked.worth_on(others, setting), START)
        tell(f"without {pack}: {_written(settings[pack])}")
    ours_found = {pack: asked.scores(pack, settings[pack]) for pack in packs}
    arms = [(OURS, "chosen on the other packs", ours_found)]
    others_found: dict[str, tuple[str, dict[str, Scores]]] = {}
    for pack in packs:
        for name, what, scores in asked.others(pack):
            others_found.setdefault(name, (what, {}))[1][pack] = scores
    arms += [(name, what, found) for name, (what, found) in others_found.items()]
    return settings, _summed({pack: asked.questions(pack) for pack in packs}, arms)


def _summed(
    questions: Mapping[str, Sequence[Question]], arms: Sequence[tuple[str, str, Mapping[str, Scores]]]
) -> dict[str, SetResult]:
    """Every pack and every pool of packs."""
    found = {}
    for pool, packs in {**{pack: (pack,) for pack in questions}, **_POOLS}.items():
        if not set(packs) <= questions.keys():
            continue
        of_pool = [question for pack in packs for question in questions[pack]]
        base = np.concatenate([arms[0][2][pack] for pack in packs])
        results = [ArmResult(arms[0][0], arms[0][1], summarised(of_pool, base))]
        for name, what, scores in arms[1:]:
            theirs = np.concatenate([scores[pack] for pack in packs])
            results.append(ArmResult(name, what, summarised(of_pool, theirs, base), ratios(of_pool, base, theirs)))
        found[pool] = SetResult(counted(of_pool), results)
    return found


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("choice", "stages", "plateau", "blind"), help="one of the parts")
    parser.add_argument("--pack", action="append", choices=PACKS, help="one of the packs (default: each)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder that the numbers are written to")
    given = parser.parse_args()
    console = Console(width=150)
    started = time.monotonic()
    other = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    with shown_on(Console(stderr=True)) as shown, other as second:
        asked = Asked(shown, second)
        packs = given.pack or list(PACKS)
        if given.only in ("stages", None):
            stages = compare_stages(asked, ABLATION, packs)
            save("stages", stages, given.results)
            for pack, result in stages.items():
                for table in tables(pack, result, without=True):
                    console.print(table)
        if given.only in ("plateau", None):
            rows = [
                Row(
                    f"{name.lower().replace('_', ' ')} {value}",
                    "ships" if value == shipped()[name] else "",
                    {name: value},
                )
                for name, values in CHOICES.items()
                for value in values
            ]
            save("plateau", {EVERY: compare_stages(asked, rows, packs)[EVERY]}, given.results)
        if given.only in ("choice", None):
            settings, found = leave_one_out(asked, packs, console.print)
            save("across-packs", found, given.results, told={"settings": settings, "ships": shipped()})
            for pack, result in found.items():
                for table in tables(pack, result, without=False):
                    console.print(table)
        if given.only == "blind" and not has_blind():
            raise SystemExit("no questions at LOREWRIGHT_BLIND, or no crawl-common: apt-get install crawl-common")
        if given.only in ("blind", None) and has_blind():
            blind = ask_blind(asked)
            save("blind", blind, given.results)
            for table in tables(BLIND, blind[BLIND], without=False):
                console.print(table)
    console.print(f"{(time.monotonic() - started) / 60:.1f} minutes; numbers in {given.results}")


if __name__ == "__main__":
    main()
