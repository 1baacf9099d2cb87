"""lorewright prompts: what there is, what is wrong with it, which version a campaign uses, the schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.cli.root import app
from lorewright.turn.stages.stages import schema_files
from lorewright.workspace.prompts import PROMPT_TYPES
from support import harbour as h
from support.prompt_files import SHIPPED, prompt_text

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
runner = CliRunner()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a campaign `game`."""
    root = h.harbour(tmp_path).workspace.root
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(root))
    return root


def run(*args: str, code: int = 0) -> str:
    result = runner.invoke(app, ["prompts", *args])
    assert result.exit_code == code, result.output or result.exception
    return result.output


def own(workspace: Path, changing: str, *, version: str = "v2", stable: str = "") -> Path:
    path = workspace / "prompts" / f"narrator_{version}.hbs"
    path.write_text(prompt_text(changing, stable=stable, version=version), encoding="utf-8")
    return path


def test_the_prompts_that_ship_are_listed_anywhere(workspace: Path) -> None:
    listed = json.loads(run("list", "--json"))
    assert {one["name"] for one in listed} == {path.name.rpartition("_")[0] for path in SHIPPED.glob("*.hbs")}
    assert all(one["name"] in run("list") and one["description"] for one in listed)


def test_a_prompt_of_ones_own_is_in_force_and_a_pin_goes_before_it(workspace: Path) -> None:
    own(workspace, "{{player_text}}")

    def narrator(*args: str) -> tuple[str, bool, list[str]]:
        (one,) = [one for one in json.loads(run("list", "--json", *args)) if one["name"] == "narrator"]
        return one["version"], one["pinned"], one["versions"]

    assert narrator() == ("v4", False, ["v1", "v2", "v3", "v4"])
    assert "game uses narrator v1 from its next turn on" in run("pin", "game", "narrator", "v1")
    assert narrator("--campaign", "game") == ("v1", True, ["v1", "v2", "v3", "v4"])
    assert "v1 (pinned)" in run("list", "--campaign", "game")
    assert narrator() == ("v4", False, ["v1", "v2", "v3", "v4"])
    assert "the newest" in run("pin", "game", "narrator", "newest")
    assert narrator("--campaign", "game") == ("v4", False, ["v1", "v2", "v3", "v4"])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nobody", "narrator", "v1"), "there is no campaign nobody"),
        (("game", "bard", "v1"), "there is no prompt bard"),
        (("game", "narrator", "v9"), "its versions are: v1"),
        (("game", "bard", "newest"), "there is no prompt bard"),
    ],
)
def test_what_there_is_not_cannot_be_pinned(workspace: Path, args: tuple[str, ...], said: str) -> None:
    result = runner.invoke(app, ["prompts", "pin", *args])
    assert said in str(result.exception)


def test_a_prompt_with_faults_cannot_be_pinned(workspace: Path) -> None:
    path = own(workspace, "{{plot}}")
    result = runner.invoke(app, ["prompts", "pin", "game", "narrator", "v2"])
    assert f"{path}:13: unknown variable plot" in str(result.exception)
    assert "v1" in run("list", "--campaign", "game")


def test_prompts_without_a_fault_pass(workspace: Path) -> None:
    own(workspace, "{{#last msgs 20}}{{text}}{{/last}}")
    assert "no errors" in run("check")


@pytest.mark.parametrize("changing", ["a\n{{plot}}", "a\n{{#last msgs 20}}{{plot}}{{/last}}"])
def test_an_unknown_variable_fails_the_check_with_file_and_line(workspace: Path, changing: str) -> None:
    path = own(workspace, changing)
    assert f"{path}:14: unknown variable plot" in run("check", code=1)
    (told,) = json.loads(run("check", str(path), "--json", code=1))
    assert (told["file"], told["line"]) == (str(path), 14)


def test_what_is_no_prompt_fails_the_check_with_its_line(workspace: Path) -> None:
    path = own(workspace, "x")
    path.write_text(path.read_text(encoding="utf-8").replace("=== changing ===", "=== new ==="), encoding="utf-8")
    assert f"{path}:8: its parts are system, stable, new" in run("check", str(path), code=1)
    path.write_text(prompt_text(version="v2", context="Nothing"), encoding="utf-8")
    assert f"{path}:1: there is no context Nothing" in run("check", str(path), code=1)
    assert "No such file" in run("check", str(path.with_name("narrator_v7.hbs")), code=1)


def test_an_escape_in_a_prompt_is_not_printed(workspace: Path) -> None:
    path = own(workspace, "{{a\x1b[31mb}}")
    assert "\x1b" not in run("check", str(path), code=1)


def test_the_schemas_of_every_stage_are_written(workspace: Path, tmp_path: Path) -> None:
    run("schemas", str(tmp_path / "schemas"))
    written = {path.name for path in (tmp_path / "schemas").iterdir()}
    assert {f"{name}.context.json" for name in PROMPT_TYPES} <= written
    assert {"narrator.input.json", "narrator.output.json", "interpreter.output.json"} <= written


def test_the_schemas_that_are_kept_are_those_of_the_code() -> None:
    """`lorewright prompts schemas docs/schemas` writes them anew."""
    kept = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.glob("*.json")}
    assert kept == dict(schema_files(PROMPT_TYPES))


@pytest.mark.parametrize("command", ["list", "check", "pin", "schemas"])
def test_help_has_an_example(command: str) -> None:
    assert f"Example: lorewright prompts {command}" in run(command, "--help")


def test_the_text_of_a_prompt_is_shown_as_its_file_has_it(workspace: Path) -> None:
    assert run("show", "narrator", "v1") == (SHIPPED / "narrator_v1.hbs").read_text(encoding="utf-8")
    assert run("show", "narrator") != run("show", "narrator", "v1")
    run("pin", "game", "narrator", "v1")
    assert run("show", "narrator", "--campaign", "game") == run("show", "narrator", "v1")
    for args in (("show", "nobody"), ("show", "narrator", "v99")):
        assert runner.invoke(app, ["prompts", *args]).exit_code != 0


def test_a_text_file_beside_prompts_is_a_finding_with_the_way_to_convert_it(workspace: Path) -> None:
    (workspace / "prompts" / "narrator_v3.txt").write_text("Narrate {{context_packet}}.", encoding="utf-8")
    told = " ".join(run("check", code=1).split())
    assert "narrator_v3.txt" in told and "lorewright prompts show narrator" in told
