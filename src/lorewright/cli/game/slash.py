"""The slash commands of the prompt: what each does, and which one was meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lorewright.campaigns.hints import asks_for_hint, goal_lines
from lorewright.campaigns.lore import MapWay, ask_lore, explain_last_turn, introductions, map_of
from lorewright.campaigns.model_choice import choose_for_sitting
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import end_scene, recap_of
from lorewright.campaigns.viewers import Impending, standing_of, table_of
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.turn_output import roll_line, show_last, show_recap, show_result, show_table, take_back
from lorewright.cli.models import show_models
from lorewright.cli.output import laid_out, say, wrapped
from lorewright.errors import CampaignError, SettingsError
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.verbs import typed, verbs
from lorewright.storage.sittings import session_rows
from lorewright.turn.store.turn_store import redo
from lorewright.turn.views.draft import persona_called
from lorewright.values.records import TurnResult
from lorewright.world.state import OFFSTAGE, WorldState

# Commands about who speaks and to whom, and about scenes: /as, /think, /whisper, /scene.

# The name of a person is looked for in at most this many words.
_NAME_WORDS = 8
_COLON = re.compile(r":(?:\s|$)")
_JOINING = frozenset(("the", "a", "an", "of", "and"))
_QUOTED = re.compile(r"""\s*["“]([^"“”]+)["”]:?\s*(.*)""", re.DOTALL)
# A scene is left for at most a year.
_MOST_MINUTES = 525_600


def go_on_as(session: PlaySession, rest: str) -> None:
    """Make the player another of their personas from the next words on; without a name, list the personas."""
    state = session.campaign.store.head().state
    if not rest:
        for who in state.personas or (state.player_id,):
            mark = "*" if who == (session.persona or state.player_id) else " "
            say(f"{mark} {state.name_of(who)}: {_where(who, state)}")
        return
    who = persona_called(rest, state)
    session.persona = None if who == state.player_id else who
    if who == state.player_id:
        say(f"You are {state.name_of(who)}.")
    else:
        say(f"You go on as {state.name_of(who)} with your next words: {_where(who, state)}.")


def _where(who: str, state: WorldState) -> str:
    place = state.positions.get(who, OFFSTAGE)
    return "nowhere just now" if place == OFFSTAGE else f"at {state.name_of(place)}"


def think(session: PlaySession, rest: str) -> None:
    """Store a thought for the next turn; without text, drop the stored thought."""
    if rest:
        session.thought = rest
        say("You keep it to yourself; it goes with your next words.")
    elif session.thought:
        session.thought = ""
        say("You let the thought go.")
    else:
        say("Say what you think: /think TEXT. Nobody else ever knows of it.")


def whisper(session: PlaySession, rest: str) -> None:
    """Play words that only one person is to hear.

    Raises:
        CampaignError: nobody has such a name, or there are no words.
    """
    quoted = _QUOTED.fullmatch(rest)
    if quoted:
        _whispered(session, session.somebody_called(quoted[1]), quoted[1], quoted[2].split())
        return
    # A colon stands within an ID, or ends the name.
    for words in (_COLON.sub(" ", rest, count=1).split(), rest.replace(":", " ", 1).split()):
        words = words[1:] if len(words) > 1 and words[0].casefold() == "to" else words
        for size in range(min(_NAME_WORDS, len(words)), 0, -1):
            # A name does not end with a joining word: it belongs to what is whispered.
            if words[size - 1].casefold() in _JOINING:
                continue
            with suppress(CampaignError):
                to = session.somebody_called(" ".join(words[:size]))
                break
        else:
            continue
        _whispered(session, to, " ".join(words[:size]), words[size:])
        return
    if not rest.split():
        raise CampaignError("/whisper needs a name and words", hint="/whisper NAME ask about the boat")
    session.somebody_called(_name_in(rest))


def _whispered(session: PlaySession, to: str, name: str, words: Sequence[str]) -> None:
    if not words:
        raise CampaignError("there is nothing to whisper", hint=f"/whisper {name} ask about the boat")
    session.submit(" ".join(words), whisper_to=to)


def _name_in(rest: str) -> str:
    """Return the part that looks like a name, where nobody has it: the words before a colon, else the first word with
    its articles and the capitalised words after it."""
    words = rest.split()
    cut = next((number for number, word in enumerate(words, start=1) if word.endswith(":")), 0)
    if 0 < cut <= _NAME_WORDS:
        return " ".join(words[:cut]).rstrip(":")
    words = words[1:] if len(words) > 1 and words[0].casefold() == "to" else words
    size = next((n for n, word in enumerate(words, start=1) if word.casefold() not in _JOINING), len(words))
    while size < min(_NAME_WORDS, len(words)) and words[size][:1].isupper():
        size += 1
    return " ".join(words[:size])


def scene(session: PlaySession, rest: str) -> None:
    """Close the scene for `/scene end [MINUTES]`, and let the minutes pass until the next one opens.

    Raises:
        CampaignError: the words after `/scene` are not understood, or the story has ended.
    """
    name, _, minutes = rest.partition(" ")
    minutes = minutes.strip()
    if name.casefold() != "end" or (minutes and not (minutes.isdecimal() and minutes.isascii())):
        raise CampaignError(
            "after /scene comes `end`, and perhaps minutes",
            hint="/scene end, or /scene end 30 to go on half an hour later",
        )
    passed = min(int(minutes[:9] or 0), _MOST_MINUTES)
    result_json = session.campaign.player_ids().told_json(end_scene(session.campaign, minutes=passed))
    result = TurnResult.model_validate_json(result_json)
    later = "" if not passed else " A minute later." if passed == 1 else f" {passed} minutes later."
    say(wrapped(f"The scene ends.{later}"), style="dim")
    show_result(result, campaign=session.campaign)


# The commands by name, and which one was meant.


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: its help in a line; `run` gets what stands after its name. A command that is no aside prints a
    narration."""

    help: str
    run: Callable[[PlaySession, str], None]
    argument: str = ""
    is_aside: bool = True
    # What Tab completes behind it: a field of `KnownNames`.
    names: str = ""


# Words that are commands also without a slash, if the line has nothing else.
BARE = frozenset({"help", "undo", "redo", "retry", "quit", "exit"})

_QUITS = ("/quit", "/q", "/exit")

# A number of turns has at most this many digits.
_MOST_DIGITS = 6

# At most this many characters of a refused line are repeated.
_ECHOED = 60

# The width of the commands' names in the help.
_NAMES = 14


def run_command(campaign: OpenCampaign, line: str, *, session: PlaySession | None = None) -> bool:
    """Run a command; return True if the play goes on.

    Raises:
        LorewrightError: it cannot be done; nothing was changed.
    """
    name, _, rest = ("hint" if asks_for_hint(line) else line.strip().removeprefix("/").strip()).partition(" ")
    name = f"/{name.casefold() or 'help'}"
    if name in _QUITS:
        return False
    command = COMMANDS.get(name)
    if command is None:
        near = difflib.get_close_matches(name, [*COMMANDS, "/quit"], n=1)
        say(f"There is no {_short(name)}. {f'Did you mean {near[0]}? ' if near else ''}All of them: /help")
        say()
    else:
        command.run(session or PlaySession(campaign), rest.strip())
        if command.is_aside:
            say()
    return True


def _short(text: str) -> str:
    return text if len(text) <= _ECHOED else f"{text[:_ECHOED]}…"


def is_command(line: str) -> bool:
    """Tell whether a line is for the program and not for the story."""
    words = line.strip().casefold()
    return words.startswith("/") or words in BARE or asks_for_hint(words)


def _speech() -> str:
    """Return how to say what one does, with a few lines that a player may type."""
    lines = [
        *typed("view"),
        *typed("question", person="somebody", topic="something"),
        *typed("look_under", thing="the table"),
        *typed("grab", thing="it"),
        *typed("way", way="back"),
        *typed("pass_time"),
    ]
    return f"Say what you do in plain words: {' · '.join(lines)}. A number takes the suggestion of that number."


def _verbs(ruleset: Ruleset) -> str:
    """Return what is meant by it: the verbs that the ruleset has, and the words for its own."""
    words = [*(verb for verb in verbs() if ruleset.find_row(verb) is not None), *ruleset.verbs()]
    return f"The program knows many words for each of these: {' · '.join(dict.fromkeys(words))}."


def _help(session: PlaySession, rest: str) -> None:
    say(wrapped(_speech()))
    say(wrapped(_verbs(session.campaign.store.campaign().rules.ruleset)))
    commands = [(f"{name} {command.argument}", command.help) for name, command in COMMANDS.items()]
    for name, does in (*commands, ("/quit", "leave; everything is saved")):
        say(wrapped(does, indent=name.ljust(_NAMES), hanging=" " * _NAMES))


def _who(session: PlaySession, rest: str) -> None:
    state = session.campaign.store.head().state
    people = introductions(session.campaign)
    say(f"{state.name_of(state.scene.location_id)}: {', '.join(person.name for person in people) or 'no one but you'}")
    for person in people:
        if person.line:
            say(wrapped(person.line if person.name in person.line else f"{person.name}: {person.line}"), style="dim")


def _me(session: PlaySession, rest: str) -> None:
    standing = standing_of(session.campaign.store.head().state, session.campaign.setting.rules)
    stats = ", ".join(f"{stat.name} {stat.value:+g}" for stat in standing.stats)
    say(f"You are {standing.name}{f': {stats}' if stats else ''}")
    for condition in standing.conditions:
        say(wrapped(condition), style="yellow")
    for threat in standing.threats:
        say(wrapped(f"{threat.title}: {_minutes_left(threat)}"), style="red")
    for situation in standing.situations:
        say(wrapped(f"{situation.title}{'' if situation.minutes_left is None else f': {_minutes_left(situation)}'}"))
    for question in standing.inquiries:
        say(wrapped(f"{question.name} {question.value} of {question.of}"), style="dim")


def _minutes_left(impending: Impending) -> str:
    return "a minute left" if impending.minutes_left == 1 else f"{impending.minutes_left} minutes left"


def _inventory(session: PlaySession, rest: str) -> None:
    state = session.campaign.store.head().state
    carried = [
        f"{state.name_of(item)}{f' × {n}' if n > 1 else ''}" for item, n in state.held_by(state.player_id).items()
    ]
    say(f"You carry: {', '.join(carried) or 'nothing'}")


def _map(session: PlaySession, rest: str) -> None:
    for place in map_of(session.campaign.acquaintance().shown):
        say(f"{'*' if place.here else ' '} {place.name}{' (you are here)' if place.here else ''}")
        for way in place.ways:
            say(f"    {_way(way)}", style="dim")


def _way(way: MapWay) -> str:
    where = way.to if way.visited else f"{way.to} ?".lstrip()
    key = ", and you have the key" if way.has_key else ""
    door = f" · {way.locked_door}: locked{key}" if way.locked_door else ""
    door = f" · {way.shut_door}: shut" if way.shut_door else door
    return f"{way.name} → {where} · {way.minutes} min{door}"


def _undo(session: PlaySession, rest: str) -> None:
    if rest.casefold() == "npc":
        session.undo_npc()
        return
    number = rest.removeprefix("+")
    if number and not (number.isdecimal() and number.isascii()):
        raise CampaignError(
            f"{_short(rest)} is no number of turns",
            hint="/undo takes back one turn, /undo 3 three, /undo npc what was done last by others",
        )
    turns = int(number[:_MOST_DIGITS]) if number else 1
    take_back(session.campaign, turns=turns)


def _redo(session: PlaySession, rest: str) -> None:
    redo(session.campaign.store)
    turn = session.campaign.store.turns()[-1]
    say(f"Done again: {turn['player_text']}", style="dim")
    result = TurnResult.model_validate(session.campaign.player_ids().told(turn["result"]))
    show_result(result, campaign=session.campaign)


def _retry(session: PlaySession, rest: str) -> None:
    session.retry()


def _builtin(session: PlaySession, rest: str) -> None:
    session.submit_builtin(rest)


def _model(session: PlaySession, rest: str) -> None:
    tier, _, key = rest.partition(" ")
    if tier not in ("small", "large"):
        tier, key = "both", rest
    elif not key:
        raise SettingsError(
            f"/model {tier} names no model", hint=f"/model {tier} claude-haiku, or /model {tier} builtin"
        )
    if key:
        chosen = key.strip()
        choose_for_sitting(
            session.campaign,
            small=None if tier == "large" else chosen,
            large=None if tier == "small" else chosen,
        )
        session.reconsider()
    show_models(session.campaign)


def _why(session: PlaySession, rest: str) -> None:
    reasons = explain_last_turn(session.campaign)
    for roll in reasons.result.rolls:
        added = f", and {roll.modifier:+d} is yours" if roll.modifier else ""
        say(f"{roll_line(roll)}: the dice fell {', '.join(map(str, roll.rolls))}{added}")
    costs = [f"{reasons.minutes} minutes" if reasons.minutes > 1 else "a minute"] if reasons.minutes else []
    costs += [f"{name} {change:+d}" for name, change in reasons.clocks]
    if costs:
        say(f"It cost {', '.join(costs)}.")
    for citation in reasons.result.citations:
        section = citation.section_path.partition(" > ")[2] or citation.section_path
        say(f"[{citation.cite}] {' > '.join(filter(None, (citation.file_path, section)))}")
        say(wrapped(f"“{citation.quote}”", indent="  "), style="dim")
    if not reasons.result.rolls and not reasons.result.citations:
        say("Nothing was rolled and nothing was quoted.")


def _recap(session: PlaySession, rest: str) -> None:
    sittings = session_rows(session.campaign.store.database)
    for sitting in sittings[-1:]:
        show_recap(recap_of(session.campaign, sitting, anew=True))
        say()
    show_last(session.campaign)


def _table(session: PlaySession, rest: str) -> None:
    rows = table_of(session.campaign)
    show_table(rows)
    if not rows:
        say("Nothing is played on a table here.")


def _hint(session: PlaySession, rest: str) -> None:
    say(wrapped(session.hints.next(session.campaign)))


def _goal(session: PlaySession, rest: str) -> None:
    for line in goal_lines(session.campaign):
        say(wrapped(line))


def _lore(session: PlaySession, rest: str) -> None:
    if not rest:
        say("Ask for something: /lore NAME, or a few words")
        return
    found = ask_lore(session.campaign, rest).chunks
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
    "/goal": Command("what you want, and what each clock means", _goal),
    "/hint": Command("a hint how to go on; asked again it is plainer, three times at most; it costs nothing", _hint),
    "/table": Command("what lies on the table, where the rules have one", _table),
    "/lore": Command("what you know of something, with the section that says it", _lore, "TEXT", names="all"),
    "/recap": Command("what you want, whom you met, what is open; and what was told last", _recap, is_aside=False),
    "/why": Command("the dice of the last turn, its price, and the note that each quotation comes from", _why),
    "/as": Command("go on as another of those whom you play; alone, who they are", go_on_as, "NAME", names="personas"),
    "/think": Command("what you think by yourself, with your next words; nobody else ever knows", think, "TEXT"),
    "/whisper": Command(
        "say or do it so that one person alone hears of it", whisper, "NAME WORDS", is_aside=False, names="people"
    ),
    "/scene": Command(
        "`/scene end` closes the scene, `/scene end 30` half an hour later", scene, "end", is_aside=False
    ),
    "/undo": Command(
        "take the last turn back, or so many; `/undo npc` only what was done last by somebody else in it",
        _undo,
        "[N]",
        is_aside=False,
    ),
    "/redo": Command("do again what was taken back", _redo, is_aside=False),
    "/model": Command(
        "which models are asked, and the price; `/model large KEY` sets one for this sitting, `small` the other",
        _model,
        "[KEY]",
    ),
    "/builtin": Command(
        "play a line without a model; alone, the one that just failed", _builtin, "LINE", is_aside=False
    ),
    "/retry": Command("the last turn again, with other dice", _retry, is_aside=False),
}

# Command -> the kind of names that Tab completes behind it.
TAB_ARGUMENTS = {**{name: command.names for name, command in COMMANDS.items()}, "/quit": ""}
