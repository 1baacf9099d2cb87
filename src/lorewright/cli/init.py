"""lorewright init: a folder becomes a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lorewright.cli.output import say
from lorewright.lore_bootstrap import make_workspace

EXAMPLES = {"init": "Example: lorewright init my-world"}


def init(path: Annotated[Path, typer.Argument(help="The folder to make into a workspace.")]) -> None:
    """Make a workspace.

    That is a folder for packs, scenarios and campaigns, with the ones that ship.
    """
    made = make_workspace(path)
    for made_path in made:
        say(f"  made {made_path}")
    say(f"{path} is ready." if made else f"{path} was ready already.")
    say(f"Next: cd {path} && lorewright play dead_drop")
