"""What was done is told in the player's own words, as it stands after `you`; what would be no plain sentence is not."""

from __future__ import annotations

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scenery import SceneryNoun, SceneryView
from support.narrator_bar import SCOPES
from support.narrator_scenes import BAR, given, outcome


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("I roll up my sleeves", "roll up your sleeves"),
        ("and then quietly lean against the rail", "quietly lean against the rail"),
        ("*buttons his coat*", "button your coat"),
        ("I'd like to warm my hands on the stove, please", "warm your hands on the stove"),
        ("so I tell myself that I am brave", ""),
        ("wave at you", ""),
        ("smokes, and counts the boats", ""),
        ("set the clock to 6 am, because I am late", "set the clock to 6 am, because you are late"),
        ('I write "1. My door, shut" in the notebook', "write “1. My door, shut” in the notebook"),
        ("be patient", ""),
        ("dance if she lets me", ""),
        ("the lamp on the shelf", ""),
    ],
)
def test_a_deed_is_put_as_it_stands_after_you_or_not_at_all(typed: str, told: str) -> None:
    assert in_second_person(typed) == told


def test_a_word_that_may_be_a_slip_is_not_repeated() -> None:
    assert in_second_person("polish the bras knob", ["bras"]) == ""
    assert in_second_person("polish the knob", ["polish"]) == "polish the knob"


def test_what_somebody_else_can_do_there_stays_theirs() -> None:
    assert in_second_person("pat the boards where she can hear it") == "pat the boards where she can hear it"
    assert in_second_person("takes the corner where she can watch") == "take the corner where you can watch"


def _read(text: str, *acts: Act, scope: str = "bar", **added: object) -> InterpreterOutput:
    within = SCOPES[scope].model_copy(update=added)
    return interpret(InterpreterInput(player_text=text, scope=within), lambda line: tuple(acts))


def _act(kind: str, words: str, **named: str) -> Act:
    return Act(kind=kind, words=words, score=0.9, **named)


def test_what_is_done_with_ones_own_body_carries_what_was_done() -> None:
    output = _read("I rub my neck", _act("pose", "I rub my neck"))
    assert [action.deed for action in output.proposed_actions] == ["rub your neck"]


def test_a_deed_without_consequence_is_told_in_the_players_words() -> None:
    came_of = outcome("acted", type="pose", words="rub", form="pose", deed="rub your neck")
    assert "ou rub your neck" in narrate(given(came_of, scene=BAR)).final_text


def test_what_only_the_prose_shows_is_handled_and_left_as_it_was() -> None:
    came_of = outcome(
        "blocked", type="attempt", words="take bucket", reason="only_scenery", form="take", deed="take the bucket"
    )
    shown = {"scenery": (SceneryView(action_index=0, name="the bucket"),)}
    text = narrate(given(came_of, scene=BAR, **shown)).final_text
    assert "ou take the bucket" in text
    assert any(left in text for left in ("stays", "not carried off", "not yours to take along")), text


def test_the_second_deed_with_the_same_thing_is_told_although_its_line_was() -> None:
    line = {"key": "k:1", "text": "A bucket stands by the door.", "chunk_id": "p:bar#1"}
    deeds = [
        outcome("blocked", type="attempt", words=f"{verb} bucket", reason="only_scenery", form="work", deed=deed)
        for verb, deed in (("clean", "clean the bucket"), ("fill", "fill it"))
    ]
    deeds = [deed.model_copy(update={"action_index": at}) for at, deed in enumerate(deeds)]
    shown = tuple(
        SceneryView.model_validate({"action_index": at, "name": "the bucket", "lines": (line,)}) for at in (0, 1)
    )
    text = narrate(given(*deeds, scene=BAR, scenery=shown)).final_text
    assert "clean the bucket" in text
    assert "fill it" in text
    assert text.count("A bucket stands by the door.") == 1


def test_who_looks_for_people_among_other_acts_looks_at_everybody() -> None:
    text = "stretch my legs and see if anybody is about"
    output = _read(text, _act("pose", "stretch my legs"), _act("seek", "and see if anybody is about"))
    assert [action.type for action in output.proposed_actions] == ["pose", "look"]
    alone = _read("see if anybody is about", _act("seek", "see if anybody is about"))
    assert alone.aside is not None
    assert alone.aside.kind == "company"


def test_what_one_has_of_a_drink_is_no_thing() -> None:
    words = "have another nibble"
    output = _read(words, _act("eat", words, target="nibble"))
    assert [action.type for action in output.proposed_actions] == ["pose"]


def test_one_goes_first_to_whom_the_prose_has_elsewhere() -> None:
    scope = SCOPES["bar"]
    way = scope.exits[0]
    known = next(
        topic for topic in scope.topics if topic.kind == "person" and topic.id not in {p.id for p in scope.people}
    )
    name = known.name.split()[-1]
    sentence = f"Out at the {way.to_name}, {name} is counting crates."
    noun = SceneryNoun(name="crates", head="crates", text=sentence, key="k:2", source="p:bar#2")
    item = scope.carried[0].name
    words = f"hand the {item} to {name}"
    output = _read(words, _act("give", words, target=item, person=name), scenery=(noun,))
    assert [action.type for action in output.proposed_actions] == ["go", "give"]
    assert output.proposed_actions[0].location_id == way.to
    looked = _read(f"look at {name}", _act("look", f"look at {name}", target=name), scenery=(noun,))
    assert [dict(action.metadata).get("detail") for action in looked.proposed_actions] == ["crates"]
    unplaced = _read(words, _act("give", words, target=item, person=name))
    assert [action.type for action in unplaced.proposed_actions] == ["give"]


def test_two_places_are_each_searched() -> None:
    text = "look under the counter and behind the mirror"
    assert [action.type for action in _read(text).proposed_actions] == ["search", "search"]


def test_through_a_window_one_looks_and_does_not_rummage() -> None:
    assert [action.type for action in _read("look through the window").proposed_actions] == ["look"]


def test_an_action_has_no_deed_unless_one_is_given() -> None:
    action = Action(actor_id="p:jo", type="pose", metadata={"verb": "sigh"})
    assert action.deed == ""
    assert "deed" not in action.model_dump()["metadata"]


def test_to_take_anything_that_may_be_there_is_to_search() -> None:
    words = "grab whatever may be of use"
    assert [action.type for action in _read(words, _act("take", words)).proposed_actions] == ["search"]


def test_what_one_carries_is_handled_without_dice_and_taken_where_one_says() -> None:
    words = "swing the credstick about"
    assert [action.type for action in _read(words, _act("move", words, target="credstick")).proposed_actions] == [
        "pose"
    ]
    words = "lug the credstick to the market"
    went = _read(words, _act("move", words, target="credstick")).proposed_actions
    assert [(action.type, action.location_id) for action in went] == [("go", "p:night_market")]


def test_what_is_asked_of_the_program_among_other_acts_is_answered_beside_them() -> None:
    output = _read("nod, what is the goal", _act("gesture", "nod"), _act("goal", "what is the goal"))
    assert [action.type for action in output.proposed_actions] == ["wave"]
    assert [(aside.kind, aside.words) for aside in output.beside] == [("goal", "what is the goal")]
    assert output.rest is None
    assert output.not_played == ()


def test_one_of_several_that_are_here_is_no_slip() -> None:
    noun = SceneryNoun(name="lanterns", head="lanterns", text="Nine lanterns hang here.", key="k:3", source="p:bar#3")
    words = "polish a lantern"
    output = _read(words, Act(kind="work", words=words, target="lantern", score=0.9, odd=("lantern",)), scenery=(noun,))
    assert [action.deed for action in output.proposed_actions] == ["polish a lantern"]
    assert not output.assumptions


def test_what_the_prose_tells_of_the_end_of_a_way_is_seen_from_here() -> None:
    noun = SceneryNoun(name="rain", head="rain", text="Rain stands in the street.", key="k:4", source="p:bar#4")
    output = _read("look at the street", scenery=(noun,))
    assert [dict(action.metadata).get("detail") for action in output.proposed_actions] == ["rain"]


def test_who_has_gone_there_already_does_not_go_twice() -> None:
    noun = SceneryNoun(name="crates", head="crates", text="Jin sits in the street.", key="k:5", source="p:bar#5")
    text = "go to the street and give the credstick to Jin"
    assert [action.type for action in _read(text, scenery=(noun,)).proposed_actions] == ["go", "give"]


def test_a_deed_that_is_another_deed_too_is_not_told_in_the_same_words() -> None:
    words = "take the bar knife and the lanterns"
    noun = SceneryNoun(name="lanterns", head="lanterns", text="Nine lanterns hang here.", key="k:6", source="p:bar#6")
    output = _read(words, Act(kind="take", words=words, target="bar knife", score=0.9), scenery=(noun,))
    assert len(output.proposed_actions) > 1
    assert not any(action.deed for action in output.proposed_actions)
