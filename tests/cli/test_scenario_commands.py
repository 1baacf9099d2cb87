"""`scenario new`, `show`, `map` and `watch` as an author types them."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import xml.dom.minidom
from collections.abc import Callable
from pathlib import Path

import pytest

from support import harbour as h
from support.command_line import run_command, workspace_environment

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with the harbour, its pack and its scenario."""
    return h.write_workspace(tmp_path / "workspace")


@pytest.fixture
def run(root: Path) -> Run:
    def run(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return run_command("scenario", *words, environment=workspace_environment(root), cwd=root, stdin=stdin)

    return run


@pytest.mark.parametrize("command", ["new", "show", "map", "watch", "validate", "bundle"])
def test_help_has_an_example(run: Run, command: str) -> None:
    shown = run(command, "--help")
    assert shown.returncode == 0
    assert f"Example: lorewright scenario {command} " in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    "words",
    [("show", "night_boot"), ("show", "night_boot", "--json"), ("map", "night_boot"), ("watch", "night_boot")],
)
def test_a_misspelt_name_is_told_with_the_nearest_and_ends_as_not_found(run: Run, words: tuple[str, ...]) -> None:
    shown = run(*words)
    assert shown.returncode == 1
    assert shown.stderr.startswith("error[not_found]: ")
    assert "night_boot" in shown.stderr
    assert "night_boat" in shown.stderr
    assert "Traceback" not in shown.stderr + shown.stdout


@pytest.mark.campaign
def test_a_new_scenario_of_a_pack_is_valid_and_played(run: Run, root: Path) -> None:
    made = run("new", "first_try", "--pack", "harbour")
    assert made.returncode == 0, made.stderr
    assert "lorewright play first_try" in " ".join(made.stdout.split())
    text = (root / "scenarios" / "first_try.yaml").read_text(encoding="utf-8")
    assert text.count("\n#") > 5
    checked = run("validate", "first_try")
    assert checked.returncode == 0, checked.stdout
    assert "0 errors, 0 warnings" in checked.stdout
    played = run_command(
        "play", "first_try", "--seed", "1", environment=workspace_environment(root), cwd=root, stdin="look\n"
    )
    assert played.returncode == 0, played.stderr
    assert "> look" in played.stdout


def test_what_cannot_be_a_new_scenario_is_refused_and_nothing_is_written(run: Run, root: Path) -> None:
    before = sorted((root / "scenarios").iterdir())
    no_id = run("new", "Night Boat!", "--pack", "harbour")
    assert (no_id.returncode, "is no ID" in no_id.stderr) == (1, True)
    there = run("new", "night_boat", "--pack", "harbour")
    assert (there.returncode, "--force" in there.stderr) == (1, True)
    no_pack = run("new", "first_try", "--pack", "harbor")
    assert no_pack.returncode == 1
    assert "harbour" in no_pack.stderr
    assert sorted((root / "scenarios").iterdir()) == before


def test_what_is_written_and_what_the_pack_gives_are_shown_apart(run: Run, root: Path) -> None:
    short = "id: short\ncontent_packs: [harbour]\nstart: quay\nendings: {over: {say: Over., when: {minutes: 30}}}\n"
    (root / "scenarios" / "short.yaml").write_text(short, encoding="utf-8")
    whole, derived = run("show", "short"), run("show", "short", "--derived")
    assert (whole.returncode, derived.returncode) == (0, 0)
    written, _, given = whole.stdout.partition("# from the packs")
    assert "Over." in written
    assert "tavern:" in given
    assert "tavern:" not in written
    assert derived.stdout.startswith("# from the packs")
    assert "Over." not in derived.stdout


def test_shown_scenarios_are_json_for_programs(run: Run) -> None:
    whole = json.loads(run("show", "night_boat", "--json").stdout)
    derived = json.loads(run("show", "night_boat", "--derived", "--json").stdout)
    assert set(whole) == {"written", "derived"}
    assert whole["written"]["id"] == "night_boat"
    assert set(derived) == {"derived"}
    assert derived["derived"] == whole["derived"]


def test_a_map_is_rows_json_and_a_picture(run: Run, root: Path) -> None:
    rows = run("map", "night_boat", "--svg", "map.svg")
    assert rows.returncode == 0, rows.stderr
    assert "(start)" in rows.stdout
    assert "min)" in rows.stdout
    assert xml.dom.minidom.parse(str(root / "map.svg")).documentElement.tagName == "svg"
    found = json.loads(run("map", "night_boat", "--json").stdout)
    assert [place["id"] for place in found["places"] if place["is_start"]] == ["harbour:tavern"]
    assert {way["from_id"] for way in found["ways"]} <= {place["id"] for place in found["places"]}


def test_a_map_that_cannot_be_written_is_told(run: Run) -> None:
    shown = run("map", "night_boat", "--svg", "scenarios")
    assert shown.returncode == 1
    assert "scenarios is there already" in shown.stderr


def test_a_scenario_with_errors_has_no_map_and_the_line_is_told(run: Run, root: Path) -> None:
    path = root / "scenarios" / "night_boat.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("start: tavern", "start: tavrn"), encoding="utf-8")
    for words in (("map", "night_boat"), ("show", "night_boat")):
        shown = run(*words)
        assert shown.returncode == 1
        assert "night_boat.yaml:" in shown.stderr
        assert "did you mean tavern?" in " ".join(shown.stderr.split())


@pytest.mark.campaign
def test_a_watched_scenario_is_played_and_a_save_is_answered(run: Run, root: Path) -> None:
    path = root / "scenarios" / "night_boat.yaml"

    def save() -> None:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("The rain has driven you", "The snow has driven you"), encoding="utf-8")
        later = path.stat().st_mtime_ns + 2_000_000_000
        os.utime(path, ns=(later, later))

    saved = threading.Timer(4, save)
    saved.start()
    shown = run("watch", "night_boat", "--line", "look", "--seed", "1", "--once")
    saved.join()
    assert shown.returncode == 0, shown.stderr
    assert "> look" in shown.stdout
    assert "The snow has driven you" in " ".join(shown.stdout.split())


@pytest.mark.campaign
def test_typed_lines_are_played_taken_back_and_ended(run: Run) -> None:
    shown = run("watch", "night_boat", stdin="look\n/undo\n/quit\n")
    assert shown.returncode == 0, shown.stderr
    assert "0 lines are played" in shown.stdout


@pytest.mark.campaign
def test_a_watched_scenario_with_errors_names_the_line(run: Run, root: Path) -> None:
    path = root / "scenarios" / "night_boat.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("start: tavern", "start: tavrn"), encoding="utf-8")
    shown = run("watch", "night_boat", stdin="look\n/quit\n")
    assert shown.returncode == 0, shown.stderr
    told = " ".join(shown.stdout.split())
    assert "night_boat.yaml:" in told
    assert "tavrn" in told
    assert "mend the errors first" in told


@pytest.mark.campaign
def test_a_beginning_elsewhere_is_shown_without_input_and_no_demo_is_played(root: Path) -> None:
    shown = run_command(
        "play", "night_boat", "--at", "The Quay", environment=workspace_environment(root), cwd=root, stdin=""
    )
    assert shown.returncode == 0, shown.stderr
    assert "The Quay" in shown.stdout
    assert "> " not in shown.stdout
    assert "demo" not in shown.stderr
