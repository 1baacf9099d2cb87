"""lorewright pack …: install, list, validate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from lorewright.bootstrap import open_app
from lorewright.cli.output import console, say, show_json, show_table
from lorewright.packs.checking import check_pack
from lorewright.packs.findings import Finding
from lorewright.packs.loader import Progress as OnProgress
from lorewright.packs.models import OPEN_ROLES, Pack

app = typer.Typer(help="Content packs: install them, list them, check them.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The pack's folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

# More findings of one code than this are counted, not listed.
_LISTED = 3


@contextmanager
def _progress(what: str) -> Iterator[OnProgress]:
    """A bar on stderr while files are read; nothing where stderr is no terminal."""
    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@app.command(epilog="Example: lorewright pack install content_packs/neo_seattle")
def install(
    folder: Folder,
    lenient: Annotated[bool, typer.Option(help="Leave out files with errors and install the rest.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read a pack where it lies and index it. Nothing is half installed."""
    with _progress("reading") as progress:
        installed = open_app().library.install(folder, lenient=lenient, progress=progress)
    if as_json:
        show_json(
            {
                **asdict(installed.pack),
                "built": installed.built,
                "findings": [asdict(finding) for finding in installed.findings],
            }
        )
        return
    pack = installed.pack
    _show_findings(installed.findings)
    say(f"installed {pack.id} {pack.version}: {pack.files} files, {pack.chunks} chunks, {pack.tokens} tokens")
    if not installed.built:
        say("its text had not changed: nothing was indexed anew", style="dim")


@app.command("list", epilog="Example: lorewright pack list --json")
def list_packs(as_json: AsJson = False) -> None:
    """The installed packs."""
    packs = open_app().library.packs()
    if as_json:
        show_json([asdict(pack) for pack in packs])
        return
    if not packs:
        say("No pack is installed. Next: lorewright pack install FOLDER")
        return
    rows = [(p.id, p.version, p.layer, p.files, p.chunks, p.path) for p in packs]
    show_table(("pack", "version", "layer", "files", "chunks", "folder"), rows)


@app.command(epilog="Example: lorewright pack validate content_packs/neo_seattle")
def validate(
    folder: Folder,
    every: Annotated[bool, typer.Option("--all", help="List every finding, however many there are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a pack as a compiler would, and say what was understood. Exit 1 when there are errors."""
    with _progress("reading") as progress:
        pack = check_pack(folder, open_app().library.neighbours(), progress=progress)
    if as_json:
        show_json([asdict(finding) for finding in pack.findings])
    else:
        _show_findings(pack.findings, every=every)
        _show_understood(pack)
    if pack.errors:
        raise typer.Exit(1)


def _show_findings(findings: Sequence[Finding], *, every: bool = False) -> None:
    counts = Counter((finding.severity, finding.code) for finding in findings)
    listed: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        kind = (finding.severity, finding.code)
        listed[kind] += 1
        if every or listed[kind] <= _LISTED:
            say(str(finding), style={"error": "red", "warning": "yellow"}.get(finding.severity, "dim"))
    for (severity, code), count in sorted(counts.items()):
        if count > _LISTED and not every:
            say(f"… {count} × {severity} {code} in all", style="dim")


def _show_understood(pack: Pack) -> None:
    types = Counter(entity.type for entity in pack.entities)
    roles = Counter(chunk.role for chunk in pack.chunks if chunk.role != "lore")
    counted = ", ".join(f"{count} {kind}" for kind, count in sorted(types.items()))
    say(
        f"{pack.manifest.id} {pack.manifest.version}: {len(pack.entities)} files ({counted}), {len(pack.chunks)} chunks"
    )
    if roles:
        say("sections with a role: " + ", ".join(f"{count} {role}" for role, count in sorted(roles.items())))
    hidden = [chunk for chunk in pack.chunks if chunk.role not in OPEN_ROLES]
    if hidden:
        items = sum(len(chunk.items) for chunk in hidden)
        say(f"not open to players: {len(hidden)} sections, {items} items in them")
    severities = Counter(finding.severity for finding in pack.findings)
    say(f"{severities['error']} errors, {severities['warning']} warnings, {severities['info']} notes")
