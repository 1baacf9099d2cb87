"""The slash commands about who speaks and to whom, and about scenes: /as, /think, /whisper, /scene."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from lorewright.campaigns.sessions import end_scene
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.turn_output import show_result
from lorewright.cli.output import say, wrapped
from lorewright.errors import CampaignError
from lorewright.turn.views.draft import persona_called
from lorewright.values.records import TurnResult
from lorewright.world.state import OFFSTAGE, WorldState

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
