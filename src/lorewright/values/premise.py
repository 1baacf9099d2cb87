"""Premise: something that a player takes for granted, checked."""

from __future__ import annotations

from typing import Any, Literal

from lorewright.world.frozen import Frozen


class Premise(Frozen):
    """What somebody is claimed to have said or promised, to owe or to own, and whether it is so.

    `by` is who did or owns it, `to` whom it was said or promised to or is owed, `put_to` who is spoken to; `what` as it
    was typed, `words` the clause. `evidence` are the IDs of facts, items, things and messages (`turn/seq`) that say so:
    none where it does not hold. With `asks` the player wants to hear it again.
    """

    kind: Literal["said", "promised", "owes", "owns"]
    by: str
    to: str | None = None
    what: str
    words: str
    holds: bool
    evidence: tuple[str, ...] = ()
    asks: bool = False
    put_to: str | None = None

    def shown(self) -> dict[str, Any]:
        """What anybody who heard the claim may know of it: no evidence, which has IDs of what was told to one alone."""
        return self.model_dump(mode="json", include={"kind", "by", "to", "what", "holds"})
