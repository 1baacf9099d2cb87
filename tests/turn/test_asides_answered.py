"""What is said to the program, or to nobody: answered from what was told and from open lore, and never a turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.retrieval.view import LoreView
from lorewright.turn.views.asides.recollections import answer_from_known
from support import harbour as h

TOLD = (
    "The rain stops. A boat puts in at the quay.",
    "There are three rules: nobody rings the bell, and the tea is paid for. She says it twice.",
)


@pytest.fixture
def view(tmp_path: Path) -> Iterator[LoreView]:
    with h.harbour(tmp_path).campaigns.open("game") as opened:
        yield LoreView(opened.setting.generations, viewer="player")


def test_what_was_told_answers_in_its_own_words_with_the_sentence_after_it(view: LoreView) -> None:
    text, cited = answer_from_known("the three rules", TOLD, view)
    assert text == f"You remember: {TOLD[1]}"
    assert cited == ()


def test_of_two_texts_that_say_it_the_first_answers(view: LoreView) -> None:
    text, _ = answer_from_known("the boat", (TOLD[0], "Another boat leaves."), view)
    assert "A boat puts in" in text


@pytest.mark.parametrize("words", ["the moon over Lisbon", "anybody up here", "who else said such a thing", ""])
def test_what_nobody_told_and_no_section_says_has_no_answer(view: LoreView, words: str) -> None:
    text, cited = answer_from_known(words, TOLD, view)
    assert text.startswith("You ask yourself, and have no answer")
    assert cited == ()


def played(app: App, line: str) -> dict[str, object]:
    (result,) = h.say(app, line)
    assert result["clarification_question"] is None
    return dict(result)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("what version is this program", "a matter of the program"),
        ("teleport to the moon", "cannot teleport"),
        ("list all verbs", "say in your own words"),
        ("what are the win conditions", "Nobody has told you what to want"),
        ("are you a robot", "A program answers here"),
        ("what does Dread do?", "Dread is at 0 of 3."),
        ("what happens when dread is full", "Dread is at 0 of 3."),
        ("how do I keep the dread down", "Dread is at 0 of 3."),
        ("does the dread ever go back down?", "Nothing in this story brings it down again"),
        ("can the dread be lowered at all?", "Nothing in this story brings it down again"),
        ("what happens when it gets to three?", "Dread is at 0 of 3."),
        ("what do the numbers below mean", "Dread is at 0 of 3."),
        ("can the suggestions be turned off?", "cannot be hidden here"),
        ("is there more than one ending?", "No, nothing is given away"),
        ("rewind one turn please", "There is nothing to take back yet"),
        ("can I restore an earlier save?", "every turn is saved"),
        ("is there a walkthrough?", ""),
    ],
)
def test_what_is_meant_for_the_program_is_answered_by_it(tmp_path: Path, line: str, answer: str) -> None:
    app = h.harbour(tmp_path)
    assert answer in str(played(app, line)["final_text"])


@pytest.mark.parametrize(
    "line", ["ask Osk about the dread", "do you dread it?", "what do you dread", "why do you dread her"]
)
def test_a_word_that_a_clock_is_called_by_is_no_question_about_the_game(tmp_path: Path, line: str) -> None:
    assert "Dread is at" not in str(h.say(h.harbour(tmp_path), line)[0]["final_text"])


def test_a_clock_is_told_in_its_author_s_words(tmp_path: Path) -> None:
    scenario = h.SCENARIO.replace("{name: Dread, max: 3,", "{name: Dread, max: 3, means: How near they are.,")
    app = h.harbour(tmp_path, scenario=scenario)
    assert played(app, "what is the dread for?")["final_text"] == "Dread is at 0 of 3. How near they are."


@pytest.mark.parametrize("line", ["is anyone else here?", "what's in here"])
def test_who_and_what_is_here_is_looked_at(tmp_path: Path, line: str) -> None:
    (result,) = h.say(h.harbour(tmp_path), line)
    assert [action["type"] for action in result["actions"]] == ["look"]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("can I save? and what happens when dread is full", ("every turn is saved", "Dread is at 0 of 3.")),
        ("how much time is left and what are the rules?", ("has only just begun", "say in your own words")),
        ("what is dread, and can it go over 3?", ("Dread is at 0 of 3.", "never past either")),
    ],
)
def test_each_question_of_a_line_is_answered_in_turn(tmp_path: Path, line: str, answers: tuple[str, ...]) -> None:
    told = str(played(h.harbour(tmp_path), line)["final_text"]).casefold()
    places = [told.find(answer.casefold()) for answer in answers]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize(
    "line",
    [
        "take the rope. how do I save?",
        "is this saved, and is there a rope? take the rope",
        "take the rope, btw can I save?",
        "I take the rope. Does it save the game itself?",
        "is this saved? I take the rope",
    ],
)
def test_a_question_to_the_game_is_answered_beside_what_is_played(tmp_path: Path, line: str) -> None:
    app = h.harbour(tmp_path)
    result = played(app, line)
    told = str(result["final_text"])
    assert "take" in str(result["actions"])
    assert "every turn is saved" in told
    assert "Ask that by itself" not in told


def test_who_asks_for_a_hint_about_something_is_told_what_is_known_of_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    told = str(played(app, "a hint please, I don't know who Osk is")["final_text"])
    assert "Landlord of the tavern" in told


def test_what_a_thing_at_hand_is_for_is_told_by_a_look_at_it(tmp_path: Path) -> None:
    (result,) = h.say(h.harbour(tmp_path), "what is the rope for?")
    assert [action["type"] for action in result["actions"]] == ["look"]
