"""For whom an export is made: a viewer, and what a campaign has made of the pack for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lorewright.packs.conditions import holds
from lorewright.packs.models import Chunk, When
from lorewright.retrieval.view import LoreView, may_see

Reader = Literal["player", "gm"]


@dataclass(frozen=True, slots=True)
class Audience:
    """Whoever reads the export. `view` has no generations: the pack's own text is read instead of an index.

    `not_in_force` holds the IDs of chunks for which another pack of a campaign stands. `story` names that campaign.
    """

    view: LoreView
    not_in_force: frozenset[str] = field(default_factory=frozenset)
    story: str = ""

    @staticmethod
    def of(reader: Reader) -> Audience:
        """A player who has learned nothing yet, or the game master."""
        return Audience(LoreView((), viewer=reader))

    @property
    def is_gm(self) -> bool:
        """Whether everything is carried."""
        return self.view.viewer == "gm"

    def meets(self, when: When, pack_id: str) -> bool:
        """Whether a condition holds for this reader; without a campaign the game master alone reads what has one."""
        if self.view.conditions is None:
            return self.is_gm
        return holds(when, self.view.conditions, pack_id=pack_id)

    def sees(self, chunk: Chunk) -> bool:
        """Whether all of a chunk may be read."""
        return self.reaches(chunk) and may_see(self.view, role=chunk.role, owner_id=chunk.entity_id)

    def has_learned(self, chunk: Chunk, item_id: str) -> bool:
        """Whether one item of a chunk that is not open was revealed to this reader."""
        return self.reaches(chunk) and may_see(self.view, role=chunk.role, owner_id=chunk.entity_id, item_id=item_id)

    def reaches(self, chunk: Chunk) -> bool:
        """Whether a chunk is there at all: nothing stands for it, and its conditions hold."""
        held = all(self.meets(when, chunk.pack_id) for when in chunk.conditions)
        return held and chunk.id not in self.not_in_force
