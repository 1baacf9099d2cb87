"""A turn's ops -> StateDiff, the changes of a turn as other programs read them; and a StateDiff -> state.

It is derived from the ops and never stored. Each of its lists keeps the order of the ops, and the lists are independent
of each other. Ops without a list of their own, and ops that would have another effect after the others, stay in `ops`.
So the ops of a turn and their diff always lead to the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from lorewright.world import ops as o
from lorewright.world.apply import Applied, apply
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState
from lorewright.world.things import Fact


class ClockChange(Frozen):
    """A clock moves, and stops at its bounds; ticks that follow one another in one direction are one change."""

    id: str
    delta: int


class FactUpdate(Frozen):
    """An established fact gets another object."""

    id: str
    object: Any = None


class InventoryChange(Frozen):
    """An owner gains or loses some of an item; a transfer is two changes."""

    owner_id: str
    item_id: str
    delta: int


class SceneUpdate(Frozen):
    """A scene opens at a place; `present_entity_ids` come to it in this turn, characters already there stay."""

    location_id: str
    present_entity_ids: tuple[str, ...] = ()


class ThreadDiff(Frozen):
    """A thread gets another status, and with `stakes` something else depends on it."""

    id: str
    status: str
    stakes: str | None = Field(default=None, exclude_if=lambda stakes: stakes is None)


class StateDiff(Frozen):
    """The changes of a turn. First the `ops` are applied, then the scene opens, then each list in its order."""

    clocks: tuple[ClockChange, ...] = ()
    facts_add: tuple[Fact, ...] = ()
    facts_update: tuple[FactUpdate, ...] = ()
    inventory_changes: tuple[InventoryChange, ...] = ()
    scene_update: SceneUpdate | None = None
    threads_update: tuple[ThreadDiff, ...] = ()
    ops: tuple[o.StateOp, ...] = Field(default=())

    @model_serializer(mode="wrap")
    def _scene_where_there_is_one(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        return {key: value for key, value in written.items() if key != "scene_update" or value is not None}

    def as_ops(self) -> tuple[o.StateOp, ...]:
        """Return the equivalent ops, in the order in which they are applied."""
        found: list[o.StateOp] = list(self.ops)
        if self.scene_update is not None:
            place = self.scene_update.location_id
            found.append(o.OpenScene(location_id=place))
            found += [o.Move(entity_id=who, to=place) for who in self.scene_update.present_entity_ids]
        found += [o.TickClock(clock_id=clock.id, delta=clock.delta) for clock in self.clocks]
        found += [o.AddFact(fact=fact) for fact in self.facts_add]
        found += [o.UpdateFact(fact_id=update.id, object=update.object) for update in self.facts_update]
        found += [
            o.ChangeInventory(
                owner_id=inventory_change.owner_id, item_id=inventory_change.item_id, delta=inventory_change.delta
            )
            for inventory_change in self.inventory_changes
        ]
        found += [
            o.UpdateThread(thread_id=thread.id, status=thread.status, stakes=thread.stakes)
            for thread in self.threads_update
        ]
        return tuple(found)


def apply_diff(state: WorldState, diff: StateDiff) -> Applied:
    """Return the state after a diff, or the given state and a refusal; `refusal.index` counts in `diff.as_ops()`."""
    return apply(state, diff.as_ops())


def state_diff(ops: Sequence[o.StateOp]) -> StateDiff:
    """Return the diff of a turn's ops.

    Law: if all of `ops` fit a state, the diff fits it too and leads to an equal state. Its `ops` never contain changes
    of clocks, facts, inventory or thread status.
    """
    scene, covered = _scene(ops)
    clocks: list[ClockChange] = []
    fields: dict[str, list[Any]] = {"facts_add": [], "facts_update": [], "inventory_changes": [], "threads_update": []}
    rest: list[o.StateOp] = []
    for at, op in enumerate(ops):
        if at in covered:
            continue
        match op:
            case o.TickClock():
                _tick(clocks, op)
            case o.AddFact():
                fields["facts_add"].append(op.fact)
            case o.UpdateFact():
                fields["facts_update"].append(FactUpdate(id=op.fact_id, object=op.object))
            case o.ChangeInventory():
                change = InventoryChange(owner_id=op.owner_id, item_id=op.item_id, delta=op.delta)
                fields["inventory_changes"].append(change)
            case o.TransferItem():
                for owner, delta in ((op.from_id, -op.quantity), (op.to_id, op.quantity)):
                    change = InventoryChange(owner_id=owner, item_id=op.item_id, delta=delta)
                    fields["inventory_changes"].append(change)
            case o.UpdateThread():
                fields["threads_update"].append(ThreadDiff(id=op.thread_id, status=op.status, stakes=op.stakes))
            case _:
                rest.append(op)
    lists = {name: tuple(values) for name, values in fields.items()}
    return StateDiff(clocks=tuple(clocks), scene_update=scene, ops=tuple(rest), **lists)


def _tick(clocks: list[ClockChange], op: o.TickClock) -> None:
    """Add a tick to the changes of clocks. Only ticks in the same direction can be added up, because between +9 and -1
    a clock may stop at its maximum."""
    before = next((at for at in reversed(range(len(clocks))) if clocks[at].id == op.clock_id), None)
    if before is not None and clocks[before].delta * op.delta >= 0:
        clocks[before] = ClockChange(id=op.clock_id, delta=clocks[before].delta + op.delta)
    else:
        clocks.append(ClockChange(id=op.clock_id, delta=op.delta))


def _scene(ops: Sequence[o.StateOp]) -> tuple[SceneUpdate | None, frozenset[int]]:
    """Return the only scene that opens, with the characters who end their moves there, and the indices of these ops.

    Return None if several scenes open, if time passes after it, or if the played character changes, which may open a
    scene: opened after the other ops, the scene would open at another time.
    """
    opened = [at for at, op in enumerate(ops) if isinstance(op, o.OpenScene)]
    place = ops[opened[0]] if len(opened) == 1 else None
    if any(isinstance(op, o.PlayAs) for op in ops):
        return None, frozenset()
    if not isinstance(place, o.OpenScene) or any(_passes_time(op) for op in ops[opened[0] :]):
        return None, frozenset()
    last = {op.entity_id: (at, op.to) for at, op in enumerate(ops) if isinstance(op, o.Move)}
    come = {at: who for who, (at, to) in last.items() if to == place.location_id}
    scene = SceneUpdate(location_id=place.location_id, present_entity_ids=tuple(come[at] for at in sorted(come)))
    return scene, frozenset({opened[0], *come})


def _passes_time(op: o.StateOp) -> bool:
    return isinstance(op, o.AdvanceTime) and op.minutes > 0
