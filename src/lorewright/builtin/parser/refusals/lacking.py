"""Acts as they were tagged -> what they want and is not to be had: things that one is said to have or to find, what one
would ride away in, ways that are none. The lists of words are in `decrees.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorewright.builtin.parser.acts.kinds import Kind, kinds
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    Reading,
    act_word,
    acting,
    aimed_at_prose,
    excerpt,
    noun_part,
    posed,
)
from lorewright.builtin.parser.refusals.decrees import decree_words
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import free_verb
from lorewright.scene_lore.nouns import is_everybodys, may_name_a_thing, singular
from lorewright.values.readings import Aside

_OUT_OF_POCKET = re.compile(
    r"\b(?:with|using|take|takes|pull|pulls|get|gets|bring|brings|draw|draws|produce|produces|fish|fishes|grab|grabs|whip|whips|have"
    r"|find|finds|hand|give|show)\b (?:out |up |forth )?(?P<what>(?!my hand)(?:[\w'-]+ ){1,4}?)"
    r"(?:out of|from|out from|in|inside) my (?:[\w-]+ )?"
    r"(?:bag|handbag|backpack|rucksack|pockets?|boots?|shoes?|socks?|sleeves?|coat|jacket|purse|satchel|hat|belt|holster|crate)\b",
    re.IGNORECASE,
)
_BROUGHT = re.compile(
    r"\b(?:the|my|a|an|some|this) (?P<what>[\w'-]+(?: [\w'-]+)?(?: of [\w'-]+)?) (?:(?:that|which) )?"
    r"(?:[Ii]|she|he|they|we|[A-Z][\w'-]+)(?:'ve| have| had|'d)?(?: just| already)?"
    r" (?:brought|bought|stole|made|packed|prepared|found|got|hid|left|gave|picked|carry|kept|took|stashed"
    r"|borrowed|copied|forged|cloned|printed|smuggled|saved|had|have|own|prepared|ordered|caught|nicked|grew)\b"
)
# Said, too: it is held out, or was had all along.
_HELD_OUT = re.compile(
    r"\b(?:i|we)(?:'ve| have| had)?(?: already)? (?:found|got|have|had|brought|stole|took|carry|picked up)"
    r" (?:the|a|an|my|your|that|this) (?P<what>[\w'-]+(?: [\w'-]+){0,4}?)"
    r"(?:,? (?:already|all along|the whole time|right here|with me|on me|in my \w+)\b.*"
    r"|[,.!;:]* (?:and )?(?P<held>here it is|here you go|here you are|here take it|take it)\b.*)$",
    re.IGNORECASE,
)
_ALREADY = re.compile(
    r"\b(?:i|we)(?:'ve| have| had)? already(?: have)? (?:found|got|have|had|brought|stole|took|taken|picked up)"
    r" (?:the|a|an|my|that|this) (?P<what>[\w'-]+(?: [\w'-]+){0,2})",
    re.IGNORECASE,
)
_BRIBED = re.compile(
    r"\b(?:bribe|bribes|tempt|tempts|tip|tips|pay|pays) .*\bwith (?:a|an|the|my|some|this) "
    r"(?P<what>(?!money|cash|coin|credit)"
    r"[\w'-]+(?: [\w'-]+)?)",
    re.IGNORECASE,
)
_ALONG = re.compile(
    r"\bmy (?P<what>[\w-]+)(?: [A-Z][\w-]+)?,? (?:(?:he|she|it|they|who) )?(?:is|are|came|comes|has come|have come)"
    r"(?: here| along)? with me\b"
)
# To whom something is sold or given, and nobody of the kind is here: `to a passing dragon`.
_RECEIVER = re.compile(
    r"\b(?:sell|give|hand|offer|throw|pass|trade|lend|show|bring)s? .+ to an? (?:\w+ )?(?P<what>[a-z]+)$", re.IGNORECASE
)
# What one goes away in and has not: `drive home in my car`.
_RIDDEN = re.compile(
    r"\b(?:drive|ride|fly|go|leave|travel|escape|cycle|sail|race|speed)s?\b.*? (?:in|on|with|by|aboard)"
    r" (?P<whose>my|an?|[A-Z]\w+['’]s|his|her|their|the) (?:\w+ )?"
    r"(?P<what>car|van|truck|bike|bicycle|motorbike|scooter|boat|plane|taxi|cab|horse"
    r"|helicopter|jeep|skateboard|submarine|drone|rocket|dragon|balloon)\b",
    re.IGNORECASE,
)
# The same, of whatever one calls one's own there: `in my Ferrari`.
_DRIVEN = re.compile(
    r"\b(?:drive|ride|race|speed|cruise|zoom|chase|cycle|sail|fly)s?\b.*? (?:in|on|with|by) my "
    r"(?!own\b|way\b|toes\b|tiptoes\b|feet\b|hands\b|knees\b)(?P<what>[\w-]+(?: [\w-]+)?)\b",
    re.IGNORECASE,
)
# Where something is to be bought, or gone to, and is nowhere near: `from a hardware store`.
_SHOP = re.compile(
    r"\b(?:buy|buys|purchase|get|gets|fetch|order|orders|pick up|go|goes|walk|drive|run|head|pop|nip|visit|enter)\b.*?"
    r"\b(?:from|at|in|into|to|out to|over to|visit|enter) (?:an?|the|some|my) (?P<what>(?:[\w'-]+ ){0,2}?"
    r"(?:stores?|shops?|supermarket|mall|market hall|bakery|bakers?|butchers?|chemist'?s?|pharmacy|ironmonger'?s?"
    r"|bank|hospital"
    r"|airport|casino|cinema|library|gym|school|police station|fire station|post office|gas station|petrol station"
    r"|restaurant|pub|nightclub|department store|drugstore|museum|zoo|embassy))\b",
    re.IGNORECASE,
)
_MINE = re.compile(r"\bmy (?P<what>[\w'-]+(?: [\w-]+){0,2})", re.IGNORECASE)


def lacking(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a deed with what one is said to have brought, or to have on one, and has not, as an attempt at what is not
    here; None for other acts."""
    kind = kinds().get(act.kind, Kind())
    is_handled = act.kind in decree_words()["handling"]
    if not ctx.nouns.knows_scenery:
        return None
    if not kind.aside and (ride := _ride(ctx, act)) is not None:
        return ride
    if (called := _called_up(ctx, act, kind)) is not None:
        return called
    if not (kind.said and kind.wish and "?" in act.words) and (shop := _shop(ctx, act)) is not None:
        return shop
    if not (kind.said or kind.aside) and (wanted := _found(ctx, act) or _way_that_is_none(ctx, act)):
        return wanted
    for pattern in (_HELD_OUT, _ALREADY) if act.kind in decree_words()["claiming"] else ():
        held = pattern.search(act.words)
        name = "" if held is None else _name_of(held["what"])
        # What nobody has heard of may well be had: `I already have a job`.
        is_known = bool(name) and (_stands(ctx, name) == "shown" or resolve(name, ctx.nouns.known_things) is not None)
        is_held_out = held is not None and bool(held.groupdict().get("held"))
        if (
            name
            and (is_known or is_held_out or not (kind.said and ctx.nouns.people))
            and not _has(ctx, name, in_sight=False)
        ):
            return _absent(ctx, act, name)
    bribe = _BRIBED.search(act.words)
    if bribe is not None and (name := _name_of(bribe["what"])) and not _has(ctx, name, in_sight=False):
        return _absent(ctx, act, name)
    along = _ALONG.search(act.words)
    if along is not None and (name := along["what"]) and not _has(ctx, name, in_sight=True):
        # Who or what is said to have come along.
        return None if _stands(ctx, name) == "shown" else _absent(ctx, act, name)
    if kind.makes is not None:
        return None
    if not kind.said and (marvel := _marvel(ctx, act.words)) and (is_handled or act.kind in decree_words()["seen"]):
        return _absent(ctx, act, marvel)
    if act.kind in decree_words()["seen"]:
        return _lacked_of_ones_own(ctx, act)
    if kind.said and not is_handled:
        return None
    to = _RECEIVER.search(act.words.strip(" .,!*"))
    if to is not None and not _has(ctx, to["what"], in_sight=True) and _stands(ctx, to["what"]) == "absent":
        return _absent(ctx, act, to["what"])
    driven = _DRIVEN.search(act.words)
    if driven is not None and not _has(ctx, driven["what"], in_sight=False):
        return _absent(ctx, act, driven["what"])
    ridden = _RIDDEN.search(act.words)
    if ridden is not None and not _has(ctx, ridden["what"], in_sight=True):
        # A car that is shown is still none of one's own.
        if ridden["whose"] == "my" or _stands(ctx, ridden["what"]) == "absent":
            return _absent(ctx, act, ridden["what"])
        is_driven = re.match(r"(?:(?:and|then|i|we) )*(?:drive|ride|fly|race|speed)s?\b", act.words, re.IGNORECASE)
        return _tried(ctx, act, ridden["what"]) if is_driven else None
    if (unfit := _on_foot(ctx, act, kind) or _worn_away(ctx, act)) is not None:
        return unfit
    found = _OUT_OF_POCKET.search(act.words)
    if found is not None and (name := _name_of(found["what"])) and not _has(ctx, name, in_sight=True):
        is_worn = {name.casefold(), singular(name.casefold())} & (lexicon().worn | lexicon().body)
        return None if is_worn else _absent(ctx, act, name)
    if (tool := _tool_lacked(ctx, act)) is not None:
        return tool
    if not is_handled:
        return None
    found = _BROUGHT.search(act.words)
    if found is not None and (name := _name_of(found["what"])) and not _has(ctx, name, in_sight=True):
        # `drink the tea Dorrie gave me`: a cup of it stands there.
        is_served = act.kind in decree_words()["tasting"] and _stands(ctx, name) != "absent"
        return None if is_served else _absent(ctx, act, name)
    return _lacked_of_ones_own(ctx, act)


# A find that is told and not sought: `I find the lamp behind the stairs`; what is found in oneself is none.
_FOUND = re.compile(
    r"^(?:(?:and|then|so|but) )*(?:i|we) (?:\w+ly |just |now |then |finally )*"
    r"(?:find|discover|spot|uncover|unearth|notice|come across|stumble (?:up)?on|stumble across|happen upon) "
    r"(?:(?:the|a|an|my|his|her|some|another|\d+|two|three|ten) )?"
    r"(?!(?:in|on|at|by|under|behind|inside) )(?P<what>(?:[\w'-]+ ){1,4}?)"
    r"(?:hidden |hiding |hanging |waiting |leaning |lying |sitting |stuck |taped |tucked |in there )*"
    r"(?:behind|under|underneath|beneath|in|inside|on|on top of|between|beside|next to|near|at|by|among|amongst)"
    r" (?!my (?:heart|mind|head|thoughts|memory|soul)\b)(?:the|a|an|my|his|her|this|that|one of|[A-Z])",
    re.IGNORECASE,
)


def _found(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a find that is only told as a look at what is not here; None where it is here, or is no find."""
    told = _FOUND.match(act.words.strip(" *"))
    if told is None:
        return None
    if isinstance(whom := resolve(told["what"].strip(), ctx.nouns.known_people), PhraseMatch) and not whom.mended:
        return _absent(ctx, act, whom.label)
    name = _name_of(told["what"])
    if not name or singular(name.casefold().split()[-1]) in decree_words()["settled"]:
        return None
    is_here = _has(ctx, name, in_sight=True) and name.casefold().split()[0] not in decree_words()["distinct"]
    return None if is_here else _absent(ctx, act, name)


# A way out that is no door: `climb out of the window`.
_WAY_OUT = re.compile(
    r"\b(?:climb|jump|crawl|leap|slip|squeeze|get|go|escape|leave|flee|dive|sneak|run|exit|wriggle|swing)s? "
    r"(?:back )?(?:(?:out|away|off|down|up|outside|home) )?(?:of |through |by |via |from |out of |over )?"
    r"(?:the|a|an|that|this|her|his|[A-Z]\w+['’]s) (?:[\w'-]+ )?"
    r"(?P<what>window|windows|skylight|chimney|vent|air duct|ventilation shaft|trapdoor|trap door|fire escape|drainpipe"
    r"|sewer|tunnel|secret (?:passage|door|exit)|emergency exit)\b",
    re.IGNORECASE,
)


def _way_that_is_none(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a way out by a window, and the like, as an attempt at it; None where that is a way, or is none meant."""
    out = _WAY_OUT.search(act.words)
    if out is None or isinstance(resolve(out["what"], ctx.nouns.everything(), whole=True), PhraseMatch):
        return None
    is_absent = _stands(ctx, out["what"]) == "absent"
    return _absent(ctx, act, out["what"]) if is_absent else _tried(ctx, act, out["what"])


# What one would ride away in, that comes and goes by its hours.
_BOARDED = re.compile(
    r"^(?:(?:and|then|so|i|we|just|quickly) )*(?:take|catch|board|get on|get onto|hop on|hop onto|jump on|climb on"
    r"|climb aboard|get aboard|go aboard|hop aboard|step onto)s? (?:the|a|an|my) (?:[\w':]+ ){0,4}?"
    r"(?P<what>bus|train|tram|plane|flight|coach|subway|metro|taxi|cab|ship|steamer|ferry)\b"
    r"(?! (?:ticket|stop|fare|driver|timetable|schedule|seat|conductor|man|woman|station|shelter))",
    re.IGNORECASE,
)


def _shop(ctx: ParseContext, act: Act) -> Reading | None:
    """Return what is to be got at a shop, or the way there, as an attempt at the shop, which is nowhere here."""
    kind, meant = kinds().get(act.kind, Kind()), _SHOP.search(act.words.strip('"'))
    is_done = bool(kind.fits) and (not kind.said or kind.wish) and '"' not in act.words
    if meant is None or not is_done or resolve(meant["what"], ctx.nouns.everything(), whole=True) is not None:
        return None
    return _absent(ctx, act, meant["what"]) if _stands(ctx, meant["what"]) == "absent" else None


def _on_foot(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Return a way that wants something to ride in as refused, where nothing of one's own is there for it."""
    tools = next((kind.wants[word] for word in act.words.casefold().split() if word in kind.wants), ())
    if not (kind.leaves and tools) or any(_has(ctx, tool, in_sight=True) for tool in tools):
        return None
    return _told(act, f"You have no {tools[0]} of your own here, and stay on foot, where you are.")


# What somebody has on: `put on Dorrie's cardigan`.
_OF_ANOTHER = re.compile(r"\b(?P<who>(?:(?:Mr|Mrs|Miss|Captain|Constable) )?[A-Z]\w+)['’]s (?:\w+ )?(?P<what>\w+)")


def _worn_away(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a deed with the clothes of somebody who is not here as refused: they have them on."""
    named = _OF_ANOTHER.search(act.words)
    if named is None or singular(named["what"]) not in lexicon().worn or exact(named["who"], ctx.nouns.people):
        return None
    if exact(named["who"], ctx.nouns.known_people) is None:
        return None
    return _told(act, f"{named['who']} is not here, and neither is {named[0]}.")


def _told(act: Act, words: str) -> Reading:
    return Reading(intent=f"told: {excerpt(act.words)}", aside=Aside(kind="told", words=words), words=act.words)


_HAILED = re.compile(
    r"^(?:(?:and|then|so|i|we|just|quickly) )*(?:order|call|hail|summon|phone for|ring for|flag down|get me|call me)s? "
    r"(?:a|an|the|for a) (?P<what>taxi|cab|uber|limousine|limo|rickshaw|minicab)\b",
    re.IGNORECASE,
)


def _ride(ctx: ParseContext, act: Act) -> Reading | None:
    """Return what would be boarded as not there to be boarded; None where it is here, or is a way."""
    boarded = _BOARDED.match(act.words.strip(" *")) or _HAILED.match(act.words.strip(" *"))
    at_hand = (*ctx.nouns.exits, *ctx.nouns.here, *ctx.nouns.carried, *ctx.nouns.people)
    if boarded is None or resolve(boarded["what"], at_hand) is not None:
        return None
    return Reading(intent=f"ride: {boarded['what']}", aside=Aside(kind="ride", words=boarded["what"]), words=act.words)


_USED = re.compile(
    r"(?:^(?:(?:and|then|i|we|just) )*(?:use|try|apply)s?|\bwith) (?:the|my|an?|some|this|that) "
    r"(?P<what>[\w'-]+(?: [\w'-]+)?)(?: (?:on|to|in|against|for|with)\b.*)?$",
    re.IGNORECASE,
)


# What is held out to somebody: `show the page to Mira`, `show him the page`.
_SHOWN = re.compile(
    r"^(?:(?:and|then|i|we|just) )*(?:show|present|wave|brandish|hold (?:up|out))s? (?:(?!the\b|my\b)[\w'-]+ )?"
    r"(?:the|my) (?P<what>[\w'-]+(?: [\w'-]+)?)(?: (?:to|at|before|under)\b.*)?$",
    re.IGNORECASE,
)


def _tool_lacked(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a deed with a tool that is shown nowhere, or only its like is (`the master key`); None for others."""
    said = act.words.strip(" .,!*")
    used = (_SHOWN.search(said) or _USED.search(said)) if act.kind in decree_words()["handling"] else None
    name = "" if used is None else _name_of(used["what"])
    if not name or _has(ctx, name, in_sight=True):
        return None
    is_other = (
        " " in name
        and name.casefold().split()[0] in decree_words()["distinct"]
        and exact(name, ctx.nouns.scenery) is None
    )
    is_absent = used is not None and not used[0].casefold().startswith("with") and _stands(ctx, name) == "absent"
    is_absent = is_absent or (used is not None and used.re is _SHOWN and _is_known(ctx, name))
    return _absent(ctx, act, name) if is_other or is_absent else None


def _is_known(ctx: ParseContext, name: str) -> bool:
    return isinstance(resolve(name, ctx.nouns.known_things), PhraseMatch)


def _lacked_of_ones_own(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a deed with a thing that is called one's own, and is neither had nor shown."""
    for mine in _MINE.finditer(act.words):
        name = _name_of(mine["what"])
        if name and not _has(ctx, name, in_sight=True) and _stands(ctx, f"my {name}") == "absent":
            return _absent(ctx, act, name)
    return None


def _marvel(ctx: ParseContext, words: str) -> str:
    """Return what is named by a marvel (`laser cutter`) and is shown nowhere; empty where there is none."""
    found = re.search(
        rf"\b((?:{'|'.join(map(re.escape, decree_words()['marvels']))}) (?!and\b|so\b|to\b|on\b|or\b)[\w-]+)",
        words,
        re.IGNORECASE,
    )
    return "" if found is None or resolve(found[1], ctx.nouns.everything(), whole=True) else found[1]


def _name_of(phrase: str) -> str:
    """Return a phrase as the name of a thing: without what belongs before and after its noun."""
    words = noun_part(phrase.strip().rpartition(" of ")[2]).split()
    while words and words[0].casefold() in lexicon().articles | {"my", "some", "this", "that", "own", "out", "up"}:
        words = words[1:]
    is_thing = may_name_a_thing([word.casefold() for word in words[-1:]])
    return " ".join(words) if words and is_thing and not is_everybodys(words[-1].casefold()) else ""


def _has(ctx: ParseContext, name: str, *, in_sight: bool) -> bool:
    """Tell whether the player has a thing of that name, was told that it is theirs, or sees it, where `in_sight`."""
    among: tuple[Candidate, ...] = (*ctx.nouns.carried, *((*ctx.nouns.here, *ctx.nouns.people) if in_sight else ()))
    head = singular(name.casefold().split()[-1])
    return resolve(name, among) is not None or any(noun.is_owned and singular(noun.head) == head for noun in ctx.shown)


def _stands(ctx: ParseContext, name: str) -> str:
    noun = in_prose(name, ctx.nouns)
    return "" if noun is None else noun.standing


def _absent(ctx: ParseContext, act: Act, name: str) -> Reading | None:
    return _tried(ctx, act, name, standing="absent")


def _tried(ctx: ParseContext, act: Act, name: str, standing: str = "scenery") -> Reading | None:
    """Return an act as an attempt at what is named, as it stands; None where there are no free attempts."""
    free = free_verb()
    if free is None:
        return None
    detail = {"verb": act_word(act.words)[:60], "detail": name[:MAX_WORDS], "detail_is": standing}
    return acting(ctx, free.name, excerpt(act.words), metadata=detail, confidence=0.7)


# What an act wants that is done with a tool, and what is done with one that is there.


def without_tool(ctx: ParseContext, words: str, named: str, wants: Mapping[str, Sequence[str]]) -> Reading | None:
    """Return the attempt at an act whose tool is not here, which the rules refuse for want of that; None where nothing
    is wanting. The tool is one that is `named` after `with`, else one of those that a word of the act `wants`."""
    low = words.casefold()
    is_named = bool(named) and re.search(
        rf"\b(?:with|using|on my|by my)\b(?: [\w'-]+){{0,3}}? {re.escape(named.casefold())}\b", low
    )
    if is_named and not is_here(ctx, named):
        return aimed_at_prose(ctx, words, named)
    said = re.findall(r"[\w'-]+", low)
    tools = next((wants[word] for word in said if word in wants), ())
    if not tools or any(is_here(ctx, tool) for tool in tools):
        return None
    return aimed_at_prose(ctx, words, next((tool for tool in tools if tool in said), tools[0]))


def is_here(ctx: ParseContext, name: str) -> bool:
    """Tell whether something of that name is here, is shown, or is not known to be anywhere else."""
    found = resolve(name, ctx.nouns.everything())
    noun = None if isinstance(found, PhraseMatch) and not found.mended else in_prose(name, ctx.nouns)
    return noun is None or noun.standing != "absent"


def _called_up(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Return a call to somebody of whom nothing is known, by what one has for it, as made; None for other acts."""
    whom = act.person or act.target
    if kind.unanswered is None or not whom or resolve(whom, ctx.nouns.everything()) is not None:
        return None
    deed = "" if without_tool(ctx, act.words, act.second, kind.wants) else in_second_person(act.words)
    return posed(ctx, act.words, deed=deed) if deed else None
