"""StateOp: one typed change of state. A turn changes the world by a list of these and by nothing else."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field

from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.schemas import LARGEST, is_json
from lorewright.world.things import ESCALATION, MANIFEST_LEVEL, Entity, Fact, How, Relationship


class AdvanceTime(Frozen):
    """In-world time goes on."""

    op: Literal["advance_time"] = "advance_time"
    minutes: int = Field(ge=0)


class Move(Frozen):
    """A character goes to a place."""

    op: Literal["move"] = "move"
    entity_id: str
    to: str


class OpenScene(Frozen):
    """The scene at hand ends and one opens at a place; the place counts a visit."""

    op: Literal["open_scene"] = "open_scene"
    location_id: str


class ChangeInventory(Frozen):
    """An owner (a character, or a place for what lies in it) gains or loses some of an item."""

    op: Literal["inventory"] = "inventory"
    owner_id: str
    item_id: str
    delta: int


class TransferItem(Frozen):
    """A thing changes owner: from a character or place to another; what the one loses the other gains."""

    op: Literal["transfer"] = "transfer"
    item_id: str
    from_id: str
    to_id: str
    quantity: int = Field(default=1, ge=1)


class TickClock(Frozen):
    """A clock moves; it stops at 0 and at its maximum."""

    op: Literal["clock"] = "clock"
    clock_id: str
    delta: int


class RevealItem(Frozen):
    """A viewer learns a lore item; from then on it may be seen by them."""

    op: Literal["reveal"] = "reveal"
    item_id: str
    to: str
    how: How


class ChangeRelation(Frozen):
    """What stands between two people changes; the order of the two does not matter."""

    op: Literal["relation"] = "relation"
    a: str
    b: str
    trust: int = 0
    tension: int = 0
    closeness: int = 0


class UpdateThread(Frozen):
    """A thread gets another status, and with `stakes` something else depends on it from now on."""

    op: Literal["thread"] = "thread"
    thread_id: str
    status: str
    stakes: str | None = Field(default=None, exclude_if=lambda stakes: stakes is None)


class AddFact(Frozen):
    """Something becomes established."""

    op: Literal["fact_add"] = "fact_add"
    fact: Fact


class UpdateFact(Frozen):
    """An established fact gets another object."""

    op: Literal["fact_update"] = "fact_update"
    fact_id: str
    object: Any = None


class SetDoor(Frozen):
    """A door is locked or unlocked; locking closes it."""

    op: Literal["door"] = "door"
    door_id: str
    locked: bool


class SwingDoor(Frozen):
    """A door is opened or closed; a locked one does not open."""

    op: Literal["door_swing"] = "door_swing"
    door_id: str
    open: bool


class AddEntity(Frozen):
    """A person or thing comes into the world; a character needs the place where it stands."""

    op: Literal["entity_add"] = "entity_add"
    entity: Entity
    at: str | None = None


class Recall(Frozen):
    """The narrator's memory: a phrase group or a lore line was used once more."""

    op: Literal["recall"] = "recall"
    key: str


class EndCampaign(Frozen):
    """An ending is reached."""

    op: Literal["end"] = "end"
    ending_id: str


def _storable(value: Any) -> Any:
    if not is_json(value):
        raise ValueError("write JSON, with numbers that are finite and not too large")
    return value


Json = Annotated[Any, AfterValidator(_storable)]
DottedPath = Annotated[str, Field(min_length=1, max_length=200)]
Amount = Annotated[int | float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


class UpdateEntity(Frozen):
    """Somebody or something is called otherwise from now on, or is tagged otherwise; what is not said stays."""

    op: Literal["entity_update"] = "entity_update"
    entity_id: str
    name: str | None = Field(default=None, min_length=1)
    aliases: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None


class SetRelationship(Frozen):
    """What the one is to the other, from the one's side (`a` is the `rel_type` of `b`); what stood there gives way."""

    op: Literal["relationship"] = "relationship"
    relationship: Relationship


class EndRelationship(Frozen):
    """The one is that to the other no more."""

    op: Literal["relationship_end"] = "relationship_end"
    a: str
    b: str
    rel_type: str


class SetCharacterState(Frozen):
    """An inner state of a character gets a value and a level; from level 6 on it is manifest."""

    op: Literal["character_state"] = "character_state"
    who: str
    name: str = Field(min_length=1, max_length=80)
    value: Json
    level: int = Field(default=MANIFEST_LEVEL, ge=1, le=10)


class ClearCharacterState(Frozen):
    """An inner state is over."""

    op: Literal["character_state_clear"] = "character_state_clear"
    who: str
    name: str


class AddCondition(Frozen):
    """A character comes into a condition (`bound`, `wounded`)."""

    op: Literal["condition_add"] = "condition_add"
    who: str
    condition: str = Field(min_length=1, max_length=80)


class RemoveCondition(Frozen):
    """A character is in a condition no more."""

    op: Literal["condition_remove"] = "condition_remove"
    who: str
    condition: str


class Observe(Frozen):
    """A character remembers something from now on; the same once more is no second memory but a stronger one."""

    op: Literal["observe"] = "observe"
    who: str
    content: str = Field(min_length=1, max_length=500)
    importance: int = Field(ge=1, le=5)


class SetStreak(Frozen):
    """So many checks of somebody have failed in a row; 0 ends the row."""

    op: Literal["streak"] = "streak"
    who: str
    failures: int = Field(ge=0)


class Escalate(Frozen):
    """A character goes so far against the player from now on: 1 soft, 2 hard, 3 lethal; 0 is not at all."""

    op: Literal["escalate"] = "escalate"
    who: str
    to: int = Field(ge=0, lt=len(ESCALATION))


class Announce(Frozen):
    """A threat hangs over the scene and falls due in so many minutes; one that hangs already is not announced again."""

    op: Literal["threat"] = "threat"
    threat_id: str
    minutes: int = Field(ge=0)


class EndThreat(Frozen):
    """A threat is averted, or has come to pass."""

    op: Literal["threat_end"] = "threat_end"
    threat_id: str


class BeginSituation(Frozen):
    """A circumstance holds from now on, for so many minutes or until it is ended; one that holds is prolonged."""

    op: Literal["situation"] = "situation"
    situation_id: str
    minutes: int | None = Field(default=None, ge=0)


class EndSituation(Frozen):
    """A circumstance is over."""

    op: Literal["situation_end"] = "situation_end"
    situation_id: str


class Investigate(Frozen):
    """A thread has been looked into further, or less far; it stops at 0 and, where it is counted, at what is needed."""

    op: Literal["progress"] = "progress"
    thread_id: str
    delta: int


class SetTurnOrder(Frozen):
    """Those act in this order from now on, the first of them first; with nobody only the player acts."""

    op: Literal["turn_order"] = "turn_order"
    actors: tuple[str, ...] = ()


class PassTurn(Frozen):
    """The turn passes from the character who acts now to the next."""

    op: Literal["turn_pass"] = "turn_pass"


class PlayAs(Frozen):
    """The player goes on as another of their personas; where that one stands elsewhere, a scene opens there."""

    op: Literal["play_as"] = "play_as"
    who: str


class SetPath(Frozen):
    """A path of the ruleset's scene, or of somebody's stat block (`of`), gets a value."""

    op: Literal["set"] = "set"
    path: DottedPath
    of: str | None = None
    value: Json


class Increment(Frozen):
    """The number at a path rises; it stops at the schema's maximum, as a clock does."""

    op: Literal["increment"] = "increment"
    path: DottedPath
    of: str | None = None
    value: Amount = 1


class Decrement(Frozen):
    """The number at a path falls; it stops at the schema's minimum."""

    op: Literal["decrement"] = "decrement"
    path: DottedPath
    of: str | None = None
    value: Amount = 1


class AppendTo(Frozen):
    """The list at a path gets one more entry, at its end."""

    op: Literal["append"] = "append"
    path: DottedPath
    of: str | None = None
    value: Json


class RemoveFrom(Frozen):
    """The list at a path loses its first entry of that value; without a value, what stands at the path goes."""

    op: Literal["remove"] = "remove"
    path: DottedPath
    of: str | None = None
    value: Json = None


class Reshape(Frozen):
    """The ruleset's schemas become others; their defaults fill what a stat block or the scene lacks."""

    op: Literal["reshape"] = "reshape"
    stat_schema: FrozenMap[str, Json]
    scene_schema: FrozenMap[str, Json]


class RenameIds(Frozen):
    """IDs of entities, sections and items become others, wherever the state has them; what an ID begins with is part of
    it (`town:bar` of `town:bar:secrets#1`)."""

    op: Literal["rename_ids"] = "rename_ids"
    ids: FrozenMap[str, str]


PathOp = SetPath | Increment | Decrement | AppendTo | RemoveFrom

StateOp = Annotated[
    AdvanceTime
    | Move
    | OpenScene
    | ChangeInventory
    | TransferItem
    | TickClock
    | RevealItem
    | ChangeRelation
    | UpdateThread
    | AddFact
    | UpdateFact
    | SetDoor
    | SwingDoor
    | AddEntity
    | Recall
    | EndCampaign
    | UpdateEntity
    | SetRelationship
    | EndRelationship
    | SetCharacterState
    | ClearCharacterState
    | AddCondition
    | RemoveCondition
    | Observe
    | SetStreak
    | Escalate
    | Announce
    | EndThreat
    | BeginSituation
    | EndSituation
    | Investigate
    | SetTurnOrder
    | PassTurn
    | SetPath
    | Increment
    | Decrement
    | AppendTo
    | RemoveFrom
    | Reshape
    | RenameIds
    | PlayAs,
    Field(discriminator="op"),
]

# The `op` of every kind, in the order of the union.
OP_KINDS: tuple[str, ...] = tuple(kind.model_fields["op"].default for kind in get_args(get_args(StateOp)[0]))
