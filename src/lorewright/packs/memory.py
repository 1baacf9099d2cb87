"""What was made of files, by their bytes: a folder that is read again is parsed anew only where it changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

T = TypeVar("T")


class Memory:
    """Values by everything that they are made of. For one thread, and for values that nobody changes.

    What a round does not ask for is forgotten when it ends, so that a memory holds what one reading of a folder needs.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, object] = {}
        self._asked: dict[Hashable, object] = {}

    @contextmanager
    def round(self) -> Iterator[None]:
        """While a folder is read. One that fails forgets nothing."""
        self._asked = {}
        try:
            yield
        except BaseException:
            self._kept |= self._asked
            raise
        self._kept, self._asked = self._asked, {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key; made where it is not known."""
        if key not in self._asked:
            self._asked[key] = self._kept[key] if key in self._kept else make()
        return cast(T, self._asked[key])


class NoMemory(Memory):
    """Makes everything anew: for who reads a folder once."""

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value, made."""
        return make()
