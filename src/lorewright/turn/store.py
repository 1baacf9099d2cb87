"""A campaign's file: what is read of it and written to it. The only place where SQL meets a turn."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from lorewright.errors import ActionIdReused, HeadMoved, LorewrightError, NotFound
from lorewright.ids import canonical_json
from lorewright.rules.rulesets import CampaignRules
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import Database
from lorewright.storage.migrations import migrate
from lorewright.turn.campaign import CampaignRow, PackPin
from lorewright.turn.draft import Draft, Head, StageRecord, Submission
from lorewright.turn.messages import Message
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState

# A complete state stands at every so many turns and at the head; any other is rebuilt from ops.
FULL_STATE_EVERY = 25

# So many turns back the head carries messages.
RECENT_TURNS = 12

_OPS: TypeAdapter[tuple[StateOp, ...]] = TypeAdapter(tuple[StateOp, ...])


class CampaignStore:
    """One open campaign file."""

    def __init__(self, path: Path) -> None:
        """Open a campaign's file and bring its tables up to date.

        Raises:
            NotFound: there is no such file.
            SettingsError: a newer version wrote it.
        """
        if not path.is_file():
            raise NotFound(f"there is no campaign {path.stem}", hint="see: lorewright campaign list")
        self._database = Database(path)
        migrate(self._database, CAMPAIGN_MIGRATIONS)
        row = self._database.row("SELECT id FROM campaigns")
        if row is None:
            self._database.close()
            raise NotFound(f"{path.name} holds no campaign", hint="delete the file")
        self.campaign_id: str = row["id"]

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # Reading.

    def campaign(self) -> CampaignRow:
        """The campaign itself."""
        row = self._database.row("SELECT * FROM campaigns")
        assert row is not None
        pins = self._database.rows("SELECT pack_id, version, content_hash FROM pack_pins ORDER BY pack_id")
        return CampaignRow(
            id=row["id"],
            name=row["name"],
            scenario_id=row["scenario_id"],
            scenario=json.loads(row["scenario_json"]),
            rules=CampaignRules.model_validate_json(row["rules_json"]),
            ruleset_hash=row["ruleset_hash"],
            seed=row["seed"],
            current_turn=row["current_turn"],
            revision=row["revision"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            pins=tuple(PackPin(*pin) for pin in pins),
        )

    def head(self) -> Head:
        """The newest turn with its state and the last messages."""
        row = self._database.row(
            """SELECT c.id, c.revision, t.turn_id, t.turn_no, t.result_json FROM campaigns c
               JOIN turns t ON t.campaign_id = c.id AND t.turn_id = c.head_turn_id"""
        )
        assert row is not None
        result = json.loads(row["result_json"])
        moves = [event for event in result["engine_events"] if event["type"] == "scene_changed"]
        return Head(
            campaign_id=row["id"],
            turn_id=row["turn_id"],
            turn_no=row["turn_no"],
            revision=row["revision"],
            state=self.state_at(row["turn_id"]),
            options=tuple(result["suggested_actions"]),
            recent=tuple(self.messages(row["turn_id"], last=RECENT_TURNS)),
            moved_from=moves[0]["details"]["from"] if moves else None,
        )

    def state_at(self, turn_id: str) -> WorldState:
        """The state after a turn: as it was stored, or rebuilt from the nearest stored one before it.

        Raises:
            NotFound: there is no such turn.
        """
        rebuilt: list[tuple[StateOp, ...]] = []
        ancestor: str | None = turn_id
        while ancestor is not None:
            row = self._database.row(
                """SELECT t.parent_id, t.ops_json, s.state_json FROM turns t
                   LEFT JOIN world_states s ON s.campaign_id = t.campaign_id AND s.turn_id = t.turn_id
                   WHERE t.turn_id = ?""",
                ancestor,
            )
            if row is None:
                break
            if row["state_json"] is not None:
                state = WorldState.model_validate_json(row["state_json"])
                for ops in reversed(rebuilt):
                    state = apply(state, ops).state
                return state
            rebuilt.append(_OPS.validate_json(row["ops_json"]))
            ancestor = row["parent_id"]
        raise NotFound(f"there is no turn {turn_id}", hint="see: lorewright campaign log CAMPAIGN")

    def turns(self) -> list[dict[str, Any]]:
        """The turns from the first to the head, in order, each with its number, ID, kind, words and result."""
        row = self._database.row("SELECT head_turn_id FROM campaigns")
        assert row is not None
        return [
            {
                "turn_no": turn["turn_no"],
                "turn_id": turn["turn_id"],
                "kind": turn["kind"],
                "action_id": turn["user_action_id"],
                "player_text": turn["player_text"],
                "state_hash": turn["state_hash"],
                "result": json.loads(turn["result_json"]),
            }
            for turn in self._path_to(row["head_turn_id"])
        ]

    def messages(self, turn_id: str, *, last: int) -> list[tuple[int, Message]]:
        """(turn number, message) of the last turns up to one, oldest first."""
        found: list[tuple[int, Message]] = []
        for turn in self._path_to(turn_id, last=last):
            rows = self._database.rows("SELECT * FROM messages WHERE turn_id = ? ORDER BY seq", turn["turn_id"])
            found += [(turn["turn_no"], _message(row)) for row in rows]
        return found

    def stage_records(self, turn_id: str) -> list[dict[str, Any]]:
        """The records of a turn's stages, in order."""
        rows = self._database.rows("SELECT * FROM stage_records WHERE turn_id = ? ORDER BY seq", turn_id)
        return [
            {
                "stage": row["stage"],
                "model_key": row["model_key"],
                "input": json.loads(row["input_json"]),
                "output": json.loads(row["output_json"]),
                "attempts": json.loads(row["attempts_json"]),
            }
            for row in rows
        ]

    def attempts(self) -> list[dict[str, Any]]:
        """The submissions that failed, oldest first."""
        rows = self._database.rows("SELECT * FROM attempts ORDER BY attempt_no")
        return [{**dict(row), "records_json": json.loads(row["records_json"])} for row in rows]

    def stored_result(self, submission: Submission) -> str | None:
        """The result of the turn that this action ID made, as it was first told; None for a new one.

        Raises:
            ActionIdReused: the action ID is known with other words.
        """
        sql = "SELECT request_hash, result_json FROM turns WHERE campaign_id = ? AND user_action_id = ?"
        row = self._database.row(sql, self.campaign_id, submission.action_id)
        if row is None:
            return None
        if row["request_hash"] != submission.request_hash:
            raise ActionIdReused(
                f"the action ID {submission.action_id} was used for other words",
                hint="use a new action ID for a new action",
            )
        return str(row["result_json"])

    # Writing.

    def commit(self, draft: Draft) -> str:
        """Write a turn whole and move the head to it; the stored result.

        Raises:
            HeadMoved: another turn was committed since the head was read; nothing was written.
            ActionIdReused: another turn took the action ID with other words; nothing was written.
        """
        statements = _statements(draft)
        try:
            with self._database.transaction() as connection:
                self._guard(connection, draft.head)
                for sql, parameters in statements:
                    connection.execute(sql, parameters)
        except sqlite3.Error:
            # A COMMIT may have taken effect although it raised; and a twin of this submission may have been first.
            stored = self.stored_result(draft.submission)
            if stored is None:
                raise
            return stored
        return canonical_json(draft.result.model_dump(mode="json"))

    def keep_attempt(
        self, head: Head, submission: Submission, error: LorewrightError, records: Sequence[StageRecord]
    ) -> None:
        """Keep what was thought of a submission that failed. The stream and the state do not change."""
        thought = [{"stage": one.stage, "input": one.input_json, "output": one.output_json} for one in records]
        row = (
            head.campaign_id,
            submission.action_id,
            submission.text,
            head.turn_id,
            error.code,
            error.message,
            canonical_json(thought),
            now(),
        )
        with self._database.transaction() as connection:
            connection.execute(
                """INSERT INTO attempts (campaign_id, user_action_id, player_text, head_turn_id, error_code, message,
                   records_json, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                row,
            )

    def _guard(self, connection: sqlite3.Connection, head: Head) -> None:
        row = connection.execute("SELECT head_turn_id, revision FROM campaigns").fetchone()
        if (row["head_turn_id"], row["revision"]) != (head.turn_id, head.revision):
            raise HeadMoved(
                "another turn was committed while this one was thought",
                hint="nothing of yours was lost or changed; say it again",
            )

    def _path_to(self, turn_id: str, *, last: int | None = None) -> list[sqlite3.Row]:
        """The turns from the root (or the last few) to a turn, in order."""
        return self._database.rows(
            """WITH RECURSIVE path(turn_id, depth) AS (
                 SELECT ?, 1 UNION ALL
                 SELECT t.parent_id, path.depth + 1 FROM path JOIN turns t ON t.turn_id = path.turn_id
                 WHERE t.parent_id IS NOT NULL AND path.depth < ?
               ) SELECT t.* FROM path JOIN turns t ON t.turn_id = path.turn_id ORDER BY t.turn_no""",
            turn_id,
            last if last is not None else 1_000_000_000,
        )


def _statements(draft: Draft) -> list[tuple[str, tuple[Any, ...]]]:
    """Everything that a turn writes, serialised before the transaction begins."""
    campaign_id, turn_id, head, time = draft.head.campaign_id, draft.turn_id, draft.head, now()
    turn = (
        campaign_id,
        turn_id,
        draft.turn_no,
        head.turn_id,
        draft.kind,
        draft.submission.action_id,
        draft.submission.request_hash,
        draft.submission.text,
        _OPS.dump_json(draft.ops).decode(),
        draft.state.content_hash(),
        canonical_json(draft.result.model_dump(mode="json")),
        time,
    )
    statements: list[tuple[str, tuple[Any, ...]]] = [
        (f"INSERT INTO turns VALUES ({', '.join('?' * len(turn))})", turn),
        ("INSERT INTO world_states VALUES (?, ?, ?)", (campaign_id, turn_id, draft.state.to_json())),
    ]
    if head.turn_no % FULL_STATE_EVERY:
        statements.append(
            ("DELETE FROM world_states WHERE campaign_id = ? AND turn_id = ?", (campaign_id, head.turn_id))
        )
    statements += [insert_message(campaign_id, message) for message in draft.messages]
    statements += _insert_actions(draft)
    statements += _insert_records(draft)
    statements.append(
        (
            """UPDATE campaigns SET head_turn_id = ?, current_turn = ?, revision = revision + 1, updated_at = ?
               WHERE id = ?""",
            (turn_id, draft.turn_no, time, campaign_id),
        )
    )
    return statements


def insert_message(campaign_id: str, message: Message) -> tuple[str, tuple[Any, ...]]:
    """The statement that appends a message to the stream, with its parameters."""
    return (
        "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            campaign_id,
            message.turn_id,
            message.seq,
            message.owner,
            message.type,
            message.subtype,
            message.content,
            canonical_json(dict(message.payload)),
            canonical_json(list(message.audience)),
        ),
    )


def _insert_actions(draft: Draft) -> list[tuple[str, tuple[Any, ...]]]:
    key = (draft.head.campaign_id, draft.turn_id)
    tried = [
        (
            "INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *key,
                index,
                action.actor_id,
                action.type,
                action.target_id,
                action.location_id,
                canonical_json(dict(action.metadata)),
            ),
        )
        for index, action in enumerate(draft.actions)
    ]
    judged = [
        (
            "INSERT INTO validation_results VALUES (?, ?, ?, ?, ?, ?)",
            (*key, result.action_index, int(result.success), result.reason, result.message),
        )
        for result in draft.validation.results
    ]
    return [*tried, *judged]


def _insert_records(draft: Draft) -> list[tuple[str, tuple[Any, ...]]]:
    return [
        (
            f"INSERT INTO stage_records VALUES ({', '.join('?' * 11)})",
            (
                draft.head.campaign_id,
                draft.turn_id,
                seq,
                record.stage,
                record.input_json,
                record.output_json,
                record.model_key,
                record.model_name,
                canonical_json([list(attempt) for attempt in record.attempts]),
                record.input_tokens,
                record.output_tokens,
            ),
        )
        for seq, record in enumerate(draft.records)
    ]


def _message(row: sqlite3.Row) -> Message:
    return Message(
        owner=row["owner"],
        type=row["type"],
        turn_id=row["turn_id"],
        seq=row["seq"],
        content=row["content"],
        subtype=row["subtype"],
        payload=json.loads(row["payload_json"]),
        audience=tuple(json.loads(row["audience_json"])),
    )


def now() -> str:
    """The time for a row, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
