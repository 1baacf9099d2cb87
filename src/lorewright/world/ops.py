"""StateOp: one typed change of state. A turn changes the world by a list of these and by nothing else."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field

from lorewright.world.frozen import Frozen
from lorewright.world.schemas import LARGEST, is_json
from lorewright.world.things import Entity, Fact, How


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
    """A thread gets another status."""

    op: Literal["thread"] = "thread"
    thread_id: str
    status: str


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
    | SetPath
    | Increment
    | Decrement
    | AppendTo
    | RemoveFrom,
    Field(discriminator="op"),
]

# The `op` of every kind, in the order of the union.
OP_KINDS: tuple[str, ...] = tuple(kind.model_fields["op"].default for kind in get_args(get_args(StateOp)[0]))
