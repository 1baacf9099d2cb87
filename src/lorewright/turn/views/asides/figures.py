"""A question how many there are of something -> whether a sentence that was told says it, and the first that does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lorewright.scene_lore.gather import in_sentences
from lorewright.scene_lore.nouns import singular

_COUNTED = re.compile(
    r"\bhow many (?:(?:of|the|these|those|other|different|more) )*(?P<what>[\w'’-]+)(?: (?P<next>[\w'’-]+))?",
    re.IGNORECASE,
)
_NUMBER = (
    r"(?:\d+|no|one|both|a dozen|dozens of|hundreds of|(?:a |one |two |three )?hundred(?: and \w+)?|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)"
)
UNCOUNTED = "You ask yourself. Nobody has told you how many there are: “{what}” you would have to count for yourself."


def has_figure(quote: str, words: str, asked: str) -> bool:
    """Tell whether a sentence says how many there are of the thing that words name, where a line asks for the number;
    true for any other question."""
    found = _asked_for(words, asked)
    return found is None or any(_pattern(word).search(quote) for word in found.groups() if word)


def counted_of(told: Iterable[str], words: str, asked: str) -> str:
    """Return what was told of how many there are of something; that nobody said it, where nobody did; empty for a
    question that asks for no number."""
    found = _asked_for(words, asked)
    if found is None:
        return ""
    sentences = (sentence for text in told for sentence in in_sentences(text))
    quote = next((sentence for sentence in sentences if has_figure(sentence, words, asked)), "")
    return f"You remember: {quote}" if quote else UNCOUNTED.format(what=found["what"])


def _asked_for(words: str, asked: str) -> re.Match[str] | None:
    found = _COUNTED.search(asked)
    return found if found is not None and found["what"].casefold() in words.casefold() else None


def _pattern(word: str) -> re.Pattern[str]:
    """Return the pattern of a number that stands before a word, its own adjectives between."""
    noun = re.escape(singular(word.casefold()))
    return re.compile(rf"\b{_NUMBER} (?:(?!in\b|of\b|on\b|and\b)[\w-]+ ){{0,2}}?{noun}(?:s|es)?\b", re.IGNORECASE)
