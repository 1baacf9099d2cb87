"""SceneLoreCache: the lore of a scene is gathered when the scene opens, and reused while it lasts.

A cached scene holds everything, secrets included; what a viewer sees of it is computed when it is read. So the cache
never changes an answer: each part of it depends only on the packs and on what of them is in force, and both are part of
its `basis`.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.errors import EmbedderError
from lorewright.ids import canonical_json, content_hash, holder_of, slug
from lorewright.index.fulltext import fulltext_here
from lorewright.index.generation import Generation, oldest_reading
from lorewright.index.keywords import (
    STOP_WORDS,
    KeywordTable,
    content_words,
    indexed_row,
    rank_keywords,
    words_of,
)
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.filters import named_entities
from lorewright.retrieval.view import hidden_from_players, unmet_conditions
from lorewright.scene_lore.gather import STANDING_TOKENS, compose, gather_person, gather_place
from lorewright.scene_lore.models import (
    LorePassage,
    PersonLore,
    PlaceLore,
    SceneFocus,
    SceneItem,
    SceneLore,
)
from lorewright.scene_lore.retrieved import SceneRetrieval

# A player's words -> the item of similar meaning, where none of its words was used.

# How much nearer than the open windows of its pack an item has to be, in standard deviations of their cosines: every
# embedder has its own range of cosines, and short questions are near to nothing. Tried on the packs that ship: answers
# to a question begin at about 3, and items that only sound similar stay below.
MIN_STRANGENESS = 3.0
# The same for a sentence, whose words by themselves are near to much.
MIN_OF_SENTENCE = 3.8
# The same for the less near of a question's topic and its whole wording: each is near to something now and then.
MIN_OF_BOTH = 3.4
# And for an item that is told beside the answer that somebody does not have: it has to be near, and no answer.
MIN_BESIDE = 3.25
# The lowest cosine of a match, for an item can be nearer than others and still near to nothing.
MIN_COSINE = 0.25
# A mean of fewer windows is not used.
_MIN_WINDOWS = 30


def item_by_meaning(
    words: str,
    items: Sequence[SceneItem],
    generations: Sequence[Generation],
    *,
    whole: str = "",
    is_beside: bool = False,
) -> SceneItem | None:
    """Return the item that is nearest to the words in meaning; None where no item stands out, or where its pack has no
    vectors. With `is_beside` it need not answer them. `whole` is the question that the words are the topic of.

    An item is judged against open lore alone, so that no other secret has a part in it.
    """
    if not items or not words.strip():
        return None
    wanted = {item.id: item for item in items}
    found = [pair for generation in generations for pair in _strangeness(words, wanted, generation)]
    best = max(found, key=lambda pair: (pair[1], pair[0]), default=None)
    least = MIN_OF_SENTENCE if len(words_of(words)) >= _SENTENCE else MIN_STRANGENESS
    least = MIN_BESIDE if is_beside else least
    if best is None or best[1] < least:
        return None
    nearest = wanted[best[0]]
    of_both = strangeness_of(words, whole, [nearest], generations)
    return nearest if min(of_both[nearest.id], default=best[1]) >= (MIN_BESIDE if is_beside else MIN_OF_BOTH) else None


def strangeness_of(
    words: str, whole: str, items: Sequence[SceneItem], generations: Sequence[Generation]
) -> dict[str, list[float]]:
    """Return for each item, by ID, how strangely near it is to the topic of a question, and to all of it where that is
    more; nothing where its pack has no vectors."""
    wanted = {item.id: item for item in items}
    near: dict[str, list[float]] = {item_id: [] for item_id in wanted}
    for text in dict.fromkeys(filter(str.strip, (words, whole))):
        nearest: dict[str, float] = {}
        for generation in generations:
            for item_id, value in _strangeness(text, wanted, generation, least=-1):
                nearest[item_id] = max(value, nearest.get(item_id, value))
        for item_id, value in nearest.items():
            near[item_id].append(value)
    return near


def _strangeness(
    words: str, wanted: dict[str, SceneItem], generation: Generation, *, least: float = MIN_COSINE
) -> Iterator[tuple[str, float]]:
    """Yield the items of a generation, each with the standard deviations by which it is nearer than open lore; none
    whose cosine is below `least`."""
    if generation.vectors is None or generation.embedder is None:
        return
    table = generation.window_table(len(generation.vectors.vectors))
    windows = [(window, item_id) for window, item_id in table.items.items() if item_id in wanted]
    open_windows = table.present & table.opens
    if not windows or int(open_windows.sum()) < _MIN_WINDOWS:
        return
    try:
        question = generation.embedder.embed_query(words)
    except EmbedderError:
        return
    cosines = np.einsum("ij,j->i", generation.vectors.vectors, question).astype(np.float64)
    mean, deviation = float(cosines[open_windows].mean()), float(cosines[open_windows].std())
    for window, item_id in windows:
        if table.present[window] and cosines[window] >= least and deviation > 0:
            yield item_id, round((float(cosines[window]) - mean) / deviation, 3)


# A player's words -> the items they point at. Only here are words compared with hidden lore; only IDs come out.

# An item that scores less than this share of the best one does not match.
_FLOOR = 0.5

# Words that mean the whole place in a search.
_WHOLE_PLACE = frozenset({"all", "area", "around", "everything", "everywhere", "here", "place", "room", "scene"})


@dataclass(frozen=True, slots=True)
class Match:
    """Items best first, and the keys of what was named: entity IDs and slugs of the content words."""

    items: tuple[SceneItem, ...]
    topics: tuple[str, ...]


def match_items(
    words: str, items: Sequence[SceneItem], generations: Sequence[Generation], *, is_sought: bool = False
) -> Match:
    """Return the items that words point at, by their names, triggers and texts, and by the names and aliases in them.

    An alias (`the courier`) counts as the name it stands for. Without words every item matches, in source order; words
    that match nothing give no items. With `is_sought` one word of many is enough.
    """
    english = are_english(items, generations)
    telling = [word for word in content_words(words, english=english) if not english or word not in STOP_WORDS]
    if english and len(words_of(words)) >= _SENTENCE:
        telling = [word for word in telling if word not in COLOURLESS_WORDS | FAINT_WORDS]
    elif english and len(words_of(words)) >= _SHORT_SENTENCE:
        coloured = [word for word in telling if word not in COLOURLESS_WORDS]
        strong = [word for word in coloured if word not in FAINT_WORDS]
        telling = strong if strong or len(coloured) < len(telling) else coloured
    if words_of(words) and not telling:
        return Match((), ())
    if not telling:
        return Match(tuple(items), ())
    named = names_in(words, generations)
    topics = (*named, *(slug(word) for word in telling))
    search_words = [*telling, *(word for entity_id in named for word in name_words(entity_id, generations))]
    has_many = len(words_of(words)) >= _SENTENCE and len(set(telling)) >= _MANY_WORDS
    least = _OF_MANY if english and has_many and not named and not is_sought else 1
    reading = oldest_reading(generations)
    ranked = _rank(search_words, items, english=english, reading=reading, least_words=least)
    if english and not is_sought and COLOURLESS_WORDS.issuperset(telling):
        # `What's wrong`: a word that fits any text points at what is called by it alone.
        ranked = tuple(item for item in ranked if not _subject(item).isdisjoint(telling))
    if english and len(words_of(words)) >= _SENTENCE and not is_sought:
        ranked = _about_those_named(telling, named, ranked, generations)
    return Match(ranked, tuple(dict.fromkeys(topics)))


def names_in(words: str, generations: Sequence[Generation]) -> dict[str, str]:
    """Return the entities that words to somebody name, with the name that each is named by."""
    everyone = {entity_id for generation in generations for entity_id in generation.entities()}
    # In a conversation a lower-case name is a name, as if all were there.
    return named_entities(words, generations, in_scene=everyone, hidden=hidden_from_players(generations))


def called_words(entity_ids: Iterable[str], generations: Sequence[Generation]) -> set[str]:
    """Return the words of the names and aliases of some entities."""
    found = [generation.entity(entity_id) for entity_id in entity_ids for generation in generations]
    return {
        word
        for entity in found
        if entity is not None
        for name in (entity.name, *entity.aliases)
        for word in content_words(name)
    }


def _about_those_named(
    telling: Sequence[str], named: Iterable[str], items: Sequence[SceneItem], generations: Sequence[Generation]
) -> tuple[SceneItem, ...]:
    """Return the items of a sentence that names somebody else than whose they are, without those that have no word of
    their names, and one other word of the sentence alone: `Jin` and `days` is nothing about days."""
    holders = {holder_of(item.id) for item in items}
    others = [entity_id for entity_id in named if entity_id not in holders]
    called = called_words(others, generations)
    if not called:
        return tuple(items)
    said = set(telling) - called

    def is_about(item: SceneItem) -> bool:
        subject, text = _subject(item), set(content_words(item.text))
        return bool((subject | text) & called or subject & said) or len(text & said) >= min(len(said), _OF_MANY)

    return tuple(filter(is_about, items))


def _subject(item: SceneItem) -> set[str]:
    return set(content_words(f"{item.name.replace('_', ' ')} {item.trigger or ''}"))


# A topic of so many words is a sentence, in which words of every conversation say nothing of what it is about; a
# shorter one has at least some of them.
_SENTENCE, _SHORT_SENTENCE = 4, 3
COLOURLESS_WORDS = frozenset(
    """got get gets getting another other others name names look looks looked looking say says said saying thing things
    people person way ways kind sort instead cheap really right mean means meant make makes made take takes
    taken come comes came keep keeps kept give gives gave want wants like likes talk talks talking speak speaks
    speaking somebody someone something anything nothing going goes put let call called use used bit lot matter
    part always never ever much many more most rather quite sure maybe perhaps tell tells told think thinks
    thought believe feel feels try tries need needs else ask asks asked asking able bother mind wrong again
    straight true anybody anyone everybody everyone nobody upon mate pal both""".split()
)
# Words that point at nothing by themselves among others of a sentence.
FAINT_WORDS = frozenset(
    """know knows knew known see sees saw seen hear heard find found last first long old new good bad big little great
    best better well still even also back night nights day days evening evenings morning mornings today tonight
    yesterday tomorrow time times year years week weeks month months hour hours minute minutes moment moments
    happen happens happened wish care miss forget forgot guess suppose wonder start stop stay stays leave works
    go gone went out off one two three four five six seven eight nine ten""".split()
)

# Of a sentence with so many telling words an item has at least as many as the second number, unless somebody or
# something is named in it.
_MANY_WORDS, _OF_MANY = 3, 2


def search_items(
    words: str, place_names: Sequence[str], items: Sequence[SceneItem], generations: Sequence[Generation]
) -> Match:
    """Return the discoverable items that a search finds. Words that only name the place, or no words, find all of them.

    Words that are both (`the bar` in a bar with something behind its bar) find what they match first, then the rest.
    """
    place = {word for name in place_names for word in words_of(name)} | _WHOLE_PLACE
    match = match_items(words, items, generations, is_sought=True)
    if place.issuperset(content_words(words, english=are_english(items, generations))):
        rest = tuple(item for item in items if item not in match.items)
        return Match((*match.items, *rest), match.topics)
    return match


def are_english(items: Sequence[SceneItem], generations: Sequence[Generation]) -> bool:
    """Return True if no item comes from a pack in another language."""
    packs = {item.id.partition(":")[0] for item in items}
    return all(generation.english for generation in generations if generation.pack_id in packs)


def name_words(entity_id: str, generations: Sequence[Generation]) -> list[str]:
    """Return the words of an entity's name in each pack."""
    found = [entity for generation in generations if (entity := generation.entity(entity_id)) is not None]
    return [word for entity in found for word in content_words(entity.name)]


def _rank(
    words: Sequence[str], items: Sequence[SceneItem], *, english: bool, reading: int, least_words: int = 1
) -> tuple[SceneItem, ...]:
    """Return the items that have at least so many of the words, by the same keyword ranking as everything else, over a
    temporary table."""
    if not items:
        return ()
    with closing(sqlite3.connect(":memory:")) as connection:
        fulltext = fulltext_here()
        connection.execute(fulltext.create("items", english=english))
        rows = [
            indexed_row((number, item.name.replace("_", " "), item.trigger or "", item.text), reading=reading)
            for number, item in enumerate(items)
        ]
        fulltext.insert(connection, "items", rows)
        table = KeywordTable(connection, "items", len(items), reading=reading)
        hits = rank_keywords([table], words)[0]
        if least_words > 1:
            counts = Counter(row for word in set(words) for row in rank_keywords([table], [word])[0])
            hits = {row: hit for row, hit in hits.items() if counts[row] >= least_words}
    best = max((hit.score for hit in hits.values()), default=0.0)
    order = sorted(hits, key=lambda row: (-round(hits[row].score, 6), row))
    return tuple(items[row] for row in order if hits[row].score >= _FLOOR * best)


# The cache: a scene's lore is gathered when the scene opens, and reused while it lasts.

# Raised whenever the same packs would be gathered to something else than before.
_FORMAT = 1

# Returns the generations without what is not in force; called only when something has to be gathered.
InForce = Callable[[], Sequence[Generation]]


class MaterializedScene(BaseModel):
    """A cached scene. `people` were there at some time of the scene; those who have left stay in it and are not shown.

    `learned` are its items that the player had when it was materialised.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    scene_id: str
    session_id: str | None = None
    basis: str
    learned: tuple[str, ...] = ()
    place: PlaceLore
    people: tuple[PersonLore, ...] = ()
    retrieved: tuple[LorePassage, ...] = Field(default=(), exclude_if=lambda retrieved: not retrieved)
    retrieved_basis: str = Field(default="", exclude_if=lambda basis: not basis)

    def person(self, npc_id: str) -> PersonLore | None:
        """Return what a character brings, or None where they have not been in the scene."""
        return next((person for person in self.people if person.briefing.npc_id == npc_id), None)

    def item_ids(self) -> frozenset[str]:
        """Return the IDs of all items of the place and its people."""
        of_people = [
            item
            for person in self.people
            for item in (*person.briefing.knows, *person.briefing.withholds, *person.threads)
        ]
        return frozenset(item.id for item in (*self.place.discoverable, *self.place.threads, *of_people))


class SceneLoreCache:
    """The cached scenes of one turn, with the seed's operations; they are loaded and stored as JSON."""

    def __init__(self, kept: Sequence[str] = (), *, session_id: str | None = None, reuse: bool = True) -> None:
        """`kept` are stored scenes; a scene that cannot be read is left out. Without `reuse` everything is gathered
        anew."""
        read = [scene for scene in map(_read, kept) if scene is not None]
        self._scenes = {scene.scene_id: scene for scene in read}
        self._session_id = session_id
        self._reuse = reuse
        self._known = dict(self._scenes)
        # The scenes that had to be gathered whole.
        self.gathered: set[str] = set()

    def lore_of(
        self,
        focus: SceneFocus,
        generations: Sequence[Generation],
        in_force: InForce,
        *,
        conditions: LoreConditions,
        learned: frozenset[str],
        standing_tokens: int = STANDING_TOKENS,
    ) -> SceneLore:
        """Return all lore of a scene: as cached, with the briefings of those who have come since, or gathered anew.

        A cached scene is out of date when other packs are searched, a condition has changed, the scene is another
        place, or an item of it was learned.
        """
        basis = basis_of(focus.location_id, generations, conditions, standing_tokens)
        scene = self.get(focus.scene_id) if self._reuse else None
        if scene is None or scene.basis != basis or set(scene.learned) != scene.item_ids() & learned:
            # What is retrieved does not depend on what was learned: it may still hold.
            earlier = self.get(focus.scene_id)
            self.invalidate(focus.scene_id)
            place = gather_place(in_force(), focus.location_id, standing_tokens=standing_tokens)
            scene = self.materialize(place, focus.scene_id, basis=basis)
            if earlier is not None:
                scene = self._keep(scene, retrieved=earlier.retrieved, retrieved_basis=earlier.retrieved_basis)
        for npc_id in focus.present_ids:
            if scene.person(npc_id) is None:
                scene = self.append_npc(focus.scene_id, gather_person(in_force(), npc_id))
        scene = self._note_learned(scene, learned)
        return compose(focus, scene.place, {person.briefing.npc_id: person for person in scene.people})

    def retrieved_for(
        self,
        focus: SceneFocus,
        generations: Sequence[Generation],
        retrieval: SceneRetrieval,
        *,
        conditions: LoreConditions,
        known: Set[str],
    ) -> tuple[LorePassage, ...]:
        """Return the lore that is retrieved for a scene whose lore was gathered, without the chunks that are `known`
        of that: as cached while the scene, its people and the open threads are the same.

        Raises:
            KeyError: the scene is not materialised.
        """
        scene = self._scenes[focus.scene_id]
        basis = content_hash(canonical_json([scene.basis, retrieval.basis(focus)]))
        if self._reuse and scene.retrieved_basis == basis:
            return scene.retrieved
        passages = retrieval.passages(focus, generations, conditions, known=known)
        self._keep(scene, retrieved=passages, retrieved_basis=basis)
        return passages

    def materialize(self, place: PlaceLore, scene_id: str, *, basis: str) -> MaterializedScene:
        """Store a place's lore for a scene that opens; the people are appended one by one."""
        self.gathered.add(scene_id)
        made = MaterializedScene(scene_id=scene_id, session_id=self._session_id, basis=basis, place=place)
        self._scenes[scene_id] = made
        return made

    def append_npc(self, scene_id: str, person: PersonLore) -> MaterializedScene:
        """Add the lore of a character who has come.

        Raises:
            KeyError: the scene is not materialised.
        """
        scene = self._scenes[scene_id]
        return self._keep(scene, people=(*scene.people, person))

    def get(self, scene_id: str) -> MaterializedScene | None:
        """Return the cached scene, or None."""
        return self._scenes.get(scene_id)

    def invalidate(self, scene_id: str) -> None:
        """Forget a scene: it is gathered anew when it is next asked for."""
        self._scenes.pop(scene_id, None)

    def to_keep(self, scene_id: str) -> str | None:
        """Return a scene as JSON to be stored, or None where it is absent or unchanged since it was loaded."""
        scene = self._scenes.get(scene_id)
        return None if scene is None or scene is self._known.get(scene_id) else canonical_json(scene.model_dump())

    def _note_learned(self, scene: MaterializedScene, learned: frozenset[str]) -> MaterializedScene:
        known = tuple(sorted(scene.item_ids() & learned))
        return scene if known == scene.learned else self._keep(scene, learned=known)

    def _keep(self, scene: MaterializedScene, **changed: Any) -> MaterializedScene:
        self._scenes[scene.scene_id] = scene.model_copy(update=changed)
        return self._scenes[scene.scene_id]


def basis_of(
    location_id: str,
    generations: Sequence[Generation],
    conditions: LoreConditions,
    standing_tokens: int = STANDING_TOKENS,
) -> str:
    """Return a hash that changes when a place's lore may have changed: of the place, of the packs, of the conditions
    that do not hold, and of the room for standing lore."""
    packs = [f"{generation.folder.parent.name}/{generation.folder.name}" for generation in generations]
    # Where the room is the usual one, scenes that were stored before it could be set still hold.
    room = [] if standing_tokens == STANDING_TOKENS else [standing_tokens]
    unmet = unmet_conditions(generations, conditions)
    return content_hash(canonical_json([_FORMAT, location_id, packs, unmet, *room]))


def _read(text: str) -> MaterializedScene | None:
    try:
        return MaterializedScene.model_validate_json(text)
    except ValidationError:
        return None
