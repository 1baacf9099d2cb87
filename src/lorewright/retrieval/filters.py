"""Stage 1: what the scene and the asker's words tie a query to. It ranks, it does not wall off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lorewright.index.generation import Generation
from lorewright.packs.references import says_any
from lorewright.retrieval.gazetteer import named_entities
from lorewright.retrieval.overrides import Things, ids_of, things
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import hidden_names, qualified

# (index of the generation, row): the name of a chunk while a query runs.
Key = tuple[int, int]


@dataclass(slots=True)
class Ties:
    """Why a chunk is tied to the query: which filters it matches, and by which names its entity is named."""

    filters: set[str] = field(default_factory=set)
    name: str | None = None
    mention: str | None = None


def tie_chunks(
    query: LoreRetrievalQuery, generations: Sequence[Generation], *, hidden: frozenset[str] = frozenset()
) -> dict[Key, Ties]:
    """Every chunk that any filter or name ties to the query. What is `hidden` can neither be named nor asked for,
    and a tag that says its name is no tag."""
    ties: dict[Key, Ties] = {}
    same = things(generations)
    wanted = {kind: values - hidden for kind, values in _wanted(query, generations, same).items()}
    if hidden and "tag" in wanted:
        secret_names = hidden_names(generations, hidden)
        wanted["tag"] = {one for one in wanted["tag"] if not says_any(one, secret_names)}
    for index, generation in enumerate(generations):
        for kind, values in wanted.items():
            for row in generation.linked(kind, values):
                ties.setdefault((index, row), Ties()).filters.add(kind)
    scene = wanted.get("location", set()) | wanted.get("entity", set())
    for entity_id, name in named_entities(query.keywords, generations, in_scene=scene, hidden=hidden).items():
        for told_as in ids_of(entity_id, same):
            _tie_name(ties, told_as, name, generations)
    return ties


def _wanted(query: LoreRetrievalQuery, generations: Sequence[Generation], same: Things) -> dict[str, set[str]]:
    """Link kind -> values asked for. A person may be asked for who is stored as a place or faction, and the reverse."""

    def every(ids: Sequence[str]) -> set[str]:
        return {told_as for one in qualified(ids, generations) for told_as in ids_of(one, same)}

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
            ties.setdefault((index, chunk.row), Ties()).name = name
        for kind in ("location", "entity", "faction"):
            for row in generation.linked(kind, [entity_id]):
                ties.setdefault((index, row), Ties()).mention = name
