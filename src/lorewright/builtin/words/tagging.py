"""A line of the player's -> the acts that it means, by a tagger that was trained on labelled lines.

Each word is tagged by the states that the embedder that ships, adapted to this, gives it: whether an act begins with
it, and whether it names what is acted on, a second thing, the person addressed, or what is said. Then each act gets its
kind. The weights (`act_tagger.npz`) are made by `scripts/train_act_tagger.py`; they hold for that embedder alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import (
    Adaptation,
    Embedder,
    WordStates,
    adaptation_of,
    is_adapted,
    read_words_by,
)
from lorewright.scene_lore.nouns import function_words
from lorewright.world.frozen import Frozen

Array = npt.NDArray[np.float32]

# Words and signs, each tagged by itself: `don't`, `half-open`, `?`.
_WORD = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*['’]?|[^\w\s]|_")
# What a word can be to its act, in the order of the weights.
_ROLES = ("", "target", "second", "person", "topic")
# How many words before and after a word are looked at.
REACH = 2
# Longer lines are a letter or a story: their first words are tagged.
_MOST_WORDS = 120


class Act(Frozen):
    """Something that a player does, says or asks: its kind (`look`, `apologise`, `ask_way`), its words, and which of
    them name what it is about; `score` is how likely the kind is, three digits; `likely` are the kinds that it may be,
    likeliest first."""

    kind: str
    words: str
    target: str = ""
    second: str = ""
    person: str = ""
    topic: str = ""
    score: float = 0.0
    likely: tuple[str, ...] = ()
    # Words that the embedder knows in pieces alone: slips of the hand, and rare names.
    odd: tuple[str, ...] = ()


# Returns the acts of a line, in their order; none where they cannot be told.
TagActs = Callable[[str], tuple[Act, ...]]


def no_acts(text: str) -> tuple[Act, ...]:
    """Return no act: there is no embedder."""
    return ()


def tagger_with(embedder: Embedder | None) -> TagActs:
    """Return a tagger by the embedder of a workspace; one that finds no acts where the weights hold for another."""
    return ActTagger(partial(read_words_by, embedder)) if is_adapted(embedder) else no_acts


class ActTagger:
    """Tags the acts of a line. `read_words` returns the states of its word pieces, as an adapted embedder has them."""

    def __init__(self, read_words: Callable[[str, Adaptation], WordStates]) -> None:
        self._read_words = read_words

    def __call__(self, text: str) -> tuple[Act, ...]:
        """Return the acts of a line; none where the embedder fails, or there are no words."""
        spans = word_spans(text)
        if not spans:
            return ()
        try:
            read = self._read_words(text, _adaptation())
        except EmbedderError:
            # Without an embedder the words are read as far as the grammar goes.
            return ()
        # A service has a matrix of some rows to multiply in every turn: threads for it cost ten times what they do.
        with _processors().limit(limits=1, user_api="blas"):
            return self._tag(text, spans, read)

    def _tag(self, text: str, spans: list[tuple[int, int]], read: WordStates) -> tuple[Act, ...]:
        weights = _weights()
        hidden = _hidden(features(text, spans, read), weights)
        line = read.states.mean(axis=0)
        begins = hidden @ weights["b.weight"].T + weights["b.bias"]
        odd = frozenset(text[start:end] for start, end in spans if len(_pieces((start, end), read.offsets)) > 1)
        roles = (hidden @ weights["r.weight"].T + weights["r.bias"]).argmax(axis=1)
        words = [text[start:end].casefold() for start, end in spans]
        starts = [0, *(at for at in range(1, len(spans)) if begins[at, 0] > 0 or _is_cut(words, at)), len(spans)]
        starts = [
            at for number, at in enumerate(starts) if number in (0, len(starts) - 1) or _says(words, starts, number)
        ]
        return tuple(
            _act(text, spans[first:end], roles[first:end], *_kinds(hidden[first:end], line, weights), odd)
            for first, end in itertools.pairwise(starts)
        )


def _is_cut(words: Sequence[str], at: int) -> bool:
    """Tell whether a sentence or a stage direction ends before a word."""
    if "*" in (words[at], words[at - 1]):
        return words[:at].count("*") % 2 == 0
    is_end = words[at - 1] in _ENDS and words[at][0].isalnum()
    return is_end and not (words[at - 1] == "." and words[at - 2 : at - 1] and words[at - 2] in _SHORTENED)


_ENDS = frozenset(".!?…;")
# Words with a stop that ends no sentence.
_SHORTENED = frozenset(("mr", "mrs", "ms", "dr", "st", "sgt", "prof", "no"))


def _says(words: Sequence[str], starts: Sequence[int], number: int) -> bool:
    """Tell whether what stands before a cut is more than joining words, which belong to what follows them."""
    before = words[starts[number - 1] : starts[number]]
    return not set(before) <= _JOINING


_JOINING = frozenset(("and", "then", "so", "but", "or", ",", "*", '"', "“", "”", ".", "!", "…"))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words and signs of a line begin and end, of the first that are tagged."""
    return [found.span() for found in _WORD.finditer(text)][:_MOST_WORDS]


def features(text: str, spans: Sequence[tuple[int, int]], read: WordStates) -> Array:
    """Return a row for each word: the mean state of its pieces, and how it looks."""
    shares = np.array([shares_of_pieces(span, read.offsets) for span in spans], np.float32)
    looks = np.array([look(text, start, end) for start, end in spans], np.float32)
    return np.concatenate([shares @ read.states, looks], axis=1)


def shares_of_pieces(span: tuple[int, int], offsets: Sequence[tuple[int, int]]) -> list[float]:
    """Return the share that each word piece has in a word: they are one together, or all none."""
    shares, within = [0.0] * len(offsets), _pieces(span, offsets)
    for at in within:
        shares[at] = 1 / len(within)
    return shares


def _pieces(span: tuple[int, int], offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the places of the word pieces that a word has."""
    begin, end = span
    return [at for at, (first, last) in enumerate(offsets) if first < end and first < last and last > begin]


# How many signs `look` tells.
LOOKS = 8


def look(text: str, start: int, end: int) -> Array:
    """Return what the letters and signs of a word look like, each 0 or 1."""
    word, after = text[start:end], text[end : end + 1]
    looks = (
        word[:1].isupper(),
        word.isupper() and len(word) > 1,
        not word[:1].isalnum(),
        start == 0,
        end == len(text),
        after != "" and after in ",.!?",
        word == "?",
        word in ('"', "“", "”", "*"),
    )
    return np.array(looks, np.float32)


def _hidden(features: Array, weights: dict[str, Array]) -> Array:
    """Return the hidden states of the words, each of which has seen its neighbours."""
    own: Array = np.maximum(features @ weights["inp.weight"].T + weights["inp.bias"], 0)
    padded = np.pad(own, ((REACH, REACH), (0, 0)))
    near = np.concatenate([padded[at : at + len(own)] for at in range(2 * REACH + 1)], axis=1)
    hidden: Array = np.maximum(near @ weights["near.weight"].T + weights["near.bias"], 0) + own
    return hidden


def _kinds(hidden: Array, line: Array, weights: dict[str, Array]) -> tuple[tuple[str, ...], float]:
    """Return the likeliest kinds of an act, best first, and how likely the first is."""
    weighed = np.exp(hidden @ weights["att.weight"].T + weights["att.bias"])[:, 0]
    mean = (weighed / weighed.sum()) @ hidden
    seen = np.concatenate([mean, hidden.max(axis=0), hidden[0], line])
    inner = np.maximum(weights["k1.weight"] @ seen + weights["k1.bias"], 0)
    scores = weights["k2.weight"] @ inner + weights["k2.bias"]
    odds = np.exp(scores - scores.max())
    best = np.argsort(-scores, kind="stable")[:_MOST_LIKELY].tolist()
    return tuple(tagged_kinds()[at] for at in best), round(float(odds[best[0]] / odds.sum()), 3)


_MOST_LIKELY = 12


def _act(
    text: str,
    spans: Sequence[tuple[int, int]],
    roles: npt.NDArray[Any],
    likely: tuple[str, ...],
    score: float,
    odd: frozenset[str],
) -> Act:
    found = {
        name: _named(text, spans, roles, at, is_noun=name in ("target", "second"))
        for at, name in enumerate(_ROLES)
        if name
    }
    unknown = tuple(dict.fromkeys(text[start:end] for start, end in spans if text[start:end] in odd))
    words = text[spans[0][0] : spans[-1][1]]
    return Act(kind=likely[0], words=words, score=score, likely=likely, odd=unknown, **found)


def _named(text: str, spans: Sequence[tuple[int, int]], roles: npt.NDArray[Any], role: int, *, is_noun: bool) -> str:
    """Return the text from the first to the last word of the longest run of a role, where one between them may be
    missed; empty where no word has it. What `is_noun` goes on to the end of the noun."""
    tagged = roles == role
    runs: list[list[int]] = []
    for at in np.flatnonzero(tagged).tolist():
        if runs and at - runs[-1][-1] <= _MOST_MISSED + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    if not runs:
        return ""
    run = max(runs, key=len)
    if is_noun:
        run = [*run, *_rest_of_noun(text, spans, run[-1] + 1, roles)]
    return text[spans[run[0]][0] : spans[run[-1]][1]].strip(" \"“”'*,.!?")


_MOST_MISSED = 1


def _rest_of_noun(text: str, spans: Sequence[tuple[int, int]], at: int, roles: npt.NDArray[Any]) -> Iterator[int]:
    """Yield the words of no role after a place that may go on with a noun: neither small words nor signs."""
    small = function_words() | _NO_NOUNS
    for after in range(at, min(at + 2, len(spans))):
        word = text[slice(*spans[after])]
        is_small = len(word) < _SHORTEST_NOUN or word.casefold() in small or word.casefold().endswith("ly")
        if roles[after] or not word[0].isalpha() or is_small:
            return
        yield after


_SHORTEST_NOUN = 3
# Words after a noun that are no part of it.
_NO_NOUNS = frozenset(
    "one again now please then away down up out over back off around lol pls plz there here first quickly too also open"
    " shut closed instead together apart aside home outside inside twice once properly".split()
)


@cache
def _processors() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _loaded() -> dict[str, Any]:
    with resources.files(__package__).joinpath("act_tagger.npz").open("rb") as file, np.load(file) as arrays:
        return dict(arrays)


@cache
def _weights() -> dict[str, Array]:
    return {name: array.astype(np.float32) for name, array in _loaded().items() if name != "classes"}


@cache
def _adaptation() -> Adaptation:
    """Return what the embedder is adapted by."""
    return adaptation_of("acts", _weights())


@cache
def tagged_kinds() -> tuple[str, ...]:
    """Return the kinds that the weights tell apart."""
    return tuple(_loaded()["classes"].tolist())
