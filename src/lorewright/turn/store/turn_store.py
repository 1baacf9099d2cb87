"""The stores that a turn can be committed to: a protocol, which a campaign's file and the memory store implement, and
undo and redo. Every implementation must pass the contract in tests/turn/test_turn_store_contract.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any, Protocol

from lorewright.errors import (
    ActionIdReused,
    CampaignError,
    DamagedFile,
    HeadMoved,
    LorewrightError,
    NotFound,
    TurnUndone,
)
from lorewright.ids import canonical_json
from lorewright.storage.database import read_json
from lorewright.storage.heads import HeadRow
from lorewright.turn.views.draft import Draft, Head, StageRecord, Submission
from lorewright.values.entries import RECENT_TURNS, markers_of, options_of
from lorewright.values.records import Message
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class TurnOnPath:
    """A turn on the way to the head: the fields that are needed to go back to it."""

    turn_id: str
    turn_no: int
    kind: str
    player_text: str
    state_hash: str


class TurnStore(Protocol):
    """A store of the turns of one campaign: a tree, of which one turn is the head."""

    def head(self) -> Head:
        """Return the newest turn with its state and the last messages, from which the next turn starts."""
        ...

    def state_at(self, turn_id: str) -> WorldState:
        """Return the state after a turn of any branch.

        Raises:
            NotFound: there is no such turn.
        """
        ...

    def stored_result(self, submission: Submission) -> str | None:
        """Return the result of the turn that this action ID made, byte for byte as it was first told; None for a new
        one.

        Raises:
            ActionIdReused: the action ID is known with other words.
            TurnUndone: its turn is not on the way to the head any more.
        """
        ...

    def commit(self, draft: Draft) -> str:
        """Store a turn whole, or nothing of it, and make it the head; return the stored result. Turns undone before
        cannot be redone afterwards.

        Raises:
            HeadMoved: the head or its revision is not the one that the draft was made from.
            ActionIdReused: another turn took the action ID with other words.
        """
        ...

    def keep_attempt(
        self, head: Head, submission: Submission, error: LorewrightError, records: Sequence[StageRecord]
    ) -> None:
        """Store the records of a submission that failed, apart from all turns: no head and no state changes."""
        ...

    def attempts(self) -> list[dict[str, Any]]:
        """Return the submissions that failed, oldest first, each at least with `user_action_id`, `player_text`,
        `head_turn_id`, `error_code` and `message`."""
        ...


class RewindingStore(TurnStore, Protocol):
    """A store whose head can go back and forth. Every move of the head increases the revision; no turn is ever lost."""

    def position(self) -> HeadRow:
        """Return the head's turn and the revision that guards it."""
        ...

    def path(self, *, last: int | None = None) -> list[TurnOnPath]:
        """Return the turns from the root (or the last few) to the head, in order."""
        ...

    def undone(self) -> list[str]:
        """Return the IDs of the turns that can be redone, the next one last."""
        ...

    def turn(self, turn_id: str) -> TurnOnPath:
        """Return a turn of any branch.

        Raises:
            NotFound: there is no such turn.
        """
        ...

    def move_head(
        self, head: HeadRow, turn_id: str, state: WorldState, *, taken_back: tuple[str, ...] = (), redone: int = 0
    ) -> None:
        """Make another turn the head, with its state. `taken_back` are put on top of the undone turns in their order;
        `redone` is the number of turns that are taken from them.

        Raises:
            HeadMoved: the head or its revision is not the one given; nothing was changed.
        """
        ...


# Turns in memory: for a game that is thrown away, to go on from a head without changing the file, for tests. The same
# submissions get the same bytes as from a campaign's file.


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn in memory, with the state after it as it would be read from JSON."""

    point: TurnOnPath
    parent_id: str | None
    state: WorldState
    submission: Submission | None = None
    result_json: str = ""
    messages: tuple[Message, ...] = ()


class MemoryStore:
    """A store of the turns that follow a head; what came before it cannot be taken back here. Safe to share between
    threads."""

    def __init__(self, root: Head) -> None:
        """Begin with a head, which does not change in the store that it was read from."""
        self._root = root
        state = root.state
        point = TurnOnPath(root.turn_id, root.turn_no, "start", "", state.content_hash())
        self._turns = {root.turn_id: StoredTurn(point, None, state)}
        self._by_action: dict[str, str] = {}
        self._position = HeadRow(root.turn_id, root.turn_no, root.revision)
        self._undone: list[str] = []
        self._scene_lore = dict.fromkeys([state.scene.id], root.scene_lore) if root.scene_lore else {}
        self._lock = RLock()
        self._attempts: list[dict[str, Any]] = []

    # Reading.

    def head(self) -> Head:
        """Return the newest turn with its state and the last messages."""
        with self._lock:
            at = self._turns[self._position.turn_id]
            path = self._path()
            scene_lore = self._scene_lore.get(at.state.scene.id, ())
            if at.parent_id is None:
                return replace(self._root, revision=self._position.revision, scene_lore=scene_lore)
            result = read_json(at.result_json)
            told = [(turn.point.turn_no, message) for turn in path[1:] for message in turn.messages]
            return replace(
                self._root,
                turn_id=at.point.turn_id,
                turn_no=at.point.turn_no,
                revision=self._position.revision,
                state=at.state,
                options=options_of(result),
                recent=tuple(
                    numbered
                    for numbered in (*self._root.recent, *told)
                    if numbered[0] > at.point.turn_no - RECENT_TURNS
                ),
                markers=markers_of(result),
                scene_lore=scene_lore,
            )

    def state_at(self, turn_id: str) -> WorldState:
        """Return the state after a turn."""
        return self._kept(turn_id).state

    def stored_result(self, submission: Submission) -> str | None:
        """Return the result of the turn that this action ID made, or None for a new one."""
        with self._lock:
            turn_id = self._by_action.get(submission.action_id)
            if turn_id is None:
                return None
            kept = self._turns[turn_id]
            if kept.submission != submission:
                raise ActionIdReused(
                    f"the action ID {submission.action_id} was used for other words",
                    hint="use a new action ID for a new action",
                )
            if all(turn is not kept for turn in self._path()):
                raise TurnUndone(
                    f"the turn of the action ID {submission.action_id} was taken back",
                    hint="do it again with redo, or use a new action ID to play it anew",
                )
            return kept.result_json

    def position(self) -> HeadRow:
        """Return the head's turn and the revision that guards it."""
        return self._position

    def path(self, *, last: int | None = None) -> list[TurnOnPath]:
        """Return the turns from the first one (or the last few) to the head, in order."""
        with self._lock:
            return [kept.point for kept in self._path()[-last if last else None :]]

    def turn(self, turn_id: str) -> TurnOnPath:
        """Return a turn, taken back or not."""
        return self._kept(turn_id).point

    def undone(self) -> list[str]:
        """Return the IDs of the turns that can be redone, the next one last."""
        return list(self._undone)

    def attempts(self) -> list[dict[str, Any]]:
        """Return the submissions that failed, oldest first."""
        return list(self._attempts)

    # Writing.

    def commit(self, draft: Draft) -> str:
        """Store a turn and make it the head; return the stored result."""
        result_json = canonical_json(draft.result.model_dump(mode="json"))
        state = draft.state.as_read_after(draft.head.state)
        point = TurnOnPath(draft.turn_id, draft.turn_no, draft.kind, draft.submission.text, state.content_hash())
        kept = StoredTurn(point, draft.head.turn_id, state, draft.submission, result_json, draft.messages)
        with self._lock:
            self._guard(draft.head.turn_id, draft.head.revision)
            stored = self.stored_result(draft.submission)
            if stored is not None:
                return stored
            self._turns[draft.turn_id] = kept
            self._by_action[draft.submission.action_id] = draft.turn_id
            self._undone = []
            if draft.scene_lore.to_keep is not None:
                self._scene_lore[draft.scene_lore.scene_id] = (draft.scene_lore.to_keep,)
            self._set_head(kept)
        return result_json

    def keep_attempt(
        self, head: Head, submission: Submission, error: LorewrightError, records: Sequence[StageRecord]
    ) -> None:
        """Store the records of a submission that failed."""
        self._attempts.append(
            {
                "user_action_id": submission.action_id,
                "player_text": submission.text,
                "head_turn_id": head.turn_id,
                "error_code": error.code,
                "message": error.message,
                "stages": [record.stage for record in records],
                "calls": [call.shown() for record in records for call in record.calls],
            }
        )

    def move_head(
        self, head: HeadRow, turn_id: str, state: WorldState, *, taken_back: tuple[str, ...] = (), redone: int = 0
    ) -> None:
        """Make another turn the head."""
        with self._lock:
            self._guard(head.turn_id, head.revision)
            left = self._undone[: len(self._undone) - redone]
            self._undone = [*left, *taken_back]
            self._set_head(self._kept(turn_id))

    def _kept(self, turn_id: str) -> StoredTurn:
        kept = self._turns.get(turn_id)
        if kept is None:
            raise NotFound(f"there is no turn {turn_id}", hint="it was played elsewhere, or before this game began")
        return kept

    def _path(self) -> list[StoredTurn]:
        path: list[StoredTurn] = []
        at: str | None = self._position.turn_id
        while at is not None:
            path.append(self._turns[at])
            at = self._turns[at].parent_id
        return path[::-1]

    def _guard(self, turn_id: str, revision: int) -> None:
        if (self._position.turn_id, self._position.revision) != (turn_id, revision):
            raise HeadMoved(
                "another turn was committed while this one was thought",
                hint="nothing of yours was lost or changed; say it again",
            )

    def _set_head(self, kept: StoredTurn) -> None:
        self._position = HeadRow(kept.point.turn_id, kept.point.turn_no, self._position.revision + 1)


# Undo and redo: the head goes to its parent and back. Nothing is deleted, no dice are thrown. Turns played from an
# earlier turn leave the undone ones behind: these stay in the file and cannot be redone, but a branch can be begun from
# them.

# The kinds of turns that were played: here, or in the predecessor.
_PLAYED = ("play", "imported")


def undo(store: RewindingStore, *, turns: int = 1) -> str:
    """Take back the last turns in one transaction; return the ID of the new head.

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


def undo_played(store: RewindingStore, *, turns: int = 1, edits: bool = False) -> tuple[str, str]:
    """Take back the last turns that were played, with the questions asked since; return the ID of the new head, and the
    words of the first turn that was taken back. With `edits` a change from outside is a turn like others, which has no
    words; else it goes with the turn before it.

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
    """Redo the turn that was taken back last; return its ID.

    Raises:
        CampaignError: nothing was taken back, or the story went on from here.
        HeadMoved: another turn was committed meanwhile.
    """
    head, undone = store.position(), store.undone()
    if not undone:
        raise CampaignError("there is nothing to redo", hint="only what was taken back just now can be done again")
    store.move_head(head, undone[-1], committed_state(store, undone[-1]), redone=1)
    return undone[-1]


def committed_state(store: RewindingStore, turn_id: str) -> WorldState:
    """Return the state after a turn, verified to be the one that was committed.

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
