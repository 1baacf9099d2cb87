"""A database of the predecessor (v0) -> its rows as plain values. All SQL for v0 is here.

The file that is opened is a copy, so that the original keeps every byte, also where SQLite would mend or tidy it. It
may be a stranger's file: only plain tables are read, none of its views, triggers or functions runs, and a value has a
bound.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from lorewright.errors import ImportRefused, NotFound
from lorewright.storage.database import refuse_naming_journal

Value = str | int | float | bytes | None

# The longest value of a row: a recorded prompt of a long game is far below.
MAX_VALUE_BYTES = 32 << 20
MAX_ROWS = 1_000_000

# The columns of each table. A file of one campaign has no `campaigns`, and `campaign_id` in events alone.
_CORE: Mapping[str, tuple[str, ...]] = {
    "entities": ("id", "type", "name", "attrs_json", "tags"),
    "facts": ("id", "subject_id", "predicate", "object_json", "visibility", "confidence", "tags"),
    "scene": ("id", "location_id", "present_entity_ids_json", "time_json", "constraints_json"),
    "threads": ("id", "title", "status", "stakes_json", "related_entity_ids_json", "tags"),
    "clocks": ("id", "name", "value", "max", "triggers_json", "tags"),
    "inventory": ("owner_id", "item_id", "qty", "flags_json"),
    "relationships": ("a_id", "b_id", "rel_type", "intensity", "notes_json"),
    "events": (
        *("id", "campaign_id", "turn_no", "player_input", "context_packet_json", "pass_outputs_json"),
        *("engine_events_json", "state_diff_json", "final_text", "prompt_versions_json"),
    ),
    "summaries": ("id", "scope", "scope_id", "text", "turn_no_range"),
}
_CAMPAIGNS = ("id", "name", "created_at", "updated_at", "calibration_json", "system_json", "genre_rules_json")
# Tables that name their campaign where a file may hold several; summaries never do.
OF_A_CAMPAIGN = ("entities", "facts", "scene", "threads", "clocks", "inventory", "relationships", "events")
# Columns and tables that only later files have.
_LATER: Mapping[str, tuple[str, ...]] = {
    "campaigns": ("current_turn",),
    "entities": ("origin", "pack_id", "pack_entity_id"),
    "facts": ("discovered_turn", "discovery_method", "origin", "pack_id"),
    "scene": ("visibility_conditions", "noise_level", "obscured_entities_json"),
    "threads": ("origin", "pack_id"),
    "clocks": ("origin", "pack_id"),
    "relationships": ("origin", "pack_id"),
}
_SESSIONS = ("id", "campaign_id", "started_at", "ended_at", "turn_range_start", "turn_range_end")
_SESSIONS_LATER = ("session_lore_json", "summary", "world_events_pending")

_ANOTHER = "give a copy of the SQLite file that v0 wrote"
# Tables with computed columns (of virtual tables hidden ones are 1).
_COMPUTED = """SELECT t.name FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND c.hidden > 1
    ORDER BY t.name"""
# No v0 ever had more rows.
_OURS = frozenset(("migrations", "turns", "world_states"))


@dataclass(frozen=True, slots=True)
class V0Row:
    """A row as it stands; a column that the file does not have is not in `values`."""

    table: str
    row_no: int
    values: Mapping[str, Value]

    @property
    def where(self) -> str:
        """Return the place of the row as `facts, row 3 (fact_7)`, for messages."""
        named = self.values.get("id")
        return f"{self.table}, row {self.row_no}" + (f" ({named[:80]!r})" if isinstance(named, str) else "")


@dataclass(frozen=True, slots=True)
class V0File:
    """The rows of all tables that are read, in the order in which they were written, and their columns; `unread` counts
    the rows of the other tables. Where `several` is set the file has a table of campaigns."""

    name: str
    several: bool
    tables: Mapping[str, tuple[V0Row, ...]]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)


def read_v0(path: Path) -> V0File:
    """Return all rows of a v0 database that are read at all; SQLite does not open the original.

    Raises:
        NotFound: there is no such file.
        ImportRefused: it is no v0 database, is damaged, lacks a table or column, or holds a value that is too large.
        UnsafePath: its journal names a file, which SQLite would delete.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}", hint=_ANOTHER)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        # Files that a crash left beside it belong to it: SQLite rolls them back or takes them in, in the copy.
        for end in ("", "-wal", "-journal"):
            beside = path.with_name(path.name + end)
            if beside.is_file():
                shutil.copyfile(beside, copy.with_name(copy.name + end))
        refuse_naming_journal(path)
        # The copy is what is opened: the original may have changed since.
        refuse_naming_journal(copy)
        try:
            with closing(_opened(copy)) as connection:
                return _read(connection, path.name)
        except sqlite3.Error as problem:
            raise ImportRefused(f"{path.name} cannot be read as a database: {problem}", hint=_ANOTHER) from None


def known_columns(table: str) -> frozenset[str]:
    """Return the columns of a table that are read, in any file."""
    core = {**_CORE, "campaigns": _CAMPAIGNS, "sessions": _SESSIONS}.get(table, ())
    later = _SESSIONS_LATER if table == "sessions" else _LATER.get(table, ())
    return frozenset((*core, *later, "campaign_id"))


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    # A text that is no UTF-8 gets marks that no other text has, and is refused when texts are checked.
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    # SQLite evaluates constraints to look for damage, and those are a program of the file's maker.
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "ignore_check_constraints = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _read(connection: sqlite3.Connection, name: str) -> V0File:
    # The search for damage computes such columns in any table.
    computed = connection.execute(_COMPUTED).fetchone()
    if computed is not None:
        raise ImportRefused(f"{computed[0]} is no plain table, and is not read", hint=_ANOTHER)
    torn = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if torn != "ok":
        raise ImportRefused(f"{name} is damaged: {torn}", hint="restore it from a copy, then import that")
    there = {row["name"]: row for row in connection.execute("SELECT name, type, sql FROM sqlite_master")}
    if there.keys() >= _OURS:
        what = f"{name} is a campaign of this program, with tables of the same names: it is no v0 database"
        raise ImportRefused(what, hint="put it into campaigns/, or export it where it is and import that")
    several = "campaigns" in there
    wanted = _wanted(several, there)
    missing = [table for table in wanted if table not in there]
    if missing:
        what = f"{name} has no table {', '.join(missing)}: it is no v0 database, or not all of one"
        raise ImportRefused(what, hint=_ANOTHER)
    tables, there_columns = {}, {}
    for table, (columns, later) in wanted.items():
        found = _columns(connection, table, there[table])
        lacking = [column for column in columns if column not in found]
        if lacking:
            what = f"the table {table} of {name} has no column {', '.join(lacking)}"
            raise ImportRefused(what, hint=_ANOTHER)
        known = (*columns, *later)
        tables[table] = tuple(_rows(connection, table, [column for column in known if column in found]))
        there_columns[table] = tuple(found)
    return V0File(name, several, tables, there_columns, _unread(connection, there, wanted))


def _wanted(several: bool, there: Mapping[str, sqlite3.Row]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return for each table the columns that it must have, and those that it may have."""
    found = {table: (columns, _LATER.get(table, ())) for table, columns in _CORE.items()}
    if several:
        found = {
            table: ((*columns, *(("campaign_id",) if table in OF_A_CAMPAIGN[:-1] else ())), later)
            for table, (columns, later) in found.items()
        }
        found = {"campaigns": (_CAMPAIGNS, _LATER["campaigns"]), **found}
    if "sessions" in there:
        found["sessions"] = (_SESSIONS, _SESSIONS_LATER)
    return found


def _columns(connection: sqlite3.Connection, table: str, made: sqlite3.Row) -> list[str]:
    """Return the columns of a plain table. A view or a computed column is a program of the file's maker."""
    infos = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    if not _is_plain(made) or any(info["hidden"] for info in infos):
        raise ImportRefused(f"{table} is no plain table, and is not read", hint=_ANOTHER)
    return [info["name"] for info in infos]


def _rows(connection: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[V0Row]:
    row_no, at = 0, 1
    try:
        cursor = connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid")
        # One row is read ahead: a row that is too large is reported when the row before it is asked for.
        at = 2
        for row in cursor:
            row_no, at = row_no + 1, row_no + 3
            if row_no > MAX_ROWS:
                raise ImportRefused(f"{table} has more than {MAX_ROWS} rows", hint="leave out what is not needed")
            yield V0Row(table, row_no, dict(zip(columns, row, strict=True)))
    except sqlite3.DataError:
        what = f"{table}, row {at}: a value of more than {MAX_VALUE_BYTES >> 20} MiB"
        raise ImportRefused(what, hint="shorten it in a copy of the file, and import that") from None


def _unread(
    connection: sqlite3.Connection, there: Mapping[str, sqlite3.Row], wanted: Mapping[str, object]
) -> dict[str, int]:
    """Return the other plain tables with their numbers of rows; not SQLite's own tables, nor those of full-text
    search."""
    others = [name for name, made in there.items() if _is_plain(made) and name not in wanted]
    counted = {}
    for name in sorted(other for other in others if not other.startswith(("sqlite_", "pack_chunks_fts"))):
        quoted = name.replace('"', '""')
        counted[name] = int(connection.execute(f'SELECT count(*) FROM "{quoted}"').fetchone()[0])
    return counted


def _is_plain(made: sqlite3.Row) -> bool:
    return made["type"] == "table" and str(made["sql"]).upper().split()[:2] != ["CREATE", "VIRTUAL"]
