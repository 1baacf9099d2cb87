"""Settings of the ranking, side by side: each arm changes one thing of what ships."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lorewright.index import building as windows
from lorewright.index.building import Window
from lorewright.packs.markdown.chunking import plain_text
from lorewright.packs.models import Item

RANKING: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "words alone": {"PRECISE_VECTOR_WEIGHT": 0.0, "FREE_VECTOR_WEIGHT": 0.0},
    "words alone, no names or pairs": {
        "PRECISE_VECTOR_WEIGHT": 0.0,
        "FREE_VECTOR_WEIGHT": 0.0,
        "NAME_WEIGHT": 0.0,
        "MENTION_WEIGHT": 0.0,
        "INTRODUCTION_WEIGHT": 0.0,
        "LINK_WEIGHT": 0.0,
        "telling_pairs": lambda text: [],
    },
    "meaning alone": {
        "PRECISE_VECTOR_WEIGHT": 1.0,
        "FREE_VECTOR_WEIGHT": 1.0,
        "NAME_WEIGHT": 0.0,
        "MENTION_WEIGHT": 0.0,
        "INTRODUCTION_WEIGHT": 0.0,
        "LINK_WEIGHT": 0.0,
    },
    "one weight .5 for all": {"PRECISE_VECTOR_WEIGHT": 0.5, "FREE_VECTOR_WEIGHT": 0.5},
    "one weight .6 for all": {"PRECISE_VECTOR_WEIGHT": 0.6, "FREE_VECTOR_WEIGHT": 0.6},
    "one weight .85 for all": {"PRECISE_VECTOR_WEIGHT": 0.85, "FREE_VECTOR_WEIGHT": 0.85},
    "precise .35": {"PRECISE_VECTOR_WEIGHT": 0.35},
    "precise .55": {"PRECISE_VECTOR_WEIGHT": 0.55},
    "free .75": {"FREE_VECTOR_WEIGHT": 0.75},
    "free .95": {"FREE_VECTOR_WEIGHT": 0.95},
    "no names": {"NAME_WEIGHT": 0.0, "MENTION_WEIGHT": 0.0},
    "names .35": {"NAME_WEIGHT": 0.35},
    "no word pairs": {"telling_pairs": lambda text: []},
    "no introductions": {"INTRODUCTION_WEIGHT": 0.0},
    "introductions .08": {"INTRODUCTION_WEIGHT": 0.08},
    "no links": {"LINK_WEIGHT": 0.0},
    "links .10": {"LINK_WEIGHT": 0.10},
    "depth 50": {"DEPTH": 50},
    "depth 150": {"DEPTH": 150},
}


def _stripped(text: str, items: list[Item]) -> list[Window]:
    return [Window(piece) for piece in windows.pieces_of(plain_text(text))]


def _whole(text: str, items: list[Item]) -> list[Window]:
    return [Window(text)] if text.split() else []


def _overlapping(text: str, items: list[Item]) -> list[Window]:
    words = text.split()
    half = windows.WINDOW_WORDS // 2
    shifted = windows.pieces_of(" ".join(words[half:-half])) if len(words) > 2 * half else []
    return [Window(piece) for piece in sorted([*windows.pieces_of(text), *shifted])]


# How a chunk is cut into what is embedded: these need an index of their own, hence minutes.
WINDOWS: dict[str, Callable[[str, list[Item]], list[Window]]] = {
    "windows without markup": _stripped,
    "whole chunks": _whole,
    "overlapping windows": _overlapping,
}
