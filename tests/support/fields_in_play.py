"""Plays of all shipped scenarios -> which fields of packets, stage inputs and events, and which columns of a campaign's
tables, have a value at least once, and which are read at least once.

    PYTHONPATH=tests nice python -m support.fields_in_play [SCENARIO …]

prints every field that lacks one of the two, as JSON. Stages are run by models that answer as the built-in stages would, so that
both the prompts and the built-in readers of a stage's input are at work. A read is an access by the program's own code,
seen while it runs; a column is read where a statement that the program prepares names it.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.cli.root import app as command_line
from lorewright.ids import canonical_json
from lorewright.llm.doubles import ScriptedModel
from lorewright.lore_bootstrap import make_workspace
from lorewright.storage.database import add_functions
from lorewright.turn.run.commit import run_turn
from lorewright.turn.stages.stages import STAGE_TYPES
from lorewright.turn.views.draft import Submission
from lorewright.world.events import Event, UnknownEvent
from lorewright.world.frozen import Frozen
from support.captured_prompts import ANSWERED, as_answered, builtin_stage, noting_inputs
from support.prompt_files import SHIPPED
from support.prompted_campaigns import campaigns

SCENARIOS = SHIPPED.parent / "scenarios"
EMPTY = (None, "", (), {}, [], False, 0)
# Lines beside a scenario's demo, so that people are bound, threatened and promised to.
BESIDE = ("promise {who} to come back", "threaten {who}", "attack {who}", "hum a tune", "wait")
AFTERWARDS = (
    ("turn", "look"), ("turn", "wait"), ("session", "end"),
    ("campaign", "show"), ("campaign", "log"), ("campaign", "log", "--debug"), ("campaign", "lorebook"),
    ("session", "list"), ("session", "recap"), ("metrics",), ("replay", "--turns", "1:2"), ("db", "check"),
)  # fmt: skip


@dataclass(slots=True)
class Seen:
    """What was filled and what was read: (class, field) of values, (table, column) of tables."""

    filled: set[tuple[str, str]] = field(default_factory=set)
    read: set[tuple[str, str]] = field(default_factory=set)
    columns: set[tuple[str, str]] = field(default_factory=set)


def value_types() -> dict[type[BaseModel], frozenset[str]]:
    """The types of stage inputs with all types inside of them, and every kind of event; each with its own fields."""
    found: dict[type[BaseModel], frozenset[str]] = {}
    inputs = [parts["input"] for parts in STAGE_TYPES.values() if "input" in parts]
    waiting: list[type[BaseModel]] = [*inputs, *kinds_of_events()]
    while waiting:
        model = waiting.pop()
        # Authors' conditions and the state's own ops are no fields of an input: what they say is tested where they are.
        if model in found or not (issubclass(model, Event) or model.__module__.startswith("lorewright.values.")):
            continue
        found[model] = frozenset(model.model_fields) - ({"type"} if issubclass(model, Event) else set())
        waiting += [inner for one in model.model_fields.values() for inner in models_in(one.annotation)]
    return found


def named(kind: type[BaseModel], name: str) -> tuple[str, str]:
    """A field by type and name; what every event has is one field, whatever the kind."""
    return ("Event" if issubclass(kind, Event) and name in Event.model_fields else kind.__name__, name)


def kinds_of_events() -> list[type[Event]]:
    """Every kind of event that there is."""
    waiting, found = [Event], []
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        found += [] if kind in (Event, UnknownEvent) else [kind]
    return found


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a type, such as PacketFact in a tuple of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


@contextmanager
def watching(seen: Seen, types: Mapping[type[BaseModel], frozenset[str]]) -> Iterator[None]:
    """Note every access by the program's code to a field of these types, and every column that its SQL reads."""

    def noting(self: Any, name: str) -> Any:
        fields = types.get(object.__getattribute__(self, "__class__"))
        if fields is not None and name in fields:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            # What only passes every text of an event on has read none of them.
            if caller.startswith("lorewright.") and caller != "lorewright.world.events":
                seen.read.add(named(type(self), name))
        return object.__getattribute__(self, name)

    def connected(*given: Any, **named: Any) -> sqlite3.Connection:
        made = connect(*given, **named)

        def allow(action: int, table: str | None, column: str | None, *_: Any) -> int:
            if action == sqlite3.SQLITE_READ and table and column:
                seen.columns.add((table, column))
            return sqlite3.SQLITE_OK

        made.set_authorizer(allow)
        return made

    connect = sqlite3.connect
    Frozen.__getattribute__ = noting  # type: ignore[method-assign]
    sqlite3.connect = connected  # type: ignore[assignment]
    try:
        yield
    finally:
        del Frozen.__getattribute__
        sqlite3.connect = connect


def note_filled(value: Any, seen: Seen) -> None:
    """Note the fields of a value, and of the values inside of it, that have a value of their own."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            inner = getattr(value, name)
            if not any(inner is empty or inner == empty for empty in EMPTY):
                seen.filled.add(named(type(value), name))
            note_filled(inner, seen)
    elif isinstance(value, Mapping):
        for inner in value.values():
            note_filled(inner, seen)
    elif isinstance(value, list | tuple):
        for inner in value:
            note_filled(inner, seen)


def play(app: App, scenario: str, folder: Path, seen: Seen, **options: Any) -> None:
    """Play a scenario's demo and a few lines more, and note what the stages were given."""
    inputs: dict[str, Any] = {}

    def model(stage: str) -> ScriptedModel:
        builtin = builtin_stage(stage)
        return ScriptedModel(lambda _: as_answered(stage, builtin.builtin_answer(inputs[stage])))

    written = yaml.safe_load((SCENARIOS / f"{scenario}.yaml").read_text(encoding="utf-8"))
    lines = list(written.get("demo", ()))
    lines += [line.format(who=who) for who in list(written.get("cast", {}))[:1] for line in BESIDE]
    stories = campaigns(app, {stage: model(stage) for stage in ANSWERED}, folder)
    stories.new(scenario, campaign_id=scenario, seed=written.get("demo_seed", 1), **options)
    with stories.open(scenario) as campaign:
        for number, line in enumerate(lines, start=1):
            if campaign.store.head().state.ended is not None:
                break
            stages = noting_inputs(campaign.stages, inputs)
            asyncio.run(run_turn(campaign.store, Submission(line, f"line-{number}"), campaign.setting, stages))
        for turn in campaign.store.turns():
            for record in campaign.store.stage_records(turn["turn_id"]):
                note_record(record, seen)


def note_record(record: Mapping[str, Any], seen: Seen) -> None:
    """Note what a stage was given, and the events in what it made."""
    parts = STAGE_TYPES.get(record["stage"], {})
    if "input" in parts and record["input"]:
        note_filled(parts["input"].model_validate_json(canonical_json(record["input"])), seen)


def lacking(seen: Seen, types: Mapping[type[BaseModel], frozenset[str]]) -> dict[str, list[str]]:
    """What was never filled and what was never read, of the fields of these types."""
    every = sorted({named(kind, name) for kind, fields in types.items() for name in fields})
    return {
        "never filled": [".".join(one) for one in every if one not in seen.filled],
        "never read": [".".join(one) for one in every if one not in seen.read],
    }


def columns_of(database: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield every column of a campaign's tables and views, and whether any row has a value in it."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    add_functions(connection)
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    )
    for (table,) in names.fetchall():
        for column in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            there = f"SELECT 1 FROM \"{table}\" WHERE \"{column[1]}\" NOT IN ('', '[]', '{{}}') LIMIT 1"
            yield table, column[1], connection.execute(there).fetchone() is not None
    connection.close()


def note_events(database: Path, seen: Seen) -> None:
    """Note the fields of every event in the results and records of a campaign."""
    by_type = {kind.model_fields["type"].default: kind for kind in kinds_of_events()}
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    add_functions(connection)
    texts = [text for table in ("turns.result_json", "stage_records.output_json")
             for (text,) in connection.execute("SELECT text_of({1}) FROM {0} WHERE {1} IS NOT NULL".format(*table.split(".")))]  # fmt: skip
    connection.close()
    for text in texts:
        for event in events_in(json.loads(text)):
            if (kind := by_type.get(event["type"])) is not None:
                note_filled(kind.model_validate(event), seen)


def events_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield what has the shape of an event, however deep."""
    if isinstance(value, dict):
        if {"type", "details", "scope"} <= value.keys():
            yield value
        for inner in value.values():
            yield from events_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from events_in(inner)


def measured(root: Path, *scenarios: str) -> tuple[Seen, dict[tuple[str, str], bool]]:
    """Play in a workspace, run the commands that look back, and return what was seen, and the columns with a value."""
    seen, types = Seen(), value_types()
    make_workspace(root)
    app = open_app(root)
    filled: dict[tuple[str, str], bool] = {}
    runner = CliRunner(env={"LOREWRIGHT_WORKSPACE": str(root)})
    with watching(seen, types):
        for scenario in scenarios or [path.stem for path in sorted(SCENARIOS.glob("*.yaml"))]:
            options: dict[str, Any] = {"profile": "stream"} if scenario == "dead_drop" else {}
            play(app, scenario, root / "campaigns", seen, **options)
            for first, *rest in AFTERWARDS:
                at = 1 if first in ("campaign", "session", "db") else 0
                runner.invoke(command_line, [first, *rest[:at], scenario, *rest[at:]])
    for database in sorted((root / "campaigns").rglob("*.db")):
        note_events(database, seen)
        for table, column, is_filled in columns_of(database):
            filled[(table, column)] = filled.get((table, column), False) or is_filled
    return seen, filled


def main(*scenarios: str) -> None:
    """Print what lacks a value or a reader, as JSON."""
    with tempfile.TemporaryDirectory() as scratch:
        seen, filled = measured(Path(scratch) / "w", *scenarios)
    found = lacking(seen, value_types())
    found["columns never filled"] = [".".join(one) for one, is_filled in sorted(filled.items()) if not is_filled]
    found["columns never read"] = [".".join(one) for one in sorted(filled) if one not in seen.columns]
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
