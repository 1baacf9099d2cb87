"""forms.yaml -> how acts are told by their form, the kind of act that the interpreter took them for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from lorewright.builtin.narrator.grammar import grammar
from lorewright.shipped_tables import read_table

# Groups of deeds by their form: done to what only the prose shows, and with one's own body.
SHOWN, OF_BODY, USED = "form.shown", "form.body", "form.used"
# The same in the player's own words.
IN_WORDS, FIRST = "form.in_words", "form.first"
# It is said of who hears it what they feel.
FEELS = re.compile(r"\b(?:you|u)(?:'re| are| look| seem| sound| must be)\b(?!.*\b(?:i'm|i am|i feel)\b)", re.IGNORECASE)
# What is answered where all that is known of a subject was told, and more is asked.
MORE = "asked.more"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordForm:
    """How words of a form are answered: by which group, or which for a finer kind or where there is a name to say, or
    where they have a word that shows what they are about; with lore, with where else to ask, or with something else
    that is told (`led_on`: `near`, or also `far`); and the form that they have where they ask to be told something, or
    say nothing of the person asked."""

    answer: str
    by_words: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    finer: frozenset[str] = frozenset()
    named: str = ""
    lore: bool = False
    pointed_on: bool = False
    told_as: str = ""
    led_on: str = ""
    of_world: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeedForm:
    """Whether deeds of a form change nothing, and only take something in; the sorts of words for them that are told by
    themselves, and the forms that they have with something to sit on, or to go in; whether a word for handling a thing,
    or any word at all, says what is done."""

    harmless: bool = False
    senses: bool = False
    own_words: frozenset[str] = frozenset()
    handled: bool = False
    of_any_word: bool = False
    with_seats: str = ""
    with_vessels: str = ""


@cache
def word_forms() -> Mapping[str, WordForm]:
    """Return the forms of what is said, by name."""
    return MappingProxyType(
        {
            name: WordForm(
                **{
                    **row,
                    "finer": frozenset(row.get("finer", "").split()),
                    "by_words": sorts(row["by_words"]) if "by_words" in row else MappingProxyType({}),
                }
            )
            for name, row in _rows()["words"].items()
        }
    )


@cache
def sorts(name: str) -> Mapping[str, re.Pattern[str]]:
    """Return a table of phrases by which words show what they are about, by the group that answers."""
    return MappingProxyType({group: pattern_of(words) for group, words in _sorts()[name].items()})


def pattern_of(phrases: str) -> re.Pattern[str]:
    """Return the pattern that finds one of the phrases, which are parted by commas, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases.split(', ')))})\b", re.IGNORECASE)


@cache
def known_lines() -> Mapping[str, re.Pattern[str]]:
    """Return what an open line about somebody says that answers a question about them, by the group of the answer."""
    return MappingProxyType({group: pattern_of(str(phrases)) for group, phrases in _rows()["known_lines"].items()})


@cache
def deed_forms() -> Mapping[str, DeedForm]:
    """Return the forms of deeds, by name; those that are like all others are left out."""
    return MappingProxyType(
        {
            name: DeedForm(**{**row, "own_words": frozenset(row.get("own_words", "").split())})
            for name, row in _rows()["deeds"].items()
        }
    )


@cache
def kinds_of(group: str) -> frozenset[str]:
    """Return the values of `kind` that a group of the grammar has sentences for."""
    return frozenset(str(value) for variant in grammar()[group] for key, value in variant.when if key == "kind")


@dataclass(frozen=True, slots=True)
class QuestionSort:
    """A sort of questions: how they begin, as who hears them repeats them, and what has to stand in what answers one;
    `reply` is the group of the answer of somebody who has none."""

    reply: str
    asked: re.Pattern[str]
    told: re.Pattern[str]


def sort_of_question(words: str) -> QuestionSort | None:
    """Return the sort of a question as it is repeated; None where it is of no sort."""
    put = _WHETHER_I.sub("do i ", _WHETHER.sub(r"\2 \1", words.replace("’", "'")))
    return next((sort for sort in _question_sorts() if sort.asked.match(put)), None)


# What is asked indirectly: `whether I have seen her`, `whether I like it`.
_WHETHER = re.compile(
    r"^whether ((?:(?:the|my|your) )?\w+) (have|had|has|am|is|are|was|were|can|could|would|will|do|does|did)\b", re.I
)
_WHETHER_I = re.compile(r"^whether i\b ", re.IGNORECASE)


def lacks_answer(words: str, told: str) -> bool:
    """Tell whether a question, as it is repeated, is of a sort that words do not answer."""
    sort = sort_of_question(words)
    return sort is not None and not sort.told.search(told)


@cache
def _question_sorts() -> tuple[QuestionSort, ...]:
    rows: dict[str, Any] = read_table(__package__, "forms.yaml")
    parts = {"COUNT": rows["counts"], "LONG": rows["long_times"], "TIMES": f"{rows['long_times']}|{rows['times']}"}

    def told(words: str) -> str:
        return re.sub(r"\{(COUNT|LONG|TIMES)\}", lambda part: parts[part[1]], words)

    return tuple(
        QuestionSort(
            row["reply"],
            re.compile(rf"{_SO}(?:{row['asked']})", re.IGNORECASE),
            re.compile(rf"\b(?:{told(row['told'])})\b", re.IGNORECASE),
        )
        for row in rows["questions"]
    )


# What a question begins with and does not ask by.
_SO = r"(?:(?:so|and|but|well|then|now|or),? )*"


def is_harmless(form: str) -> bool:
    """Tell whether deeds of a form are told as done, whatever they are done to."""
    return form in deed_forms() and deed_forms()[form].harmless


def form_with(form: str, noun: str) -> str:
    """Return the form that a deed has with a thing, by its noun: who takes a chair sits down."""
    row = deed_forms().get(form, DeedForm())
    return (noun in _SEATS and row.with_seats) or (noun in _VESSELS and row.with_vessels) or form


_SEATS = frozenset("stool seat chair bench armchair sofa".split())
_VESSELS = frozenset("boat ferry punt dinghy canoe rowboat barge car van truck lorry taxi cart wagon lift".split())


def is_of_senses(form: str) -> bool:
    """Tell whether deeds of a form only take in what can be seen, heard, smelt or read."""
    return form in deed_forms() and deed_forms()[form].senses


def _sorts() -> dict[str, dict[str, str]]:
    return _rows()["by_words"]


@cache
def _rows() -> dict[str, dict[str, dict[str, Any]]]:
    rows: dict[str, dict[str, dict[str, Any]]] = read_table(__package__, "forms.yaml")
    return rows
