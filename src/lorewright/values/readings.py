"""Values of a reading of the player's words: the talk at hand, an aside, a question back."""

from __future__ import annotations

from lorewright.world.frozen import Frozen


class Talk(Frozen):
    """The conversation at hand: the ID of the person whom the player speaks with, and what was last spoken about."""

    to: str
    topic: str = ""


class Unclear(Frozen):
    """Words that could not be resolved: `lines` are complete inputs, one a candidate; empty where there is none."""

    words: str
    question: str
    lines: tuple[str, ...] = ()


class Aside(Frozen):
    """A line that is no part of the story: what it asks of the program, and the words. `lore` asks what the player
    knows of something, where nobody is there to be asked; `told` is answered with the words as they are."""

    kind: str
    words: str


class Lately(Frozen):
    """What the player's last inputs left at hand: `earlier` are those before the last two, oldest first, `told` the
    narration of the last; `gifts` are things that they gave to people here, who has them, and whether the last did."""

    earlier: tuple[str, ...] = ()
    told: str = ""
    gifts: tuple[tuple[str, str, bool], ...] = ()
