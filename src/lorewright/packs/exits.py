"""`exits:` of a location -> ways in one normal form in its `attrs`: name, to, minutes, door, key, one_way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lorewright.ids import local
from lorewright.packs.findings import Finding, warning
from lorewright.packs.models import Entity

# Looks an entity up by whatever an author may call it.
Find = Callable[[str], Entity | None]

_TEXTS = ("name", "to", "door", "key")
_KEYS = frozenset({*_TEXTS, "minutes", "one_way"})


@dataclass(frozen=True, slots=True)
class Way:
    """A way out of a place. `to` is a qualified ID once it was looked up; `door` and `key` name a scenario's things."""

    name: str
    to: str
    minutes: int = 1
    door: str | None = None
    key: str | None = None
    one_way: bool = False


def read_ways(value: object) -> tuple[tuple[Way, ...], tuple[str, ...]]:
    """The ways that can be read, and what is wrong with the others.

    A list of `{to: …}`, or `name: target`, or `name: {to: …}`; a way without a name is named by its target.
    """
    if isinstance(value, list):
        given = [one if isinstance(one, dict) else {"to": one} for one in value]
    elif isinstance(value, dict):
        given = [{"name": name, **(one if isinstance(one, dict) else {"to": one})} for name, one in value.items()]
    else:
        return (), ("exits must be a list, or `name: target` lines",)
    read = [_read(one) for one in given]
    ways = {way.name: way for way in read if isinstance(way, Way)}
    return tuple(ways.values()), tuple(one for one in read if isinstance(one, str))


def _read(given: Mapping[str, Any]) -> Way | str:
    unknown = sorted(set(map(str, given)) - _KEYS)
    if unknown:
        return f"an exit has no {unknown[0]}"
    texts = {key: given[key] for key in _TEXTS if given.get(key) is not None}
    wrong = next((key for key, one in texts.items() if not isinstance(one, str)), None)
    if wrong or not texts.get("to"):
        return f"an exit's {wrong or 'to'} must be text"
    minutes, one_way = given.get("minutes", 1), given.get("one_way", False)
    if not isinstance(minutes, int) or isinstance(minutes, bool) or minutes < 0 or not isinstance(one_way, bool):
        return "an exit's minutes must be a whole number, and one_way true or false"
    to = texts["to"].removeprefix("[[").removesuffix("]]")
    return Way(texts.get("name") or local(to), to, minutes, texts.get("door"), texts.get("key"), one_way)


def connected(
    entities: Sequence[Entity],
    ways: Sequence[Sequence[Way]],
    lines: Sequence[int],
    find: Find,
    findings: list[Finding],
) -> tuple[Entity, ...]:
    """The entities with their ways, given in the same order, in `attrs`; a way that leads nowhere is left out."""
    found = []
    for entity, own, line in zip(entities, ways, lines, strict=True):
        kept = [replace(way, to=target) for way in own if (target := _target(way.to, find)) is not None]
        findings += [_dangling(entity, way, line) for way in own if _target(way.to, find) is None]
        attrs = {**entity.attrs, "exits": [asdict(way) for way in kept]} if own else entity.attrs
        found.append(replace(entity, attrs=attrs))
    findings += _one_way(found, lines)
    return tuple(found)


def ways_of(entity: Entity) -> list[Way]:
    """The ways that stand in an entity's `attrs`."""
    ways = entity.attrs.get("exits") if entity.type == "location" else None
    return [Way(**way) for way in ways or ()]


def _target(reference: str, find: Find) -> str | None:
    """An unknown ID of another pack is kept as it is written: that pack may be installed later."""
    target = find(reference)
    return target.id if target is not None else reference if ":" in reference else None


def _dangling(entity: Entity, way: Way, line: int) -> Finding:
    message = f"exit {way.name}: nothing in the pack is named {way.to[:60]}"
    return warning(entity.file_path, "dangling-reference", message, line=line, hint="add the file or fix the name")


def _one_way(entities: Iterable[Entity], lines: Sequence[int]) -> Iterator[Finding]:
    by_id = {entity.id: entity for entity in entities}
    for entity, line in zip(by_id.values(), lines, strict=True):
        for way in ways_of(entity):
            other = by_id.get(way.to)
            if other is not None and not way.one_way and entity.id not in {back.to for back in ways_of(other)}:
                message = f"exit {way.name}: there is no way back from {other.name}"
                hint = "add one there, or one_way: true here"
                yield warning(entity.file_path, "one-way-exit", message, line=line, hint=hint)
