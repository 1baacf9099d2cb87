"""What a turn needs of the place where turns are kept: a protocol, so that a campaign's file is one such place of
several. Whatever implements it is held to the contract in tests/turn/test_turn_store_contract.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lorewright.errors import LorewrightError
from lorewright.storage.heads import HeadRow
from lorewright.turn.views.draft import Draft, Head, StageRecord, Submission
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class TurnOnPath:
    """A turn on the way to the head, as far as one must know it to go back there."""

    turn_id: str
    turn_no: int
    kind: str
    player_text: str
    state_hash: str


class TurnStore(Protocol):
    """Where the turns of one campaign are kept: a tree, of which one turn is the head."""

    def head(self) -> Head:
        """The newest turn with its state and the last messages; what the next turn starts from."""
        ...

    def state_at(self, turn_id: str) -> WorldState:
        """The state after a turn of any branch.

        Raises:
            NotFound: there is no such turn.
        """
        ...

    def stored_result(self, submission: Submission) -> str | None:
        """The result of the turn that this action ID made, byte for byte as it was first told; None for a new one.

        Raises:
            ActionIdReused: the action ID is known with other words.
            TurnUndone: its turn is not on the way to the head any more.
        """
        ...

    def commit(self, draft: Draft) -> str:
        """Keep a turn whole, or nothing of it, and make it the head; the stored result. What was undone before cannot
        be done again.

        Raises:
            HeadMoved: the head or its revision is not the one that the draft was thought from.
            ActionIdReused: another turn took the action ID with other words.
        """
        ...

    def keep_attempt(
        self, head: Head, submission: Submission, error: LorewrightError, records: Sequence[StageRecord]
    ) -> None:
        """Keep what was thought of a submission that failed, apart from all turns: no head and no state changes."""
        ...

    def attempts(self) -> list[dict[str, Any]]:
        """The submissions that failed, oldest first, each at least with `user_action_id`, `player_text`,
        `head_turn_id`, `error_code` and `message`."""
        ...


class RewindingStore(TurnStore, Protocol):
    """A store whose head can go back and forth. Whatever moves it, the revision grows; no turn is ever lost."""

    def position(self) -> HeadRow:
        """Which turn is the head, and the revision that guards it."""
        ...

    def path(self, *, last: int | None = None) -> list[TurnOnPath]:
        """The turns from the root (or the last few) to the head, in order."""
        ...

    def undone(self) -> list[str]:
        """The turns that can be done again, by ID, the next one last."""
        ...

    def turn(self, turn_id: str) -> TurnOnPath:
        """A turn of any branch.

        Raises:
            NotFound: there is no such turn.
        """
        ...

    def move_head(
        self, head: HeadRow, turn_id: str, state: WorldState, *, taken_back: tuple[str, ...] = (), redone: int = 0
    ) -> None:
        """Make another turn the head, whose state is given. `taken_back` are put on top of the undone turns in their
        order; `redone` so many are taken from them.

        Raises:
            HeadMoved: the head or its revision is not the one given; nothing was changed.
        """
        ...
