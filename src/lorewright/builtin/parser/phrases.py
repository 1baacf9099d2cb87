"""Pieces of a clause: one thing and another joined by `with`, `on` or `to`; whom and what, resolved in the scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.builtin.parser.clauses import Word, lexicon, lows, typed
from lorewright.builtin.parser.noun_phrases import Candidate, Match, Tie, exact, resolve
from lorewright.builtin.parser.readings import Context, Reading, asking, nothing_called, referred, typeable, which


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a phrase is to be: who can be meant, how the question ends that has to be asked, how an answer is typed."""

    present: tuple[Candidate, ...]
    known: tuple[Candidate, ...] = ()
    pattern: str = "look at {}"
    offered: tuple[Candidate, ...] | None = None
    strict: bool = False

    @property
    def lines(self) -> list[str]:
        """The answers that a question can offer."""
        return [
            self.pattern.format(typeable(one.name)) for one in (self.present if self.offered is None else self.offered)
        ]


def bare(rest: Sequence[Word]) -> str:
    """The words as typed without articles in front; a phrase of articles alone is empty."""
    words = [word for word in rest if word.kind == "word"]
    while len(words) > 1 and words[0].low in lexicon().articles:
        words = words[1:]
    text = typed(words)
    return "" if text.lower() in ("the", "a", "an") else text


def parted(rest: Sequence[Word], joints: Sequence[str]) -> tuple[Sequence[Word], str, Sequence[Word]]:
    """What stands before and after the first of the joining words that has something on either side of it."""
    low = lows(rest)
    for index, word in enumerate(low):
        if index and word in joints and index + 1 < len(rest):
            return rest[:index], word, rest[index + 1 :]
    return rest, "", ()


def trimmed(rest: Sequence[Word], *, start: Sequence[str] = (), end: Sequence[str] = ()) -> Sequence[Word]:
    """The words without small ones at either end."""
    words = list(rest)
    while words and words[0].low in start:
        words.pop(0)
    while words and words[-1].low in end:
        words.pop()
    return words


def meant(ctx: Context, words: str, rest: Sequence[Word], wanted: Wanted) -> Match | Reading:
    """Who or what the words mean, by pronoun or by name; else the question that must be asked."""
    phrase = bare(rest)
    if not phrase:
        return asking(words, "Whom or what do you mean?", wanted.lines)
    if "and" in lows(rest) and exact(phrase, wanted.present + wanted.known) is None:
        return asking(words, "One at a time, please. You can:", wanted.lines)
    for person in (True, False):
        kind = [one for one in wanted.present if (one.kind == "person") == person]
        found = (
            referred(ctx, phrase, person=person, pattern=wanted.pattern, among=kind, strict=wanted.strict)
            if kind or not person
            else None
        )
        if found is not None and not (person and isinstance(found, Reading) and _is_thing_word(phrase)):
            return found
    named = resolve(phrase, wanted.present, wanted.known)
    if isinstance(named, Tie):
        return which(words, named, wanted.pattern)
    return named or nothing_called(ctx, words, phrase, wanted.lines)


def _is_thing_word(phrase: str) -> bool:
    return phrase.lower() in lexicon().thing_pronouns


def named_first(ctx: Context, rest: Sequence[Word], candidates: Sequence[Candidate]) -> tuple[Match, int] | None:
    """Who is named in full at the start (or by a pronoun), and how many words that took; the longest name wins."""
    for size in range(min(len(rest), 6), 0, -1):
        if all(word.kind == "word" for word in rest[:size]):
            match = exact(typed(rest[:size]), candidates)
            if match:
                return match, size
    pronoun = referred(ctx, typed(rest[:1]), person=True) if rest else None
    return (pronoun, 1) if isinstance(pronoun, Match) and lows(rest)[0] not in ("this", "that", "them") else None


def fuzzy_first(rest: Sequence[Word], candidates: Sequence[Candidate]) -> tuple[Match, int] | None:
    """As above, by a part of a name or a name with a typo; the most words that still fit it well."""
    for size in range(1, min(len(rest), 4) + 1):
        match = resolve(typed(rest[:size]), candidates, whole=True)
        if isinstance(match, Match) and match.confidence != 0.8 and rest[size - 1].low not in lexicon().articles:
            return match, size
    return None
