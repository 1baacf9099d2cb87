"""The game at a real terminal: a prompt, an answer, suggestions by number, a way out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

import harbour as h


@pytest.mark.slow
def test_at_a_terminal_one_is_asked_and_answered(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(root), "TERM": "xterm"}
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
