"""`pack watch` as an author and a program meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command_line import run_command
from support.pack_builder import TOWN, write_pack

PARROT = "\n## Parrot\n\nThe ledger parrot is zygodactyl.\n"
QUERY = ("--query", "who has the ledger")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "lorewright", *arguments]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A workspace without packs."""
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/lorewright.toml").write_text('name = "ws"\n')
    return {**os.environ, "LOREWRIGHT_WORKSPACE": str(tmp_path / "ws"), "LOREWRIGHT_EMBEDDER": "hashing"}


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_pack(tmp_path, TOWN)


def can_be_interrupted() -> None:
    """What runs in the background of a shell inherits that it is deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, environment=environment)


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    """Whatever is appended is ended when the test is."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def line(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


@pytest.mark.campaign
def test_a_program_reads_one_object_for_each_change_and_then_others_see_it(
    town: Path, environment: dict[str, str], processes: list[subprocess.Popen[str]]
) -> None:
    assert run(environment, "pack", "install", str(town)).returncode == 0
    arguments = ("pack", "watch", "town", *QUERY, "--scene", "bar", "--once", "--json")
    watching = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, text=True, env=environment)
    processes.append(watching)
    first = line(watching)
    assert (first["event"], first["files"], first["answers"][0]["moves"]) == ("watching", len(TOWN), [])
    mara = town / "npcs/mara.md"
    mara.write_text(mara.read_text(encoding="utf-8") + PARROT, encoding="utf-8")
    change = line(watching)
    assert (change["event"], change["saved"], change["indexed"]) == ("change", ["npcs/mara.md"], True)
    entered = change["answers"][0]["moves"][0]
    assert (entered["chunk"], entered["kind"], entered["from"]) == ("town:mara:parrot", "entered", None)
    assert [answer["scene"] for answer in change["answers"]] == [None, "bar"]
    assert line(watching)["event"] == "installed"
    assert watching.wait(60) == 0
    found = json.loads(run(environment, "lore", "query", "zygodactyl", "--json").stdout)
    assert found["chunks"][0]["chunk_id"] == "town:mara:parrot"


@pytest.mark.campaign
def test_a_person_reads_what_moved_and_ends_it_with_ctrl_c(
    town: Path, environment: dict[str, str], processes: list[subprocess.Popen[str]]
) -> None:
    """A folder that is not installed is only watched."""
    arguments = command("pack", "watch", str(town), *QUERY)
    watching = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, text=True, env=environment, preexec_fn=can_be_interrupted
    )
    processes.append(watching)
    assert watching.stdout is not None
    told = [watching.stdout.readline()]
    while "Ctrl-C" not in told[-1]:
        told.append(watching.stdout.readline())
    assert "only watched" in "".join(told)
    (town / "npcs/mara.md").write_text(str(TOWN["npcs/mara.md"]) + PARROT, encoding="utf-8")
    while "mara:parrot" not in told[-1]:
        told.append(watching.stdout.readline())
    assert "a new section; its words: ledger" in told[-1]
    watching.send_signal(signal.SIGINT)
    rest, _ = watching.communicate(timeout=60)
    assert "watching has ended" in rest
    assert watching.returncode == 0
    assert run(environment, "pack", "list", "--json").stdout.strip() == "[]"


def test_a_name_of_nothing_is_refused_with_what_there_is(environment: dict[str, str]) -> None:
    refused = run(environment, "pack", "watch", "nothing")
    assert refused.returncode == 1
    assert "neither an installed pack nor a folder (installed: none)" in refused.stderr
