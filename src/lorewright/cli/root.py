"""The root command: the list of commands, each imported when it is called, not when it is listed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from lorewright import __version__
from lorewright.cli.database import add_database_option
from lorewright.cli.output import say

# Command -> the module of its group or function, in the order of the help. A question about lore need not wait for the
# game to be imported.
COMMANDS = {
    "init": "init",
    "pack": "packs.pack",
    "lore": "lore",
    "scenario": "scenario",
    "ruleset": "ruleset",
    "prompts": "prompts",
    "schema": "schema",
    "campaign": "campaigns.campaign",
    "session": "campaigns.session",
    "models": "models",
    "trust": "trust",
    "replay": "replay",
    "metrics": "metrics",
    "doctor": "doctor",
    "db": "db",
    "explore": "explore",
    "play": "game.play",
    "turn": "game.play",
    "mcp": "mcp",
    "serve": "serve",
    "indexer": "indexer",
}


# Command -> its short help, the same as in its module: listing the commands need not import them all, which takes
# seconds.
SHORT_HELP = {
    "init": "Make a workspace.",
    "pack": "Content packs: install them, list them, check them.",
    "lore": "Lore: ask the installed packs.",
    "scenario": "Scenarios: what there is to play, and what is wrong with one.",
    "ruleset": "Rulesets: how things are resolved, and what is wrong with one.",
    "prompts": "Prompts: what models are asked, which version a campaign uses, and what is wrong with one.",
    "schema": "The JSON Schema of what you write, for your editor; without a name: which there are.",
    "campaign": "Campaigns: begin one, look at it, take turns back, branch off.",
    "session": "Sittings of a campaign: begin, end, recap.",
    "models": "Models that can be chosen for a campaign: what they cost, and whether one answers.",
    "trust": "Show what the settings of a workspace send where, and allow it.",
    "replay": "Think turns again from what was recorded of them.",
    "metrics": (
        "How the turns up to the head were played: rates, lengths, tokens, cost, latency, what caches could take."
    ),
    "doctor": "Check everything below indexes/ and mend what can be rebuilt.",
    "db": "Campaigns' files: check them, bring them up to date, back them up, import those of v0.",
    "explore": "Walk in any folder of notes, or installed pack.",
    "play": "Play at a prompt; type /help there.",
    "turn": "Play one turn.",
    "mcp": "Serve lore and campaigns to other programs over the Model Context Protocol.",
    "serve": "Serve tables to browsers, with an API for programs.",
    "indexer": "Install the packs that are sent to `lorewright serve --indexers`, one after the other.",
}


class Commands(TyperGroup):
    """The commands, imported one by one."""

    _is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Return all names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, from its module's `app`, or its function with its `EXAMPLES`; else None. While
        the commands are listed, it has only its name and short help."""
        if cmd_name not in COMMANDS:
            return None
        if self._is_listing:
            return TyperCommand(cmd_name, help=SHORT_HELP[cmd_name])
        return _command(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands into the help."""
        with self._listing():
            super().format_commands(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the commands and options that complete what was typed."""
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _listing(self) -> Iterator[None]:
        self._is_listing = True
        try:
            yield
        finally:
            self._is_listing = False


@cache
def _command(name: str) -> Any:
    module: Any = import_module(f"lorewright.cli.{COMMANDS[name]}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        app.command(name, epilog=module.EXAMPLES[name])(getattr(module, name))
    command = typer.main.get_command(app)
    command.name = name
    add_database_option(name, command)
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
