"""What happened, turn by turn -> a generation of what one witness saw of it, searched as lore is.

Nothing here knows a campaign. `HistoryIndex` keeps each turn's records in a file that can be deleted at any time;
`history_generation` makes of some turns, in memory, what stands for a generation. Turns of another branch and records
that the witness did not see are not in it, so no statistic of it can tell of them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from lorewright.errors import DamagedFile, EmbedderError, SettingsError
from lorewright.ids import canonical_json, content_hash
from lorewright.index.building import fill
from lorewright.index.generation import Generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.vectors.stored import StoredVectors
from lorewright.index.windows import windows_of
from lorewright.packs.models import Chunk, Entity, Link, Manifest, Pack
from lorewright.storage.database import Database
from lorewright.storage.migrations import Migration, migrate
from lorewright.storage.steps import step
from lorewright.tokens import count_tokens

# What happened, what became established, how it was told, and what a sitting amounted to.
HistoryKind = Literal["event", "fact", "narration", "recap"]

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


@dataclass(frozen=True, slots=True)
class TurnKey:
    """A turn, and a hash of what its records are made from: records made from anything else are not its."""

    turn_id: str
    turn_no: int
    made_from: str


# The turns of one line of ancestors, the first one first, each with its records.
TurnRecords = Mapping[TurnKey, Sequence[HistoryRecord]]


# What SQLite says of a file that may be as good as ever. A text that is no UTF-8 any more has no code at all.
_NO_DAMAGE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)


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
        except sqlite3.DatabaseError as problem:
            self._begin_anew(problem)
            return {}

    def missing(self, turns: Sequence[TurnKey]) -> list[TurnKey]:
        """Those of the turns that have to be made, in order."""
        known = self.known(turns)
        return [turn for turn in turns if turn not in known]

    def add(self, turns: TurnRecords) -> None:
        """Keep turns, all or none. Whoever makes a turn makes the same of it, so it does not matter who is first.

        Raises:
            DamagedFile: the disk refuses.
        """
        try:
            with closing(self._opened()) as database:
                _write(database, turns)
        except sqlite3.DatabaseError as problem:
            self._begin_anew(problem)
            with closing(self._opened()) as database:
                _write(database, turns)

    def texts(self) -> list[str]:
        """What the sound records of all turns say; nothing where the file cannot be read. Nothing is changed."""
        try:
            with closing(_migrated(self._path)) as database:
                rows = database.rows("SELECT records_json, records_hash FROM turns")
        except (DamagedFile, SettingsError, sqlite3.DatabaseError):
            return []
        sound = [row["records_json"] for row in rows if _is_sound(row)]
        return [record["text"] for records in sound for record in json.loads(records)]

    def _opened(self) -> Database:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._path}.opening"):
            try:
                return _migrated(self._path)
            except (DamagedFile, SettingsError, sqlite3.DatabaseError):
                self._delete()
                return _migrated(self._path)

    def _begin_anew(self, problem: sqlite3.DatabaseError) -> None:
        """Delete a damaged file; what is no damage is raised: another process writes, the disk is full."""
        if getattr(problem, "sqlite_errorcode", 0) & 0xFF in _NO_DAMAGE:
            raise problem
        with FileLock(f"{self._path}.opening"):
            self._delete()

    def _delete(self) -> None:
        for end in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + end).unlink(missing_ok=True)


def _migrated(path: Path) -> Database:
    database = Database(path)
    try:
        migrate(database, MIGRATIONS)
    except BaseException:
        database.close()
        raise
    return database


def _read(database: Database, turns: Sequence[TurnKey]) -> dict[TurnKey, tuple[HistoryRecord, ...]]:
    wanted = {(turn.turn_id, turn.made_from): turn for turn in turns}
    sql = "SELECT * FROM turns WHERE turn_id IN (SELECT value FROM json_each(?))"
    return {
        turn: tuple(map(_record, json.loads(row["records_json"])))
        for row in database.rows(sql, json.dumps([turn.turn_id for turn in turns]))
        if (turn := wanted.get((row["turn_id"], row["made_from"]))) is not None and _is_sound(row)
    }


def _is_sound(row: sqlite3.Row) -> bool:
    return isinstance(row["records_json"], str) and content_hash(row["records_json"]) == row["records_hash"]


def _write(database: Database, turns: TurnRecords) -> None:
    texts = {turn: canonical_json([asdict(record) for record in records]) for turn, records in turns.items()}
    rows = [(turn.turn_id, turn.made_from, text, content_hash(text)) for turn, text in texts.items()]
    with database.transaction() as connection:
        connection.executemany("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)", rows)
        step("history:adding")
    step("history:added")


def _record(stored: dict[str, Any]) -> HistoryRecord:
    fields: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in stored.items()}
    return HistoryRecord(**fields)


# Where no file is: what a chunk of history says of its own.
_FILE = "history"


def history_generation(
    turns: TurnRecords,
    *,
    name: str,
    witness: str | None = None,
    language: str = "en",
    vectors: VectorBuilder | None = None,
) -> Generation:
    """What stands for a generation of what `witness` saw in these turns; without one it holds everything.

    All of it is open to whoever it was made for. `name` stands where a pack's ID does. It is searched by words alone
    without `vectors`, or where their embedder fails; what was embedded before is not embedded again.
    """
    pack = _pack(turns, name=name, witness=witness, language=language)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("BEGIN")
    fill(connection, pack)
    connection.execute("COMMIT")
    stored = _embedded(pack, vectors) if vectors is not None else None
    embedder = vectors.embedder if vectors is not None and stored is not None else None
    return Generation(Path(name), connection=connection, corpus="history", vectors=stored, embedder=embedder)


def _embedded(pack: Pack, vectors: VectorBuilder) -> StoredVectors | None:
    texts = [window.text for chunk in pack.chunks for window in windows_of(chunk.text, ())]
    if not texts:
        return None
    try:
        return StoredVectors(vectors.cache.embed(texts, vectors.embedder, progress=lambda done, total: None).vectors)
    except EmbedderError:
        return None


def _pack(turns: TurnRecords, *, name: str, witness: str | None, language: str) -> Pack:
    entities: list[Entity] = []
    chunks: list[Chunk] = []
    for turn, records in turns.items():
        seen = [one for one in dict.fromkeys(records) if one.text and (witness is None or witness in one.witnesses)]
        if seen:
            entity = Entity(f"{name}:turn_{turn.turn_no}", "event", f"Turn {turn.turn_no}", _FILE)
            entities.append(entity)
            chunks += [
                _chunk(record, turn, entity, len(chunks) + place, everything=witness is None)
                for place, record in enumerate(seen)
            ]
    manifest = Manifest(id=name, name=f"What happened in {name}", language=language)
    return Pack(manifest, "", "", tuple(entities), tuple(chunks), ())


def _chunk(record: HistoryRecord, turn: TurnKey, entity: Entity, position: int, *, everything: bool) -> Chunk:
    return Chunk(
        id=f"{entity.id}:{record.kind}-{_name(record)}",
        pack_id=entity.id.partition(":")[0],
        entity_id=entity.id,
        file_path=_FILE,
        section_path=f"{entity.name} > {record.kind}",
        section=record.kind,
        role="lore",
        text=record.text,
        source=record.text,
        line=1,
        part=1,
        position=position,
        token_count=count_tokens(record.text),
        links=_links(record),
        metadata=_metadata(record, turn, everything=everything),
    )


def _name(record: HistoryRecord) -> str:
    """What tells a record from the others of its turn. A number would count what the reader did not see."""
    return content_hash(canonical_json(asdict(record)))[:8]


def _links(record: HistoryRecord) -> tuple[Link, ...]:
    return (
        *(Link("location", one) for one in record.location_ids),
        *(Link("entity", one) for one in record.entity_ids),
        *(Link("thread", one) for one in record.thread_ids),
        Link("tag", record.kind),
    )


def _metadata(record: HistoryRecord, turn: TurnKey, *, everything: bool) -> dict[str, object]:
    """The seed's keys and the turn's; who else saw it is for the game master to know."""
    return {
        "type": record.kind,
        "location_ids": list(record.location_ids),
        "entity_ids": list(record.entity_ids),
        "faction_ids": [],
        "thread_ids": list(record.thread_ids),
        "tags": [record.kind],
        "turn_no": turn.turn_no,
        "turn_id": turn.turn_id,
        **({"witnesses": list(record.witnesses)} if everything else {}),
    }
