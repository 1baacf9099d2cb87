"""NovelAI lorebooks and scenarios, and AI Dungeon story cards (a list, or a scenario with such a list) -> Imported."""

from __future__ import annotations

from typing import Any

from lorewright.formats.entries import Book, fold, read_tags, shortened, take_entries
from lorewright.formats.fields import Fields
from lorewright.formats.imported import Imported, ImportedEntry, ImportReport, Part, Placeholders
from lorewright.formats.mark import MAX_NAME_CHARS
from lorewright.formats.sillytavern import is_description


class NovelAILorebook:
    """`{"lorebookVersion": 1, "entries": [{"text": …, "displayName": …, "keys": […]}]}`."""

    name = "NovelAI lorebook"

    def knows(self, source: Any) -> bool:
        """Tell whether the value is an object with the version of a lorebook and entries."""
        return isinstance(source, dict) and "lorebookVersion" in source and isinstance(source.get("entries"), list)

    def read(self, source: Any, *, stem: str) -> Imported:
        """Return the lorebook; an entry in a category gets its name as a tag, and its type if the name is one."""
        report = ImportReport()
        fields = Fields(source, path="", report=report)
        entries = _entries(fields, source, report, path="entries[].")
        return Imported(self.name, stem, "", tuple(entries), fields.rest(), report.rows())


class NovelAIScenario:
    """`{"scenarioVersion": 1, "title": …, "prompt": …, "context": [memory, author's note], "lorebook": {…}}`."""

    name = "NovelAI scenario"

    def knows(self, source: Any) -> bool:
        """Tell whether the value is an object with the version of a scenario."""
        return isinstance(source, dict) and "scenarioVersion" in source

    def read(self, source: Any, *, stem: str) -> Imported:
        """Return the scenario; its own file, with memory and opening, comes first. The author's note addresses a model
        and is kept as a field."""
        report = ImportReport()
        fields = Fields(source, path="", report=report)
        lorebook = fields.mapping("lorebook")
        inside = Fields(lorebook, path="lorebook.", report=report)
        entries = _entries(inside, lorebook, report, path="lorebook.entries[].")
        title = fold(fields.text("title", place="the name", accept=lambda text: len(text) <= MAX_NAME_CHARS))
        description = fields.text("description", place="the pack's description", accept=is_description)
        opening = _opening(fields, title or fold(stem) or "Scenario", source, report)
        left = inside.remainder(place="x_lorebook")
        extra = fields.rest(taken={"x_lorebook": left} if left else {})
        return Imported(self.name, title or stem, description.strip(), (opening, *entries), extra, report.rows())


def _entries(fields: Fields, source: dict[str, Any], report: ImportReport, *, path: str) -> list[ImportedEntry]:
    book = Book(report, Placeholders("", report), path, _categories(source.get("categories")))
    return take_entries(fields, "entries", book)


def _categories(source: Any) -> dict[str, str]:
    """Return ID -> name of a lorebook's categories."""
    members = [member for member in source if isinstance(member, dict)] if isinstance(source, list) else []
    return {
        member["id"]: shortened(fold(member["name"]), limit=60)
        for member in members
        if isinstance(member.get("id"), str) and isinstance(member.get("name"), str)
    }


def _opening(fields: Fields, name: str, source: dict[str, Any], report: ImportReport) -> ImportedEntry:
    """Return the scenario's entry: the memory as its introduction, the prompt as its opening."""
    placeholders = Placeholders("", report)
    memory, context = _memory(source.get("context"))
    if memory:
        report.add("context[0].text", "the introduction")
        fields.put("context", context)
    prompt = fields.text("prompt", place="## Opening")
    return ImportedEntry(
        name=shortened(name),
        type="event",
        why="the scenario itself",
        parts=(Part("", placeholders.fill(memory)), Part("Opening", placeholders.fill(prompt))),
        tags=tuple(read_tags(fields)),
    )


def _memory(context: Any) -> tuple[str, Any]:
    """Return the text of the first block of the context, and the context without it."""
    if not isinstance(context, list) or not context or not isinstance(context[0], dict):
        return "", context
    text = context[0].get("text")
    if not isinstance(text, str) or not text.strip():
        return "", context
    return text, [{key: value for key, value in context[0].items() if key != "text"}, *context[1:]]


_LISTS = ("storyCards", "worldInfo")


class StoryCards:
    """`[{"keys": "a,b", "value": …, "type": "character", "title": …, "description": …}]`."""

    name = "AI Dungeon story cards"

    def knows(self, source: Any) -> bool:
        """Tell whether the value is a list with objects, or an object with a list under one of the two known names."""
        if isinstance(source, dict):
            return any(isinstance(source.get(name), list) for name in _LISTS)
        return isinstance(source, list) and any(isinstance(member, dict) for member in source)

    def read(self, source: Any, *, stem: str) -> Imported:
        """Return the cards; a card's value is its lore, its description is a note of the author and is kept as a
        field."""
        report = ImportReport()
        if isinstance(source, list):
            source = {_LISTS[0]: source}
        fields = Fields(source, path="", report=report)
        name = next(name for name in _LISTS if isinstance(source.get(name), list))
        entries = take_entries(fields, name, Book(report, Placeholders("", report), f"{name}[]."))
        title = fold(fields.text("title", place="the pack's name", accept=lambda text: len(text) <= MAX_NAME_CHARS))
        description = fields.text("description", place="the pack's description", accept=is_description)
        return Imported(self.name, title or stem, description.strip(), tuple(entries), fields.rest(), report.rows())
