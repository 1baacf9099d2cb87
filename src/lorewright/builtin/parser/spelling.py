"""What was typed -> the words that it stands for: slang, lost apostrophes, letters for words. Names stay as they are."""

from __future__ import annotations

import re
from collections.abc import Collection

from lorewright.builtin.parser.clauses import lexicon

_TOKEN = re.compile(r"w/|'em\b|[^\W_]+(?:['’-][^\W_]+)*")
_STRETCHED = re.compile(r"([a-z])\1{2,}")
# A digit that stands for a word, between two words.
_DIGITS = {"2": "to", "4": "for"}
_SHOUTED = re.compile(r"([?!])[?!]+")


def spelled_out(text: str, names: Collection[str]) -> str:
    """Return a cleaned text with slang and common misspellings as the words that they stand for.

    `names` are words of names in scope, in lower case: they are left alone. A text that is a single word is a command
    (`n`, `i`), and stays.
    """
    text = _SHOUTED.sub(lambda found: "?" if "?" in found[0] else "!", text)
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) < 2:
        return text
    parts: list[str] = []
    done = 0
    for number, token in enumerate(tokens):
        word = _read_as(token[0], names, is_inner=0 < number < len(tokens) - 1)
        parts += [text[done : token.start()], word]
        done = token.end()
    out = "".join((*parts, text[done:]))
    return " ".join(re.sub(r"\s+([,;:.!?])", r"\1", out).split()) or text


def _read_as(token: str, names: Collection[str], *, is_inner: bool) -> str:
    low = token.casefold()
    lex = lexicon()
    if low in names:
        return token
    if is_inner and low in _DIGITS:
        return _DIGITS[low]
    if low in lex.noise:
        return ""
    if low == "n" and not is_inner:
        return token
    short = _STRETCHED.sub(r"\1", low)
    if short != low and token.islower():
        low = token = short
    found = lex.spellings.get(low)
    if found is None:
        return token
    return found[:1].upper() + found[1:] if token[:1].isupper() and len(token) > 1 else found
