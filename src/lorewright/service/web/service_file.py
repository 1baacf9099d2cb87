"""What a service keeps beside campaigns, in service.db or in PostgreSQL: the index of campaigns, chats, the audit log.

A campaign's own file knows none of this, so a campaign that is exported brings nobody's account along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lorewright.service.web.accounts import Account, AuditEntry, ChatRequest, Seat, TableRow
from lorewright.storage.integrity import Row
from lorewright.storage.service_rows import FileRows, ServiceRows

_KEEP_TABLE = """INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (campaign_id) DO UPDATE SET
    name = excluded.name, scenario_id = excluded.scenario_id, turn_no = excluded.turn_no,
    played_at = excluded.played_at, stamp = excluded.stamp"""
_KEEP_CHAT = """INSERT INTO chats VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (campaign_id, account_id, role, fingerprint) DO UPDATE SET
    key = excluded.key, is_whole = excluded.is_whole, at = excluded.at"""


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class ServiceFile:
    """service.db, or its tables in PostgreSQL; every call is one short transaction."""

    def __init__(self, place: Path | ServiceRows, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Open the file, or make it; or take what is open, which the caller closes.

        Raises:
        DamagedFile, FileUnavailable, UnsafePath, SettingsError: as `open_migrated` raises them.
        """
        self.kept: ServiceRows = FileRows(place) if isinstance(place, Path) else place
        self._clock = clock

    def close(self) -> None:
        """Close what this thread has open."""
        self.kept.leave()

    def _rows(self, sql: str, *values: object) -> list[Row]:
        return self.kept.rows(sql, *values)

    def _row(self, sql: str, *values: object) -> Row | None:
        found = self._rows(sql, *values)
        return found[0] if found else None

    def _write(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Run statements in one transaction; return how many rows the last one changed."""
        with self.kept.transaction() as writing:
            changed = 0
            for sql, values in statements:
                changed = writing.execute(sql, values).rowcount
            return changed

    def read(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query, for what is kept here beside accounts and tables."""
        return self._rows(sql, *values)

    def write(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Run statements in one transaction; return how many rows the last one changed."""
        return self._write(*statements)

    def now(self) -> str:
        """Return the time as it is kept."""
        return self._time()

    def _time(self, later: timedelta = timedelta()) -> str:
        return (self._clock() + later).isoformat(timespec="milliseconds")

    # The index of campaigns.

    def tables(self, campaign_ids: Iterable[str] | None = None) -> list[TableRow]:
        """Return campaigns of the index, all or these, the one last played first: one statement."""
        if campaign_ids is None:
            rows = self._rows("SELECT * FROM tables ORDER BY played_at DESC, campaign_id")
        else:
            rows = self._rows(
                "SELECT * FROM tables WHERE campaign_id IN (SELECT value FROM json_each(?))"
                " ORDER BY played_at DESC, campaign_id",
                json.dumps(list(campaign_ids)),
            )
        return [TableRow(**dict(row)) for row in rows]

    def keep_table(self, row: TableRow) -> None:
        """Write a campaign into the index, over what stood there."""
        values = (row.campaign_id, row.name, row.scenario_id, row.turn_no, row.played_at, row.stamp)
        self._write((_KEEP_TABLE, values))

    def hide_table(self, campaign_id: str) -> None:
        """Take a campaign out of the index; its seats, invitations and tokens stay."""
        self._write(("DELETE FROM tables WHERE campaign_id = ?", (campaign_id,)))

    def forget_table(self, campaign_id: str) -> None:
        """Delete all that is kept of a campaign: its row, seats and invitations."""
        self._write(
            ("DELETE FROM seats WHERE campaign_id = ?", (campaign_id,)),
            ("DELETE FROM links WHERE campaign_id = ?", (campaign_id,)),
            ("DELETE FROM tokens WHERE campaign_id = ?", (campaign_id,)),
            ("DELETE FROM tables WHERE campaign_id = ?", (campaign_id,)),
            ("DELETE FROM chats WHERE campaign_id = ?", (campaign_id,)),
            # Another campaign may get its ID.
            ("UPDATE audit SET campaign_id = NULL WHERE campaign_id = ?", (campaign_id,)),
        )

    # Chats.

    def chat(self, seat: Seat, fingerprint: str) -> ChatRequest | None:
        """Return what a seat's chat asked for at a place, None where it did not."""
        row = self._row(
            "SELECT key, is_whole FROM chats WHERE campaign_id = ? AND account_id = ? AND role = ? AND fingerprint = ?",
            seat.campaign_id,
            seat.account_id,
            seat.role,
            fingerprint,
        )
        return None if row is None else ChatRequest(seat, fingerprint, row["key"], bool(row["is_whole"]))

    def keep_chat(self, asked: ChatRequest) -> None:
        """Write what a chat asks for, over what it asked for at the same place."""
        seat = asked.seat
        values = (seat.campaign_id, seat.account_id, seat.role, asked.fingerprint, asked.key, int(asked.is_whole))
        self._write((_KEEP_CHAT, (*values, self._time())))

    # The audit log.

    def note(self, account: Account, action: str, *, campaign_id: str | None = None, **detail: Any) -> None:
        """Write an entry of the audit log."""
        values = (self._time(), account.id, campaign_id, action, json.dumps(detail, sort_keys=True))
        self._write(("INSERT INTO audit (at, account_id, campaign_id, action, detail) VALUES (?, ?, ?, ?, ?)", values))

    def audit(self, *, campaign_id: str | None = None, last: int = 200) -> list[AuditEntry]:
        """Return the last entries of the audit log, of a campaign or of all, the newest first."""
        rows = self._rows(
            "SELECT l.*, a.name FROM audit l LEFT JOIN accounts a ON a.id = l.account_id"
            " WHERE ? IS NULL OR l.campaign_id = ? ORDER BY l.id DESC LIMIT ?",
            campaign_id,
            campaign_id,
            last,
        )
        return [
            AuditEntry(row["at"], row["name"] or "", row["campaign_id"], row["action"], json.loads(row["detail"]))
            for row in rows
        ]


def stamp_of(path: Path) -> str:
    """Return a text that changes when a campaign's file does: of the file and of its WAL."""
    parts = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            found = file.stat()
            parts.append(f"{found.st_size}:{found.st_mtime_ns}")
        except OSError:
            parts.append("")
    return json.dumps(parts)
