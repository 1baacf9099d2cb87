"""A whole line, and who and what is here -> the same with what is meant by its name: `the captains`, `the study lock`,
a man who stands there, what is held out to somebody; with the walk to somebody elsewhere before it, and without what
the player takes back in it."""

from __future__ import annotations

import re
from functools import partial

from lorewright.builtin.parser.readings import ParseContext, act_word, only_person
from lorewright.builtin.words.clauses import bare, lexicon, words_of
from lorewright.builtin.words.english import is_english
from lorewright.builtin.words.noun_phrases import exact, in_prose, pronoun_fits, resolve
from lorewright.builtin.words.utterances import offered, with_my
from lorewright.rules.verbs import typed_line
from lorewright.scene_lore.nouns import is_verb, singular

# Words for all who are here.
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


def reworded_line(ctx: ParseContext, text: str) -> str:
    """Return a line as it is meant here: several who are called alike each by name, who stands there by name, a lock by
    its door, what is held out to somebody (`here's my coin`) as given, a walk before what is done elsewhere."""
    text = _OWNED.sub(partial(_owned, ctx), text if ctx.nouns.people else _LET_OUT.sub("i want to leave", text))
    text = _NUMBERED.sub(partial(_numbered, ctx), _by_known_calling(ctx, text))
    text = _PLURAL.sub(partial(_each_of, ctx), _HEARD.sub(partial(_both_heard, ctx), text))
    text = _WHO_IS_THAT.sub(partial(_named, ctx), text)
    text = _ASKED_OF.sub(partial(_asked_of_place, ctx), _lock_as_door(ctx, text))
    may_be = ctx.nouns.carried and _MAY_HAND.search(text)
    handed = "".join(_handed(ctx, said) for said in re.split(r"(?<=[.!?])(?= )", text)) if may_be else text
    shone = _SHONE.sub(partial(_shone, ctx), _WORD_WITH.sub(r"\1talk to", handed))
    carried = _TO_SEE.sub(partial(_on_the_way, ctx), _CARRIED.sub(partial(_carried, ctx), shone))
    return _SEARCHED.sub(partial(_gone_to_place, ctx), _SOUGHT.sub(partial(_gone_to_person, ctx), carried))


# What nobody is there to do for one: `get me out of here`.
_LET_OUT = re.compile(
    r"^(?:(?:no|nope|please|ok|okay|help)[,.! ]+)*(?:(?:get|let|take) me out(?: of here)?|let me (?:go|leave))"
    r"(?=[.! ]*$)",
    re.IGNORECASE,
)
# `jins tab`: the apostrophe of a name was left out.
_OWNED = re.compile(r"\b(?P<name>[a-z]{2,})s(?= [a-z])", re.IGNORECASE)


def _owned(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a name that is known with the apostrophe of what is somebody's; other words as they are."""
    name = found["name"].casefold()
    people = (*ctx.nouns.people, *ctx.nouns.known_people)
    is_called = any(key.words == (name,) for person in people for key in person.keys)
    return f"{found['name']}'s" if is_called and not is_english(f"{name}s") else found[0]


def _by_known_calling(ctx: ParseContext, text: str) -> str:
    """Return words with the calling by which somebody is shown for another word for it: `constable` for `cop`."""
    for row in lexicon().callings if ctx.shown else ():
        names = [" ".join(name) for name in row if name != ("police",)]
        said = next((name for name in names if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)), "")
        if said and not _is_shown(ctx, said) and (known := next((name for name in names if _is_shown(ctx, name)), "")):
            text = re.sub(rf"\b{re.escape(said)}\b", known, text, flags=re.IGNORECASE)
    return text


def _is_shown(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether a phrase names anything that is here, or stands in what the prose shows."""
    is_told = re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE)
    return exact(phrase, ctx.nouns.everything()) is not None or any(is_told.search(noun.text) for noun in ctx.shown)


# `knock on 12`: a number alone is that of a room.
_NUMBERED = re.compile(
    r"\b(?P<to>(?:knock(?: \w+)? (?:on|at)|go (?:over |up )?to|call at|listen at|in|into|at|visit|open|unlock|for|from)"
    r" (?:number |no\.? ?|#)?)(?P<number>\d{1,3})\b(?! ?(?:o'clock|am|pm|minutes?|hours?|o’clock|\w*[a-z]))",
    re.IGNORECASE,
)


def _numbered(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a number with the room that has it before it, where one is known; else the words as they are."""
    room = f"room {found['number']}"
    return f"{found['to']}{room}" if _is_shown(ctx, room) else found[0]


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
        told = [noun.text.casefold() for noun in ctx.shown if _A_LOCK.search(noun.name)]
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
_A_LOCK = re.compile(r"locks?")
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


# A line -> the same without what the player takes back in it.

_TAKEN_BACK = re.compile(
    r"[\s,.;:!?…–—-]+(?:oh,? )?(?:no,? wait(?:,? sorry)?|wait,? no|no,? sorry|sorry,? no|scratch that|strike that"
    r"|on second thoughts?|actually,? no|no,? actually|actually,? wait|correction)\b[\s,.;:!?…–—-]*"
    r"(?:(?:do not|don'?t|not that|sorry|rather|instead)\b[\s,.;:!?…–—-]*)*",
    re.IGNORECASE,
)
# What turns out not to be so: `put on the coat, no, she took it; put on mine`.
_NOT_SO = re.compile(
    r"[\s,.;–—-]+no,? (?:(?:s?he|they|it|that|there|i)(?:'\w+)? [^,;.]+|(?:the )?wrong \w+)[;,.–—-]+ ?(?:so )?(?=\w)",
    re.IGNORECASE,
)
_STEP_ENDS = re.compile(r"[.;!?…]\s+|,\s+(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+|\s+and\s+", re.IGNORECASE)
_RATHER = re.compile(r"(?:i(?:'d| would)? (?:rather|prefer to)|i want to|let me|just|rather|instead)\s+", re.IGNORECASE)
# A length of time and nothing else: `10 min`, `another half hour`.
_TIME_ALONE = re.compile(
    r"(?:just |only |another |give it |for )*(?:\d{1,3}|an?|half an?|a quarter of an|quarter of an|another|one|two"
    r"|three|four|five|six|ten|fifteen|twenty|thirty|forty|fifty|a few|a couple of|half) (?:more )?"
    r"(?:minutes?|mins?|hours?|hrs?|half hour)(?: more| longer| or so| then| please)?[.! ]*",
    re.IGNORECASE,
)
# `make out what it is that he holds` is making out what he holds.
_CLEFT = re.compile(
    r"\b(what|who|where) (?:it|that) is (?:that )?(?=(?:the |my |this |that |your )?\w+ (?:is|are|was|were)\b)",
    re.IGNORECASE,
)


def corrected(text: str) -> str:
    """Return a line without an act that is taken back in it: `ask about the ice, no wait, about the tide` asks about
    the tide; a length of time alone as a wait; other lines, and what stands in quotation marks, as they are."""
    text = with_my(text)
    if _TIME_ALONE.fullmatch(text):
        return f"wait {text}"
    text = _CLEFT.sub(r"\1 ", offered(text))
    found = _TAKEN_BACK.search(text) or _NOT_SO.search(text)
    if found is None or not found.start() or sum(text[: found.start()].count(mark) for mark in '"“”') % 2:
        return text
    before, after = text[: found.start()], text[found.end() :]
    ends = [end.end() for end in _STEP_ENDS.finditer(before)]
    kept, last = (before[: ends[-1]], before[ends[-1] :]) if ends else ("", before)
    if not after.strip() or not _begins_with_act(last):
        return text
    plain = _RATHER.sub("", after, count=1) if _RATHER.match(after) else after
    if _begins_with_act(plain):
        what = re.search(r"\b(?:the|my|his|her|this|that) [\w' -]+$", last.strip(" .,;!"), re.IGNORECASE)
        named = re.sub(r"\bit\b", what[0], plain, count=1, flags=re.IGNORECASE) if what else plain
        return f"{kept}{named}"
    words = last.split()
    joint = plain.split()[0].casefold()
    same = [at for at, word in enumerate(words) if word.casefold() == joint and at]
    articles = [at for at, word in enumerate(words) if word.casefold() in lexicon().articles and at]
    at = same[-1] if same else articles[-1] if articles and joint in lexicon().articles else 0
    return f"{kept}{' '.join(words[:at])} {plain}" if at else text


def _begins_with_act(words: str) -> bool:
    first = act_word(words.strip(" *,.")).strip(",.!")
    return bool(first) and (is_verb(first) or first in lexicon().verb_words)
