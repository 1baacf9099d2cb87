"""The game at a real terminal: a prompt, an answer, suggestions by number, a way out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

from lorewright.bootstrap import open_app
from support import harbour as h

# Lines are read as `input` reads them, so that the prompt is what is printed last.
PLAIN = {"LOREWRIGHT_PLAIN": "1"}


@pytest.mark.campaign
def test_at_a_terminal_one_is_asked_and_answered(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(root), "TERM": "xterm", "NO_COLOR": "1", **PLAIN}
    child = pexpect.spawn(
        sys.executable, ["-m", "lorewright", "play", "game"], env=environment, encoding="utf-8", timeout=30
    )
    child.expect("The rain has driven you")
    child.expect("> ")
    child.sendline("ask osk about lin")
    child.expect("kestrel")
    child.expect("> ")
    child.sendline("2")
    child.expect("> ")
    child.sendline("/help")
    child.expect("/quit")
    child.expect("> ")
    child.sendeof()
    child.expect("Saved.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def spawned(root: Path, *words: str) -> pexpect.spawn:
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(root), "TERM": "xterm", "NO_COLOR": "1", **PLAIN}
    child = pexpect.spawn(sys.executable, ["-m", "lorewright", *words], env=environment, encoding="utf-8", timeout=60)
    child.expect("> $")
    return child


@pytest.mark.campaign
def test_whoever_interrupts_is_told_that_nothing_is_lost(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    child = spawned(root, "play", "game")
    child.sendline("take rope")
    child.expect("\r\n> ")
    child.send("drop ro")
    child.expect(
        "drop ro"
    )  # an interrupt takes away what was typed and not yet read, and a prompt left with nothing sleeps
    for _ in range(3):
        # A player presses again where nothing happens, as may be on a machine under load.
        child.sendintr()
        if child.expect(["Saved.", pexpect.TIMEOUT], timeout=15) == 0:
            break
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    again = spawned(root, "play", "game")
    again.sendline("/inv")
    again.expect("You carry: lantern, coil of rope")
    again.close(force=True)


@pytest.mark.campaign
def test_a_file_that_is_deleted_while_it_is_played_is_not_called_saved(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    child = spawned(root, "play", "game")
    child.sendline("take rope")
    child.expect("\r\n> ")
    (root / "campaigns" / "game.db").unlink()
    child.sendline("look")
    child.expect("moved or deleted")
    child.expect(pexpect.EOF)
    assert "Saved" not in child.before
    child.close()


@pytest.mark.campaign
def test_two_who_play_one_campaign_lose_no_turn(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    one, other = (spawned(app.workspace.root, "play", "game") for _ in range(2))
    for child, line in ((one, "look"), (other, "take rope"), (one, "wait"), (other, "/undo"), (one, "talk to osk")):
        child.sendline(line)
        child.expect("\r\n> ")
    for child in (one, other):
        child.sendeof()
        child.expect("Saved.")
        child.expect(pexpect.EOF)
        child.close()
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "take rope", "talk to osk"]


@pytest.mark.campaign
def test_at_a_terminal_lines_are_completed_edited_and_remembered(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(root), "TERM": "xterm", "NO_COLOR": "1"}
    environment.pop("LOREWRIGHT_PLAIN", None)
    # Said when a line is begun: what is typed from now on, and pasted, is the prompt's.
    ready = r"\[\?2004h"

    def opened() -> pexpect.spawn:
        child = pexpect.spawn(
            sys.executable, ["-m", "lorewright", "play", "game"], env=environment, encoding="utf-8", timeout=60
        )
        child.expect(" 3 [a-z]+ ")
        child.expect(ready)
        return child

    child = opened()
    child.send("ask O\tabout lin\r")
    child.expect("kestrel")
    child.expect(ready)
    child.send("take nothing")
    child.expect("nothing")
    child.send("\x03")
    child.expect("Ctrl-C once more leaves")
    child.send("take \\\rrope\r")
    child.expect("coil of rope")
    child.expect(ready)
    child.send("/edit\r")
    child.expect(ready)
    child.send("\x15look\r")
    child.expect("Osk")
    child.expect(ready)
    child.send("\x03")
    child.expect("Saved.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    again = opened()
    again.send("\x1b[A" * 5)  # one of the lines has two rows
    again.expect("ask Osk about lin")
    again.send("\x03\x04")
    again.expect("Saved.")
    again.expect(pexpect.EOF)
    again.close()
    assert again.exitstatus == 0
    with open_app(root).campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "ask Osk about lin", "look"]
    assert (root / "campaigns" / "game.lines").stat().st_mode & 0o777 == 0o600
