"""The player's words of the last turns -> with whom they speak, and where they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorewright.builtin.words.last_thing import Gift, gives
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.turn.views.point import TurnPoint
from lorewright.values.readings import Lately, Talk
from lorewright.values.records import InterpreterOutput
from lorewright.world.state import WorldState


def kept_with_words(output: InterpreterOutput, state: WorldState) -> dict[str, Any]:
    """Return what is kept with the player's words: where they were said, to whom, about what, and which of them were
    played where not all were."""
    spoken = [action for action in output.proposed_actions if _is_put_to_somebody(action, state)]
    kept: dict[str, Any] = {"at": state.scene.location_id}
    if spoken and spoken[-1].target_id is not None:
        # What is only remarked is no topic that a question goes on about.
        asked = [action.words for action in spoken if (verb := verb_of(action.type)) and verb.reply == "answer"]
        kept |= {"talk_to": spoken[-1].target_id, "topic": asked[-1] if asked else ""}
    return kept | ({"played": output.played} if output.played else {})


def _is_put_to_somebody(action: Action, state: WorldState) -> bool:
    """Tell whether an act is said to somebody, or hands or shows them a thing: what is said next is said to them."""
    verb = verb_of(action.type)
    is_to_person = action.target_id in state.entities and state.entities[str(action.target_id)].type == "npc"
    is_held_out = is_to_person and action.item_id is not None and action.item_id != action.target_id
    return verb is not None and (verb.is_speech or (is_held_out and not verb.is_violent))


def came_from(at: TurnPoint) -> str:
    """Return the place where the player said something last before they came here; empty where that is not known."""
    own = (message for _, message in at.stream.seen_by("interpreter", own_id=at.state.player_id))
    places = [str(message.payload["at"]) for message in own if "at" in message.payload]
    return next((place for place in reversed(places) if place != at.state.scene.location_id), "")


def seen_at(at: TurnPoint) -> dict[str, str]:
    """Return the places where the player was lately with people who are not here now, by their IDs."""
    found: dict[str, str] = {}
    before, together, place = set[str](), set[str](), ""
    for _, message in at.stream.seen_by("player", own_id=at.state.player_id):
        if message.type == "narration":
            together |= set(message.audience)
        elif "at" in message.payload:
            # Of a turn with a walk, who was there before it stayed there.
            here = str(message.payload["at"])
            found |= {who: place if who in before else here for who in together}
            before, together, place = together, set[str](), here
    present = {at.state.player_id, *at.state.present_npcs()}
    return {who: place for who, place in found.items() if who not in present}


def talk_at(at: TurnPoint, listeners: Mapping[str, str]) -> Talk | None:
    """Return whom the player speaks with: the person spoken to last, while both are at the place where that was; else
    the one who listens there."""
    state, here = at.state, at.state.scene.location_id
    present = state.present_npcs()
    own = [message for _, message in at.stream.seen_by("interpreter", own_id=state.player_id)]
    for message in reversed([message for message in own if message.type == "intention"][:-1]):
        if message.payload.get("at") != here:
            break
        if (to := message.payload.get("talk_to")) is not None:
            if to in present:
                return Talk(to=to, topic=str(message.payload.get("topic", "")))
            break
    listener = listeners.get(here)
    return Talk(to=listener) if listener in present and listener is not None else None


def said_lately(at: TurnPoint) -> tuple[str, ...]:
    """Return the player's last inputs, oldest first, that of now last: as many as a drink lasts."""
    own = at.stream.seen_by("interpreter", own_id=at.state.player_id)
    return tuple(message.content for _, message in own if message.type == "intention")[-_LASTS:]


_LASTS = 9


def _told_last(at: TurnPoint) -> str:
    """Return the narration of the player's last input; empty where there was none."""
    seen = [message for _, message in at.stream.seen_by("player", own_id=at.state.player_id)]
    own = [n for n, message in enumerate(seen) if message.type == "intention" and message.owner == at.state.player_id]
    after = seen[own[-2] : own[-1]] if len(own) > 1 else ()
    return "\n".join(message.content for message in after if message.type == "narration")


def _gifts(state: WorldState, lines: Sequence[str]) -> tuple[Gift, ...]:
    """Return the things that the player's last inputs gave to people who are here and have them, oldest first."""
    held = [(state.entities[item], state.entities[who]) for who in state.present_npcs() for item in state.held_by(who)]
    return tuple(
        (thing.name, person.name, number == len(lines) - 1)
        for number, line in enumerate(lines)
        for thing, person in held
        if gives(line, (thing.name, *thing.aliases), person.name)
    )


def left_lately(at: TurnPoint, lines: Sequence[str]) -> Lately:
    """Return what the player's last inputs, `lines`, left at hand; they are oldest first, and without that of now."""
    return Lately(earlier=tuple(lines[:-2]), told=_told_last(at), gifts=_gifts(at.state, lines))
