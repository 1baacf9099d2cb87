"""A source's object, field by field: what a format takes has its place, and what nobody took is kept under `x_…`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lorewright.packs.importers.imported import Report
from lorewright.packs.importers.json_source import free_key


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

    def texts(self, key: str, *, place: str, accept: Callable[[str], bool], separator: str = "") -> list[str]:
        """Take the accepted texts of a list; the others stay. One text alone is split where there is a separator."""
        value = self._left.get(key)
        members: list[Any] = value if isinstance(value, list) else []
        if isinstance(value, str):
            members = value.split(separator) if separator else [value]
            if not all(accept(member) for member in members if member.strip()):
                return []
        elif not isinstance(value, list):
            return []
        taken: list[str] = []
        left: list[Any] = []
        for member in members:
            if isinstance(member, str) and (accept(member) or not member.strip()):
                taken.append(member)
            else:
                left.append(member)
        if left or (value == [] and not taken):
            self._left[key] = left
        else:
            del self._left[key]
        self._report.add(f"{self._path}{key}", place, len(taken))
        return [text for text in taken if text.strip()]

    def flag(self, key: str) -> bool | None:
        """What a switch says; it stays among the fields that are kept."""
        value = self._left.get(key)
        return value if isinstance(value, bool) else None

    def mapping(self, key: str) -> dict[str, Any]:
        """Take an object; empty where the field is none."""
        return self._left.pop(key) if isinstance(self._left.get(key), dict) else {}

    def drop_equal(self, other: dict[str, Any], *, path: str, renamed: dict[str, str]) -> None:
        """Leave out what `other` holds with the same value, under the same name or the one that it is renamed to."""
        for key in list(self._left):
            twin = renamed.get(key, key)
            if twin in other and _same(other[twin], self._left[key]):
                del self._left[key]
                self._report.add(self._path + key, f"the same as {path}{twin}")

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


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same and of the same types, unlike 1 and true."""
    return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)
