"""A question about lore is answered without the game."""

from __future__ import annotations

import subprocess
import sys

import pytest

PLAY = ("lorewright.world", "lorewright.rules", "lorewright.turn", "lorewright.campaigns")


@pytest.mark.campaign
def test_a_question_about_packs_imports_nothing_of_the_game() -> None:
    code = f"""
import sys
from lorewright.cli.root import app
import lorewright.cli.lore
print([name for name in sys.modules if name.startswith({PLAY!r})])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
