"""Does a text tell what its reader may not know? Compared by code: by letters, by words, and by meaning where there is
an embedder for it.

This is a filter over what was written by a model that was shown secrets; what a model was not shown it cannot tell. It
errs to both sides: a false alarm costs a repair, and a secret that is retold in other words, or in pieces, may pass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from rapidfuzz import fuzz

from lorewright.ids import content_hash
from lorewright.index.embedders.embedder import Embedder
from lorewright.turn.views.disguises import bones_of, letterings, letters_of, texts_in, words_folded
from lorewright.turn.views.retelling import Known, Meaning, retold, sentences_of
from lorewright.world.frozen import Frozen

# The record of the refusals of a turn.
LEAKS = "leaks"
# Six words in a row are a quotation; fewer are how people talk.
QUOTED_WORDS = 6
# So many letters in a row say something although nobody knows where a word ends; and so many without their vowels.
_LETTERS = 12
_BONES = 12
# A sentence of so many letters is found although it is misspelt, where so much of it agrees (percent, `partial_ratio`).
_MISSPELT_FROM = 30
_MISSPELT = 85
# The embedders that there are thresholds for.
_MEANS = "minilm"

Way = Literal["quoted", "letters", "words", "meaning"]


class Refusal(Frozen):
    """A text that was refused: the start of its hash, the ID of the secret that it tells, and how that was found, with
    a score from 0 to 1."""

    text: str
    secret: str
    way: Way
    score: float = 1.0


class Refusals(Frozen):
    """The texts of one turn that were refused for more than a quotation, for its record."""

    refused: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A text and the secrets, of (ID, text), that it is compared with, as `LeakCheck.refusal` is asked."""

    text: str
    secrets: Sequence[tuple[str, str]]
    known: Sequence[str]
    closely: Collection[str]
    by_meaning: bool


class LeakCheck(ABC):
    """Compares texts with secrets. A quotation is found by every kind of check alike."""

    def refusal(
        self,
        text: str,
        secrets: Sequence[tuple[str, str]],
        *,
        known: Sequence[str] = (),
        closely: Collection[str] = (),
        by_meaning: bool = False,
    ) -> Refusal | None:
        """Return the first secret, of (ID, text), that a text tells, or None. What the `known` texts tell is no news.

        Every secret is looked for in its own words and letters. Those whose IDs are in `closely` are looked for in
        other words and orders too, and with `by_meaning` by what the text means.
        """
        if not text.strip() or not secrets:
            return None
        if quoted := quoted_secret(text, secrets, said_before="\n".join(known)):
            return Refusal(text=text_key(text), secret=quoted, way="quoted")
        return self.find_unquoted(Question(text, secrets, known, closely, by_meaning))

    @abstractmethod
    def find_unquoted(self, question: Question) -> Refusal | None:
        """Return the first secret that a text tells without quoting it, or None."""


def plain_words(text: str) -> list[str]:
    """Return the words of a text as they sound: who writes a secret in other letters, with a hyphen, in italics or with
    a sign between that nobody sees, has still written it."""
    return words_folded(text)


def runs_of(words: list[str]) -> Iterator[str]:
    """Every run of six words, by which a text is known; all of a shorter one. The same run may come twice."""
    for start in range(max(1, len(words) - QUOTED_WORDS + 1)):
        run = " ".join(words[start : start + QUOTED_WORDS])
        if run:
            yield run


def quoted_secret(text: str, secrets: Iterable[tuple[str, str]], *, said_before: str = "") -> str | None:
    """Return the ID of the first secret (ID, text) that the text quotes in six words in a row, or None.

    A secret shorter than six words counts as quoted when all of it stands there. What `said_before` quotes already (the
    player's own words) is no news.
    """
    said = _Runs(text)
    known = _Runs(said_before)
    for secret_id, secret in secrets:
        for run in runs_of(plain_words(secret)):
            if said.has(run) and not known.has(run):
                return secret_id
    return None


class _Runs:
    """A text's words, ready to be searched for runs of them."""

    def __init__(self, text: str) -> None:
        self._joined = f" {' '.join(plain_words(text))} "

    def has(self, run: str) -> bool:
        return f" {run} " in self._joined


def text_key(text: str) -> str:
    """Return the name by which a refused text is kept: the start of its hash."""
    return content_hash(text)[:16]


class LiveLeakCheck(LeakCheck):
    """Compares what models have just written. Without an embedder that it has thresholds for nothing is compared by
    meaning."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        means = embedder is not None and embedder.fingerprint.startswith(_MEANS)
        self._meaning = Meaning(embedder) if embedder is not None and means else None

    def find_unquoted(self, question: Question) -> Refusal | None:
        """See `LeakCheck`."""
        text, secrets = question.text, question.secrets
        key, reader = text_key(text), _Reader(question.known)
        if spelt := _spelt_out(text, secrets, reader):
            return Refusal(text=key, secret=spelt[0], way="letters", score=spelt[1])
        close = [(secret_id, secret) for secret_id, secret in secrets if secret_id in question.closely]
        if told := retold(text, close, reader):
            return Refusal(text=key, secret=told[0], way="words", score=told[1])
        if question.by_meaning and self._meaning is not None and (meant := self._meaning.meant(text, close, reader)):
            return Refusal(text=key, secret=meant[0], way="meaning", score=meant[1])
        return None


class RecordedLeakCheck(LeakCheck):
    """Repeats what was found when a turn was played: quotations, which need nothing but the text, and the refusals that
    were recorded. So a replay comes out the same with another embedder, or none, and by other thresholds."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self._refusals = {(one.text, one.secret): one for one in refusals}

    def find_unquoted(self, question: Question) -> Refusal | None:
        """See `LeakCheck`."""
        key = text_key(question.text)
        found = (self._refusals.get((key, secret_id)) for secret_id, _ in question.secrets)
        return next((one for one in found if one is not None), None)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A secret made ready: its runs of words, and its sentences, as letters."""

    letters: tuple[str, ...]
    sentences: tuple[str, ...]


@lru_cache(maxsize=4_096)
def _made_ready(text: str) -> _Ready:
    runs = tuple(dict.fromkeys(runs_of(plain_words(text))))
    return _Ready(
        letters=tuple(letters_of(run.split()) for run in runs),
        sentences=tuple(letters_of(words_folded(one)) for one, _ in sentences_of(text)),
    )


class _Reader(Known):
    """What the reader knows already, also as runs and letters."""

    @cached_property
    def _runs(self) -> str:
        return f" {' '.join(' '.join(plain_words(text)) for text in self.texts)} "

    def has(self, run: str) -> bool:
        return f" {run} " in self._runs

    @cached_property
    def letters(self) -> str:
        return letters_of(self._runs.split())

    @cached_property
    def bones(self) -> str:
        return bones_of(self.letters)


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The letters of a text: in all the ways in which it can be read, as they stand in each of its readings, and those
    without vowels."""

    ways: str
    straight: tuple[str, ...]
    bones: str


@lru_cache(maxsize=64)
def _spelling(text: str) -> _Spelling:
    worded = [words_folded(one) for one in texts_in(text)]
    straight = tuple(dict.fromkeys(map(letters_of, worded)))
    # A blank, which stands in none of them, keeps them apart.
    ways = dict.fromkeys(letters for words in worded if words for letters in letterings(words))
    return _Spelling(" ".join(ways), straight, " ".join(map(bones_of, straight)))


def _spelt_out(text: str, secrets: Sequence[tuple[str, str]], reader: _Reader) -> tuple[str, float] | None:
    """The first secret of which a run, or a sentence misspelt, stands in a reading of the text; with a score."""
    spelling = _spelling(text)
    for secret_id, secret in secrets:
        ready = _made_ready(secret)
        for letters in ready.letters:
            if len(letters) >= _LETTERS and letters in spelling.ways and letters not in reader.letters:
                return secret_id, 1.0
            bare = bones_of(letters)
            if len(bare) >= _BONES and bare in spelling.bones and bare not in reader.bones:
                return secret_id, 1.0
        for whole in ready.sentences:
            agrees = max((_agreement(whole, one) for one in spelling.straight), default=0)
            if agrees >= _MISSPELT and _agreement(whole, reader.letters) < _MISSPELT:
                return secret_id, agrees / 100
    return None


def _agreement(sentence: str, letters: str) -> int:
    """How much of a sentence stands in some letters, in percent; 0 where it, or they, are too few to tell."""
    if len(sentence) < _MISSPELT_FROM or len(letters) * 100 < len(sentence) * _MISSPELT:
        return 0
    return round(fuzz.partial_ratio(sentence, letters, score_cutoff=_MISSPELT - 1))
