"""Generations asked together -> which entities are one thing told by several packs, and which sections give way.

A file with `overrides: core:guard` tells of the same thing as core's guard. Where a later pack has a section of the
same slug it stands for the earlier one's; every other section is inherited. An introduction without text replaces
nothing: a title is needed only so that the sections have one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.models import LAYERS, Entity, Manifest, candidates, may_override

Things = Mapping[str, tuple[str, ...]]


def things(generations: Sequence[Generation]) -> Things:
    """Entity ID -> all IDs of the same thing, the earliest pack's first. What only one pack tells of is not in it."""
    edges = _edges(generations)
    manifests = {generation.pack_id: generation.manifest for generation in generations}
    found: dict[str, tuple[str, ...]] = {}
    for entity_id in sorted({*edges, *(target for targets in edges.values() for target in targets)}):
        if entity_id not in found:
            group = sorted(
                _connected(entity_id, edges), key=lambda one: (_rank(one, manifests), _depth(one, edges), one)
            )
            found |= dict.fromkeys(group, tuple(group))
    return found


def ids_of(entity_id: str, same: Things) -> tuple[str, ...]:
    """All IDs of the thing that an ID names, itself included."""
    return same.get(entity_id, (entity_id,))


def replaced_rows(generations: Sequence[Generation]) -> list[frozenset[int]]:
    """For each generation the rows of the chunks that a later pack's section of the same slug stands for."""
    rows: list[set[int]] = [set() for _ in generations]
    same = things(generations)
    if same:
        edges = _edges(generations)
        places = {generation.pack_id: index for index, generation in enumerate(generations)}
        chunks = {one: generations[places[_pack_of(one)]].chunks_of(one) for one in same}
        for entity_id, group in same.items():
            index = places[_pack_of(entity_id)]
            later = [one for one in group if _is_above(one, entity_id, edges, generations, places)]
            taken = {_slug(chunk) for one in later for chunk in chunks[one] if chunk.section or chunk.text}
            rows[index] |= {chunk.row for chunk in chunks[entity_id] if _slug(chunk) in taken}
    return [frozenset(one) for one in rows]


def told_entity(entity_id: str, generations: Sequence[Generation]) -> Entity | None:
    """An entity as all packs together tell of it: the latest name, every alias and tag, later keys over earlier."""
    ids = ids_of(entity_id, things(generations))
    found = [entity for one in ids for generation in generations if (entity := generation.entity(one)) is not None]
    asked = next((entity for entity in found if entity.id == entity_id), None)
    if asked is None or len(found) == 1:
        return asked
    name = found[-1].name
    names = [alias for entity in reversed(found) for alias in (entity.name, *entity.aliases) if alias != name]
    return replace(
        asked,
        name=name,
        aliases=tuple(dict.fromkeys(names)),
        tags=tuple(dict.fromkeys(tag for entity in found for tag in entity.tags)),
        attrs={key: value for entity in found for key, value in entity.attrs.items()},
    )


def _edges(generations: Sequence[Generation]) -> dict[str, set[str]]:
    """Entity ID -> what it overrides: there, of an earlier pack, and the only one that is meant."""
    by_pack = {generation.pack_id: generation for generation in generations}
    edges: dict[str, set[str]] = {}
    for generation in generations:
        for entity_id, reference in generation.overrides().items():
            meant = [
                one
                for one in candidates(reference, generation.manifest)
                if (other := by_pack.get(_pack_of(one))) is not None and other.entity(one) is not None
            ]
            if len(meant) == 1 and may_override(generation.manifest, by_pack[_pack_of(meant[0])].manifest):
                edges.setdefault(entity_id, set()).add(meant[0])
    return edges


def _connected(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """Everything that overrides tie to an entity, in either direction."""
    found, todo = {start}, [start]
    while todo:
        one = todo.pop()
        near = edges.get(one, set()) | {source for source, targets in edges.items() if one in targets}
        todo += near - found
        found |= near
    return found


def _below(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """What an entity overrides, and what that overrides."""
    found: set[str] = set()
    todo = [start]
    while todo:
        near = edges.get(todo.pop(), set()) - found
        todo += near
        found |= near
    return found


def _is_above(
    one: str,
    other: str,
    edges: Mapping[str, set[str]],
    generations: Sequence[Generation],
    places: Mapping[str, int],
) -> bool:
    if other in _below(one, edges):
        return True
    packs = generations[places[_pack_of(one)]].manifest, generations[places[_pack_of(other)]].manifest
    return may_override(*packs)


def _rank(entity_id: str, manifests: Mapping[str, Manifest]) -> int:
    return LAYERS.index(manifests[_pack_of(entity_id)].layer)


def _depth(entity_id: str, edges: Mapping[str, set[str]]) -> int:
    return len(_below(entity_id, edges))


def _slug(chunk: StoredChunk) -> str:
    return chunk.section_id.removeprefix(f"{chunk.entity_id}:")


def _pack_of(entity_id: str) -> str:
    return entity_id.partition(":")[0]
