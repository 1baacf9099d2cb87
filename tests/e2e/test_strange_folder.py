"""Commands in a folder that holds Python modules of its own: none of them is run, and every command does its work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest

from support.strange_folder import StrangeFolder

# The command as it is installed; its own folder is what it puts on the import path.
SCRIPT = str(Path(sys.executable).with_name("lorewright"))


@pytest.fixture
def strange(tmp_path: Path) -> StrangeFolder:
    if not Path(SCRIPT).exists():
        pytest.skip("the command lorewright is not installed beside the interpreter")
    return StrangeFolder(tmp_path / "vault")


def settings(strange: StrangeFolder, **more: str) -> dict[str, str]:
    """The environment of a user whose workspace lies beside the folder, named as from there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "LOREWRIGHT_WORKSPACE": "../workspace", "LOREWRIGHT_EMBEDDER": "hashing", **more}


def run(strange: StrangeFolder, *words: str, **more: str) -> str:
    done = subprocess.run(
        [SCRIPT, *words],
        env=settings(strange, **more),
        cwd=strange.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.campaign
def test_a_walk_at_a_terminal_runs_nothing_of_the_folder_and_its_vectors_are_made(strange: StrangeFolder) -> None:
    environment = settings(strange, TERM="xterm", NO_COLOR="1", LOREWRIGHT_PLAIN="1")
    walk = pexpect.spawn(SCRIPT, ["explore", "."], env=environment, cwd=strange.folder, encoding="utf-8", timeout=60)
    walk.expect("> $")
    generations = strange.folder.parent / "workspace" / "indexes" / "generations"
    deadline = time.monotonic() + 60
    while not list(generations.rglob("vectors.npy")) and not strange.run and time.monotonic() < deadline:
        time.sleep(0.1)
    walk.sendline("look")
    walk.expect("> $")
    walk.sendeof()
    walk.expect(pexpect.EOF)
    walk.close()
    assert strange.run == []
    assert list(generations.rglob("vectors.npy"))


@pytest.mark.campaign
def test_installing_asking_checking_and_chroma_run_nothing_of_the_folder(strange: StrangeFolder) -> None:
    assert "installed" in run(strange, "pack", "install", ".", LOREWRIGHT_CHROMA="always")
    assert list((strange.folder.parent / "workspace").rglob("chroma"))
    assert "rye" in run(strange, "lore", "query", "mill", LOREWRIGHT_CHROMA="always")
    run(strange, "doctor", LOREWRIGHT_CHROMA="always")
    assert strange.run == []
