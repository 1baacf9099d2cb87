"""The marks of our own export -> the entities and sections of the original pack, so that an import restores them.

Lorebooks have only texts and keys. So an export adds to each entry, under `extensions.lorewright`, its entity, section
and role; other tools keep that and do not read it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lorewright.formats.fields import Fields
from lorewright.formats.imported import Imported, ImportedEntry
from lorewright.formats.mark import KEPT, MARK, Mark, read_mark
from lorewright.formats.rule_fields import DEFAULTS


def take_mark(fields: Fields) -> Mark | None:
    """Take and return our export's mark, and drop the fields that it wrote only because SillyTavern wants them all;
    None if there is no valid mark."""
    mark = fields.member("extensions", MARK, read_mark)
    if mark is None:
        return None
    fields.drop(DEFAULTS)
    fields.drop({"addMemo": True})
    if mark.section:
        fields.drop({"comment": mark.comment})
    if mark.is_secret:
        fields.drop({"disable": True, "enabled": False})
    return mark


def merge_sections(imported: Imported) -> Imported:
    """Return the import with all sections of an entity in one file again, at the position of the first of them."""
    entries: dict[object, ImportedEntry] = {}
    for number, entry in enumerate(imported.entries):
        key: object = entry.mark.entity if entry.mark is not None else number
        entries[key] = _joined(entries[key], entry) if key in entries else _alone(entry)
    files = tuple(_with_file_rules(entry) for entry in entries.values())
    return replace(imported, entries=files, extra=_without_mark(imported.extra))


def _alone(entry: ImportedEntry) -> ImportedEntry:
    """Return an entry as the first of its entity; its rules count as its section's until all sections are merged."""
    mark = entry.mark
    if mark is None:
        return entry
    title = mark.section
    entry = replace(entry, rules={}, section_rules={title or mark.name: entry.rules})
    if not title:
        return entry
    parts = tuple(replace(part, title=title) if not part.title else part for part in entry.parts)
    return replace(entry, parts=parts, section_roles={title: mark.role} if mark.role else {})


def _with_file_rules(entry: ImportedEntry) -> ImportedEntry:
    """Return the entry with the rules that all sections share as rules of the file, the others as rules of the
    section."""
    if entry.mark is None:
        return entry
    first, *others = entry.section_rules.values()
    shared = {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}
    left = {
        title: {key: value for key, value in rules.items() if key not in shared}
        for title, rules in entry.section_rules.items()
    }
    return replace(entry, rules=shared, section_rules={title: rules for title, rules in left.items() if rules})


def _joined(first: ImportedEntry, entry: ImportedEntry) -> ImportedEntry:
    """Return an entry with the sections of both; the name and the keys are the introduction's."""
    more = _alone(entry)
    leads = entry.mark is not None and not entry.mark.section
    main, other = (more, first) if leads else (first, more)
    return replace(
        main,
        parts=(*main.parts, *other.parts),
        tags=tuple(dict.fromkeys((*main.tags, *other.tags))),
        hidden=main.hidden or other.hidden,
        section_roles={**main.section_roles, **other.section_roles},
        section_rules={**main.section_rules, **other.section_rules},
        extra={**{key: value for key, value in other.extra.items() if key not in main.extra}, **main.extra},
    )


def _without_mark(extra: dict[str, Any]) -> dict[str, Any]:
    """Return a book's own fields without our export's mark, and with the fields that the mark had kept."""
    found = dict(extra)
    inner = found.get("x_character_book")
    if isinstance(inner, dict):
        found["x_character_book"] = _without_mark_in(inner, "extensions")
    kept = _said_in(found, "x_extensions").get(KEPT)
    found = _without_mark_in(found, "x_extensions")
    return {**{f"x_{key}": value for key, value in (kept.items() if isinstance(kept, dict) else ())}, **found}


def _said_in(data: dict[str, Any], key: str) -> dict[str, Any]:
    extensions = data.get(key)
    said = extensions.get(MARK) if isinstance(extensions, dict) else None
    return said if isinstance(said, dict) else {}


def _without_mark_in(data: dict[str, Any], key: str) -> dict[str, Any]:
    if not _said_in(data, key):
        return data
    left = {name: value for name, value in data[key].items() if name != MARK}
    return {name: left if name == key else value for name, value in data.items() if name != key or left}
