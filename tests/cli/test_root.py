"""Which commands there are: listed without importing them."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from lorewright.cli.root import COMMANDS, SHORT_HELP, app


@pytest.mark.campaign
def test_the_list_says_of_every_command_what_its_module_says() -> None:
    commands = typer.main.get_command(app)
    context = typer.Context(commands)
    said = {name: commands.get_command(context, name).get_short_help_str(1000) for name in COMMANDS}  # type: ignore[attr-defined]
    assert said == SHORT_HELP


def test_help_and_completion_list_the_commands_and_import_none() -> None:
    commands = typer.main.get_command(app)
    context = typer.Context(commands)
    listed = commands.get_help(context)
    completed = [one.value for one in commands.shell_complete(context, "re")]
    assert all(f"\n  {name} " in listed for name in COMMANDS)
    assert completed == ["replay"]


@pytest.mark.campaign
def test_what_a_turn_imports_has_nothing_of_leak_suite_generator_or_service() -> None:
    heavy = ("lorewright.authoring", "lorewright.generate", "lorewright.service", "mcp")
    code = f"""
import sys
from lorewright.bootstrap import open_app
import lorewright.campaigns.campaigns, lorewright.cli.game.play
found = [name for name in sys.modules if name.startswith({heavy!r})]
assert found == [], found
"""
    subprocess.run([sys.executable, "-c", code], check=True)
