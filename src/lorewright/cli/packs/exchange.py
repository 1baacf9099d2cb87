"""lorewright pack import, pack export: other tools' files <-> packs, without what the reader may not know."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lorewright.bootstrap import App
from lorewright.campaigns.lore import learned_pack
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, show_json, show_table
from lorewright.errors import SettingsError
from lorewright.formats.exporting import Exported, Format, export_pack
from lorewright.formats.handout import INDEX_PAGE
from lorewright.formats.reading import read_file
from lorewright.formats.shown import Audience
from lorewright.formats.writer import WrittenPack, check_target, write_pack
from lorewright.generate.cards import card_scenarios
from lorewright.generate.explore.writing import write_scenario
from lorewright.ids import slug
from lorewright.packs.loader import load_pack
from lorewright.packs.manifest import load_manifest
from lorewright.visibility import Viewer

EXAMPLES = {
    "import": "Example: lorewright pack import Seraphina.png content_packs/seraphina",
    "export": "Example: lorewright pack export neo_seattle handout.html --format player-handout",
}


class FormatName(StrEnum):
    """The formats, as they are typed."""

    sillytavern = "sillytavern"
    obsidian = "obsidian"
    player_handout = "player-handout"


_FORMATS: dict[FormatName, Format] = {
    FormatName.sillytavern: "sillytavern",
    FormatName.obsidian: "obsidian",
    FormatName.player_handout: "player-handout",
}


def export(
    pack: Annotated[str, typer.Argument(help="An installed pack's ID, or a pack's folder.")],
    out: Annotated[Path, typer.Argument(help="What to write: a .json file, a .html or .md file, or a folder.")],
    kind: Annotated[FormatName, typer.Option("--format", help="For which tool.")],
    reader: Annotated[
        str, typer.Option("--as", help="For whom: player, pc:ID with --campaign, or gm, which carries every secret.")
    ] = "player",
    campaign: Annotated[
        str | None, typer.Option(help="Add what the player of this campaign has learned, as it stands in it.")
    ] = None,
    card: Annotated[str | None, typer.Option(help="SillyTavern: a character card of this person.")] = None,
    book: Annotated[bool, typer.Option("--book", help="SillyTavern: world info, also of what was a card.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over what an export wrote there before.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Write a pack for SillyTavern, Obsidian, paper or a browser.

    It holds what players may read and nothing else, unless you ask for it --as gm. A player-handout is one page (.html
    or .md), or without an ending a folder of pages with links between them.
    """
    viewer = Viewer(reader)
    if viewer.id and campaign is None:
        raise SettingsError(
            f"a pack cannot be exported for {reader}", hint="one of player, gm, and with --campaign pc:ID"
        )
    if campaign is not None and viewer.is_gm:
        raise SettingsError("--campaign says what its player has learned; gm reads everything", hint="leave one out")
    if kind is not FormatName.sillytavern and (card is not None or book):
        raise SettingsError("--card and --book are for --format sillytavern", hint="leave them out")
    if card is not None and book:
        raise SettingsError("--card and --book are two things", hint="leave one out")
    exported = _exported(pack, out, _FORMATS[kind], viewer, campaign, card, book, force)
    if as_json:
        show_json(asdict(exported))
    else:
        _show(exported)
    if viewer.is_gm:
        note("warning: this export holds every secret of the pack; give it to no player")


def _exported(
    pack: str,
    out: Path,
    kind: Format,
    viewer: Viewer,
    campaign: str | None,
    card: str | None,
    book: bool,
    force: bool,
) -> Exported:
    app = open_app()
    if campaign is not None:
        pack_id = load_manifest(Path(pack))[0].id if Path(pack).is_dir() else pack
        with learned_pack(app.campaigns, campaign, pack_id, viewer=viewer.name) as (text, audience):
            return export_pack(text, audience, kind, out, card_of=card, as_book=book, force=force)
    with progress_bar() as progress:
        loaded = load_pack(_folder(app, pack), progress=progress)
    audience = Audience.of("gm" if viewer.is_gm else "player")
    return export_pack(loaded, audience, kind, out, card_of=card, as_book=book, force=force)


def _folder(app: App, pack: str) -> Path:
    """Return the path if it is a folder, else the folder of the installed pack of that ID."""
    return Path(pack) if Path(pack).is_dir() else Path(app.library.get(pack).path)


def _named(reader: str) -> str:
    viewer = Viewer(reader)
    return "the game master" if viewer.is_gm else f"the player of {viewer.id}" if viewer.id else "the player"


def _show(exported: Exported) -> None:
    what = f"{exported.entities} entities, {exported.sections} sections"
    say(f"{exported.pack_id} → {exported.path}: {exported.kind} for {_named(exported.reader)}, {what}")
    if exported.left_out:
        say(
            f"left out: {exported.left_out} sections and {exported.hidden} entities that players may not read",
            style="dim",
        )
    if exported.format == "sillytavern":
        say(
            "Next: import it in SillyTavern, under " + ("World Info" if exported.kind == "world info" else "characters")
        )
    elif exported.format == "player-handout" and exported.files > 1:
        say(f"Next: open {Path(exported.path) / INDEX_PAGE} in a browser")
    elif exported.format == "obsidian":
        say(f"Next: open {exported.path} as a vault, or lorewright pack install {exported.path}")


# More entries than this are counted by type, not listed.
_LISTED = 40


def import_pack(
    source: Annotated[
        Path, typer.Argument(help="The file to import: world info, a character card, a lorebook, story cards.")
    ],
    into: Annotated[
        Path | None,
        typer.Argument(
            help="The folder to make, which gives the pack its ID; if not given, one among the workspace's."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The pack's name, if not the one in the source.")] = None,
    beside: Annotated[
        list[str] | None, typer.Option("--with", help="A pack that the card is played with, by ID: its world; several.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Make a pack of another tool's lorebook or card; of a card that comes into the workspace also a scenario for each
    of its greetings, to be played at once.

    Says where every field went.
    """
    workspace = open_app().workspace
    if into is not None:
        check_target(into)
    imported = read_file(source)
    # A pack of the workspace is found by its ID, the name of its folder.
    named = slug(name or imported.name, fallback=slug(source.stem, fallback="imported"))
    into = into or workspace.content_packs / named.replace("-", "_")
    check_target(into)
    written = write_pack(imported, into, name=name)
    scenarios: list[Scenario] = []
    if into.resolve().parent == workspace.content_packs.resolve():
        scenarios = card_scenarios(load_pack(into), beside=beside or ())
    paths = {scenario.id: workspace.scenarios / f"{scenario.id}.yaml" for scenario in scenarios}
    kept = {scenario_id for scenario_id, path in paths.items() if path.exists()}
    for scenario in scenarios:
        if scenario.id not in kept:
            write_scenario(scenario, paths[scenario.id])
    if as_json:
        show_json({**asdict(written), "scenarios": [str(path) for path in paths.values()]})
        return
    _show_written(written, play=next(iter(paths), ""))
    for scenario_id, path in paths.items():
        note(f"{path} is there already, and stays" if scenario_id in kept else f"wrote {path}")


def _show_written(written: WrittenPack, *, play: str) -> None:
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
    if written.warning:
        say(written.warning, style="yellow")
        say()
    then = f"lorewright play {play}" if play else f"lorewright pack install {written.folder}"
    say(f"Next: look through the types, then {then}")
