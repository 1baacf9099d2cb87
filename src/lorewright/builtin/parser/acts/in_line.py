"""The acts of a line -> the same as the acts beside them say: what is done to each of several doors is done to one
after the other, what is to be found first is not had yet, a keyhole is that of the door where one stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lorewright.builtin.parser.acts.kinds import TURNED, is_going, is_said, kind_of, kinds
from lorewright.builtin.parser.pieces import is_place
from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import typed
from lorewright.scene_lore.nouns import singular


def as_in_line(ctx: ParseContext, acts: Sequence[Act]) -> list[Act]:
    """Return the acts of a line as the others say that they are meant; one alone is meant as it stands, but for what
    is done to each of several."""
    acts = [each for act in _in_turn(acts) for each in _brought(ctx, _sought_at_place(ctx, act))]
    several = [each for at, act in enumerate(acts) for each in _for_each_door(ctx, act, acts[:at])]
    if len(several) < _TWO:
        return several
    found: list[Act] = []
    door = sought = holder = thing = ""
    for given in _among_those(ctx, _carried_to(ctx, several)):
        act = _once_found(_whether_so(_in_plain(ctx, given)) if found else _in_plain(ctx, given), sought, holder)
        act = _at_door(act, door, thing) if door else _inside_of(act, thing)
        before = found[-1] if found else None
        if before is not None and _leads_up(before) and _is_here(ctx, act):
            found.pop()
        looked_for = "" if is_said(act) else _looked_for(given)
        if looked_for and exact(looked_for, ctx.nouns.everything()) is None:
            where = thing if act.target.casefold() in _PRONOUNS else act.target
            sought, holder = looked_for, "" if where in looked_for else where
        elif act.target and act.target.casefold() not in _PRONOUNS and not is_said(act):
            sought = holder = ""
        door = _door_of(ctx, act) or ("" if is_going(act) else door)
        thing = act.target if act.target and act.target.casefold() not in _PRONOUNS else thing
        found.append(act)
    return found


_QUOTATION = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_SAYS_ON = re.compile(
    r"(?:and |but |then |so |please |well )*(?:i|he|she|it|we|they|you|the|that|this|there|my|his|her)\b", re.I
)
# From so much on it is not doubted that words are said.
_SURELY = 0.9


def as_quoted(ctx: ParseContext, text: str, acts: Iterable[Act]) -> list[Act]:
    """Return the acts of a line, those in quotation marks as said where anybody hears them: `"Sit down. I'll be back."`
    is no walk. A deed alone may be typed in them."""
    quoted = [said.casefold() for said in _QUOTATION.findall(text)] if ctx.nouns.people else []
    given, found = list(acts), list[Act]()
    for act in given:
        words = act.words.strip(_AROUND + '"“”').casefold()
        is_alone = len(given) == 1 and not is_said(act)
        if not words or not any(words in said for said in quoted) or kind_of(act).aside or is_alone:
            found.append(act)
            continue
        kind = act.kind if is_said(act) else "opinion" if _SAYS_ON.match(words) else "request"
        found.append(act.model_copy(update={"kind": kind, "score": max(act.score, _SURELY)}))
    return found


def _in_turn(acts: Sequence[Act]) -> Sequence[Act]:
    """Return the acts in the order in which they come about: who asks to be taken somewhere says all else before; a
    question about the game with nothing but guesses beside it (`I lost count`) as that alone."""
    first, *after = acts or [Act(kind="", words="")]
    is_beside = bool(after) and all(is_said(act) and act.person in act.topic for act in after)
    carries = kind_of(first).carries if is_beside else None
    asked_for = None if carries is None else carries.search(first.words.strip('"“”'))
    if asked_for is not None and any(part and _TO_PLACE.search(part) for part in asked_for.groups()):
        # What is said beside it is said before the way.
        return [*after, first]
    asked = [act for act in acts if kind_of(act).of_clocks and act.score >= _CLEAR]
    others = [act for act in acts if act not in asked]
    is_alone = bool(asked) and all(act.score < _GUESS and '"' not in act.words for act in others)
    return asked if is_alone else acts


_TO_PLACE = re.compile(r"\b(?:to|over|across|out|back|home)\b", re.IGNORECASE)
# From that on, and below that, the kind of an act is no guess, and nothing else.
_CLEAR, _GUESS = 0.6, 0.4

_TWO = 2
# While what is said meanwhile, and a name that only owns what follows it.
_MEANWHILE = re.compile(r"^(?:and )?(?:while|as) i (?!do\b|am\b)(?=[a-z])", re.IGNORECASE)


def _in_plain(ctx: ParseContext, act: Act) -> Act:
    """Return one of several acts without what only joins it to the others: words of speech without `while I`, and with
    no listener where the name only owns something; a look about for something as a search for it."""
    if is_said(act):
        is_owner = re.search(r"['’]s?$", act.person) is not None
        return act.model_copy(update={"words": _MEANWHILE.sub("", act.words), "person": "" if is_owner else act.person})
    if act.target.casefold() in _NO_NOUNS:
        act = act.model_copy(update={"target": ""})
    about = _HOW_IT_IS_WITH.match(act.words.strip(_AROUND))
    if about is not None and exact(about["who"], (*ctx.nouns.people, *ctx.nouns.known_people)) is not None:
        line = next((line for line in kind_of(act).lines if "{target}" in line), "")
        words = line.format(target=about["who"])
        return act.model_copy(update={"words": words, "target": about["who"], "second": ""}) if line else act
    if _SOMEWHERE.search(act.words) and not kind_of(act).leaves:
        return _posed(act.words)
    if (found := _SOMETHING.match(act.words.strip(_AROUND))) is not None:
        where = found["where"] or ""
        return Act(kind=typed("rummage")[0], words=f"{typed('rummage')[0]} {where}".strip(), target=where, score=1.0)
    if act.second and not act.target and _ABOUT_FOR.search(act.words):
        return act.model_copy(update={"words": f"look for {act.second}", "target": act.second, "second": ""})
    return act


_NO_NOUNS = frozenset("inside outside around about there here up down under behind".split())
# `see what Oakes wants`
_HOW_IT_IS_WITH = re.compile(
    r"(?:(?:and|then|to|i|go and)\s+)*(?:see|find out|check|look|watch) "
    r"(?:what|why|how|where|whether|if) (?P<who>[\w' ]+?)"
    r"(?:['’]s| (?:is|are|was|wants?|needs?|does|do|has|says?|looks?|stands?|sits?|thinks?))\b",
    re.IGNORECASE,
)
_SOMEWHERE = re.compile(
    r"\b(?:feel|look|search|hunt|cast|grope|fumble)s? (?:around |about |round )?"
    r"for (?:somewhere|a (?:place|spot|seat)) to\b",
    re.IGNORECASE,
)
# What may be anything is no thing to look at: the place is searched, or that in which it may be.
_SOMETHING = re.compile(
    r"(?:(?:and|then|i|we|try to)\s+)*(?:find|look for|search for|hunt for|pick out|feel for|choose)s? (?:myself )?"
    r"(?:some|any)thing\b(?!.*\b(?:to say|to do|to talk|else)\b)[^,.;!?]*?"
    r"(?: (?:in|on|among|under|behind|from) (?:the |these |those )?(?P<where>[\w' -]+))?",
    re.IGNORECASE,
)
_ABOUT_FOR = re.compile(r"\b(?:look|search|hunt|check|feel|cast)s? (?:around|about|round) for\b", re.IGNORECASE)
_AROUND = " ,.;!*"
_PRONOUNS = frozenset(("it", "them", "one", "that", "those", "him", "her"))


# What is done to each of the doors.

_NUMBER = r"(?:two|three|four|five|six|[2-6])"
_EACH = (
    rf"(?:(?:each|every|all|both)(?: one| single)?(?: of)?(?: the| these| those)?(?: other| remaining)?(?: {_NUMBER})?"
    rf"(?: other| remaining)?|the(?: other| remaining)?(?: {_NUMBER})?(?: other| remaining)?)"
)
_DOORS = re.compile(
    rf"\b(?P<each>{_EACH}) (?:(?:locked|shut|closed) )?(?P<doors>doors?|handles?|knobs?)(?:['’]s?)?(?P<part> (?:knobs?"
    r"|handles?|locks?|keyholes?))?\b",
    re.IGNORECASE,
)
_REST = re.compile(
    rf"\b(?:(?:all )?(?:of )?the (?:other|remaining)(?: {_NUMBER}| ones?)?|(?:all )?the (?:others|rest)|each(?: one"
    r"| of them)|every one(?: of them)?|(?:all|both) of them|them (?:all|both))"
    r"(?= in turn|$|,| for\b| one by one| too)",
    re.IGNORECASE,
)
_IN_TURN = re.compile(
    r",? (?:in turn|one (?:after|by) (?:the other|another|one)|in order|too|as well|one at a time)\b", re.IGNORECASE
)
_A_DOOR = re.compile(r"\bdoors?\b", re.IGNORECASE)
_TRIES = re.compile(
    r"^(?:(?:and|then|i|we|quietly|carefully|gently|now)\s+)*(?:try|test|rattle|open|knock|rap|tap|listen|lock|unlock"
    r"|push|pull|put|press|hold|lay|place|peek|peep|peer|look|check|examine|inspect|touch|kick|shut|close|bang|feel)"
    r"(?:e?s|ing)?\b",
    re.IGNORECASE,
)


def _for_each_door(ctx: ParseContext, act: Act, before: Sequence[Act]) -> Iterator[Act]:
    """Yield an act that is done to each of the doors here once for each of them, those named before it left out where
    the others are meant; an act of any other sort as it is."""
    words = _IN_TURN.sub("", act.words.strip(_AROUND))
    found = _DOORS.search(words)
    said = " ".join(act_before.words for act_before in before)
    if found is None and _A_DOOR.search(said):
        found = _REST.search(words)
    is_one = found is not None and found.re is _DOORS and _is_one(found)
    doors = _doors_meant(ctx, said if found is not None and _OTHER.search(found[0]) else "")
    if found is None or is_one or is_said(act) or len(doors) < _TWO or not _TRIES.match(words):
        yield act
        return
    part = found["part"].removesuffix("s") if found.re is _DOORS and found["part"] else ""
    for door in doors:
        named = f"{door.name}{part}"
        told = f"{words[: found.start()]}the {named}{words[found.end() :]}"
        yield act.model_copy(update={"words": told, "target": named, "second": "", "topic": "", "person": ""})


def _is_one(found: re.Match[str]) -> bool:
    """Tell whether one door is named, and no more: `the door`, `the other door`."""
    return not found["doors"].casefold().endswith("s") and found["each"].casefold().startswith("the")


_OTHER = re.compile(r"\b(?:other|others|rest|remaining)\b", re.IGNORECASE)


def _doors_meant(ctx: ParseContext, but: str) -> list[Candidate]:
    """Return the doors that are here, without those that words name."""
    return [door for door in ctx.nouns.doors if door.name.casefold() not in but.casefold()]


# What is looked for is not had before it is found.

_LOOKED_FOR = re.compile(
    r"\b(?:(?:for|(?:find|spot|locate|pick out)) (?P<what>(?:something|anything|somewhere|someone|somebody|anyone)\b"
    r"(?:(?! (?:in|on|under|behind|among|at|by|near|with)\b)[^,.;!?])*)"
    r"|(?:look|search|check|hunt|rummage|feel|dig|scan|comb|examine|inspect)(?:e?s|ing)?\b[^,.;!?]*? for "
    r"(?!(?:a |the )?(?:\w+ )?"
    r"(?:while|moment|minutes?|seconds?|time|bit|hours?|good|now|sure|real|him|her|them|me|it)\b)"
    r"(?P<thing>(?:(?!the\b|my\b|in\b|on\b|under\b|behind\b)[\w'’-]+ ?){1,5}))",
    re.IGNORECASE,
)


def _looked_for(act: Act) -> str:
    """Return what an act looks for that may be there or not; empty for none."""
    found = _LOOKED_FOR.search(act.words.strip(_AROUND))
    return "" if found is None else (found["what"] or found["thing"]).strip()


def _sought_at_place(ctx: ParseContext, act: Act) -> Act:
    """Return a look at the place for something that may be there or not as a search of it: `examine the steps for
    footprints`."""
    found = None if is_said(act) or kind_of(act).leaves else _LOOKED_FOR.search(act.words.strip(_AROUND))
    sought = "" if found is None or found["thing"] is None else found["thing"].strip()
    if not sought or not act.target or act.target in sought or not is_place(ctx, act.target):
        return act
    if resolve(sought, ctx.nouns.everything()) is not None or resolve(act.target, ctx.nouns.things) is not None:
        return act
    search = typed("rummage")[0]
    named = {"kind": search, "words": f"{search} {act.target} for {sought}", "second": sought, "topic": ""}
    return act if act.kind == search else act.model_copy(update={**named, "score": max(act.score, TURNED)})


# What is done with that in which one has looked.
_WITH_HOLDER = re.compile(
    r"\b(?:(?:put|try|pull|slip|throw)s? (?:it|them) (?:back )?(?:on|back)(?: again| on| down| up)?$"
    r"|(?:hang|put|set|lay"
    r"|place|stand)s? (?:it|them) (?:back|down|up|away)\b|(?:close|shut|fold|wear|lock|cover)s? (?:it|them)\b)",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|them|one|that)\b(?! (?:is|was|are|were)\b)", re.IGNORECASE)
_HANDLES = re.compile(
    r"^(?:(?:and|then|i|we)\s+)*(?:take|give|show|hand|bring|put|offer|pass|read|use|throw|eat|drink|open|hold|follow"
    r"|pick|pocket|keep|grab|wear|sit|lift|carry|push|slide|hide|light|slip|tuck|trace)s? (?!\w+ and )(?:\w+ )*?"
    r"(?:it|them|one|that)\b(?! (?:is|was|were|came|belongs|belonged|hung|lay|stood|goes)\b)",
    re.IGNORECASE,
)


def _once_found(act: Act, sought: str, holder: str) -> Act:
    """Return an act with what was only looked for as one that is meant for then; with that in which it was looked for
    where the words fit no other."""
    words = act.words.strip(_AROUND)
    if not sought or (not _HANDLES.match(words) and not _WITH_HOLDER.search(words)):
        return act
    if _WITH_HOLDER.search(words) and holder:
        named = holder if holder.casefold().split()[0] in lexicon().articles | {"my"} else f"the {holder}"
        return act.model_copy(update={"words": _IT.sub(named, words, count=1), "target": holder})
    plain = re.sub(r"^(?:(?:and|then|i)\s+)+", "", words, flags=re.IGNORECASE)
    plain = re.sub(r",? if (?:there|i)\b.*$", "", plain, flags=re.IGNORECASE)
    found = "them" if re.search(r"\bthem\b", plain, re.IGNORECASE) else "it"
    return _posed(f"if I find {found}, {plain}")


# `and see if any page has been torn out`: what there is to see was told with the deed before it.
_WHETHER = re.compile(
    r"^(?:(?:and|then|i|to)\s+)*(?:see|check|find out|make sure|look|tell|verify|work out|count)s? "
    r"(?:(?:if|whether) (?P<so>(?:it|they|any|one|there|some|all|its|their|the|that|this|who|whoever|(?:any|some)thing)"
    r"(?:['’]s|['’]re)?\b[^,;.!?]*)|(?P<which>(?:which|how many) [^,;.!?]+))$",
    re.IGNORECASE,
)


def _whether_so(act: Act) -> Act:
    """Return a look behind another deed whether something is so, or which it is, as told in its own words, without an
    answer that nothing gives; any other act as it is."""
    found = None if is_said(act) else _WHETHER.match(act.words.strip(_AROUND))
    if found is None:
        return act
    return _posed(f"look {found['which'] or 'whether ' + found['so']}, and find nothing more")


def _posed(words: str) -> Act:
    """Return an act that comes to nothing more than that it is told."""
    kind = next(name for name, kind in kinds().items() if kind.harmless and kind.anywhere)
    return Act(kind=kind, words=words, score=1.0)


# Where one stands.

_PART = re.compile(
    r"^(?:(?:and|then|i|we|quietly|softly|carefully|slowly)\s+)*[\w' ]*?\b(?:(?:the|its) )?(?P<part>keyhole|lock|handle"
    r"|knob|doorknob|latch)$",
    re.IGNORECASE,
)
_SENSES = re.compile(
    r"^(?:(?:and|then|i|we|just|quietly|softly)\s+)*(?P<act>listen|knock|rap)s?"
    r"(?: (?:in|carefully|closely|quietly|softly"
    r"|once|twice|hard|gently|again|for a (?:moment|while|bit)|three times))*$",
    re.IGNORECASE,
)


def _at_door(act: Act, door: str, thing: str) -> Act:
    """Return what is done to a keyhole or a handle as done to that of the door where one stands; so what is heard
    there, and a knock."""
    words = act.words.strip(_AROUND)
    if not door or is_said(act):
        return act
    is_part = act.target.casefold().removeprefix("its ") in _PARTS
    if is_part and (found := _PART.match(words)):
        named = f"{found['part']} of the {door}"
        told = re.sub(rf"\b(?:the |its )?{found['part']}$", f"the {named}", words)
        return act.model_copy(update={"words": told, "target": named})
    is_of_door = thing.casefold().split()[-1:] == ["door"] or thing.casefold().split()[-1] in _PARTS
    if act.target.casefold() == "it" and is_of_door and not kind_of(act).leaves:
        return act.model_copy(update={"words": _IT.sub(f"the {door}", words, count=1), "target": door})
    if not act.target and _SENSES.match(words):
        return act.model_copy(update={"words": f"{words} at the {door}", "target": door})
    return act


# `pick up the hat, look inside for a name`
_INSIDE = re.compile(
    r"^(?:(?:and|then|i|carefully|quickly)\s+)*(?!search (?:its|the) pockets)"
    r"(?P<act>look|check|peek|feel|search|examine|go through)s? "
    r"(?P<where>inside|underneath|(?:in |through )?(?:its|the) pockets?)(?: it)?"
    r"(?P<rest> for [^,.;!?]+| carefully| closely)?$",
    re.IGNORECASE,
)


def _inside_of(act: Act, thing: str) -> Act:
    """Return a look inside, or underneath, that names nothing as one into the thing that was handled before it."""
    found = _INSIDE.match(act.words.strip(_AROUND))
    if found is None or not thing or is_said(act):
        return act
    named, rest = re.sub("^(?:the|my|a|an) ", "", thing), found["rest"] or ""
    if found["where"].casefold().endswith(("pocket", "pockets")):
        search = typed("rummage")[0]
        return Act(kind=search, words=f"{search} the {named}{rest}", target=named, score=1.0)
    words = f"{found['act']} {found['where']} the {named}{rest}"
    return act.model_copy(update={"words": words, "target": thing})


_PARTS = frozenset("keyhole lock handle knob doorknob latch".split())


def _door_of(ctx: ParseContext, act: Act) -> str:
    """Return the door that an act is about, by its name; empty for none, and where that is not sure."""
    named = re.sub(r"^(?:keyhole|lock|handle|knob|latch) of (?:the )?", "", act.target, flags=re.IGNORECASE)
    named = re.sub(r" (?:keyhole|lock|handle|knob|latch)$", "", named, flags=re.IGNORECASE)
    is_part = named != act.target or bool(kind_of(act).at_doors)
    if not named or is_said(act) or not (is_part or named.casefold().endswith("door")):
        return ""
    found = resolve(named if named.casefold().endswith("door") else f"{named} door", ctx.nouns.doors)
    return found.candidate.name if isinstance(found, PhraseMatch) and not found.mended else ""


# Who only goes over to something that is here goes nowhere.

_GOES = re.compile(r"(?:(?:and|then|i|we|just|now)\s+)*(?:go|come|walk|head|step)(?: over| across| up)?", re.IGNORECASE)


def _leads_up(act: Act) -> bool:
    return kind_of(act).leaves and not act.target and _GOES.fullmatch(act.words.strip(_AROUND)) is not None


def _is_here(ctx: ParseContext, act: Act) -> bool:
    """Tell whether what an act is about is here, as far as that is known."""
    if is_said(act) or kind_of(act).leaves or not act.target:
        return False
    noun = in_prose(act.target, ctx.nouns)
    is_shown = noun is not None and noun.standing == "shown"
    return is_shown or resolve(act.target, (*ctx.nouns.people, *ctx.nouns.things)) is not None


def _among_those(ctx: ParseContext, acts: Sequence[Act]) -> Iterator[Act]:
    """Yield the acts, those after a walk to several who are here as done among them."""
    those: list[Candidate] = []
    for act in acts:
        named = [person for person in ctx.nouns.people if person.name.casefold() in act.words.casefold()]
        pair = _PAIR.search(act.words) if len(named) == _TWO else None
        is_pair = pair is not None and pair[0].startswith(tuple(who.name for who in named))
        those = (named if is_pair else []) or _gone_to(ctx, act) or those
        if pair is not None and is_pair and is_said(act):
            words = act.words[: pair.start()]
            yield from (act.model_copy(update={"words": f"{words}{who.name}", "person": who.name}) for who in named)
            continue
        yield from _to_those(act, those)


# `greet Marit and Mr Penhale`
_PAIR = re.compile(r"\b[A-Z][\w' ]+? and [A-Z][\w' ]+\W*$")


def _gone_to(ctx: ParseContext, act: Act) -> list[Candidate]:
    """Return several who are here and to whom an act leads: `walk over to the captains`; empty for other acts."""
    called = (act.target or act.person).casefold().split()[-1:] if kind_of(act).leaves else []
    one = singular(called[0]) if called else ""
    those = [person for person in ctx.nouns.people if any(one in key.words for key in person.keys)] if one else []
    return those if len(those) >= _TWO and one != called[0] else []


def _to_those(act: Act, those: Sequence[Candidate]) -> Iterator[Act]:
    """Yield an act after a walk to several who are here: the walk as no more than that, a sign to them as one to each,
    and what is said to nobody else as said to the first."""
    person = act.person.casefold()
    if those and kind_of(act).leaves and singular((act.target or person).split()[-1]) in those[0].keys[0].words:
        yield _posed(act.words)
    elif those and (found := _THEM.search(act.words)) and (person.endswith("them") or person[:4] in ("them", "both")):
        is_each = not (is_said(act) and kind_of(act).wondered) or found[0].casefold() != "them"
        for whom in those if is_each else those[:1]:
            words = f"{act.words[: found.start()]}{whom.name}{act.words[found.end() :]}"
            yield act.model_copy(update={"words": words, "person": whom.name})
    elif those and is_said(act) and not person and (asks := _ASKS.match(act.words)):
        words = f"{asks[0]} {those[0].name}{act.words[asks.end() :]}"
        yield act.model_copy(update={"words": words, "person": those[0].name})
    else:
        yield act


_THEM = re.compile(r"\b(?:(?:both|each|all|every one) of )?them(?: both| all)?\b|\bboth\b", re.IGNORECASE)
_ASKS = re.compile(r"(?:(?:and|then|i)\s+)*(?:ask|tell)\b(?! (?:for|to)\b)", re.IGNORECASE)


# What is carried out to somebody is offered there.

_CARRIES = re.compile(
    r"(?:(?:and|then|i|we)\s+)*(?:carry|bring|take|deliver)s? (?:it|them|one|that|the (?:other )?(?P<what>\w+))"
    r"(?: out| over| up| down| across| along| outside| inside| back| upstairs| downstairs| with me| out there)*",
    re.IGNORECASE,
)


_BRINGS = re.compile(r"(?:(?:and|then|i|we|go|go and)\s+)*(?:bring|take|carry|deliver|fetch)s?\b", re.IGNORECASE)


def _brought(ctx: ParseContext, act: Act) -> list[Act]:
    """Return something to drink or to eat that is brought to somebody elsewhere as offered to them there."""
    served = next((word for word in re.findall(r"[a-z]+", act.target.casefold()) if word in _SERVED), "")
    is_absent = bool(act.person) and exact(act.person, ctx.nouns.people) is None
    is_absent = is_absent and exact(act.person, ctx.nouns.known_people) is not None
    if not (served and is_absent and kind_of(act).gets and _BRINGS.match(act.words)):
        return [act]
    if exact(act.target, ctx.nouns.carried) is not None:
        return [act]
    walk = next(kind.elsewhere for kind in kinds().values() if kind.elsewhere)
    line = kinds()[walk].lines[0].format(target=act.person)
    return [Act(kind=walk, words=line, target=act.person, score=TURNED), _offered(served, act.person)]


def _carried_to(ctx: ParseContext, acts: Sequence[Act]) -> list[Act]:
    """Return the acts, what was ordered or poured and is carried to somebody elsewhere as offered to them there, and to
    another place as taken along."""
    found: list[Act] = []
    served, at = "", 0
    while at < len(acts):
        act, after = acts[at], acts[at + 1] if at + 1 < len(acts) else None
        words = act.words.strip(_AROUND)
        drink = next((word for word in re.findall(r"[a-z]+", words.casefold()) if word in _SERVED), "")
        carries = _CARRIES.fullmatch(words)
        if carries is not None and after is not None and served and is_going(after):
            offer = _offered(served, after.target) if exact(after.target, ctx.nouns.known_people) else None
            along = _posed(f"take the {served} along")
            found += [after, offer] if offer is not None else [along, after]
            at += 2
            continue
        if served and act.person and _OF_THOSE.match(act.target) and kind_of(act).gets:
            is_here = exact(act.person, ctx.nouns.people) is not None or act.person.casefold() in _PRONOUNS
            found.append(_offered(served, act.person) if is_here else _posed(_IT.sub(f"the {served}", words, count=1)))
            at += 1
            continue
        served = served if drink in _VESSELS and served else drink or served
        found.append(act)
        at += 1
    return found


# `order two drinks, push one over to him`
_OF_THOSE = re.compile(r"(?:one|it|them|the (?:other|second|first)(?: one)?|one of them)$", re.IGNORECASE)
_VESSELS = frozenset("cup cups mug mugs glass glasses drink drinks".split())
_SERVED = _VESSELS | frozenset("coffee tea cocoa soup toast water milk beer ale wine whisky gin rum cake pie".split())


def _offered(what: str, whom: str) -> Act:
    """Return the offer of a drink, or of something to eat, to somebody."""
    kind = next(name for name, kind in kinds().items() if kind.gets and "{person}" in kind.lines[0])
    some = "a drink" if what in _VESSELS else f"some {what}"
    return Act(kind=kind, words=f"offer {whom} {some}", target=what, person=whom, score=TURNED)
