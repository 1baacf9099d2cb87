"""ImportedEntry -> the text of a markdown file, and what has no room in its frontmatter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lorewright.formats.importers.imported import ImportedEntry
from lorewright.formats.importers.prose import contained, heading
from lorewright.formats.importers.yaml_text import fitted
from lorewright.ids import slug
from lorewright.packs.entry_rules import FILE_KEY, SECTION_KEY
from lorewright.packs.files import MAX_FRONTMATTER_BYTES

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
    """A file of the pack to be. `left` are the fields that its frontmatter has no room for."""

    path: str
    entity_id: str
    text: str
    left: dict[str, Any]


def render(entries: Iterable[ImportedEntry]) -> Iterator[PackFile]:
    """The files, in the order of the entries. IDs are unique: a name that comes again gets `-2`, `-3`, …."""
    taken: set[str] = set()
    repeated: Counter[str] = Counter()
    for number, entry in enumerate(entries, start=1):
        entity_id = _free_id(_wanted_id(entry, number), taken, repeated)
        yield _file(entry, entity_id)


def _wanted_id(entry: ImportedEntry, number: int) -> str:
    """The ID that our own export says it had, where that can name a file; else one made of the name."""
    had = entry.mark.entity if entry.mark else ""
    return (
        had if _PLAIN_ID.fullmatch(had) and not _DEVICE.fullmatch(had.casefold()) else entity_id_of(entry.name, number)
    )


def entity_id_of(name: str, number: int) -> str:
    """An ID that is a file name on every system: letters a to z, digits and dashes."""
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
    head: dict[str, Any] = {"id": entity_id, "type": entry.type}
    head |= {"aliases": list(entry.aliases)} if entry.aliases else {}
    head |= {"tags": list(entry.tags)} if entry.tags else {}
    head |= {"visibility": "gm"} if entry.hidden else {}
    head |= {FILE_KEY: entry.rules} if entry.rules else {}
    head |= {SECTION_KEY: entry.section_rules} if entry.section_rules else {}
    head |= {"section_roles": entry.section_roles} if entry.section_roles else {}
    # The fences and the line feeds around the YAML are not counted by the loader.
    frontmatter, left = fitted(head, entry.extra, max_bytes=MAX_FRONTMATTER_BYTES)
    text = f"---\n{frontmatter}---\n\n{_body(entry)}"
    return PackFile(f"{FOLDERS[entry.type]}/{entity_id}.md", entity_id, text, left)


def _body(entry: ImportedEntry) -> str:
    parts = [heading(entry.name, level=1)]
    for part in entry.parts:
        text = contained(part.text)
        if text.strip():
            parts.append((heading(part.title, level=2) + "\n" if part.title else "") + text + "\n")
    return "\n".join(parts)
