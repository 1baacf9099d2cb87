"""What the machine does not give (files, memory) and what strangers' files ask too much of: one line each, and no
more."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lorewright.campaigns.checks import check
from support.command_line import run_command, spawn_command, workspace_environment


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, environment=workspace_environment(root, LOREWRIGHT_EMBEDDER="none"))


def run_apart(
    root: Path, *arguments: str, limited: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which `limited` limits, and which must come to an end."""
    environment = workspace_environment(root, LOREWRIGHT_EMBEDDER="none")
    return spawn_command(*arguments, environment=environment, prepare=limited)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("limits") / "workspace"
    assert run(root, "init", str(root)).returncode == 0
    assert run(root, "campaign", "new", "lamp_night", "--id", "lamp").returncode == 0
    return root


def few_files(number: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


@pytest.mark.campaign
@pytest.mark.parametrize("files", [7, 8, 10])
def test_a_turn_without_a_file_left_to_open_says_so_in_a_line(root: Path, files: int) -> None:
    done = run_apart(root, "turn", "lamp", "look", limited=few_files(files))
    assert done.returncode == 1
    assert "too many open files" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 2
    assert check(root / "campaigns" / "lamp.db").clean


RULESET = """\
id: hostile
name: Hostile
extends: freeform
character_stat_schema:
  type: object
  properties:
    mood:
      type: string
      default: calm
      pattern: "{pattern}"
"""


@pytest.mark.campaign
def test_a_ruleset_whose_pattern_would_never_end_is_answered(root: Path) -> None:
    own = root / "rulesets"
    own.mkdir(exist_ok=True)
    text = RULESET.format(pattern="^(a+)+$").replace("calm", "a" * 56 + "!")
    (own / "hostile.yaml").write_text(text, encoding="utf-8")
    done = run_apart(root, "ruleset", "validate", str(own / "hostile.yaml"))
    assert done.returncode == 1
    assert "does not match" in done.stdout + done.stderr
    (own / "hostile.yaml").write_text(RULESET.format(pattern="(?=c)calm"), encoding="utf-8")
    done = run_apart(root, "ruleset", "validate", str(own / "hostile.yaml"))
    assert done.returncode == 1
    assert ":10:" in done.stdout + done.stderr
    assert "look-around" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "size", "arguments", "told"),
    [
        ("scenarios/large.yaml", 5 << 20, ("scenario", "validate", "large"), "over 4 MiB"),
        ("rulesets/large.yaml", 1 << 20, ("ruleset", "show", "large"), "over 256 KiB"),
        ("lines.txt", 1 << 20, ("play", "lamp", "--script", "{file}"), "longer than 65536"),
        ("batch.jsonl", 2 << 20, ("lore", "query", "x", "--batch", "{file}"), "longer than 1048576"),
        (
            "zero.yaml",
            1 << 20,
            ("campaign", "new", "lamp_night", "--id", "x", "--calibration", "{file}"),
            "over 256 KiB",
        ),
    ],
)
def test_a_file_that_is_too_large_is_refused_by_its_name_and_bound(
    root: Path, name: str, size: int, arguments: tuple[str, ...], told: str
) -> None:
    file = root / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"#" * size)
    done = run(root, *(part.replace("{file}", str(file)) for part in arguments))
    file.unlink()
    assert done.returncode != 0
    assert told in done.stdout + done.stderr
    assert file.name in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_settings_that_are_too_large_are_refused(tmp_path: Path) -> None:
    (tmp_path / "lorewright.toml").write_bytes(b"#" * (300 << 10))
    done = run(tmp_path, "pack", "list")
    assert done.returncode == 1
    assert "lorewright.toml: over 256 KiB" in done.stderr
