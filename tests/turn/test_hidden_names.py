"""Whom and what a pack hides from players has no name in play before it is met: a guess is answered as a made-up name
is, whatever is typed and wherever the answer stands."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.authoring.leaks.twin_worlds import same_dice
from lorewright.campaigns.lore import explain_last_turn, introductions
from lorewright.campaigns.viewers import scene_of, state_of, transcript_of
from lorewright.cli.game.slash import run_command
from lorewright.errors import LorewrightError
from support import harbour as h
from support import hidden_people as folk

HIDDEN = [name for one in folk.FIRST.values() for name in (one.id, one.name, one.name.removeprefix("The "), one.alias)]
PRONOUNS = [f"ask Viktoria about {word}" for word in ("it", "her", "him", "them", "the stranger")]
SENTENCES = (
    "go to {}", "talk to {}", "look at {}", "ask Viktoria about {}", "attack {}", "{}", "take {}", "open {}",
    "follow {}", "sneak past {}", "tell Viktoria about {}", "give the mug to {}", "{}, come here", "search {}",
)  # fmt: skip


def told(results: list[dict[str, Any]]) -> str:
    return json.dumps(results, ensure_ascii=False)


def test_the_first_pronoun_of_a_game_names_nobody_who_was_not_met(tmp_path: Path) -> None:
    said = told(h.say(folk.inn(tmp_path), *PRONOUNS))
    assert [name for name in (*HIDDEN, "Isidora", "doctor") if name.casefold() in said.casefold()] == []


def test_what_is_beyond_a_way_has_no_name_before_it_was_reached_and_has_one_then(tmp_path: Path) -> None:
    app = folk.inn(tmp_path)
    with app.campaigns.open("game") as campaign:
        ways = {way.way: way for way in state_of(campaign, "player").ways}
        assert (ways["other way"].id, ways["other way"].name) == ("", "")
    looked, gone = h.say(app, "look around", "go other way")
    assert "the other way" in looked["final_text"]
    assert "Sunken" not in told([looked])
    assert "Sunken Treasury" in gone["final_text"]
    assert "Grey Mask" in gone["final_text"]
    back = h.say(app, "leave", "talk to the grey mask", "go to the sunken treasury")
    assert "Grey Mask is not here" in told(back)
    assert "Sunken Treasury" in back[-1]["final_text"]


MUD = """rules:
  - {id: mud, "on": {act: go, target: yard}, check: {dice: 2d6, add: nerve, risk: risky}}
threads:"""


@pytest.mark.parametrize(
    "line",
    ["go yard and greet {}", "go yard, then ask {} about the toll", "go yard and kiss {}", "go yard, look at {}"],
)
def test_after_a_walk_that_fails_a_hidden_name_is_answered_as_a_made_up_one(tmp_path: Path, line: str) -> None:
    staged = h.dedent(folk.scenario()).replace("{name: Jo}", "{name: Jo, traits: {nerve: -9}}").replace("threads:", MUD)
    answers = []
    for name in ("Wren", "Zork"):
        app = folk.inn(tmp_path / name, text=staged)
        (result,) = h.say(app, line.format(name))
        said = json.dumps([result[key] for key in ("final_text", "actions", "validation", "assumptions")])
        answers.append(said.replace(name, "NAME"))
    assert answers[0] == answers[1]


@pytest.mark.campaign
@pytest.mark.parametrize("called", [folk.FIRST, folk.SECOND], ids=["first", "second"])
def test_every_answer_is_the_same_byte_for_byte_whichever_names_are_hidden(
    tmp_path: Path, called: dict[str, folk.Called]
) -> None:
    lines = [
        SENTENCES[number % len(SENTENCES)].format(name)
        for number, name in enumerate(name for one in called.values() for name in (one.name, one.id, one.alias))
    ]
    answers = []
    for names in (folk.FIRST, folk.SECOND):
        app = folk.inn(tmp_path / names[folk.PERSON].id, names)
        with app.campaigns.open("game") as campaign:
            campaign.change_setting(dice=same_dice)
            answers.append([_answer(campaign, line) for line in (*PRONOUNS[:2], *lines)])
    for one, other in zip(*answers, strict=True):
        assert one == other


def _answer(campaign: Any, line: str) -> str:
    try:
        said = asyncio.run(campaign.submit(line))
    except LorewrightError as problem:
        said = f"{problem.code} {problem.message} {problem.hint}"
    return "\n".join((said, state_of(campaign, "player").model_dump_json()))


@pytest.mark.parametrize("line", ["/map", "/who", "/inv", "/me", "/why", "/recap", "/as", "/help"])
def test_no_command_at_the_prompt_says_a_hidden_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    app = folk.inn(tmp_path)
    h.say(app, "look around")
    with app.campaigns.open("game") as campaign:
        run_command(campaign, line)
    shown = capsys.readouterr().out
    assert shown.strip()
    assert [name for name in HIDDEN if name.casefold() in shown.casefold()] == []


@pytest.mark.parametrize("name", ["Wren", "Sister", "Sister Wren", "wren", "The Grey Mask", "mask", "grey_mask"])
def test_a_whisper_to_somebody_hidden_is_one_to_nobody(tmp_path: Path, name: str) -> None:
    app = folk.inn(tmp_path)
    with app.campaigns.open("game") as campaign:
        with pytest.raises(LorewrightError) as guessed:
            run_command(campaign, f"/whisper {name} ask about it")
        with pytest.raises(LorewrightError) as made_up:
            run_command(campaign, f"/whisper {_like(name)} ask about it")
    assert f"nobody called {name}" in str(guessed.value)
    assert str(guessed.value).replace(name, _like(name)) == str(made_up.value)
    assert guessed.value.hint == made_up.value.hint == "here are: Viktoria"


def _like(name: str) -> str:
    """A name that nobody has, written as another is."""
    words = ("Zork" if word.istitle() else "zork" for word in name.split())
    return " ".join(word if word == "The" else new for word, new in zip(name.split(), words, strict=True))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("the keeper of the keys mind the toll", "mind the toll"),
        ("keeper of the keys: mind the toll", "mind the toll"),
        ("the keeper the toll is two pence", "the toll is two pence"),
        ("to the Keeper of Keys of late I sleep badly", "of late I sleep badly"),
        ("“the keeper of the keys” mind the toll", "mind the toll"),
        ("Viktoria and mind the toll", "and mind the toll"),
        ("vik:mind the toll", "mind the toll"),
        ("inn:vik mind the toll", "mind the toll"),
    ],
)
def test_a_whisper_takes_names_with_articles_and_of_several_words(tmp_path: Path, line: str, words: str) -> None:
    staged = folk.scenario().replace("vik: {at: taproom}", "vik: {at: taproom, aliases: [the Keeper of the Keys]}")
    app = folk.inn(tmp_path, text=staged)
    with app.campaigns.open("game") as campaign:
        run_command(campaign, f"/whisper {line}")
        (said,) = [
            one
            for one in transcript_of(campaign, "player", last=1).messages
            if one.type == "intention" and one.owner.name == "Jo"
        ]
    assert (said.content, said.payload["to"]) == (words, "inn:vik")


@pytest.mark.parametrize(
    "name", ["the Boss", "the boss", "Old Mother Hale", "The Grey Mask", "the quiet guest:", "an ox"]
)
def test_a_whisper_to_nobody_says_whom_it_took_for_the_name(tmp_path: Path, name: str) -> None:
    app = folk.inn(tmp_path)
    with app.campaigns.open("game") as campaign, pytest.raises(LorewrightError) as refused:
        run_command(campaign, f"/whisper {name} meet me at dawn")
    assert str(refused.value) == f"there is nobody called {name.rstrip(':')}"
    assert refused.value.hint == "here are: Viktoria"


CALLS = (
    "{}, where are you?",
    "where are you, {}?",
    "“{}, where are you?”",
    'say "{}, are you there?"',
    "hey {}, who is it?",
)


@pytest.mark.parametrize("call", CALLS)
def test_who_is_called_and_not_here_is_answered_by_nobody_else(tmp_path: Path, call: str) -> None:
    names = ("Rose", "The Grey Mask", "grey_mask", "Sister Wren", "the quiet guest", "Isidora Pen")
    app = folk.inn(tmp_path)
    asked, *called = h.say(app, "ask Viktoria about the toll", *(call.format(name) for name in names))
    assert "two pence" in asked["final_text"]
    for name, one in zip(names, called, strict=True):
        shown = name.replace("_", " ")
        assert one["clarification_question"] == f"Nobody called “{shown}” is here. You can: 1 talk to Viktoria"


def test_an_open_name_is_said_only_to_who_typed_all_of_it(tmp_path: Path) -> None:
    app = folk.inn(tmp_path)
    half = told(h.say(app, "talk to Isidora", "go to penn", "attack Isidra Penn", "talk to doctr"))
    assert "Isidora Penn" not in half
    assert "“Isidora”" in half
    (whole,) = h.say(app, "talk to Isidora Penn")
    assert "Isidora Penn" in whole["final_text"]
    with app.campaigns.open("game") as campaign, pytest.raises(LorewrightError, match="nobody called Penn"):
        campaign.somebody_called("Penn the doctor")


def test_a_word_is_no_name_because_some_letters_are_those_of_one(tmp_path: Path) -> None:
    app = folk.inn(tmp_path)
    h.say(app, "ask Viktoria about Isidora Penn")
    (looked,) = h.say(app, "look at the door")
    assert "Isidora" not in looked["final_text"]
    assert looked["clarification_question"] is None


def test_what_repeats_a_guess_does_not_make_it_known(tmp_path: Path) -> None:
    app = folk.inn(tmp_path)
    h.say(app, "say The Grey Mask is here, is The Grey Mask not", "promise Viktoria to find The Grey Mask")
    guessed = h.say(app, "talk to The Grey Mask")
    assert (
        "There is no “The Grey Mask” here" in guessed[0]["final_text"] or "no “Grey Mask”" in guessed[0]["final_text"]
    )


def test_programs_are_told_no_hidden_name_either(tmp_path: Path) -> None:
    app = folk.inn(tmp_path)
    h.say(app, "look around", "go yard")
    with app.campaigns.open("game") as campaign:
        seen = [
            state_of(campaign, "player").model_dump_json(),
            transcript_of(campaign, "player", last=9).model_dump_json(),
            repr(explain_last_turn(campaign)),
        ]
        # Sister Wren stands in the yard: she is met there.
        assert "Sister Wren" in scene_of(campaign, "player").model_dump_json()
        assert [one.name for one in introductions(campaign)] == ["Sister Wren"]
    unmet = [name for kind in (folk.PERSON, folk.PLACE, folk.FACTION, folk.EVENT) for name in _names(kind)]
    assert [name for name in unmet if any(name.casefold() in text.casefold() for text in seen)] == []


def _names(kind: str) -> tuple[str, str, str]:
    one = folk.FIRST[kind]
    return one.id, one.name, one.alias
