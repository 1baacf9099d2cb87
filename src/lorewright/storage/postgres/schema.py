"""The tables of a campaign in PostgreSQL, made from those of a file: the same names, columns and keys.

Every table is partitioned by a hash of the campaign, has the campaign in its key, and lets a connection see the rows of
one campaign alone (row-level security). Two differences: `rowid` is a column, as the order of writing is part of what
is exported; and the tables and views that follow from a state are left out, as the engine never reads them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache

from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import add_functions
from lorewright.storage.packed_texts import CAMPAIGNS, PACKED
from lorewright.storage.projection import REBUILT_TABLES
from lorewright.storage.tables import Migration

SCHEMA = "lorewright"
# The setting of a connection that names its campaign; `ALL` lets it list them.
SETTING = "lorewright.campaign"
ALL = "*"
PARTITIONS = 8

# Workers are replaced one by one, so that two versions serve at once: a migration either expands, and its name ends so,
# or it contracts. One that expands leaves all that the version before reads and writes as it was: it adds columns that
# may be NULL or have a default, indexes, and tables whose rows go with their campaign (ON DELETE CASCADE); and the new
# version works also where the old one has left empty what was added. A worker of the version before starts on such a
# database. What takes away, renames or demands comes one release later, in a migration whose name ends otherwise: on
# that, older workers refuse to start, and by then none are left.
EXPANDS = "_expand"

# The migration of files up to which the first tables in PostgreSQL go. A later one says itself what it is there.
_FIRST = "campaign_011_packing"
_TYPES = {"TEXT": 'TEXT COLLATE "C"', "INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "BLOB": "BYTEA"}


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table that name a row of another."""

    columns: tuple[str, ...]
    table: str
    their_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table: its columns in order with their types and defaults as SQL, its key, and what else is unique."""

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    foreign_keys: tuple[ForeignKey, ...]

    @property
    def campaign(self) -> str:
        """The column with the campaign's ID."""
        return "id" if self.name == CAMPAIGNS else "campaign_id"


@lru_cache(maxsize=2)
def table_shapes(of: tuple[Migration, ...] = CAMPAIGN_MIGRATIONS) -> Mapping[str, TableShape]:
    """Return the tables of a campaign by name, as migrations make them, without those that follow from others."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        add_functions(connection)
        for migration in of:
            for statement in migration.statements:
                connection.execute(statement)
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
        left_out = {*REBUILT_TABLES, "sqlite_sequence"}
        return {name: _shape_of(connection, name) for (name,) in names if name not in left_out}


def _shape_of(connection: sqlite3.Connection, table: str) -> TableShape:
    info = connection.execute(f"PRAGMA table_info({table})").fetchall()
    packed = PACKED.get(table, ())
    columns = {}
    for _, name, kind, not_null, default, _ in info:
        sql = _TYPES["BLOB" if name in packed else kind]
        columns[name] = " ".join(
            filter(None, (sql, "NOT NULL" if not_null else "", f"DEFAULT {default}" if default is not None else ""))
        )
    campaign = "id" if table == CAMPAIGNS else "campaign_id"
    own_key = [name for *_, name, place in sorted((row[5], row[1], row[5]) for row in info) if place]
    unique = [
        tuple(row[2] for row in connection.execute(f"PRAGMA index_info({index[1]})"))
        for index in connection.execute(f"PRAGMA index_list({table})").fetchall()
        if index[2] and index[3] == "u"
    ]
    found: dict[int, list[tuple[str, str, str]]] = {}
    for number, _, to, here, there, *_ in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
        found.setdefault(number, []).append((to, here, there))
    return TableShape(
        table,
        columns,
        tuple(dict.fromkeys((campaign, *own_key))),
        tuple(tuple(dict.fromkeys((campaign, *key))) for key in unique),
        tuple(map(_foreign_key, found.values())),
    )


def _foreign_key(pairs: list[tuple[str, str, str]]) -> ForeignKey:
    pairs = [(to, here, there) for to, here, there in pairs if to == CAMPAIGNS or here != "campaign_id"]
    to = pairs[0][0]
    here, there = tuple(pair[1] for pair in pairs), tuple(pair[2] for pair in pairs)
    if to == CAMPAIGNS:
        return ForeignKey(here, to, there)
    return ForeignKey(("campaign_id", *here), to, ("campaign_id", *there))


def _first_tables(shapes: Mapping[str, TableShape]) -> Iterator[str]:
    """Yield the statements that make the tables; the schema is there, and the first in the search path."""
    for shape in shapes.values():
        yield from _table(shape)
    for shape in shapes.values():
        for number, key in enumerate(shape.foreign_keys, 1):
            # Turns and sittings point at each other: an import checks at its end.
            yield (
                f"ALTER TABLE {shape.name} ADD CONSTRAINT {shape.name}_points_{number} "
                f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {key.table} ({', '.join(key.their_columns)}) "
                "DEFERRABLE INITIALLY IMMEDIATE"
            )
    yield "CREATE INDEX turns_by_number ON turns (campaign_id, turn_no)"


def _table(shape: TableShape) -> Iterator[str]:
    columns = [f"{name} {kind}" for name, kind in shape.columns.items()]
    keys = [f"PRIMARY KEY ({', '.join(shape.key)})"] if len(shape.key) > 1 or shape.name == CAMPAIGNS else []
    keys += [f"UNIQUE ({', '.join(unique)})" for unique in shape.unique]
    columns.append("rowid BIGINT GENERATED BY DEFAULT AS IDENTITY")
    yield f"CREATE TABLE {shape.name} ({', '.join((*columns, *keys))}) PARTITION BY HASH ({shape.campaign})"
    for part in range(PARTITIONS):
        yield (
            f"CREATE TABLE {shape.name}_{part} PARTITION OF {shape.name} "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part})"
        )
    own = f"{shape.campaign} = current_setting('{SETTING}', true)"
    listed = f" OR current_setting('{SETTING}', true) = '{ALL}'" if shape.name == CAMPAIGNS else ""
    yield f"ALTER TABLE {shape.name} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {shape.name} FORCE ROW LEVEL SECURITY"
    yield f"CREATE POLICY one_campaign ON {shape.name} USING ({own}{listed}) WITH CHECK ({own})"


def migrations(of: tuple[Migration, ...] = CAMPAIGN_MIGRATIONS) -> Mapping[str, tuple[str, ...]]:
    """Return the name of every migration, in order, with its statements; `of` are those of files."""
    first = [migration.name for migration in of].index(_FIRST) + 1
    later = {migration.name: migration.postgres for migration in of[first:]}
    return {"tables_001_campaigns": tuple(_first_tables(table_shapes(of[:first]))), **later}
