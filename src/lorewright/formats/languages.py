"""A text -> the language that it is most likely in: by its script, and for Latin letters by its commonest words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

# The beginning of a book says enough.
_READ_CHARS = 200_000

# A character of these scripts says as much as so many Latin letters.
_LETTERS_OF_A_CHARACTER = 3

_SCRIPTS = {
    "kana": re.compile("[\u3041-\u30ff\uff66-\uff9f]"),
    "zh": re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]"),
    "ko": re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7af]"),
    "th": re.compile("[\u0e01-\u0e5b]"),
    "lo": re.compile("[\u0e81-\u0edf]"),
    "my": re.compile("[\u1000-\u109f]"),
    "km": re.compile("[\u1780-\u17ff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
}
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_UKRAINIAN = re.compile("[іїєґ]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")

# Japanese is written in Han characters and kana, Chinese in the first alone but for a name or a particle.
_LEAST_KANA = 0.1

# The commonest short words; those that several languages share count for each of them.
_STOP_WORDS = {
    "en": "the and of to is in that with for was are his her they from by it as on not",
    "de": "der die das und ist nicht ein eine einen mit von den dem des sich auf für im zu als auch sie er",
    "fr": "le la les des et est une un dans que qui pour avec sur du au aux ne pas par il elle ses",
    "es": "el la los las y es una un en que con por del para su sus se no al lo más como",
    "pt": "o a os as e é uma um em que com por do da dos das para não seu sua se no na ao",
}
_LANGUAGES_OF = {
    word: [language for language, words in _STOP_WORDS.items() if word in words.split()]
    for words in _STOP_WORDS.values()
    for word in words.split()
}
# With a smaller share of known words a text is a list of names.
_LEAST_SHARE = 0.08
_USUAL = "en"


def guess_language(texts: Iterable[str]) -> str:
    """Return the code of the language of texts: zh, ja, ko, th, lo, my, km, ru, uk, de, fr, es, pt or en; en where
    nothing says otherwise."""
    text = " ".join(texts)[:_READ_CHARS]
    counts = {script: len(pattern.findall(text)) for script, pattern in _SCRIPTS.items()}
    kana = counts.pop("kana")
    if kana > _LEAST_KANA * counts["zh"]:
        counts["ja"] = kana + counts.pop("zh")
    script, count = max(counts.items(), key=lambda counted: counted[1])
    if count == 0 or count * (1 if script == "ru" else _LETTERS_OF_A_CHARACTER) < len(_LATIN.findall(text)):
        return _guess_by_words(text)
    return "uk" if script == "ru" and len(_UKRAINIAN.findall(text)) > count / 50 else script


def _guess_by_words(text: str) -> str:
    words = [word.casefold() for word in _WORD.findall(text)]
    votes = Counter(language for word in words for language in _LANGUAGES_OF.get(word, ()))
    # Where two languages have as many, English stays.
    best, count = max(votes.items(), key=lambda vote: (vote[1], vote[0] == _USUAL), default=(_USUAL, 0))
    return best if count >= _LEAST_SHARE * len(words) else _USUAL
