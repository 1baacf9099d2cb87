"""Ground, a beginning and a cast -> the stage: which places, how one gets about between them, who stands where."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lorewright.errors import ScenarioError
from lorewright.generate.explore.joining import Path
from lorewright.generate.explore.survey import Note, related_places
from lorewright.generate.explore.titles import key_of
from lorewright.generate.scenario.ground import Ground, Told
from lorewright.ids import content_hash
from lorewright.index.words import content_words

# Lots: choices by seed and by what they are for, so that one choice more changes no other. The same in any process.

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lot:
    """The lots of one seed. Another `attempt` with the same seed draws others."""

    seed: int
    attempt: int = 0

    def number(self, what: str, *, below: int) -> int:
        """A number from 0 to one less than `below`."""
        return int(content_hash(f"{self.seed}\n{self.attempt}\n{what}")[:12], 16) % below

    def pick(self, what: str, options: Sequence[T]) -> T:
        """One of the options.

        Raises:
            ValueError: there are none.
        """
        if not options:
            raise ValueError(f"there is nothing to choose from for {what}")
        return options[self.number(what, below=len(options))]

    def order(self, what: str, options: Sequence[T], key: Callable[[T], str]) -> list[T]:
        """The options in an order of the lot's own, by their keys alone."""
        return sorted(options, key=lambda one: content_hash(f"{self.seed}\n{self.attempt}\n{what}\n{key(one)}"))


FEWEST_PLACES, FEWEST_PEOPLE = 3, 2
_MOST_PLACES = 9
# Whoever lives further from the beginning is met nearer to it: forty actions are a whole evening.
_FAR = 3
_ROOM_MINUTES = 5
# For members of groups whom no pack names. None of them is anybody's in particular.
_GIVEN_NAMES = (
    *("Ansa", "Brel", "Corin", "Dace", "Edda", "Faro", "Gilian", "Hanne", "Ivo", "Juna", "Kell", "Lioba"),
    *("Maren", "Nils", "Oda", "Perrin", "Quill", "Rook", "Sanne", "Tove", "Ulla", "Vesper", "Wim", "Yara"),
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who may be in the cast: a person of the packs, or a member of one of their groups (`speaks_for`), whom
    the scenario names. `homes` are the places that they have to do with."""

    note: Note
    key: str
    name: str
    speaks_for: str = ""
    homes: tuple[str, ...] = ()
    knows: tuple[Told, ...] = ()
    withholds: tuple[Told, ...] = ()

    @property
    def id(self) -> str:
        """The ID of the note that they come from."""
        return self.note.id


@dataclass(frozen=True, slots=True)
class Stage:
    """Places by ID in the order in which they are met, the first being where one begins; `rooms` are names of places
    that are the scenario's own; the ways out of each; where each of the cast stands, by key."""

    places: tuple[str, ...]
    ways: Mapping[str, tuple[Path, ...]]
    cast: tuple[Speaker, ...]
    at: Mapping[str, str]
    rooms: Mapping[str, str] = field(default_factory=dict)

    @property
    def start(self) -> str:
        """Where one begins."""
        return self.places[0]

    def route(self, start: str, end: str) -> list[str]:
        """The places on the shortest way, without the first; every place leads to every other."""
        return route(self.ways, start, end) or []

    def moved(self, key: str, to: str) -> Stage:
        """The same with somebody standing elsewhere."""
        return replace(self, at={**self.at, key: to})


def route(ways: Mapping[str, Sequence[Path]], start: str, end: str) -> list[str] | None:
    """The places on the shortest way from one place to another, without the first; None where none leads there."""
    before: dict[str, str] = {start: start}
    todo = deque([start])
    while todo:
        place = todo.popleft()
        if place == end:
            found = []
            while place != start:
                found.append(place)
                place = before[place]
            return found[::-1]
        for way in ways.get(place, ()):
            if way.to not in before:
                before[way.to] = place
                todo.append(way.to)
    return None


def speakers(ground: Ground, lot: Lot) -> list[Speaker]:
    """Everybody who could be in the cast: people with something to tell, then members of groups; people of whom only
    chapters speak where there is nobody else."""
    places = list(ground.ways)
    people, groups = ground.of_type("npc"), ground.groups
    homes = related_places(ground.survey, [*people, *groups], places)
    tellers = [note for note in people if ground.role(note.id, "knows") or ground.role(note.id, "withholds")]
    taken = {key_of(name) for name in ground.names.values()}
    free = [name for name in _GIVEN_NAMES if key_of(name) not in taken]
    given = dict(zip([note.id for note in groups], lot.order("names of members", free, str), strict=False))
    found = [_person(ground, note, homes) for note in tellers]
    found += [
        Speaker(note, given[note.id].lower(), given[note.id], ground.names[note.id], homes[note.id])
        for note in lot.order("groups", groups, lambda note: note.id)
        if note.id in given
    ]
    if len(found) < FEWEST_PEOPLE:
        found += [_person(ground, note, homes) for note in people if note not in tellers]
    return found


def _person(ground: Ground, note: Note, homes: Mapping[str, tuple[str, ...]]) -> Speaker:
    return Speaker(
        note,
        ground.key(note.id),
        ground.names[note.id],
        homes=homes[note.id],
        knows=ground.role(note.id, "knows"),
        withholds=ground.role(note.id, "withholds"),
    )


def set_stage(ground: Ground, start: str, cast: Sequence[Speaker], lot: Lot) -> Stage:
    """The places around a beginning, with the homes of the cast that are near, and everybody in one of them.

    Raises:
        ScenarioError: the packs have too few places or people; the hint says what to write.
    """
    near = _near(ground, start)
    homes = [next((home for home in one.homes if home in near), None) for one in cast]
    places = _around(ground, start, [home for home in homes if home is not None], lot)
    ways = {place: tuple(way for way in ground.ways.get(place, ()) if way.to in places) for place in places}
    rooms = dict(_rooms(ground, cast, wanted=FEWEST_PLACES - len(places)))
    for room, name in rooms.items():
        ways[start] = (*ways[start], Path(room, _ROOM_MINUTES, name))
        ways[room] = (Path(start, _ROOM_MINUTES),)
    places += list(rooms)
    if len(places) < FEWEST_PLACES or len(cast) < FEWEST_PEOPLE:
        raise too_little(ground, places=len(places), people=len(cast))
    at = dict(_positions(places, cast, homes, rooms, lot))
    return Stage(tuple(places), ways, tuple(cast), at, rooms)


def too_little(ground: Ground, *, places: int, people: int) -> ScenarioError:
    """What is missing in the packs, and what to write."""
    lacking = []
    if places < FEWEST_PLACES:
        lacking.append(f"{places} of at least {FEWEST_PLACES} places (notes of type location)")
    if people < FEWEST_PEOPLE:
        lacking.append(
            f"{people} of at least {FEWEST_PEOPLE} people (notes of type npc with a section Knows or Withholds, or of "
            "type faction)"
        )
    packs = ", ".join(ground.pack_ids)
    hint = "write them, or name another --pack beside it; see docs/authoring.md"
    return ScenarioError(f"{packs} is too little for a scenario: it has {' and '.join(lacking)}", hint=hint)


def _near(ground: Ground, start: str) -> dict[str, int]:
    """How far each place near the beginning is from it."""
    found, todo = {start: 0}, deque([start])
    while todo:
        place = todo.popleft()
        for other in ground.neighbours(place) if found[place] < _FAR else ():
            if other not in found:
                found[other] = found[place] + 1
                todo.append(other)
    return found


def _around(ground: Ground, start: str, homes: Iterable[str], lot: Lot) -> list[str]:
    """The beginning, the ways to the homes, and places beside them by lot."""
    both_ways = {place: tuple(Path(other, 1) for other in ground.neighbours(place)) for place in ground.ways}
    places = [start]
    for home in dict.fromkeys(homes):
        way = [one for one in route(both_ways, start, home) or () if one not in places]
        if len(places) + len(way) <= _MOST_PLACES:
            places += way
    wanted = max(len(places), FEWEST_PLACES + 1 + lot.number("how many places", below=4))
    while len(places) < wanted:
        beside = [one for place in places for one in ground.neighbours(place) if one not in places]
        if not beside:
            break
        places.append(lot.pick(f"place {len(places)}", list(dict.fromkeys(beside))))
    return places


def _rooms(ground: Ground, cast: Iterable[Speaker], *, wanted: int) -> Iterable[tuple[str, str]]:
    """Where the packs have too few places each member of a group has a room of its own."""
    members = [one for one in cast if one.speaks_for]
    for one in members[: max(wanted, 0)]:
        group = one.speaks_for
        yield f"{one.key}_room", f"the rooms of {'the ' + group[4:] if group.startswith('The ') else group}"


def _positions(
    places: Sequence[str], cast: Sequence[Speaker], homes: Sequence[str | None], rooms: Collection[str], lot: Lot
) -> Iterable[tuple[str, str]]:
    taken: set[str] = set()
    for one, home in zip(cast, homes, strict=True):
        room = f"{one.key}_room"
        free = [place for place in places[1:] if place not in taken and place not in rooms] or list(places)
        at = room if room in rooms else home if home in places else lot.pick(f"where {one.id} is", free)
        assert at is not None
        taken.add(at)
        yield one.key, at


def score(words: Collection[str], about: Collection[str]) -> int:
    """How many of a brief's words a note is about."""
    return len(set(words) & set(about))


def words_of_brief(brief: str) -> list[str]:
    """The telling words of a brief."""
    return content_words(brief)
