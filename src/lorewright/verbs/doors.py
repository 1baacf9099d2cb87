"""Verbs of doors: open, close, lock, unlock."""

from __future__ import annotations

from collections.abc import Callable

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.acts import telling_of_thing
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, plain_ops
from lorewright.rules.patch import OutcomeCode, Patch
from lorewright.rules.reach import why_not_close, why_not_lock, why_not_open, why_not_unlock
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import ItemMetadata, KeyTurn, Verb, seen
from lorewright.world.ops import SetDoor, StateOp, SwingDoor
from lorewright.world.state import WorldState


def _turned(code: OutcomeCode) -> Callable[[Patch, Attempt, CampaignRules, bool], Answer]:
    def turn(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
        patch.do(*plain_ops(attempt.action, patch.state))
        return Answer(code)

    return turn


# open: a door; a locked one is unlocked first.


def _open_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    door = state.doors.get(door_id or "")
    if door is None or door_id is None:
        return ()
    unlocked = (SetDoor(door_id=door_id, locked=False),) if door.locked else ()
    return (*unlocked, SwingDoor(door_id=door_id, open=True))


OPEN = Verb(
    name="open",
    rank=160,
    summary="open a door; a locked one is unlocked first",
    condition="there is such a door here; where it is locked, its key is carried or its bolt is on this side",
    remembered="that it was opened",
    lines={"open_door": "open the {door}", "try_door": "open {door}"},
    metadata=ItemMetadata,
    needs=("target",),
    requires=why_not_open,
    ops=_open_ops,
    does=_turned("opened"),
    is_hands_on=True,
    sights=seen("{actor} opened {target}", 1),
    note="open {target}",
    parts=(Telling(codes_of_others={"opened": telling_of_thing("npc.open")}),),
)


# close: a door.


def _close_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    return () if door_id is None or door_id not in state.doors else (SwingDoor(door_id=door_id, open=False),)


CLOSE = Verb(
    name="close",
    rank=170,
    summary="shut a door",
    condition="there is such a door here, and it is open",
    remembered="that it was shut",
    lines={"shut_door": "close the {door}"},
    needs=("target",),
    requires=why_not_close,
    ops=_close_ops,
    does=_turned("closed"),
    is_hands_on=True,
    sights=seen("{actor} shut {target}", 1),
    note="close {target}",
    remark="open",
    parts=(Telling(codes_of_others={"closed": telling_of_thing("npc.close")}),),
)


# lock and unlock: with a key, or a bolt on this side.


def _lock_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    return () if door_id is None or door_id not in state.doors else (SetDoor(door_id=door_id, locked=True),)


def _unlock_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    return () if door_id is None or door_id not in state.doors else (SetDoor(door_id=door_id, locked=False),)


LOCK = Verb(
    name="lock",
    rank=180,
    summary="lock a door",
    condition="there is such a door here; its key is carried or its bolt is on this side",
    remembered="that it was locked",
    lines={"lock_door": "lock the {door}"},
    metadata=ItemMetadata,
    needs=("target",),
    requires=why_not_lock,
    ops=_lock_ops,
    does=_turned("locked"),
    is_hands_on=True,
    sights=seen("{actor} locked {target}", 2),
    note="lock {target}",
    remark="open",
    parts=(
        Telling(codes_of_others={"locked": telling_of_thing("npc.lock")}),
        KeyTurn(of_locked=False),
    ),
)
UNLOCK = Verb(
    name="unlock",
    rank=190,
    summary="unlock a door",
    condition="there is such a door here, and it is locked; its key is carried or its bolt is on this side",
    remembered="that it was unlocked",
    lines={"unlock_door": "unlock the {door}"},
    metadata=ItemMetadata,
    needs=("target",),
    requires=why_not_unlock,
    ops=_unlock_ops,
    does=_turned("unlocked"),
    is_hands_on=True,
    sights=seen("{actor} unlocked {target}", 2),
    note="unlock {target}",
    remark="open",
    parts=(
        Telling(codes_of_others={"unlocked": telling_of_thing("npc.unlock")}),
        KeyTurn(of_locked=True),
    ),
)

VERBS = (OPEN, CLOSE, LOCK, UNLOCK)
