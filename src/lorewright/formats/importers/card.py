"""Character cards of versions 1, 2 and 3, with the book inside them: an NPC, and a file for each entry of the book."""

from __future__ import annotations

import re
from typing import Any

from lorewright.formats.importers.entries import Book, fold, is_alias, read_tags, shortened, take_entries, unique
from lorewright.formats.importers.fields import Fields
from lorewright.formats.importers.imported import Imported, ImportedEntry, Part, Report
from lorewright.formats.importers.mark import MARK, read_mark
from lorewright.formats.importers.placeholders import Placeholders
from lorewright.formats.importers.prose import contained

_SPEAKS = ("first_mes", "mes_example", "personality")

_START = re.compile(r"^[ \t]*<START>[ \t]*$", re.IGNORECASE | re.MULTILINE)

# The sections of an NPC, in the order in which they are written.
_SECTIONS = (("personality", "Personality"), ("scenario", "Scenario"), ("mes_example", "Voice"))
_GREETINGS = (("alternate_greetings", "Another opening"), ("group_only_greetings", "An opening in company"))
_MAX_GREETINGS = 1_000

# What our export writes because a card has it, were it empty.
_FILLED = ("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")

# Fields that SillyTavern repeats beside the card's data for readers of version 1, where under another name.
_RENAMED = {"creatorcomment": "creator_notes"}


class Card:
    """`{"spec": "chara_card_v2", "data": {…}}`, or the fields themselves in version 1."""

    name = "character card"

    def knows(self, source: Any) -> bool:
        """An object that says so, or that has what only a character has."""
        if not isinstance(source, dict):
            return False
        data = source["data"] if isinstance(source.get("data"), dict) else {}
        says_so = str(source.get("spec", "")).startswith("chara_card")
        return says_so or any(key in source or key in data for key in _SPEAKS)

    def read(self, source: Any, *, stem: str) -> Imported:
        """The character comes first, then the entries of its book."""
        report = Report()
        outer = Fields(source, path="", report=report)
        data = outer.mapping("data")
        fields = Fields(data, path="data.", report=report) if data else outer
        if data:
            outer.drop_equal(data, path="data.", renamed=_RENAMED)
        name = _name(fields, report, stem)
        placeholders = Placeholders(name, report)
        book = fields.mapping("character_book")
        entries, extra = _read_book(book, placeholders, report)
        character = _character(fields, outer if data else None, name, placeholders)
        return Imported(self.name, name, "", (character, *entries), extra, report.rows())


def _name(fields: Fields, report: Report, stem: str) -> str:
    """The character's name; one of which something would be lost stays among the fields too."""
    said = fields.peek("name")
    filled = Placeholders("", report).fill(said)
    name = shortened(fold(filled))
    if name == fold(filled):
        fields.text("name", place="the name")
    return name or fold(stem) or "Character"


def _character(fields: Fields, outer: Fields | None, name: str, placeholders: Placeholders) -> ImportedEntry:
    description = fields.text("description", place="the introduction")
    parts = [Part("", _told(description, placeholders))]
    for key, title in _SECTIONS:
        text = fields.text(key, place=f"## {title}")
        parts.append(Part(title, _told(text, placeholders)))
    parts.append(Part("Opening", _opening(fields, placeholders)))
    nickname = fields.text("nickname", place="aliases", accept=is_alias)
    tags = read_tags(fields)
    mark = fields.member("extensions", MARK, read_mark)
    if mark:
        fields.drop(dict.fromkeys(_FILLED, ""))
    known = mark.aliases if mark else ()
    rest = fields.rest()
    return ImportedEntry(
        name=name,
        type="npc",
        why="a character card",
        parts=tuple(parts),
        aliases=tuple(alias for alias in unique([fold(placeholders.fill(nickname)), *known]) if alias != name),
        tags=tuple(tags),
        hidden=mark is not None and mark.hidden,
        extra=outer.rest(taken=rest) if outer is not None else rest,
        mark=mark,
    )


def _told(text: str, placeholders: Placeholders) -> str:
    """The text with names, and with a rule between samples of talk, which the source sets apart by `<START>`."""
    return _START.sub("\n---\n", placeholders.fill(text)).strip().removeprefix("---\n")


def _opening(fields: Fields, placeholders: Placeholders) -> str:
    """The first message, then each other greeting below a heading of its own."""
    texts = [contained(_told(fields.text("first_mes", place="## Opening"), placeholders))]
    for key, title in _GREETINGS:
        greetings = fields.texts(key, place=f"### {title}", accept=lambda _: True, limit=_MAX_GREETINGS)
        for number, greeting in enumerate(greetings, start=1):
            texts.append(f"### {title} {number}\n\n{contained(_told(greeting, placeholders))}")
    return "\n\n".join(text for text in texts if text)


def _read_book(
    source: dict[str, Any], placeholders: Placeholders, report: Report
) -> tuple[list[ImportedEntry], dict[str, Any]]:
    """The entries of an embedded book, and what it says of itself for the manifest."""
    fields = Fields(source, path="character_book.", report=report)
    entries = take_entries(fields, "entries", Book(report, placeholders, "character_book.entries[]."))
    left = fields.remainder(place="x_character_book in pack.yaml")
    return entries, {"x_character_book": left} if left else {}
