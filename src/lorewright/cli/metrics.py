"""lorewright metrics: how a campaign was played, in figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.authoring.query_page import write_page
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, say, show_json, show_table
from lorewright.replay.metrics import ALL_TURNS, Measured, measure, read_range
from lorewright.replay.page import metric_rows, page_of

EXAMPLES = {"metrics": "Example: lorewright metrics friday --turns 1:20 --html friday.html"}


def metrics(
    campaign_id: Annotated[str, typer.Argument(help="The campaign's ID.")],
    turns: Annotated[str | None, typer.Option(help="These turns: 3:8, 3:, :8 or 5. All, if not given.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Only the turns of this sitting.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with plots to this file.")] = None,
) -> None:
    """How the turns up to the head were played: rates, lengths, tokens, cost, latency, what caches could take.

    Where there was nothing to count a figure is missing, which is something else than 0. docs/replay.md says of each
    what is divided by what.
    """
    with open_app().campaigns.reading(campaign_id) as store:
        found = measure(store, ALL_TURNS if turns is None else read_range(turns), session_id=session_id)
    if html is not None:
        write_page(html, page_of(found))
        note(f"written to {html}")
    if as_json:
        show_json(_shown(found))
        return
    if not found.turns:
        say(f"{campaign_id} has no turn to measure yet. Next: lorewright play {campaign_id}")
        return
    say(f"{campaign_id}, turns {found.turns[0].turn_no} to {found.turns[-1].turn_no}", style="bold")
    show_table(("metric", "value"), metric_rows(found.metrics), right=("value",))


def _shown(found: Measured) -> dict[str, Any]:
    return {"campaign_id": found.campaign_id, "metrics": found.metrics.as_dict(), "turns": found.per_turn()}
