"""Words that nobody here hears are answered by what the player was told of whom they were meant for."""

from __future__ import annotations

from lorewright.turn.views.asides.recollections import NOTHING_HEARD
from lorewright.turn.views.asides.unheard import answer_of_oneself, answer_unheard, with_noises
from lorewright.values.readings import Aside

MUSIC = "Behind the one to the music room something heavy is being moved."
KITCHEN = "Behind the one to the kitchen a plate is put down on a plate."
AWAY = "Then her car goes off down the salt road, and the Heron is yours until six."
TOLD = ("At ten Dorrie Pask hands you the night.", AWAY, MUSIC, KITCHEN)
CRYING = "Something in you has begun to cry already."


def unheard(kind: str, line: str, words: str = "", told: tuple[str, ...] = TOLD) -> str:
    return answer_unheard(Aside(kind=kind, words=words or line), "Nobody answers.", line, (), told)


def test_who_calls_through_the_doors_has_no_answer_and_hears_what_was_heard() -> None:
    said = unheard("alone", "Hello? Is somebody there?")
    assert "No answer comes." in said and MUSIC in said and KITCHEN in said
    said = unheard("alone", "Please, don't stop your supper for me")
    assert KITCHEN in said and MUSIC not in said


def test_who_is_seen_is_not_told_of_where_somebody_else_is_spoken_to() -> None:
    seen = "Out in the lot, under the pink bird, Constable Oakes is standing near something."
    assert unheard("alone", "So that's what they call you.", told=(seen,)) == "Nobody answers."


def test_what_one_says_to_oneself_calls_nobody() -> None:
    assert unheard("alone", "This place gives me the creeps").startswith("You say it to yourself")


def test_who_went_away_does_not_hear_what_is_called_after_them() -> None:
    assert unheard("afar", "Drive safe!", "Dorrie Pask") == f"Nobody answers. You remember: {AWAY}"
    assert unheard("afar", "Jin!", "Jin") == "Nobody answers."


def test_the_voices_in_oneself_are_spoken_to_and_nobody_else_hears_it() -> None:
    hushed = unheard("within", "Be quiet, all of you", told=(*TOLD, CRYING))
    asked = unheard("within", "who's crying?", told=(*TOLD, CRYING))
    assert hushed != asked
    assert all("nobody else hears it" in said and said.endswith(CRYING) for said in (hushed, asked))


def test_where_nobody_told_anything_a_question_is_answered_with_what_was_heard() -> None:
    assert KITCHEN in with_noises(NOTHING_HEARD, "who is doing the dishes", (), TOLD)
    assert with_noises(NOTHING_HEARD, "what is the password", (), TOLD) == NOTHING_HEARD
    assert with_noises("You remember: it rained.", "who is in the kitchen", (), TOLD) == "You remember: it rained."


def test_a_question_about_somebody_has_what_was_told_of_them_first() -> None:
    assert with_noises("You remember: it rained.", "Dorrie Pask: where did she go", (), TOLD).endswith(AWAY)


def test_who_asks_who_they_are_is_told_what_the_story_said_of_them_and_that_it_says_no_more() -> None:
    wanted = "What you want: See the night through."
    told = answer_of_oneself("You are Ash.", "Who am I playing?", TOLD, wanted)
    assert told.startswith(f"You are Ash. You remember: {TOLD[0]} {wanted}") and "does not fix" in told
    assert CRYING in answer_of_oneself("You are Sal.", "who is crying, is it me?", (*TOLD, CRYING), wanted)
    assert answer_of_oneself("Wits +1.", "what are my stats", TOLD, wanted) == "Wits +1."
    assert answer_of_oneself("Nothing ails you.", "am I hurt", TOLD, "") == "Nothing ails you."
