"""The entries of a lorebook -> ImportedEntry: name, type, aliases, tags, text, and everything else as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lorewright.errors import PackError
from lorewright.packs.importers.bounds import (
    MAX_ALIAS_CHARS,
    MAX_ALIASES,
    MAX_ENTRIES,
    MAX_NAME_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
)
from lorewright.packs.importers.fields import Fields
from lorewright.packs.importers.guess import guess_type, named_type, split_prefix
from lorewright.packs.importers.imported import ImportedEntry, Part, Report
from lorewright.packs.importers.placeholders import Placeholders

_NAMES = ("name", "displayName", "title", "comment")
_KEYS = ("key", "keys")
_TEXTS = ("content", "text", "value", "entry")

_REGEX = re.compile(r"\s*/.*/[a-z]*\s*", re.DOTALL)
_TALK = re.compile(r"\{\{\s*(?:char|user)\s*\}\}\s*:", re.IGNORECASE)
_DECORATOR = re.compile(r"\s*@@@?\w")


@dataclass(slots=True)
class Book:
    """What the entries of one book share. `path` begins their fields' names in the report."""

    report: Report
    placeholders: Placeholders
    path: str = "entries[]."
    categories: dict[str, str] = field(default_factory=dict)


def read_entries(source: Any, book: Book) -> tuple[list[ImportedEntry], list[Any]]:
    """The entries of a list, or of an object whose keys number them, and the members that are no entries.

    Raises:
        PackError: there are more than a pack can hold.
    """
    members = list(_members(source))
    if len(members) > MAX_ENTRIES:
        message = f"the book has {len(members)} entries; at most {MAX_ENTRIES} are read"
        raise PackError(message, hint="split the book into several files")
    entries: list[ImportedEntry] = []
    strays: list[Any] = []
    for number, (key, value) in enumerate(members, start=1):
        if isinstance(value, dict):
            entries.append(_entry(value, book, key=key, number=number))
        else:
            strays.append(value)
    return entries, strays


def _members(source: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(source, dict):
        yield from source.items()
    elif isinstance(source, list):
        yield from (("", member) for member in source)


def _entry(source: dict[str, Any], book: Book, *, key: str, number: int) -> ImportedEntry:
    fields = Fields(source, path=book.path, report=book.report)
    off = fields.flag("disable") is True or fields.flag("enabled") is False
    aliases = _aliases(fields, book, is_regex=fields.flag("use_regex") is True)
    text = fields.text(*_TEXTS, place="the text")
    decorators, text = _without_decorators(text)
    filled = book.placeholders.fill(text)
    kind, name = _name(fields, book, aliases, filled, number)
    category = book.categories.get(fields.peek("category"), "")
    named, why = _named_type(fields, kind, category)
    if not named:
        named, why = guess_type(name, aliases, filled, is_talk=bool(_TALK.search(text)))
    tags = read_tags(fields)
    extra = {"x_decorators": decorators} if decorators else {}
    if key and key != str(source.get("uid", key)):
        extra["x_entry"] = key
    if off:
        book.report.add(f"{book.path}{'enabled' if 'enabled' in source else 'disable'}", "switched off: visibility gm")
    return ImportedEntry(
        name=name,
        type=named,
        why=why,
        parts=(Part("", filled),),
        aliases=tuple(alias for alias in aliases if alias != name),
        tags=tuple(dict.fromkeys([*tags, *([fold(category)[:MAX_TAG_CHARS]] if category.strip() else [])])),
        hidden=off,
        extra=fields.rest(taken=extra),
    )


def _aliases(fields: Fields, book: Book, *, is_regex: bool) -> list[str]:
    """The keys that are plain names; patterns, combinations and what is too long for a name are kept as keys."""
    found: list[str] = []

    def is_plain(key: str) -> bool:
        return not is_regex and len(found) < MAX_ALIASES and is_alias(key)

    for name in _KEYS:
        taken = fields.texts(name, place="aliases", accept=is_plain, separator=",")
        found += [fold(book.placeholders.fill(key)) for key in taken]
    kept = list(dict.fromkeys(key for key in found if key))
    for key in kept[MAX_ALIASES:]:
        fields.put("keys_left", [*kept[MAX_ALIASES:]])
        book.report.add(f"{book.path}keys", "x_keys_left")
        del key
    return kept[:MAX_ALIASES]


def is_alias(key: str) -> bool:
    """Whether a key is a name: no pattern, no combination (`a & b`), nothing that frontmatter reads otherwise."""
    return (
        0 < len(key.strip()) <= MAX_ALIAS_CHARS
        and not _REGEX.fullmatch(key)
        and not any(mark in key for mark in ("|", "[[", "]]", "&", "\n"))
    )


def read_tags(fields: Fields) -> list[str]:
    """The tags that can be tags here; the others are kept as they are."""

    def is_tag(tag: str) -> bool:
        return 0 < len(tag.strip()) <= MAX_TAG_CHARS and not any(mark in tag for mark in ("|", "[[", "]]", "\n"))

    found = [fold(tag) for tag in fields.texts("tags", place="tags", accept=is_tag)]
    return found


def _name(fields: Fields, book: Book, aliases: list[str], text: str, number: int) -> tuple[str, str]:
    """The type that the title begins with ("" for none) and the name: the title, a key, or the text's first words.

    A title of which something would be lost stays among the fields.
    """
    title = fold(book.placeholders.fill(fields.peek(*_NAMES)))
    kind, name = split_prefix(title)
    name = shortened(name)
    if name and name == title:
        fields.text(*_NAMES, place="the name")
    if name:
        return kind, name
    first = next(iter(aliases), "")
    words = shortened(fold(text), limit=40)
    name = first[:1].upper() + first[1:] or words
    book.report.add(f"{book.path}name", "none: named after a key, or the first words")
    return kind, name or f"Entry {number}"


def _named_type(fields: Fields, kind: str, category: str) -> tuple[str, str]:
    said = fields.peek("type")
    for word, why in ((said, f"its type {fold(said)}"), (kind, "its title"), (category, f"its category {category}")):
        named = named_type(word) or named_type(fold(word).rpartition(" ")[2])
        if word and named:
            return named, shortened(why)
    return "", ""


def _without_decorators(text: str) -> tuple[list[str], str]:
    """Lines that begin with @@ at the start of a version-3 entry address the software."""
    lines = text.split("\n")
    count = next((place for place, line in enumerate(lines) if not _DECORATOR.match(line)), len(lines))
    return [line.strip() for line in lines[:count]], "\n".join(lines[count:])


def fold(text: str) -> str:
    """The text on one line; nothing where it would show nothing."""
    folded = " ".join(text.split())
    return folded if any(character.isprintable() for character in folded) else ""


def shortened(name: str, *, limit: int = MAX_NAME_CHARS) -> str:
    """The name, cut at a word's end and marked where it is longer than the limit."""
    if len(name) <= limit:
        return name
    return (name[: limit - 1].rpartition(" ")[0] or name[: limit - 1]) + "…"
