"""Is a secret told in other words? By the telling words that a text shares with it, and by what both mean."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.turn.views.disguises import folded, texts_in, without_leet
from lorewright.turn.views.said_alike import telling_words

# Of a sentence that is retold so much of its telling words stands together (see `share`), at least so many, and so many
# of them new to the reader.
_RETOLD = 0.45
_NEW = 2
_FEWEST_SHARED = 3
# A sentence with fewer telling words is held against a text by letters and meaning alone.
_FEWEST_TELLING = 3
# They stand together in so many times its length; in the order of the sentence they may stand further apart.
_TOGETHER, _IN_ORDER = 1.5, 4
# How near a text comes to a secret's meaning, with a little of what it shares in words, and by how much nearer than to
# what the reader knows. These numbers and `_RETOLD` were chosen on half of tests/turn/retellings, for MiniLM alone.
_SAME_MEANING = 0.60
_NEARER = 0.13
_WORDS_IN_MEANING = 0.15
# Of a text so many passages are embedded, of what the reader knows so many sentences, those that share most words.
_PASSAGES = 8
_KNOWN_SENTENCES = 6
_KEPT_VECTORS = 2_000

_TENS, _ONES = frozenset(f"{ten}0" for ten in range(2, 10)), frozenset("123456789")
_SENTENCE = re.compile(r"(?<=[.!?;:…])[\"'”’)\]]*\s+|\n+")
_SPOKEN = re.compile(r"“([^”]*)”?|\"([^\"]*)\"?")


@lru_cache(maxsize=4_096)
def sentences_of(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the sentences of a text with their telling words; those of a word or two go with the one before them."""
    found: list[str] = []
    for one in _SENTENCE.split(text):
        if found and len(one.split()) < _FEWEST_TELLING:
            found[-1] += f" {one}"
        else:
            found.append(one)
    return tuple((one, _telling(one)) for one in found if one.strip())


def _telling(text: str) -> tuple[str, ...]:
    """The telling words, `thirty-two` being one number."""
    found: list[str] = []
    for word in telling_words(without_leet(folded(text))):
        if found and found[-1] in _TENS and word in _ONES:
            found[-1] = found[-1][0] + word
        else:
            found.append(word)
    return tuple(found)


class Known:
    """What a reader knows already, made ready when it is first asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = [text for text in dict.fromkeys(texts) if text]

    @cached_property
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        """Each sentence, with its telling words."""
        told = dict.fromkeys(one for text in self.texts for one in sentences_of(text))
        return [(sentence, frozenset(words)) for sentence, words in told]

    @cached_property
    def words(self) -> frozenset[str]:
        """All telling words."""
        return frozenset(word for _, words in self.sentences for word in words)

    def most_of(self, words: frozenset[str]) -> int:
        """Return how many of some words one sentence has at most."""
        return max((len(words & known) for _, known in self.sentences), default=0)


def retold(text: str, secrets: Sequence[tuple[str, str]], known: Known) -> tuple[str, float] | None:
    """Return the secret of which most is told in other words about it or in another order; with its share."""
    found: list[tuple[float, str]] = []
    said = list(dict.fromkeys(_telling(one) for one in texts_in(text))) if secrets else []
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
    """The words of the longest common subsequence."""
    above: list[tuple[str, ...]] = [()] * (len(said) + 1)
    for word in secret:
        row: list[tuple[str, ...]] = [()]
        for at, other in enumerate(said):
            row.append((*above[at], word) if word == other else max(above[at + 1], row[-1], key=len))
        above = row
    return set(above[-1])


class Meaning:
    """Compares by what a text means. Vectors are kept: a secret is embedded once."""

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
        said, vectors = [_telling(one) for one in passages], self._of(passages)
        found: list[tuple[float, str, int]] = []
        for secret_id, secret in secrets:
            sentences = sentences_of(secret)
            if not sentences:
                continue
            near = vectors @ self._of([one for one, _ in sentences]).T
            for (passage, sentence), cosine in np.ndenumerate(near):
                shared = _news(sentences[sentence][1], said[passage], known)
                found.append((round(float(cosine) + _WORDS_IN_MEANING * shared, 2), secret_id, passage))
        for score, secret_id, passage in sorted(found, key=lambda one: (-one[0], one[1:])):
            if score < _SAME_MEANING:
                break
            if not self._is_known(passages[passage], frozenset(said[passage]), score, known):
                return secret_id, min(score, 1.0)
        return None

    def _is_known(self, passage: str, words: frozenset[str], score: float, known: Known) -> bool:
        """Whether something that the reader knows is about as near to a passage as the secret is."""
        alike = sorted(known.sentences, key=lambda one: -len(words & one[1]))[:_KNOWN_SENTENCES]
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


def _news(words: Sequence[str], said: Sequence[str], known: Known) -> float:
    """The share of a sentence that a passage tells, 0 where the reader knows as much."""
    if len(set(words)) < _FEWEST_TELLING:
        return 0.0
    much, which = share(words, said, known.words)
    return much if len(which) > known.most_of(which) else 0.0


def _passages(text: str) -> list[str]:
    """What is said in a text and what stands beside it, each whole and by its sentences."""
    spoken = " ".join(first or second for first, second in _SPOKEN.findall(text))
    beside = _SPOKEN.sub(" ", text)
    parts = [part.strip() for part in (spoken, beside) if len(part.split()) >= _FEWEST_TELLING]
    found = [*parts, *(one for part in parts for one, _ in sentences_of(part) if len(one.split()) >= _FEWEST_TELLING)]
    return list(dict.fromkeys(found))[:_PASSAGES]
