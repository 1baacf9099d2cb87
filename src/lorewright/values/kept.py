"""What a turn keeps beside the state: a summary of what was told long ago, entries of the campaign's lorebook, what
waits to be reviewed, and what was decided of that. Each belongs to its turn: on another branch it never was."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lorewright.world.frozen import Frozen
from lorewright.world.ops import StateOp


class SummarySentence(Frozen):
    """One sentence of a summary and the turns that it tells of, in order; `audience` are those who were there for all
    of them: it is shown to nobody else."""

    text: str = Field(min_length=1, max_length=600)
    turn_ids: tuple[str, ...] = Field(min_length=1)
    turn_nos: tuple[int, ...] = Field(min_length=1)
    audience: tuple[str, ...] = ()


class Summary(Frozen):
    """The narrations of some turns in short, from one turn number to another, both included. It stands for the
    summaries before it as well, whose sentences it keeps or shortens."""

    from_turn_no: int = Field(ge=0)
    to_turn_no: int = Field(ge=0)
    sentences: tuple[SummarySentence, ...]


class LorebookEntry(Frozen):
    """Something that a narration established, or tried to: a fact with its confidence (0 to 1). With a flag it is not
    part of the world: it speaks against what is firm (`contradicts`), which `against` tells by the fact's ID."""

    subject_id: str
    predicate: str
    detail: str
    confidence: float = Field(ge=0, le=1)
    fact_id: str | None = None
    flag: Literal["contradicts"] | None = None
    against: str | None = None


class Review(Frozen):
    """Ops that a stage proposed without being sure enough of them: they wait until somebody accepts or rejects them.
    `shown` is the proposal in words."""

    stage: str
    kind: str
    subject_id: str
    ops: tuple[StateOp, ...]
    shown: str
    confidence: float = Field(ge=0, le=1)
    reason: str = ""


class Decision(Frozen):
    """What became of a review: that of a turn, by its place in the turn."""

    review_turn_id: str
    review_no: int = Field(ge=0)
    decision: Literal["accepted", "rejected"]


class Kept(Frozen):
    """All that one turn keeps."""

    summary: Summary | None = None
    lorebook: tuple[LorebookEntry, ...] = ()
    reviews: tuple[Review, ...] = ()
    decisions: tuple[Decision, ...] = ()


NOTHING_KEPT = Kept()
