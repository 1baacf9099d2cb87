"""A narration names nobody whom it was not shown; marks and line feeds make no names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.llm.doubles import ScriptedModel
from lorewright.turn.run.prose import unknown_names
from support import harbour as h


def narrated(tmp_path: Path, text: str) -> str:
    """What the player is told where a model writes this."""
    app = h.harbour(tmp_path, models={"narrator": ScriptedModel(lambda _: text)})
    (told,) = h.say(app, "look")
    return str(told["final_text"])


def test_a_name_that_was_not_shown_is_found_and_one_that_was_is_not() -> None:
    assert unknown_names("Osk nods to Brann, and Brann leaves.", shown="osk") == ["Brann"]
    assert unknown_names("Osk nods.", shown="the landlord is Osk") == []


def test_what_begins_a_sentence_or_a_paragraph_is_no_name() -> None:
    assert unknown_names("Rain falls. Somebody laughs, and\n\nEverybody goes", shown="") == []


@pytest.mark.parametrize(
    "text",
    [
        "Viktor nods to Mr. Liuwan at the bar.",
        "“Evening,” says Dr. Liuwan.",
        "Rain falls. Liuwan nods at you.",
        "Viktor looks up… Liuwan comes in.",
    ],
)
def test_a_name_is_seen_after_a_title_and_before_what_only_people_do(text: str) -> None:
    assert unknown_names(text, shown="Viktor") == ["Liuwan"]


@pytest.mark.parametrize(
    "text", ["Rain falls. Somebody nods.", "“No.” He shrugs. Both laughed.", "Who asked? Nobody says. Voices said so."]
)
def test_a_pronoun_that_begins_a_sentence_is_no_name(text: str) -> None:
    assert unknown_names(text, shown="") == []


def test_a_word_after_a_mark_is_no_name(tmp_path: Path) -> None:
    assert narrated(tmp_path, "Smoke hangs there. [1] Somebody coughs [2]. [1][2] Everything waits.") == (
        "Smoke hangs there. Somebody coughs. Everything waits."
    )


def test_a_mark_does_not_hide_a_secret(tmp_path: Path) -> None:
    told = "I sold her [1] passage to the [1] harbour master for [1] a marmoset and a month [1] of quiet."
    assert "marmoset" not in narrated(tmp_path, told)


def test_the_first_word_of_a_line_that_was_shown_may_be_said_again(tmp_path: Path) -> None:
    told = ["It rains.\nOdds are even, and oddly so.", "They sing of Odds and ends."]
    model = ScriptedModel([one.replace("oddly so", "so it goes") for one in told])
    app = h.harbour(tmp_path, models={"narrator": model})
    assert h.say(app, "look", "wait")[1]["final_text"] == told[1]


NEWCOMER = "A girl comes in out of the rain. “I am Wren,” she says to nobody."


def told_and_read(
    tmp_path: Path, told: list[str], read: list[dict[str, object]]
) -> tuple[dict[str, object], ScriptedModel]:
    """The turn in which models tell these narrations and propose this of them, and the narrator."""
    narrator = ScriptedModel(told)
    app = h.harbour(tmp_path, models={"narrator": narrator, "lore_extractor": ScriptedModel(read)})
    (result,) = h.say(app, "look")
    return result, narrator


def test_whoever_a_narration_brings_in_may_be_named_once_they_are_taken_up(tmp_path: Path) -> None:
    wren = {"introduced_npcs": [{"id": "wren", "name": "Wren", "description": "a girl in the rain"}]}
    result, narrator = told_and_read(tmp_path, [NEWCOMER], [wren])
    assert result["final_text"] == NEWCOMER
    assert len(narrator.requests) == 1


def test_a_name_of_which_nothing_is_taken_up_is_told_otherwise(tmp_path: Path) -> None:
    result, narrator = told_and_read(tmp_path, [NEWCOMER, "A girl comes in out of the rain."], [{}, {}])
    assert result["final_text"] == "A girl comes in out of the rain."
    assert "Wren" in narrator.requests[-1].text


def test_the_second_time_nobody_new_is_brought_in(tmp_path: Path) -> None:
    result, narrator = told_and_read(tmp_path, [NEWCOMER] * 5, [{}] * 2)
    assert result["fell_back"] == ["narrator"] and len(narrator.requests) == 3
    assert "Wren" not in str(result["final_text"])


def test_whoever_is_in_the_world_may_be_named_though_the_scene_has_not_shown_them(tmp_path: Path) -> None:
    assert narrated(tmp_path, "Somebody speaks of Bea, and of her nets.") == "Somebody speaks of Bea, and of her nets."
