"""A file of another tool -> Imported. Only this module lists the formats and the order in which they are tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.formats.ai_dungeon import NovelAILorebook, NovelAIScenario, StoryCards
from lorewright.formats.character_card import (
    CARD_KEYWORDS,
    FORMAT,
    PNG_SIGNATURE,
    ZIP_SIGNATURE,
    Card,
    bare_picture,
    card_of_archive,
    card_texts,
)
from lorewright.formats.imported import Format, Imported, ImportedEntry
from lorewright.formats.json_source import clean, read_json
from lorewright.formats.mark import MAX_CONTAINER_BYTES, too_large
from lorewright.formats.ours import merge_sections
from lorewright.formats.rule_fields import with_references
from lorewright.formats.sillytavern import WorldInfo
from lorewright.packs.images import MAX_IMAGE_BYTES

# Stricter formats first: a NovelAI lorebook has entries as world info has, and also a version.
FORMATS: tuple[Format, ...] = (NovelAIScenario(), NovelAILorebook(), Card(), WorldInfo(), StoryCards())


def read_file(path: Path) -> Imported:
    """Return the content of a file.

    Raises:
        PackError: there is no such file, or it cannot be imported.
    """
    if not path.is_file():
        raise PackError(f"{path} is not a file", hint="name the lorebook or card to import")
    try:
        data = read_bytes(path, MAX_CONTAINER_BYTES, PackError)
    except OSError as problem:
        raise PackError(f"{path} cannot be read: {problem.strerror}", hint="check its permissions") from None
    return read(data, path.name)


def read(data: bytes, filename: str) -> Imported:
    """Return the content of a source. The filename is used in messages, and as the name if the source has none.

    Raises:
        PackError: the source is damaged, too large, hostile, or of no known format.
    """
    name = clean(filename) or "the source"
    if len(data) > MAX_CONTAINER_BYTES:
        raise too_large(name, MAX_CONTAINER_BYTES)
    source = _value(data, name)
    empty = ""
    for known in FORMATS:
        if known.knows(source):
            imported = known.read(source, stem=PurePath(name).stem)
            if imported.entries:
                entries = with_references(imported.entries)
                if known.name == FORMAT and data.startswith(PNG_SIGNATURE):
                    entries = _with_picture(entries, bare_picture(data, what=name))
                return merge_sections(replace(imported, entries=entries))
            # A source without entries in this format may have entries in another.
            empty = empty or known.name
    if empty:
        raise PackError(f"{name} holds no entries", hint=f"it was read as {empty}")
    formats = ", ".join(known.name for known in FORMATS)
    raise PackError(f"{name} is of no known format", hint=f"these are read: {formats}")


def _with_picture(entries: Sequence[ImportedEntry], picture: bytes) -> tuple[ImportedEntry, ...]:
    """Return the entries of a card with its picture at the character, who comes first; without it where it is larger
    than a pack's may be."""
    character, *others = entries
    return (replace(character, picture=picture if len(picture) <= MAX_IMAGE_BYTES else None), *others)


def _value(data: bytes, name: str) -> Any:
    """Return the JSON value of a source, extracted from its picture or archive if it is one."""
    if data.startswith(PNG_SIGNATURE):
        return _of_picture(card_texts(data, what=name), name)
    if data.startswith(ZIP_SIGNATURE):
        return read_json(card_of_archive(data, what=name), what=f"the card in {name}")
    return read_json(data, what=name)


def _of_picture(texts: dict[str, bytes], name: str) -> Any:
    """Return the best card of a picture. Another card in it is kept as a field if it differs."""
    values = {key: read_json(texts[key], what=f"the card in {name}") for key in CARD_KEYWORDS if key in texts}
    best, *others = values
    value = values[best]
    for other in others:
        if isinstance(value, dict) and values[other] != value:
            value = {**value, f"{other}_in_the_picture": values[other]}
    return value
