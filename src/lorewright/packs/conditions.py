"""`when:` as authors write it -> When, and its evaluation. The only grammar of conditions in packs.

    {thread: main_case, status: open}       thread main_case is open
    {clock: heat, min: 3}                   clock heat >= 3
    {fact: burned, subject: pier_9}         fact burned of pier_9

Left the form in frontmatter, right the form in words, as at the start of an item. A list, or `and` between the words,
means all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from lorewright.ids import canonical_json, qualify
from lorewright.packs.files import Finding, error
from lorewright.packs.models import Item, When, WhenClock, WhenFact, WhenPart, WhenThread

_THREAD = re.compile(r"thread\s+([\w-]+)\s+is\s+([\w-]+)", re.IGNORECASE)
_CLOCK = re.compile(r"clock\s+([\w-]+)\s*(>=|<=|=|>|<)\s*(\d{1,6})", re.IGNORECASE)
_FACT = re.compile(r"fact\s+([\w-]+)\s+of\s+([\w:-]+)", re.IGNORECASE)
_WHEN, _AND = re.compile(r"^when\s+", re.IGNORECASE), re.compile(r"\s+and\s+", re.IGNORECASE)
_HINT = "write {thread: id, status: s}, {clock: id, min: n, max: n} or {fact: predicate, subject: id}"
_ITEM_HINT = "write (when thread ID is STATUS), (when clock ID >= N) or (when fact PREDICATE of ID)"

# The condition that could not be read: it never holds, so that only the game master outside a campaign sees its text.
NEVER = When(())


@dataclass(frozen=True, slots=True)
class LoreConditions:
    """The values that conditions are evaluated against: thread statuses, clock values, facts as (predicate, subject
    ID).

    A subject that is no entity of a pack has its bare ID.
    """

    threads: Mapping[str, str] = field(default_factory=dict)
    clocks: Mapping[str, int] = field(default_factory=dict)
    facts: frozenset[tuple[str, str]] = frozenset()


def holds(when: When, conditions: LoreConditions, *, pack_id: str) -> bool:
    """Tell whether all parts of a condition hold; a bare subject is an entity of the pack `pack_id`, or of no pack."""
    return bool(when.parts) and all(_holds(part, conditions, pack_id) for part in when.parts)


def _holds(part: WhenPart, conditions: LoreConditions, pack_id: str) -> bool:
    match part:
        case WhenThread():
            return conditions.threads.get(part.thread) == part.status
        case WhenClock():
            value = conditions.clocks.get(part.clock)
            if value is None:
                return False
            return (part.min is None or value >= part.min) and (part.max is None or value <= part.max)
        case WhenFact():
            subjects = {part.subject, qualify(pack_id, part.subject)}
            return any((part.fact, subject) in conditions.facts for subject in subjects)
        case _:
            assert_never(part)


def read_when(value: object, *, line: int) -> When | str:
    """Return the condition in a YAML value or in words, or a sentence on what is wrong with it."""
    if isinstance(value, str):
        parts = [_from_words(words) for words in _AND.split(_WHEN.sub("", value.strip()))]
    else:
        parts = [_from_mapping(part) for part in (value if isinstance(value, list) else [value])]
    wrong = next((part for part in parts if isinstance(part, str)), None)
    if wrong is not None or not parts:
        return wrong or "the list is empty"
    return When(tuple(part for part in parts if not isinstance(part, str)), line)


def _from_words(words: str) -> WhenPart | str:
    if match := _THREAD.fullmatch(words):
        return WhenThread(match[1], match[2])
    if match := _FACT.fullmatch(words):
        return WhenFact(match[1], match[2])
    if match := _CLOCK.fullmatch(words):
        number = int(match[3])
        low = {">=": number, "=": number, ">": number + 1}.get(match[2])
        high = {"<=": number, "=": number, "<": number - 1}.get(match[2])
        return WhenClock(match[1], low, high)
    return f'"{words}" is no condition'


def _from_mapping(value: object) -> WhenPart | str:
    if not isinstance(value, dict):
        return "a condition is `key: value` pairs"
    keys = {key for key, given in value.items() if given is not None}
    if keys == {"thread", "status"} and _are_texts(value, "thread", "status"):
        return WhenThread(value["thread"], value["status"])
    if keys == {"fact", "subject"} and _are_texts(value, "fact", "subject"):
        return WhenFact(value["fact"], value["subject"])
    bounds = {key: value[key] for key in keys & {"min", "max"}}
    numbers = all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds.values())
    if keys == {"clock", *bounds} and bounds and numbers and _are_texts(value, "clock"):
        return WhenClock(value["clock"], bounds.get("min"), bounds.get("max"))
    return f"{{{', '.join(sorted(map(str, value)))}}} is no condition"


def _are_texts(value: Mapping[object, object], *keys: str) -> bool:
    return all(isinstance(value[key], str) and value[key] for key in keys)


def to_json(when: When) -> str:
    """Return a condition as canonical JSON; `from_json` reads it again."""
    parts = [{key: value for key in part.__slots__ if (value := getattr(part, key)) is not None} for part in when.parts]
    return canonical_json(parts)


def in_words(when: When) -> str:
    """Return a condition as it is written at the start of an item: `thread main_case is open and clock heat >= 3`."""
    return " and ".join(_part_in_words(part) for part in when.parts) or "(one that cannot be read)"


def _part_in_words(part: WhenPart) -> str:
    match part:
        case WhenThread():
            return f"thread {part.thread} is {part.status}"
        case WhenClock():
            bounds = ((">=", part.min), ("<=", part.max))
            return " and ".join(f"clock {part.clock} {sign} {value}" for sign, value in bounds if value is not None)
        case WhenFact():
            return f"fact {part.fact} of {part.subject}"
        case _:
            assert_never(part)


def from_json(text: str, *, line: int) -> When:
    """Return the condition that `to_json` wrote."""
    when = read_when(json.loads(text), line=line)
    return NEVER if isinstance(when, str) else when


def of_item(item: Item) -> When | None:
    """Return the condition at an item's start: None if there is none, `NEVER` if it cannot be read."""
    if item.condition is None:
        return None
    when = read_when(item.condition, line=item.line)
    return NEVER if isinstance(when, str) else when


def bad_condition(path: str, wrong: str, *, line: int) -> Finding:
    """Return the finding for a condition in frontmatter that cannot be read."""
    return error(path, "bad-condition", wrong, line=line, hint=_HINT)


def lint_items(path: str, items: Iterable[Item]) -> Iterator[Finding]:
    """Yield a finding for each item whose condition cannot be read."""
    for item in items:
        wrong = read_when(item.condition, line=item.line) if item.condition is not None else None
        if isinstance(wrong, str):
            yield error(path, "bad-condition", wrong, line=item.line, hint=_ITEM_HINT)
