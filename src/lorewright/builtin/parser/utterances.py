"""A line of the player's -> clauses: each is something done, or something said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from lorewright.builtin.parser.clauses import Clause, Word, lexicon, longest_prefix, lows, typed, words_of


def split_clauses(
    words: Sequence[Word],
    *,
    names: Sequence[Sequence[str]],
    people: Sequence[Sequence[str]],
    verbs: Collection[tuple[str, ...]] = (),
) -> list[Clause]:
    """Cut at stops, at `then`, and at `and` or a comma before a verb (`verbs` are more of them); speech to somebody
    stays whole.
    """
    held = _indices_in_names(words, names)
    clauses: list[Clause] = []
    current: list[Word] = []
    spoken = False
    for index, word in enumerate(words):
        if not current:
            spoken = _addresses(words[index:], people) or is_said(words[index : _end(words, index)])
        if word.kind == "stop" and index not in held:
            clauses.append(Clause(tuple(current), question="?" in word.text))
            current = []
        elif index not in held and (
            _begins_anew(words, index, people)
            or (not spoken and (_cuts(words, index, verbs) or _turns_to(words, index, people)))
        ):
            clauses.append(Clause(tuple(current)))
            current = []
        else:
            current.append(word)
    clauses.append(Clause(tuple(current)))
    return [clause for clause in map(_trim, clauses) if clause.words]


def _end(words: Sequence[Word], start: int) -> int:
    """Return the index of the stop that ends the sentence."""
    return next((index for index in range(start, len(words)) if words[index].kind == "stop"), len(words))


def _indices_in_names(words: Sequence[Word], names: Sequence[Sequence[str]]) -> set[int]:
    """Return the indices within names of several words, where nothing may be cut."""
    low = [word.low for word in words]
    held: set[int] = set()
    for name in names:
        size = len(name)
        for start in range(len(low) - size + 1):
            if low[start : start + size] == list(name):
                held.update(range(start + 1, start + size))
    return held


def _addresses(words: Sequence[Word], people: Sequence[Sequence[str]]) -> bool:
    """Tell whether the words begin with a person's name and a comma."""
    low = [word.low for word in words]
    return any(
        low[: len(name)] == list(name) and len(words) > len(name) and words[len(name)].kind == "comma"
        for name in people
    )


def _begins_anew(words: Sequence[Word], index: int, people: Sequence[Sequence[str]]) -> bool:
    """Tell whether a comma ends what is said: what follows is an act of one's own, or is put to somebody by name."""
    if words[index].kind != "comma":
        return False
    rest = words[index + 1 :]
    low = lows(rest)
    is_act = low[:1] == ["i"] and not is_said(rest) and bool(longest_prefix(low[1:], lexicon().verb_phrases))
    asked = (low[len(name) : len(name) + 2] for name in people if list(low[: len(name)]) == list(name))
    return is_act or any(len(after) > 1 and after[0] in _MODALS and after[1] == "you" for after in asked)


_MODALS = frozenset(("can", "could", "will", "would", "do", "did", "are", "have"))


def _turns_to(words: Sequence[Word], index: int, people: Sequence[Sequence[str]]) -> bool:
    """Tell whether `and` is followed by a person and `about`: another question, to another person."""
    if words[index].low != "and" or all(word.low != "about" for word in words[:index]):
        return False
    low = [word.low for word in words[index + 1 :]]
    return any(low[: len(name)] == list(name) and low[len(name) : len(name) + 1] == ["about"] for name in people)


def _cuts(words: Sequence[Word], index: int, verbs: Collection[tuple[str, ...]]) -> bool:
    word = words[index]
    if word.kind == "word" and word.low == "then":
        return True
    if word.kind != "comma" and word.low != "and":
        return False
    if words[index + 1 : index + 2] and words[index + 1].kind == "speech" and words[index - 1].low in lexicon().saying:
        return False
    low = lows(words[index + 1 :])
    is_participle = bool(low) and len(low[0]) > 5 and low[0].endswith("ing") and word.kind == "comma"
    return _begins_with_verb(low, verbs) or is_participle


def _begins_with_verb(low: list[str], verbs: Collection[tuple[str, ...]]) -> bool:
    lex = lexicon()
    while low and (low[0] in ("", "and", "then") or low[0] in lex.adverbs):
        low = low[1:]
    return bool(longest_prefix(low, lex.verb_phrases) or longest_prefix(low, verbs)) or _reads_as_act(low)


def _reads_as_act(low: Sequence[str]) -> bool:
    """Tell whether a word that is no known verb stands where one does: before an object, and not after an article."""
    lex = lexicon()
    known = lex.articles | lex.person_pronouns | lex.thing_pronouns | lex.about | lex.statements["subjects"]
    is_word = bool(low) and low[0].isalpha() and len(low[0]) > 2 and low[0] not in known | lex.statements["remarks"]
    return is_word and len(low) > 1 and low[1] in lex.statements["objects"] and low[0] not in lex.statements["joints"]


_JOINING = frozenset(("and", "then"))


def _trim(clause: Clause) -> Clause:
    """Return the clause without commas and joining words at either end."""
    words = list(clause.words)
    while words and (words[0].kind == "comma" or words[0].low in _JOINING):
        del words[0]
    while words and (words[-1].kind == "comma" or words[-1].low in _JOINING | {"only"}):
        del words[-1]
    return Clause(tuple(words), clause.question)


# Clauses in other words, so that the frames of the verbs read them.


def main_clauses(clause: Clause) -> Iterator[Clause]:
    """Yield a clause of an act up to a conjunction after its third word, or to a comma: `go to the market before the
    tide turns`."""
    low = lows(clause.words)
    if clause.question or not any(longest_prefix(some, lexicon().verb_phrases) for some in (low, low[1:])):
        return
    for at in range(len(low) - 1, 1, -1):
        if low[at] in _CONJUNCTIONS or clause.words[at].kind == "comma":
            yield Clause(clause.words[:at])


# Words that begin a clause that says when, why or how.
_CONJUNCTIONS = frozenset(
    "before after until till while without because since unless so as when where if who or".split()
)


def without_participle(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words with a verb in place of its participle, where they begin with one: `closing the door`."""
    low = words[0].low if words else ""
    if not words or not low.endswith("ing") or low in lexicon().verb_words:
        return words
    stem = low.removesuffix("ing")
    bases = (stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem)
    base = next((base for base in bases if base in lexicon().verb_words and len(base) > 1), "")
    return (Word(base, base), *words[1:]) if base else words


def with_sign(words: Sequence[Word]) -> Sequence[Word]:
    """Return `nod to Marit` for `give Marit a nod`, other words as they are."""
    found = _SIGNS.match(typed(words))
    return (
        words_of(f"{found['sign'].lower()} {'at' if found['sign'] == 'wink' else 'to'} {found['who']}")
        if found
        else words
    )


_SIGNS = re.compile(
    r"(?:give|shoot|throw) (?P<who>.+?) (?:a|the|my) (?:[\w-]+ )?(?P<sign>nod|smile|wave|bow|salute)(?: .*)?$",
    re.IGNORECASE,
)


def with_call(words: Sequence[Word], people: Sequence[Sequence[str]]) -> Sequence[Word]:
    """Return the words with a comma after a name that is called out at their beginning: `Oakes! Is that thing dead?`"""
    low = lows(words)
    sizes = {len(name) for name in people if list(low[: len(name)]) == list(name)}
    at = max(sizes, default=0)
    if not at or len(words) < at + 2 or words[at].kind != "stop" or "?" in words[at].text:
        return words
    return (*words[:at], Word(",", ",", "comma"), *words[at + 1 :])


# Statements: `I'm only here to get out of the wet` is said, `I sit down` is done.


def _begins_with_name(words: Sequence[Word]) -> bool:
    """Tell whether words begin with what is written like a name, and is no verb: `Mr Gaunt said`."""
    first = words[0]
    known = lexicon().verb_words | lexicon().articles | {words[0] for words in lexicon().question_words}
    return first.kind == "word" and first.text[:1].isupper() and first.low not in known


def is_said(words: Sequence[Word]) -> bool:
    """Return True for words that are a statement or a remark to somebody, not an act; questions are neither."""
    lex = lexicon()
    known, low = lex.statements, list(lows(words))
    small = known["interjections"] | {words[0] for words in lex.address if len(words) == 1}
    while low and (low[0] in small or not low[0]) and len([word for word in low if word]) > 1:
        low = low[1:]
    plain = [word for word in low if word]
    if not plain:
        return False
    first, second, third = (*plain, "", "")[:3]
    lead = longest_prefix(plain, lex.lead_ins)
    if lead and first not in known["interjections"] and longest_prefix(plain[len(lead) :], lex.verb_phrases):
        return False
    if first == "you" and second in known["seem"]:
        return bool(third) and third not in known["after_look"]
    if first in known["contracted"] or longest_prefix(plain, lex.said):
        return True
    if first == "i":
        return second in known["of_mind"] and not (second in ("need", "want", "have") and third == "to")
    if first == "you":
        return second in known["of_you"]
    if first in known["subjects"]:
        return second in known["finite"] or third in known["finite"]
    if _begins_with_name(words) and {second, third} & known["finite"]:
        return True
    if first in known["determiners"]:
        return any(word in known["finite"] for word in plain[2:7])
    return first in known["remarks"] and not longest_prefix(plain, lex.verb_phrases)
