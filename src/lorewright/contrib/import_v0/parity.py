"""A v0 campaign and its import -> table by table: how many rows, how many are equal, which values are held in another
way, which have no home, and which differ although they should not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.contrib.import_v0.store import last_imported, origin_of
from lorewright.contrib.import_v0.story import KIND, STAGE
from lorewright.contrib.import_v0.tables import V0File, known_columns
from lorewright.contrib.import_v0.values import Notes, V0Campaign, V0Event, in_order
from lorewright.contrib.import_v0.world import our_id
from lorewright.storage.sittings import session_rows
from lorewright.turn.store.store import CampaignStore
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState, relationship_key

_KEPT = "kept with the campaign, read by no rule"
# Columns that no field of ours holds, by table: where they are and why.
_NO_HOME: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "campaigns": ((("updated_at",), "a campaign's is when it was played here"),),
    "facts": ((("pack_id",), "the entity that a fact is about says it"),),
    "scene": (
        (("time_json", "constraints_json", "visibility_conditions", "noise_level", "obscured_entities_json"), _KEPT),
        (("id",), "scenes are numbered"),
    ),
    "threads": ((("origin", "pack_id"), "whom a thread is about says it"),),
    "clocks": ((("triggers_json",), f"words for a model, {_KEPT}"), (("origin", "pack_id"), "a clock has no file")),
    "inventory": ((("flags_json",), _KEPT),),
    "relationships": ((("origin", "pack_id"), "the two entities say it"),),
    "summaries": ((("scope", "scope_id", "turn_no_range"), _KEPT),),
    "sessions": ((("id",), "sittings are numbered"),),
}
_UNREAD: Mapping[str, str] = {
    "content_packs": "packs are installed from their folders: lorewright pack install",
    "pack_chunks": "packs are installed from their folders: lorewright pack install",
    "scene_lore": "scene lore is gathered anew",
}
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class TableParity:
    """A table of v0: its rows, ours, how many are equal in every core field, and the remarks on them."""

    table: str
    v0: int
    ours: int
    equal: int
    differs: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    no_home: tuple[str, ...] = ()


# (where v0's row stands, what of it is compared, the same of ours or None)
_Pair = tuple[str, Any, Any]


def parity_of(
    campaign: V0Campaign,
    store: CampaignStore,
    notes: Notes,
    *,
    sittings: int,
    file: V0File,
) -> tuple[TableParity, ...]:
    """Return the comparison of a v0 campaign with the campaign that came from it, as that stood after its last imported
    turn. `sittings` is the number of its first sittings that came with it."""
    state = store.state_at(last_imported(store))
    compared: list[tuple[str, int, Callable[[], Iterable[_Pair]]]] = [
        ("campaigns", 1, lambda: _campaign(campaign, store)),
        ("entities", len(state.entities), lambda: _entities(campaign, store.campaign_id, state)),
        ("facts", len(state.facts), lambda: _facts(campaign, store.campaign_id, state)),
        ("scene", 1, lambda: _scene(campaign, store.campaign_id, state)),
        ("threads", len(state.threads), lambda: _threads(campaign, store.campaign_id, state)),
        ("clocks", len(state.clocks), lambda: _clocks(campaign, state)),
        ("inventory", sum(map(len, state.inventory.values())), lambda: _inventory(campaign, store.campaign_id, state)),
        ("relationships", len(state.relationships), lambda: _relationships(campaign, store.campaign_id, state)),
    ]
    found = [_table(table, ours, pairs(), notes, file) for table, ours, pairs in compared]
    turns = [turn for turn in store.turns(last_imported(store)) if turn["kind"] == KIND]
    found.append(_table("events", len(turns), _events(campaign, store, turns), notes, file))
    summaries = [session_row.summary or "" for session_row in session_rows(store.database)[:sittings]]
    held = list(_summaries(campaign, store, summaries))
    found.append(_table("summaries", sum(pair[2] is not None for pair in held), held, notes, file))
    if campaign.sessions:
        pairs = [
            (session.where, session.summary or "", _containing(session.summary or "", summaries))
            for session in campaign.sessions
        ]
        found.append(_table("sessions", len(summaries), pairs, notes, file))
    left = (
        TableParity(table, rows, 0, 0, no_home=(_UNREAD.get(table, "unknown here"),))
        for table, rows in file.unread.items()
    )
    return (*found, *left)


def _table(table: str, ours: int, pairs: Iterable[_Pair], notes: Notes, file: V0File) -> TableParity:
    listed = list(pairs)
    differs = [f"{where}: {_difference(told, held)}" for where, told, held in listed if told != held]
    return TableParity(
        table,
        len(listed),
        ours,
        len(listed) - len(differs),
        differs=tuple(differs),
        derived=tuple(notes.derived.get(table, ())),
        no_home=tuple(_no_home(table, file.columns.get(table, ()))),
    )


def _no_home(table: str, columns: Sequence[str]) -> Iterator[str]:
    for named, why in _NO_HOME.get(table, ()):
        if there := [column for column in named if column in columns]:
            yield f"{', '.join(there)}: {why}"
    if unknown := [column for column in columns if column not in known_columns(table)]:
        yield f"{', '.join(unknown)}: unknown here"


def _difference(told: Any, held: Any) -> str:
    """Return which fields differ; not their values, which may be long."""
    if held is None:
        return "it is not here"
    if isinstance(told, Mapping) and isinstance(held, Mapping):
        return ", ".join(key for key in told if told[key] != held.get(key))
    return "it is another text"


def _campaign(campaign: V0Campaign, store: CampaignStore) -> Iterable[_Pair]:
    row = store.campaign()
    told = {
        "name": campaign.name,
        "calibration": campaign.calibration,
        "system": campaign.system,
        "genre_rules": campaign.genre_rules,
    }
    held = {"name": row.name, **{key: row.scenario[key] for key in ("calibration", "system", "genre_rules")}}
    yield f"campaigns ({campaign.id})", told, held


def _entities(campaign: V0Campaign, campaign_id: str, state: WorldState) -> Iterable[_Pair]:
    fields = ("name", "attrs", "tags", "origin", "pack_id", "pack_entity_id")
    for row in campaign.entities:
        yield row.where, _fields(row, fields), _held(state.entities.get(our_id(campaign_id, row.id)), fields)


def _facts(campaign: V0Campaign, campaign_id: str, state: WorldState) -> Iterable[_Pair]:
    fields = ("predicate", "confidence", "tags", "origin", "discovery_method")
    for row in campaign.facts:
        fact = state.facts.get(row.id)
        told = {**_fields(row, fields), "subject_id": our_id(campaign_id, row.subject_id), "object": row.object}
        held = _held(fact, (*fields, "subject_id", "object"))
        # The person to whom a promise is made has another ID here; a promise that says too little is kept in an object.
        if held is not None and isinstance(row.object, Mapping) and held["object"] != row.object:
            to = our_id(campaign_id, str(row.object.get("to")))
            if held["object"] in ({**row.object, "to": to}, {"told": row.object}):
                held["object"] = row.object
        yield row.where, told, held


def _scene(campaign: V0Campaign, campaign_id: str, state: WorldState) -> Iterable[_Pair]:
    for row in campaign.scenes:
        ids = [our_id(campaign_id, v0_id) for v0_id in row.present]
        people = sorted(entity_id for entity_id in ids if entity_id in state.positions and entity_id != state.player_id)
        told = {"location_id": our_id(campaign_id, row.location_id), "present": people}
        yield row.where, told, {"location_id": state.scene.location_id, "present": list(state.present_npcs())}


def _threads(campaign: V0Campaign, campaign_id: str, state: WorldState) -> Iterable[_Pair]:
    fields = ("title", "status", "tags")
    for row in campaign.threads:
        related = [our_id(campaign_id, v0_id) for v0_id in row.related]
        held = _held(state.threads.get(row.id), (*fields, "related_entity_ids"))
        yield row.where, {**_fields(row, fields), "related_entity_ids": related}, held


def _clocks(campaign: V0Campaign, state: WorldState) -> Iterable[_Pair]:
    fields = ("name", "value", "max", "tags")
    for row in campaign.clocks:
        yield row.where, _fields(row, fields), _held(state.clocks.get(row.id), fields)


def _inventory(campaign: V0Campaign, campaign_id: str, state: WorldState) -> Iterable[_Pair]:
    for row in campaign.inventory:
        held = state.held_by(our_id(campaign_id, row.owner_id)).get(our_id(campaign_id, row.item_id), 0)
        yield row.where, {"qty": row.qty}, {"qty": held}


def _relationships(campaign: V0Campaign, campaign_id: str, state: WorldState) -> Iterable[_Pair]:
    for row in campaign.relationships:
        key = relationship_key(our_id(campaign_id, row.a_id), our_id(campaign_id, row.b_id), row.rel_type)
        notes = row.notes if isinstance(row.notes, Mapping) else {} if row.notes is None else {"notes": row.notes}
        held = _held(state.relationships.get(key), ("intensity", "notes"))
        yield row.where, {"intensity": row.intensity, "notes": plain(notes)}, held


def _events(campaign: V0Campaign, store: CampaignStore, turns: Sequence[dict[str, Any]]) -> Iterable[_Pair]:
    for number, row in enumerate(in_order(campaign)):
        held = _turn(store, turns[number]) if number < len(turns) else None
        yield row.where, _event(row), held


def _event(row: V0Event) -> dict[str, Any]:
    told = {"player_input": row.player_input, "final_text": row.final_text, "context_packet": row.context}
    return {**told, "id": row.id, "turn_no": row.turn_no, **row.record}


def _turn(store: CampaignStore, turn: dict[str, Any]) -> dict[str, Any]:
    record = next(
        stage_record for stage_record in store.stage_records(turn["turn_id"]) if stage_record["stage"] == STAGE
    )
    made = dict(record["output"])
    told = "".join(
        message.content for _, message in store.messages(turn["turn_id"], last=1) if message.type == "narration"
    )
    final_text = told if told == turn["result"]["final_text"] else None
    held = {"player_input": turn["player_text"], "final_text": final_text, **record["input"]}
    return {**held, "id": made.pop("event_id"), **made}


def _summaries(campaign: V0Campaign, store: CampaignStore, sittings: Sequence[str]) -> Iterable[_Pair]:
    origin = origin_of(store)
    kept = [summary.get("text", "") for summary in (origin.kept.get("summaries", {}) if origin else {}).values()]
    for row in campaign.summaries:
        yield row.where, row.text, _containing(row.text, [*sittings, *kept])


def _containing(text: str, summaries: Sequence[str]) -> str | None:
    return text if any(text in summary for summary in summaries) else None


def _fields(row: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: _told(getattr(row, name)) for name in names}


def _held(model: Any, names: Iterable[str]) -> dict[str, Any] | None:
    return None if model is None else {name: _told(plain(getattr(model, name))) for name in names}


def _told(value: Any) -> Any:
    """Return a value as JSON has it, which is how our file returns it."""
    return list(value) if isinstance(value, tuple) else value


def parity_text(parity: TableParity) -> str:
    """Return the table's remarks as one text, differences first."""
    more = len(parity.differs) - _SHOWN
    lines = [f"differs: {differ}" for differ in parity.differs[:_SHOWN]]
    lines += [f"and {more} more differ"] if more > 0 else []
    lines += [f"derived: {remark}" for remark in parity.derived[:_SHOWN]]
    lines += [f"and {len(parity.derived) - _SHOWN} more"] if len(parity.derived) > _SHOWN else []
    lines += [f"no home: {remark}" for remark in parity.no_home]
    return "\n".join(lines)
