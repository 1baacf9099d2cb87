"""What happened, turn by turn -> a file that keeps it, and that can be deleted at any time. Nothing here knows a
campaign.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lorewright.errors import DamagedFile, SettingsError
from lorewright.ids import canonical_json, content_hash
from lorewright.storage.database import Database, delete_files_of, read_json
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.migrations import Migration, open_migrated
from lorewright.storage.steps import step
from lorewright.storage.trouble import Trouble, trouble_of

# What happened, what became established, what a narration said against it, how it was told, what a sitting amounted to.
HistoryKind = Literal["event", "fact", "contradiction", "narration", "recap"]

MIGRATIONS = (
    Migration(
        "history_001_turns",
        (
            # A turn's records as JSON, and the hash of that text: what a damaged disk gives is not taken for true.
            # `made_from` tells turns of one ID apart: of a campaign that was deleted and begun again.
            """CREATE TABLE turns (
                turn_id TEXT NOT NULL, made_from TEXT NOT NULL, records_json TEXT NOT NULL, records_hash TEXT NOT NULL,
                PRIMARY KEY (turn_id, made_from)
            )""",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """One thing that happened. `witnesses` are the characters who saw it; with none it is the game master's alone.

    All IDs are qualified; entities, places and threads are what it can be asked for by.
    """

    kind: HistoryKind
    text: str
    witnesses: tuple[str, ...] = ()
    entity_ids: tuple[str, ...] = ()
    location_ids: tuple[str, ...] = ()
    thread_ids: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Its fields by name. (`asdict` copies each of them deeply, which took half of the time that history takes.)"""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class TurnKey:
    """A turn, and a hash of what its records are made from: records made from anything else are not its."""

    turn_id: str
    turn_no: int
    made_from: str


# The turns of one line of ancestors, the first one first, each with its records.
TurnRecords = Mapping[TurnKey, Sequence[HistoryRecord]]


class HistoryIndex:
    """The records of a campaign's turns, of all branches. Everything in it can be made again, so what is damaged is
    begun anew, and a row that is not sound is as if it were not there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def known(self, turns: Sequence[TurnKey]) -> dict[TurnKey, tuple[HistoryRecord, ...]]:
        """Those of the turns that are kept and sound, with their records."""
        try:
            with closing(self._opened()) as database:
                return _read(database, turns)
        except Trouble as problem:
            self._begin_anew(problem)
            return {}

    def missing(self, turns: Sequence[TurnKey]) -> list[TurnKey]:
        """Those of the turns that have to be made, in order."""
        known = self.known(turns)
        return [turn for turn in turns if turn not in known]

    def add(self, turns: TurnRecords) -> None:
        """Keep turns, all or none. Whoever makes a turn makes the same of it, so it does not matter who is first.

        Raises:
            FileUnavailable: the disk refuses.
        """
        try:
            with closing(self._opened()) as database:
                _write(database, turns)
        except Trouble as problem:
            self._begin_anew(problem)
            with closing(self._opened()) as database:
                _write(database, turns)

    def texts(self) -> list[str]:
        """What the sound records of all turns say; nothing where the file cannot be read. Nothing is changed."""
        try:
            with closing(open_migrated(self._path, MIGRATIONS)) as database:
                rows = database.rows("SELECT records_json, records_hash FROM turns")
        except (DamagedFile, SettingsError, *Trouble):
            return []
        sound = [row["records_json"] for row in rows if _is_sound(row)]
        return [record["text"] for records in sound for record in read_json(records)]

    def _opened(self) -> Database:
        with self._opening():
            try:
                return open_migrated(self._path, MIGRATIONS)
            except (DamagedFile, SettingsError, *Trouble) as problem:
                if not isinstance(problem, SettingsError):
                    self._refuse_undamaged(problem)
                delete_files_of(self._path)
                return open_migrated(self._path, MIGRATIONS)

    def _begin_anew(self, problem: Exception) -> None:
        self._refuse_undamaged(problem)
        with self._opening():
            delete_files_of(self._path)

    def _refuse_undamaged(self, problem: Exception) -> None:
        """Raise what is no damage: another process writes, the disk is full."""
        trouble = trouble_of(problem, self._path)
        if not isinstance(trouble, DamagedFile):
            raise trouble from None

    def _opening(self) -> AbstractContextManager[None]:
        return Enclosure(self._path.parent).locked(self._path.with_name(f"{self._path.name}.opening"))


def _read(database: Database, turns: Sequence[TurnKey]) -> dict[TurnKey, tuple[HistoryRecord, ...]]:
    wanted = {(turn.turn_id, turn.made_from): turn for turn in turns}
    sql = "SELECT * FROM turns WHERE turn_id IN (SELECT value FROM json_each(?))"
    return {
        turn: tuple(map(_record, read_json(row["records_json"])))
        for row in database.rows(sql, json.dumps([turn.turn_id for turn in turns]))
        if (turn := wanted.get((row["turn_id"], row["made_from"]))) is not None and _is_sound(row)
    }


def _is_sound(row: sqlite3.Row) -> bool:
    return isinstance(row["records_json"], str) and content_hash(row["records_json"]) == row["records_hash"]


def _write(database: Database, turns: TurnRecords) -> None:
    texts = {turn: canonical_json([record.as_dict() for record in records]) for turn, records in turns.items()}
    rows = [(turn.turn_id, turn.made_from, text, content_hash(text)) for turn, text in texts.items()]
    with database.transaction() as connection:
        connection.executemany("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)", rows)
        step("history:adding")
    step("history:added")


def _record(stored: dict[str, Any]) -> HistoryRecord:
    fields: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in stored.items()}
    return HistoryRecord(**fields)
