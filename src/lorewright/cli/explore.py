"""lorewright explore: walk in any folder of notes, or in an installed pack."""

from __future__ import annotations

import tempfile
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from lorewright.bootstrap import App
from lorewright.cli.game.background_embedding import embedding_in_background
from lorewright.cli.game.play import lines_of, piped_lines
from lorewright.cli.game.sitting import play_at_prompt, play_lines
from lorewright.cli.game.stories import Stories
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say
from lorewright.cli.profiles import ProfileOption
from lorewright.generate.explore.explorer import ReadyPack, latest_walk
from lorewright.generate.explore.writing import write_scenario
from lorewright.ids import slug
from lorewright.index.installed_packs import InstalledPack
from lorewright.packs.files import Finding
from lorewright.rules.rulesets import TurnProfile
from lorewright.values.records import CampaignRow

EXAMPLES = {"explore": "Example: lorewright explore ~/notes/my-town"}

_SEED = 1


def explore(
    source: Annotated[str, typer.Argument(help="A folder of markdown files, or an installed pack.")],
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31, help="Where those stand whom no note puts anywhere; and the dice.")
    ] = None,
    script: Annotated[Path | None, typer.Option(help="Play the lines of this file instead of asking.")] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin another walk although there is one.")] = False,
    save: Annotated[
        Path | None, typer.Option(help="Write the walk as a scenario into this file, and play nothing.")
    ] = None,
    profile: ProfileOption = None,
) -> None:
    """Walk in any folder of notes, or installed pack.

    Its places, people and things are the notes, and each line comes from one. The folder is indexed where it lies;
    files with errors are left out. A walk is a campaign, and goes on where it was left.
    """
    lorewright = open_app()
    named: TurnProfile | None = None if profile is None else profile.value
    if save is not None:
        found = _found(lorewright, source, seed, named).scenario
        # By its file's name it is played; its walk's campaign has the other.
        write_scenario(found.model_copy(update={"id": slug(save.stem, fallback=found.id).replace("-", "_")}), save)
        say(f"wrote {save}. Next: lorewright scenario validate {save}")
        return
    if script is not None:
        lines = lines_of(script)
        play_lines(lorewright.campaigns, _walk(lorewright, source, seed=seed, new=new, profile=named).id, lines)
        return
    piped = piped_lines()
    first = next(piped, None) if piped is not None else None
    if piped is None:
        walk = _walk(lorewright, source, seed=seed, new=new, profile=named)
        with embedding_in_background(lorewright, walk.id) as vectors_have_come:
            play_at_prompt(
                lorewright.campaigns, walk.id, stories=Stories(lorewright), vectors_have_come=vectors_have_come
            )
    elif first is not None:
        play_lines(
            lorewright.campaigns, _walk(lorewright, source, seed=seed, new=new, profile=named).id, chain([first], piped)
        )
    else:
        _demo(lorewright, _found(lorewright, source, seed, named), seed)


def _found(lorewright: App, source: str, seed: int | None, profile: TurnProfile | None) -> ReadyPack:
    """Return the walk, and print what was found."""
    pack, findings = _read(lorewright, source)
    return _shown(lorewright, pack, findings, seed, profile)


def _read(lorewright: App, source: str) -> tuple[InstalledPack, tuple[Finding, ...]]:
    note(f"reading {source} …")
    with progress_bar() as progress:
        return lorewright.explorer.pack(source, progress=progress)


def _shown(
    lorewright: App,
    pack: InstalledPack,
    findings: tuple[Finding, ...],
    seed: int | None,
    profile: TurnProfile | None,
) -> ReadyPack:
    found = lorewright.explorer.walk(pack, findings, seed=_SEED if seed is None else seed, profile=profile)
    note(f"{pack.name}:")
    for line in found.lines:
        note(f"  {line}")
    return found


def _walk(lorewright: App, source: str, *, seed: int | None, new: bool, profile: TurnProfile | None) -> CampaignRow:
    """Return the campaign of the latest walk; a new one where there is none, or `new` asks for it. Notes that have not
    changed since are not read again."""
    unchanged = None if new else lorewright.explorer.unchanged(source)
    latest = latest_walk(unchanged.id, lorewright.campaigns) if unchanged else None
    if unchanged is not None and latest is not None:
        _tell_what_differs(latest, unchanged, seed)
        return latest
    pack, findings = _read(lorewright, source)
    latest = None if new else latest_walk(pack.id, lorewright.campaigns)
    if latest is not None:
        _tell_what_differs(latest, pack, seed)
        return latest
    found = _shown(lorewright, pack, findings, seed, profile)
    return lorewright.explorer.begin(found, lorewright.campaigns, seed=_SEED if seed is None else seed)


def _tell_what_differs(walk: CampaignRow, pack: InstalledPack, seed: int | None) -> None:
    note(f"going on with {walk.id}")
    if pack.content_hash not in {pin.content_hash for pin in walk.pins}:
        note(
            "the notes have changed since it began, and it goes on with what they were; --new begins with what they are"
        )
    if seed is not None and seed != walk.seed:
        note(f"it was begun with the seed {walk.seed}; --new begins another with {seed}")


def _demo(lorewright: App, found: ReadyPack, seed: int | None) -> None:
    note(f"standard input is closed: a short walk in {found.pack.id}; nothing of it is kept")
    with tempfile.TemporaryDirectory() as folder:
        campaigns = lorewright.rehearsal(Path(folder), by_words=True)
        row = lorewright.explorer.begin(found, campaigns, seed=_SEED if seed is None else seed)
        play_lines(campaigns, row.id, found.scenario.demo)
