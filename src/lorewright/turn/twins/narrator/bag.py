"""A seed, a group and how often it was drawn from -> which variant comes next: none twice before all have come."""

from __future__ import annotations

from functools import lru_cache

from lorewright.ids import content_hash


def draw(seed: str, group: str, *, drawn: int, size: int) -> int:
    """The index of the next variant, after `drawn` draws from a bag of `size` >= 1."""
    cycle, position = divmod(max(drawn, 0), size)
    return _order(seed, group, cycle, size)[position]


@lru_cache(maxsize=4096)
def _order(seed: str, group: str, cycle: int, size: int) -> tuple[int, ...]:
    """The cycle's shuffle, so that it does not begin with what the last one ended with.

    A bag of two keeps its one order: any other would repeat.
    """
    if size == 2:
        cycle = 0
    order = _shuffled(seed, group, cycle, size)
    if cycle and size > 2 and order[0] == _shuffled(seed, group, cycle - 1, size)[-1]:
        order = (order[1], order[0], *order[2:])
    return order


def _shuffled(seed: str, group: str, cycle: int, size: int) -> tuple[int, ...]:
    return tuple(sorted(range(size), key=lambda index: content_hash(f"{seed}\n{group}\n{cycle}\n{index}")))


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

    def draw(self, group: str, size: int) -> int:
        """The next variant of a group; it counts as used."""
        key = f"phrase:{group}"
        index = draw(self._seed, group, drawn=self.count(key), size=size)
        self.note(key)
        return index
