"""A deed that would change the world, and that no rule brings about, is told as not coming to pass, with its reason."""

from __future__ import annotations

import re

import pytest

from lorewright.builtin.narrator.grammar import grammar
from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.refusals.weighty import weighty_words
from lorewright.builtin.words.tagging import Act
from lorewright.values.records import InterpreterInput, InterpreterOutput
from support.narrator_bar import SCOPES

BAR = SCOPES["bar"].model_copy(update={"scenery": ()})


def heard(line: str, *kinds: str) -> InterpreterOutput:
    parts = re.split(r", then | and then ", line)
    acts = tuple(Act(kind=kind, words=words, score=0.9) for kind, words in zip(kinds, parts, strict=True))
    return interpret(InterpreterInput(player_text=line, scope=BAR), lambda text: acts if text == line else ())


@pytest.mark.parametrize(
    ("line", "kind", "form"),
    [
        ("set fire to his coat", "attempt", "no_fire"),
        ("I burn the letters one by one", "break", "no_fire"),
        ("sell the stools to the highest bidder", "give", "no_sale"),
        ("buy the whole street", "pay", "no_purchase"),
        ("drag Viktor out into the rain", "move", "no_hands"),
        ("eat Viktor", "eat", "no_harm"),
        ("use the candle to set the bar on fire", "use", "no_fire"),
        ("swap the glass for a bigger one", "take", "no_change"),
        ("put her on the bus", "put", "no_hands"),
        ("take the money out of the till", "take", "no_loot"),
        ("run off with everything on the shelf", "go", "no_loot"),
        ("steal somebody's car", "take", "no_ride"),
        ("lift the whole bar onto my shoulders", "pose", "no_lift"),
        ("bring the stuffed bird to life", "attempt", "no_life"),
        ("make the radio lay an egg", "attempt", "no_life"),
        ("unsay what I said", "tell", "no_undoing"),
        ("hire Viktor as my driver", "attempt", "no_rank"),
        ("kiss Viktor whether he wants it or not", "touch", "no_force"),
        ("take a selfie with Viktor", "take", "no_picture"),
        ("turn the stove into a pony", "attempt", "no_change"),
        ("swim straight down from here", "go", "no_water"),
        ("I un-ring the bell", "use", "no_undoing"),
    ],
)
def test_what_would_change_the_world_is_not_told_as_done(line: str, kind: str, form: str) -> None:
    (action,) = heard(line, kind).proposed_actions
    assert (action.type, action.form, action.target_id) == ("pose", form, None)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("burn my tongue on the tea", "eat"),
        ("take the stool by the door", "sit"),
        ("carry my bag to the table", "move"),
        ("pick up the glass", "take"),
        ("put the glass on the bar", "put"),
        ("run my finger along the bar", "touch"),
        ("buy a drink", "order"),
        ("buy everybody a round", "order"),
        ("ask Viktor whether he would sell the bar", "ask"),
        ("should I burn the letters?", "ask"),
    ],
)
def test_small_deeds_and_words_are_none_of_these(line: str, kind: str) -> None:
    assert not [act for act in heard(line, kind).proposed_actions if act.form.startswith("no_")]


def test_each_deed_of_a_line_has_its_own_answer() -> None:
    first, second = heard("burn the curtains, then drag Viktor outside", "break", "move").proposed_actions
    assert (first.form, second.form) == ("no_fire", "no_hands")


def test_every_form_has_sentences_that_name_the_deed() -> None:
    told = grammar()["form.in_words"]
    for form in weighty_words().sorts:
        texts = [variant.text for variant in told if ("kind", form) in variant.when]
        assert len(texts) > 2
        assert all("{deed}" in text for text in texts)
