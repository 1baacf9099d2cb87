"""What a listener still has in the ear: sentences, runs of words, how the last turn began."""

from __future__ import annotations

from lorewright.builtin.narrator.scenery import SceneryMemory, jars, sentences


def test_a_sentence_is_as_old_as_its_last_telling() -> None:
    memory = SceneryMemory(("Viktor is here. It rains.", "Mira is here."))
    assert memory.age("It rains.") == 1
    assert memory.age("Mira is here. And so are you.") == 0
    assert memory.age("Nobody is here.") is None
    memory.add("It rains.")
    assert memory.age("It rains.") == 0


def test_two_turns_open_alike_with_the_same_two_words_or_with_you() -> None:
    memory = SceneryMemory(("Older words.", "You wait, and it rains."))
    assert memory.opens_alike("You go.")
    assert not memory.opens_alike("Older words.")
    assert SceneryMemory(("The rain falls.",)).opens_alike("The rain stops.")
    assert not SceneryMemory(()).opens_alike("You go.")


def test_words_are_worn_by_four_words_in_a_row() -> None:
    memory = SceneryMemory(("The rain falls on the bucket by the door.",))
    assert memory.worn("The rain falls on nobody.") == 1
    assert memory.worn("The rain falls elsewhere.") == 0


def test_two_sentences_jar_that_begin_alike_or_take_up_each_others_words() -> None:
    assert jars("Viktor shrugs.", "Viktor polishes a glass.")
    assert jars("At the end lies Pier 9.", "Pier 9 runs out into brown water.")
    assert not jars("Viktor shrugs.", "“Viktor is me.”")
    assert not jars("", "Viktor shrugs.")


def test_a_frame_before_a_colon_is_a_sentence_and_so_is_speech() -> None:
    assert sentences("With it comes this: a key. “Take it.” So be it.") == [
        "With it comes this:",
        "a key.",
        "“Take it.”",
        "So be it.",
    ]
