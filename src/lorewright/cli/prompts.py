"""lorewright prompts …: list, show, check, pin, schemas."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lorewright.cli.opening import open_app
from lorewright.cli.output import say, show_json, show_table
from lorewright.storage.enclosure import FOR_ALL, Enclosure
from lorewright.workspace.prompts import NEWEST, WorkspacePrompts

app = typer.Typer(
    help="Prompts: what models are asked, which version a campaign uses, and what is wrong with one.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list", epilog="Example: lorewright prompts list --campaign friday")
def list_prompts(
    campaign: Annotated[str | None, typer.Option(help="As this campaign uses them.")] = None, as_json: AsJson = False
) -> None:
    """The prompts that ship and those in the workspace's `prompts/`: the version in force, and all there are."""
    found = _desk().listed(campaign)
    if as_json:
        show_json([asdict(prompt) for prompt in found])
        return
    rows = [
        (
            prompt.name,
            f"{prompt.version}{' (pinned)' * prompt.pinned}",
            ", ".join(prompt.versions),
            prompt.tier,
            prompt.description,
        )
        for prompt in found
    ]
    show_table(("prompt", "in force", "versions", "tier", "what it does"), rows)


@app.command(epilog="Example: lorewright prompts show narrator v1")
def show(
    name: Annotated[str, typer.Argument(help="A prompt's name, as `prompts list` prints it.")],
    version: Annotated[str | None, typer.Argument(help="v1, v2, …; the one in force if not given.")] = None,
    campaign: Annotated[str | None, typer.Option(help="The one that this campaign uses.")] = None,
) -> None:
    """The whole text of a prompt, as its file has it: a start for one of your own in `prompts/`."""
    sys.stdout.write(_desk().text(name, version, campaign_id=campaign))


@app.command(epilog="Example: lorewright prompts check prompts/narrator_v2.hbs")
def check(
    files: Annotated[list[Path] | None, typer.Argument(help="Prompt files; every prompt if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Hold prompts against what they are filled in with: unknown variables, in `{{#last}}` too, and what may not stand
    in the stable part, with file and line. Exit 1 when anything is wrong."""
    faults = _desk().faults(files or ())
    if as_json:
        show_json([{"file": fault.where, "line": fault.line, "message": fault.message} for fault in faults])
    else:
        for fault in faults:
            say(str(fault), style="red")
        say(f"{len(faults)} errors" if faults else "no errors")
    if faults:
        raise typer.Exit(1)


@app.command(epilog="Example: lorewright prompts pin friday narrator v1")
def pin(
    campaign_id: Annotated[str, typer.Argument(help="The campaign's ID.")],
    name: Annotated[str, typer.Argument(help="A prompt's name, as `prompts list` prints it.")],
    version: Annotated[str, typer.Argument(help=f"v1, v2, …; `{NEWEST}` lets go of the pin.")],
) -> None:
    """Have a campaign use a version of a prompt from its next turn on. The text is kept in the campaign's file: what
    becomes of the prompt's file later does not change it."""
    used = _desk().pin(campaign_id, name, version)
    say(f"{campaign_id} uses {name} {used} from its next turn on{' (the newest)' if version == NEWEST else ''}")


@app.command(epilog="Example: lorewright prompts schemas schemas/")
def schemas(folder: Annotated[Path, typer.Argument(help="Where to write; made if it is not there.")]) -> None:
    """Write the JSON Schemas of every stage: what it is given, what its prompt shows of that, what a model answers."""
    folder.mkdir(parents=True, exist_ok=True)
    # The given folder may lie in one that a stranger made, so a link of one of these names is not followed.
    home = Enclosure(folder.resolve())
    written = 0
    for name, text in _desk().schemas():
        home.write(home.path(name), text.encode(), mode=FOR_ALL)
        written += 1
    say(f"{written} schemas in {folder}")


def _desk() -> WorkspacePrompts:
    app = open_app()
    return WorkspacePrompts(app.stage_models.library, app.campaigns)
