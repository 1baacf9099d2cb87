"""PlannerInput -> the variables of the planner's prompt: who is here and their goals, threats, and the attempted
actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from lorewright.packs.markdown.chunking import plain_text
from lorewright.turn.stages.standing import fact_in_words, relations_in_words
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
    is_dialog,
)
from lorewright.values.packet import (
    ContextPacket,
    PacketBriefing,
    PacketClock,
    PacketFact,
    PacketLore,
    PacketThread,
    PacketThreat,
)
from lorewright.values.records import PlannerInput

_FACTS = 12
_LORE_CHARACTERS = 2_400
_NO_BRIEFING = PacketBriefing()


class PlannerContext(PromptContext):
    """The planner's variables: lists of lines, each about one thing. `tone` and `stakes` are the scenario's,
    `relations` how those who are here stand to each other, `scene_state` the ruleset's scene."""

    stable: ClassVar[tuple[str, ...]] = ("rules", "calibration", "tone", "stakes", "player", "player_name")

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
    relations: tuple[str, ...] = ()
    scene_state: tuple[str, ...] = ()
    tone: str = ""
    stakes: str = ""
    facts: tuple[str, ...] = ()
    to_find: int = 0
    failures: int = 0
    msgs: tuple[MessageVariables, ...] = ()
    attempts: tuple[str, ...] = ()


def planner_context(given: PlannerInput) -> PlannerContext:
    """Return the planner's variables, from its packet and the judged actions."""
    packet = given.packet
    names = {entity.id: entity.name for entity in packet.entities}
    player = next((entity.id for entity in packet.entities if entity.type == "player"), "")
    place = packet.scene.location_id
    return PlannerContext(
        player_name=names.get(player) or NOBODY,
        rules=packet.scene.constraints.rulebook_summary or "",
        calibration=calibration_of(packet),
        place=names.get(place, place),
        chars=CharsVariables(summary="\n".join(_people(packet, names, player))),
        lore=LoreVariables(text=_lore(packet.lore_context, [event.text for event in packet.recent_events])),
        agendas=tuple(_agendas(packet, names)),
        threads=tuple(_thread(thread, packet.lore_context.scene.thread_connections) for thread in packet.threads),
        clocks=tuple(_clock(clock) for clock in packet.clocks),
        threats=tuple(_threat(threat) for threat in packet.pending_threats),
        situations=tuple(situation.summary for situation in packet.active_situations),
        relations=tuple(relations_in_words(packet, names, player_id=player)),
        scene_state=packet.scene.constraints.scene_in_words,
        tone=packet.scene.constraints.tone,
        stakes=packet.scene.constraints.stakes,
        facts=tuple(_fact(fact, names) for fact in packet.facts[:_FACTS]),
        to_find=packet.investigation_progress.to_find_here or 0,
        failures=max(packet.failure_streak.values(), default=0),
        msgs=tuple(
            MessageVariables(
                character="narrator", text=event.text, is_dialog=is_dialog(event.text), turn_no=event.turn_no
            )
            for event in packet.recent_events
        ),
        attempts=(
            *attempts_in_words(given.actions, given.results, names),
            *claims_in_words(given.premises, names),
        ),
    )


def _people(packet: ContextPacket, names: Mapping[str, str], player: str) -> Iterator[str]:
    briefings = packet.lore_context.scene.npc_briefings
    for who in packet.present_entities:
        if who == player:
            continue
        briefing = briefings.get(who, _NO_BRIEFING)
        parts = [briefing.disposition, briefing.capabilities]
        parts += [f"Wants (never to be told): {briefing.motivation}"] if briefing.motivation else []
        parts += [f"Can speak of: {', '.join(briefing.knows)}."] if briefing.knows else []
        kept = briefing.withholds_count or 0
        parts += [f"Keeps {kept} thing{'s' * (kept != 1)} back."] if kept else []
        yield f"{names.get(who, who)}: {' '.join(part for part in parts if part)}".rstrip(": ")


def _agendas(packet: ContextPacket, names: Mapping[str, str]) -> Iterator[str]:
    clocks = {clock.id: clock.name for clock in packet.clocks}
    for who, agenda in sorted(packet.npc_agendas.items()):
        soon = agenda.next
        acts = f" (acts when {clocks.get(soon.clock_id, soon.clock_id)} reaches {soon.at})" if soon else ""
        yield f"{names.get(who, who)}: {agenda.goal or 'no goal of their own'}{acts}"


def _thread(thread: PacketThread, connections: Mapping[str, str]) -> str:
    stakes, here = thread.stakes.get("text"), connections.get(thread.id)
    line = f"{thread.title} ({thread.status}){f': {stakes}' if stakes else ''}"
    return f"{line} What ties it to this scene: {here}" if here else line


def _clock(clock: PacketClock) -> str:
    marks = ", ".join(str(at) for at in sorted(map(int, clock.triggers)) if at > clock.value)
    ahead = f"; something happens at {marks}" if marks else ""
    wanted = " (the player wants it full)" if clock.good else ""
    means = f" ({clock.means})" if clock.means else ""
    return f"{clock.name}{wanted}: {clock.value} of {clock.max}{ahead}{means}"


def _threat(threat: PacketThreat) -> str:
    if threat.at is None:
        return f"{threat.name}: in {threat.minutes_left} minutes"
    return f"{threat.name}: it is not far from {threat.at} of {threat.max}, where something happens"


def _fact(fact: PacketFact, names: Mapping[str, str]) -> str:
    hidden = " (the player does not know)" if fact.visibility != "player" else ""
    return f"{fact_in_words(fact, names)}{hidden}"


def _lore(lore: PacketLore, told: Sequence[str]) -> str:
    """Return the lore of the scene and what was looked up, with its titles and without what was told lately; then what
    was retrieved for the scene."""
    texts = ((passage.title, plain_text(passage.text)) for passage in lore.asked)
    asked = [f"{title}: {text}" if title else text for title, text in texts if not any(text in event for event in told)]
    of_scene = [" ".join(lore.scene.atmosphere), *lore.scene.standing]
    # A section that was asked for is not shown again where the scene shows it anyway.
    asked = [line for line in asked if not any(text and line.endswith(text) for text in of_scene)]
    known = "\n".join([*of_scene, *asked]).strip()
    known = known if len(known) <= _LORE_CHARACTERS else whole_sentences(known[:_LORE_CHARACTERS])
    asked_ids = {passage.chunk_id for passage in lore.asked}
    sections = [section for section in lore.scene.retrieved or () if section.chunk_id not in asked_ids]
    around = [f"{section.section_path.replace(' > ', ', ')}: {plain_text(section.text)}" for section in sections]
    return "\n".join((known, *around))


def whole_sentences(text: str) -> str:
    """Return a text that was cut without the sentence in which it ends; the text where it is a part of one."""
    end = max(text.rfind(mark) for mark in (". ", "! ", "? ", ".\n", "!\n", "?\n", "”"))
    return text[: end + 1] if end > 0 else text
