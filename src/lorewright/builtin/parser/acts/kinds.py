"""The kinds of act that a line is tagged with, and how acts of each are read; the table is `kinds.yaml`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lorewright.builtin.parser.readings import ParseContext, Reading
from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.earshot import is_of_absent
from lorewright.builtin.words.noun_phrases import exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import is_answered
from lorewright.scene_lore.nouns import is_verb, singular
from lorewright.shipped_tables import read_table


@dataclass(frozen=True, slots=True)
class Kind:
    """How acts of a kind are read: `fits` are the types of action that they may be, `lines` what they amount to in the
    grammar's words, `aside` what they ask of the program; `said` is the verb that takes what is said, in the words
    `plain` where they are not the player's own. Without a word of `needs` it is an act of no consequence; with one of
    `when` it may be of the types `then`. What is `harmless` changes nothing; less likely than `least` its lines are not
    played. Of questions, one `of_clocks` is about those that it names, one that names a way is the action `of_ways`,
    one that `asks_why` is put to nobody where it names nothing here, else told as that kind, one for people is the
    aside `alone`, among other acts the line `beside`, one for a way the aside `ways`. What is `of_doors` is a search of
    other things, `with_own` things of no consequence, with anything at all the line `of_any`; what is `wondered` asks
    oneself where nobody is, what has a `personal` phrase and no name is the action `in_person`. A word that `wants`
    tools is nothing without one of them. A question that ends with a name is of the kind `called`, a `wish` may be a
    move, what is done to a part of somebody `hurts`. Words may make it another kind (`turns`, `turns_beside` other
    acts, `turns_said` after words to somebody, `turns_own` with one's own things, `finds` of who is elsewhere); what
    `leads_on` or `gets` something is needed for what comes after it, and what `leaves` leaves who is here. `stops`,
    `at_doors`: where one goes up to a door; `slyly`: the verbs of what one pretends not to do; `elsewhere`: what it
    is at a place that is not near; `anywhere`: it may be done where nothing is known of the place; `unserved`: what
    it is where nobody serves; `asks`: what it lacks. What is done to a part of somebody may be the verb that
    `holds` them; of what is done to a thing `of_whole` a part is not the thing; what `asks_own` is a look at what
    one carries, where it is about that; what `opens` a door is done to its handle; `through` is the line for what
    one looks out of; `held` is the kind of an act after which a hand stays on the thing, or it stays with one,
    `pocketed` that of another's thing, `put_back` that of a thing that lay here, `mounts` of one by what was moved
    there before; what is `felt` is told with what is known of the thing. What words that match `makes` name is not
    there before; a condition that matches `unanswered` holds after such an act."""

    fits: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()
    aside: str = ""
    said: str = ""
    plain: str = ""
    needs: frozenset[str] = frozenset()
    when: frozenset[str] = frozenset()
    then: frozenset[str] = frozenset()
    harmless: bool = False
    of_clocks: bool = False
    of_ways: str = ""
    alone: str = ""
    beside: str = ""
    ways: str = ""
    with_own: bool = False
    of_any: str = ""
    least: float = 0.0
    asks_why: str = ""
    of_doors: bool = False
    wondered: bool = False
    in_person: str = ""
    personal: frozenset[str] = frozenset()
    called: str = ""
    wish: bool = False
    hurts: str = ""
    turns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    turns_beside: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    turns_own: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    turns_said: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    makes: re.Pattern[str] | None = None
    unanswered: re.Pattern[str] | None = None
    finds: tuple[str, str] = ("", "")
    leads_on: bool = False
    gets: bool = False
    leaves: bool = False
    anywhere: bool = False
    stops: str = ""
    at_doors: str = ""
    elsewhere: str = ""
    slyly: str = ""
    holds: str = ""
    held: str = ""
    put_back: str = ""
    pocketed: str = ""
    of_whole: str = ""
    asks_own: bool = False
    unserved: str = ""
    opens: bool = False
    through: str = ""
    felt: bool = False
    mounts: str = ""
    wants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # As a question, and as a statement: the kind that an act is where it is less likely than that.
    doubted: tuple[tuple[str, float], tuple[str, float]] = (("", 0.0), ("", 0.0))
    # Words of it ask somebody to do something: they are answered as that, and not with what is known.
    of_doing: bool = False
    asks: str = ""
    # Somebody is asked to carry one over; `where` or `there` is the rest of the words.
    carries: re.Pattern[str] | None = None
    # It is told in the player's own words, as a deed is.
    in_words: bool = False


@cache
def kinds() -> Mapping[str, Kind]:
    """Return the kinds of act by name."""
    data: dict[str, dict[str, Any]] = read_table(__package__, "kinds.yaml")
    made: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(("fits", "then"), frozenset),
        **dict.fromkeys(("needs", "when"), lambda words: frozenset(words.split())),
        **dict.fromkeys(("lines", "finds"), tuple),
        **dict.fromkeys(("turns", "turns_beside", "turns_own", "turns_said"), _patterns),
        **dict.fromkeys(("makes", "unanswered", "carries"), lambda pattern: re.compile(pattern, re.IGNORECASE)),
        "personal": lambda phrases: frozenset(phrases.split(", ")),
        "doubted": lambda pairs: tuple((name, least) for name, least in pairs),
        "wants": lambda tools: {word: tuple(named.split()) for word, named in tools.items()},
    }
    return {
        name: Kind(**{key: made[key](value) if key in made else value for key, value in given.items()})
        for name, given in data.items()
    }


def _patterns(by_kind: Mapping[str, str]) -> Mapping[str, re.Pattern[str]]:
    return {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in by_kind.items()}


def kind_of(act: Act) -> Kind:
    """Return the kind of an act; one without anything for a name that is none."""
    return kinds().get(act.kind, _NONE)


_NONE = Kind()


def is_said(act: Act) -> bool:
    """Tell whether an act is words to somebody."""
    return bool(kinds().get(act.kind, Kind()).said)


def is_small(act: Act) -> bool:
    """Tell whether an act is of a kind that changes nothing."""
    return kind_of(act).harmless


def is_thought(act: Act) -> bool:
    """Tell whether an act is of a kind that is neither done nor said: somebody thinks aloud."""
    kind = kind_of(act)
    return not (kind.fits or kind.said or kind.aside or kind.lines)


def is_going(act: Act) -> bool:
    """Tell whether an act is a walk to somewhere."""
    return kind_of(act).leaves and bool(act.target)


def is_speech(act: Act) -> bool:
    """Tell whether an act may be words to somebody: of such a kind, of no known one, or a question to the program."""
    kind = kinds().get(act.kind, Kind())
    return bool(kind.said or kind.aside) or kind == Kind()


def form_of(act: Act, reading: Reading) -> str:
    """Return the kind of act that a reading is told as: a look that asks why is told as the question that it is."""
    given = next((action.form for action in reading.actions if action.form in (PART, THEIRS)), "")
    given = given or next((action.type for action in reading.actions if action.deed.startswith("do not ")), "")
    kind = kinds().get(act.kind, Kind())
    is_asked = not kind.said and all(is_answered(action.type) for action in reading.actions)
    return given or (kind.asks_why if kind.asks_why and is_asked else act.kind)


# The forms of what is done with a part of a thing that goes as a whole, and with what somebody else has.
PART, THEIRS = "part", "theirs"


def words_in(act: Act) -> set[str]:
    """Return the words of an act, in lower case."""
    return set(_WORD.findall(act.words.casefold()))


_WORD = re.compile(r"[\w']+")


def doubted(act: Act) -> Act:
    """Return words that are hardly of their kind as a question, or as something told: `Hot and cold?` is no praise."""
    asked, told = kind_of(act).doubted
    words = act.words.strip(' *"”')
    name, least = asked if "?" in words or _IS_ASKED.match(words) else told
    return act.model_copy(update={"kind": name}) if act.score < least else act


# A question without a mark.
_IS_ASKED = re.compile(
    r"(?:(?:so|and|but|hey|oi|yo|ok|well)[, ]+)*(?:is|are|was|were|does|did|has) (?!that\b)\w", re.IGNORECASE
)


def questions_in(act: Act) -> list[str]:
    """Return the questions of an act that asks several at once, each by itself; at most one where it does not."""
    asked = _QUESTIONS_PARTED.split(act.words.strip(" ,.?*")) if kind_of(act).wondered else []
    is_each = all(_IS_QUESTION.match(part) and len(part.split()) >= _SHORTEST_QUESTION for part in asked)
    return asked if is_each else []


_WH = r"(?:who|what|when|where|why|how|which)\b"
_QUESTIONS_PARTED = re.compile(rf"(?:,\s+(?:and\s+|or\s+)?|\s+and\s+)(?={_WH})", re.IGNORECASE)
_IS_QUESTION = re.compile(rf"(?:(?:and|so|but)\s+)*{_WH} (?!(?:i|we|you|he|she|they|it)\b)", re.IGNORECASE)
_SHORTEST_QUESTION = 3


# What words say is no guess of the tagger's.
TURNED = 0.6


def made(act: Act) -> Act:
    """Return an act without what it makes, which is not there before: `draw a fish on the counter`."""
    makes = kind_of(act).makes
    return (
        act.model_copy(update={"target": ""}) if makes is not None and makes.search(act.words.strip(" ,.!*")) else act
    )


# What is done on a condition goes with it.

# `if`, somebody, and a verb.
_SHORTEST_CONDITION = 3
# The kind of an act of no consequence.
_SMALL = "work"
_OTHERS = (
    r"(?:(?:s?he|they|it)(?:'\w+)?|somebody|someone|anybody|anyone|nobody|no one|any of (?:them|the \w+)"
    r"|(?:the|my) \w+|(?-i:[A-Z])\w+)"
)
_ON = rf"(?:if|unless|(?:when|whenever|once|as soon as|the moment) {_OTHERS}(?= ))"
_IF_ALONE = re.compile(rf"(?:(?:and|but|then|so)\s+)*(?P<if>{_ON})\s[^,?\"]+,?", re.IGNORECASE)
_IF_DONE = re.compile(rf"(?:(?:and|but|then|so)\s+)*{_ON}\s[^,?\"]+, [^?\"]+", re.IGNORECASE)
# What others do decides, and comes after what is done: `leave if any of them scowls`.
_IF_LATER = re.compile(
    rf"(?P<lead>(?:(?:and|but|then|so)\s+)*)(?P<what>(?!(?:and|but|then|so) )[^?\"]+?),?"
    rf" (?P<if>(?:only )?if (?!it\b){_OTHERS} [^,?\"]+)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"(?:(?:and|then|i)\s+)*(?:ask|tell|say|whisper|answer|explain|shout|call|greet|thank|wave|offer|apologi[sz]e)s?\b",
    re.IGNORECASE,
)


def on_condition(acts: Sequence[Act]) -> list[Act]:
    """Return the acts, what is done on a condition as one of no consequence with that, as far as its sentence goes."""
    found: list[Act] = []
    for act in map(_with_comma, acts) if len(acts) > 1 else acts:
        before = found[-1] if found else None
        words = act.words.strip(_AROUND)
        held = kind_of(found[-2]).unanswered if len(found) > 1 else None
        if before is not None and held is not None and held.search(before.words):
            found.append(act)
        elif before is not None and _IF_ALONE.fullmatch(before.words) and _may_hang(before, act):
            joined = f"{before.words.strip(_AROUND)}, {act.words.strip().removeprefix('then ')}"
            found[-1] = Act(kind=_SMALL, words=joined, score=1.0)
        elif before is not None and before.kind == _SMALL and _hangs_on(before, act):
            found[-1] = before.model_copy(update={"words": f"{before.words.strip(_AROUND)} {words}"})
        elif _IF_DONE.fullmatch(act.words) and not _OF_YOU.search(act.words) and _TELLS.match(words.partition(", ")[2]):
            found.append(Act(kind=_SMALL, words=act.words, score=1.0))
        else:
            found.append(act)
    return found


_AROUND = " \t,;:"


def _with_comma(act: Act) -> Act:
    """Return an act on a condition with a comma after that: `if she objects pretend to dust`."""
    if otherwise := _OTHERWISE.match(act.words):
        return Act(kind=_SMALL, words=f"if not, {act.words[otherwise.end() :]}", score=1.0)
    later = None if is_said(act) or not kind_of(act).lines else _IF_LATER.fullmatch(act.words.strip(" .!"))
    if later is not None and not _OF_YOU.search(act.words) and not _WHETHER.search(later["what"]):
        return Act(kind=_SMALL, words=f"{later['if'].removeprefix('only ')}, {later['what']}", score=1.0)
    found = _IF_ALONE.fullmatch(act.words)
    is_told = is_said(act) and act.score >= TURNED and not act.person
    if found is None or act.words.endswith(",") or _OF_YOU.search(act.words) or is_told:
        return act
    words = act.words[found.start("if") :].split()
    low = [word.casefold() for word in words]
    starts = range(2 if low[1] in ("not", "so") else _SHORTEST_CONDITION, len(words))
    joints = (at for joint in ("then", "i") for at in starts if low[at] == joint)
    verbs = (at for at in starts if low[at] == "let" or (is_verb(words[at]) and low[at - 1] not in _NO_CONDITION))
    at = next(joints, 0) or next(verbs, 0)
    return Act(kind=_SMALL, words=f"{' '.join(words[:at])}, {' '.join(words[at:])}", score=1.0) if at else act


# `see if she stirs` is no condition.
_WHETHER = re.compile(
    r"\b(?:see|check|look|out|sure|tell|know|wonder|ask|hear|listen|feel|test|as|even)s?$", re.IGNORECASE
)
_OTHERWISE = re.compile(r"(?:and |but )?(?:otherwise|or else|else),? (?:just )?", re.IGNORECASE)
_NO_CONDITION = frozenset(
    "to and i he she they we it can could will would may might must the a an my his her is are was be not don't doesn't"
    " do does isn't no can't won't cannot didn't couldn't i'm if".split()
)
_OF_YOU = re.compile(r"\b(?:you|your|you're|you'll|(?:tell|ask|show|give|let) me)\b|[?\"]", re.IGNORECASE)


def _may_hang(before: Act, act: Act) -> bool:
    is_deed = not is_said(act) or bool(_TELLS.match(act.words))
    return is_deed and not _OF_YOU.search(f"{before.words} {act.words}") and not _IF_ALONE.match(act.words)


def _hangs_on(before: Act, act: Act) -> bool:
    is_open = bool(_IF_DONE.fullmatch(before.words)) and before.words[-1:] not in ".;!,"
    return is_open and act.words.casefold().startswith("and ") and not _OF_YOU.search(act.words)


# A question that was taken for an act -> one to who is here.


def as_question(ctx: ParseContext, act: Act) -> Act:
    """Return a question that was taken for an act, or for one about the game, as a question to who is here; others, and
    those after what is there to be looked at, as they are."""
    kind, words = kind_of(act), act.words.strip(' *"”')
    is_open = not kind.said or bool(_HOW_ABOUT.match(words) or _SEEKS.match(words))
    if ctx.nouns.people and is_open and (said := _as_statement(act, words)) is not None:
        return said
    if ctx.nouns.people and not kind.said and is_of_absent(words, ctx.nouns):
        return put_as_question(act, words)
    is_of_game = bool(kind.aside) or kind == kinds().get(_PLACE)
    is_asked = _ASKS_PEOPLE.match(words) or (is_of_game and _ASKS_WHAT.match(words))
    if not ctx.nouns.people or kind.said or not is_asked or _OF_COMPANY.search(words):
        return act
    if is_of_game:
        is_doubted = act.score < _CERTAIN and act.kind in _SHOWN_BY and not _SHOWN_BY[act.kind].search(words)
        return put_as_question(act, words) if is_doubted else act
    if not kind.asks_why and not kind.felt and act.score >= _GUESSED and not _OF_OTHERS.match(words):
        return act
    # `Is the water cold?` feels the water.
    if (noun := act.target.rpartition(" ")[0] if kind.felt else "") and in_prose(noun, ctx.nouns) is not None:
        return act.model_copy(update={"target": noun, "words": kind.lines[0].format(target=noun)})
    if act.target and (_IS_PRESENT.match(words) or (_IS_THERE.match(words) and _is_entity(ctx, act.target))):
        return act
    return put_as_question(act, words)


def _as_statement(act: Act, words: str) -> Act | None:
    """Return what is told to who is here and was taken for a thought, or by a guess for an act; None for others."""
    is_thought = act.kind == _THOUGHT and _STATES.match(words) is not None
    is_guess = kind_of(act).harmless and act.score < _HALF and _OF_LISTENER.match(words) is not None
    is_about = _HOW_ABOUT.match(words) is not None
    is_need = is_about or (act.score < _GUESSED and _NEEDS.match(words) is not None)
    if (sought := _SEEKS.match(words)) is not None:
        return put_as_question(act, act.target or words[sought.end() - 1 :].partition(",")[0])
    if not is_thought and not is_guess and not is_need:
        return None
    said = next(name for name, kind in kinds().items() if kind.of_doing) if is_about and not is_thought else "opinion"
    return Act(kind=said, words=act.words, person=act.person, topic=words.strip(" .!,"), score=1.0)


_THOUGHT, _GUESSED, _HALF = "thought", 0.4, 0.5
# What is said of what is here or was, and is no thought that goes on by itself.
_STATES = re.compile(
    r"(?:(?:so|and|but|well|oh|ah|hm+|no|yes)[, ]+)*"
    r"(?:you(?! (?:think|wonder|remember|recall|imagine|decide|try|know)\b)|your|it|it's|its|that's|this|there's"
    r"|they|he|she|nobody|somebody|everybody|everyone|the|my|i've|i used to|i never|i was|i'll bet|i bet|i can't"
    r"|i could|i should(?:n't)? have|we've)\b",
    re.IGNORECASE,
)
_OF_LISTENER = re.compile(
    r"(?:your \w+(?: \w+)? (?:is|are|was|looks?|smells?)|you(?:'ve got| look| seem| must be))\b", re.I
)
_NEEDS = re.compile(r"i (?:really )?need (?!to\b)\w", re.IGNORECASE)
_SEEKS = re.compile(
    r"(?:(?:please|hello|sorry|sir|madam|miss|excuse me),? )*"
    r"(?:i (?:really |only |just )?(?:need|have|must|want|would like)(?: to)? find"
    r"|i(?:'m| am) (?:looking|searching) for) (?!out\b)(?!.*\b(?:under|behind|inside|beneath|in the|and)\b)\w",
    re.IGNORECASE,
)
_HOW_ABOUT = re.compile(
    r"(?:(?:so|and|ok|well|hey|no)[, ]+)*(?:(?:how about|what if) (?:i|we|you)\b|(?:after you"
    r"|you(?: can| should| may)? (?:go|start|begin|choose|pick|decide|speak|talk)? ?first)\b(?!.* to the\b))",
    re.IGNORECASE,
)


def put_as_question(act: Act, words: str) -> Act:
    """Return an act as a question in other words."""
    kind = next(kind.asks_why for kind in kinds().values() if kind.asks_why)
    return Act(kind=kind, words=act.words, topic=words.strip(" ?.!,"), score=1.0)


def _is_entity(ctx: ParseContext, noun: str) -> bool:
    here = (*ctx.nouns.people, *ctx.nouns.things, *ctx.nouns.doors)
    return resolve(noun, here) is not None or exact(noun, ctx.nouns.exits) is not None


# How a question begins that looks at nothing: whether something is so, whose it is, why.
_ASKS_PEOPLE = re.compile(
    r"(?:(?:so|and|but|or|hey|oi|ok|okay|well|um+|oh|wait|please|excuse me|sorry|tell me)[, ]+)*"
    r"(?:(?:is|are|was|were|isn't|aren't|wasn't|weren't|does|did|doesn't|didn't|don't|has|hasn't|had|will|would|why|whose"
    r"|how come|what (?:if|time|should|would|shall|did|was|were|had|has|does)|should|shall)\b"
    r"|i wonder (?:what|who|where|why|how|if|whether|when)\b"
    r"|(?:who(?:'s|s)?|whos) (?!am\b)|do (?:i|you|u|we|they|people|any\w*|some\w*|these|those)\b"
    r"|(?<=tell me )(?:where|what|who|when|which)\b"
    r"|where (?:would|could|might|can|do|does|did|should) (?:i|we|you|people|any\w+|some\w+) (?:find|get|buy|keep)\b"
    r"|(?:have|can|could) (?:they|he|she|it|people|any\w+|some\w+|we|you|u)\b)",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(r"(?:(?:so|and|but|ok|well)[, ]+)*(?:what|which|how)(?:'s|s)?\b", re.IGNORECASE)
_OF_COMPANY = re.compile(
    r"\b(?:any(?:one|body)|some(?:one|body)|who(?:'s|s)?|everybody|everyone)(?: else)?(?: (?:is|are|was))?"
    r"(?: (?:else|here|there|in|about|around|present|inside|home|nearby|with me|in here|out there|at home))*\W*$"
    r"|\bwho(?:'s|s| is| are) (?:(?:all |also )?(?:here|there|in|at|that|this|she|he|the)\b)"
    r"|\b(?:am i|are we (?:here|in|at|alone|there)|can i (?:see|hear|smell|feel|go|leave|reach|find|get)"
    r"|do i (?:see|hear|smell|feel|have|know|carry|own))\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"(?:(?:so|and|but|hey|ok|well)[, ]+)*(?:is|are|was|were|did|does|has|had|why|whose) (?!i\b|we\b)", re.I
)
_IS_PRESENT = re.compile(r"(?:is|are) \w+ .*\b(?:still|out|over|up) (?:here|there|around|about)\W*$", re.I)
_IS_THERE = re.compile(r"\W*(?:[\w']+,? )?(?:is|are) there\b", re.IGNORECASE)
# The look round a place; from so much on the kind of a question about the game is not doubted; and what such
# questions say.
_PLACE, _CERTAIN = "where", 0.8
_SHOWN_BY = {
    kind: re.compile(rf"\b(?:{said})\b", re.IGNORECASE)
    for kind, said in (
        ("where", r"where|wheres|what(?:'s| is) this|(?:which|what) (?:room|place)"),
        ("goal", r"goal|aim|point|supposed|meant|mission|objective|win|quest|purpose|task|i (?:have|need|want) to"),
        (
            "options",
            r"what (?:can|should|do|shall) (?:i|we) (?:do|try|say|type)(?: (?:now|here|next|first|then))*\W*$|choices",
        ),
        ("stats", r"am i|do i|have i|i have|my|stats?|status|scores?|skills?|sheet|character|clocks?|means?|does"),
        (
            "known",
            r"(?:do|have|did|can) (?:i|we)|i (?:know|knew|learn\w*|hear\w*)|known|so far|recap|wh(?:at|o)(?: is|'s)",
        ),
        ("stories", r"story|stories|games?|scenarios?|adventures?|plays?"),
        ("when", r"time (?:is it|it is)|the time|how (?:long|late|much time)|clock|left|until|till|o'clock|day is it"),
    )
}


def by_manner(act: Act) -> Act:
    """Return an act without the manner of it among what it names (`hand it over with a small bow`, `climb in after
    her`)."""
    lets = None if is_said(act) or not kind_of(act).lines else _LETS.match(act.words)
    if lets is not None:
        posed = next((name for name, kind in kinds().items() if kind.anywhere and kind.harmless), act.kind)
        return act.model_copy(update={"kind": posed, "target": "", "second": "", "person": ""})
    is_manner = act.second.casefold().split()[-1:] and act.second.casefold().split()[-1] in lexicon().manners
    if is_manner and re.search(rf"\bwith (?:\w+ )*?{re.escape(act.second)}\b", act.words, re.IGNORECASE):
        act = act.model_copy(update={"second": ""})
    words = _AFTER_IT.sub(r"\1\2", act.words)
    return act if words == act.words else act.model_copy(update={"words": words, "target": ""})


_LETS = re.compile(
    r"(?:(?:and|then|i)\s+)*lets? (?:(?:the|my|his|her|its) \w+|it|them|him|her) "
    r"(?!go\b|in\b|out\b|off\b|loose\b|know\b)[a-z]",
    re.IGNORECASE,
)
_AFTER_IT = re.compile(r"\b(in|aboard|on|up|down|out) after (?:it|them)\b|(?<=\bgo )(in|inside),? with my .+", re.I)


def given_back(ctx: ParseContext, act: Act, taken: str) -> Act:
    """Return an act of handing back what was taken before it, and is no thing that anybody could have, as one of no
    consequence."""
    mine = _MINE.match(act.target) if (kind := kind_of(act)).held and act.person else None
    if mine and {mine[1], singular(mine[1])} & lexicon().worn:
        return act.model_copy(update={"kind": kind.held, "second": ""})
    noun = in_prose(act.target, ctx.nouns) if kind.held and act.person and _BACK_TO.search(act.words) else None
    if noun is not None and noun.standing == "shown" and resolve(act.target, ctx.nouns.everything()) is None:
        return act.model_copy(update={"kind": kind.held, "second": ""})
    is_back = kind.held and _HANDED_BACK.search(act.words) and act.target.casefold() in lexicon().thing_pronouns
    if not is_back or not taken or resolve(taken, ctx.nouns.everything()) is not None:
        return act
    named = taken if taken.casefold().split()[0] in lexicon().articles else f"the {taken}"
    words = re.sub(rf"\b{re.escape(act.target)}\b", lambda _: named, act.words, count=1)
    return act.model_copy(update={"kind": kind.held, "words": words, "target": "", "second": ""})


_MINE = re.compile(r"my (?:[\w-]+ )?([a-z]+)$")
_BACK_TO = re.compile(r"\b(?:give|hand|pass|slide)s? (?:[A-Z]\w+|him|her) (?:back the|(?:his|her|the) [\w ]*?back\b)")
_HANDED_BACK = re.compile(r"\b(?:hand|give|pass|slide|offer)s?\b.* back\b|\breturns? (?:it|them)\b", re.IGNORECASE)


def to_those(ctx: ParseContext, act: Act, before: Act) -> Act:
    """Return an act of handing something to `them` as one to whom the act before it was about, where that is nobody
    here: they, and no other, are meant."""
    kind, whom = kind_of(act), before.person or before.target
    is_to_them = act.person.casefold() == "them" and any("{person}" in line for line in kind.lines)
    if not is_to_them or not whom or not act.target or is_said(before) or resolve(whom, ctx.nouns.people) is not None:
        return act
    line = next(line for line in kind.lines if "{person}" in line)
    return act.model_copy(update={"words": line.format(target=act.target, person=f"the {whom}"), "person": whom})
