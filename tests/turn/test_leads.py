"""A question without an answer leads on to what somebody there freely tells; a civil word leads to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import harbour as h
from support import harbour_crew as c

AXOLOTL, BOAT, WIND, DEBT = "axolotl in the cellar", "took the night boat", "The wind turns", "harbour master"


@pytest.fixture(autouse=True, scope="module")
def made_before(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test pays for what only the first would."""
    h.say(c.crew(tmp_path_factory.mktemp("before"), together=True), "look")


def told(tmp_path: Path, *lines: str) -> list[str]:
    """The narrations of lines, typed to Osk and Bea in the tavern."""
    return [result["final_text"] for result in h.say(c.crew(tmp_path, together=True), *lines)]


def test_who_is_there_and_knows_speaks_up(tmp_path: Path) -> None:
    (text,) = told(tmp_path, "ask osk who keeps the axolotl")
    assert AXOLOTL in text
    assert "Osk" in text and "Bea" in text


def test_what_was_told_leads_to_what_was_not(tmp_path: Path) -> None:
    texts = told(tmp_path, "ask osk about Lin", "ask osk about Lin and the wind")
    assert BOAT in texts[0]
    assert WIND in texts[1]


def test_the_second_question_in_vain_leads_to_something_else_that_is_freely_told(tmp_path: Path) -> None:
    first, second = told(tmp_path, "ask osk about the parrot", "ask osk about the comet")
    assert BOAT not in first
    assert BOAT in second


def test_nothing_that_is_kept_back_is_ever_told_so(tmp_path: Path) -> None:
    things = ("parrot", "comet", "abbey", "violin")
    assert all(DEBT not in text for text in told(tmp_path, *(f"ask osk about the {thing}" for thing in things)))


@pytest.mark.parametrize(
    "lines",
    [
        ("thank you, Osk", "nice weather, Osk", "how are you, Osk?"),
        ("you fool, Osk", "I'll break your nose, Osk", "you stink, Osk"),
        ("wave to osk", "wave to osk", "wave to osk"),
    ],
)
def test_what_is_no_question_leads_to_nothing(lines: tuple[str, ...], tmp_path: Path) -> None:
    texts = "".join(told(tmp_path, *lines))
    assert all(item not in texts for item in (AXOLOTL, BOAT, WIND, DEBT))


def test_words_of_every_conversation_lead_to_nothing_near(tmp_path: Path) -> None:
    (text,) = told(tmp_path, "Osk, what does it mean?")
    assert all(item not in text for item in (AXOLOTL, BOAT, WIND, DEBT))
