"""lorewright session …: begin and end sittings, and print their recaps."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from lorewright.bootstrap import App
from lorewright.campaigns.estimate import require_agreement
from lorewright.campaigns.model_choice import choose_for_campaign, choose_for_sitting
from lorewright.campaigns.sessions import end_scene, recap_by_model, session_fields
from lorewright.campaigns.viewers import persona_of
from lorewright.cli.game.turn_output import show_recap, show_result
from lorewright.cli.models import Both, Large, Small, Yes, agree_beforehand, models_of, show_models, tiers
from lorewright.cli.opening import open_app
from lorewright.cli.output import say, show_json, show_table
from lorewright.errors import NotFound
from lorewright.replay.last_act import without_last_act
from lorewright.storage.sittings import SessionRow
from lorewright.values.records import TurnResult

# lorewright campaign end-scene, undo-npc: the commands /scene end and /undo npc of the prompt, for programs.

EXAMPLES = {
    "end-scene": "Example: lorewright campaign end-scene friday --minutes 30",
    "undo-npc": "Example: lorewright campaign undo-npc friday --json",
}

_AsJson = Annotated[bool, typer.Option("--json", help="Print the TurnResult as JSON.")]
_CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]


def end_scene_of(
    campaign_id: _CampaignId,
    minutes: Annotated[int, typer.Option(min=0, max=525_600, help="So many in-world minutes go by.")] = 0,
    action_id: Annotated[
        str | None, typer.Option(help="A name for this: sent again, it gives the stored result and ends nothing.")
    ] = None,
    as_json: _AsJson = False,
) -> None:
    """Close the scene at hand, outside of the story; the next one opens in the same place."""
    with open_app().campaigns.open(campaign_id) as campaign:
        stored = end_scene(campaign, minutes=minutes, action_id=action_id)
        result_json = campaign.player_ids().told_json(stored)
    _show(result_json, "The scene ends.", as_json=as_json)


def undo_npc(
    campaign_id: _CampaignId,
    builtin: Annotated[bool, typer.Option("--builtin", help="Ask no model.")] = False,
    yes: Yes = False,
    as_json: _AsJson = False,
) -> None:
    """The last turn again as it was, but for what the last of the cast did in it of their own accord."""

    with open_app().campaigns.open(campaign_id) as campaign:
        if yes:
            agree_beforehand(campaign)
        if not builtin:
            require_agreement(campaign)
        stored = asyncio.run(without_last_act(campaign, builtin=builtin))
        result_json = campaign.player_ids().told_json(stored)
    _show(result_json, "The last act of others is taken back.", as_json=as_json)


def _show(result_json: str, what: str, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(f"{result_json}\n")
        sys.stdout.flush()
        return
    say(what, style="dim")
    show_result(TurnResult.model_validate_json(result_json))


# lorewright session: sittings and their recaps.

app = typer.Typer(
    help="Sittings of a campaign: begin, end, recap.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]


@app.command(epilog="Example: lorewright session start friday")
def start(campaign_id: CampaignId, as_json: AsJson = False) -> None:
    """Begin a sitting. `play` does so by itself; this is for programs that play turn by turn."""
    session = open_app().sessions.start_session(campaign_id)
    if as_json:
        show_json(session_fields(session))
    else:
        say(f"{session.id} begins with turn {session.turn_range_start}")


@app.command("set", epilog="Example: lorewright session set friday --large-model claude-haiku")
def set_models(
    campaign_id: CampaignId,
    model: Both = None,
    small_model: Small = None,
    large_model: Large = None,
    always: Annotated[bool, typer.Option("--always", help="Also in the sittings to come: the campaign's own.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Which models are asked from the next turn on, until the sitting ends; `builtin` asks none.

    A sitting begins if none is active. Without a model this only says which are asked now.
    """
    small, large = tiers(model, small_model, large_model)
    with open_app().campaigns.open(campaign_id) as campaign:
        if small is not None or large is not None:
            (choose_for_campaign if always else choose_for_sitting)(campaign, small=small, large=large)
        if yes:
            agree_beforehand(campaign)
        if as_json:
            show_json({"id": campaign_id, **models_of(campaign.store, campaign.stage_models)})
        else:
            show_models(campaign)


@app.command(epilog="Example: lorewright session end friday")
def end(campaign_id: CampaignId, as_json: AsJson = False) -> None:
    """End the sitting that is active, with a summary of it."""
    sessions = open_app().sessions
    active = sessions.active_session(campaign_id)
    if active is None:
        raise NotFound(
            f"no sitting of {campaign_id} is active", hint=f"begin one: lorewright session start {campaign_id}"
        )
    session = sessions.end_session(active.id)
    if as_json:
        show_json(session_fields(session))
        return
    say(f"{session.id} has ended: {_turns(session)}", style="bold")
    show_recap(session.summary or "")


@app.command(epilog="Example: lorewright session recap friday --by-model")
def recap(
    campaign_id: CampaignId,
    session_id: Annotated[
        str | None, typer.Option("--session", help="This sitting; the last one if not given.")
    ] = None,
    by_model: Annotated[
        bool, typer.Option("--by-model", help="Have the campaign's large model tell it, in words of its own.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to pay for the model, for this campaign.")] = False,
    viewer: Annotated[str, typer.Option("--as", help="Whose view: player or pc:ID.")] = "player",
    as_json: AsJson = False,
) -> None:
    """What a sitting amounted to, as a player may know it."""
    lorewright = open_app()
    found = lorewright.sessions.session_history(campaign_id)
    if not found:
        raise NotFound(f"{campaign_id} has no sitting yet", hint=f"play: lorewright play {campaign_id}")
    wanted = session_id or found[-1].id
    full = wanted if ":" in wanted else f"{campaign_id}:{wanted}"
    if by_model:
        text = _told_by_model(lorewright, campaign_id, full, viewer, agreed=yes)
    else:
        text = lorewright.sessions.generate_recap(full, viewer)
    if as_json:
        show_json({"session_id": wanted, "recap": text})
    else:
        show_recap(text)


def _told_by_model(lorewright: App, campaign_id: str, session_id: str, viewer: str, *, agreed: bool) -> str:
    session = next(
        (
            session_row
            for session_row in lorewright.sessions.session_history(campaign_id)
            if session_row.id == session_id
        ),
        None,
    )
    if session is None:
        raise NotFound(f"there is no sitting {session_id}", hint=f"see: lorewright session list {campaign_id}")
    with lorewright.campaigns.open(campaign_id) as campaign:
        who = persona_of(campaign.store.head().state, viewer)
        return asyncio.run(recap_by_model(campaign, session, agreed=agreed, who=who))


@app.command("list", epilog="Example: lorewright session list friday --json")
def list_sessions(campaign_id: CampaignId, as_json: AsJson = False) -> None:
    """All sittings of a campaign."""
    found = open_app().sessions.session_history(campaign_id)
    if as_json:
        show_json([session_fields(session) for session in found])
    elif found:
        cells = [
            (
                session.id,
                session.started_at[:16].replace("T", " "),
                "active" if session.ended_at is None else "ended",
                _turns(session),
            )
            for session in found
        ]
        show_table(("sitting", "began (UTC)", "", "turns"), cells)
    else:
        say(f"{campaign_id} has no sitting yet. Next: lorewright play {campaign_id}")


def _turns(session: SessionRow) -> str:
    if session.ended_at is None:
        return f"from turn {session.turn_range_start}"
    if session.turn_range_end is None:
        return "nothing was played"
    return f"turns {session.turn_range_start} to {session.turn_range_end}"
