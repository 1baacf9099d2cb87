"""Turns that are kept in memory alone: for a game that is thrown away, to go on from a head and change nothing, for
tests. To the same words it answers with the same bytes as a campaign's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

from lorewright.errors import ActionIdReused, HeadMoved, LorewrightError, NotFound, TurnUndone
from lorewright.ids import canonical_json
from lorewright.storage.database import read_json
from lorewright.storage.heads import HeadRow
from lorewright.turn.store.turn_store import TurnOnPath
from lorewright.turn.views.draft import Draft, Head, StageRecord, Submission
from lorewright.values.messages import Message
from lorewright.values.told_before import RECENT_TURNS, markers_of, options_of
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn as it is kept, with the state after it as it would be read from JSON."""

    point: TurnOnPath
    parent_id: str | None
    state: WorldState
    submission: Submission | None = None
    result_json: str = ""
    messages: tuple[Message, ...] = ()


class MemoryStore:
    """The turns that follow a head; what came before it cannot be taken back here. Safe to share between threads."""

    def __init__(self, root: Head) -> None:
        """Go on from a head, which stays what it is wherever it was read."""
        self._root = root
        state = root.state
        point = TurnOnPath(root.turn_id, root.turn_no, "start", "", state.content_hash())
        self._turns = {root.turn_id: KeptTurn(point, None, state)}
        self._by_action: dict[str, str] = {}
        self._position = HeadRow(root.turn_id, root.turn_no, root.revision)
        self._undone: list[str] = []
        self._scene_lore = dict.fromkeys([state.scene.id], root.scene_lore) if root.scene_lore else {}
        self._lock = RLock()
        self._attempts: list[dict[str, Any]] = []

    # Reading.

    def head(self) -> Head:
        """The newest turn with its state and the last messages."""
        with self._lock:
            at = self._turns[self._position.turn_id]
            path = self._path()
            kept = self._scene_lore.get(at.state.scene.id, ())
            if at.parent_id is None:
                return replace(self._root, revision=self._position.revision, scene_lore=kept)
            result = read_json(at.result_json)
            told = [(turn.point.turn_no, message) for turn in path[1:] for message in turn.messages]
            return replace(
                self._root,
                turn_id=at.point.turn_id,
                turn_no=at.point.turn_no,
                revision=self._position.revision,
                state=at.state,
                options=options_of(result),
                recent=tuple(one for one in (*self._root.recent, *told) if one[0] > at.point.turn_no - RECENT_TURNS),
                markers=markers_of(result),
                scene_lore=kept,
            )

    def state_at(self, turn_id: str) -> WorldState:
        """The state after a turn."""
        return self._kept(turn_id).state

    def stored_result(self, submission: Submission) -> str | None:
        """The result of the turn that this action ID made, or None for a new one."""
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
        """Which turn is the head, and the revision that guards it."""
        return self._position

    def path(self, *, last: int | None = None) -> list[TurnOnPath]:
        """The turns from the one that it began with (or the last few) to the head, in order."""
        with self._lock:
            return [kept.point for kept in self._path()[-last if last else None :]]

    def turn(self, turn_id: str) -> TurnOnPath:
        """A turn, taken back or not."""
        return self._kept(turn_id).point

    def undone(self) -> list[str]:
        """The turns that can be done again, by ID, the next one last."""
        return list(self._undone)

    def attempts(self) -> list[dict[str, Any]]:
        """The submissions that failed, oldest first."""
        return list(self._attempts)

    # Writing.

    def commit(self, draft: Draft) -> str:
        """Keep a turn and make it the head; the stored result."""
        result_json = canonical_json(draft.result.model_dump(mode="json"))
        state = draft.state.as_read_after(draft.head.state)
        point = TurnOnPath(draft.turn_id, draft.turn_no, draft.kind, draft.submission.text, state.content_hash())
        kept = KeptTurn(point, draft.head.turn_id, state, draft.submission, result_json, draft.messages)
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
        """Keep what was thought of a submission that failed."""
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

    def _kept(self, turn_id: str) -> KeptTurn:
        kept = self._turns.get(turn_id)
        if kept is None:
            raise NotFound(f"there is no turn {turn_id}", hint="it was played elsewhere, or before this game began")
        return kept

    def _path(self) -> list[KeptTurn]:
        path: list[KeptTurn] = []
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

    def _set_head(self, kept: KeptTurn) -> None:
        self._position = HeadRow(kept.point.turn_id, kept.point.turn_no, self._position.revision + 1)
