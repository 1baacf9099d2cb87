"""The path to a turn, and the head that moves along it: only this module undoes and redoes turns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.errors import HeadMoved
from lorewright.storage.database import Database, read_json
from lorewright.storage.faults import step

# Complete states are stored for every 25th turn, branch points and heads; any other is rebuilt from ops.
FULL_STATE_EVERY = 25

_ANY_NUMBER = 1_000_000_000
# How many turns a query names; SQLite allows some 32,000 parameters.
_AT_ONCE = 500

Statement = tuple[str, tuple[str | int | float | None, ...]]

# The key of a turn begins with the campaign, of which a file has one; without it each step reads the whole table.
_TURNS = "turns t ON t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = path.turn_id"


@dataclass(frozen=True, slots=True)
class HeadRow:
    """The head turn, and the revision that guards it."""

    turn_id: str
    turn_no: int
    revision: int


@dataclass(frozen=True, slots=True)
class HeadMove:
    """A move of the head: the head as it was read, the new head with its complete state, and the changes to undone
    turns.

    `taken_back` are pushed on the stack of undone turns in their order; `redone` is how many are popped. `named` is a
    new branch for the old head; `onto` is the current branch afterwards, if it changes: turns that were undone on the
    old branch cannot be redone there.
    """

    campaign_id: str
    from_turn_id: str
    revision: int
    to_turn_id: str
    to_turn_no: int
    state_json: str
    time: str
    taken_back: tuple[str, ...] = ()
    redone: int = 0
    named: str | None = None
    onto: str | None = None
    projection: tuple[Statement, ...] = ()


def head_row(database: Database) -> HeadRow:
    """Return the head of the file's campaign."""
    return HeadRow(*database.rows("SELECT head_turn_id, current_turn, revision FROM campaigns")[0])


def path_to(
    database: Database, turn_id: str, *, last: int | None = None, after: str | None = None
) -> list[sqlite3.Row]:
    """Return the turns from the root to a turn, in order; only the `last` ones, or those `after` an ancestor."""
    if turn_id == after:
        return []
    return database.rows(
        f"""WITH RECURSIVE path(turn_id, depth) AS (
             SELECT ?1, 1 UNION ALL
             SELECT t.parent_id, path.depth + 1 FROM path JOIN {_TURNS}
             WHERE t.parent_id IS NOT NULL AND t.parent_id IS NOT ?3 AND path.depth < ?2
           ) SELECT t.* FROM path JOIN {_TURNS} ORDER BY t.turn_no""",
        turn_id,
        last if last is not None else _ANY_NUMBER,
        after,
    )


def count_played(database: Database) -> int:
    """Return how many turns were played on the path to the head: without the opening, questions that were asked back,
    and changes from outside."""
    row = database.row(
        f"""WITH RECURSIVE path(turn_id) AS (
             SELECT head_turn_id FROM campaigns UNION ALL
             SELECT t.parent_id FROM path JOIN {_TURNS} WHERE t.parent_id IS NOT NULL
           ) SELECT count(*) FROM path JOIN {_TURNS} WHERE t.turn_no > 0 AND t.kind IN ('play', 'imported')"""
    )
    return 0 if row is None else int(row[0])


def words_on_path(database: Database, turn_id: str, *, after: str | None = None) -> list[sqlite3.Row]:
    """Return the narrations, intentions and thoughts on the path to a turn (or after an ancestor of it), oldest first,
    each message with its turn's number."""
    if turn_id == after:
        return []
    return database.rows(
        f"""WITH RECURSIVE path(turn_id) AS (
             SELECT ?1 UNION ALL
             SELECT t.parent_id FROM path JOIN {_TURNS} WHERE t.parent_id IS NOT NULL AND t.parent_id IS NOT ?2
           ) SELECT t.turn_no, m.* FROM path JOIN {_TURNS}
             JOIN messages m ON m.campaign_id = t.campaign_id AND m.turn_id = t.turn_id
             WHERE m.type IN ('narration', 'intention', 'thought') ORDER BY t.turn_no, m.seq""",
        turn_id,
        after,
    )


def resolutions_on_path(database: Database, turn_id: str, *, after: str | None = None) -> list[sqlite3.Row]:
    """Return the records of the resolutions of the player's rounds on the path to a turn (or after an ancestor of it),
    oldest first."""
    if turn_id == after:
        return []
    return database.rows(
        f"""WITH RECURSIVE path(turn_id) AS (
             SELECT ?1 UNION ALL
             SELECT t.parent_id FROM path JOIN {_TURNS} WHERE t.parent_id IS NOT NULL AND t.parent_id IS NOT ?2
           ) SELECT t.turn_no, r.output_json FROM path JOIN {_TURNS}
             JOIN stage_records r ON r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id
             WHERE r.stage = 'resolve' ORDER BY t.turn_no, r.seq""",
        turn_id,
        after,
    )


@dataclass(frozen=True, slots=True)
class FirstLearned:
    """When a character first learned an item on the path to the head, and how; turn 0 where it was known before."""

    character_id: str
    item_id: str
    turn_no: int
    how: str


def learned_on_path(database: Database, *, character_id: str | None = None) -> list[FirstLearned]:
    """Return what was learned on the path to the head, by one character or all, in the order of the turns."""
    rows = database.rows(
        f"""WITH RECURSIVE path(turn_id) AS (
             SELECT head_turn_id FROM campaigns UNION ALL
             SELECT t.parent_id FROM path JOIN {_TURNS} WHERE t.parent_id IS NOT NULL
           ) SELECT t.turn_no, t.ops_json FROM path JOIN {_TURNS}
             WHERE t.ops_json LIKE '%"reveal"%' ORDER BY t.turn_no"""
    )
    first = database.rows("SELECT character_id, item_id, how FROM first_reveals")
    found = {(row[0], row[1]): FirstLearned(row[0], row[1], 0, row[2] or "") for row in first}
    for row in rows:
        for op in read_json(row["ops_json"]):
            if op.get("op") == "reveal":
                learned = FirstLearned(op["to"], op["item_id"], row["turn_no"], op.get("how") or "")
                found.setdefault((learned.character_id, learned.item_id), learned)
    return [learned for learned in found.values() if character_id in (None, learned.character_id)]


def upgrades_on_path(database: Database, turn_id: str) -> list[sqlite3.Row]:
    """Return the upgrades on the path to a turn, oldest first, each with its turn's number and ops."""
    if database.row("SELECT 1 FROM upgrades") is None:
        return []
    return database.rows(
        f"""WITH RECURSIVE path(turn_id) AS (
             SELECT ?1 UNION ALL
             SELECT t.parent_id FROM path JOIN {_TURNS} WHERE t.parent_id IS NOT NULL
           ) SELECT t.turn_no, t.ops_json FROM path JOIN {_TURNS} JOIN upgrades u ON u.turn_id = t.turn_id
             ORDER BY t.turn_no""",
        turn_id,
    )


def state_row(database: Database, turn_id: str) -> sqlite3.Row | None:
    """Return a turn's parent, its ops and, if it is stored, the complete state after it; None if there is no such
    turn."""
    return database.row(
        """SELECT t.parent_id, t.ops_json, text_of(s.state_json) AS state_json FROM turns t
           LEFT JOIN world_states s ON s.campaign_id = t.campaign_id AND s.turn_id = t.turn_id
           WHERE t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = ?""",
        turn_id,
    )


def ancestor(database: Database, turn_id: str, *, back: int) -> str | None:
    """Return the ID of the turn `back` turns before a turn; None if there are fewer."""
    found = database.row(
        f"""WITH RECURSIVE path(turn_id, depth) AS (
             SELECT ?1, 0 UNION ALL
             SELECT t.parent_id, path.depth + 1 FROM path JOIN {_TURNS}
             WHERE t.parent_id IS NOT NULL AND path.depth < ?2
           ) SELECT turn_id FROM path WHERE depth = ?2""",
        turn_id,
        back,
    )
    return None if found is None else str(found["turn_id"])


def messages_of_turns(database: Database, campaign_id: str, turn_ids: Sequence[str]) -> dict[str, list[sqlite3.Row]]:
    """Return the messages of each of these turns, in order."""
    found: dict[str, list[sqlite3.Row]] = {turn_id: [] for turn_id in turn_ids}
    for first in range(0, len(turn_ids), _AT_ONCE):
        some = turn_ids[first : first + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        sql = f"SELECT * FROM messages WHERE campaign_id = ? AND turn_id IN ({marks}) ORDER BY turn_id, seq"
        for row in database.rows(sql, campaign_id, *some):
            found[row["turn_id"]].append(row)
    return found


def is_on_path(database: Database, turn_id: str, *, to: str) -> bool:
    """Tell whether a turn is the turn `to` or an ancestor of it."""
    found = database.row(
        f"""WITH RECURSIVE path(turn_id) AS (
             SELECT ?1 UNION ALL
             SELECT t.parent_id FROM path JOIN {_TURNS} WHERE t.parent_id IS NOT NULL
           ) SELECT 1 FROM path WHERE turn_id = ?2 LIMIT 1""",
        to,
        turn_id,
    )
    return found is not None


def undone_turns(database: Database) -> list[str]:
    """Return the IDs of the turns that can be redone, the next one last."""
    return [row["turn_id"] for row in database.rows("SELECT turn_id FROM undone ORDER BY position")]


def guard_head(connection: sqlite3.Connection, turn_id: str, revision: int) -> None:
    """Check, inside of a transaction, that the head has not changed since it was read.

    Raises:
        HeadMoved: it has.
    """
    row = connection.execute("SELECT head_turn_id, revision FROM campaigns").fetchone()
    if (row["head_turn_id"], row["revision"]) != (turn_id, revision):
        raise HeadMoved(
            "another turn was committed while this one was thought",
            hint="nothing of yours was lost or changed; say it again",
        )


def move_head(database: Database, move: HeadMove) -> None:
    """Move the head in one transaction. No turn is deleted; the revision grows.

    Raises:
        HeadMoved: the head has changed; nothing was written.
    """
    key = (move.campaign_id, move.to_turn_id)
    with database.transaction() as connection:
        guard_head(connection, move.from_turn_id, move.revision)
        connection.execute("INSERT OR REPLACE INTO world_states VALUES (?, ?, ?)", (*key, move.state_json))
        if move.named is not None:
            connection.execute(
                "INSERT INTO branches VALUES (?, ?, ?, ?)",
                (move.campaign_id, move.named, move.from_turn_id, move.time),
            )
        for statement in set_head(move.campaign_id, move.to_turn_id, move.to_turn_no, move.time, onto=move.onto):
            connection.execute(*statement)
        for statement in forget_state(move.campaign_id, move.from_turn_id):
            connection.execute(*statement)
        if move.onto is not None:
            connection.execute("DELETE FROM undone WHERE campaign_id = ?", (move.campaign_id,))
        _push(connection, move.campaign_id, move.taken_back)
        connection.execute(
            """DELETE FROM undone WHERE campaign_id = ?1 AND position IN
               (SELECT position FROM undone WHERE campaign_id = ?1 ORDER BY position DESC LIMIT ?2)""",
            (move.campaign_id, move.redone),
        )
        for statement in move.projection:
            connection.execute(*statement)
        step("rewind:moving")
    step("rewind:moved")


def set_head(
    campaign_id: str, turn_id: str, turn_no: int, time: str, *, onto: str | None = None
) -> tuple[Statement, ...]:
    """Return the statements that make a turn the head of the campaign and of the current branch (or of `onto`, which
    becomes the current branch). The revision grows."""
    return (
        (
            """UPDATE campaigns SET head_turn_id = ?, current_turn = ?, branch = coalesce(?, branch),
               revision = revision + 1, updated_at = ? WHERE id = ?""",
            (turn_id, turn_no, onto, time, campaign_id),
        ),
        (
            """UPDATE branches SET head_turn_id = ?1 WHERE campaign_id = ?2
               AND name = (SELECT branch FROM campaigns WHERE id = ?2)""",
            (turn_id, campaign_id),
        ),
    )


def forget_state(campaign_id: str, turn_id: str) -> tuple[Statement, ...]:
    """Return the statements that delete the complete state of a turn that is no longer the head, or pack it if it is to
    be kept: of every 25th turn, of a branch point, of the head of a branch."""
    delete = (
        """DELETE FROM world_states WHERE campaign_id = ?1 AND turn_id = ?2
           AND (SELECT turn_no % ?3 FROM turns WHERE campaign_id = ?1 AND turn_id = ?2) != 0
           AND (SELECT count(*) FROM turns WHERE campaign_id = ?1 AND parent_id = ?2) < 2
           AND NOT EXISTS (SELECT 1 FROM branches WHERE campaign_id = ?1 AND head_turn_id = ?2)""",
        (campaign_id, turn_id, FULL_STATE_EVERY),
    )
    pack = "UPDATE world_states SET state_json = packed_text(state_json) WHERE campaign_id = ? AND turn_id = ?"
    return delete, (pack, (campaign_id, turn_id))


def _push(connection: sqlite3.Connection, campaign_id: str, turn_ids: Sequence[str]) -> None:
    for turn_id in turn_ids:
        connection.execute(
            """INSERT INTO undone SELECT ?1, coalesce(max(position), 0) + 1, ?2 FROM undone WHERE campaign_id = ?1""",
            (campaign_id, turn_id),
        )


# Rows of the table `branches`, and the tree of turns.

# The first branch of every campaign.
MAIN_BRANCH = "main"


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch: its name, its head, and whether it is the current branch (`at_hand`)."""

    name: str
    head_turn_id: str
    head_turn_no: int
    created_at: str
    at_hand: bool


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn as a node of the tree; the root has no parent."""

    turn_id: str
    parent_id: str | None
    turn_no: int
    player_text: str


def branch_rows(database: Database) -> list[BranchRow]:
    """Return all branches, oldest first."""
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
    """Return all turns of all branches; a parent comes before its children, siblings in the order of play."""
    rows = database.rows("SELECT turn_id, parent_id, turn_no, player_text FROM turns ORDER BY turn_no, rowid")
    return [TurnRow(*row) for row in rows]


def told_turns(database: Database) -> list[tuple[str, int, str, str]]:
    """Return the turns of all branches in which somebody said something, questions and asides among them, each with its
    ID, number, words and what was told, in the order of their numbers."""
    rows = database.rows(
        """SELECT turn_id, turn_no, player_text, result_json FROM turns
           WHERE campaign_id = (SELECT id FROM campaigns) AND kind IN ('play', 'imported', 'clarification', 'aside')
           ORDER BY turn_no, rowid"""
    )
    return [
        (row["turn_id"], row["turn_no"], row["player_text"] or "", json.loads(row["result_json"])["final_text"])
        for row in rows
    ]


def turn_no_of(database: Database, turn_id: str) -> int | None:
    """Return the number of a turn on any branch, or None if there is no such turn."""
    row = database.row(
        "SELECT turn_no FROM turns WHERE campaign_id = (SELECT id FROM campaigns) AND turn_id = ?", turn_id
    )
    return None if row is None else int(row["turn_no"])


def add_branch(
    database: Database, campaign_id: str, head: HeadRow, *, name: str, turn_id: str, state_json: str, time: str
) -> None:
    """Add a branch at a turn and store the turn's complete state, in one transaction. The head stays; the revision
    grows.

    Raises:
        HeadMoved: the head has changed since it was read; nothing was written.
    """
    with database.transaction() as connection:
        guard_head(connection, head.turn_id, head.revision)
        connection.execute("INSERT INTO branches VALUES (?, ?, ?, ?)", (campaign_id, name, turn_id, time))
        connection.execute("INSERT OR REPLACE INTO world_states VALUES (?, ?, ?)", (campaign_id, turn_id, state_json))
        connection.execute(
            "UPDATE campaigns SET revision = revision + 1, updated_at = ? WHERE id = ?", (time, campaign_id)
        )
