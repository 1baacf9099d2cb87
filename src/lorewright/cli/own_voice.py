"""The commands of the prompt that are about who speaks and to whom, and about scenes: /as, /think, /whisper, /scene."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from lorewright.campaigns.scene_end import end_scene
from lorewright.cli.output import say
from lorewright.cli.prose import wrapped
from lorewright.cli.seat import Seat
from lorewright.cli.table_talk import show_result
from lorewright.errors import CampaignError
from lorewright.turn.views.personas import persona_called
from lorewright.values.result import TurnResult
from lorewright.world.state import OFFSTAGE, WorldState

# Names of more words than this are found by some of their words.
_NAME_WORDS = 8
_COLON = re.compile(r":(?:\s|$)")
_JOINING = frozenset(("the", "a", "an", "of", "and"))
_QUOTED = re.compile(r"""\s*["“]([^"“”]+)["”]:?\s*(.*)""", re.DOTALL)
# No scene is left for longer than a year.
_MOST_MINUTES = 525_600


def go_on_as(seat: Seat, rest: str) -> None:
    """From the next words on the player is another of their personas; without a name, who they may be is listed."""
    state = seat.campaign.store.head().state
    if not rest:
        for who in state.personas or (state.player_id,):
            mark = "*" if who == (seat.persona or state.player_id) else " "
            say(f"{mark} {state.name_of(who)}: {_where(who, state)}")
        return
    who = persona_called(rest, state)
    seat.persona = None if who == state.player_id else who
    if who == state.player_id:
        say(f"You are {state.name_of(who)}.")
    else:
        say(f"You go on as {state.name_of(who)} with your next words: {_where(who, state)}.")


def _where(who: str, state: WorldState) -> str:
    place = state.positions.get(who, OFFSTAGE)
    return "nowhere just now" if place == OFFSTAGE else f"at {state.name_of(place)}"


def think(seat: Seat, rest: str) -> None:
    """Keep a thought for the next turn; without one, the thought that is kept is let go."""
    if rest:
        seat.thought = rest
        say("You keep it to yourself; it goes with your next words.")
    elif seat.thought:
        seat.thought = ""
        say("You let the thought go.")
    else:
        say("Say what you think: /think TEXT. Nobody else ever knows of it.")


def whisper(seat: Seat, rest: str) -> None:
    """Play words that one person alone is to hear.

    Raises:
        CampaignError: nobody is called so, or there are no words.
    """
    quoted = _QUOTED.fullmatch(rest)
    if quoted:
        _whispered(seat, seat.somebody_called(quoted[1]), quoted[1], quoted[2].split())
        return
    # A colon stands within an ID, or ends the name.
    for words in (_COLON.sub(" ", rest, count=1).split(), rest.replace(":", " ", 1).split()):
        words = words[1:] if len(words) > 1 and words[0].casefold() == "to" else words
        for size in range(min(_NAME_WORDS, len(words)), 0, -1):
            # What joins words ends no name: it belongs to what is whispered.
            if words[size - 1].casefold() in _JOINING:
                continue
            with suppress(CampaignError):
                to = seat.somebody_called(" ".join(words[:size]))
                break
        else:
            continue
        _whispered(seat, to, " ".join(words[:size]), words[size:])
        return
    if not rest.split():
        raise CampaignError("say to whom, and what", hint="/whisper NAME ask about the boat")
    seat.somebody_called(_name_in(rest))


def _whispered(seat: Seat, to: str, name: str, words: Sequence[str]) -> None:
    if not words:
        raise CampaignError("there is nothing to whisper", hint=f"/whisper {name} ask about the boat")
    seat.submit(" ".join(words), whisper_to=to)


def _name_in(rest: str) -> str:
    """What looks like the name, where nobody has it: what stands before a colon, else the first word with its articles
    and the words behind it that are written as names are."""
    words = rest.split()
    cut = next((number for number, word in enumerate(words, start=1) if word.endswith(":")), 0)
    if 0 < cut <= _NAME_WORDS:
        return " ".join(words[:cut]).rstrip(":")
    words = words[1:] if len(words) > 1 and words[0].casefold() == "to" else words
    size = next((n for n, word in enumerate(words, start=1) if word.casefold() not in _JOINING), len(words))
    while size < min(_NAME_WORDS, len(words)) and words[size][:1].isupper():
        size += 1
    return " ".join(words[:size])


def scene(seat: Seat, rest: str) -> None:
    """`/scene end [MINUTES]`: the scene is closed, and time goes by until the next one opens.

    Raises:
        CampaignError: it is not said so, or the story has ended.
    """
    name, _, minutes = rest.partition(" ")
    minutes = minutes.strip()
    if name.casefold() != "end" or (minutes and not (minutes.isdecimal() and minutes.isascii())):
        raise CampaignError("a scene can be ended", hint="/scene end, or /scene end 30 to go on half an hour later")
    passed = min(int(minutes[:9] or 0), _MOST_MINUTES)
    told = seat.campaign.player_ids().told_json(end_scene(seat.campaign, minutes=passed))
    result = TurnResult.model_validate_json(told)
    later = "" if not passed else " A minute later." if passed == 1 else f" {passed} minutes later."
    say(wrapped(f"The scene ends.{later}"), style="dim")
    show_result(result)
