"""One hop along the links: what the best hits tell of comes along with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.filters import Key
from lorewright.retrieval.overrides import ids_of, things
from lorewright.retrieval.visible import Visible

# A tag ties half a pack together, and a thread is asked for by itself.
_KINDS = ("entity", "location", "faction")


def linked_entities(
    best: Mapping[Key, StoredChunk], visible: Visible, *, hidden: frozenset[str]
) -> dict[Key, tuple[str, ...]]:
    """For each of the best chunks the entities that it links to, in the order of their IDs; none that is `hidden`.

    What ties a section that is not open may be secret, so such a section leads whoever sees only a part of it nowhere.
    """
    same = things(visible.generations)
    found: dict[Key, tuple[str, ...]] = {}
    for source, chunk in best.items():
        if chunk.role not in OPEN_ROLES and not visible.whole(source, chunk):
            continue
        linked = visible.generations[source[0]].links_of(source[1])
        targets = {one for kind, value in linked if kind in _KINDS for one in ids_of(value, same)}
        found[source] = tuple(sorted(targets - hidden - set(ids_of(chunk.entity_id, same))))
    return found


def introductions(entity_ids: Iterable[str], visible: Visible) -> dict[str, list[Key]]:
    """Where each entity is told of in its own file: the first chunk that has text. Those of no pack that is asked are
    left out."""
    found = {one: _introduction(one, visible.generations) for one in entity_ids}
    return {one: keys for one, keys in found.items() if keys}


def _introduction(entity_id: str, generations: Sequence[Generation]) -> list[Key]:
    """Where an entity is told of in its own file: the first chunk that has text."""
    found = ((index, generation.introduction_of(entity_id)) for index, generation in enumerate(generations))
    return [(index, row) for index, row in found if row is not None]
