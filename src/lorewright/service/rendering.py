"""Answers of a desk -> Markdown, for whoever reads a resource or a prompt: what the answer says, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.campaigns.eyes import SceneFound, Transcript
from lorewright.service.desk import EntityFound
from lorewright.turn.checks.tools import MessageSeen, StateSeen, WaySeen

# What an author calls an item by, before its text.
_NAMES = re.compile(r"\{#[^}]*\}\s*")


def entity_text(found: EntityFound) -> str:
    """An entity with all that was found of it, section by section, each with its source."""
    also = f"\n\nAlso called {', '.join(found.entity.aliases)}." if found.entity.aliases else ""
    sections = [f"## {one.section_path}\n\n{_NAMES.sub('', one.text)}\n\n({one.chunk_id})" for one in found.chunks]
    return "\n\n".join([f"# {found.entity.name} ({found.entity.type}, {found.entity.id}){also}", *sections]) + "\n"


def state_text(state: StateSeen) -> str:
    """Where the story stands, in a few lines."""
    lines = [f"Turn {state.turn_no}, {state.minutes} minutes in."]
    if state.place is not None:
        lines.append(f"Place: {state.place.name}.")
    if state.present:
        lines.append(f"Present: {', '.join(one.name for one in state.present)}.")
    if state.carried:
        many = (f"{one.name}{f' ({one.quantity})' if one.quantity > 1 else ''}" for one in state.carried)
        lines.append(f"Carried: {', '.join(many)}.")
    if state.ways:
        lines.append(f"Ways out: {', '.join(map(_way, state.ways))}.")
    lines += [f"Clock: {one['name']} {one['value']} of {one['max']}." for one in state.clocks]
    lines += [f"Thread: {one.title} ({one.status})." for one in state.threads]
    lines += [
        f"Established: {one.subject.name}: {one.predicate.replace('_', ' ')} {_shown(one.object)}".rstrip()
        for one in state.facts
    ]
    lines += [f"Remembered: {one}" for one in state.remembered]
    if state.ended:
        lines.append("The story has ended.")
    return "\n".join(lines) + "\n"


def _way(way: WaySeen) -> str:
    return f"{way.way} (to {way.name})" if way.name else way.way


def scene_text(scene: SceneFound) -> str:
    """A scene: its place, who is there, and its lore."""
    who = ", ".join(one.name for one in scene.present) or "nobody"
    names = {one.id: one.name for one in (*scene.present, *scene.eyes)}
    return "\n".join([f"# {scene.place.name}", "", f"There: {who}.", "", *_lore(scene.lore, names)]).rstrip() + "\n"


def transcript_text(transcript: Transcript) -> str:
    """The entries, turn by turn."""
    lines: list[str] = []
    turn_no: int | None = None
    for message in transcript.messages:
        if message.turn_no != turn_no:
            turn_no = message.turn_no
            lines += [f"## Turn {turn_no}", ""]
        lines += [_said(message), ""]
    return "\n".join(lines).rstrip() + "\n" if lines else "Nothing yet.\n"


def _said(message: MessageSeen) -> str:
    if message.type == "narration":
        return message.content
    what = message.subtype or message.type
    if message.type == "scene_marker":
        return f"[{what}: {_shown(dict(message.payload))}]"
    return f"{message.owner.name} ({what}): {message.content}"


def _lore(lore: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Every part that says anything, under a heading of its own."""
    for key, value in lore.items():
        if key in ("scene_id", "location_id") or not value:
            continue
        lines = list(_lines(value, names))
        if lines:
            yield f"## {key.replace('_', ' ').capitalize()}"
            yield ""
            yield from lines
            yield ""


def _lines(value: Any, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        # A text with its source, as a scene's lore has it, is its text.
        if "text" in value:
            yield f"- {value['text']}"
            return
        whose = value.get("npc_id")
        for key, one in value.items():
            told = [] if key in ("npc_id", "chunk_id", "key", "id") else list(_lines(one, names))
            of = f"{names.get(whose, whose)}: " if whose else ""
            if told:
                yield f"- {of}{names.get(key, str(key)).replace('_', ' ')}"
                yield from (f"  {line}" for line in told)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for one in value:
            yield from _lines(one, names)
    elif value not in ("", None):
        yield f"- {value}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(one)}" for key, one in value.items())
    return "" if value in (None, True) else str(value)
