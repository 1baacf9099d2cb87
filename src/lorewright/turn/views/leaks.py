"""Leak checks: does a text tell what its reader may not know? Compared by code: by letters, by words, and by meaning
where there is an embedder for it.

This is a filter over what a model wrote that was shown secrets; a model cannot tell what it was not shown. It errs on
both sides: a false alarm costs a repair, and a secret that is retold in other words, or in pieces, may pass.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from rapidfuzz import fuzz

from lorewright.errors import EmbedderError
from lorewright.ids import content_hash
from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.turn.views.disguises import (
    bones_of,
    folded,
    letterings,
    letters_of,
    telling_words,
    texts_in,
    without_leet,
    words_folded,
)
from lorewright.world.frozen import Frozen

# Retold secrets: found by the telling words that a text shares with a secret, and by the meaning of both.

# Of a sentence that is retold, this share of its telling words stands together (see `share`), at least so many of them,
# and so many of them new to the reader.
_RETOLD = 0.45
_NEW = 2
_FEWEST_SHARED = 3
# A sentence with fewer telling words is compared with a text by letters and meaning alone.
_FEWEST_TELLING = 3
# Words stand together in a stretch of so many times the sentence's length; in its order they may stand further apart.
_TOGETHER, _IN_ORDER = 1.5, 4
# How near a text comes to a secret's meaning, plus a little of what it shares in words, and by how much nearer than to
# what the reader knows. These numbers and `_RETOLD` were chosen on half of tests/turn/retellings, for MiniLM alone.
_SAME_MEANING = 0.60
_NEARER = 0.13
_WORDS_IN_MEANING = 0.15
# So many passages of a text are embedded, and so many sentences of what the reader knows, those that share most words.
_PASSAGES = 8
_KNOWN_SENTENCES = 6
_KEPT_VECTORS = 2_000

_TENS, _ONES = frozenset(f"{ten}0" for ten in range(2, 10)), frozenset("123456789")
_SENTENCE = re.compile(r"(?<=[.!?;:…])[\"'”’)\]]*\s+|\n+")
_SPOKEN = re.compile(r"“([^”]*)”?|\"([^\"]*)\"?")


# Some two dozen texts a turn, half of them told lately: 80 microseconds each.
@lru_cache(maxsize=512)
def sentences_of(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the sentences of a text with their telling words; those of a word or two go with the one before them."""
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        if found and len(sentence.split()) < _FEWEST_TELLING:
            found[-1] += f" {sentence}"
        else:
            found.append(sentence)
    return tuple((sentence, _telling(sentence)) for sentence in found if sentence.strip())


def _telling(text: str) -> tuple[str, ...]:
    """Return the telling words in order, `thirty-two` being one number."""
    found: list[str] = []
    for word in telling_words(without_leet(folded(text))):
        if found and found[-1] in _TENS and word in _ONES:
            found[-1] = found[-1][0] + word
        else:
            found.append(word)
    return tuple(found)


class Known:
    """The texts that a reader knows already, prepared when they are first needed."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = [text for text in dict.fromkeys(texts) if text]

    @cached_property
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        """Return each sentence, with its telling words."""
        told = dict.fromkeys(pair for text in self.texts for pair in sentences_of(text))
        return [(sentence, frozenset(words)) for sentence, words in told]

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all telling words."""
        return frozenset(word for _, words in self.sentences for word in words)

    def most_of(self, words: frozenset[str]) -> int:
        """Return how many of some words one sentence has at most."""
        return max((len(words & known) for _, known in self.sentences), default=0)


def retold(text: str, secrets: Sequence[tuple[str, str]], known: Known) -> tuple[str, float] | None:
    """Return the secret of which most is told in other words about it or in another order; with its share."""
    found: list[tuple[float, str]] = []
    said = list(dict.fromkeys(_telling(reading) for reading in texts_in(text))) if secrets else []
    for secret_id, secret in secrets:
        for _, words in sentences_of(secret):
            if len(set(words)) < _FEWEST_TELLING:
                continue
            for telling in said:
                much, which = share(words, telling, known.words)
                is_new = len(which) >= _FEWEST_SHARED and len(which) - known.most_of(which) >= _NEW
                if much >= _RETOLD and is_new:
                    found.append((-much, secret_id))
    return (min(found)[1], -min(found)[0]) if found else None


def share(secret: Sequence[str], said: Sequence[str], known: Collection[str]) -> tuple[float, frozenset[str]]:
    """Return how much of the telling words of a secret's sentence stands together in a text, 0 to 1, and which of them.

    Words that the reader knows count half, numbers twice. They stand together in a stretch of the text about as long
    as the sentence; where they keep its order other words may stand between.
    """
    weights = {word: 2.0 if word.isdigit() else 0.5 if word in known else 1.0 for word in secret}
    places = [(at, word) for at, word in enumerate(said) if word in weights]
    best, which = 0.0, frozenset[str]()
    for first, (start, _) in enumerate(places):
        near = [(at, word) for at, word in places[first:] if at - start < _IN_ORDER * len(secret) + 8]
        together = {word for at, word in near if at - start < _TOGETHER * len(secret) + 3}
        for words in (together, _longest_in_order(secret, [word for _, word in near])):
            weight = sum(weights[word] for word in words)
            if weight > best:
                best, which = weight, frozenset(words)
    return round(best / sum(weights.values()), 2) if best else 0.0, which


def _longest_in_order(secret: Sequence[str], said: Sequence[str]) -> set[str]:
    """Return the words of the longest common subsequence."""
    above: list[tuple[str, ...]] = [()] * (len(said) + 1)
    for word in secret:
        row: list[tuple[str, ...]] = [()]
        for at, other in enumerate(said):
            row.append((*above[at], word) if word == other else max(above[at + 1], row[-1], key=len))
        above = row
    return set(above[-1])


class Meaning:
    """A comparison by the meaning of texts. Vectors are cached: a secret is embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}

    def meant(self, text: str, secrets: Sequence[tuple[str, str]], known: Known) -> tuple[str, float] | None:
        """Return the secret that a passage of the text comes nearest to, where it is near, and clearly nearer than to
        what the reader knows; with how near. None where the embedder fails: the other comparisons stand."""
        if not secrets:
            return None
        try:
            return self._nearest(text, secrets, known)
        except EmbedderError:
            return None

    def _nearest(self, text: str, secrets: Sequence[tuple[str, str]], known: Known) -> tuple[str, float] | None:
        passages = _passages(text)
        if not passages:
            return None
        said, vectors = [_telling(passage) for passage in passages], self._of(passages)
        found: list[tuple[float, str, int]] = []
        for secret_id, secret in secrets:
            sentences = sentences_of(secret)
            if not sentences:
                continue
            near = vectors @ self._of([sentence for sentence, _ in sentences]).T
            for (passage, sentence), cosine in np.ndenumerate(near):
                shared = _share_unknown(sentences[sentence][1], said[passage], known)
                found.append((round(float(cosine) + _WORDS_IN_MEANING * shared, 2), secret_id, passage))
        for score, secret_id, passage in sorted(found, key=lambda hit: (-hit[0], hit[1:])):
            if score < _SAME_MEANING:
                break
            if not self._is_known(passages[passage], frozenset(said[passage]), score, known):
                return secret_id, min(score, 1.0)
        return None

    def _is_known(self, passage: str, words: frozenset[str], score: float, known: Known) -> bool:
        """Return True if something that the reader knows is about as near to a passage as the secret is."""
        alike = sorted(known.sentences, key=lambda sentence: -len(words & sentence[1]))[:_KNOWN_SENTENCES]
        sentences = [sentence for sentence, shared in alike if words & shared]
        return bool(sentences) and score - float((self._of(sentences) @ self._of([passage])[0]).max()) < _NEARER

    def _of(self, texts: Sequence[str]) -> Vectors:
        kept = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in kept]
        if new:
            kept |= zip(new, self._embedder.embed(new), strict=True)
            # A new dictionary each time: another thread may be reading the old one.
            room = len(self._vectors) + len(new) <= _KEPT_VECTORS
            self._vectors = {**self._vectors, **kept} if room else kept
        return np.stack([kept[text] for text in texts])


def _share_unknown(words: Sequence[str], said: Sequence[str], known: Known) -> float:
    """Return the share of a sentence that a passage tells, 0 where the reader knows as much."""
    if len(set(words)) < _FEWEST_TELLING:
        return 0.0
    much, which = share(words, said, known.words)
    return much if len(which) > known.most_of(which) else 0.0


def _passages(text: str) -> list[str]:
    """Return what is said in a text and what stands between it, each whole and then by sentences, at most
    `_PASSAGES`."""
    spoken = " ".join(first or second for first, second in _SPOKEN.findall(text))
    unspoken = _SPOKEN.sub(" ", text)
    parts = [part.strip() for part in (spoken, unspoken) if len(part.split()) >= _FEWEST_TELLING]
    sentences = (sentence for part in parts for sentence, _ in sentences_of(part))
    found = [*parts, *(sentence for sentence in sentences if len(sentence.split()) >= _FEWEST_TELLING)]
    return list(dict.fromkeys(found))[:_PASSAGES]


# Leak checks: does a text tell what its reader may not know?

# The name of the record of a turn's refusals.
LEAKS = "leaks"
# Six words in a row are a quotation; fewer are how people talk.
QUOTED_WORDS = 6
# So many letters in a row tell something, wherever the words end; and so many without their vowels.
_LETTERS = 12
_BONES = 12
# A sentence of so many letters is found although it is misspelt, where so much of it agrees (percent, `partial_ratio`).
_MISSPELT_FROM = 30
_MISSPELT = 85
# The prefix of the fingerprints of the embedders that there are thresholds for.
_MEANS = "minilm"

Way = Literal["quoted", "letters", "words", "meaning"]


class LeakRefusal(Frozen):
    """A text that was refused: the start of its hash, the ID of the secret that it tells, and how that was found, with
    a score from 0 to 1."""

    text: str
    secret: str
    way: Way
    score: float = 1.0


class Refusals(Frozen):
    """The texts of one turn that were refused for more than a quotation, for its record."""

    refused: tuple[LeakRefusal, ...] = ()


@dataclass(frozen=True, slots=True)
class LeakQuestion:
    """A text and the secrets, of (ID, text), that it is compared with; the fields are the arguments of
    `LeakCheck.refusal`."""

    text: str
    secrets: Sequence[tuple[str, str]]
    known: Sequence[str]
    closely: Collection[str]
    by_meaning: bool


class LeakCheck(ABC):
    """A comparison of texts with secrets. Every kind of check finds quotations alike."""

    def refusal(
        self,
        text: str,
        secrets: Sequence[tuple[str, str]],
        *,
        known: Sequence[str] = (),
        closely: Collection[str] = (),
        by_meaning: bool = False,
    ) -> LeakRefusal | None:
        """Return the first secret, of (ID, text), that a text tells, or None. What the `known` texts tell is not
        secret.

        Every secret is looked for in its own words and letters. Those whose IDs are in `closely` are looked for in
        other words and orders too, and with `by_meaning` by the text's meaning.
        """
        if not text.strip() or not secrets:
            return None
        if quoted := quoted_secret(text, secrets, said_before="\n".join(known)):
            return LeakRefusal(text=text_key(text), secret=quoted, way="quoted")
        return self.find_unquoted(LeakQuestion(text, secrets, known, closely, by_meaning))

    @abstractmethod
    def find_unquoted(self, question: LeakQuestion) -> LeakRefusal | None:
        """Return the first secret that a text tells without quoting it, or None."""


def plain_words(text: str) -> list[str]:
    """Return the words of a text as they sound: a secret in other letters, with a hyphen, in italics or with invisible
    signs in between is the same words."""
    return words_folded(text)


def runs_of(words: list[str]) -> Iterator[str]:
    """Yield every run of six words, by which a text is known; all of a shorter text. The same run may come twice."""
    for start in range(max(1, len(words) - QUOTED_WORDS + 1)):
        run = " ".join(words[start : start + QUOTED_WORDS])
        if run:
            yield run


def quoted_secret(text: str, secrets: Iterable[tuple[str, str]], *, said_before: str = "") -> str | None:
    """Return the ID of the first secret (ID, text) that the text quotes in six words in a row, or None.

    A secret shorter than six words counts as quoted when all of it stands there. Runs that `said_before` has already
    (the player's own words) do not count.
    """
    said = _Runs(text)
    known = _Runs(said_before)
    for secret_id, secret in secrets:
        for run in runs_of(plain_words(secret)):
            if said.has(run) and not known.has(run):
                return secret_id
    return None


class _Runs:
    """The words of a text, prepared to be searched for runs of them."""

    def __init__(self, text: str) -> None:
        self._joined = f" {' '.join(plain_words(text))} "

    def has(self, run: str) -> bool:
        return f" {run} " in self._joined


def text_key(text: str) -> str:
    """Return the name by which a refused text is stored: the start of its hash."""
    return content_hash(text)[:16]


class LiveLeakCheck(LeakCheck):
    """A comparison for texts that models have just written. Without an embedder that it has thresholds for, nothing is
    compared by meaning."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        means = embedder is not None and embedder.fingerprint.startswith(_MEANS)
        self._meaning = Meaning(embedder) if embedder is not None and means else None

    def find_unquoted(self, question: LeakQuestion) -> LeakRefusal | None:
        """Implement `LeakCheck.find_unquoted`."""
        text, secrets = question.text, question.secrets
        key, reader = text_key(text), _Reader(question.known)
        if spelt := _spelt_out(text, secrets, reader):
            return LeakRefusal(text=key, secret=spelt[0], way="letters", score=spelt[1])
        close = [(secret_id, secret) for secret_id, secret in secrets if secret_id in question.closely]
        if told := retold(text, close, reader):
            return LeakRefusal(text=key, secret=told[0], way="words", score=told[1])
        if question.by_meaning and self._meaning is not None and (meant := self._meaning.meant(text, close, reader)):
            return LeakRefusal(text=key, secret=meant[0], way="meaning", score=meant[1])
        return None


class RecordedLeakCheck(LeakCheck):
    """A check that repeats what was found when a turn was played: quotations, which need nothing but the text, and the
    refusals that were recorded. So a replay has the same result with another embedder, or none, and with other
    thresholds."""

    def __init__(self, refusals: Iterable[LeakRefusal]) -> None:
        self._refusals = {(refusal.text, refusal.secret): refusal for refusal in refusals}

    def find_unquoted(self, question: LeakQuestion) -> LeakRefusal | None:
        """Implement `LeakCheck.find_unquoted`."""
        key = text_key(question.text)
        found = (self._refusals.get((key, secret_id)) for secret_id, _ in question.secrets)
        return next((refusal for refusal in found if refusal is not None), None)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A prepared secret: its runs of words, and its sentences, as letters."""

    letters: tuple[str, ...]
    sentences: tuple[str, ...]


@lru_cache(maxsize=4_096)
def _prepared(text: str) -> _Prepared:
    runs = tuple(dict.fromkeys(runs_of(plain_words(text))))
    return _Prepared(
        letters=tuple(letters_of(run.split()) for run in runs),
        sentences=tuple(letters_of(words_folded(sentence)) for sentence, _ in sentences_of(text)),
    )


class _Reader(Known):
    """The texts that the reader knows already, also as runs and letters."""

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
    """The letters of a text: in all the ways in which it can be read, in each of its readings as written, and those
    without vowels."""

    ways: str
    straight: tuple[str, ...]
    bones: str


@lru_cache(maxsize=64)
def _spelling(text: str) -> _Spelling:
    worded = [words_folded(reading) for reading in texts_in(text)]
    straight = tuple(dict.fromkeys(map(letters_of, worded)))
    # A blank, which stands in none of them, separates them.
    ways = dict.fromkeys(letters for words in worded if words for letters in letterings(words))
    return _Spelling(" ".join(ways), straight, " ".join(map(bones_of, straight)))


def _spelt_out(text: str, secrets: Sequence[tuple[str, str]], reader: _Reader) -> tuple[str, float] | None:
    """Return the first secret of which a run, or a misspelt sentence, stands in a reading of the text, with a score;
    None if there is none."""
    spelling = _spelling(text)
    for secret_id, secret in secrets:
        ready = _prepared(secret)
        for letters in ready.letters:
            if len(letters) >= _LETTERS and letters in spelling.ways and letters not in reader.letters:
                return secret_id, 1.0
            bare = bones_of(letters)
            if len(bare) >= _BONES and bare in spelling.bones and bare not in reader.bones:
                return secret_id, 1.0
        for whole in ready.sentences:
            agrees = max((_agreement(whole, reading) for reading in spelling.straight), default=0)
            if agrees >= _MISSPELT and _agreement(whole, reader.letters) < _MISSPELT:
                return secret_id, agrees / 100
    return None


def _agreement(sentence: str, letters: str) -> int:
    """Return how much of a sentence stands in some letters, in percent; 0 where either has too few letters to tell."""
    if len(sentence) < _MISSPELT_FROM or len(letters) * 100 < len(sentence) * _MISSPELT:
        return 0
    return round(fuzz.partial_ratio(sentence, letters, score_cutoff=_MISSPELT - 1))
