"""Stage 1: a query -> the chunks that its filters and names tie to it. Ties rank; they exclude nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS, words_of
from lorewright.packs.models import says_any
from lorewright.retrieval.keys import keys_said
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import (
    LoreView,
    SameThings,
    find_same_things,
    hidden_names,
    ids_of,
    may_see,
    qualified,
)
from lorewright.scripts import divided, folded, holds_name, is_unspaced

# The words of a query -> the entities that they name, longest name first.

# Names of more words than this are not looked up.
_LONGEST = 7

# Of so many texts the words are cached.
_KEPT_TEXTS = 1024

# A lower-case word in more than this share of all chunks counts as a word, not as a name; and a name that the best
# sections say in so many does not tell where the rest of an answer is.
COMMON_SHARE = 0.01


def named_entities(
    text: str, generations: Sequence[Generation], *, in_scene: Iterable[str] = (), hidden: Container[str] = ()
) -> dict[str, str]:
    """Return qualified entity ID -> the name by which the text names it.

    A name of one word that is also a common word (`Light`, `Message`) counts only where it is capitalised inside a
    sentence, quoted, or in the scene; so a player's "light a match" does not ask for a spell. Entities in `hidden` are
    never named.
    """
    words = _words_in(text)
    spans = [(start, size, " ".join(words[start : start + size])) for start, size in _spans(words, generations)]
    known = _known(generations, {name for _, _, name in spans}, hidden)
    scene = set(in_scene)
    marked = marked_words(text) if known else frozenset()
    used: set[int] = set()
    named: dict[str, str] = {}
    for start, size, name in spans:
        if name not in known or used & (place := set(range(start, start + size))):
            continue
        if size == 1 and not _counts(name, marked, known[name], scene, generations):
            continue
        used |= place
        named.update(dict.fromkeys(sorted(known[name]), name))
    for name, entities in _unspaced_names_in(text, generations, hidden).items():
        for entity_id in sorted(entities):
            named.setdefault(entity_id, name)
    return named


# The best sections of a scene are looked through again and again.
@lru_cache(maxsize=_KEPT_TEXTS)
def _words_in(text: str) -> tuple[str, ...]:
    return tuple(words_of(divided(text)))


def _spans(words: Sequence[str], generations: Sequence[Generation]) -> list[tuple[int, int]]:
    """Return where in a row of words names may stand, as (start, length), longest first: what begins as a name does."""
    count = len(words)
    most: dict[int, int] = {}
    for generation in generations:
        lengths = generation.name_lengths()
        for start, word in enumerate(words):
            if word in lengths:
                most[start] = min(max(most.get(start, 0), lengths[word]), count - start, _LONGEST)
    longest = max(most.values(), default=0)
    return [(start, size) for size in range(longest, 0, -1) for start in sorted(most) if size <= most[start]]


def _unspaced_names_in(
    text: str, generations: Sequence[Generation], hidden: Container[str]
) -> dict[str, frozenset[str]]:
    """Return the names in scripts without spaces between words that stand anywhere in a text, longest first, each with
    the IDs of its entities. A name that stands only inside longer ones is not meant."""
    if not is_unspaced(text):
        return {}
    left = folded(text)
    characters = frozenset(left)
    known: dict[str, frozenset[str]] = {}
    for generation in generations:
        for name, entities in generation.unspaced_names().items():
            if name[0] in characters and name in left:
                shown = frozenset(entity_id for entity_id in entities if entity_id not in hidden)
                known[name] = known.get(name, frozenset()) | shown
    found: dict[str, frozenset[str]] = {}
    for name in sorted(known, key=lambda name: (-len(name), name)):
        if known[name] and holds_name(left, name):
            found[name] = known[name]
            left = left.replace(name, "\0" * len(name))
    return found


def _known(generations: Sequence[Generation], names: set[str], hidden: Container[str]) -> dict[str, set[str]]:
    known: dict[str, set[str]] = {}
    for generation in generations if names else ():
        table = generation.names()
        for name in names & table.keys():
            entities = table[name]
            if shown := {entity_id for entity_id in entities if entity_id not in hidden}:
                known.setdefault(name, set()).update(shown)
    return known


@lru_cache(maxsize=_KEPT_TEXTS)
def marked_words(text: str) -> frozenset[str]:
    """Return the words that are capitalised elsewhere than at a sentence's start, or quoted."""
    capitalised = re.findall(r"(?<=[\w,;’'\"“(—–-] )[\"“‘(]?([A-Z]\w*(?:[’'\-]\w+)*)", text)
    quoted = re.findall(r"[\"“«]([^\"“”«»]{1,80})[\"”»]", text)
    after_colon = re.findall(r": ([A-Z]\w*)", text)
    return frozenset(word for found in (*capitalised, *quoted, *after_colon) for word in words_of(found))


def _counts(
    name: str, marked: frozenset[str], entities: set[str], scene: set[str], generations: Sequence[Generation]
) -> bool:
    packs = {entity_id.partition(":")[0] for entity_id in entities}
    if name in STOP_WORDS and all(generation.english for generation in generations if generation.pack_id in packs):
        return False
    if name in marked or entities & scene:
        return True
    total = sum(generation.counts["open_fts"] for generation in generations)
    found = sum(generation.open_count_of(name) for generation in generations)
    return found <= max(3, COMMON_SHARE * total)


# (index of the generation, row): identifies a chunk while a query runs.
Key = tuple[int, int]

# Of what happened, so many of the latest chunks that only a filter finds. An answer has ten, so it is a bound for time.
LINKED_HISTORY = 100


@dataclass(slots=True)
class Ties:
    """The ties of a chunk to the query: the filters that it matches, and the names by which its entity is named."""

    filters: set[str] = field(default_factory=set)
    name: str | None = None


def tie_chunks(
    query: LoreRetrievalQuery, generations: Sequence[Generation], *, hidden: frozenset[str] = frozenset()
) -> dict[Key, Ties]:
    """Return the ties of every chunk that a filter or name ties to the query; of what was played, only those by names
    (`tie_history`). Entities in `hidden` can neither be named nor asked for, and a tag that says the name of one is
    ignored."""
    ties: dict[Key, Ties] = defaultdict(Ties)
    same = find_same_things(generations)
    wanted = _allowed(query, generations, same, hidden)
    for index, generation in enumerate(generations):
        for kind, values in wanted.items() if generation.corpus != "history" else ():
            for row in generation.linked(kind, values):
                ties[index, row].filters.add(kind)
    scene = wanted.get("location", set()) | wanted.get("entity", set())
    for entity_id, name in named_entities(query.keywords, generations, in_scene=scene, hidden=hidden).items():
        for same_id in ids_of(entity_id, same):
            _tie_name(ties, same_id, name, generations)
    return ties


def tie_history(
    ties: Mapping[Key, Ties],
    query: LoreRetrievalQuery,
    generations: Sequence[Generation],
    found: Collection[Key],
    *,
    hidden: frozenset[str] = frozenset(),
) -> dict[Key, Ties]:
    """Return the ties with those of what was played by filters: of the chunks that are `found` by words or meaning or
    tied by a name, and of the last LINKED_HISTORY others. In a long story each turn happened at a place and to people,
    and most of it at this place and to these people."""
    kept = dict(ties)
    for index, generation in enumerate(generations):
        if generation.corpus != "history":
            continue
        known = {row for place, row in (*found, *ties) if place == index}
        filters: dict[int, set[str]] = defaultdict(set)
        for kind, values in _allowed(query, generations, find_same_things(generations), hidden).items():
            for row in generation.linked_lately(kind, values, count=LINKED_HISTORY + len(known), among=known):
                filters[row].add(kind)
        last = sorted(filters.keys() - known)[-LINKED_HISTORY:]
        for row in (*sorted(filters.keys() & known), *last):
            tied = kept.get((index, row), Ties())
            kept[index, row] = Ties(tied.filters | filters[row], tied.name)
    return kept


def tie_keys(ties: dict[Key, Ties], query: LoreRetrievalQuery, view: LoreView) -> None:
    """Add the chunks that a key of their entry names. A viewer who may not see all of a section is not told of its
    keys, in ranks neither."""
    for index, chunk_id, said in keys_said(query.keywords, view.generations):
        chunk = view.generations[index].chunk(chunk_id)
        if chunk is not None and may_see(view, role=chunk.role, owner_id=chunk.entity_id):
            tied = ties[index, chunk.row]
            tied.name = tied.name or said


def _allowed(
    query: LoreRetrievalQuery, generations: Sequence[Generation], same: SameThings, hidden: frozenset[str]
) -> dict[str, set[str]]:
    """Return what is wanted, without what is hidden."""
    if not query.has_filters:
        return {}
    wanted = {kind: values - hidden for kind, values in _wanted(query, generations, same).items()}
    if hidden and "tag" in wanted:
        secret_names = hidden_names(generations, hidden)
        wanted["tag"] = {tag for tag in wanted["tag"] if not says_any(tag, secret_names)}
    return wanted


def _wanted(query: LoreRetrievalQuery, generations: Sequence[Generation], same: SameThings) -> dict[str, set[str]]:
    """Return link kind -> the values asked for. An ID of any filter also matches links of the other entity kinds: a
    person may be stored as a place or faction."""

    def every(ids: Sequence[str]) -> set[str]:
        return {same_id for entity_id in qualified(ids, generations) for same_id in ids_of(entity_id, same)}

    location = every([query.location_id] if query.location_id else [])
    entities = every(query.entity_ids)
    factions = every(query.faction_ids)
    wanted = {
        "location": location | entities,
        "entity": entities,
        "faction": factions | entities,
        "thread": set(query.thread_ids),
        "tag": {*query.tags, *query.thread_tags},
    }
    return {kind: values for kind, values in wanted.items() if values}


def _tie_name(ties: dict[Key, Ties], entity_id: str, name: str, generations: Sequence[Generation]) -> None:
    for index, generation in enumerate(generations):
        for chunk in generation.chunks_of(entity_id):
            ties[index, chunk.row].name = name
