"""A campaign's file of an earlier version: what it lacks is added, and what was played in it is played on.

Each file of `fixtures/campaigns/campaign_NNN.db.gz` was written by the program that knew the tables up to that migration
and no later ones: some turns, a turn that was taken back, a sitting and a submission that failed, as far as there were
such things; since the third a second branch, since the fifth an upgrade on it. The texts of the pack that they pin lie
beside them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.branches import rollback, switch, tree
from lorewright.campaigns.checks import check, migrate_file
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.replay.metrics import ALL_TURNS
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import Database, opened, with_single_blanks
from lorewright.storage.tables import migrate
from lorewright.turn.store.turn_store import redo, undo
from support import harbour as h

FOLDER = Path(__file__).parents[1] / "fixtures" / "campaigns"
NAMES = [migration.name for migration in CAMPAIGN_MIGRATIONS]
FILES = {name: FOLDER / f"campaign_{name.split('_')[1]}.db.gz" for name in NAMES}
FIRST, SECOND, THIRD, _, FIFTH = NAMES[:5]


def taken_on(tmp_path: Path, migration: str) -> App:
    """A workspace that has nothing but a campaign `game` of that version and the text that it pins."""
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    (root / "campaigns" / "packs-kept").mkdir(parents=True, exist_ok=True)
    (root / "campaigns" / "game.db").write_bytes(gzip.decompress(FILES[migration].read_bytes()))
    for kept in FOLDER.glob("*.zip"):
        shutil.copy(kept, root / "campaigns" / "packs-kept" / kept.name)
    return open_app(root)


def test_of_each_version_of_the_tables_there_is_a_file() -> None:
    """Of a new one it is written by tests/support/old_campaign.py."""
    assert [name for name, file in FILES.items() if not file.is_file()] == []


@pytest.mark.parametrize("migration", NAMES)
def test_a_file_of_each_version_is_migrated_found_sound_and_played_on(tmp_path: Path, migration: str) -> None:
    app = taken_on(tmp_path, migration)
    path = app.campaigns.path("game")
    missing = NAMES[NAMES.index(migration) + 1 :]
    assert [one.code for one in check(path).findings] == (["older-version"] if missing else [])
    done = migrate_file(path)
    assert (done.applied, done.projected, done.problem) == (tuple(missing), "campaign_009_discoveries" in missing, None)
    assert check(path, app.campaigns.kept).clean

    with app.campaigns.open("game") as campaign:
        store = campaign.store
        turns = store.turns()
        assert [turn["player_text"] for turn in turns][:2] == ["", "look"]
        for turn in turns:
            assert store.state_at(turn["turn_id"]).content_hash() == turn["state_hash"]
        told = asyncio.run(campaign.submit("take rope", action_id="new"))
        assert json.loads(told)["turn_no"] == len(turns)
        assert asyncio.run(campaign.submit("take rope", action_id="new")) == told
        (attempt,) = store.attempts()
        assert (attempt["player_text"], attempt["error_code"]) == ("wait", "provider_failed")
    assert check(path, app.campaigns.kept).clean


@pytest.mark.parametrize("migration", NAMES)
def test_a_file_of_each_version_replays_as_it_was_played(tmp_path: Path, migration: str) -> None:
    app = taken_on(tmp_path, migration)
    found = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None))
    assert [turn.turn_no for turn in found.turns if not turn.is_identical] == []
    assert found.is_identical


@pytest.mark.parametrize("migration", NAMES)
def test_to_open_a_file_of_any_version_is_enough(tmp_path: Path, migration: str) -> None:
    app = taken_on(tmp_path, migration)
    assert [row.id for row in app.campaigns.rows()] == ["game"]
    assert check(app.campaigns.path("game"), app.campaigns.kept).clean


@pytest.mark.parametrize("migration", NAMES)
def test_what_a_file_of_any_version_holds_goes_into_another_workspace(tmp_path: Path, migration: str) -> None:
    app = taken_on(tmp_path, migration)
    export(app.campaigns, "game", tmp_path / "file")
    make_empty_workspace(tmp_path / "away")
    away = open_app(tmp_path / "away")
    import_campaign(away.campaigns, tmp_path / "file", campaign_id="again")
    assert check(away.campaigns.path("again"), away.campaigns.kept).clean
    turn_no = away.campaigns.rows()[0].current_turn
    assert h.say(away, "wait", campaign="again")[0]["turn_no"] == turn_no + 1


def test_a_file_that_the_program_of_the_third_version_exported_is_imported(tmp_path: Path) -> None:
    make_empty_workspace(tmp_path / "away")
    away = open_app(tmp_path / "away")
    import_campaign(away.campaigns, FOLDER / "campaign_003.lorewright")
    assert check(away.campaigns.path("game"), away.campaigns.kept).clean
    with away.campaigns.reading("game") as store:
        assert [one.name for one in tree(store).branches] == ["main", "side"]
    assert h.say(away, "wait")[0]["turn_no"] == 4


def test_in_a_campaign_of_the_first_version_turns_can_be_taken_back(tmp_path: Path) -> None:
    app = taken_on(tmp_path, FIRST)
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        assert {turn["lore_cached"] for turn in store.turns()} == {None}
        undo(store)
        redo(store)
        assert json.loads(asyncio.run(campaign.submit("look")))["turn_no"] == 6
        assert store.turns()[-1]["lore_cached"] is False
    assert app.sessions.start_session("game").turn_range_start == 7


def test_in_a_campaign_of_the_second_version_the_sitting_and_what_was_undone_are_kept(tmp_path: Path) -> None:
    app = taken_on(tmp_path, SECOND)
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "ask Osk about Lin", "go door"]
        assert [(end.turn_no, end.can_be_redone) for end in tree(store).loose_ends] == [(2, False), (4, True)]
        redo(store)
        assert rollback(store).kept_as == "main-turn4"
    assert [one.id for one in app.sessions.session_history("game")] == ["game:session_1"]
    assert check(app.campaigns.path("game")).clean


def test_in_a_campaign_of_the_third_version_the_branches_are_kept(tmp_path: Path) -> None:
    app = taken_on(tmp_path, THIRD)
    with app.campaigns.reading("game") as store:
        assert [one.name for one in tree(store).branches] == ["main", "side"]
        switch(store, "side")
        assert store.turns()[-1]["player_text"] == "search under the counter"
    assert check(app.campaigns.path("game")).clean


def test_in_a_campaign_of_the_fifth_version_a_branch_goes_by_what_it_was_upgraded_to(tmp_path: Path) -> None:
    app = taken_on(tmp_path, FIFTH)
    with app.campaigns.reading("game") as store:
        assert [pin.version for pin in store.campaign().pins] == ["1.0.0"]
        switch(store, "side")
        assert [pin.version for pin in store.campaign().pins] == ["1.1.0"]
    assert h.say(app, "wait")
    assert check(app.campaigns.path("game"), app.campaigns.kept).clean


def test_no_released_migration_was_edited(tmp_path: Path) -> None:
    """What a file of a version has is what its migrations make today, statement by statement."""
    for number, migration in enumerate(NAMES, start=1):
        folder = tmp_path / migration
        folder.mkdir()
        (folder / "game.db").write_bytes(gzip.decompress(FILES[migration].read_bytes()))
        with opened(folder / "made.db") as database:
            migrate(database, CAMPAIGN_MIGRATIONS[:number])
            made = schema(database)
        with opened(folder / "game.db") as database:
            assert schema(database) == made


def schema(database: Database) -> list[tuple[object, ...]]:
    found = database.rows("SELECT name, sql FROM sqlite_master ORDER BY name")
    return [(row["name"], row["sql"] and with_single_blanks(row["sql"])) for row in found]
