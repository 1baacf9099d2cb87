"""A value that is compared by identity, so that results computed from it can be cached for the next turn.

Most turns leave the facts and the entities as they are, and a long game has thousands of them.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Same(Generic[T]):
    """A wrapper that equals another wrapper of the same object. It holds the object, so that its `id` is not reused."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value
