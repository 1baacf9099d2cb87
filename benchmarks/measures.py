"""What an arm returned for each question -> how good it is: measures by kind of question, with intervals.

any@k: a section that answers is among the first k; all@k: every one is; MRR: the mean of 1 / rank of the first;
recall@n: the share of the evidence that stands, word for word, in what was returned within n tokens. Intervals are
percentiles of a bootstrap over questions, seeded; differences to another arm are paired, question by question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

# (file, headings below the title): what a question's gold names.
Section = tuple[str, str]

BUDGETS = (500, 1000, 2000)
METRICS = ("any@1", "any@10", "all@10", "MRR", *(f"recall@{budget}" for budget in BUDGETS))
# The kind under which every question is counted once more.
EVERY = "all"

_RESAMPLES = 4000
_INTERVAL = (2.5, 97.5)
_SEED = 20_26
_DIGITS = 4
_FOLDED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "…": "..."})

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `gold` are the sections that answer, all of which a whole answer needs; any of `good` will do for
    a part of it; `evidence` is what a reader would have to see."""

    kind: str
    text: str
    gold: tuple[Section, ...]
    good: frozenset[Section]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an arm returned: sections, best first, each once; and the text that it hands over within each budget."""

    sections: tuple[Section, ...]
    texts: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric of one arm; `difference` is to the arm that it is compared with, None where that is itself."""

    estimate: Estimate
    difference: Estimate | None


def normalised(text: str) -> str:
    """Text without its markup, typography, case and spacing: what makes two copies of one sentence equal."""
    folded = unicodedata.normalize("NFKC", text.translate(_FOLDED)).casefold()
    bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", folded)
    return " ".join(re.sub(r"[*_`#>\[\]]|^\s*[-+]\s", " ", bare, flags=re.MULTILINE).split())


def scores_of(question: Question, answer: Answer) -> list[float]:
    """One question's part of each of METRICS."""
    first = next((rank for rank, one in enumerate(answer.sections, start=1) if one in question.good), 0)
    ten = answer.sections[:10]
    wanted = [normalised(one) for one in question.evidence]
    recalls = [
        sum(one in returned for one in wanted) / len(wanted)
        for returned in (normalised(answer.texts[budget]) for budget in BUDGETS)
    ]
    return [
        float(first == 1),
        float(0 < first <= 10),
        float(all(one in ten for one in question.gold)),
        1 / first if first else 0.0,
        *recalls,
    ]


def summarised(
    questions: Sequence[Question], scores: Scores, other: Scores | None = None
) -> dict[str, dict[str, Measured]]:
    """Kind -> metric -> what was measured. `scores` and `other` are (questions, METRICS); with `other` each metric says
    by how much it lies above that arm's."""
    found = {}
    kinds = list(dict.fromkeys(question.kind for question in questions))
    for kind in (*kinds, EVERY):
        among = np.array([kind in (question.kind, EVERY) for question in questions])
        values = _estimates(scores[among])
        differences = _estimates((scores - other)[among]) if other is not None else [None] * len(METRICS)
        pairs = zip(METRICS, values, differences, strict=True)
        found[kind] = {metric: Measured(value, difference) for metric, value, difference in pairs}
    return found


@lru_cache
def _resampled(count: int) -> Scores:
    """How often each question is drawn, resample by resample."""
    return np.random.default_rng(_SEED).multinomial(count, np.full(count, 1 / count), size=_RESAMPLES).astype(float)


def _estimates(scores: Scores) -> list[Estimate]:
    """Each column's mean. The same number of questions is resampled in the same way, so that arms compare."""
    count = len(scores)
    means = _resampled(count) @ scores / count
    low, high = np.percentile(means, _INTERVAL, axis=0)
    columns = zip(scores.mean(axis=0), low, high, strict=True)
    return [Estimate(*(round(float(one), _DIGITS) + 0.0 for one in column)) for column in columns]
