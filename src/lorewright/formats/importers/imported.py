"""What an import yields before anything is written: entries, fields of the pack, and where each field went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

from lorewright.formats.importers.mark import Mark

_MAX_ROWS = 300
_OTHERS = ("other fields", "x_…")
_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of an entry's text, below an H2 of its title; without a title it stands below the entry's name."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ImportedEntry:
    """One file of the pack to be. `why` says what the type was taken from; `extra` are the fields without a place.

    `hidden` entries were switched off in the source: they are kept, for the game master alone. `rules` say when it is
    told, `section_rules` the same of a part, by its title. `section_roles` are those that a title does not say by
    itself; `mark` is what our own export said of the entry.
    """

    name: str
    type: str
    why: str
    parts: tuple[Part, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    hidden: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)
    section_rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    section_roles: dict[str, str] = field(default_factory=dict)
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """So many values of one source field went to one place."""

    field: str
    place: str
    count: int


class Report:
    """Counts where fields went while a source is read."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, source_field: str, place: str, count: int = 1) -> None:
        """Note that `count` more values of a field went to a place. Of very many fields the last ones share a row."""
        row = (_short(source_field), _short(place))
        if len(self._counts) >= _MAX_ROWS and row not in self._counts:
            row = _OTHERS
        if count:
            self._counts[row] += count

    def rows(self) -> tuple[Row, ...]:
        """The rows, in the order in which the fields were first met."""
        return tuple(Row(name, place, count) for (name, place), count in self._counts.items())


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Imported:
    """A whole source. `name`, `description` and `extra` (keys `x_…`) are for the pack's manifest."""

    format: str
    name: str
    description: str
    entries: tuple[ImportedEntry, ...]
    extra: dict[str, Any]
    rows: tuple[Row, ...]


class Format(Protocol):
    """One tool's way to write lore as JSON."""

    @property
    def name(self) -> str:
        """What the format is called in the report."""

    def knows(self, source: Any) -> bool:
        """Whether the JSON value is of this format."""

    def read(self, source: Any, *, stem: str) -> Imported:
        """Take the value apart. `stem` is the file's name without its ending, where the source names nothing itself.

        Raises:
            PackError: it holds nothing that can be imported, or too much.
        """
