"""Lots: choices by seed and by what they are for, so that one choice more changes no other. The same in any process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lorewright.ids import content_hash

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lot:
    """The lots of one seed. Another `attempt` with the same seed draws others."""

    seed: int
    attempt: int = 0

    def number(self, what: str, *, below: int) -> int:
        """A number from 0 to one less than `below`."""
        return int(content_hash(f"{self.seed}\n{self.attempt}\n{what}")[:12], 16) % below

    def pick(self, what: str, options: Sequence[T]) -> T:
        """One of the options.

        Raises:
            ValueError: there are none.
        """
        if not options:
            raise ValueError(f"there is nothing to choose from for {what}")
        return options[self.number(what, below=len(options))]

    def order(self, what: str, options: Sequence[T], key: Callable[[T], str]) -> list[T]:
        """The options in an order of the lot's own, by their keys alone."""
        return sorted(options, key=lambda one: content_hash(f"{self.seed}\n{self.attempt}\n{what}\n{key(one)}"))
