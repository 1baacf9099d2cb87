"""The root command and its groups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lorewright import __version__
from lorewright.bootstrap import make_workspace
from lorewright.cli import campaign, doctor, explore, lore, pack, play, scenario, session
from lorewright.cli.output import say

app = typer.Typer(
    name="lorewright",
    help="Lore that is found, explained and kept secret, and role-playing grounded in it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(pack.app, name="pack")
app.add_typer(lore.app, name="lore")
app.add_typer(scenario.app, name="scenario")
app.add_typer(campaign.app, name="campaign")
app.add_typer(session.app, name="session")
app.command("doctor", epilog=doctor.EXAMPLE)(doctor.doctor)
app.command("explore", epilog=explore.EXAMPLE)(explore.explore)
app.command("play", epilog=play.PLAY_EXAMPLE)(play.play)
app.command("turn", epilog=play.TURN_EXAMPLE)(play.turn)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"lorewright {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Lore that is found, explained and kept secret, and role-playing grounded in it."""


@app.command(epilog="Example: lorewright init my-world")
def init(path: Annotated[Path, typer.Argument(help="The folder to make into a workspace.")]) -> None:
    """Make a workspace: folders for packs, scenarios and campaigns, with the ones that ship."""
    made = make_workspace(path)
    for one in made:
        say(f"  made {one}")
    say(f"{path} is ready." if made else f"{path} was ready already.")
    say(f"Next: cd {path} && lorewright play dead_drop")
