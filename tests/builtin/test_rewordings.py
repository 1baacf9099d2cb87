"""What is meant by words that hang on what is here, and on who and what was mentioned before them."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.lines.rewordings import reworded_line
from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.builtin.words.tagging import Act
from lorewright.values.readings import Talk
from lorewright.values.records import InterpreterInput, InterpreterOutput
from support.narrator_bar import SCOPES
from support.narrator_rooms import ROOMS, named, read_in


def shape(output: InterpreterOutput) -> list[tuple[str, str | None]]:
    return [(action.type, action.target_id) for action in output.proposed_actions]


def told(text: str, *, to: str, said_before: tuple[str, ...] = ()) -> InterpreterOutput:
    given = InterpreterInput(player_text=text, scope=ROOMS["bar"], said_before=said_before, talk=Talk(to=to, topic=""))
    return interpret(given)


@pytest.mark.parametrize("text", ["tell him I will keep his name out of it", "tell him about the card"])
def test_him_is_the_man_whom_one_speaks_with(text: str) -> None:
    assert shape(told(text, to="viktor", said_before=("thanks, means a lot",))) == [("tell", "viktor")]


def test_a_pronoun_that_does_not_fit_the_listener_is_somebody_else_here() -> None:
    assert shape(told("tell her I know", to="viktor")) == [("tell", "mara")]


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("take her hand", [("touch", "mara")]),
        ("squeeze Viktor's arm", [("touch", "viktor")]),
        ("reach behind the blue lamp", [("search", "blue_lamp")]),
        ("through the steel door", [("go", None)]),
        ("card her", [("use", "mara")]),
        ("offer viktor a drink", [("call_for", "viktor")]),
        ("goodnight, Viktor", [("farewell", "viktor")]),
        ("what does the card say?", [("look", "card")]),
        ("Viktor, I found your business card", [("ask", "viktor")]),
        ("I know about the knife, Viktor", [("ask", "viktor")]),
        ("I lost my way, Viktor", [("remark", "viktor")]),
        ("excuse me, sir, what do you charge?", [("ask", "viktor")]),
        ("give me the coin Viktor", [("ask", "viktor")]),
        ("look at the lamps", [("look", None)]),
        ("take the bottle marked REX", [("take", "bottle")]),
    ],
)
def test_a_clause_is_read_by_what_is_here(text: str, actions: list[tuple[str, str | None]]) -> None:
    assert shape(read_in("bar", text)) == actions


def test_confronted_with_a_thing_somebody_is_asked_about_it_alone() -> None:
    (action,) = read_in("bar", "Viktor, I found your business card").proposed_actions
    assert action.words == "business card"


def test_what_is_taken_is_in_hand_for_the_rest_of_the_line() -> None:
    output = read_in("pier", "take the rope and put the rope back")
    assert shape(output) == [("take", "rope"), ("drop", "rope")]


def test_what_a_list_names_that_is_not_here_costs_nothing_of_the_rest() -> None:
    output = read_in("bar", "take the coin and the moon")
    assert shape(output) == [("take", "coin")]
    assert any("moon" in text for text in output.assumptions)


@pytest.mark.parametrize("text", ["does anybody come and go at night?", "did she ever take and sell lamps?"])
def test_a_question_is_not_cut_before_what_somebody_does(text: str) -> None:
    assert [action.type for action in told(text, to="viktor").proposed_actions] == ["ask"]


def test_a_water_clerk_is_not_jumped_into() -> None:
    clerk = named("clerk", "Mr Penhale", "person", "water clerk", "man from the Board", pronoun="he")
    scope = ROOMS["bar"].model_copy(update={"people": (clerk,)})
    output = interpret(InterpreterInput(player_text="jump in the water", scope=scope))
    assert all(action.target_id != "clerk" for action in output.proposed_actions)
    asked = interpret(InterpreterInput(player_text="ask the clerk about the key", scope=scope))
    assert shape(asked) == [("ask", "clerk")]


def test_a_hat_box_is_no_hat() -> None:
    box = named("hat_box", "hat box")
    scope = ROOMS["bar"].model_copy(update={"here": (box,)})
    read: Any = interpret(InterpreterInput(player_text="open the hat box marked REX", scope=scope))
    assert shape(read) == [("open", "hat_box")]


def test_who_is_called_by_title_and_is_not_here_is_said_not_to_be() -> None:
    unclear = read_in("bar", "Mr Gaunt! Wait! Let me out").unclear
    assert unclear is not None
    assert "Mr Gaunt" in unclear.question


@pytest.mark.parametrize("clause", ["I found", "that I just found in the cellar", "we brought", "which I have"])
def test_a_thing_is_the_same_whatever_is_said_of_how_it_was_come_by(clause: str) -> None:
    plain = read_in("bar", "show Viktor the coin")
    assert shape(read_in("bar", f"show Viktor the coin {clause}")) == shape(plain)
    assert read_in("bar", "ask Viktor what I found").proposed_actions


def test_what_one_has_done_to_somebody_is_no_question_about_the_story() -> None:
    asked = told("What have I done to offend you?", to="viktor")
    assert asked.aside is None
    assert [action.target_id for action in asked.proposed_actions] == ["viktor"]
    summary = read_in("bar", "What have I done so far?").aside
    assert summary is not None
    assert summary.kind == "recap"


@pytest.mark.parametrize("text", ["climb the stairs to the street", "take the back alley out to the street"])
def test_what_leads_to_a_place_is_taken_there(text: str) -> None:
    assert shape(read_in("bar", text)) == shape(read_in("bar", "go to the street"))
    assert shape(read_in("bar", "take the coin to the street")) != shape(read_in("bar", "go to the street"))


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("here's my knife, for the trouble", [("give", "viktor")]),
        ("Here, Mara, I brought you the knife from the kitchen", [("give", "mara")]),
        ("Mara, this card is for you", [("give", "mara")]),
        ("here you are, Viktor, one card", [("give", "viktor")]),
        ("here, take my knife", [("give", "viktor")]),
    ],
)
def test_what_is_held_out_in_words_is_given(text: str, actions: list[tuple[str, str]]) -> None:
    assert shape(told(text, to="viktor")) == actions


@pytest.mark.parametrize(
    "text", ["the knife is sharp", "here's my plan", "I brought the knife", "this lamp is for you"]
)
def test_words_about_a_thing_or_about_none_hand_nothing_over(text: str) -> None:
    assert all(kind != "give" for kind, _ in shape(told(text, to="viktor")))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I give you my card", ["give"]),
        ("Viktor, look at this card", ["use"]),
        ("I signal to the boat with my knife", ["use"]),
        ("I take the knife over to the pier", ["go"]),
        ("take the knife to Viktor", ["give"]),
    ],
)
def test_what_one_has_is_carried_along_and_held_out(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in shape(told(text, to="viktor"))] == kinds


IN_HAND = ROOMS["bar"].model_copy(update={"carried": (named("lamp", "blue lamp", "thing", "lamp"),)})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("go in quietly with the lamp", "go in quietly"),
        ("walk to the alley with the lamp in my hand", "walk to the alley"),
        ("step inside with the crate and sit down", "step inside and sit down"),
        ("go out with Viktor", "go out with Viktor"),
        ("go to the man with the hat", "go to the man with the hat"),
        ("look at the light from the window", "look at the light from the window"),
        ("flash two short and one long", "flash with the blue lamp"),
        ("flash two short, one long, out over the water", "flash with the blue lamp, out over the water"),
        ("signal twice short and once long to the boat", "signal with the blue lamp"),
        ("light the boats", "use blue lamp"),
        ("light all the boats with the lamp", "use blue lamp"),
        ("I light the first boat from the blue lamp", "I use blue lamp"),
        ("light the lamp", "light the lamp"),
    ],
)
def test_what_one_carries_is_no_part_of_the_way_and_what_burns_is_what_lights(text: str, meant: str) -> None:
    assert reworded_line(ParseContext(nouns=nouns_of(IN_HAND)), text) == meant


def tagged(line: str) -> str:
    """Return a line as it is tagged."""
    seen: list[str] = []

    def tag(text: str) -> tuple[Act, ...]:
        seen.append(text)
        return ()

    interpret(InterpreterInput(player_text=line, scope=SCOPES["bar"]), tag)
    return seen[0]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("tell Viktor I'm sorry and that I could help", "tell Viktor I'm sorry, and tell Viktor that I could help"),
        (
            "ask Viktor what he sells and whether he stays here",
            "ask Viktor what he sells, and ask Viktor whether he stays here",
        ),
        ("tell Viktor he's stalling, what's he hiding", "tell Viktor he's stalling. Viktor, what's he hiding?"),
        ("shout for Mr Gaunt to come back and open the door", 'shout "Mr Gaunt, come back and open the door!"'),
        ("tell Viktor what I want and that is all", "tell Viktor what I want, and tell Viktor that is all"),
    ],
)
def test_what_is_said_in_two_is_each_said_to_the_same(line: str, meant: str) -> None:
    assert tagged(line) == meant


@pytest.mark.parametrize("line", ["tell Viktor that I wait and see", "shout for help and run to the door"])
def test_what_is_said_in_one_stays_as_it_is(line: str) -> None:
    assert tagged(line) == line
