"""`lore:` and `section_lore:` as authors write them -> EntryRules, and the rules that are wrong. The names and bounds
of the rules are defined only here."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lorewright.packs.key_patterns import MAX_KEYS, read_key
from lorewright.packs.models import EntryRules

FILE_KEY, SECTION_KEY = "lore", "section_lore"
# Of what a question must say of its secondary keys for an entry to be in the answer.
SECONDARY_RULES = ("any", "all", "not any", "not all")
KEY_RULES = ("keys", *SECONDARY_RULES)
RULE_NAMES = ("always", "priority", "sticky", "cooldown", "requires", "excludes", "group", "probability", *KEY_RULES)

MAX_PRIORITY = 10_000
# In turns; for anything longer an author uses a condition.
MAX_TURNS = 100
MAX_REFERENCES = 50
MAX_GROUPS = 10
MAX_GROUP_CHARS = 60


@dataclass(frozen=True, slots=True)
class Wrong:
    """A rule that is ignored: its key (`lore.sticky`), the problem, and a hint what to write."""

    key: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class WrittenRules:
    """The rules of one mapping by name, each with a value of the right type; references are as the author wrote them.
    Rules that are not given are missing, so that a section's rules go before the file's."""

    values: Mapping[str, Any] = field(default_factory=dict)
    # `lore`, or `section_lore.Rumours`: the key by which line numbers are looked up.
    key: str = FILE_KEY

    def __bool__(self) -> bool:
        return bool(self.values)


NO_RULES = WrittenRules()


def read_rules(value: object, *, key: str) -> tuple[WrittenRules, tuple[Wrong, ...]]:
    """Return the rules in the YAML value of a key, and the rules that cannot be read."""
    if not isinstance(value, dict):
        return NO_RULES, (
            Wrong(key, f"{key} must be `rule: value` lines; no rule is read", "write lore: {priority: 10}"),
        )
    values: dict[str, Any] = {}
    wrong: list[Wrong] = []
    for name, rule in value.items():
        place = f"{key}.{name}"
        if name not in _READERS:
            near = difflib.get_close_matches(str(name), RULE_NAMES, 1)
            hint = f"write {near[0]}" if near else f"one of {', '.join(RULE_NAMES)}"
            wrong.append(Wrong(place, f"{name} is no rule of an entry; it is left out", hint))
            continue
        try:
            if rule is not None:
                values[name] = _READERS[name](rule)
        except ValueError as problem:
            wrong.append(Wrong(place, f"{name} {problem}; it is left out", f"write {name}: {_EXAMPLES[name]}"))
    return WrittenRules(values, key), tuple(wrong)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _priority(value: object) -> int:
    if not _is_whole(value, -MAX_PRIORITY, MAX_PRIORITY):
        raise ValueError(f"must be a whole number from {-MAX_PRIORITY} to {MAX_PRIORITY}")
    return int(str(value))


def _turns(value: object) -> int:
    if not _is_whole(value, 0, MAX_TURNS):
        raise ValueError(f"must be a whole number of turns from 0 to {MAX_TURNS}")
    return int(str(value))


def _probability(value: object) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(float(str(value))) or not 0 <= float(str(value)) <= 1:
        raise ValueError("must be a number from 0 to 1")
    return float(str(value))


def _references(value: object) -> tuple[str, ...]:
    members = value if isinstance(value, list) else [value]
    # YAML nests `[[Name]]` as lists; the link is meant.
    names = [_name(member) for member in map(_nested, members) if isinstance(member, str)]
    if not names or len(names) < len(members) or not all(names) or len(names) > MAX_REFERENCES:
        raise ValueError(f"must be a list of 1 to {MAX_REFERENCES} names or IDs of entries")
    return tuple(dict.fromkeys(names))


def _groups(value: object) -> tuple[str, ...]:
    members = value if isinstance(value, list) else [value]
    names = tuple(dict.fromkeys(" ".join(member.split()).casefold() for member in members if isinstance(member, str)))
    sound = bool(names) and all(names) and all(len(name) <= MAX_GROUP_CHARS for name in names)
    if not sound or not all(isinstance(member, str) for member in members) or len(names) > MAX_GROUPS:
        raise ValueError(f"must be a name of at most {MAX_GROUP_CHARS} characters, or a list of at most {MAX_GROUPS}")
    return names


def _keys(value: object) -> tuple[str, ...]:
    members = value if isinstance(value, list) else [value]
    keys = tuple(dict.fromkeys(member.strip() for member in members if isinstance(member, str)))
    if not keys or not all(isinstance(member, str) for member in members) or len(keys) > MAX_KEYS:
        raise ValueError(f"must be a list of 1 to {MAX_KEYS} words or patterns")
    for key in keys:
        read_key(key)
    return keys


_READERS = {
    "always": _flag,
    "priority": _priority,
    "sticky": _turns,
    "cooldown": _turns,
    "requires": _references,
    "excludes": _references,
    "group": _groups,
    "probability": _probability,
    **dict.fromkeys(KEY_RULES, _keys),
}
_EXAMPLES = {
    "always": "true",
    "priority": "10",
    "sticky": "3",
    "cooldown": "5",
    "requires": "[viktor]",
    "excludes": "[old_bridge]",
    "group": "weather",
    "probability": "0.3",
    **dict.fromkeys(KEY_RULES, "[dragon, /wyrms?/i]"),
}


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _nested(member: object) -> object:
    while isinstance(member, list) and len(member) == 1:
        member = member[0]
    return member


def _name(text: str) -> str:
    return " ".join(text.strip().removeprefix("[[").removesuffix("]]").split("|")[0].split())


def to_json(rules: EntryRules) -> dict[str, Any]:
    """Return rules as plain data, without those that have their default; `from_json` reads it again."""
    return {name: _plain(value) for name, value in _fields(rules) if value != getattr(_DEFAULTS, name)}


def from_json(data: Mapping[str, Any]) -> EntryRules:
    """Return the rules that `to_json` wrote."""
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return EntryRules(**fields)


_DEFAULTS = EntryRules()


def _fields(rules: EntryRules) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(rules, name)) for name in EntryRules.__slots__)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
