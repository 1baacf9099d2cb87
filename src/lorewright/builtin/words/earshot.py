"""Sentences that the player was told -> those that tell what is heard or seen beyond the place, or within oneself; and
which of them words that nobody here answers are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.noun_phrases import Nouns, resolve
from lorewright.builtin.words.plain_words import plain_deed
from lorewright.builtin.words.utterances import TITLES
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.scene_lore.nouns import is_verb, singular
from lorewright.shipped_tables import read_table


@cache
def _data() -> dict[str, Any]:
    rows: dict[str, Any] = read_table(__package__, "earshot.yaml")
    return rows


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_data()[name], re.IGNORECASE)


@cache
def _noises() -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    return tuple(
        (frozenset(shown.split()), re.compile(rf"\b(?:{said})\b", re.IGNORECASE)) for shown, said in _data()["noises"]
    )


def beyond(sentences: Iterable[str], names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the sentences that tell what is heard or seen beyond a place: of something alive, or of somebody with one
    of the names."""
    known = {word for name in names for word in _words(name)}
    found = (
        said
        for said in dict.fromkeys(sentences)
        if _pattern("beyond").search(said) and (_pattern("alive").search(said) or known & set(_words(said)))
    )
    return tuple(found)


def within(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return the sentences that tell of voices in the player."""
    return tuple(said for said in dict.fromkeys(sentences) if _pattern("inner").search(said))


def told_of(words: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences about what is beyond that words are about: by a word of theirs, or the noise that they
    tell of; all of them where anything or anybody that may be there is meant; none for other words."""
    said = {word for word in _words(words) if len(word) >= _TELLING and word not in _PLAIN}
    by_noise = [pattern.search(words) is not None for _, pattern in _noises()]
    found = []
    for sentence in sentences:
        theirs = set(_words(sentence))
        is_heard = any(is_said and shown & theirs for is_said, (shown, _) in zip(by_noise, _noises(), strict=True))
        if is_heard or said & {word for word in theirs if len(word) >= _TELLING}:
            found.append(sentence)
    if not found and _pattern("unknown").search(words):
        return tuple(sentence for sentence in sentences if not _NAMED.search(sentence))
    return tuple(found)


def named_beyond(sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the names in sentences about what is beyond, each once: `Constable Oakes`."""
    found = (match[0] for said in sentences for match in _NAME.finditer(said))
    return tuple(dict.fromkeys(found))


_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w']*(?: [A-Z][\w']*)*")


# Who is named is seen, and not unknown.
_NAMED = re.compile(r"[a-z],? [A-Z][a-z]")


# Shorter words, and these, say nothing of what is meant.
_TELLING = 4
_PLAIN = frozenset(
    "here there something somebody heavy near with from have been being this that what behind down under".split()
)


def calls_out(words: str) -> bool:
    """Tell whether words call to anybody who may hear them."""
    return _pattern("calls").search(words) is not None


def may_be_deed(words: str) -> bool:
    """Tell whether words begin with what one does, and have no sign that they are said to anybody."""
    low = re.findall(r"[\w']+", words.casefold())
    while low and low[0] in _BEFORE_DEEDS:
        low = low[1:]
    first = low[0] if low else ""
    return is_verb(first) and first not in _mental() and _pattern("spoken").search(words.strip(" *.,;")) is None


_BEFORE_DEEDS = frozenset("and then i we so ok okay now just quickly quietly slowly first next also maybe well".split())


@cache
def _mental() -> frozenset[str]:
    return frozenset(_data()["mental"].split())


def gone_to_speak(words: str) -> str:
    """Return what is done at the end of a walk to somebody: `say hi to the cop` of `go say hi to the cop`; empty where
    nobody is gone to."""
    found = _pattern("goes").match(words)
    return found["rest"].strip() if found is not None else ""


def left_undone(words: str) -> str:
    """Return what is said not to be done as that, `do not ring that bell` of `I'm not ringing that bell`; empty for
    other words."""
    found = _pattern("undone").match(words.strip(" *.,;!"))
    return f"do not {plain_deed(found['doing'])}" if found is not None else ""


def is_rung(words: str) -> bool:
    """Tell whether words may be that somebody is called up from afar: `call the diner for a sandwich`."""
    return _pattern("rings").match(words) is not None and '"' not in words


def taken_to(words: str) -> tuple[str, str]:
    """Return the taking of something and to where or whom it is taken: `take two coffees`, `lot`; empty for others."""
    found = _pattern("takes").match(words.strip(" *.,;!"))
    return (found["what"].strip(), found["where"].strip()) if found is not None else ("", "")


def asks(words: str) -> bool:
    """Tell whether words ask something."""
    return _pattern("asks").search(words) is not None


def asked_aloud(words: str) -> str:
    """Return the first question that stands in quotation marks; empty for none."""
    return next(filter(asks, _QUOTED.findall(words)), "")


_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")


def told_of_person(name: str, words: str, sentences: Sequence[str]) -> str:
    """Return the sentence that tells where somebody with the name is seen, else how they went, else the one with most
    of the words that names them; empty where none does. Up to the next name sentences go on about the same person."""
    called = set(_words(name)) - _ARTICLES
    called = called - TITLES or called
    naming = [at for at, said in enumerate(sentences) if called & set(_words(said))]
    if not naming:
        return ""
    if seen := [sentences[at] for at in naming if _pattern("beyond").search(sentences[at])]:
        return seen[0]
    wanted = set(map(_root, _words(words))) - called
    first = naming[0]
    gone = [said for said in sentences[first:] if _pattern("gone").search(said)]
    if gone:
        return max(reversed(gone), key=lambda said: len(wanted & set(map(_root, _words(said)))))
    return max((sentences[at] for at in naming), key=lambda said: len(wanted & set(map(_root, _words(said)))))


def told_about(words: str, sentences: Sequence[str], *, least: int = 1) -> str:
    """Return the sentence that has most of the telling words, with the one after it; empty where none has so many of
    them as the `least`, or all are words of many sentences."""
    asked = {
        _stem(word)
        for word in _in_figures(words)
        if word not in STOP_WORDS and (len(word) >= _TELLING or word.isdigit())
    } - _PLAIN
    theirs = [{_stem(word) for word in _in_figures(said)} for said in sentences]
    rare = {word for word in asked if 0 < sum(word in stems for stems in theirs) <= _RARE}
    found = [len(rare & stems) for stems in theirs]
    best = max(found, default=0)
    at = found.index(best) if best >= least else len(sentences)
    return " ".join(sentences[at : at + 2])


def _in_figures(text: str) -> list[str]:
    """Return the words of a text, numbers in figures."""
    numbers = lexicon().numbers
    return [str(numbers[word]) if word in numbers and len(word) > _SMALL else word for word in content_words(text)]


# So many words of what is said to nobody make a sentence worth a thought.
LIKE = 2
# `a` and `one` count nothing.
_SMALL = 3
# A word of so many sentences tells one from the others.
_RARE = 2


def name_in(name: str, sentences: Sequence[str]) -> str:
    """Return a name as the sentences have it, with the names beside it (`Constable Oakes` for `constable`); empty where
    none has it."""
    pattern = rf"(?:\b[A-Z][\w']* )*(?i:\b{re.escape(name)}\b)(?: [A-Z][\w']*)*"
    found = (match for said in sentences for match in re.finditer(pattern, said))
    names = (_LEADING.sub("", match[0]).removesuffix("'s") for match in found)
    return next((found for found in names if found[:1].isupper()), "")


# Words that begin a sentence, and no name.
_LEADING = re.compile(r"^(?:(?:Then|At|In|On|Out|When|And|But|So|There|Here|The|A|As|Behind|Now|Today|Tonight) )+")
_ARTICLES = frozenset(("the", "a", "an", "my", "your", "one"))


def is_within(words: str, inner: Sequence[str], *, is_line: bool = False) -> bool:
    """Tell whether words are put to the voices in the player, or ask which they are: `inner` are the sentences that
    tell of some. Whole lines may hush all of them at once."""
    if not inner:
        return False
    if _pattern("within").search(words):
        return True
    stems = {_stem(word) for said in inner for word in content_words(said) if word not in STOP_WORDS} - _PLAIN
    low = re.findall(r"[\w']+", words.casefold())
    for at, word in enumerate(low):
        if _stem(word) not in stems:
            continue
        before, after = low[max(0, at - 3) : at], low[at + 1 : at + 2]
        is_one = bool(_ONES & {*after} or {"one", "one's", "whoever", "whichever"} & {*before})
        if is_one or (at and low[at - 1] in _OF_THOSE) or low[max(0, at - 2) : at] == ["who", "is"]:
            return True
        if low[max(0, at - 2) : at] in (["am", "i"], ["i", "am"], ["y", "i'm"]) and {"why", "y"} & set(before):
            return True
    return is_line and hushes(words) and _pattern("all").search(words) is not None


# After these what one of the voices does is asked after, or is to end: `stop crying`.
_OF_THOSE = frozenset("who's whos who stop quit".split())
# What is said for one of the voices: `the crying part`.
_ONES = frozenset("one ones part parts bit half side voice voices child".split())


def _root(word: str) -> str:
    """Return a word without the ending of what is over: `lock` of `locked`."""
    return word.removesuffix("ed") if len(word) > _LONG_FORM else word


def _stem(word: str) -> str:
    return singular(word.removesuffix("ing") if len(word) > _LONG_FORM else word)


# `crying` is a form of `cry`, and `king` is none.
_LONG_FORM = 5


def hushes(words: str) -> bool:
    """Tell whether words ask for quiet."""
    return _pattern("silencing").search(words) is not None


def _words(text: str) -> list[str]:
    return [singular(word.removesuffix("'s")) for word in re.findall(r"[\w']+", text.casefold().replace("’", "'"))]


def is_of_absent(words: str, nouns: Nouns) -> bool:
    """Tell whether a question is after somebody who is not here, by name or by the place where they are: no look
    answers it."""
    found = _OF_ABSENT.match(words)
    named = "" if found is None else (found["who"] or found["where"]).strip(" ?!.")
    here = (*nouns.people, *nouns.things, *nouns.doors)
    is_place = bool(named) and resolve(named, (*nouns.exits, *nouns.known_places)) is not None
    return found is not None and is_place == (found["who"] is None) and (is_place or resolve(named, here) is None)


_OF_ABSENT = re.compile(
    r"(?i:(?:(?:so|and|but|ok|okay|well)[, ]+)*)(?:(?i:where(?:'s| is| was| did| has| can i find))"
    r" (?P<who>(?:(?:Mr|Mrs|Miss|Ms|Dr)\.? )?[A-Z][a-z]+)"
    r"|(?i:who(?:'s| is|s) (?:the|that|this) [a-z]+ (?:in|from|at|of|behind) )(?P<where>.+))"
)
