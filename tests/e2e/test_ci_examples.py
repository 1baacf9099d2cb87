"""The workflow and the hooks that the documentation shows: they are YAML, and their commands do what they say."""

from __future__ import annotations

import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from lorewright.cli import app
from lorewright.packs.installing import new_pack

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "examples" / "github" / "lore.yml"
PRE_COMMIT = ROOT / "examples" / "github" / "pre-commit-config.yaml"

pytestmark = pytest.mark.campaign


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def run(*arguments: str) -> None:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one pack, and a home of its own for whatever the program keeps."""
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(tmp_path / "home"))
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "none")
    folder = tmp_path / "repository"
    new_pack(folder / "content_packs" / "my_town")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("path", [WORKFLOW, PRE_COMMIT], ids=lambda path: path.name)
def test_the_page_shows_the_very_files(path: Path) -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert f"```yaml {path.relative_to(ROOT).as_posix()}\n{path.read_text(encoding='utf-8')}```" in page


def test_every_command_of_the_workflow_runs_as_it_is_written(repository: Path) -> None:
    workflow = loaded(WORKFLOW)
    commands = [step["run"] for step in workflow["jobs"]["pack"]["steps"] if "run" in step]
    ours = [
        shlex.split(one.replace("$PACK", workflow["env"]["PACK"])) for one in commands if one.startswith("lorewright")
    ]
    assert [one[1:3] for one in ours] == [["pack", "validate"], ["pack", "test"], ["pack", "export"]]
    for command in ours:
        run(*command[1:])
    assert ET.parse(repository / "lore.xml").getroot().tag == "testsuites"
    assert "The Tavern" in (repository / "handout.html").read_text(encoding="utf-8")
    uploads = [step["with"]["path"] for step in workflow["jobs"]["pack"]["steps"] if "upload" in step.get("uses", "")]
    assert uploads == ["lore.xml", "handout.html"]


def test_every_hook_that_is_offered_runs_on_a_pack(repository: Path) -> None:
    hooks = {hook["id"]: hook for hook in loaded(ROOT / ".pre-commit-hooks.yaml")}
    used = loaded(PRE_COMMIT)["repos"][0]["hooks"]
    assert [one["id"] for one in used] == list(hooks)
    for one in used:
        assert hooks[one["id"]]["pass_filenames"] is False
        program, *command = shlex.split(hooks[one["id"]]["entry"])
        assert program == "lorewright"
        run(*command, *one["args"])


def test_the_hooks_work_in_the_pack_itself(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "content_packs" / "my_town")
    for hook in loaded(ROOT / ".pre-commit-hooks.yaml"):
        run(*shlex.split(hook["entry"])[1:], *hook["args"])
