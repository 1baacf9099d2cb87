"""What is said where nobody is goes to whom it is meant for; what is put to the voices in oneself to nobody else."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.tagging import Act
from lorewright.scene_lore.nouns import shown_nouns
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scenery import TOLD, SceneryNoun
from support.narrator_bar import SCOPES

HALL = (
    "Mr Gaunt locks the front door behind you, from without.",
    "Behind the one to the kitchen a plate is put down on a plate.",
)
CRYING = "Something in you has begun to cry already, and something else remarks that the umbrellas are out of order."


def read(text: str, *acts: Act, told: tuple[str, ...] = HALL, scope: str = "void") -> InterpreterOutput:
    scenery = tuple(
        SceneryNoun(name=noun.phrase, head=noun.head, text=said, key=f"{TOLD}{at}", source="1/1")
        for at, said in enumerate(told)
        for noun in shown_nouns(said)
    )
    shown = SCOPES[scope].model_copy(update={"scenery": scenery})
    return interpret(InterpreterInput(player_text=text, scope=shown), lambda line: acts)


def said(kind: str, words: str, **named: str) -> Act:
    return Act(kind=kind, words=words, score=0.5, **named)


@pytest.mark.parametrize(
    ("text", "kind", "aside", "words"),
    [
        ("Mr Gaunt? You have locked me in.", "doubt", "afar", "Mr Gaunt"),
        ("please don't stop your supper on my account", "request", "alone", ""),
        ("who is doing the dishes at this hour", "ask", "lore", ""),
    ],
)
def test_what_is_said_where_nobody_is_goes_to_whom_it_is_meant_for(
    text: str, kind: str, aside: str, words: str
) -> None:
    output = read(text, said(kind, text, person=words))
    assert output.aside is not None
    assert output.aside.kind == aside
    assert output.aside.words == (words or text)


def test_a_thought_aloud_is_said_to_oneself() -> None:
    text = "First night on my own. I hope I don't mess it up"
    acts = (said("thought", "First night on my own."), said("opinion", "I hope I don't mess it up"))
    output = read(text, *acts)
    assert output.aside is not None and output.aside.kind == "alone"
    assert not output.not_played


@pytest.mark.parametrize("text", ["hello voices", "Shush, all of you. Who's crying?", "who's crying?"])
def test_what_is_put_to_the_voices_in_oneself_is_said_to_nobody_here(text: str) -> None:
    output = read(text, said("call", text), told=(CRYING,), scope="bar")
    assert output.aside is not None and output.aside.kind == "within"


def test_who_names_somebody_here_speaks_to_them() -> None:
    text = "tell Viktor that part of me never left"
    output = read(text, said("tell", text, person="Viktor", topic="part of me never left"), told=(CRYING,), scope="bar")
    assert output.aside is None
    assert [action.type for action in output.proposed_actions] == ["tell"]
