"""A sentence -> the things that it shows: noun phrases whose last word names something that can be looked at.

By rules and word lists (`nouns.yaml`), without a tagger: a phrase begins after a determiner, a possessive, a number or
a preposition, and ends where a function word or a verb follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lorewright.shipped_tables import read_table

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?|\d+|[^\w\s]")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"")
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class ShownNoun:
    """A thing that a sentence shows: the phrase (`beer bucket`) and its last word, in lower case, without determiner.
    `is_yours`: it belongs to whom the sentence calls you."""

    phrase: str
    head: str
    is_yours: bool = False


@lru_cache(maxsize=1024)
def other_words(sentence: str) -> tuple[str, ...]:
    """Return the words of a sentence, beside the things that it shows, by which somebody might name one all the same: a
    noun that looks like a verb. In lower case, each once; neither names nor small words."""
    tokens = [token for clause in _clauses(_QUOTED.sub(" , ", sentence)) for token in clause]
    shown = {word for noun in shown_nouns(sentence) for word in noun.phrase.split()}
    words = (token.low for token in tokens if not token.is_name and token.low not in shown)
    return tuple(dict.fromkeys(word for word in words if may_name_a_thing((word,))))


@lru_cache(maxsize=1024)
def shown_nouns(sentence: str) -> tuple[ShownNoun, ...]:
    """Return the things that a sentence shows, in order, each phrase once. What somebody says in it, and what it says
    is not there, is not shown. Proper names are not among them."""
    found = (noun for clause in _clauses(_QUOTED.sub(" , ", sentence)) for noun in _nouns_of(clause))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def singular(noun: str) -> str:
    """Return a plural noun in its singular, by its ending; any other word as it is."""
    lists = _lists()
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if not noun.endswith("s") or noun in lists.no_plurals or noun.endswith(("ss", "us", "is")) or len(noun) < 4:
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zes")):
        return noun[:-2]
    return noun[:-1]


def is_abstract(noun: str) -> bool:
    """Return True for the name of nothing that could be looked at: a time, a measure, a quality, an act."""
    lists, one = _lists(), singular(noun)
    if noun in lists.concrete or one in lists.concrete:
        return False
    if noun in lists.abstract or one in lists.abstract or one.endswith(lists.abstract_endings):
        return True
    return one.endswith("ing") and one not in lists.nouns_in_ing


def is_verb(word: str) -> bool:
    """Return True for the first form of a common verb, which may be a noun as well: `sort`, `drink`."""
    return word in _lists().verbs


def common_verbs() -> frozenset[str]:
    """Return the first forms of common verbs."""
    return frozenset(_lists().verbs)


def function_words() -> frozenset[str]:
    """Return the words that hold a sentence together: `through`, `because`."""
    lists = _lists()
    return frozenset(lists.function_words) | frozenset(lists.prepositions) | frozenset(lists.determiners)


@cache
def known_words() -> frozenset[str]:
    """Return all words of the lists, in every form that they have there."""
    lists = _lists()
    parts = (lists.adjectives, lists.mass, lists.no_plurals, lists.nounish, lists.verbs, lists.thirds, lists.pasts)
    more = (lists.nouns_in_ing, lists.never, lists.nouns_too, lists.ambient, lists.everybodys, lists.abstract)
    return function_words().union(lists.numbers, lists.concrete, *parts, *more)


def is_noun_in_ly(word: str) -> bool:
    """Tell whether a word that ends as adverbs do is a noun: `family`, `reply`."""
    return word.endswith("ly") and word in _lists().nouns_too


def is_ambient(noun: str) -> bool:
    """Return True for what is at every place, whether a text says so or not: the floor, the air."""
    lists = _lists()
    return noun in lists.ambient or singular(noun) in lists.ambient


def is_everybodys(noun: str) -> bool:
    """Return True for what everybody has on them, whether a text says so or not: hands, pockets."""
    lists = _lists()
    return noun in lists.everybodys or singular(noun) in lists.everybodys


def may_name_a_thing(words: Sequence[str]) -> bool:
    """Return True for a few words, in lower case, that read as the name of a thing: none of them belongs to a sentence
    around a noun, and the last is no adjective, no adverb and nothing abstract."""
    lists = _lists()
    if not words or not all(word[:1].isalpha() for word in words) or any(map(_ends_phrase, words)):
        return False
    head = words[-1]
    is_other = head in lists.numbers or head in lists.never or head in lists.determiners or len(head) < _SHORTEST
    return not is_other and not _is_adjective(head) and not is_abstract(head)


_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose",
    "mice": "mouse", "knives": "knife", "shelves": "shelf", "leaves": "leaf", "loaves": "loaf", "wolves": "wolf",
    "scarves": "scarf", "halves": "half", "lives": "life", "wives": "wife", "calves": "calf", "hooves": "hoof",
    "shoes": "shoe", "canoes": "canoe", "toes": "toe", "oxen": "ox", "aches": "ache",
}  # fmt: skip
_PLURALS = frozenset(("people", "men", "women", "children", "feet", "teeth", "geese", "mice", "oxen", "cattle"))


# Word lists: nouns.yaml -> sets of words and of forms of verbs, read once.


@dataclass(frozen=True, slots=True)
class _Lists:
    determiners: frozenset[str]
    plural_determiners: frozenset[str]
    singular_determiners: frozenset[str]
    numbers: frozenset[str]
    tens: frozenset[str]
    prepositions: frozenset[str]
    without: frozenset[str]
    function_words: frozenset[str]
    adjectives: frozenset[str]
    mass: frozenset[str]
    no_plurals: frozenset[str]
    nounish: frozenset[str]
    verbs: frozenset[str]
    thirds: frozenset[str]
    pasts: frozenset[str]
    nouns_in_ing: frozenset[str]
    never: frozenset[str]
    nouns_too: frozenset[str]
    ambient: frozenset[str]
    everybodys: frozenset[str]
    abstract: frozenset[str]
    abstract_endings: tuple[str, ...]
    concrete: frozenset[str]


@cache
def _lists() -> _Lists:
    data: Mapping[str, Any] = read_table(__package__, "nouns.yaml")
    words = {name: frozenset(row.split()) for name, row in data.items() if isinstance(row, str)}
    verbs = words["verbs"]
    return _Lists(
        **{name: words[name] for name in ("determiners", "plural_determiners", "singular_determiners", "numbers")},
        **{name: words[name] for name in ("prepositions", "without", "function_words", "adjectives", "mass")},
        **{
            name: words[name]
            for name in (
                "no_plurals",
                "nounish",
                "verbs",
                "nouns_in_ing",
                "nouns_too",
                "abstract",
                "ambient",
                "everybodys",
            )
        },
        tens=frozenset(word for word in words["numbers"] if word.endswith("ty")),
        thirds=frozenset(map(_third_person, verbs)),
        pasts=words["past_forms"] | frozenset(map(_past, verbs)) | frozenset(verb + verb[-1] + "ed" for verb in verbs),
        never=words["never_nouns"] | (words["past_forms"] - words["past_nouns"]),
        abstract_endings=tuple(data["abstract_endings"]),
        concrete=words["concrete_words"],
    )


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _past(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + ("d" if verb.endswith("e") else "ed")


# A clause: words between signs -> its noun phrases.


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    low: str
    # The first word of a sentence is written with a capital whatever it is.
    is_first: bool

    @property
    def is_name(self) -> bool:
        return self.text[:1].isupper() and not self.is_first


def _clauses(sentence: str) -> Iterator[list[_Token]]:
    """Yield the words between two signs; a comma between adjectives is no sign."""
    tokens: list[_Token] = []
    begins = True
    texts = _TOKEN.findall(sentence)
    for at, text in enumerate(texts):
        if text[0].isalnum():
            tokens.append(_Token(text, text.lower().replace("’", "'"), begins))
            begins = False
        elif text == "," and _joins_adjectives(texts, at):
            continue
        else:
            begins = begins or text in ".!?:"
            if tokens:
                yield tokens
            tokens = []
    if tokens:
        yield tokens


def _joins_adjectives(texts: Sequence[str], at: int) -> bool:
    adjectives = _lists().adjectives
    return 0 < at < len(texts) - 1 and texts[at - 1].lower() in adjectives and texts[at + 1].lower() in adjectives


def _nouns_of(tokens: Sequence[_Token]) -> Iterator[ShownNoun]:
    lists = _lists()
    at, denied, after_verb = 0, False, False
    while at < len(tokens):
        low = tokens[at].low
        if low in lists.without:
            denied, at = True, at + 1
            continue
        if _ends_phrase(low):
            denied, after_verb = denied and low == "or", False
            at += 1
            continue
        lead = low if _is_lead(low) else ""
        end, has_verb = _end_of_run(tokens, at, lead, after_verb=after_verb)
        after_verb = has_verb
        if end == at:
            at += 1
            continue
        run, before = tokens[at:end], tokens[at - 1].low if at else ""
        noun = None if denied else _noun_in(run, lead, before)
        if noun is not None:
            yield noun
        at = end + 1 if has_verb else end
        if denied and (at >= len(tokens) or tokens[at].low not in ("or", "and")):
            denied = False


def _is_lead(low: str) -> bool:
    """Tell whether a noun phrase begins with this word: a determiner, a number, a possessive."""
    lists = _lists()
    return low in lists.determiners or low in lists.numbers or low.isdigit() or low.partition("-")[0] in lists.tens


def _ends_phrase(low: str) -> bool:
    lists = _lists()
    if _is_lead(low):
        return False
    return (
        low in lists.function_words
        or low in lists.prepositions
        or (len(low) > 4 and low.endswith("ly") and low not in lists.nouns_too)
    )


def _is_genitive(low: str) -> bool:
    return low.endswith(("'s", "s'"))


def _end_of_run(tokens: Sequence[_Token], start: int, lead: str, *, after_verb: bool) -> tuple[int, bool]:
    """Return where the noun phrase that begins at a token ends (before a function word, a verb, another determiner, a
    name), and whether it is a verb that ends it. `after_verb`: the word before it is one."""
    at = start + 1 if lead else start
    is_plural = lead in _lists().plural_determiners
    is_singular = lead in _lists().singular_determiners
    words = 0
    while at < len(tokens):
        low = tokens[at].low
        if _is_lead(low) and not (low in _lists().numbers and words == 0):
            break
        if low in _lists().without or (_ends_phrase(low) and low not in _lists().adjectives):
            break
        if tokens[at].is_name and _may_end_before_name(tokens, at, words):
            break
        if after_verb and not words and not lead:
            is_verb = not _is_plural(low) and _may_be_verb(low)
        else:
            is_verb = _is_verb(tokens, at, words, lead, is_plural=is_plural, is_singular=is_singular)
        if is_verb:
            return at, True
        if _is_genitive(low):
            is_plural = is_singular = False
        words += 1
        at += 1
    return at, False


def _may_end_before_name(tokens: Sequence[_Token], at: int, words: int) -> bool:
    before = tokens[at - 1]
    return words > 0 and not before.is_name and before.low not in _lists().adjectives and not _is_genitive(before.low)


def _is_verb(tokens: Sequence[_Token], at: int, words: int, lead: str, *, is_plural: bool, is_singular: bool) -> bool:
    """Tell whether a word is the verb after the noun phrase; `words` are those of the phrase before it."""
    lists, low = _lists(), tokens[at].low
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    has_object = _is_lead(following) or following in _OBJECTS
    at_end = not following or _ends_phrase(following) or _is_lead(following)
    before = tokens[at - 1].low if at else ""
    if words == 0:
        if lead in lists.numbers or lead == "that":
            # `that bends`, `five went`: after other determiners comes no verb.
            return (
                low in lists.thirds - lists.nounish
                or (low in lists.pasts and at_end)
                or (lead == "that" and low in lists.thirds)
            )
        if lead or not _may_be_verb(low) or _is_described(tokens, at):
            return False
        if low in lists.mass and (following in lists.thirds or following in lists.pasts):
            return False
        if tokens[at].is_first and low in lists.thirds and (following in lists.verbs or following in _PLURAL_VERBS):
            return False  # `Seals use the landward side`
        return has_object or low not in lists.nounish
    if before in lists.adjectives and _is_plural(low):
        return False
    if low in lists.pasts or (low.endswith("ed") and low not in lists.adjectives and len(low) > 4):
        return at_end or before not in lists.adjectives
    if low.endswith("ing") and low not in lists.nouns_in_ing:
        return at_end
    if low in lists.thirds:
        if is_plural:
            return False
        if not lead:
            return low not in lists.nounish or not (following in lists.verbs or following in lists.pasts)
        return is_singular or has_object or low not in lists.nounish
    if low in lists.verbs:
        return _is_plural(before) and before not in lists.adjectives
    return False


_PLURAL_VERBS = frozenset(("are", "were", "have", "do"))
_OBJECTS = frozenset(("me", "you", "him", "it", "us", "them", "himself", "herself", "itself"))


def _is_described(tokens: Sequence[_Token], at: int) -> bool:
    """Tell whether a past form stands before a noun: `painted marks`."""
    low = tokens[at].low
    if not low.endswith(("ed", "en", "ing")) or at + 1 >= len(tokens):
        return False
    following = tokens[at + 1].low
    return not _ends_phrase(following) and not _is_lead(following) and _is_plural(following)


def _may_be_verb(low: str) -> bool:
    lists = _lists()
    is_form = low in lists.verbs or low in lists.thirds or low in lists.pasts
    return is_form or (low.endswith(("ing", "ed")) and len(low) > 4 and low not in lists.nouns_in_ing)


def _is_plural(low: str) -> bool:
    lists = _lists()
    if low in _PLURALS:
        return True
    ends = low.endswith("s") and not low.endswith(("ss", "us", "is", "'s", "s'"))
    return ends and len(low) > 3 and low not in lists.no_plurals


def _noun_in(run: Sequence[_Token], lead: str, before: str) -> ShownNoun | None:
    """Return the thing that a run of words names, None where it names none."""
    lists = _lists()
    body = list(run[1:] if lead else run)
    while body and _is_lead(body[0].low):
        body = body[1:]
    genitive = max((index for index, word in enumerate(body) if _is_genitive(word.low)), default=-1)
    has_lead = bool(lead) or genitive >= 0
    named = body[genitive + 1 :]
    while named and (_is_adjective(named[-1].low) or not named[-1].text[0].isalpha()):
        named = named[:-1]
    while len(named) > 1 and (_is_adjective(named[0].low) or named[0].low in lists.adjectives or named[0].is_name):
        named = named[1:]
    if not named or named[-1].is_name or len(named) > 4:
        return None
    head = named[-1].low
    if (
        len(head) < _SHORTEST
        or head in lists.never
        or is_abstract(head)
        or (not has_lead and not _stands_alone(named, before))
    ):
        return None
    phrase = " ".join(word.low for word in named)
    return ShownNoun(phrase, head, is_yours=lead == "your" and genitive < 0)


def _stands_alone(named: Sequence[_Token], before: str) -> bool:
    """Tell whether a noun is one without a determiner: a plural or a material."""
    lists, head = _lists(), named[-1].low
    if before in lists.without:
        return False
    if _is_plural(head) and named[-1].is_first:
        return True
    if _is_plural(head):
        return len(named) > 1 or head in lists.nounish or not _may_be_verb(head) or before in lists.prepositions
    return head in lists.mass


def _is_adjective(low: str) -> bool:
    """Tell whether a word at the end of a phrase is no noun."""
    lists = _lists()
    if low in lists.nouns_too:
        return False
    return low in lists.adjectives or low.endswith(_ADJECTIVE_ENDINGS) or (low.endswith("ed") and len(low) > 5)


_ADJECTIVE_ENDINGS = ("ous", "less", "n't")
