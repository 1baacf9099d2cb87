"""The typed tools by which a world is read and changed: the same functions for the stages of a turn and for programs
outside of it.

Reading tools take values and a viewer, and return what that viewer may see. The writing tool checks who may make each
op and does all ops on a patch, or none: within a turn that is the turn's own patch, outside of one it is that of a turn
of the kind `edit`, which `turn/run/editing.py` commits. Lore is looked up by the callers, which have the packs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from lorewright.errors import NotFound, SettingsError
from lorewright.rules.consequences import not_theirs
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import Owner, Ruleset
from lorewright.scene_lore.models import SceneFocus
from lorewright.turn.views.scope import ways_out
from lorewright.turn.views.story import seen_by
from lorewright.values.entries import facts_shown
from lorewright.values.records import Message
from lorewright.visibility import FactKind, FactReader, FactSight, MessageReader, Viewer, fact_sight
from lorewright.world.apply import Refusal, apply
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.ops import OP_KINDS, StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import OFFSTAGE, WorldState
from lorewright.world.things import recalled

# An owner of paths and kinds of ops, as rulesets know them; or a program that is not part of the turn.
Writer = Owner | Literal["outside"]

# The engine's own bookkeeping, which means nothing outside of a turn that is played: the narrator's memory of used
# phrases, streaks of failed checks, passed turns, and the shape of the state itself.
BOOKKEEPING = frozenset({"recall", "streak", "turn_pass", "reshape", "rename_ids", "play_as"})
# The kinds of ops that a program outside of the turn may make.
OUTSIDE_OPS: tuple[str, ...] = tuple(kind for kind in OP_KINDS if kind not in BOOKKEEPING)

# The fields of a complete state that may be read: all but the narrator's memory; and those that grow long.
PARTS: tuple[str, ...] = tuple(name for name in WorldState.model_fields if name not in ("schema_version", "recall"))
_LONG_PARTS = frozenset({"facts", "observations"})

# The most memories of a character that are read at once.
_MEMORIES = 40


def not_by(ops: Sequence[StateOp], by: Writer, ruleset: Ruleset) -> Refusal | None:
    """Return the refusal of the first op that a writer may not make, or None.

    A stage's op is refused with `op_not_allowed` or `not_its_path` where the ruleset gives it to another owner; the
    engine's bookkeeping is refused with `bookkeeping` to programs outside of the turn.
    """
    if by != "outside":
        return next(iter(not_theirs(ops, by, ruleset)), None)
    own = (Refusal(index=index, reason="bookkeeping") for index, op in enumerate(ops) if op.op in BOOKKEEPING)
    return next(own, None)


def refused(state: WorldState, ops: Sequence[StateOp], *, by: Writer, ruleset: Ruleset) -> Refusal | None:
    """Return why a writer's ops cannot be done on a state, because of their owner or because they do not fit; None
    where they can."""
    return not_by(ops, by, ruleset) or apply(state, ops).refusal


def write(patch: Patch, ops: Sequence[StateOp], *, by: Writer, ruleset: Ruleset) -> Refusal | None:
    """Do all of a writer's ops on the patch, or none; return the refusal, or None."""
    return not_by(ops, by, ruleset) or patch.propose(*ops)


class NamedThing(Frozen):
    """An entity's ID and the name that players read."""

    id: str
    name: str


class Carried(NamedThing):
    """A thing that somebody carries, and its quantity."""

    quantity: int


class WaySeen(NamedThing):
    """A way out of a place: `id` and `name` are of its destination, `way` is what a player types."""

    way: str
    minutes: int
    locked: bool
    barred: bool


class FactSeen(Frozen):
    """An established fact, as far as the viewer knows it."""

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
    """The state of a campaign as one viewer may see it; what the viewer may not know is not in it, nor counted.

    `place` is None for a character who is nowhere just now. `remembered` is sorted by weight, heaviest first. `world`
    holds parts of the complete state, for the game master alone.
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
    """Return a state as a viewer (with a full ID) may see it, by the table `visibility.FACTS`.

    `parts` are the fields of the complete state that a game master wants; if none is named, all but those that grow
    with a story. A character sees the place where it is, what it carries and remembers, and its manifest inner states.
    Clocks, threads and facts are shown to players and the game master, and to nobody in the story.

    Raises:
        SettingsError: there is no such kind of viewer.
        NotFound: there is no such character in the campaign.
    """
    who, column = viewer_id(state, viewer), Viewer(viewer).column
    place = state.positions.get(who, OFFSTAGE)

    def shows(kind: FactKind, sight: FactSight = "all") -> bool:
        return fact_sight(kind, column) == sight

    there = state if place == state.scene.location_id else _looking_from(state, place)
    character = state.characters.get(who)
    manifest = (
        {}
        if character is None or not shows("inner", "own")
        else {name: inner.value for name, inner in character.states.items() if inner.is_manifest}
    )
    memories = recalled(
        state.observations.get(who, {}) if shows("memory", "own") else {},
        minute=state.minutes,
        decay_lambda=decay_lambda,
        limit=_MEMORIES,
    )
    return StateSeen(
        viewer=viewer,
        turn_no=turn_no,
        minutes=state.minutes,
        ended=state.ended is not None,
        place=None if place == OFFSTAGE else _named(state, place),
        present=tuple(_named(state, entity_id) for entity_id in _beside(state, who)),
        carried=tuple(
            Carried(id=item_id, name=state.name_of(item_id), quantity=quantity)
            for item_id, quantity in state.held_by(who).items()
        ),
        ways=() if place == OFFSTAGE else tuple(_ways(there)),
        conditions=state.conditions_of(who),
        inner=plain(manifest),
        clocks=state.clocks_shown() if shows("clock") else (),
        threads=tuple(
            ThreadSeen(id=thread, title=state.threads[thread].title, status=state.threads[thread].status)
            for thread in sorted(state.threads)
            if shows("thread")
        ),
        facts=tuple(_facts(state, column, who)),
        remembered=tuple(memory.observation.content for memory in memories),
        world=_whole(state, parts) if shows("world") else None,
    )


def focus_of(state: WorldState, viewer: str) -> SceneFocus:
    """Return the scene that a viewer is in, ready to be gathered: the player's, or that of the place where a character
    is.

    Raises:
        NotFound: there is no such character, or it is nowhere just now.
    """
    who = viewer_id(state, viewer)
    place = state.positions.get(who, OFFSTAGE)
    if place == OFFSTAGE:
        raise NotFound(f"{state.name_of(who)} is nowhere just now", hint="wait until they come in")
    is_players_place = place == state.scene.location_id
    people = (
        position
        for position in state.positions
        if not state.is_players(position) and state.positions[position] == place
    )
    return SceneFocus(
        scene_id=state.scene.id if is_players_place else "",
        location_id=place,
        present_ids=tuple(sorted(people)),
        thread_ids=tuple(sorted(state.threads)),
    )


class MessageSeen(Frozen):
    """A message of the stream with its owner's name and its turn."""

    turn_no: int
    turn_id: str
    seq: int
    owner: NamedThing
    type: str
    subtype: str | None = None
    content: str
    payload: FrozenMap[str, Any] = Field(default_factory=dict)


def transcript_seen(messages: Iterable[tuple[int, Message]], state: WorldState, viewer: str) -> tuple[MessageSeen, ...]:
    """Return the messages that a viewer may see, in their order, by the table `visibility.MESSAGES`.

    Raises:
        SettingsError: there is no such kind of viewer.
        NotFound: there is no such character in the campaign.
    """
    who, column = viewer_id(state, viewer), Viewer(viewer).column
    found = list(messages)
    reader: MessageReader = "npc_intent" if column == "npc" else column
    shown = seen_by(reader, (message for _, message in found), own_id=who)
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
    """Return the ID of the viewer's character; the game master sees through the player's. `viewer` has a full ID.

    Raises:
        SettingsError: there is no such kind of viewer, or it has no character.
        NotFound: there is no such character in the campaign.
    """
    seer = Viewer(viewer)
    if seer.is_watcher:
        raise SettingsError("who watches is nobody in the story", hint="ask as player, pc:ID, npc:ID or gm")
    who = seer.id or state.player_id
    if who not in state.positions or state.is_players(who) == (seer.kind == "npc"):
        raise NotFound(
            f"there is no {'character' if seer.kind == 'npc' else 'persona'} {who} in the campaign",
            hint="name somebody of the cast, as in npc:ID, or somebody whom a player plays, as in pc:ID",
        )
    return who


def _named(state: WorldState, entity_id: str) -> NamedThing:
    return NamedThing(id=entity_id, name=state.name_of(entity_id))


def _beside(state: WorldState, who: str) -> list[str]:
    place = state.positions.get(who, OFFSTAGE)
    if place == OFFSTAGE:
        return []
    return sorted(entity_id for entity_id, at in state.positions.items() if at == place and entity_id != who)


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


def _facts(state: WorldState, reader: FactReader, who: str) -> Iterable[FactSeen]:
    for fact in facts_shown(state, (), reader=reader, who=who):
        subject = _named(state, fact.subject_id)
        yield FactSeen(id=fact.id, subject=subject, predicate=fact.predicate, object=plain(fact.object))


def _whole(state: WorldState, parts: Collection[str]) -> dict[str, Any]:
    wanted = set(parts) & set(PARTS) if parts else set(PARTS) - _LONG_PARTS
    return state.model_dump(mode="json", include=wanted)
