"""NpcIntentInput -> NpcIntent: what one character does now, without a model.

First what an author wrote for it; then what was just done to it asks for an answer; then what it is after, now and
again; else it takes note of what goes on, or does something that is like it. Nothing is said that it does not know, and
nothing is done again that it did just now, as long as there is anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.builtin.npc.answering import answering, watching
from lorewright.builtin.npc.authored import authored
from lorewright.builtin.npc.considered import Considered, Moment
from lorewright.builtin.npc.idling import TENSE, idling, mood_of
from lorewright.builtin.npc.pursuing import pursuing
from lorewright.ids import content_hash
from lorewright.values.intents import NpcIntent, NpcIntentInput

# In so many of a hundred turns somebody goes after something of their own where there is something; else it waits. Of
# several who are there it is one in a turn who may: in some profiles all think at once, and would all ask the same.
_RESTLESS = 80
# And so often they take note of what goes on rather than of themselves.
_ATTENTIVE = 55
# Of a name that is a page so much is said (characters).
_NAME = 200


def intend(given: NpcIntentInput) -> NpcIntent:
    """The act; the same input gives the same one."""
    moment = Moment(given)
    written = authored(moment)
    if written and written[0].text not in moment.lately[:1]:
        return written[0].intent()
    for considered in _in_turn(moment):
        fresh = [one for one in considered if one.text not in moment.lately]
        if fresh:
            return _drawn(fresh, moment).intent()
    if written:
        return written[0].intent()
    return NpcIntent(action_text=f"{given.me.name[:_NAME]} waits.", intent_tags=("calm",))


def _in_turn(moment: Moment) -> list[list[Considered]]:
    """What is open, what asks most for it first."""
    answers, ends = answering(moment), pursuing(moment)
    urgent = [one for one in ends if "flight" in one.tags]
    notices, idle = watching(moment)[:2], idling(moment)
    later = [ends] if _is_ones_turn(moment) and _chance(moment, "restless") < _RESTLESS else []
    # Whoever has something against somebody does not look on as a neighbour does.
    is_easy = mood_of(moment) != TENSE and _chance(moment, "attentive") < _ATTENTIVE
    around = [notices, idle] if is_easy else [idle, notices]
    return [urgent, answers, *later, *around]


def _is_ones_turn(moment: Moment) -> bool:
    """Whether one is it, of the cast who are there, in this turn: it goes round among them by chance."""
    given = moment.given
    everybody = sorted({given.me.id, *(one.id for one in moment.others)})
    drawn = content_hash(f"{given.seed}\n{given.turn_no}\n{'|'.join(everybody)}")
    return everybody[int(drawn[:12], 16) % len(everybody)] == given.me.id


def _drawn(considered: Sequence[Considered], moment: Moment) -> Considered:
    """One of several by weight; the same one for the same moment."""
    left = _chance(moment, "which", sides=sum(one.weight for one in considered))
    for one in considered:
        left -= one.weight
        if left < 0:
            return one
    return considered[-1]


def _chance(moment: Moment, purpose: str, *, sides: int = 100) -> int:
    """A number from 0 to `sides`, without it, that stands for this character, turn and purpose."""
    given = moment.given
    drawn = content_hash(f"{given.seed}\n{given.me.id}\n{given.turn_no}\n{given.minutes}\n{purpose}")
    return int(drawn[:12], 16) % sides
