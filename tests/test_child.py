"""Processes of our own: what they import, where they stand, what they inherit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lorewright import child
from lorewright.child import start_child
from support.strange_folder import StrangeFolder


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StrangeFolder:
    """A folder of a stranger, in which one stands."""
    made = StrangeFolder(tmp_path / "vault")
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.campaign
def test_a_child_runs_nothing_from_where_the_user_stands(strange: StrangeFolder, tmp_path: Path) -> None:
    workspace = {"LOREWRIGHT_WORKSPACE": str(tmp_path / "workspace")}
    with start_child("lorewright", "init", tmp_path / "workspace", environment=workspace) as process:
        assert process.wait(timeout=60) == 0
    assert strange.run == []
    assert (tmp_path / "workspace" / "lorewright.toml").is_file()


@pytest.mark.campaign
@pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])
def test_no_variable_of_python_reaches_a_child(
    strange: StrangeFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONSTARTUP", "PYTHONINSPECT"):
        monkeypatch.setenv(name, "." if relative else str(strange.folder))
    with start_child("lorewright", "init", Path("../workspace")) as process:
        assert process.wait(timeout=60) == 0
    assert strange.run == []
    assert (tmp_path / "workspace" / "lorewright.toml").is_file()


def test_a_child_that_yields_has_the_lowest_priority(tmp_path: Path) -> None:
    with start_child("lorewright", "init", tmp_path / "workspace", yields=True) as process:
        priority = os.getpriority(os.PRIO_PROCESS, process.pid)
        process.kill()
    assert priority == 19


def told(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path, **options: object) -> dict[str, object]:
    """With what a process would be started."""
    seen: dict[str, object] = {}

    def kept(command: list[str], **rest: object) -> None:
        seen.update(command=command, **rest)

    monkeypatch.setattr(subprocess, "Popen", kept)
    start_child("lorewright", *arguments, **options)  # type: ignore[arg-type]
    return seen


def test_a_child_stands_in_a_folder_of_ours_and_is_given_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seen = told(monkeypatch, "pack", Path("notes"), "notes")
    assert seen["cwd"] == Path(child.__file__).parent
    assert seen["command"] == [
        *(sys.executable, "-P", *(["-s"] if sys.flags.no_user_site else []), "-m", "lorewright"),
        *("pack", str(tmp_path / "notes"), "notes"),
    ]


def test_a_child_inherits_the_rest_and_what_is_given_goes_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "none")
    monkeypatch.setenv("pythonwarnings", "error")
    environment = told(monkeypatch, environment={"LOREWRIGHT_EMBEDDER": "hashing"})["env"]
    assert isinstance(environment, dict)
    assert environment["LOREWRIGHT_EMBEDDER"] == "hashing"
    assert environment["PATH"] == os.environ["PATH"]
    named = {name: value for name, value in environment.items() if name.upper().startswith("PYTHON")}
    assert named == {"PYTHONPATH": str(Path(child.__file__).parents[1])}


@pytest.mark.campaign
def test_python_m_imports_no_library_from_where_the_user_stands(strange: StrangeFolder, tmp_path: Path) -> None:
    # Which package is called `lorewright` is decided before any of it is run.
    for path in sorted((strange.folder / "lorewright").rglob("*.py")):
        path.unlink()
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(tmp_path / "workspace")}
    command = [sys.executable, "-m", "lorewright", "pack", "list"]
    done = subprocess.run(command, env=environment, cwd=strange.folder, capture_output=True, text=True)
    assert (done.returncode, strange.run) == (0, []), done.stderr
