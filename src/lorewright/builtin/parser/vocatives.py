"""Words -> the person whom they address: `Viktor, a whisky`, `where is she, Marit?`, `lena you ok`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lorewright.builtin.parser.acts.kinds import kind_of, kinds, put_as_question
from lorewright.builtin.parser.readings import ParseContext, typeable
from lorewright.builtin.parser.rewordings import courtesy_pronoun
from lorewright.builtin.words.clauses import Word, lexicon, longest_prefix, lows, typed, verb_with, words_of
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.builtin.words.utterances import TITLES, is_said, titled_name
from lorewright.rules.verbs import typed as typed_lines
from lorewright.scene_lore.nouns import is_verb, singular


def begins_with_verb(low: Sequence[str]) -> bool:
    """Tell whether words in lower case begin with a verb; `i` before others is who speaks."""
    phrase = longest_prefix(low, lexicon().verb_phrases)
    return bool(phrase) and (phrase != ("i",) or len(low) == 1)


def find_vocative(ctx: ParseContext, words: Sequence[Word]) -> tuple[PhraseMatch, Sequence[Word]] | None:
    """Return the person whom the clause addresses, first or last and set off by a comma, and what it says to them."""
    while len(words) > 3 and words[1].kind == "comma" and (words[0].low in _CALLS or _calls_somebody(ctx, words)):
        words = words[2:]
    commas = [index for index, word in enumerate(words) if word.kind == "comma"]
    if not commas:
        return _find_name_at_an_end(ctx, words)
    people = ctx.nouns.people + ctx.nouns.known_people
    begins, ends = typed(_without_address(words[: commas[0]])), typed(words[commas[-1] + 1 :])
    first = exact(begins, people) or _by_courtesy(ctx, begins) or _called_after(words[: commas[0]], ctx)
    last = exact(ends, people) or _by_courtesy(ctx, ends) or short_name(ctx, ends)
    if first is None and longest_prefix(lows(words[commas[0] + 1 :]), lexicon().question_words):
        partly = resolve(typed(words[: commas[0]]), ctx.nouns.people, whole=True)
        first = partly if isinstance(partly, PhraseMatch) and not begins_with_verb(lows(words)) else None
    if first and words[commas[0] + 1 :]:
        return first, words[commas[0] + 1 :]
    spoken = words[: commas[-1]]
    is_request = lows(spoken)[1:2] in (["me"], ["us"], ["your"], ["my"], ["here"], ["with"], ["quiet"], ["still"])
    is_asked = is_request or not begins_with_verb(lows(spoken))
    return (last, spoken) if last and spoken and is_asked else None


def _called_after(words: Sequence[Word], ctx: ParseContext) -> PhraseMatch | None:
    """Return the person here who is called by words that say no more: `come on Viktor`, `all right, Mira`."""
    calls = longest_prefix(lows(words), _CALLS_OF_SEVERAL)
    return exact(typed(words[len(calls) :]), ctx.nouns.people) if 0 < len(calls) < len(words) else None


def _without_address(words: Sequence[Word]) -> Sequence[Word]:
    """Return a name without a form of address after it: `teo` of `teo my dude`."""
    while len(words) > 1 and (words[-1].low in ("my", "old") or (words[-1].low,) in lexicon().address):
        words = words[:-1]
    return words


def _calls_somebody(ctx: ParseContext, words: Sequence[Word]) -> bool:
    """Tell whether words call back somebody by name, between commas."""
    end = next((at for at in range(2, len(words)) if words[at].kind == "comma"), 0)
    people = ctx.nouns.people + ctx.nouns.known_people
    return bool(end) and words[0].low in lexicon().halting and exact(typed(words[2:end]), people) is not None


def _by_courtesy(ctx: ParseContext, words: str) -> PhraseMatch | None:
    """Return whom a form of address is for (`sir`): whom one speaks with, else the only one here that it fits."""
    word = courtesy_pronoun(words)
    fitting = [person for person in ctx.nouns.people if word and person.pronoun == word]
    person = ctx.listener if ctx.listener in fitting else fitting[0] if len(fitting) == 1 else None
    return None if person is None else PhraseMatch(person, person.name, 0.85, mended=True)


def _find_name_at_an_end(ctx: ParseContext, words: Sequence[Word]) -> tuple[PhraseMatch, Sequence[Word]] | None:
    """Return the person here whose name begins or ends a question or a statement without a comma (`lena, you ok`,
    `sorry viktor`), and what is said to them."""
    called = words[1:] if words and words[0].low in _CALLS and len(words) > 2 else words
    for size in range(min(len(called) - 1, 3), 0, -1):
        first = exact(typed(called[:size]), ctx.nouns.people) or (
            short_name(ctx, typed(called[:1])) if size == 1 else None
        )
        rest = called[size:]
        while len(rest) > 1 and (rest[0].low,) in lexicon().address:
            rest = rest[1:]
        is_called = len(rest) < len(called) - size
        if first and rest and (is_called or _is_said_to(lows(rest), rest)):
            return first, rest
    low = lows(words)
    is_request = low[1:2] in (["me"], ["us"])
    for size in range(min(len(words) - 1, 3), 0, -1):
        people = ctx.nouns.people + ctx.nouns.known_people if is_request else ctx.nouns.people
        last, at = exact(typed(words[-size:]), people), len(words) - size
        while at > 1 and low[at - 1] in TITLES:
            at -= 1
        spoken, is_spoken_of = words[:at], low[at - 1] in _JOINTS | lexicon().about
        if last and is_request and len(spoken) > _ASKED_FOR and not is_spoken_of:
            return last, spoken
        asks = longest_prefix(low, lexicon().question_words) and not is_spoken_of
        if last and not begins_with_verb(low) and (asks or is_said(spoken)) and low[at - 1] not in _JOINTS:
            return last, spoken
    return None


# A request has so many words before what is asked for: `give me`.
_ASKED_FOR = 2


# Whom words are for that name nobody: what they are about may show it, or a name called after them.


def addressed(ctx: ParseContext, acts: Sequence[Act]) -> list[Candidate | None]:
    """Return for each act of a line the person here whom its words are for, where that is another than who listens and
    nobody is named in them; None for the others."""
    found = [
        (_called_in(ctx, act) or _meant_by_topic(ctx, act)) if kind_of(act).said and _is_nobodys(act.person) else None
        for act in acts
    ]
    for at, (act, after) in enumerate(pairwise(acts)):
        if (first := _called_alone(ctx, act) if kind_of(act).said else None) is not None:
            # Who is called is who is asked next.
            found[at] = first
            found[at + 1] = first if kind_of(after).said and not after.person else found[at + 1]
        is_open = bool(kind_of(act).said) and not act.person and found[at] is None
        if is_open and kind_of(after).said and (called := _called_alone(ctx, after)) is not None:
            found[at] = called
    # What is told on the way to somebody by name is told to them: `so it was a crate. Mira, who sent it?`
    named = [who or (_called_in(ctx, act) or _named(ctx, act)) for who, act in zip(found, acts, strict=True)]
    if len({who.id for who in named if who is not None}) == 1:
        start = next(at for at, who in enumerate(named) if who is not None)
        found[:start] = [named[start] if _is_told(act) else who for act, who in zip(acts[:start], found, strict=False)]
    return [None if who == ctx.listener else who for who in found]


def _is_nobodys(person: str) -> bool:
    """Tell whether words name nobody: they have no name, or a form of address alone."""
    low = person.casefold().split()
    return all(word in _ADDRESSES or (word,) in lexicon().address for word in low)


_ADDRESSES = frozenset("mister mr missus mrs man guy my old".split())


def _called_in(ctx: ParseContext, act: Act) -> Candidate | None:
    found = find_vocative(ctx, words_of(act.words))
    return found[0].candidate if found is not None and found[0].candidate in ctx.nouns.people else None


def _named(ctx: ParseContext, act: Act) -> Candidate | None:
    match = exact(act.person, ctx.nouns.people) if act.person and kind_of(act).said else None
    return None if match is None else match.candidate


def _is_told(act: Act) -> bool:
    told = verb_with(lambda syntax: syntax.remark)
    return told is not None and kind_of(act).said == told.name and not act.person


def _called_alone(ctx: ParseContext, act: Act) -> Candidate | None:
    """Return whom words of a few call that ask and tell nothing more: `Viktor.`, `teo you weirdo`."""
    words = [word for word in words_of(act.words) if word.kind == "word"]
    if 0 < len(words) <= _FEW_CALLED and (whole := exact(typed(words), ctx.nouns.people)) is not None:
        return whole.candidate
    is_asked = "?" in act.words and len(words) > 1
    if not 0 < len(words) <= _FEW_CALLED or is_asked or longest_prefix(lows(words), lexicon().question_words):
        return None
    named = (exact(typed([word]), ctx.nouns.people) for word in (words[0], words[-1]))
    match = next(filter(None, named), None)
    rest = {word.low for word in words} - set(match.candidate.keys[0].words) if match else set()
    is_call = match is not None and (len(words) == 1 or (_OF_YOU & rest and len(words) <= _FEW_CALLED))
    return match.candidate if match is not None and is_call else None


_FEW_CALLED = 3
_OF_YOU = frozenset("you u ya".split())


def _meant_by_topic(ctx: ParseContext, act: Act) -> Candidate | None:
    """Return the person whose trade the words name (`taps`, where `the traveller in taps` is here), or who has what is
    called yours by the prose."""
    low = {singular(word) for word in _LOW_WORD.findall(act.words.casefold())}
    by_trade = [
        person
        for person in ctx.nouns.people
        for key in person.keys
        for before, word in pairwise(key.words)
        if before in _OF_TRADE and singular(word) in low and len(word) > _SHORT_TRADE
    ]
    # Who is spoken of is not spoken to.
    spoken_of = any(key.words and set(map(singular, key.words)) <= low for who in by_trade for key in who.keys)
    spoken_of = spoken_of or act.words.casefold().removeprefix("and ").startswith("who")
    if by_trade and not spoken_of and len({person.id for person in by_trade}) == 1:
        return by_trade[0]
    yours = {singular(word) for word in re.findall(r"\byour (?:\w+ )?(\w+)", act.words.casefold())}
    yours |= {singular(word) for word in re.findall(r"\byour (\w+)", act.words.casefold())}
    shown = [noun for noun in ctx.shown if singular(noun.head) in yours]
    having = [
        person
        for noun in shown
        for person in ctx.nouns.people
        for part in re.split(r"[;.]", noun.text)
        if re.search(rf"\b{re.escape(noun.head)}s?\b", part, re.IGNORECASE) and _is_subject(person, part)
    ]
    return having[0] if len({person.id for person in having}) == 1 else None


def _is_subject(person: Candidate, part: str) -> bool:
    """Tell whether a clause of the prose says of somebody what they do, by their name or their trade."""
    low = f" {' '.join(_LOW_WORD.findall(part.casefold()))} "
    trades = {word for key in person.keys for before, word in pairwise(key.words) if before in _OF_TRADE}
    is_named = any(key.main and f" {' '.join(key.words)} " in low for key in person.keys)
    return is_named or any(f" {word} " in low for word in trades)


_LOW_WORD = re.compile(r"[\w']+")
_OF_TRADE, _SHORT_TRADE = frozenset(("in", "of", "with")), 3


def seen_inside(ctx: ParseContext, words: Sequence[Word]) -> tuple[Word, ...] | None:
    """Return the search that a question asks for, where it is about what lies in or under something here; None for
    other questions. `What's in the hat` is one."""
    low = lows(words)
    if ctx.listener is not None:
        # A player who speaks with somebody asks them, and does not look.
        return None
    if low[:1] not in (["what's"], ["what"]) or any(word.kind != "word" for word in words):
        return None
    start = 1 if low[0] == "what's" else 2
    where = longest_prefix(low[start:], lexicon().inside)
    if (start == 2 and low[1:2] != ["is"]) or not where:
        return None
    noun = typed(words[start + len(where) :])
    shown = in_prose(noun, ctx.nouns)
    if not exact(noun, (*ctx.nouns.things, *ctx.nouns.doors)) and (shown is None or shown.standing != "shown"):
        return None
    return (*words_of(typed_lines("rummage")[0]), *words[start:])


def _is_said_to(low: Sequence[str], words: Sequence[Word]) -> bool:
    """Tell whether words after a name are said to its bearer: a question, a statement, something they are to do."""
    begins = low[0] in _TO_YOU or longest_prefix(low, lexicon().question_words)
    is_told = len(low) > 1 and (begins_with_verb(low) or (is_verb(low[0]) and low[1] in _AFTER_ORDERS))
    return bool(begins) or is_said(words) or is_told


def short_name(ctx: ParseContext, word: str) -> PhraseMatch | None:
    """Return the only person here whose name begins with a word of three letters or more: `vik` for Viktor."""
    low = word.casefold()
    if len(low) < 3 or " " in low or low in lexicon().verb_words:
        return None
    found = {
        person.id: person
        for person in ctx.nouns.people
        if any(key.words[0].startswith(low) for key in person.keys if key.words and key.main)
    }
    person = next(iter(found.values()), None)
    return PhraseMatch(person, person.name, 0.85, mended=True) if person is not None and len(found) == 1 else None


def _with_name_for_pronoun(ctx: ParseContext, act: Act) -> Act:
    """Return a question about him or her that ends with who that is as a question about them, and not to them, where
    they are not here: `what was she like, Miss Orme?`"""
    found = _NAMED_AFTER.fullmatch(act.words.strip()) if act.person else None
    if found is None or resolve(act.person, ctx.nouns.people) is not None or _OF_YOU & set(found["asked"].split()):
        return act
    who = found["name"] if act.person.casefold().endswith(found["name"].casefold().split()[-1]) else ""
    words = re.sub(r"\b(?:he|she|they|him|her|them)\b", who, found["asked"], count=1)
    return act.model_copy(update={"words": f"{words}?", "person": "", "topic": words}) if who else act


_NAMED_AFTER = re.compile(
    r"(?P<asked>(?:\w+[',]? )*(?:he|she|they|him|her|them)\b[\w' ]*), (?P<name>(?:the |this |that |your )?[\w' ]+)\?",
)
_TO_YOU = frozenset(
    "you your you're do did are is have can could would"
    " will don't dont please stop let's want need got fancy care any".split()
)
# Words after a verb with which somebody is told to do something: `cover your ears`.
_AFTER_ORDERS = frozenset("your me us my the that this it over here there up down".split())
# Words that call somebody, before a name.
_CALLS = frozenset(
    """hey hello hi hiya oi yo oh ah ok okay please sorry so well and but no yes listen look bruh bro dude omg
    psst""".split()
)


_CALLS_OF_SEVERAL = frozenset(
    tuple(call.split())
    for call in (
        "come on, oh come on, go on, come now, now now, all right, alright, fine, right, now, look here, listen here"
        ", hold on, wait, my dear, dear old, good old, you there, then, tell me, excuse me, pardon me, never mind"
    ).split(", ")
)


# Words after which a name is an object.
_JOINTS = frozenset(
    "is was are were be a an the this that my your his her their our to at from with by of for on "
    "about like than and or"
    " than see saw know knows knew tell told ask asked named called as".split()
)


def find_name_within(ctx: ParseContext, words: Sequence[Word]) -> PhraseMatch | None:
    """Return the person whose name stands between commas."""
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.kind == "comma":
            parts.append([])
        else:
            parts[-1].append(word)
    found = (exact(typed(part), ctx.nouns.people) for part in parts[1:])
    return next(filter(None, found), None)


def with_call(words: Sequence[Word], people: Sequence[Sequence[str]]) -> Sequence[Word]:
    """Return the words with a comma after a name that is called out at their beginning: `Oakes! Is that thing dead?`"""
    low = lows(words)
    sizes = {len(name) for name in people if list(low[: len(name)]) == list(name)}
    at = max(sizes, default=0)
    at = at or _called_out(words)
    if not at or len(words) < at + 2 or words[at].kind != "stop" or "?" in words[at].text:
        return words
    return (*words[:at], Word(",", ",", "comma"), *words[at + 1 :])


def _called_out(words: Sequence[Word]) -> int:
    """Return how many words at the beginning are a name with its title, called out: `Mr Gaunt! Wait!`; 0 for none."""
    at = titled_name(words)
    return at if at and words[at].text.startswith("!") else 0


# Somebody else is asked what another was asked before.
_WHO, _LEAD = r"(?P<who>[\w'][\w' ]{1,30}?)", r"(?:(?:and|so|but|ok|okay|well|then|now|i|we|turn to \w+ and)[, ]+)*"
_ALIKE = tuple(
    re.compile(rf"{_LEAD}{said}", re.IGNORECASE)
    for said in (
        rf"(?:what|how) about (?:you|u|yourself)(?: too| then)?[, ]+{_WHO}",
        rf"(?:you|yourself)(?: too| then)?, {_WHO}",
        rf"{_WHO}[,?!. ]+(?:and |but |so )?(?:(?:what|how) about|and) (?:you|u|yourself)(?: then)?",
        rf"asks? {_WHO},? (?:about )?(?:the |that )?(?:very |exact )?(?:same(?: thing| question)?|that|it)(?: too)?",
        rf"asks? {_WHO},? (?:too|as well|instead)",
        rf"(?:the )?same(?: question| thing)?(?: to| for|,)+ {_WHO}",
        rf"{_WHO}, (?:the )?same (?:question|thing)(?: to you)?",
    )
)


def _asked_alike(ctx: ParseContext, act: Act) -> Act:
    """Return words that ask somebody else what was asked before as that question, put to them: `what about you, Lund?`,
    `ask Mira the same thing`."""
    words = act.words.strip(' *.,!?"“”')
    said = next(filter(None, (pattern.fullmatch(words) for pattern in _ALIKE)), None) if ctx.topic else None
    who = None if said is None else exact(said["who"], ctx.nouns.people) or short_name(ctx, said["who"])
    if who is None or who.candidate == ctx.listener:
        return act
    name = typeable(who.candidate.name)
    asked = put_as_question(act, f"what about {ctx.topic}")
    return asked.model_copy(update={"person": name, "words": f"ask {name} about {ctx.topic}", "topic": ctx.topic})


def _asks_what(ctx: ParseContext, act: Act, words: str) -> bool:
    """Tell whether a look is a question about what is not there to be looked at: `what's the signal?`"""
    if kind_of(act).said or kind_of(act).aside or not act.target or not ctx.nouns.people:
        return False
    if not _WHAT_IS.match(words):
        return False
    shown = in_prose(act.target, ctx.nouns)
    return resolve(act.target, ctx.nouns.everything()) is None and (shown is None or shown.standing == "absent")


_WHAT_IS = re.compile(
    r"(?:(?:so|and|but|ok|well|then)[, ]+)*what(?:'s|s| is| are) (?:the|a|an|his|her|their|your|all)\b", re.I
)


def with_name_apart(ctx: ParseContext, act: Act, called: str) -> Act:
    """Return an act whose words are a question that ends with the name of somebody here, with no comma before it, as
    one of the kind `called` that is put to them, where there is one: `where's my box Dorrie`; one that asks them what
    another was asked before as that question."""
    act = _asked_alike(ctx, act)
    if _asks_what(ctx, act, said := act.words.strip(' *"”')):
        return put_as_question(act, said)
    if kind_of(act).said and act.person and exact(act.person, (ctx.nouns.player,)) is not None and ctx.nouns.people:
        # Who calls their own name talks to themselves.
        posed = next(name for name, kind in kinds().items() if kind.anywhere and kind.harmless)
        return Act(kind=posed, words="talk to myself under my breath", score=1.0)
    if not kind_of(act).said and (told := _told_to(ctx, act)) is not None:
        return told
    act = _with_name_for_pronoun(ctx, act)
    words = words_of(act.words) if called else ()
    for size in range(min(len(words) - 1, 3), 0, -1):
        name, spoken = typed(words[-size:]), words[:-size]
        is_name = all(word.kind == "word" for word in words[-size:]) and exact(name, ctx.nouns.people) is not None
        is_asked = longest_prefix(lows(spoken), lexicon().question_words) and len(spoken) > 1
        if is_name and is_asked and lows(spoken)[-1] not in _JOINTS | lexicon().about | lexicon().articles:
            asked = typed(spoken)
            return act.model_copy(update={"kind": called, "person": name, "topic": asked, "target": "", "second": ""})
    return act


def _told_to(ctx: ParseContext, act: Act) -> Act | None:
    """Return an act that begins with the name of somebody here and what they are to do as a request to them: `teo turn
    around`; None for others."""
    words = [word for word in words_of(act.words) if word.kind == "word"]
    words = words[1:] if words and words[0].low in _CALLS and len(words) > 2 else words
    for size in range(min(len(words) - 1, 3), 0, -1):
        name, verb = exact(typed(words[:size]), ctx.nouns.people), words[size].low
        is_verbal = is_verb(verb) and (verb,) not in lexicon().address
        if name is not None and is_verbal:
            asked = next(kind for kind, row in kinds().items() if row.of_doing)
            topic = typed(words[size:])
            return Act(kind=asked, words=act.words, person=typed(words[:size]), topic=topic.strip(" .!"), score=1.0)
    return None
