"""NarratorInput -> the variables of the narrator's prompt. Those that hold for a scene are separate from those of the
turn, so that a provider's prompt cache can hold the former."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from lorewright.turn.stages.narrate.sources import (
    NOTE_TOKENS,
    THINGS,
    EvidenceSheet,
    Source,
    beats_shown,
    sheet_of,
    words_shown,
)
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
from lorewright.values.records import NarratorInput
from lorewright.world.frozen import Frozen

# The most threads, threats and conditions that are listed besides the sources.
_THREADS = 4
_THREATS = 3
_CONDITIONS = 4


class Numbered(Frozen):
    """A line with the number that it is cited by."""

    number: int
    text: str


class Learned(Numbered):
    """An item that the player learns or is reminded of; `how` says from whom or in which way."""

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
    barred, `conditions` the states of people.
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
    ended: bool = False


class NarratorContext(PromptContext):
    """The narrator's variables. `lore` is of the place, of the sitting's beginning and of the story so far, `chars` the
    people here with their nature; both are numbered lines."""

    stable: ClassVar[tuple[str, ...]] = ("player_name", "rules", "calibration", "scene", "lore", "chars", "player")

    player_name: str
    rules: str = ""
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
        threads=tuple(thread.title for thread in given.packet.threads if thread.status == "open")[:_THREADS],
        threats=tuple(threat.name for threat in given.packet.pending_threats[:_THREATS]),
        beats=beats_shown(given),
        tension="" if given.plan.tension_move == "none" else cut(given.plan.tension_move, NOTE_TOKENS),
        markers=given.markers,
        ended=given.ending is not None,
    )


def _round(given: NarratorInput) -> str:
    """Return whose round it is, where that is not the player's."""
    return "" if given.outcomes or given.scene_changed else " and ".join(act.name for act in given.acts)


def _people(given: NarratorInput, sheet: EvidenceSheet) -> str:
    """Return everybody here in a line each, with their numbered disposition."""
    lines = []
    for person in given.scene.people:
        lines_of_person = sheet.people[person.id]
        lines.append(f"{person.name} ({person.pronoun}){':' if lines_of_person else ''}")
        lines += [_numbered(lines_of_person)] if lines_of_person else []
    return "\n".join(lines)


def _conditions(given: NarratorInput) -> Iterator[str]:
    """Yield conditions and manifest states of those who are here; the player's states are shown elsewhere."""
    for entity in given.packet.entities:
        who, states = name_of(given, entity.id), {} if entity.id == given.player_id else entity.attrs.states
        shown = [*entity.attrs.conditions, *(f"{name}: {in_words(value)}" for name, value in states.items())]
        if shown:
            yield cut(f"{who}: {', '.join(shown)}", NOTE_TOKENS)


def _lines(sources: Iterable[Source]) -> tuple[Numbered, ...]:
    return tuple(Numbered(number=source.number, text=source.text) for source in sources)


def _numbered(sources: Iterable[Source]) -> str:
    return "\n".join(f"[{source.number}] {source.text}" for source in sources)
