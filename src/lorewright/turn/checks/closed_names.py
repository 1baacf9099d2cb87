"""A narration -> the names in it that nobody has given it: the set of names is closed to what it was shown.

A name is a word that is capitalised where no sentence begins. What is ordinary in capitals (days, titles, peoples) is
no name, nor is a word that the narration or what it was shown also writes small.
"""

from __future__ import annotations

import re

from lorewright.scene_lore.sections import in_sentences

_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
# What may stand before the first word of a sentence, also of one that is quoted within another.
_BEGINS = re.compile(r"[“\"‘'«(—–:…]\s*$|[.!?…][”\"’')]*\s*$|^\W*$")
_ORDINARY = frozenset(
    (
        *("i", "i'm", "i'll", "i've", "i'd", "ok", "god", "gods", "lord", "lady", "sir", "madam", "ma'am", "miss"),
        *("mister", "mr", "mrs", "ms", "dr", "doctor", "captain", "sergeant", "inspector", "officer", "father"),
        *("mother", "brother", "sister", "uncle", "aunt", "professor", "judge", "mayor", "king", "queen", "boss"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march"),
        *("april", "may", "june", "july", "august", "september", "october", "november", "december", "christmas"),
        *("english", "french", "german", "spanish", "italian", "russian", "chinese", "japanese", "korean", "latin"),
        *(
            "dutch",
            "irish",
            "scottish",
            "welsh",
            "turkish",
            "persian",
            "greek",
            "roman",
            "arabic",
            "indian",
            "victorian",
        ),
        *("georgian", "edwardian", "gothic", "darling", "dear", "friend", "love", "sweetheart", "stranger", "nobody"),
        *("european", "african", "american", "asian", "earth", "north", "south", "east", "west", "sun", "moon"),
    )
)


def unknown_names(narration: str, *, shown: str) -> list[str]:
    """The names in a narration, each once, that stand nowhere in what was shown."""
    small = {word for word in _words(narration) if word[:1].islower()}
    known = {_plain(word) for word in _words(shown)}
    found = [
        word
        # A paragraph begins with a sentence, however the one before it ended.
        for paragraph in narration.splitlines()
        for sentence in in_sentences(paragraph)
        for word in _capitalised(sentence)
        if not {_plain(word), _singular(word)} & (known | _ORDINARY | small)
    ]
    return list(dict.fromkeys(found))


def _capitalised(sentence: str) -> list[str]:
    return [
        match[0]
        for match in _WORD.finditer(sentence)
        if match[0][:1].isupper()
        and not (len(match[0]) > 1 and match[0].isupper())
        and not _BEGINS.search(sentence[: match.start()])
    ]


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _singular(word: str) -> str:
    """`the Ormes` are known to whoever knows an Orme."""
    return _plain(word).removesuffix("s")


def _plain(word: str) -> str:
    """In small letters and without the ending of a possessive."""
    plain = word.lower().replace("’", "'")
    return plain.removesuffix("'s").removesuffix("'")
