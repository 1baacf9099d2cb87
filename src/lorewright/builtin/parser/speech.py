"""Verb frames of people: ask, talk, tell, say, greet, and questions to somebody -> an `ask`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lorewright.builtin.parser.clauses import Word, is_adverb, lexicon, longest_prefix, lows, typed, words_of
from lorewright.builtin.parser.frames import Frame
from lorewright.builtin.parser.noun_phrases import PhraseMatch, Tie, exact, resolve
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    asking,
    claiming,
    excerpt,
    nothing_called,
    only_person,
    openings,
    person_meant,
    pronoun_fits,
    recalling,
    referred,
    typeable,
    which,
)

_WH = frozenset(("where", "who", "what", "when", "why", "how", "which", "who's", "what's", "where's"))
_GREETINGS = frozenset(("hello", "hi", "hey", "greetings", "good evening", "good morning", "good day", "yes", "no"))


# Most words of an unknown name by which somebody is addressed.
_NAME_WORDS = 4
# Words before the name of somebody who is addressed.
_CALLS = frozenset(("hey", "hello", "hi", "oh", "o", "dear", "ah", "yo"))
# Words that begin a sentence before a comma and are no name, and general forms of address.
_NO_NAMES = frozenset(
    """after aha ah aha alas all alright although and anyhow as aside at aye because before besides beyond both
    bother but by damn dear despite during each eh either er even eventually every except fine finally friend
    friends from gentlemen given god good goodness gosh great guys hell hello hey hi hm hmm honestly however huh
    in indeed ladies last later like listen look lord ma'am madam man mate meanwhile miss mister mm neither
    never nevertheless next nice no nope not of off oh ok okay old once one only ooh or otherwise ouch over pal
    pardon please right sadly say second see since sir so some sooner sorry still stop sure than thanks this to
    today tomorrow tonight true two ugh uh um unless until upon wait well whatever whew while why with within
    without wow ye yeah yep yes yesterday yet yo you""".split()
)


def ask(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `viktor about jin`, `viktor where jin is`, `about jin`."""
    if not _plain(rest):
        return _no_target(ctx, words, "")
    named = _match_named_person(ctx, rest)
    if named:
        return _asked(ctx, words, named[0], rest[named[1] :])
    cut = _topic_start(rest)
    if cut == 0:
        return _read_about(ctx, words, rest)
    found = person_meant(ctx, typed(rest[:cut]))
    if found is None and cut == len(rest):
        fuzzy = _guess_person(ctx, rest)
        if fuzzy:
            return _asked(ctx, words, fuzzy[0], rest[fuzzy[1] :])
    return _towards(ctx, words, found, rest[:cut], rest[cut:])


def tell(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `viktor about jin`, `viktor that jin is alive`; `tell me …` asks, and `tell viktor to …` is persuasion."""
    rest = rest[1:] if lows(rest)[:1] == ["to"] else rest
    if lows(rest)[:1] in (["me"], ["us"]):
        return put_to(ctx, words, None, rest[1:])
    people = ctx.nouns.people
    if not _plain(rest):
        return asking(words, "Tell whom, and what?", [f"tell {typeable(person.name)} the truth" for person in people])
    plain = rest[1:] if lows(rest)[:1] == ["the"] else rest
    named = _match_named_person(ctx, plain) or _guess_person(ctx, plain)
    if named is None:
        cut = _topic_start(rest)
        found = person_meant(ctx, typed(rest[:cut])) if cut else None
        if not isinstance(found, PhraseMatch):
            return _ask_whom_to_tell(ctx, words)
        named, plain = (found, cut), rest
    return _telling(ctx, words, named[0], plain[named[1] :])


def _telling(ctx: ParseContext, words: str, target: PhraseMatch, said: Sequence[Word]) -> Reading:
    low = lows(said)
    name = typeable(target.label)
    if not _plain(said):
        return asking(words, f"Tell {target.label} what?", [f"tell {name} the truth", f"talk to {name}"])
    if low[:1] == ["to"]:
        return _read_request(ctx, target, said[1:])
    if low[:1] in (["about"], ["of"]):
        topic = cleaned_topic(said)
        return acting(
            ctx, "tell", f"tell {name} about {topic}", target=target, metadata={"topic": topic or typed(said)}
        )
    topic = typed(said[1:] if low[:1] == ["that"] and len(said) > 1 else said)[:MAX_WORDS].strip()
    return acting(ctx, "tell", f"tell {name} that {topic}", target=target, metadata={"topic": topic})


def _read_request(ctx: ParseContext, target: PhraseMatch, what: Sequence[Word]) -> Reading:
    """Read a request that somebody do something as persuasion."""
    topic = typed(what)[:MAX_WORDS].strip()
    metadata = {"topic": topic} if topic else {}
    return acting(ctx, "persuade", f"persuade {target.label}", target=target, metadata=metadata, confidence=0.8)


def _ask_whom_to_tell(ctx: ParseContext, words: str) -> Reading:
    people = ctx.nouns.people
    if not people:
        return asking(words, "Nobody is here to tell. You can:", openings(ctx.nouns))
    return asking(words, "Tell whom?", [f"tell {typeable(person.name)} the truth" for person in people])


def say(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `"where is jin?" to viktor`: a question to them."""
    target, spoken = _find_addressee(ctx, rest)
    said = [word for token in spoken for word in (words_of(token.text) if token.kind == "speech" else (token,))]
    asks = any("?" in word.text for word in said if word.kind == "stop")
    stranger = "" if target else stranger_addressed(ctx, said, is_question=asks)
    if stranger:
        return nobody_called(ctx, words, stranger)
    return put_to(ctx, words, target, spoken)


def greet(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a talk without a topic; the person greeted may choose what to say."""
    if not _plain(rest) or typed(rest).lower() in ("there", "all"):
        return put_to(ctx, words, None, ())
    return ask(ctx, words, rest)


def put_to(ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]) -> Reading:
    """Read words said to somebody; to the only person here where nobody is named."""
    record = recalling(ctx, words, spoken, target) or claiming(ctx, words, spoken, target)
    if record is not None:
        return record
    only = target or only_person(ctx)
    if only is None:
        return _no_target(ctx, words, cleaned_topic(spoken))
    return _asked(ctx, words, only, spoken)


def stranger_addressed(ctx: ParseContext, words: Sequence[Word], *, is_question: bool) -> str:
    """Return the name that begins or ends a question and is nobody's here, set off by a comma; empty where there is
    none. It goes by the position of the words, not by whose name it might be elsewhere.
    """
    signs = [index for index, word in enumerate(words) if word.kind in ("comma", "stop")]
    asks = lexicon().question_words
    if not signs or not any((is_question, *(longest_prefix(lows(words[n:]), asks) for n in (0, signs[0] + 1)))):
        return ""
    begins, rest = words[: signs[0]], words[signs[0] + 1 :]
    if lows(begins) == ["tell", "me"]:
        second = next((index for index, word in enumerate(rest) if word.kind == "comma"), 0)
        begins, rest = rest[:second], rest[second + 1 :]
    elif len(begins) > 1 and begins[0].low in _CALLS:
        begins = begins[1:]
    if rest and _is_stranger(ctx, begins):
        return typed(begins)
    ends = words[signs[-1] + 1 :]
    is_said_to = {"you", "your", "you're"} & set(lows(words[: signs[-1]]))
    is_name = all(word.text[:1].isupper() for word in ends)
    return typed(ends) if (is_said_to or is_name) and _is_stranger(ctx, ends) else ""


def _is_stranger(ctx: ParseContext, words: Sequence[Word]) -> bool:
    """Tell whether a few words can only be the name of a person unknown to the player."""
    lex, low = lexicon(), lows(words)
    if not 0 < len(words) <= _NAME_WORDS or any(word.kind != "word" for word in words):
        return False
    small = lex.adverbs | lex.about | lex.person_pronouns | lex.thing_pronouns | lex.self_words | _NO_NAMES
    if set(low) <= small | lex.articles or longest_prefix(low, lex.question_words) or low[-1] in small:
        return False
    if low[0] in small | (lex.articles - {"the"}) or " ".join(low) in lex.asides or any(map(is_adverb, words)):
        return False
    if longest_prefix(low, lex.verb_phrases) or longest_prefix(low, lex.lead_ins):
        return False
    return resolve(typed(words), ctx.nouns.everything()) is None


def nobody_called(ctx: ParseContext, words: str, name: str) -> Reading:
    """Return the question back where somebody is addressed who is not here."""
    lines = [f"talk to {typeable(person.name)}" for person in ctx.nouns.people] or openings(ctx.nouns)
    return asking(words, f"Nobody called “{excerpt(name)}” is here. You can:", lines)


def cleaned_topic(words: Sequence[Word]) -> str:
    """Return the subject of a question: `Jin` for `where is Jin?`; where nothing is left, the question as typed."""
    lex = lexicon()
    flat = [inner for word in words for inner in (words_of(word.text) if word.kind == "speech" else (word,))]
    plain = [word for word in flat if word.kind == "word"]
    if typed(plain).lower() in _GREETINGS:
        return ""
    kept = list(plain)
    while kept and kept[-1].low in lex.adverbs | lex.topic_tail:
        kept.pop()
    while kept and kept[0].low in lex.topic_head | lex.adverbs:
        kept.pop(0)
    if not kept and not {word.low for word in plain} - lex.about - lex.articles - lex.adverbs:
        return ""
    while not kept and len(plain) > 1 and plain[0].low in lex.about | lex.articles and plain[0].low not in _WH:
        plain = plain[1:]
    return typed(kept or plain)[:MAX_WORDS].strip()


def _asked(ctx: ParseContext, words: str, target: PhraseMatch, spoken: Sequence[Word]) -> Reading:
    record = recalling(ctx, words, spoken, target) or claiming(ctx, words, spoken, target)
    if record is not None:
        return record
    if lows(spoken)[:1] == ["and"]:
        return asking(words, "One at a time, please. You can:", [f"talk to {typeable(target.label)}"])
    topic = cleaned_topic(spoken)
    if topic.lower() in lexicon().person_pronouns | lexicon().thing_pronouns and topic.lower() != "you":
        return _resolve_topic(ctx, words, target, topic)
    return _asking(ctx, target, topic)


def _asking(ctx: ParseContext, target: PhraseMatch, topic: str) -> Reading:
    known = exact(topic, ctx.nouns.everything()) if topic else None
    subject = known.label if known else topic
    intent = f"ask {target.label} about {subject}" if topic else f"talk to {target.label}"
    return acting(ctx, "ask", intent, target=target, metadata={"topic": topic} if topic else {})


def _resolve_topic(ctx: ParseContext, words: str, target: PhraseMatch, topic: str) -> Reading:
    """Read a pronoun as topic: what was mentioned last, if it is not the person asked; else a question back."""
    last = [
        mentioned
        for mentioned in (ctx.person, ctx.thing)
        if mentioned is not None and mentioned.id != target.candidate.id
    ]
    others = [
        person
        for person in ctx.nouns.people
        if person.id != target.candidate.id and pronoun_fits(person, topic.lower())
    ]
    if not last and len(others) == 1 and topic.lower() in ("him", "her", "he", "she"):
        last = others
    if len(last) == 1:
        return _lowered(_asking(ctx, target, last[0].name), 0.85, f"{last[0].name} is meant")
    nouns = ctx.nouns
    known = [candidate.name for candidate in (*nouns.known_people, *nouns.known_things, *nouns.known_places)]
    name = typeable(target.label)
    return asking(
        words,
        f"Whom or what do you mean by “{topic}”?",
        [f"ask {name} about {typeable(topic_name)}" for topic_name in known],
    )


def _towards(
    ctx: ParseContext,
    words: str,
    found: PhraseMatch | Tie | Reading | None,
    target: Sequence[Word],
    spoken: Sequence[Word],
) -> Reading:
    topic = cleaned_topic(spoken)
    pattern = f"ask {{}} about {_literal(topic)}" if topic else "talk to {}"
    match found:
        case PhraseMatch():
            return _asked(ctx, words, found, spoken)
        case Tie():
            return which(words, found, pattern)
        case Reading():
            return _no_target(ctx, words, topic)
        case None:
            lines = [pattern.format(typeable(person.name)) for person in ctx.nouns.people]
            return nothing_called(ctx, words, typed(target), lines)


def _no_target(ctx: ParseContext, words: str, topic: str) -> Reading:
    people = ctx.nouns.people
    topic = "" if topic.lower() in lexicon().person_pronouns | lexicon().thing_pronouns else topic
    if not people:
        return asking(words, "Nobody is here to talk to. You can:", openings(ctx.nouns))
    only = only_person(ctx)
    if only is not None:
        return _asking(ctx, only, topic)
    pattern = f"ask {{}} about {_literal(topic)}" if topic else "talk to {}"
    return asking(words, "Whom do you mean:", [pattern.format(typeable(person.name)) for person in people])


def _read_about(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading:
    """Read `about jin`, perhaps with `to viktor` after it."""
    low = lows(rest)
    for index in range(len(rest) - 1, 0, -1):
        if low[index] in ("to", "with", "from"):
            target = exact(typed(rest[index + 1 :]), ctx.nouns.people + ctx.nouns.known_people)
            if target:
                return _asked(ctx, words, target, rest[:index])
    return put_to(ctx, words, None, rest)


def _find_addressee(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch | None, Sequence[Word]]:
    """Return the addressee (`… to viktor`, `to viktor "…"`), and what is said."""
    low = lows(rest)
    for index, word in enumerate(low):
        if word not in ("to", "at"):
            continue
        end = next((later for later in range(index + 1, len(rest)) if rest[later].kind != "word"), len(rest))
        found = person_meant(ctx, typed(rest[index + 1 : end]))
        if isinstance(found, PhraseMatch):
            return found, (*rest[:index], *rest[end:])
    named = _match_named_person(ctx, rest)
    return (named[0], rest[named[1] :]) if named else (None, rest)


def _match_named_person(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch, int] | None:
    """Return a person named in full at the start, and how many words that took; the longest name wins."""
    people = ctx.nouns.people + ctx.nouns.known_people
    for size in range(min(len(rest), 6), 0, -1):
        if all(word.kind == "word" for word in rest[:size]):
            match = exact(typed(rest[:size]), people)
            if match and (size == 1 or len(typed(rest[:size])) > 1):
                return match, size
    pronoun = referred(ctx, typed(rest[:1]), person=True) if rest else None
    return (pronoun, 1) if isinstance(pronoun, PhraseMatch) else None


def _guess_person(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch, int] | None:
    """Do the same with part of a name or a typo: only where no word says where the topic begins."""
    for size in range(min(len(rest), 3), 0, -1):
        match = resolve(typed(rest[:size]), ctx.nouns.people, ctx.nouns.known_people)
        if isinstance(match, PhraseMatch) and match.confidence != 0.8:
            return match, size
    return None


def _topic_start(rest: Sequence[Word]) -> int:
    about = lexicon().about
    return next((index for index, word in enumerate(rest) if word.kind != "word" or word.low in about), len(rest))


def _lowered(reading: Reading, confidence: float, assumption: str) -> Reading:
    if reading.unclear:
        return reading
    return Reading(
        actions=reading.actions,
        intent=reading.intent,
        confidence=min(reading.confidence, confidence),
        mentioned=reading.mentioned,
        assumptions=(*reading.assumptions, assumption),
    )


def _plain(rest: Sequence[Word]) -> bool:
    return any(word.kind in ("word", "speech") for word in rest)


def _literal(topic: str) -> str:
    return topic.replace("{", "{{").replace("}", "}}")


SPEECH_FRAMES: Mapping[str, Frame] = MappingProxyType(
    {"ask": ask, "talk": ask, "tell": tell, "say": say, "greet": greet}
)
