"""Imported -> a pack's folder, which is complete or missing."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.errors import PackError
from lorewright.formats.entries import fold, shortened
from lorewright.formats.imported import FieldRow, Imported, ImportedEntry, contain_in_section, heading
from lorewright.formats.json_source import clean, fit_yaml
from lorewright.formats.languages import guess_language
from lorewright.ids import slug
from lorewright.packs.entry_rules import FILE_KEY, SECTION_KEY
from lorewright.packs.files import MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, MAX_MANIFEST_BYTES
from lorewright.packs.manifest import MANIFEST_FILE, derived_manifest
from lorewright.retrieval.query import DEFAULT_MAX_TOKENS
from lorewright.storage.temporary import temporary_path
from lorewright.tokens import count_tokens

FOLDERS = {
    "location": "locations",
    "npc": "npcs",
    "faction": "factions",
    "culture": "cultures",
    "history": "history",
    "technology": "technology",
    "item": "items",
    "event": "events",
}

# Windows opens a device instead of a file of such a name, whatever its ending.
_DEVICE = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
_PLAIN_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


@dataclass(frozen=True, slots=True)
class PackFile:
    """A file of the new pack. `left` are the fields for which its frontmatter has no room."""

    path: str
    entity_id: str
    text: str
    left: dict[str, Any]
    picture: bytes | None = None


def render(entries: Iterable[ImportedEntry]) -> Iterator[PackFile]:
    """Yield the files, in the order of the entries. IDs are unique: a repeated name gets `-2`, `-3`, …."""
    taken: set[str] = set()
    repeated: Counter[str] = Counter()
    for number, entry in enumerate(entries, start=1):
        entity_id = _free_id(_wanted_id(entry, number), taken, repeated)
        yield _file(entry, entity_id)


def _wanted_id(entry: ImportedEntry, number: int) -> str:
    """Return the ID in our own export's mark if it can be a file name; else an ID made of the name."""
    had = entry.mark.entity if entry.mark else ""
    return (
        had if _PLAIN_ID.fullmatch(had) and not _DEVICE.fullmatch(had.casefold()) else entity_id_of(entry.name, number)
    )


def entity_id_of(name: str, number: int) -> str:
    """Return an ID that is a file name on every system: letters a to z, digits and dashes."""
    made = slug(name, fallback=f"entry-{number}")
    return f"entry-{made}" if _DEVICE.fullmatch(made) else made


def _free_id(wanted: str, taken: set[str], repeated: Counter[str]) -> str:
    free = wanted
    while free in taken:
        repeated[wanted] += 1
        free = f"{wanted}-{repeated[wanted] + 1}"
    taken.add(free)
    return free


def _file(entry: ImportedEntry, entity_id: str) -> PackFile:
    texts = [contain_in_section(part.text) for part in entry.parts]
    head: dict[str, Any] = {"id": entity_id, "type": entry.type}
    head |= {"aliases": list(entry.aliases)} if entry.aliases else {}
    head |= {"tags": list(entry.tags)} if entry.tags else {}
    head |= {"pronoun": entry.pronoun} if entry.pronoun else {}
    head |= {"image": _picture_path(entity_id)} if entry.picture is not None else {}
    head |= {"visibility": "gm"} if entry.hidden else {}
    head |= {FILE_KEY: entry.rules} if entry.rules else {}
    head |= {SECTION_KEY: entry.section_rules} if entry.section_rules else {}
    head |= {"section_roles": entry.section_roles} if entry.section_roles else {}
    head |= {"cut": 2} if any("\n#" in f"\n{text}" for text in texts) else {}
    # The fences and the line feeds around the YAML are not counted by the loader.
    frontmatter, left = fit_yaml(head, entry.extra, max_bytes=MAX_FRONTMATTER_BYTES)
    text = f"---\n{frontmatter}---\n\n{_body(entry, texts)}"
    return PackFile(f"{FOLDERS[entry.type]}/{entity_id}.md", entity_id, text, left, entry.picture)


def _picture_path(entity_id: str) -> str:
    return f"images/{entity_id}.png"


def _body(entry: ImportedEntry, texts: Sequence[str]) -> str:
    """Return the markdown of an entry whose parts have these texts, each of which stays within its section."""
    parts = [heading(entry.name, level=1)]
    for part, text in zip(entry.parts, texts, strict=True):
        if text.strip():
            parts.append((heading(part.title, level=2) + "\n" if part.title else "") + text + "\n")
    return "\n".join(parts)


# The file for fields without room in frontmatter. The loader reads markdown only and ignores it.
LEFT_FILE = "x_source.json"


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """A file of the new pack, and why it has its type."""

    id: str
    name: str
    type: str
    why: str
    path: str


@dataclass(frozen=True, slots=True)
class WrittenPack:
    """The new pack. `rows` say where the source's fields went; `files` counts all files, including the manifest."""

    pack_id: str
    name: str
    folder: str
    format: str
    files: int
    entries: tuple[WrittenEntry, ...]
    rows: tuple[FieldRow, ...]
    # How many entries are always there, and the tokens of their texts.
    constant_entries: int = 0
    constant_tokens: int = 0

    @property
    def warning(self) -> str:
        """The sentence for a book whose constant entries need more than their half of the default budget, else ""."""
        if self.constant_tokens <= DEFAULT_MAX_TOKENS // 2:
            return ""
        need = f"{self.constant_tokens:,} tokens of {DEFAULT_MAX_TOKENS:,}"
        return f"{self.constant_entries} constant entries need {need}: an answer gives them at most half"


def write_pack(imported: Imported, folder: Path, *, name: str | None = None) -> WrittenPack:
    """Write a pack into a folder that does not exist or is empty. The pack's ID is derived from the folder's name.

    Everything is written into a temporary folder next to it, which is then renamed: on an error nothing is left behind.

    Raises:
        PackError: the folder is taken, cannot be written, or an entry is larger than a file of a pack may be.
    """
    check_target(folder)
    pack_id = derived_manifest(folder.absolute().name).id
    shown = shortened(fold(clean(name or ""))) or shortened(fold(clean(imported.name))) or pack_id
    files = list(render(imported.entries))
    texts = {file.path: file.text for file in files}
    manifest, left = _manifest(imported, pack_id, shown)
    kept_aside = {file.path: file.left for file in files if file.left} | ({MANIFEST_FILE: left} if left else {})
    texts[MANIFEST_FILE] = manifest
    if kept_aside:
        texts[LEFT_FILE] = json.dumps(kept_aside, ensure_ascii=False, indent=1) + "\n"
    pictures = {_picture_path(file.entity_id): file.picture for file in files if file.picture is not None}
    _write(folder, {**{path: text.encode() for path, text in texts.items()}, **pictures})
    constant_entries, constant_tokens = _constant_tokens(imported.entries)
    return WrittenPack(
        pack_id=pack_id,
        name=shown,
        folder=str(folder),
        format=imported.format,
        files=len(texts) + len(pictures),
        entries=tuple(_written(imported, files)),
        rows=(*imported.rows, *_rows_of_left_fields(kept_aside)),
        constant_entries=constant_entries,
        constant_tokens=constant_tokens,
    )


def check_target(folder: Path) -> None:
    """Check that a folder does not exist or is empty.

    Raises:
        PackError: it is not, or cannot be read.
    """
    try:
        taken = folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir())))
    except OSError as problem:
        raise _unwritable(folder, problem) from None
    if taken:
        raise PackError(f"{folder} is there already and not empty", hint="name a new folder for the pack")


def _manifest(imported: Imported, pack_id: str, name: str) -> tuple[str, dict[str, Any]]:
    head: dict[str, Any] = {"id": pack_id, "name": name, "version": "0.1.0", "layer": "setting"}
    head |= {"language": guess_language(_texts_of(imported))}
    # The source says nothing reliable about its license; the user who imports it must know.
    head |= {"license": {"type": "unknown"}}
    head |= {"description": imported.description} if imported.description else {}
    return fit_yaml(head, {"x_imported_from": imported.format, **imported.extra}, max_bytes=MAX_MANIFEST_BYTES)


def _texts_of(imported: Imported) -> Iterator[str]:
    return (text for entry in imported.entries for text in (entry.name, *(part.text for part in entry.parts)))


def _constant_tokens(entries: Iterable[ImportedEntry]) -> tuple[int, int]:
    """Return the number of entries that are always there, and the tokens of their texts."""
    always = [entry for entry in entries if entry.rules.get("always") is True and not entry.hidden]
    return len(always), sum(count_tokens(part.text) for entry in always for part in entry.parts)


def _written(imported: Imported, files: list[PackFile]) -> list[WrittenEntry]:
    return [
        WrittenEntry(file.entity_id, entry.name, entry.type, entry.why, file.path)
        for entry, file in zip(imported.entries, files, strict=True)
    ]


def _rows_of_left_fields(kept_aside: dict[str, dict[str, Any]]) -> list[FieldRow]:
    counts = Counter(key for left in kept_aside.values() for key in left)
    return [FieldRow(key, f"{LEFT_FILE}: too large for frontmatter", count) for key, count in counts.items()]


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write the files into a temporary folder next to the target, then rename it."""
    folder = folder.absolute()
    part = temporary_path(folder, once=True)
    try:
        part.mkdir(parents=True)
        for path, data in files.items():
            if path != LEFT_FILE and len(data) > MAX_FILE_BYTES:
                message = f"{path} would be larger than {MAX_FILE_BYTES // 2**20} MiB"
                raise PackError(message, hint="split the entry in the tool that it comes from")
            (part / path).parent.mkdir(exist_ok=True)
            (part / path).write_bytes(data)
        if folder.is_dir():
            folder.rmdir()
        part.rename(folder)
    except OSError as problem:
        raise _unwritable(folder, problem) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _unwritable(folder: Path, problem: OSError) -> PackError:
    message = f"{folder} cannot be written: {problem.strerror or problem}"
    return PackError(message, hint="check the folder's name, its permissions and the room on the disk")
