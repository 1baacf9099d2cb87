"""Verbs of doors: open, close, lock, unlock."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.acts import telling_of_thing
from lorewright.builtin.parser.handling import carried_kind
from lorewright.builtin.parser.readings import ParseContext, PhraseKind, Reading, acting, asking, meant, shown, typeable
from lorewright.builtin.parser.ways import opened_way
from lorewright.builtin.words.clauses import (
    Phrasing,
    Word,
    bare,
    lexicon,
    lows,
    parted,
    trimmed,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, resolve
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


def _read_door(ctx: ParseContext, words: str, rest: Sequence[Word], kind: str) -> Reading:
    nouns = ctx.nouns
    subject, joint, tool = parted(rest, ("with", "using"))
    if not bare(subject):
        return asking(words, f"{kind.capitalize()} what?", [f"{kind} {typeable(door.name)}" for door in nouns.doors])
    found = _match_door(ctx, words, subject, kind)
    if isinstance(found, Reading):
        return found
    if not joint or kind == CLOSE.name:
        return acting(ctx, kind, f"{kind} {shown(found)}", target=found)
    item = meant(ctx, words, tool, carried_kind(nouns, f"{kind} {typeable(found.label)} with {{}}"))
    if isinstance(item, Reading):
        return item
    return acting(ctx, kind, f"{kind} {shown(found)} with {shown(item)}", target=found, item=item)


def _match_door(ctx: ParseContext, words: str, subject: Sequence[Word], kind: str) -> PhraseMatch | Reading:
    """Return the door before anything else: by a pronoun, by its name, by the way that it is in."""
    nouns, pattern = ctx.nouns, f"{kind} {{}}"
    if bare(subject).lower() in lexicon().thing_pronouns:
        if ctx.thing is not None and ctx.thing.kind != "door":
            return PhraseMatch(ctx.thing, ctx.thing.name, 0.85, mended=True)
        return meant(ctx, words, subject, PhraseKind(nouns.doors, (), pattern, strict=True))
    thing = resolve(bare(subject), nouns.things)
    door = resolve(bare(subject), nouns.doors)
    if isinstance(thing, PhraseMatch) and (not isinstance(door, PhraseMatch) or door.confidence < thing.confidence):
        return thing
    return meant(ctx, words, subject, PhraseKind(nouns.doors, nouns.people + nouns.known_things, pattern, nouns.doors))


def _read_open(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read opening a door; a thing that does not open is named all the same, and the rules say so."""
    if (way := opened_way(ctx, words, bare(rest))) is not None:
        return way
    return _read_door(ctx, words, rest, OPEN.name)


def _read_tried(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a try of a door that is here; None for anything else."""
    is_door = isinstance(resolve(bare(rest), ctx.nouns.doors), PhraseMatch)
    return _read_open(ctx, words, rest) if is_door else None


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
    parts=(
        Phrasing(
            160,
            "open, pull open, push open, open up",
            _read_open,
        ),
        Phrasing(125, "try, try the handle of, try to open, turn the handle of", _read_tried),
        Telling(codes_of_others={"opened": telling_of_thing("npc.open")}),
    ),
)


# close: a door.


def _close_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    return () if door_id is None or door_id not in state.doors else (SwingDoor(door_id=door_id, open=False),)


def _read_close(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read closing a door."""
    return _read_door(ctx, words, rest, CLOSE.name)


def _read_swing(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `pull the door open`, `draw the bolt`; any other pulling is not for this frame."""
    bolt = trimmed(rest, end=("back", "home", "open", "shut"))
    if "bolt" in lows(bolt) and isinstance(resolve(bare(bolt), ctx.nouns.doors), PhraseMatch):
        is_home = words.split(" ")[0].lower() in ("throw", "shoot") or lows(rest)[-1:] in (["home"], ["shut"])
        return _read_door(ctx, words, bolt, LOCK.name if is_home else UNLOCK.name)
    last = lows(rest)[-1:]
    if last == ["open"]:
        return _read_open(ctx, words, rest[:-1])
    return _read_close(ctx, words, rest[:-1]) if last in (["shut"], ["closed"]) else None


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
    parts=(
        Phrasing(
            170,
            "close, shut, slam, pull shut, close up",
            _read_close,
        ),
        Phrasing(
            150,
            "pull, push, swing, slide, throw, draw, shoot",
            _read_swing,
        ),
        Telling(codes_of_others={"closed": telling_of_thing("npc.close")}),
    ),
)


# lock and unlock: with a key, or a bolt on this side.


def _lock_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    return () if door_id is None or door_id not in state.doors else (SetDoor(door_id=door_id, locked=True),)


def _unlock_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    door_id = action.target_id
    return () if door_id is None or door_id not in state.doors else (SetDoor(door_id=door_id, locked=False),)


def _read_lock(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read locking a door, perhaps with a key."""
    return _read_door(ctx, words, rest, LOCK.name)


def _read_unlock(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read unlocking a door, perhaps with a key."""
    return _read_door(ctx, words, rest, UNLOCK.name)


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
        Phrasing(
            180,
            "lock, bolt, lock up",
            _read_lock,
        ),
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
        Phrasing(
            190,
            "unlock, unbolt, draw back, slide back, pull back",
            _read_unlock,
        ),
        Telling(codes_of_others={"unlocked": telling_of_thing("npc.unlock")}),
        KeyTurn(of_locked=True),
    ),
)

VERBS = (OPEN, CLOSE, LOCK, UNLOCK)
