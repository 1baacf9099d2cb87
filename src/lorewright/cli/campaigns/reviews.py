"""lorewright campaign review …, lorebook: what stages read out of the story, and the decisions about what is unsure."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from lorewright.bootstrap import open_app
from lorewright.campaigns.branches import decide, waiting
from lorewright.cli.output import say, show_json, show_table
from lorewright.turn.store.annotations import StoredEntry, lorebook
from lorewright.world.state import WorldState

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
        show_json([review.shown() for review in found])
    elif found:
        rows = [
            (
                review.short_id,
                review.review.stage,
                f"{review.review.confidence:.2f}",
                review.review.shown,
                review.review.reason,
            )
            for review in found
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
        results = [json.loads(decide(campaign, review_id, accept=accept)) for review_id in review_ids]
    if as_json:
        show_json([{"review": review_id, **result} for review_id, result in zip(review_ids, results, strict=True)])
        return
    for review_id, result in zip(review_ids, results, strict=True):
        say(f"{review_id} is {'accepted' if accept else 'rejected'} in turn {result['turn_no']}")
        if result["final_text"]:
            say(result["final_text"], style="dim")


LOREBOOK_EXAMPLE = "Example: lorewright campaign lorebook friday --flagged"


def show_lorebook(
    campaign_id: Annotated[str, typer.Argument(help="The campaign's ID.")],
    flagged: Annotated[bool, typer.Option("--flagged", help="Only what speaks against what is established.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """What narrations have established on the way to the head: of whom, in which turn, how sure. What spoke against
    canon stands here with a flag, and nowhere else: it changed nothing. It may tell what players do not know."""
    with open_app().campaigns.reading(campaign_id) as store:
        state = store.head().state
        found = lorebook(store.database, store.position().turn_id)
    entries = [_shown(stored, state) for stored in found if stored.entry.flag is not None or not flagged]
    if as_json:
        show_json(entries)
    elif entries:
        show_table(
            ("turn", "of", "what", "sure", "flag", "against"),
            [
                (
                    entry["source_turn_no"],
                    entry["subject"],
                    f"{entry['predicate'].replace('_', ' ')}: {entry['detail']}",
                    f"{entry['confidence']:.2f}",
                    entry["flag"] or "",
                    entry["against"] or "",
                )
                for entry in entries
            ],
        )
    else:
        say("Nothing was said against canon." if flagged else "No narration has established anything yet.")


def _shown(stored: StoredEntry, state: WorldState) -> dict[str, Any]:
    """Return the entry; `source_turn_no` is the turn whose narration said so, which comes before the turn in which it
    was reviewed."""
    fact = state.facts.get(stored.entry.fact_id or "")
    source = stored.turn_no if fact is None or fact.discovered_turn is None else fact.discovered_turn
    shown = {"turn_no": stored.turn_no, "turn_id": stored.turn_id, "source_turn_no": source}
    return {**shown, "subject": state.name_of(stored.entry.subject_id), **stored.entry.model_dump(mode="json")}
