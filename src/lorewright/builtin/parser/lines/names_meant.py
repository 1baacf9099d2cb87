"""A whole line, and who and what is here -> the same with what is meant by its name: `the captains`, `the study lock`,
the man over there, `knock on 12`, `jins tab`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from lorewright.builtin.parser.pieces import seen_off
from lorewright.builtin.parser.readings import ParseContext, noun_part
from lorewright.builtin.words.clauses import bare, lexicon, words_of
from lorewright.builtin.words.english import is_english
from lorewright.builtin.words.noun_phrases import (
    Candidate,
    Key,
    PhraseMatch,
    ProseNoun,
    exact,
    in_prose,
    pronoun_fits,
    resolve,
)
from lorewright.rules.verbs import typed_line
from lorewright.scene_lore.nouns import singular
from lorewright.values.scenery import TOLD


def with_names(ctx: ParseContext, text: str) -> str:
    """Return a line with a name for each who is called otherwise: several who are called alike each by name, who stands
    there by name, a lock by its door, a room by its number."""
    text = _OWNED.sub(partial(_owned, ctx), _TO_THEIRS.sub(partial(_to_whom, ctx), text))
    text = _NUMBERED.sub(partial(_numbered, ctx), _by_known_calling(ctx, text))
    text = _PLURAL.sub(partial(_each_of, ctx), _HEARD.sub(partial(_both_heard, ctx), text))
    text = _AT_DOORS.sub("listen", text) if len(ctx.nouns.doors) > 1 else text
    text = _WHO_IS_THAT.sub(partial(_named, ctx), _EPITHET.sub(partial(_by_epithet, ctx), text))
    text = _GAZE.sub(partial(_looked_at, ctx), text)
    text = _WHAT_IS.sub(partial(_known_sort, ctx), _WATCHED.sub(partial(_watched, ctx), text))
    text = _TO_THEM.sub(partial(_to_named, ctx), text)
    if ctx.nouns.people:
        text = _LOOKING_FOR.sub(partial(_where_is, ctx), text)
    else:
        text = _PLACE.sub(partial(_gone, ctx), text)
    text = _FIND_THEM.sub(partial(_found_by_name, ctx), text)
    return _ASKED_OF.sub(partial(_asked_of_place, ctx), _lock_as_door(ctx, text))


def named_last(said: str, candidates: Iterable[Candidate]) -> Key | None:
    """Return the name of any of these that stands last in words, the longest of those that end there; None for none."""
    low = f" {' '.join(re.findall(WORDS, said.casefold()))} "
    ends = {key: low.rfind(f" {' '.join(key.words)} ") for each in candidates for key in each.keys if key.words}
    last = {key: at + sum(map(len, key.words)) + len(key.words) for key, at in ends.items() if at >= 0}
    return max(last, key=lambda key: (last[key], len(key.words)), default=None)


# A word, with the apostrophes in it.
WORDS = r"[\w'’]+"


# `watch what he is doing`: the only man here, or seen from here.
_WATCHED = re.compile(
    r"\b(?:watch|observe|see|check|look at|find out) what (?:(?P<who>he|she)|(?P<named>(?:the |that )?[\w’]+(?: \w+)?))"
    r"(?:['’]s| is) (?:doing|up to|about"
    r"|(?:standing|sitting|leaning|waiting|kneeling) (?:next to|near|by|beside|at|over))\b",
    re.IGNORECASE,
)


def _watched(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a look at the only one whom the pronoun fits, here or seen from here; where nobody can be meant
    a look around, and where several can the words as they are. So a look at somebody who is named."""
    if found["named"]:
        return f"look at {found['named']}"
    here = [person for person in ctx.nouns.people if pronoun_fits(person, found["who"].lower())]
    away = (person for person in ctx.nouns.known_people if pronoun_fits(person, found["who"].lower()))
    seen = here or [person for person in away if (off := seen_off(ctx, person)) is not None and off[1] is not None]
    if seen:
        return f"look at {seen[0].name}" if len(seen) == 1 else found[0]
    known = {" ".join(key.words) for person in ctx.nouns.known_people for key in person.keys}
    told = {
        name: noun.name
        for noun in ctx.shown
        for name in _STANDS.findall(noun.text)
        if found["who"].casefold() == "he" and not is_english(name.lower()) and name.lower() not in known
    }
    return f"look at the {next(iter(told.values()))}" if len(told) == 1 else "look around"


_STANDS = re.compile(r"\b([A-Z][a-z]+) (?:is|stands|sits|waits|leans|walks|paces|watches|kneels)\b")


# `kitchen please, I'm starving`, where nobody is who could serve one.
_PLACE = re.compile(
    r"^(?:to )?(?:the )?(?P<place>[\w' -]+?),? (?:please|pls|plz)"
    r"(?:$|[,.!;]* (?P<rest>(?:i'm|im|i am|i need|i want)\b.*))",
    re.IGNORECASE,
)


def _gone(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a way out that is asked for as a walk there; else the words as they are."""
    walk = typed_line("travel", place=found["place"])
    is_way = walk is not None and exact(found["place"], ctx.nouns.exits) is not None
    return f"{walk.text}. {found['rest'] or ''}".rstrip(". ") if walk is not None and is_way else found[0]


# `follow her gaze`, `see what Dorrie is looking at`: what is told of where somebody looks.
_LOOKS = r"(?:look|stare|glance|gaze|point|nod)"
_GAZE = re.compile(
    r"\b(?:follow (?:her|his|[\w]+['’]s) (?:gaze|look|eyes|eye|glance|stare|line of sight)"
    r"|(?:follow|look|see|check|find out)(?: at| to)? (?:where|what) (?:she|he|[\w]+)(?:['’]s| is| was)?(?: just)?"
    rf" {_LOOKS}(?:s|d|ed|ing)?(?: at| to| up at)?)(?=\W*$|[.,;!?]| and\b| then\b)",
    re.IGNORECASE,
)
_LOOKED_AT = re.compile(
    rf"\b{_LOOKS}(?:s|d|ed)?\b(?:,? (?:up|over|down|once|again))*,? at (?P<what>(?:the|an?) [\w' -]+)"
)


def _looked_at(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a look at what the prose says that somebody looks at; where it says so of nothing, or of several things,
    the words as they are."""
    texts = {noun.text for noun in ctx.shown if noun.key.startswith(TOLD)}
    told = {what["what"] for text in texts if (what := _LOOKED_AT.search(text)) is not None}
    return f"look at {next(iter(told))}" if len(told) == 1 else found[0]


# `what is a credstick?`: what is known of things of a sort one knows oneself.
_WHAT_IS = re.compile(
    r"^(?:so |and |wait )*what(?:['’]?s| is) (?:an?|this) (?P<what>[\w' -]+?)(?: anyway| then| lol)?\W*$", re.IGNORECASE
)


def _known_sort(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a question what a thing of a sort is as one after what is known of it, where such a thing has been seen
    or heard of, as a look at it where it is only seen; else the words as they are."""
    known = (*ctx.nouns.things, *ctx.nouns.known_things)
    if any(exact(name, known) is not None for name in (found["what"], f"{found['what']}s")):
        return f"what do I know about {found['what']}?"
    shown = in_prose(found["what"], ctx.nouns)
    return found[0] if shown is None or shown.standing != "shown" else f"look at the {found['what']}"


# `I've got tapers for Ambrose. Where can I find him?`
_FIND_THEM = re.compile(
    r"(?P<before>^[^.!?]*[.!?]+ .*?)(?P<asks>\bwhere (?:(?:can|do|could|will|might) i (?:find|see|meet|catch)|is|was"
    r"|did you (?:last )?see)) (?P<who>him|her|he|she|them)\b",
    re.IGNORECASE,
)


def _found_by_name(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a question after where somebody is with the name that the sentences before it have of the only one whom
    the pronoun fits and who is not here; else the words as they are."""
    who = found["who"].casefold()
    said = f" {' '.join(word.low for word in words_of(found['before']))} "
    named = {
        person.id: person.name
        for person in ctx.nouns.known_people
        if person not in ctx.nouns.people
        and (pronoun_fits(person, who) or person.pronoun is None)
        and any(f" {' '.join(key.words)} " in said for key in person.keys)
    }
    return f"{found['before']}{found['asks']} {next(iter(named.values()))}" if len(named) == 1 else found[0]


# Of several doors none is meant: one listens for what is to be heard.
_AT_DOORS = re.compile(
    r"\blisten (?:at|to|through) (?:the |a |all the |each |every |all )?doors?\b(?! to\b)"
    r"(?: (?:where|with|which|that)\b[^.;!?,]*)?",
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


# `take it to ambroses`: where somebody is at home.
_TO_THEIRS = re.compile(
    r"\bto (?P<name>[a-z]{3,})['’]?s(?: (?:place|house))?(?=\W*$|[,.;!?]| (?:and|then|now|please|quickly|soon)\b)",
    re.IGNORECASE,
)


def _to_whom(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a way to what is somebody's as one to them; other words as they are."""
    known = (*ctx.nouns.people, *ctx.nouns.known_people)
    is_theirs = exact(found["name"], known) is not None and exact(f"{found['name']}s", known) is None
    return f"to {found['name']}" if is_theirs and not is_english(f"{found['name']}s") else found[0]


def _by_known_calling(ctx: ParseContext, text: str) -> str:
    """Return words with the calling by which somebody is shown for another word for it: `constable` for `cop`."""
    low = f" {' '.join(re.findall(WORDS, text.casefold()))} "
    for row in lexicon().callings if ctx.shown else ():
        names = [" ".join(name) for name in row if name != ("police",)]
        said = next((name for name in names if f" {name} " in low), "")
        if said and not _is_shown(ctx, said) and (known := next((name for name in names if _is_shown(ctx, name)), "")):
            text = re.sub(rf"\b{re.escape(said)}\b", known, text, flags=re.IGNORECASE)
    return text


def _is_shown(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether a phrase names anything that is here, or stands in what the prose shows."""
    is_told = re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE)
    return exact(phrase, ctx.nouns.everything()) is not None or any(is_told.search(noun.text) for noun in ctx.shown)


# `knock on 12`: a number alone is that of a room.
_NUMBERED = re.compile(
    r"\b(?P<to>(?:knock(?: \w+)? (?:on|at)|go (?:over |up |along |down |out )?to|call at|listen at|in|into|at|visit"
    r"|open|unlock|for|from) )(?:number |no\.? ?|#)?(?P<number>\d{1,3})\b"
    r"(?! ?(?:o'clock|am|pm|minutes?|hours?|o’clock|(?!and\b|then\b|or\b|n\b|to\b|with\b|again\b|twice\b|please\b"
    r"|if\b|\w+ly\b)\w*[a-z]))",
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


# Who is called by what he is or has: `hey tap guy`.
_EPITHET = re.compile(
    r"^(?P<hi>(?:hey|hi|hello|oi|yo|psst|sorry|excuse me|listen|ok|thanks|bye|good (?:morning|evening)),? )"
    r"(?:mr |miss )?(?P<word>(?!(?:my|the|a|that|this)\b)[\w'-]+) "
    r"(?P<sort>guy|man|lady|woman|girl|bloke|fellow|dude|fella|chap)\b[,!.]*(?P<rest>.*)$",
    re.IGNORECASE,
)


def _by_epithet(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return words to somebody who is called by what he is with the name of the one here whose names have the word,
    or else of the only one whom the sort of person fits."""
    people, word = ctx.nouns.people, singular(found["word"].casefold())
    sort = _SORTS.get(found["sort"].casefold(), found["sort"].casefold())
    if exact(f"{found['word']} {found['sort']}", people) is not None:
        return found[0]
    having = [person for person in people if any(word in map(singular, key.words) for key in person.keys)]
    called = having or [person for person in people if person.pronoun != "they" and pronoun_fits(person, sort)]
    return f"{found['hi']}{called[0].name},{found['rest']}" if len(called) == 1 else found[0]


_SORTS = {"dude": "guy", "fella": "guy", "chap": "guy", "girl": "woman"}


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


# `candles for Ambrose, can you take me to him?`: who was named last, and is not here.
_TO_THEM = re.compile(
    r"^(?P<before>.+?\b(?:take|bring|lead|carry|ferry|row|show|guide) (?:me|us) (?:over |across |out )?to )"
    r"(?:him|her|them)\b",
    re.IGNORECASE,
)


def _to_named(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a wish to be taken to somebody with the name of who was named before it in the line; else as it is."""
    name = named_last(found["before"], ctx.nouns.known_people)
    return found[0] if name is None else f"{found['before']}{name.label}"


# Who is sought is asked after: `I'm looking for Ambrose`.
_LOOKING_FOR = re.compile(
    r"^(?P<hi>(?:hi|hello|hey|excuse me|sorry|good \w+)(?: \w+)?[,.!]* )?"
    r"(?:i(?:[’']m| am) |we(?:[’']re| are) )?(?:just )?"
    r"(?:looking for|trying to find|here (?:for|to (?:see|find|meet))) (?P<whom>[\w' ]+?)(?=[.!? ]*$)",
    re.IGNORECASE,
)


def _where_is(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return the question where somebody is who is known and not here, for a word that one looks for them."""
    away = (*ctx.nouns.known_people, *ctx.nouns.known_places)
    is_away = exact(found["whom"], ctx.nouns.people) is None and exact(found["whom"], away) is not None
    return f"{found['hi'] or ''}where is {found['whom']}" if is_away else found[0]


def _lock_as_door(ctx: ParseContext, text: str) -> str:
    """Return words with the door for its lock, where the prose does not tell of that lock itself: to force the
    study lock is to force the study door, and not the front door whose lock is shown. A keyhole is that of the door of
    a room."""
    for door in ctx.nouns.doors if _KEYHOLE.search(text) else ():
        named = (key.words[:-1] if key.words[-1:] == ("door",) else key.words for key in door.keys)
        rooms = "|".join(re.escape(" ".join(words)) for words in named if words)
        if rooms:
            text = re.sub(
                rf"\b(keyhole of (?:the )?)(?:{rooms})\b(?! door)", rf"\g<1>{door.name}", text, flags=re.IGNORECASE
            )
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


_KEYHOLE = re.compile(r"\bkeyhole of\b", re.IGNORECASE)
_LOCK = re.compile(r"\b(?:lock|keyhole)\b", re.IGNORECASE)
_A_LOCK = re.compile(r"locks?")
# `who is in the music room?`, `who is moving things in there?`, `what is in the attic?`
_ASKED_OF = re.compile(
    r"^(?:so |and |but |hey,? )?(?P<asked>who|what)(?:['’]?s| is| are| else is) (?:there )?"
    r"(?P<doing>\w+ing (?:[\w'’]+ ){0,4}?)?(?:in|inside) (?P<the>the |that )?"
    r"(?P<what>\w[\w'’ -]*?)(?: right now| now)?(?P<end>\W*)$",
    re.IGNORECASE,
)


def _asked_of_place(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a question who is at another place as one whether anybody is, and one what is in something that is not
    here as one about what the player knows of it."""
    nouns, what = ctx.nouns, found["what"]
    if exact(what, (nouns.place, *nouns.people, *nouns.things)) is not None:
        return found[0]
    if found["doing"] and (nouns.people or found["asked"].casefold() != "who"):
        return found[0]
    is_place = exact(what, (*nouns.exits, *nouns.known_places)) is not None
    if found["asked"].casefold() == "who":
        return f"is anyone in {found['the'] or ''}{what}{found['end']}" if is_place else found[0]
    noun = None if resolve(what, nouns.everything()) is not None else in_prose(what, nouns)
    if not is_place and (noun is None or noun.standing != "absent"):
        return found[0]
    asking_after = "ask about" if nouns.people else "what do I know about"
    return f"{asking_after} {found['the'] or ''}{what}"


# What is looked through, or into.


def seen_through(ctx: ParseContext, phrase: str) -> str:
    """Return the window or the like that one looks out of, where there may be one; else nothing."""
    noun = noun_part(phrase.removeprefix("of "))
    is_pane = singular(noun.lower().split()[-1]) in _SEEN_THROUGH
    found = in_prose(noun, ctx.nouns) if is_pane else ProseNoun("", "absent")
    return noun if found is None else "" if found.standing == "absent" else found.name


# What one looks through, to see what is behind it.
_SEEN_THROUGH = frozenset("keyhole window glass pane door doorway gap crack slit hole letterbox curtain blind".split())


def told_of_inside(ctx: ParseContext, where: str, phrase: str) -> ProseNoun | None:
    """Return what the prose tells of under or behind a door, or the thing that it says to have something in it: by that
    it is looked at; None where it tells of none."""
    noun = noun_part(phrase)
    head = noun.split()[-1].casefold() if noun else ""
    pattern = ""
    if head == "door" and isinstance(resolve(noun, ctx.nouns.doors), PhraseMatch):
        pattern = rf"\b{where} (?:the |this )?door\b"
    elif noun and where not in _WITHIN:
        pattern = rf"\b{where} (?:the|this) (?:\w+ )?{re.escape(head)},? there (?:is|are) (?:nothing|no|only)\b"
    elif noun and getattr(in_prose(noun, ctx.nouns), "standing", "") == "shown":
        pattern = rf"\b{re.escape(head)}\b[^.;]*\b(?:in|inside) it\b"
    found = [shown for shown in ctx.shown if pattern and shown.is_sure and re.search(pattern, shown.text, re.I)]
    named = next((shown for shown in found if shown.head == head), next(iter(found), None))
    return None if named is None else ProseNoun(named.name, "shown")


_WITHIN = frozenset(("in", "inside", "into"))
