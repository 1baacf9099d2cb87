"""Acts as they were tagged -> readings: by the grammar where it reads an act as its kind, else by the kind itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

from lorewright.builtin.parser.acts.kinds import Kind, is_said, kinds, words_in
from lorewright.builtin.parser.handling import ways_said
from lorewright.builtin.parser.pieces import is_place
from lorewright.builtin.parser.readings import (
    ADDRESS,
    AFTER_NOUNS,
    LEADS,
    MAX_WORDS,
    UNHEARD,
    ParseContext,
    Reading,
    act_word,
    acting,
    acting_freely,
    aimed_at_prose,
    alone,
    asking,
    excerpt,
    only_person,
    person_meant,
    posed,
    read_way,
    typeable,
    wondering,
)
from lorewright.builtin.parser.speech import (
    called_behind,
    calls_stranger,
    is_called_by,
    is_personal,
    is_put_to_listener,
    missing_called,
    nobody_called,
    put_to,
    read_remark,
    speechless,
    unheard,
)
from lorewright.builtin.parser.vocatives import short_name
from lorewright.builtin.parser.ways import is_named_as, is_open_way, may_be_opened
from lorewright.builtin.words.asides import is_of_the_game, is_question
from lorewright.builtin.words.clauses import lexicon, verb_with, words_of
from lorewright.builtin.words.noun_phrases import TITLED, PhraseMatch, Tie, exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import free_verb, is_answered, verb_for, verb_of
from lorewright.scene_lore.nouns import is_verb
from lorewright.values.readings import Aside

_SLOT = re.compile(r"\{(\w+)\}")

# The aside of what is said to the program, from when on it is not doubted, and any other.
_PROGRAM, _SURE, _LIKELY = "program", 0.7, 0.5
_CLEAR = 0.9
UNSURE = 0.4  # Below that the kind of an act is a guess, and a reading by the grammar counts for more.
# Below that a line that an act may amount to is asked about, and not played.
_DOUBTFUL = 0.25


def with_nouns(act: Act) -> Act:
    """Return an act whose target and second thing are nouns: without what follows them, and without clauses."""
    heads = {field: _head(_WHATEVER.sub("", getattr(act, field))) for field in ("target", "second", "person")}
    return act.model_copy(update={field: "" if _begins_clause(head) else head for field, head in heads.items()})


_WHATEVER = re.compile(
    r"^(?:what(?:ever|'s)?(?: is| lies)? (?:on|in|under|behind)|(?:top|lid) (?:off|from)) (?:the |my )?"
)


def _begins_clause(phrase: str) -> bool:
    return bool(phrase) and phrase.casefold().split()[0] in _NO_NOUNS


_NO_NOUNS = frozenset(
    "what what's whatever who whoever whose how why when where he she they we you i is are was were it's he's".split()
)


def _head(phrase: str) -> str:
    """Return a noun phrase without what follows its noun: `keyhole` of `keyhole who is`."""
    words = phrase.split()
    end = next((at for at, word in enumerate(words) if at and word.casefold() in _AFTER_HEADS), len(words))
    while end > 1 and words[end - 1].casefold() in AFTER_NOUNS | _MANNERS:
        end -= 1
    start = 2 if words[:1] == ["of"] and words[2:end] and words[1].casefold() in lexicon().articles else 0
    return " ".join(words[start:end])


_MANNERS = frozenset(
    "next steady straight close tight tighter askew upright level low lower high higher bright dim flat".split()
)
_AFTER_HEADS = (AFTER_NOUNS | set("i you we he she they i'd i've he's she's they're does did".split())) - {"of", "with"}


def is_read_as(ctx: ParseContext, act: Act, reading: Reading) -> bool:
    """Tell whether a reading is one of an act's kind, or an act of the ruleset's own."""
    kind = kinds().get(act.kind, Kind())
    is_deed = not kind.said and not kind.aside
    if reading.aside is not None:
        if reading.aside.kind in UNHEARD | {"lore"}:
            return reading.is_sure or bool(kind.said) or kind.aside == reading.aside.kind
        return bool(kind.aside)
    if reading.unclear is not None:
        return not reading.is_lost and is_deed and bool(kind.fits)
    types = {action.type for action in reading.actions}
    if reading.is_sure or types & set(ctx.verbs.values()):
        return True
    if types == kind.then:
        return bool(kind.when & words_in(act))
    if kind.said and not kind.lines:
        return types <= kind.fits | {kind.said} | _of_any_words()
    free = {verb.name for verb in (free_verb(),) if verb is not None and is_deed and kind.fits}
    return types <= kind.fits | free


@cache
def _of_any_words() -> frozenset[str]:
    """Return the types of action that any words can be: a remark, something told."""
    found = (verb_with(lambda syntax: syntax.remark), verb_for("pass_on"))
    return frozenset(verb.name for verb in found if verb is not None)


def is_into_telephone(ctx: ParseContext, before: Act, act: Act) -> bool:
    """Tell whether an act is words to somebody who was called up before, and is not here."""
    is_here = act.person.casefold() not in lexicon().person_pronouns and exact(act.person, ctx.nouns.people)
    return before.kind == "phone" and is_said(act) and not is_here


def is_refused(reading: Reading) -> bool:
    """Tell whether a reading is a question, or about something that is not here."""
    return reading.unclear is not None or any(
        action.metadata.get("detail_is") == "absent" or action.metadata.get("verb") == ADDRESS
        for action in reading.actions
    )


def is_weak(ctx: ParseContext, act: Act, reading: Reading) -> bool:
    """Tell whether a reading is about something that is not here, or that has another name in the act."""
    if reading.unclear is not None or reading.is_sure:
        return not reading.is_sure
    kind = kinds().get(act.kind, Kind())
    if reading.aside is not None and kind.said and (act.person or not kind.wondered or _OF_YOU & words_in(act)):
        return True
    is_to_nobody = not ctx.nouns.people and all(action.target_id is None for action in reading.actions)
    is_called = bool(act.person) and bool(is_to_nobody or speechless(ctx, act.person))
    is_behind = is_to_nobody and bool(called_behind(ctx, act.words, act.target or act.person))
    if kind.said and (is_called or is_behind or missing_called(ctx, act)):
        return True
    if kind.said and any(action.metadata.get("detail_is") == "scenery" for action in reading.actions):
        # Words are put to somebody, and no thing of the prose is meant by a word for people.
        return _hearer(ctx, act) is not None
    details = [str(action.metadata.get("detail", "")) for action in reading.actions]
    if kind.said and act.person and (called := _hearer(ctx, act)) is not None:
        is_elsewhere = called.candidate not in ctx.nouns.people
        if is_elsewhere and all(action.target_id != called.candidate.id for action in reading.actions):
            return True
    if (
        _is_personal(ctx, kind, act)
        or (kind.plain and act.score >= _CLEAR)
        or (kind.of_doing and not _TO_KNOW.search(act.words))
    ) and any(is_answered(action.type) for action in reading.actions):
        return True
    if (
        (kind.of_ways and act.target and is_open_way(ctx, act))
        or _asks_for_people(ctx, kind, act)
        or _stays_by_one(ctx, kind, act)
        or _is_nominal(ctx, kind, act)
        or (kind.of_doors and not {door.id for door in ctx.nouns.doors} & {act.target_id for act in reading.actions})
    ):
        return True
    if (
        kind.asks_why
        and _ASKING & words_in(act)
        and (_is_unknown(reading) or is_put_to_listener(ctx, act.words, act.target))
    ):
        return True
    if _taken_to(ctx, kind, act) or (
        next(ways_said(kind, act), "") and not any(action.location_id for action in reading.actions)
    ):
        return True
    if _TELL_ME.search(act.words) and _hearer(ctx, act) is not None:
        return not any(is_answered(action.type) for action in reading.actions)
    if kind.said:
        is_all = any(action.words and action.words == act.words.strip(" .,!?") for action in reading.actions)
        is_named = bool(act.topic or act.target or act.person)
        return (is_all and is_named) or any(_is_clumsy(detail, act) for detail in details)
    is_of_nothing = (
        bool(act.target)
        and any("{target}" in line for line in kind.lines[:1])
        and not any(
            action.target_id or action.location_id or action.item_id or action.metadata.get("detail")
            for action in reading.actions
        )
    )
    free = free_verb()
    tries = [action for action in reading.actions if free is not None and action.type == free.name]
    is_own = _is_carried(ctx, act.target)
    is_risk = any(action.target_id is not None for action in tries) and (kind.harmless or (is_own and not kind.hurts))
    if kind.of_any and is_own and _OFF & words_in(act):
        # What one wears is taken off, and stays with one.
        return True
    is_try = any(action.target_id is not None for action in tries) and kind.of_whole == "asked"
    # What the prose shows is not meant where a thing of that name is at hand.
    is_alone = len(reading.actions) == 1
    is_beside = (
        is_alone and any(action.target_id is None for action in tries) and (is_own or _lies_here(ctx, act.target))
    )
    return (
        is_refused(reading)
        or is_risk
        or is_try
        or is_beside
        or is_of_nothing
        or (len(details) == 1 and _is_clumsy(details[0], act))
        or any(map(_begins_clause, details))
    )


_OFF = frozenset(("off", "out", "loose"))


def _is_unknown(reading: Reading) -> bool:
    """Tell whether a reading is about what is neither here nor shown."""
    return any(
        action.metadata.get("detail") and not action.metadata.get("detail_is") and action.target_id is None
        for action in reading.actions
    )


def _is_clumsy(detail: str, act: Act) -> bool:
    """Tell whether words that stand for what is acted on are more than its name, or none."""
    if _begins_clause(detail):
        return True
    words = detail.split()
    while words and words[0].casefold() in LEADS | lexicon().articles:
        words = words[1:]
    if act.target and detail:
        return len(" ".join(words)) > len(act.target) + 1
    return len(words) > _LONGEST_NAME


_LONGEST_NAME = 3


def read_by_kind(ctx: ParseContext, act: Act, read: Callable[[str], Reading | None]) -> Reading | None:
    """Read an act by its kind; None where nothing is to be made of it. `read` reads a line by the grammar alone."""
    kind = kinds().get(act.kind)
    if kind is None:
        return None
    asked = _TELL_ME.search(act.words)
    if asked is not None and (told_by := _hearer(ctx, act)) is not None:
        return put_to(ctx, act.words, told_by, words_of(f"about {asked['meant'] or asked['topic']}"))
    if kind.ways and act.target and _is_way(ctx, act.target):
        if resolve(act.target, ctx.nouns.exits) is None and (guide := _hearer(ctx, act)) is not None:
            return put_to(ctx, act.words, guide, words_of(act.words))
        return _aside(kind.alone if kind.alone and _PEOPLE & words_in(act) else kind.ways, act)
    if kind.needs and not kind.needs & words_in(act):
        return _deed(ctx, act, replace(kind, harmless=True))
    if kind.of_clocks and any(name.casefold() in act.words.casefold() for name in ctx.clocks):
        return _aside("clocks", act)
    if kind.asks_why and is_put_to_listener(ctx, act.words, act.target) and (listener := only_person(ctx)) is not None:
        return put_to(ctx, act.words, listener, words_of(act.words))
    is_doubted = kind.aside not in ("", "lore") and act.score < (_SURE if kind.aside == _PROGRAM else _LIKELY)
    if is_doubted and not is_of_the_game(act.words) and (listener := _hearer(ctx, act)) is not None:
        # Who stands with somebody speaks to them, where nothing says that the game is meant.
        told = put_to if is_question(act.words) and kind.aside != _PROGRAM else read_remark
        return told(ctx, act.words, listener, words_of(act.words))
    if kind.aside and not (kind.asks_why and _ASKING & words_in(act)):
        is_of_another = kind.aside == "who" and bool(act.person) and person_meant(ctx, act.person) is not None
        return wondering(act.topic or act.words) if kind.aside == "lore" or is_of_another else _aside(kind.aside, act)
    if _asks_for_people(ctx, kind, act):
        return _aside(kind.alone, act)
    if kind.asks_why and _ASKING & words_in(act):
        # Nobody is asked: it is what the player knows.
        found = resolve(act.target, ctx.nouns.everything()) if act.target else None
        if found is None and (in_prose(act.target, ctx.nouns) is None if act.target else kind.aside):
            return wondering(act.words.strip(" ?"))
    hearer = _hearer(ctx, act)
    if kind.of_ways and hearer is not None and act.target and is_open_way(ctx, act):
        return acting(ctx, kind.of_ways, f"{act.kind} {act.target}", target=hearer, metadata={"topic": act.target})
    if kind.of_any and _ANYTHING & words_in(act) and (not act.target or _ANYTHING & set(act.target.casefold().split())):
        return read(kind.of_any)
    if where := _taken_to(ctx, kind, act):
        return read_way(ctx, act.words, words_of(where))
    if _stays_by_one(ctx, kind, act) or (kind.of_any and _is_carried(ctx, act.target)):
        return _deed(ctx, act, replace(kind, harmless=True))
    is_of_body = kind.harmless and _is_of_own_body(act) and resolve(act.target, ctx.nouns.everything()) is None
    if is_of_body or _is_nominal(ctx, kind, act):
        return _deed(ctx, act.model_copy(update={"target": "", "second": ""}), kind)
    refused: Reading | None = None
    lines = _filled(kind, act, hearer) if act.score >= kind.least else ()
    if kind.of_doors and act.target and not may_be_opened(ctx, act.target):
        # What is no door is opened to see what is in it.
        lines = iter((f"search {typeable(act.target)}",))
    for line in (*ways_said(kind, act), *lines):
        reading = read(line)
        if reading is None or (act.score < UNSURE and kind.leaves and not act.target):
            # Nobody goes away by a guess.
            continue
        if reading.actions and is_read_as(ctx, act, reading):
            if act.score < _DOUBTFUL:
                return replace(asking(act.words, f"You mean: {line}? Yes or no.", [line]), is_lost=True)
            is_same = words_in(act) - {*lexicon().articles} == set(line.casefold().split())
            said = () if is_same else (f"“{excerpt(act.words)}” is understood as “{line}” ({act.score:.2f})",)
            return replace(reading, confidence=min(reading.confidence, 0.8), assumptions=(*reading.assumptions, *said))
        refused = refused or (reading if reading.unclear is not None else None)
    if kind.said:
        return _said(ctx, act, kind, hearer)
    if refused is not None and (not refused.is_lost or (act.target and act.person and kind.gets)):
        return refused
    return _deed(ctx, act, kind) or refused


_ASKING = frozenset(("why", "who", "who's", "whos", "how"))
# Words for anything that may be there; and for people, of whom one asks whether they are here.
_ANYTHING = frozenset("anything something everything whatever".split())
_PEOPLE = frozenset("anyone anybody someone somebody who who's whos else alone people person".split())
_OF_YOU = frozenset("you your you're yours u ur".split())


def _taken_to(ctx: ParseContext, kind: Kind, act: Act) -> str:
    """Return the place that things are carried to, and no person: `carry the tapers to the chapel`; empty for none."""
    if " up to " in act.words or act_word(act.words) in ("hold", "tie", "press", "lift", "raise", "tip"):
        return ""
    is_handing = any("{person}" in line and "{target}" in line for line in kind.lines)
    _, to, place = act.words.rpartition(" to ")
    where = act.person if is_handing else place.strip(" *.,!") if kind.with_own and to else ""
    return where if where and _is_way(ctx, where) else ""


def _asks_for_people(ctx: ParseContext, kind: Kind, act: Act) -> bool:
    """Tell whether one looks who is here: `see if anybody is about`, `who else is in the bar`."""
    return bool(kind.alone and _PEOPLE & words_in(act)) and (not act.target or is_place(ctx, act.target))


def _stays_by_one(ctx: ParseContext, kind: Kind, act: Act) -> bool:
    """Tell whether something that one carries is handled in a way of no consequence."""
    return kind.with_own and not act.second and _is_carried(ctx, act.target)


def _is_nominal(ctx: ParseContext, kind: Kind, act: Act) -> bool:
    """Tell whether what seems to be acted on is the act itself: `take a sip`, `have a stretch`."""
    is_verbal = any(is_verb(head) or head in lexicon().verb_words for head in act.target.casefold().split()[-1:])
    said = is_verbal and re.search(rf"\b(?:a|another) {re.escape(act.target)}\b", act.words, re.IGNORECASE)
    return kind.harmless and bool(said) and resolve(act.target, ctx.nouns.everything()) is None


def _is_of_own_body(act: Act) -> bool:
    return any(word == "my" and end.strip(".,!") in lexicon().body for word, end in pairwise(act.words.lower().split()))


def _is_carried(ctx: ParseContext, phrase: str) -> bool:
    is_it = ctx.thing in ctx.nouns.carried and phrase.casefold() in lexicon().thing_pronouns
    return is_it or (bool(phrase) and isinstance(resolve(phrase, ctx.nouns.carried), PhraseMatch))


def _lies_here(ctx: ParseContext, phrase: str) -> bool:
    return bool(phrase) and isinstance(resolve(phrase, ctx.nouns.here, ctx.nouns.doors, whole=True), PhraseMatch)


def _is_way(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether a phrase is a way out, or the place behind it."""
    here = (*ctx.nouns.people, *ctx.nouns.things)
    found = resolve(phrase, (*ctx.nouns.exits, *ctx.nouns.known_places))
    is_place_named = isinstance(found, PhraseMatch) and is_named_as(phrase, found)
    return is_place_named and resolve(phrase, here, whole=True) is None


def _aside(kind: str, act: Act) -> Reading:
    return Reading(intent=f"aside: {kind}", aside=Aside(kind=kind, words=act.words[:MAX_WORDS]))


def _filled(kind: Kind, act: Act, hearer: PhraseMatch | None) -> Iterator[str]:
    takes_person = any("{person}" in line for line in kind.lines)
    slots = {"target": act.target or ("" if takes_person else act.person), "second": act.second, "topic": act.topic}
    if "until" in kind.needs and (end := re.search(r"\b(?:(?:un)?till?|for) .+", act.words.casefold())):
        slots["topic"] = end[0]
    slots["person"] = act.person or (hearer.label if hearer is not None else "")
    pane = rf"\b(?:through|thru|out(?: of)?) (?:(?:the|a|my|that) )?{re.escape(act.target)}\b"
    through = (kind.through,) if kind.through and act.target and re.search(pane, act.words, re.IGNORECASE) else ()
    for line in (*through, *kind.lines):
        if takes_person and act.person and "{person}" not in line:
            continue  # nobody else gets it
        if not _SLOT.findall(line) and act.target and "{target}" in kind.lines[0]:
            # Where what is meant is not here, it is not done to anything else.
            return
        if all(slots[slot] for slot in _SLOT.findall(line)):
            yield line.format(**{name: typeable(words) for name, words in slots.items()})


def _hearer(ctx: ParseContext, act: Act) -> PhraseMatch | None:
    """Return to whom something is said: somebody named, else with whom one speaks."""
    named = (person_meant(ctx, act.person) or short_name(ctx, act.person)) if act.person else None
    if named is None and " " in act.person and act.person.casefold().split()[0] not in TITLED:  # `the tap man`
        named = person_meant(ctx, act.person.split()[-1])
    if isinstance(named, Tie):  # of several captains the first one hears it
        named = next((match for match in named.matches if match.candidate in ctx.nouns.people), None)
    is_elsewhere = isinstance(named, PhraseMatch) and named.candidate not in ctx.nouns.people
    if is_elsewhere and not is_called_by(act.words, act.person):
        named = None  # `you think Jin is aboard?`
    return named if isinstance(named, PhraseMatch) else only_person(ctx)


_TELL_ME = re.compile(
    r"\b(?:tell|explain to) (?:me|us) what (?P<meant>(?!this|that|it|he|she|they|you|i\b)[\w' ]+?) (?:means?|meant)\b"
    r"|\b(?:(?:tell|telling|talk to|explain to) (?:me|us)"
    r"|(?:want|like|love|need|let me|can i|could i)\b.*\b(?:hear|know|learn))"
    r"\b(?: \w+){0,2}? (?:about|of) (?P<topic>.+?)(?: then| please| now)?[.!? ]*$",
    re.IGNORECASE,
)
_TO_KNOW = re.compile(
    r"\b(?:tell|say|explain|describe|remind|answer|know|hear|learn|speak|talk|spill|name|what|who|whose|where|when|why"
    r"|how|which|whether|about|confess|admit|repeat|share|list|details|story|stories|truth|information|news|advice|hint)\b",
    re.IGNORECASE,
)
# A deed by a rank that one claims to have: `I arrest Oakes, I'm the sheriff now`.
_RANKED = re.compile(
    r"i (?!am\b|think\b|know\b|say\b|tell\b)\w+ [\w' ]+?,? (?:because |since |as |and |for )?(?:i'm|im|i am)"
    r" (?:the|a|an) \w+(?: now| here)?\W*$",
    re.IGNORECASE,
)


def _said(ctx: ParseContext, act: Act, kind: Kind, hearer: PhraseMatch | None) -> Reading | None:
    people = ctx.nouns.people
    if people and calls_stranger(ctx, act):
        return nobody_called(ctx, act.words, act.person)
    if people and (name := missing_called(ctx, act)):
        return alone(name, "missing")
    if not people and (name := called_behind(ctx, act.words, act.target or act.person)):
        return alone(name, "behind")
    if name := speechless(ctx, act.person):
        return alone(name, "mute")
    if not people and hearer is None:
        if _RANKED.match(act.words):
            return _aside("story", act)
        is_wondered = kind.wondered and not act.person and not _OF_YOU & words_in(act)
        return (
            wondering(act.topic or act.words)
            if is_wondered
            else unheard(act.words, act.person if is_called_by(act.words, act.person) else "")
        )
    if hearer is None:
        hearer = PhraseMatch(people[0], people[0].name, 0.85, mended=True)
    words = words_of(act.topic or act.target or act.words)
    if _is_personal(ctx, kind, act):
        said = act.words.strip(" *.,!?")
        return acting(
            ctx, kind.in_person, f"{act.kind} {hearer.label}", target=hearer, metadata={"topic": said[:MAX_WORDS]}
        )
    if _is_question(kind):
        return put_to(ctx, act.words, hearer, words)
    if kind.said in _of_any_words():
        reading = read_remark(ctx, act.words, hearer, words)
        # `If you would rather go, go` asks nothing.
        asks = {action.type for action in reading.actions if is_answered(action.type)} if reading is not None else set()
        if asks <= kind.fits:
            return reading
    topic = {"topic": (kind.plain or act.topic or act.words)[:MAX_WORDS]}
    return acting(ctx, kind.said, f"{act.kind} {hearer.label}", target=hearer, metadata=topic, confidence=0.8)


def _is_personal(ctx: ParseContext, kind: Kind, act: Act) -> bool:
    """Tell whether a question is about the one who is asked; one that is `wondered` goes on with a topic."""
    return is_personal(ctx, kind.personal, act.words) and not (kind.wondered and ctx.topic)


def _is_question(kind: Kind) -> bool:
    """Tell whether acts of a kind are answered from what is known."""
    verb = verb_of(kind.said)
    return verb is not None and verb.reply == "answer"


def _deed(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Return an act that no other verb means: a posture where it is harmless, else an attempt; None where it is about
    nothing."""
    words = act.words.strip(" *.,!")
    about = act.target or act.second or act.person
    found = resolve(about, ctx.nouns.everything()) if about else None
    made = posed(ctx, words) if kind.harmless else None
    if made is not None and isinstance(found, PhraseMatch) and found.candidate in ctx.nouns.carried:
        made = replace(made, mentioned=(found.candidate,))
    if made is not None and set(about.casefold().split()) & lexicon().body:
        return made
    is_here = isinstance(found, PhraseMatch) and found.candidate.kind in ("person", "thing", "door")
    if isinstance(found, PhraseMatch) and is_here and not kind.harmless:
        return acting_freely(ctx, excerpt(words), act_word(words)[:60], "hands", target=found, item=None)
    if about and not is_here and (aimed := aimed_at_prose(ctx, words, about)) is not None:
        return aimed
    return made
