"""Words that nobody here hears -> to whom they are put: somebody elsewhere, behind a door, a voice in the player."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lorewright.builtin.parser.acts.kinds import TURNED, Kind, is_said, is_thought, kinds
from lorewright.builtin.parser.handling import way_alone
from lorewright.builtin.parser.readings import (
    AFTER_NOUNS,
    MAX_WORDS,
    UNHEARD,
    ParseContext,
    Reading,
    alone,
    person_meant,
    posed,
    read_way,
    wondering,
)
from lorewright.builtin.parser.speech import called_behind, unheard
from lorewright.builtin.parser.steps import told_of
from lorewright.builtin.words import earshot
from lorewright.builtin.words.asides import subjects_in
from lorewright.builtin.words.clauses import lexicon, words_of
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.nouns import singular
from lorewright.values.readings import Aside
from lorewright.values.scenery import TOLD


def put_to_nobody(ctx: ParseContext, text: str, acts: Sequence[Act], readings: Sequence[Reading]) -> Sequence[Reading]:
    """Return the readings of a line; one aside where all of it is said, and to nobody who is here: by whom it is put
    to, or what of it the player was told. What is put to the voices in oneself is no word to others."""
    told = tuple(dict.fromkeys(noun.text for noun in ctx.shown if noun.key.startswith(TOLD)))
    settled = {reading.aside.kind for reading in readings if reading.aside is not None and _is_settled(reading.aside)}
    if settled and settled <= _GUESSED and _is_about_told(ctx, text, readings, told):
        return [wondering(text)]
    is_asked = bool(readings) and all(reading.aside and reading.aside.kind in _WONDERED for reading in readings)
    if is_asked and not ctx.nouns.people and _MAY.match(text) and not earshot.told_about(text, told):
        return [Reading(intent="aside: rules", aside=Aside(kind="rules", words=text[:MAX_WORDS]), words=text)]
    if ctx.verbs or not told or settled - {"missing"}:
        return readings
    if (inner := earshot.within(told)) and (inward := _inward(ctx, text, acts, readings, inner)) is not None:
        return inward
    if settled or ctx.nouns.people or not readings:
        return readings
    if (peered := _peered(ctx, text, readings, told)) is not None:
        return [peered]
    if (unseen := _unseen(ctx, text, acts, readings, told)) is not None:
        return [unseen]
    sure = [act for act in acts if is_thought(act) and act.score >= _UNSURE]
    thoughts = {act.words.strip(_SIGNS) for act in sure} if all(act in sure or is_said(act) for act in acts) else set()
    readings = [
        alone(reading.words)
        if reading.words.strip(_SIGNS) in thoughts and reading.actions and _is_posed(reading)
        else reading
        for reading in readings
    ]
    readings = [found for reading in readings for found in _towards_noises(ctx, reading, told)]
    if (door := _called_at(ctx, acts, readings)) is not None:
        return [door]
    if not all(_is_words(ctx, reading, told) or _named_at_the_front(ctx, reading.words, told) for reading in readings):
        return readings
    if acts and not all(_is_only_words(ctx, act, told) for act in acts):
        return readings
    found = _gone_to(ctx, text, told) or _unheard(ctx, text, acts, readings, told)
    return readings if found is None else [found]


# An act that was taken for words, where nobody is to hear any -> the deed that it is.


def deeds_of(ctx: ParseContext, act: Act) -> list[Act]:
    """Return an act as it is meant where nobody is who could hear it: what has no sign of speech as the likeliest kind
    of deed, a walk to somebody with what is done there as both. Others stay as they are."""
    if ctx.nouns.people or not act.likely:
        return [act]
    told = tuple(dict.fromkeys(noun.text for noun in ctx.shown if noun.key.startswith(TOLD)))
    given, act = act, _with_name(ctx, act, told)
    words = act.words.strip(_SIGNS)
    walk = next(kind.elsewhere for kind in kinds().values() if kind.elsewhere)
    what, where = earshot.taken_to(words)
    aim = where and _goal(ctx, where, told)
    if aim and not (act.target and resolve(act.target, ctx.nouns.carried)):
        work = act.model_copy(
            update={"kind": _least_of(act), "words": what, "person": "", "second": "", "score": TURNED}
        )
        return [work, _walked(walk, aim)]
    rest = earshot.gone_to_speak(words)
    aim = _goal(ctx, rest, told, within=rest) if rest else ""
    if aim:
        named = {field: "" for field in ("target", "second", "person") if getattr(act, field) not in rest}
        met = act.model_copy(update={"words": rest, "person": act.person if act.person in rest else "", **named})
        return [_walked(walk, aim), met] if is_said(act) else [_walked(walk, aim)]
    if act is not given and not is_said(act):
        kind = kinds()[act.kind]
        shown = {"kind": _least_of(act), "target": "", "second": "", "person": "", "topic": "", "score": 1.0}
        return [act.model_copy(update=shown)] if kind.harmless or kind.alone else [given]
    is_words = is_said(act) or (is_thought(act) and act.score < _UNSURE)
    if is_words and (left := earshot.left_undone(words)):
        noun = re.search(r"\b(?:the|that|this|my) ([\w' -]+)$", left)
        undone = {"kind": _least_of(act), "words": left, "person": "", "topic": "", "score": TURNED}
        undone |= {"target": noun[1]} if noun else {}
        return [act.model_copy(update=undone)]
    if is_said(act) and earshot.is_rung(words) and (rung := _rung(act)):
        return [act.model_copy(update={"kind": rung, "score": TURNED})]
    if not is_words or not earshot.may_be_deed(words):
        return [act]
    deed = next((name for name in act.likely if _is_deed(kinds()[name], act)), "")
    return [act.model_copy(update={"kind": deed, "score": TURNED, "topic": ""})] if deed else [act]


def _with_name(ctx: ParseContext, act: Act, told: Sequence[str]) -> Act:
    """Return an act with the name of who alone is seen from here in place of `him` or `her`; others as they are."""
    field = next((field for field in ("target", "person") if getattr(act, field).casefold() == "him"), "")
    field = field or ("target" if _OF_HIM.search(act.words) and not act.target and not act.person else "")
    others = earshot.named_beyond(earshot.beyond(told, _names(ctx))) if field else ()
    if len(others) != 1:
        return act
    return act.model_copy(update={"words": _OF_HIM.sub(others[0], act.words, count=1), field: others[0]})


_OF_HIM = re.compile(r"\bhim\b(?=\W*$| (?:a|in|from|for|and|out|over|through|while|till|until|what|how|if)\b)", re.I)


def _is_deed(kind: Kind, act: Act) -> bool:
    is_done = bool(kind.lines or kind.harmless) and not kind.said and not kind.aside
    return is_done and kind.least <= TURNED and (bool(act.target) or not kind.leaves)


def _least_of(act: Act) -> str:
    """Return the likeliest kind of no consequence that an act may be."""
    return next((name for name in act.likely if kinds()[name].harmless), act.kind)


def _rung(act: Act) -> str:
    """Return the kind of an act of calling somebody up, where it may be that; empty where it may not."""
    return next((name for name in act.likely if kinds()[name].unanswered is not None), "")


def _walked(walk: str, aim: str) -> Act:
    return Act(kind=walk, words=kinds()[walk].lines[0].format(target=aim), target=aim, score=1.0)


def _goal(ctx: ParseContext, phrase: str, told: Sequence[str], within: str = "") -> str:
    """Return the way out that a phrase names, or that leads to somebody whom it, or a longer one, names; empty for
    none."""
    if not within and exact(phrase, (*ctx.nouns.exits, *ctx.nouns.known_places)):
        return phrase
    if not within and (person := _absent(ctx, phrase)) is not None:
        return person.name
    named = next(_names_in(ctx, f"the {within or phrase}", told), "")
    seen = earshot.told_of_person(named, within or phrase, told) if named else ""
    return _way_in(ctx, seen) if seen and seen in earshot.beyond(told, (*_names(ctx), named)) else ""


_SIGNS = " *.,;!"
_WONDERED = ("lore", "alone")
# Who asks whether they may do something where nobody is to forbid it.
_MAY = re.compile(
    r"(?:ok |so |and |hey |um+ )*(?:(?:can|may|could) i|am i allowed to|is it (?:ok|okay|fine|allowed)(?: if i| to))"
    r" (?:just |maybe |also )?(?!see|hear|know|find|get|ask|go|leave|come|enter|have (?:the|your)|has)[a-z]+",
    re.IGNORECASE,
)
# Below that the kind of an act is a guess.
_UNSURE = 0.4
# Questions about the game, where a line was only guessed to be one.
_GUESSED = frozenset(("rules", "goal", "gripe", "help", "hint", "options"))


def _is_about_told(ctx: ParseContext, text: str, readings: Sequence[Reading], told: Sequence[str]) -> bool:
    """Tell whether a question that nobody is there to hear is about what was told, and has no words of the game."""
    is_all_asked = all(reading.aside is not None for reading in readings)
    is_question = is_all_asked and not ctx.nouns.people and earshot.asks(text)
    return is_question and not subjects_in(text, "questions") and bool(earshot.told_about(text, told))


def _is_settled(aside: Aside) -> bool:
    """Tell whether an aside has an answer of its own: it is no words that nobody hears."""
    return aside.kind not in UNHEARD | {"lore"} or aside.kind in ("mute", "missing")


def _is_only_words(ctx: ParseContext, act: Act, told: Sequence[str]) -> bool:
    """Tell whether an act may be no more than words: said, asked, or somebody's name called."""
    return _is_said_or_asked(act) or bool(_named_at_the_front(ctx, act.words, told))


def _is_said_or_asked(act: Act) -> bool:
    return is_said(act) or is_thought(act) or _asks(act.words)


def _asks(words: str) -> bool:
    """Tell whether words ask something, and do not tell what the player does: `i sleep on chair, is quiet hotel`."""
    return earshot.asks(words) and ("?" in words or not _OF_ONESELF.match(words))


# Who tells what they do asks nothing: `I make a noise so who is in the house hears me`.
_OF_ONESELF = re.compile(r"(?:i|i'm|im|i've|you|we)\b", re.IGNORECASE)


def _is_words(ctx: ParseContext, reading: Reading, told: Sequence[str]) -> bool:
    """Tell whether a reading may be no more than words: said, asked or lost, or a look that a question was taken
    for."""
    verbs = [verb_of(action.type) for action in reading.actions]
    is_speech = all(verb is not None and verb.is_speech for verb in verbs)
    is_aimed = any(map(_is_aimed, reading.actions)) and not any(_names_in(ctx, reading.words, told))
    return is_speech or (_asks(reading.words) and not is_aimed)


def _is_posed(reading: Reading) -> bool:
    """Tell whether a reading is a deed with no aim, and no words."""
    verbs = [verb_of(action.type) for action in reading.actions]
    is_speech = any(verb is not None and verb.is_speech for verb in verbs)
    return not is_speech and not any(map(_is_aimed, reading.actions))


def _is_aimed(action: Action) -> bool:
    return bool(action.target_id or action.location_id or action.metadata.get("detail_is"))


def _is_at(action: Action) -> bool:
    return bool(action.target_id or action.location_id)


def _towards_noises(ctx: ParseContext, reading: Reading, told: Sequence[str]) -> list[Reading]:
    """Return an act of the ears with no aim as one towards the first thing that was told to be heard from here; as one
    towards each of them where all the doors are meant."""
    if not any(_OF_SOUNDS.search(str(action.metadata.get("detail", ""))) for action in reading.actions):
        return [reading]
    noises = earshot.beyond(told, _names(ctx))
    # Who listens at another door does not hear what is behind this one.
    any_noise = () if any(map(_is_at, reading.actions)) else earshot.told_of(_ANY_NOISE, noises)
    heard = earshot.told_of(reading.words, noises) or any_noise
    by_sentence = {noun.text: noun for noun in reversed(ctx.shown) if noun.is_sure and noun.text in heard}
    nouns = [by_sentence[said] for said in heard if said in by_sentence]
    if not nouns:
        return [reading]
    is_each = _EACH_DOOR.search(reading.words) is not None
    return [
        replace(
            reading,
            actions=(
                reading.actions[0].model_copy(
                    update={"metadata": {**reading.actions[0].metadata, "detail": noun.name, "detail_is": "scenery"}}
                ),
            ),
        )
        for noun in (nouns if is_each else nouns[:1])
    ]


_EACH_DOOR = re.compile(
    r"\b(?:all|each|every|both)\b.*\bdoors?\b|\bdoors\b.*\b(?:one by one|in turn|one after)\b", re.IGNORECASE
)


def _called_at(ctx: ParseContext, acts: Sequence[Act], readings: Sequence[Reading]) -> Reading | None:
    """Return words called to a place by its name as put to those who may be in it: `Excuse me! Music room! Do you
    need a hand?`; None for others."""
    called = [
        reading
        for reading in readings
        if reading.words.rstrip().endswith("!") and way_alone(ctx, reading.words.strip(" !"))
    ]
    if len(called) != 1 or len(readings) < _SEVERAL or not all(map(_is_said_or_asked, acts)):
        return None
    way = exact(called[0].words.strip(" !"), ctx.nouns.exits)
    return None if way is None else alone(way.label, "behind")


def _gone_to(ctx: ParseContext, text: str, told: Sequence[str]) -> Reading | None:
    """Return what one is about to say to somebody who is heard or seen beyond a way out as taking that way: `I'll go
    and say hello`; None for other lines."""
    if not _IS_ABOUT_TO.search(text):
        return None
    beyond = earshot.beyond(told, _names(ctx))
    named = next(_names_in(ctx, text, told), "")
    seen = earshot.told_of_person(named, text, told) if named else ""
    about = [said for said in ((seen,) if named else earshot.told_of(text, beyond)) if said in beyond]
    if len(about) != 1:
        return None
    way = _way_in(ctx, about[0])
    return read_way(ctx, text, words_of(way)) if way else None


def _way_in(ctx: ParseContext, sentence: str) -> str:
    """Return the way out that a sentence names, by its longest name; empty for none."""
    low = tuple(re.findall(r"[\w']+", sentence.casefold()))
    ways = [
        (len(key.words), key.label)
        for way in ctx.nouns.exits
        for key in way.keys
        if not set(key.words) <= AFTER_NOUNS
        and any(low[at : at + len(key.words)] == key.words for at in range(len(low)))
    ]
    return max(ways, default=(0, ""))[1]


_IS_ABOUT_TO = re.compile(
    r"\b(?:going to|i'll|i will|let me|off to) (?:(?:just|quickly) )?(?:go (?:and |to |over |out |in )*)?"
    r"(?:say (?:hello|hi|hey)|greet|see (?:what|who|how|if)|find out (?:what|who)|ask (?:what|who|if)|check on)\b",
    re.IGNORECASE,
)


# What is listened to where nothing is named, or no more than a noise.
_OF_SOUNDS, _ANY_NOISE = re.compile(r"\b(?:sounds|noises?|racket|banging|thumping)$"), "any noise"


def _peered(ctx: ParseContext, text: str, readings: Sequence[Reading], told: Sequence[str]) -> Reading | None:
    """Return a look out at what somebody does who is seen from here as a question about them; None for others."""
    named = next(_names_in(ctx, text, told), "") if len(readings) == 1 and _PEERS.search(text) else ""
    seen = earshot.told_of_person(named, text, told) if named else ""
    return wondering(f"{named}: {text}") if seen and seen in earshot.beyond(told, _names(ctx)) else None


_PEERS = re.compile(
    r"\b(?:window|pane|glass|blinds?|slats|outside|door)\b.*\b(?:make out|see|find out|tell|at) (?:wh\w+|how)\b"
    r"|\b(?:through|out of|out) the (?:window|pane|glass|blinds?|slats)\b.* (?:at|for) (?!the (?:lot|sky|rain)\b)",
    re.IGNORECASE,
)


def _unseen(
    ctx: ParseContext, text: str, acts: Sequence[Act], readings: Sequence[Reading], told: Sequence[str]
) -> Reading | None:
    """Return a gesture to somebody who is not here as one that has no answer; None for other lines."""
    actions = [action for reading in readings for action in reading.actions]
    meant = [person for person in ctx.nouns.known_people if {action.target_id for action in actions} == {person.id}]
    is_small = all(kinds().get(act.kind, Kind()).harmless for act in acts) and bool(acts)
    return alone(_label(meant[0], text, told), "unseen") if meant and is_small and len(actions) == 1 else None


def _unheard(
    ctx: ParseContext, text: str, acts: Sequence[Act], readings: Sequence[Reading], told: Sequence[str]
) -> Reading | None:
    """Return one aside for a line that is said where nobody is; None where nothing that was told is of use for it."""
    afar = next((aside for reading in readings if (aside := reading.aside) is not None and aside.kind == "afar"), None)
    if afar is not None:
        return alone(earshot.name_in(afar.words, told) or afar.words, "afar")
    targets = {action.target_id for reading in readings for action in reading.actions} - {None}
    elsewhere = [person for person in ctx.nouns.known_people if person.id in targets]
    elsewhere = elsewhere or [person for act in acts if (person := _absent(ctx, act.person)) is not None]
    asked = earshot.asked_aloud(text)
    text = asked or text  # what is told beside it asks nothing
    named = _named_at_the_front(ctx, text, told)
    if not named and elsewhere and (_is_call(elsewhere[0], text) or (targets and not earshot.asks(text))):
        named = _label(elsewhere[0], text, told)
    if named:
        return unheard(text, named)
    names = [*(_label(person, text, told) for person in elsewhere), *_names_in(ctx, text, told)]
    named = next(iter(names), "")
    is_behind = any(reading.aside is not None and reading.aside.kind == "behind" for reading in readings)
    if is_behind and not (named and _asks_oneself(text)):
        return None
    noises = earshot.beyond(told, _names(ctx))
    about = earshot.told_of(text, noises)
    towards = next((act.target for act in acts if act.target), "")
    if about and (door := called_behind(ctx, text, towards)) and earshot.calls_out(text) and not _asks_oneself(text):
        return alone(door, "behind")
    if (named and earshot.asks(text)) or (about and _asks_oneself(text)):
        return wondering(f"{named}: {text}" if named else text)
    if named or asked:
        return alone(f"{named}: {text}" if named else text)
    if any(reading.aside is not None and reading.aside.kind == "lore" for reading in readings):
        return None
    is_of_told = bool(earshot.told_about(text, told)) or (noises and earshot.calls_out(text))
    return alone(text) if about or is_of_told or any(reading.is_lost for reading in readings) else None


# Who asks of others does not call them: `who's in the kitchen`.
_ASKS_ONESELF = re.compile(
    r"(?:^|[.!?,] *|\b(?:ok|oi|hey|wtf|and|so|but|hmm?|lol|omg|creepy|af|bruh|bro|yo|dude|man|wait)\s+)"
    r"(?:who|whos|who's|what|whats|what's"
    r"|where|why|how|is|are|thers|there's|theres|was)\b(?!.*\b(?:you|u|your|ur|yourself)\b)",
    re.IGNORECASE,
)


# Who hails does not ask themselves.
_HAILS = re.compile(
    r"[\W]*(?:(?:hell+o+|hallo|helo|ahoy|good (?:evening|morning|day)|excuse me|knock knock|yoo-?hoo)\b"
    r"|(?:is )?(?:any|some)(?:body|one) (?:there|home|in there|in here)\b)",
    re.IGNORECASE,
)


def _asks_oneself(text: str) -> bool:
    is_reported = any(word in lexicon().saying for word in text.casefold().split()[:2])
    return _ASKS_ONESELF.search(text) is not None and _HAILS.match(text) is None and not is_reported


def _absent(ctx: ParseContext, name: str) -> Candidate | None:
    found = person_meant(ctx, name) if name else None
    is_person = isinstance(found, PhraseMatch) and found.candidate in ctx.nouns.known_people
    return found.candidate if is_person and isinstance(found, PhraseMatch) else None


def _names(ctx: ParseContext) -> list[str]:
    return [key.label for person in ctx.nouns.known_people for key in person.keys]


def _named_at_the_front(ctx: ParseContext, text: str, told: Sequence[str]) -> str:
    """Return the name of who is called before other words, as it was told: `Mr Gaunt? You've locked me in`, `dorrie
    come back!!`; empty for nobody."""
    called = _CALLED.match(text)
    if called is None:
        return ""
    phrase = called[1].strip()
    first, _, rest = phrase.partition(" ")
    is_short = len(phrase.split()) <= _LONGEST_NAME
    person = _absent(ctx, phrase) if is_short else None
    if person is None and rest and is_short and rest.split()[0] not in _TOLD_OF:
        # `dorrie come back`
        person = _absent(ctx, first)
    if person is None and phrase[:1].isupper() and is_short:
        return earshot.name_in(phrase, told)
    return "" if person is None else _label(person, text, told)


_LONGEST_NAME = 3
# Words after a name that tell something of its bearer.
_TOLD_OF = frozenset("is was has had will would said says told says never always didn't doesn't isn't does did".split())
_CALLED = re.compile(
    r"[\"“*]*(?:(?:oi|hey|hello|hi|wait|oh|yo|good night|goodnight|bye|evening|good evening),? )?([^,.!?]+)[,.!?]",
    re.IGNORECASE,
)


def _names_in(ctx: ParseContext, text: str, told: Sequence[str]) -> Iterator[str]:
    """Yield the names, as they were told, of those whom a line names anywhere, or by what they are (`that cop`)."""
    low = re.findall(r"[\w']+", text.casefold())
    for person in ctx.nouns.known_people:
        for key in person.keys:
            if any(tuple(low[at : at + len(key.words)]) == key.words for at in range(len(low))):
                yield _label(person, text, told)
    for at, word in enumerate(low):
        if word.endswith("s") or low[max(0, at - 1) : at] in (["the"], ["that"], ["this"], ["a"]):
            row = next((row for row in lexicon().callings if (singular(word),) in row), ())
            yield from filter(None, (earshot.name_in(" ".join(name), told) for name in row))


def _is_call(person: Candidate, text: str) -> bool:
    """Tell whether somebody is called by a name, first or last, or it is reported that it is said to them."""
    said = text.strip(' "“”*').casefold()
    return any(
        re.match(rf"(?:\w+,? ){{0,3}}?{name}(?:[,!?.]|$)", said)
        or re.search(rf"[,!.] ?{name}(?:[!?.]+ |[!?. \"”]*(?:$|[\"”]))", said)
        for name in {re.escape(" ".join(key.words)) for key in person.keys if key.words}
    )


def _label(person: Candidate, text: str, told: Sequence[str]) -> str:
    """Return the name by which somebody was told of: the one that was typed, if it is one of those."""
    names = sorted({" ".join(key.words) for key in person.keys}, key=len, reverse=True)
    typed = [name for name in names if f" {name} " in f" {' '.join(re.findall(r'[a-z]+', text.casefold()))} "]
    found = (earshot.name_in(name, told) for name in (*typed, *names))
    return next(filter(None, found), person.name)


def _inward(
    ctx: ParseContext, text: str, acts: Sequence[Act], readings: Sequence[Reading], inner: Sequence[str]
) -> Sequence[Reading] | None:
    """Return the readings of a line of which some is put to the voices in the player; None for others."""
    if len(acts) < _SEVERAL or earshot.is_within(text, inner, is_line=True):
        is_all = all(
            _is_said_or_asked(act) or act.words.rstrip().endswith("?") or earshot.is_within(act.words, inner)
            for act in acts
        )
        if is_all and earshot.is_within(text, inner, is_line=True) and not _names_what_is_here(ctx, text):
            return [Reading(intent="say inwardly", aside=Aside(kind="within", words=text[:MAX_WORDS]), words=text)]
    found = [
        _posed(ctx, reading)
        if earshot.is_within(reading.words, inner) and not _names_what_is_here(ctx, reading.words)
        else reading
        for reading in readings
    ]
    return found if found != list(readings) else None


_SEVERAL = 2


def _names_what_is_here(ctx: ParseContext, text: str) -> bool:
    low = set(re.findall(r"[\w']+", text.casefold()))
    is_thing = re.search(r"\b(?:one|two|some) of the (?!voices)\w{3,}s\b", text, re.IGNORECASE) is not None
    return is_thing or any(set(key.words) <= low for person in ctx.nouns.people for key in person.keys if key.words)


def _posed(ctx: ParseContext, reading: Reading) -> Reading:
    """Return an act that one does within oneself, told in the player's words."""
    words = reading.words.strip(" .,!?")
    made = posed(ctx, words, **({"deed": deed} if (deed := told_of(words)) else {}))
    return reading if made is None else replace(made, words=reading.words)
