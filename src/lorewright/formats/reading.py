"""A file of another tool -> Imported. The one place that knows every format, and in which order they are tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.formats.ai_dungeon import NovelAILorebook, NovelAIScenario, StoryCards
from lorewright.formats.character_card import (
    CARD_KEYWORDS,
    PNG_SIGNATURE,
    ZIP_SIGNATURE,
    Card,
    card_of_archive,
    card_texts,
)
from lorewright.formats.imported import Format, Imported
from lorewright.formats.json_source import clean, read_json
from lorewright.formats.mark import MAX_CONTAINER_BYTES, too_large
from lorewright.formats.ours import merged
from lorewright.formats.rule_fields import with_references
from lorewright.formats.sillytavern import WorldInfo

# A lorebook has entries as world info has, and a version besides: the more that a format asks for, the earlier it is.
FORMATS: tuple[Format, ...] = (NovelAIScenario(), NovelAILorebook(), Card(), WorldInfo(), StoryCards())


def read_file(path: Path) -> Imported:
    """Read a file from disk.

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
    """Take a source apart. The name serves messages, and the pack where the source has no name of its own.

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
                return merged(replace(imported, entries=with_references(imported.entries)))
            # What looks like one format and holds nothing may be another that holds something.
            empty = empty or known.name
    if empty:
        raise PackError(f"{name} holds no entries", hint=f"it was read as {empty}")
    formats = ", ".join(known.name for known in FORMATS)
    raise PackError(f"{name} is of no known format", hint=f"these are read: {formats}")


def _value(data: bytes, name: str) -> Any:
    """The JSON value of a source, out of its picture or archive."""
    if data.startswith(PNG_SIGNATURE):
        return _of_picture(card_texts(data, what=name), name)
    if data.startswith(ZIP_SIGNATURE):
        return read_json(card_of_archive(data, what=name), what=f"the card in {name}")
    return read_json(data, what=name)


def _of_picture(texts: dict[str, bytes], name: str) -> Any:
    """The best card of a picture. An older one beside it is kept where it says something else."""
    values = {key: read_json(texts[key], what=f"the card in {name}") for key in CARD_KEYWORDS if key in texts}
    best, *others = values
    value = values[best]
    for other in others:
        if isinstance(value, dict) and values[other] != value:
            value = {**value, f"{other}_in_the_picture": values[other]}
    return value
