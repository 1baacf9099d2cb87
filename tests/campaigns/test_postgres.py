"""Campaigns in PostgreSQL are the campaigns of files: the same bytes, copied either way, and each alone."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.checks import check
from lorewright.campaigns.copying import check_copy, copy_campaign, hash_of_tables
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.cli import app as program
from lorewright.errors import CampaignError, NotFound, SettingsError
from lorewright.grants import find_agreements, keep_agreements
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.model_rows import created_at
from lorewright.storage.postgres.schema import SCHEMA, migrations, table_shapes
from lorewright.storage.postgres.statements import translate
from lorewright.storage.postgres.store import PostgresStore
from lorewright.storage.tables import Migration
from lorewright.turn.store.turn_store import redo, undo_played
from support import harbour as h
from support.postgres_server import new_database

pytestmark = pytest.mark.server

FIXTURES = Path(__file__).parents[1] / "fixtures" / "campaigns"

LINES = (
    *("look", "take rope", "ask Osk about Lin", "go door", "wait", "frobnicate quietly", "go tavern"),
    *("ask Osk about debt", "look"),
)


@pytest.fixture
def address(postgres: str) -> str:
    return new_database(postgres)


@pytest.fixture
def store(address: str) -> Iterator[PostgresStore]:
    made = PostgresStore(address)
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def there(here: App, store: PostgresStore) -> App:
    return open_app(here.workspace.root, elsewhere=store)


def play(app: App, *lines: str, prefix: str = "a") -> list[str]:
    """Play lines, each with an action ID of its own, at a clock that stands still; the stored results."""
    app.campaigns.clock = lambda: "2031-05-01T20:00:00+00:00"
    told = []
    with app.campaigns.open("game") as campaign:
        for number, line in enumerate(lines):
            told.append(asyncio.run(campaign.submit(line, action_id=f"{prefix}{number}")))
    return told


def rows_of(app: App) -> str:
    with app.campaigns.reading("game") as store:
        return hash_of_tables(store.database)


def test_the_same_lines_give_the_same_bytes_in_a_file_and_in_postgres(here: App, store: PostgresStore) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    assert play(here, *LINES) == play(elsewhere, *LINES)
    for app in (here, elsewhere):
        with app.campaigns.open("game") as campaign:
            undo_played(campaign.store)
            undo_played(campaign.store)
            redo(campaign.store)
    assert play(here, *LINES[:3], prefix="b") == play(elsewhere, *LINES[:3], prefix="b")
    assert rows_of(here) == rows_of(elsewhere)
    with elsewhere.campaigns.reading("game") as campaign_store:
        assert check_copy(campaign_store.database, "game", elsewhere.campaigns.kept).clean


def test_words_that_postgres_has_no_letters_for_are_played_alike(here: App, store: PostgresStore) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    lines = ("look\x00 around", 'say "\ud800"', "100% ? %s %(c)s", "\x01 wait", "\uf8ff0 look")
    assert play(here, *lines) == play(elsewhere, *lines)
    assert rows_of(here) == rows_of(elsewhere)


def test_a_campaign_begun_there_is_the_one_begun_here(here: App, store: PostgresStore) -> None:
    elsewhere = there(here, store)
    for app in (here, elsewhere):
        app.campaigns.clock = lambda: "2031-05-01T20:00:00+00:00"
        row = app.campaigns.new("night_boat", campaign_id="second", seed=7)
        assert row.id == "second"
        with app.campaigns.open("second") as campaign:
            asyncio.run(campaign.submit("look", action_id="a1"))
    heads = []
    for app in (here, elsewhere):
        with app.campaigns.reading("second") as campaign_store:
            heads.append(campaign_store.head().state.content_hash())
            assert {pin.pack_id for pin in app.campaigns.pins().texts} == {"harbour"}
    assert heads[0] == heads[1]
    with pytest.raises(CampaignError, match="already"):
        elsewhere.campaigns.new("night_boat", campaign_id="second")


def test_a_campaign_goes_there_and_back_without_a_change(here: App, store: PostgresStore, tmp_path: Path) -> None:
    play(here, *LINES[:4])
    elsewhere = there(here, store)
    copied = copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    assert copied.is_equal
    assert copied.is_new
    assert not copy_campaign(here.campaigns, elsewhere.campaigns, "game").is_new
    before = rows_of(here)
    here.campaigns.remove("game")
    assert copy_campaign(elsewhere.campaigns, here.campaigns, "game").is_equal
    assert rows_of(here) == before
    assert check(here.campaigns.path("game"), here.campaigns.kept).clean


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.db.gz")))
def test_a_campaign_of_an_earlier_version_goes_there_and_back(
    name: str, here: App, store: PostgresStore, tmp_path: Path
) -> None:
    (tmp_path / "old.db").write_bytes(gzip.decompress((FIXTURES / name).read_bytes()))
    with closing(sqlite3.connect(tmp_path / "old.db")) as old:
        (campaign_id,) = old.execute("SELECT id FROM campaigns").fetchone()
    (tmp_path / "old.db").rename(here.campaigns.folder / f"{campaign_id}.db")
    elsewhere = there(here, store)
    assert copy_campaign(here.campaigns, elsewhere.campaigns, campaign_id).is_equal
    with here.campaigns.reading(campaign_id) as campaign_store:
        before = hash_of_tables(campaign_store.database)
    here.campaigns.remove(campaign_id)
    assert copy_campaign(elsewhere.campaigns, here.campaigns, campaign_id).hash_of_copy == before


def test_an_export_from_there_is_imported_there_and_here(here: App, store: PostgresStore, tmp_path: Path) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    play(elsewhere, *LINES[:3])
    export(elsewhere.campaigns, "game", tmp_path / "game.lorewright")
    for app in (here, elsewhere):
        import_campaign(app.campaigns, tmp_path / "game.lorewright", campaign_id="again")
        with app.campaigns.open("again") as campaign:
            assert campaign.store.position().turn_no == 3
            asyncio.run(campaign.submit("look"))


def test_what_was_agreed_for_a_campaign_does_not_hold_for_one_that_is_imported_in_its_place(
    here: App, store: PostgresStore, tmp_path: Path
) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    export(elsewhere.campaigns, "game", tmp_path / "game.lorewright")
    with elsewhere.campaigns.reading("game") as campaign_store:
        named, began = campaign_store.database.path, created_at(campaign_store.database)
    keep_agreements(named, began, {"token": "a model"})
    assert find_agreements(named, began) == {"token"}
    elsewhere.campaigns.remove("game")
    assert find_agreements(named, began) == frozenset()
    keep_agreements(named, began, {"token": "a model"})
    import_campaign(elsewhere.campaigns, tmp_path / "game.lorewright")
    assert find_agreements(named, began) == frozenset()


def test_of_two_who_play_one_campaign_at_once_each_turn_advances_it_once(here: App, store: PostgresStore) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")

    def submit(number: int) -> str:
        app = there(here, store)
        with app.campaigns.open("game") as campaign:
            return asyncio.run(campaign.submit("wait", action_id=f"w{number // 2}"))

    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(submit, range(12)))
    assert [told[number] for number in range(0, 12, 2)] == [told[number] for number in range(1, 12, 2)]
    with elsewhere.campaigns.reading("game") as campaign_store:
        assert campaign_store.position().turn_no == 6
        assert len({turn["turn_id"] for turn in campaign_store.turns()}) == 7


def test_a_campaign_sees_no_row_of_another_even_by_a_query_that_does_not_name_it(
    here: App, store: PostgresStore
) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    elsewhere.campaigns.new("night_boat", campaign_id="other", seed=3)
    for table in table_shapes():
        with store.connection("other") as connection:
            named = table_shapes()[table].campaign
            found = {row[0] for row in connection.execute(f"SELECT {named} FROM {table}").fetchall()}
        assert found <= {"other"}
    with store.connection("other") as connection:
        connection.execute("UPDATE campaigns SET name = 'x'")
    with elsewhere.campaigns.reading("game") as campaign_store:
        assert campaign_store.campaign().name != "x"


def test_every_query_names_its_campaign() -> None:
    for sql in (
        "SELECT head_turn_id FROM campaigns",
        "SELECT t.turn_id FROM turns t JOIN messages USING (campaign_id, turn_id) WHERE t.turn_no > ?",
        "DELETE FROM undone WHERE position = ?1 OR position = ?2",
        "UPDATE campaigns SET name = ?",
    ):
        text = translate(sql)[0]
        assert text.count("%(c)s") == sum(sql.count(f"{word} ") for word in ("FROM", "JOIN", "UPDATE"))


def test_the_tables_have_the_columns_of_a_file(store: PostgresStore) -> None:
    sql = "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s"
    with store.connection("game") as connection:
        for name, shape in table_shapes().items():
            found = {row[0] for row in connection.execute(sql, (SCHEMA, name)).fetchall()}
            assert found == {*shape.columns, "rowid"}


def test_a_later_migration_changes_tables_that_were_made_without_it() -> None:
    added = ("ALTER TABLE turns ADD COLUMN mood TEXT",)
    extended = (*CAMPAIGN_MIGRATIONS, Migration("campaign_later", added, added))
    first, *_, last = migrations(extended).values()
    assert last == added
    assert not any("mood" in statement for statement in first)
    assert "mood" in table_shapes(extended)["turns"].columns


def test_a_removed_campaign_leaves_nothing(here: App, store: PostgresStore) -> None:
    elsewhere = there(here, store)
    copy_campaign(here.campaigns, elsewhere.campaigns, "game")
    play(elsewhere, "look")
    elsewhere.campaigns.remove("game")
    assert elsewhere.campaigns.ids() == []
    assert all(store.database("game").row(f"SELECT 1 FROM {table}") is None for table in table_shapes())
    with pytest.raises(NotFound):
        elsewhere.campaigns.remove("game")


def test_a_role_that_row_level_security_does_not_hold_for_is_refused(postgres: str) -> None:
    with pytest.raises(SettingsError, match="may read the rows of every campaign"):
        PostgresStore(postgres)


def test_a_database_of_a_newer_version_is_refused(address: str, store: PostgresStore) -> None:
    with store.connection("game") as connection:
        connection.execute("INSERT INTO migrations (name) VALUES ('campaign_999_later')")
    with pytest.raises(SettingsError, match="newer version"):
        PostgresStore(address)


def test_an_address_that_cannot_be_read_is_told_without_its_password() -> None:
    pytest.importorskip("psycopg", reason="make extras installs a PostgreSQL and what speaks to it")
    with pytest.raises(SettingsError, match="cannot be read") as refused:
        PostgresStore("postgresql://ann:parrot@[")
    assert "parrot" not in f"{refused.value} {refused.value.hint}"


def test_the_command_copies_campaigns_and_compares_them(
    here: App, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here.workspace.root)
    done = CliRunner().invoke(program, ["db", "copy", "--to", address, "--json"])
    assert done.exit_code == 0, done.output
    assert [copied["is_equal"] for copied in json.loads(done.stdout)] == [True]
    here.campaigns.remove("game")
    done = CliRunner().invoke(program, ["db", "copy", "game", "--from", address])
    assert done.exit_code == 0, done.output
    assert here.campaigns.ids() == ["game"]
