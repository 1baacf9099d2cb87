"""A command whose extra is not installed says so in a sentence, with the line that installs it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lorewright.cli.root import COMMANDS
from lorewright.errors import ExtraMissing
from lorewright.extras import EXTRAS, require_extra
from lorewright.lore_bootstrap import make_workspace
from support.command_line import workspace_environment

PROJECT = Path(__file__).parents[2]
# A Python in which some modules cannot be imported, as if they were not installed.
WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
BLOCKED = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Absent())
from lorewright.cli import main
main()
"""
EVERY_EXTRA = ",".join(module for modules in EXTRAS.values() for module in modules)


def without(modules: str, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, modules, *arguments]
    environment = workspace_environment(root)
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=root, stdin=subprocess.DEVNULL)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("modules", "arguments", "line"),
    [
        ("mcp", ("mcp", "--as", "player"), "pip install 'lorewright[mcp]'"),
        ("starlette,uvicorn", ("mcp", "--http", "8765"), "pip install 'lorewright[mcp]'"),
        ("watchfiles", ("pack", "watch", "."), "pip install 'lorewright[watch]'"),
    ],
)
def test_what_is_missing_is_told_in_a_sentence_with_the_line_that_installs_it(
    tmp_path: Path, modules: str, arguments: tuple[str, ...], line: str
) -> None:
    (tmp_path / "lorewright.toml").write_text('name = "test"\n')
    (tmp_path / "pack.yaml").write_text("id: town\nname: Town\n")
    (tmp_path / "inn.md").write_text("# Inn\n\nA house.\n")
    done = without(modules, tmp_path, *arguments)
    assert done.returncode == 1
    assert "error[extra_missing]" in done.stderr
    assert line in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.campaign
def test_packs_questions_and_play_need_no_extra(tmp_path: Path) -> None:
    make_workspace(tmp_path)
    for arguments in (
        ("pack", "install", "content_packs/neo_seattle"),
        ("lore", "query", "who owes Viktor"),
        ("play", "dead_drop"),
        ("mcp", "--help"),
        ("pack", "watch", "--help"),
    ):
        done = without(EVERY_EXTRA, tmp_path, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)


def test_an_extra_that_is_there_is_passed_over_and_one_that_is_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require_extra("mcp", needed_by="lorewright mcp")
    monkeypatch.setitem(EXTRAS, "mcp", ("mcp", "no_such_library"))
    with pytest.raises(
        ExtraMissing, match="lorewright mcp needs libraries that are not installed: no_such_library"
    ) as told:
        require_extra("mcp", needed_by="lorewright mcp")
    assert told.value.hint == "run: pip install 'lorewright[mcp]'"


# Packages whose module has another name.
MODULES = {
    "argon2-cffi": "argon2",
    "prometheus-client": "prometheus_client",
    "psycopg-binary": "psycopg_binary",
    "psycopg-pool": "psycopg_pool",
    "python-multipart": "multipart",
}


def test_every_extra_of_a_command_stands_in_the_project_with_its_libraries() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = {line.partition(">")[0] for line in project["dependencies"]}
    for extra, modules in EXTRAS.items():
        listed = {line.partition(">")[0] for line in project["optional-dependencies"][extra]}
        assert {MODULES.get(name, name) for name in listed} == set(modules)
        assert not listed & base
    assert {"mcp", "serve"} <= set(COMMANDS)
