"""Where somebody looks (under, in, through a thing) what the pack openly tells of that side of it is told."""

from __future__ import annotations

import pytest

from lorewright.rules.actions import Action
from lorewright.turn.views.scenery import scenery_views
from lorewright.values.scenery import SceneryNoun
from support import small_world as w

MAT = "Under the mat there is nothing but clean tiles."
WORN = "The mat has been wiped upon for years."
STUDY = "The keyhole of the study door shows the back of one chair."
MUSIC = "The music room door has a knob, no keyhole, and a smell of felt."
SHELF = "On the shelf stands a tin."
SHOES = "There are eleven single shoes in the row."


def noun(text: str, name: str) -> SceneryNoun:
    return SceneryNoun(name=name, head=name.split()[-1], text=text, key=text[:12], source="hall")


SCENERY = (
    noun(WORN, "mat"),
    noun(MAT, "mat"),
    noun(SHELF, "shelf"),
    noun(STUDY, "keyhole"),
    noun(MUSIC, "knob"),
    noun(SHOES, "single shoes"),
)


def told(detail: str, verb: str = "look", **metadata: str) -> list[str]:
    action = Action(type=verb, actor_id="t:player", metadata={"detail": detail, **metadata})
    return [line.text for view in scenery_views([action], SCENERY, w.small_world()) for line in view.lines]


@pytest.mark.parametrize(
    ("detail", "first"),
    [
        ("under the mat", MAT),
        ("beneath mat", MAT),
        ("through the keyhole of the study", STUDY),
        ("through the study keyhole", STUDY),
        ("through the keyhole of the music room", MUSIC),
        ("on top of the shelf", SHELF),
    ],
)
def test_the_side_that_is_looked_at_has_the_sentence_that_tells_of_it(detail: str, first: str) -> None:
    assert told(detail)[:1] == [first]


def test_a_side_of_which_nothing_is_told_has_no_other_sides_sentence() -> None:
    assert told("behind the mat") == [] and told("under the bed") == [] and told("mat") == []


def test_a_thing_searched_or_counted_as_a_whole_has_its_sides_first_and_then_all_that_names_it() -> None:
    assert told("mat", "search") == [MAT, WORN]
    assert told("shoes", form="count") == [SHOES]


def test_a_door_is_seen_as_the_lore_of_its_place_tells_it_by_name_first() -> None:
    world = w.small_world()
    door = next(entity for entity in world.entities.values() if entity.type == "door")
    named = f"The {door.name} has a latch and no lock."
    passing = f"Bells hang above the {door.name}."
    action = Action(type="look", actor_id="t:player", target_id=door.id)
    views = scenery_views([action], (noun(passing, "bells"), noun(named, "latch"), *SCENERY), world)
    assert [line.text for view in views for line in view.lines][:2] == [named, passing]


def test_what_something_holds_is_seen_by_a_look_into_it() -> None:
    crate = "The crate is of thin pine."
    tapers = "The tapers lie in twelve bundles."
    scenery = (noun(f"A crate of tapers. {crate}", "crate"), noun(crate, "crate"), noun(tapers, "tapers"))
    action = Action(type="look", actor_id="t:player", metadata={"detail": "in the crate of tapers"})
    assert [line.text for view in scenery_views([action], scenery, w.small_world()) for line in view.lines][:1] == [
        tapers
    ]
