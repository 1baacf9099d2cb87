"""PlannerInput -> the variables of the planner's prompt: who is here and their goals, threats, and the attempted
actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from lorewright.packs.markdown.chunking import plain_text
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
    names = {entity.id: entity.name for entity in packet.entities}
    player = next((entity.id for entity in packet.entities if entity.type == "player"), "")
    place = packet.scene.location_id
    return PlannerContext(
        player_name=names.get(player) or NOBODY,
        rules=packet.scene.constraints.rulebook_summary or "",
        calibration=calibration_of(packet),
        place=names.get(place, place),
        chars=CharsVariables(summary="\n".join(_people(packet, names, player))),
        lore=LoreVariables(text=_lore(packet.lore_context)),
        agendas=tuple(_agendas(packet, names)),
        threads=tuple(_thread(thread) for thread in packet.threads),
        clocks=tuple(_clock(clock) for clock in packet.clocks),
        threats=tuple(_threat(threat) for threat in packet.pending_threats),
        situations=tuple(situation.summary for situation in packet.active_situations),
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
        parts += [f"Keeps {briefing.withholds_count} things back."] if briefing.withholds_count else []
        yield f"{names.get(who, who)}: {' '.join(part for part in parts if part)}".rstrip(": ")


def _agendas(packet: ContextPacket, names: Mapping[str, str]) -> Iterator[str]:
    clocks = {clock.id: clock.name for clock in packet.clocks}
    for who, agenda in sorted(packet.npc_agendas.items()):
        soon = agenda.next
        acts = f" (acts when {clocks.get(soon.clock_id, soon.clock_id)} reaches {soon.at})" if soon else ""
        yield f"{names.get(who, who)}: {agenda.goal or 'no goal of their own'}{acts}"


def _thread(thread: PacketThread) -> str:
    stakes = thread.stakes.get("text")
    return f"{thread.title} ({thread.status}){f': {stakes}' if stakes else ''}"


def _clock(clock: PacketClock) -> str:
    marks = ", ".join(str(at) for at in sorted(map(int, clock.triggers)) if at > clock.value)
    ahead = f"; something happens at {marks}" if marks else ""
    return f"{clock.name}: {clock.value} of {clock.max}{ahead}"


def _threat(threat: PacketThreat) -> str:
    when = f"in {threat.minutes_left} minutes" if threat.at is None else f"at {threat.at} of {threat.max}"
    return f"{threat.name}: {when}"


def _fact(fact: PacketFact, names: Mapping[str, str]) -> str:
    hidden = " (the player does not know)" if fact.visibility != "player" else ""
    return f"{names.get(fact.subject_id, fact.subject_id)}: {fact.predicate}: {in_words(fact.object)}{hidden}"


def _lore(lore: PacketLore) -> str:
    asked = [plain_text(passage.text) for passage in lore.asked]
    return "\n".join([" ".join(lore.scene.atmosphere), *lore.scene.standing, *asked]).strip()[:_LORE_CHARACTERS]
