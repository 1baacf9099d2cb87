"""A quotation and what shows of the speaker -> in which order they are told, so that no two answers have one rhythm."""

from __future__ import annotations

from dataclasses import replace

from lorewright.builtin.narrator.authored import is_named_in
from lorewright.builtin.narrator.beats import Beat, Person
from lorewright.builtin.narrator.memory import sentences
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import NarratorInput


def spoken(given: NarratorInput, outcome: Outcome, shown: list[Beat], reaction: list[Beat]) -> list[Beat]:
    """The beats in one of four orders: frame, words, reaction; reaction in place of the frame; reaction between two
    sentences of the words; no reaction.

    A frame that says how it went (after a roll) stays, and so does one where the reaction does not name the speaker.
    """
    if len(shown) != 1 or not shown[0].is_speech or not reaction:
        return [*shown, *reaction]
    words, line = shown[0], reaction[0]
    match given.turn_no % 4:
        case 1 if _names(words, line) and outcome.band in (None, "success") and "himself" not in words.facts:
            # It stands for the frame, and must not be dropped.
            return [replace(line, kind="evidence"), replace(words, group="")]
        case 2 if len(parts := sentences(words.authored)) > 1:
            first = replace(words, authored=parts[0])
            rest = replace(words, group="", authored=" ".join(parts[1:]), continues=True)
            return [first, replace(line, kind="evidence"), rest]
        case 3:
            return shown
        case _:
            return [words, line]


def _names(words: Beat, line: Beat) -> bool:
    who = words.slots.get("who")
    return isinstance(who, Person) and is_named_in([who.name], line.authored)
