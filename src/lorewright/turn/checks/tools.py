"""The typed tools by which a world is read and changed: the same functions for the stages of a turn and for programs
outside of it.

Reading tools take values and a viewer, and give what that viewer may see of them. The writing tool judges ops by whose
they are and does all of them on a patch, or none: within a turn that is the turn's own patch, outside of one it is that
of a turn of the kind `edit`, which `turn/run/editing.py` commits. Lore is looked up by whoever has the packs at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from lorewright.errors import NotFound
from lorewright.rules.consequences import not_theirs
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import Owner, Ruleset
from lorewright.scene_lore.models import SceneFocus
from lorewright.turn.views.acquaintance import seen_by
from lorewright.turn.views.scope import ways_out
from lorewright.values.entries import facts_shown
from lorewright.values.records import Message
from lorewright.world.apply import Refusal, apply
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ops import OP_KINDS, StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import OFFSTAGE, WorldState
from lorewright.world.things import recalled

# An owner of paths and kinds of ops, as rulesets know them; or whoever is no part of the turn.
Writer = Owner | Literal["outside"]

# The engine's own bookkeeping, which means nothing outside of a turn that is played: what the narrator has used up,
# rows of failed checks, whose turn is over, and the shape of the state itself.
BOOKKEEPING = frozenset({"recall", "streak", "turn_pass", "reshape", "play_as"})
# What anybody outside may do to the world, by the op's kind.
OUTSIDE_OPS: tuple[str, ...] = tuple(kind for kind in OP_KINDS if kind not in BOOKKEEPING)

# The fields of a complete state that may be read, which is all but the narrator's memory; and those that grow long.
PARTS: tuple[str, ...] = tuple(name for name in WorldState.model_fields if name not in ("schema_version", "recall"))
_LONG_PARTS = frozenset({"facts", "observations"})

# So much of what somebody remembers is read at once.
_MEMORIES = 40


def not_by(ops: Sequence[StateOp], by: Writer, ruleset: Ruleset) -> Refusal | None:
    """The first op that is not a writer's to make, or None.

    A stage's are refused with `op_not_allowed` or `not_its_path` where the ruleset gives them to another owner; the
    engine's bookkeeping with `bookkeeping` to whoever is outside.
    """
    if by != "outside":
        return next(iter(not_theirs(ops, by, ruleset)), None)
    own = (Refusal(index=index, reason="bookkeeping") for index, op in enumerate(ops) if op.op in BOOKKEEPING)
    return next(own, None)


def refused(state: WorldState, ops: Sequence[StateOp], *, by: Writer, ruleset: Ruleset) -> Refusal | None:
    """Why a writer's ops cannot be done on a state, by whose they are and by whether they fit; None where they can."""
    return not_by(ops, by, ruleset) or apply(state, ops).refusal


def write(patch: Patch, ops: Sequence[StateOp], *, by: Writer, ruleset: Ruleset) -> Refusal | None:
    """Do all of a writer's ops on the patch, or none: why not, or None."""
    return not_by(ops, by, ruleset) or patch.propose(*ops)


class NamedThing(Frozen):
    """Somebody or something by ID and by the name that players read."""

    id: str
    name: str


class Carried(NamedThing):
    """A thing that somebody carries, and how many of it."""

    quantity: int


class WaySeen(NamedThing):
    """A way out of a place: `id` and `name` are of where it leads, `way` is what a player types."""

    way: str
    minutes: int
    locked: bool
    barred: bool


class FactSeen(Frozen):
    """Something that is established, as far as the viewer knows."""

    id: str
    subject: NamedThing
    predicate: str
    object: Any = None


class ThreadSeen(Frozen):
    """An open question of the story."""

    id: str
    title: str
    status: str


class StateSeen(Frozen):
    """Where a campaign stands in one viewer's eyes; what is not theirs to know is not in it, nor counted.

    `place` is None for somebody who is nowhere just now. `remembered` is what weighs most first. `world` holds
    parts of the complete state, for the game master alone.
    """

    viewer: str
    turn_no: int
    minutes: int
    ended: bool
    place: NamedThing | None
    present: tuple[NamedThing, ...] = ()
    carried: tuple[Carried, ...] = ()
    ways: tuple[WaySeen, ...] = ()
    conditions: tuple[str, ...] = ()
    inner: FrozenMap[str, Any] = Field(default_factory=dict)
    clocks: tuple[FrozenMap[str, Any], ...] = ()
    threads: tuple[ThreadSeen, ...] = ()
    facts: tuple[FactSeen, ...] = ()
    remembered: tuple[str, ...] = ()
    world: FrozenMap[str, Any] | None = None


def state_seen(
    state: WorldState,
    viewer: str,
    *,
    turn_no: int,
    decay_lambda: float = 0.0,
    parts: Collection[str] = (),
) -> StateSeen:
    """A state as `gm`, `player` or `npc:ID` (a full ID) may see it.

    `parts` are the fields of the complete state that a game master wants; all but those that grow with a story, if none
    is named. A character sees the place where it is, what it carries and remembers, and what it feels as far as that
    is manifest. Clocks, threads and facts are told to the player, and to nobody in the story.

    Raises:
        NotFound: there is no such character in the campaign.
    """
    who = viewer_id(state, viewer)
    place = state.positions.get(who, OFFSTAGE)
    is_told = not viewer.startswith("npc:")
    there = state if place == state.scene.location_id else _looking_from(state, place)
    character = state.characters.get(who)
    manifest = {} if character is None else {k: one.value for k, one in character.states.items() if one.is_manifest}
    memory = recalled(state.observations.get(who, {}), minute=state.minutes, decay_lambda=decay_lambda, limit=_MEMORIES)
    return StateSeen(
        viewer=viewer,
        turn_no=turn_no,
        minutes=state.minutes,
        ended=state.ended is not None,
        place=None if place == OFFSTAGE else _named(state, place),
        present=tuple(_named(state, one) for one in _beside(state, who)),
        carried=tuple(
            Carried(id=one, name=state.name_of(one), quantity=many) for one, many in state.held_by(who).items()
        ),
        ways=() if place == OFFSTAGE else tuple(_ways(there)),
        conditions=state.conditions_of(who),
        inner=plain(manifest),
        clocks=state.clocks_shown() if is_told else (),
        threads=tuple(
            ThreadSeen(id=thread, title=state.threads[thread].title, status=state.threads[thread].status)
            for thread in sorted(state.threads)
            if is_told
        ),
        facts=tuple(_facts(state, hidden=viewer == "gm")) if is_told else (),
        remembered=tuple(one.observation.content for one in memory),
        world=_whole(state, parts) if viewer == "gm" else None,
    )


def focus_of(state: WorldState, viewer: str) -> SceneFocus:
    """The scene that a viewer is in, to be gathered: that of the player, or where a character is.

    Raises:
        NotFound: there is no such character, or it is nowhere just now.
    """
    who = viewer_id(state, viewer)
    place = state.positions.get(who, OFFSTAGE)
    if place == OFFSTAGE:
        raise NotFound(f"{state.name_of(who)} is nowhere just now", hint="wait until they come in")
    is_here = place == state.scene.location_id
    people = (
        position
        for position in state.positions
        if not state.is_players(position) and state.positions[position] == place
    )
    return SceneFocus(
        scene_id=state.scene.id if is_here else "",
        location_id=place,
        present_ids=tuple(sorted(people)),
        thread_ids=tuple(sorted(state.threads)),
    )


class MessageSeen(Frozen):
    """An entry of the stream with the name of whose it is and the turn that it belongs to."""

    turn_no: int
    turn_id: str
    seq: int
    owner: NamedThing
    type: str
    subtype: str | None = None
    content: str
    payload: FrozenMap[str, Any] = Field(default_factory=dict)


def transcript_seen(messages: Iterable[tuple[int, Message]], state: WorldState, viewer: str) -> tuple[MessageSeen, ...]:
    """The entries that a viewer may see, in their order, by the table of `visibility`; the game master sees all.

    Raises:
        NotFound: there is no such character in the campaign.
    """
    who = viewer_id(state, viewer)
    found = list(messages)
    shown = [message for _, message in found]
    if viewer != "gm":
        # Whoever plays has read what any of their personas was there for.
        own = {who, *state.personas} if viewer == "player" else {who}
        shown = seen_by("player" if viewer == "player" else "npc_intent", shown, own_id=own)
    turn_nos = {id(message): turn_no for turn_no, message in found}
    return tuple(
        MessageSeen(
            turn_no=turn_nos[id(message)],
            turn_id=message.turn_id,
            seq=message.seq,
            owner=_named(state, message.owner),
            type=message.type,
            subtype=message.subtype,
            content=message.content,
            payload=plain(message.payload),
        )
        for message in shown
    )


def viewer_id(state: WorldState, viewer: str) -> str:
    """Who of the story has the viewer's eyes; the game master looks over the player's shoulder.

    Raises:
        NotFound: there is no such character in the campaign.
    """
    who = viewer.removeprefix("npc:") if viewer.startswith("npc:") else state.player_id
    if who not in state.positions or (viewer.startswith("npc:") and state.is_players(who)):
        raise NotFound(f"there is no character {who} in the campaign", hint="name somebody of the cast, as in npc:ID")
    return who


def _named(state: WorldState, entity_id: str) -> NamedThing:
    return NamedThing(id=entity_id, name=state.name_of(entity_id))


def _beside(state: WorldState, who: str) -> list[str]:
    place = state.positions.get(who, OFFSTAGE)
    return [] if place == OFFSTAGE else sorted(one for one, at in state.positions.items() if at == place and one != who)


def _looking_from(state: WorldState, place: str) -> WorldState:
    return state.model_copy(update={"scene": state.scene.model_copy(update={"location_id": place})})


def _ways(state: WorldState) -> Iterable[WaySeen]:
    for way in ways_out(state):
        yield WaySeen(
            id=way.to if way.to_name else "",
            name=way.to_name,
            way=way.name,
            minutes=way.minutes,
            locked=way.locked,
            barred=way.barred,
        )


def _facts(state: WorldState, *, hidden: bool) -> Iterable[FactSeen]:
    for fact in facts_shown(state, (), hidden=hidden):
        subject = _named(state, fact.subject_id)
        yield FactSeen(id=fact.id, subject=subject, predicate=fact.predicate, object=plain(fact.object))


def _whole(state: WorldState, parts: Collection[str]) -> dict[str, Any]:
    wanted = set(parts) & set(PARTS) if parts else set(PARTS) - _LONG_PARTS
    return state.model_dump(mode="json", include=wanted)
