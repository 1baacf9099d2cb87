"""The slash commands of the prompt: what each does, and which one was meant."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from lorewright.builtin.words.asides import aside_in
from lorewright.campaigns.branches import load_point, save_point, tree
from lorewright.campaigns.exchange import export
from lorewright.campaigns.lore import MapWay, ask_lore, explain_last_turn, introductions, map_of
from lorewright.campaigns.model_choice import choose_for_sitting
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.reviews import ALL, decide, waiting
from lorewright.campaigns.sessions import recap_of
from lorewright.campaigns.solver.hints import goal_lines
from lorewright.campaigns.viewers import Impending, standing_of, table_of
from lorewright.cli.branch_tree import show_branches
from lorewright.cli.campaigns.reviews import show_reviews
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.speakers import go_on_as, scene, think, whisper
from lorewright.cli.game.turn_output import roll_line, show_last, show_recap, show_result, show_table, take_back
from lorewright.cli.models import show_models
from lorewright.cli.output import laid_out, say, wrapped
from lorewright.errors import CampaignError, SettingsError
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.verbs import typed, verbs
from lorewright.storage.sittings import session_rows
from lorewright.turn.store.annotations import name_of_edit
from lorewright.turn.store.turn_store import redo
from lorewright.values.records import TurnResult


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

# Kinds of asides that have a command of the same name.
_SPOKEN = frozenset({"help", "hint", "goal", "recap", "undo"})

_QUITS = ("/quit", "/q", "/exit")

# A number of turns has at most this many digits.
_MOST_DIGITS = 6

# At most this many characters of a refused line are repeated.
_ECHOED = 60

# The width of the commands' names in the help, with a gap behind them.
_NAMES = 22


def run_command(campaign: OpenCampaign, line: str, *, session: PlaySession | None = None) -> bool:
    """Run a command; return True if the play goes on.

    Raises:
        LorewrightError: it cannot be done; nothing was changed.
    """
    name, _, rest = (_spoken(line) or line.strip().removeprefix("/").strip()).partition(" ")
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
    return words.startswith("/") or words in BARE or bool(_spoken(line))


def _spoken(line: str) -> str:
    """Return the command that a line asks for in ordinary words: `give me a hint`, `undo that`; empty for none."""
    kind = aside_in(line.replace("’", "'"))
    return kind if kind in _SPOKEN else ""


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
    typed_lines = f"Say what you do in plain words: {' · '.join(lines)}."
    return f"{typed_lines} A number takes the suggestion of that number; at a prompt Enter alone waits."


def _verbs(ruleset: Ruleset) -> str:
    """Return what is meant by it: the verbs that the ruleset has, and the words for its own."""
    words = [*(verb for verb in verbs() if ruleset.find_row(verb) is not None), *ruleset.verbs()]
    return f"The program knows many words for each of these: {' · '.join(dict.fromkeys(words))}."


def _help(session: PlaySession, rest: str) -> None:
    say(wrapped(_speech()))
    say(wrapped(_verbs(session.campaign.store.campaign().rules.ruleset)))
    commands = [(f"{name} {command.argument}", command.help) for name, command in COMMANDS.items()]
    for name, does in (*commands, ("/quit", "leave; everything is saved")):
        say(wrapped(does, indent=f"{name} ".ljust(_NAMES), hanging=" " * _NAMES))


def _who(session: PlaySession, rest: str) -> None:
    state = session.campaign.store.head().state
    people = introductions(session.campaign)
    say(f"{state.name_of(state.scene.location_id)}: {', '.join(person.name for person in people) or 'no one but you'}")
    for person in people:
        if person.line:
            say(wrapped(person.line if person.name in person.line else f"{person.name}: {person.line}"), style="dim")


def _me(session: PlaySession, rest: str) -> None:
    state, rules = session.campaign.store.head().state, session.campaign.setting.rules
    if session.persona is not None:
        state = state.model_copy(update={"player_id": session.persona})
    standing = standing_of(state, rules, unheard=session.campaign.acquaintance().says_unheard)
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
    for memory in standing.memories:
        say(wrapped(f"You remember: {memory}"), style="dim")


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
    edit = turn["kind"] == "edit"
    words = name_of_edit(session.campaign.store.database, turn["turn_id"]) if edit else turn["player_text"]
    say(f"Done again: {words}", style="dim")
    result = TurnResult.model_validate(session.campaign.player_ids().told(turn["result"]))
    show_result(result, campaign=session.campaign)


def _retry(session: PlaySession, rest: str) -> None:
    session.retry()


def _edit(session: PlaySession, rest: str) -> None:
    last = session.last_words()
    if not last:
        raise CampaignError("there is nothing to edit: you have said nothing yet", hint="say what you do")
    if rest:
        session.play_instead(rest)
    elif session.can_edit:
        session.given = last
    else:
        say(wrapped(f"You said: {last}"))
        say("  /edit and other words plays those instead", style="dim")
        say()


def _save(session: PlaySession, rest: str) -> None:
    saved = save_point(session.campaign.store, rest)
    say(f"Saved as {saved.name}; every turn is saved anyway. Back to here: /load {saved.name}")


def _load(session: PlaySession, rest: str) -> None:
    if not rest:
        _branches(session, rest)
        say("  /load NAME goes to where one of them stands", style="dim")
        say()
        return
    loaded = load_point(session.campaign.store, rest)
    kept = f" Where you were is kept: /load {loaded.kept_as}" if loaded.kept_as else ""
    say(f"You are where {rest} stands, after turn {loaded.turn_no}.{kept}", style="dim")
    show_last(session.campaign)


def _branches(session: PlaySession, rest: str) -> None:
    show_branches(tree(session.campaign.store), loose_ends=False)


def _export(session: PlaySession, rest: str) -> None:
    campaign_id = session.campaign.store.campaign_id
    if session.campaigns is None:
        raise CampaignError("it cannot be exported from here", hint=f"lorewright campaign export {campaign_id} FILE")
    path = Path(rest).expanduser() if rest else _free_file(campaign_id)
    export(session.campaigns, campaign_id, path, audience="gm")
    say(f"{campaign_id} is in {path}: all of it, every secret too. Elsewhere: lorewright campaign import FILE")


def _free_file(campaign_id: str) -> Path:
    """Return a path in the working folder that is not taken."""
    names = chain((campaign_id,), (f"{campaign_id}-{number}" for number in count(2)))
    return next(path for name in names if not (path := Path(f"{name}.lorewright")).exists())


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


def _review(session: PlaySession, rest: str) -> None:
    verdict, *ids = rest.split() or [""]
    if verdict in ("accept", "reject"):
        accept = verdict == "accept"
        turn = json.loads(decide(session.campaign, *(ids or [ALL]), accept=accept))
        say(f"{name_of_edit(session.campaign.store.database, turn['turn_id'])}; /undo takes it back".capitalize())
        return
    if rest:
        raise CampaignError(f"{_short(rest)} is nothing to do", hint="/review, /review accept 12.0, /review reject all")
    found = waiting(session.campaign.store)
    show_reviews(found)
    if found:
        say(f"  /review accept {found[0].short_id} makes it true, /review reject all lets them go", style="dim")


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


# Each fits into a line of the help.
COMMANDS: dict[str, Command] = {
    "/help": Command("this list", _help),
    "/who": Command("who is here, with a line about each", _who),
    "/me": Command("how you stand, what hangs over you, what you remember", _me),
    "/inv": Command("what you carry", _inventory),
    "/map": Command("where you have been, and the ways from there", _map),
    "/goal": Command("what you want, and what each clock means", _goal),
    "/hint": Command("a hint; asked again it is plainer; it costs nothing", _hint),
    "/table": Command("what lies on the table, where the rules have one", _table),
    "/lore": Command("what you know of it, with the section that says it", _lore, "TEXT", names="all"),
    "/review": Command("what waits to be made true; it may tell secrets", _review, "[accept ID]"),
    "/recap": Command("what you want, whom you met, what is open", _recap, is_aside=False),
    "/why": Command("the last turn's dice, its price, its sources", _why),
    "/as": Command("be another of those whom you play; alone: who they are", go_on_as, "NAME", names="personas"),
    "/think": Command("a thought with your next words; nobody ever knows", think, "TEXT"),
    "/whisper": Command("so that one person alone hears of it", whisper, "NAME WORDS", is_aside=False, names="people"),
    "/scene": Command("close the scene; the next opens minutes later", scene, "end [MINUTES]", is_aside=False),
    "/undo": Command("take back a turn, or N; npc: only others' last act", _undo, "[N]", is_aside=False),
    "/redo": Command("do again what was taken back", _redo, is_aside=False),
    "/retry": Command("the last turn again, with other dice", _retry, is_aside=False),
    "/edit": Command("change your last words, and play those instead", _edit, "[WORDS]", is_aside=False),
    "/save": Command("give this point of the story a name", _save, "[NAME]"),
    "/load": Command("go to a named point; where you are is kept", _load, "NAME", is_aside=False, names="branches"),
    "/branches": Command("the named points, as a tree of turns", _branches),
    "/export": Command("the whole campaign as a file, to play on elsewhere", _export, "[FILE]"),
    "/model": Command("which models are asked, and the price; KEY sets one", _model, "[KEY]"),
    "/builtin": Command("play a line without a model", _builtin, "LINE", is_aside=False),
}

# Command -> the kind of names that Tab completes behind it.
TAB_ARGUMENTS = {**{name: command.names for name, command in COMMANDS.items()}, "/quit": ""}
