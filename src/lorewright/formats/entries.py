"""The entries of a lorebook -> ImportedEntry: name, type, aliases, tags, text, and everything else as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lorewright.errors import PackError
from lorewright.formats.fields import Fields, guess_type, named_type, split_prefix
from lorewright.formats.imported import ImportedEntry, ImportReport, Part, Placeholders
from lorewright.formats.mark import (
    MAX_ALIAS_CHARS,
    MAX_ALIASES,
    MAX_ENTRIES,
    MAX_NAME_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
)
from lorewright.formats.ours import take_mark
from lorewright.formats.rule_fields import is_key_pattern, take_decorators, take_rules
from lorewright.packs.key_patterns import MAX_KEYS, is_pattern

_NAMES = ("name", "displayName", "title", "comment")
_KEYS = ("key", "keys")
_TEXTS = ("content", "text", "value", "entry")

_SWITCHES = (("disable", True), ("enabled", False))

_OF_PATTERNS = re.compile(r"[\\^$.|?*+()\[\]{}]")
_TALK = re.compile(r"\{\{\s*(?:char|user)\s*\}\}\s*:", re.IGNORECASE)
# Frontmatter reads a name with any of these otherwise.
_NOT_IN_LISTS = ("|", "[[", "]]", "\n")
# Set for an entry whose title is not among its keys: the other tool does not find it by its name.
NO_KEY = "x_name_is_key"
_DECORATOR = re.compile(r"\s*@@@?\w")


@dataclass(slots=True)
class Book:
    """The data that the entries of a book share. `path` is the prefix of their fields' names in the report."""

    report: ImportReport
    placeholders: Placeholders
    path: str = "entries[]."
    categories: dict[str, str] = field(default_factory=dict)


def take_entries(fields: Fields, key: str, book: Book) -> list[ImportedEntry]:
    """Take and return the entries of a list, or of an object whose keys number them. Members that are no entries stay.

    Raises:
        PackError: there are more than a pack can hold.
    """
    members = fields.members(key)
    if len(members) > MAX_ENTRIES:
        message = f"the book has {len(members)} entries; at most {MAX_ENTRIES} are read"
        raise PackError(message, hint="split the book into several files")
    strays = [value for _, value in members if not isinstance(value, dict)]
    if strays:
        fields.put(key, strays)
    entries = [(number, name, value) for number, (name, value) in enumerate(members, start=1)]
    return [_entry(value, book, key=name, number=number) for number, name, value in entries if isinstance(value, dict)]


def _entry(source: dict[str, Any], book: Book, *, key: str, number: int) -> ImportedEntry:
    fields = Fields(source, path=book.path, report=book.report)
    mark = take_mark(fields)
    patterns = [
        key.strip()
        for name in _KEYS
        for key in fields.texts(name, place="lore: keys", accept=is_key_pattern, limit=MAX_KEYS)
    ]
    aliases = _aliases(fields, book, is_regex=fields.flag("use_regex") is True)
    decorators, told = _without_decorators(fields.text(*_TEXTS, place="the text"))
    text = book.placeholders.fill(told)
    is_named = mark is None or (not mark.section and bool(fields.peek(*_NAMES)))
    kind, name = _name(fields, book, aliases, text, number) if is_named else ("", mark.name if mark else "")
    category = book.categories.get(fields.peek("category"), "")
    known = _named_type(fields, kind, category)
    entry_type, why = known or guess_type(name, aliases, text, is_talk=bool(_TALK.search(told)))
    rules, is_never = take_rules(fields)
    said_keys = [key for key in (mark.keys if mark else ()) if key in patterns or key in aliases]
    if keys := unique([*said_keys, *patterns]):
        rules |= {"keys": keys}
    said, also_never, decorators = take_decorators(decorators)
    own: dict[str, Any] = {"x_decorators": decorators} if decorators else {}
    own |= {"x_entry": key} if key and key != str(source.get("uid", key)) else {}
    if name.casefold() not in {alias.casefold() for alias in aliases}:
        own |= {NO_KEY: False}
    if mark:
        fields.drop({"comment": mark.comment})
        aliases = [alias for alias in aliases if alias != mark.section and alias not in said_keys]
    return ImportedEntry(
        name=name,
        type=mark.type if mark and mark.type else entry_type,
        why="our own export" if mark and mark.type else why,
        parts=(Part("", text),),
        aliases=tuple(alias for alias in aliases if alias != name),
        tags=tuple(unique([*read_tags(fields), fold(category), *(mark.tags if mark else ())])),
        hidden=_is_off(fields, book) or is_never or also_never or (mark is not None and mark.hidden),
        extra=fields.rest(taken={} if mark and mark.section else own),
        rules={**said, **rules},
        mark=mark,
    )


def _is_off(fields: Fields, book: Book) -> bool:
    """Tell whether the author switched the entry off; then players do not see it either."""
    switch = next((name for name, off in _SWITCHES if fields.flag(name) is off), None)
    if switch:
        book.report.add(f"{book.path}{switch}", "switched off: visibility gm")
    return switch is not None


def _aliases(fields: Fields, book: Book, *, is_regex: bool) -> list[str]:
    """Take and return the keys that are plain names; patterns, combinations and too long keys stay keys. Where keys are
    patterns (`is_regex`) plain words mean themselves."""

    def is_name(key: str) -> bool:
        return is_alias(key) and not (is_regex and _OF_PATTERNS.search(key))

    found: list[str] = []
    for name in _KEYS:
        room = MAX_ALIASES - len(found)
        found += fields.texts(name, place="aliases", accept=is_name, limit=room, separator=",")
    return unique(fold(book.placeholders.fill(key)) for key in found)


def is_alias(key: str) -> bool:
    """Tell whether a key is a name: no pattern, no combination (`a & b`), nothing that frontmatter reads otherwise."""
    return (
        len(key) <= MAX_ALIAS_CHARS
        and key.count("{{") + key.count("<") < 2
        and not is_pattern(key)
        and not any(mark in key for mark in (*_NOT_IN_LISTS, "&"))
    )


def read_tags(fields: Fields) -> list[str]:
    """Take and return the tags that a pack can have; the others stay among the fields."""

    def is_tag(tag: str) -> bool:
        return len(tag) <= MAX_TAG_CHARS and not any(mark in tag for mark in _NOT_IN_LISTS)

    return unique(fold(tag) for tag in fields.texts("tags", place="tags", accept=is_tag, limit=MAX_TAGS, separator=","))


def _name(fields: Fields, book: Book, aliases: list[str], text: str, number: int) -> tuple[str, str]:
    """Return the type in the title's prefix ("" for none) and the name: the title, a key, or the text's first words.

    A title that had to be shortened or changed stays among the fields.
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


def _named_type(fields: Fields, kind: str, category: str) -> tuple[str, str] | None:
    """Return the type that the source names (its own field, the title's prefix, the category) and where it is named;
    None if it names none."""
    said = fields.peek("type")
    for word, why in ((said, f"its type {fold(said)}"), (kind, "its title"), (category, f"its category {category}")):
        named = named_type(word) or named_type(fold(word).rpartition(" ")[2])
        if named:
            return named, shortened(why)
    return None


def _without_decorators(text: str) -> tuple[list[str], str]:
    """Return the decorators of a version-3 entry (lines with @@ at its start, for the software), and the text after
    them."""
    lines = text.split("\n")
    count = next((place for place, line in enumerate(lines) if not _DECORATOR.match(line)), len(lines))
    return [line.strip() for line in lines[:count]], "\n".join(lines[count:])


def fold(text: str) -> str:
    """Return the text on one line; "" if it has no visible character."""
    folded = " ".join(text.split())
    return folded if any(character.isprintable() and not character.isspace() for character in folded) else ""


def unique(texts: Iterable[str]) -> list[str]:
    """Return the texts in order, without empty ones and repetitions."""
    return list(dict.fromkeys(text for text in texts if text))


def shortened(name: str, *, limit: int = MAX_NAME_CHARS) -> str:
    """Return the name; if it is longer than the limit, cut at a word's end and marked with `…`."""
    if len(name) <= limit:
        return name
    return (name[: limit - 1].rpartition(" ")[0] or name[: limit - 1]) + "…"
