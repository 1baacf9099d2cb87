"""Verbs of the body: knock, sit, stand, touch. They are seen, remembered, and change nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pydantic import Field

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.acts import telling_of_gesture
from lorewright.builtin.narrator.outcomes import telling_of_small_act
from lorewright.builtin.parser.civilities import Gesture, as_free
from lorewright.builtin.parser.clauses import Phrasing
from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_reach
from lorewright.rules.verbs import Sight, Verb, seen
from lorewright.world.frozen import Frozen


class BodyMetadata(Frozen):
    """What was typed for it: a pat and a touch are not the same to a rule of the scenario."""

    verb: str = Field(default="", max_length=60)


def _seen(alone: str, on_something: str) -> Callable[[Outcome, str], Iterator[tuple[Sight, str]]]:
    """Return sights by whether it was done to anything."""

    def sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
        yield Sight(alone if outcome.target_id is None else on_something, 1), place

    return sights


def _telling(name: str) -> Telling:
    return Telling(of_player=telling_of_small_act(f"gesture.{name}"), of_others=telling_of_gesture(f"npc.{name}"))


# knock: on a door, on something here, or on whatever there is; who might be behind it is not asked.

KNOCK = Verb(
    name="knock",
    rank=310,
    summary="knock, on a door or a thing perhaps; only those on this side are sure to hear it",
    condition="what one knocks on, if anything, is here",
    remembered="that somebody knocked, and on what",
    lines={"knock_on": "knock on the {door}"},
    rule_lines=lambda names: (f"knock on {names.aim}" if names.target else "knock",),
    metadata=BodyMetadata,
    requires=why_not_reach,
    also_ruled_as=as_free("hands"),
    like="free",
    sights=_seen("{actor} knocked", "{actor} knocked on {target}"),
    note="let the knock on {target} be heard",
    note_target="the wall",
    history="knocked on {target}",
    parts=(
        Phrasing(
            86,
            "knock, knock on, knock at, knock upon, rap, rap on, rap at, bang on, bang at, pound on, hammer on, "
            "tap on, give a knock",
            Gesture("knock", ("twice", "once", "three times", "loudly"), of_people=False, of_things=True).read,
        ),
        _telling("knock"),
    ),
)


# sit and stand: nothing keeps who sits from doing what else there is to do.

SIT = Verb(
    name="sit",
    rank=320,
    summary="sit down, on something perhaps",
    condition="what one sits on, if anything has a name, is here",
    remembered="that somebody sat down",
    lines={"sit_down": "sit down"},
    rule_lines=lambda names: (f"sit on {names.aim}" if names.target else "sit down",),
    metadata=BodyMetadata,
    requires=why_not_reach,
    also_ruled_as=as_free("hands"),
    like="free",
    sights=_seen("{actor} sat down", "{actor} sat down on {target}"),
    note="let them sit",
    history="sat down on {target}",
    parts=(
        Phrasing(
            87,
            "sit, sit down, sit on, sit down on, sit at, sit down at, take a seat, take a seat on, have a seat, seat "
            "myself",
            Gesture("sit", ("a little", "myself"), of_people=False, of_things=True).read,
        ),
        _telling("sit"),
    ),
)

STAND = Verb(
    name="stand",
    rank=330,
    summary="stand up",
    condition="it can be done wherever one is",
    remembered="that somebody stood up",
    lines={"stand_up": "stand up"},
    rule_lines=lambda names: ("stand up",),
    metadata=BodyMetadata,
    requires=why_not_reach,
    like="free",
    sights=seen("{actor} stood up", 1),
    note="let them stand",
    history="stood up",
    parts=(
        Phrasing(
            88,
            "stand, stand up, get up, rise, rise to my feet, get to my feet, stand straight, straighten up",
            Gesture("stand", ("straight", "up", "upright"), of_people=False).read,
        ),
        _telling("stand"),
    ),
)


# touch: somebody or something.

TOUCH = Verb(
    name="touch",
    rank=340,
    summary="touch somebody or something, lightly",
    condition="who or what is touched is here",
    remembered="who or what was touched",
    lines={"touch_thing": "touch {thing}"},
    rule_lines=lambda names: (f"touch {names.aim}",),
    metadata=BodyMetadata,
    needs=("target",),
    requires=why_not_reach,
    also_ruled_as=as_free("hands"),
    like="free",
    sights=seen("{actor} touched {target}", 1),
    note="let {target} be touched",
    history="touched {target}",
    parts=(
        Phrasing(
            89,
            "touch, feel, pat, stroke, pet, caress, run my hand over, run my hands over, put a hand on, lay a hand on",
            Gesture("touch", of_things=True, alone=False).read,
        ),
        _telling("touch"),
    ),
)

VERBS = (KNOCK, SIT, STAND, TOUCH)
