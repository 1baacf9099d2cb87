"""A bar as Viktor sees it, for the tests of what the cast do of their own accord."""

from __future__ import annotations

from typing import Any

from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verbs
from lorewright.values.proposals import Concern, KnownItem, NpcIntentInput, OwnSelf, Remembered, Toward
from lorewright.values.records import LoreLine, Message
from lorewright.values.scope import Scope
from support.narrator_bar import BAR, CHEN, CREDSTICK, JIN, KNIFE, PIER, PLAYER, STREET, VIKTOR

ME = VIKTOR.id
JO = PLAYER.id
PIER9 = KnownItem(
    id="p:viktor:knows#pier9", name="pier9", text="Jin's last run went to Pier 9.", topics=("Pier 9", "Jin"),
    holder_id=ME,
)  # fmt: skip
DEBT = KnownItem(
    id="p:viktor:withholds#debt", name="debt", text="Zenith bought my debt.", topics=("Zenith",), holder_id=ME,
    kept_back=True,
)  # fmt: skip
LINE = LoreLine(key="glass", text="Viktor polishes one glass twice.", chunk_id="p:viktor:disposition")
SCOPE = Scope(
    player=VIKTOR, place=BAR, people=(PLAYER, CHEN), here=(KNIFE,), carried=(CREDSTICK,), exits=(STREET,),
    topics=(JIN, PIER),
)  # fmt: skip
NAMES = {one.id: one.name for one in (PLAYER, VIKTOR, CHEN, JIN, PIER, BAR, KNIFE, CREDSTICK)} | {
    STREET.to: STREET.to_name
}


def moment(**more: Any) -> NpcIntentInput:
    """Viktor's view of a quiet moment; what is given stands in place of it."""
    me = {"id": ME, "name": "Viktor", "pronoun": "he", **more.pop("me", {})}
    given: dict[str, Any] = {
        "me": OwnSelf.model_validate(me), "player_id": JO, "player_name": "Jo", "place_id": BAR.id,
        "place_name": BAR.name, "scope": SCOPE, "minutes": 60, "turn_no": 5, "names": NAMES, "seed": "1",
        "verbs": tuple(sorted(verbs())),
    }  # fmt: skip
    return NpcIntentInput.model_validate({**given, **more})


def outcome(kind: str, code: str, *, by: str = JO, **more: Any) -> Outcome:
    """What came of what somebody did."""
    return Outcome.model_validate({"action_index": 0, "actor_id": by, "type": kind, "code": code, **more})


def said(text: str, turn_no: int = 4) -> tuple[int, Message]:
    """An intention of Viktor's from before."""
    return turn_no, Message(owner=ME, type="intention", turn_id=f"t{turn_no}", seq=1, content=text)


def toward(who: str = JO, **felt: int) -> tuple[Toward, ...]:
    """How Viktor stands to somebody."""
    return (Toward(who=who, **felt),)


def memory(content: str, **more: Any) -> Remembered:
    """Something that Viktor remembers from play."""
    return Remembered.model_validate({"content": content, "priority": 3.0, "minute": 30, **more})


def concern(*about: str) -> tuple[Concern, ...]:
    """An open question that Viktor is part of."""
    return (Concern(thread_id="jin", title="Where is Jin?", about=about),)
