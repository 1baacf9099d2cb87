"""What a player sees at the prompt: the narration, dim lines of dice, notes, place, time and clocks, suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.campaigns.estimate import format_dollars
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.reviews import waiting
from lorewright.campaigns.sessions import recap_of
from lorewright.campaigns.status import PlayerStatus, introduction_of, status_of
from lorewright.cli.output import in_lines, note, say, wrapped
from lorewright.rules.actions import CastRule
from lorewright.rules.patch import Roll
from lorewright.rules.rulesets import CampaignRules
from lorewright.storage.annotation_rows import review_count
from lorewright.storage.commit_counts import LOSS_HINT, tell_loss
from lorewright.storage.heads import head_row
from lorewright.storage.model_rows import Usage
from lorewright.storage.sittings import session_rows
from lorewright.turn.run.rounds import ACTIVATE, VALIDATE
from lorewright.turn.store.annotations import name_of_edit
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import undo_played
from lorewright.values.records import Message, TurnResult
from lorewright.world.events import EVENTS, CampaignEnded, ClockTicked, PathChanged, SceneClosed
from lorewright.world.state import WorldState

# What `--debug` shows of a turn beside what the player sees: who rolled to act, what others thought and intended, how
# the rules judged it, which stages ran. All of it may hold secrets.


def show_debug(store: CampaignStore, turn_id: str, rules: CampaignRules) -> None:
    """Print the debug lines of a turn of any branch."""
    state = store.state_at(turn_id)
    messages = [message for _, message in store.messages(turn_id, last=1)]
    for line in debug_lines(messages, store.stage_records(turn_id), state, rules):
        show_debug_line(line)


def show_intentions(store: CampaignStore, turn_id: str) -> None:
    """Print what everybody meant to do in a turn of any branch, and nothing else that a player does not see."""
    state = store.state_at(turn_id)
    for message in (message for _, message in store.messages(turn_id, last=1)):
        if message.type == "intention":
            for line in _said(message, state):
                show_debug_line(line)


def note_lost_changes(campaign: OpenCampaign) -> None:
    """Print to stderr that acknowledged changes are missing from a campaign's file, where that is known."""
    if lost := campaign.store.lost_changes:
        note(f"{tell_loss(lost)}. {LOSS_HINT}")


def show_debug_line(line: str) -> None:
    """Print a line set off from the narration."""
    say(wrapped(line, indent="  ¦ ", hanging="  ¦   "), style="dim")


def debug_lines(
    messages: Sequence[Message], records: Sequence[Mapping[str, Any]], state: WorldState, rules: CampaignRules
) -> Iterator[str]:
    """Yield the debug lines of a turn; `records` are as `CampaignStore.stage_records` gives them."""
    for record in records:
        if record["stage"] == ACTIVATE:
            yield f"activation: {_activation(record['output'], state, rules)}"
    judged = [record["output"] for record in records if record["stage"] == VALIDATE]
    acted = 0
    for message in messages:
        yield from _said(message, state)
        if message.type == "intention" and not state.is_players(message.owner):
            results = judged[acted]["results"] if acted < len(judged) else ()
            acted += 1
            yield from (f"  {_result(result)}" for result in results)
    if records:
        yield f"stages: {' · '.join(_stages(records))}"


def _activation(output: Mapping[str, Any], state: WorldState, rules: CampaignRules) -> str:
    rolled = {roll["actor_id"]: roll["total"] for roll in output["rolls"]}
    people = sorted({*output["order"], *output["skipped"]}, key=[*rolled, *output["order"], *output["skipped"]].index)
    parts = [_asked(who, rolled.get(who), rules.of_cast(who), who in output["order"], state) for who in people]
    return "; ".join(parts) or "nobody is here"


def _asked(who: str, rolled: int | None, rule: CastRule, acts: bool, state: WorldState) -> str:
    name = state.name_of(who)
    if rolled is None:
        return f"{name} is baked"
    return f"{name} 1d100 = {rolled} of {round(rule.chattiness * 100)}, {'acts' if acts else 'lets it pass'}"


def _said(message: Message, state: WorldState) -> Iterator[str]:
    name = state.name_of(message.owner)
    to = f" to {state.name_of(str(message.payload['to']))}" if message.payload.get("to") in state.entities else ""
    match message.type:
        case "thought":
            yield f"{name} thinks: {message.content}"
        case "intention" if not state.is_players(message.owner) or to:
            yield f"{name} {f'whispers{to}' if to else 'intends'}: {message.content}"
        case "scene_marker":
            details = ", ".join(f"{key} {_named(value, state)}" for key, value in sorted(message.payload.items()))
            yield f"marker: {message.subtype}{f' ({details})' if details else ''}"
        case "narration" if message.audience and not any(map(state.is_players, message.audience)):
            heard = ", ".join(map(state.name_of, message.audience))
            yield f"heard by {heard} alone: {message.content}"
        case _:
            return


def _named(value: Any, state: WorldState) -> str:
    return ", ".join(state.name_of(str(name)) for name in (value if isinstance(value, list | tuple) else [value]))


def _result(result: Mapping[str, Any]) -> str:
    return "may do so" if result["success"] else f"refused: {result['reason']}"


def _stages(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each stage with its model, and how often it ran."""
    runs: dict[str, int] = {}
    for record in records:
        model = f" ({record['model_key']})" if record["calls"] else ""
        name = f"{record['stage']}{model}"
        runs[name] = runs.get(name, 0) + 1
    yield from (f"{name}{f' × {times}' if times > 1 else ''}" for name, times in runs.items())


# What the player sees of a turn.


def show_start(campaign: OpenCampaign) -> None:
    """Print where the story stands: its title, the recap of the last sitting, and the opening or the last narration."""
    say(campaign.row.name, style="bold")
    say()
    last = next(
        (session_row for session_row in reversed(session_rows(campaign.store.database)) if session_row.end_turn_id),
        None,
    )
    if last is not None and last.end_turn_id is not None and campaign.store.is_on_path(last.end_turn_id):
        show_recap(recap_of(campaign, last, anew=True), style="dim")
        say()
    show_last(campaign)


def show_last(campaign: OpenCampaign) -> None:
    """Print the last narration, the status, and the suggestions that came with it; before the first turn also what a
    player has to know."""
    turns = campaign.store.turns()
    say(wrapped(_last_told(turns)))
    if len(turns) == 1:
        say()
        for line in introduction_of(campaign):
            say(wrapped(line))
    _show_waiting(len(waiting(campaign.store)))
    show_status(status_of(campaign))
    show_options_of(campaign)


def show_options_of(campaign: OpenCampaign) -> None:
    """Print the suggestions that came with the last turn."""
    _show_options(campaign.store.turns()[-1]["result"]["suggested_actions"])


def show_result(
    result: TurnResult,
    *,
    campaign: OpenCampaign | None = None,
    table: Sequence[str] = (),
    is_told: bool = False,
    usage: Usage | None = None,
) -> None:
    """Print a turn's narration, unless the player has read it already, the dice and the notes, the player's status in
    the campaign, and the rows of the table, where there is one; with `usage`, what models took for it."""
    if result.clarification_question is not None:
        say(wrapped(result.clarification_question), style="bold")
    else:
        if not is_told:
            say(wrapped(result.final_text))
        for line in (*_unread(result), *result.validation.read_as, *_noted(result)):
            say(wrapped(line, indent="  "), style="dim")
        facts = " · ".join(map(roll_line, result.rolls))
        cited = ", ".join(dict.fromkeys(citation.cite for citation in result.citations))
        if facts or cited:
            say(in_lines([part for part in (facts, f"[{cited}]" if cited else "") if part]), style="dim")
        if campaign is not None:
            _show_waiting(review_count(campaign.store.database, result.turn_id))
            show_status(status_of(campaign, moved=clocks_moved(result)))
        show_table(table)
    if any(isinstance(event, CampaignEnded) for event in result.engine_events):
        say("  — the end —", style="bold")
    if usage is not None:
        say(f"  {usage_line(usage)}", style="dim")
    question = result.clarification_question or ""
    # A question that names its answers itself is not followed by the list of them.
    named = all(f"{number} {line}" in question for number, line in enumerate(result.suggested_actions, start=1))
    _show_options(() if named else result.suggested_actions)


_RISKS = {"hostile_present": "somebody here is against you"}


def _noted(result: TurnResult) -> Iterator[str]:
    """Yield lines about what was assumed, what is at stake, and what the player acts under."""
    yield from (f"({text})" for text in result.assumptions)
    if result.risk_flags:
        yield f"at risk: {', '.join(_RISKS.get(flag, flag) for flag in result.risk_flags)}"
    if result.fell_back:
        stages = ", ".join(stage.replace("_", " ") for stage in result.fell_back)
        yield f"without the model, which gave nothing valid: {stages}"
    if result.perception_flags:
        yield f"hindered: {', '.join(flag.replace('_', ' ') for flag in result.perception_flags)}"


def _show_waiting(number: int) -> None:
    """Print how many proposals wait; what they propose may be a secret."""
    if number:
        say(f"  {'a proposal waits' if number == 1 else f'{number} proposals wait'} for you: /review", style="dim")


def _unread(result: TurnResult) -> list[str]:
    """Return a line about words that changed nothing, where there are any."""
    parts = [part for part in result.validation.not_played if part not in result.final_text]
    words = [f"“{part}”" for part in parts]
    return [f"not played: {', '.join(words)}"] if words else []


def take_back(campaign: OpenCampaign, *, turns: int = 1) -> None:
    """Take back the last turns that were played, and print where the story stands then.

    Raises:
        CampaignError: fewer turns were played; nothing was changed.
    """
    _, words = undo_played(campaign.store, turns=turns, edits=True)
    words = words or _unplayed(campaign)
    say(f"Taken back: {words if turns == 1 else f'{turns} turns, from “{words}” on'}", style="dim")
    show_last(campaign)


def _unplayed(campaign: OpenCampaign) -> str:
    """Return a name for a turn that was just taken back and has no words."""
    taken = campaign.store.turns(campaign.store.undone()[-1], after=head_row(campaign.store.database).turn_id)
    events = EVENTS.validate_python(taken[0]["result"]["engine_events"])
    closed = any(isinstance(event, SceneClosed) for event in events)
    return "the end of the scene" if closed else name_of_edit(campaign.store.database, taken[0]["turn_id"])


def usage_line(usage: Usage) -> str:
    """Return what models took: `in 4,120 (82 % cached) · out 210 · $0.0123 · 3.1 s`."""
    if not usage.calls:
        return "no model was asked"
    cached = f" ({100 * usage.cached_share:.0f} % cached)" if usage.cached_share else ""
    return " · ".join(
        (
            f"in {usage.input_tokens:,}{cached}",
            f"out {usage.output_tokens:,}",
            format_dollars(usage.usd, digits=3),
            f"{usage.milliseconds / 1000:.1f} s",
        )
    )


def show_table(rows: Sequence[str]) -> None:
    """Print the rows of the table."""
    for row in rows:
        say(f"    {row}")


def show_end(recap: str, ways_on: Sequence[str] = ()) -> None:
    """Print the recap of the sitting, and the ways on from an ending."""
    show_recap(recap)
    show_ways_on(ways_on)


def show_recap(recap: str, *, style: str = "") -> None:
    """Print a recap, part by part."""
    for part in recap.splitlines():
        say(wrapped(part), style=style)


def show_ways_on(ways_on: Sequence[str]) -> None:
    """Print the ways on from an ending by number, and the commands that still work."""
    if ways_on:
        say(in_lines([f"{number} {label}" for number, label in enumerate(ways_on, start=1)]))
    say("  /undo takes the last turn back   /quit leaves", style="dim")
    say()


# The last lines of a telling that are shown once more.
_LAST_LINES = 3


def show_last_lines(campaign: OpenCampaign) -> None:
    """Print the end of the last narration: its last lines."""
    lines = wrapped(_last_told(campaign.store.turns())).splitlines()
    say("\n".join(lines[-_LAST_LINES:]), style="dim")
    say("  — the end —", style="bold")


def roll_line(roll: Roll) -> str:
    """Return a roll as `2d6+1 = 8, mixed`; dice that only choose between things have no band."""
    added = f"{roll.modifier:+d}" if roll.modifier else ""
    band = f", {roll.band}" if roll.band else ""
    return f"{roll.expression}{added} = {roll.total}{band}"


def show_status(status: PlayerStatus) -> None:
    """Print the place, the time and how the known clocks stand: `The Quay · 21:10 · Heat 2/6 (+1)`."""
    clocks = (
        f"{clock.name} {clock.value}/{clock.max}{f' ({clock.change:+d})' if clock.change else ''}"
        for clock in status.clocks
    )
    say(in_lines([part for part in (status.place, status.time, *clocks) if part], between=" · "), style="dim")


def clocks_moved(result: TurnResult) -> dict[str, int]:
    """Return by how much the clocks and gauges have moved that the player saw moving in a turn, by ID."""
    moved: Counter[str] = Counter()
    for event in result.engine_events:
        if isinstance(event, ClockTicked):
            moved[event.clock] += int(event.after - event.before)
        elif isinstance(event, PathChanged) and isinstance(event.before, int) and isinstance(event.after, int):
            moved[event.path.removeprefix("scene.")] += event.after - event.before
    return dict(moved)


def _show_options(options: Sequence[str]) -> None:
    if options:
        say(in_lines([f"{number} {line}" for number, line in enumerate(options, start=1)]), style="dim")
    say()


def _last_told(turns: list[dict[str, Any]]) -> str:
    results = [turn["result"] for turn in turns if turn["kind"] not in ("clarification", "aside", "upgrade", "edit")]
    return str(results[-1]["final_text"])
