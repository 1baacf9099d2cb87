"""Processes of our own: what they import, where they stand, what they inherit."""

from __future__ import annotations

import os
import site
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


def test_a_child_runs_nothing_from_where_the_user_stands(strange: StrangeFolder, tmp_path: Path) -> None:
    workspace = {"LOREWRIGHT_WORKSPACE": str(tmp_path / "workspace")}
    with start_child("lorewright", "init", tmp_path / "workspace", environment=workspace) as process:
        assert process.wait(timeout=60) == 0
    assert strange.run == []
    assert (tmp_path / "workspace" / "lorewright.toml").is_file()


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


@pytest.mark.parametrize(
    ("name", "given", "inherited"),
    [
        ("XDG_CONFIG_HOME", "config", "{here}/config"),
        ("XDG_DATA_HOME", "./data", "{here}/data"),
        ("XDG_RUNTIME_DIR", "../run", "{here}/../run"),
        ("XDG_DATA_DIRS", "shared:/usr/share::~/x", "{here}/shared:/usr/share::~/x"),
        ("LOREWRIGHT_WORKSPACE", " world", "{here}/world"),
        ("LOREWRIGHT_TRUSTED", "*:worlds/*:/other", "*:{here}/worlds/*:/other"),
        ("TMPDIR", "tmp", "{here}/tmp"),
        ("HF_HOME", "~/hf", "~/hf"),
        ("XDG_CONFIG_HOME", "", ""),
        ("XDG_CONFIG_HOME", "/config", "/config"),
        ("XDG_SESSION_TYPE", "tty", "tty"),
        ("MY_HOME", "mine", "mine"),
    ],
)
@pytest.mark.skipif(os.pathsep != ":", reason="folders are listed with another sign")
def test_a_relative_folder_in_a_variable_is_the_one_that_this_process_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, given: str, inherited: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for environment in (None, {name: given}):
        monkeypatch.setenv(name, given if environment is None else "other")
        environ = told(monkeypatch, environment=environment)["env"]
        assert isinstance(environ, dict)
        assert environ[name] == inherited.format(here=tmp_path)


def test_a_child_keeps_a_yes_where_this_process_looks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("world").mkdir()
    Path("world/lorewright.toml").write_text('[models.base_urls]\nopenai = "http://there.example"\n', encoding="utf-8")
    with start_child(
        "lorewright", "trust", Path("world"), "--yes", environment={"XDG_CONFIG_HOME": "config"}
    ) as process:
        assert process.wait(timeout=60) == 0
    assert len(list((tmp_path / "config").rglob("*.json"))) == 1


@pytest.mark.parametrize("installed", [True, False], ids=["among the packages", "elsewhere"])
def test_a_folder_is_named_to_a_child_only_where_it_would_not_look_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    packages = tmp_path / "site-packages"
    monkeypatch.setattr(child, "PACKAGE", packages / "lorewright")
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(packages if installed else tmp_path)])
    monkeypatch.setattr(site, "ENABLE_USER_SITE", False)
    environ = told(monkeypatch, environment={"PYTHONPATH": "evil"} if installed else None)["env"]
    assert isinstance(environ, dict)
    assert environ.get("PYTHONPATH") == (None if installed else str(packages))


@pytest.mark.parametrize(("enabled", "base", "named"), [(True, False, False), (True, True, True), (False, False, True)])
def test_the_users_own_packages_count_where_a_child_sees_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enabled: bool, base: bool, named: bool
) -> None:
    monkeypatch.setattr(child, "PACKAGE", tmp_path / "lorewright")
    monkeypatch.setattr(site, "getsitepackages", list)
    monkeypatch.setattr(site, "getusersitepackages", lambda: str(tmp_path))
    monkeypatch.setattr(site, "ENABLE_USER_SITE", enabled)
    monkeypatch.delenv("PYTHONUSERBASE", raising=False)
    if base:
        monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path))
    environ = told(monkeypatch)["env"]
    assert isinstance(environ, dict)
    assert environ.get("PYTHONPATH") == (str(tmp_path) if named else None)


def test_python_m_imports_no_library_from_where_the_user_stands(strange: StrangeFolder, tmp_path: Path) -> None:
    # Which package is called `lorewright` is decided before any of it is run.
    for path in sorted((strange.folder / "lorewright").rglob("*.py")):
        path.unlink()
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(tmp_path / "workspace")}
    command = [sys.executable, "-m", "lorewright", "pack", "list"]
    done = subprocess.run(command, env=environment, cwd=strange.folder, capture_output=True, text=True)
    assert (done.returncode, strange.run) == (0, []), done.stderr
