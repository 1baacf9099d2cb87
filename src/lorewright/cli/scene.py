"""lorewright lore scene: what belongs to a place and those in it, what is found beside, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lorewright.cli.lore_desk import open_desk, warn_of_words_alone
from lorewright.cli.output import note, say, show_json, show_table
from lorewright.cli.pages.query_page import scene_page
from lorewright.cli.pages.rendering import write_page
from lorewright.cli.prose import show_passages, wrapped
from lorewright.cli.tracing import show_trace, told
from lorewright.scene_lore.scene_trace import SceneFound, SceneTrace, find_scene

EXAMPLE = "Example: lorewright lore scene --location neon_dragon --present viktor --explain"


def scene(
    location: Annotated[str, typer.Option(help="The place, by its ID.")],
    present: Annotated[list[str] | None, typer.Option(help="Who is there (may be repeated).")] = None,
    thread: Annotated[list[str] | None, typer.Option(help="A thread of the story (may be repeated).")] = None,
    pack: Annotated[list[str] | None, typer.Option(help="Only this pack (may be repeated).")] = None,
    campaign: Annotated[str | None, typer.Option(help="With what was revealed in this campaign.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="With whose eyes: gm, player or npc:ID.")] = "gm",
    limit: Annotated[
        int | None, typer.Option(min=1, max=1000, help="At most so many sections are found beside.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, help="At most so much text, the scene's own included.")
    ] = None,
    explain: Annotated[bool, typer.Option(help="Show why each section is there and others are not.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the scene and its explanation to this file, as a page.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Gather the lore of a scene.

    What belongs to the place and to those present comes by its ID; what relates to them is found beside it, in what is
    left of the budget.
    """
    desk = open_desk(campaign)
    with desk.view(viewer, pack or []) as view:
        found = find_scene(
            view,
            location=location,
            present=present or [],
            threads=thread or [],
            limit=desk.settings.limit if limit is None else limit,
            max_tokens=desk.settings.max_tokens if max_tokens is None else max_tokens,
        )
        foreign = {one.pack_id for one in view.generations if not one.english}
    warn_of_words_alone(desk, found.beside)
    if html is not None:
        write_page(html, scene_page(found, foreign=foreign))
        note(f"written to {html}")
    if as_json:
        beside = [chunk.model_dump(mode="json") for chunk in found.beside.result.chunks]
        answer = {**found.shown, "beside": beside}
        show_json({**answer, "trace": found.trace.model_dump(mode="json")} if explain else answer)
        return
    _show(found)
    if explain:
        say()
        _explain(found.trace)


def _show(found: SceneFound) -> None:
    say(f"{found.place.name}  [{found.place.id}]", style="bold")
    if found.present:
        say(f"with {', '.join(f'{one.name} [{one.id}]' for one in found.present)}", style="dim")
    names = {one.id: one.name for one in (found.place, *found.present)}
    heading = None
    for line in found.lines:
        if (line.of, line.role) != heading:
            heading = (line.of, line.role)
            say()
            say(f"{names.get(line.of, line.of)}: {_role(line.role)}", style="bold")
        say(wrapped(line.text, indent="- ", hanging="  "))
    if found.beside.result.chunks:
        say()
        say("found beside", style="bold")
        show_passages(found.beside.result)


def _explain(trace: SceneTrace) -> None:
    room = max(0, trace.max_tokens - trace.by_id_tokens)
    say("there by ID", style="bold")
    if trace.by_id:
        packs = {one.chunk_id.partition(":")[0] for one in trace.by_id}
        columns: tuple[str, ...] = ("section", "comes with the", "role", "lines", "tokens")
        rows: list[Sequence[object]] = [
            (_short(one.chunk_id, packs), one.why, _role(one.role), one.lines, one.tokens) for one in trace.by_id
        ]
        if trace.viewer == "gm":
            columns = (*columns, "kept back")
            rows = [(*row, one.kept or "") for row, one in zip(rows, trace.by_id, strict=True)]
        show_table(columns, rows, right=("lines", "tokens", "kept back"))
    else:
        say("nothing that this viewer may read", style="dim")
    say(
        f"{trace.by_id_tokens:,} of {trace.max_tokens:,} tokens; "
        + (f"{room:,} are left for what is found beside" if room else "nothing is left for what is found beside"),
        style="dim",
    )
    for one in trace.conditions:
        holds = {True: "holds", False: "does not hold: it is left out", None: "is judged in a campaign"}[one.holds]
        say(wrapped(f"{one.item_id or one.chunk_id} stands under “{one.condition}”, which {holds}", whole_words=True))
    say()
    show_trace(trace.by_retrieval, title="found beside, and why", more="")


def _short(chunk_id: str, packs: set[str]) -> str:
    """The ID; without its pack where all are of one."""
    return chunk_id.partition(":")[2] if len(packs) == 1 else chunk_id


def _role(role: str) -> str:
    return "overview" if role == "lore" else told(role)
