"""Verbs of gestures: wave, laugh, dance, sing, knock, sit, stand, touch. They are seen, remembered, and change nothing
else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pydantic import Field

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.acts import telling_of_gesture
from lorewright.builtin.narrator.outcomes import telling_of_small_act
from lorewright.builtin.parser.civilities import Gesture, as_free
from lorewright.builtin.parser.readings import ParseContext, Reading, read_way
from lorewright.builtin.parser.ways import lies_elsewhere
from lorewright.builtin.words.clauses import Phrasing, Word, bare, trimmed
from lorewright.rules.actions import Action
from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_reach
from lorewright.rules.verbs import RuleNames, Sight, Verb, seen
from lorewright.world.frozen import Frozen


class GestureMetadata(Frozen):
    """What was typed for it: a nod and a bow, a pat and a touch are not the same to a rule of the scenario."""

    verb: str = Field(default="", max_length=60)


def _seen(alone: str, at_target: str) -> Callable[[Outcome, str], Iterator[tuple[Sight, str]]]:
    """Return sights by whether it was meant for anybody, or done to anything."""

    def sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
        yield Sight(alone if outcome.target_id is None else at_target, 1), place

    return sights


def _telling(name: str) -> Telling:
    return Telling(of_player=telling_of_small_act(f"gesture.{name}"), of_others=telling_of_gesture(f"npc.{name}"))


def _rule_lines(word: str, joint: str) -> Callable[[RuleNames], Iterator[str]]:
    def lines(names: RuleNames) -> Iterator[str]:
        yield f"{word} {joint} {names.aim}" if names.is_at_person else word

    return lines


# wave: and whatever else is said with the head, the hand or the face.

WAVE = Verb(
    name="wave",
    rank=230,
    summary="make a sign that others see: wave, nod, bow, shrug, smile, wink",
    condition="whom it is meant for, if anybody, is here",
    remembered="that a sign was made, and to whom",
    lines={"sign": "wave to {person}"},
    rule_lines=_rule_lines("wave", "to"),
    metadata=GestureMetadata,
    aim="person",
    requires=why_not_reach,
    also_ruled_as=as_free("charm"),
    like="free",
    sights=_seen("{actor} made a sign", "{actor} made a sign to {target}"),
    note="let {target} see it",
    note_target="everybody here",
    history="made a sign to {target}",
    parts=(
        Phrasing(
            91,
            "wave, wave at, wave to, wave hello to, wave hello, wave goodbye, wave goodbye to, beckon, beckon to, nod, "
            "nod at, nod to, nod towards, bow, bow to, bow before, curtsey, curtsey to, curtsy, curtsy to, salute, "
            "shrug, shrug at, smile, smile at, smile to, wink, wink at, shake my head, shake my head at",
            Gesture(
                "wave",
                ("my hand", "a hand", "my head", "my shoulders", "politely", "in agreement", "back", "once"),
            ).read,
        ),
        _telling("wave"),
    ),
)


# laugh: alone, or at somebody or something.

LAUGH = Verb(
    name="laugh",
    rank=240,
    summary="laugh, giggle, chuckle or grin, at somebody perhaps",
    condition="whom it is meant for, if anybody, is here",
    remembered="that somebody laughed, and at whom",
    lines={"mirth": "laugh at {person}"},
    rule_lines=_rule_lines("laugh", "at"),
    metadata=GestureMetadata,
    aim="person",
    requires=why_not_reach,
    also_ruled_as=as_free("charm"),
    like="speech",
    sights=_seen("{actor} laughed", "{actor} laughed at {target}"),
    note="let {target} hear it",
    note_target="everybody here",
    history="laughed at {target}",
    parts=(
        Phrasing(
            92,
            "laugh, laugh at, laugh with, giggle, giggle at, chuckle, chuckle at, grin, grin at, snigger, "
            "snigger at, burst out laughing, smirk, smirk at, laugh out loud",
            Gesture("laugh", ("out loud", "aloud", "to myself", "a little", "out")).read,
        ),
        _telling("laugh"),
    ),
)


# dance: alone, or with somebody.

DANCE = Verb(
    name="dance",
    rank=250,
    summary="dance, alone or with somebody",
    condition="whom one dances with, if anybody, is here",
    remembered="that somebody danced, and with whom",
    lines={"dance_with": "dance with {person}"},
    rule_lines=_rule_lines("dance", "with"),
    metadata=GestureMetadata,
    aim="person",
    requires=why_not_reach,
    also_ruled_as=as_free("charm"),
    like="free",
    usual_minutes=3,
    sights=_seen("{actor} danced", "{actor} danced with {target}"),
    note="let {target} be danced with",
    note_target="nobody",
    history="danced with {target}",
    parts=(
        Phrasing(
            93,
            "dance, dance with, dance for, waltz, waltz with, do a dance, do a little dance, twirl, sway, sway with, "
            "have a dance, have a dance with",
            Gesture("dance", ("a jig", "a waltz", "a dance", "a little", "around", "about", "alone", "on")).read,
        ),
        _telling("dance"),
    ),
)


# sing: for all to hear, or to somebody.

SING = Verb(
    name="sing",
    rank=260,
    summary="sing, hum or whistle, to somebody perhaps",
    condition="whom it is meant for, if anybody, is here",
    remembered="that somebody sang, and to whom",
    lines={"sing_to": "sing to {person}"},
    rule_lines=_rule_lines("sing", "to"),
    metadata=GestureMetadata,
    aim="person",
    requires=why_not_reach,
    also_ruled_as=as_free("charm"),
    like="speech",
    usual_minutes=2,
    sights=_seen("{actor} sang", "{actor} sang to {target}"),
    note="let {target} hear it",
    note_target="everybody here",
    history="sang to {target}",
    parts=(
        Phrasing(
            94,
            "sing, sing to, sing for, sing with, hum, hum to, hum for, whistle, whistle at, whistle to, serenade, "
            "croon, croon to",
            Gesture(
                "sing",
                (
                    *("a song", "a tune", "a melody", "a ballad", "an air", "a verse", "a lullaby", "out loud"),
                    *("aloud", "to myself", "along", "a little", "song", "tune"),
                ),
            ).read,
        ),
        _telling("sing"),
    ),
)


# knock: on a door, on something here, or on whatever there is; who might be behind it is not asked.

_KNOCKING = Gesture("knock", ("twice", "once", "three times", "loudly"), of_people=False, of_things=True)


def _read_knock(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a knock: on the door of a place elsewhere after the walk there."""
    at = trimmed(rest, start=("on", "at", "the", "door", "of", "to"))
    if not bare(at) or not lies_elsewhere(ctx, bare(at)):
        return _KNOCKING.read(ctx, words, rest)
    walk = read_way(ctx, words, at)
    if walk is None or not walk.actions:
        return walk
    knock = Action(actor_id=ctx.nouns.player.id, type=KNOCK.name, metadata={"verb": KNOCK.name})
    return replace(walk, actions=(*walk.actions, knock), intent=f"knock on {bare(at)}")


KNOCK = Verb(
    name="knock",
    rank=310,
    summary="knock, on a door or a thing perhaps; only those on this side are sure to hear it",
    condition="what one knocks on, if anything, is here",
    remembered="that somebody knocked, and on what",
    lines={"knock_on": "knock on the {door}"},
    rule_lines=lambda names: (f"knock on {names.aim}" if names.target else "knock",),
    metadata=GestureMetadata,
    requires=why_not_reach,
    is_done_at_doors=True,
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
            _read_knock,
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
    metadata=GestureMetadata,
    requires=why_not_reach,
    also_ruled_as=as_free("hands"),
    like="free",
    sights=_seen("{actor} sat down", "{actor} sat down on {target}"),
    note="let them sit",
    history="sat down on {target}",
    parts=(
        Phrasing(
            87,
            "take the stool, take a stool, take the free stool, take the seat, take the chair, take the empty stool, "
            "settle into, settle down in, settle down on, sink into, slump into, plop down on, "
            "take the bench, take my seat, take the free seat, grab a seat, grab a stool, grab a chair, "
            "pull up a chair, pull "
            "up a stool, perch on, sit, sit down, sit on, sit down on, sit at, sit down at, take a seat, "
            "take a seat on, have a seat, seat "
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
    metadata=GestureMetadata,
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
    metadata=GestureMetadata,
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
            "touch, feel, pat, stroke, pet, caress, shake hands with, "
            "shake the hand of, run my hand over, run my hands over, put a hand on, lay a hand on",
            Gesture("touch", of_things=True, alone=False).read,
        ),
        _telling("touch"),
    ),
)

VERBS = (WAVE, LAUGH, DANCE, SING, KNOCK, SIT, STAND, TOUCH)
