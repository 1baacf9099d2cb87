"""Words that no grammar reads -> the line that they mean, by an embedder: compared with exemplars of every verb.

What is named in the words is put aside first, so that exemplars hold for any person, thing and place: `have a rummage
behind the counter` is compared as `have a rummage behind the thing`. The thresholds hold for the embedder that ships.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from lorewright.builtin.parser.noun_phrases import Candidate, Nouns, exact
from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vector_building import VectorBuilder
from lorewright.rules.verbs import verbs
from lorewright.world.frozen import Frozen

# Calibrated on lines that were written without knowing the exemplars: from ACT on nine of ten readings were right, from
# CONFIRM on two of three. Two processors differ by less than 0.002; MARGIN is far wider than that.
ACT = 0.68
CONFIRM = 0.56
MARGIN = 0.05
# Longer clauses have more than one meaning.
_MOST_WORDS = 16


@dataclass(frozen=True, slots=True)
class Exemplars:
    """What else is said for a verb: part of its record. `phrases` are, by the line that is typed for them, other ways
    to say it, with commas between them; `{person}`, `{thing}` and `{place}` stand for names."""

    phrases: Mapping[str, str]


class Meant(Frozen):
    """What words mean: the line, how near it is (cosine, three digits), and the next line with another meaning."""

    line: str
    score: float
    next_line: str = ""
    next_score: float = 0.0

    @property
    def is_sure(self) -> bool:
        """Return True if the line may be played without asking."""
        return self.score >= ACT and self.score - self.next_score >= MARGIN

    @property
    def is_likely(self) -> bool:
        """Return True if the player may be asked whether it is meant."""
        return self.score >= CONFIRM


# Returns what words mean, given what can be named; None where they are near to nothing.
ReadMeaning = Callable[[str, Nouns], Meant | None]


def no_meaning(words: str, nouns: Nouns) -> Meant | None:
    """Return None: there is no embedder."""
    return None


class MeaningReader:
    """Reads words by meaning. `exemplars` returns a unit vector for each of the exemplars, when words are first read;
    `asked` that of the words."""

    def __init__(self, exemplars: Callable[[Sequence[str]], Vectors], asked: Callable[[str], Vectors]) -> None:
        self._embed, self._asked = exemplars, asked
        self._vectors: Vectors | None = None

    def __call__(self, words: str, nouns: Nouns) -> Meant | None:
        """Return the nearest line whose names are all in the words, and the next one; None for words that are too many
        or too few."""
        if not 1 < len(words.split()) <= _MOST_WORDS:
            return None
        masked, named = _masked(words, nouns)
        rows = exemplars()
        try:
            if self._vectors is None:
                self._vectors = self._embed([phrase for phrase, _ in rows])
            asked = self._asked(masked)
        except EmbedderError:
            # Without an embedder the words are read as far as the grammar goes.
            return None
        scores = np.einsum("ij,j->i", self._vectors, asked).astype(np.float64)
        best: dict[str, float] = {}
        for (_, line), score in zip(rows, scores, strict=True):
            if all(slot in named for slot in _SLOT.findall(line)):
                best[line] = max(best.get(line, 0.0), round(float(score), 3))
        ranked = sorted(best.items(), key=lambda found: (-found[1], found[0]))[:2]
        if not ranked:
            return None
        (line, score), (next_line, next_score) = ranked[0], ranked[1] if len(ranked) > 1 else ("", 0.0)
        return Meant(
            line=line.format(**named), score=score, next_line=next_line.format_map(named), next_score=next_score
        )


_SLOT = re.compile(r"\{(\w+)\}")
_AS = {"person": "somebody", "thing": "the thing", "place": "the place"}


@cache
def exemplars() -> tuple[tuple[str, str], ...]:
    """Return the exemplars of all verbs, with the line that each stands for, in the order of the verbs' ranks."""
    found = [
        (phrase.strip().format(**_AS), line)
        for verb in verbs().values()
        for part in verb.parts
        if isinstance(part, Exemplars)
        for line, phrases in part.phrases.items()
        for phrase in phrases.split(",")
    ]
    return tuple(found)


def _masked(words: str, nouns: Nouns) -> tuple[str, dict[str, str]]:
    """Return the words with what they name put aside, and the names by kind; the first of each kind counts."""
    tokens = words.split()
    named: dict[str, str] = {}
    out: list[str] = []
    at = 0
    while at < len(tokens):
        size, kind, name = _named_at(tokens, at, nouns)
        if not size:
            out.append(tokens[at])
            at += 1
            continue
        if out and out[-1].casefold() in ("the", "a", "an", "my", "this", "that", "his", "her", "their", "your"):
            out.pop()
        out.append(_AS[kind])
        named.setdefault(kind, name)
        at += size
    return " ".join(out).casefold(), named


def _named_at(tokens: Sequence[str], at: int, nouns: Nouns) -> tuple[int, str, str]:
    groups: tuple[tuple[str, Sequence[Candidate]], ...] = (
        ("person", (*nouns.people, *nouns.known_people)),
        ("thing", (*nouns.things, *nouns.doors)),
        ("place", (*nouns.exits, *nouns.known_places)),
    )
    for size in range(min(4, len(tokens) - at), 0, -1):
        phrase = " ".join(tokens[at : at + size]).strip(",.;!?")
        for kind, candidates in groups:
            found = exact(phrase, candidates)
            if found is not None:
                return size, kind, phrase
    return 0, "", ""


# The embedder that the thresholds hold for.
_MEANS = "minilm"


def reader_of_meaning(vectors: VectorBuilder | None) -> ReadMeaning:
    """Return a reader of words by meaning, with the embedder of a workspace; one that reads nothing where that is
    another than the thresholds hold for. The vectors of exemplars are kept with all others of the workspace."""
    if vectors is None or not vectors.embedder.fingerprint.startswith(_MEANS):
        return no_meaning
    return MeaningReader(vectors.embed_kept, vectors.embedder.embed_query)
