"""Verbs of small talk: enquire, remark, compliment, insult, call for, hush. They ask for no lore, and none is told for
them: whom they are said to answers as they stand to the speaker, from what is openly known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from pydantic import Field

from lorewright.builtin.narrator.act_words import Actor, Telling, talk_beats
from lorewright.builtin.narrator.acts import telling_of_gesture
from lorewright.builtin.narrator.small_talk import telling_of_talk
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.parser.civilities import as_free
from lorewright.builtin.parser.handling import person_first
from lorewright.builtin.parser.readings import ParseContext, Reading, noun_part, person_meant
from lorewright.builtin.parser.small_talk import SmallTalk, hear, subject_of
from lorewright.builtin.words.clauses import Phrasing, Syntax, Word, bare, lexicon, lows, parted, typed, words_of
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, in_prose, resolve
from lorewright.rules.actions import Action
from lorewright.rules.acts import civil_key
from lorewright.rules.patch import Outcome, ReasonCode
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.verbs import Verb, seen, verb_for
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import Evidence
from lorewright.world.frozen import Frozen
from lorewright.world.ops import Recall, StateOp
from lorewright.world.state import WorldState


class SmallTalkMetadata(Frozen):
    """What is said, in the speaker's words."""

    topic: str = Field(default="", max_length=200)
    whisper: bool = False


# How what one asks to have begins, as those hear it who are asked.
_WANTED_BY = re.compile(
    r"(?:could|can|may|might|would) you (?:please )?(?:have|get|borrow|take|see|use)\b", re.IGNORECASE
)


def _as_news(action: Action) -> Action | None:
    """Return what a remark to somebody is to a rule of the scenario: a request is to win them over, else something is
    told."""
    is_request = action.form == "request" or _WANTED_BY.match(str(action.metadata.get("deed", ""))) is not None
    telling = verb_for("win_over" if is_request else "pass_on")
    if telling is None or action.target_id is None:
        return None
    return action.model_copy(update={"type": telling.name})


_as_treat = as_free("charm", "buy")


def _as_request(action: Action) -> Action | None:
    """Return what an order is to a rule of the scenario: what one has somebody served is a favour to them, else
    somebody is asked for the thing, which may be carried to another."""
    asking = None if _TREATS.match(str(action.metadata.get("topic", ""))) else verb_for("win_over")
    if asking is None or action.target_id is None:
        return _as_treat(action)
    return action.model_copy(update={"type": asking.name})


_TREATS = re.compile(r"let me buy you\b", re.IGNORECASE)


def _note(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    """Return the op that notes the civility between the two for the day; empty where it is noted already."""
    key = "" if action.target_id is None else civil_key(action.actor_id, action.target_id, state)
    return (Recall(key=key),) if key and key not in state.recall else ()


def _why_not_to_those_here(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why it cannot be said to a person; to nobody in particular anything can be said."""
    return None if action.target_id is None else why_not_to_somebody(action, state)


def _of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return talk_beats(actor, outcome, evidence, words, "npc.said")


def _telling(name: str, otherwise: str) -> Telling:
    return Telling(of_player=telling_of_talk(name, otherwise), of_others=_of_others, target_is_person=True)


# What is read as small talk, the first that fits. Read in one go, so that all words are looked through once.
_QUESTIONS = SmallTalk("enquire", "make conversation", to_all=False)
_WANTED = SmallTalk("call_for", "call for something", is_for_hosts=True)
_PRAISE = SmallTalk("compliment", "say something kind")
_ABUSE = SmallTalk("insult", "say something rude")
_REMARKS = SmallTalk("remark", "make a remark")
_hear = partial(hear, (_QUESTIONS, _WANTED, _PRAISE, _ABUSE, _REMARKS))


# enquire: after somebody's health, name, work, wishes or help.


ENQUIRE = Verb(
    name="enquire",
    rank=600,
    summary="ask somebody how they are, who they are, what they do or want, or whether they would help",
    condition="the person is here",
    remembered="that somebody was asked after",
    lines={"inquiry": "ask {person} how they are"},
    rule_lines=lambda names: (f"{person}, how are you" for person in names.people),
    reply="free",
    points_on=True,
    metadata=SmallTalkMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    is_speech=True,
    like="speech",
    sights=seen("{actor} asked after {target}", 1),
    note="let {target} answer for themselves, with nothing that is kept back",
    history="asked after {target}",
    remark="ask",
    parts=(Syntax(civility=_hear), _telling("enquire", "wellbeing")),
)


# call for: something to drink or to eat, for oneself or for somebody. No thing changes hands.

_TREAT = SmallTalk("call_for", "offer a drink")


def _read_order(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `a beer`, `a beer from viktor`; None for what lies here, and for whatever nobody serves."""
    what, joint, who = parted(rest, ("from", "at"))
    if not joint:
        return hear((_WANTED,), ctx, words, None, rest) or _hear_several(ctx, words, rest)
    host = exact(bare(who), ctx.nouns.people)
    return None if host is None else hear((_WANTED,), ctx, words, host, what)


def _read_drink(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a drink as an order, where somebody serves; what stands there is drunk, and not ordered."""
    shown = in_prose(bare(rest), ctx.nouns)
    is_shown = shown is not None and shown.standing == "shown"
    return None if _WANTED.host(ctx) is None or is_shown else _read_order(ctx, words, rest)


def _hear_several(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read an order of several of a kind, or of another: `two more coffees` as `a coffee`."""
    low = noun_part(" ".join(lows(rest))).split()
    while low and (low[0] in lexicon().numbers or low[0] in ("more", "another", "some", "the", "usual")):
        low = low[1:]
    one = words_of(f"a {' '.join((*low[:-1], singular(low[-1])))}") if low else ()
    return hear((_WANTED,), ctx, words, None, one) if one else None


def _read_treat(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `bao a drink`, `a drink for bao`, else as an order."""
    what, joint, who = parted(rest, ("for",))
    guest = person_meant(ctx, bare(who)) if joint else None
    first = None if joint else person_first(ctx, rest)
    if first is not None:
        guest, what = first[0], rest[first[1] :]
    if not isinstance(guest, PhraseMatch):
        return _read_order(ctx, words, rest)
    return (
        _TREAT.to(ctx, words, guest, f"let me buy you {typed(what)}")
        if subject_of(CALL_FOR.name, typed(what))
        else None
    )


def _read_offer(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `him a drink`; None for what is at hand, which is given, and for what nobody serves."""
    first = person_first(ctx, rest)
    what = typed(rest[first[1] :]) if first is not None else ""
    if first is None or not subject_of(CALL_FOR.name, what) or resolve(noun_part(what), ctx.nouns.things) is not None:
        return None
    return _TREAT.to(ctx, words, first[0], f"let me buy you {what}")


CALL_FOR = Verb(
    name="call_for",
    rank=610,
    summary="call for something to drink or to eat, or offer it to somebody; it is gone when it has been had",
    condition="whom it is asked of, if anybody, is here",
    remembered="that something was asked for",
    lines={"order": "order a drink from {person}"},
    rule_lines=lambda names: (f"order a drink from {person}" for person in names.people),
    tried="call for a drink",
    reply="free",
    grounding="own",
    metadata=SmallTalkMetadata,
    aim="person",
    requires=_why_not_to_those_here,
    also_ruled_as=_as_request,
    is_speech=True,
    like="speech",
    sights=seen("{actor} called for something to drink", 1),
    note="let it be served as far as anybody serves; no thing changes hands",
    history="called for something",
    remark="tell",
    parts=(
        Phrasing(83, "order, call for, ask for, pay for", _read_order, has_topic=True),
        Phrasing(58, "offer, pour, bring", _read_offer, has_topic=True),
        Phrasing(85, "drink", _read_drink, has_topic=True),
        Phrasing(84, "buy, purchase, treat, stand, get, fetch", _read_treat, has_topic=True),
        _telling("call_for", "served"),
    ),
)


# compliment: what is kind, or means to be.


COMPLIMENT = Verb(
    name="compliment",
    rank=620,
    summary="say something kind to somebody",
    condition="the person, if one is named, is here",
    remembered="that something kind was said",
    lines={"praise": "compliment {person}"},
    rule_lines=lambda names: names.done("compliment"),
    reply="free",
    metadata=SmallTalkMetadata,
    aim="person",
    requires=_why_not_to_those_here,
    ops=_note,
    also_ruled_as=as_free("charm", "compliment"),
    is_speech=True,
    like="speech",
    regard=(0, -1),
    is_civil=True,
    sights=seen("{actor} said something kind to {target}", 1),
    note="let {target} take the compliment",
    note_target="those here",
    history="said something kind to {target}",
    remark="tell",
    parts=(
        Phrasing(81, "compliment, praise, pay a compliment to", _PRAISE.read, has_topic=True),
        _telling("compliment", "praise"),
    ),
)


# insult: what is not.


INSULT = Verb(
    name="insult",
    rank=630,
    summary="say something rude to somebody",
    condition="the person, if one is named, is here",
    remembered="that somebody was insulted",
    lines={"abuse": "insult {person}"},
    rule_lines=lambda names: names.done("insult"),
    reply="free",
    metadata=SmallTalkMetadata,
    aim="person",
    requires=_why_not_to_those_here,
    also_ruled_as=as_free("charm", "insult"),
    is_speech=True,
    like="speech",
    regard=(0, 1),
    sights=seen("{actor} insulted {target}", 3),
    note="let {target} take the insult",
    note_target="those here",
    history="insulted {target}",
    remark="tell",
    parts=(
        Phrasing(82, "insult, swear at, curse at, call names", _ABUSE.read, has_topic=True),
        _telling("insult", "abuse"),
    ),
)


# remark: what is said of oneself or of the weather, yes and no. What somebody says of themselves is nothing but words.


REMARK = Verb(
    name="remark",
    rank=640,
    summary="say something that asks for nothing: yes, no, who one is, how one feels, what the weather is like",
    condition="the person, if one is named, is here",
    remembered="that a few words were said",
    lines={"smalltalk": "{person}, it is a long night"},
    rule_lines=lambda names: (f"{person}, it is a long night" for person in names.people),
    reply="free",
    grounding="own",
    metadata=SmallTalkMetadata,
    aim="person",
    requires=_why_not_to_those_here,
    also_ruled_as=_as_news,
    is_speech=True,
    like="speech",
    sights=seen("{actor} said a few words to {target}", 1),
    note="let {target} answer it; what somebody claims to be is not so because they say it",
    note_target="those here",
    history="said a few words to {target}",
    remark="tell",
    parts=(
        Phrasing(80, "introduce myself, introduce myself to, agree, agree with", _REMARKS.read, has_topic=True),
        Syntax(remark=_REMARKS.take),
        _telling("remark", "statement"),
    ),
)


# hush: nothing is said, and that is seen.

_SILENCE = SmallTalk("hush", "say nothing")
_WITHOUT_WORDS = (
    "in silence",
    "silently",
    "without a word",
    "without saying anything",
    "and say nothing",
    "wordlessly",
)


def _read_stare(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `at viktor in silence`; None for any other look."""
    said = " ".join(lows(rest)).strip()
    tail = next((tail for tail in _WITHOUT_WORDS if said.endswith(f" {tail}")), "")
    if not tail:
        return None
    at_whom = rest[: len(rest) - len(tail.split())]
    return _SILENCE.read(ctx, words, at_whom) or _SILENCE.to(ctx, words, None, words)


HUSH = Verb(
    name="hush",
    rank=650,
    summary="say nothing, to somebody's face perhaps",
    condition="the person, if one is named, is here",
    remembered="that somebody kept silent",
    lines={"silence": "say nothing to {person}"},
    rule_lines=lambda names: (f"say nothing to {person}" for person in names.people),
    tried="keep silent",
    metadata=SmallTalkMetadata,
    aim="person",
    requires=_why_not_to_those_here,
    like="free",
    sights=seen("{actor} kept silent", 1),
    note="let the silence be felt",
    history="kept silent",
    remark="wait",
    parts=(
        Phrasing(
            79,
            "say nothing, say nothing to, answer nothing, keep silent, stay silent, be silent, remain silent, keep "
            "quiet, stay quiet, be quiet, hold my tongue, keep my mouth shut, don't say anything, do not say anything, "
            "don't answer, do not answer, give no answer, refuse to answer",
            _SILENCE.read,
        ),
        Phrasing(5, "stare at, look at, glare at, gaze at, watch, just stare at", _read_stare),
        Telling(
            of_player=telling_of_talk("hush", "silence", alone="hushed.alone"),
            of_others=telling_of_gesture("npc.wait"),
            target_is_person=True,
        ),
    ),
)

VERBS = (ENQUIRE, CALL_FOR, COMPLIMENT, INSULT, REMARK, HUSH)
