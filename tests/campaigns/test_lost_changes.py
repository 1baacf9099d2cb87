"""A file that lost the end of its log is sound and shorter: that is noticed from outside, told, and forgotten after the
next turn."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.checks import check
from lorewright.storage.commit_counts import CommitCount, count_path
from support import harbour as h


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """Copy a workspace in which the last turn was acknowledged while its log was open, with the last frame damaged."""
    app, into = h.harbour(tmp_path, played=("look",)), tmp_path / "copy"
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look at the hearth", action_id="lost"))
        shutil.copytree(app.workspace.root, into)
    log = into / "campaigns" / "game.db-wal"
    told = bytearray(log.read_bytes())
    told[-1] ^= 1
    log.write_bytes(told)
    return into


def test_a_lost_end_of_the_log_is_told_until_the_next_turn(torn: Path) -> None:
    file = torn / "campaigns" / "game.db"
    found = check(file)
    assert found.clean
    assert [note.code for note in found.notes] == ["changes-lost"]
    app = open_app(torn)
    with app.campaigns.open("game") as campaign:
        assert campaign.store.lost_changes == 1
        asyncio.run(campaign.submit("look at the hearth", action_id="again"))
    with app.campaigns.open("game") as campaign:
        assert campaign.store.lost_changes == 0
    assert not check(file).notes


def test_a_sound_file_has_lost_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("look", "look around"))
    with app.campaigns.open("game") as campaign:
        assert campaign.store.lost_changes == 0


@pytest.mark.parametrize("text", ["", "\x00", "7", "seven 2026", "9" * 500])
def test_a_count_that_cannot_be_read_says_nothing(tmp_path: Path, text: str) -> None:
    count_path(tmp_path / "game.db").write_text(text)
    assert CommitCount(tmp_path / "game.db", "2026-01-01").lost(1) == 0


def test_the_count_of_another_campaign_of_the_same_name_does_not_hold(tmp_path: Path) -> None:
    CommitCount(tmp_path / "game.db", "2026-01-01").keep(9)
    assert CommitCount(tmp_path / "game.db", "2026-01-01").lost(7) == 2
    assert CommitCount(tmp_path / "game.db", "2026-02-02").lost(7) == 0


def test_the_count_goes_with_the_campaign(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("look",))
    kept = count_path(app.workspace.root / "campaigns" / "game.db")
    assert kept.is_file()
    app.campaigns.remove("game")
    assert not kept.exists()


def test_a_count_whose_writer_was_killed_is_brought_up_at_the_next_opening(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    path = app.campaigns.path("game")
    kept = count_path(path)
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look"))
    revision, _, begun = kept.read_text(encoding="utf-8").partition(" ")
    kept.write_text(f"{int(revision) - 1} {begun}", encoding="utf-8")
    # What a process that lives no more was writing.
    left = kept.with_name(f".{kept.name}.999999999.part")
    left.write_text("", encoding="utf-8")
    with app.campaigns.open("game"):
        pass
    assert kept.read_text(encoding="utf-8") == f"{revision} {begun}"
    assert not left.exists()
