"""A seed, a group and how often each variant was used -> which come next: none twice before all have come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lorewright.ids import content_hash


class Ledger:
    """What one telling draws and uses, on top of what the branch remembers; `used` lists it in order."""

    def __init__(self, seed: str, recall: dict[str, int]) -> None:
        self._seed = seed
        self._counts = dict(recall)
        self.used: list[str] = []

    def count(self, key: str) -> int:
        """How often a key was used before and in this telling."""
        return self._counts.get(key, 0)

    def note(self, key: str) -> None:
        """One more use of a key."""
        self._counts[key] = self.count(key) + 1
        self.used.append(key)

    def drawn(self, bag: str, index: int) -> None:
        """A variant of a bag was told."""
        self.note(_key(bag, index))

    def next_of(self, bag: str, size: int, *, among: Sequence[int]) -> list[int]:
        """Those `among` the indices that were used least, in the order in which they should come."""
        counts = {index: self.count(_key(bag, index)) for index in among}
        fewest = min(counts.values())
        return [index for index in _order(self._seed, bag, fewest, size) if counts.get(index) == fewest]


def _key(bag: str, index: int) -> str:
    return f"phrase:{bag}#{index}"


@lru_cache(maxsize=4096)
def _order(seed: str, bag: str, cycle: int, size: int) -> tuple[int, ...]:
    return tuple(sorted(range(size), key=lambda index: content_hash(f"{seed}\n{bag}\n{cycle}\n{index}")))
