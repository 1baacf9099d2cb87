"""Campaigns and accounts are backed up while they are played, and restored into either store."""

from __future__ import annotations

import asyncio
import json
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
from lorewright.errors import DamagedFile, NotFound, SettingsError
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.service.web.budgets import Spending
from lorewright.service.web.serving import open_rows
from lorewright.service.web.store import Accounts
from lorewright.storage.postgres.service_rows import PostgresRows
from lorewright.storage.postgres.store import PostgresStore
from lorewright.workspace.accounts_copies import (
    ACCOUNTS,
    AccountsPlace,
    FileAccounts,
    PostgresAccounts,
    copy_accounts,
    rows_of,
)
from lorewright.workspace.backups import Saved, back_up, restore
from support import harbour as h
from support.postgres_server import new_database

PASSWORD = "a word that is long enough"
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


def place_of(app: App) -> AccountsPlace:
    return FileAccounts(app.workspace.accounts) if app.elsewhere is None else PostgresAccounts(app.elsewhere)


def saved(work: Callable[..., object], app: App, folder: Path) -> dict[str, str]:
    """Return what became of each."""
    done = work(app.campaigns, place_of(app), folder, lambda what, done, total: None)
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
    made = accounts.create("ada", PASSWORD)
    assert saved(back_up, app, folder) == {"game": "written", ACCOUNTS: "written"}
    accounts.close()
    other = elsewhere(tmp_path)
    assert saved(restore, other, folder) == {"game": "restored", ACCOUNTS: "restored"}
    with closing(Accounts(other.workspace.accounts)) as found:
        assert found.check_password("ada", PASSWORD) == made
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


@pytest.mark.server
def test_accounts_go_into_postgres_and_back_with_seats_tokens_and_the_log(
    app: App, tmp_path: Path, postgres: str
) -> None:
    with closing(Accounts(app.workspace.accounts)) as accounts:
        ada = accounts.create("ada", PASSWORD)
        accounts.add_seat("game", ada, "pc:ada")
        cookie, _ = accounts.begin_session(ada)
        token, _ = accounts.new_token(ada, name="b\x00t", scopes=("read",), days=3)
        link, _ = accounts.new_link("seat", ada, campaign_id="game", role="player")
        for number in range(3):
            accounts.note(ada, "edit", campaign_id="game", number=number)
        Spending(accounts).bound(ada, 2.5)
    saved(back_up, app, tmp_path / "backups")
    with closing(PostgresStore(new_database(postgres))) as store:
        there = elsewhere(tmp_path, store)
        assert saved(restore, there, tmp_path / "backups") == {"game": "restored", ACCOUNTS: "restored"}
        assert saved(restore, there, tmp_path / "backups")[ACCOUNTS] == "there already"
        # The other way of copying finds the same.
        copied = copy_accounts(place_of(app), place_of(there))
        assert copied is not None
        assert (copied.is_equal, copied.is_new) == (True, False)
        with closing(PostgresRows(store)) as rows:
            found = Accounts(rows)
            assert found.check_password("ada", PASSWORD) == ada
            assert found.seat_of(ada, "game").role == "pc:ada"
            assert found.session(cookie) is not None
            assert found.token(token) is not None
            found.note(ada, "later")
            assert [entry.action for entry in found.audit()] == ["later", "edit", "edit", "edit"]
            found.create("eve", PASSWORD, link=link)
        differing = copy_accounts(place_of(app), place_of(there))
        assert differing is not None
        assert not differing.is_equal
        assert saved(back_up, there, tmp_path / "again")[ACCOUNTS] == "written"
    third = elsewhere(tmp_path / "third")
    assert saved(restore, third, tmp_path / "again") == {"game": "restored", ACCOUNTS: "restored"}
    with closing(Accounts(third.workspace.accounts)) as accounts:
        assert accounts.check_password("eve", PASSWORD) is not None
        assert accounts.token(token) is not None
        assert Spending(accounts).of(ada).most_usd == 2.5
        assert [entry.action for entry in accounts.audit()] == ["later", "edit", "edit", "edit"]


@pytest.mark.server
def test_a_file_of_accounts_with_values_of_other_types_is_not_restored_into_postgres(
    app: App, tmp_path: Path, postgres: str
) -> None:
    with closing(Accounts(app.workspace.accounts)) as accounts:
        accounts.create("ada", PASSWORD)
    with closing(sqlite3.connect(app.workspace.accounts)) as database, database:
        database.execute("UPDATE accounts SET password = x'00'")
    data = place_of(app).read()
    assert data is not None
    with pytest.raises(DamagedFile, match="other types"):
        rows_of(data)
    saved(back_up, app, tmp_path / "backups")
    with closing(PostgresStore(new_database(postgres))) as store:
        there = elsewhere(tmp_path, store)
        assert saved(restore, there, tmp_path / "backups")[ACCOUNTS] == "failed"
        assert place_of(there).read() is None


@pytest.mark.server
def test_accounts_are_copied_with_all_campaigns_and_a_service_does_not_begin_without_them(
    app: App, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = new_database(postgres)
    monkeypatch.chdir(app.workspace.root)
    with closing(Accounts(app.workspace.accounts)) as accounts:
        ada = accounts.create("ada", PASSWORD)
    with closing(PostgresStore(address)) as store:
        with pytest.raises(SettingsError, match="has none") as refused:
            open_rows(store, app.workspace)
        assert "db copy --to" in refused.value.hint
        told = CliRunner().invoke(program, ["db", "copy", "--to", address, "--json"])
        assert told.exit_code == 0, told.output
        assert [row["id"] for row in json.loads(told.output)] == ["game", ACCOUNTS]
        with closing(open_rows(store, app.workspace)) as rows:
            assert Accounts(rows).check_password("ada", PASSWORD) == ada
        one = CliRunner().invoke(program, ["db", "copy", "game", "--to", address, "--json"])
        assert [row["id"] for row in json.loads(one.output)] == ["game"]
    app.workspace.accounts.unlink()
    back = CliRunner().invoke(program, ["db", "copy", "--from", address])
    assert back.exit_code == 0, back.output
    with closing(Accounts(app.workspace.accounts)) as accounts:
        assert accounts.check_password("ada", PASSWORD) == ada


def test_the_commands_say_what_became_of_each(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(app.workspace.root)
    told = CliRunner().invoke(program, ["db", "backup", str(tmp_path / "backups")])
    assert (told.exit_code, "game" in told.output, "written" in told.output) == (0, True, True)
    own = CliRunner().invoke(program, ["db", "backup", str(app.campaigns.folder)])
    assert own.exit_code != 0
    told = CliRunner().invoke(program, ["db", "restore", str(tmp_path / "backups"), "--json"])
    assert (told.exit_code, '"there already"' in told.output) == (0, True)
