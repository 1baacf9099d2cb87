"""NarratorInput -> the variables of the narrator's prompt. Those that hold for a scene are separate from those of the
turn, so that a provider's prompt cache can hold the former."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import ClassVar

from lorewright.turn.stages.narrate.sources import (
    NOTE_TOKENS,
    THINGS,
    EvidenceSheet,
    Source,
    beats_shown,
    relations_shown,
    scene_shown,
    sheet_of,
    words_shown,
)
from lorewright.turn.stages.standing import fact_in_words
from lorewright.turn.stages.variables import (
    CalibrationVariables,
    CharsVariables,
    LoreVariables,
    MessageVariables,
    PlayerVariables,
    PromptContext,
    calibration_of,
    cut,
    in_words,
    is_dialog,
    name_of,
    state_variables,
)
from lorewright.values.packet import ContextPacket, PacketThread
from lorewright.values.records import FIRST_CODE, NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.things import PREDICATES

# The most threads, threats and conditions that are listed besides the sources.
_THREADS = 4
_THREATS = 3
_CONDITIONS = 4
# The most promises that are listed where no source says them.
_PROMISES = 3
# The tokens of what somebody here can do.
_CAPABILITIES = 50


class Numbered(Frozen):
    """A line with the number that it is cited by; `title` says of lore whom or what it is about."""

    number: int
    text: str
    title: str = ""


class Learned(Frozen):
    """An item that the player learns or is reminded of; `how` says from whom or in which way."""

    number: int
    text: str
    how: str


class Told(MessageVariables):
    """An earlier narration, with the number that it is cited by."""

    number: int


class NarratorScene(Frozen):
    """The place, the same as long as the scene lasts: `exits` are the ways out by name."""

    place: str
    exits: tuple[str, ...] = ()


class NarratorTurn(Frozen):
    """The turn's own part of the prompt.

    `own` are the outcomes of the player's actions and the changes in order, `acts` what others do of their own accord,
    and `happened` both in one list; `round` is the character whose act alone is told, if it is not the player's round,
    and `quiet` are those who could have acted lately and did not. `learned` are items that the player comes to know,
    `asked` lore retrieved for their words, `near` open descriptions of what is near, `facts` established facts about
    who is here. `arrived`: the scene began now; `new_place`: they have never been there. `shut` are ways that are
    barred, `conditions` the states of people, `relations` how those who are here stand to each other and what they have
    promised, `scene_state` the
    ruleset's scene and the circumstances that hold. `markers` are what went between the last turn and this one,
    `markers_before` the same of earlier turns.
    """

    happened: tuple[Numbered, ...] = ()
    own: tuple[Numbered, ...] = ()
    acts: tuple[Numbered, ...] = ()
    round: str = ""
    quiet: tuple[str, ...] = ()
    learned: tuple[Learned, ...] = ()
    asked: tuple[Numbered, ...] = ()
    near: tuple[Numbered, ...] = ()
    facts: tuple[Numbered, ...] = ()
    arrived: bool = False
    new_place: bool = False
    minutes: int = 0
    things: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    shut: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    threats: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    tension: str = ""
    markers: tuple[str, ...] = ()
    markers_before: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    scene_state: tuple[str, ...] = ()
    ended: bool = False


class NarratorContext(PromptContext):
    """The narrator's variables. `tone` and `stakes` are the scenario's. `lore` is of the place, of the sitting's
    beginning and of the story so far, `chars` the people here with their nature; both are numbered lines."""

    stable: ClassVar[tuple[str, ...]] = (
        *("player_name", "rules", "calibration", "tone", "stakes", "scene", "lore", "chars", "player"),
    )

    player_name: str
    rules: str = ""
    tone: str = ""
    stakes: str = ""
    calibration: CalibrationVariables = CalibrationVariables()
    scene: NarratorScene
    lore: LoreVariables
    chars: CharsVariables
    player: PlayerVariables
    msgs: tuple[Told, ...] = ()
    turn: NarratorTurn
    player_text: str


def narrator_context(given: NarratorInput) -> NarratorContext:
    """Return the narrator's variables: nothing that is not in its input."""
    sheet, scene = sheet_of(given), given.scene
    return NarratorContext(
        player_name=given.player.name,
        rules=given.packet.scene.constraints.rulebook_summary or "",
        calibration=_calibration(given),
        tone=given.packet.scene.constraints.tone,
        stakes=given.packet.scene.constraints.stakes,
        scene=NarratorScene(
            place=scene.place_name,
            exits=tuple(f"{way.name}: to {way.to_name}" if way.to_name else way.name for way in scene.exits),
        ),
        lore=LoreVariables(text=_lore(sheet)),
        chars=CharsVariables(summary=_people(given, sheet)),
        player=PlayerVariables(
            description=given.player.description, states=state_variables(given.player.states, latent=False)
        ),
        msgs=tuple(
            Told(number=source.number, character="narrator", text=source.text, is_dialog=is_dialog(source.text))
            for source in sheet.told
        ),
        turn=_turn(given, sheet),
        player_text=words_shown(given),
    )


def _lore(sheet: EvidenceSheet) -> str:
    """Return lore and old story as one text; every version of the prompt shows both in one place."""
    known = _numbered((*sheet.place, *sheet.session))
    return f"{known}\n\nEarlier in the story:\n{_numbered(sheet.story)}" if sheet.story else known


def _calibration(given: NarratorInput) -> CalibrationVariables:
    """Return what the players asked for; without a character's text that only repeats their description."""
    calibration = calibration_of(given.packet)
    return (
        calibration.model_copy(update={"character": ""})
        if calibration.character == given.player.description
        else calibration
    )


def _turn(given: NarratorInput, sheet: EvidenceSheet) -> NarratorTurn:
    scene = given.scene
    return NarratorTurn(
        happened=_lines((*sheet.happened, *sheet.acts)),
        own=_lines(sheet.happened),
        acts=_lines(sheet.acts),
        round=_round(given),
        quiet=tuple(person.name for person in scene.people if person.id in given.quiet),
        learned=tuple(Learned(number=source.number, text=source.text, how=how) for source, how in sheet.learned),
        asked=_lines(sheet.asked),
        near=_lines(sheet.near),
        facts=_lines(sheet.facts),
        arrived=given.scene_changed,
        new_place=given.scene_changed and scene.first_visit,
        minutes=given.minutes,
        things=tuple(thing.name for thing in scene.things[:THINGS]),
        carried=tuple(thing.name for thing in given.carried[:THINGS]),
        shut=tuple(
            f"{way.name} ({'locked' if way.locked else 'shut'})" for way in scene.exits if way.barred or way.locked
        ),
        conditions=tuple(_conditions(given))[:_CONDITIONS],
        threads=tuple(_thread(thread, given) for thread in given.packet.threads if thread.status == "open")[:_THREADS],
        threats=tuple(_threats(given.packet)),
        beats=beats_shown(given),
        tension="" if given.plan.tension_move == "none" else cut(given.plan.tension_move, NOTE_TOKENS),
        markers=given.markers,
        markers_before=given.markers_before,
        relations=(*relations_shown(given), *_promises(given, sheet)),
        scene_state=scene_shown(given),
        ended=given.ending is not None,
    )


def _threats(packet: ContextPacket) -> Iterator[str]:
    """Yield the names of what presses, a clock's with what it counts."""
    means = {clock.name: clock.means for clock in packet.clocks if clock.means}
    for threat in packet.pending_threats[:_THREATS]:
        yield f"{threat.name} ({means[threat.name]})" if threat.name in means else threat.name


def _thread(thread: PacketThread, given: NarratorInput) -> str:
    """Return an open thread, with what the player has learned of how it is tied to the scene."""
    here = given.packet.lore_context.scene.thread_connections.get(thread.id)
    return f"{thread.title} {cut(here, NOTE_TOKENS)}".rstrip() if here else thread.title


def _promises(given: NarratorInput, sheet: EvidenceSheet) -> Iterator[str]:
    """Yield what those who are here have promised or owe each other, as far as no source says it: what was promised is
    to be known even where there was no room for it among the established facts."""
    if given.code_version == FIRST_CODE:
        return
    said = "\n".join(source.text for source in sheet.all())
    here = {given.player_id, *(person.id for person in given.scene.people)}
    names = {
        **given.names,
        **{person.id: person.name for person in given.scene.people},
        given.player_id: given.player.name,
    }
    bonds = (fact for fact in given.packet.facts if fact.predicate in PREDICATES and fact.subject_id in here)
    lines = (fact_in_words(fact, names) for fact in bonds)
    yield from islice((f"On record: {line}" for line in lines if line not in said), _PROMISES)


def _round(given: NarratorInput) -> str:
    """Return whose round it is, where that is not the player's."""
    return "" if given.outcomes or given.scene_changed else " and ".join(act.name for act in given.acts)


def _people(given: NarratorInput, sheet: EvidenceSheet) -> str:
    """Return everybody here in a line each, with their numbered disposition and what they can do."""
    lines = []
    can = {} if given.code_version == FIRST_CODE else given.packet.npc_capabilities
    for person in given.scene.people:
        lines_of_person = sheet.people[person.id]
        able = cut(can.get(person.id, ""), _CAPABILITIES)
        lines.append(f"{person.name} ({person.pronoun}){':' if lines_of_person or able else ''}")
        lines += [_numbered(lines_of_person)] if lines_of_person else []
        lines += [f"What {person.name} can do: {able}"] if able else []
    return "\n".join(lines)


def _conditions(given: NarratorInput) -> Iterator[str]:
    """Yield the circumstances of the scene, then conditions and manifest states of those who are here; the player's
    states are shown elsewhere."""
    yield from (cut(held.summary, NOTE_TOKENS) for held in given.packet.active_situations if held.summary)
    for entity in given.packet.entities:
        who, states = name_of(given, entity.id), {} if entity.id == given.player_id else entity.attrs.states
        shown = [*entity.attrs.conditions, *(f"{name}: {in_words(value)}" for name, value in states.items())]
        if shown:
            yield cut(f"{who}: {', '.join(shown)}", NOTE_TOKENS)


def _lines(sources: Sequence[Source]) -> tuple[Numbered, ...]:
    """Return sources as numbered lines; of several with one title the first has it."""
    before = ("", *(source.title for source in sources))
    titles = ("" if source.title == title else source.title for source, title in zip(sources, before, strict=False))
    return tuple(
        Numbered(number=source.number, text=source.text, title=title)
        for source, title in zip(sources, titles, strict=True)
    )


def _numbered(sources: Iterable[Source]) -> str:
    """Return sources as lines, with their title above those that share it."""
    lines: list[str] = []
    title = ""
    for source in sources:
        lines += [f"{source.title}:"] if source.title and source.title != title else []
        lines.append(f"[{source.number}] {source.text}")
        title = source.title
    return "\n".join(lines)
