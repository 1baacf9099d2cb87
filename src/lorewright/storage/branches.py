"""Rows of the table `branches`, and the tree of turns that they name the heads of."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.storage.database import Database
from lorewright.storage.heads import HeadRow, guard_head

# The branch that every campaign begins with.
MAIN_BRANCH = "main"


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch: its name, its head, and whether it is the one at hand."""

    name: str
    head_turn_id: str
    head_turn_no: int
    created_at: str
    at_hand: bool


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn as a point of the tree; the root has no parent."""

    turn_id: str
    parent_id: str | None
    turn_no: int
    player_text: str


def branch_rows(database: Database) -> list[BranchRow]:
    """All branches, the first made first."""
    rows = database.rows(
        """SELECT b.name, b.head_turn_id, t.turn_no, b.created_at, b.name = c.branch AS at_hand FROM branches b
           JOIN campaigns c ON c.id = b.campaign_id
           JOIN turns t ON t.campaign_id = b.campaign_id AND t.turn_id = b.head_turn_id ORDER BY b.rowid"""
    )
    return [
        BranchRow(row["name"], row["head_turn_id"], row["turn_no"], row["created_at"], bool(row["at_hand"]))
        for row in rows
    ]


def turn_rows(database: Database) -> list[TurnRow]:
    """All turns of all branches; a parent comes before its children, and what was played first before the rest."""
    rows = database.rows("SELECT turn_id, parent_id, turn_no, player_text FROM turns ORDER BY turn_no, rowid")
    return [TurnRow(*row) for row in rows]


def turn_no_of(database: Database, turn_id: str) -> int | None:
    """The number of a turn on any branch, or None where there is no such turn."""
    row = database.row(
        "SELECT turn_no FROM turns WHERE campaign_id = (SELECT id FROM campaigns) AND turn_id = ?", turn_id
    )
    return None if row is None else int(row["turn_no"])


def add_branch(
    database: Database, campaign_id: str, head: HeadRow, *, name: str, turn_id: str, state_json: str, time: str
) -> None:
    """Name a turn, whose complete state is kept from then on, in one transaction. The head stays; the revision grows.

    Raises:
        HeadMoved: the head is not the one that was read; nothing was written.
    """
    with database.transaction() as connection:
        guard_head(connection, head.turn_id, head.revision)
        connection.execute("INSERT INTO branches VALUES (?, ?, ?, ?)", (campaign_id, name, turn_id, time))
        connection.execute("INSERT OR REPLACE INTO world_states VALUES (?, ?, ?)", (campaign_id, turn_id, state_json))
        connection.execute(
            "UPDATE campaigns SET revision = revision + 1, updated_at = ? WHERE id = ?", (time, campaign_id)
        )
