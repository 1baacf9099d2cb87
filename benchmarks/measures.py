"""What an arm returned for each question -> how good it is: measures by kind of question, with intervals.

any@k: what answers is found among the first k sections; all@k: all of it is; MRR: the mean of 1 / rank of the first;
recall@n: the share of the evidence that stands, word for word, in what was returned within n tokens. What counts as
found is decided here for all arms (`is_found_in`). Intervals are percentiles of a bootstrap over questions, seeded;
differences to another arm are paired, question by question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

# (file, headings below the title): where something stands.
Section = tuple[str, str]

# So many sections of an answer are looked at.
TOP = 10
BUDGETS = (500, 1000, 2000)
METRICS = ("any@1", "any@10", "all@10", "MRR", *(f"recall@{budget}" for budget in BUDGETS))
# The kind under which every question is counted once more.
EVERY = "all"

_RESAMPLES = 4000
_INTERVAL = (2.5, 97.5)
_SEED = 20_26
_DIGITS = 4
# What has nothing is compared as having this little; a ratio is told up to so much.
_LEAST, _MOST = 1e-9, 99.0
_FOLDED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "…": "..."})

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gold:
    """A section that answers, and the sentence in it that does: "" where the set of questions names none. `elsewhere`
    are other files that tell of the same things: the sentence counts there as well."""

    section: Section
    sentence: str = ""
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. A whole answer needs all of `gold`; any of `also` will do for a part of it; `evidence` is what a
    reader would have to see."""

    kind: str
    text: str
    gold: tuple[Gold, ...]
    also: tuple[Gold, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that an arm ranked, a chunk or a piece of one, and where it stands."""

    section: Section
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What an arm returned: passages as it ranked them, best first; and the text that it hands over within each
    budget."""

    passages: tuple[Passage, ...]
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


@lru_cache(maxsize=8_192)
def normalised(text: str) -> str:
    """Text without its markup, typography, case and spacing: what makes two copies of one sentence equal."""
    folded = unicodedata.normalize("NFKC", text.translate(_FOLDED)).casefold()
    bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", folded)
    return " ".join(re.sub(r"[*_`#>\[\]]|^\s*[-+]\s", " ", bare, flags=re.MULTILINE).split())


def is_found_in(gold: Gold, passage: Passage) -> bool:
    """Whether a passage answers: it is of one of the gold's files and holds its sentence, whatever section it is of.
    Where no sentence is named, it is of the gold's section."""
    if not gold.sentence:
        return passage.section == gold.section
    in_its_files = passage.section[0] == gold.section[0] or passage.section[0] in gold.elsewhere
    return in_its_files and holds(passage.text, gold.sentence)


@lru_cache(maxsize=100_000)
def holds(text: str, sentence: str) -> bool:
    """Whether a text has a sentence. Of one that was cut in two it is the larger part that counts: at least half of the
    words, as the text's last or first."""
    said, wanted = normalised(text), normalised(sentence)
    if wanted in said:
        return True
    words, parts = said.split(), wanted.split()
    larger = range((len(parts) + 1) // 2, len(parts))
    return any(words[-count:] == parts[:count] or words[:count] == parts[-count:] for count in larger)


def find_rank(gold: Gold, answer: Answer) -> int:
    """How many sections were ranked, each counted once, until the gold was found; 0 where it is not among TOP."""
    ranked: set[Section] = set()
    for passage in answer.passages:
        ranked.add(passage.section)
        if len(ranked) > TOP:
            break
        if is_found_in(gold, passage):
            return len(ranked)
    return 0


def scores_of(question: Question, answer: Answer) -> list[float]:
    """One question's part of each of METRICS."""
    ranks = [find_rank(one, answer) for one in question.gold]
    first = min(filter(None, (*ranks, *(find_rank(one, answer) for one in question.also))), default=0)
    wanted = [normalised(one) for one in question.evidence]
    recalls = [
        sum(one in returned for one in wanted) / len(wanted)
        for returned in (normalised(answer.texts[budget]) for budget in BUDGETS)
    ]
    return [
        float(first == 1),
        float(first > 0),
        float(all(ranks)),
        1 / first if first else 0.0,
        *recalls,
    ]


def scores_on(questions: Sequence[Question], answer: Callable[[str], Answer]) -> Scores:
    """What an arm scores on questions: (questions, METRICS)."""
    scores = [scores_of(question, answer(question.text)) for question in questions]
    return np.array(scores).reshape(len(questions), len(METRICS))


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


def ratios(questions: Sequence[Question], scores: Scores, other: Scores) -> dict[str, dict[str, Estimate]]:
    """Kind -> metric -> how many times as much one arm has as another; both are resampled together."""
    found = {}
    for kind in (*dict.fromkeys(question.kind for question in questions), EVERY):
        among = np.array([kind in (question.kind, EVERY) for question in questions])
        draws = _resampled(int(among.sum()))
        drawn = (draws @ scores[among]) / np.maximum(draws @ other[among], _LEAST)
        value = scores[among].sum(axis=0) / np.maximum(other[among].sum(axis=0), _LEAST)
        low, high = np.percentile(drawn, _INTERVAL, axis=0)
        columns = zip(METRICS, value, low, high, strict=True)
        found[kind] = {name: Estimate(*(round(min(float(one), _MOST), _DIGITS) for one in of)) for name, *of in columns}
    return found


def _estimates(scores: Scores) -> list[Estimate]:
    """Each column's mean. The same number of questions is resampled in the same way, so that arms compare."""
    count = len(scores)
    means = _resampled(count) @ scores / count
    low, high = np.percentile(means, _INTERVAL, axis=0)
    columns = zip(scores.mean(axis=0), low, high, strict=True)
    return [Estimate(*(round(float(one), _DIGITS) + 0.0 for one in column)) for column in columns]
