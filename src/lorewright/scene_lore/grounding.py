"""A player's words -> the items they point at. The one place where words meet what is hidden; only IDs come out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.ids import slug
from lorewright.index.fulltext import fulltext_here
from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS, KeywordTable, content_words, rank_keywords, words_of
from lorewright.retrieval.filters import named_entities
from lorewright.retrieval.view import hidden_from_players
from lorewright.scene_lore.models import SceneItem

# A player's words -> the item that means the like, where no word of it was used.

# How much nearer than the open windows of its pack an item has to be, in standard deviations of their cosines: every
# embedder has cosines of its own, and short questions are near to nothing. Tried on the packs that ship: what answers a
# question begins at about 3, and what only sounds like it ends below.
MIN_STRANGENESS = 3.0
# What is nearer than others and near to nothing all the same.
MIN_COSINE = 0.25
# A mean of fewer windows says nothing.
_MIN_WINDOWS = 30


def item_by_meaning(words: str, items: Sequence[SceneItem], generations: Sequence[Generation]) -> SceneItem | None:
    """The one of the items that is nearest to the words by what it means; None where none stands out, or where its pack
    has no vectors.

    It is judged against open lore alone, so that no secret beside the items has a part in it.
    """
    if not items or not words.strip():
        return None
    wanted = {item.id: item for item in items}
    found = [pair for generation in generations for pair in _strangeness(words, wanted, generation)]
    best = max(found, key=lambda pair: (pair[1], pair[0]), default=None)
    return wanted[best[0]] if best is not None and best[1] >= MIN_STRANGENESS else None


def _strangeness(words: str, wanted: dict[str, SceneItem], generation: Generation) -> Iterator[tuple[str, float]]:
    """Each item of a generation with by how many standard deviations it is nearer than open lore."""
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
        if table.present[window] and cosines[window] >= MIN_COSINE and deviation > 0:
            yield item_id, round((float(cosines[window]) - mean) / deviation, 3)


# An item that matches less than this share of the best one was not meant.
_FLOOR = 0.5

# What people say when they mean to search wherever they are.
_WHOLE_PLACE = frozenset({"all", "area", "around", "everything", "everywhere", "here", "place", "room", "scene"})


@dataclass(frozen=True, slots=True)
class Match:
    """Items best first, and the keys of what was named: entity IDs and slugs of the telling words."""

    items: tuple[SceneItem, ...]
    topics: tuple[str, ...]


def match_items(words: str, items: Sequence[SceneItem], generations: Sequence[Generation]) -> Match:
    """The items that words point at, by their names, triggers and texts, and by the names and aliases in them.

    An alias (`the courier`) counts as the name it stands for. No words point at every item, in source order; words that
    match nothing point at none.
    """
    english = _are_english(items, generations)
    telling = [word for word in content_words(words, english=english) if not english or word not in STOP_WORDS]
    if words_of(words) and not telling:
        return Match((), ())
    if not telling:
        return Match(tuple(items), ())
    named = named_entities(words, generations, in_scene=_everyone(generations), hidden=hidden_from_players(generations))
    topics = (*named, *(slug(word) for word in telling))
    asked = [*telling, *(word for entity_id in named for word in _name_words(entity_id, generations))]
    return Match(_ranked(asked, items, english=english), tuple(dict.fromkeys(topics)))


def search_items(
    words: str, place_names: Sequence[str], items: Sequence[SceneItem], generations: Sequence[Generation]
) -> Match:
    """The discoverable items that a search means. Words that only name the place, or no words, mean the whole of it.

    Words that are both (`the bar` in a bar with something behind its bar) mean what they match first, then the rest.
    """
    place = {word for name in place_names for word in words_of(name)} | _WHOLE_PLACE
    match = match_items(words, items, generations)
    if place.issuperset(content_words(words, english=_are_english(items, generations))):
        rest = tuple(item for item in items if item not in match.items)
        return Match((*match.items, *rest), match.topics)
    return match


def _are_english(items: Sequence[SceneItem], generations: Sequence[Generation]) -> bool:
    """Whether no item comes from a pack in another language."""
    packs = {item.id.partition(":")[0] for item in items}
    return all(generation.english for generation in generations if generation.pack_id in packs)


def _everyone(generations: Sequence[Generation]) -> set[str]:
    """In a conversation a lower-case name is a name: all entities count as being in the scene."""
    return {entity_id for generation in generations for entity_id in generation.entities()}


def _name_words(entity_id: str, generations: Sequence[Generation]) -> list[str]:
    found = [entity for generation in generations if (entity := generation.entity(entity_id)) is not None]
    return [word for entity in found for word in content_words(entity.name)]


def _ranked(words: Sequence[str], items: Sequence[SceneItem], *, english: bool) -> tuple[SceneItem, ...]:
    """By the same keyword ranking as everything else, over a table of the moment."""
    if not items:
        return ()
    with closing(sqlite3.connect(":memory:")) as connection:
        made_with = fulltext_here()
        connection.execute(made_with.create("items", english=english))
        rows = [
            (number, item.name.replace("_", " "), item.trigger or "", item.text) for number, item in enumerate(items)
        ]
        made_with.insert(connection, "items", rows)
        hits = rank_keywords([KeywordTable(connection, "items", len(items))], words)[0]
    best = max((hit.score for hit in hits.values()), default=0.0)
    order = sorted(hits, key=lambda row: (-round(hits[row].score, 6), row))
    return tuple(items[row] for row in order if hits[row].score >= _FLOOR * best)
