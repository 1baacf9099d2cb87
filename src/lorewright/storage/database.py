"""A path -> a connection that cannot lose an acknowledged write, and the one way to write through it.

Measured: WAL with `synchronous=NORMAL` loses acknowledged commits in a power cut, `FULL` does not. A deferred BEGIN
meets "database is locked" under load, BEGIN IMMEDIATE does not. And SQLite before 3.51.3 can corrupt a WAL when two
processes checkpoint and commit at the same instant, so a lock file beside the database is held around writes and
around close (which checkpoints).
"""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from itertools import count
from pathlib import Path
from typing import Any

from lorewright.errors import DamagedFile, UnsafePath
from lorewright.storage.enclosure import Enclosure, telling_trouble
from lorewright.storage.projected_tables import VIEWS, VIEWS_WITH_PROMPTS

SQLITE_VERSION = sqlite3.sqlite_version
BUSY_TIMEOUT_MS = 10_000
LOCK_TIMEOUT_S = 60.0

# What a damaged database is called once it was set aside: `library.db.damaged`, then `library.db.damaged-2`.
DAMAGED = ".damaged"

# The last bytes of a rollback journal that names another file: https://www.sqlite.org/fileformat2.html
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")

_OUR_VIEWS = frozenset(sql for sql in (*VIEWS, *VIEWS_WITH_PROMPTS) if sql.startswith("CREATE VIEW"))
# As SQLite itself writes it into a schema, however the statement was written.
_TABLE = "CREATE TABLE "
# Of columns alone: in place of one an expression may stand, which SQLite computes for every row that it writes.
_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX \w+ ON \w+ ?\(\w+(?:, ?\w+)*\)", re.ASCII)
_KEYWORD_TABLE = re.compile(r"CREATE VIRTUAL TABLE (\w+) USING fts[45]\(")
# Without these words no table computes anything: constraints, columns and defaults that are expressions. A default that
# is a literal needs no brackets.
_COMPUTES = re.compile(r"\b(?:CHECK|AS|DEFAULT(?!\s+(?:'|-?\d|NULL\b)))\b", re.IGNORECASE)


def insert_row(table: str, values: Sequence[object]) -> tuple[str, tuple[object, ...]]:
    """The statement that adds a row to a table, with its values in the order of the columns."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", tuple(values)


class Database:
    """One open SQLite file. Rows come as `sqlite3.Row`; nothing is written outside `transaction()`."""

    _kind: type[sqlite3.Connection] = sqlite3.Connection

    def __init__(self, path: Path) -> None:
        """Open the file, making it where it is missing.

        Raises:
            DamagedFile: the file is no database, or computes what it holds: no file of ours does.
            FileUnavailable: it cannot be opened now: no room, no right, or another process holds it.
            UnsafePath: it, a file that SQLite keeps beside it, or its folder is a link; one of the files has a second
                name (a hard link); or its journal names a file.
        """
        self.path = path
        folder = Enclosure(path.parent)
        with telling_trouble(path):
            for file in (*files_of(path), journal_of(path)):
                folder.checked(file)
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
                    self._set_up()
                except BaseException:
                    self._connection.close()
                    raise

    def _set_up(self) -> None:
        self._connection.row_factory = sqlite3.Row
        refuse_foreign_schema(self._connection, self.path)
        pragmas = (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
        )
        for pragma in pragmas:
            self._connection.execute(f"PRAGMA {pragma}")

    def rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        """All rows of a query; the read ends here, so that no snapshot is held while someone thinks."""
        return self._connection.execute(sql, parameters).fetchall()

    def each(self, sql: str, *parameters: object) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query one by one, where all of them may need much memory; until the last a snapshot is
        held."""
        yield from self._connection.execute(sql, parameters)

    def row(self, sql: str, *parameters: object) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, *parameters)
        return found[0] if found else None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Whatever is read within is of one moment, also within a block of the same kind. Not for thinking in: it stops
        checkpoints."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: committed when the block ends, rolled back when it raises.

        Raises:
            Busy: another process held the lock for too long; the block was not run.
        """
        with self._locked():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def watch(self, tell: Callable[[str], object] | None) -> None:
        """Have every statement told, as it is run; with None no more."""
        self._connection.set_trace_callback(tell)

    def close(self) -> None:
        """Close the file; the last one out checkpoints, hence the lock."""
        with self._locked():
            self._connection.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with telling_trouble(self.path):
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()


def files_of(path: Path) -> tuple[Path, ...]:
    """A database's file and those that SQLite keeps beside it, whether they are there or not."""
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def journal_of(path: Path) -> Path:
    """Return where SQLite keeps a database's rollback journal, whether it is there or not."""
    return path.with_name(f"{path.name}-journal")


def names_another_file(journal: Path) -> bool:
    """Return whether a rollback journal, where there is one, names a file that SQLite deletes once it has played the
    journal back; true also of what is no plain file, which cannot be looked at.

    SQLite writes such a name where one transaction changes several attached databases. None of ours is ever attached.
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
    """Raise UnsafePath where a database's rollback journal names a file: to be called before SQLite opens the database.

    Raises:
        UnsafePath: it does; nothing was deleted.
        OSError: it cannot be read.
    """
    journal = journal_of(path)
    if names_another_file(journal):
        raise UnsafePath(
            f"{journal} names a file that SQLite would delete, or is no plain file: {path.name} is not opened",
            hint=f"delete {journal} if you do not know where it comes from",
        )


def building_name(path: Path, process: int | str) -> Path:
    """Return the name under which a process makes a new database. It is given its own name beside that one, so that for
    a moment it has both."""
    return path.with_name(f".{path.stem}.{process}.building")


def refuse_second_names(path: Path) -> None:
    """Raise UnsafePath where a database, or a file that SQLite keeps beside it, has another name (a hard link), which
    may stand anywhere: what is written into the one is written into the other.

    The name that a process left which died while it made the database is deleted.

    Raises:
        UnsafePath: one of them has; nothing was written.
        OSError: they cannot be looked at.
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
    """Raise DamagedFile where a database has more than plain tables, indexes of columns and our views. What else a
    schema can hold is a program of the maker of the file. It runs when a table is read or written or the file is looked
    through for damage, and may take hours, or all memory.

    `keyword_tables` are the virtual tables that it may have, for full text.
    """
    # A stranger's schema may hold other types than text, which SQLite reads as text.
    columns = ", ".join(f"CAST({column} AS TEXT)" for column in ("type", "name", "sql"))
    tables = connection.execute(f"SELECT {columns} FROM sqlite_master").fetchall()
    for kind, name, sql in tables:
        keyword_table = _KEYWORD_TABLE.match(sql or "")
        match kind:
            case "table" if sql is not None and sql.startswith(_TABLE):
                ours = _COMPUTES.search(sql) is None
            case "table":
                ours = keyword_table is not None and keyword_table[1] == name and name in keyword_tables
            case "index":
                ours = sql is None or _INDEX.fullmatch(sql) is not None
            case "view":
                ours = sql in _OUR_VIEWS
            case _:
                ours = False
        if not ours:
            raise foreign_schema(path, f"the {kind} {name!r} in it is none of ours")


def foreign_schema(path: Path, what: str) -> DamagedFile:
    """Return the error for a database whose tables are not as we make them."""
    hint = "do not use the file, unless you know who made it; one of a newer version needs that version"
    return DamagedFile(f"{path}: {what}", hint=hint)


def delete_files_of(path: Path) -> None:
    """Delete a database that can be made again; the caller sees to it that nobody opens it meanwhile."""
    for file in files_of(path):
        Enclosure(path.parent).remove(file)


def set_aside(path: Path) -> Path:
    """Rename a damaged database to a name that is free, where it can be looked at, and return that; the caller sees to
    it that nobody opens it meanwhile."""
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
    """Return whether a file, where there is one, is a database that SQLite finds whole.

    Raises:
        FileUnavailable: it cannot be looked at now, so that nothing is known of it.
        UnsafePath: it is a link.
    """
    if not Enclosure(path.parent).checked(path).exists():
        return True
    try:
        with opened(path) as database, telling_trouble(path):
            return bool(database.rows("PRAGMA quick_check")[0][0] == "ok")
    except DamagedFile:
        return False


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A database that is closed when the block ends."""
    database = Database(path)
    try:
        yield database
    finally:
        database.close()


def read_json(text: str) -> Any:
    """Return the value of a column of JSON.

    Raises:
        ValueError: it is no JSON, or JSON nested deeper than any that we write.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON that is nested too deep") from None
