"""Every command that writes, under a full disk, a limit on files, descriptors or memory, and where nothing may be written:
it is done, or refused in clear words with nothing half done, and works once the trouble is over."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from support.command_cases import CASES, OUT, CommandCase, is_whole, leftovers, played, standing
from support.copied_workspaces import copied_workspace
from support.forked_commands import LIMITS, Commands, Ended
from support.scale import scaled
from support.small_disk import mounted, read_only
from support.tally import Tally

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

# Every third command in turn, all of them from CAMPAIGN_SCALE=3 on.
SOME = [case for number, case in enumerate(CASES) if number % 3 < scaled(1)]
# Bytes of room on a disk, bytes that a file may have, descriptors, bytes of memory.
ROOMS = (0, 20_000, 100_000, 400_000)
SIZES = (8_192, 50_000, 200_000)
DESCRIPTORS = (8, 12, 20, 40)
MEMORY = (450_000_000, 700_000_000)


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    made = Commands({})
    yield made
    made.close()


def told(commands: Commands, root: Path, case: CommandCase, tally: Tally, **environment: str) -> Ended:
    """Run a case; a traceback, or an error without what to do, is counted, and ends it with 70."""
    try:
        return commands.run(root, *case.words_in(root), **environment)
    except AssertionError as complaint:
        tally.fault("traceback", f"{case.name}: {str(complaint)[-600:]}")
        return Ended(70, "", "")


def is_told(ended: Ended, code: str, remedy: str) -> bool:
    """Tell whether a command said the error's code, or what to do, as the doctor does among other findings."""
    said = " ".join((ended.out + ended.err).split())
    return f"error[{code}]" in said or remedy in said


def judged(
    tally: Tally, case: CommandCase, ended: Ended, seen: dict[str, Any], sides: tuple[Any, Any], how: str
) -> None:
    """Count what a command under a fault has come to: `sides` are the standings before and after it."""
    before, after = sides
    tally.tried += 1
    tally.seen["done" if ended.code == 0 else "refused"] += 1
    if ended.code == 0 and seen != after:
        tally.fault("lost", f"{case.name}, {how}: said to be done, and is not: {_parts(seen, after)}")
    elif not is_whole(case, seen, before, after):
        tally.fault("half", f"{case.name}, {how}: {_parts(seen, after)}")


def works_after(tally: Tally, commands: Commands, root: Path, case: CommandCase, after: Any, how: str) -> None:
    """Count a command that does not do its work once the trouble is over."""
    told(commands, root, case, tally)
    if (seen := standing(root)) != after:
        tally.fault("half", f"{case.name}, after {how}: {_parts(seen, after)}")
    if left := leftovers(root):
        tally.fault("half", f"{case.name}, after {how}: {', '.join(left)} was left")


def _parts(seen: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    return "; ".join(f"{part}: {str(seen[part])[:300]}" for part in after if seen[part] != after[part])


def sides_of(commands: Commands, tmp_path: Path, case: CommandCase) -> tuple[Any, Any]:
    """Return how the workspace of a case stands before and after its command."""
    root = case.workspace(tmp_path / "whole")
    before = standing(root)
    assert commands.run(root, *case.words_in(root)).code == 0
    return before, standing(root)


@pytest.mark.parametrize("case", SOME, ids=lambda case: " ".join(case.words[:3]))
def test_a_full_disk_is_told_and_loses_nothing(commands: Commands, tmp_path: Path, case: CommandCase) -> None:
    tally = Tally("faults", "full disk")
    sides = sides_of(commands, tmp_path, case)
    for room in ROOMS:
        disk = tmp_path / f"disk{room}"
        with mounted(disk):
            root = case.workspace(disk)
            used = os.statvfs(disk)
            free = used.f_bavail * used.f_frsize
            (disk / "fill").write_bytes(b"\0" * max(0, free - room))
            ended = told(commands, root, case, tally)
            (disk / "fill").unlink()
            judged(tally, case, ended, standing(root), sides, f"{room} bytes free")
            if ended.code == 1 and not is_told(ended, "disk_full", "make room"):
                tally.fault("wrong unseen", f"{case.name}, {room} bytes free: {(ended.out + ended.err)[-600:]}")
            works_after(tally, commands, root, case, sides[1], f"{room} bytes free")
    tally.close()


LIMITED = {
    "size of files": [{"FSIZE": size} for size in SIZES],
    "descriptors": [{"NOFILE": most} for most in DESCRIPTORS],
    "memory": [{"AS": most} for most in MEMORY],
}


@pytest.mark.parametrize("case", SOME, ids=lambda case: " ".join(case.words[:3]))
@pytest.mark.parametrize("what", LIMITED)
def test_a_limit_is_told_and_loses_nothing(commands: Commands, tmp_path: Path, what: str, case: CommandCase) -> None:
    tally = Tally("faults", what)
    sides = sides_of(commands, tmp_path, case)
    for limit in LIMITED[what]:
        root = case.workspace(tmp_path / json.dumps(limit).strip("{}"))
        ended = told(commands, root, case, tally, **{LIMITS: json.dumps(limit)})
        judged(tally, case, ended, standing(root), sides, str(limit))
        works_after(tally, commands, root, case, sides[1], str(limit))
        shutil.rmtree(root.parent)
    tally.close()


@pytest.mark.parametrize("case", SOME, ids=lambda case: " ".join(case.words[:3]))
def test_where_nothing_may_be_written_that_is_told(commands: Commands, tmp_path: Path, case: CommandCase) -> None:
    tally = Tally("faults", "read-only")
    sides = sides_of(commands, tmp_path, case)
    disk = tmp_path / "disk"
    with mounted(disk):
        root = case.workspace(disk)
        with read_only(disk):
            ended = told(commands, root, case, tally)
        judged(tally, case, ended, standing(root), sides, "read-only")
        if ended.code == 1 and not is_told(ended, "read_only", "allow writing"):
            tally.fault("wrong unseen", f"{case.name}: {(ended.out + ended.err)[-600:]}")
        works_after(tally, commands, root, case, sides[1], "read-only")
    tally.close()


# Commands that only read; `{out}` is a folder that can be written to.
READING = (
    *("pack list", "pack show harbour", "pack validate {root}/content_packs/harbour", "pack stats harbour"),
    *(
        "lore query landlord --json",
        "lore query landlord --campaign game --as player --json",
        "lore entity harbour:osk",
    ),
    *("lore scene --location harbour:tavern", "campaign list", "campaign show game", "campaign log game --json"),
    *("campaign export game {out}/game.lorewright", "pack export harbour {out}/h.html --format player-handout"),
    *("session list game", "db check game", "scenario list", "scenario show night_boat", "metrics game", "replay game"),
    *("models list", "doctor --dry-run"),
)


def test_everything_can_be_read_where_nothing_may_be_written(commands: Commands, tmp_path: Path) -> None:
    tally = Tally("faults", "reading on a read-only disk")
    disk = tmp_path / "disk"
    with mounted(disk):
        root = copied_workspace(disk / "workspace", played, "read-only")
        out = tmp_path / OUT
        answers: list[dict[str, Ended]] = []
        for how in (nullcontext, read_only):
            with how(disk):
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                answers.append({line: commands.run(root, *line.format(root=root, out=out).split()) for line in READING})
    for line in READING:
        tally.tried += 1
        before, now = (answered[line] for answered in answers)
        if now.code != before.code or (now.out != before.out and line not in ("doctor --dry-run", "replay game")):
            tally.fault("wrong unseen", f"{line}: {now.code}, {(now.err or now.out)[-300:]}")
    tally.close()
