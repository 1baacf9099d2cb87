"""A new campaign's file, written whole or not at all; and which texts any campaign needs, whatever else is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lorewright.errors import DamagedFile, FileUnavailable, UnsafePath
from lorewright.ids import is_hash, is_id
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.contents import all_pins
from lorewright.storage.database import Database, building_name, insert_row, opened
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.heads import MAIN_BRANCH
from lorewright.storage.migrations import migrate
from lorewright.storage.prompt_pins import PromptPin, pinning
from lorewright.storage.steps import step
from lorewright.storage.trouble import Trouble
from lorewright.turn.store.projection import StateOf, first_projection
from lorewright.turn.store.rows import message_row, now
from lorewright.values.campaign import PackPin
from lorewright.values.messages import Message
from lorewright.world.state import WorldState


def create_campaign(
    path: Path,
    *,
    row: dict[str, Any],
    pins: Sequence[PackPin],
    state: WorldState,
    result_json: str,
    intro: Message,
    prompts: Sequence[PromptPin] = (),
) -> None:
    """Write a new campaign's file with its turn 0, whole or not at all: it is made under another name and renamed.

    `row` holds id, name, scenario_id, scenario_json, rules_json, ruleset_id, ruleset_hash and seed.

    Raises:
        FileExistsError: there is a campaign of that name.
    """
    with new_file(path) as database:
        migrate(database, CAMPAIGN_MIGRATIONS)
        with database.transaction() as connection:
            for sql, parameters in _creation(row, pins, state, result_json, intro):
                connection.execute(sql, parameters)
            for sql, parameters in pinning(row["id"], prompts):
                connection.execute(sql, parameters)


@contextmanager
def new_file(path: Path) -> Iterator[Database]:
    """A database that is there under its name when the block ends, and not at all when it raises.

    Raises:
        FileExistsError: there is a file of that name.
    """
    building = building_name(path, os.getpid())
    _remove(building)
    try:
        with opened(building) as database:
            yield database
            # One plain file, with no log beside it, so that the rename moves all of it.
            database.rows("PRAGMA journal_mode = DELETE")
        step("new:built")
        Enclosure(path.parent).name_new(building, path)
        step("new:linked")
    finally:
        _remove(building)


def _remove(path: Path) -> None:
    for suffix in ("", ".lock", "-wal", "-shm", "-journal"):
        Enclosure(path.parent).remove(path.with_name(path.name + suffix))


def _creation(
    row: dict[str, Any], pins: Sequence[PackPin], state: WorldState, result_json: str, intro: Message
) -> list[tuple[str, tuple[Any, ...]]]:
    time, campaign_id, turn_id = now(), row["id"], intro.turn_id
    columns = [*row, "head_turn_id", "revision", "current_turn", "created_at", "updated_at"]
    values = (*row.values(), turn_id, 0, 0, time, time)
    marks = ", ".join("?" * len(values))
    start = (campaign_id, turn_id, 0, None, "start", "start", "", "", "[]", state.content_hash(), result_json, time)
    return [
        (f"INSERT INTO campaigns ({', '.join(columns)}) VALUES ({marks})", values),
        *(insert_row("pack_pins", (campaign_id, p.pack_id, p.version, p.content_hash)) for p in pins),
        # In no sitting, and with no lore looked at.
        insert_row("turns", (*start, None, None, "{}")),
        insert_row("world_states", (campaign_id, turn_id, state.to_json())),
        insert_row(*message_row(campaign_id, intro)),
        insert_row("branches", (campaign_id, MAIN_BRANCH, turn_id, time)),
        *first_projection(campaign_id, StateOf(turn_id, state)),
    ]


def pins_of(path: Path) -> tuple[PackPin, ...] | None:
    """Return the texts that a campaign's file pins on any branch, of whatever version it is; None where it cannot be
    read, or pins what no loader makes: an ID or hash that could lead out of a folder."""
    try:
        with opened(path) as database:
            pins = tuple(PackPin(*row) for row in all_pins(database))
    except (DamagedFile, FileUnavailable, UnsafePath, *Trouble):
        return None
    return pins if all(is_id(pin.pack_id) and is_hash(pin.content_hash) for pin in pins) else None
