"""Secrets, made ready to be looked for in texts: who copied a sentence of one, and who only shares a phrase with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorewright.authoring.leaks.secrets import Secret
from lorewright.index.words import STOP_WORDS
from lorewright.turn.views.leaks import QUOTED_WORDS, plain_words, runs_of

_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|\n\s*\n")

# A sentence counts as copied where so much of it stands there, or so many runs of it: twelve words in a row, or as many
# in two places. A little may have been changed.
_COPIED = 0.75
_COPIED_RUNS = 7
# So few words, or so few that mean anything, are in many mouths.
_FEWEST_WORDS = 4
_FEWEST_TELLING = 2
_FEWEST_TELLING_OF_SIX = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """Words of a secret in a text: the run at which they begin, its first word's place, and whether a whole sentence
    was copied or only a phrase is shared."""

    secret: Secret
    phrase: str
    at: int
    copied: bool


class Overlaps:
    """Looks for many secrets at once."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._runs: dict[str, list[tuple[int, int]]] = {}
        self._secrets = list(secrets)
        self._sizes: dict[tuple[int, int], int] = {}
        self._lengths: set[int] = {QUOTED_WORDS}
        for number, secret in enumerate(self._secrets):
            for nth, words in enumerate(_told_apart(secret.text)):
                if _says_something(words):
                    runs = set(runs_of(words))
                    self._sizes[number, nth] = len(runs)
                    self._lengths |= {len(words)} if len(words) < QUOTED_WORDS else set()
                    for run in sorted(runs):
                        self._runs.setdefault(run, []).append((number, nth))

    def hits(self, words: Sequence[str]) -> Iterator[Hit]:
        """What of each secret stands in a text (as `plain_words`): its copied sentences, else the first phrase that
        is shared, in the order of the secrets."""
        places: dict[tuple[int, int], dict[str, int]] = {}
        for length in sorted(self._lengths):
            for at in range(len(words) - length + 1):
                run = " ".join(words[at : at + length])
                for sentence in self._runs.get(run, ()):
                    places.setdefault(sentence, {}).setdefault(run, at)
        told: dict[int, Hit] = {}
        for (number, nth), found in sorted(places.items()):
            copied = len(found) >= min(_COPIED * self._sizes[number, nth], _COPIED_RUNS)
            at, phrase = min((at, run) for run, at in found.items())
            if number not in told or (copied and not told[number].copied):
                told[number] = Hit(self._secrets[number], phrase, at, copied)
        yield from told.values()


def sentences_of(text: str) -> list[str]:
    """A text's sentences."""
    return [one for one in _SENTENCE.split(text) if one.strip()]


def _told_apart(text: str) -> list[list[str]]:
    """The sentences that are long enough to be known by themselves; where none is, all of the text."""
    sentences = [words for words in map(plain_words, _SENTENCE.split(text)) if len(words) >= QUOTED_WORDS]
    return sentences or [plain_words(text)]


def _says_something(words: list[str]) -> bool:
    telling = {word for word in words if word not in STOP_WORDS and not word.isdigit()}
    fewest = _FEWEST_TELLING if len(words) < QUOTED_WORDS else _FEWEST_TELLING_OF_SIX
    return len(words) >= _FEWEST_WORDS and len(telling) >= fewest
