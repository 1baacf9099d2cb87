"""One clause and the scope -> its reading: as a deed, as words to somebody, as a question; or a question back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from rapidfuzz import fuzz

from lorewright.builtin.parser.guesses import is_slip, read_aloud, read_deed
from lorewright.builtin.parser.handling import is_finer
from lorewright.builtin.parser.pieces import by_own_verb, joined, own_verbs, remembered, with_reading
from lorewright.builtin.parser.readings import (
    ParseContext,
    Reading,
    about,
    alone,
    asking,
    excerpt,
    not_caught,
    only_person,
    pattern_for,
    read_way,
    typeable,
    which,
    wondering,
)
from lorewright.builtin.parser.rewordings import (
    reworded,
    said_for_speaker,
    topic_confronted,
    with_contents,
    with_plain_verb,
    with_sign,
    without_voice,
)
from lorewright.builtin.parser.small_talk import question_form, remark_class
from lorewright.builtin.parser.speech import (
    nobody_called,
    put_to,
    read_civility,
    read_claim,
    read_remark,
    stranger_addressed,
)
from lorewright.builtin.parser.vocatives import find_name_within, find_vocative, seen_inside
from lorewright.builtin.parser.ways import is_flight
from lorewright.builtin.words.asides import is_impossible
from lorewright.builtin.words.clauses import (
    AGAIN,
    Clause,
    Phrase,
    Phrasing,
    Word,
    is_adverb,
    lexicon,
    longest_prefix,
    lows,
    syntaxes,
    trimmed,
    typed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import (
    CONFIDENCE,
    LOOSE,
    PhraseMatch,
    Tie,
    exact,
    resolve,
)
from lorewright.builtin.words.utterances import (
    is_said,
    main_clauses,
    said_after_colon,
    without_lead,
    without_pardon,
    without_participle,
    without_tag,
)
from lorewright.scene_lore.nouns import is_verb
from lorewright.values.readings import Aside


def read_clause(ctx: ParseContext, clause: Clause, vocabulary: set[str]) -> Reading | None:
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
    words = with_plain_verb(
        with_contents(with_sign(without_voice(_drop_lead_in(ctx, without_participle(clause.words)))))
    )
    spelled = _drop_lead_in(ctx, without_participle(clause.words))
    plain = with_plain_verb(spelled)
    if plain is not spelled:
        clause, words = Clause(tuple(plain), clause.question), plain
    if is_impossible(clause.text):
        return Reading(aside=Aside(kind="story", words=clause.text), words=clause.text)
    spoken = next((word for word in words if word.kind == "speech"), None)
    if spoken is not None and not _verb(lows(words)):
        return _read_quoted(ctx, clause, words) or not_caught(ctx, clause.text)
    whom, told = said_after_colon(words)
    hearer = exact(typed(whom), ctx.nouns.people + ctx.nouns.known_people) if whom else None
    if hearer is not None and told:
        is_remark = not clause.question and is_said(told)
        return read_remark(ctx, clause.text, hearer, told) if is_remark else put_to(ctx, clause.text, hearer, told)
    asked = without_pardon(words)
    asked = without_lead(words) if asked is words else asked
    asked = reworded(ctx, words) if asked is words else asked
    if asked is not words:
        return _read_whole_clause(ctx, Clause(tuple(asked), clause.question), vocabulary)
    seen_in = seen_inside(ctx, words)
    if seen_in is not None:
        looked = _read_by_verb(ctx, Clause(seen_in), seen_in)
        if looked is not None and looked.actions:
            return looked
    if not clause.question and said_for_speaker(ctx, words):
        return read_remark(ctx, clause.text, None, words)
    vocative = find_vocative(ctx, words)
    if vocative:
        brought_up = "" if clause.question else topic_confronted(ctx, vocative[1])
        if brought_up:
            return put_to(ctx, clause.text, vocative[0], words_of(f"about {brought_up}"))
        if not clause.question and (question_form(typed(vocative[1])) in _REQUESTS or _is_remark(vocative[1])):
            claimed = read_claim(ctx, clause.text, vocative[1], vocative[0])
            return claimed or read_remark(ctx, clause.text, *vocative)
        return put_to(ctx, clause.text, *vocative) or not_caught(ctx, clause.text)
    stranger = stranger_addressed(ctx, words, is_question=clause.question)
    if stranger:
        return nobody_called(ctx, clause.text, stranger)
    claim = None if clause.question else read_claim(ctx, clause.text, words, None)
    if claim is not None:
        return claim
    if not clause.question and _is_offered(ctx, clause.words):
        return read_remark(ctx, clause.text, find_name_within(ctx, clause.words), clause.words)
    stated = without_tag(words) if clause.question else words
    brought_up = "" if clause.question or only_person(ctx) is None else topic_confronted(ctx, words)
    if brought_up and is_said(words):
        return put_to(ctx, clause.text, None, words_of(f"about {brought_up}"))
    if (not clause.question or stated is not words) and is_said(stated):
        whole = clause.words if stated is words and len(clause.words) > len(words) else stated
        return read_remark(ctx, clause.text, find_name_within(ctx, stated), whole)
    if clause.question and lows(words) == ["remember"] and ctx.nouns.people:
        return put_to(ctx, clause.text, None, words_of("do you remember"))
    words = words if _is_phrase(lows(words)) else _drop_adverbs(words, vocabulary)
    if not [word for word in words if word.kind != "comma"]:
        return None
    return (
        by_own_verb(ctx, clause.text, words)
        or _read_bare_way(ctx, words)
        or (None if _is_done(lows(words)) else read_civility(ctx, clause.text, clause.words, None))
        or _read_by_verb(ctx, clause, words)
        or _question(ctx, clause, words)
        or _read_bare_noun(ctx, clause, words)
        or _offer_verb(ctx, clause, words)
        or _read_main_clause(ctx, clause, words, vocabulary)
        or _read_anything(ctx, words)
        or read_deed(ctx, clause, words)
        or read_aloud(ctx, clause, words)
        or not_caught(ctx, clause.text)
    )


def _is_remark(words: Sequence[Word]) -> bool:
    """Tell whether words said to somebody by name state something: `I lost my way`, `four nights`."""
    return is_said(words) or (len(words) > 1 and words[0].low in lexicon().numbers.keys() - lexicon().articles)


# What somebody is told to do: it asks for no lore.
_REQUESTS = frozenset(("keep_still", "follow", "instruction"))


def _is_offered(ctx: ParseContext, words: Sequence[Word]) -> bool:
    """Tell whether somebody here is told what one will do for them or to them: `I'll buy you a drink`; to hand over
    what one carries is an act."""
    comma = next((at + 1 for at, word in enumerate(words[:4]) if word.kind == "comma"), 0)
    low = [word for word in lows(words[comma:]) if word]
    lead = longest_prefix(low, _WILLS)
    rest = low[len(lead) :]
    if not lead or not rest or not ctx.nouns.people:
        return False
    if len(rest) == 1 and rest[0] in _OFFERED:
        return True
    if rest[1:2] != ["you"] or rest[0] in _ASKING_VERBS:
        return False
    return all(key.words[-1:] != (rest[-1],) for thing in ctx.nouns.carried for key in thing.keys)


_OFFERED = frozenset(("pay", "help", "manage", "survive", "live", "cope"))
_WILLS = tuple(
    tuple(will.split())
    for will in ("i am going to", "i'm going to", "i will", "i can", "i could", "i would", "i'll", "i'd")
)
_ASKING_VERBS = frozenset(("ask", "follow", "tell", "show"))


# Before a comma they call somebody.
_CALLING = frozenset(("listen", "look", "see", "wait", "stop", "watch"))


def _is_done(low: Sequence[str]) -> bool:
    """Tell whether words are something done, and nothing that is called for or felt: `feel for the shelf`."""
    if low[0] in lexicon().saying and low[1:2] != [] and low[1] in lexicon().person_pronouns:
        # What somebody is told is no remark by itself: `tell him Jin sent me`.
        return True
    return low[0] in _CONSUMED or (low[0] == "feel" and low[1:2] != [] and low[1] in _GROPED)


_GROPED = frozenset("for along around about under behind inside the my".split())
# What is drunk and eaten is called for only where it is not at hand.
_CONSUMED = frozenset(("drink", "sip", "eat", "taste"))


def _read_main_clause(ctx: ParseContext, clause: Clause, words: Sequence[Word], vocabulary: set[str]) -> Reading | None:
    """Read an act without what says when, why or how it is done; None where no verb takes any part of the words."""
    if words[0].low in _CALLING and any(word.kind == "comma" for word in words[:2]):
        return None
    for shorter in main_clauses(Clause(tuple(words), clause.question)):
        plain = _drop_adverbs(shorter.words, vocabulary)
        reading = _read_by_verb(ctx, shorter, plain) if [word for word in plain if word.kind == "word"] else None
        if reading is not None and reading.actions:
            return reading
    return None


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
            or (low[0] == "wait" and longest_prefix([word for word in low[1:] if word], lex.question_words))
            or (low[0] in lex.statements["interjections"] and longest_prefix(low[1:], own_verbs(ctx)))
            or (low[0] in lex.adverbs and (low[0] in AGAIN or low[0] not in lex.verb_words))
            or (
                (low[0] in lex.before_verbs or _is_of_player(ctx, words))
                and not _is_said_to_you(low)
                and (_verb(low[1:]) or longest_prefix(low[1:], own_verbs(ctx)))
                and (low[0] in ("i", "we", "you") or not resolve(typed(words[1:]), ctx.nouns.exits))
            )
        ):
            words = words[1:]
        else:
            break
    return words


def _is_said_to_you(low: Sequence[str]) -> bool:
    """Tell whether words are said to somebody and not done: `I warn you, Odo`."""
    return low[0] == "i" and low[1:2] in (["warn"], ["beg"], ["tell"]) and low[2:3] == ["you"]


def _is_of_player(ctx: ParseContext, words: Sequence[Word]) -> bool:
    """Tell whether `you` that begins the words is the player, as in `you look around`; not who is addressed."""
    low = lows(words)
    return low[0] == "you" and low[1] not in lexicon().statements["of_you"] and not find_vocative(ctx, words)


def _is_phrase(low: Sequence[str]) -> bool:
    return tuple(low) in lexicon().verb_phrases


def _verb(low: Sequence[str]) -> tuple[str, ...]:
    return longest_prefix(low, lexicon().verb_phrases)


def _drop_adverbs(words: Sequence[Word], vocabulary: set[str]) -> Sequence[Word]:
    """Return the words without adverbs, in a question only before its topic; words of names and the verb are none."""
    lex, low = lexicon(), lows(words)
    verb = _verb(low)
    has_topic = verb in lex.topic_verbs
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
    said = [part for part in _sentences(inner) if part.words]
    readings: list[Reading] = []
    for part in said:
        reading = _read_said(ctx, clause, part, target)
        if reading is not None and (reading.actions or len(said) == 1):
            readings = with_reading(readings, reading)
            ctx = remembered(ctx, reading)
            target = target or _spoken_to(ctx, reading)
    if not readings:
        return put_to(ctx, clause.text, target, speech)
    return readings[0] if len(readings) == 1 else joined(readings, "; ".join(reading.intent for reading in readings))


def _spoken_to(ctx: ParseContext, reading: Reading) -> PhraseMatch | None:
    """Return to whom a reading speaks: what follows in the same quotation is said to them, too."""
    ids = {action.target_id for action in reading.actions}
    person = next((person for person in ctx.nouns.people if person.id in ids), None)
    return None if person is None else PhraseMatch(person, person.name, 0.85, mended=True)


def _sentences(words: Sequence[Word]) -> list[Clause]:
    """Return words cut at stops, each with whether it is a question."""
    parts: list[Clause] = []
    current: list[Word] = []
    for word in words:
        if word.kind == "stop":
            parts.append(Clause(tuple(current), question="?" in word.text))
            current = []
        else:
            current.append(word)
    return [*parts, Clause(tuple(current))]


def _read_said(ctx: ParseContext, clause: Clause, said: Clause, target: PhraseMatch | None) -> Reading | None:
    """Read a sentence of a quotation: to whom it is said by name, else to the target or the person spoken with."""
    words = said.words
    vocative = find_vocative(ctx, words)
    if target is None and vocative:
        return put_to(ctx, clause.text, *vocative)
    stranger = "" if target else stranger_addressed(ctx, words, is_question=said.question)
    if stranger:
        return nobody_called(ctx, clause.text, stranger)
    stated = without_tag(words) if said.question else words
    if (not said.question or stated is not words) and (is_said(stated) or remark_class(said.text)):
        asks = longest_prefix(lows(without_lead(words)), lexicon().question_words)
        if not asks or stated is not words:
            return read_remark(ctx, clause.text, target, stated)
    return put_to(ctx, clause.text, target, without_lead(words))


def _read_bare_way(ctx: ParseContext, words: Sequence[Word]) -> Reading | None:
    """Read a way out or the place behind it, by its very name and nothing else."""
    phrase = typed(words)
    direction = lexicon().directions.get(phrase.lower(), phrase)
    if exact(phrase, ctx.nouns.exits) or exact(direction, ctx.nouns.exits):
        return read_way(ctx, phrase, words)
    if phrase.lower() in (*lexicon().directions, *lexicon().directions.values()) or is_flight(ctx, lows(words)):
        return read_way(ctx, phrase, words)
    return None


def _read_by_verb(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read by the frame of the longest verb phrase that takes the rest of the words."""
    low = lows(words)
    if low[0] in AGAIN:
        return None if words[1:] else asking(clause.text, "Type again what you want repeated.")
    lost: Reading | None = None
    asked: set[object] = set()
    for phrase, phrasing in _verbs_by_first_word().get(low[0], ()):
        if tuple(low[: len(phrase)]) != phrase or phrasing.read in asked:
            continue
        if phrasing.has_topic:
            asked.add(phrasing.read)
        reading: Reading | None = phrasing.read(ctx, clause.text, words[len(phrase) :])
        if reading is not None and not reading.is_lost:
            return reading
        # Another verb of the same words may know what is meant: one closes one's eyes, and no door. What one
        # talks to is not what one talks about.
        lost = lost or reading
    return lost


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
    is_to_anybody = low[0] in _ANYBODY and len(low) > 1
    asks = clause.question or (
        longest_prefix(low, lexicon().question_words) and (low[0] not in _ALSO_VERBS or low[1:2] not in _OBJECTS)
    )
    if asks and (subject := _asked_after_listener(ctx, low)):
        return wondering(subject)
    if is_to_anybody and ctx.nouns.people:
        hearer = only_person(ctx) or PhraseMatch(ctx.nouns.people[0], ctx.nouns.people[0].name, 0.85, mended=True)
        comma = next((at for at, word in enumerate(words) if word.kind == "comma"), len(words))
        return put_to(ctx, clause.text, hearer, words[:comma])
    if low[0] in ("about", "regarding", "concerning") and len(low) > 2 and ctx.nouns.people:
        return put_to(ctx, clause.text, None, words)
    goes_on = low[0] in _ALONE and ctx.topic and ctx.listener is not None
    is_asked = asks and (len(words) > 1 or goes_on)
    if is_to_anybody:
        return alone(clause.text)
    return put_to(ctx, clause.text, None, words) if is_asked else None


def _asked_after_listener(ctx: ParseContext, low: Sequence[str]) -> str:
    """Return the name of the person spoken with, where a question is about them and not put to them."""
    named = low[2:] if low[0] == "who" and low[1:2] in (["is"], ["was"]) else low[1:] if low[0] == "who's" else ()
    if ctx.listener is None or {"you", "your"} & set(low):
        return ""
    sizes = (size for size in range(min(len(named), 3), 0, -1) if exact(" ".join(named[:size]), (ctx.listener,)))
    return ctx.listener.name if next(sizes, 0) else ""


_ANYBODY = frozenset(("anyone", "anybody"))


# Questions of one word, about what was last spoken of.
_ALONE = frozenset(("why", "when", "how", "where", "who", "what", "really"))


# Words that begin a question, and an act where an object follows: `have a rummage`.
_ALSO_VERBS = frozenset(("have", "do", "can", "will"))
_OBJECTS = (["a"], ["an"], ["some"], ["my"], ["another"], ["one"])


def _read_bare_noun(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read a name without a verb: a way out is taken, for anything else the answer is a question."""
    words = trimmed(words, end=("for", "me", "please", "again", "it", "is"))
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
    if len(low) < 4 or is_verb(low) or any(low in key.words for person in ctx.nouns.people for key in person.keys):
        return None
    likely = [verb for verb in sorted(lexicon().verb_words) if len(verb) >= 4 and is_slip(low, verb)]
    for verb in sorted(likely, key=lambda verb: (-fuzz.ratio(low, verb), verb)):
        mended = (Word(verb, verb), *words[1:])
        reading = _read_by_verb(ctx, Clause(mended), mended)
        if reading is not None and reading.unclear is None:
            assumed = f"{verb} is meant by {excerpt(words[0].text)}"
            return replace(reading, confidence=0.7, assumptions=(*reading.assumptions, assumed))
    return None


def is_command(ctx: ParseContext, low: Sequence[str], readings: Sequence[Reading]) -> bool:
    """Tell whether a line is a verb of the grammar with the whole name of what it is done to, and of what it is about:
    nothing is left to be tagged in it."""
    if len(readings) != 1 or len(readings[0].actions) != 1 or readings[0].confidence < _EXACT:
        return len(readings) == 1 and readings[0].is_sure
    verb = longest_prefix(low, lexicon().verb_phrases)
    named, about = low[len(verb) :], next((at for at, word in enumerate(low) if word in lexicon().about), 0)
    parts = [named] if about < len(verb) else [low[len(verb) : about], low[about + 1 :]]
    # What somebody is to do for one is a request.
    is_request = not {"me", "us"}.isdisjoint(low)
    return (
        bool(verb)
        and not (is_request or is_finer(" ".join(low), readings[0].actions[0].type))
        and all(part and exact(" ".join(part), ctx.nouns.everything()) for part in parts)
    )


# So sure is a reading in which a name was typed as it is.
_EXACT = 0.9
