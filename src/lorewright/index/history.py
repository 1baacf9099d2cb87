"""Past events, turn by turn -> a file that stores them, and that can be deleted at any time. This module knows no
campaign.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Literal

from lorewright.errors import DamagedFile, EmbedderError, SettingsError
from lorewright.ids import canonical_json, content_hash
from lorewright.index.building import append, fill, windows_of
from lorewright.index.generation import Generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.vectors.stored import GrowingVectors
from lorewright.packs.models import Chunk, Link, Manifest, Pack, PackEntity
from lorewright.storage.database import Database, connect_spilling, delete_files_of, read_json
from lorewright.storage.enclosure import Enclosure, Trouble, error_for, raising_our_errors
from lorewright.storage.faults import step
from lorewright.storage.tables import Migration, open_migrated
from lorewright.tokens import count_tokens
from lorewright.visibility import fact_sight

# An event, an established fact, a contradiction of a narration to one, a narration, the recap of a session.
HistoryKind = Literal["event", "fact", "contradiction", "narration", "recap"]

MIGRATIONS = (
    Migration(
        "history_001_turns",
        (
            # A turn's records as JSON, and the hash of that text, so that a damaged disk is noticed. `made_from` tells
            # turns of one ID apart, where a campaign was deleted and begun again.
            """CREATE TABLE turns (
                turn_id TEXT NOT NULL, made_from TEXT NOT NULL, records_json TEXT NOT NULL, records_hash TEXT NOT NULL,
                PRIMARY KEY (turn_id, made_from)
            )""",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """A record of the past. `witnesses` are the characters who saw it; without any it is the game master's alone.

    All IDs are qualified; a record can be found by its entities, places and threads.
    """

    kind: HistoryKind
    text: str
    witnesses: tuple[str, ...] = ()
    entity_ids: tuple[str, ...] = ()
    location_ids: tuple[str, ...] = ()
    thread_ids: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name. (`asdict` copies each deeply, which took half of the time that history takes.)"""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class TurnKey:
    """A turn, and a hash of what its records are made from: records with another hash are not this turn's."""

    turn_id: str
    turn_no: int
    made_from: str


# The turns of one line of ancestors, oldest first, each with its records.
TurnRecords = Mapping[TurnKey, Sequence[HistoryRecord]]


class HistoryIndex:
    """The records of a campaign's turns, of all branches. All of them can be made again, so a damaged file is begun
    anew, and a damaged row counts as absent."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def known(self, turns: Sequence[TurnKey]) -> dict[TurnKey, tuple[HistoryRecord, ...]]:
        """Return those of the turns that are stored and sound, with their records."""
        try:
            with closing(self._opened()) as database:
                return _read(database, turns)
        except Trouble as problem:
            self._begin_anew(problem)
            return {}

    def missing(self, turns: Sequence[TurnKey]) -> list[TurnKey]:
        """Return those of the turns that have to be made, in order."""
        known = self.known(turns)
        return [turn for turn in turns if turn not in known]

    def add(self, turns: TurnRecords) -> None:
        """Store turns, all or none. Every process makes the same records of a turn, so stored ones may be replaced.

        Raises:
            FileUnavailable: the file cannot be written.
        """
        try:
            with closing(self._opened()) as database:
                _write(database, turns)
        except Trouble as problem:
            self._begin_anew(problem)
            with closing(self._opened()) as database:
                _write(database, turns)

    def texts(self) -> list[str]:
        """Return the texts of the sound records of all turns; none where the file is unreadable. Nothing is changed."""
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
        """Raise trouble that is no damage: another process writes, the disk is full."""
        trouble = error_for(problem, self._path)
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
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in stored.items()}
    return HistoryRecord(**fields)


# Turns -> a generation in memory of what one witness saw in them, searched as lore is.
#
# Turns of another branch and records that the witness did not see are not in it, so its statistics reveal nothing of
# them.

# The file path of chunks of history, which have no file.
_FILE = "history"
# What the history of an open story keeps in memory: so much of its tables, and so many of the chunks that were read
# last, some 2 kB each. A turn asks for some 250 of them at most, 75 by words, 75 by meaning and the last hundred; those
# that are not kept are read anew.
_CACHE_KB = 128
_KEPT_CHUNKS = 16


def history_generation(
    turns: TurnRecords,
    *,
    name: str,
    witness: str | None = None,
    language: str = "en",
    reading: int = 1,
    vectors: VectorBuilder | None = None,
) -> Generation:
    """Return a generation of what `witness` saw in these turns; without a witness it holds everything.

    All of it is open to the viewer that it is made for. `name` stands where a pack's ID does; `reading` is the version
    of the rules by which the packs beside it are read. It is searched by words alone without `vectors`, or where their
    embedder fails; what was embedded before is not embedded again.
    """
    history = GrowingHistory(name=name, witness=witness, language=language, reading=reading, vectors=vectors)
    return history.grown(turns)


class GrowingHistory:
    """A history whose turns are added one after the other; it is searched as if it had been made of all at once."""

    def __init__(
        self,
        *,
        name: str,
        witness: str | None = None,
        language: str = "en",
        reading: int = 1,
        vectors: VectorBuilder | None = None,
    ) -> None:
        """Make the history of no turns; see `history_generation`."""
        self._name = name
        self._witness = witness
        self._reading = reading
        self._builder = vectors
        self._vectors = GrowingVectors()
        # The texts of the windows behind those that have their vectors.
        self._unembedded: list[str] = []
        self._connection = connect_spilling(cache_kb=_CACHE_KB)
        self._chunks = 0
        self._latest: Generation | None = None
        manifest = Manifest(id=name, name=f"What happened in {name}", language=language)
        self._connection.execute("BEGIN")
        fill(self._connection, Pack(manifest, "", "", (), (), (), reading))
        self._connection.execute("COMMIT")

    def grown(self, turns: TurnRecords) -> Generation:
        """Add turns behind those added so far, and return a reader of all. Every earlier reader is out of date, and
        closing any of them closes the history.

        Raises:
            FileUnavailable: there is no room for temporary files; the history must be closed.
        """
        added = [self._told(turn, records) for turn, records in turns.items()]
        new = [chunk for _, chunks in added for chunk in chunks]
        with raising_our_errors(Path(gettempdir())):
            self._connection.execute("BEGIN")
            append(self._connection, [entity for entity, chunks in added if chunks], new, reading=self._reading)
            self._connection.execute("COMMIT")
            is_embedded = self._builder is not None and self._embed(new, self._builder)
        grown = Generation(
            Path(self._name),
            connection=self._connection,
            corpus="history",
            vectors=self._vectors if is_embedded else None,
            embedder=self._builder.embedder if self._builder is not None and is_embedded else None,
        )
        grown.kept_chunks = _KEPT_CHUNKS
        if self._latest is not None:
            grown.remember(self._latest)
        self._latest = grown
        return grown

    def close(self) -> None:
        """Close the history."""
        self._connection.close()
        self._vectors.close()

    def _told(self, turn: TurnKey, records: Sequence[HistoryRecord]) -> tuple[PackEntity, list[Chunk]]:
        """Return a turn as an entity, and the chunks of what the witness saw of it."""
        who = self._witness
        seen = [record for record in dict.fromkeys(records) if record.text and _finds(who, record)]
        entity = PackEntity(f"{self._name}:turn_{turn.turn_no}", "event", f"Turn {turn.turn_no}", _FILE)
        chunks = [
            _chunk(record, name, turn, entity, self._chunks + place, self._reading, everything=who is None)
            for place, (record, name) in enumerate(zip(seen, _names(seen), strict=True))
        ]
        self._chunks += len(chunks)
        return entity, chunks

    def _embed(self, new: Sequence[Chunk], builder: VectorBuilder) -> bool:
        """Add the vectors of new windows, in order; return False where there are none at all, or the embedder fails:
        then it is asked again the next time."""
        self._unembedded += [window.text for chunk in new for window in windows_of(chunk.text, ())]
        if self._unembedded:
            try:
                self._vectors.append(builder.embed_kept(self._unembedded))
            except EmbedderError:
                return False
            self._unembedded = []
        return len(self._vectors) > 0


def _finds(who: str | None, record: HistoryRecord) -> bool:
    """Tell whether somebody may find a record; None is the game master."""
    return fact_sight(record.kind, "gm") == "all" if who is None else who in record.witnesses


def _chunk(
    record: HistoryRecord,
    name: str,
    turn: TurnKey,
    entity: PackEntity,
    position: int,
    reading: int,
    *,
    everything: bool,
) -> Chunk:
    return Chunk(
        id=f"{entity.id}:{record.kind}-{name}",
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
        token_count=count_tokens(record.text, reading=reading),
        links=_links(record),
        metadata=_metadata(record, turn, everything=everything),
    )


def _names(seen: Sequence[HistoryRecord]) -> list[str]:
    """Return a name for each record, unique in its turn. Names are made only of what the reader reads: a number would
    count records that they did not see, and a hash of the people involved would let them guess names."""
    names: list[str] = []
    for record in seen:
        name = content_hash(canonical_json([record.kind, record.text]))[:8]
        taken = sum(earlier.partition("_")[0] == name for earlier in names)
        names.append(f"{name}_{taken + 1}" if taken else name)
    return names


def _links(record: HistoryRecord) -> tuple[Link, ...]:
    return (
        *(Link("location", location_id) for location_id in record.location_ids),
        *(Link("entity", entity_id) for entity_id in record.entity_ids),
        *(Link("thread", thread_id) for thread_id in record.thread_ids),
        Link("tag", record.kind),
    )


def _metadata(record: HistoryRecord, turn: TurnKey, *, everything: bool) -> dict[str, object]:
    """Return the seed's keys and the turn's; the other witnesses are for the game master only."""
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
