"""One hop along the links: what the best hits tell of comes along with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.filters import Key
from lorewright.retrieval.overrides import ids_of, things
from lorewright.retrieval.visible import Visible

# A tag ties half a pack together, and a thread is asked for by itself.
_KINDS = ("entity", "location", "faction")


def linked_chunks(best: Mapping[Key, StoredChunk], visible: Visible) -> dict[Key, Key]:
    """Chunk -> the best chunk that links to what it tells of. `best` is best first.

    What ties a section that is not open may be secret, so such a section leads whoever sees only a part of it nowhere.
    """
    found: dict[Key, Key] = {}
    same = things(visible.generations)
    for source, chunk in best.items():
        if chunk.role not in OPEN_ROLES and not visible.whole(source, chunk):
            continue
        linked = visible.generations[source[0]].links_of(source[1])
        targets = {one for kind, value in linked if kind in _KINDS for one in ids_of(value, same)}
        for entity_id in sorted(targets - set(ids_of(chunk.entity_id, same))):
            for key in _introduction(entity_id, visible.generations):
                if key not in best:
                    found.setdefault(key, source)
    return found


def _introduction(entity_id: str, generations: Sequence[Generation]) -> list[Key]:
    """Where an entity is told of in its own file: the first chunk that has text."""
    found = ((index, generation.introduction_of(entity_id)) for index, generation in enumerate(generations))
    return [(index, row) for index, row in found if row is not None]
