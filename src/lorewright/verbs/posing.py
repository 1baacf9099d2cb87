"""Verb of posture: pose. What one does with one's own body and clothes, which is told and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pydantic import Field

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.acts import telling_of_gesture
from lorewright.builtin.narrator.forms import FIRST, IN_WORDS, OF_BODY, kinds_of
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.parser.civilities import said_before
from lorewright.builtin.parser.pieces import named_first
from lorewright.builtin.parser.readings import (
    AFTER_NOUNS,
    ParseContext,
    PhraseKind,
    Reading,
    act_word,
    acting,
    acting_freely,
    meant,
    nothing_called,
    noun_part,
    wondering,
)
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.parser.steps import STEPS
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lexicon,
    lows,
    parted,
    trimmed,
    typed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, Tie, exact, resolve
from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_reach
from lorewright.rules.verbs import Verb, seen
from lorewright.values.records import NarratorInput
from lorewright.world.frozen import Frozen


class PoseMetadata(Frozen):
    """What was typed for it."""

    verb: str = Field(default="", max_length=60)


# Kinds of posture, and the words for them. Those of the second table take a part of the body or of what one wears.
_ALONE = {
    "lean": "lean, lean back, lean in, lean forward, lean over, slouch, slump, rest my weight, prop myself, perch",
    "stretch": "stretch, yawn, stretch out, stretch up, crane my neck, reach out, reach out a hand, stand on tiptoe, "
    "stretch up on my toes, go up on my toes",
    "breathe": "breathe, breathe in, breathe out, sigh, exhale, inhale, take a breath, take a deep breath, "
    "hold my breath, catch my breath, let out a breath, let out a sigh, gasp, pant",
    "shiver": "shiver, tremble, shudder, flinch, wince, cringe, blush, sweat, start, jump back",
    "still": "freeze, go still, stand still, keep still, hold still, stay still, stop dead, stand there, just stand "
    "there, stop, stay where i am, leave it alone, leave it be, leave it, let "
    "it be, leave it where it is, keep quiet, be still, be quiet",
    "cough": "cough, sneeze, sniff, clear my throat, hiccup, swallow, gulp, burp",
    "frown": "frown, scowl, pout, grimace, raise an eyebrow, raise my eyebrows, roll my eyes, squint, blink, "
    "make a face, pull a face, narrow my eyes, glare, purse my lips, bite my lip, stick my tongue out, "
    "stare into space, look thoughtful, look serious, look innocent, look sad, look bored, "
    "keep a straight face, look away, look nobody in the face",
    "cry": "cry, weep, sob, wail, burst into tears, stop crying, sniffle",
    "pace": "pace, pace up and down, walk up and down, wander about, shuffle, fidget, tap my foot, "
    "drum my fingers, stamp my feet, hop, skip, stumble",
    "turn": "spin around, turn around, turn round, turn away, turn my back, twirl around, look over my shoulder",
    "crouch": "crouch, crouch down, squat, kneel, kneel down, duck down, bend, bend down, bend over, "
    "go down on one knee, get on my knees, curl up, lie down, lie back, sink down, stoop, hunch",
    "think": "think, ponder, wonder, consider, reflect, meditate, daydream, collect my thoughts, "
    "gather my thoughts, clear my head, count to ten, count to three, pull myself together, "
    "compose myself, calm down, gather my courage, brace myself, steady myself, make up my mind, "
    "remind myself, pretend, hesitate, take a moment, take stock, relax, cheer up, try not to cry, pray, "
    "say a prayer, cross myself, make a wish, get my bearings, remember, keep calm",
    "mutter": "mutter, mumble, murmur, talk to myself, curse, swear, swear under my breath, curse under my breath, "
    "cheer, hum, whistle, sing under my breath, "
    "groan, moan, grumble, whisper to myself, say to myself, cry out, growl, snort, huff, "
    "tut",
    "approach": "step up, step closer, come closer, go closer, walk closer, move closer, step aside, "
    "step forward, keep my distance, make room, stand aside, walk around, lean closer, take a step, take a step "
    "forward, take a step closer, take a step towards, take a step to, take a step aside, shuffle closer",
    "back": "step back, back away, back off, take a step back, take a step away, draw back, shrink back, "
    "retreat a step, stand back, move back",
    "jump": "jump, jump up, jump up and down, leap, leap up, leap back, jump for joy, do a somersault, do a cartwheel, "
    "do a handstand, skip about",
    "shout": "shout, yell, scream, holler, shout at the top of my voice, bellow",
    "shrug": "shrug, nod, clap, applaud, bow my head, shake my head, throw up my hands, spread my hands",
}
_OF_BODY = {
    "brush": "shake, shake off, shake out, brush, brush off, wipe, wipe off, dust off, dry, wring out, wring, "
    "pat dry, flick",
    "dress": "adjust, straighten, button, button up, unbutton, zip up, unzip, tie, untie, loosen, tighten, "
    "pull up, pull down, pull on, pull off, take off, put on, turn up, turn down, tuck, tuck in, smooth, "
    "hitch up, fold back, roll up, push back, tilt, doff, tip, remove, hang up, slip off, "
    "slip on, kick off, lower",
    "rub": "rub, scratch, stroke, massage, warm, blow on, crack, flex, clench, unclench, wriggle, wiggle, wash, "
    "run, pinch, bite, lick, slap",
    "raise": "raise, lift, hold up, put up, throw up, stick up",
    "fold": "fold, cross, clasp",
    "shut": "close, shut, open, cover",
    "hold": "uncross, put, keep, hold, hold out, spread, stick, shove, rest, lay, lower, drop, stamp, tap, drum, "
    "throw, stretch out, bury, hide",
}
# What other phrases than these are read as.
_OTHERS = {"write": "write", "hide": "hide, conceal, stash"}
_LEADS = frozenset(
    "on against over at in into to with off from under for by behind beneath through around along up down near"
    " beside ,".split()
)


def _read_alone(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a posture with whatever follows it, unless that names somebody or something that other verbs are about."""
    if any(word.kind == "speech" for word in rest) or lows(rest)[:1] in _WAYS:
        return None
    if _names_anything(ctx, rest) and not _is_beside(ctx, words, rest):
        return None
    return _posing(ctx, words, rest)


# `step back out` is a way, and no stance.
_WAYS = (["out"], ["outside"], ["inside"], ["into"], ["through"])

# What is done wherever one is, with whatever stands beside one: `kneel by the door`.
_STANCES = frozenset(("lean", "stretch", "breathe", "shiver", "cough", "cry", "crouch", "pace", "back", "turn"))
_BESIDE = frozenset("by beside near next in against on behind under before over at from towards around".split())


def _is_beside(ctx: ParseContext, words: str, rest: Sequence[Word]) -> bool:
    """Tell whether a stance is taken up beside a thing or a door."""
    nouns, low = ctx.nouns, lows(rest)
    start = next((index for index, word in enumerate(low) if word and word not in _LEADS), len(rest))
    is_thing = resolve(bare(rest[start:]), (*nouns.things, *nouns.doors)) is not None
    return is_thing and low[0] in _BESIDE and _posture(said_before(words, rest)) in _STANCES


def _read_of_body(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read what is done to one's own body or clothes; None where the words name neither."""
    done_to = lows(parted(rest, ("with", "using"))[0])
    # Of `the hat box` the hat is no part.
    after_nouns = AFTER_NOUNS | _LEADS | lexicon().articles | lexicon().adverbs | {"", "once", "twice"}
    heads = [word for word, after in zip(done_to, (*done_to[1:], ""), strict=False) if after in after_nouns]
    named = {word.removesuffix("s") for word in heads} | set(heads)
    return None if not named & lexicon().body or _names_anything(ctx, rest) else _posing(ctx, words, rest)


def _read_writing(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read something put down in writing, where there is anything to write in or with; else it is that which is not
    here. None where a verb of the ruleset may be meant, or somebody is written to."""
    nouns = ctx.nouns
    if act_word(words) == "draw" and not _DRAWN & set(lows(rest)):
        return None
    if any(exact(word, nouns.people) for word in lows(rest) if word):
        return None
    named = {word for thing in nouns.things for key in thing.keys for word in key.words}
    named |= {word for noun in nouns.scenery for key in noun.keys for word in key.words}
    if named & _TO_WRITE_WITH:
        return acting(ctx, POSE.name, words[:120], metadata={"verb": "write"})
    return nothing_called(ctx, words, "pen")


# What is drawn with a pen, and not from its sheath.
_DRAWN = frozenset(
    "picture map arrow line circle face heart cross plan mark symbol sign star sketch diagram portrait".split()
)
_TO_WRITE_WITH = frozenset("pen pencil chalk notebook notepad crayon ink paper marker quill typewriter".split())


def _names_anything(ctx: ParseContext, rest: Sequence[Word]) -> bool:
    nouns, low = ctx.nouns, lows(rest)
    named = (*nouns.people, *nouns.things, *nouns.doors)
    start = next((index for index, word in enumerate(low) if word and word not in _LEADS), len(rest))
    found = resolve(bare(rest[start:]), named)
    # A loose match is a word in common.
    return found is not None and getattr(found, "confidence", 1.0) >= 0.9


def _posing(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading:
    verb = said_before(words, rest).removeprefix("i ").removeprefix("you ")
    if not _posture(verb):
        # Adverbs went before the words were read: `breathe out slowly`.
        verb = words.lower().removeprefix("i ").removeprefix("you ")[:60]
    reading = acting(ctx, POSE.name, f"{verb} {typed(rest)}".strip()[:120], metadata={"verb": verb})
    at = next((at for at, word in enumerate(lows(rest)) if word in _TO_SOMEBODY), len(rest))
    person = named_first(ctx, trimmed(rest[at + 1 :], start=("the",)), ctx.nouns.people)
    return reading if person is None else replace(reading, mentioned=(person[0].candidate,))


_TO_SOMEBODY = frozenset(("to", "towards", "toward", "beside"))


def _posture(verb: str) -> str:
    """Return the kind of posture that a verb is of; empty for none."""
    kinds = {phrase: kind for kind, phrases in (_ALONE | _OF_BODY | _OTHERS).items() for phrase in phrases.split(", ")}
    found = [phrase for phrase in kinds if f" {phrase} " in f" {verb} "]
    return kinds[max(found, key=len)] if found else ""


# Acts towards people that need no dice: one sits down beside them, follows where nobody leads, thinks of them.


def _in_company(ctx: ParseContext, form: str, deed: str, person: PhraseMatch | None) -> Reading:
    metadata = {"verb": deed.split()[0], "form": form, "deed": deed[:120]}
    reading = replace(acting(ctx, POSE.name, deed[:120], metadata=metadata), is_sure=True)
    return reading if person is None else replace(reading, mentioned=(person.candidate,))


def _person_here(ctx: ParseContext, words: str, rest: Sequence[Word], pattern: str) -> PhraseMatch | Reading | None:
    """Return the person here whom words name, perhaps with more words after the name; None where they name nobody."""
    rest = trimmed(rest, start=("to", "with", "the"), end=_SMALL_ENDS)
    people, phrase = ctx.nouns.people, bare(rest)
    head = noun_part(phrase)
    is_pronoun = head.lower() in lexicon().person_pronouns
    found = resolve(phrase, people, whole=True) or resolve(head, people, whole=True)
    if not is_pronoun and (found is None or (isinstance(found, PhraseMatch) and found.mended)):
        return None
    named = meant(ctx, words, words_of(head if is_pronoun else phrase), PhraseKind(people, (), pattern))
    if isinstance(named, PhraseMatch):
        return named if named.candidate in people else None
    return named if isinstance(found, Tie) else found if isinstance(found, PhraseMatch) else None


_SMALL_ENDS = ("down", "again", "now", "then", "please", "too", "quietly", "closely", "for", "a", "while", "bit")


def _read_beside(ctx: ParseContext, words: str, rest: Sequence[Word], *, deed: str) -> Reading | None:
    """Read sitting down or standing beside somebody who is here; of who is not, the try at it; None for all else."""
    person = _person_here(ctx, words, rest, f"{deed} {{}}")
    away = resolve(bare(rest), ctx.nouns.known_people, whole=True) if person is None else None
    if isinstance(away, PhraseMatch) and not away.mended and away.candidate not in ctx.nouns.people:
        tried = acting_freely(ctx, f"{deed} {away.label}", act_word(words)[:60], "charm", target=away, item=None)
        return None if tried is None else replace(tried, is_sure=True)
    if not isinstance(person, PhraseMatch):
        return person
    return _in_company(ctx, "company", f"{deed} {person.candidate.name}", person)


def _read_follow(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read following somebody who is here, and so goes nowhere; None for ways and for all else."""
    person = _person_here(ctx, words, rest, "follow {}")
    if not isinstance(person, PhraseMatch):
        return person
    return _in_company(ctx, "follow", f"follow {person.candidate.name}", person)


def _read_thought(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a thought of somebody or something known as what one knows of it, another as a thought and no more; None
    where it is no more than the verb, or is put to somebody."""
    phrase = bare(trimmed(rest, end=_SMALL_ENDS))
    is_plain = act_word(words) in _OF_FEELING
    if not phrase or any(word.kind == "speech" for word in rest):
        return None
    nouns = ctx.nouns
    known = (*nouns.known_people, *nouns.known_places, *nouns.known_things)
    if resolve(phrase, nouns.everything(), known, whole=True) is not None:
        return replace(wondering(phrase), is_sure=True)
    deed = in_second_person(f"{words} {typed(rest)}" if not words.endswith(typed(rest)) else words)
    return None if is_plain or not deed else _in_company(ctx, "thought", deed, None)


# Verbs that are of people alone, and much else with other words after them.
_OF_FEELING = frozenset(("remember", "recall", "worry"))


def _read_call(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read calling up those who are no people of the story: nobody answers."""
    phrase = bare(trimmed(rest, start=("for", "the", "up"), end=("up", "now"))).lower()
    if phrase not in _SERVICES or exact(phrase, (*ctx.nouns.people, *ctx.nouns.known_people)):
        return None
    return acting(
        ctx, POSE.name, words[:120], metadata={"verb": act_word(words)[:60], "deed": words[:120], "form": "phone"}
    )


_SERVICES = frozenset((
    "police", "cops", "ambulance", "fire brigade", "fire department", "emergency services", "emergency", "an ambulance",
    "coast guard", "coastguard", "help line", "hotline", "doctor", "taxi", "cab", "hospital", "911", "999", "112",
))  # fmt: skip


def _pose(ctx: ParseContext, words: str) -> Reading:
    """Read what is done with one's own body, by whatever verb."""
    return acting(ctx, POSE.name, words[:120], metadata={"verb": act_word(words)[:60]})


def _approach(ctx: ParseContext, words: str, person: PhraseMatch | None) -> Reading:
    """Read a few steps within the place; who is stepped up to is spoken to from then on."""
    reading = acting(
        ctx, POSE.name, f"step up to {person.label}" if person else words[:120], metadata={"verb": "step up"}
    )
    return reading if person is None else replace(reading, mentioned=(person.candidate,))


# Forms that say more than the word for the posture: to wipe is to clean, before it is to brush something off oneself.
_SAYS_MORE = frozenset(("work", "eat", "perform", "phone", "put"))


# A hand that is held out is a sign, and no way of standing.
_HELD_OUT = ("gesture", "hold")


_OWN = re.compile(r"\b(?:your|off|out|from|it|them)\b")


def _tell(given: NarratorInput, outcome: Outcome) -> Beat | None:
    posture, form = _posture(outcome.words), outcome.form
    if outcome.code != "acted":
        return None
    if outcome.form == STEPS:
        return Beat("outcome", FIRST, {}, {"deed": outcome.deed})
    if outcome.deed:
        # What one puts away or wears is one's own; what is only picked up is not.
        is_own = form != "take" or _OWN.search(outcome.deed) is not None
        return Beat("outcome", IN_WORDS, {"kind": form, "carried": is_own}, {"deed": outcome.deed})
    if form in kinds_of(OF_BODY) and (not posture or form in _SAYS_MORE or (form, posture) == _HELD_OUT):
        return Beat("outcome", OF_BODY, {"kind": form})
    return Beat("outcome", "gesture.pose", {"kind": posture})


POSE = Verb(
    name="pose",
    rank=350,
    summary="lean, stretch, breathe, brush off one's coat: what is seen of somebody and changes nothing",
    condition="it can be done wherever one is",
    remembered="nothing",
    lines={"posture": "take a deep breath"},
    rule_lines=lambda names: ("lean back",),
    metadata=PoseMetadata,
    like="free",
    requires=why_not_reach,
    sights=seen("{actor} shifted a little", 1),
    note="let them",
    history="paused for a moment",
    parts=(
        Phrasing(
            198,
            "write, write down, note, note down, jot, jot down, scribble, scrawl, make a note, make a note of, "
            "take notes, underline, cross out, make a list, make a list of, sketch, draw, add to my notes",
            _read_writing,
        ),
        Phrasing(200, ", ".join(_ALONE.values()), _read_alone),
        Phrasing(205, ", ".join(_OF_BODY.values()), _read_of_body),
        Phrasing(
            71,
            "sit with, sit next to, sit beside, sit by, sit near, sit close to, sit alongside, sit down with, "
            "sit down next to, sit down beside, sit down by, sit down near, take a seat with, take a seat next to, "
            "take a seat beside, take a seat by, have a seat next to, have a seat beside, go sit with, go sit next to, "
            "go sit beside, go and sit with, go and sit next to, go and sit beside, join, go join, keep company, "
            "take the seat next to, take the seat beside, take the stool next to, take the stool beside",
            partial(_read_beside, deed="sit down beside"),
        ),
        Phrasing(
            72,
            "sit across from, sit opposite, sit facing, sit in front of, sit down across from, sit down opposite, "
            "sit down in front of",
            partial(_read_beside, deed="sit down across from"),
        ),
        Phrasing(
            73,
            "stand next to, stand beside, stand with, stand by, stand near, stand close to, stand alongside, "
            "go stand next to, go stand beside, go stand by, go and stand next to",
            partial(_read_beside, deed="stand beside"),
        ),
        Phrasing(74, "follow", _read_follow),
        Phrasing(
            75,
            "think about, think of, think back to, reflect on, reminisce about, dream of, dream about, daydream about, "
            "daydream of, worry about, remember, recall",
            _read_thought,
        ),
        Phrasing(76, "call, phone, dial, telephone", _read_call),
        Syntax(approach=_approach, posture=_pose),
        Telling(of_player=_tell, of_others=telling_of_gesture("npc.wave")),
    ),
)

VERBS = (POSE,)
