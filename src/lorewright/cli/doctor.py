"""lorewright doctor: print what is wrong with the indexes, and what was done about it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from lorewright.cli.opening import open_app
from lorewright.cli.output import progress_bar, say, show_json, show_table
from lorewright.workspace.doctor import DoctorReport, Facts, Treated

EXAMPLES = {"doctor": "Example: lorewright doctor --dry-run"}


def doctor(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only look; change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Check everything below indexes/ and mend what can be rebuilt. Exit 1 when anything is left to do."""
    doctor = open_app().doctor
    with progress_bar() as progress:
        report = doctor.examine(progress=progress) if dry_run else doctor.mend(progress=progress)
    if as_json:
        show_json(_as_json(report))
    else:
        _show(report)
    if not report.clean:
        raise typer.Exit(1)


def _as_json(report: DoctorReport) -> dict[str, Any]:
    return {
        "clean": report.clean,
        "dry_run": not report.mended,
        "faults": [_fault_as_json(treated) for treated in report.treated],
        "facts": asdict(report.facts),
    }


def _fault_as_json(treated: Treated) -> dict[str, Any]:
    fault = treated.fault
    return {
        "kind": fault.kind,
        "code": fault.code,
        "where": fault.where,
        "state": fault.state,
        "done": treated.done,
        "hint": treated.left,
    }


def _show(report: DoctorReport) -> None:
    if report.treated:
        rows = [(f"{t.fault.kind}: {t.fault.code}", t.fault.where, t.fault.state, t.done) for t in report.treated]
        show_table(("what", "where", "state", "done"), rows)
        for hint in dict.fromkeys(treated.left for treated in report.treated if treated.left):
            say(f"  to do: {hint}")
    if report.clean:
        say("All is well." if not report.treated else "All is well now.", style="green")
    _show_facts(report.facts)


def _show_facts(facts: Facts) -> None:
    embedder = f"embedder {facts.embedder}" if facts.embedder else "no embedder: packs are found by words alone"
    chroma = f"Chroma {facts.chroma}" if facts.chroma else "no Chroma"
    say(f"SQLite {facts.sqlite} with {facts.fulltext.upper()}, {embedder}, {chroma}", style="dim")
    say(f"packs: {facts.packs} · vectors: {facts.vectors} · campaigns: {facts.campaigns}", style="dim")
    for campaign_id in facts.unreadable_campaigns:
        say(f"the campaign {campaign_id} cannot be read: no index that it may need is deleted", style="magenta")
