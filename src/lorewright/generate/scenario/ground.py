"""Packs -> the ground that a scenario can stand on: places with ways between them, people, things, and their items.

Places and ways are found as a walk finds them; a scenario names only what everybody may read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lorewright.generate.explore.joining import Path
from lorewright.generate.explore.making import key_of_note, names_of_notes, only_found, ways_between
from lorewright.generate.explore.survey import Note, Survey, survey_packs
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.index.keywords import words_of
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.view import generations_in_force
from lorewright.scene_lore.gather import quotable_sentences

# The roles of items that somebody says or keeps back, or that are found in a place.
_TOLD = ("knows", "withholds", "discoverable")
_GROUPS = ("faction", "culture", "organisation", "organization")
# A title with more words, or with one of these words, is a chapter's and nobody's name.
_LONGEST_TITLE = 4
_CHAPTER_WORDS = frozenset({"and", "note", "other", "new", "overview", "gazetteer", "characters", "archetypes"})


@dataclass(frozen=True, slots=True)
class TellableItem:
    """An item by what may be said of it before it is learned: its ID, its name, its search trigger."""

    id: str
    name: str
    role: str
    trigger: str | None = None

    @property
    def words(self) -> str:
        """Return what a player calls it."""
        return self.name.replace("_", " ").replace("-", " ")


@dataclass(frozen=True, slots=True)
class Ground:
    """The material that packs offer. Notes are by ID in the order of the packs; `names` are those that a player reads
    and types; `about` is the words that a note can be chosen by, `items` are each holder's items to tell or to be
    found."""

    survey: Survey
    pack_ids: tuple[str, ...]
    pack_names: tuple[str, ...]
    names: Mapping[str, str]
    ways: Mapping[str, tuple[Path, ...]]
    items: Mapping[str, tuple[TellableItem, ...]]
    about: Mapping[str, frozenset[str]]
    ambiguous: frozenset[str]

    def of_type(self, *types: str) -> list[Note]:
        """Return the notes of the types."""
        return self.survey.of_type(*types)

    @property
    def groups(self) -> list[Note]:
        """Return the notes that have members: factions before others, names before chapters."""
        found = sorted(self.of_type(*_GROUPS), key=lambda note: (note.entity.type != "faction", note.order))
        return [note for note in found if is_a_name(note.entity.name)] or found

    @property
    def loose_things(self) -> list[Note]:
        """Return the things that can be held, except those that only a search brings to light."""
        hidden = only_found(self.survey, self.of_type("location"))
        return [note for note in self.of_type("item") if note.id not in hidden and is_a_name(note.entity.name)]

    def key(self, note_id: str) -> str:
        """Return the name of a note in a scenario: with its pack where two packs have one of that name."""
        return note_id if local(note_id) in self.ambiguous else key_of_note(note_id)

    def role(self, holder_id: str, role: str) -> tuple[TellableItem, ...]:
        """Return the items of a holder in a role whose names a player can ask about."""
        return tuple(item for item in self.items.get(holder_id, ()) if item.role == role and _is_askable(item.name))

    def neighbours(self, place_id: str) -> list[str]:
        """Return the places that a player can go to from a place and come back from."""
        return [
            way.to
            for way in self.ways.get(place_id, ())
            if any(back.to == place_id for back in self.ways.get(way.to, ()))
        ]


def is_a_name(title: str) -> bool:
    """Tell whether a title reads as the name of one thing or place, and not as that of a chapter."""
    words = words_of(title)
    is_plain = not set(title) & set("&:/;,")
    return is_plain and 0 < len(words) <= _LONGEST_TITLE and not _CHAPTER_WORDS.intersection(words)


def _is_askable(name: str) -> bool:
    """Tell whether an item's name is its author's, in words; an item without a name is known by a number or by letters
    of a hash."""
    return all(part.isalpha() for part in name.replace("-", "_").split("_")) and len(name) > 2


def ground_of(generations: Sequence[Generation]) -> Ground:
    """Return the ground of packs, as it is when a scenario begins."""
    seen = survey_packs(generations)
    places = [note for note in seen.of_type("location") if is_a_name(note.entity.name)] or seen.of_type("location")
    named = [note for note in seen.notes.values() if note.entity.type in ("location", "npc", "item", *_GROUPS)]
    own = [local(note.id) for note in seen.notes.values()]
    start = LoreConditions(threads=dict.fromkeys(seen.threads, "open"), clocks=dict.fromkeys(seen.clocks, 0))
    in_force = generations_in_force(generations, start)
    return Ground(
        survey=seen,
        pack_ids=tuple(generation.pack_id for generation in generations),
        pack_names=tuple(generation.manifest.name for generation in generations),
        names=names_of_notes(named),
        ways=ways_between(places),
        items=_tellable_items(in_force),
        about=_words_about(seen, in_force),
        ambiguous=frozenset(key for key in own if own.count(key) > 1),
    )


def _tellable_items(in_force: Iterable[Generation]) -> dict[str, tuple[TellableItem, ...]]:
    found: dict[str, tuple[TellableItem, ...]] = {}
    for generation in in_force:
        for chunk in generation.all_chunks():
            if chunk.role in _TOLD:
                told = (
                    TellableItem(item.id, item.name, chunk.role, item.trigger)
                    for item in generation.items_of(chunk.row)
                )
                found[chunk.entity_id] = (*found.get(chunk.entity_id, ()), *told)
    return found


def _words_about(seen: Survey, in_force: Iterable[Generation]) -> dict[str, frozenset[str]]:
    """Return the words of each note's name, aliases, tags, folders and the titles of its sections."""
    titles: dict[str, set[str]] = {}
    for generation in in_force:
        for chunk in generation.all_chunks():
            titles.setdefault(chunk.entity_id, set()).update(words_of(chunk.section))
    return {
        note.id: frozenset(
            word
            for text in (note.entity.name, *note.entity.aliases, *note.entity.tags, *note.folder)
            for word in words_of(text.replace("_", " "))
        )
        | titles.get(note.id, set())
        for note in seen.notes.values()
    }


def sentences_on(seen: Survey, in_force: Iterable[Generation]) -> dict[str, str]:
    """Return the first sentence on each note that everybody may read and that can be quoted, by ID. It takes a
    while."""
    found: dict[str, str] = {}
    for generation in in_force:
        for chunk in generation.all_chunks():
            if chunk.role in OPEN_ROLES and chunk.entity_id in seen.notes and chunk.entity_id not in found:
                sentences = quotable_sentences(chunk.text)
                if sentences:
                    found[chunk.entity_id] = sentences[0]
    return found
