"""Text -> its runs of scripts that write words without spaces: Han, kana, Hangul, Thai, Lao, Khmer, Burmese.

There a word cannot be told by its borders, so that names are looked for as parts of the text and two neighbouring
letters (a bigram) are looked up as a word is elsewhere. Hangul has spaces, but joins particles to its words.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_LETTERS = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1000-\u102a\u103f\u1050-\u1055\ua9e0-\ua9fe\uaa60-\uaa7a"  # Burmese
    "\u1780-\u17b3\u17d7"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\uff66-\uff9f\U0001b000-\U0001b16f"  # kana
    "\u2e80-\u2fdf\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
# Vowels and tones that are written around a letter; a keyword index takes most of them for the end of a word.
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"  # Thai, Lao
    "\u102b-\u103e\u1056-\u109d\u17b4-\u17d3"  # Burmese, Khmer
    "\u3099\u309a"  # kana
)

_RUN = re.compile(f"[{_LETTERS}][{_LETTERS}{_MARKS}]*")
_MARK = re.compile(f"[{_MARKS}]+")
_CHARACTER = re.compile(f"[{_LETTERS}{_MARKS}]")
_WORD_PART = f"[\\w{_MARKS}]"
_WORD = re.compile(f"{_WORD_PART}+(?:[’'\\-]{_WORD_PART}+)*")


def is_unspaced(text: str) -> bool:
    """Return True if a text has a letter of a script without spaces between words."""
    return not text.isascii() and _RUN.search(text) is not None


def count_unspaced(text: str) -> int:
    """Return the number of characters of scripts without spaces between words."""
    return 0 if text.isascii() else len(_CHARACTER.findall(text))


def without_unspaced(text: str) -> str:
    """Return the text without the characters that `count_unspaced` counts."""
    return _CHARACTER.sub("", text)


def without_marks(text: str) -> str:
    """Return the text without the vowel marks and tones of scripts without spaces, as a keyword index has it."""
    return text if text.isascii() else _MARK.sub("", text)


def bigrams(run: str) -> list[str]:
    """Return each two neighbouring letters of a run, without vowel marks and tones; a letter that is alone, alone."""
    letters = _MARK.sub("", run)
    return [first + second for first, second in pairwise(letters)] or [letters]


def spaced(text: str) -> str:
    """Return the text with the bigrams of its runs as words; a text in other scripts as it is."""
    if not is_unspaced(text):
        return text
    return _RUN.sub(lambda run: f" {' '.join(bigrams(run.group()))} ", unicodedata.normalize("NFC", text))


def divided(text: str) -> str:
    """Return the text with spaces around its runs: `Cassian到底` has a name in it; a text in other scripts as it is."""
    return _RUN.sub(lambda run: f" {run.group()} ", text) if is_unspaced(text) else text


def parts_of(word: str) -> list[str]:
    """Return a word as it is looked up: the bigrams and trigrams of its runs and what stands between them."""
    if not is_unspaced(word):
        return [word]
    found: list[str] = []
    for run in _RUN.findall(word):
        letters = _MARK.sub("", run)
        found += [*bigrams(run), *(letters[start : start + 3] for start in range(len(letters) - 2))]
    return list(dict.fromkeys([*found, *_RUN.sub(" ", word).split()]))


def folded(text: str) -> str:
    """Return a text as names are compared with it: lower-case words, with their marks, divided by single spaces."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFC", text).casefold()))


def holds_name(text: str, name: str) -> bool:
    """Return True if a folded text holds a folded name; where the name begins or ends in letters of a script with
    spaces, or in digits, no other such character may stand beside it."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (_is_joined(text[start - 1 : start], name[0]) or _is_joined(name[-1], text[end : end + 1])):
            return True
        start = text.find(name, start + 1)
    return False


def _is_joined(before: str, after: str) -> bool:
    """Tell whether two neighbouring characters, each maybe none, belong to one word of a script with spaces."""
    return all(character.isalnum() and not is_unspaced(character) for character in (before, after)) and bool(
        before and after
    )
