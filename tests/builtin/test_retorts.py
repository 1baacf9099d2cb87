"""Replies take up the telling words of what is said, where they can stand alone."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.retorts import phrase_of
from lorewright.values.records import NarratorInput, PersonView
from support.narrator_scenes import BAR, given, outcome


def said(words: str, *, form: str = "opinion", kind: str = "remark", regard: Any = "", deed: str = "") -> NarratorInput:
    """The turn in which something is said to Viktor; `deed` is how he would repeat it."""
    viktor = PersonView(id="p:viktor", name="Viktor", pronoun="he", regard=regard)
    code = "does_not_know" if kind == "ask" else "acted"
    came_of = outcome(code, type=kind, target_id="p:viktor", words=words, form=form, deed=deed)
    return given(came_of, scene=BAR.model_copy(update={"people": (viktor,)}), player_text=words)


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("Is that your elbow or a mop?", "“My elbow or a mop?”"),
        ("are those eggs or stones?", "“Eggs or stones?”"),
        ("Viktor, bath taps or kitchen taps?", "“Bath taps or kitchen taps?”"),
        ("Lovely handwriting you have, for a man who draws four lines.", "“My handwriting?”"),
        ("I like your laugh", "“My laugh?”"),
        ("this place is a dump", "“A dump"),
        ("this is so awkward", "“Awkward"),
        ("could you watch my coat for a minute", "“Your coat?”"),
        ("can you lend me fifty credits", "“Fifty credits?”"),
        ("pass the salt, would you", "“The salt?”"),
        ("do you believe in ghosts?", "“Ghosts?”"),
        ("Were you a schoolteacher?", "“A schoolteacher?”"),
        ("nobody here ever changes the wallpaper", "“The wallpaper"),
        ("knock knock", "Who's there?"),
        ("a toast to Jin", "Jin"),
    ],
)
def test_a_reply_takes_up_a_phrase_of_what_was_said(words: str, taken: str) -> None:
    assert taken in narrate(said(words)).final_text


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("you're gonna rub a hole in that glass", "I'm going to rub a hole in that glass"),
        ("You'd tell me if she was dead, wouldn't you?", "I'd tell you if she was dead"),
    ],
)
def test_a_tease_and_a_tag_are_taken_up_whole(words: str, deed: str) -> None:
    assert f"“{deed}?” Viktor says" in narrate(said(words, deed=deed)).final_text


@pytest.mark.parametrize("words", ["That's awful", "that is terrible", "how horrible"])
def test_dismay_at_what_was_told_is_no_matter_of_taste(words: str) -> None:
    told = narrate(said(words)).final_text
    assert not any(word in told for word in ("one word for it", "A little, perhaps", "taste"))


def test_what_opens_is_asked_for_with_a_reason() -> None:
    told = narrate(said("could you open the arcade for me", form="request", kind="ask")).final_text
    assert "the arcade" in told.casefold()
    assert any(word in told for word in ("persuade", "reason", "talk me into"))


def test_an_order_is_answered_as_one() -> None:
    told = narrate(said("can I get a coffee", form="order", kind="call_for")).final_text
    assert "good reason" not in told
    assert "talk me into" not in told


@pytest.mark.parametrize("regard", ["warm", "cold"])
def test_how_somebody_stands_to_the_player_colours_the_reply(regard: str) -> None:
    told = {narrate(said("nice scarf you have", regard=one)).final_text for one in (regard, "")}
    assert ("My scarf?" in " ".join(told)) and (regard == "warm" or len(told) > 1)


@pytest.mark.parametrize(
    "words",
    ["is he dead or alive?", "who was it, you or Bao?", "did you kill her or did he?", "where is the loo"],
)
def test_a_question_of_fact_has_no_reply_of_this_kind(words: str) -> None:
    told = narrate(said(words, form="ask", kind="ask")).final_text
    assert "pass for either" not in told
    assert "As it comes" not in told
    assert "Something between" not in told


@pytest.mark.parametrize(
    ("words", "own", "phrase"),
    [
        ("your ring", "", "my ring"),
        ("a mop in here", "", "a mop"),
        ("my old coat", "", "your old coat"),
        ("handwriting", "my", "my handwriting"),
        ("some sugar", "", "sugar"),
        ("me", "", ""),
        ("it", "the", ""),
        ("xqzw", "", ""),
        ("go", "", ""),
    ],
)
def test_a_phrase_is_repeated_only_where_it_can_stand_alone(words: str, own: str, phrase: str) -> None:
    assert phrase_of(words, own) == phrase
