"""lorewright campaign review …: what was read out of the story without being sure, and what becomes of it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lorewright.bootstrap import open_app
from lorewright.campaigns.branches import decide, waiting
from lorewright.cli.output import say, show_json, show_table

app = typer.Typer(
    help="Proposals that wait: what an extractor was not sure enough of to make it true.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]
ReviewIds = Annotated[list[str], typer.Argument(help="The IDs of reviews, as the list gives them.")]


@app.command("list", epilog="Example: lorewright campaign review list friday --json")
def list_reviews(campaign_id: CampaignId, as_json: AsJson = False) -> None:
    """What waits on the way to the head, oldest first. It may tell what players do not know."""
    with open_app().campaigns.reading(campaign_id) as store:
        found = waiting(store)
    if as_json:
        show_json([one.shown() for one in found])
    elif found:
        rows = [
            (one.short_id, one.review.stage, f"{one.review.confidence:.2f}", one.review.shown, one.review.reason)
            for one in found
        ]
        show_table(("review", "stage", "sure", "proposed", "because"), rows)
        say(f"Next: lorewright campaign review accept {campaign_id} {found[0].short_id}", style="dim")
    else:
        say("Nothing waits.")


@app.command(epilog="Example: lorewright campaign review accept friday 12.0")
def accept(campaign_id: CampaignId, review_ids: ReviewIds, as_json: AsJson = False) -> None:
    """Make what was proposed true, in a turn of its own that a rollback takes back. What does not fit the world any
    more is refused with the reason and goes on waiting."""
    _decide(campaign_id, review_ids, accept=True, as_json=as_json)


@app.command(epilog="Example: lorewright campaign review reject friday 12.0 12.1")
def reject(campaign_id: CampaignId, review_ids: ReviewIds, as_json: AsJson = False) -> None:
    """Let a proposal go, in a turn of its own that a rollback takes back."""
    _decide(campaign_id, review_ids, accept=False, as_json=as_json)


def _decide(campaign_id: str, review_ids: list[str], *, accept: bool, as_json: bool) -> None:
    with open_app().campaigns.open(campaign_id) as campaign:
        results = [json.loads(decide(campaign, one, accept=accept)) for one in review_ids]
    if as_json:
        show_json([{"review": one, **result} for one, result in zip(review_ids, results, strict=True)])
        return
    for one, result in zip(review_ids, results, strict=True):
        say(f"{one} is {'accepted' if accept else 'rejected'} in turn {result['turn_no']}")
        if result["final_text"]:
            say(result["final_text"], style="dim")
