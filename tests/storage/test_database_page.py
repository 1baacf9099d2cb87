"""docs/database.md: every table of a campaign's file is explained, every column of the specification's schemas has a home
that exists or a reason why not, and nothing is told of columns that there are not."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import yaml

from lorewright.index.installed_packs import MIGRATIONS
from lorewright.index.keywords import STATEMENTS, keyword_statements
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import opened
from lorewright.storage.projection import PROJECTED, REBUILT_TABLES
from lorewright.storage.tables import Migration, migrate

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs" / "database.md").read_text(encoding="utf-8")
SCHEMAS = yaml.safe_load((PROJECT / "tests" / "fixtures" / "seed_schemas.yaml").read_text(encoding="utf-8"))
GENERATION = (Migration("generation", (*STATEMENTS, *keyword_statements(english=True))),)

# | `table.column` | schemas | `home`, `home` | remark |
_ROW = re.compile(r"^\| `([\w.]+)` \| ([\w, -]+) \| (none|`[^|]+`) \|(.*)\|$", re.MULTILINE)


def columns(folder: Path, migrations: tuple[Migration, ...]) -> dict[str, set[str]]:
    """Table or view -> its columns, in a database made by these migrations."""
    with opened(folder / "made.db") as database:
        migrate(database, migrations)
        names = [row["name"] for row in database.rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
        return {name: {row["name"] for row in database.rows(f"PRAGMA table_info({name})")} for name in names}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, set[str]]]:
    """File ('' for a campaign's own) -> table or view -> its columns."""
    files = {"": CAMPAIGN_MIGRATIONS, "library.db": MIGRATIONS, "chunks.db": GENERATION}
    return {name: columns(tmp_path_factory.mktemp("made"), migrations) for name, migrations in files.items()}


def told() -> dict[tuple[str, str], tuple[list[str], str]]:
    """(schema, column) -> its homes and what is said of it, of every row of the page."""
    found = [
        ((schema, column), (re.findall(r"`([^`]+)`", homes), remark.strip()))
        for column, schemas, homes, remark in _ROW.findall(PAGE)
        for schema in schemas.split(", ")
    ]
    assert [key for key, times in Counter(key for key, _ in found).items() if times > 1] == []
    return dict(found)


def test_every_column_of_the_four_schemas_has_a_row_and_no_row_is_of_another() -> None:
    given = {
        (schema, f"{table}.{column}" if column else table)
        for schema, tables in SCHEMAS.items()
        for table, names in tables.items()
        for column in (names or [""])
    }
    assert len(given) > 200
    assert set(told()) == given


def test_every_home_exists_or_the_row_says_why_there_is_none(made: dict[str, dict[str, set[str]]]) -> None:
    for (schema, column), (homes, remark) in told().items():
        assert homes or len(remark) > 10, f"{schema}: {column} has no home, and nothing says why"
        for home in homes:
            file, _, name = home.rpartition(" ")
            table, _, inner = name.partition(".")
            assert inner in made[file].get(table, set()), f"{schema}: the home {home} of {column} does not exist"


def test_every_table_and_view_is_explained_in_a_sentence(made: dict[str, dict[str, set[str]]]) -> None:
    explained = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| [^|]+ \|$", PAGE, re.M))))
    assert explained == set(made[""]) - {"sqlite_sequence"}


def test_every_projected_table_begins_with_its_key(made: dict[str, dict[str, set[str]]], tmp_path: Path) -> None:
    with opened(tmp_path / "made.db") as database:
        migrate(database, CAMPAIGN_MIGRATIONS)
        for table, key in PROJECTED.items():
            rows = database.rows(f"PRAGMA table_info({table})")
            assert [row["name"] for row in rows[: 1 + len(key)]] == ["campaign_id", *key]
            assert {row["name"] for row in rows if row["pk"]} == {"campaign_id", *key}
    assert set(REBUILT_TABLES) <= set(made[""])


def test_every_view_can_be_read_of_a_file_with_nothing_in_it(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    with opened(path) as database:
        migrate(database, CAMPAIGN_MIGRATIONS)
        views = [row["name"] for row in database.rows("SELECT name FROM sqlite_master WHERE type = 'view'")]
        assert len(views) == 10
        assert [database.rows(f"SELECT * FROM {view}") for view in views] == [[]] * 10
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_page_is_linked() -> None:
    assert "(database.md)" in (PROJECT / "docs" / "README.md").read_text(encoding="utf-8")
