"""What was typed -> the words that it stands for: slang, lost apostrophes, letters for words; names stay."""

from __future__ import annotations

import re
from collections.abc import Collection

from lorewright.builtin.parser.clauses import lexicon

_TOKEN = re.compile(r"w/|'em\b|[^\W_]+(?:['’-][^\W_]+)*")
_STRETCHED = re.compile(r"([a-z])\1{2,}")
# A digit that stands for a word, before one of these.
_DIGITS = {"2": "to", "4": "for"}
_AFTER_DIGITS = frozenset(
    "me u you him her them us the a an my ur your do be go see say ask talk tell get that this".split()
)
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
        after = tokens[number + 1][0].casefold() if number + 1 < len(tokens) else ""
        before = tokens[number - 1][0].casefold() if number else ""
        word = _read_as(token[0], names, before, after)
        parts += [text[done : token.start()], word]
        done = token.end()
    out = "".join((*parts, text[done:]))
    return " ".join(re.sub(r"\s+([,;:.!?])", r"\1", out).split()) or text


# `Ill` is `I'll` after these, and at the beginning.
_BEFORE_ILL = frozenset(("", "and", "so", "then", "but", "now", "ok", "fine", "k", "well", "if", "that"))


def _read_as(token: str, names: Collection[str], before: str, after: str) -> str:
    low = token.casefold()
    lex = lexicon()
    is_inner = bool(before and after)
    if low in names or (low in ("ill", "id") and before not in _BEFORE_ILL):
        return token
    if is_inner and low in _DIGITS and (after in _AFTER_DIGITS or after in names):
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
