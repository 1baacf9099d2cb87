"""A value that is told from others by being the same object, so that what was made of it can be kept for the next turn.

Most turns leave the facts and the entities as they are, and a long game has thousands of them.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Same(Generic[T]):
    """Equal to another one of the very same object. It holds the object, so that its identity is nobody else's."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value
