"""A campaign's file that is not as it was written: whoever reads it is told so, and no reader fails in another way."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.branches import tree
from lorewright.campaigns.exchange import export
from lorewright.campaigns.sessions import active_or_new_session, end, sittings
from lorewright.errors import DamagedFile, LorewrightError
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.database import delete_files_of
from support import harbour as h
from support.scale import scaled


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    app = h.harbour(tmp_path_factory.mktemp("damaged"))
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        h.say(app, "look", "ask Osk about Lin", "take rope")
        end(campaign, session)
    return app


def _log(app: App) -> None:
    with app.campaigns.reading("game") as store:
        for turn in store.turns():
            store.stage_records(turn["turn_id"])
            store.state_at(turn["turn_id"])
            store.state_diff(turn["turn_id"])
        store.messages(store.position().turn_id, last=10)
        store.attempts()


def _sittings(app: App) -> None:
    with app.campaigns.reading("game") as store:
        sittings(store)


def _branches(app: App) -> None:
    with app.campaigns.reading("game") as store:
        tree(store)


def _open(app: App) -> None:
    with app.campaigns.open("game"):
        pass


READERS: dict[str, Callable[[App], object]] = {
    "log": _log,
    "sittings": _sittings,
    "branches": _branches,
    "open": _open,
    "list": lambda app: app.campaigns.rows(),
    "history": lambda app: app.sessions.session_history("game"),
    "recap": lambda app: app.sessions.generate_recap("game:session_1"),
    "lore": lambda app: app.lore.retrieve(LoreRetrievalQuery(keywords="lin", corpus="all"), campaign_id="game"),
    "turn": lambda app: h.say(app, "wait"),
    "export": lambda app: export(app.campaigns, "game", app.workspace.root / "file.lorewright"),
}


def read_everything(app: App) -> list[LorewrightError]:
    found: list[LorewrightError] = []
    for read in READERS.values():
        # What SQLite itself refuses is told by whoever calls us.
        with suppress(sqlite3.DatabaseError):
            try:
                read(app)
            except LorewrightError as error:
                found.append(error)
    (app.workspace.root / "file.lorewright").unlink(missing_ok=True)
    return found


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE turns SET result_json = substr(result_json, 1, 40)",
        "UPDATE turns SET result_json = '[]'",
        "UPDATE turns SET ops_json = '{' WHERE turn_no = 2",
        "UPDATE world_states SET state_json = substr(state_json, 1, 400)",
        "UPDATE messages SET payload_json = 'x', audience_json = '7'",
        "UPDATE stage_records SET output_json = '{'",
        "UPDATE stage_records SET output_json = '{\"ops\": 7}' WHERE stage = 'resolve'",
        "UPDATE sessions SET session_lore_json = '', summary = NULL",
        "UPDATE sessions SET world_events_pending = 'null'",
        "UPDATE campaigns SET scenario_json = '{'",
        "UPDATE campaigns SET rules_json = '{}'",
        "UPDATE campaigns SET calibration_json = '\"'",
        "UPDATE turns SET submission_json = '{'",
        "UPDATE turns SET created_at = 7, kind = NULL",
    ],
)
def test_what_cannot_be_read_is_told_as_damage_by_every_reader(app: App, sql: str) -> None:
    path = app.campaigns.path("game")
    whole = path.read_bytes()
    try:
        with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.IntegrityError):
            connection.executescript("PRAGMA ignore_check_constraints = ON; " + sql)
        for error in read_everything(app):
            assert error.message
            assert error.hint
            assert "Traceback" not in error.message
    finally:
        delete_files_of(path)
        path.write_bytes(whole)


def test_the_recap_of_a_torn_sitting_names_the_place(app: App) -> None:
    path = app.campaigns.path("game")
    whole = path.read_bytes()
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(
                "UPDATE turns SET result_json = substr(result_json, 1, 40); UPDATE sessions SET summary = NULL"
            )
        with pytest.raises(DamagedFile, match=r"game\.db is damaged: ") as told:
            app.sessions.generate_recap("game:session_1")
        assert told.value.code == "file_damaged"
    finally:
        delete_files_of(path)
        path.write_bytes(whole)


def test_a_mistake_in_reading_a_sound_file_shows_as_one(app: App) -> None:
    with pytest.raises(KeyError, match="ours"), app.campaigns.reading("game"):
        raise KeyError("ours")


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(scaled(3)))
def test_whatever_bytes_are_changed_no_reader_fails_but_with_an_error_of_ours(
    app: App, tmp_path: Path, seed: int
) -> None:
    path, lot = app.campaigns.path("game"), random.Random(seed)
    kept = shutil.copyfile(path, tmp_path / "whole.db")
    try:
        for _ in range(3):
            data = bytearray(kept.read_bytes())
            for _ in range(lot.choice((1, 3, 30))):
                data[lot.randrange(len(data))] ^= lot.randrange(1, 256)
            if lot.random() < 0.3:
                del data[lot.randrange(4096, len(data)) :]
            delete_files_of(path)
            path.write_bytes(data)
            read_everything(app)
    finally:
        delete_files_of(path)
        shutil.copyfile(kept, path)
