"""What tools give back: flat, named fields, in the shapes that the command line prints where it has one."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from lorewright.retrieval.query import RetrievedChunk


class _Shape(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


class PackShown(_Shape):
    """An installed pack."""

    id: str
    name: str
    version: str


class Packs(_Shape):
    """The packs whose lore can be asked."""

    packs: tuple[PackShown, ...]


class CampaignShown(_Shape):
    """A campaign that can be asked."""

    id: str
    name: str
    scenario_id: str
    turn_no: int


class Campaigns(_Shape):
    """The campaigns of the workspace."""

    campaigns: tuple[CampaignShown, ...]


class LoreFound(_Shape):
    """What the lore says to a question, best first. `words_alone` says why meaning was not asked, where it was not."""

    chunks: tuple[RetrievedChunk, ...]
    total_tokens: int
    words_alone: str | None = None


class EntityShown(_Shape):
    """Somebody or something that packs tell of."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Entities(_Shape):
    """Who and what the viewer may know of, by ID; `more` says that there are others behind these."""

    entities: tuple[EntityShown, ...]
    more: bool = False


class EntityFound(_Shape):
    """All that a viewer may read of one entity, its own file first."""

    entity: EntityShown
    chunks: tuple[RetrievedChunk, ...]
    total_tokens: int


class EditDone(_Shape):
    """What a change of the world came to. `repeated` says that the call had been made before: nothing was changed now.

    `followed` are the ops that came by the rules on top of those that were asked for, `told` what the player is told of
    it; `revision` is the campaign's, to be given with the next change that should hold only while nothing else changed.
    """

    turn_no: int
    turn_id: str
    call_id: str
    revision: int
    repeated: bool
    followed: tuple[dict[str, Any], ...] = ()
    told: str = ""
    events: tuple[dict[str, Any], ...] = ()


class EditPreview(_Shape):
    """What a change would come to; nothing was changed."""

    followed: tuple[dict[str, Any], ...] = ()
    told: str = ""
    events: tuple[dict[str, Any], ...] = ()
    state_diff: dict[str, Any] = Field(default_factory=dict)


class ReviewShown(_Shape):
    """A proposal that waits: what a stage read out of the story without being sure enough of it."""

    id: str
    turn_no: int
    stage: str
    kind: str
    subject_id: str
    shown: str
    confidence: float
    reason: str = ""


class LorebookShown(_Shape):
    """A fact that a narration established in a turn; with a `flag` it speaks against what is firm, and changed
    nothing."""

    turn_no: int
    turn_id: str
    subject_id: str
    predicate: str
    detail: str
    confidence: float
    fact_id: str | None = None
    flag: str | None = None
    against: str | None = None


class Lorebook(_Shape):
    """What narrations have added to the world, the oldest first."""

    entries: tuple[LorebookShown, ...]


class Reviews(_Shape):
    """The proposals that wait to be accepted or rejected, oldest first."""

    reviews: tuple[ReviewShown, ...]
