"""lorewright pack import: a lorebook or a character card of another tool -> a pack's folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lorewright.cli.output import say, show_json, show_table
from lorewright.formats.reading import read_file
from lorewright.formats.writer import Written, check_target, write_pack

EXAMPLE = "Example: lorewright pack import Seraphina.png content_packs/seraphina"

# More entries than this are counted by type, not listed.
_LISTED = 40


def import_pack(
    source: Annotated[
        Path, typer.Argument(help="The file to import: world info, a character card, a lorebook, story cards.")
    ],
    into: Annotated[Path, typer.Argument(help="The folder to make; it gives the pack its ID.")],
    name: Annotated[str | None, typer.Option(help="The pack's name, if not the one in the source.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Make a pack of another tool's lorebook or card.

    Says where every field went.
    """
    check_target(into)
    written = write_pack(read_file(source), into, name=name)
    if as_json:
        show_json(asdict(written))
        return
    _show(written)


def _show(written: Written) -> None:
    say(f"{written.format} → {written.folder}: {written.files} files")
    say()
    rows = [(entry.path, entry.name, entry.type, entry.why) for entry in written.entries[:_LISTED]]
    show_table(("file", "name", "type", "because of"), rows)
    if len(written.entries) > _LISTED:
        types = Counter(entry.type for entry in written.entries)
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(types.items()))
        say(f"… {len(written.entries)} in all: {counted}", style="dim")
    say()
    show_table(("field of the source", "where it went", "values"), [(r.field, r.place, r.count) for r in written.rows])
    say()
    say(f"Next: look through the types, then lorewright pack install {written.folder}")
