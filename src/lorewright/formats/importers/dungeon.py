"""AI Dungeon story cards: a list of cards, or a scenario with such a list in it."""

from __future__ import annotations

from typing import Any

from lorewright.formats.importers.bounds import MAX_NAME_CHARS
from lorewright.formats.importers.entries import Book, fold, take_entries
from lorewright.formats.importers.fields import Fields
from lorewright.formats.importers.imported import Imported, Placeholders, Report
from lorewright.formats.importers.world_info import is_description

_LISTS = ("storyCards", "worldInfo")


class StoryCards:
    """`[{"keys": "a,b", "value": …, "type": "character", "title": …, "description": …}]`."""

    name = "AI Dungeon story cards"

    def knows(self, source: Any) -> bool:
        """A list with objects in it, or an object with such a list under one of the two names it had."""
        if isinstance(source, dict):
            return any(isinstance(source.get(name), list) for name in _LISTS)
        return isinstance(source, list) and any(isinstance(member, dict) for member in source)

    def read(self, source: Any, *, stem: str) -> Imported:
        """A card's description is its author's note and is kept aside; its value is the lore."""
        report = Report()
        if isinstance(source, list):
            source = {_LISTS[0]: source}
        fields = Fields(source, path="", report=report)
        name = next(name for name in _LISTS if isinstance(source.get(name), list))
        entries = take_entries(fields, name, Book(report, Placeholders("", report), f"{name}[]."))
        title = fold(fields.text("title", place="the pack's name", accept=lambda text: len(text) <= MAX_NAME_CHARS))
        description = fields.text("description", place="the pack's description", accept=is_description)
        return Imported(self.name, title or stem, description.strip(), tuple(entries), fields.rest(), report.rows())
