"""What notes are called by their authors -> names that can stand in a sentence and be typed, no two alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from lorewright.packs.plain import plain_text

LONGEST_NAME = 60

_LETTERS_ONLY = re.compile(r"[^\W_]+")
# What our sentences, IDs and the reading of a player's line use themselves.
_TAKEN = re.compile(r"[^\w\s’'&!?.,()\-–—]|_")
_SPOKEN = str.maketrans({"/": "-", "[": "(", "{": "(", "]": ")", "}": ")"})
_EDGES = " .,;:!?-–—&'’"


def display_name(title: str, *, fallback: str = "") -> str:
    """A title without markup, control characters and separators, cut at a word to LONGEST_NAME; else the fallback's;
    else `unnamed`."""
    for text in (title, fallback):
        plain = unicodedata.normalize("NFC", plain_text(text[:500]) or text[:500])
        shown = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in plain)
        shown = _balanced(_cut(" ".join(_TAKEN.sub(" ", shown.translate(_SPOKEN)).split())))
        if _LETTERS_ONLY.search(shown):
            return shown
    return "unnamed"


def _cut(text: str) -> str:
    if len(text) > LONGEST_NAME:
        head = text[: LONGEST_NAME + 1].rpartition(" ")[0]
        text = head or text[:LONGEST_NAME]
    return text.strip(_EDGES)


def _balanced(text: str) -> str:
    """Without brackets that a cut has left open."""
    if text.count("(") != text.count(")"):
        text = " ".join(text.replace("(", " ").replace(")", " ").split())
    return text.strip(_EDGES)


def key_of(name: str) -> tuple[str, ...]:
    """What counts when two names are compared: the words, as a player types them."""
    folded = unicodedata.normalize("NFKD", name.replace("’", "'").casefold())
    return tuple(_LETTERS_ONLY.findall("".join(char for char in folded if not unicodedata.combining(char))))


@dataclass(frozen=True, slots=True)
class Titled:
    """What is to be named: its key, its title, and what tells it from another of the same title."""

    key: str
    title: str
    fallback: str = ""
    apart: str = ""


def common_name(name: str) -> str:
    """`Lost umbrella` as `lost umbrella`: of several words only the first is capitalised, so it is no name."""
    first, _, rest = name.partition(" ")
    is_common = bool(rest) and rest == rest.lower() and first.isalpha() and first[1:].islower()
    return name[:1].lower() + name[1:] if is_common else name


def distinct_names(given: Iterable[Titled], *, taken: Iterable[str] = ()) -> dict[str, str]:
    """A name for each key, in the given order: the first keeps its title, others get what tells them apart, or a
    number."""
    used = {key_of(name) for name in taken}
    names: dict[str, str] = {}
    for one in given:
        name = display_name(one.title, fallback=one.fallback)
        if key_of(name) in used and one.apart:
            name = f"{name} ({display_name(one.apart)})"
        number = 2
        free = name
        while key_of(free) in used:
            free = f"{name} {number}"
            number += 1
        used.add(key_of(free))
        names[one.key] = free
    return names
