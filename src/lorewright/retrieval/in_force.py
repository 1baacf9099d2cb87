"""A view -> the view of what is in force: its condition holds, and nothing later overrides it.

What is left out is gone before anything is tied, counted or scored, so it changes no score. What does not
hold overrides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from lorewright.index.generation import Generation
from lorewright.index.pruning import Cut, pruned
from lorewright.packs.conditions import LoreConditions, holds
from lorewright.packs.items import without_items
from lorewright.packs.models import When
from lorewright.retrieval.overrides import replaced_rows
from lorewright.retrieval.view import LoreView

NotInForce = Literal["overridden", "condition"]


@dataclass(frozen=True, slots=True)
class Removal:
    """Why some chunks are gone, which, and the view in which they still were."""

    reason: NotInForce
    before: LoreView
    rows: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class InForce:
    """What may be asked, and what was taken away to get there, in order."""

    view: LoreView
    removals: tuple[Removal, ...] = ()


def in_force(view: LoreView) -> InForce:
    """What of the view's generations is in force. Only the game master is told what does not hold."""
    held = _cut_out(view, "condition", [_unmet(view, generation) for generation in view.generations])
    cuts = [Cut(rows=rows) for rows in replaced_rows(held.view.generations)]
    later = _cut_out(held.view, "overridden", cuts)
    told = held.removals if view.viewer == "gm" else ()
    return InForce(later.view, (*told, *later.removals))


def generations_in_force(
    generations: Sequence[Generation], conditions: LoreConditions | None = None
) -> tuple[Generation, ...]:
    """The generations without what is not in force, as the game master reads them."""
    return in_force(LoreView(tuple(generations), conditions=conditions)).view.generations


def unmet_conditions(generations: Sequence[Generation], conditions: LoreConditions) -> tuple[tuple[int, ...], ...]:
    """Which conditions do not hold, by generation, each by its place in it: while this stays the same, so does what is
    in force."""
    view = LoreView(tuple(generations), conditions=conditions)
    return tuple(
        tuple(
            place
            for place, stored in enumerate(generation.conditions())
            if not _holds(view, stored.when, generation.pack_id)
        )
        for generation in generations
    )


def _unmet(view: LoreView, generation: Generation) -> Cut:
    """What of a generation stands under a condition that does not hold."""
    unmet = [stored for stored in generation.conditions() if not _holds(view, stored.when, generation.pack_id)]
    rows = frozenset(stored.row for stored in unmet if stored.item_id is None)
    items = {stored.item_id: stored.row for stored in unmet if stored.item_id is not None and stored.row not in rows}
    chunks = generation.chunks(items.values())
    gone: dict[int, frozenset[str]] = {}
    for item_id, row in items.items():
        gone[row] = gone.get(row, frozenset()) | {item_id.rpartition("#")[2]}
    texts = {
        row: (_without(chunk.text, gone[row]), _without(chunk.written, gone[row])) for row, chunk in chunks.items()
    }
    return Cut(rows, frozenset(items), texts)


# The same items are missing from the same texts turn after turn, and each text is parsed for it.
_without = lru_cache(maxsize=1024)(without_items)


def _holds(view: LoreView, when: When, pack_id: str) -> bool:
    if view.conditions is None:
        return view.viewer == "gm"
    return holds(when, view.conditions, pack_id=pack_id)


def _cut_out(view: LoreView, reason: NotInForce, cuts: Sequence[Cut]) -> InForce:
    if not any(cuts):
        return InForce(view)
    kept = tuple(pruned(generation, cut) for generation, cut in zip(view.generations, cuts, strict=True))
    rows = tuple(cut.rows for cut in cuts)
    return InForce(replace(view, generations=kept), (Removal(reason, view, rows),) if any(rows) else ())
