"""A text and the words that found it -> pieces of the text, those that were matched marked as such."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from lorewright.index.stems import matching_words
from lorewright.index.words import content_words
from lorewright.retrieval.retriever import Retrieval

_WORD = re.compile(r"\w+")


def pieces(text: str, matched: Collection[str]) -> list[dict[str, Any]]:
    """`{piece, marked}` in order; joined they are the text. `matched` are words in lower case."""
    found: list[dict[str, Any]] = []
    done = 0
    for word in _WORD.finditer(text):
        if word[0].casefold() in matched:
            if word.start() > done:
                found.append({"piece": text[done : word.start()], "marked": False})
            found.append({"piece": word[0], "marked": True})
            done = word.end()
    if done < len(text) or not found:
        found.append({"piece": text[done:], "marked": False})
    return found


def matched_words(
    retrieval: Retrieval, asked: Iterable[str], texts: Mapping[str, Sequence[str]], *, foreign: Collection[str] = ()
) -> dict[str, frozenset[str]]:
    """Pack -> the words of its texts that any of the words asked finds; packs in `foreign` are not in English.

    Beside the words asked those count that named something.
    """
    named = {name for hit in retrieval.at_hand for name in (hit.name, hit.mention) if name}
    words = sorted({*asked, *(word for name in named for word in content_words(name))})
    return {
        pack: frozenset().union(*matching_words(words, of, english=pack not in foreign).values())
        for pack, of in texts.items()
    }
