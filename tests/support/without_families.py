"""Families of verbs -> what the program does without the file of each: one process imports it all and forks for each.

`python -m support.without_families FOLDER FAMILY…` prints a JSON object by family. A family that is not there takes nothing away.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import lorewright.verbs
import verbs_page
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.solver.next_lines import find_next_lines
from lorewright.cli.game.slash import run_command
from lorewright.rules.verbs import verbs
from support.bare_workspace import bare_house

_ROOT = Path(__file__).parents[2]
# Something of everything that a player does.
LINES = (
    "look around",
    "wait",
    "inventory",
    "drop the lamp",
    "take the lamp",
    "go to the kitchen",
    "ask Tom about Aunt Vi",
    "tell Tom about the rain",
    "give the lamp to Tom",
    "promise Tom to come back",
    "what did Tom promise me",
    "persuade Tom to give me the key",
    "search",
    "attack Tom",
    "sneak to the hall",
    "unlock the cellar door",
    "use the iron key on the cellar door",
    "hide",
    "kick the chest",
)


def without_families(folder: Path, families: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what each process found; `folder` is for the copies of the package and the workspaces."""
    command = [sys.executable, "-m", "support.without_families", str(folder), *families]
    roots = [str(_ROOT / name) for name in ("src", "tests", "scripts")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def _without(family: str, folder: Path) -> dict[str, Any]:
    """Return what the program is without a family: nothing else of it is changed."""
    package = folder / "verbs"
    package.mkdir(parents=True)
    for file in Path(lorewright.verbs.__path__[0]).glob("*.py"):
        if file.stem != family:
            (package / file.name).symlink_to(file)
    lorewright.verbs.__path__[:] = [str(package)]
    app = bare_house(folder)
    with app.campaigns.open("game") as campaign:
        return {
            "verbs": list(verbs()),
            "imported": f"lorewright.verbs.{family}" in sys.modules,
            "help": _help(campaign),
            "page": verbs_page.page(),
            "planned": _planned(campaign),
            "turns": {line: _played(campaign, line) for line in LINES},
        }


def _help(campaign: OpenCampaign) -> str:
    printed = StringIO()
    with redirect_stdout(printed):
        run_command(campaign, "/help")
    return " ".join(printed.getvalue().split())


def _planned(campaign: OpenCampaign) -> list[str]:
    found = find_next_lines(campaign.setting, campaign.store.head().state, seconds=60, lines=30)
    return [step.line for suggestion in found for step in suggestion.steps]


def _played(campaign: OpenCampaign, line: str) -> dict[str, Any]:
    """Return the answer to a line, and the types of the actions that were played in its turn, the cast's included."""
    result = json.loads(asyncio.run(campaign.submit(line)))
    acts = campaign.store.database.rows(
        "SELECT type FROM actions WHERE turn_id = ? ORDER BY action_index", result["turn_id"]
    )
    return {
        "text": result["final_text"],
        "question": result["clarification_question"] or "",
        "offered": result["suggested_actions"],
        "acts": [act for (act,) in acts],
    }


def _main(folder: Path, families: Sequence[str]) -> None:
    answers = {}
    for family in families:
        reading, writing = os.pipe()
        if not (child := os.fork()):
            os.close(reading)
            with os.fdopen(writing, "w") as pipe:
                json.dump(_without(family, folder / family), pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answers[family] = json.loads(pipe.read() or "{}")
        if os.waitpid(child, 0)[1]:
            sys.exit(f"it does not work without {family}")
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2:])
