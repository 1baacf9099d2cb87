"""Words of which nothing can be made are asked about in full words; what was read of the line is played."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named, Scope
from support.narrator_bar import CHEN, PLAYER, SCOPES, read

MARKET = Named(id="p:night_market", name="The Night Market", kind="place")
MIRA = Named(id="p:mira", name="Mira", kind="person", pronoun="she")


def read_before_a_walk(text: str) -> InterpreterOutput:
    """What is made of the text in the bar, with the market ahead, where Mira is."""
    ahead = {MARKET.id: Scope(player=PLAYER, place=MARKET, people=(MIRA,))}
    return interpret(InterpreterInput(player_text=text, scope=SCOPES["bar"], ahead=ahead))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("frobnicate the bar knife", ("take the bar knife", "look at the bar knife")),
        ("zorp Viktor", ("talk to Viktor", "look at Viktor")),
        ("viktor and jin", ("ask Viktor about Jin", "talk to Viktor")),
        ("kiss", ("kiss Viktor",)),
    ],
)
def test_the_one_or_two_likeliest_lines_are_named_in_full_words(text: str, lines: tuple[str, ...]) -> None:
    unclear = read(text).unclear
    assert unclear is not None
    assert unclear.lines == lines
    assert all(line in unclear.question for line in lines)
    assert unclear.question.startswith("You mean: ")


def test_the_rest_of_a_line_is_asked_about_and_what_was_read_is_played() -> None:
    output = read("take the bar knife, then frobnicate the backup comm unit")
    assert [action.type for action in output.proposed_actions] == ["take"]
    assert output.rest is not None
    assert output.rest.question.startswith("Not done: “frobnicate the backup comm unit”. You mean: ")
    assert output.rest.lines[0] == "take the backup comm unit"


@pytest.mark.parametrize("text", ["take the bar knife", "wait", "xyzzy", "frobnicate the bar knife"])
def test_nothing_is_left_to_ask_where_all_of_a_line_was_read_or_none(text: str) -> None:
    assert read(text).rest is None


def test_nobody_is_meant_who_only_has_to_do_with_the_object() -> None:
    for text in ("buy a mango for Viktor", "polish the trophy for Viktor"):
        assert "p:viktor" not in {action.target_id for action in read(text).proposed_actions}


def test_after_a_walk_those_who_are_there_are_meant() -> None:
    output = read_before_a_walk("go to the market, greet her and ask about jin")
    assert [(action.type, action.target_id) for action in output.proposed_actions] == [
        ("go", None),
        ("greet", MIRA.id),
        ("ask", MIRA.id),
    ]
    # Should the walk fail, nobody is named who was not met.
    assert not [text for text in output.assumptions if MIRA.name in text]


def test_after_a_walk_to_an_unknown_place_nobody_who_was_left_behind_is_spoken_to() -> None:
    output = read("go to the market and ask about jin", "bar")
    assert [action.type for action in output.proposed_actions] == ["go"]
    assert CHEN.id not in output.referenced_entities


def test_something_left_somewhere_is_no_way_out() -> None:
    actions = read("leave a coin under the glass", "cell").proposed_actions
    assert "go" not in {action.type for action in actions}
