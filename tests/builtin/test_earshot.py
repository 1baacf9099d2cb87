"""What was told of what is beyond the place, or within the player, and which words are about it."""

from __future__ import annotations

import pytest

from lorewright.builtin.words import earshot

HALL = (
    "Mr Gaunt lets you into number nine, Tallow Street, and locks the front door behind you, from without.",
    "He will be back at nine with the buyer.",
    "So here is the hall: a mat, a hat, a stair, and four doors, every one of them shut.",
    "Behind the one to the music room something heavy is being moved.",
    "Behind the one to the kitchen a plate is put down on a plate.",
)
MUSIC, KITCHEN = HALL[3], HALL[4]
DESK = (
    "At ten Dorrie Pask takes her cardigan off the chair and hands you the night.",
    "There are three rules, she says, as on every night: nobody rings the bell, and the coffee is paid for.",
    "Then her car goes off down the salt road, and the Heron is yours until six.",
    "Out in the lot, under the pink bird, Constable Oakes is standing near something.",
)
VOICES = ("Something in you has begun to cry already, and something else remarks that the umbrellas are out of order.",)


def test_what_is_heard_or_seen_beyond_a_place_is_told_from_what_is_in_it() -> None:
    bells = "Above the kitchen door a row of servants' bells hangs on springs."
    assert earshot.beyond((*HALL, bells)) == (MUSIC, KITCHEN)
    assert earshot.beyond(DESK) == DESK[3:]


@pytest.mark.parametrize(
    ("words", "about"),
    [
        ("oi whos moving furniture at this hour", (MUSIC,)),
        ("Need a hand with that? Sounds heavy.", (MUSIC,)),
        ("whoever's doing the dishes, you missed a spot", (KITCHEN,)),
        ("please don't stop your supper on my account", (KITCHEN,)),
        ("who's in the kitchen", (KITCHEN,)),
        ("what is that noise", (MUSIC, KITCHEN)),
        ("Hello? Is anybody there?", (MUSIC, KITCHEN)),
        ("how many locks are there", ()),
        ("take the hat", ()),
    ],
)
def test_words_are_about_the_noise_that_they_speak_of(words: str, about: tuple[str, ...]) -> None:
    assert earshot.told_of(words, (MUSIC, KITCHEN)) == about


@pytest.mark.parametrize(
    ("words", "is_put"),
    [("what is crying inside me", True), ("stop crying, you big baby", True), ("stop the bus", False)],
)
def test_words_to_a_voice_of_which_one_was_told_are_put_within(words: str, is_put: bool) -> None:
    assert earshot.is_within(words, earshot.within(VOICES)) == is_put


def test_somebody_who_is_seen_is_not_anybody_who_may_be_there() -> None:
    assert earshot.told_of("is anybody there", DESK[3:]) == ()
    assert earshot.told_of("what is Oakes doing", DESK[3:]) == DESK[3:]


@pytest.mark.parametrize(
    ("name", "words", "told", "sentence"),
    [
        ("Mr Gaunt", "you've locked it. Was that meant?", HALL, HALL[0]),
        ("Mr Gaunt", "come back here", HALL, HALL[1]),
        ("Dorrie Pask", "drive safe", DESK, DESK[2]),
        ("Constable Oakes", "are you lost", DESK, DESK[3]),
        ("Jin", "where are you", DESK, ""),
    ],
)
def test_of_somebody_who_is_not_here_it_is_told_where_they_are_seen_or_how_they_went(
    name: str, words: str, told: tuple[str, ...], sentence: str
) -> None:
    assert earshot.told_of_person(name, words, told) == sentence


def test_a_name_is_given_as_it_was_told() -> None:
    assert earshot.name_in("constable", DESK) == "Constable Oakes"
    assert earshot.name_in("dorrie", DESK) == "Dorrie Pask"
    assert earshot.name_in("stair", HALL) == ""


@pytest.mark.parametrize(
    "words",
    [
        "Shush, all of you. One at a time. Who's crying?",
        "Be quiet, all of you. I haven't even had my tea.",
        "I answer the one that's crying, under my breath: hush now",
        "tell the crying one and the umbrella one to get out of my head",
        "listen for which part of me is crying and let it",
        "why am i crying",
        "hello voices",
    ],
)
def test_words_to_the_voices_in_oneself_are_known(words: str) -> None:
    assert earshot.is_within(words, VOICES, is_line=True)
    assert not earshot.is_within(words, (), is_line=True)


@pytest.mark.parametrize(
    "words",
    [
        "straighten the umbrellas",
        "who left these umbrellas here?",
        "my voice does something foolish",
        "Dorrie, don't cry",
        "be quiet",
        "ask all of them about the box",
    ],
)
def test_other_words_are_not_put_to_them(words: str) -> None:
    assert not earshot.is_within(words, VOICES, is_line=True)


def test_a_question_of_which_nobody_told_more_has_the_sentence_with_its_telling_word() -> None:
    assert earshot.told_about("which bell is it", DESK).startswith("There are three rules")
    assert earshot.told_about("what is the password", DESK) == ""


def test_a_number_is_the_same_in_words_and_in_figures() -> None:
    told = ("Rain falls on the roof.", "Nobody is in room 12, she says.")
    assert earshot.told_about("what if somebody asks for twelve", told).startswith("Nobody is in room 12")
    assert earshot.told_about("is there a one", told) == ""


def test_what_is_said_to_nobody_needs_two_words_of_a_sentence_to_be_like_it() -> None:
    assert earshot.told_about("three rules, how hard can it be", DESK, least=earshot.LIKE)
    assert not earshot.told_about("this is going to be a long night", DESK, least=earshot.LIKE)


@pytest.mark.parametrize(
    "words",
    [
        "I call out that I'm here about the locks",
        '"I am not the buyer."',
        'say "I am not the buyer"',
        "shout through the door that I mean no harm",
        "call after Dorrie to drive carefully",
        "Shout: I've got the police with me",
    ],
)
def test_what_is_called_or_said_in_so_many_words_is_loud_enough(words: str) -> None:
    assert earshot.calls_out(words)


@pytest.mark.parametrize("words", ["I say to myself, three rules", "I wonder about the locks", "mutter about the rain"])
def test_what_one_says_to_oneself_is_no_call(words: str) -> None:
    assert not earshot.calls_out(words)
