"""The turns of a campaign -> what every persona could see of them in the open: no whisper, nothing that is somebody's
own. Somebody who watches sees that alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from lorewright.storage.heads import learned_on_path
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.point import WHISPER
from lorewright.values.records import Message, TurnResult
from lorewright.world.state import WorldState


def personas_of(state: WorldState) -> tuple[str, ...]:
    """Return the IDs of all whom players play."""
    return state.personas or (state.player_id,)


def told_in_the_open(messages: Iterable[tuple[int, Message]], personas: Collection[str]) -> list[tuple[int, Message]]:
    """Return the narrations that every one of the personas was there for, without those of whispers; with the numbers
    of their turns."""
    given = list(messages)
    ends = {
        (message.turn_id, frozenset((message.owner, str(message.payload.get("to")))))
        for _, message in given
        if message.subtype == WHISPER and message.type == "intention"
    }

    def is_open(message: Message) -> bool:
        if message.type != "narration" or message.subtype == WHISPER:
            return False
        # A narration without an audience is of an old story, and counts as heard by everybody.
        there = frozenset(message.audience)
        return (not there or there.issuperset(personas)) and (message.turn_id, there) not in ends

    return [(turn_no, message) for turn_no, message in given if is_open(message)]


def learned_in_the_open(store: CampaignStore) -> frozenset[str]:
    """Return the IDs of the items that every persona learned in turns in which something was told to all of them, and
    nothing was whispered."""
    state = store.head().state
    personas = personas_of(state)
    held = frozenset.intersection(*(state.learned_by(who) for who in personas))
    if not held:
        return held
    turns = {point.turn_no: point.turn_id for point in store.path()}
    learned = [known for known in learned_on_path(store.database) if known.item_id in held]
    is_open = {
        turn_no: turn_no in turns and _is_open(store, turns[turn_no])
        for turn_no in {known.turn_no for known in learned}
    }
    openly = {(known.character_id, known.item_id) for known in learned if is_open[known.turn_no]}
    return frozenset(item_id for item_id in held if all((who, item_id) in openly for who in personas))


def _is_open(store: CampaignStore, turn_id: str) -> bool:
    """Return whether something was played in a turn that was told in the open, and nothing was whispered in it."""
    messages = store.messages(turn_id, last=1, seen_from=store.position().turn_id)
    if any(message.subtype == WHISPER for _, message in messages):
        return False
    is_played = any(message.type == "intention" for _, message in messages)
    return is_played and bool(told_in_the_open(messages, personas_of(store.state_at(turn_id))))


def turn_in_the_open(store: CampaignStore, turn: dict[str, Any]) -> dict[str, Any]:
    """Return a turn (as `CampaignStore.turns` gives it) with what was told of it in the open: neither words and
    thoughts, nor dice, citations, events and suggestions."""
    stored = TurnResult.model_validate(turn["result"])
    messages = store.messages(turn["turn_id"], last=1, seen_from=store.position().turn_id)
    seen = [message for _, message in told_in_the_open(messages, personas_of(store.state_at(turn["turn_id"])))]
    told = TurnResult.of_no_play(
        turn_no=stored.turn_no,
        turn_id=stored.turn_id,
        final_text="\n\n".join(message.content for message in seen),
        clocks=stored.clocks,
        messages=tuple(seen),
        next_prompt="",
    )
    return {**turn, "player_text": "", "action_id": "", "result": told.model_dump(mode="json")}
