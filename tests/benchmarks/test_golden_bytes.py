"""What is made of recorded bytes: what varies is taken out, a campaign's file is told apart, a difference is located."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from golden_bytes import (
    GOLDEN,
    Program,
    decoded,
    differences,
    load,
    read,
    read_campaign,
    rows_of,
    save,
    without_varying,
)

PLAY = "$ lorewright play x\nexit 0\n\n> look\nA bar.\n\n> wait\nRain falls.\n"


def campaign(path: Path) -> Path:
    """Write a campaign's file with two turns and one table more."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE TABLE turns (turn_id TEXT, turn_no INTEGER, ops_json TEXT, state_hash TEXT, result_json TEXT);
            INSERT INTO turns VALUES ('t2', 2, '[{"op": "move"}]', 'b', '{"rolls": [7], "final_text": "Rain."}');
            INSERT INTO turns VALUES ('t1', 1, '[]', 'a', '{"rolls": [], "final_text": "A bar."}');
            CREATE TABLE stage_records (turn_id TEXT, seq INTEGER, stage TEXT, input_json TEXT, output_json TEXT);
            INSERT INTO stage_records VALUES ('t1', 1, 'narrator', '{"place": "bar"}', '{"text": "A bar."}');
            CREATE TABLE messages (turn_id TEXT, seq INTEGER, content TEXT);
            INSERT INTO messages VALUES ('t1', 1, 'A bar.');
            CREATE TABLE clocks (id TEXT, value INTEGER);
            INSERT INTO clocks VALUES ('heat', 2);
            """
        )
    return path


def test_times_durations_and_paths_are_taken_out_and_numbers_of_the_story_are_not() -> None:
    text = '{"at": "2026-11-22T22:54:15.315+00:00", "query_time_ms": 12.5, "who": "/tmp/a/x", "hp": 12.5} 30 seconds'
    settled = without_varying(text, {"/tmp/a": "<scratch>"})
    assert settled == '{"at": "<time>", "query_time_ms": <ms>, "who": "<scratch>/x", "hp": 12.5} 30 seconds'


def test_a_campaign_is_told_apart_by_what_each_thing_is(tmp_path: Path) -> None:
    kinds = {kind: json.loads(text) for kind, text in read_campaign(campaign(tmp_path / "x.db"))}
    assert [row["is"] for row in kinds["dice.json"]] == [[], [7]]
    assert [row["is"]["final_text"] for row in kinds["narrations.json"]] == ["A bar.", "Rain."]
    assert kinds["ops.json"][1] == {"turn_no": 2, "turn_id": "t2", "is": [{"op": "move"}]}
    assert [row["is"] for row in kinds["state_hashes.json"]] == ["a", "b"]
    assert kinds["packets.json"][0]["input_json"] == {"place": "bar"}
    assert "input_json" not in kinds["stage_records.json"][0]
    assert kinds["messages.json"][0] == {"turn_id": "t1", "seq": 1, "content": "A bar.", "turn_no": 1}
    assert kinds["tables/clocks.json"] == [{"id": "heat", "value": 2}]


def test_rows_come_in_an_order_that_does_not_follow_their_times() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE calls (created_at TEXT, stage TEXT)")
        calls = [("2026-11-22T22:54:16.001Z", "a"), ("2026-11-22T22:54:15.001Z", "b")]
        database.executemany("INSERT INTO calls VALUES (?, ?)", calls)
        assert [row["stage"] for row in rows_of(database, "calls")] == ["a", "b"]


def test_bytes_are_told_by_their_digest_and_text_that_is_no_json_stays() -> None:
    assert decoded(b"x") != decoded(b"y")
    assert decoded("[not json") == "[not json"


def test_a_difference_is_named_with_its_kind_and_where_it_is() -> None:
    before = {"plays/x/screen.txt": PLAY, "plays/y/screen.txt": PLAY, "queries/none/batch/gm.txt": "a\n"}
    after = {"plays/x/screen.txt": PLAY.replace("Rain", "Snow"), "plays/y/screen.txt": PLAY}
    told = [(one.key, one.kind, one.line, one.within) for one in differences(before, after)]
    assert told == [
        ("plays/x/screen.txt", "plays/screen.txt", 8, "> wait"),
        ("queries/none/batch/gm.txt", "queries/none", 0, "only before"),
    ]


def test_what_differs_in_its_last_line_end_alone_differs() -> None:
    assert [one.key for one in differences({"x": "a\n"}, {"x": "a"})] == ["x"]
    assert differences({"x": "a\n"}, {"x": "a\n"}) == []


def test_a_record_is_read_as_it_was_written_and_refused_once_it_was_changed(tmp_path: Path) -> None:
    save({"plays/x/dice.json": "[]\n", "doors/log.txt": "ä\r\nb"}, tmp_path / "a")
    assert load(tmp_path / "a") == {"plays/x/dice.json": "[]\n", "doors/log.txt": "ä\r\nb"}
    (tmp_path / "a" / "bytes" / "doors" / "log.txt").write_text("b", encoding="utf-8")
    with pytest.raises(SystemExit, match="was changed after it was recorded"):
        load(tmp_path / "a")


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit, match="no record"):
        save({"x": ""}, tmp_path)
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_a_command_that_a_signal_ended_is_no_record(tmp_path: Path) -> None:
    killed = tmp_path / "python"
    killed.write_text("#!/bin/sh\nkill -9 $$\n", encoding="utf-8")
    killed.chmod(0o755)
    with pytest.raises(SystemExit, match="signal 9 ended `lorewright lore query`"):
        Program(str(killed), tmp_path).run("none", "lore", "query")


def test_a_command_that_fails_is_recorded_with_its_exit_code_and_its_complaint(tmp_path: Path) -> None:
    failing = tmp_path / "python"
    failing.write_text('#!/bin/sh\necho "no $LOREWRIGHT_EMBEDDER in $PWD" >&2\nexit 3\n', encoding="utf-8")
    failing.chmod(0o755)
    told = Program(str(failing), tmp_path).run("island-hashing", "play")
    assert told == "$ lorewright play\nexit 3\n\n--- stderr\nno hashing in <scratch>/island-hashing\n"


def test_every_line_that_is_asked_belongs_to_a_play_that_is_there() -> None:
    plays = read("plays.yaml")
    assert {campaign for campaign, _ in read("doors.yaml").values()} <= set(plays)
    files = {play["scenario"] for play in plays.values() if play.get("scenario", "").endswith(".yaml")}
    assert files == {path.name for path in (GOLDEN / "scenarios").iterdir()}
    assert all(isinstance(line, str) for play in plays.values() for line in play["lines"])
