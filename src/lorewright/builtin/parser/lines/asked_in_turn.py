"""A line that asks the game several things -> what each of them asks, in turn, and what of the line is none of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from lorewright.builtin.parser.moves import answer_of
from lorewright.builtin.parser.readings import MAX_WORDS
from lorewright.builtin.words.asides import (
    aside_to_game,
    has_words,
    is_question,
    numbers_asked_about,
    out_of_story,
    subjects_in,
)
from lorewright.builtin.words.clauses import lows, words_of
from lorewright.builtin.words.noun_phrases import Nouns, exact
from lorewright.values.readings import Aside
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Board

_ASKING = (
    r"(?:what|whats|what's|wat|wats|how|hows|how's|who|whos|who's|where|wheres|where's|why|when|which|is|are|can|could"
    r"|do|does|did|will|would|should|am|may|have) [\w'’]"
)
# Where one question ends and the next begins.
_JOINT = re.compile(
    rf"(?<=[?.!])\s+|,?\s+(?:and|but|also|plus)\s+(?:also |then )?(?={_ASKING})|,\s+(?={_ASKING})", re.IGNORECASE
)
# A question that goes on about what was asked before it.
_BACK = re.compile(r"\b(?:it|that|this|they|them|those|these|one|ones|either|both|there|else)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\b(?:he|she|him|her|his)\b", re.IGNORECASE)
# So few words go on with a question.
_FEW = 2
# Kinds of asides that are no questions, or whose words are all of the line.
_WHOLE = frozenset("mused ooc story magic rude machine typing undo quit company_at_table turn rolling told".split())


# Asides that are one whatever verbs of its own a ruleset has.
FIXED = frozenset(("told", "clocks", "rolling"))
# Asides that nobody at the board is asked about.
_OF_TABLE = ("rules", "company_at_table")


def aside_of(
    given: InterpreterInput, nouns: Nouns, board: Board | None, text: str, typed: str
) -> tuple[Aside | None, str]:
    """Return the aside that a line is, and its words without the marks of one; `typed` is the line before words were
    spelled out."""
    low = list(lows(words_of(out_of_story(text) or text)))
    is_called = any(exact(word, nouns.people + nouns.known_people) for word in (*low[:1], *low[-1:]))
    kind, text = aside_to_game(text, typed, is_called=is_called)
    own = re.compile(rf"\b{re.escape(nouns.player.name)}\b", re.IGNORECASE)
    if not kind and is_question(text) and own.search(text):
        # Who asks of their own person by name asks who they are.
        kind, _ = aside_to_game(own.sub("my character", text), own.sub("my character", typed), is_called=False)
    if board is not None and kind and not _of_levels(text) and (answer := answer_of(board, text)):
        return Aside(kind="told", words=answer), text
    if numbers := numbers_asked_about(text, given.clocks, () if kind else given.stats, is_called=is_called):
        return Aside(kind=numbers, words=text[:MAX_WORDS]), text
    is_heard = board is not None and any(has_words(wanted, text) for wanted in board.heard) and kind not in _OF_TABLE
    return (Aside(kind=kind, words=text), text) if kind and not is_heard else (None, text)


def _of_levels(text: str) -> bool:
    """Tell whether a question is which levels of difficulty there are: that is no matter of a board."""
    return "difficulty" in subjects_in(text, "questions") and "level" in text.casefold()


def asked_in_turn(
    aside: Aside, text: str, asked_by: Callable[[str, str], tuple[Aside | None, str]]
) -> tuple[tuple[Aside, ...], str]:
    """Return the asides that a line asks one after another, and the questions in it that are none: `aside` alone where
    it asks one thing. `asked_by` gives the aside that a question by itself would be."""
    asked: list[Aside] = []
    rest: list[str] = []
    lead = ""
    for part in filter(None, _JOINT.split(text)) if aside.kind not in _WHOLE else ():
        found, _ = asked_by(part, part)
        if found is not None and found.kind in _WHOLE:
            return (aside,), ""
        is_same = found is not None and bool(asked) and asked[-1].kind == found.kind != "told"
        if found is not None and not is_same:
            asked.append(found if found.kind == "told" else _with_words(found, lead, part))
        elif asked and (is_same or _goes_on(part) or _goes_on_of_one(asked, part)):
            asked[-1] = asked[-1] if asked[-1].kind == "told" else _with_words(asked[-1], asked[-1].words, part)
        elif not asked and not is_question(part):
            lead = f"{lead} {part}".strip()
            continue
        else:
            rest.append(part)
        lead = ""
    if not asked or (len(asked) == 1 and not rest):
        return (aside,), ""
    return tuple(asked), " ".join(part if part.endswith((".", "?", "!")) else f"{part}?" for part in rest)


def _with_words(aside: Aside, *parts: str) -> Aside:
    return aside.model_copy(update={"words": " ".join(filter(None, parts))[:MAX_WORDS]})


def _goes_on(part: str) -> bool:
    return (
        len(part.split()) <= _FEW
        or not is_question(part)
        or bool(_BACK.search(part))
        or bool(subjects_in(part, "questions"))
    )


def _goes_on_of_one(asked: list[Aside], part: str) -> bool:
    """Tell whether a question goes on about the player, of whom one was asked by name."""
    return any(aside.kind == "who" for aside in asked) and _OF_ONE.search(part) is not None


def with_asides(output: InterpreterOutput | None, asides: tuple[Aside, ...], rest: str = "") -> InterpreterOutput:
    """Return what was read of the rest of a line, with what the line asks of the game; without an output that alone."""
    if output is None:
        return InterpreterOutput(intent=f"aside: {asides[0].kind}", aside=asides[0], beside=asides[1:])
    if output.aside is None:
        played = output.played or rest
        return output.model_copy(update={"beside": (*asides, *output.beside), "played": played})
    beside = (*asides[1:], output.aside, *output.beside)
    return output.model_copy(update={"aside": asides[0], "beside": beside})
