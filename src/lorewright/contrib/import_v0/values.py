"""Values of v0's rows, read as the types that they must have; every other value is noted with its table, row and
column."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NoReturn

from lorewright.contrib.import_v0.tables import V0Row
from lorewright.errors import ImportRefused
from lorewright.ids import is_id
from lorewright.world.schemas import is_json

# The rows of a v0 campaign as typed values: nothing is renamed or mapped. `where` names table and row.


@dataclass(frozen=True, slots=True)
class V0Entity:
    """A person, place, thing or group."""

    where: str
    id: str
    type: str
    name: str
    attrs: Mapping[str, Any]
    tags: tuple[str, ...]
    origin: str
    pack_id: str | None
    pack_entity_id: str | None


@dataclass(frozen=True, slots=True)
class V0Fact:
    """An established fact."""

    where: str
    id: str
    subject_id: str
    predicate: str
    object: Any
    visibility: str
    confidence: float
    tags: tuple[str, ...]
    origin: str
    discovered_turn: int | None
    discovery_method: str | None


@dataclass(frozen=True, slots=True)
class V0Scene:
    """The current scene; `rest` is what a model was told about it besides place and people."""

    where: str
    id: str
    location_id: str
    present: tuple[str, ...]
    time: Any
    rest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class V0Thread:
    """An open question."""

    where: str
    id: str
    title: str
    status: str
    stakes: Any
    related: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class V0Clock:
    """A clock."""

    where: str
    id: str
    name: str
    value: int
    max: int
    triggers: Any
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class V0Holding:
    """A number of an item with its owner."""

    where: str
    owner_id: str
    item_id: str
    qty: int
    flags: Any


@dataclass(frozen=True, slots=True)
class V0Relationship:
    """A relationship from one entity to another."""

    where: str
    a_id: str
    b_id: str
    rel_type: str
    intensity: int
    notes: Any


@dataclass(frozen=True, slots=True)
class V0Event:
    """A turn. `record` is the stored input of the passes with what they made."""

    where: str
    id: str
    turn_no: int
    player_input: str
    final_text: str
    context: Any
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class V0Summary:
    """A summary of some turns."""

    where: str
    id: str
    scope: str
    scope_id: str
    text: str
    turn_no_range: str


@dataclass(frozen=True, slots=True)
class V0Session:
    """A sitting."""

    where: str
    id: str
    started_at: str | None
    ended_at: str | None
    first: int | None
    last: int | None
    lore: Mapping[str, Any]
    summary: str | None
    world_events: tuple[Any, ...]


@dataclass(slots=True)
class V0Campaign:
    """A campaign of a file. `fingerprint` is of all its rows: another fingerprint means that something was changed."""

    id: str
    name: str
    created_at: str | None = None
    calibration: Mapping[str, Any] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    genre_rules: Mapping[str, Any] = field(default_factory=dict)
    current_turn: int | None = None
    entities: list[V0Entity] = field(default_factory=list)
    facts: list[V0Fact] = field(default_factory=list)
    scenes: list[V0Scene] = field(default_factory=list)
    threads: list[V0Thread] = field(default_factory=list)
    clocks: list[V0Clock] = field(default_factory=list)
    inventory: list[V0Holding] = field(default_factory=list)
    relationships: list[V0Relationship] = field(default_factory=list)
    events: list[V0Event] = field(default_factory=list)
    summaries: list[V0Summary] = field(default_factory=list)
    sessions: list[V0Session] = field(default_factory=list)
    fingerprint: str = ""


# Notes on values that no field of ours holds as v0 held them, table by table.


@dataclass(slots=True)
class Notes:
    """Notes by v0's table: on values that are held in another way than v0 held them (`derived`, sentences), and values
    that no field of a state holds (`kept`, by a name of their own)."""

    derived: dict[str, list[str]] = field(default_factory=dict)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)

    def say(self, table: str, what: str) -> None:
        """Note that a value of a table is held in another way."""
        if what not in (told := self.derived.setdefault(table, [])):
            told.append(what)

    def keep(self, table: str, key: str, value: Any) -> None:
        """Store a value that no field of a state holds."""
        self.kept.setdefault(table, {})[key] = value


# Values read as the types that they must have; every other value is a fault.

# Longer than any real name or ID.
_LONGEST_NAME = 200
_LONGEST_TEXT = 1_000_000
_LARGEST = 2**31
_TOLD = 20

_MEND = "mend it in a copy of the file, and import that; nothing was imported"


@dataclass(slots=True)
class Faults:
    """The faults of a file, in the order in which they were met."""

    lines: list[str] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        """Note something that cannot be imported."""
        self.lines.append(f"{where}: {what}")

    def refuse(self) -> None:
        """Raise an error where anything was noted.

        Raises:
            ImportRefused: all faults, a line each.
        """
        if self.lines:
            more = [f"and {len(self.lines) - _TOLD} more"] if len(self.lines) > _TOLD else []
            raise ImportRefused("\n".join([*self.lines[:_TOLD], *more]), hint=_MEND)


@dataclass(frozen=True, slots=True)
class Reader:
    """A row, to be read column by column. Wrong values are noted in `faults` and a harmless value is returned, so that
    all faults are reported at once."""

    row: V0Row
    faults: Faults

    def wrong(self, column: str, what: str) -> None:
        """Note that a column of the row cannot be imported."""
        self.faults.add(self.row.where, f"{column} {what}")

    def has(self, column: str) -> bool:
        """Tell whether the file has the column, and the row a value in it."""
        return self.row.values.get(column) is not None

    def text(self, column: str, *, prose: bool = True) -> str:
        """Return a text; a text that is not prose has no line ends and is neither empty nor long."""
        value = self.row.values.get(column)
        if not isinstance(value, str):
            self.wrong(column, f"is {_kind(value)} and must be a text")
            return ""
        if prose and len(value) > _LONGEST_TEXT:
            self.wrong(column, f"has {len(value)} characters; at most {_LONGEST_TEXT} are taken")
        elif not prose and not 0 < len(value) <= _LONGEST_NAME:
            self.wrong(column, f"has {len(value)} characters; it must have 1 to {_LONGEST_NAME}")
        elif (problem := _unprintable(value, prose=prose)) is not None:
            self.wrong(column, f"holds {problem}")
        else:
            return value
        return ""

    def name(self, column: str) -> str:
        """Return a short text of one line."""
        return self.text(column, prose=False)

    def known_as(self, column: str) -> str:
        """Return the ID of an entity: `viktor`, or `neo_seattle:viktor`."""
        value = self.name(column)
        if value:
            self.check_id(column, value)
        return value

    def check_id(self, column: str, value: str) -> None:
        """Note an ID that could not be one of ours."""
        parts = value.split(":")
        if len(parts) > 2 or not all(map(is_id, parts)):
            self.wrong(
                column, f"{value[:80]!r} cannot be an ID: use letters, digits, _ and -, maybe behind a pack and a :"
            )

    def number(self, column: str, *, least: int = -_LARGEST, most: int = _LARGEST) -> int:
        """Return a whole number."""
        value = self.row.values.get(column)
        if type(value) is int and least <= value <= most:
            return value
        shown = str(value) if type(value) is int else _kind(value)
        self.wrong(column, f"is {shown} and must be a whole number from {least} to {most}")
        return max(least, 0)

    def share(self, column: str) -> float:
        """Return a number from 0 to 1."""
        value = self.row.values.get(column)
        if isinstance(value, (int, float)) and 0 <= value <= 1:
            return float(value)
        self.wrong(column, "must be a number from 0 to 1")
        return 0.0

    def time(self, column: str) -> str | None:
        """Return a time in UTC; None where there is none."""
        if not self.has(column):
            return None
        told = self.name(column)
        try:
            time = datetime.fromisoformat(told)
        except ValueError:
            self.wrong(column, f"{told!r} is no time; write it as 2091-03-15T20:30:00+00:00")
            return None
        in_zone = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
        try:
            return in_zone.astimezone(UTC).isoformat(timespec="milliseconds")
        except OverflowError:
            self.wrong(column, f"{told!r} is beyond all calendars")
            return None

    def json(self, column: str, *kinds: type, raw: bool = False) -> Any:
        """Return the JSON value of a column, of one of the kinds where any are given; the empty value for an absent
        column. With `raw` it is a record that nobody is shown, and may hold any characters."""
        if self.row.values.get(column) is None and column not in self.row.values:
            return None
        text = self.row.values[column]
        if not isinstance(text, str):
            self.wrong(column, f"is {_kind(text)} and must be a text of JSON")
            return _empty(kinds)
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as problem:
            self.wrong(column, f"is no JSON: {str(problem)[:120] or type(problem).__name__}")
            return _empty(kinds)
        if kinds and not isinstance(value, kinds):
            self.wrong(column, f"must be {' or '.join(_JSON_NAMES[kind] for kind in kinds)}")
        elif not (is_json(value) if not raw else _is_deep_enough(value)):
            self.wrong(column, "is nested too deeply, or holds a number that is too large")
        elif (strange := _in_json(value, raw=raw)) is not None:
            self.wrong(column, f"holds {strange}")
        else:
            return value
        return _empty(kinds)

    def ids(self, column: str) -> tuple[str, ...]:
        """Return a JSON list of IDs, each once."""
        found = self.json(column, list) or []
        for entry in found:
            if not isinstance(entry, str):
                self.wrong(column, "must be a list of IDs")
                return ()
            self.check_id(column, entry)
        return tuple(dict.fromkeys(found))

    def tags(self) -> tuple[str, ...]:
        """Return tags that are written as JSON or separated by commas, each once."""
        told = self.text("tags")
        found: Sequence[Any] = self.json("tags", list) if told.lstrip().startswith("[") else told.split(",")
        if not all(isinstance(tag, str) for tag in found):
            self.wrong("tags", "must be a list of texts")
            return ()
        return tuple(dict.fromkeys(tag.strip() for tag in found if tag.strip()))


_JSON_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _empty(kinds: tuple[type, ...]) -> Any:
    return kinds[0]() if kinds else None


def _kind(value: object) -> str:
    names = {type(None): "empty", bytes: "raw bytes", int: "a number", float: "a number", str: "a text"}
    return names.get(type(value), type(value).__name__)


def _unprintable(text: str, *, prose: bool) -> str | None:
    """Return what a text holds that no text may hold, or None. Prose has lines and tabs."""
    allowed = "\n\t\r" if prose else ""
    for sign in text:
        code = ord(sign)
        if 0xD800 <= code <= 0xDFFF:
            return "bytes that are no text in UTF-8"
        if (code < 32 or 127 <= code < 160) and sign not in allowed:
            return f"the control character U+{code:04X}"
    return None


def _in_json(value: Any, *, raw: bool) -> str | None:
    """Return the same for every text in a value. A record may hold control characters, which JSON can write."""
    judge: Callable[[str], str | None] = _half_a_sign if raw else lambda text: _unprintable(text, prose=True)
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str) and (problem := judge(part)) is not None:
            return problem
    return None


def _half_a_sign(text: str) -> str | None:
    return "half of a sign" if any(0xD800 <= ord(sign) <= 0xDFFF for sign in text) else None


def _is_deep_enough(value: Any) -> bool:
    """Tell whether a record is shallow enough to be written again; its numbers are not checked."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > _DEEPEST_RECORD:
            return False
        level = [
            inner
            for part in level
            if isinstance(part, (dict, list))
            for inner in (part.values() if isinstance(part, dict) else part)
        ]
    return True


# Python writes JSON of some hundreds of levels, and a record has a few.
_DEEPEST_RECORD = 100


# The numbers of v0's turns and ours, which begin at 1 and have no gap.


def in_order(campaign: V0Campaign) -> list[V0Event]:
    """Return the events by turn_no; those of one number in the order in which they were written. The first is turn
    1."""
    return sorted(campaign.events, key=lambda event: event.turn_no)


def turn_numbers(campaign: V0Campaign) -> list[int]:
    """Return the turn_no of turns 1, 2, 3 …"""
    return [event.turn_no for event in in_order(campaign)]


def number_of(turn_no: int, told: Sequence[int]) -> int:
    """Return the number here of the turn with a turn_no, the last one where several share it; for a missing one the
    number of the turn before it (0 where there is none)."""
    return bisect_right(told, turn_no)


def note_numbers(campaign: V0Campaign, notes: Notes) -> None:
    """Note gaps in the numbers and numbers that stand more than once."""
    told = turn_numbers(campaign)
    if told == list(range(1, len(told) + 1)):
        return
    twice = sorted(number for number, count in Counter(told).items() if count > 1)
    if twice:
        notes.say("events", f"turn_no {_shown(twice)} stands more than once: all are kept, in the order of their rows")
    gaps = [(a + 1, b - 1) for a, b in pairwise(told) if b - a > 1]
    if gaps:
        missing = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in gaps[:5])
        notes.say("events", f"turn_no {missing}{' and more' if len(gaps) > 5 else ''} is missing: the gap is closed")
    notes.say("events", f"turn_no {told[0]} to {told[-1]} are turns 1 to {len(told)} here")


def _shown(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:5])) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")
