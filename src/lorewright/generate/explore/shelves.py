"""Notes of a pack without places -> shelves to walk along: a room a folder, a few notes in each, and the ways between.

Such a pack is a reference work, and is shown as one: what lies on a shelf is a note, and what a note says is told as
what people know. Nobody is made to live in a rules book.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lorewright.generate.explore.survey import Note
from lorewright.generate.explore.titles import Titled, display_name, distinct_names

# As many things as one sentence lists.
NOTES_ON_A_SHELF = 6
# Two below in its own folder, two below among its neighbours, one back: no shelf has more than five ways.
_BRANCHES = 2

_INDEX_STEMS = ("index", "_index", "home")


@dataclass(slots=True)
class Shelf:
    """A room: its key, its name, the notes on it, the shelves that it leads to."""

    key: str
    name: str = ""
    notes: list[Note] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)


def shelves(notes: Sequence[Note]) -> list[Shelf]:
    """The shelves of the notes, the entrance first; every shelf can be reached from every other."""
    by_folder: dict[tuple[str, ...], list[Note]] = {(): []}
    for note in notes:
        for depth in range(len(note.folder) + 1):
            by_folder.setdefault(note.folder[:depth], [])
        by_folder[note.folder].append(note)
    order = sorted(by_folder)
    made = {folder: _of_folder(number, by_folder[folder]) for number, folder in enumerate(order)}
    names = distinct_names(_titled(made))
    for folder in order:
        _tree([*made[folder]])
        below = [made[one][0] for one in order if len(one) == len(folder) + 1 and one[: len(folder)] == folder]
        _tree([made[folder][-1] if len(made[folder]) > 1 else made[folder][0], *below])
    rooms = [shelf for folder in order for shelf in made[folder]]
    for shelf in rooms:
        shelf.name = names[shelf.key]
    return rooms


def _of_folder(number: int, notes: Sequence[Note]) -> list[Shelf]:
    ordered = sorted(
        notes, key=lambda note: (not _is_index(note), display_name(note.entity.name).casefold(), note.order)
    )
    parts = [ordered[start : start + NOTES_ON_A_SHELF] for start in range(0, len(ordered), NOTES_ON_A_SHELF)] or [[]]
    return [Shelf(f"the shelf {number}-{part}", notes=list(on)) for part, on in enumerate(parts, start=1)]


def _is_index(note: Note) -> bool:
    stem = note.entity.file_path.rpartition("/")[2].rpartition(".")[0].casefold()
    return stem in _INDEX_STEMS


def _titled(made: Mapping[tuple[str, ...], list[Shelf]]) -> list[Titled]:
    """`The shelf Spells`, `The shelf Spells F`: by the folder and, where there are several, by what stands first."""
    titled = []
    for folder, rooms in made.items():
        title = folder[-1].replace("-", " ").replace("_", " ") if folder else ""
        shown = display_name(title)
        name = f"The shelf {shown[:1].upper()}{shown[1:]}" if folder else "The front shelf"
        above = folder[-2] if len(folder) > 1 else ""
        for number, shelf in enumerate(rooms):
            first = display_name(shelf.notes[0].entity.name)[:1].upper() if number and shelf.notes else ""
            titled.append(Titled(shelf.key, f"{name} {first}".strip(), apart="" if number else above))
    return titled


def _tree(rooms: Sequence[Shelf]) -> None:
    for number in range(1, len(rooms)):
        above, below = rooms[(number - 1) // _BRANCHES], rooms[number]
        above.ways.append(below.key)
        below.ways.append(above.key)
