"""Every command that writes, killed after some CPU time: what it was to do is done or not begun, what it acknowledged stays,
and the command once more does what is left."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command_cases import CASES, CommandCase, is_whole, leftovers, standing
from support.forked_commands import LIMITS, Commands
from support.scale import scaled
from support.tally import Tally

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

KILLS = scaled(3)


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    made = Commands({})
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case.words[:3]))
def test_a_command_that_is_killed_has_done_all_or_nothing(
    commands: Commands, tmp_path: Path, case: CommandCase
) -> None:
    tally = Tally("kills", case.name)
    whole = case.workspace(tmp_path / "whole")
    before = standing(whole)
    done = commands.run(whole, *case.words_in(whole))
    assert done.code == 0
    after = standing(whole)
    chance = random.Random(case.name)
    for number in range(KILLS):
        root = case.workspace(tmp_path / str(number))
        limits = json.dumps({"cpu_s": done.cpu_s * chance.uniform(0.02, 1.0)})
        ended = commands.run(root, *case.words_in(root), **{LIMITS: limits})
        tally.tried += 1
        seen = standing(root)
        tally.seen["killed" if ended.code == -signal.SIGPROF else "acknowledged"] += 1
        if ended.code == 0 and seen != after:
            tally.fault("lost", f"try {number}: acknowledged, and {difference(seen, after)}")
        elif not is_whole(case, seen, before, after):
            tally.fault("half", f"try {number}: {difference(seen, after)}")
        commands.run(root, *case.words_in(root))
        if (finished := standing(root)) != after:
            tally.fault("half", f"try {number}, once more: {difference(finished, after)}")
        if left := leftovers(root):
            tally.fault("half", f"try {number}: {', '.join(left)} was left")
    assert tally.seen["killed"], "every try ended before it could be killed"
    tally.close()


def difference(seen: dict[str, object], after: dict[str, object]) -> str:
    """Say in which parts two standings differ, and how."""
    return "; ".join(f"{part}: {seen[part]} and not {after[part]}" for part in after if seen[part] != after[part])
