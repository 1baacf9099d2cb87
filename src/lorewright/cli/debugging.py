"""What `--debug` shows of a turn beside what the player sees: who rolled to act, what others thought and intended, what
the rules made of it, which stages ran. All of it may hold secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.cli.output import say
from lorewright.cli.prose import wrapped
from lorewright.rules.actions import CastRule
from lorewright.rules.rulesets import CampaignRules
from lorewright.turn.run.rounds import ACTIVATE, VALIDATE
from lorewright.turn.store.store import CampaignStore
from lorewright.values.messages import Message
from lorewright.world.state import WorldState


def show_debug(store: CampaignStore, turn_id: str, rules: CampaignRules) -> None:
    """Print it for a turn of any branch."""
    state = store.state_at(turn_id)
    messages = [message for _, message in store.messages(turn_id, last=1)]
    for line in debug_lines(messages, store.stage_records(turn_id), state, rules):
        show_debug_line(line)


def show_debug_line(line: str) -> None:
    """Print a line apart from what is told."""
    say(wrapped(line, indent="  ¦ ", hanging="  ¦   "), style="dim")


def debug_lines(
    messages: Sequence[Message], records: Sequence[Mapping[str, Any]], state: WorldState, rules: CampaignRules
) -> Iterator[str]:
    """Line by line; `records` are as `CampaignStore.stage_records` gives them."""
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
            yield from (f"  {_result(one)}" for one in results)
    if records:
        yield f"stages: {' · '.join(_stages(records))}"


def _activation(output: Mapping[str, Any], state: WorldState, rules: CampaignRules) -> str:
    rolled = {roll["actor_id"]: roll["total"] for roll in output["rolls"]}
    asked = sorted({*output["order"], *output["skipped"]}, key=[*rolled, *output["order"], *output["skipped"]].index)
    told = [_asked(who, rolled.get(who), rules.of_cast(who), who in output["order"], state) for who in asked]
    return "; ".join(told) or "nobody is here"


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
    return ", ".join(state.name_of(str(one)) for one in (value if isinstance(value, list | tuple) else [value]))


def _result(result: Mapping[str, Any]) -> str:
    return "may do so" if result["success"] else f"refused: {result['reason']}"


def _stages(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each stage with its model, as often as it ran."""
    runs: dict[str, int] = {}
    for record in records:
        model = f" ({record['model_key']})" if record["calls"] else ""
        name = f"{record['stage']}{model}"
        runs[name] = runs.get(name, 0) + 1
    yield from (f"{name}{f' × {times}' if times > 1 else ''}" for name, times in runs.items())
