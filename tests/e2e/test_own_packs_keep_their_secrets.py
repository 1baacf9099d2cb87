"""The leak suite over every pack that ships: no leak, and what is wrongly blocked is few and known."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.leaks.suite import LeakSuite, Plays
from lorewright.index.library import Library
from lorewright.llm.prompt_library import PromptLibrary
from support.scale import scaled

PROJECT = Path(__file__).parents[2]
# The smallest comes first; all of them, and plays as long as ever, from CAMPAIGN_SCALE=4 on.
PACKS = sorted(
    (path.name for path in (PROJECT / "content_packs").iterdir() if (path / "pack.yaml").is_file()),
    key=lambda name: (name != "orme_house", name),
)[: scaled(1)]
PLAYS = Plays(builtin=scaled(9), parrot=scaled(2), twins=scaled(20))
# Of a hundred open sentences so many may share a phrase with a secret.
MOST_REFUSED_PERCENT = 3


def heading_of(pack: Path, place: str) -> str:
    """Return the heading under which a line of a pack stands, given as `file:line`."""
    file, _, line = place.rpartition(":")
    lines = (pack / file).read_text("utf-8").splitlines()[: int(line)]
    return next(text for text in reversed(lines) if text.startswith("## "))


@pytest.mark.campaign
@pytest.mark.parametrize("name", PACKS)
def test_a_pack_that_ships_keeps_its_secrets(tmp_path: Path, name: str) -> None:
    suite = LeakSuite(
        Library(tmp_path / "indexes"),
        PROJECT / "scenarios",
        PROJECT / "content_packs",
        PromptLibrary((PROJECT / "prompts",)),
        plays=PLAYS,
    )
    report = suite.pack(name)
    assert [str(leak) for leak in report.leaks] == []
    assert report.secrets > 10
    # A short remark that people tell freely may have no word to spare.
    assert {heading_of(PROJECT / "content_packs" / name, place) for place in report.unproven} <= {"## Knows"}
    assert report.over_blocked.not_shown == ()
    assert report.over_blocked.refused_in_play == ()
    assert report.over_blocked.refused <= report.over_blocked.sentences * MOST_REFUSED_PERCENT / 100
