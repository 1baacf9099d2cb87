"""What an import yields before anything is written: entries, fields of the pack, and where each field went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from markdown_it.token import Token

from lorewright.formats.mark import Mark
from lorewright.packs.chunking import blocks_of, comments_in, lines_of, split_sections

# Someone's text -> markdown that stays inside its section: no heading that cuts it, no fence that runs on.

_PROBE = "probe"
_PASSES = 3
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_PERCENTS = re.compile(r"%(?=%)")
# Only a line that begins so can be a heading, underline one, or open what does not end by itself.
_MAY_RUN_ON = re.compile(r"^ {0,3}(?:[#=<]|`{3}|~{3}|-+[ \t]*$)", re.MULTILINE)
_HASHES = re.compile(r"( {0,3})(#{1,6})(?!#)")


def contained(text: str) -> str:
    """The text so that it is one section wherever it stands: what follows it is not part of it, nor it of that.

    Headings go down by two levels, a line of dashes below a text becomes a rule of its own, a fence left open is
    closed. What can be held in no other way becomes a quotation.
    """
    text = _without_open_comments(text).strip("\n")
    if not _MAY_RUN_ON.search(text):
        return text
    mended = _demoted(text)
    for _ in range(_PASSES):
        if _is_contained(mended):
            return mended
        mended = _closed(_demoted(mended))
    return mended if _is_contained(mended) else "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def heading(name: str, *, level: int) -> str:
    """A heading that reads as the name, to the letter: punctuation is escaped only where markdown would take it."""
    sections = split_sections(f"# {name}\n")
    if len(sections) != 1 or sections[0].title != name:
        name = _PUNCTUATION.sub(lambda mark: f"\\{mark.group()}", name)
    return f"{'#' * level} {name}\n"


def _is_contained(text: str) -> bool:
    """Whether a heading after the text is seen as one, and nothing in it is."""
    sections = split_sections(f"# {_PROBE}\n\n{text}\n\n## {_PROBE}\n")
    return [(section.title, section.subtitle) for section in sections] == [(_PROBE, ""), (_PROBE, _PROBE)]


def _demoted(text: str) -> str:
    lines = lines_of(text)
    for token in _headings(blocks_of(text)):
        first, last = token.map or (0, 0)
        if token.markup.startswith("#"):
            lines[first] = _HASHES.sub(_two_lower, lines[first], count=1)
        elif token.tag in ("h1", "h2"):
            lines[last - 1] = "\n" + lines[last - 1]
    return "".join(lines)


def _headings(tokens: list[Token]) -> Iterator[Token]:
    """The headings that would cut a section, and the lower ones, which go down with them."""
    tops = [token for token in tokens if token.type == "heading_open" and not token.level and token.map]
    return iter(tops if any(token.tag in ("h1", "h2") for token in tops) else [])


def _two_lower(marks: re.Match[str]) -> str:
    return f"{marks.group(1)}{marks.group(2)}##"[: len(marks.group(1)) + 6]


def _closed(text: str) -> str:
    """The text with its last fence closed, if that is what runs on."""
    tokens = blocks_of(text)
    last = tokens[-1] if tokens else None
    return f"{text}\n{last.markup}" if last is not None and last.type == "fence" else text


def _without_open_comments(text: str) -> str:
    """`%%` is no comment where the text comes from, and a comment that does not end would hide what follows."""
    text = _PERCENTS.sub(r"%\\", text)
    spans = comments_in(text)
    end = spans[-1][1] if spans else 0
    return text[:end] + text[end:].replace("<!--", r"<\!--")


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
class FieldRow:
    """So many values of one source field went to one place."""

    field: str
    place: str
    count: int


class ImportReport:
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

    def rows(self) -> tuple[FieldRow, ...]:
        """The rows, in the order in which the fields were first met."""
        return tuple(FieldRow(name, place, count) for (name, place), count in self._counts.items())


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
    rows: tuple[FieldRow, ...]


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


# `{{char}}` and `{{user}}` -> who is meant. What a pack says is read by people and must name them.

PLAYER = "the player"
NOBODY = "the character"

_CHAR = re.compile(r"\{\{\s*char\s*\}\}|<char>|<bot>", re.IGNORECASE)
_USER = re.compile(r"\{\{\s*user\s*\}\}|<user>", re.IGNORECASE)
_MACRO = re.compile(r"\{\{[^{}\n]{1,200}\}\}")


class Placeholders:
    """Fills and counts the placeholders of one source. Without a name for `{{char}}` it is "the character"."""

    def __init__(self, character: str, report: ImportReport) -> None:
        self._character = character or NOBODY
        self._report = report

    def fill(self, text: str) -> str:
        """The text with names for placeholders; any other macro stays as it is, and is counted."""
        text, characters = _CHAR.subn(lambda _: self._character, text)
        text, users = _USER.subn(lambda _: PLAYER, text)
        self._report.add("{{char}}", f"“{self._character}”", characters)
        self._report.add("{{user}}", f"“{PLAYER}”", users)
        self._report.add("other {{…}} macros", "left as they are", len(_MACRO.findall(text)))
        return text
