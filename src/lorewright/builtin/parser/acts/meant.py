"""A line and its acts as they are meant: without what is taken back, each act by itself, with a noun for `it`, and as
the kind that its words say; what is said not to be done is told, and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from lorewright.builtin.parser.acts.in_line import as_in_line
from lorewright.builtin.parser.acts.kinds import (
    TURNED,
    Kind,
    as_question,
    doubted,
    is_said,
    kind_of,
    kinds,
    made,
    questions_in,
    words_in,
)
from lorewright.builtin.parser.handling import is_seen_in, looking_in, mounted, whole
from lorewright.builtin.parser.pieces import without_part
from lorewright.builtin.parser.readings import ParseContext, Reading, act_word, asking, is_mute, posed, typeable
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.parser.small_talk import serves_oneself
from lorewright.builtin.parser.steps import (
    LONGEST,
    comes_to_nothing,
    is_entered,
    is_of_body,
    meant_later,
    restated,
    told_of,
    told_only,
    verb_told,
)
from lorewright.builtin.parser.ways import lies_elsewhere, vehicle_here, way_to_person
from lorewright.builtin.words.act_nouns import (
    agreeing,
    is_same_prose,
    noun_after,
    parted_by_purpose,
    plain_phrase,
    seat_of,
)
from lorewright.builtin.words.clauses import lexicon, with_article
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import typed, verb_of
from lorewright.scene_lore.nouns import function_words, is_verb, singular

# Acts -> those that are done, each with a name for what it is done to.

_BACK = re.compile(r"\b(?:back|return|returns)\b", re.IGNORECASE)
_IS_BACK = re.compile(r"(?:(?:and|then|i)\s+)*(?:come|comes|coming) back(?: (?:in|over|down|again|here))?", re.I)
# Words beside others that only fill a pause, or say whom the others are about.
_SAYS_LITTLE = re.compile(
    r"[\s\"“]*(?:u+m+|u+h+|e+r+m?|h+m+|a+h+|o+h+|well|so|(?:the )?[\w']+(?: [\w']+)?,? i mean(?: (?:him|her|them))?)"
    r"[\s.,!…\"”]*",
    re.IGNORECASE,
)
# Who does it, and that it is said: no more than that somebody speaks.
_SPEECH_TAG = re.compile(
    r"(?:(?:then|and|i|he|she|they|you)\s+)*(?:say|ask|call|whisper|mutter|murmur|repl(?:y|ie)|answer|add|shout|tell|yell"
    r"|mumble|continue|ventur|offer|breath|hiss|snap|quip|joke|explain)(?:e?s|ed|e)?"
    r"(?: (?:out|back|up|on|\w+ly|aloud|him|her|them|at last))*",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"(?:(?:and|but|then|still|while|i|he|she|they|you)\s+)*(?P<not>do(?:es)?n['o]?t|do(?:es)? not|not|never)\s+"
    r"(?:(?:yet|even|quite|really|once)\s+)*(?P<verb>[a-z]+)\b(?P<rest>.*)",
    re.I | re.S,
)
_IN_MIND = re.compile(
    r"i (?:do not|don'?t) (?:think|know|believe|remember|want|like|care|mind|understand|feel)\b", re.I
)
_SLYLY = re.compile(
    r"(?:(?:and|but|then|while|i|he|she|they|you)\s+)*pretend(?:s|ing)?\s+(?:not to|to not)\s+(?:be\s+)?"
    r"(?P<verb>watch|look|star|listen|eavesdrop)(?:ing|e)?(?:\s+(?:at|to|on))?\s+(?P<whom>.+)",
    re.I | re.S,
)
# A thing or a voice is told something, and nobody hears it.
_SAID_TO_IT = re.compile(
    r"(?:(?:and|then|i)\s+)*(?P<verb>tell|ask|order|beg|curse)s? (?P<rest>(?:it|itself|myself"
    r"|my (?:own |poor |stupid |racing |shaking )*(?:nerves?|heart|stomach|head|brain|mind|thoughts|hands?|legs?|knees"
    r"|feet|body|pulse|conscience|fears?|mouth|eyes?|guts?|self|inner [\w-]+)(?! about\b))\b.*)",
    re.IGNORECASE,
)
_SAID_TO_THING = re.compile(
    r"(?:(?:and|then|i|he|she|they|you)\s+)*(?P<verb>say|mumble|murmur|mutter|whisper|apologi[sz]e)s? "
    r"(?P<rest>(?:(?:sorry|hello|hi|goodbye|good night|thanks|thank you) )?"
    r"to (?:the|my|a|that|this) (?P<what>[\w' -]+))",
    re.IGNORECASE,
)
_IF = re.compile(
    r"(?:(?:and|but|then|so)\s+)*(?:(?:if|unless|in case)\b|(?:when(?:ever)?|once|as soon as|the moment) [^,]+, )",
    re.IGNORECASE,
)
_LOOSE = " \t\n*_"


def acts_meant(ctx: ParseContext, acts: Sequence[Act]) -> tuple[Act, ...]:
    """Return the acts of a line as they are done: without the player's name and what says only that somebody speaks,
    with the noun for `it` where that is no entity's; an act that is left undone is one of no consequence."""
    acts = as_in_line(ctx, acts)
    acts = whole([part for act in restated(ctx, acts) for part in _parts(_unnamed(ctx, act))])
    acts = [part for act in acts for part in ([act] if is_said(act) else parted_by_purpose(act, typed("rummage")[0]))]
    acts = [act for act in acts if len(acts) == 1 or not (is_said(act) and _SAYS_LITTLE.fullmatch(act.words))]
    speaks = any(is_said(act) and not _SPEECH_TAG.fullmatch(act.words.strip(" ,.:!*")) for act in acts)
    done: list[Act] = []
    noun = door = counted = ""
    nouns, held = list[str](), list[str]()
    for act, after in zip_longest(acts, acts[1:]):
        if len(acts) > 1 and speaks and _SPEECH_TAG.fullmatch(act.words.strip(" ,.:!*")):
            continue
        before = done[-1] if done else None
        if before and (_holds_after(before, act) or is_seen_in(before, act) or is_entered(ctx, before, act)):
            continue
        act = looking_in(_of_that(mounted(act, noun), noun), noun)
        meant = _still_held(_as_meant(ctx, _slyly(_as_owed(act, done)), alone=len(acts) == 1), after)
        act = _up_to_door(meant, after)
        if door and kind_of(act).at_doors and not _is_entity(ctx, act.target):
            act = act.model_copy(update={"words": kind_of(act).at_doors.format(door=door), "target": door})
        door = "" if act is meant else act.target
        if done and _IS_BACK.fullmatch(act.words.strip(" ,.!")) and not any(kind_of(to).leaves for to in done):
            # Nobody went away before it.
            act = act.model_copy(update={"kind": kind_of(act).stops or act.kind})
        if not act.target and kind_of(act).stops and _BACK.search(act.words) and any(kind_of(to).leaves for to in done):
            # After a walk one comes back to where it began.
            start = typeable(ctx.nouns.place.name)
            act = act.model_copy(update={"words": kind_of(act).lines[0].format(target=start), "target": start})
        is_one = act.target.casefold() == "one"
        is_counted = " " in act.target and act.target.casefold().split()[0] in _COUNTED and not is_said(act)
        counted = act.target if is_counted else counted
        seat = seat_of(before, act) if before and not is_said(before) else ""
        one_of = seat or (
            counted if is_one and counted else agreeing(held if kind_of(act).held else nouns, act.target) or noun
        )
        is_meant = seat or (is_one and singular(one_of) != one_of.casefold()) or not _is_entity(ctx, one_of)
        if one_of and is_meant and (named := _with_noun(act, one_of)) is not None:
            act = named.model_copy(update={"kind": done[-1].kind}) if _is_part(noun) and done else named
        elif act.target.casefold() not in lexicon().thing_pronouns | {"one"}:
            noun = _noun_said(ctx, act, noun) if is_said(act) else noun_after(act, noun)
            nouns = [*nouns, noun] if noun else []
            is_place = kind_of(act).leaves or any("on {target}" in line for line in kind_of(act).lines[:1])
            held = held if noun and held and is_place else nouns
        done.append(act)
    pairs = zip_longest(done, done[1:])
    return tuple(act for act, after in pairs if after is None or not _is_lifted_for(ctx, act, after))


def _noun_said(ctx: ParseContext, act: Act, noun: str) -> str:
    """Return the noun that `it` stands for after words to somebody: what the prose shows and they are about, as in
    `thank her for the cup`; none after others of several words."""
    about = _FOR_THAT.search(act.words.strip(" ,.!*"))
    shown = in_prose(about["what"], ctx.nouns) if about is not None else None
    if about is not None and shown is not None and shown.standing == "shown":
        return about["what"]
    return noun if " " not in act.words else ""


def _of_that(act: Act, noun: str) -> Act:
    """Return a look at what is on or in something, or whether any of them is so, as one at that: `untie the label, read
    what it says`, `sort the umbrellas and see if any has a name on it`."""
    found = _WHAT_IT_IS.match(act.words.strip(" ,.!*")) if noun and not is_said(act) else None
    verb = "" if found is None else found["read"] or ""
    line = next((line for line in kind_of(act).lines if "{target}" in line), "")
    if found is None or not line or is_of_body(noun):
        return act
    named = noun if noun.casefold().split()[0] in lexicon().articles | _OWNERS else f"the {noun}"
    words = f"read {named}" if verb else f"look at {named}"
    return act.model_copy(update={"words": words, "target": noun, "second": "", "score": max(act.score, TURNED)})


_WHAT_IT_IS = re.compile(
    r"(?:(?:and|then|i|to|carefully|aloud)\s+)*(?:(?P<read>read)s?(?: aloud| out)? "
    r"(?:what(?:ever)?(?:['’]s| is| it| they"
    r"|['’]re)?|the \w+ on it$)|(?:see|check|look|find out|study)s?(?: to see)? (?:if|whether|what|how) "
    r"(?:any(?:thing|body|one)?(?: of them)?|it|they|one|each|all|some|there is (?:a|any) \w+)(?:['’]s| |$))"
    r"(?!.*\b(?:on|in|of) (?:the|my|this|that|his|her) \w)"
    r"(?!.*\b(?:here|there|around|me|i|coming|safe|clear|locked|open|works?|happens?|moves?|fits?)\b)",
    re.IGNORECASE,
)
_FOR_THAT = re.compile(r"\b(?:for|about) (?:the|this|that) (?P<what>[\w'-]+(?: [\w'-]+)?)$", re.IGNORECASE)


def _is_lifted_for(ctx: ParseContext, act: Act, after: Act) -> bool:
    """Tell whether what nobody can keep is taken for the act after it: `take the hat and put it on`."""
    is_kept = not kind_of(act).of_any or kind_of(after).of_whole != "told" or act_word(act.words) in lexicon().thefts
    return not is_kept and is_same_prose(ctx.nouns, act, after)


# What is put down and not let go of.
_HOLDS = re.compile(
    r"(?:with |(?:and |then |but |i )*(?:keep|leave|hold)s? )(?:my |one |a |two |three |both |his |her )*"
    r"(?:fingers?|fingertips?|hands?|thumbs?|palms?|foot)\b (?:still |firmly )?(?:on|over|upon) (?:it|them)\b"
    r"|(?:and |then |but |i )*(?:keeps? (?:a )?(?:firm )?(?:hold|grip) (?:of|on)|holds? on to|do(?: not|n't) let go)\b",
    re.IGNORECASE,
)


def _still_held(act: Act, after: Act | None) -> Act:
    """Return an act of putting something down as one of no consequence where a hand stays on it."""
    held = kind_of(act).held
    is_held = bool(_HOLDS.search(act.words) or (after is not None and _HOLDS.match(after.words)))
    return act.model_copy(update={"kind": held, "second": ""}) if held and is_held else act


def _holds_after(before: Act, act: Act) -> bool:
    """Tell whether an act is no more than a condition that holds after the one before it: nobody answers a call."""
    unanswered = kind_of(before).unanswered
    return unanswered is not None and bool(_IF.match(act.words) and unanswered.search(act.words))


def _as_owed(act: Act, done: Sequence[Act]) -> Act:
    """Return an act after words to somebody as of another kind where it goes on with them: `put it on the board`."""
    is_after = bool(done) and (is_said(done[-1]) or _FOR_ME.match(done[-1].words) is not None)
    turns = kind_of(act).turns_said if is_after else {}
    other = next((name for name, pattern in turns.items() if pattern.search(act.words)), "")
    named = {"kind": other, "words": re.sub(r"\bboard\b", "tab", act.words), "score": max(act.score, TURNED)}
    return act.model_copy(update=named) if other else act


# Somebody is asked to do it.
_FOR_ME = re.compile(r"(?:please )?\w+ (?:me|us)\b", re.IGNORECASE)


def _unnamed(ctx: ParseContext, act: Act) -> Act:
    words = _MEANWHILE.sub("", act.words.strip(_LOOSE))
    name, _, rest = words.partition(" ")
    is_tag = bool(_SPEECH_TAG.fullmatch(rest.strip(" ,.:!*")))
    is_of_player = any(key.words[:1] == (name.casefold(),) for key in ctx.nouns.player.keys)
    is_of_player = is_of_player and (is_tag or not is_said(act))
    named = {field: plain_phrase(words, getattr(act, field)) for field in ("target", "second", "person")}
    named["target"] = without_part(ctx, named["target"])
    is_name = act.topic and act.topic.casefold().split()[0] not in function_words()
    if named["target"] and is_name and f"{named['target']} {act.topic}" in words and not is_said(act):
        named |= {"target": f"{named['target']} {act.topic}", "topic": ""}
    if named["target"].casefold() in _ABOUT or (
        kind_of(act).alone and (_ROUND.search(words.strip(" ,.!")) or _WATCHING.search(words))
    ):
        named["target"] = ""
        words = kind_of(act).lines[-1] if kind_of(act).alone else words
    if _ANYBODY.search(words) and named["target"].split(" ")[0].endswith("ing"):
        # `see if anybody is hanging around`
        named["target"] = ""
    return act.model_copy(update={**named, "words": rest if rest and is_of_player else words or act.words})


def _parts(act: Act) -> Sequence[Act]:
    """Return an act of no consequence that is several as each of them: `exhales, leans back`."""
    if len(asked := questions_in(act)) > 1:
        named = ({**_named_in(act, part), "words": f"{part}?", "topic": part} for part in asked)
        return [act.model_copy(update=fields) for fields in named]
    parts = re.split(r",\s+(?:and\s+|then\s+)*", act.words.strip(" ,.*")) if kind_of(act).harmless else ()
    if len(parts) < 2 or not all(
        verb_told(part) or _NOT_DONE.fullmatch(part) or act_word(part) in lexicon().verb_words for part in parts
    ):
        return [act]
    return [act.model_copy(update={"words": part, **_named_in(act, part)}) for part in parts]


def _named_in(act: Act, words: str) -> dict[str, str]:
    """Return what an act names, as far as it stands in some of its words."""
    return {
        field: named if (named := getattr(act, field)) and named in words else ""
        for field in ("target", "second", "person", "topic")
    }


# Who is there, and not what a table is like.
_WATCHING = re.compile(
    r"\b(?:tables?|faces?|room|bar|place|booths?|chairs?|crowd|corners?)\b.* "
    r"(?:who|who's|for (?:anyone|anybody|someone|somebody|friends?|spies|watchers|trouble|eyes))\b"
    r"|\b(?:every|each|all the) face",
    re.IGNORECASE,
)
_ROUND = re.compile(r"\b(?:look|looks|glance|glances|peek|gander) (?:a)?(?:round|about)$", re.IGNORECASE)
_ABOUT = frozenset(("round", "around", "about"))
_ANYBODY = re.compile(r"\b(?:anyone|anybody|someone|somebody|who)\b", re.IGNORECASE)


# That something is done at the same time: `and while I do, I ask her`.
_MEANWHILE = re.compile(
    r"^(?:and |then )*(?:while|as) (?:i|he|she|they)(?:'m| am| is| are)? (?:do|does|doing)(?: so| that| it| this)?,? "
    r"(?:i )?",
    re.IGNORECASE,
)


def _slyly(act: Act) -> Act:
    """Return an act that one pretends not to do as that act: `pretend not to watch Oakes`."""
    if (found := _SLYLY.match(act.words)) is None:
        return act
    whom, verb = found["whom"].strip(" ,.!*"), found["verb"].casefold()
    meant = ((name, kind) for name, kind in kinds().items() if kind.slyly and verb in kind.slyly.split("|"))
    name, kind = next(meant, ("", None))
    return act if kind is None else Act(kind=name, words=kind.lines[0].format(target=whom), target=whom, score=1.0)


def _up_to_door(act: Act, after: Act | None) -> Act:
    """Return an act of going to a door as no more than that, where something is done there before one goes through."""
    is_foot = act.target.casefold().startswith(("foot of ", "bottom of "))
    is_door = is_foot or act.target.casefold().split()[-1:] in (["door"], ["gate"], ["keyhole"])
    is_stop = after is not None and not is_said(after) and not kind_of(after).leads_on
    stops = kind_of(act).stops
    return act.model_copy(update={"kind": stops, "score": 1.0}) if stops and is_door and is_stop else act


def _as_meant(ctx: ParseContext, act: Act, *, alone: bool) -> Act:
    """Return an act of another kind where its words say so: who climbs into a boat takes a seat there, who goes to find
    somebody goes to them."""
    act = as_question(ctx, act)
    words, kind = act.words.strip(" ,.!*"), kind_of(act)
    is_own = isinstance(resolve(act.target, ctx.nouns.carried), PhraseMatch) if act.target else False
    for likely in (kind, kind_of(doubted(act))):
        turns = {**(likely.turns_own if is_own else {}), **({} if alone else likely.turns_beside), **likely.turns}
        other = next((name for name, pattern in turns.items() if pattern.search(words)), "")
        if other and not (likely.leaves and (lies_elsewhere(ctx, act.target) or resolve(act.target, ctx.nouns.exits))):
            is_offered = is_said(act) and not kinds()[other].said and not act.target
            named = {"target": act.topic, "topic": ""} if is_offered else {}
            return made(act.model_copy(update={"kind": other, "score": max(act.score, TURNED), **named}))
    act = made(doubted(act))
    kind = kind_of(act)
    if kind.of_ways and (towards := way_to_person(ctx, (act.target or act.person).casefold())):
        act = act.model_copy(update={"target": towards.name, "person": ""})
    if kind.leaves and not act.target and _ABOARD.search(words) and (vehicle := vehicle_here(ctx, kind)):
        return act.model_copy(update={"kind": vehicle[0], "words": f"{words} {vehicle[1]}", "target": vehicle[1]})
    if kind.stops and act.target:
        to = re.search(r"\bto (?:the )?([\w' ]+)$", words)
        goals = (goal for goal in (to[1] if to else "", act.target) if goal and exact(goal, ctx.nouns.exits))
        if goal := next(goals, ""):
            called = f"the {goal}" if f"the {goal}" in words else goal
            return act.model_copy(update={"words": kind.lines[0].format(target=called), "target": goal})
    if kind.elsewhere and not kind.anywhere and act.target and lies_elsewhere(ctx, act.target):
        line = kinds()[kind.elsewhere].lines[0].format(target=act.target)
        return act.model_copy(update={"kind": kind.elsewhere, "words": line})
    if kind.unserved and act.target and serves_oneself(ctx, words, act.target):
        is_counted = act.target.casefold().split()[0] in _COUNTED
        words = f"take {act.target if is_counted else with_article(act.target)}"
        return act.model_copy(update={"kind": kind.unserved, "words": words})
    if kind.stops and is_own:
        # One goes with what one carries, not to it.
        return act.model_copy(update={"target": ""})
    walk, said = kind.finds
    whom = re.split(r"\s(?:to|into|out|up|down|along|through)\b", act.target or act.person)[0]
    away = (*ctx.nouns.known_people, *ctx.nouns.exits, *ctx.nouns.known_places)
    is_ridden = not words_in(act).isdisjoint(kind.wants) or _ON_MINE.search(words) is not None
    if walk and whom and not is_ridden and re.search(said, words, re.IGNORECASE) and exact(whom, away):
        line = kinds()[walk].lines[0].format(target=whom)
        return act.model_copy(update={"kind": walk, "words": line, "target": whom, "person": ""})
    return act


_ON_MINE = re.compile(
    r"\b(?:in|on) my (?!own\b|way\b|toes\b|tiptoes\b|feet\b|hands\b|knees\b|heart\b)\w", re.IGNORECASE
)
_ABOARD = re.compile(r"\b(?:get|gets|hop|hops|climb|climbs|jump|jumps|step|steps) (?:in|aboard)$", re.IGNORECASE)


def _is_entity(ctx: ParseContext, phrase: str) -> bool:
    found = resolve(phrase, ctx.nouns.everything())
    many = found.candidate.name.rpartition(" of ")[2] if isinstance(found, PhraseMatch) else ""
    return found is not None and phrase.casefold().split()[-1] not in {singular(many)} - {many}  # no taper is a crate


def _with_noun(act: Act, noun: str) -> Act | None:
    """Return an act with the noun of an act before it in place of `it` or `one`; None where it has neither."""
    target = act.target.casefold()
    words = target.split()
    if not words or words[0] not in _IT or "of" in words or is_said(act) or re.search(r"\bthe one\b", act.words):
        return None
    has_article = noun.casefold().split()[0] in lexicon().articles | _OWNERS or "'s " in noun
    owner = "the" if not _is_part(noun) else "their" if verb_told(act.words) else "my"
    named = noun if has_article else f"{owner} {noun}"
    if words[0] == "one" and " " not in noun and (one := singular(noun)) != noun.casefold():
        noun, named = one, f"one {one}"
    said = re.sub(rf"\b{re.escape(words[0])}(?: both)?\b", lambda _: named, act.words, count=1, flags=re.IGNORECASE)
    return act.model_copy(update={"words": said, "target": noun})


def _is_part(phrase: str) -> bool:
    return is_of_body(phrase) and not {phrase.casefold().split()[-1]} & _WORN


_WORN = frozenset(
    """coat jacket cloak collar sleeve cuff pocket hat cap hood scarf glove gloves shirt blouse dress skirt trouser
    trousers jeans belt boot boots shoe shoes sock socks lace laces tie button zip glasses watch clothes uniform apron
    cardigan hem""".split()
)
_IT = frozenset(("it", "them", "one"))
# Of so many one may be taken: `pour two cups, take one to him`.
_COUNTED = frozenset("two three four five six some several both another".split())
_OWNERS = frozenset("my your his her their its our".split())


def _is_forborne(act: Act) -> bool:
    """Tell whether an act, and no words to somebody, is said not to be done."""
    return not is_said(act) and _NOT_DONE.fullmatch(act.words.strip(" ,.!*")) is not None


def undone(ctx: ParseContext, act: Act, *, alone: bool = False) -> Reading | None:
    """Return an act that is said not to be done as one of no consequence, told in the player's words, and one on a
    condition as not played; None for others, and for all but those on a condition that are `alone` in their line."""
    words = act.words.strip(" ,.!*")
    if _IF.match(act.words) and not is_said(act):
        later = "" if alone and "?" in words else meant_later(words)
        lost = None if alone else replace(asking(act.words, ""), is_lost=True, words=act.words)
        return (_posed(ctx, act, later) if later else None) or lost
    put = _SAID_TO_IT.fullmatch(words) if is_said(act) else None
    if alone and not _is_forborne(act) and not (put and put["rest"].casefold().startswith("my ")):
        return None
    if deed := told_only(ctx, act, words):
        return _posed(ctx, act, deed)
    if kind_of(act).finds[0] and _FOUND.search(words) and (here := exact(act.target or act.person, ctx.nouns.people)):
        return replace(_posed(ctx, act, f"find {here.label}") or Reading(), mentioned=(here.candidate,))
    if put is not None:
        return _posed(ctx, act, told_of(f"{put['verb'].casefold()} {put['rest']}"))
    if is_said(act) and (heard := _SAID_TO_THING.fullmatch(words)) and is_mute(ctx, heard["what"]):
        return _posed(ctx, act, f"{heard['verb'].casefold()} {heard['rest']}")
    found = _NOT_DONE.fullmatch(words)
    verb = "" if found is None else found["verb"].casefold()
    is_thought = is_said(act) and (bool(act.topic) or _IN_MIND.match(words) is not None)
    if found is None or is_thought or not (is_verb(_base(verb)) or verb in lexicon().verb_words):
        return None
    deed = told_of(f"{_base(verb)}{found['rest']}")
    is_told = deed and (is_verb(verb) or not verb.endswith("ing"))
    return _posed(ctx, act, f"do not {deed}" if is_told else "")


def plainly(ctx: ParseContext, act: Act, found: Sequence[Reading], *, is_guess: bool, alone: bool) -> Reading | None:
    """Return an act of which nothing could be made, or which is a guess that would have to be asked about, as one of no
    consequence, where its words can be told and it is one wherever it is done; so is a deed that would be taken for
    words to somebody. None for others, and for any other that is all of a line."""
    kind = kind_of(act)
    types = {action.type for reading in found for action in reading.actions}
    is_heard = all(verb is not None and verb.is_speech for verb in map(verb_of, types))
    if kind.lines and not kind.said and types and not types & kind.fits and is_heard:
        deed = in_second_person(act.words)
        return _posed(ctx, act, deed) if deed else None
    if alone:
        return None
    is_absent = kind.anywhere and kind.harmless and all(comes_to_nothing(reading, Kind()) for reading in found)
    is_asked = bool(found) and all(reading.unclear is not None for reading in found) and not is_said(act)
    is_limb = _WITH_HAND.match(act.words) or _SOME.search(act.words)
    if is_asked and (is_limb or (kind.leads_on and not kind.leaves and not act.target)):
        # A hand is laid on something, half of it is left, one climbs up on what was moved.
        deed = in_second_person(act.words)
        return _posed(ctx, act, deed) if deed else None
    if not is_absent and any(reading.actions or reading.aside for reading in found):
        return None
    is_lost = any(reading.is_lost for reading in found)
    is_guess = is_guess and not (is_lost and (kind.leads_on or _CLAIMS & set(act.words.casefold().split())))
    is_small = is_absent or ((kind.harmless or kind.anywhere) and not ctx.nouns.knows_scenery)
    is_small = is_small or (is_lost and _of_no_weight(kind, act))
    deed = in_second_person(act.words) if (is_small or is_guess) and not is_said(act) else ""
    return _posed(ctx, act, deed) if deed else None


def _of_no_weight(kind: Kind, act: Act) -> bool:
    """Tell whether an act of which nothing could be made decides nothing, whatever it is done to: `leave half of it`,
    `turn the lamp low`."""
    weighs = kind.asks or kind.leads_on or kind.gets or kind.leaves or kind.hurts or kind.least or not kind.lines
    weighs = weighs and not (kind.harmless or kind.anywhere)
    return bool(_SOME.search(act.words)) or not (weighs or _CLAIMS & set(act.words.casefold().split()))


_SOME = re.compile(r"\bleaves? (?:half|most|some|a bit|a little|the (?:rest|last|dregs))\b", re.IGNORECASE)
# What is not so because it is said.
_CLAIMS = frozenset(
    """win kill escape become becomes have has own know knows find finds get gets steal steals hack hacks teleport cast
    summon turn turns fly flies fix solve remember unlock open free buy sell defeat destroy make take takes bring brings
    carry carries give gives deliver delivers hand hands pay pays show shows go goes walk walks run runs leave leaves
    return returns fetch fetches""".split()
)
_WITH_HAND = re.compile(
    r"(?:(?:and|then|i)\s+)*(?:put|lay|place|rest|cup|press|keep|hold|rap|run|trail|drag|pass|reach|stretch)s? "
    r"(?:out |up |down |over )?(?:my|one|a|both|two|his|her) (?:\w+ )?(?:hands?|palms?|fingers?|fingertips?|thumbs?"
    r"|foot|feet|knuckles|knees?|elbows?|foreheads?|cheeks?|ears?)\b",
    re.IGNORECASE,
)


def _posed(ctx: ParseContext, act: Act, deed: str) -> Reading | None:
    told = {"deed": deed} if deed and len(deed) <= LONGEST else {}
    made = posed(ctx, act.words.strip(" ,.!*"), **told)
    return None if made is None else replace(made, words=act.words)


_FOUND = re.compile(r"\b(?:find|finds|look for|looks for|seek|seeks|search for|searches for)\b", re.IGNORECASE)


def _base(verb: str) -> str:
    stem = verb.removesuffix("ing")
    if stem == verb or is_verb(verb):
        return verb
    return next((base for base in (stem, f"{stem}e", stem[:-1]) if is_verb(base)), verb)
