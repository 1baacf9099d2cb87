"""Ways out of a place, in frontmatter or in a list below `## Exits` -> a list of ways in the entity's `attrs`."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from lorewright.ids import local
from lorewright.packs.files import Finding, warning
from lorewright.packs.models import PackEntity

# Exits: `exits:` of a location becomes a list of ways in its `attrs`: name, to, minutes, door, key, one_way.

# Looks an entity up by ID, name, alias or path.
Find = Callable[[str], PackEntity | None]
Remark = Callable[[str], tuple[str, str]]

_TEXTS = ("name", "to", "door", "key")
_KEYS = frozenset({*_TEXTS, "minutes", "one_way"})


@dataclass(frozen=True, slots=True)
class PackExit:
    """A way out of a place. `to` is a qualified ID after it was looked up; `door` and `key` name things of a
    scenario."""

    name: str
    to: str
    minutes: int = 1
    door: str | None = None
    key: str | None = None
    one_way: bool = False


def read_ways(value: object) -> tuple[tuple[PackExit, ...], tuple[str, ...]]:
    """Return the ways that can be read, and a sentence on each problem with the others.

    A list of `{to: …}`, or `name: target`, or `name: {to: …}`; a way without a name is named by its target.
    """
    if isinstance(value, list):
        given = [way if isinstance(way, dict) else {"to": way} for way in value]
    elif isinstance(value, dict):
        given = [{"name": name, **(way if isinstance(way, dict) else {"to": way})} for name, way in value.items()]
    else:
        return (), ("exits must be a list, or `name: target` lines",)
    read = [_read_way(way) for way in given]
    ways = {way.name: way for way in read if isinstance(way, PackExit)}
    return tuple(ways.values()), tuple(problem for problem in read if isinstance(problem, str))


def _read_way(given: Mapping[str, Any]) -> PackExit | str:
    unknown = sorted(set(map(str, given)) - _KEYS)
    if unknown:
        return f"an exit has no {unknown[0]}"
    texts = {key: given[key] for key in _TEXTS if given.get(key) is not None}
    wrong = next((key for key, text in texts.items() if not isinstance(text, str)), None)
    if wrong or not texts.get("to"):
        return f"an exit's {wrong or 'to'} must be text"
    minutes, one_way = given.get("minutes", 1), given.get("one_way", False)
    if not isinstance(minutes, int) or isinstance(minutes, bool) or minutes < 0 or not isinstance(one_way, bool):
        return "an exit's minutes must be a whole number, and one_way true or false"
    to = texts["to"].removeprefix("[[").removesuffix("]]")
    return PackExit(texts.get("name") or local(to), to, minutes, texts.get("door"), texts.get("key"), one_way)


# The titles of a section of a place whose list says where one can go from there.
_EXITS_TITLES = frozenset({"exits", "exit", "ways", "ways out", "ausgänge", "wege", "sorties", "salidas"})
_LINK_IN_LINE = re.compile(r"!?\[\[([^\[\]|#]{1,200})[^\[\]]{0,200}\]\]|\[[^\[\]]{0,200}\]\(<?([^()<>]{1,300})>?\)")
_LIST_LINE = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(.{1,400})$")
_OF_A_WAY = re.compile(r"\(([^()]{1,120})\)\s*\.?\s*$")
_MINUTES = re.compile(r"^(\d{1,4})\s*(?:m|min|mins|minutes?)$", re.IGNORECASE)
_ALMOST_A_NOTE = re.compile(r"\b(?:min\w*|hours?|hrs?|doors?|keys?|one\W?way)\b", re.IGNORECASE)
# A line without a link is a way only where it is as short as a name.
_LONGEST_TARGET = 60


def is_exits_title(title: str) -> bool:
    """Tell whether a section of this title lists the ways out of a place."""
    return " ".join(title.casefold().strip(" :").split()) in _EXITS_TITLES


def read_listed_ways(text: str, line: int = 1) -> WrittenWays:
    """Return the ways that a section's list says, `- north: [[The Quay]] (10 minutes, door: hatch)`: a name that may be
    left out, a place, and in brackets minutes, a door, a key or `one way`. The text begins on a `line` of the file."""
    found: dict[str, PackExit] = {}
    lines: dict[str, int] = {}
    unread: list[tuple[int, str]] = []
    for number, row in enumerate(text.splitlines(), start=line):
        listed = _LIST_LINE.match(row)
        ignored: list[str] = []
        way = _listed_way(listed.group(1), ignored) if listed else None
        if way is not None and found.setdefault(way.name, way) is way:
            lines[way.name] = number
            unread += [(number, note) for note in ignored]
    return WrittenWays(tuple(found.values()), line, is_listed=True, lines=lines, unread=tuple(unread))


def lint_notes(path: str, ways: WrittenWays) -> Iterator[Finding]:
    """Yield a finding for each note in brackets behind a way that says nothing of it but looks as if it did."""
    for line, note in ways.unread:
        if _ALMOST_A_NOTE.search(note):
            message = f"({note[:60]}) is no note on a way, which takes a minute then"
            hint = "write (10 minutes), (door: hatch), (key: brass key) or (one way)"
            yield warning(path, "bad-way-note", message, line=line, hint=hint)


def _listed_way(line: str, ignored: list[str]) -> PackExit | None:
    """Return the way of a line, or None; notes in its brackets that cannot be read are appended to `ignored`."""
    said, notes = line.strip(), _OF_A_WAY.search(line)
    link = _LINK_IN_LINE.search(line)
    if notes is not None and (link is None or notes.start() >= link.end()):
        said = line[: notes.start()].strip()
    else:
        notes = None
    name, colon, rest = said.partition(":")
    if not colon or len(name) > _LONGEST_TARGET or "[[" in name:
        name, rest = "", said
    if link is not None:
        to = (link.group(1) or PurePosixPath(unquote(link.group(2))).stem).strip()
    else:
        to = rest.strip().strip(".")
    if not to or len(to) > _LONGEST_TARGET or "://" in to:
        return None
    minutes, door, key, one_way = 1, None, None, False
    for note in notes.group(1).split(",") if notes is not None else ():
        word, _, value = note.strip().partition(":")
        if number := _MINUTES.match(note.strip()):
            minutes = int(number.group(1))
        elif word.strip().casefold() in ("door", "key") and value.strip():
            door, key = (value.strip(), key) if word.strip().casefold() == "door" else (door, value.strip())
        elif word.strip().casefold().replace("-", " ") == "one way":
            one_way = True
        else:
            ignored.append(note.strip())
    return PackExit(name.strip(" *_") or to, to, minutes, door, key, one_way)


@dataclass(frozen=True, slots=True)
class WrittenWays:
    """The ways out of a file's place and their line. Those that a section lists lead back, too, unless they say that
    they are one way; where nothing has the name of one without a link, it is no way. `lines` has the line of each
    listed way by its name, and `unread` the notes behind them that cannot be read, each with its line."""

    ways: Sequence[PackExit]
    line: int
    is_listed: bool = False
    lines: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[tuple[int, str], ...] = ()

    def line_of(self, way: str) -> int:
        """Return the line of a way, or of all where they have none of their own."""
        return self.lines.get(way, self.line)


def connect_exits(
    entities: Sequence[PackEntity],
    written: Sequence[WrittenWays],
    find: Find,
    remark: Remark,
    findings: list[Finding],
) -> tuple[PackEntity, ...]:
    """Return the entities with their ways in `attrs`, in the same order; a way that leads nowhere is dropped with a
    finding. `written` is in the order of the entities; `remark` says what is wrong with a name for which `find` finds
    nothing, and what to do about it."""
    found = _connected(entities, written, find, remark, findings)
    listed = {entity.id for entity, of_file in zip(found, written, strict=True) if of_file.is_listed}
    found = _with_ways_back(found, listed)
    findings += _one_way(found, written)
    return tuple(found)


def _with_ways_back(entities: Sequence[PackEntity], listed: Container[str]) -> list[PackEntity]:
    """Return the entities with a way back for each listed way that has none and is not one way."""
    by_id = {entity.id: entity for entity in entities}
    for entity in entities:
        for way in ways_of(entity) if entity.id in listed else ():
            other = by_id.get(way.to)
            if other is None or other.type != "location" or other.id == entity.id or way.one_way:
                continue
            if entity.id not in {back.to for back in ways_of(other)}:
                back = PackExit(entity.name, entity.id, way.minutes, way.door, way.key)
                exits = [*other.attrs.get("exits", ()), asdict(back)]
                by_id[other.id] = replace(other, attrs={**other.attrs, "exits": exits})
    return [by_id[entity.id] for entity in entities]


def _connected(
    entities: Sequence[PackEntity],
    written: Sequence[WrittenWays],
    find: Find,
    remark: Remark,
    findings: list[Finding],
) -> list[PackEntity]:
    found = []
    for entity, own in zip(entities, written, strict=True):
        kept = [replace(way, to=target) for way in own.ways if (target := _target(way.to, find)) is not None]
        lost = [way for way in own.ways if _target(way.to, find) is None]
        findings += [_dangling(entity, way, own.line_of(way.name), remark) for way in lost]
        findings += lint_notes(entity.file_path, own)
        attrs = {**entity.attrs, "exits": [asdict(way) for way in kept]} if own.ways else entity.attrs
        found.append(replace(entity, attrs=attrs))
    return found


def ways_of(entity: PackEntity) -> list[PackExit]:
    """Return the ways in an entity's `attrs`, in order; none if it is no location."""
    ways = entity.attrs.get("exits") if entity.type == "location" else None
    return [PackExit(**way) for way in ways or ()]


def _target(reference: str, find: Find) -> str | None:
    """Return the ID that a reference means, or None; an unknown ID of another pack is kept, as it may be installed
    later."""
    target = find(reference)
    return target.id if target is not None else reference if ":" in reference else None


def _dangling(entity: PackEntity, way: PackExit, line: int, remark: Remark) -> Finding:
    what, hint = remark(way.to)
    return warning(entity.file_path, "dangling-reference", f"exit {way.name}: {what}", line=line, hint=hint)


def _one_way(entities: Iterable[PackEntity], written: Sequence[WrittenWays]) -> Iterator[Finding]:
    by_id = {entity.id: entity for entity in entities}
    for entity, own in zip(by_id.values(), written, strict=True):
        for way in ways_of(entity):
            other = by_id.get(way.to)
            if other is not None and not way.one_way and entity.id not in {back.to for back in ways_of(other)}:
                message = f"exit {way.name}: there is no way back from {other.name}"
                hint = "add one there, or one_way: true here"
                yield warning(entity.file_path, "one-way-exit", message, line=own.line_of(way.name), hint=hint)
