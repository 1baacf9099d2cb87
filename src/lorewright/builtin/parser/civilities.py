"""Readings of small acts that several verbs share: done for all to see or at somebody; civil words to somebody."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lorewright.builtin.parser.act_kinds import THEIRS
from lorewright.builtin.parser.readings import (
    LEADS,
    MAX_WORDS,
    ParseContext,
    PhraseKind,
    Reading,
    act_word,
    acting,
    alone,
    asking,
    bare,
    meant,
    only_person,
    parted,
    person_meant,
    referred,
    shown,
    trimmed,
    typeable,
)
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.parser.steps import is_of_body
from lorewright.builtin.words.clauses import Word, lexicon, lows, words_of
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, in_prose, pronoun_fits, resolve
from lorewright.rules.actions import Action
from lorewright.rules.verbs import free_verb, typed_line, verbs
from lorewright.scene_lore.nouns import singular

# Words for all who are here.
_ALL = frozenset(
    (
        *("everyone", "everybody", "all", "all of them", "them all", "everyone here", "everybody here", "people"),
        *("others", "the others", "room", "crowd", "company", "nobody", "no one", "nobody in particular"),
    )
)


# Words that make another verb of it: knock over, wave away.
_APART = (["over"], ["down"], ["off"], ["out"], ["away"], ["around"], ["for"])

# Words between civil ones and the person.
_SMALL = ("to", "at", "with", ",", "there", "again", "very", "so", "much", "really", "kindly")


# Handing over in words: what leads up to it, how it is said, and what may follow what is handed over.
_LEAD = r"(?:(?:and|but|so|well|ok|okay|fine|please|then|there|all right|alright|here)(?: you (?:are|go))?[,!:.]* )*"
_THING = r"(?P<thing>[^,;.!?]+)(?P<rest>.*)"
_HANDED = tuple(
    re.compile(_LEAD + said + _THING, re.IGNORECASE)
    for said in (
        r"here(?:['’]s| is| are) (?:my|the|your|an?|some|one|this|these|those) ",
        r"(?=.*\b(?:here|you)\b)i(?:['’]ve| have)?(?: just)? (?:brought|got)(?: you)? (?:(?:the|your|an?|some|my) )?",
        r"(?:these|this|those|the|that) (?=.*\b(?:for you|yours)\b)",
        r"i(?:['’]ll| will| can)?(?: now)? (?:give|hand|pay) you (?:my|the|this|these) ",
        r"(?:please take |here[,!]* take |here you (?:are|go)[,!:.]* )(?:my|the|your|one|an?|this|these) ",
    )
)
_LOOK_AT = re.compile(rf"{_LEAD}(?:take a |have a )?(?:look at|read) (?:this|these) {_THING}", re.IGNORECASE)
_FOLLOWS = re.compile(
    r" ?(?:(?:is|are) (?:for you|yours))? ?(?:for you)?(?: from (?:the |my )?\w+)?,?(?: (?:for|as) (?:the|my|a) \w+)?"
    r" ?(?:for you)?(?P<more>(?:[,;.!?]| and ).*)?",
    re.IGNORECASE,
)


def as_handed(ctx: ParseContext, text: str) -> str:
    """Return words by which something that one carries is held out to somebody as the giving of it: `here's my coin`,
    `these tapers are for you`; other words as they are."""
    text = _PLURAL.sub(partial(_each_of, ctx), _HEARD.sub(partial(_both_heard, ctx), text))
    text = _WHO_IS_THAT.sub(partial(_named, ctx), text)
    text = _ASKED_OF.sub(partial(_asked_of_place, ctx), _lock_as_door(ctx, text))
    may_be = ctx.nouns.carried and _MAY_HAND.search(text)
    handed = "".join(_handed(ctx, said) for said in re.split(r"(?<=[.!?])(?= )", text)) if may_be else text
    shone = _SHONE.sub(partial(_shone, ctx), _WORD_WITH.sub(r"\1talk to", handed))
    carried = _TO_SEE.sub(partial(_on_the_way, ctx), _CARRIED.sub(partial(_carried, ctx), shone))
    return _SEARCHED.sub(partial(_gone_to_place, ctx), _SOUGHT.sub(partial(_gone_to_person, ctx), carried))


# `listen to Marit and Penhale`: a name alone after `and` is no act.
_HEARD = re.compile(
    r"^(?P<act>(?:i )?(?:listen (?:in )?(?:on|to)|eavesdrop on|spy on|watch|overhear|observe|follow)) (?P<one>[\w' ]+?)"
    r" and (?P<other>[\w' ]+?)(?P<end>[.! ]*)$",
    re.IGNORECASE,
)


def _both_heard(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return the act for each of two people, where both are here; else the words as they are."""
    one, other = found["one"], found["other"]
    if any(exact(bare(words_of(name)), ctx.nouns.people) is None for name in (one, other)):
        return found[0]
    act = _SENSED.sub("listen to", found["act"])
    return f"{act} {one} and {act} {other}{found['end']}"


_SENSED = re.compile(r"\b(?:eavesdrop on|listen in on|overhear)\b", re.IGNORECASE)

# `look at the captains`: each of those who are here; what else is done to them, to the first of them.
_PLURAL = re.compile(
    r"^(?P<act>(?:(?:and|then|i|we) )*(?P<verb>(?!(?:ask|tell|talk|speak|say|greet|hello|hi|hey|call|who|what|where|why"
    r"|how|when|is|are|do|does|did|can|could|the|which)\b)[a-z]+)\b[^,;.!?\"“]*?)"
    r"\b(?:the |both |both the |these |those |two |the two )(?P<sort>[a-z]+?s)(?P<end>[.! ]*)$"
    r"|^(?P<short>(?:x|examine|watch|see) )(?P<sorts>[a-z]+?s)(?P<stop>[.! ]*)$",
    re.IGNORECASE,
)
_SEEN = frozenset("x examine look watch see observe study inspect stare glance".split())


def _each_of(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return words with the names of those who are called so, where several are here; else the words as they are."""
    many = (found["sort"] or found["sorts"]).casefold()
    one = singular(many)
    called = [person for person in ctx.nouns.people if any(one in key.words for key in person.keys)]
    if one == many or len(called) < _SEVERAL or exact(many, ctx.nouns.everything()) is not None:
        return found[0]
    act, end = found["act"] or found["short"], found["end"] or found["stop"] or ""
    is_seen = (found["verb"] or found["short"]).strip().casefold() in _SEEN
    names = [person.name for person in (called if is_seen else called[:1])]
    return " and ".join(f"{act.strip()} {name}" for name in names) + end


_SEVERAL = 2


# Who is asked about by where they stand: `who is that man over there?`
_WHO_IS_THAT = re.compile(
    r"^(?P<asks>(?:(?:and|so|hey|ok|but),? )?who(?:[’']?s| is)) (?:(?P<that>that|this)(?: one)?"
    r"|(?:that|this|the)(?: (?:old|young|other|strange|tall|quiet))? (?P<sort>man|woman|guy|lady|fellow|bloke))"
    r"(?P<there>(?: standing| sitting)?(?: right)?(?: over)? (?:there|here))?(?=[?!. ]*$)",
    re.IGNORECASE,
)


def _named(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a question about the only one here who can be meant, by name; other questions as they are."""
    sort = found["sort"]
    if sort is None and (ctx.topic or ctx.person is not None):
        return found[0]
    fitting = [person for person in ctx.nouns.people if sort is None or pronoun_fits(person, sort.lower())]
    others = [person for person in fitting if person != ctx.listener] or fitting
    known = [person for person in others if person.pronoun != "they"] or others
    # Where two are here, who speaks is not asked about.
    if sort is None and len(known) > 1:
        return found[0]
    return f"{found['asks']} {known[0].name}" if len(known) == 1 else found[0]


def _lock_as_door(ctx: ParseContext, text: str) -> str:
    """Return words with the door for its lock, where the prose does not tell of that lock itself: to force the
    study lock is to force the study door, and not the front door whose lock is shown."""
    for door in ctx.nouns.doors if _LOCK.search(text) else ():
        told = [noun.text.casefold() for noun in ctx.shown if "lock" in noun.name]
        if any(" ".join(key.words) in text_of for key in door.keys for text_of in told):
            continue
        called = {words for key in door.keys for words in (key.words, key.words[:-1]) if words}
        names = "|".join(r"\W+".join(map(re.escape, words)) for words in sorted(called, key=len, reverse=True))
        for lock in (
            rf"(?:the )?\b(?:{names}) {_LOCK.pattern}",
            rf"(?:the )?{_LOCK.pattern} (?:of|on|in|to) (?:the )?(?:{names})\b",
        ):
            tried = partial(_tried, door.name)
            text = re.sub(rf"(?P<pick>\bpicks? (?:at )?)?{lock}", tried, text, flags=re.IGNORECASE)
    return text


def _tried(door: str, found: re.Match[str]) -> str:
    return f"pick the lock of the {door}" if found["pick"] else f"the {door}"


_LOCK = re.compile(r"\b(?:lock|keyhole)\b", re.IGNORECASE)
# `who is in the music room?`, `what is in the attic?`
_ASKED_OF = re.compile(
    r"^(?:so |and |but |hey,? )?(?P<asked>who|what)(?:['’]?s| is| are| else is) (?:there )?(?:in|inside) "
    r"(?P<the>the |that )?(?P<what>\w[\w'’ -]*?)(?: right now| now)?(?P<end>\W*)$",
    re.IGNORECASE,
)


def _asked_of_place(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a question who is at another place as one whether anybody is, and one what is in something that is not
    here as one about what the player knows of it."""
    nouns, what = ctx.nouns, found["what"]
    if exact(what, (nouns.place, *nouns.people, *nouns.things)) is not None:
        return found[0]
    is_place = exact(what, (*nouns.exits, *nouns.known_places)) is not None
    if found["asked"].casefold() == "who":
        return f"is anyone in {found['the'] or ''}{what}{found['end']}" if is_place else found[0]
    noun = None if resolve(what, nouns.everything()) is not None else in_prose(what, nouns)
    if not is_place and (noun is None or noun.standing != "absent"):
        return found[0]
    asking_after = "ask about" if nouns.people else "what do I know about"
    return f"{asking_after} {found['the'] or ''}{what}"


# A word that what is handed over, or shown, is never without.
_MAY_HAND = re.compile(r"\b(?:here|brought|got|for you|yours|give|hand|pay|take|look at|read)\b", re.IGNORECASE)
_WORD_WITH = re.compile(
    r"((?:^|and |then |, |\bi ))have a (?:quick |quiet |little )?(?:word|chat|talk) with\b", re.IGNORECASE
)
# `signal the boat with the lamp`: what one has for it is what is handled.
_SHONE = re.compile(
    r"\b(?P<act>signal|flash|shine|blink)(?: (?:to|at|for|towards))?(?: [\w'’]+){1,3} with (?:my|the) "
    r"(?P<thing>[^,;.!?]+)",
    re.IGNORECASE,
)


def _shone(ctx: ParseContext, found: re.Match[str]) -> str:
    held = _longest_held(ctx, found["thing"])
    return found[0] if held is None else f"{found['act']} with the {held[0]}{held[1]}"


# `take the toast over to room 12`, of what one has; `go up to see Moss`, of a way.
_CARRIED = re.compile(
    r"\b(?:take|carry|bring) (?P<thing>[^,;.!?]+?)(?: over| back| up| down| out| across| along)* to (?P<place>"
    r"(?:the |my |your )?\w+(?: \w+)?)(?=$|[,;.!?]| and )",
    re.IGNORECASE,
)
_TO_SEE = re.compile(
    r"\b(?P<onward>(?:go|walk|head|climb|run|hurry)(?: back)? (?P<way>\w+)) to (?P<act>see|find|meet|visit|look"
    r"|talk|speak|ask|tell|search|fetch|get|check)\b",
    re.IGNORECASE,
)


def _carried(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a walk in place of the taking of what is carried to a place, after it for what lies here, a gift to
    somebody here; else the words as they are."""
    place, thing = bare(words_of(found["place"])), bare(words_of(found["thing"]))
    is_held = exact(thing, ctx.nouns.carried) is not None
    gift = typed_line("gift", thing=thing, person=place)
    if is_held and gift is not None and exact(place, ctx.nouns.people) is not None:
        return gift.text
    walk, grab = typed_line("travel", place=place), typed_line("grab", thing=thing)
    is_way = exact(place, (*ctx.nouns.exits, *ctx.nouns.known_places)) is not None
    if walk is None or grab is None or not is_way:
        return found[0]
    if is_held:
        return walk.text
    return f"{grab.text} and {walk.text}" if exact(thing, ctx.nouns.here) is not None else found[0]


def _on_the_way(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a walk by a way and then what it is for; else the words as they are."""
    is_way = exact(found["way"], ctx.nouns.exits) is not None
    return f"{found['onward']} and {found['act']}" if is_way else found[0]


# `find Dorrie`, `go and tell Dorrie that`, of somebody whom one left elsewhere; `search the attic`, of another place.
_BEGINS = (
    r"(?:^|(?<=\band )|(?<=\bthen )|(?<=[,;.!] )|(?<=^i )|(?<=\bi'll )|(?<=\blet me )|(?<=^i will )|(?<=\bi'd better ))"
)
_SOUGHT = re.compile(
    rf"{_BEGINS}(?:(?P<off>go|run|walk|head|return)(?: back| over| off)*(?: and| to)? )?"
    r"(?P<act>(?P<seek>find|look for|visit|see|meet)|(?:talk|speak) (?:to|with)|ask|tell|show|give) (?P<who>[^,;.!?]+)",
    re.IGNORECASE,
)
_SEARCHED = re.compile(
    rf"{_BEGINS}(?P<act>(?P<seen>(?:look|snoop|nose) (?:around|round|about|inside)"
    r"|(?:have|take) a (?:good |quick )?look (?:in|into|around|round|inside)|explore|visit)|search|check out"
    r"|rummage (?:in|through)|(?:look|search|hunt) (?:for (?:[\w']+ ){1,5}?)?in)(?: the| my| your)? "
    r"(?P<place>[\w']+(?: [\w']+){0,5}?)"
    r"(?P<rest>(?: for| and| then| now| next| first| too)\b[^?]*|[,;.!][^?]*)?$",
    re.IGNORECASE,
)


def _gone_to_person(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a walk to somebody whom the player left elsewhere, and then what is said to them; else the words as they
    are: who only speaks to somebody who is not here goes nowhere."""
    who = re.sub(r"^(?:the|our|my|old) ", "", found["who"], flags=re.IGNORECASE)
    low = re.findall(r"[\w'’]+", who.casefold())
    left = (person for person in ctx.nouns.known_people if person.id in ctx.nouns.seen_at)
    called = {" ".join(key.words) for person in left for key in person.keys}
    name = max((name for name in called if f"{' '.join(low)} ".startswith(f"{name} ")), key=len, default="")
    walk = typed_line("travel", place=name) if name and (found["off"] or found["seek"]) else None
    if walk is None:
        return found[0]
    rest = who[len(name) :] if who.casefold().startswith(name) else ""
    return f"{walk.text}{rest}" if found["seek"] else f"{walk.text} and {found['act']} {found['who']}"


def _gone_to_place(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a walk to another place that is looked through, and the search of it; else the words as they are."""
    nouns, place = ctx.nouns, found["place"]
    meant = exact(place, nouns.known_places) or exact(place, nouns.exits)
    is_here = exact(place, (*nouns.people, *nouns.things, *nouns.doors, nouns.place)) is not None
    walk = typed_line("travel", place=place)
    if meant is None or is_here or walk is None or place.casefold() in lexicon().directions:
        return found[0]
    rest = found["rest"] or ""
    return f"{walk.text}{rest}" if found["seen"] else f"{walk.text} and search{rest}"


def _handed(ctx: ParseContext, said: str) -> str:
    gap, words = said[: len(said) - len(said.lstrip())], said.strip()
    named = [
        (person, label, found)
        for person in ctx.nouns.people
        for label in (key.label for key in person.keys)
        if (found := re.search(rf"(?:^|,? ?\b){re.escape(label)}(?=[,.!?]|$),?", words, re.IGNORECASE))
    ]
    person = named[0][0] if named else getattr(only_person(ctx), "candidate", None)
    words = words.replace(named[0][2][0], "", 1).strip() if named else words
    seen = _LOOK_AT.fullmatch(words) if named else None
    looked = _longest_held(ctx, seen["thing"]) if seen is not None else None
    if seen is not None and looked is not None and not looked[1] and person is not None:
        show = typed_line("show_to", thing=looked[0], person=person.name)
        return said if show is None else f"{gap}I {show.text}{seen['rest']}"
    for pattern in _HANDED if person is not None else ():
        found = pattern.fullmatch(words)
        held = _longest_held(ctx, found["thing"]) if found is not None else None
        if found is None or held is None or person is None:
            continue
        thing, after = held
        follows = _FOLLOWS.fullmatch(f"{after}{found['rest']}")
        gift = typed_line("gift", thing=thing, person=person.name)
        if follows is not None and gift is not None:
            return f"{gap}I {gift.text}{follows['more'] or ''}"
    return said


def _longest_held(ctx: ParseContext, words: str) -> tuple[str, str] | None:
    """Return what is carried of which words begin with the name, the longest, and the words after it."""
    parts = words.split()
    for size in range(len(parts), 0, -1):
        found = exact(" ".join(parts[:size]), ctx.nouns.carried)
        if found is not None:
            rest = " ".join(parts[size:])
            return found.candidate.name, f" {rest}" if rest else ""
    return None


def said_before(words: str, rest: Sequence[Word]) -> str:
    """Return the words as typed up to the rest of them, in lower case: a verb with its preposition."""
    count = len(words.split()) - len([word for word in rest if word.kind == "word"])
    return " ".join(words.split()[: max(1, count)]).lower()[:60]


def as_talk(action: Action) -> Action | None:
    """Return the talk about nothing in particular that civil words to somebody are to a rule of the scenario."""
    talk = next((verb for verb in verbs().values() if verb.reply == "answer"), None)
    whispered = {"whisper": True} if action.is_whispered else {}
    return None if talk is None else action.model_copy(update={"type": talk.name, "metadata": whispered})


def as_free(trait: str, word: str = "") -> Callable[[Action], Action | None]:
    """Return what gives the free attempt that an act at somebody or something would be by a trait.

    `word` stands for it where none was typed.
    """

    def other(action: Action) -> Action | None:
        free = free_verb()
        if free is None or action.target_id is None:
            return None
        metadata = {**({"verb": word} if word else {}), **action.metadata, "trait": trait}
        return action.model_copy(update={"type": free.name, "metadata": metadata})

    return other


def _is_in_prose(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether the prose shows what a phrase names, or it is at every place."""
    noun = in_prose(phrase, ctx.nouns)
    return noun is not None and noun.standing != "absent"


@dataclass(frozen=True, slots=True)
class Gesture:
    """How a small act is read: its type, what may be added to it without a meaning of its own, and whether it may be
    done to things, to people, to neither.
    """

    kind: str
    fillers: Collection[str] = ()
    of_people: bool = True
    of_things: bool = False
    alone: bool = True

    def read(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
        """Read it alone, or with somebody or something that is here; None for all else, and for what is a name."""
        if exact(words, ctx.nouns.everything()) or lows(rest)[:1] in _APART:
            return None
        rest = trimmed(self._unfilled(rest), start=(*LEADS, ","))
        phrase = bare(rest)
        if not phrase or phrase.lower() in _ALL:
            typed = said_before(words, rest)
            return acting(ctx, self.kind, typed, metadata={"verb": typed}) if self.alone else None
        target = self._target(ctx, words, rest)
        if target is None and self.of_things and _is_in_prose(ctx, phrase):
            typed = said_before(words, rest)
            return acting(ctx, self.kind, f"{typed} {phrase}", metadata={"verb": typed})
        if target is None or isinstance(target, Reading):
            return target
        typed = said_before(words, rest)
        return acting(ctx, self.kind, f"{typed} {shown(target)}", target=target, metadata={"verb": typed})

    def _unfilled(self, rest: Sequence[Word]) -> Sequence[Word]:
        low = lows(rest)
        for size in range(min(len(rest), 3), 0, -1):
            if " ".join(low[:size]) in self.fillers and (size == len(rest) or low[size] in LEADS or not low[size]):
                return rest[size:]
        return rest

    def _target(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> PhraseMatch | Reading | None:
        nouns, lex, phrase = ctx.nouns, lexicon(), bare(rest)
        present: tuple[Candidate, ...] = ()
        known: tuple[Candidate, ...] = ()
        pronouns: frozenset[str] = frozenset()
        if self.of_people:
            present, known, pronouns = nouns.people, nouns.known_people, lex.person_pronouns
        if self.of_things:
            present, pronouns = (*present, *nouns.things, *nouns.doors), pronouns | lex.thing_pronouns
        if phrase.lower() not in pronouns:
            found = resolve(phrase, present, known, whole=True)
            # A door goes by the room behind it, too: `knock on the kitchen`.
            is_door = isinstance(found, PhraseMatch) and found.candidate.kind == "door"
            if found is None or (isinstance(found, PhraseMatch) and found.mended and not is_door):
                return None
        pattern = f"{said_before(words, rest)} {{}}"
        return meant(ctx, words, rest, PhraseKind(present, known, pattern))


@dataclass(frozen=True, slots=True)
class Civility:
    """How civil words are read: the type, what is said aloud for it, what may follow, and the line for a person."""

    kind: str
    said: tuple[str, ...]
    line: str
    # Words with which it may go on: `for the drink`.
    on: tuple[str, ...] = ()
    # Where several are here and none is named, it is meant for all of them.
    is_to_all: bool = False

    def read(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
        """Read whom it is said to, and what for; None where the words are about something else."""
        if exact(words, ctx.nouns.everything()):
            return None
        whom, topic = self._parted(trimmed(rest, start=_SMALL, end=("again",)))
        phrase = bare(trimmed(whom, start=("to", "at", ",")))
        if not phrase or phrase.lower() in (*_ALL, "there"):
            return self._to_whom(ctx, words, topic)
        if phrase.lower() not in lexicon().person_pronouns:
            found = resolve(phrase, ctx.nouns.people, ctx.nouns.known_people, whole=True)
            if found is None or (isinstance(found, PhraseMatch) and found.mended):
                return None
        kind = PhraseKind(ctx.nouns.people, ctx.nouns.known_people, self.line)
        target = meant(ctx, words, trimmed(whom, start=("to", "at", ",")), kind)
        return target if isinstance(target, Reading) else self.to(ctx, target, topic)

    def heard(
        self, ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]
    ) -> Reading | None:
        """Read words that are said: only where they are this civility and nothing else."""
        flat = [inner for word in spoken for inner in (words_of(word.text) if word.kind == "speech" else (word,))]
        low = lows(flat)
        for phrase in sorted(self.said, key=len, reverse=True):
            size = len(phrase.split())
            if " ".join(low[:size]) != phrase or any(word.kind == "stop" and "?" in word.text for word in flat):
                continue
            rest = [word for word in flat[size:] if word.kind != "stop"]
            if target is None:
                return self.read(ctx, words, rest)
            whom, topic = self._parted(rest)
            named = bare(whom)
            if not named or named.lower() in (*_ALL, "there", "sir", "madam", "friend", "you"):
                return self.to(ctx, target, topic)
            found = resolve(named, (target.candidate,), whole=True)
            return self.to(ctx, target, topic) if isinstance(found, PhraseMatch) else None
        return None

    def to(self, ctx: ParseContext, target: PhraseMatch, topic: str) -> Reading:
        """Return it as said to somebody."""
        metadata = {"topic": topic} if topic else {}
        return acting(ctx, self.kind, self.line.format(target.label), target=target, metadata=metadata)

    def _parted(self, rest: Sequence[Word]) -> tuple[Sequence[Word], str]:
        at = next((index for index, word in enumerate(rest) if word.low in self.on), len(rest))
        return rest[:at], bare(rest[at + 1 :])[:MAX_WORDS]

    def _to_whom(self, ctx: ParseContext, words: str, topic: str) -> Reading:
        only, people = only_person(ctx), ctx.nouns.people
        if only is not None:
            return self.to(ctx, only, topic)
        if not people:
            return alone(words)
        if self.is_to_all:
            # It is meant for all, and answered by one of them.
            return self.to(ctx, PhraseMatch(people[0], people[0].name, 0.85, mended=True), topic)
        return asking(words, "Whom do you mean:", [self.line.format(typeable(person.name)) for person in people])


# What somebody else has.


def read_of_another(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read taking what is said to be somebody's who is here (`the key from Ann`, `Ann's key`, `his hat`) as an attempt
    that is told as left undone; None where nobody is said to have it, and for a theft."""
    thing, joint, whom = parted(rest, ("from",))
    first, _, named = bare(thing).partition(" ")
    head = first
    if not joint:
        at = next((at for at, word in enumerate(rest) if word.low.endswith(("'s", "’s"))), None)
        head = bare(rest[: at + 1]).removesuffix("'s").removesuffix("’s") if at is not None else first
        named = bare(rest[at + 1 :]) if at is not None else named
    pronoun_of = {"his": "him", "her": "her", "their": "them"}.get(head.casefold())
    if joint:
        who, named = person_meant(ctx, bare(whom)), bare(thing)
    elif pronoun_of is not None:
        who = referred(ctx, pronoun_of, person=True)
    else:
        who = resolve(head, ctx.nouns.people)
    free, verb = free_verb(), act_word(words)
    is_theft = any(verb in verbs for _, verbs in lexicon().risks)
    is_here = isinstance(who, PhraseMatch) and who.candidate in ctx.nouns.people
    if not is_here or free is None or not named or is_theft or is_of_body(named):
        return None
    detail = {"verb": verb[:60], "detail": named[:MAX_WORDS], "detail_is": "scenery", "form": THEIRS}
    return acting(ctx, free.name, words[:120], metadata=detail, confidence=0.8)


def told_in_words(reading: Reading | None, words: str) -> Reading | None:
    """Return a drop as what it is told as: where the thing was put."""
    if reading is None or len(reading.actions) != 1 or not (deed := in_second_person(words)):
        return reading
    action = reading.actions[0]
    return replace(reading, actions=(action.model_copy(update={"metadata": {**action.metadata, "deed": deed}}),))
