"""Readings -> what the interpreter puts out: the actions, in order and as they are told, and what was not played."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from lorewright.builtin.parser.acts.kinds import Kind, form_of, is_speech, kind_of, kinds
from lorewright.builtin.parser.handling import felt
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    UNHEARD,
    ParseContext,
    Reading,
    asking,
    excerpt,
    not_caught,
    only_person,
    posed,
)
from lorewright.builtin.parser.refusals.decrees import DECREED, INVENTED, decree_words
from lorewright.builtin.parser.rewordings import in_second_person, with_deed
from lorewright.builtin.words.asides import aside_in
from lorewright.builtin.words.clauses import Clause, Risk, Syntax, lexicon, listed, longest_prefix, lows
from lorewright.builtin.words.echoes import echoed
from lorewright.builtin.words.noun_phrases import Nouns, exact, key_words, words_shown
from lorewright.builtin.words.spelling import spelled_out
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action, with_known_metadata
from lorewright.rules.verbs import verb_for, verb_of
from lorewright.scene_lore.nouns import known_words, singular
from lorewright.values.readings import Aside, Unclear
from lorewright.values.records import InterpreterOutput

# The most actions of a line that may come to something; acts of no consequence beside them do not count, up to so many
# in all.
MAX_ACTIONS, MAX_STEPS = 4, 10
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def with_slips(output: InterpreterOutput, slips: Sequence[tuple[str, str]]) -> InterpreterOutput:
    """Return a reading that says which words were taken for slips of the hand, and is the less sure for them."""
    if not slips or output.aside is not None or output.unclear is not None:
        return output
    assumed = tuple(f"{word} is meant by {excerpt(typed_word)}" for typed_word, word in slips)
    sure = 0.7 if any((word,) in lexicon().verb_phrases for _, word in slips) else 0.8
    return output.model_copy(
        update={"assumptions": (*output.assumptions, *assumed), "confidence": min(output.confidence, sure)}
    )


def find_risks(clauses: Sequence[Clause]) -> tuple[Risk, ...]:
    """Return the risk flags of the words in a verb's position: first, or after a lead-in."""
    heads: set[str] = set()
    for clause in clauses:
        low = lows(clause.words)
        lead = longest_prefix(low, lexicon().lead_ins)
        heads.update(low[:1] + low[len(lead) : len(lead) + 1])
    return tuple(risk for risk, verbs in lexicon().risks if heads & verbs)


def output_of(readings: Sequence[Reading], ctx: ParseContext, risks: tuple[Risk, ...]) -> InterpreterOutput:
    """Return what the readings of a line put out together: its actions, else a question back or one to the program."""
    readings = _without_instead(readings)
    asides = [reading.aside for reading in readings if reading.aside is not None]
    impossible = next((aside for aside in asides if aside.kind in ("story", "ride")), None)
    if impossible is not None:
        # A line that wants what no story has an answer to is refused as a whole: half of it would be another deed.
        return InterpreterOutput(intent=f"aside: {impossible.kind}", aside=impossible)
    wondered = next((aside for aside in asides if aside.kind in ("lore", "told")), asides[0] if asides else None)
    if wondered is not None and wondered.kind in UNHEARD:
        # Who was called tells more than that nobody is here.
        wondered = next((aside for aside in asides if aside.kind in UNHEARD - {"alone"}), wondered)
    is_lost = any(reading.unclear is not None and reading.unclear.question for reading in readings)
    is_asked = any(reading.unclear is not None and not reading.is_lost for reading in readings)
    is_told = wondered is not None and wondered.kind == "told" and is_asked
    if is_told or (wondered is not None and wondered.kind in UNHEARD and is_lost):
        # What was to be done beside it has an answer.
        wondered = None
    if wondered is not None and not any(reading.actions for reading in readings):
        others = [reading.words for reading in readings if reading.aside is None and reading.words]
        if wondered.kind == "told" and others:
            wondered = wondered.model_copy(update={"words": f"{wondered.words} Not done: “{excerpt(others[0])}”."})
        if wondered.kind in (DECREED, INVENTED):
            said = " ".join(dict.fromkeys(aside.words for aside in asides))
            wondered = wondered.model_copy(update={"words": said[:MAX_WORDS]})
        # All that is asked of the program is answered at once.
        answered = (
            each for each in dict.fromkeys(asides) if _is_answered(each) or each.kind == wondered.kind == "told"
        )
        beside = tuple(aside for aside in answered if aside != wondered)
        if others and _is_answered(wondered) and wondered.kind != "lore":
            beside = (*beside, Aside(kind="told", words=f"Not done: “{excerpt(others[0])}”."))
        return InterpreterOutput(intent=f"wonder: {excerpt(wondered.words)}", aside=wondered, beside=beside)
    wants = [_wanted(reading) for reading in readings]
    readings = [reading for at, reading in enumerate(readings) if not wants[at] or wants[at] not in wants[:at]]
    everything = readings
    readings, lost = _played(readings)
    asked = [each for each in everything if each.words in lost and each.aside is not None and _is_answered(each.aside)]
    beside = tuple(dict.fromkeys(_by_phrase(each.aside) for each in asked if each.aside is not None))
    lost = tuple(words for words in lost if words not in {each.words for each in asked})
    actions = tuple(with_known_metadata(action) for reading in readings for action in reading.actions)
    assumptions = [text for reading in readings for text in reading.assumptions]
    confidence = min(reading.confidence for reading in readings)
    tried = _first(actions)
    if len(actions) > len(tried):
        assumptions.append(f"only the first {_NUMBERS[len(tried)]} things are tried")
        left = [reading for reading in readings if reading.actions and not any(act in tried for act in reading.actions)]
        lost = (*lost, *(reading.words for reading in left))
        confidence = min(confidence, 0.8)
    # What the game itself answers has its answer.
    told = {each.words for each in everything if each.aside is not None and each.aside.kind == "told"}
    # A model, where there is one, may make something of the rest.
    confidence = min(confidence, 0.5) if lost else confidence
    unclear = next((reading.unclear for reading in readings if reading.unclear and not reading.is_lost), None)
    unclear = unclear or next((reading.unclear for reading in readings if reading.unclear), None)
    if not tried and (unclear is None or not unclear.question):
        # No line has an empty answer.
        unclear = not_caught(ctx, readings[0].words if readings else "").unclear
    return InterpreterOutput(
        intent="; then ".join(reading.intent for reading in readings)[:400],
        referenced_entities=_referenced_ids(ctx, tried),
        proposed_actions=tried,
        assumptions=tuple(dict.fromkeys(assumptions)),
        risk_flags=risks,
        confidence=confidence,
        unclear=unclear,
        not_played=tuple(words for words in lost if words not in told),
        played=". ".join(reading.words for reading in readings) if lost or beside else "",
        rest=_rest(everything, lost) if lost else None,
        beside=beside,
    )


def _is_answered(aside: Aside) -> bool:
    """Tell whether an aside asks something of the program that is answered beside whatever else a line does."""
    return aside.kind not in _UNANSWERED


def _by_phrase(aside: Aside) -> Aside:
    """Return an aside of the kind that its words have by themselves, where they have one."""
    return aside.model_copy(update={"kind": aside_in(aside.words) or aside.kind})


# Asides that are words which nobody hears, or deeds that are refused.
_UNANSWERED = UNHEARD | {"told", "story", "ride", "mused", DECREED, INVENTED}


def _without_instead(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Return the readings; what is to be done instead of something that is refused as not done."""
    if not any(reading.aside is not None and reading.aside.kind == "told" for reading in readings):
        return readings
    return [
        replace(asking(reading.words, ""), is_lost=True, words=reading.words)
        if reading.aside is None and _INSTEAD.search(reading.words)
        else reading
        for reading in readings
    ]


_INSTEAD = re.compile(r"\binstead\W*$", re.IGNORECASE)


def _first(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return the actions that are tried: the first, up to the limits."""
    # A walk to what lies behind the next place is one thing.
    halves = {at for at, action in enumerate(actions) if "towards" in action.metadata and _is_on_the_way(action)}
    weights = [0 if at in halves or _is_small(action) else 1 for at, action in enumerate(actions)]
    return tuple(action for at, action in enumerate(actions[:MAX_STEPS]) if sum(weights[: at + 1]) <= MAX_ACTIONS)


def _is_on_the_way(action: Action) -> bool:
    return bool(str(action.location_id) != action.metadata["towards"])


def _is_small(action: Action) -> bool:
    """Tell whether an action comes to nothing whatever happens: a posture, a look, an attempt at what only the prose
    shows."""
    verb, look = verb_of(action.type), verb_for("examine")
    if look is not None and action.type == look.name:
        return True
    is_shown = verb is not None and verb.is_free and action.target_id is None and "detail" in action.metadata
    return is_shown or _is_posture(action)


def _is_posture(action: Action) -> bool:
    verb = verb_of(action.type)
    syntax = None if verb is None else verb.part(Syntax)
    return syntax is not None and syntax.posture is not None


def _wanted(reading: Reading) -> str:
    """Return the name of what a reading is about and that is not here; empty for others."""
    is_absent = len(reading.actions) == 1 and reading.actions[0].metadata.get("detail_is") == "absent"
    return str(reading.actions[0].metadata.get("detail", "")) if is_absent else ""


def _rest(readings: Sequence[Reading], lost: Sequence[str]) -> Unclear | None:
    """Return the question about the words that were not played: the first that has one."""
    asked = next((reading for reading in readings if reading.unclear is not None), None)
    own = {reading.words: reason for reading in readings if reading is not asked and (reason := _reason_of(reading))}
    if asked is not None and asked.unclear is not None and not asked.unclear.lines and (reason := _reason_of(asked)):
        own[asked.words] = reason
    plain = [f"“{excerpt(words.strip(_AROUND))}”" for words in lost if words not in own]
    reasons = [own[words] for words in lost if words in own]
    said = " ".join([*([f"Not done: {listed(plain)}."] if plain else ()), *reasons])
    answered = [reading for reading in readings if reading.aside is not None and reading.aside.kind == "told"]
    told = " ".join(dict.fromkeys(reading.aside.words for reading in answered if reading.aside is not None))
    if told and (asked is None or asked.is_lost or asked.unclear is None):
        return Unclear(words=lost[0], question=told, lines=())
    if told and asked is not None and asked.unclear is not None and asked.unclear.lines:
        # What the game answers to is no more to be named as not done.
        return asked.unclear.model_copy(update={"question": f"{told} {asked.unclear.question}"})
    if asked is None or asked.unclear is None:
        if all(words in _decreed(readings) for words in lost):
            return Unclear(words=lost[0], question=f"{said} {DECREED_SAID}", lines=())
        # It is asked of the program, which answers one line.
        return Unclear(words=lost[0], question=f"{said} Ask that by itself.", lines=())
    question = "" if not asked.unclear.lines else f" {asked.unclear.question}"
    return Unclear(words=asked.unclear.words, question=f"{said}{question}", lines=asked.unclear.lines)


def _reason_of(reading: Reading) -> str:
    """Return why words were not played, or what is missing of them, without an offer; empty where nothing says it by
    name."""
    question = "" if reading.unclear is None else reading.unclear.question
    if reading.unclear is not None and reading.unclear.lines:
        return reason[0] if (reason := _FIRST_SENTENCE.match(question)) is not None else ""
    return question if reading.unknown or question.startswith(_MEANT) else ""


_FIRST_SENTENCE = re.compile(r"[^.?]*“[^.?]+\.(?= [A-Z])")
_AROUND = " ,.;*"
# So begins a question for what is missing of a deed.
_MEANT = "You mean to "
DECREED_SAID = "You say what you do yourself; what others do, and what happens, is not up to you."


def _decreed(readings: Sequence[Reading]) -> frozenset[str]:
    """Return the words that decide what others do, or what happens."""
    decided = (reading for reading in readings if reading.aside is not None and reading.aside.kind == DECREED)
    return frozenset(reading.words for reading in decided)


def _played(readings: Sequence[Reading]) -> tuple[Sequence[Reading], tuple[str, ...]]:
    """Return the readings that are played, and the words of the others.

    What could not be read costs nothing of the rest. What needs an answer first ends the line, unless it begins it.
    """
    # Where there is nothing to choose from, the rest is done.
    is_alone = len(readings) == 1
    until = next(
        (
            at
            for at, reading in enumerate(readings)
            if reading.unclear is not None and not reading.is_lost and (reading.unclear.lines or is_alone)
        ),
        len(readings),
    )
    played = [reading for reading in readings[:until] if reading.actions]
    if not played:
        return (readings[: until + 1], ()) if until < len(readings) else (readings, ())
    lost = (reading for reading in readings if not any(reading is kept for kept in played))
    return played, tuple(
        reading.words for reading in lost if reading.aside is None or reading.aside.kind not in UNHEARD
    )


def _referenced_ids(ctx: ParseContext, actions: Sequence[Action]) -> tuple[str, ...]:
    """Return IDs of what the actions are about, topics included where they are somebody's or something's name."""
    everything = ctx.nouns.everything()
    ids: list[str] = []
    for action in actions:
        topic = exact(action.words, everything) if key_words(action.words) else None
        ids += [
            entity_id
            for entity_id in (action.target_id, action.location_id, topic.candidate.id if topic else None)
            if entity_id
        ]
    return tuple(dict.fromkeys(ids))


# Acts as they are told.


def told_as(ctx: ParseContext, act: Act, reading: Reading) -> Reading:
    """Return the reading of an act whose actions are told as the kind of act that they are, where that is no guess, and
    in the player's words where those can be told, with names as they are written."""
    if reading.is_sure:
        return reading
    if act.score >= max(_TOLD, kinds().get(act.kind, Kind()).least) and reading.actions:
        is_vain = act.kind in decree_words()["trying"] and all(map(_is_posture, reading.actions))
        form = {"form": _TRIED if is_vain else form_of(act, reading)}
        actions = (action.model_copy(update={"metadata": {**action.metadata, **form}}) for action in reading.actions)
        reading = replace(reading, actions=tuple(actions))
    is_named = bool(reading.unknown) and reading.unknown.casefold() not in _NO_NAMES
    if not reading.actions and not is_named and (missing := _missing(act, reading)):
        return replace(reading, unclear=missing, unknown="")
    known = vocabulary_of(ctx.nouns) | words_shown(ctx.nouns) if act.odd else frozenset()
    low = {word: word.casefold().removesuffix("'s") for word in act.odd}
    odd = {word for word in act.odd if not {low[word], f"{low[word]}s", singular(low[word])} & known}
    verbs = [verb_of(action.type) for action in reading.actions]
    if verbs and kind_of(act).in_words and len(deed := _of_player(act.words)) < _LONGEST:
        return _with_words(reading, deed)
    if verbs and is_speech(act) and all(verb is not None and verb.is_speech for verb in verbs):
        return _with_echo(ctx, act, reading, odd)
    return _with_names(ctx, felt(ctx, act, with_deed(reading, act.words, odd)))


def _with_names(ctx: ParseContext, reading: Reading) -> Reading:
    """Return a reading whose deeds have the names of people in their own letters: `nod to Oakes` for `nod to oakes`."""
    if not any("deed" in action.metadata for action in reading.actions):
        return reading
    people = (*ctx.nouns.people, *ctx.nouns.known_people)
    labels = {key.label for person in people for key in person.keys if not key.label.islower()}
    names = {label.casefold(): label for label in sorted(labels) if not set(label.casefold().split()) <= known_words()}
    if not names:
        return reading
    # The longest name of several that begin alike.
    found = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})\b", re.IGNORECASE)
    told = (
        action.model_copy(
            update={"metadata": {**action.metadata, "deed": found.sub(lambda m: names[m[0].casefold()], deed)}}
        )
        if isinstance(deed := action.metadata.get("deed"), str)
        else action
        for action in reading.actions
    )
    return replace(reading, actions=tuple(told))


def _missing(act: Act, reading: Reading) -> Unclear | None:
    """Return the question for what is missing of a deed of which nothing could be made, by its kind: `You mean to lock
    up: which door?`; None where it has one, or cannot be told."""
    asks, deed = kind_of(act).asks, in_second_person(act.words)
    if reading.unclear is None or reading.unclear.lines or not asks or not deed or act.score < _TOLD:
        return None
    return reading.unclear.model_copy(update={"question": f"{_MEANT}{deed}: {asks}?"})


# Words for things that were named before, and the name of none.
_NO_NAMES = frozenset("both all each one some half either".split())
# How an attempt is told that nothing has an answer to.
_TRIED = "tried"
# From that on an act is told as its kind.
_TOLD = 0.3


def _with_echo(ctx: ParseContext, act: Act, reading: Reading, odd: Collection[str]) -> Reading:
    """Return a reading whose actions carry what was said, as who hears it would repeat it, where that can be told."""
    heard_by = reading.actions[0].target_id or getattr(only_person(ctx), "candidate", None)
    listener = next((person for person in ctx.nouns.people if heard_by in (person.id, person)), None)
    short = act.words.partition(" ")[0].strip(",").casefold()
    if listener is not None and len(short) >= _SHORT_NAME and listener.name.casefold().startswith(short):
        # `Vik my man, …` calls Viktor.
        short_call = re.compile(rf"{re.escape(short)}(?: (?:my|old) \w+)?[, ]+", re.IGNORECASE)
        act = act.model_copy(update={"words": short_call.sub("", act.words, count=1)})
    words = act.words if listener is None else spelled_out(act.words, vocabulary_of(ctx.nouns), words_shown(ctx.nouns))
    is_deed = listener is None or _SPOKEN_DEED.match(words) is not None
    # Of `Gaunt is a liar` the name is no call.
    is_subject = act.person and re.search(rf"\b{re.escape(act.person)} (?:is|was|has)\b", words, re.IGNORECASE)
    called = "" if is_subject else act.person
    said = "" if listener is None or is_deed else echoed(words, called, listener, ctx.nouns, odd)
    return _with_words(reading, said) if said else reading


# What is done by words that are not said: `compliment her` is not repeated.
_SPOKEN_DEED = re.compile(
    r"(?:(?:and|then|i|we|try to|just)\s+)*(?:compliment|flatter|praise|tease|flirt with|insult|mock|invite"
    r"|congratulate|(?:buy|get|order|stand|fetch|ask for)(?! (?:me|us)\b))(?:s|es)? (?!(?:me|us|you|yourself)\b)\w",
    re.IGNORECASE,
)
# So many letters of a name are a short form of it.
_SHORT_NAME = 3
_LONGEST = 110
_BEFORE_DEED = re.compile(r"^(?:(?:and|then|so|i|we|just|also)[, ]+)+", re.IGNORECASE)
_OWN_WORDS = {
    "my": "your",
    "me": "you",
    "i'm": "you're",
    "i": "you",
    "am": "are",
    "i've": "you've",
    "mine": "yours",
    "i'd": "you'd",
}


def _of_player(words: str) -> str:
    """Return words that say what the player tells as they stand after `you`: `describe to Lena what you hear`."""
    said = _BEFORE_DEED.sub("", words.strip(" *.,!"), count=1).split()
    return " ".join([said[0].lower(), *(_OWN_WORDS.get(word.casefold(), word) for word in said[1:])]) if said else ""


def _with_words(reading: Reading, said: str) -> Reading:
    actions = (a.model_copy(update={"metadata": {**a.metadata, "deed": said}}) for a in reading.actions)
    return replace(reading, actions=tuple(actions))


def vocabulary_of(nouns: Nouns) -> set[str]:
    """Return the words of all names in scope, in lower case."""
    return {word for candidate in nouns.everything() for key in candidate.keys for word in key.words}


# What is said after a knock is said to the door.


def through_door(ctx: ParseContext, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings of a line, words to nobody after a door was knocked on or opened as said through that."""
    doors = {verb.name for verb in (verb_for("knock_on"), verb_for("try_door")) if verb is not None}
    found: list[Reading] = []
    at_door = False
    for reading in readings:
        said = reading.actions[0] if len(reading.actions) == 1 and reading.actions[0].target_id is None else None
        verb = None if said is None else verb_of(said.type)
        is_said = at_door and verb is not None and verb.is_speech
        made = posed(ctx, reading.words, deed=_through(reading.words)) if is_said else None
        found.append(reading if made is None else replace(made, words=reading.words))
        last = reading.actions[-1] if reading.actions else None
        at_door = (at_door and (last is None or is_said)) or (last is not None and last.type in doors)
    return found


def _through(words: str) -> str:
    """Return what is said through a door as it stands after `you`."""
    plain = re.sub(r"^(?:(?:and|then|i) )+", "", words.strip(' "“”*'), flags=re.IGNORECASE)
    plain = re.sub(r"(?<=\w),?\. (?=[a-z])", " and ", plain)
    told = _SPOKEN.match(plain)
    if told is None:
        return f"say “{plain}” through the door" if len(plain) < _LONGEST else "say it through the door"
    return f"{_of_player(plain)} through the door" if len(plain) < _LONGEST else f"{told[0]} through the door"


_SPOKEN = re.compile(
    r"(?:ask|say|call|shout|yell|holler|bellow|scream|whisper|tell|announce|explain)\b(?= [a-z])", re.IGNORECASE
)
