"""lorewright pack push: indexed packs into object storage, for the workers of a service."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, show_json
from lorewright.index.artifacts.objects import ObjectStore
from lorewright.index.generation import KEYWORDS
from lorewright.workspace.pushing import PackPusher, PushedPack

EXAMPLES = {"push": "Example: lorewright pack push neo_seattle --to s3://lore/packs"}


def push(
    to: Annotated[
        str,
        typer.Option(
            "--to", envvar="LOREWRIGHT_LORE", metavar="URL", help="The store: file:///mnt/lore or s3://bucket/prefix."
        ),
    ],
    packs: Annotated[
        list[str] | None,
        typer.Argument(help="The packs' IDs; without, all that are installed and all texts that campaigns pin."),
    ] = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Send everything again, in place of what is damaged in the store.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Push indexed packs to object storage, from which `lorewright serve --lore` fetches them.

    What is there already is not sent again. Others see a pack once all of it is there; the text that is installed here
    becomes the current one.
    """
    objects = ObjectStore(to)
    pushed: list[PushedPack] = []
    lorewright = open_app()
    if lorewright.without_vectors is not None:
        note(f"pushed to be found by words alone: {lorewright.without_vectors.message}")
    pusher = PackPusher(lorewright.library, lorewright.campaigns, objects)
    with progress_bar() as progress:
        for pack in pusher.push(packs or (), anew=anew, progress=progress):
            pushed.append(pack)
            if not as_json:
                _show(pack)
    if as_json:
        show_json([asdict(pack) for pack in pushed])
    elif not pushed:
        say("No pack is installed. Next: lorewright pack install FOLDER")


def _show(pack: PushedPack) -> None:
    sent = f"sent {pack.files} file(s), {pack.bytes / 1e6:.1f} MB" if pack.files else "it was there already"
    kind = "" if pack.is_current else " (an earlier text, which a campaign pins)"
    say(f"pushed {pack.pack_id} {pack.version}{kind}: {sent}")
    spaces = [generation.space for generation in pack.generations if generation.space != KEYWORDS]
    say(f"  embedded by {', '.join(spaces)}" if spaces else "  found by words alone", style="dim")
    if not pack.has_text:
        say("  its text has changed since: workers cannot begin or export games with it", style="magenta")
