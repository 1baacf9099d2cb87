"""SillyTavern's world info <-> packs: an entry for the introduction of each file and for each of its sections.

Fields that an import had kept under `x_…` are restored. Each entry has a mark under `extensions.lorewright`, so that
our import makes the same files of it again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.formats.entries import NO_KEY, Book, fold, take_entries
from lorewright.formats.fields import Fields
from lorewright.formats.imported import Imported, ImportReport, Placeholders
from lorewright.formats.mark import GM, KEPT, KEYS, MARK, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS
from lorewright.formats.rule_fields import (
    DEFAULTS,
    as_book,
    as_world_info,
    has_secondary_keys,
    keys_of,
    rules_of,
    to_world_info,
    with_rules,
)
from lorewright.formats.shown import ReadablePack, ShownEntity, ShownSection
from lorewright.formats.writer import LEFT_FILE
from lorewright.ids import local
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.markdown.titles import title_role
from lorewright.packs.models import PackEntity


class WorldInfo:
    """`{"entries": {"0": {"key": […], "content": …}}}`; a version-3 lorebook has it under `data`."""

    name = "SillyTavern world info"

    def knows(self, source: Any) -> bool:
        """Tell whether the value is an object with entries; NovelAI's lorebooks, which also have a version, are tried
        before."""
        return isinstance(source, dict) and isinstance(_book(source).get("entries"), (dict, list))

    def read(self, source: Any, *, stem: str) -> Imported:
        """Return the book: each entry becomes a file, the book's own fields go to the manifest."""
        report = ImportReport()
        outer = Fields(source, path="", report=report)
        inner = _book(source)
        if inner is not source:
            outer.mapping("data")
        fields = Fields(inner, path="" if inner is source else "data.", report=report)
        entries = take_entries(fields, "entries", Book(report, Placeholders("", report)))
        name = fold(fields.text("name", place="the pack's name", accept=lambda text: len(text) <= MAX_NAME_CHARS))
        description = fields.text("description", place="the pack's description", accept=is_description)
        return Imported(
            format=self.name,
            name=name or stem,
            description=description.strip(),
            entries=tuple(entries),
            extra=fields.rest(taken=outer.rest() if inner is not source else {}),
            rows=report.rows(),
        )


def is_description(text: str) -> bool:
    """Tell whether a text is short enough for a manifest."""
    return len(text) <= MAX_DESCRIPTION_CHARS


def _book(source: dict[str, Any]) -> dict[str, Any]:
    data = source.get("data")
    return data if isinstance(data, dict) and "entries" not in source else source


NOTICE = "This holds what players must not read."

_KEPT = "x_"
# Keys about the import itself, which the source did not have.
_OF_THE_IMPORT = frozenset(
    {"imported_from", NO_KEY.removeprefix(_KEPT), "decorators", "entry", "exported_from", "exported_for"}
)
_KEYS = ("key", "keys")
_MAX_LEFT_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry. `fields` are all fields but text and keys: those that an import had kept, updated by the rules."""

    shown: ShownEntity
    section: ShownSection
    keys: tuple[str, ...]
    content: str
    fields: dict[str, Any]
    place: str = ""
    has_keys: bool = False
    # Those of its keys that are no names.
    rule_keys: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The entry's name in a list."""
        name = self.shown.entity.name
        return f"{name}: {self.section.title}" if self.section.title else name

    @property
    def is_off(self) -> bool:
        """True if it is written switched off, so that text that players must not read gets into no prompt by itself."""
        return not self.section.is_open

    def mark(self, *, is_first: bool) -> dict[str, Any]:
        """Return the mark from which our import makes the same file again."""
        entity, section = self.shown.entity, self.section
        role = "secret" if section.conditional else section.role
        natural = title_role(section.title, of_person=entity.type == "npc").role if section.title else "lore"
        said: dict[str, Any] = {"entity": local(entity.id), "name": entity.name, "type": entity.type}
        said |= {"section": section.title} if section.title else {}
        if self.shown.gm_only or (self.is_off and not section.title):
            # A hidden introduction hides the whole file.
            said |= {"visibility": GM}
        elif role != natural:
            said |= {"role": role}
        said |= {"tags": list(entity.tags)} if entity.tags and is_first else {}
        said |= {"secondary": KEYS} if self.has_keys else {}
        said |= {"keys": list(self.rule_keys)} if self.rule_keys else {}
        return said


def world_info(pack: ReadablePack) -> dict[str, Any]:
    """Return the book as SillyTavern saves it."""
    book: dict[str, Any] = {"name": pack.manifest.name}
    book |= {"description": pack.manifest.description} if pack.manifest.description else {}
    kept = book_fields(pack)
    said = book_mark(pack)
    if pack.manifest.extra.get(f"{_KEPT}imported_from") == WorldInfo.name:
        extensions = _mapping(kept.pop("extensions", {}))
        book |= {key: value for key, value in kept.items() if key not in book}
    else:
        # Fields of another format would make the book look like that format.
        extensions, said = {}, said | ({KEPT: kept} if kept else {})
    book["extensions"] = {**extensions, MARK: said}
    entries: dict[str, Any] = {}
    taken: set[int] = set()
    for entry, is_first in numbered(entries_of(pack)):
        uid = free_number(entry.fields.get("uid"), taken)
        key = entry.place if entry.place and entry.place not in entries else str(uid)
        entries[key] = _as_world_info(entry, uid, is_first=is_first)
    in_order = sorted(entries.items(), key=lambda numbered_entry: int(numbered_entry[1]["uid"]))
    return {**book, "entries": dict(in_order)}


def numbered(entries: Iterator[Entry]) -> Iterator[tuple[Entry, bool]]:
    """Yield each entry, and whether it is the first of its entity."""
    last = ""
    for entry in entries:
        yield entry, entry.shown.entity.id != last
        last = entry.shown.entity.id


def entries_of(pack: ReadablePack) -> Iterator[Entry]:
    """Yield the entries in the order of files and sections; a section without text is one only if the file has no
    other."""
    titles = Counter(section.title for shown in pack.entities for section in shown.sections)
    left = _left_over(pack)
    for shown in pack.entities:
        kept = {**_kept(shown), **left.get(shown.entity.file_path, {})} if pack.audience.is_gm else {}
        sections = [section for section in shown.sections if section.text] or list(shown.sections[:1]) or [_EMPTY]
        for number, section in enumerate(sections):
            yield _entry(pack, shown, section, kept if number == 0 else {}, is_single=titles[section.title] == 1)


_EMPTY = ShownSection("", "lore", "", "overview")


def _entry(
    pack: ReadablePack, shown: ShownEntity, section: ShownSection, kept: Mapping[str, Any], *, is_single: bool
) -> Entry:
    text = pack.linked(shown, section.text, lambda entity, label: label or entity.name)
    lines = [str(decorator) for decorator in kept.get("decorators") or ()]
    names = [*shown.entity.aliases]
    if kept.get(NO_KEY.removeprefix(_KEPT)) is not False and _fold(shown.entity.name) not in map(_fold, names):
        names.insert(0, shown.entity.name)
    patterns = [pattern for key in _KEYS for pattern in texts_of(kept.get(key))]
    # A title that several files have is no key.
    own = [section.title] if section.title and is_single and title_role(section.title).role == "lore" else []
    written = rules_of(shown.frontmatter, section.title)
    rule_keys = keys_of(written)
    rules = to_world_info(written, lambda reference: _names(pack, reference))
    fields = {key: value for key, value in kept.items() if key not in {*_OF_THE_IMPORT, *_KEYS}}
    return Entry(
        shown,
        section,
        tuple(dict.fromkeys([*names, *own, *rule_keys, *patterns])),
        "\n".join([*lines, text]),
        with_rules(fields, rules),
        str(kept.get("entry") or ""),
        has_secondary_keys(written),
        tuple(rule_keys),
    )


def _as_world_info(entry: Entry, uid: int, *, is_first: bool) -> dict[str, Any]:
    fields = as_world_info(entry.fields)
    extensions = _mapping(fields.pop("extensions", {}))
    comment = fields.get("comment", entry.title)
    written: dict[str, Any] = {"uid": uid, **DEFAULTS, "addMemo": bool(comment), **fields}
    written |= {"uid": uid, "key": list(entry.keys), "comment": comment, "content": entry.content}
    written |= {"disable": True} if entry.is_off else {}
    written["extensions"] = {
        **(extensions if isinstance(extensions, dict) else {}),
        MARK: entry.mark(is_first=is_first),
    }
    return written


def as_book_entry(entry: Entry, number: int, *, is_first: bool) -> dict[str, Any]:
    """Return an entry as the book of a card has it."""
    fields = as_book(entry.fields)
    extensions = _mapping(fields.pop("extensions", {}))
    written: dict[str, Any] = {"id": number, "keys": list(entry.keys), "secondary_keys": [], "comment": entry.title}
    written |= {"content": entry.content, "constant": False, "selective": True, "insertion_order": 100}
    written |= {"enabled": True, "position": "before_char", **fields, "id": number, "keys": list(entry.keys)}
    written |= {"enabled": False} if entry.is_off else {}
    written["extensions"] = {
        **(extensions if isinstance(extensions, dict) else {}),
        MARK: entry.mark(is_first=is_first),
    }
    return written


def book_mark(pack: ReadablePack) -> dict[str, Any]:
    """Return the mark of a book: pack, version and reader of the export."""
    said = {"pack": pack.manifest.id, "version": pack.manifest.version, "for": pack.audience.view.viewer}
    return said | ({"notice": NOTICE} if pack.tells_secrets else {})


def book_fields(pack: ReadablePack) -> dict[str, Any]:
    """Return the fields that an import had kept of the book itself; for the game master alone."""
    kept = {**_unprefixed(pack.manifest.extra), **_left_over(pack).get(MANIFEST_FILE, {})}
    return {key: value for key, value in kept.items() if key not in _OF_THE_IMPORT}


def kept_fields(pack: ReadablePack, shown: ShownEntity) -> dict[str, Any]:
    """Return the fields that an import had kept of an entry, under their original names; for the game master alone."""
    if not pack.audience.is_gm:
        return {}
    kept = {**_kept(shown), **_left_over(pack).get(shown.entity.file_path, {})}
    return {key: value for key, value in kept.items() if key not in _OF_THE_IMPORT}


def texts_of(value: Any) -> list[str]:
    """Return the texts of a list, or a single text, as a list; unchanged."""
    members = value if isinstance(value, list) else [value]
    return [member for member in members if isinstance(member, str) and member]


def _kept(shown: ShownEntity) -> dict[str, Any]:
    return _unprefixed(shown.entity.attrs)


def _unprefixed(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.removeprefix(_KEPT): value for key, value in data.items() if key.startswith(_KEPT)}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _left_over(pack: ReadablePack) -> dict[str, dict[str, Any]]:
    """Return file -> the fields for which an import had no room in frontmatter, under their original names."""
    path = Path(pack.root) / LEFT_FILE
    if not pack.audience.is_gm or not path.is_file() or path.is_symlink() or path.stat().st_size > _MAX_LEFT_BYTES:
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return {}
    return {
        file: _unprefixed(fields)
        for file, fields in (data.items() if isinstance(data, dict) else ())
        if isinstance(fields, dict)
    }


def _names(pack: ReadablePack, reference: str) -> list[str]:
    entity: PackEntity | None = pack.links.find(reference)
    return [entity.name, *entity.aliases] if entity is not None else [reference]


def free_number(wanted: Any, taken: set[int]) -> int:
    """Return the wanted number, or the next free one, and add it to `taken`."""
    number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted >= 0 else 0
    while number in taken:
        number += 1
    taken.add(number)
    return number


def _fold(text: str) -> str:
    return text.casefold()
