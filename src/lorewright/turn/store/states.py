"""A campaign's file -> the states that are stored in it, and the projection that follows its head."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.errors import HeadMoved, NotFound
from lorewright.storage.contents import campaign_row
from lorewright.storage.database import Database
from lorewright.storage.heads import Statement, guard_head, head_row, state_row
from lorewright.storage.projection import project, projected_turn
from lorewright.turn.store.projection import changed_rows
from lorewright.turn.store.rows import OPS
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.reading import read_state
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class StateOf:
    """A turn, by ID, and the state after it."""

    turn_id: str
    state: WorldState


def stored_state(database: Database, turn_id: str) -> WorldState:
    """The state after a turn: as it was stored, or rebuilt from the nearest stored one before it.

    Raises:
        NotFound: there is no such turn.
        StateMisfit: what is stored does not fit; the message names the field.
    """
    rebuilt: list[tuple[StateOp, ...]] = []
    ancestor: str | None = turn_id
    while ancestor is not None:
        row = state_row(database, ancestor)
        if row is None:
            break
        if row["state_json"] is not None:
            state = read_state(row["state_json"])
            for ops in reversed(rebuilt):
                state = apply(state, ops).state
            return state
        rebuilt.append(OPS.validate_json(row["ops_json"]))
        ancestor = row["parent_id"]
    raise NotFound(f"there is no turn {turn_id}", hint="see: lorewright campaign log CAMPAIGN")


def projecting(database: Database, campaign_id: str, before: StateOf | None, after: StateOf) -> tuple[Statement, ...]:
    """The statements that take the projection along with the head, from one turn to another. Where it is of another
    one, was never made, or nobody knows what was before, they make it anew."""
    if before is None or projected_turn(database) != before.turn_id:
        return first_projection(campaign_id, after)
    return tuple(project(campaign_id, after.turn_id, changed_rows(before.state, after.state), anew=False))


def first_projection(campaign_id: str, of: StateOf) -> tuple[Statement, ...]:
    """The statements that make the projection of a turn, whatever stood there."""
    return tuple(project(campaign_id, of.turn_id, changed_rows(None, of.state), anew=True))


def bring_projection_up(database: Database, *, anew: bool = False) -> bool:
    """Make the projection that of the head where it is not, or in any case `anew`; whether it was made.

    Raises:
        NotFound: the head is no turn.
        StateMisfit: the head's state cannot be read.
    Whatever is raised, nothing was changed.
    """
    head = head_row(database)
    if not anew and projected_turn(database) == head.turn_id:
        return False
    statements = first_projection(
        str(campaign_row(database)["id"]),
        StateOf(head.turn_id, stored_state(database, head.turn_id)),
    )
    try:
        with database.transaction() as connection:
            guard_head(connection, head.turn_id, head.revision)
            for statement in statements:
                connection.execute(*statement)
    except HeadMoved:
        # Whoever moved the head took the projection along.
        return False
    return True
