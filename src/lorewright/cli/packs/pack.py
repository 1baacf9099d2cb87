"""lorewright pack …: begin, install, list, check, show and remove packs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lorewright.bootstrap import App
from lorewright.cli.database import add_option_to_late
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, show_json, show_table, wrapped
from lorewright.errors import EmbedderError, SettingsError
from lorewright.index.lore_indexer import Installed
from lorewright.packs.files import Finding
from lorewright.packs.installing import manifest_for, new_pack
from lorewright.packs.models import OPEN_ROLES, Pack

# Command -> its module and function: to install a pack, or to read it again, need not wait for what tests and exports
# it to be imported.
_LATE = {
    "import": ("exchange", "import_pack"),
    "test": ("pack_testing", "pack_test"),
    "export": ("exchange", "export"),
    "stats": ("pack_stats", "stats"),
    "push": ("pushing", "push"),
    "watch": ("watching", "pack_watch"),
}


class PackCommands(TyperGroup):
    """The commands for packs, some of them imported when they are called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return all names, in order."""
        return [*_LATE, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name; else None."""
        return _late_command(cmd_name) if cmd_name in _LATE else super().get_command(ctx, cmd_name)


@cache
def _late_command(name: str) -> Any:
    module_name, function = _LATE[name]
    module: Any = import_module(f"lorewright.cli.packs.{module_name}")
    late = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    late.command(name, epilog=module.EXAMPLES[name])(getattr(module, function))
    command = typer.main.get_command(late)
    add_option_to_late("pack", name, command)
    return command


app = typer.Typer(
    cls=PackCommands,
    help="Content packs: install them, list them, check them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Folder = Annotated[Path, typer.Argument(help="The pack's folder.")]
PackId = Annotated[str, typer.Argument(help="The pack's ID.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

# More findings of one code than this stand in one line.
_LISTED = 3
# Findings that say what players are not shown: their places are all listed, unless they are more than these.
_OF_SECRETS = frozenset({"secret-section", "looks-secret", "private-note", "secret-comment", "unclosed-comment"})
_SECRETS_LISTED = 100
_SECRETS_SHOWN = 8


@app.command(epilog="Example: lorewright pack new content_packs/my_town")
def new(
    folder: Annotated[Path | None, typer.Argument(help="The new pack's folder.")] = None,
    source: Annotated[Path | None, typer.Option("--from", help="Write a pack.yaml into this folder instead.")] = None,
) -> None:
    """Begin a pack.

    A small one to fill, or the manifest for a folder that has the rest.
    """
    if (folder is None) == (source is None):
        raise SettingsError("name a new folder, or --from one that has files", hint="lorewright pack new FOLDER")
    path = new_pack(folder) if folder else manifest_for(source or Path())
    say(f"wrote {path}")
    say(path.read_text(encoding="utf-8").rstrip(), style="dim")
    say(f"Next: lorewright pack install {path.parent}")


@app.command(epilog="Example: lorewright pack install content_packs/neo_seattle")
def install(
    folder: Annotated[Path, typer.Argument(help="The pack's folder, or a .zip of it.")],
    copy: Annotated[bool, typer.Option(help="Copy it into the workspace instead of using it where it lies.")] = False,
    lenient: Annotated[bool, typer.Option(help="Leave out files with errors and install the rest.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read a pack where it lies (a .zip is copied) and index it. Nothing is half installed."""
    lorewright = open_app()
    with progress_bar() as progress:
        installed = lorewright.packs.install(folder, copy=copy, lenient=lenient, progress=progress)
    if as_json:
        show_json(_as_json(installed))
    else:
        _show_findings(installed.findings)
        _show_installed(installed, "installed", lorewright.without_vectors)
    _build_chroma(lorewright)


@app.command(epilog="Example: lorewright pack reindex neo_seattle")
def reindex(
    packs: Annotated[list[str] | None, typer.Argument(help="The packs' IDs; all that are installed without.")] = None,
    as_json: AsJson = False,
) -> None:
    """Index again what has changed in installed packs.

    They are read from their folders, and what has changed is embedded.
    """
    lorewright = open_app()
    done = []
    for pack_id in packs or [pack.id for pack in lorewright.library.packs()]:
        with progress_bar() as progress:
            done.append(lorewright.indexer.reindex(pack_id, progress=progress))
        if not as_json:
            _show_installed(done[-1], "reindexed", lorewright.without_vectors)
    if as_json:
        show_json([_as_json(installed) for installed in done])
    elif not done:
        say("No pack is installed. Next: lorewright pack install FOLDER")
    if done:
        _build_chroma(lorewright)


def _build_chroma(lorewright: App) -> None:
    """Have the collections built that other programs read: the pack is installed, and answers, without them."""
    sys.stdout.flush()
    with progress_bar() as progress:
        building = lorewright.build_chroma(progress=progress)
    if building:
        note(f"a process of its own builds the Chroma collections of {building} pack(s) from here on")


def _as_json(installed: Installed) -> dict[str, object]:
    embedding = installed.embedding
    return {
        **asdict(installed.pack),
        "built": installed.built,
        "embedding": asdict(embedding) if embedding else None,
        "not_embedded": installed.not_embedded.message if installed.not_embedded else None,
        "findings": [asdict(finding) for finding in installed.findings],
    }


def _show_installed(installed: Installed, done: str, without_vectors: EmbedderError | None) -> None:
    pack, embedding = installed.pack, installed.embedding
    say(f"{done} {pack.id} {pack.version}: {pack.files} files, {pack.chunks} chunks, {pack.tokens} tokens")
    if not installed.built:
        say("its text had not changed: nothing was indexed anew", style="dim")
    if embedding is not None:
        kept = embedding.windows - embedding.new
        say(f"embedded {embedding.new} of {embedding.windows} windows; {kept} were known", style="dim")
    problem = installed.not_embedded or without_vectors
    if problem is not None:
        say(f"found by words alone: {problem.message}", style="magenta")
        if problem.hint:
            say(f"  hint: {problem.hint}")


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
    with progress_bar() as progress:
        pack = open_app().packs.check(folder, progress=progress)
    if as_json:
        show_json([asdict(finding) for finding in pack.findings])
    else:
        _show_findings(pack.findings, every=every)
        _show_understood(pack)
    if pack.errors:
        raise typer.Exit(1)


@app.command(epilog="Example: lorewright pack show neo_seattle")
def show(pack_id: PackId, as_json: AsJson = False) -> None:
    """What an installed pack is and holds."""
    shown = open_app().packs.show(pack_id)
    if as_json:
        show_json(shown)
        return
    say(f"{shown['name']} ({shown['id']} {shown['version']}), layer {shown['layer']}", style="bold")
    say(wrapped(shown["manifest"]["description"] or "") or shown["path"])
    say(f"needed by: {', '.join(shown['campaigns']) or 'no campaign'}", style="dim")
    show_table(("entity", "type", "file"), [(e["name"], e["type"], e["file_path"]) for e in shown["entities"]])


@app.command(epilog="Example: lorewright pack remove neo_seattle")
def remove(pack_id: PackId) -> None:
    """Take a pack out of the library. Its folder stays; nothing that a campaign or pack needs is removed."""
    removed = open_app().packs.remove(pack_id)
    say(f"removed {removed.id}; its text is still at {removed.path}")


def _show_findings(findings: Sequence[Finding], *, every: bool = False) -> None:
    """Print findings, those of a code in one line where there are many: with every place of a secret, and with examples
    of other things."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.code), []).append(finding)
    for (severity, code), found in groups.items():
        style = {"error": "red", "warning": "magenta"}.get(severity, "dim")
        if every or len(found) <= _LISTED:
            for finding in found:
                say(str(finding), style=style)
            continue
        are_all_shown = code in _OF_SECRETS and len(found) <= _SECRETS_LISTED
        shown = found if are_all_shown else found[:_LISTED]
        first = found[0]
        if len({finding.message for finding in found}) == 1:
            places, about = ", ".join(f"{finding.file}:{finding.line}" for finding in shown), f" {first.message}"
        else:
            places, about = "; ".join(f"{each.file}:{each.line} {each.message}" for each in shown), ""
        more = f"; and {len(found) - len(shown):,} more (--all lists them)" if len(found) > len(shown) else ""
        hint = f" ({first.hint})" if first.hint else ""
        say(f"{severity} {code} × {len(found):,}:{about} {places}{more}{hint}", style=style)


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
    secret = [chunk.section_path for chunk in hidden if chunk.role in ("withholds", "secret")]
    if secret:
        more = f" and {len(secret) - _SECRETS_SHOWN} more" if len(secret) > _SECRETS_SHOWN else ""
        say(f"taken for secrets: {', '.join(secret[:_SECRETS_SHOWN])}{more}")
    private = [chunk.section_path for chunk in hidden if chunk.role == "motivation"]
    if private:
        more = f" and {len(private) - _SECRETS_SHOWN} more" if len(private) > _SECRETS_SHOWN else ""
        say(f"what moves people, told to nobody: {', '.join(private[:_SECRETS_SHOWN])}{more}")
    severities = Counter(finding.severity for finding in pack.findings)
    say(f"{severities['error']} errors, {severities['warning']} warnings, {severities['info']} notes")
