"""PlannerInput -> the variables of the planner's prompt: who is here and their goals, threats, and the attempted
actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from lorewright.packs.chunking import plain_text
from lorewright.turn.stages.variables import (
    NOBODY,
    CalibrationVariables,
    CharsVariables,
    LoreVariables,
    MessageVariables,
    PlayerVariables,
    PromptContext,
    attempts_in_words,
    calibration_of,
    claims_in_words,
    in_words,
    is_dialog,
    rows_of,
    text_of,
)
from lorewright.values.records import PlannerInput

_FACTS = 12
_LORE_CHARACTERS = 2_400


class PlannerContext(PromptContext):
    """The planner's variables: lists of lines, each about one thing."""

    stable: ClassVar[tuple[str, ...]] = ("rules", "calibration", "player", "player_name")

    player_name: str = NOBODY
    player: PlayerVariables = PlayerVariables()
    rules: str = ""
    calibration: CalibrationVariables = CalibrationVariables()
    place: str
    chars: CharsVariables
    lore: LoreVariables
    agendas: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()
    threats: tuple[str, ...] = ()
    situations: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    to_find: int = 0
    failures: int = 0
    msgs: tuple[MessageVariables, ...] = ()
    attempts: tuple[str, ...] = ()


def planner_context(given: PlannerInput) -> PlannerContext:
    """Return the planner's variables, from its packet and the judged actions."""
    packet = given.packet
    names = {str(row.get("id")): str(row.get("name")) for row in rows_of(packet, "entities")}
    place = str((packet.get("scene") or {}).get("location_id", ""))
    player = next((str(row["id"]) for row in rows_of(packet, "entities") if row.get("type") == "player"), "")
    return PlannerContext(
        player_name=names.get(player) or NOBODY,
        rules=text_of(packet, "scene", "constraints", "rulebook_summary"),
        calibration=calibration_of(packet),
        place=names.get(place, place),
        chars=CharsVariables(summary="\n".join(_people(packet, names, player))),
        lore=LoreVariables(text=_lore(packet)),
        agendas=tuple(_agendas(packet, names)),
        threads=tuple(_threads(packet)),
        clocks=tuple(_clocks(packet)),
        threats=tuple(_threats(packet)),
        situations=tuple(str(row.get("summary", "")) for row in rows_of(packet, "active_situations")),
        facts=tuple(_facts(packet, names)),
        to_find=_number((packet.get("investigation_progress") or {}).get("to_find_here")),
        failures=max((_number(count) for count in (packet.get("failure_streak") or {}).values()), default=0),
        msgs=tuple(
            MessageVariables(
                character="narrator",
                text=str(row.get("text", "")),
                is_dialog=is_dialog(str(row.get("text", ""))),
                turn_no=_number(row.get("turn_no")),
            )
            for row in rows_of(packet, "recent_events")
        ),
        attempts=(
            *attempts_in_words(given.actions, given.results, names),
            *claims_in_words(given.premises, names),
        ),
    )


def _people(packet: Mapping[str, Any], names: Mapping[str, str], player: str) -> Iterator[str]:
    scene = (packet.get("lore_context") or {}).get("scene") or {}
    briefings = scene.get("npc_briefings") or {}
    for who in packet.get("present_entities") or ():
        if who == player:
            continue
        sheet = briefings.get(who) or {}
        parts = [str(sheet.get("disposition") or ""), str(sheet.get("capabilities") or "")]
        parts += [f"Wants (never to be told): {sheet['motivation']}"] if sheet.get("motivation") else []
        topics = [str(topic) for topic in sheet.get("knows") or ()]
        parts += [f"Can speak of: {', '.join(topics)}."] if topics else []
        parts += [f"Keeps {sheet['withholds_count']} things back."] if sheet.get("withholds_count") else []
        yield f"{names.get(who, who)}: {' '.join(part for part in parts if part)}".rstrip(": ")


def _agendas(packet: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    clocks = {str(row.get("id")): str(row.get("name")) for row in rows_of(packet, "clocks")}
    for who, agenda in sorted((packet.get("npc_agendas") or {}).items()):
        soon = agenda.get("next") or {}
        acts = f" (acts when {clocks.get(soon['clock_id'], soon['clock_id'])} reaches {soon['at']})" if soon else ""
        yield f"{names.get(who, who)}: {agenda.get('goal') or 'no goal of their own'}{acts}"


def _threads(packet: Mapping[str, Any]) -> Iterator[str]:
    for row in rows_of(packet, "threads"):
        stakes = text_of(row, "stakes", "text")
        yield f"{row.get('title')} ({row.get('status')}){f': {stakes}' if stakes else ''}"


def _clocks(packet: Mapping[str, Any]) -> Iterator[str]:
    for row in rows_of(packet, "clocks"):
        marks = ", ".join(
            str(at) for at in sorted(map(int, row.get("triggers") or ())) if at > _number(row.get("value"))
        )
        ahead = f"; something happens at {marks}" if marks else ""
        yield f"{row.get('name')}: {row.get('value')} of {row.get('max')}{ahead}"


def _threats(packet: Mapping[str, Any]) -> Iterator[str]:
    for row in rows_of(packet, "pending_threats"):
        when = f"at {row['at']} of {row['max']}" if "at" in row else f"in {row.get('minutes_left')} minutes"
        yield f"{row.get('name')}: {when}"


def _facts(packet: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    for row in rows_of(packet, "facts")[:_FACTS]:
        subject = str(row.get("subject_id", ""))
        hidden = " (the player does not know)" if row.get("visibility") != "player" else ""
        yield f"{names.get(subject, subject)}: {row.get('predicate')}: {in_words(row.get('object'))}{hidden}"


def _lore(packet: Mapping[str, Any]) -> str:
    scene = (packet.get("lore_context") or {}).get("scene") or {}
    atmosphere = [str(line) for line in scene.get("atmosphere") or ()]
    asked = [plain_text(str(row.get("text", ""))) for row in rows_of(packet, "lore_context", "asked")]
    return "\n".join([" ".join(atmosphere), *asked]).strip()[:_LORE_CHARACTERS]


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
