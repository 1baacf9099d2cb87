"""lorewright campaign lorebook: what narrations have added to the world, and what they said against it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lorewright.bootstrap import open_app
from lorewright.cli.output import say, show_json, show_table
from lorewright.turn.store.keeping import KeptEntry, lorebook
from lorewright.world.state import WorldState

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command("lorebook", epilog="Example: lorewright campaign lorebook friday --flagged")
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
    entries = [_shown(one, state) for one in found if one.entry.flag is not None or not flagged]
    if as_json:
        show_json(entries)
    elif entries:
        show_table(
            ("turn", "of", "what", "sure", "flag", "against"),
            [
                (
                    one["source_turn_no"],
                    one["subject"],
                    f"{one['predicate'].replace('_', ' ')}: {one['detail']}",
                    f"{one['confidence']:.2f}",
                    one["flag"] or "",
                    one["against"] or "",
                )
                for one in entries
            ],
        )
    else:
        say("Nothing was said against canon." if flagged else "No narration has established anything yet.")


def _shown(one: KeptEntry, state: WorldState) -> dict[str, Any]:
    """The entry; `source_turn_no` is the turn whose narration said so, which comes before one in which it was
    reviewed."""
    fact = state.facts.get(one.entry.fact_id or "")
    source = one.turn_no if fact is None or fact.discovered_turn is None else fact.discovered_turn
    shown = {"turn_no": one.turn_no, "turn_id": one.turn_id, "source_turn_no": source}
    return {**shown, "subject": state.name_of(one.entry.subject_id), **one.entry.model_dump(mode="json")}
