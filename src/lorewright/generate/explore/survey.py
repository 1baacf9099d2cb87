"""A generation -> Survey: the notes that a player may read, their ties, and the conditions that hide the others.

Only open text counts: a link in a secret ties nothing, and a note that is for the game master alone is not in the
survey at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from lorewright.generate.explore.guessing import (
    UNTOLD,
    Guess,
    NoteSection,
    find_homes,
    guess_types,
    is_told,
    where_of,
)
from lorewright.ids import local, qualify
from lorewright.index.generation import Generation, StoredChunk, StoredCondition
from lorewright.index.keywords import words_of
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.markdown.chunking import plain_text
from lorewright.packs.markdown.exits import PackExit, ways_of
from lorewright.packs.models import OPEN_ROLES, PackEntity, WhenClock, WhenFact, WhenThread
from lorewright.retrieval.entity_names import common_names
from lorewright.retrieval.view import generations_in_force

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
    threads; `mentions` the places named in its text without a link; `has_text` tells whether it has text; `where` the
    places where its keys or a text say that it is."""

    entity: PackEntity
    order: int
    links: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    has_text: bool = False
    where: tuple[str, ...] = ()

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
    conditions. `guesses` are the notes whose type was guessed, `untold` those of which nothing tells a type; with
    `places_all` every note has a place in a walk, also those that are neither places, people nor things."""

    pack_id: str
    pack_name: str
    notes: Mapping[str, Note]
    hidden: int
    empty: int
    threads: tuple[str, ...]
    clocks: Mapping[str, int]
    finds: tuple[HiddenItem, ...]
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    untold: frozenset[str] = frozenset()
    places_all: bool = False

    def of_type(self, *types: str) -> list[Note]:
        """Return the notes of the types, in file order."""
        return [note for note in self.notes.values() if note.entity.type in types]


def survey(generation: Generation, *, guessing: bool = False) -> Survey:
    """Survey a generation as it is when a walk in it begins: every thread open, every clock at its start. With
    `guessing` notes without a type are given one where their text, or those that link them, tells of one; a pack that
    has a manifest and a type for every note is walked as its author made it."""
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
    readable = {entity_id: openly[entity_id] for entity_id in shown}
    where = _named_whereabouts({entity_id: entities[entity_id] for entity_id in shown}) if guessing else {}
    texts = _open_texts(in_force, readable) if guessing else {}
    untold = [entity_id for entity_id in texts if not is_told(entities[entity_id], generation.manifest)]
    guesses = guess_types(entities, texts, untold, where) if untold else {}
    entities = {
        entity_id: replace(entity, type=guesses[entity_id].type) if entity_id in guesses else entity
        for entity_id, entity in entities.items()
    }
    entities = _with_small_titles(entities, readable)
    homes = find_homes(entities, texts)
    places = _names(entity for entity_id in shown if (entity := entities[entity_id]).type == "location")
    notes = {
        entity_id: replace(
            _make_note(in_force, entities[entity_id], number, openly[entity_id], set(shown), places),
            where=(*where.get(entity_id, ()), *homes.get(entity_id, ())),
        )
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
        # What cannot be found yet lies there for later, and not in the open.
        finds=tuple(_finds(generation, notes)),
        guesses=guesses,
        untold=frozenset(note_id for note_id in untold if entities[note_id].type == UNTOLD),
        places_all=guessing and (bool(untold) or generation.manifest.derived),
    )


def survey_packs(generations: Sequence[Generation], *, guessing: bool = False) -> Survey:
    """Survey several packs as one, in their order. What a later pack describes anew is the same entity; what two packs
    call by one ID is the first one's, if `guessing`."""
    entities = [entity for generation in generations for entity in generation.entities().values()]
    without = {entity.overrides.target for entity in entities if entity.overrides is not None}
    surveys = [survey(generation, guessing=guessing) for generation in generations]
    notes: dict[str, Note] = {}
    for note in (note for pack_survey in surveys for note in pack_survey.notes.values() if note.id not in without):
        notes.setdefault(local(note.id) if guessing else note.id, note)
    clocks: dict[str, int] = {}
    for pack_survey in surveys:
        for clock, most in pack_survey.clocks.items():
            clocks[clock] = max(most, clocks.get(clock, 0))
    kept = {note.id for note in notes.values()}
    return Survey(
        pack_id=surveys[0].pack_id,
        pack_name=surveys[0].pack_name,
        notes={note.id: replace(note, order=number) for number, note in enumerate(notes.values())},
        hidden=sum(pack_survey.hidden for pack_survey in surveys),
        empty=sum(pack_survey.empty for pack_survey in surveys),
        threads=tuple(dict.fromkeys(thread for pack_survey in surveys for thread in pack_survey.threads)),
        clocks=clocks,
        finds=tuple(find for pack_survey in surveys for find in pack_survey.finds if find.place_id in kept),
        guesses={note_id: guess for found in surveys for note_id, guess in found.guesses.items()},
        untold=frozenset(note_id for found in surveys for note_id in found.untold),
        places_all=any(found.places_all for found in surveys),
    )


def _with_small_titles(
    entities: Mapping[str, PackEntity], readable: Mapping[str, Sequence[StoredChunk]]
) -> dict[str, PackEntity]:
    """Return the entities, an item titled `Red Lantern` as `Red lantern` where the open text writes it small."""
    titles = [entity.name for entity in entities.values() if entity.type == "item"]
    small = common_names(titles, (chunk.text for chunks in readable.values() for chunk in chunks))
    return {
        entity_id: replace(entity, name=entity.name.capitalize())
        if entity.type == "item" and entity.name in small
        else entity
        for entity_id, entity in entities.items()
    }


def _open_texts(generation: Generation, openly: Mapping[str, Sequence[StoredChunk]]) -> dict[str, list[NoteSection]]:
    return {
        entity_id: [
            NoteSection(chunk.section, chunk.text, _linked(generation, chunk, openly, entity_id)) for chunk in chunks
        ]
        for entity_id, chunks in openly.items()
    }


def _linked(generation: Generation, chunk: StoredChunk, shown: Container[str], own: str) -> tuple[str, ...]:
    """Return the notes that a section links, without hidden ones."""
    links = generation.links_of(chunk.row)
    return tuple(value for kind, value in links if kind in _LINK_KINDS and value in shown and value != own)


def _named_whereabouts(entities: Mapping[str, PackEntity]) -> dict[str, tuple[str, ...]]:
    """Return for each note the notes that its keys name as the place where it is."""
    ids: dict[tuple[str, ...], str] = {}
    for entity in entities.values():
        for name in (entity.name, *entity.aliases):
            ids.setdefault(key_of(name), entity.id)
    named = {entity_id: [ids.get(key_of(name)) for name in where_of(entity)] for entity_id, entity in entities.items()}
    return {
        entity_id: tuple(other for other in dict.fromkeys(others) if other is not None and other != entity_id)
        for entity_id, others in named.items()
    }


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
    others = [value for chunk in chunks for value in _linked(generation, chunk, shown, entity.id)]
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


def _finds(generation: Generation, notes: Mapping[str, Note]) -> Iterable[HiddenItem]:
    """Yield what can be found in the places, now or under a condition, with the item notes that each names."""
    items = {
        tuple(words_of(name)): note.id
        for note in notes.values()
        if note.entity.type == "item"
        for name in (note.entity.name, *note.entity.aliases)
        if words_of(name)
    }
    for note in notes.values():
        for chunk in generation.chunks_of(note.id) if note.entity.type == "location" else ():
            for item in generation.items_of(chunk.row) if chunk.role == "discoverable" else ():
                yield HiddenItem(item.id, note.id, tuple(dict.fromkeys(_named_in(item.text, items))))
