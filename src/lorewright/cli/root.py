"""The root command: which commands there are, each imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lorewright import __version__
from lorewright.cli.output import say

# Command -> the module of its group or function, in the order in which help lists them. A question about lore need not
# wait for the game to be imported.
COMMANDS = {
    "init": "init",
    "pack": "pack",
    "lore": "lore",
    "scenario": "scenario",
    "ruleset": "ruleset",
    "prompts": "prompts",
    "schema": "schema",
    "campaign": "campaign",
    "session": "session",
    "models": "models",
    "trust": "trust",
    "replay": "replay",
    "metrics": "metrics",
    "doctor": "doctor",
    "db": "db",
    "explore": "explore",
    "play": "play",
    "turn": "play",
    "mcp": "mcp",
}


class Commands(TyperGroup):
    """The commands, imported one by one."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, from its module's `app`, or its function with its `EXAMPLES`; else None."""
        if cmd_name not in COMMANDS:
            return None
        module: Any = import_module(f"lorewright.cli.{COMMANDS[cmd_name]}")
        app = getattr(module, "app", None)
        if app is None:
            app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            app.command(cmd_name, epilog=module.EXAMPLES[cmd_name])(getattr(module, cmd_name))
        command = typer.main.get_command(app)
        command.name = cmd_name
        return command


app = typer.Typer(
    name="lorewright",
    cls=Commands,
    help="Lore that is found, explained and kept secret, and role-playing grounded in it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
