"""A v0 campaign, mapped -> the file of a campaign of ours; and what such a file says about its origin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.contrib.import_v0.story import KIND, STAGE, ImportedTurn, Sitting
from lorewright.ids import canonical_json, content_hash
from lorewright.storage.database import Database, insert_row, read_json
from lorewright.storage.heads import FULL_STATE_EVERY, MAIN_BRANCH
from lorewright.storage.integrity import turn_hash_row
from lorewright.storage.packed_texts import packed_row
from lorewright.storage.packing import pack
from lorewright.storage.projected_tables import FIRST_REVEALS
from lorewright.turn.store.projection import StateOf, first_projection
from lorewright.turn.store.rows import message_row
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import Message, TurnResult
from lorewright.world.state import WorldState

_Statement = tuple[str, tuple[Any, ...]]
_IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a campaign: its ID in v0, the fingerprint of its rows there, how many turns it had, and the values
    that no field of ours holds."""

    v0_id: str
    fingerprint: str
    turns: int
    kept: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedCampaign:
    """All rows to be written: the campaign's row without its head, the state, turn 0, the turns and the sittings."""

    row: dict[str, Any]
    origin: Origin
    state: WorldState
    opening: Message
    opening_result: TurnResult
    turns: Sequence[ImportedTurn]
    sittings: Sequence[Sitting]


def write_imported(database: Database, campaign: ImportedCampaign, time: str) -> None:
    """Write a campaign into a file whose tables are there and empty, in one transaction."""
    statements = list(_statements(campaign, time))
    with database.transaction() as connection:
        # Turns and sittings point at each other.
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for sql, parameters in statements:
            connection.execute(sql, parameters)


def _statements(campaign: ImportedCampaign, time: str) -> Iterator[_Statement]:
    row, turns, campaign_id = campaign.row, campaign.turns, campaign.row["id"]
    head = turns[-1].turn_id if turns else campaign.opening.turn_id
    row = packed_row(row)
    columns = [*row, "head_turn_id", "revision", "current_turn", "updated_at"]
    marks = ", ".join("?" * len(columns))
    values = (*row.values(), head, len(turns), len(turns), time)
    yield f"INSERT INTO campaigns ({', '.join(columns)}) VALUES ({marks})", values
    state_json, state_hash = pack(campaign.state.to_json()), campaign.state.content_hash()
    result = canonical_json(campaign.opening_result.model_dump(mode="json"))
    root = campaign.opening.turn_id
    start = (campaign_id, root, 0, None, "start", "start", "", "", "[]", state_hash, result, time)
    yield insert_row("turns", (*start, None, None, "{}"))
    yield insert_row(*turn_hash_row(start))
    yield insert_row(*message_row(campaign_id, campaign.opening))
    origin = campaign.origin
    given = {"campaign_id": origin.v0_id, "fingerprint": origin.fingerprint, "turns": origin.turns}
    yield _record(campaign_id, root, canonical_json(given), canonical_json(origin.kept))
    sittings = [f"{campaign_id}:session_{number}" for number in range(1, len(campaign.sittings) + 1)]
    for turn in turns:
        yield from _turn(campaign_id, turn, state_hash, time, sittings)
    kept = {root, head, *(turn.turn_id for turn in turns if turn.turn_no % FULL_STATE_EVERY == 0)}
    yield from (insert_row("world_states", (campaign_id, state_hash, state_json)) for state_hash in sorted(kept))
    yield FIRST_REVEALS, ()
    ids = [root, *(turn.turn_id for turn in turns)]
    for session_id, sitting in zip(sittings, campaign.sittings, strict=True):
        yield _sitting(campaign_id, session_id, sitting, ids, time)
    yield insert_row("branches", (campaign_id, MAIN_BRANCH, head, time))
    yield from first_projection(campaign_id, StateOf(head, campaign.state))


def _turn(
    campaign_id: str, turn: ImportedTurn, state_hash: str, time: str, sittings: Sequence[str]
) -> Iterator[_Statement]:
    result = canonical_json(turn.result.model_dump(mode="json"))
    session_id = None if turn.sitting is None else sittings[turn.sitting]
    head = (campaign_id, turn.turn_id, turn.turn_no, turn.parent_id, KIND, turn.action_id)
    values = (
        *(*head, content_hash(turn.player_text), turn.player_text),
        *("[]", state_hash, result, time, session_id, None, "{}"),
    )
    yield insert_row("turns", values)
    yield insert_row(*turn_hash_row(values))
    yield from (insert_row(*message_row(campaign_id, message)) for message in turn.messages)
    yield _record(campaign_id, turn.turn_id, turn.given, turn.made)


def _record(campaign_id: str, turn_id: str, given: str, made: str) -> _Statement:
    by = (_IMPORTED, _IMPORTED, "[]", 0, 0, _IMPORTED, "{}", 0, "[]", None)
    return insert_row("stage_records", (campaign_id, turn_id, 0, STAGE, given, made, *by))


def _sitting(campaign_id: str, session_id: str, sitting: Sitting, ids: Sequence[str], time: str) -> _Statement:
    """Return the row of a sitting that has ended. It began before its turns came here, whatever the clock of v0's
    machine said."""
    started = min(sitting.started_at or time, time)
    ended = max(started, min(sitting.ended_at or started, time))
    lore, pending = (
        json.dumps(dict(sitting.lore), ensure_ascii=False, sort_keys=True),
        json.dumps(list(sitting.world_events)),
    )
    end = None if sitting.last is None else ids[sitting.last]
    return insert_row(
        "sessions",
        (
            *(session_id, campaign_id, started, ended, sitting.first, sitting.last, lore, sitting.summary, pending),
            *(ids[min(sitting.first, len(ids)) - 1], end, None, None),
        ),
    )


def origin_of(store: CampaignStore) -> Origin | None:
    """Return the origin of a campaign, or None where it was begun here."""
    row = store.database.row(
        """SELECT text_of(r.input_json) AS input_json, r.output_json FROM turns t
           JOIN stage_records r USING (campaign_id, turn_id) WHERE t.parent_id IS NULL AND r.stage = ?""",
        STAGE,
    )
    if row is None:
        return None
    given = read_json(row["input_json"])
    return Origin(given["campaign_id"], given["fingerprint"], given["turns"], read_json(row["output_json"]))


def last_imported(store: CampaignStore) -> str:
    """Return the ID of the last turn that came from v0; turn 0 where none did."""
    row = store.database.row(
        "SELECT turn_id FROM turns WHERE kind = ? OR parent_id IS NULL ORDER BY turn_no DESC LIMIT 1", KIND
    )
    assert row is not None
    return str(row["turn_id"])
