"""A whole line, and who and what is here -> the same with what hangs on an act before it as done after that: what is
done where a search finds nothing, `go in` after a look through a keyhole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from lorewright.builtin.parser.lines.names_meant import named_last
from lorewright.builtin.parser.readings import ParseContext, Reading, posed
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.words.noun_phrases import exact
from lorewright.rules.verbs import typed_line
from lorewright.scene_lore.nouns import singular


def with_conditions_met(ctx: ParseContext, text: str) -> str:
    """Return a line with what hangs on an act before it as done after that, as far as that act decides it."""
    text = _IF_CAN.sub(r"\g<joint>", text)
    text = _IF_NONE.sub(partial(_as_sought, ctx), _IF_SAFE.sub(partial(_unless_barred, ctx), text))
    text = _GOES_IN.sub(
        partial(_into_what_was_looked_in, ctx), _SOME_WITH.sub(r"\g<lead>look around for anything", text)
    )
    text = _ONE_OF.sub(_one_of, text)
    text = _GOES_OVER.sub(partial(_over_to_company, ctx), _IF_LOCKED.sub(partial(_as_locked, ctx), text))
    return _TO_DOOR.sub(partial(_at_its_door, ctx), _ALL_DOORS.sub(partial(_each_door, ctx), text))


def as_told(ctx: ParseContext, reading: Reading, told: str) -> Reading:
    """Return what is done with what is not here as a posture, where the deeds told before it in the line name that."""
    if not reading.unknown or reading.unclear is None:
        return reading
    is_told = re.search(rf"\b{re.escape(reading.unknown.casefold().split()[-1])}\b", told)
    made = posed(ctx, reading.words, deed=in_second_person(reading.words)) if is_told else None
    return reading if made is None else replace(made, words=reading.words)


def if_none(ctx: ParseContext, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings, the last as played only where nothing was found before it if the line says so."""
    found = list(readings)
    if ctx.if_none and len(found) > 1:
        actions = (
            action.model_copy(update={"metadata": {**action.metadata, "if_none": True}}) for action in found[-1].actions
        )
        found[-1] = replace(found[-1], actions=tuple(actions))
    return found


# `look under the mat, and if there isn't one go to the kitchen`: what the search before it decides.
_HAS_NONE = (
    r"(?:(?:if|when|in case) (?:not(?! (?:too|very)\b)|no luck|there(?:['’]?s| is| are)? ?(?:isn['’]?t|aren['’]?t"
    r"|not|no|none|nothing)"
    r"[^,.;!?]{0,14}?|nothing(?:['’]s| is| turns up| comes| there)[^,.;!?]{0,14}?"
    r"|(?:it|that|one|they)(?:['’]s| is| are)? ?(?:isn['’]?t|aren['’]?t|not) (?:in )?(?:here|there|under it|in it)"
    r"|i (?:do not|don['’]?t|can['’]?t|cannot|can not) (?:find|see|spot)(?: (?:it|one|any|anything|them"
    r"|that))?(?: there| here)?"
    r"|i find (?:nothing|none))|otherwise|or else|failing that)"
)
_IF_NONE = re.compile(
    r"^(?P<seek>(?:.*[,;.!?] |.*\b(?:and|then) )?(?:i )?(?:look|search|check|feel|hunt|rummage|dig|see|seek|find)\b"
    rf"[^.;!?]*?)[,;.]?(?: and| but| then)*,? {_HAS_NONE},? (?:then )?(?:i(?:['’]ll| will)? )?"
    r"(?P<then>(?!i\b|what\b|who\b|why\b|he\b|she\b|it\b)\w[^?]*)$",
    re.IGNORECASE,
)
_FOR_WHAT = re.compile(
    r"\b(?:for|if|whether) (?:there(?:['’]s| is) )?(?:(?:the|an?|my|any) )?(?P<what>[\w'’-]+(?: [\w'’-]+)??)(?= (?:in"
    r"|on|under|behind"
    r"|is|by|at|there|here|among|inside)\b|$)",
    re.IGNORECASE,
)


def hangs_on_search(text: str) -> bool:
    """Tell whether what a line does last is done only where a search before it finds nothing."""
    return _IF_NONE.match(text) is not None


def _as_sought(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a search and what follows where it finds nothing; the search alone where what is sought is seen."""
    sought = _FOR_WHAT.search(found["seek"])
    is_seen = sought is not None and exact(sought["what"], ctx.nouns.everything()) is not None
    then = found["then"]
    if sought is not None and sought["what"].casefold().split()[0] not in _ANYTHING:
        then = re.sub(r"\b(about|after|for) (?:it|that|one)\b", rf"\1 the {sought['what']}", then, flags=re.IGNORECASE)
    return found["seek"] if is_seen else f"{found['seek']}, then {then}"


_ANYTHING = frozenset("anything something anyone anybody someone somebody there it".split())


# `peek through the keyhole, and if it looks safe go in`: one has looked, and a door that is shut tells so itself.
_IF_SAFE = re.compile(
    r"(?P<before>\w.*?)(?:[,;.]? (?:and|then)(?: then)?|[,;.]),? if (?:(?:it|that|everything|all|there"
    r"|the (?:coast|way|room|place|door))(?:['’]?s| is| looks?| seems?) (?:safe|clear|quiet|all right|alright|ok|okay"
    r"|fine|empty|free|open|unlocked|not locked)|(?P<nobody>nobody|no one|no-one)(?:['’]s| is) (?:around|about|looking"
    r"|watching)|it (?:opens|isn['’]?t locked)),? (?:then )?(?:i(?:['’]ll| will)? )?(?:just )?(?P<then>(?:go|walk|slip"
    r"|step|sneak|creep|head|come|climb) (?:right |straight |quietly )?(?:in|inside|through)(?: it| there)?|enter"
    r"|(?:go|walk|slip|step|sneak|creep|head) (?:in)?to (?:the )?[\w' ]+?)(?=$|[,;.!]| and\b)",
    re.IGNORECASE,
)
# What one can, one does, and what one cannot is told.
_IF_CAN = re.compile(
    r"(?P<joint>[,;] |[,;]? (?:and |then )+)if (?:possible|i can|i may),? (?=(?!ask\b)[a-z]+ )", re.IGNORECASE
)
_LOOKED_IN = re.compile(
    r"\b(?:peek|peep|look|peer|listen|knock|glance|spy|squint|stop|wait|put my ear|press my ear)\b", re.IGNORECASE
)
_GOES_IN = re.compile(
    r"(?P<before>\w.*?)(?P<joint>[,;.]? (?:and|then)(?: then)?|,) (?:i )?(?:go|walk|slip|step|sneak|creep|head) "
    r"(?:right |straight |quietly )?(?:in|inside|through)(?: there)?(?=[.!]*$)",
    re.IGNORECASE,
)


_GONE_TO = re.compile(
    r"\b(?:go|walk|head|run|tiptoe|sneak|creep)(?: over| up| down| back| across)* to (?:the )?(?P<place>[\w' ]+)$",
    re.IGNORECASE,
)


def _unless_barred(ctx: ParseContext, found: re.Match[str]) -> str:
    is_watched = found["nobody"] is not None and bool(ctx.nouns.people)
    return found[0] if is_watched else f"{found['before']}, then {found['then'] if 'to ' in found['then'] else 'go in'}"


def _into_what_was_looked_in(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return a walk by the way or door that was looked or listened through before it; else the words as they are."""
    before = found["before"]
    gone = _GONE_TO.search(before)
    if gone is not None and exact(gone["place"], ctx.nouns.exits) is not None:
        return before
    walk = _way_named_last(ctx, before) if _LOOKED_IN.search(before) else None
    return found[0] if walk is None else f"{before}{found['joint']} {walk}"


# `tiptoe over to the study, listen`: one stands before its door.
_TO_DOOR = re.compile(
    r"\b(?:go|walk|tiptoe|sneak|creep|head|step|move|run|hurry)(?: quietly| softly)?(?: over| up| across"
    r"| back)* to (?:the )?"
    r"(?P<place>[\w' ]+?)(?:,| and|,? then)+ (?:i )?(?P<act>(?P<peeks>(?:peek|peep|peer|look|spy"
    r"|squint) (?:in )?through "
    r"(?:the|its) keyhole)|(?:listen|listen (?:in|carefully|closely|quietly)|put my ear to (?:it|the door)"
    r"|listen at (?:it|the "
    r"door|the keyhole)))(?=$|[,;.!]| and\b| then\b)",
    re.IGNORECASE,
)


def _at_its_door(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return what is done at a way that is shut without the walk to it; else the words as they are."""
    way = exact(found["place"], ctx.nouns.exits)
    at_door = re.search(r"\b(?:door|keyhole)$", found["act"], re.IGNORECASE) and exact(
        f"{found['place']} door", ctx.nouns.doors
    )
    if way is None or not (way.candidate.is_shut or at_door):
        return found[0]
    return f"{'peek through the keyhole of' if found['peeks'] else 'listen at'} the {found['place']}"


def _way_named_last(ctx: ParseContext, said: str) -> str | None:
    """Return the line of a walk by the way that words name last; None where they name none."""
    name = named_last(said, (*ctx.nouns.exits, *ctx.nouns.known_places))
    walk = None if name is None else typed_line("travel", place=" ".join(name.words))
    return None if walk is None else walk.text


# `look for anything with my name on it`: here, and on all there is.
_SOME_WITH = re.compile(
    r"(?P<lead>[,;.] (?:and |then )*|\band (?:then )?|\bthen )(?:look|search|check"
    r"|hunt) (?:around )?for (?:anything|something"
    r"|things) (?:with|that has|that have|bearing) [^,.;!?]+?(?: on (?:it|them))?(?=[.!]*$)",
    re.IGNORECASE,
)
# `try all four doors one after the other`
_ALL_DOORS = re.compile(
    r"(?:^|(?<=[,;.] )|(?<=and )|(?<=then ))(?P<act>(?:i )?(?:try|test|rattle|open)) (?:(?:all(?: of)?(?: the)?|both"
    r"|both the)(?: \w+)? doors|(?:each|every)(?: \w+)? door)"
    r"(?: (?:in turn|one after (?:the other|another)|one by one|in order|here))?(?=[.!]*$)",
    re.IGNORECASE,
)


def _each_door(ctx: ParseContext, found: re.Match[str]) -> str:
    return ", then ".join(f"{found['act']} the {door.name}" for door in ctx.nouns.doors) or found[0]


# `watch the door, then go over and introduce myself`: to nobody who was named, and so to who is here.
_GOES_OVER = re.compile(
    r"(?P<before>^|.*?[,;.] |.*?\band |.*?\bthen )(?:and |then )*(?:i )?(?:go|walk|come|head|stroll) (?:over"
    r"|across)(?: there)? and "
    r"(?=(?:introduce|say|ask|tell|greet|talk|speak|join)\b)",
    re.IGNORECASE,
)


def _over_to_company(ctx: ParseContext, found: re.Match[str]) -> str:
    away = (person for person in ctx.nouns.known_people if person not in ctx.nouns.people)
    is_named = named_last(found["before"], away) is not None
    then = "then " if found["before"] else ""
    return found[0] if is_named or not ctx.nouns.people else f"{found['before']}{then}"


# `try the study door, and if it's locked go upstairs`, of a door that is known to be.
_IF_LOCKED = re.compile(
    r"^(?P<tries>(?:.*[,;.] |.*\b(?:and|then) )?(?:i )?(?:try|check|open"
    r"|test)(?: to open)?(?: the handle of)? (?:the )?"
    r"(?P<door>[\w' ]+?))[,;.]?(?: and| but| then)* (?:if|when) (?:it|that|the door)(?:['’]s| is| does| will| wo)?"
    r" ?(?:(?:still )?(?:locked|shut)|n['’]t (?:open|budge|move)|not open"
    r"|isn['’]?t open),? (?:then )?(?:i(?:['’]ll| will)? )?"
    r"(?P<then>(?!i\b|what\b|who\b)\w[^?]*)$",
    re.IGNORECASE,
)


def _as_locked(ctx: ParseContext, found: re.Match[str]) -> str:
    named = re.sub(r" doors?$", "", found["door"], flags=re.IGNORECASE)
    way = exact(named, ctx.nouns.exits)
    return f"{found['tries']}, then {found['then']}" if way is not None and way.candidate.is_shut else found[0]


# `pick up one of the umbrellas, open it`: any of them.
_ONE_OF = re.compile(r"\b(?P<act>pick up|take|grab|open|lift|choose) one of the (?P<many>[a-z]+s)(?=$|[,;.!]| and\b)")


def _one_of(found: re.Match[str]) -> str:
    one = singular(found["many"])
    article = "an" if one[0] in "aeiou" else "a"
    return found[0] if one == found["many"] else f"{found['act']} {article} {one}"
