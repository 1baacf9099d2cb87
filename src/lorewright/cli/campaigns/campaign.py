"""lorewright campaign …: begin, list, show, log, edit, roll back, branch, switch, export, import, remove."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.campaigns import branches, exchange
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.reviews import waiting
from lorewright.campaigns.sessions import as_played_by
from lorewright.campaigns.sessions import session_fields as shown_session
from lorewright.campaigns.upgrade_changes import UpgradePlan
from lorewright.campaigns.upgrading import Upgraded
from lorewright.campaigns.viewers import persona_of
from lorewright.cli.branch_tree import show_branches
from lorewright.cli.campaigns import campaign_log, reviews
from lorewright.cli.campaigns import session as scenes
from lorewright.cli.campaigns.campaign_log import show_support
from lorewright.cli.game.play_session import answered
from lorewright.cli.game.session_zero import agreed_on, calibration_lines
from lorewright.cli.models import (
    Both,
    Large,
    Small,
    Yes,
    agree_beforehand,
    keys_of,
    models_asked,
    models_of,
    show_models_asked,
    show_models_of,
    shown_keys,
    tiers,
)
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, show_json, show_table, wrapped
from lorewright.cli.packs import pack_testing as testing
from lorewright.cli.profiles import ProfileOption
from lorewright.errors import EditRefused, SettingsError
from lorewright.replay.metrics import lore_cache_hit_rate
from lorewright.service.write_tools import ops_of
from lorewright.storage.heads import count_played, head_row, undone_turns
from lorewright.storage.sittings import active_session_row
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import CampaignRow

app = typer.Typer(
    help="Campaigns: begin one, look at it, take turns back, branch off.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

app.command("log", epilog=campaign_log.EXAMPLE)(campaign_log.log)
app.add_typer(reviews.app, name="review")
app.command("lorebook", epilog=reviews.LOREBOOK_EXAMPLE)(reviews.lorebook_of)
app.command("end-scene", epilog=scenes.EXAMPLES["end-scene"])(scenes.end_scene_of)
app.command("undo-npc", epilog=scenes.EXAMPLES["undo-npc"])(scenes.undo_npc)
app.command("test", epilog=testing.CAMPAIGN_EXAMPLE)(testing.campaign_test)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]


@app.command(epilog="Example: lorewright campaign new dead_drop --id friday --seed 7")
def new(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")],
    campaign_id: Annotated[str | None, typer.Option("--id", help="The campaign's ID; the scenario's if free.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31, help="The seed of its dice; by chance if not given.")
    ] = None,
    session_zero: Annotated[
        bool, typer.Option("--session-zero", help="Be asked first: tone, lethality, pace, lines, veils, character.")
    ] = False,
    calibration: Annotated[
        Path | None, typer.Option(help="The same from a JSON or YAML file, without being asked.")
    ] = None,
    profile: ProfileOption = None,
    model: Both = None,
    small_model: Small = None,
    large_model: Large = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Begin a campaign. Its packs are indexed if need be, and their text is kept with it.

    Without a model every stage is built in, whatever API keys there are. Nothing is sent before the first turn, which
    asks about models that cost money unless --yes has answered that.
    """
    campaigns = open_app().campaigns
    keys = keys_of(*tiers(model, small_model, large_model))
    agreed = agreed_on(campaigns, scenario, calibration, ask=session_zero)
    with progress_bar() as progress:
        row = campaigns.new(
            scenario,
            campaign_id=campaign_id,
            seed=seed,
            keys=keys,
            calibration=agreed,
            profile=None if profile is None else profile.value,
            progress=progress,
        )
    if yes:
        with campaigns.open(row.id) as campaign:
            agree_beforehand(campaign)
    if as_json:
        show_json({**_shown(row), **shown_keys(keys)})
        return
    say(f"campaign {row.id} begins: {row.name}")
    say()
    with campaigns.reading(row.id) as store:
        say(wrapped(str(store.turns()[0]["result"]["final_text"])))
    say()
    say(f"Next: lorewright play {row.id}")


@app.command("list", epilog="Example: lorewright campaign list --json")
def list_campaigns(as_json: AsJson = False) -> None:
    """All campaigns."""
    campaigns = open_app().campaigns
    rows = campaigns.rows()
    damaged = campaigns.damaged()
    for campaign_id in damaged:
        note(f"{campaign_id}: its file cannot be read; restore it from a copy")
    if as_json:
        show_json([_shown(row) for row in rows])
    elif rows:
        cells = [(row.id, row.name, _played(campaigns, row.id), row.updated_at[:16].replace("T", " ")) for row in rows]
        show_table(("campaign", "name", "turns", "last played (UTC)"), cells)
    elif not damaged:
        say("There is no campaign. Next: lorewright campaign new dead_drop")


@app.command(epilog="Example: lorewright campaign show friday --citations 3")
def show(
    campaign_id: CampaignId,
    citations: Annotated[
        int | None, typer.Option(min=1, help="What each sentence told in this turn rests on, in place of all else.")
    ] = None,
    viewer: Annotated[
        str, typer.Option("--as", help="Whose view: player or pc:ID; gm is told the seed of the dice, too.")
    ] = "player",
    as_json: AsJson = False,
) -> None:
    """Where a campaign stands, as a player may know it, what its models have cost, and the tree of its branches."""
    lorewright = open_app()
    if citations is not None:
        show_support(lorewright.campaigns, campaign_id, citations, viewer, as_json=as_json)
        return
    with lorewright.campaigns.reading(campaign_id) as store:
        models = models_of(store, lorewright.stage_models)
        shown = {**_shown(store.campaign(), viewer), **_standing(store, viewer), **_bookkeeping(store)}
        shown["models"] = models
        tree, played = branches.tree(store), count_played(store.database)
    if as_json:
        at_hand = next(row.name for row in tree.branches if row.at_hand)
        show_json({**shown, "branch": at_hand, **asdict(tree)})
        return
    turns = "1 turn" if played == 1 else f"{played} turns"
    seed = f", seed {shown['seed']}" if "seed" in shown else ""
    say(f"{shown['name']} ({shown['id']}), {turns} played{seed}", style="bold")
    say(f"{shown['location']}, {shown['minutes']} minutes in; with you: {', '.join(shown['present']) or 'no one'}")
    say(f"you carry: {', '.join(shown['carried']) or 'nothing'}")
    for clock in shown["clocks"]:
        say(f"{clock['name']}: {clock['value']}/{clock['max']}")
    for thread in shown["threads"]:
        say(f"thread: {thread['title']} ({thread['status']})")
    if number := shown["reviews_waiting"]:
        wait = "a proposal waits" if number == 1 else f"{number} proposals wait"
        say(f"{wait}: lorewright campaign review list {campaign_id}", style="dim")
    rate = shown["lore_cache_hit_rate"]
    say(f"scene lore was at hand in {rate:.0%} of the turns" if rate is not None else "no turn yet", style="dim")
    session = shown["session"]
    say(f"sitting: {session['id']}, from turn {session['turn_range_start']}" if session else "no sitting", style="dim")
    head = f"turn {shown['current_turn']}, {shown['head_turn_id']}, revision {shown['revision']}"
    say(f"head: {head}, {shown['undone']} undone", style="dim")
    pins = ", ".join(f"{pin['pack_id']} {pin['version']}" for pin in shown["pins"])
    say(f"packs: {pins or 'none'}", style="dim")
    for line in calibration_lines(shown["calibration"]):
        say(line, style="dim")
    show_models_of(models)
    show_branches(tree)


@app.command(epilog="Example: lorewright campaign rollback friday --to 3")
def rollback(
    campaign_id: CampaignId,
    turns: Annotated[int | None, typer.Option(min=1, help="Take back so many turns; one if not given.")] = None,
    to: Annotated[str | None, typer.Option(help="Take back every turn after this one: its number or its ID.")] = None,
    as_json: AsJson = False,
) -> None:
    """Take back turns. Nothing is lost: a branch keeps where the story stood, and /redo in `play` does the turns again
    until another one is played."""
    if turns is not None and to is not None:
        raise SettingsError("--turns and --to say the same thing twice", hint="give one of them")
    with open_app().campaigns.reading(campaign_id) as store:
        moved = branches.rollback(store, turns=turns or 1, to=to)
        narration = store.turns()[-1]["result"]["final_text"]
    if as_json:
        show_json(_moved(campaign_id, moved))
        return
    say(f"{campaign_id} stands after turn {moved.turn_no} of {moved.branch}; what was taken back is {moved.kept_as}")
    say(wrapped(narration), style="dim")
    say(f"Back: lorewright campaign switch {campaign_id} --branch {moved.kept_as}", style="dim")


@app.command(epilog="Example: lorewright campaign branch friday --from 3 --name what_if")
def branch(
    campaign_id: CampaignId,
    turn: Annotated[
        str, typer.Option("--from", help="Its first turn's parent: a number up to here, or any turn's ID.")
    ],
    name: Annotated[str, typer.Option(help="What it is called; unique in its campaign.")],
    as_json: AsJson = False,
) -> None:
    """Begin a branch at a turn. The story stays where it is until you switch."""
    with open_app().campaigns.reading(campaign_id) as store:
        made = branches.branch(store, turn=turn, name=name)
    if as_json:
        show_json({"id": campaign_id, **asdict(made)})
        return
    say(f"{name} begins after turn {made.head_turn_no}")
    say(f"Next: lorewright campaign switch {campaign_id} --branch {name}")


@app.command(epilog="Example: lorewright campaign switch friday --branch what_if")
def switch(
    campaign_id: CampaignId,
    name: Annotated[str, typer.Option("--branch", help="The branch to go on with.")],
    as_json: AsJson = False,
) -> None:
    """Go on with another branch, where it was left. State, history and what is remembered are those of its own past."""
    with open_app().campaigns.reading(campaign_id) as store:
        moved = branches.switch(store, name)
        narration = store.turns()[-1]["result"]["final_text"]
    if as_json:
        show_json(_moved(campaign_id, moved))
        return
    say(f"{campaign_id} stands after turn {moved.turn_no} of {name}; {moved.kept_as} stays as it was")
    say(wrapped(narration), style="dim")
    say(f"Next: lorewright play {campaign_id}")


@app.command(epilog="Example: lorewright campaign edit friday ops.json --note 'the bridge is down'")
def edit(
    campaign_id: CampaignId,
    ops: Annotated[str, typer.Argument(help="A JSON list of ops, a file with one, or - for standard input.")],
    reason: Annotated[str, typer.Option("--note", help="Why, for the record. No player reads it.")] = "",
    action_id: Annotated[str | None, typer.Option(help="A name for it: sent again, it changes nothing twice.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change the world of a campaign from outside, in a turn of its own that a rollback takes back.

    Its ops are those of the MCP tool apply_ops, as [{"op": "clock", "clock_id": "heat", "delta": 1}]: all or none.
    """
    wanted = ops_of(_json_list(ops))
    campaigns = open_app().campaigns
    with campaigns.open(campaign_id) as campaign:
        made = action_id or f"edit-{campaign.store.position().revision}"
        result = json.loads(campaign.edit(wanted, action_id=made, note=reason))
    if as_json:
        show_json(result)
        return
    say(f"{campaign_id}: turn {result['turn_no']} changes the world ({len(wanted)} ops)")


def _json_list(written: str) -> list[Any]:
    """Return a list that is written as JSON, here or in a file.

    Raises:
        EditRefused: it is no list, or no JSON.
    """
    text = written
    if not written.lstrip().startswith("["):
        text = sys.stdin.read() if written == "-" else read_text(Path(written), MAX_WRITTEN_BYTES, SettingsError)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise EditRefused("the ops are no JSON list", hint='write [{"op": …}, …]', index=0, reason="no_such_op")
    return found


@app.command(epilog="Example: lorewright campaign upgrade friday --yes")
def upgrade(
    campaign_id: CampaignId,
    yes: Annotated[bool, typer.Option("--yes", help="Do it, in a turn of its own that a rollback takes back.")] = False,
    as_json: AsJson = False,
) -> None:
    """What the packs and rulesets that are installed now would change for a campaign: who and what would be gone, which
    sections are called otherwise, which secrets are none any more. Nothing is changed without --yes.

    This shows what players do not know.
    """
    upgrades = open_app().upgrades
    done = upgrades.upgrade(campaign_id) if yes else Upgraded(upgrades.plan(campaign_id))
    plan = done.plan
    if as_json:
        state = {"is_needed": plan.is_needed, "is_blocked": bool(plan.blocking)}
        show_json({**asdict(plan), **state, "turn_no": done.turn_no, "turn_id": done.turn_id})
        return
    _show_plan(plan)
    if done.turn_no is not None:
        say(f"{campaign_id} goes by them from turn {done.turn_no} on; back: lorewright campaign rollback {campaign_id}")
    elif plan.blocking:
        say(f"Nothing was changed, and --yes would be refused: {plan.blocking[0].hint}", style="red")
    elif plan.is_needed:
        say(f"Nothing was changed. To do it: lorewright campaign upgrade {campaign_id} --yes")


def _show_plan(plan: UpgradePlan) -> None:
    changes = [change for change in (*plan.packs, plan.ruleset, *plan.prompts) if change.is_other]
    if changes:
        rows = [(m.id, m.version_then, m.version_now, m.hash_then[:12], m.hash_now[:12]) for m in changes]
        show_table(("what", "version then", "now", "text then", "now"), rows)
    else:
        say(f"{plan.campaign_id} is up to date: every text is the one that it pins")
    if plan.remarks:
        remarks = [(remark.kind, remark.about, remark.what, "yes" if remark.blocks else "") for remark in plan.remarks]
        show_table(("code", "about", "what", "blocks"), remarks)


@app.command(epilog="Example: lorewright campaign export friday friday.lorewright --as player")
def export(
    campaign_id: CampaignId,
    file: Annotated[Path, typer.Argument(help="The file to write; there must be none of that name.")],
    audience: Annotated[
        str, typer.Option("--as", help="gm for all of it, player or pc:ID for what that player saw.")
    ] = "gm",
    as_json: AsJson = False,
) -> None:
    """Write a campaign to one file: its whole history and the text of its packs, to be imported elsewhere; or, as
    player, the story without a secret, to be read."""
    exchange.export(open_app().campaigns, campaign_id, file, audience=audience)
    if as_json:
        show_json({"id": campaign_id, "file": str(file), "audience": audience, "bytes": file.stat().st_size})
        return
    say(f"{campaign_id} is in {file}" if audience == "gm" else f"what the player saw of {campaign_id} is in {file}")
    if audience == "gm":
        say("It holds every secret. Next: lorewright campaign import FILE", style="dim")


@app.command("import", epilog="Example: lorewright campaign import friday.lorewright --id saturday")
def import_file(
    file: Annotated[Path, typer.Argument(help="The file that `campaign export` wrote.")],
    campaign_id: Annotated[str | None, typer.Option("--id", help="The campaign's ID here; its own if free.")] = None,
    as_json: AsJson = False,
) -> None:
    """A campaign from an exported file, with all of its branches. A file that is damaged is refused whole.

    The models that it asks are named; before the first turn you are asked about those that cost money, whatever its
    last owner agreed to.
    """
    lorewright = open_app()
    row = exchange.import_campaign(lorewright.campaigns, file, campaign_id=campaign_id)
    with lorewright.campaigns.reading(row.id) as store:
        models = models_asked(store, lorewright.stage_models)
    if as_json:
        show_json({**_shown(row), "models": models})
        return
    say(f"campaign {row.id} stands after turn {row.current_turn}: {row.name}")
    show_models_asked(models)
    say(f"Next: lorewright play {row.id}")


@app.command(epilog="Example: lorewright campaign remove friday --yes")
def remove(
    campaign_id: CampaignId,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a campaign for good: every turn of every branch. It must not be open anywhere.

    The packs that it was played with stay, and so do other campaigns of its scenario.
    """
    campaigns = open_app().campaigns
    place = campaigns.where(campaign_id)
    if not yes:
        _ask_to_remove(campaigns, campaign_id)
    campaigns.remove(campaign_id)
    if as_json:
        show_json({"id": campaign_id, "file": place})
        return
    say(f"{campaign_id} is deleted: {place}, its search index, and the lines that were typed in it")


def _played(campaigns: Campaigns, campaign_id: str) -> int:
    with campaigns.reading(campaign_id) as store:
        return count_played(store.database)


def _ask_to_remove(campaigns: Campaigns, campaign_id: str) -> None:
    """Say what would be deleted, and ask.

    Raises:
        SettingsError: there is no terminal at which to ask, or the answer is no; nothing was deleted.
    """
    hint = f"to keep a copy: lorewright campaign export {campaign_id} FILE"
    if not sys.stdin.isatty():
        raise SettingsError("deleting is asked about at a terminal, and there is none", hint=f"say --yes; {hint}")
    if campaign_id in campaigns.damaged():
        say(f"{campaign_id}, whose file cannot be read, would be deleted.")
    else:
        with campaigns.reading(campaign_id) as store:
            row, tree, played = store.campaign(), branches.tree(store), count_played(store.database)
        turns = "1 turn" if played == 1 else f"{played} turns"
        more = f" and {len(tree.branches)} branches" if len(tree.branches) > 1 else ""
        say(f"{row.name} ({row.id}), last played {row.updated_at[:10]}: {turns}{more} would be deleted.")
    say(f"  {hint}", style="dim")
    if answered("Delete it for good? [y/N] ") != "y":
        raise SettingsError("nothing was deleted", hint="answer y to delete it")


def _moved(campaign_id: str, moved: branches.HeadChange) -> dict[str, Any]:
    return {
        "id": campaign_id,
        "current_turn": moved.turn_no,
        "turn_id": moved.turn_id,
        "branch": moved.branch,
        "kept_as": moved.kept_as,
    }


def _bookkeeping(store: CampaignStore) -> dict[str, Any]:
    session = active_session_row(store.database)
    return {
        "lore_cache_hit_rate": lore_cache_hit_rate(turn["lore_cached"] for turn in store.turns()),
        "session": None if session is None else shown_session(session),
        "head_turn_id": head_row(store.database).turn_id,
        "undone": len(undone_turns(store.database)),
        "reviews_waiting": len(waiting(store)),
    }


def _shown(row: CampaignRow, viewer: str = "gm") -> dict[str, Any]:
    """Return a campaign as a viewer may know it: with the seed a player could foretell the dice."""
    return {
        "id": row.id,
        "name": row.name,
        "scenario_id": row.scenario_id,
        "ruleset_id": row.rules.ruleset.id,
        **({"seed": row.seed} if viewer == "gm" else {}),
        "current_turn": row.current_turn,
        "revision": row.revision,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "pins": [asdict(pin) for pin in row.pins],
        "calibration": dict(row.calibration),
    }


def _standing(store: CampaignStore, viewer: str) -> dict[str, Any]:
    head = store.head().state
    state = as_played_by(persona_of(head, "player" if viewer == "gm" else viewer), head)
    return {
        "location": state.name_of(state.scene.location_id),
        "present": [state.name_of(present_npc) for present_npc in state.present_npcs()],
        "carried": [state.name_of(item) for item in state.held_by(state.player_id)],
        "minutes": state.minutes,
        "clocks": list(state.clocks_shown()),
        "threads": [
            state.threads[thread].model_dump(include={"id", "title", "status"}) for thread in sorted(state.threads)
        ],
        "ended": state.ended,
    }
