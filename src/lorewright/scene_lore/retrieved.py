"""A scene -> what the packs tell of its place and people besides what belongs to it by ID.

The three stages run when the scene opens, and when somebody comes or goes, with the seed's query. An answer depends on
the scene, the packs, what of them is in force, and the open threads: so the cache may hold it, and a replay finds it
again. It is what a player who has learned nothing may read, so that no stage is told more by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType

from lorewright.ids import canonical_json, content_hash, holder_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.query import LoreRetrievalQuery, RetrievedChunk, scene_query
from lorewright.retrieval.retriever import retrieve_unknown
from lorewright.retrieval.view import LoreView, find_same_things, hidden_entities, ids_of, in_force
from lorewright.scene_lore.models import About, LorePassage, SceneFocus

# The most sections that are ranked: of the scene, and of each that it is about. All of them are short beside the limit.
_SECTIONS, _OF_EACH, _TOKENS = 8, 5, 100_000
# Of more people than this nothing is retrieved: a crowd would crowd out the place.
_MOST_PEOPLE = 8

# The chunks of the own files of a place or a character.
_OwnChunks = Sequence[StoredChunk]


@dataclass(frozen=True, slots=True)
class SceneRetrieval:
    """How lore is retrieved for scenes: at most so many tokens, the titles of the open threads by ID and their `tags`,
    and the packs that are searched by words alone."""

    max_tokens: int
    threads: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    by_words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def basis(self, focus: SceneFocus) -> str:
        """Return a hash that changes when another answer may come from the same packs."""
        threads, packs = [sorted(self.threads.items()), sorted(self.tags)], sorted(self.by_words)
        return content_hash(canonical_json([focus.location_id, focus.present_ids, self.max_tokens, threads, packs]))

    def passages(
        self,
        focus: SceneFocus,
        generations: Sequence[Generation],
        conditions: LoreConditions | None,
        *,
        known: Set[str],
    ) -> tuple[LorePassage, ...]:
        """Return what fits of a scene's lore, without the chunks that are `known`: in half of the room by turns the
        next best section of the place's own and of what is told of it elsewhere, but of no people; in a quarter by
        turns the next best of each character's own; in a quarter what else bears on the open threads. Who comes or
        goes, and which threads are open, changes nothing of the place's.

        Nothing is looked up of somebody of whom players may read nothing: it could tell who they are.
        """
        view = LoreView(tuple(generations), viewer="player", conditions=conditions)
        force = in_force(view).view
        hidden = hidden_entities(force)
        subjects = {
            subject_id: chunks
            for subject_id in (focus.location_id, *focus.present_ids[:_MOST_PEOPLE])
            if (chunks := _own_chunks(subject_id, force.generations, hidden))
        }
        if not subjects:
            return ()
        owners = {chunk.id: subject_id for subject_id, own in subjects.items() for chunk in own}
        place_id, people = focus.location_id, _people(force.generations)
        of_place: list[LorePassage] = []
        if place_id in subjects:
            alone = replace(self, threads={}, tags=())
            told = alone._found(view, place_id, {place_id: subjects[place_id]}, force.generations, known)
            own = [chunk for chunk in told if owners.get(chunk.chunk_id) == place_id]
            others = [chunk for chunk in told if chunk not in own and holder_of(chunk.chunk_id) not in people]
            of_place += _fitting((_passage(chunk, "place") for chunk in _by_turns([own, others])), self.max_tokens // 2)
        cast = [subject_id for subject_id in subjects if subject_id != place_id]
        if not (cast or self.threads or self.tags):
            return tuple(of_place)
        told = self._found(view, place_id, subjects, force.generations, known)
        queues = ([chunk for chunk in told if owners.get(chunk.chunk_id) == subject_id] for subject_id in cast)
        of_cast = _fitting((_passage(chunk, "cast") for chunk in _by_turns(queues)), self.max_tokens // 4)
        shown = {*owners, *(passage.chunk_id for passage in of_place)}
        rest = (_passage(chunk, "thread") for chunk in told if chunk.chunk_id not in shown)
        return (*of_place, *of_cast, *_fitting(rest, self.max_tokens // 4))

    def _found(
        self,
        view: LoreView,
        location_id: str,
        subjects: Mapping[str, _OwnChunks],
        generations: Sequence[Generation],
        known: Set[str],
    ) -> tuple[RetrievedChunk, ...]:
        query = self._query(location_id, subjects, generations)
        return retrieve_unknown(view, query, known, takes_in=False).result.chunks

    def _query(
        self, location_id: str, subjects: Mapping[str, _OwnChunks], generations: Sequence[Generation]
    ) -> LoreRetrievalQuery:
        query = scene_query(
            location_id,
            present_ids=tuple(subject_id for subject_id in subjects if subject_id != location_id),
            thread_ids=tuple(sorted(self.threads)),
            names={**{subject_id: _name_of(subject_id, generations) for subject_id in subjects}, **self.threads},
            viewer="player",
        )
        links = [
            link
            for own in subjects.values()
            for chunk in own
            if chunk.role in OPEN_ROLES
            for generation in generations
            if generation.pack_id == chunk.pack_id
            for link in generation.links_of(chunk.row)
        ]
        return query.model_copy(
            update={
                "corpus": "authored",
                "faction_ids": tuple(dict.fromkeys(value for kind, value in links if kind == "faction")),
                "tags": tuple(dict.fromkeys(value for kind, value in links if kind == "tag")),
                "thread_tags": self.tags,
                "limit": _SECTIONS + _OF_EACH * len(subjects),
                "max_tokens": _TOKENS,
            }
        )


def _people(generations: Sequence[Generation]) -> Set[str]:
    """Return the IDs of everybody in the packs."""
    return {
        entity.id for generation in generations for entity in generation.entities().values() if entity.type == "npc"
    }


def _own_chunks(subject_id: str, generations: Sequence[Generation], hidden: Set[str]) -> _OwnChunks:
    """Return the chunks of somebody's or something's own files; none of what is hidden."""
    own_ids = ids_of(subject_id, find_same_things(generations))
    if any(same_id in hidden for same_id in own_ids):
        return ()
    return [chunk for same_id in own_ids for generation in generations for chunk in generation.chunks_of(same_id)]


def _by_turns(queues: Iterable[Sequence[RetrievedChunk]]) -> Iterator[RetrievedChunk]:
    """Yield the first of each queue, then the second of each, and so on."""
    for turn in zip_longest(*queues):
        yield from filter(None, turn)


def _fitting(passages: Iterable[LorePassage], max_tokens: int) -> Iterator[LorePassage]:
    """Yield the passages up to the first that does not fit: more room never loses what less room had."""
    for passage in passages:
        max_tokens -= passage.tokens
        if max_tokens < 0:
            return
        yield passage


def _passage(chunk: RetrievedChunk, about: About) -> LorePassage:
    return LorePassage(
        about=about,
        chunk_id=chunk.chunk_id,
        section_path=chunk.section_path,
        text=chunk.text,
        tokens=int(chunk.metadata["token_count"]),
    )


def _name_of(entity_id: str, generations: Sequence[Generation]) -> str:
    found = (generation.entity(entity_id) for generation in generations)
    return next((entity.name for entity in found if entity is not None), entity_id)
