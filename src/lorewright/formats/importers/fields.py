"""A source's object, field by field: what a format takes has its place, and what nobody took is kept under `x_…`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from lorewright.formats.importers.imported import Report
from lorewright.formats.importers.json_source import free_key

T = TypeVar("T")


def anything(text: str) -> bool:
    """Takes every text."""
    return True


class Fields:
    """The fields of one object. `path` is what the report puts before their names, as in `entries[].`.

    A field whose value has another shape than was asked for is not taken, and so is kept as it is.
    """

    def __init__(self, data: dict[str, Any], *, path: str, report: Report) -> None:
        self._left = dict(data)
        self._path = path
        self._report = report

    def peek(self, *keys: str) -> str:
        """The first of these fields that holds text, which is not taken; "" where none does."""
        texts = (self._left.get(key) for key in keys)
        return next((text for text in texts if isinstance(text, str) and text.strip()), "")

    def text(self, *keys: str, place: str, accept: Callable[[str], bool] = anything) -> str:
        """Take the first of these fields that holds text, if it is accepted. Empty ones before it are taken too."""
        for key in keys:
            value = self._left.get(key)
            if not isinstance(value, str):
                continue
            if value.strip() and not accept(value):
                return ""
            del self._left[key]
            if value.strip():
                self._report.add(self._path + key, place)
                return value
        return ""

    def texts(
        self, key: str, *, place: str, accept: Callable[[str], bool], limit: int, separator: str = ""
    ) -> list[str]:
        """Take the accepted texts of a list, at most `limit`; the other members stay.

        One text alone is a list of one, or is cut at a separator, if all of it is accepted.
        """
        value = self._left.get(key)
        if value in ("", []):
            del self._left[key]
        if not isinstance(value, (list, str)) or not value:
            return []
        alone = isinstance(value, str)
        members: list[Any] = (value.split(separator) if separator else [value]) if isinstance(value, str) else value
        places = [n for n, member in enumerate(members) if _is_text(member, accept)][:limit]
        if not places or (alone and len(places) < len(members)):
            return []
        taken = set(places)
        left = [member for n, member in enumerate(members) if n not in taken]
        self._left[key] = left
        if not left:
            del self._left[key]
        texts = [members[n] for n in places if members[n].strip()]
        self._report.add(f"{self._path}{key}", place, len(texts))
        return texts

    def flag(self, key: str) -> bool | None:
        """What a switch says; it stays among the fields that are kept."""
        value = self._left.get(key)
        return value if isinstance(value, bool) else None

    def peek_value(self, key: str) -> Any:
        """What a field holds, which is not taken; None where there is none."""
        return self._left.get(key)

    def value(self, key: str, accept: Callable[[Any], bool], *, place: str, usual: Any) -> Any:
        """Take a field that is accepted; None where it is not. One that says what is so anyway stays."""
        value = self._left.get(key)
        if value is None or _same(value, usual) or not accept(value):
            return None
        self._report.add(self._path + key, place)
        return self._left.pop(key)

    @contextmanager
    def inside(self, key: str) -> Iterator[Fields]:
        """The fields of an object in this one; what nobody takes of them stays in it."""
        value = self._left.get(key)
        inner = Fields(value if isinstance(value, dict) else {}, path=f"{self._path}{key}.", report=self._report)
        yield inner
        if isinstance(value, dict) and inner._left != value:
            self._left = {
                name: inner._left if name == key else one
                for name, one in self._left.items()
                if name != key or inner._left
            }

    def mapping(self, key: str) -> dict[str, Any]:
        """Take an object; empty where the field is none."""
        return self._left.pop(key) if isinstance(self._left.get(key), dict) else {}

    def members(self, key: str) -> list[tuple[str, Any]]:
        """Take a list, or an object, as pairs of key and member; the keys of a list are empty."""
        value = self._left.get(key)
        if isinstance(value, list):
            self._left.pop(key)
            return [("", member) for member in value]
        if isinstance(value, dict):
            self._left.pop(key)
            return list(value.items())
        return []

    def drop_equal(self, other: dict[str, Any], *, path: str, renamed: dict[str, str]) -> None:
        """Leave out what is empty, or the same, where `other` has the field, by its name or the one it got there."""
        for key in list(self._left):
            twin = renamed.get(key, key)
            if twin in other and (_is_empty(self._left[key]) or _same(other[twin], self._left[key])):
                del self._left[key]
                self._report.add(self._path + key, f"the same as {path}{twin}")

    def member(self, key: str, name: str, read: Callable[[Any], T | None]) -> T | None:
        """Take one member out of an object, if it can be read; the object goes with its last one."""
        value = self._left.get(key)
        found = read(value[name]) if isinstance(value, dict) and name in value else None
        if found is not None and isinstance(value, dict):
            left = {other: one for other, one in value.items() if other != name}
            kept = self._left.items()
            self._left = {other: left if other == key else one for other, one in kept if other != key or left}
        return found

    def drop(self, expected: dict[str, Any]) -> None:
        """Leave out the fields that have just these values: what our own export filled in."""
        for key, value in expected.items():
            if key in self._left and _same(value, self._left[key]):
                del self._left[key]
                self._report.add(self._path + key, "filled in by our export")

    def put(self, key: str, value: Any) -> None:
        """Give back what was taken and could not be placed."""
        self._left[key] = value

    def rest(self, *, taken: dict[str, Any] | None = None) -> dict[str, Any]:
        """What nobody took, under `x_…`; a name that is in `taken` already gets a number."""
        kept: dict[str, Any] = dict(taken or {})
        for key, value in self._left.items():
            name = free_key(f"x_{key}", kept)
            kept[name] = value
            self._report.add(self._path + key, name)
        return kept

    def remainder(self, *, place: str) -> dict[str, Any]:
        """What nobody took, under its own names, for one place."""
        for key in self._left:
            self._report.add(self._path + key, place)
        return dict(self._left)


def _is_text(member: Any, accept: Callable[[str], bool]) -> bool:
    return isinstance(member, str) and (not member.strip() or accept(member))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same and of the same types, unlike 1 and true."""
    return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)
