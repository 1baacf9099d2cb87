"""Branches, exports and checks as a user meets them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import zipfile
from pathlib import Path

import pytest

from support import harbour as h
from support import v0_databases
from support.command_line import run_command, workspace_environment


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with a workspace, in its folder."""
    return run_command(*arguments, environment=workspace_environment(root), cwd=root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    app = h.harbour(tmp_path)
    h.say(app, "look", "take rope", "wait")
    return app.workspace.root


def test_a_branch_is_begun_switched_to_played_and_drawn(root: Path) -> None:
    begun = run(root, "campaign", "branch", "game", "--from", "1", "--name", "what_if")
    assert "lorewright campaign switch game --branch what_if" in begun.stdout
    assert json.loads(run(root, "campaign", "switch", "game", "--branch", "what_if", "--json").stdout) == {
        "id": "game",
        "current_turn": 1,
        "turn_id": json.loads(run(root, "campaign", "log", "game", "--turn", "1", "--json").stdout)[0]["turn_id"],
        "branch": "what_if",
        "kept_as": "main",
    }
    run(root, "turn", "game", "go door")
    shown = run(root, "campaign", "show", "game").stdout
    assert shown.endswith(
        "turns 0 to 1, “look”\n├── turns 2 to 3, “wait” · main\n└── turn 2, “go door” · what_if ← here\n"
    )
    told = json.loads(run(root, "campaign", "show", "game", "--json").stdout)
    assert (told["branch"], [one["name"] for one in told["branches"]]) == ("what_if", ["main", "what_if"])
    assert [one["branches"] for one in told["root"]["children"]] == [["main"], ["what_if"]]
    assert told["loose_ends"] == []


def test_the_log_tells_what_a_turn_changed_where_it_is_asked_to(root: Path) -> None:
    (turn,) = json.loads(run(root, "campaign", "log", "game", "--turn", "2", "--diff", "--json").stdout)
    assert [(one["owner_id"], one["delta"]) for one in turn["state_diff"]["inventory_changes"]] == [
        ("harbour:tavern", -1),
        ("game:player", 1),
    ]
    assert turn["state_diff"]["clocks"] == []
    assert "inventory_changes: {" in run(root, "campaign", "log", "game", "--turn", "2", "--diff").stdout
    (plain,) = json.loads(run(root, "campaign", "log", "game", "--turn", "2", "--json").stdout)
    ranged = json.loads(run(root, "campaign", "log", "game", "--turns", "1:2", "--json").stdout)
    assert [turn["turn_no"] for turn in ranged] == [1, 2] and ranged[-1] == plain
    assert "two ways" in run(root, "campaign", "log", "game", "--turns", "1:2", "--turn", "1").stderr
    assert "state_diff" not in plain


def test_a_rollback_says_how_to_get_back(root: Path) -> None:
    told = run(root, "campaign", "rollback", "game", "--to", "1").stdout
    assert "lorewright campaign switch game --branch main-turn3" in told
    again = json.loads(run(root, "campaign", "rollback", "game", "--json").stdout)
    assert (again["current_turn"], again["kept_as"]) == (0, "main-turn1")
    assert run(root, "campaign", "switch", "game", "--branch", "main-turn3").returncode == 0


def test_what_cannot_be_done_is_an_error_with_a_hint(root: Path) -> None:
    for arguments in (
        ("branch", "game", "--from", "9", "--name", "x"),
        ("branch", "game", "--from", "1", "--name", "main"),
        ("switch", "game", "--branch", "x"),
        ("rollback", "game", "--to", "3"),
        ("rollback", "nobody"),
    ):
        answer = run(root, "campaign", *arguments)
        assert answer.returncode == 1, arguments
        assert "error[" in answer.stderr
        assert "hint:" in answer.stderr


def test_sound_files_are_found_sound_and_a_damaged_one_is_told(root: Path) -> None:
    assert run(root, "db", "check").stdout == "game: 4 turns, all is well\n"
    with sqlite3.connect(root / "campaigns" / "game.db") as connection:
        connection.execute("UPDATE turns SET ops_json = '[]' WHERE turn_no = 2")
    connection.close()
    told = run(root, "db", "check", "game")
    assert told.returncode == 1
    assert "state-hash" in told.stdout
    assert "to do: restore" in told.stdout
    as_json = json.loads(run(root, "db", "check", "--json").stdout)
    assert (as_json["clean"], as_json["campaigns"][0]["turns"]) == (False, 4)
    assert set(as_json["campaigns"][0]["findings"][0]) == {"code", "where", "what", "hint"}
    assert run(root, "db", "check", "nobody").returncode == 1


def test_migrate_says_what_it_did_and_goes_on_past_a_file_that_is_none(root: Path) -> None:
    assert run(root, "db", "migrate", "game").stdout == "game: up to date\n"
    (root / "campaigns" / "bad.db").write_text("garbage, and enough of it to be no database at all\n" * 50)
    told = run(root, "db", "migrate", "--json")
    assert told.returncode == 1
    bad, good = json.loads(told.stdout)
    assert bad["problem"]
    assert good == {"id": "game", "applied": [], "projected": False, "problem": None, "code": None, "hint": None}


def test_a_campaign_goes_to_another_workspace_in_one_file(root: Path, tmp_path: Path) -> None:
    told = run(root, "campaign", "export", "game", "night.lorewright")
    assert "night.lorewright" in told.stdout
    away = tmp_path / "away"
    away.mkdir()
    run(away, "init", str(away))
    (away / "night.lorewright").write_bytes((root / "night.lorewright").read_bytes())
    arrived = json.loads(run(away, "campaign", "import", "night.lorewright", "--id", "there", "--json").stdout)
    assert (arrived["id"], arrived["current_turn"]) == ("there", 3)
    assert json.loads(run(away, "turn", "there", "look", "--json").stdout)["turn_no"] == 4
    assert run(away, "db", "check").returncode == 0
    again = run(away, "campaign", "import", "night.lorewright", "--id", "there")
    assert again.returncode == 1
    assert "choose another --id" in again.stderr


def test_a_players_export_says_what_it_is(root: Path) -> None:
    told = json.loads(run(root, "campaign", "export", "game", "story.zip", "--as", "player", "--json").stdout)
    assert (told["audience"], told["bytes"]) == ("player", (root / "story.zip").stat().st_size)
    refused = run(root, "campaign", "import", "story.zip", "--id", "x")
    assert (refused.returncode, "cannot be played on" in refused.stderr) == (1, True)


@pytest.mark.campaign
def test_a_file_of_the_predecessor_is_imported_with_a_report_and_then_is_up_to_date(root: Path, tmp_path: Path) -> None:
    path = v0_databases.one_campaign(tmp_path / "v0.db")
    first = run(root, "db", "import-v0", str(path), "--id", "friday")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("friday (old in v0): 3 turns were imported\n")
    assert "derived: the type tool is item here" in first.stdout
    assert first.stdout.endswith("Next: lorewright play friday\n")
    again = run(root, "db", "import-v0", str(path), "--id", "friday", "--json")
    (told,) = json.loads(again.stdout)
    assert (told["id"], told["v0_id"], told["is_new"], told["is_equal"]) == ("friday", "old", False, True)
    assert {one["table"]: (one["v0"], one["ours"], one["equal"]) for one in told["tables"]}["events"] == (3, 3, 3)
    assert "ask Viktor about the courier" in run(root, "campaign", "log", "friday").stdout
    assert "pass_outputs" in run(root, "campaign", "log", "friday", "--turn", "1", "--stage", "v0").stdout
    assert run(root, "db", "check", "friday").returncode == 0
    sqlite3.connect(root / "campaigns" / "friday.db").executescript(
        "UPDATE turns SET player_text = 'x' WHERE turn_no = 1"
    )
    differing = run(root, "db", "import-v0", str(path), "--id", "friday")
    assert differing.returncode == 1
    assert "differs: events, row 1 ('old_event_1'): player_input" in differing.stdout
    v0_databases.change(path, "UPDATE clocks SET name = '' || char(7)")
    refused = run(root, "db", "import-v0", str(path), "--id", "saturday")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error[import_refused]: clocks, row 1 ('heat'): name holds the control character")


@pytest.mark.campaign
def test_an_upgrade_is_shown_then_done_and_told_in_the_log(root: Path) -> None:
    assert "is up to date" in run(root, "campaign", "upgrade", "game").stdout
    pack = root / "content_packs" / "harbour"
    text = (pack / "pack.yaml").read_text(encoding="utf-8")
    (pack / "pack.yaml").write_text(text.replace("1.0.0", "1.1.0"), encoding="utf-8")
    quay = (pack / "locations" / "quay.md").read_text(encoding="utf-8")
    (pack / "locations" / "quay.md").write_text(quay.replace("## Atmosphere", "## Birds"), encoding="utf-8")
    run(root, "pack", "install", str(pack))
    shown = run(root, "campaign", "upgrade", "game").stdout
    assert "section-renamed" in shown
    assert shown.endswith("Nothing was changed. To do it: lorewright campaign upgrade game --yes\n")
    plan = json.loads(run(root, "campaign", "upgrade", "game", "--json").stdout)
    assert (plan["is_needed"], plan["is_blocked"], plan["turn_no"], plan["prompts"]) == (True, False, None, [])
    assert (plan["packs"][0]["version_then"], plan["packs"][0]["version_now"]) == ("1.0.0", "1.1.0")
    done = run(root, "campaign", "upgrade", "game", "--yes").stdout
    assert done.endswith("game goes by them from turn 4 on; back: lorewright campaign rollback game\n")
    assert "From here on the story goes by harbour 1.1.0." in run(root, "campaign", "log", "game", "--turn", "4").stdout
    assert "packs: harbour 1.1.0" in run(root, "campaign", "show", "game").stdout
    assert run(root, "db", "check", "game").returncode == 0
    run(root, "campaign", "rollback", "game")
    assert "packs: harbour 1.0.0" in run(root, "campaign", "show", "game").stdout


def test_an_upgrade_that_is_refused_says_why_and_what_to_do(root: Path) -> None:
    pack = root / "content_packs" / "harbour"
    (pack / "npcs" / "bea.md").unlink()
    run(root, "pack", "install", str(pack))
    shown = run(root, "campaign", "upgrade", "game")
    assert shown.returncode == 0
    assert "Nothing was changed, and --yes would be refused: give harbour a file for it again" in shown.stdout
    refused = run(root, "campaign", "upgrade", "game", "--yes")
    assert refused.returncode == 1
    assert "harbour:bea: Bea is one of the cast and has no file any more" in refused.stderr


def test_turns_are_counted_without_those_that_were_asked_back(root: Path) -> None:
    run(root, "turn", "game", "frobnicate it")
    run(root, "campaign", "end-scene", "game")
    shown = run(root, "campaign", "show", "game").stdout
    assert shown.startswith("Night Boat (game), 3 turns played\n")
    assert "head: turn 5, " in shown
    (row,) = [line for line in run(root, "campaign", "list").stdout.splitlines() if line.startswith("game")]
    assert row.split()[3] == "3"


def test_the_seed_of_the_dice_is_shown_to_the_game_master_alone(root: Path, tmp_path: Path) -> None:
    seed = 1_987_654_321
    run(root, "campaign", "new", "night_boat", "--id", "dice", "--seed", str(seed))
    run(root, "turn", "dice", "look")
    seen_by_players = [
        run(root, "campaign", "show", "dice", *options).stdout
        for options in ((), ("--json",), ("--as", "player", "--json"), ("--as", "pc:player", "--json"))
    ]
    seen_by_players += [
        run(root, "campaign", "log", "dice", "--as", "player", "--json").stdout,
        run(root, "turn", "dice", "take rope", "--json").stdout,
        run(root, "session", "recap", "dice", "--as", "player", "--json").stdout,
    ]
    run(root, "campaign", "export", "dice", str(tmp_path / "told.lorewright"), "--as", "player")
    with zipfile.ZipFile(tmp_path / "told.lorewright") as told:
        seen_by_players += [told.read(name).decode("utf-8", "replace") for name in told.namelist()]
    assert all(seen_by_players) and not [seen for seen in seen_by_players if str(seed) in seen]
    assert f", seed {seed}\n" in run(root, "campaign", "show", "dice", "--as", "gm").stdout
    assert json.loads(run(root, "campaign", "show", "dice", "--as", "gm", "--json").stdout)["seed"] == seed
