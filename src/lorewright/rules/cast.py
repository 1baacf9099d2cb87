"""What an author says of one of the cast, as a campaign plays it: how readily they act, what for, and acts of their
own. Every ID is fully qualified."""

from __future__ import annotations

from pydantic import Field

from lorewright.rules.conditions import Condition
from lorewright.world.frozen import Frozen

# How readily somebody acts of whom nobody says it: two turns in five.
DEFAULT_CHATTINESS = 0.4


class Deed(Frozen):
    """The action of an authored act: `target` a person or thing, `to` a place, `item` the thing that goes along, or of
    a `tell` the lore item that is told; `topic` what is asked or spoken about."""

    type: str
    target: str | None = None
    to: str | None = None
    item: str | None = None
    topic: str = Field(default="", max_length=200)
    whisper: bool = False


class AuthoredAct(Frozen):
    """Something that one of the cast does of their own accord once their turn comes and `when` holds.

    It is judged and resolved like anybody's action. `say` are sentences that tell it as one sees it, `thought` what the
    character thinks; with `once` it is done once in a branch, and it counts as done when the rules let it happen.
    """

    id: str
    when: Condition | None = None
    do: Deed
    say: tuple[str, ...] = ()
    thought: str = ""
    once: bool = False


class CastRule(Frozen):
    """One of the cast. `baked` ones act in every turn in which they are there, others roll against `chattiness` (0:
    never, 1: always)."""

    goal: str = ""
    baked: bool = False
    chattiness: float = Field(default=DEFAULT_CHATTINESS, ge=0, le=1)
    acts: tuple[AuthoredAct, ...] = ()


# What holds for whoever nobody says anything of.
ANYBODY = CastRule()
