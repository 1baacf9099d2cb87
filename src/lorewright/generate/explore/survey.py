"""A generation -> Survey: the notes that a player may read, their ties, and the conditions that hide the others.

Only open text counts: a link in a secret ties nothing, and a note that is for the game master alone is not in the
survey at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from lorewright.ids import content_hash, qualify
from lorewright.index.generation import Generation, StoredChunk, StoredCondition
from lorewright.index.keywords import words_of
from lorewright.packs.chunking import plain_text
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.metadata import PackExit, ways_of
from lorewright.packs.models import OPEN_ROLES, PackEntity, WhenClock, WhenFact, WhenThread
from lorewright.retrieval.view import generations_in_force

# The ways between places, by their ties: every place can be reached from every other, none has too many ways.
#
# Authored exits come first, then links, strongest first, as long as each joins two separate parts. Parts that are still
# separate are joined by the closest relation that there is: a rare tag, a folder, at last the pack itself. The other
# links make round trips where there is room.

# More ways are too many for a sentence; authored exits are all kept.
MOST_WAYS = 5
_BRANCHES = 3
LINKED_MINUTES, JOINED_MINUTES = 5, 10


@dataclass(frozen=True, slots=True)
class Tied:
    """A place with its ties. `keys` are what it may share with others, each with how near that makes them (higher is
    nearer); `title` is the words of its name, which may be such a key itself."""

    id: str
    keys: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """A way from one place to another; without a name it is called after the place that it leads to."""

    to: str
    minutes: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class AuthoredPath:
    """An exit that the pack's author wrote."""

    start: str
    path: Path
    one_way: bool = False


class _Map:
    """The ways found so far, and which places they join."""

    def __init__(self, places: Iterable[Tied]) -> None:
        self.places = {place.id: place for place in places}
        self.order = {place_id: number for number, place_id in enumerate(self.places)}
        self.paths: dict[str, dict[str, Path]] = {place_id: {} for place_id in self.places}
        self._parent = {place_id: place_id for place_id in self.places}
        self._members: dict[str, list[str]] = {place_id: [place_id] for place_id in self.places}

    def root(self, place_id: str) -> str:
        while self._parent[place_id] != place_id:
            self._parent[place_id] = self._parent[self._parent[place_id]]
            place_id = self._parent[place_id]
        return place_id

    def unite(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a == b:
            return
        if len(self._members[a]) < len(self._members[b]):
            a, b = b, a
        self._parent[b] = a
        self._members[a] += self._members.pop(b)

    def has_room(self, place_id: str) -> bool:
        return len(self.paths[place_id]) < MOST_WAYS

    def connect(self, a: str, b: str, minutes: int) -> None:
        self.paths[a].setdefault(b, Path(b, minutes))
        self.paths[b].setdefault(a, Path(a, minutes))
        self.unite(a, b)

    def gate(self, of: str, among: Iterable[str] = ()) -> str:
        """Return where a new way into the part of a place is best made: there, near by, or wherever there is room."""
        if self.has_room(of):
            return of
        near = [place_id for place_id in among if self.root(place_id) == self.root(of) and self.has_room(place_id)]
        anywhere = [member for member in self._members[self.root(of)] if self.has_room(member)]
        return min(near or anywhere or self._members[self.root(of)], key=self._fullness)

    def _fullness(self, place_id: str) -> tuple[int, int]:
        return (len(self.paths[place_id]), self.order[place_id])

    def first(self, place_id: str) -> tuple[int, int]:
        """Return a key that sorts the best tied place first, then in the order of the files."""
        return (-self.places[place_id].weight, self.order[place_id])

    def parts(self, among: Iterable[str]) -> dict[str, list[str]]:
        """Return the places by the parts that they are joined to so far."""
        found: dict[str, list[str]] = {}
        for place_id in among:
            found.setdefault(self.root(place_id), []).append(place_id)
        return found


def join_places(
    places: Sequence[Tied], authored: Iterable[AuthoredPath], links: Mapping[tuple[str, str], int]
) -> dict[str, tuple[Path, ...]]:
    """Return the ways out of each place. `links` are pairs of places with how strong each is (higher is stronger).

    Every place can be reached from every other. Deterministic in the order of the places.
    """
    found = _Map(places)
    _add_authored(found, authored)
    ranked = sorted(links, key=lambda pair: (-links[pair], found.order[pair[0]], found.order[pair[1]]))
    for a, b in ranked:
        if found.root(a) != found.root(b) and found.has_room(a) and found.has_room(b):
            found.connect(a, b, LINKED_MINUTES)
    for key, members in _shared_relations(places):
        _join(found, members, hub=key)
    _join(found, list(found.places))
    for a, b in ranked:
        if b not in found.paths[a] and found.has_room(a) and found.has_room(b):
            found.connect(a, b, LINKED_MINUTES)
    return {place_id: tuple(paths.values()) for place_id, paths in found.paths.items()}


def _add_authored(found: _Map, authored: Iterable[AuthoredPath]) -> None:
    kept = [exit_ for exit_ in authored if exit_.path.to in found.paths and exit_.path.to != exit_.start]
    for exit_ in kept:
        found.paths[exit_.start].setdefault(exit_.path.to, exit_.path)
    for exit_ in kept:
        if not exit_.one_way:
            found.paths[exit_.path.to].setdefault(exit_.start, Path(exit_.start, exit_.path.minutes))
            found.unite(exit_.start, exit_.path.to)


def _shared_relations(places: Sequence[Tied]) -> list[tuple[str, list[str]]]:
    """Return each relation that several places share, with those places: the nearest first, the rarer before the common
    one."""
    members: dict[str, list[str]] = {}
    near: dict[str, int] = {}
    for place in places:
        for key, nearness in place.keys.items():
            members.setdefault(key, []).append(place.id)
            near[key] = nearness
    titled = {place.title: place.id for place in reversed(places) if place.title}
    for key, of_key in members.items():
        named = titled.get(key)
        if named is not None and named not in of_key:
            of_key.append(named)
    several = [key for key, of_key in members.items() if len(of_key) > 1]
    return [(key, members[key]) for key in sorted(several, key=lambda key: (-near[key], len(members[key]), key))]


def _join(found: _Map, members: Sequence[str], *, hub: str = "") -> None:
    """Join the separate parts among the members: a tree with few branches, with the place that bears the key's name at
    its root."""
    parts = found.parts(members)
    if len(parts) < 2:
        return
    heads = [min(part, key=found.first) for part in parts.values()]
    heads.sort(key=lambda head: (found.places[head].title != hub, found.first(head)))
    for number in range(1, len(heads)):
        above, below = heads[(number - 1) // _BRANCHES], heads[number]
        found.connect(found.gate(above, members), found.gate(below, members), JOINED_MINUTES)


# Names from titles: they fit into a sentence and can be typed, no two alike.

LONGEST_NAME = 60

_LETTERS_ONLY = re.compile(r"[^\W_]+")
# Characters that our sentences, IDs and the parser use themselves.
_TAKEN = re.compile(r"[^\w\s’'&!?.,()\-–—]|_")
_SPOKEN = str.maketrans({"/": "-", "[": "(", "{": "(", "]": ")", "}": ")"})
_EDGES = " .,;:!?-–—&'’"


def display_name(title: str, *, fallback: str = "") -> str:
    """Return a title without markup, control characters and separators, cut at a word to LONGEST_NAME; else the
    fallback's; else `unnamed`."""
    for text in (title, fallback):
        plain = unicodedata.normalize("NFC", plain_text(text[:500]) or text[:500])
        shown = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in plain)
        shown = _drop_open_brackets(_cut(" ".join(_TAKEN.sub(" ", shown.translate(_SPOKEN)).split())))
        if _LETTERS_ONLY.search(shown):
            return shown
    return "unnamed"


def _cut(text: str) -> str:
    if len(text) > LONGEST_NAME:
        head = text[: LONGEST_NAME + 1].rpartition(" ")[0]
        text = head or text[:LONGEST_NAME]
    return text.strip(_EDGES)


def _drop_open_brackets(text: str) -> str:
    """Return a text without brackets that a cut has left open."""
    if text.count("(") != text.count(")"):
        text = " ".join(text.replace("(", " ").replace(")", " ").split())
    return text.strip(_EDGES)


def key_of(name: str) -> tuple[str, ...]:
    """Return the words that count when two names are compared, as a player types them."""
    folded = unicodedata.normalize("NFKD", name.replace("’", "'").casefold())
    return tuple(_LETTERS_ONLY.findall("".join(char for char in folded if not unicodedata.combining(char))))


@dataclass(frozen=True, slots=True)
class Titled:
    """An entity to be named: its key, its title, and the text that tells it from another of the same title."""

    key: str
    title: str
    fallback: str = ""
    apart: str = ""


def common_name(name: str) -> str:
    """Return `lost umbrella` for `Lost umbrella`: of several words only the first is capitalised, so it is no name."""
    first, _, rest = name.partition(" ")
    is_common = bool(rest) and rest == rest.lower() and first.isalpha() and first[1:].islower()
    return name[:1].lower() + name[1:] if is_common else name


def distinct_names(given: Iterable[Titled], *, taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a name for each key, in the given order: the first keeps its title, others get a text that tells them
    apart, or a number."""
    used = {key_of(name) for name in taken}
    names: dict[str, str] = {}
    for titled in given:
        name = display_name(titled.title, fallback=titled.fallback)
        if key_of(name) in used and titled.apart:
            name = f"{name} ({display_name(titled.apart)})"
        number = 2
        free = name
        while key_of(free) in used:
            free = f"{name} {number}"
            number += 1
        used.add(key_of(free))
        names[titled.key] = free
    return names


# The survey: the notes that a player may read, their ties, and the conditions that hide the others.

# Longer names (in words) are not looked for in texts.
_LONGEST_NAME = 6
_LINK_KINDS = ("location", "entity", "faction")


@dataclass(frozen=True, slots=True)
class Note:
    """An open note. `links` are the notes that its open text or its frontmatter names, in order; `threads` the same for
    threads; `mentions` the places named in its text without a link; `has_text` tells whether it has text."""

    entity: PackEntity
    order: int
    links: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    has_text: bool = False

    @property
    def id(self) -> str:
        """Return the entity's qualified ID."""
        return self.entity.id

    @property
    def folder(self) -> tuple[str, ...]:
        """Return the folders that the note lies in, outermost first."""
        return PurePosixPath(self.entity.file_path).parts[:-1]

    @property
    def ways(self) -> list[PackExit]:
        """Return the exits that its author gave it."""
        return ways_of(self.entity)


@dataclass(frozen=True, slots=True)
class HiddenItem:
    """An item that a search in a place brings to light: its ID, and the item notes that it names."""

    item_id: str
    place_id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """The open notes of a pack by ID, in file order; how many are hidden or empty; the threads and clocks of its
    conditions."""

    pack_id: str
    pack_name: str
    notes: Mapping[str, Note]
    hidden: int
    empty: int
    threads: tuple[str, ...]
    clocks: Mapping[str, int]
    finds: tuple[HiddenItem, ...]

    def of_type(self, *types: str) -> list[Note]:
        """Return the notes of the types, in file order."""
        return [note for note in self.notes.values() if note.entity.type in types]


def survey(generation: Generation) -> Survey:
    """Survey a generation as it is when a walk in it begins: every thread open, every clock at its start."""
    stored = generation.conditions()
    threads, clocks = _named_in_conditions(stored)
    start = LoreConditions(threads=dict.fromkeys(threads, "open"), clocks=dict.fromkeys(clocks, 0))
    (in_force,) = generations_in_force((generation,), start)
    entities = in_force.entities()
    chunks: dict[str, list[StoredChunk]] = {}
    for chunk in in_force.all_chunks():
        chunks.setdefault(chunk.entity_id, []).append(chunk)
    barred = _unreadable(stored, entities, generation.pack_id)
    openly = {
        entity_id: [chunk for chunk in own if chunk.role in OPEN_ROLES]
        for entity_id, own in chunks.items()
        if entity_id in entities
    }
    shown = [entity_id for entity_id in entities if openly.get(entity_id) and entity_id not in barred]
    places = _names(entity for entity_id in shown if (entity := entities[entity_id]).type == "location")
    notes = {
        entity_id: _make_note(in_force, entities[entity_id], number, openly[entity_id], set(shown), places)
        for number, entity_id in enumerate(shown)
    }
    return Survey(
        pack_id=generation.pack_id,
        pack_name=generation.manifest.name,
        notes=notes,
        hidden=sum(1 for entity_id in entities if entity_id in chunks and entity_id not in notes),
        empty=sum(1 for entity_id in entities if entity_id not in chunks),
        threads=threads,
        clocks=clocks,
        finds=tuple(_finds(in_force, chunks, notes)),
    )


def _named_in_conditions(stored: Iterable[StoredCondition]) -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the threads and clocks that conditions name; for a clock the highest value."""
    threads: dict[str, None] = {}
    clocks: dict[str, int] = {}
    for part in (part for condition in stored for part in condition.when.parts):
        if isinstance(part, WhenThread):
            threads[part.thread] = None
        elif isinstance(part, WhenClock):
            clocks[part.clock] = max(clocks.get(part.clock, 1), part.min or 1, part.max or 1)
    return tuple(threads), {clock: min(value, 100) for clock, value in clocks.items()}


def _unreadable(stored: Iterable[StoredCondition], entities: Mapping[str, PackEntity], pack_id: str) -> set[str]:
    """Return the notes with a condition that no campaign could judge."""
    barred = set()
    for condition in stored:
        subjects = [qualify(pack_id, part.subject) for part in condition.when.parts if isinstance(part, WhenFact)]
        if not condition.when.parts or any(subject not in entities for subject in subjects):
            barred.add(condition.entity_id)
    return barred


def _names(entities: Iterable[PackEntity]) -> dict[tuple[str, ...], str]:
    """Return the words of each name and alias with the one place that has it."""
    found: dict[tuple[str, ...], str | None] = {}
    for entity in entities:
        for name in {entity.name, *entity.aliases}:
            key = tuple(words_of(name))
            if key and (len(key) > 1 or len(key[0]) > 3):
                found[key] = None if found.get(key, entity.id) != entity.id else entity.id
    return {key: entity_id for key, entity_id in found.items() if entity_id is not None}


def _make_note(
    generation: Generation,
    entity: PackEntity,
    order: int,
    chunks: list[StoredChunk],
    shown: set[str],
    places: Mapping[tuple[str, ...], str],
) -> Note:
    links = [link for chunk in chunks for link in generation.links_of(chunk.row)]
    others = [value for kind, value in links if kind in _LINK_KINDS and value in shown and value != entity.id]
    named = [place_id for chunk in chunks for place_id in _named_in(chunk.text, places) if place_id != entity.id]
    return Note(
        entity=entity,
        order=order,
        links=tuple(dict.fromkeys(others)),
        threads=tuple(dict.fromkeys(value for kind, value in links if kind == "thread")),
        mentions=tuple(dict.fromkeys(named)),
        has_text=any(key_of(chunk.text[:2_000]) for chunk in chunks),
    )


def _named_in(text: str, places: Mapping[tuple[str, ...], str]) -> list[str]:
    if not places:
        return []
    words = words_of(text)
    longest = min(_LONGEST_NAME, max(map(len, places)))
    found = []
    for start in range(len(words)):
        for size in range(min(longest, len(words) - start), 0, -1):
            place = places.get(tuple(words[start : start + size]))
            if place is not None:
                found.append(place)
                break
    return found


def _finds(
    generation: Generation, chunks: Mapping[str, list[StoredChunk]], notes: Mapping[str, Note]
) -> Iterable[HiddenItem]:
    """Yield what can be found in the places, with the item notes that each names."""
    items = {
        tuple(words_of(name)): note.id
        for note in notes.values()
        if note.entity.type == "item"
        for name in (note.entity.name, *note.entity.aliases)
        if words_of(name)
    }
    for note in notes.values():
        for chunk in chunks.get(note.id, ()) if note.entity.type == "location" else ():
            for item in generation.items_of(chunk.row) if chunk.role == "discoverable" else ():
                yield HiddenItem(item.id, note.id, tuple(dict.fromkeys(_named_in(item.text, items))))


# The places of people and things: where their relations put them, else by seed.

# A sentence lists four people; a reader can still tell six in a room apart.
MOST_PEOPLE = 6
MOST_THINGS = 6


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
