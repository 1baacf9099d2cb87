"""Verbs of manners: greet, farewell, thank, apologise. They are said to somebody here, who answers."""

from __future__ import annotations

from pydantic import Field

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.acts import telling_of_gesture
from lorewright.builtin.narrator.outcomes import telling_of_small_act
from lorewright.builtin.narrator.small_talk import answer_by_form
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.parser.civilities import Civility, as_free, as_talk
from lorewright.builtin.words.clauses import Phrasing, Syntax
from lorewright.rules.actions import Action
from lorewright.rules.acts import civil_key
from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.verbs import Verb, seen
from lorewright.values.records import NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.ops import Recall, StateOp
from lorewright.world.state import WorldState


class MannersMetadata(Frozen):
    """What it is about, in the speaker's words: what somebody is thanked for."""

    topic: str = Field(default="", max_length=200)
    whisper: bool = False


def _note(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """Return the op that notes the civility between the two for the day; empty where it is noted already."""
    key = "" if action.target_id is None else civil_key(action.actor_id, action.target_id, state)
    return (Recall(key=key),) if key and key not in state.recall else ()


def _telling(name: str) -> Telling:
    plainly = telling_of_small_act(f"gesture.{name}")

    def tell(given: NarratorInput, outcome: Outcome) -> Beat | None:
        is_said = outcome.code == "acted" and outcome.band is None
        return (answer_by_form(given, outcome) if is_said else None) or plainly(given, outcome)

    return Telling(
        of_player=tell,
        of_others=telling_of_gesture(f"npc.{name}"),
        target_is_person=True,
    )


# greet: a word when people meet.

_GREETING = Civility(
    "greet",
    (
        *(
            "hello",
            "hi",
            "hey",
            "greetings",
            "good evening",
            "good morning",
            "good day",
            "good afternoon",
            "welcome",
            "evening",
            "morning",
            "afternoon",
            "hello there",
            "hi there",
            "hey there",
        ),
        *("evening", "morning", "afternoon", "howdy", "hiya", "nice to meet you", "pleased to meet you"),
        *("good to meet you", "good to see you", "nice to see you", "hello there", "hi there"),
    ),
    "greet {}",
    is_to_all=True,
)

GREET = Verb(
    name="greet",
    rank=270,
    summary="greet somebody",
    condition="the person is here",
    remembered="that somebody was greeted",
    lines={"greeting": "greet {person}"},
    rule_lines=lambda names: names.done("greet"),
    reply="free",
    metadata=MannersMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    ops=_note,
    also_ruled_as=as_talk,
    is_speech=True,
    like="speech",
    regard=(0, -1),
    is_civil=True,
    sights=seen("{actor} greeted {target}", 1),
    note="let {target} return the greeting",
    history="greeted {target}",
    parts=(
        Phrasing(
            95,
            "greet, hello, hi, hey, greetings, good evening, good morning, good day, good afternoon, welcome, say "
            "hello, say hello to, say hi, say hi to, say good evening, say good evening to, say good morning, say "
            "good morning to",
            _GREETING.read,
            has_topic=True,
        ),
        Syntax(civility=_GREETING.heard),
        _telling("greet"),
    ),
)


# farewell: a word when people part; nobody goes by it.

_FAREWELL = Civility(
    "farewell",
    ("goodbye", "good bye", "bye", "farewell", "good night", "see you", "see you later", "see you soon"),
    "say goodbye to {}",
)

FAREWELL = Verb(
    name="farewell",
    rank=280,
    summary="say goodbye to somebody; to go is another matter",
    condition="the person is here",
    remembered="that goodbye was said",
    lines={"parting": "say goodbye to {person}"},
    rule_lines=lambda names: names.done("say goodbye to"),
    tried="say goodbye to somebody",
    reply="free",
    metadata=MannersMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    also_ruled_as=as_talk,
    is_speech=True,
    like="speech",
    sights=seen("{actor} said goodbye to {target}", 1),
    note="let {target} say goodbye",
    history="said goodbye to {target}",
    parts=(
        Phrasing(
            96,
            "goodbye, good bye, bye, farewell, good night, see you, see you later, see you soon, say goodbye, say "
            "goodbye to, say farewell, say farewell to, say good night, say good night to, bid farewell to, take "
            "leave of",
            _FAREWELL.read,
            has_topic=True,
        ),
        Syntax(civility=_FAREWELL.heard),
        _telling("farewell"),
    ),
)


# thank: for something, perhaps.

_THANKS = Civility(
    "thank", ("thanks", "thank you", "many thanks", "thanks a lot", "much obliged"), "thank {}", on=("for",)
)

THANK = Verb(
    name="thank",
    rank=290,
    summary="thank somebody, for something perhaps",
    condition="the person is here",
    remembered="that somebody was thanked",
    lines={"gratitude": "thank {person} for everything"},
    rule_lines=lambda names: names.done("thank"),
    reply="free",
    metadata=MannersMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    ops=_note,
    also_ruled_as=as_talk,
    is_speech=True,
    like="speech",
    regard=(0, -1),
    is_civil=True,
    sights=seen("{actor} thanked {target}", 1),
    note="let {target} take the thanks",
    history="thanked {target}",
    parts=(
        Phrasing(
            97,
            "thank, thanks, thank you, many thanks, thanks a lot, much obliged, say thanks, say thanks to, say thank "
            "you, say thank you to, give thanks to, express my thanks to",
            _THANKS.read,
            has_topic=True,
        ),
        Syntax(civility=_THANKS.heard),
        _telling("thank"),
    ),
)


# apologise: for something, perhaps.

_APOLOGY = Civility(
    "apologise",
    ("sorry", "i am sorry", "i'm sorry", "my apologies", "forgive me", "pardon me", "excuse me", "i apologise"),
    "apologise to {}",
    on=("for", "about"),
)

APOLOGISE = Verb(
    name="apologise",
    rank=300,
    summary="apologise to somebody, for something perhaps",
    condition="the person is here",
    remembered="that somebody apologised",
    lines={"apology": "apologise to {person}"},
    rule_lines=lambda names: names.done("apologise to"),
    reply="free",
    metadata=MannersMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    ops=_note,
    also_ruled_as=as_free("charm", "apologise to"),
    is_speech=True,
    like="speech",
    regard=(0, -1),
    is_civil=True,
    sights=seen("{actor} apologised to {target}", 2),
    note="let {target} take the apology",
    history="apologised to {target}",
    parts=(
        Phrasing(
            98,
            "apologise, apologize, apologise to, apologize to, sorry, say sorry, say sorry to, i am sorry, i'm sorry, "
            "my apologies, forgive me, pardon me, excuse me, beg pardon of, make my apologies to",
            _APOLOGY.read,
            has_topic=True,
        ),
        Syntax(civility=_APOLOGY.heard),
        _telling("apologise"),
    ),
)

VERBS = (GREET, FAREWELL, THANK, APOLOGISE)
