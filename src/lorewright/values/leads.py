"""Lead: where somebody who was spoken to can point."""

from __future__ import annotations

from lorewright.world.frozen import Frozen


class Lead(Frozen):
    """Somebody who would tell of a topic if they were asked: the person spoken to (`asked`) themselves, or another whom
    the player has heard of. `topic` is a name that the player has heard; empty where it is what was asked about."""

    asked: str
    holder: str
    topic: str = ""

    @property
    def key(self) -> str:
        """The key under which it is counted that it was said."""
        return f"lead:{self.asked}:{self.holder}:{self.topic}"
