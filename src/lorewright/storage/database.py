"""A path -> a connection that loses no acknowledged write, with a single way to write.

Measured: WAL with `synchronous=NORMAL` loses acknowledged commits in a power cut, `FULL` does not. A deferred BEGIN
fails with "database is locked" under load, BEGIN IMMEDIATE does not. And SQLite before 3.51.3 can corrupt a WAL when
two processes checkpoint and commit at the same instant, so a lock file next to the database is held during writes and
during close (which checkpoints).
"""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from glob import escape
from itertools import count
from pathlib import Path
from typing import Any

from filelock import BaseFileLock

from lorewright.errors import Busy, DamagedFile, ReadOnly, UnsafePath
from lorewright.ids import hash_of_texts
from lorewright.storage.commit_counts import CommitCount, count_path
from lorewright.storage.enclosure import Enclosure, raising_our_errors
from lorewright.storage.packed_texts import add_text_functions
from lorewright.storage.projected_tables import (
    DISCOVERIES,
    VIEWS,
    VIEWS_OF_PACKED_TEXTS,
    VIEWS_WITH_BUILTIN_VERSIONS,
    VIEWS_WITH_PROMPTS,
)
from lorewright.storage.read_only import NoLock, connect_read_only, is_read_only

SQLITE_VERSION = sqlite3.sqlite_version
BUSY_TIMEOUT_MS = 10_000
LOCK_TIMEOUT_S = 60.0
# What a connection may keep of its file in memory. SQLite's own bound, 2,000, is filled by a story of 70 turns, and
# a service has 64 open. Pages are read again from the system's cache, at no cost that can be measured in a turn.
CACHE_KB = 128

# The suffix of a damaged database that was set aside: `library.db.damaged`, then `library.db.damaged-2`.
DAMAGED = ".damaged"

# The last bytes of a rollback journal that names another file: https://www.sqlite.org/fileformat2.html
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")


# The same few dozen statements are in every file, and read at each opening of one.
@lru_cache(maxsize=256)
def with_single_blanks(sql: str) -> str:
    """Return a statement of ours on one line. In the schema of a file it takes less space."""
    return " ".join(sql.split())


_OUR_VIEWS = frozenset(
    with_single_blanks(sql)
    for sql in (*VIEWS, *VIEWS_WITH_PROMPTS, *VIEWS_WITH_BUILTIN_VERSIONS, *DISCOVERIES, *VIEWS_OF_PACKED_TEXTS)
    if sql.startswith("CREATE VIEW")
)
# As SQLite writes it into a schema, whatever the original statement was.
_TABLE = "CREATE TABLE "
# On columns only: SQLite would compute an expression for every row that it writes.
_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX \w+ ON \w+ ?\(\w+(?:, ?\w+)*\)", re.ASCII)
_KEYWORD_TABLE = re.compile(r"CREATE VIRTUAL TABLE (\w+) USING fts[45]\(")
# Without these words a table computes nothing: they begin constraints, generated columns and default expressions. A
# literal default has no brackets.
_COMPUTES = re.compile(r"\b(?:CHECK|AS|DEFAULT(?!\s+(?:'|-?\d|NULL\b)))\b", re.IGNORECASE)


def insert_row(table: str, values: Sequence[object]) -> tuple[str, tuple[object, ...]]:
    """Return the statement that adds a row to a table, and its values, in the order of the columns."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", tuple(values)


class Database:
    """An open SQLite file. Rows are `sqlite3.Row`; nothing is written outside of `transaction()`."""

    _kind: type[sqlite3.Connection] = sqlite3.Connection
    # Whether the tables that follow from the head's state are kept.
    has_projection = True

    def __init__(self, path: Path, *, page_bytes: int | None = None) -> None:
        """Open the file; it is made if it is missing, with pages of so many bytes. In a folder that cannot be written
        to it is read alone.

        Raises:
            DamagedFile: the file is no database, or its schema contains computations, which ours never does.
            ReadOnly: it is missing, and cannot be made.
            FileUnavailable: it cannot be opened now: no space, no rights, or another process holds it.
            UnsafePath: it, one of SQLite's files next to it, or its folder is a link; one of the files has a second
                name (a hard link); or its journal names a file.
        """
        self.path = path
        self._lock: BaseFileLock | NoLock
        folder = Enclosure(path.parent)
        self.is_read_only = is_read_only(path.parent)
        with raising_our_errors(path):
            for file in (*files_of(path), journal_of(path)):
                folder.checked(file)
            if self.is_read_only:
                self._read_alone()
                return
            folder.make_folder(path.parent)
            if not path.exists():
                folder.create(path)
            self._lock = folder.lock(path.with_name(f"{path.name}.lock"), timeout_s=LOCK_TIMEOUT_S)
            with self._lock:
                refuse_second_names(path)
                refuse_naming_journal(path)
                self._connection = sqlite3.connect(
                    path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000, factory=self._kind
                )
                try:
                    self._set_up(page_bytes)
                except BaseException:
                    self._connection.close()
                    raise

    def _read_alone(self) -> None:
        if not self.path.exists():
            raise _unwritable(self.path)
        self._lock = NoLock()
        refuse_naming_journal(self.path)
        self._connection = connect_read_only(self.path, self._kind, timeout_s=BUSY_TIMEOUT_MS / 1000)
        try:
            self._connection.row_factory = sqlite3.Row
            add_functions(self._connection)
            refuse_foreign_schema(self._connection, self.path)
            self._connection.execute("PRAGMA query_only = ON")
        except BaseException:
            self._connection.close()
            raise

    def _set_up(self, page_bytes: int | None) -> None:
        self._connection.row_factory = sqlite3.Row
        if page_bytes is not None:
            # Of a file that has pages already it changes nothing.
            self._connection.execute(f"PRAGMA page_size = {page_bytes}")
        add_functions(self._connection)
        refuse_foreign_schema(self._connection, self.path)
        pragmas = (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
            f"cache_size = -{CACHE_KB}",
        )
        for pragma in pragmas:
            self._connection.execute(f"PRAGMA {pragma}")

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        """Return all rows of a query; the read ends here, so that no snapshot is held while a turn is computed."""
        return self._connection.execute(sql, parameters).fetchall()

    def each(self, sql: str, *parameters: object) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query, for results that may need much memory; a snapshot is held until the last row."""
        yield from self._connection.execute(sql, parameters)

    def row(self, sql: str, *parameters: object) -> sqlite3.Row | None:
        """Return the first row of a query, or None."""
        found = self.rows(sql, *parameters)
        return found[0] if found else None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one snapshot within the block; blocks may be nested. Keep it short: it prevents checkpoints."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            # SQLite ends a transaction by itself where the disk fails.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in a write transaction: committed when it ends, rolled back when it raises.

        Raises:
            Busy: another process held the lock for too long; the block was not run.
            ReadOnly: the folder cannot be written to; the block was not run.
        """
        if self.is_read_only:
            raise _unwritable(self.path)
        with self._locked():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def keep_count(self, created_at: str, revision: int) -> None:
        """Keep the campaign's revision beside the file, so that the loss of an end of the log is noticed."""
        CommitCount(self.path, created_at).keep(revision)

    def count_lost(self, created_at: str, revision: int) -> int:
        """Return how many changes that were acknowledged are missing in a campaign with that revision."""
        count = CommitCount(self.path, created_at)
        if not self.is_read_only:
            count.bring_up(revision)
        return count.lost(revision)

    def keep_in_memory(self, kilobytes: int) -> None:
        """Keep so much of the file in memory from now on, instead of `CACHE_KB`."""
        self._connection.execute(f"PRAGMA cache_size = -{int(kilobytes)}")

    def defer_foreign_keys(self, connection: sqlite3.Connection) -> None:
        """Check the keys of a transaction at its end: for tables that point at each other."""
        connection.execute("PRAGMA defer_foreign_keys = ON")

    def table_names(self) -> list[str]:
        """Return the names of the tables, sorted."""
        return [row["name"] for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table, in order; none where there is no such table."""
        return tuple(row["name"] for row in self.rows(f"PRAGMA table_info({table})"))

    def copied(self) -> bytes:
        """Return the bytes of a file with the same rows, read from one snapshot: all of them at once, in memory."""
        with closing(sqlite3.connect(":memory:")) as copy:
            self._connection.backup(copy)
            return copy.serialize()

    def watch(self, tell: Callable[[str], object] | None) -> None:
        """Call `tell` with every statement that is run; with None, stop that."""
        self._connection.set_trace_callback(tell)

    def close(self) -> None:
        """Close the file, under the lock, because the last connection checkpoints."""
        with self._locked():
            self._connection.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with raising_our_errors(self.path):
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()


def connect_spilling(*, cache_kb: int) -> sqlite3.Connection:
    """Return a database of this process alone that keeps so much of itself in memory, and the rest in a temporary file
    without a name."""
    connection = sqlite3.connect("", isolation_level=None)
    # Nobody else can find the file, and it is given up where a transaction fails.
    for pragma in (f"cache_size = -{cache_kb}", "journal_mode = OFF", "synchronous = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _unwritable(path: Path) -> ReadOnly:
    hint = "allow writing there (the mount, or the rights of the file and its folder)"
    return ReadOnly(f"{path} cannot be written", hint=hint)


def add_functions(connection: sqlite3.Connection) -> None:
    """Give a connection the functions that migrations, views and queries use."""
    connection.create_function("hash_of_texts", -1, hash_of_texts, deterministic=True)
    add_text_functions(connection)


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the paths of a database and of SQLite's files next to it, whether they exist or not."""
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def journal_of(path: Path) -> Path:
    """Return the path of a database's rollback journal, whether it exists or not."""
    return path.with_name(f"{path.name}-journal")


def names_another_file(journal: Path) -> bool:
    """Return True if a rollback journal exists and names a file that SQLite deletes after playing the journal back, or
    if it is no plain file, which cannot be checked.

    SQLite writes such a name if a transaction changes several attached databases. Ours are never attached.
    """
    try:
        if not stat.S_ISREG(journal.lstat().st_mode):
            return True
        with journal.open("rb") as file:
            file.seek(max(0, journal.stat().st_size - len(_NAMES_ANOTHER)))
            return file.read() == _NAMES_ANOTHER
    except (FileNotFoundError, NotADirectoryError):
        return False


def refuse_naming_journal(path: Path) -> None:
    """Check that a database's rollback journal names no file; to be called before SQLite opens the database.

    Raises:
        UnsafePath: it names a file; nothing was deleted.
        OSError: it cannot be read.
    """
    journal = journal_of(path)
    if names_another_file(journal):
        raise UnsafePath(
            f"{journal} names a file that SQLite would delete, or is no plain file: {path.name} is not opened",
            hint=f"delete {journal} if you do not know where it comes from",
        )


def building_name(path: Path, process: str) -> Path:
    """Return the path at which a process makes a new database. It gets its final name as a hard link, so that for a
    moment it has both names."""
    return path.with_name(f".{path.stem}.{process}.building")


def refuse_second_names(path: Path) -> None:
    """Check that a database and SQLite's files next to it have no second name (a hard link), which may be anywhere:
    writes to one name change the other.

    The temporary name left by a process that died while it made the database is deleted.

    Raises:
        UnsafePath: one of the files has a second name; nothing was written.
        OSError: they cannot be checked.
    """
    if _count_names(path) > 1:
        for left in path.parent.glob(building_name(Path(escape(str(path))), "*").name):
            if left.samefile(path):
                Enclosure(path.parent).remove(left)
    for file in (*files_of(path), journal_of(path)):
        if _count_names(file) > 1:
            copy = f"{file}.copy"
            raise UnsafePath(
                f"{file} has a second name (a hard link), and what is written into the one is written into the other",
                hint=f"while nothing uses it, give it bytes of its own: cp -p {file} {copy}, then mv {copy} {file}",
            )


def _count_names(path: Path) -> int:
    try:
        return path.lstat().st_nlink
    except (FileNotFoundError, NotADirectoryError):
        return 0


def refuse_foreign_schema(connection: sqlite3.Connection, path: Path, *, keyword_tables: Collection[str] = ()) -> None:
    """Raise DamagedFile if a database has anything but plain tables, indexes on columns and our views. Anything else in
    a schema is code of the file's author: it would run when a table is read, written or checked for damage, and may
    take hours, or all memory.

    `keyword_tables` are the virtual tables for full text that it may have.
    """
    # The schema of a manipulated file may have values of other types, which SQLite reads as text.
    columns = ", ".join(f"CAST({column} AS TEXT)" for column in ("type", "name", "sql"))
    tables = connection.execute(f"SELECT {columns} FROM sqlite_master").fetchall()
    for kind, name, sql in tables:
        if not _is_ours(kind, name, sql, name in keyword_tables):
            raise foreign_schema(path, f"the {kind} {name!r} in it was not made by lorewright")


# The same few dozen statements are in every file, and a file is opened several times in a turn.
@lru_cache(maxsize=256)
def _is_ours(kind: str, name: str, sql: str | None, may_be_keyword_table: bool) -> bool:
    match kind:
        case "table" if sql is not None and sql.startswith(_TABLE):
            return _COMPUTES.search(sql) is None
        case "table":
            keyword_table = _KEYWORD_TABLE.match(sql or "")
            return keyword_table is not None and keyword_table[1] == name and may_be_keyword_table
        case "index":
            return sql is None or _INDEX.fullmatch(sql) is not None
        case "view":
            return sql is not None and with_single_blanks(sql) in _OUR_VIEWS
        case _:
            return False


def foreign_schema(path: Path, what: str) -> DamagedFile:
    """Return the error for a database whose tables are not as we make them."""
    hint = "do not use the file, unless you know who made it; one of a newer version needs that version"
    return DamagedFile(f"{path}: {what}", hint=hint)


def delete_files_of(path: Path) -> None:
    """Delete a database that can be made again; the caller must ensure that nobody opens it meanwhile."""
    for file in files_of(path):
        Enclosure(path.parent).remove(file)


def delete_unused(path: Path) -> None:
    """Delete a database that nobody has open, with SQLite's files next to it and its lock.

    Raises:
        Busy: another connection to it is open, in this process or another; nothing was deleted.
        UnsafePath: it is a link, or its journal names a file.
    """
    folder = Enclosure(path.parent)
    lock = path.with_name(f"{path.name}.lock")
    with folder.locked(lock, timeout_s=LOCK_TIMEOUT_S):
        for file in (*files_of(path), journal_of(path)):
            folder.checked(file)
        refuse_naming_journal(path)
        if path.exists() and _is_open_elsewhere(path):
            raise Busy(f"{path} is open in another process", hint="leave the game there, then try again")
        for file in (*files_of(path), journal_of(path), count_path(path)):
            folder.remove(file)
    folder.remove(lock)


def _is_open_elsewhere(path: Path) -> bool:
    """Tell whether there is another connection to a database: only the last one may take it out of WAL mode. What is
    no database is open nowhere."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.DatabaseError as problem:
        return getattr(problem, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    finally:
        connection.close()
    return False


def set_aside(path: Path) -> Path:
    """Rename a damaged database to a free name, so that it can be examined, and return that path; the caller must
    ensure that nobody opens it meanwhile."""
    folder = Enclosure(path.parent)
    aside = folder.path(f"{path.name}{DAMAGED}")
    for number in count(2):
        if not aside.exists():
            break
        aside = folder.path(f"{path.name}{DAMAGED}-{number}")
    for file, moved in zip(files_of(path), files_of(aside), strict=True):
        if file.exists():
            folder.move(file, moved)
    return aside


def is_sound(path: Path) -> bool:
    """Return True if a file does not exist or is a database that SQLite finds intact.

    Raises:
        FileUnavailable: it cannot be checked now.
        UnsafePath: it is a link.
    """
    if not Enclosure(path.parent).checked(path).exists():
        return True
    try:
        with opened(path) as database, raising_our_errors(path):
            return bool(database.rows("PRAGMA quick_check")[0][0] == "ok")
    except DamagedFile:
        return False


@contextmanager
def opened(path: Path, *, page_bytes: int | None = None) -> Iterator[Database]:
    """Yield an open database that is closed when the block ends."""
    database = Database(path, page_bytes=page_bytes)
    try:
        yield database
    finally:
        database.close()


def read_json(text: str) -> Any:
    """Return the value of a column of JSON.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON that is nested too deep") from None
