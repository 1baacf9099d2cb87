"""Where campaigns are kept: `--database` of each command that opens any, declared here alone, or its variable."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextvars import ContextVar
from functools import cache
from typing import Annotated, Any

import typer

from lorewright.settings import DATABASE_VARIABLE

# All commands that open campaigns, or wait for packs in the same database; of a group those that are named, or each.
OPEN_CAMPAIGNS: dict[str, Collection[str]] = {
    "pack": ("export", "push", "remove", "show", "watch"),
    "lore": ("entity", "query", "scene"),
    "prompts": ("list", "pin", "show"),
    "campaign": (),
    "session": (),
    "replay": (),
    "metrics": (),
    "doctor": (),
    "db": ("backup", "check", "import-v0", "migrate", "restore"),
    "explore": (),
    "play": (),
    "turn": (),
    "mcp": (),
    "serve": (),
    "indexer": (),
}

# The address that the command was given, and its context.
_given: ContextVar[str | None] = ContextVar("database", default=None)
_running: ContextVar[typer.Context | None] = ContextVar("running", default=None)


def database_address() -> str | None:
    """Return the address of the database that keeps the campaigns; None where they are files of the workspace."""
    return _given.get() or os.environ.get(DATABASE_VARIABLE) or None


def close_after_command(close: Callable[[], object]) -> None:
    """Have something closed when the command ends, where it is one that opens campaigns."""
    if (context := _running.get()) is not None:
        context.call_on_close(close)


def add_database_option(name: str, command: Any) -> None:
    """Give a command of the program, or those of a group's commands that open campaigns, the option `--database`."""
    if name in OPEN_CAMPAIGNS:
        for leaf in _leaves(command, OPEN_CAMPAIGNS[name]):
            leaf.params.append(_option())


def add_option_to_late(group: str, name: str, command: Any) -> None:
    """Give a command of a group the same, where it is imported later than its group."""
    if name in OPEN_CAMPAIGNS[group]:
        command.params.append(_option())


def _leaves(command: Any, among: Collection[str]) -> Iterator[Any]:
    """Yield a command, or those of a group and of the groups in it; at the top only those that are named, if any."""
    commands = getattr(command, "commands", None)
    if commands is None:
        yield command
        return
    for name, inner in commands.items():
        if not among or name in among:
            yield from _leaves(inner, ())


def _choose(context: typer.Context, address: str | None) -> None:
    _given.set(address)
    _running.set(context)


def _declared(
    database: Annotated[
        str | None,
        typer.Option(
            envvar=DATABASE_VARIABLE,
            metavar="URL",
            help="The PostgreSQL database that keeps the campaigns, in place of files of the workspace.",
            callback=_choose,
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Do nothing: Typer makes the option from this."""


@cache
def _option() -> Any:
    app = typer.Typer(add_completion=False)
    app.command()(_declared)
    return next(made for made in typer.main.get_command(app).params if made.name == "database")
