"""ShownPack -> a character card of version 3 for one of its people, with the rest of the pack as the card's book."""

from __future__ import annotations

import re
from typing import Any

from lorewright.errors import NotFound, PackError
from lorewright.formats.exports.shown import ShownEntity, ShownPack, ShownSection
from lorewright.formats.exports.sillytavern import (
    NOTICE,
    as_book_entry,
    book_fields,
    book_mark,
    entries_of,
    free_number,
    kept_fields,
    numbered,
)
from lorewright.formats.importers.mark import GM, MARK
from lorewright.ids import local

_SPEC, _SPEC_VERSION = "chara_card_v3", "3.0"
_FORMAT = "character card"

# The sections of a person that a card has fields for; any other is an entry of its book.
_FIELDS = {
    "": "description",
    "Personality": "personality",
    "Disposition": "personality",
    "Scenario": "scenario",
    "Voice": "mes_example",
}
_OPENING = "Opening"
_GREETING = re.compile(r"^### (Another opening|An opening in company) \d+\n", re.MULTILINE)
_LISTS = {"Another opening": "alternate_greetings", "An opening in company": "group_only_greetings"}

# What SillyTavern keeps beside a card's data.
_OUTER = ("spec", "spec_version", "avatar", "chat", "create_date", "talkativeness", "fav", "creatorcomment")
_TEXTS = ("description", "personality", "scenario", "first_mes", "mes_example")
_MORE_TEXTS = ("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")
_OF_THE_BOOK = "character_book"


def character_of(pack: ShownPack, wanted: str | None) -> ShownEntity | None:
    """Whose card it is: the person asked for, by whatever name; else the character of a pack that was a card; else
    nobody's.

    Raises:
        NotFound: the reader knows nobody of that name.
        PackError: it is no person.
    """
    if wanted is None:
        was_card = pack.manifest.extra.get("x_imported_from") == _FORMAT
        return next((one for one in pack.entities if was_card and one.entity.type == "npc" and _is_card(one)), None)
    entity = pack.links.find(wanted)
    found = next((one for one in pack.entities if entity is not None and one.entity.id == entity.id), None)
    if found is None:
        known = ", ".join(one.entity.name for one in pack.entities if one.entity.type == "npc")
        raise NotFound(f"there is nobody called {wanted} to make a card of", hint=f"one of: {known}" if known else None)
    if found.entity.type != "npc":
        raise PackError(f"{found.entity.name} is a {found.entity.type}", hint="a card is for an entity of type npc")
    return found


def card(pack: ShownPack, shown: ShownEntity) -> dict[str, Any]:
    """The card. The version is that of the card which the pack was made of, else 3."""
    kept = kept_fields(pack, shown)
    outer = {key: kept.pop(key) for key in _OUTER if key in kept}
    data: dict[str, Any] = {"name": shown.entity.name, **dict.fromkeys(_TEXTS, ""), **dict.fromkeys(_MORE_TEXTS, "")}
    data |= {"alternate_greetings": [], "tags": list(shown.entity.tags)}
    if outer.get("spec", _SPEC) == _SPEC:
        data |= {"group_only_greetings": []}
    for section in shown.sections:
        fields = _fields(section, _told(pack, shown, section)) if _has_field(section) else {}
        if data["personality"] and "personality" in fields:
            # What they are like may stand in two sections.
            fields["personality"] = f"{data['personality']}\n\n{fields['personality']}"
        data |= fields
    names = list(shown.entity.aliases)
    data |= {"nickname": names[0]} if names else {}
    extensions = kept.pop("extensions", {})
    data |= kept
    data["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), MARK: _mark(pack, shown, names)}
    book = _book(pack, shown)
    data |= {_OF_THE_BOOK: book} if book["entries"] else {}
    return {"spec": _SPEC, "spec_version": _SPEC_VERSION, **outer, "data": data}


def _is_card(shown: ShownEntity) -> bool:
    """Whether an entity may be what a card was imported as: the others have what entries of books have."""
    return not {"x_keys", "x_insertion_order", "x_id", "x_uid"} & shown.frontmatter.keys()


def _has_field(section: ShownSection) -> bool:
    return section.title in _FIELDS or section.title == _OPENING


def _fields(section: ShownSection, text: str) -> dict[str, Any]:
    if section.title != _OPENING:
        return {_FIELDS[section.title]: _talk(text) if section.title == "Voice" else text}
    first, *greetings = _GREETING.split(text)
    found: dict[str, Any] = {"first_mes": first.strip("\n")}
    for title, greeting in zip(greetings[::2], greetings[1::2], strict=True):
        found.setdefault(_LISTS[title], []).append(greeting.strip("\n"))
    return found


def _talk(text: str) -> str:
    """Samples of talk, which a rule sets apart in a pack, as a card sets them apart."""
    return "<START>\n" + text.replace("\n---\n", "<START>") if text else ""


def _told(pack: ShownPack, shown: ShownEntity, section: ShownSection) -> str:
    return pack.linked(shown, section.text, lambda entity, label: label or entity.name)


def _mark(pack: ShownPack, shown: ShownEntity, names: list[str]) -> dict[str, Any]:
    said: dict[str, Any] = {"entity": local(shown.entity.id), "name": shown.entity.name, "type": shown.entity.type}
    said |= {"aliases": names} if names else {}
    said |= {"visibility": GM} if shown.gm_only else {}
    said |= {"for": pack.audience.view.viewer}
    return said | ({"notice": NOTICE} if pack.tells_secrets else {})


def _book(pack: ShownPack, shown: ShownEntity) -> dict[str, Any]:
    """The rest of the pack, and those sections of the person that the card has no fields for."""
    kept = book_fields(pack)
    said = kept.get(_OF_THE_BOOK)
    fields: dict[str, Any] = dict(said) if isinstance(said, dict) else {"name": pack.manifest.name, **kept}
    extensions = fields.get("extensions")
    fields["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), MARK: book_mark(pack)}
    entries: list[dict[str, Any]] = []
    taken: set[int] = set()
    for entry, is_first in numbered(entries_of(pack)):
        if entry.shown.entity.id == shown.entity.id and _has_field(entry.section):
            continue
        number = free_number(entry.fields.get("id", entry.fields.get("uid")), taken)
        entries.append(as_book_entry(entry, number, is_first=is_first))
    return {**fields, "entries": sorted(entries, key=lambda entry: int(entry["id"]))}
