"""The player's words and the scope -> actions, or one question back; no unsure guesses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from rapidfuzz import fuzz

from lorewright.builtin.parser.asides import aside_in
from lorewright.builtin.parser.clauses import (
    AGAIN,
    Clause,
    Phrase,
    Phrasing,
    Risk,
    Syntax,
    Word,
    cleaned,
    is_adverb,
    lexicon,
    longest_prefix,
    lows,
    syntaxes,
    typed,
    words_of,
)
from lorewright.builtin.parser.guesses import confirmed_line, is_slip, read_aloud, read_deed
from lorewright.builtin.parser.meaning import ReadMeaning, no_meaning
from lorewright.builtin.parser.noun_phrases import (
    CONFIDENCE,
    LOOSE,
    Nouns,
    PhraseMatch,
    Tie,
    exact,
    key_words,
    nouns_of,
    resolve,
)
from lorewright.builtin.parser.readings import (
    ParseContext,
    PhraseKind,
    Reading,
    about,
    acting,
    asking,
    bare,
    chosen_line,
    excerpt,
    led_on,
    meant,
    not_caught,
    pattern_for,
    read_way,
    remembered,
    repeated,
    shown,
    trimmed,
    typeable,
    which,
)
from lorewright.builtin.parser.speech import (
    nobody_called,
    put_to,
    read_civility,
    read_claim,
    read_remark,
    stranger_addressed,
)
from lorewright.builtin.parser.spelling import has_mood, spelled_out
from lorewright.builtin.parser.utterances import (
    is_said,
    main_clauses,
    split_clauses,
    with_call,
    with_sign,
    without_participle,
)
from lorewright.builtin.parser.vocatives import find_name_within, find_vocative
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.values.readings import Aside
from lorewright.values.records import InterpreterInput, InterpreterOutput

# Verbs of the ruleset (`mark the centre`): the longest of them, and its target -> a Reading.

# Words between the verb and its target.
_LEADS = ("at", "on", "onto", "in", "into", "to", "over", "for")


def own_verbs(ctx: ParseContext) -> list[tuple[str, ...]]:
    """Return the verbs, each as its words, longest first."""
    return sorted((tuple(verb.split()) for verb in ctx.verbs), key=lambda words: (-len(words), words))


def by_own_verb(ctx: ParseContext, words: str, said: Sequence[Word]) -> Reading | None:
    """Read an action of the ruleset's own; alone it has no target. None where no such verb begins the words."""
    verb = longest_prefix(lows(said), own_verbs(ctx))
    if not verb:
        return None
    kind, rest = ctx.verbs[" ".join(verb)], trimmed(said[len(verb) :], start=_LEADS)
    typed = " ".join(verb)
    if not bare(rest):
        return acting(ctx, kind, typed)
    nouns = ctx.nouns
    target = meant(ctx, words, rest, PhraseKind((*nouns.people, *nouns.things, *nouns.doors), pattern=f"{typed} {{}}"))
    return target if isinstance(target, Reading) else acting(ctx, kind, f"{typed} {shown(target)}", target=target)


# The interpreter: the player's words and the scope -> actions, or one question back.

MAX_ACTIONS = 4
_OWN_KNOWLEDGE = re.compile(
    r"(?:so |and |but )?what (?:do|have|did|would) (?:i|we|my character) (?:already )?"
    r"(?:know|learn(?:ed|t)?|heard?|find out|found out|remember)(?: so far)? (?:about"
    r"|of) (.+?)(?: so far| already| by now)?[?.! ]*",
    re.IGNORECASE,
)


def interpret(given: InterpreterInput, read_meaning: ReadMeaning = no_meaning) -> InterpreterOutput:
    """Return at most four actions that the player means. Never raise, and name nothing outside the scope.

    Words that cannot be resolved become `unclear` and yield no action; the confidence is then below 0.5. Before that
    `read_meaning` is asked for the line that they mean.
    """
    text = confirmed_line(chosen_line(cleaned(given.player_text), given.options), given.options)
    nouns = nouns_of(given.scope)
    talk = given.talk
    listener = None if talk is None else next((person for person in nouns.people if person.id == talk.to), None)
    topic = "" if talk is None else talk.topic
    ctx = ParseContext(nouns=nouns, verbs=given.verbs)
    ctx = replace(ctx, has_mood=has_mood(text))
    text = spelled_out(text, _vocabulary(nouns) | {word for verb in given.verbs for word in verb.split()})
    known = _OWN_KNOWLEDGE.fullmatch(text)
    if known is not None:
        return InterpreterOutput(intent=f"wonder: {known[1]}", aside=Aside(kind="lore", words=known[1]))
    kind = aside_in(text)
    low = list(lows(words_of(text)))
    is_own_verb = any(longest_prefix(words, own_verbs(ctx)) for words in (low, low[1:] if low[:1] == ["i"] else []))
    if kind and not is_own_verb and exact(text, nouns.everything()) is None:
        return InterpreterOutput(intent=f"aside: {kind}", aside=Aside(kind=kind, words=text))
    names = _long_names(ctx.nouns)
    text, ctx = repeated(text, given.said_before), _add_mentions(ctx, given.said_before, names)
    ctx = replace(ctx, listener=listener, topic=topic, came_from=given.came_from, read_meaning=read_meaning)
    offered = (verb for verb in given.verbs for line in given.options if line.startswith(f"{verb} "))
    ctx = replace(ctx, offered_verb=next(offered, ""))
    if text.lstrip("#").isdigit():
        question = f"There is no line {excerpt(text, limit=8)}. You can:"
        return _output([asking(text, question, not_caught(ctx, "").unclear.lines)], ctx, ())  # type: ignore[union-attr]
    clauses = _clauses(text, ctx, names)
    readings = _read_all(ctx, clauses) or [not_caught(ctx, "")]
    return _output(readings, ctx, _find_risks(clauses))


def _add_mentions(ctx: ParseContext, said_before: Sequence[str], names: Sequence[tuple[str, ...]]) -> ParseContext:
    """Return the context with what the last inputs mentioned and is still in scope: pronouns refer to it."""
    fresh = ctx
    for text in said_before:
        for reading in _read_all(fresh, _clauses(cleaned(text), fresh, names)):
            ctx = remembered(ctx, reading)
    return ctx


def _long_names(nouns: Nouns) -> list[tuple[str, ...]]:
    """Return the names of several words, as they are written and as they are looked for: no clause ends inside one."""
    keys = [key for candidate in nouns.everything() for key in candidate.keys]
    written = {tuple(word.low for word in words_of(cleaned(label))) for label in {key.label for key in keys}}
    return [name for name in written | {key.words for key in keys} if len(name) > 1]


def _clauses(text: str, ctx: ParseContext, names: Sequence[tuple[str, ...]]) -> list[Clause]:
    people = [key.words for person in ctx.nouns.people + ctx.nouns.known_people for key in person.keys]
    words = with_call(words_of(text), people)
    return split_clauses(words, names=names, people=people, verbs=own_verbs(ctx))


def _read_all(ctx: ParseContext, clauses: Sequence[Clause]) -> list[Reading]:
    readings: list[Reading] = []
    vocabulary = _vocabulary(ctx.nouns)
    for clause in clauses:
        reading = _read_clause(ctx, clause, vocabulary)
        if reading is None:
            continue
        if readings and _continues(readings[-1], reading):
            readings.pop()
        readings.append(replace(reading, words=clause.text))
        ctx = led_on(remembered(ctx, reading), reading)
    return readings


def _vocabulary(nouns: Nouns) -> set[str]:
    """Return the words of all names in scope, in lower case."""
    return {word for candidate in nouns.everything() for key in candidate.keys for word in key.words}


def _continues(before: Reading, after: Reading) -> bool:
    """Tell whether the first of two readings says no more than the second."""
    if len(before.actions) != 1 or not after.actions or before.actions[0].type != after.actions[0].type:
        return False
    verb = verb_of(after.actions[0].type)
    syntax = None if verb is None else verb.part(Syntax)
    is_one = None if syntax is None else syntax.continues
    return is_one is not None and is_one(before.actions[0], after.actions[0])


def _read_clause(ctx: ParseContext, clause: Clause, vocabulary: set[str]) -> Reading | None:
    """Read one clause, without its by-clauses where they stand in the way; None where only small words are left."""
    reading = _read_whole_clause(ctx, clause, vocabulary)
    if reading is None or reading.unclear is None:
        return reading
    for shorter in main_clauses(clause):
        again = _read_whole_clause(ctx, shorter, vocabulary)
        if again is not None and again.unclear is None and again.aside is None:
            return again
    return reading


def _read_whole_clause(ctx: ParseContext, clause: Clause, vocabulary: set[str]) -> Reading | None:
    words = with_sign(_drop_lead_in(ctx, without_participle(clause.words)))
    spoken = next((word for word in words if word.kind == "speech"), None)
    if spoken is not None and not _verb(lows(words)):
        return _read_quoted(ctx, clause, words) or not_caught(ctx, clause.text)
    vocative = find_vocative(ctx, words)
    if vocative:
        return put_to(ctx, clause.text, *vocative) or not_caught(ctx, clause.text)
    stranger = stranger_addressed(ctx, words, is_question=clause.question)
    if stranger:
        return nobody_called(ctx, clause.text, stranger)
    claim = None if clause.question else read_claim(ctx, clause.text, words, None)
    if claim is not None:
        return claim
    if not clause.question and is_said(words):
        return read_remark(ctx, clause.text, find_name_within(ctx, words), words)
    words = words if _is_phrase(lows(words)) else _drop_adverbs(words, vocabulary)
    if not [word for word in words if word.kind != "comma"]:
        return None
    return (
        by_own_verb(ctx, clause.text, words)
        or _read_bare_way(ctx, words)
        or read_civility(ctx, clause.text, clause.words, None)
        or _read_by_verb(ctx, clause, words)
        or _question(ctx, clause, words)
        or _read_bare_noun(ctx, clause, words)
        or _offer_verb(ctx, clause, words)
        or _read_anything(ctx, words)
        or _read_by_meaning(ctx, clause, words)
        or read_deed(ctx, clause, words)
        or read_aloud(ctx, clause, words)
        or not_caught(ctx, clause.text)
    )


def _drop_lead_in(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word]:
    """Return the words from the verb on: `please could I`, `I want to` and the like are dropped."""
    lex = lexicon()
    while len(words) > 1 and not exact(typed(words), ctx.nouns.exits):
        low = lows(words)
        lead = longest_prefix(low, lex.lead_ins)
        if lead and len(lead) < len(words) and not _is_phrase(low):
            words = words[len(lead) :]
        elif (
            words[0].kind == "comma"
            or (low[0] in lex.statements["interjections"] and longest_prefix(low[1:], own_verbs(ctx)))
            or (low[0] in lex.adverbs and (low[0] in AGAIN or low[0] not in lex.verb_words))
            or (
                low[0] in lex.before_verbs
                and (_verb(low[1:]) or longest_prefix(low[1:], own_verbs(ctx)))
                and (low[0] in ("i", "we") or not resolve(typed(words[1:]), ctx.nouns.exits))
            )
        ):
            words = words[1:]
        else:
            break
    return words


def _is_phrase(low: Sequence[str]) -> bool:
    return tuple(low) in lexicon().verb_phrases


def _verb(low: Sequence[str]) -> tuple[str, ...]:
    return longest_prefix(low, lexicon().verb_phrases)


def _drop_adverbs(words: Sequence[Word], vocabulary: set[str]) -> Sequence[Word]:
    """Return the words without adverbs, in a question only before its topic; words of names and the verb are none."""
    lex, low = lexicon(), lows(words)
    verb = _verb(low)
    has_topic = any(phrasing.has_topic for phrase, phrasing in lex.verbs if phrase == verb)
    start = next((index for index, word in enumerate(low) if word in lex.about and index), len(words))
    limit = start if has_topic else len(words)
    said = len(verb) if verb and verb[0] not in AGAIN else 0
    kept = (
        index < said or index >= limit or word.low in vocabulary or not is_adverb(word)
        for index, word in enumerate(words)
    )
    return [word for word, stays in zip(words, kept, strict=True) if stays]


def _read_quoted(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read speech without a verb before it: `"Where is Jin?" I ask Viktor`, or to the only person here."""
    speech = [word for word in words if word.kind == "speech"]
    rest = _drop_lead_in(ctx, [word for word in words if word.kind == "word"])
    target = None
    for start in range(len(rest)):
        target = target or exact(typed(rest[start:]), ctx.nouns.people + ctx.nouns.known_people)
    inner = [word for quotation in speech for word in words_of(quotation.text)]
    vocative = find_vocative(ctx, inner)
    if target is None and vocative:
        return put_to(ctx, clause.text, *vocative)
    asks = any("?" in word.text for word in inner if word.kind == "stop")
    stranger = "" if target else stranger_addressed(ctx, inner, is_question=asks)
    if stranger:
        return nobody_called(ctx, clause.text, stranger)
    if not asks and is_said(inner):
        return read_remark(ctx, clause.text, target, speech)
    return put_to(ctx, clause.text, target, speech)


def _read_bare_way(ctx: ParseContext, words: Sequence[Word]) -> Reading | None:
    """Read a way out or the place behind it, by its very name and nothing else."""
    phrase = typed(words)
    direction = lexicon().directions.get(phrase.lower(), phrase)
    if exact(phrase, ctx.nouns.exits) or exact(direction, ctx.nouns.exits):
        return read_way(ctx, phrase, words)
    if phrase.lower() in (*lexicon().directions, *lexicon().directions.values()):
        return read_way(ctx, phrase, words)
    return None


def _read_by_verb(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read by the frame of the longest verb phrase that takes the rest of the words."""
    low = lows(words)
    if low[0] in AGAIN:
        return None if words[1:] else asking(clause.text, "Type again what you want repeated.")
    for phrase, phrasing in _verbs_by_first_word().get(low[0], ()):
        if tuple(low[: len(phrase)]) != phrase:
            continue
        reading: Reading | None = phrasing.read(ctx, clause.text, words[len(phrase) :])
        if reading is not None:
            return reading
    return None


@cache
def _verbs_by_first_word() -> Mapping[str, Sequence[tuple[Phrase, Phrasing]]]:
    """Return the verb phrases by their first word, each with the longest first."""
    found: dict[str, list[tuple[Phrase, Phrasing]]] = {}
    for phrase, phrasing in lexicon().verbs:
        found.setdefault(phrase[0], []).append((phrase, phrasing))
    return found


def _read_anything(ctx: ParseContext, words: Sequence[Word]) -> Reading | None:
    """Read an unknown verb on something here; None where no verb of the program takes any word."""
    readers = (syntax.anything(ctx, words) for syntax in syntaxes() if syntax.anything is not None)
    return next(readers, None)


def _question(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    low = lows(words)
    asks = clause.question or (
        longest_prefix(low, lexicon().question_words) and (low[0] not in _ALSO_VERBS or low[1:2] not in _OBJECTS)
    )
    goes_on = low[0] in _ALONE and ctx.topic and ctx.listener is not None
    return put_to(ctx, clause.text, None, words) if asks and (len(words) > 1 or goes_on) else None


# Questions of one word, about what was last spoken of.
_ALONE = frozenset(("why", "when", "how", "where", "who", "what", "really"))


# Words that begin a question, and an act where an object follows: `have a rummage`.
_ALSO_VERBS = frozenset(("have", "do", "can", "will"))
_OBJECTS = (["a"], ["an"], ["some"], ["my"], ["another"], ["one"])


def _read_bare_noun(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read a name without a verb: a way out is taken, for anything else the answer is a question."""
    phrase, nouns = typed(words), ctx.nouns
    present = (*nouns.people, *nouns.things, *nouns.doors, nouns.place)
    found = resolve(phrase, present, whole=True) or resolve(phrase, nouns.exits, nouns.known_places, whole=True)
    match found:
        case Tie():
            return which(clause.text, found, pattern_for("examine", "thing"))
        case PhraseMatch() if found.confidence == CONFIDENCE[LOOSE]:
            return None
        case PhraseMatch() if found.candidate.kind == "exit" or found.candidate in nouns.known_places:
            return read_way(ctx, clause.text, words)
        case PhraseMatch() if ctx.offered_verb and found.candidate in nouns.things:
            return by_own_verb(ctx, clause.text, words_of(f"{ctx.offered_verb} {typeable(found.label)}"))
        case PhraseMatch():
            return asking(clause.text, f"{found.label}: what about it?", about(ctx, found))
        case None:
            return None


def _offer_verb(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read a verb with a letter wrong, where what follows it fits: `examin the glass`; `reach` is no `search`."""
    low = words[0].low
    if len(low) < 4:
        return None
    likely = [verb for verb in sorted(lexicon().verb_words) if len(verb) >= 4 and is_slip(low, verb)]
    for verb in sorted(likely, key=lambda verb: (-fuzz.ratio(low, verb), verb)):
        mended = (Word(verb, verb), *words[1:])
        reading = _read_by_verb(ctx, Clause(mended), mended)
        if reading is not None and reading.unclear is None:
            assumed = f"{verb} is meant by {excerpt(words[0].text)}"
            return replace(reading, confidence=0.7, assumptions=(*reading.assumptions, assumed))
    return None


def _read_by_meaning(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read the line that words mean: it is played where that is sure, and asked about where it is likely."""
    meant = ctx.read_meaning(typed(words), ctx.nouns)
    if meant is None or not meant.is_likely:
        return None
    line = words_of(meant.line)
    reading = _read_by_verb(replace(ctx, read_meaning=no_meaning), Clause(line), line)
    if reading is None or reading.unclear is not None:
        return None
    verb = verb_of(reading.actions[0].type)
    if not meant.is_sure or (verb is not None and verb.is_violent):
        return asking(clause.text, f"You mean: {meant.line}? Yes or no.", [meant.line])
    next_line = f"; next “{meant.next_line}”, {meant.next_score:.2f}" if meant.next_line else ""
    said = f"“{excerpt(clause.text)}” is understood as “{meant.line}” ({meant.score:.2f}{next_line})"
    return replace(reading, confidence=min(reading.confidence, 0.8), assumptions=(*reading.assumptions, said))


def _find_risks(clauses: Sequence[Clause]) -> tuple[Risk, ...]:
    """Return the risk flags of the words in a verb's position: first, or after a lead-in."""
    heads: set[str] = set()
    for clause in clauses:
        low = lows(clause.words)
        lead = longest_prefix(low, lexicon().lead_ins)
        heads.update(low[:1] + low[len(lead) : len(lead) + 1])
    return tuple(risk for risk, verbs in lexicon().risks if heads & verbs)


def _output(readings: Sequence[Reading], ctx: ParseContext, risks: tuple[Risk, ...]) -> InterpreterOutput:
    asides = [reading.aside for reading in readings if reading.aside is not None]
    wondered = next((aside for aside in asides if aside.kind == "lore"), asides[0] if asides else None)
    if wondered is not None and not any(reading.actions for reading in readings):
        return InterpreterOutput(intent=f"wonder: {excerpt(wondered.words)}", aside=wondered)
    readings, lost = _played(readings)
    actions = tuple(action for reading in readings for action in reading.actions)
    assumptions = [text for reading in readings for text in reading.assumptions]
    confidence = min(reading.confidence for reading in readings)
    if len(actions) > MAX_ACTIONS:
        assumptions.append("only the first four things are tried")
        confidence = min(confidence, 0.8)
    # A model, where there is one, may make something of the rest.
    confidence = min(confidence, 0.5) if lost else confidence
    unclear = next((reading.unclear for reading in readings if reading.unclear and not reading.is_lost), None)
    return InterpreterOutput(
        intent="; then ".join(reading.intent for reading in readings)[:400],
        referenced_entities=_referenced_ids(ctx, actions[:MAX_ACTIONS]),
        proposed_actions=actions[:MAX_ACTIONS],
        assumptions=tuple(dict.fromkeys(assumptions)),
        risk_flags=risks,
        confidence=confidence,
        unclear=unclear or next((reading.unclear for reading in readings if reading.unclear), None),
        not_played=lost,
        played=". ".join(reading.words for reading in readings) if lost else "",
    )


def _played(readings: Sequence[Reading]) -> tuple[Sequence[Reading], tuple[str, ...]]:
    """Return the readings that are played, and the words of the others.

    What could not be read costs nothing of the rest. What needs an answer first ends the line, unless it begins it.
    """
    until = next((at for at, reading in enumerate(readings) if reading.unclear and not reading.is_lost), len(readings))
    played = [reading for reading in readings[:until] if reading.actions]
    if not played:
        return (readings[: until + 1], ()) if until < len(readings) else (readings, ())
    return played, tuple(reading.words for reading in readings if not any(reading is kept for kept in played))


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
