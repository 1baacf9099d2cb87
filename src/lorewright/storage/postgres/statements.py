"""A query of a campaign's file -> the same in PostgreSQL's words, narrowed to the rows of its campaign.

The queries above the storage layer are written once. Few of their words differ; and each table that a query names,
after FROM or JOIN, is narrowed here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lorewright.storage.database import with_single_blanks
from lorewright.storage.postgres.schema import table_shapes

_INSERT = re.compile(r"INSERT (?:OR (REPLACE|IGNORE) )?INTO (\w+)\s*(?:\(([^)]*)\))?")
_MARK = re.compile(r"\?(\d*)")
_HAS_MARKS = re.compile(r"IS NOT (\?\d*)")
_TEXT_FUNCTION = re.compile(r"\b(?:text_of|packed_text)\(((?:\w+\.)?\w+)\)")
_CHANGE = re.compile(r"(?:UPDATE|DELETE FROM)\s+(\w+)")


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    """Return the pattern of a table's name where a query reads from it, with its alias."""
    names = "|".join(sorted(table_shapes(), key=len, reverse=True))
    words = "ON|USING|WHERE|ORDER|LIMIT|GROUP|JOIN|LEFT|CROSS|UNION|SET"
    return re.compile(rf"\b(FROM|JOIN)\s+({names})\b(?:\s+(?:AS\s+)?(?!(?:{words})\b)([a-z]\w*))?")


@lru_cache(maxsize=1024)
def translate(sql: str) -> tuple[str, tuple[int, ...], str, tuple[str, ...]]:
    """Return a query in PostgreSQL's words, the place of the parameter that each of its marks stands for, and for an
    INSERT its table and columns. The parameter `c` is the campaign."""
    # SQLite's planner is told an order by a CROSS JOIN with a condition.
    text, table = with_single_blanks(sql).replace("%", "%%").replace("CROSS JOIN", "JOIN"), ""
    columns: tuple[str, ...] = ()
    if (insert := _INSERT.match(text)) is not None:
        text, table, columns = _inserting(text, insert)
    elif (change := _CHANGE.match(text)) is not None:
        text = _changing(text, change[1])
    else:
        text = _named().sub(_narrowed, text)
    # What is packed is told by its first byte, and unpacked by the reader; PostgreSQL packs by itself what is long.
    text = _TEXT_FUNCTION.sub(r"\1", text)
    text = _HAS_MARKS.sub(r"IS DISTINCT FROM \1", text)
    return *name_marks(text), table, columns


def name_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a statement with named parameters for SQLite's marks (`p0` is the first value), and the place of the value
    that each of the marks stands for."""
    places: list[int] = []

    def mark(found: re.Match[str]) -> str:
        places.append(int(found[1]) - 1 if found[1] else len(places))
        return f"%(p{places[-1]})s"

    return _MARK.sub(mark, text), tuple(places)


def _narrowed(found: re.Match[str]) -> str:
    word, table, alias = found[1], found[2], found[3]
    own = f"SELECT * FROM {table} WHERE {table_shapes()[table].campaign} = %(c)s"
    return f"{word} ({own}) AS {alias or table}"


def _inserting(text: str, insert: re.Match[str]) -> tuple[str, str, tuple[str, ...]]:
    how, table, named = insert[1], insert[2], insert[3]
    shape = table_shapes()[table]
    columns = tuple(part.strip() for part in named.split(",")) if named else tuple(shape.columns)
    rest = _named().sub(_narrowed, text[insert.end() :])
    text = f"INSERT INTO {table} ({', '.join(columns)}){rest}"
    if how == "REPLACE":
        changed = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in shape.key)
        # A row that replaces another comes last in a file, and so in what is exported.
        text += f" ON CONFLICT ({', '.join(shape.key)}) DO UPDATE SET {changed}, rowid = DEFAULT"
    elif how == "IGNORE":
        text += " ON CONFLICT DO NOTHING"
    return text, table, columns


def _changing(text: str, table: str) -> str:
    """Narrow an UPDATE or DELETE: its own first WHERE is the statement's, as no value that is set is a query."""
    own = f"{table}.{table_shapes()[table].campaign} = %(c)s"
    before, where, after = text.partition(" WHERE ")
    after = _named().sub(_narrowed, after)
    return f"{before} WHERE {own}" + (f" AND ({after})" if where else "")


@lru_cache(maxsize=1024)
def with_types(text: str, names: tuple[str, ...], *, kind: str = 'text COLLATE "C"') -> str:
    """Say of parameters that they are texts, compared by their bytes: a query's own column has no type without, and one
    that is only compared with NULL has none either."""
    for name in names:
        text = text.replace(f"%({name})s", f"%({name})s::{kind}")
    return text
