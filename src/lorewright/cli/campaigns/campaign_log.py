"""lorewright campaign log: print what happened, turn by turn."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.lore import SentenceSource, Support, support_of
from lorewright.campaigns.viewers import turns_told
from lorewright.cli.game.turn_output import debug_lines, roll_line, show_debug_line
from lorewright.cli.opening import open_app
from lorewright.cli.output import say, show_json, wrapped
from lorewright.errors import NotFound, SettingsError
from lorewright.ids import canonical_json
from lorewright.replay.metrics import ALL_TURNS, TurnRange, read_range
from lorewright.rules.patch import Roll
from lorewright.turn.store.annotations import name_of_edit
from lorewright.turn.store.store import CampaignStore

# The sources of each sentence of a turn, as they are printed.


def show_support(
    campaigns: Campaigns, campaign_id: str, turn_no: int, viewer: str = "player", *, as_json: bool = False
) -> None:
    """Print the sentences of a turn's narration, each with its sources, and how many have none.

    Raises:
        NotFound: there is no such campaign or turn, or the viewer did not play in it, or nothing was narrated in it.
    """
    support = support_of(campaigns, campaign_id, turn_no, viewer=viewer)
    if as_json:
        show_json({"id": campaign_id, **asdict(support), "unsupported_share": support.unsupported_share})
        return
    for sentence in support.sentences:
        say(wrapped(sentence.sentence))
        for ground in sentence.grounds:
            say(wrapped(_line(ground), indent="  "), style="dim")
        if not sentence.grounds:
            say(
                "  by the rules" if support.is_builtin else "  no source",
                style="dim" if support.is_builtin else "yellow",
            )
    say()
    say(_sum(support), style="dim")


def _line(ground: SentenceSource) -> str:
    if ground.file_path is None:
        return f"[{ground.id}] {ground.text}".rstrip()
    section = (ground.section_path or "").partition(" > ")[2] or ground.section_path
    return f"[{ground.id}] {ground.file_path} > {section}"


def _sum(support: Support) -> str:
    share = support.unsupported_share
    if share is None:
        return "Told without a model: it quotes, or tells what the rules did."
    without = sum(not sentence.grounds for sentence in support.sentences)
    return (
        f"Told by {support.model_key}: {without} of {len(support.sentences)} sentences without a source ({share:.0%})."
    )


# lorewright campaign log: what happened, turn by turn.

EXAMPLE = "Example: lorewright campaign log friday --turn 3 --diff --json"

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CampaignId = Annotated[str, typer.Argument(help="The campaign's ID.")]


def log(
    campaign_id: CampaignId,
    turn: Annotated[int | None, typer.Option(help="Only this turn.")] = None,
    turns: Annotated[str | None, typer.Option(help="These turns: 3:8, 3:, :8 or 5.")] = None,
    stage: Annotated[str | None, typer.Option(help="This stage's inputs and outputs.")] = None,
    diff: Annotated[bool, typer.Option("--diff", help="What each turn changed in the world.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="What others thought and meant to do, and who rolled.")
    ] = False,
    viewer: Annotated[
        str | None, typer.Option("--as", help="Whose view: player, pc:ID, or gm for all that was played.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What happened, turn by turn, as the player saw it.

    With --stage, what each stage was given and made; with --diff, each turn's state diff; with --debug, the whole
    stream of messages: all three may hold secrets, and are for the game master.
    """
    tells_all = stage is not None or diff or debug
    wanted = ("gm" if tells_all else "player") if viewer is None else viewer
    if tells_all and wanted != "gm":
        raise SettingsError(f"--stage, --diff and --debug hold secrets from {wanted}", hint="leave out --as")
    if turn is not None and turns is not None:
        raise SettingsError("--turn and --turns name turns in two ways", hint="give one of them")
    among = TurnRange(turn, turn) if turn is not None else ALL_TURNS if turns is None else read_range(turns)
    campaigns = open_app().campaigns
    with campaigns.reading(campaign_id) as store:
        rows = turns_told(store, [row for row in store.turns() if row["turn_no"] in among], wanted)
        if not rows:
            which = f"turn {turn}" if turn is not None else f"turn in {turns}"
            raise NotFound(f"there is no {which}", hint=f"see: lorewright campaign log {campaign_id}")
        edits = {row["turn_id"] for row in rows if row["kind"] == "edit"}
        names = {turn_id: name_of_edit(store.database, turn_id) for turn_id in edits}
        if stage is not None:
            rows = _with_records(store, rows, stage)
        if diff:
            changed = [store.state_diff(row["turn_id"]).model_dump(mode="json") for row in rows]
            rows = [{**row, "state_diff": each} for row, each in zip(rows, changed, strict=True)]
        if as_json and not tells_all and viewer != "gm":
            # Without the parts that may hold secrets, this output is for a player.
            rows = campaigns.player_ids(store).told(rows)
        if debug:
            rows = [{**row, **_debug(store, row["turn_id"])} for row in rows]
    if as_json:
        show_json([{key: value for key, value in row.items() if key != "debug"} for row in rows])
        return
    for row in rows:
        if row["player_text"] or row["result"]["final_text"] or row["result"]["messages"] or row["kind"] == "edit":
            _show_turn(row, names.get(row["turn_id"]))


def _with_records(store: CampaignStore, turns: list[dict[str, Any]], stage: str) -> list[dict[str, Any]]:
    """Return the turns, each with its records of a stage: not every stage runs in every turn."""
    records = {turn["turn_id"]: store.stage_records(turn["turn_id"]) for turn in turns}
    known = sorted({record["stage"] for each in records.values() for record in each})
    if known and stage not in ("all", *known):
        raise NotFound(f"no turn has a stage {stage}", hint=f"one of all, {', '.join(known)}")
    return [
        {**turn, "stages": [record for record in records[turn["turn_id"]] if stage in ("all", record["stage"])]}
        for turn in turns
    ]


def _debug(store: CampaignStore, turn_id: str) -> dict[str, Any]:
    """Return all messages of a turn, and the debug lines of them and of its stages."""
    messages = [message for _, message in store.messages(turn_id, last=1)]
    rules = store.campaign(turn_id).rules
    lines = list(debug_lines(messages, store.stage_records(turn_id), store.state_at(turn_id), rules))
    return {"messages": [message.model_dump(mode="json") for message in messages], "debug": lines}


def _show_turn(turn: dict[str, Any], edit: str | None) -> None:
    say(f"{turn['turn_no']}  {turn['player_text']}".rstrip(), style="bold")
    for message in turn["result"]["messages"]:
        if message["type"] == "thought" and "debug" not in turn:
            say(wrapped(f"You think: {message['content']}"), style="dim")
    if edit is not None:
        say(f"({edit})", style="dim")
    say(wrapped(turn["result"]["final_text"]))
    for line in turn.get("debug", ()):
        show_debug_line(line)
    for roll in turn["result"]["rolls"]:
        say(f"  {roll_line(Roll.model_validate(roll))}", style="dim")
    for record in turn.get("stages", []):
        version = "" if record["builtin_version"] is None else f", version {record['builtin_version']}"
        say(f"   {record['stage']} ({record['model_key']}{version})", style="dim")
        say(f"     in:  {record['input']}", style="dim")
        say(f"     out: {record['output']}", style="dim")
    for name, changes in turn.get("state_diff", {}).items():
        for change in changes if isinstance(changes, list) else [changes]:
            say(f"   {name}: {canonical_json(change)}", style="dim")
    say()
