"""The player's text -> clauses of words, cut where something else is done; speech and names stay whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

import yaml

# lexicon.yaml -> the words that the interpreter knows, read once.

# The one in C reads the lexicon in a tenth of the time, where PyYAML has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Phrase = tuple[str, ...]
Risk = Literal["violence", "sensitive", "contested", "dangerous", "pursuit", "hostile_present"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Verb phrases by frame, longest first, and the closed classes of small words; lower case."""

    verbs: tuple[tuple[Phrase, str], ...]
    verb_phrases: tuple[Phrase, ...]
    verb_words: frozenset[str]
    lead_ins: tuple[Phrase, ...]
    inside: tuple[Phrase, ...]
    toward: tuple[Phrase, ...]
    question_words: tuple[Phrase, ...]
    everything: tuple[Phrase, ...]
    about: frozenset[str]
    articles: frozenset[str]
    adverbs: frozenset[str]
    topic_head: frozenset[str]
    topic_tail: frozenset[str]
    person_pronouns: frozenset[str]
    thing_pronouns: frozenset[str]
    self_words: frozenset[str]
    whole_place: frozenset[str]
    directions: Mapping[str, str]
    numbers: Mapping[str, float]
    risks: tuple[tuple[Risk, frozenset[str]], ...]
    asides: Mapping[str, str]
    recorded: Mapping[str, str]


@cache
def lexicon() -> Lexicon:
    """The shipped lexicon."""
    text = resources.files(__package__).joinpath("lexicon.yaml").read_text("utf-8")
    data: Mapping[str, Any] = yaml.load(text, Loader=_LOADER)
    verbs = [(phrase, frame) for frame, rows in data["frames"].items() for phrase in _phrases(_flat(rows))]
    return Lexicon(
        verbs=tuple(sorted(verbs, key=lambda verb: -len(verb[0]))),
        verb_phrases=_phrases(" ".join(phrase) for phrase, _ in verbs),
        verb_words=frozenset(phrase[0] for phrase, _ in verbs if len(phrase) == 1),
        lead_ins=_phrases(_flat(data["lead_ins"])),
        inside=_phrases(data["inside"]),
        toward=_phrases(data["toward"]),
        question_words=_phrases(data["question_words"]),
        everything=_phrases(data["everything"]),
        person_pronouns=frozenset(data["pronouns"]["person"]),
        thing_pronouns=frozenset(data["pronouns"]["thing"]),
        self_words=frozenset(data["self"]),
        directions=data["directions"],
        numbers=data["numbers"],
        asides={text: kind for kind, texts in data["asides"].items() for text in texts},
        recorded=data["recorded"],
        risks=tuple((risk, frozenset(data["risks"].get(risk, ()))) for risk in get_args(Risk)),
        **{name: frozenset(data[name]) for name in _WORD_CLASSES},
    )


_WORD_CLASSES = ("about", "articles", "adverbs", "topic_head", "topic_tail", "whole_place")


def longest_prefix(words: Sequence[str], phrases: Iterable[Phrase]) -> Phrase:
    """The first of the phrases (longest first) that the words begin with; empty where none does."""
    return next((phrase for phrase in phrases if tuple(words[: len(phrase)]) == phrase), ())


def _flat(rows: Sequence[Sequence[str]]) -> list[str]:
    return [phrase for row in rows for phrase in row]


def _phrases(texts: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(sorted({tuple(text.split()) for text in texts}, key=lambda phrase: (-len(phrase), phrase)))


MAX_CHARACTERS = 600  # far more than four actions need; what is longer is not read to its end

_TOKEN = re.compile(r'"(?P<speech>[^"]*)"?|(?P<word>[^\W_]+(?:[\'-][^\W_]+)*)|(?P<stop>[.;!?]+)|(?P<comma>[,:]| -+ )')
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "—": ",", "–": ","})


@dataclass(frozen=True, slots=True)
class Word:
    """One word as typed and in lower case; a comma, a stop or a whole quoted speech counts as one."""

    text: str
    low: str
    kind: Literal["word", "comma", "stop", "speech"] = "word"


@dataclass(frozen=True, slots=True)
class Clause:
    """Words that one action is read from; `question` where a question mark ended them."""

    words: tuple[Word, ...]
    question: bool = False

    @property
    def text(self) -> str:
        """The words as typed, without quotation marks and other signs."""
        return typed(self.words)


def cleaned(text: str) -> str:
    """One line of plain text, bounded: no control or format characters, plain quotation marks."""
    if text.isascii() and text.isprintable():
        kept = text[: MAX_CHARACTERS * 4].translate(_QUOTES)
        return " ".join(kept.split())[:MAX_CHARACTERS]
    plain = unicodedata.normalize("NFKC", text[: MAX_CHARACTERS * 4]).translate(_QUOTES)
    kept = "".join(" " if char.isspace() else char for char in plain if char.isspace() or _is_visible(char))
    return " ".join(kept.split())[:MAX_CHARACTERS]


def _is_visible(char: str) -> bool:
    return not unicodedata.category(char).startswith("C")


def words_of(text: str) -> tuple[Word, ...]:
    """The words and signs of a cleaned text."""
    found = map(_word, _TOKEN.finditer(text))
    return tuple(word for word in found if word.kind != "speech" or any(map(str.isalnum, word.text)))


def _word(match: re.Match[str]) -> Word:
    kind = match.lastgroup
    text = match.group(kind) if kind else match.group()
    if kind == "word":
        return Word(text, text.lower())
    return Word(text, text, "speech" if kind == "speech" else "stop" if kind == "stop" else "comma")


def typed(words: Sequence[Word]) -> str:
    """Words as they were typed, joined by spaces; signs are left out."""
    return " ".join(word.text for word in words if word.kind in ("word", "speech"))


def lows(words: Sequence[Word]) -> list[str]:
    """The words in lower case; a sign or a speech stands as an empty string, so that places agree."""
    return [word.low if word.kind == "word" else "" for word in words]


def is_adverb(word: Word) -> bool:
    """Return whether a word only says how something is done."""
    return word.kind == "word" and (word.low in lexicon().adverbs or (len(word.low) > 4 and word.low.endswith("ly")))


def split_clauses(
    words: Sequence[Word],
    *,
    names: Sequence[Sequence[str]],
    people: Sequence[Sequence[str]],
    verbs: Collection[tuple[str, ...]] = (),
) -> list[Clause]:
    """Cut at stops, at `then`, and at `and` or a comma before a verb (`verbs` are more of them); speech to somebody
    stays whole."""
    held = _inside_names(words, names)
    clauses: list[Clause] = []
    current: list[Word] = []
    spoken = False
    for index, word in enumerate(words):
        if not current:
            spoken = _addresses(words[index:], people)
        if word.kind == "stop" and index not in held:
            clauses.append(Clause(tuple(current), question="?" in word.text))
            current = []
        elif index not in held and not spoken and (_cuts(words, index, verbs) or _turns_to(words, index, people)):
            clauses.append(Clause(tuple(current)))
            current = []
        else:
            current.append(word)
    clauses.append(Clause(tuple(current)))
    return [clause for clause in map(_trimmed, clauses) if clause.words]


def _inside_names(words: Sequence[Word], names: Sequence[Sequence[str]]) -> set[int]:
    """Places within a name of several words, where nothing may be cut."""
    low = [word.low for word in words]
    held: set[int] = set()
    for name in names:
        size = len(name)
        for start in range(len(low) - size + 1):
            if low[start : start + size] == list(name):
                held.update(range(start + 1, start + size))
    return held


def _addresses(words: Sequence[Word], people: Sequence[Sequence[str]]) -> bool:
    """Whether the words begin with a person's name and a comma."""
    low = [word.low for word in words]
    return any(
        low[: len(name)] == list(name) and len(words) > len(name) and words[len(name)].kind == "comma"
        for name in people
    )


def _turns_to(words: Sequence[Word], index: int, people: Sequence[Sequence[str]]) -> bool:
    """Whether `and` is followed by somebody and `about`: another question, to somebody else."""
    if words[index].low != "and":
        return False
    low = [word.low for word in words[index + 1 :]]
    return any(low[: len(name)] == list(name) and low[len(name) : len(name) + 1] == ["about"] for name in people)


def _cuts(words: Sequence[Word], index: int, verbs: Collection[tuple[str, ...]]) -> bool:
    word = words[index]
    if word.kind == "word" and word.low == "then":
        return True
    if word.kind != "comma" and word.low != "and":
        return False
    return _begins_with_verb(lows(words[index + 1 :]), verbs)


def _begins_with_verb(low: list[str], verbs: Collection[tuple[str, ...]]) -> bool:
    lex = lexicon()
    while low and (low[0] in ("", "and", "then") or low[0] in lex.adverbs):
        low = low[1:]
    return bool(longest_prefix(low, lex.verb_phrases) or longest_prefix(low, verbs))


def _trimmed(clause: Clause) -> Clause:
    """Without commas and joining words at either end."""
    words = list(clause.words)
    while words and (words[0].kind == "comma" or words[0].low in ("and", "then")):
        del words[0]
    while words and (words[-1].kind == "comma" or words[-1].low in ("and", "then")):
        del words[-1]
    return Clause(tuple(words), clause.question)
