"""The player's words and the scope -> actions, or one question back; no unsure guesses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from lorewright.builtin.parser.acts.in_line import as_quoted
from lorewright.builtin.parser.acts.kinds import Kind, is_going, is_said, is_small, kind_of, kinds, on_condition
from lorewright.builtin.parser.acts.meant import acts_meant, plainly, undone
from lorewright.builtin.parser.acts.tagged import (
    UNSURE,
    is_into_telephone,
    is_read_as,
    is_refused,
    is_weak,
    read_by_kind,
    with_nouns,
)
from lorewright.builtin.parser.clause_reading import is_command, read_clause
from lorewright.builtin.parser.guesses import SOCIAL, asked_in_full, confirmed_line, mended_act, noun_alone, voiced
from lorewright.builtin.parser.handling import handled, own_asked_about, way_alone
from lorewright.builtin.parser.lines.asked_in_turn import FIXED, aside_of, asked_in_turn, with_asides
from lorewright.builtin.parser.lines.conditions_met import hangs_on_search, if_none
from lorewright.builtin.parser.lines.in_hand import with_purpose_seen
from lorewright.builtin.parser.lines.rewordings import corrected, reworded_line
from lorewright.builtin.parser.moves import picks_in, with_move
from lorewright.builtin.parser.outputs import find_risks, output_of, through_door, told_as, vocabulary_of, with_slips
from lorewright.builtin.parser.own_thoughts import thought_of
from lorewright.builtin.parser.pieces import led_on, move_said, own_verbs, remembered, with_reading
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    UNHEARD,
    ParseContext,
    Reading,
    asking,
    excerpt,
    not_caught,
    only_person,
    openings,
)
from lorewright.builtin.parser.refusals.decrees import DECREE, beyond, decreed, narrated, with_decrees, with_narrated
from lorewright.builtin.parser.refusals.lacking import lacking
from lorewright.builtin.parser.refusals.weighty import form_of_weight, never, weighty, with_weight
from lorewright.builtin.parser.small_talk import remark_class
from lorewright.builtin.parser.speech import read_civility, read_remark, said_to_nobody
from lorewright.builtin.parser.steps import in_steps
from lorewright.builtin.parser.unheard import deeds_of, put_to_nobody
from lorewright.builtin.parser.vocatives import addressed, with_call, with_name_apart
from lorewright.builtin.parser.ways import by_the_way, carried_over, past_the_next
from lorewright.builtin.words.asides import is_never_possible, out_of_story
from lorewright.builtin.words.board import grid_of, pattern_for
from lorewright.builtin.words.clauses import (
    Clause,
    Syntax,
    Word,
    cleaned,
    find_bargain,
    lexicon,
    longest_prefix,
    lows,
    words_of,
)
from lorewright.builtin.words.joints import acts_of
from lorewright.builtin.words.last_thing import at_first, chosen_line, last_thing_of, may_order, repeated, with_served
from lorewright.builtin.words.noun_phrases import Nouns, exact, nouns_of, words_shown
from lorewright.builtin.words.spelling import has_mood, mended_in, spelled_out
from lorewright.builtin.words.tagging import Act, TagActs, no_acts
from lorewright.builtin.words.utterances import split_clauses
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.nouns import is_verb
from lorewright.values.readings import Aside
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Board, Scope

_QUOTED = re.compile(r"[\"“][^\"“”]+[\"”]")


def interpret(given: InterpreterInput, tag_acts: TagActs = no_acts) -> InterpreterOutput:
    """Return at most four actions that the player means. Never raise, and name nothing outside the scope.

    Words that cannot be resolved become `unclear` and yield no action; the confidence is then below 0.5. Where
    `tag_acts` finds other kinds of act in a line than the grammar, the line is read act by act.
    """
    text = confirmed_line(chosen_line(cleaned(given.player_text), given.options), given.options)
    text = text if given.verbs else corrected(text)
    nouns = nouns_of(given.scope)
    talk = given.talk
    listener = None if talk is None else next((person for person in nouns.people if person.id == talk.to), None)
    topic = "" if talk is None else talk.topic
    ctx = ParseContext(nouns=nouns, verbs=given.verbs, has_mood=has_mood(text), if_none=hangs_on_search(text))
    names = vocabulary_of(nouns) | {word for verb in given.verbs for word in verb.split()}
    shown = words_shown(nouns)
    slips = mended_in(text, names, shown)
    typed, plain = text, spelled_out(text, names, shown)
    if (text := at_first(plain, given.options, given.said_before)) != plain:
        typed = text
    if known := thought_of((typed, text), given.scope.scenery or ()):
        return InterpreterOutput(intent=f"wonder: {excerpt(known)}", aside=Aside(kind="lore", words=known[:MAX_WORDS]))
    ctx = replace(ctx, listener=listener, shown=given.scope.scenery or ())
    long_names = _long_names(ctx.nouns)
    ctx, before = _add_mentions(ctx, given.said_before, long_names)
    earlier = [line for line in given.lately.earlier if may_order(line, text)]
    older = _add_mentions(ctx, earlier, long_names)[1] if earlier else []
    lines = (*zip(earlier, older, strict=True), *zip(given.said_before, before, strict=True))
    last = last_thing_of(lines, given.lately, ctx.nouns, shown=ctx.shown, noted=ctx.prose_noun)
    ctx = replace(ctx, nouns=with_served(ctx.nouns, last.served))
    if text not in given.options and (named_in := last.named_in(text, ctx.nouns)) != text:
        typed = text = named_in
    text = with_purpose_seen(replace(ctx, clocks=given.clocks), text)
    board = given.board if given.board is not None and given.board.verb in given.verbs else None
    asked_by = partial(aside_of, given, nouns, board)
    low = list(lows(words_of(out_of_story(text) or text)))
    aside, text = asked_by(text, typed)
    is_own_verb = any(longest_prefix(words, own_verbs(ctx)) for words in (low, low[1:] if low[:1] == ["i"] else []))
    is_own_verb = is_own_verb and not is_never_possible(text)
    if aside is not None and ((is_own_verb and aside.kind not in FIXED) or exact(text, nouns.everything()) is not None):
        aside = None
    elif text not in given.options:
        asides, rest = asked_in_turn(aside, text, asked_by)
        if asides and rest:
            return with_asides(interpret(given.model_copy(update={"player_text": rest}), tag_acts), asides, rest)
        if asides:
            return with_asides(None, asides)
    text = repeated(text, given.said_before)
    ctx = replace(ctx, topic=topic, came_from=given.came_from, clocks=given.clocks)
    offered = (verb for verb in given.verbs for line in given.options if line.startswith(f"{verb} "))
    ctx = replace(ctx, offered_verb=next(offered, ""))
    text = text if text in given.options else reworded_line(ctx, text)
    if text.lstrip("#").isdigit() and board is None:
        question = f"There is no line {excerpt(text, limit=8)}. You can:"
        return output_of([asking(text, question, openings(ctx.nouns))], ctx, ())
    refused = None if text in given.options else narrated(ctx, text) or never(ctx, text, is_board=board is not None)
    if refused is not None:
        return output_of([refused], ctx, ())
    named = noun_alone(ctx, text) if board is None and text not in given.options else None
    bargain = find_bargain()
    if (deal := named or (None if bargain is None else bargain(ctx, text))) is not None:
        return output_of([replace(deal, words=text)], ctx, ())
    clauses = _clauses(text, ctx, long_names)
    readings = _read_all(ctx, clauses, given.ahead) or [not_caught(ctx, "")]
    said = text[1:-1] if _QUOTED.fullmatch(text) else text
    is_alone = len([*filter(None, low)]) == 1 and "?" not in text
    is_sure = (is_alone and said == text) or (board is None and is_command(ctx, low, readings))
    is_sure = is_sure and not form_of_weight(ctx, text)
    found = () if text in given.options or is_sure else tag_acts(said)
    cut = partial(acts_of, tag_acts=tag_acts, is_said=is_said, is_small=is_small)
    apart_of = partial(_cut_anew, cut, tag_acts, {said: found})
    parts = as_quoted(ctx, text, with_narrated(ctx, said, apart_of)) if found else ()
    tagged = map(with_nouns, parts if board is None else _squares_apart(board, parts))
    called = (with_name_apart(ctx, act, kind_of(act).called) for act in tagged)
    apart = with_decrees(ctx, (deed for act in called for deed in deeds_of(ctx, act)))
    acts = acts_meant(ctx, with_weight(ctx, on_condition(apart)))
    is_plain = {act.words for act in acts} <= {act.words.strip(" *_") for act in found}
    if acts and is_plain and _are_read_as(ctx, acts, readings, given.ahead):
        readings = [told_as(ctx, act, reading) for act, reading in zip(acts, readings, strict=True)]
    elif acts:
        readings = _read_acts(ctx, acts, given.ahead, long_names) or readings
    if len(acts) == 1 and all(reading.is_lost for reading in readings):
        readings = beyond(acts[0]) or readings
    if board is not None:
        readings = with_move(ctx, board, text, acts, readings)
    elif ctx.offered_verb:
        readings = _with_move(ctx, text, acts, readings)
    walks = (at for at, reading in enumerate(readings) if any(action.location_id for action in reading.actions))
    until = next(walks, len(readings))
    readings = [by_the_way(ctx, each, leaves=until < len(readings)) for each in readings[:until]] + readings[until:]
    readings = if_none(ctx, in_steps(ctx, through_door(ctx, readings), acts) if len(acts) > 1 else readings)
    return with_slips(output_of(put_to_nobody(ctx, text, acts, readings), ctx, find_risks(clauses)), slips)


def _cut_anew(
    cut: Callable[..., tuple[Act, ...]], tag: TagActs, known: Mapping[str, Sequence[Act]], part: str
) -> tuple[Act, ...]:
    """Return the acts of a part of a line, which are tagged where they are not known."""
    return cut(part, acts=known[part] if part in known else tag(part))


def _squares_apart(board: Board, acts: Iterable[Act]) -> Iterator[Act]:
    """Yield the acts, a square that ends one as an act by itself: `stare him down, top middle`."""
    grid = grid_of(board)
    for act in acts:
        first, joint, more = act.words.partition(" and ")
        if joint and is_said(act) and picks_in(grid, first, is_alone=True):
            # `top middle and don't cry`
            yield from (Act(kind=act.kind, words=first), act.model_copy(update={"words": more}))
            continue
        head, comma, tail = act.words.rpartition(": " if act.words.rpartition(": ")[1] else ", ")
        is_deed = bool(kind_of(act).lines or kind_of(act).harmless) and not is_said(act)
        # `tell him about my aunt, then top left`
        is_short = comma == ": " and len(tail.split()) <= _SHORT
        is_deed = is_deed or (is_said(act) and (is_short or pattern_for("then").fullmatch(tail) is not None))
        is_whole = not is_said(act) and bool(picks_in(grid, act.words))
        if comma and is_deed and not is_whole and picks_in(grid, tail, is_alone=True):
            yield act.model_copy(update={"words": head})
            yield Act(kind=act.kind, words=tail)
        else:
            yield act


def _with_move(ctx: ParseContext, text: str, acts: Sequence[Act], readings: list[Reading]) -> list[Reading]:
    """Return the readings with the move of the ruleset's own that a line, or an act of it, amounts to, where none was
    read and the words are clearly nothing else that is said."""
    things = {thing.id for thing in ctx.nouns.things}
    if any(
        action.type in ctx.verbs.values() or action.target_id in things
        for reading in readings
        for action in reading.actions
    ):
        return readings
    deeds = [act for act in acts if not (is_said(act) and act.score >= _CLEARLY)]
    if len(deeds) == len(acts) or (acts and kinds().get(acts[0].kind, Kind()).wish):
        move = move_said(ctx, text)
        if move is not None:
            return [move]
    for act in deeds if len(acts) > 1 else ():
        if (move := move_said(ctx, act.words)) is not None and move.actions:
            return [*(reading for reading in readings if reading.words != act.words), replace(move, words=act.words)]
    return readings


# From so much on words are clearly said to somebody.
_CLEARLY = 0.6


def _add_mentions(
    ctx: ParseContext, said_before: Sequence[str], names: Sequence[tuple[str, ...]]
) -> tuple[ParseContext, list[list[Action]]]:
    """Return the context with what the last inputs mentioned and is still in scope (pronouns refer to it), and their
    actions."""
    fresh, actions = ctx, list[list[Action]]()
    for text in said_before:
        readings = _read_all(fresh, _clauses(cleaned(text), fresh, names), {})
        actions.append([action for reading in readings for action in reading.actions])
        for reading in readings:
            ctx = remembered(ctx, reading)
    return ctx, actions


def _long_names(nouns: Nouns) -> list[tuple[str, ...]]:
    """Return the names of several words, as they are written and as they are looked for: no clause ends inside one."""
    keys = [key for candidate in nouns.everything() for key in candidate.keys]
    written = {tuple(word.low for word in words_of(cleaned(label))) for label in {key.label for key in keys}}
    return [name for name in written | {key.words for key in keys} if len(name) > 1]


def _clauses(text: str, ctx: ParseContext, names: Sequence[tuple[str, ...]]) -> list[Clause]:
    people = [key.words for person in ctx.nouns.people + ctx.nouns.known_people for key in person.keys]
    words = with_call(words_of(text), people)
    return split_clauses(words, names=names, people=people, verbs=own_verbs(ctx))


def _read_all(ctx: ParseContext, clauses: Sequence[Clause], ahead: Mapping[str, Scope]) -> list[Reading]:
    readings: list[Reading] = []
    vocabulary = vocabulary_of(ctx.nouns)
    for clause in clauses:
        if len(clauses) > 1 and _is_adverbial(clause):
            continue
        reading = read_clause(ctx, clause, vocabulary)
        if reading is not None and reading.is_lost:
            works = partial(_is_acted, ctx, vocabulary)
            reading = asked_in_full(ctx, reading, clause.words, works)
        is_said_on = clause.question and reading is not None and not reading.actions
        if (
            reading is None
            or _is_said_after(readings, reading, ctx, is_question=is_said_on)
            or _is_lead_in(clause, clauses)
        ):
            continue
        if readings and _continues(readings[-1], reading):
            readings.pop()
        if readings and (more := _said_on(ctx, readings[-1], clause, reading)) is not None:
            reading = more
        if any(action.location_id in ahead for before in readings for action in before.actions):
            # Where the walk fails nobody is named who was not met.
            reading = replace(reading, assumptions=())
        readings = with_reading(readings, replace(reading, words=clause.text))
        ctx = led_on(remembered(ctx, reading), reading, ahead)
    return readings


def _are_read_as(
    ctx: ParseContext, acts: Sequence[Act], readings: Sequence[Reading], ahead: Mapping[str, Scope]
) -> bool:
    """Tell whether the readings are, one by one, of the kinds that the acts are, and nothing is to be mended."""
    return (
        len(readings) == len(acts)
        and not any(mended_act(ctx, act)[1] for act in acts)
        and not any(addressed(ctx, acts))
        and all(_is_of(act, reading) for act, reading in zip(acts, readings, strict=True))
        and not any(is_into_telephone(ctx, before, act) for before, act in pairwise(acts))
        and not any(_read_at_once(ctx, act) for act in acts)
        and not any(undone(ctx, act, alone=len(acts) == 1) for act in acts)
        and not any(past_the_next(ctx, act.target, ahead) for act in acts if is_going(act))
        and all(
            not reading.is_lost and is_read_as(ctx, act, reading) and not is_weak(ctx, act, reading)
            for act, reading in zip(acts, readings, strict=True)
        )
    )


def _is_of(act: Act, reading: Reading) -> bool:
    """Tell whether a reading is of the words of an act, at least in the half of them."""
    read = [word.low for word in words_of(reading.words) if word.kind == "word"]
    said = {word.low for word in words_of(act.words.strip('"“”'))}
    return not read or 2 * sum(word in said for word in read) >= len(read)


def _read_acts(
    ctx: ParseContext, acts: Sequence[Act], ahead: Mapping[str, Scope], names: Sequence[tuple[str, ...]]
) -> list[Reading]:
    """Read a line act by act: by the grammar where it reads an act as its kind, else by the kind."""
    readings: list[Reading] = []
    start, vocabulary, hearers = ctx, vocabulary_of(ctx.nouns), addressed(ctx, acts)
    for before, found, hearer in zip((None, *acts), acts, hearers, strict=False):
        if before is not None and (is_into_telephone(ctx, before, found) or _goes_on_to_absent(ctx, readings, found)):
            continue
        act, slips = mended_act(ctx, found)
        heard = ctx if hearer is None else replace(ctx, listener=hearer)
        for reading in _readings_of(heard, act, ahead, names, vocabulary, alone=len(acts) == 1):
            if any(action.location_id in ahead for earlier in readings for action in earlier.actions):
                # Where the walk fails nobody is named who was not met.
                reading = replace(reading, assumptions=())
            elif slips and reading.actions:
                assumed = (f"{meant} is meant by {excerpt(odd)}" for odd, meant in slips)
                reading = replace(reading, assumptions=(*reading.assumptions, *assumed))
            readings = with_reading(readings, told_as(ctx, act, replace(reading, words=act.words)))
            ctx = led_on(remembered(ctx, reading), reading, ahead, start)
    if not any(reading.actions for reading in readings):
        return readings
    aloud: list[Reading] = []
    for reading in readings:
        aloud = with_reading(aloud, _said_aloud(ctx, reading))
    return aloud


def _said_aloud(ctx: ParseContext, reading: Reading) -> Reading:
    """Return words that nobody hears or answers as said all the same, beside deeds that are played."""
    if reading.aside is None or reading.aside.kind not in UNHEARD | {"lore"} or ctx.nouns.people:
        return reading
    said = said_to_nobody(ctx, reading.words)
    return reading if said is None else replace(said, words=reading.words)


def _read_at_once(ctx: ParseContext, act: Act) -> Reading | None:
    """Read a deed that is possible nowhere, or whose tool is not here, as refused, a way alone as taken; else None."""
    kind = kinds().get(act.kind, Kind())
    if act.kind == DECREE:
        return decreed(act)
    if (refused := weighty(ctx, act) or lacking(ctx, act)) is not None:
        return refused
    if kind.said or kind.aside:
        own = own_asked_about(ctx, act, kind) or way_alone(ctx, act.words) if kind.said else None
        return own or carried_over(ctx, act)
    if is_never_possible(act.words):
        return Reading(aside=Aside(kind="story", words=act.words[:MAX_WORDS]), words=act.words)
    return handled(ctx, act, kind, is_clear=act.score >= _CLEARLY)


def _readings_of(
    ctx: ParseContext,
    act: Act,
    ahead: Mapping[str, Scope],
    names: Sequence[tuple[str, ...]],
    vocabulary: set[str],
    *,
    alone: bool,
) -> list[Reading]:
    if (refused := _read_at_once(ctx, act) or undone(ctx, act, alone=alone)) is not None:
        return [refused]
    is_walk = is_going(act) and ctx.nouns.place.id not in ahead
    if is_walk and (walk := past_the_next(ctx, act.target, ahead)) is not None:
        return [walk]
    text = spelled_out(
        act.words, vocabulary | {word for verb in ctx.verbs for word in verb.split()}, words_shown(ctx.nouns)
    )
    parts = _clauses(text, ctx, names)
    if not parts:
        # Small words alone, `and then?`
        said = read_by_kind(ctx, act, lambda line: read_clause(ctx, Clause(words_of(line)), vocabulary))
        return [said] if said is not None and is_said(act) else []
    whole = Clause(tuple(word for part in parts for word in part.words), any(part.question for part in parts))
    one = read_clause(ctx, whole, vocabulary)
    many = _read_all(ctx, parts, ahead) if len(parts) > 1 else []
    fitting = [
        found
        for found in ([one] if one is not None else [], many)
        if found and all(not reading.is_lost and is_read_as(ctx, act, reading) for reading in found)
    ]
    strong = next((found for found in fitting if not any(is_weak(ctx, act, reading) for reading in found)), None)
    if strong is not None:
        return strong
    by_kind = read_by_kind(ctx, act, lambda line: read_clause(ctx, Clause(words_of(line)), vocabulary))
    is_aloud = one is not None and one.aside is not None and one.aside.kind == "alone" and not is_said(act)
    beside = "" if alone else kinds().get(act.kind, Kind()).beside
    if beside and by_kind is not None and by_kind.aside is not None:
        by_kind = read_clause(ctx, Clause(words_of(beside)), vocabulary)
    is_guess = (
        act.score < UNSURE and one is not None and not one.is_lost and not is_aloud and not is_weak(ctx, act, one)
    )
    found = [by_kind] if by_kind is not None else []
    if by_kind is None or is_guess or (fitting and is_refused(by_kind)):
        found = fitting[0] if fitting else [one] if one is not None else []
    found = voiced(ctx, act, found)
    small = plainly(ctx, act, found, is_guess=act.score < UNSURE, alone=alone)
    return found if small is None else [small]


def _is_acted(ctx: ParseContext, vocabulary: set[str], line: str) -> bool:
    """Tell whether a line is read as one act, so that it can be offered."""
    reading = read_clause(ctx, Clause(words_of(line)), vocabulary)
    return reading is not None and reading.unclear is None and len(reading.actions) == 1


def _said_on(ctx: ParseContext, before: Reading, clause: Clause, reading: Reading) -> Reading | None:
    """Read words that nothing could be made of as said to the person to whom something was said before them: the part
    of them that is a civility, else all of them as a remark. After words to somebody `you` is they."""
    is_of_them = lows(clause.words)[:1] == ["you"] and not any(map(_is_speech, reading.actions))
    is_social = reading.unclear is not None and remark_class(clause.text) in SOCIAL
    if not (reading.is_lost or is_of_them or is_social):
        return None
    here = {person.id for person in ctx.nouns.people}
    last = before.actions[-1] if before.actions else None
    if last is None or not _is_speech(last) or last.target_id not in here:
        return None
    if any(word.kind == "speech" for word in clause.words):
        return None
    parts: list[list[Word]] = [[]]
    for word in clause.words:
        if word.kind == "comma" or word.low == "and":
            parts.append([])
        else:
            parts[-1].append(word)
    civil = (read_civility(ctx, clause.text, part, None) for part in parts if part)
    found = next((reading for reading in civil if reading is not None and reading.actions), None)
    is_act = clause.question or is_verb(lows(clause.words)[0])
    is_aside = reading.is_lost and len(clause.words) <= _SHORT and not is_act
    is_remark = is_aside or bool(remark_class(clause.text))
    return found or (read_remark(ctx, clause.text, None, clause.words) if is_remark else None)


# A fragment after words to somebody goes on with them: `six words`.
_SHORT = 3


def _is_said_after(
    readings: Sequence[Reading], reading: Reading, ctx: ParseContext, *, is_question: bool = False
) -> bool:
    """Tell whether words are said to nobody by name, after somebody was addressed who is not here: they were meant."""
    here = {person.id for person in ctx.nouns.people}
    before = readings[-1].actions[-1:] if readings else ()
    is_to_absent = any(_is_speech(action) and action.target_id not in (None, *here) for action in before)
    only = only_person(ctx)
    to_listener = {action.target_id for action in reading.actions} == {only.candidate.id if only else None}
    is_asked = reading.unclear is not None and not reading.is_lost
    return is_to_absent and (is_question or ((to_listener or is_asked) and not reading.is_lost))


def _goes_on_to_absent(ctx: ParseContext, readings: Sequence[Reading], act: Act) -> bool:
    """Tell whether words go on to somebody who was called before them, and is not here."""
    last = readings[-1].actions[-1:] if readings else ()
    here = {person.id for person in ctx.nouns.people}
    is_to_absent = any(_is_speech(action) and action.target_id not in (None, *here) for action in last)
    return is_to_absent and is_said(act) and not act.person


def _is_speech(action: Action) -> bool:
    verb = verb_of(action.type)
    return verb is not None and verb.is_speech


def _is_lead_in(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Tell whether a clause only leads in to the one after it: `So…`."""
    return clause is not clauses[-1] and clause.text.lower() in ("so", "well", "um", "uh", "er", "now")


# Words that begin no act, but say how or where the act beside them is done: `over the rim, ask him`.
_ADVERBIAL = frozenset("over with without in under from at after before behind by between".split())


def _is_adverbial(clause: Clause) -> bool:
    low = lows(clause.words)
    if low == ["listen"]:
        return True
    is_short = 1 < len(low) <= 5 and all(word.kind == "word" for word in clause.words)
    return is_short and not clause.question and low[0] in _ADVERBIAL and low[1] in lexicon().articles


def _continues(before: Reading, after: Reading) -> bool:
    """Tell whether the first of two readings says no more than the second."""
    if len(before.actions) != 1 or not after.actions or before.actions[0].type != after.actions[0].type:
        return False
    verb = verb_of(after.actions[0].type)
    syntax = None if verb is None else verb.part(Syntax)
    is_one = None if syntax is None else syntax.continues
    return is_one is not None and is_one(before.actions[0], after.actions[0])
