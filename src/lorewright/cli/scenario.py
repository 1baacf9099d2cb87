"""lorewright scenario …: list, validate."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lorewright.bootstrap import open_app
from lorewright.cli.output import note, say, show_json, show_table
from lorewright.packs.findings import Finding

app = typer.Typer(
    help="Scenarios: what there is to play, and what is wrong with one.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list", epilog="Example: lorewright scenario list --json")
def list_scenarios(as_json: AsJson = False) -> None:
    """The scenarios of the workspace."""
    scenarios, broken = open_app().scenarios.listed()
    for path in broken:
        note(f"{path.name} is no scenario: see lorewright scenario validate {path}")
    if as_json:
        show_json([asdict(one) for one in scenarios])
    elif scenarios:
        show_table(
            ("scenario", "name", "packs", "ruleset", "summary"),
            [(one.id, one.name, _packs(one.packs, one.packs_here), one.ruleset, one.summary) for one in scenarios],
        )
    else:
        say("There is no scenario. Next: lorewright explore FOLDER --save scenarios/walk.yaml")


def _packs(packs: tuple[str, ...], here: bool) -> str:
    return (", ".join(packs) or "none") + ("" if here else " (not all here)")


@app.command(epilog="Example: lorewright scenario validate dead_drop")
def validate(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")], as_json: AsJson = False
) -> None:
    """Check a scenario as a compiler would, and play its demo. Exit 1 when it could not be begun."""
    lorewright = open_app()
    path = lorewright.scenarios.path(scenario)
    findings = lorewright.scenarios.findings(path)
    broken = any(one.severity == "error" for one in findings)
    if not broken:
        with tempfile.TemporaryDirectory() as folder:
            findings += lorewright.scenarios.demo_findings(path, lorewright.rehearsal(Path(folder)))
    if as_json:
        show_json([asdict(one) for one in findings])
    else:
        _show(findings)
    if broken:
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    for one in findings:
        hint = f" ({one.hint})" if one.hint else ""
        style = "red" if one.severity == "error" else "magenta"
        say(f"{one.file}:{one.line}: {one.severity} {one.message}{hint}", style=style)
    counts = Counter(one.severity for one in findings)
    say(f"{counts['error']} errors, {counts['warning']} warnings")
