"""Every command as a user meets it: help with an example, JSON for programs, errors that say what to do."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from lorewright import __version__
from lorewright.cli.root import app as cli
from support import harbour as h
from support.command_line import outputs_of_a_process, run_command, spawn_command, workspace_environment


def run(root: Path, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line with a workspace, in its folder where there is it."""
    folder = root if root.is_dir() else None
    return run_command(*arguments, environment=workspace_environment(root), cwd=folder, stdin=stdin)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return h.harbour(tmp_path_factory.mktemp("cli")).workspace.root


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that lead to it."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        if hasattr(command, "commands"):
            # Those of the root are imported as they are asked for.
            for name in sorted(command.list_commands(None)):
                yield from walk(command.get_command(None, name), (*path, name))
        else:
            yield path, command

    yield from walk(typer.main.get_command(cli), ())


def test_every_command_says_what_it_does_and_shows_an_example() -> None:
    mute = [path for path, one in commands() if not one.help or f"lorewright {' '.join(path)}" not in one.epilog]
    assert mute == []


def test_every_argument_and_option_is_explained() -> None:
    assert [(path, p.name) for path, one in commands() for p in one.params if not getattr(p, "help", None)] == []


def test_init_makes_a_workspace_once(tmp_path: Path) -> None:
    world = tmp_path / "world"
    made = run(world, "init", str(world))
    assert made.returncode == 0
    assert {path.name for path in world.iterdir()} >= {"content_packs", "scenarios", "campaigns", "lorewright.toml"}
    assert "was ready already" in run(world, "init", str(world)).stdout


@pytest.mark.campaign
def test_a_new_workspace_plays_a_demo_that_is_not_kept(tmp_path: Path) -> None:
    world = tmp_path / "world"
    run(world, "init", str(world))
    demo = run(world, "play", "dead_drop")
    assert demo.returncode == 0, demo.stderr
    assert demo.stdout.count("\n> ") >= 8
    assert "— the end —" in demo.stdout
    assert json.loads(run(world, "campaign", "list", "--json").stdout) == []


def test_the_command_is_a_process_that_exits_as_it_should() -> None:
    """Everything else here is run within the process of the tests."""
    assert spawn_command("--version", environment=os.environ).stdout == f"lorewright {__version__}\n"


@pytest.mark.campaign
def test_the_demo_prints_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    world = tmp_path / "world"
    run(world, "init", str(world))
    commands = [("play", "dead_drop")]
    first, second = (
        outputs_of_a_process(commands, workspace_environment(world), hash_seed=seed)[0] for seed in ("1", "2")
    )
    assert first == second
    assert len(first) > 2_000


@pytest.mark.campaign
def test_turns_and_queries_print_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    lines = ("look", "ask osk about lin", "search under the counter", "go door", "frobnicate")
    asked = ("Lin and the night boat", "--json", "--explain", "--location", "tavern", "--as", "player")
    commands = [
        *(("turn", "game", line, "--json") for line in lines),
        ("lore", "query", *asked, "--campaign", "game"),
    ]
    printed = []
    for seed in ("1", "2"):
        root = h.harbour(tmp_path / seed / "same").workspace.root
        printed.append(outputs_of_a_process(commands, workspace_environment(root), hash_seed=seed))
    assert printed[0] == printed[1]
    assert all(printed[0])


def test_installing_lists_and_answers_in_the_shapes_of_the_seed(root: Path) -> None:
    installed = json.loads(run(root, "pack", "install", "content_packs/harbour", "--json").stdout)
    assert (installed["id"], installed["built"]) == ("harbour", False)
    assert [pack["id"] for pack in json.loads(run(root, "pack", "list", "--json").stdout)] == ["harbour"]
    answer = json.loads(run(root, "lore", "query", "the landlord", "--json").stdout)
    assert set(answer) == {"chunks", "total_tokens", "query_time_ms"}
    assert set(answer["chunks"][0]) == {
        "chunk_id",
        "text",
        "relevance_score",
        "source",
        "pack_id",
        "file_path",
        "section_path",
        "metadata",
    }
    assert answer["chunks"][0]["chunk_id"].startswith("harbour:osk:")
    assert set(answer["chunks"][0]["metadata"]) >= {
        "type",
        "location_ids",
        "entity_ids",
        "faction_ids",
        "thread_ids",
        "tags",
        "token_count",
    }


def test_validating_prints_findings_like_a_compiler_and_fails_on_errors(tmp_path: Path) -> None:
    folder = h.write_pack(tmp_path / "broken", {**h.FILES, "npcs/bad.md": "---\nname: a: b\n---\n# Bad\n\nText.\n"})
    checked = run(tmp_path, "pack", "validate", str(folder))
    assert checked.returncode == 1
    assert "npcs/bad.md:2:8: error invalid-yaml" in checked.stdout
    (finding,) = [
        f
        for f in json.loads(run(tmp_path, "pack", "validate", str(folder), "--json").stdout)
        if f["severity"] == "error"
    ]
    assert set(finding) == {"file", "line", "column", "severity", "code", "message", "hint"}
    refused = run(tmp_path, "pack", "install", str(folder))
    assert refused.returncode == 1
    assert "was not installed" in refused.stderr
    assert json.loads(run(tmp_path, "pack", "list", "--json").stdout) == []
    assert run(tmp_path, "pack", "install", str(folder), "--lenient").returncode == 0


def test_a_turn_prints_a_turn_result_and_the_same_id_the_same_bytes(root: Path) -> None:
    first = run(root, "turn", "game", "look", "--action-id", "one", "--json")
    assert set(json.loads(first.stdout)) == {
        "turn_no",
        "turn_id",
        "messages",
        "final_text",
        "next_prompt",
        "suggested_actions",
        "clarification_question",
        "citations",
        "engine_events",
        "actions",
        "assumptions",
        "risk_flags",
        "perception_flags",
        "validation",
        "rolls",
        "clocks",
        "tokens",
    }
    assert run(root, "turn", "game", "look", "--action-id", "one", "--json").stdout == first.stdout


def test_the_log_and_show_tell_what_happened(root: Path) -> None:
    run(root, "turn", "game", "ask osk about lin", "--action-id", "logged")
    (turn,) = [
        t for t in json.loads(run(root, "campaign", "log", "game", "--json").stdout) if t["action_id"] == "logged"
    ]
    stages = json.loads(
        run(root, "campaign", "log", "game", "--turn", str(turn["turn_no"]), "--stage", "all", "--json").stdout
    )
    assert stages[0]["stages"][0]["stage"] == "interpreter"
    shown = json.loads(run(root, "campaign", "show", "game", "--json").stdout)
    assert (shown["id"], shown["carried"]) == ("game", ["lantern"])
    assert "The Tavern" in run(root, "campaign", "show", "game").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("turn", "nobody", "look"), "there is no campaign nobody"),
        (("campaign", "new", "nothing"), "there is no scenario"),
        (("campaign", "new", "night_boat", "--id", "game"), "there is a campaign game already"),
        (("campaign", "new", "night_boat", "--id", "../evil"), "cannot be a campaign ID"),
        (("campaign", "show", "../../etc/passwd"), "no campaign ID"),
        (("campaign", "log", "game", "--turn", "99"), "there is no turn 99"),
        (("lore", "query", "x", "--pack", "nothing"), "no pack nothing is installed"),
        (("lore", "query", "x", "--as", "everyone"), "unknown viewer"),
        (("lore", "query", "x", "--as", "npc:nobody"), "no searched pack has a character nobody"),
        (("lore", "query"), "nothing was asked"),
        (("lore", "query", "x", "--limit", "0"), "limit"),
        (("lore", "query", "x", "--batch", "nowhere.jsonl"), "there is no file"),
        (("pack", "install", "nowhere"), "is not a folder"),
        (("pack", "install", "campaigns"), "holds no markdown"),
        (("play", "nothing"), "nothing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_users_mistake_is_told_with_a_hint_and_no_traceback(
    root: Path, arguments: tuple[str, ...], says: str
) -> None:
    failed = run(root, *arguments)
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert says in failed.stderr
    assert "error[" in failed.stderr
    assert "hint:" in failed.stderr


def test_wrong_usage_exits_with_two(root: Path) -> None:
    told = run(root, "turn")
    assert (told.returncode, told.stderr.startswith("Usage: lorewright turn ")) == (2, True)
    assert run(root, "dance").returncode == 2


def test_a_broken_settings_file_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "lorewright.toml").write_text("[lore]\nlimmit = 3\n")
    failed = run(tmp_path, "pack", "list")
    assert failed.returncode == 1
    assert "lore.limmit" in failed.stderr


def test_a_batch_answers_each_line_with_its_id(root: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_text('{"id": "a", "query": "Osk"}\n\n{"id": "b", "query": "nets", "viewer": "player", "limit": 1}\n')
    answers = [json.loads(line) for line in run(root, "lore", "query", "--batch", str(asked)).stdout.splitlines()]
    assert [answer["id"] for answer in answers] == ["a", "b"]
    assert len(answers[1]["chunks"]) == 1


def test_why_not_answers_for_one_chunk_and_never_of_a_secret(root: Path) -> None:
    chosen = run(root, "lore", "query", "landlord", "--why-not", "harbour:osk:overview")
    assert "was chosen" in chosen.stdout
    secret = run(root, "lore", "query", "debt", "--as", "player", "--why-not", "harbour:osk:withholds").stdout
    none = run(root, "lore", "query", "debt", "--as", "player", "--why-not", "harbour:osk:nothing").stdout
    assert secret.replace("withholds", "nothing") == none


def test_escapes_in_a_pack_never_reach_the_terminal(tmp_path: Path) -> None:
    evil = "# Evil \x1b]0;owned\x07\n\nText \x9b31m with \u202e escapes.\n"
    folder = h.write_pack(tmp_path / "evil", {"pack.yaml": "id: evil\nname: Evil\n", "npcs/evil.md": evil})
    run(tmp_path, "pack", "install", str(folder))
    printed = (
        run(tmp_path, "lore", "query", "text", "--explain").stdout
        + run(tmp_path, "lore", "query", "text", "--json").stdout
    )
    assert "Text" in printed
    assert not set("\x1b\x07\x9b\u202e") & set(printed)


def test_play_reads_lines_from_a_pipe_and_saves_them(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    played = run(root, "play", "game", stdin="look\n/inv\n/who\n/why\n/nonsense\n/quit\nwait\n")
    assert played.returncode == 0, played.stderr
    assert "You carry: lantern" in played.stdout
    assert "The Tavern: Osk" in played.stdout
    assert "There is no /nonsense" in played.stdout
    assert json.loads(run(root, "campaign", "show", "game", "--json").stdout)["current_turn"] == 1


def test_play_begins_a_campaign_from_a_scenario_and_goes_on_with_it(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    script = tmp_path / "script.txt"
    script.write_text("# a comment\nlook\n")
    assert run(root, "play", "night_boat", "--script", str(script)).returncode == 0
    assert run(root, "play", "night_boat", "--script", str(script)).returncode == 0
    assert json.loads(run(root, "campaign", "show", "night_boat", "--json").stdout)["current_turn"] == 2


def test_a_damaged_campaign_is_told_and_spoils_no_other(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    (root / "campaigns" / "bad.db").write_text("garbage, and enough of it to be no database at all\n" * 50)
    failed = run(root, "turn", "bad", "look")
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False)
    assert "error[file_damaged]" in failed.stderr
    listed = run(root, "campaign", "list", "--json")
    assert [row["id"] for row in json.loads(listed.stdout)] == ["game"]
    assert "bad: its file cannot be read" in listed.stderr


def test_a_damaged_index_is_told_and_a_new_install_mends_it(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    (chunks,) = (root / "indexes" / "generations").rglob("chunks.db")
    chunks.write_bytes(chunks.read_bytes()[:5000])
    failed = run(root, "lore", "query", "osk")
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False)
    chunks.unlink()
    assert run(root, "pack", "install", "content_packs/harbour").returncode == 0
    assert run(root, "lore", "query", "osk").returncode == 0
