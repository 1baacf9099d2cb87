"""Turns taken back and done again: the head goes to its parent and back. Nothing is deleted, no dice are thrown.

Who goes on playing from an earlier turn leaves what was undone: it stays in the file and cannot be done again, but a
branch can be begun from it.
"""

from __future__ import annotations

from lorewright.errors import CampaignError, DamagedFile
from lorewright.turn.store.turn_store import RewindingStore
from lorewright.world.state import WorldState

# Kinds of turns that were played: here, or in the predecessor.
_PLAYED = ("play", "imported")


def undo(store: RewindingStore, *, turns: int = 1) -> str:
    """Take back the last turns in one transaction; the ID of the turn that is the head now.

    Raises:
        CampaignError: there are not so many.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    head = store.position()
    path = store.path(last=max(turns, 0) + 1)
    if turns < 1:
        raise CampaignError("at least one turn must be taken back", hint="give a number from 1")
    if len(path) <= turns:
        raise CampaignError(
            "there is nothing to undo: the story stands at its beginning"
            if head.turn_no == 0
            else f"there are only {head.turn_no} turns to take back",
            hint="say something first" if head.turn_no == 0 else "see: lorewright campaign log CAMPAIGN",
        )
    taken_back = tuple(turn.turn_id for turn in reversed(path[1:]))
    to = path[0].turn_id
    store.move_head(head, to, committed_state(store, to), taken_back=taken_back)
    return to


def undo_to(store: RewindingStore, turn_no: int) -> str:
    """Take back every turn after the one of that number; the ID of that turn.

    Raises:
        CampaignError: there is no such turn before the head.
        HeadMoved: another turn was committed meanwhile.
    """
    last = store.position().turn_no
    if not 0 <= turn_no < last:
        raise CampaignError(
            f"turn {turn_no} is not before the last one, {last}", hint="see: lorewright campaign log CAMPAIGN"
        )
    return undo(store, turns=last - turn_no)


def undo_played(store: RewindingStore, *, turns: int = 1, edits: bool = False) -> tuple[str, str]:
    """Take back the last turns that were played, with the questions asked since: the ID of the head now, and the words
    of the first turn that was taken back. With `edits` a change from outside is a turn like others, which has no words;
    else it goes with the turn before it.

    Raises:
        CampaignError: not so many were played.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    path, kinds = store.path(), (*_PLAYED, *(("edit",) if edits else ()))
    played = [n for n, turn in enumerate(reversed(path), start=1) if turn.kind in kinds]
    if turns < 1 or len(path) == 1:
        return undo(store, turns=turns), ""
    if not played and turns == 1:
        played = [len(path) - 1]
    if len(played) < turns:
        many = "one turn" if len(played) == 1 else f"{len(played)} turns"
        raise CampaignError(
            f"there {'is' if len(played) == 1 else 'are'} only {many} to take back",
            hint="see: lorewright campaign log CAMPAIGN",
        )
    back = played[turns - 1]
    return undo(store, turns=back), path[-back].player_text


def redo(store: RewindingStore) -> str:
    """Do the turn again that was taken back last; its ID.

    Raises:
        CampaignError: nothing was taken back, or the story went on from here.
        HeadMoved: another turn was committed meanwhile.
    """
    head, pile = store.position(), store.undone()
    if not pile:
        raise CampaignError("there is nothing to redo", hint="only what was taken back just now can be done again")
    store.move_head(head, pile[-1], committed_state(store, pile[-1]), redone=1)
    return pile[-1]


def committed_state(store: RewindingStore, turn_id: str) -> WorldState:
    """The state after a turn, which is the one that was committed.

    Raises:
        DamagedFile: it is not.
    """
    turn, state = store.turn(turn_id), store.state_at(turn_id)
    if state.content_hash() != turn.state_hash:
        raise DamagedFile(
            f"the state after turn {turn.turn_no} is not the one that was committed",
            hint="restore the campaign's file from a copy",
        )
    return state
