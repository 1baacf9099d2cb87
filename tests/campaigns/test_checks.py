"""A sound file is found sound whatever was done in it; whatever is changed in it from outside is found, and named."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.branches import branch, rollback, switch
from lorewright.campaigns.checks import check, migrate_file
from lorewright.campaigns.exchange import export
from lorewright.campaigns.sessions import active_or_new_session, end
from lorewright.errors import DamagedFile, ProviderError
from lorewright.ids import canonical_json
from lorewright.llm.doubles import ScriptedModel
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import delete_files_of, opened
from lorewright.storage.integrity import FOUNDATIONS, INVARIANTS, ODDITIES
from lorewright.storage.tables import migrate
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import undo
from lorewright.world.events import UnknownEvent
from support import harbour as h
from support.scale import scaled

PROJECT = Path(__file__).parents[2]
HEAD = "(SELECT head_turn_id FROM campaigns)"
TURN_2 = "(SELECT turn_id FROM turns WHERE turn_no = 2)"

# What is done to a file, and the code of what is then found.
DAMAGES = {
    "INSERT INTO campaigns SELECT 'other', name, scenario_id, scenario_json, rules_json, ruleset_id, ruleset_hash, seed, "
    "small_model_key, large_model_key, head_turn_id, revision, current_turn, created_at, updated_at, branch, calibration_json, agreed_keys_json "
    "FROM campaigns": "campaign-count",
    "UPDATE turns SET parent_id = NULL WHERE turn_no = 3": "root",
    "UPDATE turns SET kind = 'play' WHERE turn_no = 0": "root",
    "UPDATE campaigns SET head_turn_id = 'nowhere'": "head-unknown",
    "UPDATE turns SET parent_id = 'nowhere' WHERE turn_no = 3": "turn-parent",
    "UPDATE turns SET turn_no = 7 WHERE turn_no = 3": "turn-number",
    f"UPDATE turns SET parent_id = {HEAD} WHERE turn_no = 1": "turn-number",
    "UPDATE campaigns SET current_turn = 1": "head-number",
    "UPDATE campaigns SET revision = 3": "revision-behind",
    "UPDATE attempts SET campaign_id = 'other'": "stranger",
    "UPDATE campaigns SET branch = 'nowhere'": "branch-unknown",
    f"UPDATE branches SET head_turn_id = {TURN_2} WHERE name = 'main'": "branch-head",
    f"DELETE FROM world_states WHERE turn_id = {HEAD}": "state-missing",
    "UPDATE messages SET seq = 5 WHERE seq = 1": "message-order",
    "UPDATE actions SET action_index = 3": "action-order",
    "DELETE FROM stage_records WHERE seq = 2": "record-order",
    "DELETE FROM messages WHERE type = 'narration'": "message-missing",
    f"DELETE FROM stage_records WHERE turn_id = {HEAD}": "record-missing",
    "UPDATE stage_records SET builtin_version = 0 WHERE stage = 'planner'": "record-version",
    "DELETE FROM validation_results": "action-unjudged",
    "DELETE FROM actions": "judgement-unfounded",
    "UPDATE validation_results SET success = 0, reason = NULL": "refusal-unexplained",
    f"UPDATE undone SET turn_id = {HEAD}": "undone-order",
    "UPDATE attempts SET head_turn_id = 'nowhere'": "attempt-head",
    "UPDATE turns SET kind = 'upgrade' WHERE turn_no = 2": "upgrade-turn",
    "UPDATE sessions SET ended_at = NULL, summary = NULL": "session-open",
    "UPDATE sessions SET turn_range_end = 9": "session-range",
    "UPDATE sessions SET summary = NULL": "session-summary",
    "UPDATE sessions SET turn_range_start = 0": "session-turns",
    "DELETE FROM pack_pins WHERE 0; UPDATE turns SET session_id = 'nowhere' WHERE turn_no = 1": "foreign-key",
    "UPDATE turns SET ops_json = '[]' WHERE turn_no = 2": "state-hash",
    "UPDATE turns SET ops_json = '{' WHERE turn_no = 2": "ops-unreadable",
    'UPDATE turns SET ops_json = \'[{"op":"move","entity_id":"nobody","to":"nowhere"}]\' WHERE turn_no = 2': "ops-refused",
    "UPDATE world_states SET state_json = replace(state_json, 'Ada', 'Eve') WHERE typeof(state_json) = 'text'": "state-changed",
    "UPDATE world_states SET state_json = substr(state_json, 1, 99) WHERE typeof(state_json) = 'blob'": "state-unreadable",
    "UPDATE stage_records SET input_json = CAST(substr(input_json, 1, 99) || x'00' AS BLOB) WHERE seq = 0": "json-unreadable",
    "DELETE FROM stage_keys": "json-unreadable",
    "UPDATE stage_keys SET input = x'0100'": "packed-altered",
    "UPDATE stage_keys SET stage = 'narrator', input = (SELECT input FROM stage_keys LIMIT 1)": "json-unreadable",
    "UPDATE prompt_texts SET source = x'01'": "packed-altered",
    "UPDATE campaigns SET rules_json = x'02'": "rules-unreadable",
    "UPDATE campaigns SET scenario_json = CAST(substr(scenario_json, 2) AS BLOB)": "json-unreadable",
    "DELETE FROM first_reveals; INSERT INTO first_reveals SELECT id, 'x', 'y', 'z' FROM campaigns": "first-reveals",
    "UPDATE world_states SET state_json = '{}'": "state-unreadable",
    "UPDATE turns SET result_json = '{}' WHERE turn_no = 2": "result-unreadable",
    "UPDATE turns SET result_json = (SELECT result_json FROM turns WHERE turn_no = 1)": "result-of-another",
    "UPDATE messages SET content = 'You win.' WHERE type = 'narration'": "result-message",
    "UPDATE turns SET player_text = 'kill everyone'": "request-hash",
    "UPDATE stage_records SET output_json = '{'": "json-unreadable",
    "UPDATE sessions SET session_lore_json = '[]'": "json-unreadable",
    "UPDATE messages SET payload_json = '[]'": "json-unreadable",
    "UPDATE messages SET type = 'song'": "result-message",
    "UPDATE turns SET turn_no = 'three' WHERE turn_no = 3": "value-type",
    "UPDATE turns SET result_json = x'00ff'": "value-type",
    "UPDATE campaigns SET rules_json = '{}'": "rules-unreadable",
    "INSERT INTO migrations VALUES ('campaign_999_future', '')": "newer-version",
    "DELETE FROM migrations WHERE name LIKE '%003%'": "unreadable",
}

# What an older version wrote where the clock of its machine was set back, and what is noted of it.
ODD = {
    "UPDATE sessions SET ended_at = '1999'": "session-time",
    "UPDATE turns SET created_at = '1999' WHERE session_id IS NOT NULL": "session-turn",
}


def eventful(tmp_path: Path) -> App:
    """A campaign in which everything happened that a file can hold."""
    app = h.harbour(tmp_path)
    for lines in (("look", "ask Osk about Lin"), ("xyzzy", "take rope", "go nowhere and look")):
        with app.campaigns.open("game") as campaign:
            session = active_or_new_session(campaign)
            h.say(app, *lines)
            end(campaign, session)
    broken = h.with_models(app, {"narrator": ScriptedModel([ProviderError("the server is gone")])})
    with pytest.raises(ProviderError):
        h.say(broken, "wait")
    h.say(app, "wait", "go door")
    with app.campaigns.reading("game") as store:
        branch(store, turn="3", name="side")
        switch(store, "side")
    h.say(app, "wait", "wait")
    with app.campaigns.reading("game") as store:
        rollback(store)
        switch(store, "main")
        undo(store)
    return app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return eventful(tmp_path_factory.mktemp("checks"))


@pytest.fixture(scope="module")
def file(app: App) -> Path:
    return app.workspace.campaigns / "game.db"


def damaged(file: Path, folder: Path, sql: str) -> Path:
    path = folder / "game.db"
    delete_files_of(path)
    shutil.copyfile(file, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA synchronous = OFF; " + sql)
    return path


def test_a_file_in_which_everything_happened_is_sound(file: Path) -> None:
    checked = check(file)
    assert checked.findings == ()
    assert checked.turns == 10


@pytest.mark.parametrize("sql", DAMAGES, ids=[f"{n}-{code}" for n, code in enumerate(DAMAGES.values())])
def test_what_is_changed_from_outside_is_found_and_says_what_to_do(file: Path, tmp_path: Path, sql: str) -> None:
    checked = check(damaged(file, tmp_path, sql))
    assert DAMAGES[sql] in {one.code for one in checked.findings}
    assert all(one.where and one.what and one.hint for one in checked.findings)


@pytest.mark.parametrize("sql", ODD, ids=ODD.values())
def test_what_a_clock_that_was_set_back_has_left_is_noted_and_is_no_damage(
    file: Path, tmp_path: Path, sql: str
) -> None:
    checked = check(damaged(file, tmp_path, sql))
    assert checked.clean
    assert checked.findings == ()
    assert {one.code for one in checked.notes} == {ODD[sql]}
    assert all(one.where and one.what and "clock" in one.hint for one in checked.notes)


def test_events_of_another_version_are_no_damage_and_stay_as_they_are(file: Path, tmp_path: Path) -> None:
    told = '"type":"{}"'
    known, other = told.format("item_taken"), told.format("item_pocketed")
    path = damaged(
        file,
        tmp_path,
        f"""UPDATE turns SET result_json = replace(result_json, '{known}', '{other}');
            UPDATE stage_records SET output_json = replace(output_json, '{known}', '{other}')""",
    )
    with opened(path) as database, database.transaction() as connection:
        connection.execute("DELETE FROM turn_hashes")
        (hashes,) = [one for one in CAMPAIGN_MIGRATIONS if one.name == "campaign_010_hashes"]
        connection.execute(hashes.statements[-1])
    assert check(path).findings == ()
    with closing(CampaignStore(path)) as store:
        turns = [turn for turn in store.turns() if other in canonical_json(turn["result"])]
        assert turns
        for turn in turns:
            (event,) = store.resolution(turn["turn_id"]).events
            assert isinstance(event, UnknownEvent)
            assert event.model_dump(mode="json") in turn["result"]["engine_events"]
        assert undo(store)
        assert {marker.subtype for marker in store.head().markers} <= {"location_change"}


def test_every_invariant_is_broken_by_one_of_these(file: Path) -> None:
    assert {one.code for one in (*FOUNDATIONS, *INVARIANTS)} <= set(DAMAGES.values())
    assert {one.code for one in ODDITIES} == set(ODD.values())


def test_every_code_is_explained() -> None:
    page = (PROJECT / "docs" / "campaign_files.md").read_text(encoding="utf-8")
    source = (PROJECT / "src" / "lorewright" / "campaigns" / "checks.py").read_text(encoding="utf-8")
    codes = {
        *re.findall(r'Finding\(\s*"([a-z-]+)"', source),
        *(one.code for one in (*FOUNDATIONS, *INVARIANTS, *ODDITIES)),
    }
    assert codes > {"state-hash", "root"}
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []


def test_what_is_no_database_is_a_finding(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "game.db"
    path.write_bytes(b"no database at all, and long enough to be sure of it" * 100)
    assert [one.code for one in check(path).findings] == ["unreadable"]
    torn = tmp_path / "torn.db"
    torn.write_bytes(file.read_bytes()[:-4096])
    assert {one.code for one in check(torn).findings} & {"unreadable", "file-torn"}


GARBAGE = ("'{'", "'[]'", "'null'", "NULL", "-7", "CAST(x'ff' AS TEXT)")


@pytest.mark.campaign
def test_whatever_stands_in_a_column_is_a_finding_or_nothing_and_never_an_exception(file: Path, tmp_path: Path) -> None:
    with sqlite3.connect(file) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(one, row[1]) for one in names for row in connection.execute(f"PRAGMA table_info({one})")]
    connection.close()
    assert len(columns) > 80
    found = set()
    # All kinds of garbage in a state, in other columns one, another in each; all of them in all with CAMPAIGN_SCALE=6.
    for number, (table, column) in enumerate(columns):
        kinds = len(GARBAGE) if column == "state_json" else min(len(GARBAGE), scaled(1))
        for value in (GARBAGE * 2)[number % len(GARBAGE) :][:kinds]:
            try:
                path = damaged(file, tmp_path, f"UPDATE {table} SET {column} = {value}")
            except sqlite3.IntegrityError:
                continue
            found |= {one.code for one in check(path).findings}
    assert {"value-type", "json-unreadable", "result-unreadable", "state-unreadable", "unreadable"} <= found


def test_a_file_that_was_copied_under_another_name_is_found(tmp_path: Path, file: Path) -> None:
    copy = tmp_path / "other.db"
    shutil.copyfile(file, copy)
    assert [one.code for one in check(copy).findings] == ["file-name"]


def test_looking_changes_nothing(file: Path, tmp_path: Path) -> None:
    path = damaged(file, tmp_path, "DELETE FROM migrations WHERE name LIKE '%003%'")

    def dump() -> str:
        with sqlite3.connect(path) as connection:
            found = "\n".join(connection.iterdump())
        connection.close()
        return found

    before = dump()
    check(path)
    assert dump() == before


def test_a_finding_never_quotes_what_it_cannot_read(file: Path, tmp_path: Path) -> None:
    for table, column in (("turns", "ops_json"), ("turns", "result_json"), ("stage_records", "input_json")):
        checked = check(damaged(file, tmp_path, f'UPDATE {table} SET {column} = \'[{{"marmoset": "pangolin\''))
        assert checked.findings
        assert not [one for one in checked.findings if "marmoset" in str(one) or "pangolin" in str(one)]


def test_a_text_that_is_pinned_and_not_kept_any_more_is_found(app: App) -> None:
    path, kept = app.campaigns.path("game"), app.campaigns.kept
    assert check(path, kept).clean
    (archive,) = (app.workspace.campaigns / "packs-kept").glob("*.zip")
    whole = archive.read_bytes()
    for spoilt in (None, whole[: len(whole) // 2], whole.replace(b"tavern.md", b"taverm.md")):
        archive.unlink()
        if spoilt is not None:
            archive.write_bytes(spoilt)
        else:
            assert [one.code for one in check(path, kept).findings] == ["text-lost"]
            archive.touch()
        assert [one.code for one in check(path, kept).findings] == ["text-lost"]
    archive.write_bytes(whole)


def test_an_old_file_is_brought_up_to_date_once_and_then_sound(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    path = app.workspace.campaigns / "game.db"
    old = tmp_path / "old" / "game.db"
    with opened(old) as database, sqlite3.connect(path) as source:
        migrate(database, CAMPAIGN_MIGRATIONS[:2])
        with database.transaction() as target:
            for table in ("campaigns", "pack_pins", "turns", "world_states", "messages"):
                columns = ", ".join(row["name"] for row in database.rows(f"PRAGMA table_info({table})"))
                for row in source.execute(f"SELECT {columns} FROM {table}").fetchall():
                    target.execute(f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(row))})", row)
    source.close()
    assert [one.code for one in check(old).findings] == ["older-version"]
    done = migrate_file(old)
    assert (done.applied, done.projected) == (tuple(one.name for one in CAMPAIGN_MIGRATIONS[2:]), True)
    assert migrate_file(old).applied == ()
    assert check(old).findings == ()


@pytest.mark.parametrize("column", ["player_text", "result_json", "ops_json"])
def test_a_turn_that_was_altered_after_it_was_written_is_found_and_not_exported(tmp_path: Path, column: str) -> None:
    app = h.harbour(tmp_path, played=("look", "ask Osk about Lin"))
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE turns SET {column} = replace({column}, 'o', 'u') WHERE turn_no = 2")
    assert "turn-altered" in {finding.code for finding in check(path).findings}
    with pytest.raises(DamagedFile):
        export(app.campaigns, "game", tmp_path / "out.lorewright")


def test_an_altered_telling_is_found_where_nothing_else_shows_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("look",))
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection, connection:
        (stored,) = connection.execute("SELECT result_json FROM turns WHERE turn_no = 1").fetchone()
        altered = stored.replace('"final_text":"', '"final_text":"~', 1)
        connection.execute("UPDATE turns SET result_json = ? WHERE turn_no = 1", (altered,))
    assert [finding.code for finding in check(path).findings] == ["turn-altered"]
