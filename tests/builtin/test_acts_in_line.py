"""The acts of a line are meant as the acts beside them say."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.acts.in_line import as_in_line
from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.builtin.words.tagging import Act
from lorewright.values.scope import Named
from support.narrator_bar import SCOPES

DOORS = tuple(
    Named(id=f"{name}_door", name=f"{name} door", aliases=(name,), kind="door") for name in ("cellar", "study", "back")
)
HALL = ParseContext(nouns=nouns_of(SCOPES["bar"].model_copy(update={"doors": DOORS, "scenery": ()})), verbs={})


def act(kind: str, words: str, **named: str) -> Act:
    return Act(kind=kind, words=words, score=0.9, **named)


def meant(*acts: Act) -> list[str]:
    return [found.words for found in as_in_line(HALL, acts)]


def test_what_is_done_to_each_of_the_doors_is_done_to_one_after_the_other() -> None:
    each = act("open", "try each of the three doors in turn", target="each of the three")
    assert meant(each) == ["try the cellar door", "try the study door", "try the back door"]


def test_the_others_are_those_that_were_not_named() -> None:
    first = act("listen", "listen at the study door", target="study door")
    assert meant(first, act("knock", "knock on the others", target="others"))[1:] == [
        "knock on the cellar door",
        "knock on the back door",
    ]


def test_one_door_is_one() -> None:
    assert meant(act("open", "open the door", target="door")) == ["open the door"]


@pytest.mark.parametrize(
    ("then", "told"),
    [
        (act("give", "and give it to Viktor", target="it", person="Viktor"), "if I find it, give it to Viktor"),
        (act("follow", "then follow them if there are any", target="them"), "if I find them, follow them"),
        (act("close", "and close it again", target="it"), "and close the till again"),
        (act("look", "and look at Viktor", target="Viktor"), "and look at Viktor"),
    ],
)
def test_what_is_looked_for_is_not_had_yet(then: Act, told: str) -> None:
    search = act("search", "search the till for a clean glove", target="till", second="glove")
    assert meant(search, then) == ["search the till for a clean glove", told]


def test_a_keyhole_is_that_of_the_door_where_one_stands() -> None:
    acts = (
        act("sneak", "tiptoe to the study door", target="study door"),
        act("look", "peep through the keyhole", target="keyhole"),
        act("listen", "and listen"),
    )
    assert meant(*acts)[1:] == ["peep through the keyhole of the study door", "and listen at the study door"]


def test_a_keyhole_is_that_of_the_door_one_listens_at_by_the_name_of_the_room() -> None:
    heard = act("listen", "listen at the study", target="study")
    assert meant(heard, act("look", "peep through the keyhole", target="keyhole"))[1:] == [
        "peep through the keyhole of the study door"
    ]


def test_a_handle_is_that_of_each_door() -> None:
    each = act("open", "try each handle", target="each handle")
    assert meant(each) == ["try the cellar door", "try the study door", "try the back door"]


def test_whether_something_is_so_is_looked_at_and_has_no_made_up_answer() -> None:
    worn = act("wear", "try the coat on", target="coat")
    assert meant(worn, act("look", "and see if it fits"))[1:] == ["look whether it fits, and find nothing more"]
    assert meant(worn, act("look", "see which one is torn"))[1:] == ["look which one is torn, and find nothing more"]
    assert meant(act("look", "see if it fits")) == ["see if it fits"]


def test_an_inside_is_that_of_what_was_handled_and_a_pocket_is_searched() -> None:
    taken = act("take", "take the hat", target="hat")
    assert meant(taken, act("look", "look inside for a name"))[1:] == ["look inside the hat for a name"]
    assert meant(taken, act("look", "check its pockets", target="its pockets"))[1:] == ["search the hat"]


def test_who_goes_over_to_what_is_here_goes_nowhere() -> None:
    acts = (act("go", "then I go"), act("look", "and look at Viktor", target="Viktor"))
    assert meant(act("wait", "wait a moment"), *acts) == ["wait a moment", "and look at Viktor"]


def test_one_of_the_drinks_is_none_of_what_one_carries() -> None:
    order = act("order", "order two drinks", target="two drinks")
    assert meant(order, act("give", "push one over to Viktor", target="one", person="Viktor"))[1:] == [
        "offer Viktor a drink"
    ]


def test_something_is_no_thing_to_look_at() -> None:
    assert meant(act("wait", "wait"), act("seek", "find something funny", target="something funny"))[1:] == ["search"]


def test_an_inside_is_that_of_the_door_and_so_is_it() -> None:
    opened = act("open", "open the study door", target="study door")
    peeks, closes = act("look", "peek inside", target="inside"), act("close", "and close it again", target="it")
    assert meant(opened, peeks, closes)[1:] == ["peek inside", "and close the study door again"]


def test_what_somebody_wants_is_seen_by_a_look_at_them() -> None:
    assert meant(act("wait", "wait"), act("look", "and see what Viktor wants", target="Viktor wants"))[1:] == [
        "look at Viktor"
    ]


def test_what_is_said_to_two_is_said_to_each() -> None:
    crowd = ParseContext(nouns=nouns_of(SCOPES["crowd"]), verbs={})
    names = [person.name for person in crowd.nouns.people][:2]
    greet = act("greet", f"greet {names[0]} and {names[1]}", person=names[0])
    asked = act("ask", "ask both of them about Jin", person="both of them", topic="Jin")
    assert [found.words for found in as_in_line(crowd, (greet, asked))] == [
        *(f"greet {name}" for name in names),
        *(f"ask {name} about Jin" for name in names),
    ]
