"""Campaigns and accounts are backed up while they are played, and restored into either store."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.checks import check
from lorewright.campaigns.copying import hash_of_tables
from lorewright.cli import app as program
from lorewright.errors import NotFound
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.service.web.store import Accounts
from lorewright.storage.postgres.store import PostgresStore
from lorewright.workspace.backups import ACCOUNTS, Saved, back_up, restore
from support import harbour as h
from support.postgres_server import new_database

LINES = ("look", "take rope", "ask Osk about Lin", "go door")


@pytest.fixture
def app(tmp_path: Path) -> App:
    made = h.harbour(tmp_path)
    play(made, *LINES)
    return made


def play(app: App, *lines: str) -> None:
    with app.campaigns.open("game") as campaign:
        for line in lines:
            asyncio.run(campaign.submit(line))


def saved(work: Callable[..., object], app: App, folder: Path) -> dict[str, str]:
    """Return what became of each."""
    done = work(app.campaigns, app.workspace.accounts, folder, lambda what, done, total: None)
    return {each.id: each.outcome for each in done if isinstance(each, Saved)}  # type: ignore[attr-defined]


def elsewhere(tmp_path: Path, store: PostgresStore | None = None) -> App:
    root = tmp_path / "elsewhere"
    make_empty_workspace(root)
    return open_app(root, elsewhere=store)


def rows(campaigns: Campaigns) -> str:
    with campaigns.reading("game") as store:
        return hash_of_tables(store.database)


def test_what_is_backed_up_is_restored_row_by_row_and_played_on(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    assert saved(back_up, app, folder) == {"game": "written"}
    other = elsewhere(tmp_path)
    assert saved(restore, other, folder) == {"game": "restored"}
    assert rows(other.campaigns) == rows(app.campaigns)
    play(other, "look")
    assert check(other.campaigns.path("game"), other.campaigns.kept).clean
    # What is there stays as it is.
    assert saved(restore, other, folder) == {"game": "there already"}


def test_the_next_backup_writes_what_has_changed_alone(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    saved(back_up, app, folder)
    app.campaigns.new("night_boat", campaign_id="second", seed=2)
    assert saved(back_up, app, folder) == {"game": "unchanged", "second": "written"}
    play(app, "look")
    assert saved(back_up, app, folder) == {"game": "written", "second": "unchanged"}
    (folder / "backup.json").write_text("no list", encoding="utf-8")
    assert saved(back_up, app, folder) == {"game": "written", "second": "written"}


def test_a_backup_made_while_somebody_plays_is_of_one_moment(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(play, app, *LINES * 3)
        taken = 0
        while not playing.done() or not taken:
            assert saved(back_up, app, folder)["game"] in ("written", "unchanged")
            taken += 1
        playing.result()
    other = elsewhere(tmp_path)
    saved(restore, other, folder)
    assert check(other.campaigns.path("game"), other.campaigns.kept).clean


def test_a_damaged_campaign_keeps_its_last_backup_and_stops_no_other(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    app.campaigns.new("night_boat", campaign_id="second", seed=2)
    saved(back_up, app, folder)
    before = (folder / "game.campaign").read_bytes()
    with closing(sqlite3.connect(app.campaigns.path("game"))) as database, database:
        database.execute("UPDATE turns SET result_json = '{}' WHERE turn_no = 2")
    assert saved(back_up, app, folder) == {"game": "failed", "second": "unchanged"}
    assert (folder / "game.campaign").read_bytes() == before
    (folder / "game.campaign").write_bytes(before[: len(before) // 2])
    assert saved(restore, elsewhere(tmp_path), folder) == {"game": "failed", "second": "restored"}


def test_accounts_are_backed_up_and_restored_where_there_are_none(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    accounts = Accounts(app.workspace.accounts)
    made = accounts.create("ada", "a word that is long enough")
    assert saved(back_up, app, folder) == {"game": "written", ACCOUNTS: "written"}
    accounts.close()
    other = elsewhere(tmp_path)
    assert saved(restore, other, folder) == {"game": "restored", ACCOUNTS: "restored"}
    with closing(Accounts(other.workspace.accounts)) as found:
        assert found.check_password("ada", "a word that is long enough") == made
    assert saved(restore, other, folder)[ACCOUNTS] == "there already"


def test_a_file_of_accounts_with_code_in_it_is_not_restored(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "service.db")) as database, database:
        database.execute("CREATE TABLE accounts (id TEXT)")
        database.execute("CREATE TRIGGER t AFTER INSERT ON accounts BEGIN DELETE FROM accounts; END")
    other = elsewhere(tmp_path)
    assert saved(restore, other, folder) == {ACCOUNTS: "failed"}
    assert not other.workspace.accounts.exists()


def test_a_folder_without_a_backup_is_refused(app: App, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no backup"):
        saved(restore, app, tmp_path / "nothing")


@pytest.mark.server
def test_a_backup_of_files_is_restored_into_postgres_and_back(app: App, tmp_path: Path, postgres: str) -> None:
    folder, again = tmp_path / "backups", tmp_path / "again"
    saved(back_up, app, folder)
    with closing(PostgresStore(new_database(postgres))) as store:
        there = elsewhere(tmp_path, store)
        assert saved(restore, there, folder) == {"game": "restored"}
        assert rows(there.campaigns) == rows(app.campaigns)
        play(there, "look")
        assert saved(back_up, there, again) == {"game": "written"}
        after = rows(there.campaigns)
    make_empty_workspace(tmp_path / "third")
    third = open_app(tmp_path / "third")
    assert saved(restore, third, again) == {"game": "restored"}
    assert rows(third.campaigns) == after


def test_the_commands_say_what_became_of_each(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(app.workspace.root)
    told = CliRunner().invoke(program, ["db", "backup", str(tmp_path / "backups")])
    assert (told.exit_code, "game" in told.output, "written" in told.output) == (0, True, True)
    own = CliRunner().invoke(program, ["db", "backup", str(app.campaigns.folder)])
    assert own.exit_code != 0
    told = CliRunner().invoke(program, ["db", "restore", str(tmp_path / "backups"), "--json"])
    assert (told.exit_code, '"there already"' in told.output) == (0, True)
