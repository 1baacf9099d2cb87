"""A survey and its places -> where people and things are: where their relations put them, else by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorewright.generate.explore.survey import Note, Survey
from lorewright.ids import content_hash

# A sentence lists four people; six in a room can still be told apart.
MOST_PEOPLE = 6
MOST_THINGS = 6


def whereabouts(
    survey: Survey, notes: Sequence[Note], places: Sequence[str], *, seed: int, most: int
) -> dict[str, str]:
    """A place for each note: the first place that it names, else the first that names it, else one by seed.

    A place that has `most` already is passed over as long as another has room, so a crowd spreads.
    """
    related = related_places(survey, notes, places)
    counts = dict.fromkeys(places, 0)
    found: dict[str, str] = {}
    for note in notes:
        place = next((one for one in related[note.id] if counts[one] < most), None)
        found[note.id] = place if place is not None else _by_seed(note.id, places, counts, seed=seed, most=most)
        counts[found[note.id]] += 1
    return found


def related_places(survey: Survey, notes: Sequence[Note], places: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The places that each note has to do with: those that it names, that name it, that its text mentions."""
    among = set(places)
    named_by = _named_by(survey, places)
    return {
        note.id: tuple(
            one for one in dict.fromkeys((*note.links, *named_by.get(note.id, ()), *note.mentions)) if one in among
        )
        for note in notes
    }


def _named_by(survey: Survey, places: Sequence[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in places:
        for target in survey.notes[place].links if place in survey.notes else ():
            found.setdefault(target, []).append(place)
    return found


def _by_seed(note_id: str, places: Sequence[str], counts: Mapping[str, int], *, seed: int, most: int) -> str:
    """A place drawn by seed and note, so that one note more moves nobody else; of those with room, if any has it."""
    free = [one for one in places if counts[one] < most] or list(places)
    return free[int(content_hash(f"{seed}\nwhereabouts\n{note_id}")[:12], 16) % len(free)]
