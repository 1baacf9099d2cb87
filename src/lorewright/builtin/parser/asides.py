"""What a player says to the program rather than in the story: `what time is it`, `give me a hint`, `undo that`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SIGNS = re.compile(r"[^\w\s'-]+")
_BEFORE = re.compile(
    r"(?:please|ok(?:ay)?|so|well|um+|uh|hey|and|but|now|then|wait|right|look|listen|sorry|just|actually|seriously"
    r"|really|quick question|game|computer|narrator|gm|dm|oh|no|yes|again|can you|could you"
    r"|would you|i want to|i would like to"
    r"|i'd like to|let me|let's) "
)
_AFTER = re.compile(r" (?:please|now|again|though|anyway|already|exactly|thanks|right|ok|for me|or what)$")
_EMPTY = frozenset(("exactly", "actually", "really", "even", "currently", "basically", "anyway"))
# After a question to the program so many words more are no story.
_SHORT = 6
_TOKEN = re.compile(r"\(|\)\??|\[|\]|\||\*|[^\s()\[\]|*]+|\s+")


def aside_in(text: str) -> str:
    """Return the kind of aside that a line is; empty for what belongs to the story."""
    plain = " ".join(_SIGNS.sub(" ", text.casefold()).split()) or text.strip()
    if plain == "?":
        return "help"
    first, stop, rest = text.partition("? ")
    if stop and len(rest.split()) > _SHORT:
        return ""
    if stop and (kind := aside_in(f"{first}?")):
        return kind
    plain = " ".join(word for word in plain.split() if word not in _EMPTY) or plain
    for form in _forms(plain):
        for kind, pattern in _patterns().items():
            if pattern.fullmatch(form):
                return kind
    return ""


def _forms(plain: str) -> list[str]:
    """Return a line as it is, and without the small words before and after it."""
    forms = [plain]
    while (found := _BEFORE.match(forms[-1])) is not None:
        forms.append(forms[-1][found.end() :])
    for form in list(forms):
        while (shorter := _AFTER.sub("", form)) != form:
            form = shorter
            forms.append(form)
    return list(dict.fromkeys(form for form in forms if form))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("asides.yaml").read_text("utf-8")
    data: Mapping[str, str] = yaml.load(text, Loader=_LOADER)
    return {
        kind: re.compile("|".join(f"(?:{_pattern(line)})" for line in lines.splitlines() if line.strip()))
        for kind, lines in data.items()
    }


def _pattern(phrase: str) -> str:
    """Return a phrase as a pattern of words: each may be followed by white space."""
    parts: list[str] = []
    for token in _TOKEN.findall(phrase):
        match token:
            case "(" | "[":
                parts.append("(?:")
            case ")" | ")?" | "]":
                parts.append(r")\s*" if token == ")" else r")?\s*")
            case "|":
                parts.append("|")
            case "*":
                parts.append(".*")
            case _ if token.isspace():
                pass
            case _:
                parts.append(rf"\b{re.escape(token)}\b\s*")
    return "".join(parts)
