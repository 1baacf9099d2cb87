"""Who speaks in a turn, and to whom alone: names -> characters, and a submission -> what its turn begins with.

Whoever the player goes on as becomes part of the turn that is submitted, by an op at its beginning: taken back, it was
never so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from lorewright.builtin.parser.clauses import is_called
from lorewright.errors import CampaignError
from lorewright.ids import local
from lorewright.turn.views.draft import Head, Submission
from lorewright.values.entries import Marker
from lorewright.world.apply import apply
from lorewright.world.ops import PlayAs, StateOp
from lorewright.world.state import Entity, WorldState


def persona_called(name: str, state: WorldState) -> str:
    """The ID of the persona of that ID or name.

    Raises:
        CampaignError: the player has none of that name.
    """
    personas = state.personas or (state.player_id,)
    found = _called(name, [state.entities[one] for one in personas if one in state.entities])
    if found is None:
        names = ", ".join(state.name_of(one) for one in personas)
        raise CampaignError(f"there is nobody called {name} for you to play", hint=f"you may play: {names}")
    return found


def somebody_called(
    name: str,
    state: WorldState,
    *,
    heard_of: Collection[str] | None = None,
    ids: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The ID of the person of that ID or name, wherever they are; those who are here come first. `heard_of` are those
    among the absent whose names may be said; where it is not said that is everybody. `ids` are those by which players
    know people who are in disguise: these have no other.

    Raises:
        CampaignError: nobody is called so.
    """
    here = [state.entities[one] for one in state.present() if one != state.player_id]
    others = [
        one
        for _, one in sorted(state.entities.items())
        if one.type in ("npc", "player") and (heard_of is None or one.id in heard_of)
    ]
    found = _called(name, here, ids) or _called(name, [one for one in others if one.id != state.player_id], ids)
    if found is None:
        names = ", ".join(one.name for one in here)
        raise CampaignError(
            f"there is nobody called {name}", hint=f"here are: {names}" if names else "nobody is here but you"
        )
    return found


def _called(name: str, people: list[Entity], ids: Mapping[str, str] = MappingProxyType({})) -> str | None:
    """By ID, else by the whole name, else by some words of it."""
    said = " ".join(name.split()).casefold()
    for one in people:
        known = ids.get(one.id, one.id).casefold()
        if said in (known, local(known)):
            return one.id
    names = {one.id: (one.name, *one.aliases) for one in people}
    whole = [one_id for one_id, called in names.items() if said in map(str.casefold, called)]
    partly = [one_id for one_id, called in names.items() if is_called(said, *called)]
    return next(iter([*whole, *partly]), None)


def persona_ops(submission: Submission, state: WorldState) -> tuple[StateOp, ...]:
    """What the turn of a submission begins with: the player goes on as somebody else, where one is named.

    Raises:
        CampaignError: it is none of the player's, or is nowhere just now.
    """
    if submission.persona is None:
        return ()
    who = persona_called(submission.persona, state)
    if who == state.player_id:
        return ()
    op = PlayAs(who=who)
    if apply(state, (op,)).refusal is not None:
        raise CampaignError(f"{state.name_of(who)} is nowhere just now", hint="play on as somebody else")
    return (op,)


def begun(head: Head, submission: Submission) -> tuple[Head, tuple[StateOp, ...]]:
    """The head as the turn of a submission sees it once the player is whom they speak as, and the ops that led there.
    Where that is elsewhere, the story is told that the place is another.

    Raises:
        CampaignError: the persona cannot be played, or whoever is whispered to is not there.
    """
    ops = persona_ops(submission, head.state)
    state = apply(head.state, ops).state
    if (to := submission.whisper_to) is not None and (to not in state.present() or to == state.player_id):
        raise CampaignError(f"{state.name_of(to)} is not here to be whispered to", hint="go to them first")
    if state.scene.number == head.state.scene.number:
        return replace(head, state=state), ops
    move = {"from": head.state.scene.location_id, "to": state.scene.location_id}
    # A move that the last turn led to was somebody else's.
    markers = [one for one in head.markers if one.subtype not in ("location_change", "scene_open", "silence")]
    moved = (*markers, Marker(subtype="location_change", payload=move))
    return replace(head, state=state, markers=moved, scene_lore=()), ops
