"""What is said to the program, or to nobody: answered from what was told and from open lore, and never a turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.retrieval.view import LoreView
from lorewright.turn.views.asides import answer_from_known
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
        ("teleport to the moon", "beyond you here"),
        ("list all verbs", "Say in your own words"),
        ("what are the win conditions", "Nobody has told you what to want"),
        ("are you a robot", "A program answers here"),
    ],
)
def test_what_is_meant_for_the_program_is_answered_by_it(tmp_path: Path, line: str, answer: str) -> None:
    app = h.harbour(tmp_path)
    assert answer in str(played(app, line)["final_text"])
