"""A view -> the view of what is in force: no chunk that is overridden. The one place where lore is left out unasked.

What is left out is gone before anything is tied, counted or scored, so it changes no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lorewright.index.generation import Generation
from lorewright.index.pruning import Cut, pruned
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
    """What of the view's generations is in force."""
    return _without(view, "overridden", [Cut(rows=rows) for rows in replaced_rows(view.generations)])


def generations_in_force(generations: Sequence[Generation]) -> tuple[Generation, ...]:
    """The generations without what is not in force, as the game master reads them."""
    return in_force(LoreView(tuple(generations))).view.generations


def _without(view: LoreView, reason: NotInForce, cuts: Sequence[Cut]) -> InForce:
    if not any(cuts):
        return InForce(view)
    kept = tuple(pruned(generation, cut) for generation, cut in zip(view.generations, cuts, strict=True))
    removal = Removal(reason, view, tuple(cut.rows for cut in cuts))
    return InForce(replace(view, generations=kept), (removal,))
