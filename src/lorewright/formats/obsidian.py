"""ShownPack -> an Obsidian vault, which is a pack again: a note for each entity, links by name, folders by type."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from lorewright.formats.imported import heading
from lorewright.formats.json_source import dump
from lorewright.formats.shown import ReadablePack, ShownEntity, ShownSection
from lorewright.formats.sillytavern import NOTICE
from lorewright.formats.writer import FOLDERS
from lorewright.ids import local, slug
from lorewright.packs.images import read_picture
from lorewright.packs.manifest import MANIFEST_FILE, derived_manifest
from lorewright.packs.markdown.titles import title_role
from lorewright.packs.models import OPEN_ROLES, PackEntity

# The key in `pack.yaml` that marks an export; the README at the root is no content of a pack.
MARK = "x_exported_from"
_HOME = "README.md"
_PICTURES = "images"

# Obsidian does not allow these in the name of a note or in a link.
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|#^\[\]%]+')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9])(?:\..*)?", re.IGNORECASE)
_MAX_NAME_CHARS = 80
_RELATIONS = ("related_entities", "related_factions", "related_locations")
_TITLES = {"npc": "People", "location": "Places", "faction": "Factions", "item": "Things", "event": "Events"}
_TITLES |= {"history": "History", "technology": "Technology", "culture": "Culture"}


@dataclass(frozen=True, slots=True)
class _Note:
    """A note: its name, its path without `.md`, and the target of links to it."""

    name: str
    path: str
    target: str

    def link(self, label: str = "") -> str:
        said = (label or self.name).replace("|", "/")
        return f"[[{self.target}]]" if said == self.target else f"[[{self.target}|{said}]]"


def titles_of_types() -> Mapping[str, str]:
    """Return type -> plural title, in the order in which a reader sees them."""
    return _TITLES


def vault(pack: ReadablePack, *, folder_name: str) -> dict[str, str | bytes]:
    """Return path -> content of every file: texts, and the pictures of the notes that the reader may know of. The
    pack's ID is derived from the folder's name, as in an import.

    Raises:
        PackError: a picture cannot be read any more.
    """
    notes = _notes(pack)
    files: dict[str, str | bytes] = {MANIFEST_FILE: dump(_manifest(pack, folder_name)), _HOME: _home(pack, notes)}
    for shown in pack.entities:
        properties, body = _properties(pack, shown, notes), _body(pack, shown, notes)
        if shown.image is not None:
            # By the note's name: what its author called the file may tell more.
            picture = f"{_PICTURES}/{notes[shown.entity.id].path}{PurePath(shown.image).suffix.lower()}"
            properties["image"] = picture
            files[picture] = read_picture(Path(pack.root) / shown.image)
        files[f"{notes[shown.entity.id].path}.md"] = f"---\n{dump(properties)}---\n\n{body}"
    return files


def _manifest(pack: ReadablePack, folder_name: str) -> dict[str, Any]:
    manifest = pack.manifest
    said: dict[str, Any] = {"id": derived_manifest(folder_name).id, "name": manifest.name, "version": manifest.version}
    said |= {key: value for key in ("genre", "description") if (value := getattr(manifest, key))}
    said |= {"layer": manifest.layer, "language": manifest.language}
    said |= {"license": manifest.license or {"type": "unknown"}, "chunk_tokens": manifest.chunk_tokens}
    if pack.audience.is_gm:
        said |= (
            {"depends_on": [dependency.model_dump() for dependency in manifest.depends_on]}
            if manifest.depends_on
            else {}
        )
        said |= {"synonyms": [list(group) for group in manifest.synonyms]} if manifest.synonyms else {}
        said |= manifest.extra
    return said | {MARK: f"{manifest.id} {manifest.version}", "x_exported_for": pack.audience.view.viewer}


def _home(pack: ReadablePack, notes: Mapping[str, _Note]) -> str:
    parts = [heading(pack.manifest.name, level=1)]
    parts += [f"**{NOTICE}**\n"] if pack.tells_secrets else []
    parts += [f"{pack.manifest.description}\n"] if pack.manifest.description else []
    for kind, title in _TITLES.items():
        listed = [notes[entity.entity.id] for entity in pack.entities if entity.entity.type == kind]
        if listed:
            lines = [f"- {note.link()}" for note in sorted(listed, key=lambda note: note.name)]
            parts += [heading(title, level=2), "\n".join(lines) + "\n"]
    return "\n".join(parts)


def _notes(pack: ReadablePack) -> dict[str, _Note]:
    """Return entity ID -> its note. No two names differ only by case; a note whose name is ambiguous is linked by its
    path, which both Obsidian and a pack's reader understand."""
    taken: set[str] = set()
    names: dict[str, str] = {}
    for shown in pack.entities:
        wanted = _note_name(shown.entity)
        free, number = wanted, 1
        while free.casefold() in taken:
            number += 1
            free = f"{wanted} ({shown.entity.type}{f' {number - 1}' if number > 2 else ''})"
        taken.add(free.casefold())
        names[shown.entity.id] = free
    called = Counter(
        name_slug
        for shown in pack.entities
        for name_slug in {slug(name) for name in (names[shown.entity.id], shown.entity.name, *shown.entity.aliases)}
    )
    notes = {}
    for shown in pack.entities:
        name = names[shown.entity.id]
        path = f"{FOLDERS[shown.entity.type]}/{name}"
        notes[shown.entity.id] = _Note(name, path, name if called[slug(name)] == 1 else path)
    return notes


def _note_name(entity: PackEntity) -> str:
    printable = "".join(char for char in entity.name if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))
    plain = " ".join(_NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", printable)).split()).strip(". ")
    plain = plain[:_MAX_NAME_CHARS].strip(". ") or local(entity.id)
    return f"{plain} ({entity.type})" if _DEVICE.fullmatch(plain) else plain


def _properties(pack: ReadablePack, shown: ShownEntity, notes: Mapping[str, _Note]) -> dict[str, Any]:
    entity, note = shown.entity, notes[shown.entity.id].name
    said: dict[str, Any] = {"id": local(entity.id), "type": entity.type}
    aliases = [alias for alias in (entity.name, *entity.aliases) if alias != note]
    said |= {"aliases": list(dict.fromkeys(aliases))} if aliases else {}
    said |= {"tags": list(dict.fromkeys("-".join(tag.split()) for tag in entity.tags))} if entity.tags else {}
    if not pack.audience.is_gm:
        roles = {section.title: "lore" for section in (ShownSection(entity.name, "lore", "", ""), *shown.sections)}
        is_person = entity.type == "npc"
        roles = {
            title: role
            for title, role in roles.items()
            if title and title_role(title, of_person=is_person).role not in OPEN_ROLES
        }
        return said | ({"section_roles": roles} if roles else {})
    kept = {key: value for key, value in shown.frontmatter.items() if key not in said}
    for key in _RELATIONS:
        if isinstance(kept.get(key), list):
            kept[key] = [_relation(pack, reference, notes) for reference in kept[key]]
    return said | kept


def _relation(pack: ReadablePack, reference: Any, notes: Mapping[str, _Note]) -> Any:
    found = pack.links.find(reference) if isinstance(reference, str) else None
    return f"[[{notes[found.id].target}]]" if found is not None else reference


def _body(pack: ReadablePack, shown: ShownEntity, notes: Mapping[str, _Note]) -> str:
    def render(entity: PackEntity, label: str) -> str:
        return notes[entity.id].link(label or entity.name)

    if pack.audience.is_gm:
        text = "".join(chunk.source for chunk in shown.source)
        return pack.linked(shown, text, render)
    parts = [heading(shown.entity.name, level=1)]
    for section in shown.sections:
        text = pack.linked(shown, section.text, render)
        parts.append((heading(section.title, level=2) + "\n" if section.title else "") + text + "\n")
    return "\n".join(parts)
