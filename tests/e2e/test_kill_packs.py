"""Installing and removing under SIGKILL: before or after, never between, and the next try works."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.faults import COPY_STEPS, INSTALL_STEPS, KILL_VARIABLE, RECORD_STEPS, REMOVE_STEPS
from support import harbour as h
from support.forked_commands import Commands
from support.scale import scaled
from support.tally import counted

KILLS = scaled(10)

pytestmark = [pytest.mark.campaign, pytest.mark.trust]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_empty_workspace(tmp_path / "workspace")
    h.write_pack(tmp_path / "source" / "harbour")
    return tmp_path / "workspace"


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    one = Commands({})
    yield one
    one.close()


def run(commands: Commands, root: Path, *words: str, kill_at: str = "") -> int:
    return commands.run(root, "pack", *words, **{KILL_VARIABLE: kill_at}).code


def source(root: Path) -> str:
    return str(root.parent / "source" / "harbour")


def is_whole(root: Path) -> bool:
    """Whether the pack is installed; where it is it answers, where it is not nothing knows of it."""
    app = open_app(root)
    installed = [pack for pack in app.library.packs() if pack.id == "harbour"]
    if not installed:
        return False
    found = app.lore.retrieve(LoreRetrievalQuery(keywords="landlord"), packs=["harbour"]).result
    assert found.chunks[0].chunk_id == "harbour:osk:overview"
    return True


def nothing_is_left_over(root: Path) -> bool:
    left = [*(root / "indexes" / "generations").glob(".building-*"), *(root / "content_packs").glob(".copying-*")]
    return left == []


@pytest.mark.parametrize("step", [*INSTALL_STEPS, *RECORD_STEPS])
def test_an_install_that_is_killed_at_a_step_is_there_or_not_and_can_be_repeated(
    commands: Commands, root: Path, step: str
) -> None:
    assert run(commands, root, "install", source(root), kill_at=step) == -signal.SIGKILL
    assert is_whole(root) == (step == "install:recorded")
    assert run(commands, root, "install", source(root)) == 0
    assert is_whole(root)
    assert nothing_is_left_over(root)


@pytest.mark.parametrize("step", [*COPY_STEPS, *INSTALL_STEPS, *RECORD_STEPS])
def test_a_copy_that_is_killed_at_a_step_can_be_repeated(commands: Commands, root: Path, step: str) -> None:
    assert run(commands, root, "install", "--copy", source(root), kill_at=step) == -signal.SIGKILL
    assert is_whole(root) == (step == "install:recorded")
    assert run(commands, root, "install", "--copy", source(root)) == 0
    assert is_whole(root)
    assert nothing_is_left_over(root)
    copied = sorted(path.name for path in (root / "content_packs" / "harbour").rglob("*") if path.is_file())
    assert copied == sorted(Path(name).name for name in h.FILES)


@pytest.mark.parametrize("step", REMOVE_STEPS)
def test_a_removal_that_is_killed_at_a_step_is_done_or_not(commands: Commands, root: Path, step: str) -> None:
    assert run(commands, root, "install", source(root)) == 0
    assert run(commands, root, "remove", "harbour", kill_at=step) == -signal.SIGKILL
    assert is_whole(root) == (step in ("remove:checked", "remove:recording"))
    if is_whole(root):
        assert run(commands, root, "remove", "harbour") == 0
    assert not is_whole(root)
    assert run(commands, root, "install", source(root)) == 0
    assert is_whole(root)


def test_installing_and_removing_under_kills_at_random_moments_is_never_between(commands: Commands, root: Path) -> None:
    began = time.monotonic()
    assert run(commands, root, "install", source(root)) == 0
    window = time.monotonic() - began
    chance = random.Random(5)
    killed = 0
    for _ in range(KILLS):
        installing = not is_whole(root)
        commands.start(root, "pack", *(("install", "--copy", source(root)) if installing else ("remove", "harbour")))
        time.sleep(window * chance.uniform(0.05, 1.0))
        commands.kill()
        if commands.end().code == -signal.SIGKILL:
            killed += 1
            window *= 1.2
        else:
            # The first installation, by which the window was measured, may have been a slow one.
            window *= 0.5
            assert is_whole(root) == installing
    assert killed >= KILLS // 4
    if not is_whole(root):
        assert run(commands, root, "install", "--copy", source(root)) == 0
    assert is_whole(root)
    listed = commands.run(root, "pack", "list", "--json").out
    assert [pack["id"] for pack in json.loads(listed)] == ["harbour"]
    counted("kills", "pack install --copy, pack remove", KILLS, killed=killed)
