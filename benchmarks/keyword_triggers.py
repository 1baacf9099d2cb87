"""Keyword triggers, by the rules of SillyTavern's World Info: a text is scanned for keys, entries that have one are
inserted until the budget is full.

Written anew from what docs.sillytavern.app says. Kept are the rules that decide which text arrives: keys without
regard to case, keys of one word match whole words only, entries of a higher order first (and else as they stand in the
book), recursion, the budget, and that nothing more is activated once an entry does not fit. Left out is what no key of
these books uses: filters, groups, chance, timed effects, positions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.tokens import count_tokens

# What an entry has unless its author says otherwise.
ORDER = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """One note of a lorebook: its primary keys, and what is inserted."""

    keys: tuple[str, ...]
    content: str
    order: int = ORDER


class WorldInfo:
    """A lorebook that is scanned again and again; what each entry mentions is found out once."""

    def __init__(self, entries: Sequence[Entry], *, recursive: bool = True) -> None:
        """With `recursive` the text of what was activated is scanned, too."""
        self._entries = entries
        self._recursive = recursive
        self._order = sorted(range(len(entries)), key=lambda at: (-entries[at].order, at))
        self._holders: dict[str, list[int]] = {}
        for at, entry in enumerate(entries):
            for key in {key.casefold().strip() for key in entry.keys} - {""}:
                self._holders.setdefault(key, []).append(at)
        self._mentioned: dict[int, frozenset[int]] = {}

    def activated(self, scanned: str) -> list[int]:
        """Indices of the entries in the order in which they are inserted, as if the budget had no end: first those that
        the text names, then those that these name, and so on."""
        active: dict[int, None] = {}
        new = self._named_in(scanned)
        while new:
            wave = [at for at in self._order if at in new]
            active |= dict.fromkeys(wave)
            named = (self._mentions(at) for at in wave) if self._recursive else ()
            new = frozenset().union(*named) - active.keys()
        return list(active)

    def inserted(self, scanned: str, *, budget_tokens: int) -> list[int]:
        """As `activated`, until the first that does not fit."""
        return within(self.activated(scanned), [entry.content for entry in self._entries], budget_tokens=budget_tokens)

    def _mentions(self, at: int) -> frozenset[int]:
        if at not in self._mentioned:
            self._mentioned[at] = self._named_in(self._entries[at].content)
        return self._mentioned[at]

    def _named_in(self, text: str) -> frozenset[int]:
        folded = text.casefold()
        return frozenset(at for key, holders in self._holders.items() if _matches(key, folded) for at in holders)


def within(order: Sequence[int], texts: Sequence[str], *, budget_tokens: int) -> list[int]:
    """The beginning of an order whose texts fit whole; it ends with the first that does not."""
    chosen: list[int] = []
    room = budget_tokens
    for at in order:
        room -= count_tokens(texts[at])
        if room < 0:
            break
        chosen.append(at)
    return chosen


def _matches(key: str, text: str) -> bool:
    if key not in text:
        return False
    return " " in key or re.search(rf"(?:^|\W){re.escape(key)}(?:$|\W)", text) is not None
