"""A word -> whether it is one of English, how it sounds, and the common words that it is like."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from string import ascii_lowercase

from rapidfuzz.distance import OSA

# First letters that sound alike.
ALIKE = {"k": "cq", "c": "k", "q": "k", "f": "p", "j": "g", "g": "j", "r": "w", "n": "k", "s": "c", "w": "r"}
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        *(("^wr", "r"), ("^kn", "n"), ("ph", "f"), ("ck|q(?!u)|c(?![eiyh])", "k"), ("qu|kw", "kw"), ("x", "ks")),
        *(("c(?=[eiy])|z", "s"), (r"ght\b", "t"), (r"(.)\1", r"\1"), (r"(?<=\w)e\b", "")),
    )
)


@lru_cache(maxsize=4096)
def sound_of(word: str) -> str:
    """Return a word as it sounds, roughly."""
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


@cache
def _english() -> Mapping[str, tuple[str, str, str]]:
    """Return the common words, the other words and the names by their first letter, each between ends of lines."""
    packed = resources.files(__package__).joinpath("english.txt.gz").read_bytes()
    lists = [f"\n{part.strip()}\n" for part in gzip.decompress(packed).decode().split("\n\n")[1:]]
    found = ([re.findall(rf"(?<=\n){first}\w*\n", part) for part in lists] for first in ascii_lowercase)
    return {
        first: (f"\n{''.join(common)}", f"\n{''.join(others)}", f"\n{''.join(names)}")
        for first, (common, others, names) in zip(ascii_lowercase, found, strict=True)
    }


# How many words are common; a word twice as rare as another costs so much of a wrong letter.
_COMMON_WORDS, _COMMONEST, _PER_DOUBLING = 15300, 250, 0.12


@lru_cache(maxsize=4096)
def is_english(low: str) -> bool:
    """Tell whether a word in lower case is one of English: right as it is, whatever it is like."""
    common, others, _ = _english().get(low[:1], ("", "", ""))
    return f"\n{low}\n" in common or f"\n{low}\n" in others


def are_other_words(typed: Sequence[str], name: Sequence[str]) -> bool:
    """Tell whether words in lower case that are like a name are right as they are, and another's: who moves `closer` is
    in no closet."""
    others = [word for word in typed if word not in name]
    swapped = any(sorted(word) == sorted(named) for word in others for named in name)
    return not swapped and "".join(typed) != "".join(name) and all(map(is_english, others))


def is_name(low: str) -> bool:
    """Tell whether a word in lower case is a common name."""
    return f"\n{low}\n" in _english().get(low[:1], ("", "", ""))[2]


@lru_cache(maxsize=4096)
def likely_words(low: str) -> tuple[tuple[float, str], ...]:
    """Return the common words that a word is like, each after what it costs to take it for that, cheapest first."""
    ranked = (_english()[first][0].split() for first in (low[0], *ALIKE.get(low[0], "")))
    costs = (
        (cost_of(low, word) + _PER_DOUBLING * math.log2(1 + place / len(words) * _COMMON_WORDS / _COMMONEST), word)
        for words in ranked
        for place, word in enumerate(words)
    )
    likely = {word: cost for cost, word in costs if cost <= _FARTHEST}
    swapped = (low[:at] + low[at + 1] + low[at] + low[at + 2 :] for at in range(len(low) - 1))
    # A rare word too may be meant by its letters in another order.
    likely |= {word: _SWAPPED for word in swapped if word not in likely and is_english(word)}
    return tuple(sorted((cost, word) for word, cost in likely.items()))


_SWAPPED = 1.0
# What costs more is another word, and so is a shorter one.
_FARTHEST, _SHORT = 2.3, 3


def cost_of(typed: str, word: str) -> float:
    """Return how unlikely it is that a word was typed so: about 1 for a wrong letter, infinite for another word."""
    is_near = abs(len(typed) - len(word)) <= 2 and len(word) >= _SHORT
    if not is_near or word[0] not in (typed[0], *ALIKE.get(typed[0], "")):
        return math.inf
    distance = OSA.distance(typed, word, score_cutoff=2)
    if distance <= 1 and word[0] == typed[0]:
        if re.sub(r"(.)\1", r"\1", typed) == re.sub(r"(.)\1", r"\1", word):
            return 0.5
        if len(typed) != len(word):
            return 0.9 if len(typed) < len(word) else 1.1
        if sorted(typed) == sorted(word):
            return 0.7
        return 0.9 if _spoken(typed) == _spoken(word) else 1.5 - 0.4 * (_VOWEL.sub("", typed) == _VOWEL.sub("", word))
    if _spoken(typed) == _spoken(word):
        return 0.8 + 0.1 * distance
    return 1.5 if distance == 2 and min(len(typed), len(word)) >= _LONG and word[0] == typed[0] else math.inf


_VOWEL = re.compile("[aeiouy]")
# In words of so many letters two may be wrong.
_LONG = 7


@lru_cache(maxsize=1024)
def _spoken(word: str) -> str:
    """Return a word as it is spoken, very roughly."""
    word = sound_of(word)
    for pattern, sound in _SPOKEN:
        word = pattern.sub(sound, word)
    return word


_SPOKEN = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        *(("^wh", "w"), ("tch", "ch"), ("igh", "i"), ("gh", ""), ("mb$", "m"), ("dg", "j"), ("[st]ion", "shn")),
        *(("o[uw]|oo|ew|ue", "u"), ("ea|ee|ie|ei|ey|y", "i"), ("a[iy]", "a"), (r"[aeiou]+r\b", "r")),
        ("st(?=[el])", "s"),
    )
)
