"""lexicon.yaml -> the words that the interpreter knows, read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

import yaml

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
