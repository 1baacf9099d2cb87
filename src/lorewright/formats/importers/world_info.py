"""SillyTavern world info, and the lorebook of a version-3 card by itself: an object with `entries`."""

from __future__ import annotations

from typing import Any

from lorewright.formats.importers.bounds import MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS
from lorewright.formats.importers.entries import Book, fold, take_entries
from lorewright.formats.importers.fields import Fields
from lorewright.formats.importers.imported import Imported, Placeholders, Report


class WorldInfo:
    """`{"entries": {"0": {"key": […], "content": …}}}`; a version-3 lorebook has it one level down, under `data`."""

    name = "SillyTavern world info"

    def knows(self, source: Any) -> bool:
        """An object with entries, which NovelAI's say a version of."""
        return isinstance(source, dict) and isinstance(_book(source).get("entries"), (dict, list))

    def read(self, source: Any, *, stem: str) -> Imported:
        """Each entry is a file; what the book says of itself goes to the manifest."""
        report = Report()
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
    """Whether a text is short enough to stand in a manifest."""
    return len(text) <= MAX_DESCRIPTION_CHARS


def _book(source: dict[str, Any]) -> dict[str, Any]:
    data = source.get("data")
    return data if isinstance(data, dict) and "entries" not in source else source
