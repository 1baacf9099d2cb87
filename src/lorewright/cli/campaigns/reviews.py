"""lorewright campaign review …, lorebook: what stages read out of the story, and the decisions about what is unsure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from lorewright.campaigns.reviews import decide, settle, waiting
from lorewright.cli.opening import open_app
from lorewright.cli.output import say, show_json, show_table
from lorewright.errors import SettingsError
from lorewright.turn.store.annotations import StoredEntry, StoredReview, lorebook
from lorewright.world.state import WorldState

app = typer.Typer(
    help="Proposals that wait: what an extractor was not sure enough of to make it true.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]
ReviewIds = Annotated[
    list[str], typer.Argument(help="The IDs of reviews, as the list gives them, or `all`: decided in one turn.")
]


@app.command("list", epilog="Example: lorewright campaign review list friday --json")
def list_reviews(campaign_id: CampaignId, as_json: AsJson = False) -> None:
    """What waits on the way to the head, oldest first. It may tell what players do not know."""
    with open_app().campaigns.reading(campaign_id) as store:
        found = waiting(store)
    if as_json:
        show_json([review.shown() for review in found])
        return
    show_reviews(found)
    if found:
        say(f"Next: lorewright campaign review accept {campaign_id} {found[0].short_id}, or all", style="dim")


def show_reviews(found: Sequence[StoredReview]) -> None:
    """Print the proposals that wait, equal ones once."""
    if found:
        rows = [
            (
                f"{review.short_id}{f' ×{len(review.also) + 1}' if review.also else ''}",
                review.review.stage,
                f"{review.review.confidence:.2f}",
                review.review.shown,
                review.review.reason,
            )
            for review in found
        ]
        show_table(("review", "stage", "sure", "proposed", "because"), rows)
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
        result = json.loads(decide(campaign, *review_ids, accept=accept))
    _show_decided("review", review_ids, [result] * len(review_ids), accept=accept, as_json=as_json)


def _show_decided(kind: str, ids: list[str], results: list[dict[str, Any]], *, accept: bool, as_json: bool) -> None:
    if as_json:
        show_json([{kind: decided, **result} for decided, result in zip(ids, results, strict=True)])
        return
    for decided, result in zip(ids, results, strict=True):
        say(f"{decided} is {'accepted' if accept else 'rejected'} in turn {result['turn_no']}")
    for told in dict.fromkeys(result["final_text"] for result in results if result["final_text"]):
        say(told, style="dim")


LOREBOOK_EXAMPLE = "Example: lorewright campaign lorebook friday --flagged"


def lorebook_of(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[accept|reject] CAMPAIGN [ENTRY]...",
            help="The campaign's ID; and to decide on flagged entries, what is decided and their IDs.",
        ),
    ],
    flagged: Annotated[bool, typer.Option("--flagged", help="Only what speaks against what is established.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """What narrations have established on the way to the head: of whom, in which turn, how sure.

    What was narrated gives way to a later narration, and stands here as replaced. What spoke against anything firmer
    has a flag and changed nothing, until you accept it. It may tell what players do not know.
    """
    if len(words) > 1 and words[0] in ("accept", "reject"):
        _settle(words[1], words[2:], accept=words[0] == "accept", as_json=as_json)
    elif len(words) > 1:
        hint = "say: lorewright campaign lorebook [accept|reject] CAMPAIGN [ENTRY]..."
        raise SettingsError(f"{words[1]!r} is too much", hint=hint)
    else:
        _show_lorebook(words[0], flagged=flagged, as_json=as_json)


def _settle(campaign_id: str, entry_ids: list[str], *, accept: bool, as_json: bool) -> None:
    if not entry_ids:
        raise SettingsError("no entry is named", hint=f"see: lorewright campaign lorebook {campaign_id} --flagged")
    with open_app().campaigns.open(campaign_id) as campaign:
        results = [json.loads(settle(campaign, entry_id, accept=accept)) for entry_id in entry_ids]
    _show_decided("entry", entry_ids, results, accept=accept, as_json=as_json)


def _show_lorebook(campaign_id: str, *, flagged: bool, as_json: bool) -> None:
    with open_app().campaigns.reading(campaign_id) as store:
        state = store.head().state
        found = lorebook(store.database, store.position().turn_id)
    shown = _with_replacements([_shown(stored, state) for stored in found])
    entries = [entry for entry in shown if entry["flag"] is not None or not flagged]
    if as_json:
        show_json(entries)
    elif entries:
        show_table(
            ("entry", "turn", "of", "what", "sure", "flag", "against"),
            [
                (
                    entry["short_id"],
                    entry["source_turn_no"],
                    entry["subject"],
                    f"{entry['predicate'].replace('_', ' ')}: {entry['detail']}",
                    f"{entry['confidence']:.2f}",
                    entry["decision"] or entry["flag"] or _replaced(entry),
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
    shown |= {"short_id": stored.short_id, "decision": stored.decision, "decided_in": stored.decided_in}
    return {**shown, "subject": state.name_of(stored.entry.subject_id), **stored.entry.model_dump(mode="json")}


def _with_replacements(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries, each with the turn in which the same fact was said anew; `source_turn_no` of what was said
    anew is the turn that it stands in."""
    last: dict[str, dict[str, Any]] = {}
    for entry in entries:
        entry["replaced_in"] = None
        if entry["fact_id"] is None:
            continue
        if (before := last.get(entry["fact_id"])) is not None:
            before["replaced_in"] = entry["source_turn_no"] = entry["turn_no"]
        last[entry["fact_id"]] = entry
    return entries


def _replaced(entry: dict[str, Any]) -> str:
    return "" if entry["replaced_in"] is None else f"replaced in turn {entry['replaced_in']}"
