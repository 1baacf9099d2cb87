"""What an author says of one of the cast, as a campaign plays it: how readily they act, what for, and acts of their
own. Every ID is fully qualified."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lorewright.rules.actions import METADATA, Action
from lorewright.rules.conditions import Condition
from lorewright.world.frozen import Frozen

# How readily somebody acts of whom nobody says it: two turns in five.
DEFAULT_CHATTINESS = 0.4
# A verb is no longer than this (characters), whatever somebody wrote in its place.
_VERB = 60


class Deed(Frozen):
    """The action of an authored act: `target` a person or thing, `to` a place, `item` the thing that goes along, or of
    a `tell` the lore item that is told; `topic` what is asked or spoken about."""

    type: str
    target: str | None = None
    to: str | None = None
    item: str | None = None
    topic: str = Field(default="", max_length=200)
    whisper: bool = False

    @property
    def lore_item(self) -> str | None:
        """The lore item that a `tell` is about."""
        return self.item if self.type == "tell" else None

    def action(self, who: str) -> Action:
        """The deed as somebody's action."""
        return Action(
            actor_id=who,
            type=self.type,
            target_id=self.target,
            location_id=self.to,
            metadata=metadata_of(self.type, words=self.topic, item=self.item, whisper=self.whisper),
        )


def metadata_of(kind: str, *, words: str = "", item: str | None = None, whisper: bool = False) -> dict[str, Any]:
    """What rides along with an action of a type, of all that might; what the type does not take is left out. The item
    of a `tell` is a lore item."""
    taken = set(METADATA[kind].model_fields) if kind in METADATA else {"topic", "item_id", "whisper"}
    given: dict[str, Any] = {}
    if "verb" in taken:
        given["verb"], _, given["detail"] = words.partition(" ")
        given["verb"] = given["verb"][:_VERB]
    else:
        given |= {key: words for key in ("topic", "detail") if key in taken}
    if item is not None:
        given |= {key: item for key in ("item_id", "lore_item_id") if key in taken}
    if whisper and "whisper" in taken:
        given["whisper"] = True
    return {key: value for key, value in given.items() if value}


def takes(kind: str, field: str) -> bool:
    """Whether an action of a type takes along what the field of its metadata holds."""
    return kind not in METADATA or field in METADATA[kind].model_fields


def done_key(who: str, act_id: str) -> str:
    """Under which key a state's memory counts how often somebody has done one of their acts."""
    return f"acts:{who}:{act_id}"


def tried_key(who: str, act_id: str) -> str:
    """The same for how often somebody has set about it, whatever came of it."""
    return f"tried:{who}:{act_id}"


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
