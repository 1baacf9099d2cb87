"""A player's words -> the item that means the like, where no word of it was used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.generation import Generation
from lorewright.scene_lore.models import SceneItem

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
