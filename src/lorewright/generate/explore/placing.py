"""Notes and places -> where each stands: with what it names or what names it, else by seed.

Relations are followed outwards: a note that no place names stands where a note that links it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lorewright.generate.explore.survey import Note, Survey
from lorewright.ids import content_hash

# A sentence lists four people; a reader can still tell six in a room apart.
MOST_PEOPLE = 6
MOST_THINGS = 6


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of each person, thing and reading by the note's ID; `left` are the readings that found none."""

    at: Mapping[str, str]
    left: tuple[Note, ...] = ()


def place_notes(
    survey: Survey,
    places: Sequence[str],
    people: Sequence[Note],
    things: Sequence[Note],
    readings: Sequence[Note],
    *,
    start: str,
    seed: int,
) -> Placement:
    """Return a place for every person and thing, and for each reading that a place has room for.

    It is where the keys or a text say that the note is, else a place that the note names or that names it, else where a
    note stands that it names or that names it. People and things of which nothing tells a place get one by seed;
    readings lie at the start if it has room for all of them.
    """
    found = _Placing(survey, places)
    found.settle([(note, MOST_PEOPLE) for note in people] + [(note, MOST_THINGS) for note in (*things, *readings)])
    for notes, most in ((people, MOST_PEOPLE), (things, MOST_THINGS)):
        for note in notes:
            if note.id not in found.at:
                counts = {place_id: found.counts[place_id, note.entity.type == "npc"] for place_id in places}
                found.put(note, _draw_place(note.id, places, counts, seed=seed, most=most))
    left = [note for note in readings if note.id not in found.at]
    found.settle([(note, MOST_THINGS) for note in left])
    left = [note for note in readings if note.id not in found.at]
    if len(left) <= MOST_THINGS - found.counts[start, False]:
        for note in left:
            found.put(note, start)
        left = []
    return Placement({note_id: at for note_id, at in found.at.items() if note_id not in found.places}, tuple(left))


class _Placing:
    """The notes placed so far, and how many each place has: of people (True), of things (False)."""

    def __init__(self, survey: Survey, places: Sequence[str]) -> None:
        self.places = set(places)
        self.at = {place_id: place_id for place_id in places}
        self.counts: Counter[tuple[str, bool]] = Counter()
        self._survey = survey
        self._named_by = _named_by(survey, list(survey.notes))

    def put(self, note: Note, place_id: str) -> None:
        self.at[note.id] = place_id
        self.counts[place_id, note.entity.type == "npc"] += 1

    def settle(self, notes: Sequence[tuple[Note, int]]) -> None:
        """Place the notes that are related to a place with room, first those that are themselves, then those that are
        so by others, until no more can be."""
        todo = self._settle_once(notes, lambda note: self._near(note, only_places=True))
        while todo:
            left = self._settle_once(todo, self._near)
            if len(left) == len(todo):
                return
            todo = left

    def _settle_once(
        self, notes: Sequence[tuple[Note, int]], near: Callable[[Note], list[str]]
    ) -> list[tuple[Note, int]]:
        left = []
        for note, most in notes:
            kind = note.entity.type == "npc"
            place = next((place_id for place_id in near(note) if self.counts[place_id, kind] < most), None)
            if place is None:
                left.append((note, most))
            else:
                self.put(note, place)
        return left

    def _near(self, note: Note, *, only_places: bool = False) -> list[str]:
        """Return the places that a note is related to, nearest first."""
        by = self._named_by.get(note.id, ())
        mutual = [other for other in note.links if other in by]
        related = dict.fromkeys((*note.where, *mutual, *note.links, *by, *note.mentions))
        among = self.places if only_places else self.at
        return [self.at[other] for other in related if other in among]


def whereabouts(
    survey: Survey, notes: Sequence[Note], places: Sequence[str], *, seed: int, most: int
) -> dict[str, str]:
    """Return a place for each note: the first place that it names, else the first that names it, else one by seed.

    A place that has `most` already is passed over as long as another has room, so a crowd spreads.
    """
    related = related_places(survey, notes, places)
    counts = dict.fromkeys(places, 0)
    found: dict[str, str] = {}
    for note in notes:
        place = next((place_id for place_id in related[note.id] if counts[place_id] < most), None)
        found[note.id] = place if place is not None else _draw_place(note.id, places, counts, seed=seed, most=most)
        counts[found[note.id]] += 1
    return found


def related_places(survey: Survey, notes: Sequence[Note], places: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the places related to each note: those that it names, that name it, that its text mentions."""
    among = set(places)
    named_by = _named_by(survey, places)
    return {
        note.id: tuple(
            place_id
            for place_id in dict.fromkeys((*note.links, *named_by.get(note.id, ()), *note.mentions))
            if place_id in among
        )
        for note in notes
    }


def _named_by(survey: Survey, places: Sequence[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in places:
        for target in survey.notes[place].links if place in survey.notes else ():
            found.setdefault(target, []).append(place)
    return found


def _draw_place(note_id: str, places: Sequence[str], counts: Mapping[str, int], *, seed: int, most: int) -> str:
    """Return a place drawn by seed and note, so that a new note moves no other; one with room, if any has it."""
    free = [place for place in places if counts[place] < most] or list(places)
    return free[int(content_hash(f"{seed}\nwhereabouts\n{note_id}")[:12], 16) % len(free)]
