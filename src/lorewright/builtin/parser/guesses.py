"""Words that no frame of a verb reads -> what they amount to: a deed at something, words to somebody, a slip; else the
one or two lines that they most likely mean, as a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import replace

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from lorewright.builtin.parser.acts.kinds import is_thought
from lorewright.builtin.parser.handling import FLESH
from lorewright.builtin.parser.readings import (
    AFTER_NOUNS,
    ParseContext,
    Reading,
    aimed_at_prose,
    alone,
    only_person,
    read_as,
    read_way,
    typeable,
)
from lorewright.builtin.parser.small_talk import remark_class
from lorewright.builtin.parser.speech import put_to, read_remark
from lorewright.builtin.words.clauses import (
    Clause,
    Word,
    is_adverb,
    lexicon,
    longest_prefix,
    lows,
    place_name,
    typed,
    with_article,
    words_of,
)
from lorewright.builtin.words.english import is_english
from lorewright.builtin.words.noun_phrases import (
    Candidate,
    PhraseMatch,
    exact,
    in_prose,
    key_words,
    resolve,
    scenery_named,
    words_shown,
)
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import typed as typed_lines
from lorewright.rules.verbs import verb_for
from lorewright.scene_lore.nouns import function_words, is_verb, known_words, singular
from lorewright.values.readings import Unclear


def read_deed(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read words of an unknown verb as an attempt at what they name after a determiner, where no entity stands for it:
    the rules say why nothing comes of it. None where they name nothing so."""
    words = (
        words[1:] if lows(words[:1]) in (["i"], ["you"], ["we"]) and is_verb(lows(words[1:2] or words)[0]) else words
    )
    low = lows(words)
    if (
        not words
        or words[0].kind != "word"
        or low[0] in lexicon().articles
        or longest_prefix(low, lexicon().question_words)
        or not (is_verb(low[0]) or low[0] in lexicon().verb_words or set(low[1:2]) & lexicon().statements["objects"])
    ):
        return None
    if ctx.prose_noun and low[1:2] in (["it"], ["them"]) and (is_verb(low[0]) or low[0] in lexicon().verb_words):
        return aimed_at_prose(ctx, typed(words), ctx.prose_noun)
    for at, word in enumerate(low):
        is_bare = at == 0 and is_verb(low[0]) and len(low) > 1 and low[1] not in lexicon().articles
        if (not at and not is_bare) or (at and word not in lexicon().articles):
            continue
        end = next((n for n in range(at + 1, len(low)) if not low[n] or low[n] in AFTER_NOUNS), len(low))
        if low[end : end + 1] == ["of"]:
            end = next((n for n in range(end + 1, len(low)) if not low[n] or low[n] in AFTER_NOUNS), len(low))
        found = aimed_at_prose(ctx, typed(words), typed(words[at + 1 : end])) if end > at + 1 else None
        if found is not None:
            return found
    return None


def noun_alone(ctx: ParseContext, text: str) -> Reading | None:
    """Return a thing that is named and nothing else, `the hat`, as a look at it; with a question mark as a question
    about it, to whom one speaks with. None for people and ways, and for what is a verb as well."""
    if _PLAN.match(text):
        return read_remark(ctx, text, None, words_of(text)) if ctx.nouns.people else alone(text)
    words = words_of(text)
    asks = bool(words) and words[-1].text.startswith("?")
    phrase = words[:-1] if words and words[-1].kind == "stop" else words
    low = lows(phrase)
    is_the = low[:1] in (["the"], ["my"], ["a"], ["that"])
    phrase, low = phrase[is_the:], low[is_the:]
    is_act = not low or bool(longest_prefix(low, lexicon().verb_phrases)) or low[0] in lexicon().verb_words
    nouns, looking = ctx.nouns, verb_for("examine")
    others = (*nouns.people, *nouns.known_people, *nouns.exits, *nouns.known_places)
    if "" in low or len(low) > _LONGEST_NOUN or (is_act and not is_the) or not low or exact(typed(phrase), others):
        return None
    way = read_way(ctx, text, phrase)
    if way is not None and any(action.location_id for action in way.actions):
        return None
    noun = in_prose(typed(phrase), nouns)
    is_shown = noun is not None and noun.standing == "shown" and set(low) <= set(noun.name.casefold().split())
    if exact(typed(phrase), nouns.things) is None and not is_shown:
        return None
    if asks:
        return put_to(ctx, text, None, phrase) if nouns.people else alone(text)
    return read_as(looking, ctx, text, phrase)


_LONGEST_NOUN = 3
# What is planned aloud is not done yet.
_PLAN = re.compile(
    r"(?:ok|okay|so|right|new|genius|here'?s|the|my|a|good|great|simple|well|,| )*plan(?: is)? ?[:-] ", re.IGNORECASE
)


def voiced(ctx: ParseContext, act: Act, found: list[Reading]) -> list[Reading]:
    """Return the readings of an act; a thought of which nothing could be made as said to who is there."""
    is_clear = act.score >= _CLEARLY and is_thought(act) and all(reading.is_lost for reading in found)
    said = read_remark(ctx, act.words, None, words_of(act.words)) if is_clear and ctx.nouns.people else None
    return found if said is None else [said]


# From that on the kind of an act is no guess.
_CLEARLY = 0.4


def read_aloud(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read words that are about somebody or have a mood, and begin with no act, as said to whom one speaks with; and
    those that nobody would take for an act: an offer, thanks, a joke."""
    low = lows(words)
    if remark_class(clause.text) in SOCIAL:
        return read_remark(ctx, clause.text, None, clause.words) if ctx.nouns.people else alone(clause.text)
    if ctx.nouns.people and len(low) <= _SHORT and _WH & set(low[1:]):
        return put_to(ctx, clause.text, None, clause.words)
    is_about_somebody = ctx.has_mood or bool(set(low) & _PERSONS)
    if not is_about_somebody or (len(low) < 2 and not ctx.has_mood) or _reads_as_order(low):
        return None
    return read_remark(ctx, clause.text, None, words) if ctx.nouns.people else alone(clause.text)


# A question of so few words may have its question word anywhere: `folding what`.
_SHORT = 4
_WH = frozenset("what who where when why how".split())
SOCIAL = frozenset(
    """apology thanks greeting farewell compliment turn joke threat boast confession accusation wish promise offer
    suggestion memory ignorance opinion taste of_you answer_me feeling""".split()
)
_PERSONS = frozenset(
    "i you we he she they your you're i'm it's he's she's they're we're his her their my me us".split()
)


def _reads_as_order(low: Sequence[str]) -> bool:
    return low[0] not in _PERSONS and low[0] not in lexicon().about and bool(set(low[1:3]) & lexicon().articles)


_YES = frozenset(("yes", "y", "yeah", "yep", "sure", "ok", "okay", "right", "exactly", "correct", "please do", "do it"))


def confirmed_line(text: str, options: Sequence[str]) -> str:
    """Return the only line that was offered, where the answer is yes; else the text as it is."""
    return options[0] if len(options) == 1 and text.lower().strip(" .!") in _YES else text


def is_slip(typed_verb: str, verb: str) -> bool:
    """Tell whether a word is a verb with a letter wrong, or with its letters in another order."""
    is_like = fuzz.ratio(typed_verb, verb) >= _SLIP and typed_verb[0] == verb[0]
    return is_like or (sorted(typed_verb) == sorted(verb) and typed_verb != verb)


# From so many per cent of the letters on it is a slip.
_SLIP = 85


# Words of which nothing can be made -> the lines that they may mean.


def asked_in_full(ctx: ParseContext, reading: Reading, words: Sequence[Word], works: Callable[[str], bool]) -> Reading:
    """Return a reading of which nothing could be made with the one or two lines that its words may mean, written out,
    each of which `works` when it is typed; the reading as it is where there are none."""
    if reading.unclear is None or not reading.is_lost:
        return reading
    said = reading.unclear.question
    unknown = set(map(singular, key_words(reading.unknown)))
    lines: list[str] = []
    for line in _likely_lines(ctx, words, unknown):
        if line not in lines and works(line):
            lines.append(line)
        if len(lines) == _MOST_OFFERED:
            break
    if not lines:
        return reading
    question = " Or: ".join((f"You mean: {lines[0]}?", *(f"{line}?" for line in lines[1:])))
    question = f"{said} {question}" if unknown else question
    return replace(reading, unclear=Unclear(words=reading.unclear.words, question=question, lines=tuple(lines)))


_MOST_OFFERED = 2
# Small words between a verb and its object.
_JOINTS = frozenset(("on", "at", "to", "in", "with", "for"))


def _likely_lines(ctx: ParseContext, words: Sequence[Word], unknown: Set[str]) -> Iterator[str]:
    """Yield lines with the verb of the words and what they name, then what is mostly done with that, then the words as
    said to somebody; the likeliest first. Where a word for something is `unknown`, only what shares it is meant."""
    low = lows(words)
    named = [
        (found, name)
        for found, name in _named(ctx, words)
        if not unknown or (found is not None and any(unknown & set(map(singular, key.words)) for key in found.keys))
    ]
    lead = len(longest_prefix(low, lexicon().lead_ins)) or int(low[:1] in (["i"], ["you"], ["we"]))
    verb = longest_prefix(low[lead:], lexicon().verb_phrases)
    if verb:
        joint = low[lead + len(verb)] if low[lead + len(verb) : lead + len(verb) + 1] else ""
        for found, name in named[:3]:
            if found is None or found.kind != "exit":
                yield " ".join((*verb, joint, name) if joint in _JOINTS else (*verb, name))
        if ctx.prose_noun and ctx.nouns.knows_scenery and {"it", "them"} & set(low):
            yield f"{' '.join(verb)} {with_article(ctx.prose_noun)}"
    if verb and not low[lead + len(verb) :]:
        # A verb alone is meant of one of those who are here.
        yield from (f"{' '.join(verb)} {typeable(person.name)}" for person in ctx.nouns.people[:_MOST_OFFERED])
    if unknown:
        for found, name in named[:2]:
            yield from _lines_about(found, name)
        return
    is_asked = bool({"you", "your"} & set(low)) or bool(longest_prefix(low, lexicon().question_words))
    hearer = only_person(ctx)
    if is_asked and hearer is not None:
        yield f'say "{typeable(typed(words))}" to {typeable(hearer.candidate.name)}'
    people = [name for found, name in named if found in ctx.nouns.people]
    for person in people:
        for topic in (name for _, name in named if name != person):
            yield from typed_lines("question", person=person, topic=topic)
    for found, name in named[:3]:
        yield from _lines_about(found, name)


def _lines_about(found: Candidate | None, name: str) -> Iterator[str]:
    """Yield what is mostly done with what is named; None stands for what only the prose shows."""
    match None if found is None else found.kind:
        case "person":
            yield from typed_lines("meet", person=name)
            yield from typed_lines("examine", thing=name)
        case "exit" | "place":
            yield from typed_lines("travel", place=name)
        case "door":
            yield from typed_lines("open_door", door=name.removeprefix("the "))
            yield from typed_lines("examine", thing=name)
        case "thing":
            yield from typed_lines("grab", thing=name)
            yield from typed_lines("examine", thing=name)
        case _:
            yield from typed_lines("examine", thing=name)


def _named(ctx: ParseContext, words: Sequence[Word]) -> Iterator[tuple[Candidate | None, str]]:
    """Yield whom and what the words name, in their order, with the name to be typed; what only the prose shows has no
    candidate."""
    nouns = ctx.nouns
    among = (*nouns.people, *nouns.things, *nouns.doors, *nouns.exits)
    known = (*nouns.known_people, *nouns.known_things, *nouns.known_places)
    at = 0
    while at < len(words):
        taken = 1
        for size in range(min(4, len(words) - at), 0, -1):
            part = words[at : at + size]
            if any(word.kind != "word" for word in part) or (size == 1 and _is_small(part[0])):
                continue
            phrase = typed(part)
            found = (
                exact(phrase, among) or exact(phrase, known) or (_part_of_name(phrase, among) if size == 1 else None)
            )
            if found is not None:
                yield found.candidate, _typed_name(found)
                taken = size
                break
            noun = scenery_named(phrase, nouns.scenery) if size == 1 and not is_verb(part[0].low) else None
            if noun is not None:
                yield None, with_article(noun.label)
                break
        at += taken


def _is_small(word: Word) -> bool:
    lex = lexicon()
    is_function = word.low in function_words() or word.low in lex.articles or word.low in lex.numbers
    return is_function or is_adverb(word) or word.low in lex.person_pronouns | lex.thing_pronouns | lex.self_words


def _part_of_name(word: str, among: Sequence[Candidate]) -> PhraseMatch | None:
    found = resolve(word, among, whole=True)
    is_part = isinstance(found, PhraseMatch) and set(key_words(word)) <= {
        part for key in found.candidate.keys for part in key.words
    }
    return found if isinstance(found, PhraseMatch) and is_part else None


def _typed_name(found: PhraseMatch) -> str:
    name = typeable(found.label)
    if found.candidate.kind == "person":
        return name
    return place_name(name) if found.candidate.kind in ("place", "exit") else with_article(name)


def mended_act(ctx: ParseContext, act: Act) -> tuple[Act, tuple[tuple[str, str], ...]]:
    """Return an act with the slips in what it names mended to words for what is here, and the slips, each with what was
    meant."""
    act = _without_clause(ctx, act)
    named = " ".join((act.target, act.second, act.person))
    words = {word for noun in ctx.nouns.everything() for key in noun.keys for word in key.words}
    words |= words_shown(ctx.nouns)
    words |= set(map(singular, words))
    forms = {form for word in words for form in (word, f"{word}'s", f"{word}s")}
    people = {word for noun in (*ctx.nouns.people, *ctx.nouns.known_people) for key in noun.keys for word in key.words}
    of_people, known = act.person.split(), forms | known_words()
    owner, _, part = act.target.rpartition(" ")
    is_of_body = owner.casefold().endswith(("s", "his", "her", "their")) or owner.casefold() in people
    limb = part if part in FLESH or part.casefold() in known else _nearest(part.casefold(), FLESH, _LIKE)
    limb = limb if is_of_body else ""
    # `leenas hnad`
    of_owner = owner.split()[-1:] if limb in FLESH else []
    names = {f"{word}'s" for word in people} if of_owner else set[str]()
    words |= {limb} & FLESH
    slips = tuple(
        (odd, meant)
        for odd in dict.fromkeys(named.split())
        if odd in of_owner or odd in of_people or not is_english(odd.casefold())
        if (is_odd := odd in act.odd and odd.casefold() not in forms) or odd.casefold() not in known
        if (
            meant := _nearest(
                odd.casefold(),
                names if odd in of_owner else people if odd in of_people else words,
                _LIKE if is_odd or odd in of_owner else _MUCH_LIKE,
            )
        )
    )
    # `viktors apron`
    owners = [word for word in act.target.split()[:-1] if word.endswith("s") and word.casefold() not in people]
    slips += tuple((word, f"{word[:-1].capitalize()}'s") for word in owners if word.casefold()[:-1] in people)
    slips += tuple(_other_names(ctx, act.target)) if not slips else ()
    for odd, meant in slips:
        slip = re.compile(rf"\b{re.escape(odd)}\b")
        fields = ("words", "target", "second", "person", "topic")
        act = act.model_copy(update={field: slip.sub(meant, getattr(act, field)) for field in fields})
    return act, slips


def _without_clause(ctx: ParseContext, act: Act) -> Act:
    """Return an act whose target is a noun, without who is said to do something with it: `the cup she is holding`."""
    head, _, name = act.target.rpartition(" ")
    goes_on = re.search(rf"\b{re.escape(name)} (?:is|was|has|had|\w+(?:s|ed)|gave|left)\b", act.words) if head else None
    return act.model_copy(update={"target": head}) if goes_on and exact(name, ctx.nouns.people) is not None else act


def _other_names(ctx: ParseContext, phrase: str) -> Iterator[tuple[str, str]]:
    """Yield the word by which a thing that is at hand was called, with its name: notes for a notebook."""
    word = phrase.split()[-1] if phrase else ""
    likes = lexicon().likes.get(singular(word.casefold()), ())
    if not likes or resolve(phrase, ctx.nouns.everything()) is not None or _is_in_sight(ctx, phrase):
        return
    found = (resolve(like, ctx.nouns.things, whole=True) for like in likes)
    yield from ((word, match.label) for match in found if isinstance(match, PhraseMatch) and not match.mended)


def _is_in_sight(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether the prose shows what a phrase names."""
    noun = in_prose(phrase, ctx.nouns)
    return noun is not None and noun.standing == "shown"


def _nearest(odd: str, words: Collection[str], least: float) -> str:
    """Return the only word that an unknown one is most like; empty for none, for several, and for its own plural."""
    scores = {
        word: OSA.normalized_similarity(odd, word)
        for word in words
        if len(word) >= _LONG_ENOUGH and word[0] == odd[:1] and abs(len(word) - len(odd)) <= _LENGTHS_APART
    }
    best = max(scores.values(), default=0.0)
    likely = [word for word, score in scores.items() if score == best >= least]
    if len(likely) != 1 and least == _LIKE:
        # `bote` for a boat; a word that may be right as it is, as `radio`, is no road.
        long = {word: score for word, score in scores.items() if min(len(word), len(odd)) >= _SOUNDED}
        alike = {word: score for word, score in long.items() if _consonants(word) == _consonants(odd)}
        likely = [word for word, score in alike.items() if score == max(alike.values())]
    return likely[0] if len(likely) == 1 and likely[0] != f"{odd}s" else ""


def _consonants(word: str) -> str:
    return re.sub(r"[aeiouy]|(.)(?=\1)", "", word)


# Shorter words are not told by how they sound.
_SOUNDED = 4
_LONG_ENOUGH = 3
_LENGTHS_APART = 2
# From so much of its letters on a word is another with slips.
_LIKE = 0.6
# The same for a word that may be right as it is.
_MUCH_LIKE = 0.75
