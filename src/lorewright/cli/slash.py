"""The commands of the prompt: what stands after a slash, what each of them says, and which one was meant."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable
from dataclasses import dataclass

from lorewright.campaigns.asides import MapWay, ask_lore, introductions, map_of, why
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import recap_of, sit_down
from lorewright.campaigns.standing import Impending, standing_of
from lorewright.campaigns.table import table_of
from lorewright.cli.output import say
from lorewright.cli.prose import laid_out, wrapped
from lorewright.cli.table_talk import roll_line, show_last, show_result, show_table
from lorewright.errors import CampaignError
from lorewright.storage.sittings import session_rows
from lorewright.turn.result import TurnResult
from lorewright.turn.rewinding import redo, undo_played


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does, in a line; `run` is handed what stands after its name. What is no aside shows a telling."""

    help: str
    run: Callable[[OpenCampaign, str], None]
    argument: str = ""
    is_aside: bool = True


# Words that mean a command also without a slash, if they are all that is said.
BARE = frozenset({"help", "undo", "redo", "retry", "quit", "exit"})

_QUITS = ("/quit", "/q", "/exit")

# No story is so long: more digits than this are no number of turns.
_MOST_DIGITS = 6

# What is repeated of a line that came to nothing.
_ECHOED = 60

_SPEECH = """\
Say what you do in plain words: look around · ask somebody about something · search under the table · take it ·
go back · wait. A number takes the suggestion of that number."""

# What a command does stands to the right of the longest of their names.
_NAMES = 13


def obey(campaign: OpenCampaign, line: str) -> bool:
    """Do what a command says; whether the play goes on.

    Raises:
        LorewrightError: it cannot be done; nothing was changed.
    """
    name, _, rest = line.strip().removeprefix("/").strip().partition(" ")
    name = f"/{name.casefold() or 'help'}"
    if name in _QUITS:
        return False
    command = COMMANDS.get(name)
    if command is None:
        near = difflib.get_close_matches(name, [*COMMANDS, "/quit"], n=1)
        say(f"There is no {_short(name)}. {f'Did you mean {near[0]}? ' if near else ''}All of them: /help")
        say()
    else:
        command.run(campaign, rest.strip())
        if command.is_aside:
            say()
    return True


def _short(text: str) -> str:
    return text if len(text) <= _ECHOED else f"{text[:_ECHOED]}…"


def is_command(line: str) -> bool:
    """Whether a line is for the program and not for the story."""
    words = line.strip().casefold()
    return words.startswith("/") or words in BARE


def _help(campaign: OpenCampaign, rest: str) -> None:
    say(wrapped(_SPEECH))
    named = [(f"{name} {command.argument}", command.help) for name, command in COMMANDS.items()]
    for name, does in (*named, ("/quit", "leave; everything is saved")):
        say(wrapped(does, indent=name.ljust(_NAMES), hanging=" " * _NAMES))


def _who(campaign: OpenCampaign, rest: str) -> None:
    state = campaign.store.head().state
    people = introductions(campaign)
    say(f"{state.name_of(state.scene.location_id)}: {', '.join(one.name for one in people) or 'no one but you'}")
    for one in people:
        if one.line:
            say(wrapped(one.line if one.name in one.line else f"{one.name}: {one.line}"), style="dim")


def _me(campaign: OpenCampaign, rest: str) -> None:
    standing = standing_of(campaign.store.head().state, campaign.setting.rules)
    stats = ", ".join(f"{one.name} {one.value:+g}" for one in standing.stats)
    say(f"You are {standing.name}{f': {stats}' if stats else ''}")
    for condition in standing.conditions:
        say(wrapped(condition), style="yellow")
    for one in standing.threats:
        say(wrapped(f"{one.title}: {_minutes_left(one)}"), style="red")
    for one in standing.situations:
        say(wrapped(f"{one.title}{'' if one.minutes_left is None else f': {_minutes_left(one)}'}"))
    for question in standing.inquiries:
        say(wrapped(f"{question.name} {question.value} of {question.of}"), style="dim")


def _minutes_left(one: Impending) -> str:
    return "a minute left" if one.minutes_left == 1 else f"{one.minutes_left} minutes left"


def _inventory(campaign: OpenCampaign, rest: str) -> None:
    state = campaign.store.head().state
    carried = [
        f"{state.name_of(item)}{f' × {n}' if n > 1 else ''}" for item, n in state.held_by(state.player_id).items()
    ]
    say(f"You carry: {', '.join(carried) or 'nothing'}")


def _map(campaign: OpenCampaign, rest: str) -> None:
    for place in map_of(campaign.store.head().state):
        say(f"{'*' if place.here else ' '} {place.name}{' (you are here)' if place.here else ''}")
        for way in place.ways:
            say(f"    {_way(way)}", style="dim")


def _way(way: MapWay) -> str:
    where = way.to if way.visited else f"{way.to} ?"
    key = ", and you have the key" if way.has_key else ""
    door = f" · {way.locked_door}: locked{key}" if way.locked_door else ""
    door = f" · {way.shut_door}: shut" if way.shut_door else door
    return f"{way.name} → {where} · {way.minutes} min{door}"


def _undo(campaign: OpenCampaign, rest: str) -> None:
    number = rest.removeprefix("+")
    if number and not (number.isdecimal() and number.isascii()):
        raise CampaignError(
            f"{_short(rest)} is no number of turns", hint="/undo takes back one turn, /undo 3 takes back three"
        )
    turns = int(number[:_MOST_DIGITS]) if number else 1
    _, words = undo_played(campaign.store, turns=turns)
    say(f"Taken back: {words if turns == 1 else f'{turns} turns, from “{words}” on'}", style="dim")
    show_last(campaign)


def _redo(campaign: OpenCampaign, rest: str) -> None:
    redo(campaign.store)
    turn = campaign.store.turns()[-1]
    say(f"Done again: {turn['player_text']}", style="dim")
    show_result(TurnResult.model_validate(turn["result"]))


def _retry(campaign: OpenCampaign, rest: str) -> None:
    sit_down(campaign)
    show_result(TurnResult.model_validate_json(asyncio.run(campaign.retry())))


def _why(campaign: OpenCampaign, rest: str) -> None:
    reasons = why(campaign)
    for roll in reasons.result.rolls:
        added = f", and {roll.modifier:+d} is yours" if roll.modifier else ""
        say(f"{roll_line(roll)}: the dice fell {', '.join(map(str, roll.rolls))}{added}")
    costs = [f"{reasons.minutes} minutes" if reasons.minutes > 1 else "a minute"] if reasons.minutes else []
    costs += [f"{name} {change:+d}" for name, change in reasons.clocks]
    if costs:
        say(f"It cost {', '.join(costs)}.")
    for citation in reasons.result.citations:
        section = citation.section_path.partition(" > ")[2] or citation.section_path
        say(f"[{citation.cite}] {citation.file_path} > {section}")
        say(wrapped(f"“{citation.quote}”", indent="  "), style="dim")
    if not reasons.result.rolls and not reasons.result.citations:
        say("Nothing was rolled and nothing was quoted.")


def _recap(campaign: OpenCampaign, rest: str) -> None:
    sittings = session_rows(campaign.store.database)
    for session in sittings[-1:]:
        say(wrapped(recap_of(campaign, session)))
        say()
    show_last(campaign)


def _table(campaign: OpenCampaign, rest: str) -> None:
    rows = table_of(campaign)
    show_table(rows)
    if not rows:
        say("Nothing is played on a table here.")


def _lore(campaign: OpenCampaign, rest: str) -> None:
    if not rest:
        say("Ask for something: /lore NAME, or a few words")
        return
    found = ask_lore(campaign, rest).chunks
    for number, chunk in enumerate(found):
        if number:
            say()
        say(f"{chunk.section_path} ({chunk.file_path})", style="bold")
        say(laid_out(chunk.text))
    if not found:
        say(f"You know nothing of {_short(rest)}.")


COMMANDS: dict[str, Command] = {
    "/help": Command("this list", _help),
    "/who": Command("who is here, with a line about each", _who),
    "/me": Command("how you stand: your stats, what you are in, what hangs over you", _me),
    "/inv": Command("what you carry", _inventory),
    "/map": Command("where you have been, and the ways from there; ? marks where you have not been", _map),
    "/table": Command("what lies on the table, where the rules have one", _table),
    "/lore": Command("what you know of something, with the section that says it", _lore, "TEXT"),
    "/recap": Command("this sitting so far, and what was told last", _recap, is_aside=False),
    "/why": Command("the dice of the last turn, its price, and the note that each quotation comes from", _why),
    "/undo": Command("take the last turn back, or so many", _undo, "[N]", is_aside=False),
    "/redo": Command("do again what was taken back", _redo, is_aside=False),
    "/retry": Command("the last turn again, with other dice", _retry, is_aside=False),
}
