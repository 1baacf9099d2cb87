"""Packs and scenarios -> every text of theirs that somebody reads who need not know the packs' secrets, by lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.campaigns.scenario import scenario_text
from lorewright.errors import ScenarioError
from lorewright.ids import local, shown_item
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.models import OPEN_ROLES, Chunk, Pack
from lorewright.packs.plain import comments_in, plain_text, without_spans
from lorewright.turn.views.leaks import plain_words

# Keys of a scenario that only the game master, the planner or the one they are about ever reads.
_PRIVATE = frozenset({"goals", "agenda", "thought", "observations", "states", "demo", "id", "topic", "when", "on"})
_MAX_NODES = 500_000
_YAML_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Surface:
    """A text and who reads it: `words` with the line of each. `holder` is whose file it is; items in `reveals` are told
    where this text is, so that it may say them."""

    file: str
    words: tuple[str, ...]
    lines: tuple[int, ...]
    viewer: str
    channel: str
    holder: str = ""
    reveals: frozenset[str] = frozenset()

    def place(self, at: int) -> str:
        """`file:line` of a word."""
        return f"{self.file}:{self.lines[at]}"

    def quote(self, at: int, count: int = 12) -> str:
        """Some words from there on."""
        return " ".join(self.words[at : at + count])


def surfaces_of(pack: Pack) -> Iterator[Surface]:
    """Open sections, what people tell whoever asks, hints, names, and the keys of frontmatter and manifest."""
    for chunk in pack.chunks:
        if chunk.role in OPEN_ROLES:
            channel: str = "open lore" if chunk.role == "lore" else chunk.role
            yield _of_lines(chunk.file_path, _without_comments(chunk.source), _first_line(chunk), "everyone", channel)
        for item in chunk.items:
            if item.hint:
                yield _of_text(chunk.file_path, item.hint, item.line, "player", "hint", chunk.entity_id)
            if chunk.role == "knows":
                who = f"npc:{chunk.entity_id}, and whoever asks"
                yield _of_text(chunk.file_path, item.text, item.line, who, "knows", chunk.entity_id)
    for entity in pack.entities:
        for channel, text in (("names", "; ".join((entity.name, *entity.aliases, *entity.tags))), *_keys(entity.attrs)):
            yield _of_text(entity.file_path, text, 1, "everyone", channel, entity.id)
    manifest = pack.manifest
    for text in (manifest.name, manifest.description, manifest.genre, *map(str, (manifest.provides, manifest.extra))):
        yield _of_text(MANIFEST_FILE, text, 1, "everyone", "manifest")


def surfaces_of_scenario(path: Path) -> Iterator[Surface]:
    """Every sentence that a scenario's author wrote for the player, each with the items that are revealed where it is
    told; none where the file cannot be read."""
    try:
        text = scenario_text(path)
        data = load_yaml(text, max_nodes=_MAX_NODES).data
        lines = lines_of_yaml(text, max_nodes=_MAX_NODES)
    except (UnicodeDecodeError, YamlProblem, ScenarioError):
        return
    for keys, said in _texts(data, ()):
        if not _PRIVATE.intersection(map(str, keys)):
            yield _of_text(
                path.name,
                said,
                line_of(lines, keys),
                "player",
                "scenario",
                reveals=_revealed(data, keys),
            )


def holds(surface: Surface, item_id: str) -> bool:
    """Whether an item, by its full ID, is told where this text is."""
    return bool(surface.reveals & {item_id, shown_item(item_id), local(item_id.partition("#")[0])})


def _keys(attrs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in attrs.items():
        if key not in ("agenda", "acts", "exits"):
            yield f"frontmatter key {key}", _flat(value)


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(_flat(one) for one in value.values())
    return "; ".join(_flat(one) for one in value) if isinstance(value, (list, tuple)) else str(value)


def _first_line(chunk: Chunk) -> int:
    """The line on which the chunk's source begins: `chunk.line` is that of its first line that is not blank."""
    return chunk.line - _blank(chunk.source)


def _blank(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")


def _without_comments(source: str) -> str:
    return without_spans(source, comments_in(source))


def _of_lines(file: str, text: str, line: int, viewer: str, channel: str) -> Surface:
    words: list[str] = []
    numbers: list[int] = []
    for number, one in enumerate(text.split("\n"), start=line):
        found = plain_words(_shown(one))
        words += found
        numbers += [number] * len(found)
    return Surface(file, tuple(words), tuple(numbers), viewer, channel)


_MARK = re.compile(r"\{#[^}]*\}")


def _shown(line: str) -> str:
    """A line as it is read: links by the words that are shown."""
    return plain_text(_MARK.sub(" ", line.lstrip("#>-*+ \t"))) if line.strip() else ""


def _of_text(
    file: str,
    text: str,
    line: int,
    viewer: str,
    channel: str,
    holder: str = "",
    reveals: frozenset[str] = frozenset(),
) -> Surface:
    words = tuple(plain_words(text))
    return Surface(file, words, (line,) * len(words), viewer, channel, holder, reveals)


def _texts(value: Any, keys: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*keys, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*keys, number))
    elif isinstance(value, str) and " " in value:
        yield keys, value


def _revealed(data: Any, keys: tuple[object, ...]) -> frozenset[str]:
    """The items that are told where a text stands: a band's effects for what is said of the band, a condition of having
    learned it, the thing that is found; for anything else whatever its entry reveals."""
    entry = data
    for key in keys[:2]:
        entry = entry[key]
    found = {str(keys[1])} if keys[0] == "finds" and len(keys) > 1 else set()
    if not isinstance(entry, (dict, list)):
        return frozenset(found)
    if isinstance(entry, dict) and keys[0] == "rules" and len(keys) > 3 and keys[2] == "say":
        band = str(keys[3])
        told = entry.get(band) or (entry.get("success") if band == "critical" else None)
        return frozenset({*found, *_items(told), *_items(entry.get("when"))})
    return frozenset({*found, *_items(entry)})


def _items(value: Any) -> Iterator[str]:
    """Items that are revealed by what is in here, or were before; not those that are asked for not to be."""
    if isinstance(value, list):
        for one in value:
            yield from _items(one)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in ("reveal", "revealed"):
                yield from [inner] if isinstance(inner, str) else map(str, inner)
            elif key != "not":
                yield from _items(inner)
