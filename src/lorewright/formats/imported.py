"""The result of an import before anything is written: entries, fields of the pack, and where each field went."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from markdown_it.token import Token

from lorewright.formats.mark import Mark
from lorewright.packs.markdown.chunking import blocks_of, comments_in, lines_of, split_sections

# Imported text -> markdown that stays inside its section: no heading that cuts it, no open fence.

_PROBE = "probe"
_PASSES = 3
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_PERCENTS = re.compile(r"%(?=%)")
# Only a line that begins so can be a heading, underline a heading, or open a block that does not end by itself.
_MAY_RUN_ON = re.compile(r"^ {0,3}(?:[#=<]|`{3}|~{3}|-+[ \t]*$)", re.MULTILINE)
_HASHES = re.compile(r"( {0,3})(#{1,6})(?!#)")


def contain_in_section(text: str) -> str:
    """Return the text changed so that it stays one section, separate from the text that follows it.

    Headings are lowered by two levels, a line of dashes below a text becomes a rule, an open fence is closed. If that
    is not enough, the text becomes a quotation.
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
    """Return a heading that is shown exactly as the name; punctuation is escaped only if markdown would interpret
    it."""
    sections = split_sections(f"# {name}\n")
    if len(sections) != 1 or sections[0].title != name:
        name = _PUNCTUATION.sub(lambda mark: f"\\{mark.group()}", name)
    return f"{'#' * level} {name}\n"


def _is_contained(text: str) -> bool:
    """Tell whether a heading after the text is read as one, and nothing within the text is."""
    sections = split_sections(f"# {_PROBE}\n\n{text}\n\n## {_PROBE}\n")
    return [(section.title, section.subtitle) for section in sections] == [(_PROBE, ""), (_PROBE, _PROBE)]


def _demoted(text: str) -> str:
    lines = lines_of(text)
    for token in _headings(blocks_of(text)):
        first, last = token.map or (0, 0)
        if token.markup.startswith("#"):
            lines[first] = _HASHES.sub(_lower_heading, lines[first], count=1)
        elif token.tag in ("h1", "h2"):
            lines[last - 1] = "\n" + lines[last - 1]
    return "".join(lines)


def _headings(tokens: list[Token]) -> Iterator[Token]:
    """Return all top-level headings if one of them would cut a section (H1 or H2), else none."""
    tops = [token for token in tokens if token.type == "heading_open" and not token.level and token.map]
    return iter(tops if any(token.tag in ("h1", "h2") for token in tops) else [])


def _lower_heading(marks: re.Match[str]) -> str:
    return f"{marks.group(1)}{marks.group(2)}##"[: len(marks.group(1)) + 6]


def _closed(text: str) -> str:
    """Return the text with its last fence closed, if it ends in a fence."""
    tokens = blocks_of(text)
    last = tokens[-1] if tokens else None
    return f"{text}\n{last.markup}" if last is not None and last.type == "fence" else text


def _without_open_comments(text: str) -> str:
    """Return the text with `%%` escaped, which is no comment in its source, and any unclosed comment, which would hide
    the text after it."""
    text = _PERCENTS.sub(r"%\\", text)
    spans = comments_in(text)
    end = spans[-1][1] if spans else 0
    return text[:end] + text[end:].replace("<!--", r"<\!--")


# The result of an import: entries, fields of the pack, and where each field went.

_MAX_ROWS = 300
_OTHERS = ("other fields", "x_…")
_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an entry's text, written below an H2 of its title; without a title, below the entry's name."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ImportedEntry:
    """A file of the new pack. `why` says how the type was found; `extra` are the fields without a place in a pack.

    `hidden` entries were switched off in the source and are for the game master alone. `rules` are its entry rules,
    `section_rules` those of a part, by its title. `section_roles` are the roles that titles do not have by themselves;
    `mark` is the mark of our own export.
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
    # `she` or `he`, where the source calls somebody so; "" where nothing says it.
    pronoun: str = ""
    # A PNG that shows it.
    picture: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, order=True)
class FieldRow:
    """The number of values of a source field that went to a place."""

    field: str
    place: str
    count: int


class ImportReport:
    """A count of where fields went while a source is read."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, source_field: str, place: str, count: int = 1) -> None:
        """Note that `count` more values of a field went to a place. After a maximum of rows the others share one."""
        row = (_short(source_field), _short(place))
        if len(self._counts) >= _MAX_ROWS and row not in self._counts:
            row = _OTHERS
        if count:
            self._counts[row] += count

    def rows(self) -> tuple[FieldRow, ...]:
        """Return the rows, in the order in which the fields were first added."""
        return tuple(FieldRow(name, place, count) for (name, place), count in self._counts.items())


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Imported:
    """An imported source. `name`, `description` and `extra` (keys `x_…`) are for the pack's manifest."""

    format: str
    name: str
    description: str
    entries: tuple[ImportedEntry, ...]
    extra: dict[str, Any]
    rows: tuple[FieldRow, ...]


class Format(Protocol):
    """A JSON format of another tool."""

    @property
    def name(self) -> str:
        """The format's name in the report."""

    def knows(self, source: Any) -> bool:
        """Tell whether a JSON value is of this format."""

    def read(self, source: Any, *, stem: str) -> Imported:
        """Return the content of the value. `stem` (the file's name without its ending) is the name if the source has
        none.

        Raises:
            PackError: it holds nothing that can be imported, or too much.
        """


# `{{char}}` and `{{user}}` -> names, because packs are read by people.

PLAYER = "the player"
NOBODY = "the character"

_CHAR = re.compile(r"\{\{\s*char\s*\}\}|<char>|<bot>", re.IGNORECASE)
_USER = re.compile(r"\{\{\s*user\s*\}\}|<user>", re.IGNORECASE)
_MACRO = re.compile(r"\{\{[^{}\n]{1,200}\}\}")


class Placeholders:
    """A replacer of a source's placeholders that counts them. Without a name, `{{char}}` becomes "the character"."""

    def __init__(self, character: str, report: ImportReport) -> None:
        self._character = character or NOBODY
        self._report = report

    def fill(self, text: str) -> str:
        """Return the text with names for placeholders; any other macro stays and is counted."""
        text, characters = _CHAR.subn(lambda _: self._character, text)
        text, users = _USER.subn(lambda _: PLAYER, text)
        self._report.add("{{char}}", f"“{self._character}”", characters)
        self._report.add("{{user}}", f"“{PLAYER}”", users)
        self._report.add("other {{…}} macros", "left as they are", len(_MACRO.findall(text)))
        return text
