"""Nothing asks anything of somebody -> what they do all the same: a line of their nature, or a small gesture."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.builtin.npc.considered import Considered, Moment, gesture
from lorewright.values.intents import SENTENCES
from lorewright.values.records import LoreLine

# How somebody is in general, or with whom they deal, is not what they do just now.
_GENERAL = frozenset(
    ("whenever", "never", "always", "usually", "often", "if", "answers", "question", "questions", "speaker", "customer")
)
_FRIENDLY, _TENSE = 2, 2
TENSE = "tense"


def idling(moment: Moment) -> list[Considered]:
    """Lines of one's nature as they stand, and gestures by how one feels about the player where they are there."""
    found, mood = list(_own_nature(moment)), mood_of(moment)
    if mood:
        weight = 8 if mood == TENSE else 2
        found += gesture(moment.words.sentence(f"moment.{mood}", person=moment.given.player_id), weight=weight)
    return [*found, *gesture(moment.words.sentence("moment.any"), weight=1 if mood == TENSE else 2)]


def mood_of(moment: Moment) -> str:
    """How one feels about the player: `warm`, `cold`, `tense`, or nothing in particular."""
    player = moment.given.player_id
    if not moment.is_here(player):
        return ""
    toward = moment.toward(player)
    if toward.tension >= _TENSE:
        return TENSE
    if toward.trust < 0:
        return "cold"
    return "warm" if toward.trust + toward.closeness >= _FRIENDLY else ""


def _own_nature(moment: Moment) -> Iterator[Considered]:
    """The line that was used least, verbatim; none that the last narrations have told."""
    given = moment.given
    told = "\n".join(message.content for _, message in given.messages if message.type == "narration")
    lines = [line for line in given.me.disposition if _is_a_deed(line, moment) and line.text not in told]
    lines = [line for line in lines if line.text not in moment.lately]
    keyed = [(given.recall.get(moment.key(f"line:{line.key}"), 0), at, line) for at, line in enumerate(lines)]
    for _, _, line in sorted(keyed, key=lambda one: one[:2])[:1]:
        yield Considered(line.text, 4, keys=(moment.key(f"line:{line.key}"),))


def _is_a_deed(line: LoreLine, moment: Moment) -> bool:
    """Whether a line tells what somebody does, by their name: one sentence of a few words."""
    words = line.text.split()
    begins = line.text.startswith(f"{moment.given.me.name} ")
    return (
        begins
        and 4 <= len(words) <= 30
        and len(line.text) <= SENTENCES
        and not _GENERAL & {word.strip(".,;:").casefold() for word in words}
    )
