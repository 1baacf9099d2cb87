"""lorewright pack stats: how much an installed pack holds, and how it hangs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from lorewright.authoring.golden import golden_in
from lorewright.authoring.pack_figures import SHORT_TOKENS, PackFigures, figures_of
from lorewright.authoring.query_page import write_page
from lorewright.authoring.stats_page import stats_page
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, say, show_json, show_table, wrapped
from lorewright.cli.tracing import has_signs

EXAMPLES = {"stats": "Example: lorewright pack stats neo_seattle --html neo_seattle.html"}

_LISTED = 6
_BAR = 40


def stats(
    pack_id: Annotated[str, typer.Argument(help="The pack's ID.")],
    html: Annotated[Path | None, typer.Option(help="Write the pack at a glance to this file, as a page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """How much an installed pack holds, and how it hangs together.

    Who links to whom and who to nobody, how long sections are, and which of them golden queries ask for. The page has
    secrets in it: names and IDs of what is not open to players.
    """
    lorewright = open_app()
    counted = lorewright.packs.stats(pack_id)
    pack = lorewright.library.get(pack_id)
    generation = lorewright.library.open(pack.key)
    try:
        goldens, faults = golden_in(Path(pack.path))
        for fault in faults:
            note(f"golden query left out: {fault}")
        figures = figures_of(generation, goldens)
    finally:
        generation.close()
    if html is not None:
        write_page(html, stats_page(counted, figures))
        note(f"written to {html}")
    if as_json:
        show_json({**counted, "figures": figures.model_dump(mode="json")})
        return
    plain = ("files", "chunks", "total_tokens", "embedder", "windows", "chroma", "bytes_on_disk", "last_indexed")
    show_table(("what", "how much"), [(key.replace("_", " "), counted[key]) for key in plain])
    for kind in ("types", "roles"):
        say(wrapped(f"{kind}: {_counts(counted[kind])}", hanging="  ", whole_words=True))
    _show(figures)


def _show(figures: PackFigures) -> None:
    say(wrapped(f"languages: {_counts(figures.entities_by_language)}", hanging="  ", whole_words=True))
    say()
    say("links", style="bold")
    kinds = _counts(figures.links_by_kind) or "none"
    say(
        wrapped(
            f"{kinds}; {len(figures.edges)} pairs of files, {figures.links_out_of_pack} to other packs", hanging="  "
        )
    )
    best = sorted(figures.nodes, key=lambda node: (-node.links_in, node.id))[:_LISTED]
    if best and best[0].links_in:
        named = [f"{node.name} {node.links_in}" for node in best if node.links_in]
        say(wrapped(f"linked to most: {', '.join(named)}", hanging="  ", whole_words=True))
    for what, ids in (
        ("orphans, without a link in or out", figures.orphans),
        ("dead ends, linked to and leading nowhere", figures.dead_ends),
        ("no way in, linking and never linked to", figures.no_way_in),
    ):
        say(wrapped(f"{len(ids)} {what}{_some(ids)}", hanging="  ", whole_words=True))
    say()
    say("sections by tokens", style="bold")
    _show_histogram(figures)
    long = [f"{section.section_id} ({section.tokens:,})" for section in figures.long]
    say(wrapped(f"{len(long)} split for their length{_some(long)}", hanging="  ", whole_words=True))
    short = [section.section_id for section in figures.short]
    say(
        wrapped(
            f"{len(short)} of open lore with fewer than {SHORT_TOKENS} tokens{_some(short)}",
            hanging="  ",
            whole_words=True,
        )
    )
    say()
    say("golden queries", style="bold")
    _show_golden(figures)


def _show_histogram(figures: PackFigures) -> None:
    most = max((bucket.sections for bucket in figures.histogram), default=0) or 1
    sign = "█" if has_signs() else "#"
    for bucket in figures.histogram:
        label = f"{bucket.low:,}+" if bucket.high is None else f"{bucket.low:,}–{bucket.high - 1:,}"
        cells = round(_BAR * bucket.sections / most) or int(bucket.sections > 0)
        say(f"{label:>11}  {sign * cells} {bucket.sections:,}")


def _show_golden(figures: PackFigures) -> None:
    covered = figures.golden
    if not covered.queries:
        say("none: write them in the pack's tests folder, and run lorewright pack test", style="dim")
        return
    say(f"{covered.queries} ask for {covered.asked_for:,} of {covered.sections:,} sections")
    by_type = ", ".join(f"{kind} {got} of {of}" for kind, (got, of) in covered.by_type.items())
    say(wrapped(f"by type: {by_type}", hanging="  ", whole_words=True))
    if covered.unknown:
        say(
            wrapped(
                f"{len(covered.unknown)} asked for that do not exist{_some(covered.unknown)}",
                hanging="  ",
                whole_words=True,
            )
        )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return f": {', '.join(ids[:_LISTED])}{more}" if ids else ""
