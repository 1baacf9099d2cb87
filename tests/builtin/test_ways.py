"""Ways are taken by name, place, door and direction; the way out and the way back need no name."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.tagging import Act
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named, Scope, WayOut
from support.narrator_bar import BAR, PLAYER, SCOPES, STREET, VIKTOR, read

YARD = WayOut(name="back yard", to="p:yard", to_name="The Yard")
STAIRS = WayOut(name="stairs", to="p:attic", to_name="The Attic")
HOUSE = Scope(player=PLAYER, place=BAR, people=(VIKTOR,), exits=(STAIRS, STREET, YARD))
INNER = HOUSE.model_copy(update={"exits": (STAIRS, WayOut(name="hatch", to="p:cellar", to_name="The Cellar"))})


def gone(text: str, scope: Scope = HOUSE, came_from: str = "") -> str | None:
    """Where the line leads; None where it asks."""
    output = _read(text, scope, came_from)
    places = [action.location_id for action in output.proposed_actions if action.type == "go"]
    return places[0] if places else None


def _read(text: str, scope: Scope, came_from: str) -> InterpreterOutput:
    return interpret(InterpreterInput(player_text=text, scope=scope, came_from=came_from))


@pytest.mark.parametrize("text", ["go back", "back", "return", "head back", "let's go back"])
def test_the_way_back_is_the_one_that_was_come_by(text: str) -> None:
    assert gone(text, came_from="p:attic") == "p:attic"
    assert gone(text, came_from="p:night_market") == "p:night_market"


@pytest.mark.parametrize("text", ["go back inside", "head back in", "step back out"])
def test_the_way_back_may_be_said_to_lead_in_or_out(text: str) -> None:
    assert gone(text, came_from="p:night_market") == "p:night_market"


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("up the stairs", "p:attic"),
        ("step outside", "p:night_market"),
    ],
)
def test_a_way_without_a_verb_of_walking_is_taken_too(text: str, to: str) -> None:
    assert gone(text, HOUSE.model_copy(update={"exits": (STAIRS, STREET)})) == to


@pytest.mark.parametrize("text", ["go back", "back", "return"])
def test_who_came_from_nowhere_is_asked_which_way(text: str) -> None:
    output = _read(text, HOUSE, "")
    assert output.unclear is not None
    assert output.unclear.question.startswith("Which way")
    assert len(output.unclear.lines) == 3


@pytest.mark.parametrize("text", ["go back", "back"])
def test_a_way_that_is_gone_is_not_gone_back_by(text: str) -> None:
    assert gone(text, came_from="p:elsewhere") is None


@pytest.mark.parametrize("text", ["leave", "get out", "go outside", "leave the dragon", "exit"])
def test_out_is_the_way_that_leads_outward(text: str) -> None:
    one = HOUSE.model_copy(update={"exits": (STAIRS, STREET)})
    assert gone(text, one) == "p:night_market"


def test_where_two_ways_lead_outward_the_one_that_was_come_by_counts() -> None:
    assert gone("go outside", HOUSE, came_from="p:yard") == "p:yard"
    assert gone("go outside", HOUSE) is None


def test_where_none_leads_outward_one_leaves_as_one_came() -> None:
    assert gone("leave", INNER, came_from="p:cellar") == "p:cellar"
    assert gone("leave", INNER) is None


def test_the_only_way_needs_no_name_at_all() -> None:
    only = HOUSE.model_copy(update={"exits": (STAIRS,)})
    for text in ("leave", "go back", "go outside", "go"):
        assert gone(text, only) == "p:attic", text


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("stairs", "p:attic"),
        ("go up the stairs", "p:attic"),
        ("the attic", "p:attic"),
        ("back to the market", "p:night_market"),
        ("I go to the night market", "p:night_market"),
        ("we walk to the market", "p:night_market"),
        ("I go up the stairs", "p:attic"),
        ("go into the yard", "p:yard"),
    ],
)
def test_a_way_is_taken_by_its_name_or_its_place(text: str, to: str) -> None:
    assert gone(text) == to


def test_going_to_where_one_already_is_is_a_few_steps() -> None:
    (action,) = _read("go to the neon dragon", HOUSE, "").proposed_actions
    assert action.type == "pose"


def test_going_to_somebody_here_is_stepping_up_to_them() -> None:
    (action,) = read("go over to viktor", "crowd").proposed_actions
    assert action.type == "pose"
    spoken = interpret(InterpreterInput(player_text="go over to viktor and ask where jin is", scope=SCOPES["crowd"]))
    assert [one.target_id for one in spoken.proposed_actions if one.type == "ask"] == ["p:viktor"]


def test_a_place_that_nobody_knows_a_way_to_is_refused_with_the_ways_there_are() -> None:
    unclear = _read("go to the opera", HOUSE, "").unclear
    assert unclear is not None
    assert "opera" in unclear.question
    assert set(unclear.lines) == {"go stairs", "go street", "go back yard"}


def test_a_door_that_was_mentioned_is_gone_through_by_through_it() -> None:
    door = Named(id="p:gate", name="iron gate", kind="door")
    scope = HOUSE.model_copy(
        update={"doors": (door,), "exits": (STAIRS, WayOut(name="gate", to="p:lot", to_name="The Lot", door=door.id))}
    )
    assert gone("open the iron gate and go through", scope) == "p:lot"


FERRY = WayOut(name="ferry", to="p:chapel", to_name="The Flood Chapel", to_aliases=("the chapel",))
QUAY = HOUSE.model_copy(update={"exits": (STAIRS, STREET, FERRY)})


def carried(words: str, kind: str = "request") -> str | None:
    """Where somebody is asked to take the player, and does; None where they are asked for anything else."""
    act = Act(kind=kind, words=words, score=0.9)
    output = interpret(InterpreterInput(player_text=words, scope=QUAY), lambda line: (act,))
    places = [action.location_id for action in output.proposed_actions if action.type == "go"]
    return places[0] if places else None


@pytest.mark.parametrize(
    "words",
    [
        "row me over?",
        "could you take me to the chapel, please?",
        "ask him to row me to the chapel for a song",
        "and ask to be rowed to the chapel",
        "any chance of a lift over to the chapel?",
    ],
)
def test_who_keeps_a_ferry_may_be_asked_to_take_one_over(words: str) -> None:
    assert carried(words) == "p:chapel"


@pytest.mark.parametrize(
    "words", ["take me to the attic", "what would it cost to row me over?", "take me seriously", "don't row me over"]
)
def test_other_requests_take_nobody_anywhere(words: str) -> None:
    assert carried(words) is None


def test_one_comes_back_from_behind_the_next_place_by_the_way_one_went() -> None:
    far = WayOut(name="shed", to="p:shed", to_name="The Shed")
    yard = Named(id="p:yard", kind="place", name="The Yard")
    ahead = {"p:yard": Scope(player=PLAYER, place=yard, exits=(far, WayOut(name="bar", to=BAR.id, to_name=BAR.name)))}
    acts = (
        Act(kind="go", words="go to the shed", target="shed", score=0.9),
        Act(kind="go", words="and come back", score=0.9),
    )
    line = InterpreterInput(player_text="go to the shed and come back", scope=HOUSE, ahead=ahead)
    places = [action.location_id for action in interpret(line, lambda _: acts).proposed_actions]
    assert places == ["p:yard", "p:shed", "p:yard", BAR.id]


LEFT = HOUSE.model_copy(update={"people": (), "topics": (VIKTOR,), "seen_at": {VIKTOR.id: "p:attic"}})


@pytest.mark.parametrize(
    "text",
    [
        "go back to Viktor",
        "find Viktor",
        "go and tell Viktor about the rain",
        "I return to Viktor and ask him about Jin",
        "look for the bartender",
    ],
)
def test_one_goes_back_to_somebody_where_one_left_them(text: str) -> None:
    assert gone(text, LEFT) == "p:attic"
    assert gone(text, LEFT.model_copy(update={"seen_at": {}})) is None


def test_who_only_speaks_to_somebody_elsewhere_goes_nowhere() -> None:
    assert gone("tell Viktor about the rain", LEFT) is None
    assert gone("ask Viktor about Jin", LEFT) is None


@pytest.mark.parametrize("text", ["search the attic", "have a look around the attic", "look for papers in the attic"])
def test_another_place_is_gone_to_before_it_is_searched(text: str) -> None:
    assert gone(text) == "p:attic"


@pytest.mark.parametrize(
    "text", ["search the bar", "look around", "look at the attic", "is there a lamp in the attic?"]
)
def test_what_is_searched_here_or_only_asked_about_is_no_walk(text: str) -> None:
    assert gone(text) is None


@pytest.mark.parametrize("text", ["walk up to him", "go over to him", "go up to Viktor"])
def test_who_is_walked_up_to_by_a_pronoun_is_somebody_here(text: str) -> None:
    output = _read(text, HOUSE, "")
    assert output.unclear is None
    assert [action.type for action in output.proposed_actions] == ["pose"]


def test_what_is_held_on_the_way_is_no_part_of_it() -> None:
    assert gone("go to the back yard carrying a glass") == "p:yard"


@pytest.mark.parametrize("text", ["go through the hatch door", "enter the hatch door", "go to the door to the hatch"])
def test_a_way_is_taken_by_the_door_that_is_called_after_it(text: str) -> None:
    assert gone(text, INNER) == "p:cellar"


@pytest.mark.parametrize("text", ["open the hatch door", "open the door"])
def test_a_door_that_is_only_a_way_is_offered_as_that_and_not_searched(text: str) -> None:
    output = _read(text, INNER, "")
    assert output.proposed_actions == ()
    assert output.unclear is not None
    assert "go hatch" in output.unclear.lines


@pytest.mark.parametrize("text", ["move closer to Viktor", "step closer to Viktor", "scoot closer", "edge nearer"])
def test_who_comes_closer_leaves_by_no_way_of_a_like_name(text: str) -> None:
    closet = HOUSE.model_copy(update={"exits": (WayOut(name="closet", to="p:closet", to_name="The Closet"),)})
    assert gone(text, closet) is None
    assert gone("go to the closett", closet) == "p:closet"
