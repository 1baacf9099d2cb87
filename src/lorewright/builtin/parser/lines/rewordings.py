"""A whole line, and who and what is here -> the same as it is meant: what is held out to somebody as given, with the
walk to somebody elsewhere before it, as what is known decides, and without what the player takes back in it."""

from __future__ import annotations

import re
from functools import partial

from lorewright.builtin.parser.lines.conditions_met import with_conditions_met
from lorewright.builtin.parser.lines.in_hand import unburdened, with_fire_in_hand
from lorewright.builtin.parser.lines.names_meant import named_last, with_names
from lorewright.builtin.parser.pieces import seen_off
from lorewright.builtin.parser.readings import ParseContext, act_word, only_person
from lorewright.builtin.words.clauses import bare, lexicon, words_of
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, in_prose, resolve
from lorewright.builtin.words.utterances import offered, with_my
from lorewright.rules.verbs import typed_line
from lorewright.scene_lore.nouns import is_verb, singular

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
    """Return a line as it is meant here: with the names of whom and what it means, what is held out to somebody
    (`here's my coin`) as given, a walk before what is done elsewhere."""
    text = with_names(ctx, text if ctx.nouns.people else _with_nobody(ctx, text))
    may_be = ctx.nouns.carried and _MAY_HAND.search(text)
    handed = "".join(_handed(ctx, said) for said in re.split(r"(?<=[.!?])(?= )", text)) if may_be else text
    handed = with_fire_in_hand(ctx, handed)
    shone = _SHONE.sub(partial(_shone, ctx), _WORD_WITH.sub(r"\1talk to", handed))
    carried = _TO_SEE.sub(partial(_on_the_way, ctx), _CARRIED.sub(partial(_carried, ctx), _let_go(ctx, shone)))
    carried = _THERE.sub(partial(_to_place_named, ctx), _IF_PRESENT.sub(partial(_as_it_is, ctx), carried))
    carried = _TO_UNKNOWN.sub(partial(_once_known, ctx), _NO_ANSWER.sub(partial(_unanswered, ctx), carried))
    carried = unburdened(ctx, _called_out(ctx, _said_in_two(ctx, with_conditions_met(ctx, carried))))
    return _SEARCHED.sub(partial(_gone_to_place, ctx), _SOUGHT.sub(partial(_gone_to_person, ctx), carried))


# `ask him what he sells and whether he stays`, `tell him that I wait, what is he hiding`: two things are said.
_IN_TWO = re.compile(
    r"^(?P<lead>(?:(?:and|then|i|go|go and) )*)(?P<verb>(?P<tells>tell)|ask)s? (?P<said>[^\"“”?;]+?)"
    r"(?:,? and (?P<more>(?:that|whether|if|what|who|where|when|why|how)\b[^\"“”?;]+)"
    r"|, (?:so |and |but )?(?P<asked>(?:what|who|where|when|why|how)(?:'s|s| is| are| was| were| did| do| does| has"
    r"| have)\b[^\"“”;,]+))$",
    re.IGNORECASE,
)
_ASKS_MORE = re.compile(r"\b(?:whether|if|what|who|where|when|why|how|that)\b", re.IGNORECASE)


def _said_in_two(ctx: ParseContext, text: str) -> str:
    """Return a line in which two things are told to somebody, or asked, with each of them by itself."""
    found = _IN_TWO.match(text)
    whom = "" if found is None else _person_first(ctx, found["said"])
    if found is None or not whom or len(found["said"].split()) == len(whom.split()):
        return text
    more, is_told = found["more"] or found["asked"], found["tells"] is not None
    if found["asked"] and is_told:
        return f"{found['lead']}{found['verb']} {found['said']}. {whom}, {more}?"
    if more.startswith("that ") != is_told:
        return text
    return f"{found['lead']}{found['verb']} {found['said']}, and {found['verb']} {whom} {more}"


def _person_first(ctx: ParseContext, words: str) -> str:
    """Return the name, or the pronoun, of somebody that words begin with; empty where there is none."""
    said = words.split()
    people = (*ctx.nouns.people, *ctx.nouns.known_people)
    sizes = (size for size in (4, 3, 2, 1) if exact(" ".join(said[:size]), people) is not None)
    size = next(sizes, 1 if said[0].casefold() in lexicon().person_pronouns else 0)
    whom = "" if size else _ASKS_MORE.split(words)[0].strip()
    return " ".join(said[:size]) or (whom if isinstance(resolve(whom, people), PhraseMatch) else "")


# `shout for Mr Gaunt to come back and let me out`: all of it is what he is to do.
_CALLED_OUT = re.compile(
    r"^(?P<lead>(?:(?:and|then|i) )*)(?P<verb>shout|yell|call|scream|holler|cry)s?(?: out)? (?:for|to|at|after) "
    r"(?P<said>[^\"“”?;,]+?) to (?P<what>[^\"“”?;,]+? and (?!i\b)[^\"“”?;]+?)[.!]*$",
    re.IGNORECASE,
)


def _called_out(ctx: ParseContext, text: str) -> str:
    """Return a line in which somebody is called to do several things with those in quotation marks."""
    found = _CALLED_OUT.match(text)
    if found is None or not (found["said"][:1].isupper() or _person_first(ctx, found["said"]) == found["said"]):
        return text
    return f'{found["lead"]}{found["verb"]} "{found["said"]}, {found["what"]}!"'


def _with_nobody(ctx: ParseContext, text: str) -> str:
    """Return a line that is typed where nobody is: what would be asked of somebody is done by oneself."""
    text = _NO_FIRST.sub("", text)
    wanted = _PLEASE.fullmatch(text)
    grab = None if wanted is None or exact(wanted["what"], ctx.nouns.here) is None else wanted["what"]
    taken = None if grab is None else typed_line("grab", thing=grab)
    text = _IS_IT_SHUT.sub(r"look at \g<door>", text if taken is None else taken.text)
    is_way_out = exact("out", ctx.nouns.exits) is not None
    return _LET_OUT.sub("go out" if is_way_out else "leave", text)


# `passkey please`, and a refusal that nobody hears, before what is done.
_PLEASE = re.compile(r"(?:the |a |that )?(?P<what>[\w'-]+(?: [\w'-]+){0,2}),? please\W*", re.IGNORECASE)
_NO_FIRST = re.compile(
    r"^no(?:[,.! ]+no)*(?:[,.!]+ (?=\w+ \w)| (?=(?:i|i'm|i'll|let me|let's|i've) \w))", re.IGNORECASE
)
# Whether a door is locked is seen.
_IS_IT_SHUT = re.compile(
    r"^(?:so |and |but )?is (?P<door>the (?:[\w'-]+ ){0,2}door) (?:locked|unlocked|open|shut|closed)(?=\W*$)",
    re.IGNORECASE,
)


# What nobody is there to do for one: `get me out of here`.
_LET_OUT = re.compile(
    r"(?:^|(?<=[.!?] ))(?:(?:no|nope|please|ok|okay|help)[,.! ]+)*(?:(?:get|let|take) me out(?: of here)?|leave"
    r"|(?:let me|i(?:'m| am|'ll| will)?) (?:just )?(?:go|leave|leaving|off)"
    r"|i (?:(?:just )?(?:want|need) to|wanna|have to) (?:leave|get out|go home))"
    r"(?: of here| now| here| already| this house)?(?=[.! ]*$)",
    re.IGNORECASE,
)
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


# How soon something is done: it is done anyway.
_SOON = (
    r"(?:now|first|quick|quickly|asap|straight|straightaway|immediately|please|already|tonight|myself|right away|soon"
    r"|(?:before|by|until|till) (?:it'?s )?(?:\w+ o'?clock|too late|\w+)|at once)\b"
)
_ENDS = r"$|[,;.!?]| and\b| then\b| (?:thanks|thank you|thx|bye|goodbye|see you|cheers|ok)\b"
# `take the toast over to room 12`, of what one has; `go up to see Moss`, of a way.
_CARRIED = re.compile(
    r"\b(?:take|carry|bring|(?<!to )deliver) (?P<thing>[^,;.!?]+?)(?: over| back| up| down| out| across| along)* "
    rf"to (?P<place>(?:the |my |your )?\w+(?: (?!{_SOON}|thanks\b|thank\b|bye\b|then\b|and\b|ok\b)\w+)?)"
    rf"(?: {_SOON})*(?={_ENDS})",
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
    is_named = re.search(r"\b(?:the|a|an|my|two|some) \w+", found.string[: found.start()], re.IGNORECASE) is not None
    held = "" if is_named and thing.casefold() in lexicon().thing_pronouns else _held(ctx, thing)
    is_held, thing = bool(held), held or thing
    gift = typed_line("gift", thing=thing, person=place)
    if is_held and gift is not None and exact(place, (*ctx.nouns.people, *ctx.nouns.known_people)) is not None:
        return gift.text
    walk, grab = typed_line("travel", place=place), typed_line("grab", thing=thing)
    is_way = exact(place, (*ctx.nouns.exits, *ctx.nouns.known_places)) is not None
    if walk is None or grab is None or not is_way:
        return found[0]
    if is_held:
        return walk.text
    return f"{grab.text} and {walk.text}" if exact(thing, ctx.nouns.here) is not None else found[0]


def _held(ctx: ParseContext, thing: str) -> str:
    """Return the name of what is carried that is meant, also by `these` or `it` where it can be one thing only."""
    is_many = {"these": True, "those": True, "them": True, "this": False, "it": False}.get(thing.casefold())
    if is_many is None:
        found = resolve(thing, ctx.nouns.carried, whole=True) or resolve(thing, ctx.nouns.carried)
        return found.candidate.name if isinstance(found, PhraseMatch) else ""
    heads = {name: name.split()[-1].casefold() for name in (held.name for held in ctx.nouns.carried)}
    fitting = [name for name, head in heads.items() if (singular(head) != head) == is_many]
    return fitting[0] if len(fitting) == 1 else ""


# `deliver these to Ambrose`, `take the tapers over to the chapel for Ambrose`.
_LET_GO = re.compile(
    r"\b(?:(?:deliver|drop|hand|give) (?P<those>these|those|them|this|it)(?: off| over)* (?:to|with|at)"
    r"|(?:deliver|drop|hand|give|take|carry|bring) (?P<thing>(?:the|my|these|those|this|that) [\w' -]+?)"
    r"(?: off| over| out| up| down| along| back)* to (?:the )?\w+(?: \w+)? for) "
    rf"(?P<whom>(?:(?:mr|mrs|miss|captain|the) )?\w+)(?: {_SOON})*(?={_ENDS})",
    re.IGNORECASE,
)


def _let_go(ctx: ParseContext, text: str) -> str:
    """Return a line with what is to be delivered to somebody, here or elsewhere, as given to them."""

    def given(found: re.Match[str]) -> str:
        before = found["those"] and re.search(r"\b(?:the|a|an|my|two) \w+", found.string[: found.start()])
        thing = "" if before else _held(ctx, found["those"] or bare(words_of(found["thing"])))
        whom = bare(words_of(found["whom"]))
        gift = typed_line("gift", thing=thing, person=whom) if thing else None
        is_known = exact(whom, (*ctx.nouns.people, *ctx.nouns.known_people)) is not None
        return found[0] if gift is None or not is_known else gift.text

    return _LET_GO.sub(given, text)


# `ask where the chapel is, then go there`: the place, or somebody there, that was named last.
_THERE = re.compile(
    r"\b(?:(?:start|begin) )?(?:go|walk|head|run|hurry|march|stroll|wander|going|walking|heading|running"
    r"|set off|set out|make my way)"
    r"(?: off| out| over| on| up| down| back| straight)* (?:there|that way|in that direction)"
    r"(?=$|[,;.!?]| and\b| then\b| to\b)",
    re.IGNORECASE,
)


def _to_place_named(ctx: ParseContext, found: re.Match[str]) -> str:
    nouns, before = ctx.nouns, found.string[: found.start()]
    name = named_last(before, (*nouns.exits, *nouns.known_places, *nouns.known_people))
    rooms = re.findall(r"\broom \d+\b", before.casefold())
    place = next(iter(rooms[-1:]), "") if name is None else " ".join(name.words)
    walk = typed_line("travel", place=place) if place else None
    return found[0] if walk is None else walk.text


# `if Oakes is still there, go and ask him`: what can be known of it decides.
_STATES = (
    r"(?P<there>(?:still )?(?:here|there|out there|in here|around|about|outside|in sight|standing there|sitting there"
    r"|where (?:he|she|it) was))|(?:not (?:too )?busy|free|willing|awake|listening|in the mood|not asleep"
    r"|friendly|talkative|empty|vacant|open|unlocked|not locked)"
)
_IF_PRESENT = re.compile(
    rf"(?P<b>^|[.;!?] |, |\band |\bthen )(?:if|in case|as long as|provided|since) (?P<who>[^,.;!?]{{2,30}}?)"
    rf"(?:(?: is|'s| are|'re) (?:{_STATES})| (?:isn't|aren't) (?:too )?busy| doesn't mind| do(?:es)? not mind),?"
    r" (?:then )?(?:i(?:'ll| will)? )?(?P<what>(?!i\b|what\b|who\b|why\b)\w[^?]*)$",
    re.IGNORECASE,
)


def _as_it_is(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return what is done on a condition without that, where it is so as far as one can know: with the walk to somebody
    who is seen elsewhere before it; else the words as they are."""
    nouns, who, what = ctx.nouns, bare(words_of(found["who"])), found["what"]
    here = exact(who, nouns.people)
    if here is not None:
        return f"{found['b']}{re.sub(_HIM, here.label, what, count=1)}"
    if _is_thing_here(ctx, who):
        way = exact(who, (*nouns.exits, *nouns.doors))
        entered = typed_line("travel", place=who) if way is not None and _ENTERS.match(what) else None
        plain = _ENTERS.sub(entered.text, what) if entered is not None else what
        return f"{found['b']}{re.sub(_IT, f'the {who}', plain, count=1)}"
    absent = exact(who, nouns.known_people)
    walk = typed_line("travel", place=who)
    if absent is None or found["there"] is None or seen_off(ctx, absent.candidate) is None or walk is None:
        return found[0]
    onward = re.sub(r"^(?:go|head|walk)(?: out| over| up| down| there)* (?:and |to )", "", what, flags=re.IGNORECASE)
    return f"{found['b']}{walk.text} and {onward}"


_HIM, _IT = (re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in ("him|her(?! \\w+ing)|them", "it"))
_ENTERS = re.compile(r"(?:go|walk|step|slip|head) (?:right |straight )?(?:in|inside|through)(?: it)?\b", re.IGNORECASE)


def _is_thing_here(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether something lies here, is shown, or is a way that is not known to be shut."""
    lies = exact(phrase, (*ctx.nouns.here, *ctx.nouns.carried))
    way = exact(phrase, ctx.nouns.exits)
    noun = in_prose(phrase, ctx.nouns)
    is_open = way is not None and not way.candidate.is_shut
    is_door = exact(phrase, (*ctx.nouns.doors, *ctx.nouns.exits)) is not None
    return lies is not None or is_open or (not is_door and noun is not None and noun.standing == "shown")


# Nobody answers a call to who is elsewhere: what hangs on that is done.
_SILENT = (
    r"(?:if|when) (?:[^,.;!?]{2,24}?(?: not|n'?t) |there(?:'s| is) no |nobody |no one |no-one )(?:[^,.;!?]{0,12}? )?"
    r"(?:answers?|picks? up|replies|reply|responds?)\b"
)
_NO_ANSWER = re.compile(
    r"^(?P<call>.*\b(?:call|calling|phone|phoning|ring|ringing|dial|text)(?: up)? (?P<whom>room \d+|\w+)\b.*?)"
    rf"(?:(?:[,.;!]| and| but| then)+ {_SILENT},? (?:then )?(?P<first>\w[^?]*)"
    rf"|(?P<then>[,.;!]? (?:and |then )+[^,.;!?]+?) {_SILENT})[.! ]*$",
    re.IGNORECASE,
)


def _unanswered(ctx: ParseContext, found: re.Match[str]) -> str:
    absent = exact(found["whom"], ctx.nouns.known_people) is not None or " " in found["whom"]
    if not absent or exact(found["whom"], ctx.nouns.people) is not None:
        return found[0]
    return f"{found['call']}{found['then'] or ', then ' + found['first']}"


# `ask who was there and go and talk to them`: one does not know to whom yet.
_TO_UNKNOWN = re.compile(
    r"^(?P<asks>.*\bask\b[^.;!?]*?\bwho(?:m|se)?\b[^.;!?]*?)(?:[,.;]| and| then)+ (?:then )?"
    r"(?P<later>(?:i )?(?:go|find|see|visit|talk|speak|head|walk|set off|look|show|give|bring|take)\b"
    r"[^.;!?]*\b(?:them|him|her|that person)\b[^.;!?]*)[.! ]*$"
    r"|^(?P<seeks>(?:i )?(?:search|look|hunt|rummage|check|feel|dig|go)\b[^.;!?]*? for "
    r"(?P<what>(?:something|anything|an?|some|any) [^.;,!?]+?)"
    r"(?: (?:in|on|under|behind|among|through|around|about|inside) [^.;,!?]+?)?)(?:,| and| then)+ (?:then )?"
    r"(?P<then>(?:give|show|hand|bring|take|offer|pass|read|use|throw|eat|drink)\b"
    r"[^.;!?]*\b(?:it|them|that|one)\b[^.;!?]*?)[.! ]*$",
    re.IGNORECASE,
)


def _once_known(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return what is done with somebody or something that is not found yet as what one means to do then."""
    if found["asks"] is not None:
        later = re.sub(r"\b(?:talk|speak|chat)(?:ing)? (?:to|with) ", "find ", found["later"], flags=re.IGNORECASE)
        return f"{found['asks']}. If I learn who it is, {later}"
    if exact(bare(words_of(found["what"])), ctx.nouns.everything()) is not None:
        return found[0]
    return f"{found['seeks']}. If I find it, {found['then']}"


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
    r"|(?:go )?(?:and )?(?:have|take) a (?:good |quick )?look (?:in|into|around|round|inside)|explore|visit"
    r"|(?:go|come)(?: and| over and| out and| up and)? (?:see|check|look|find out|peek)(?: on)? "
    r"(?:who(?:'s| is| else is)|what(?:'s| is)|(?:if|whether) (?:any|some|no)(?:one|body|thing)(?:'s| is)?"
    r"|nobody|anyone|everyone|(?:what )?(?:that|the) noise(?: is)?)"
    r"(?: (?:moving|going on|happening|up|hiding|there|making that noise))?"
    r" (?:in|at|inside|on|out in|up in|down in|over in))|search|check out"
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
