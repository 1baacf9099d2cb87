"""Words point at items by name, alias, trigger and stem; words that match nothing point at nothing."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.index.generation import Generation
from lorewright.scene_lore.cache import match_items, search_items
from lorewright.scene_lore.models import SceneItem, SceneLore

Town = tuple[Generation, ...]
PLACE = ("The Neon Dragon", "the Dragon", "bar")


def item(name: str, text: str, trigger: str | None = None) -> SceneItem:
    return SceneItem(id=f"p:e:c#{name}", chunk_id="p:e:c", name=name, text=text, trigger=trigger)


def matched(town: Town, lore: SceneLore, words: str) -> list[str]:
    briefing = lore.briefing("town:viktor")
    assert briefing is not None
    return [one.name for one in match_items(words, briefing.knows, town).items]


def searched(town: Town, lore: SceneLore, words: str) -> list[str]:
    return [one.name for one in search_items(words, PLACE, lore.discoverable, town).items]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("Pier 9", ["pier9"]),
        ("pier 9", ["pier9"]),
        ("where did Jin run?", ["pier9"]),
        ("the Night Guild", ["guild"]),
        ("the stallholders", ["guild"]),
        ("taxing a stall", ["guild"]),
        ("weather", ["weather"]),
        ("is it raining", ["weather"]),
        ("midnight!", ["weather"]),
    ],
)
def test_words_point_at_what_they_name(town: Town, lore: SceneLore, words: str, names: list[str]) -> None:
    assert matched(town, lore, words) == names


def test_the_name_of_the_one_who_is_asked_takes_nothing_from_the_question(town: Town, lore: SceneLore) -> None:
    assert matched(town, lore, "Viktor, will an umbrella help in that rain") == ["weather"]


@pytest.mark.parametrize("words", ["zebra", "the price of tea", "🔥 zebra", "Hand"])
def test_words_that_match_nothing_point_at_nothing(town: Town, lore: SceneLore, words: str) -> None:
    assert matched(town, lore, words) == []
    assert searched(town, lore, words) == []


@pytest.mark.parametrize("words", ["", "  ", "...", "🔥"])
def test_no_words_point_at_everything_in_order(town: Town, lore: SceneLore, words: str) -> None:
    assert matched(town, lore, words) == ["pier9", "guild", "weather"]
    assert searched(town, lore, words) == ["ledger", "stain", "cellar"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("the jukebox", ["stain"]),
        ("look behind the counter for couriers", ["ledger"]),
        ("floor", ["cellar"]),
        ("listening", ["cellar"]),
        ("the stain", ["stain"]),
        ("blood", ["stain"]),
    ],
)
def test_a_search_finds_by_trigger_name_and_text(town: Town, lore: SceneLore, words: str, names: list[str]) -> None:
    assert searched(town, lore, words) == names


@pytest.mark.parametrize("words", ["the room", "the Neon Dragon", "everywhere", "this place", "around here"])
def test_words_that_only_name_the_place_mean_all_of_it(town: Town, lore: SceneLore, words: str) -> None:
    assert searched(town, lore, words) == ["ledger", "stain", "cellar"]


def test_words_that_are_both_mean_what_they_match_first(town: Town, lore: SceneLore) -> None:
    bar, cellar = lore.discoverable[0], lore.discoverable[2]
    match = search_items("the bar", PLACE, (cellar, bar), town)
    assert match.items == (bar, cellar)


def test_what_matches_far_less_than_the_best_was_not_meant() -> None:
    others = [item(f"x{number}", text) for number, text in enumerate(("a bell", "rope", "tar", "salt", "oars", "nets"))]
    items = (item("a", "a gold chest under the altar"), item("b", "gold dust"), *others)
    assert [one.name for one in match_items("gold chest altar", items, ()).items] == ["a"]
    assert [one.name for one in match_items("gold", items, ()).items] == ["b", "a"]


def test_a_better_match_comes_first_and_equal_ones_in_order() -> None:
    items = (item("a", "a bell"), item("b", "a bell"), item("c", "salt"), item("d", "tar"), item("e", "a bell, a bell"))
    assert [one.name for one in match_items("bell", items, ()).items] in (["e", "a", "b"], ["a", "b", "e"])


def test_an_items_name_is_read_as_words() -> None:
    items = (item("old_mill", "It grinds."), item("new_mill", "It stands."))
    assert [one.name for one in match_items("the old one", items, ()).items] == ["old_mill"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("What's wrong", []),
        ("four people told", []),
        ("good business taps", ["taps"]),
        ("want", ["want"]),
        ("the wrong shoes", ["shoes"]),
    ],
)
def test_a_word_that_fits_any_text_points_at_nothing_by_itself(words: str, names: list[str]) -> None:
    items = (
        item("shoes", "She will be wearing the wrong shoes."),
        item("hand", "With four hands you would have us in the wall."),
        item("funeral", "It was ironed, and it's a good one."),
        item("taps", "A mixer for hot and cold taps."),
        item("want", "A lamp."),
    )
    assert [one.name for one in match_items(words, items, ()).items] == names


def test_nothing_to_match_matches_nothing(town: Town) -> None:
    assert match_items("Pier 9", (), town).items == ()
    assert search_items("room", PLACE, (), town).items == ()


def test_topics_are_ids_of_what_is_named_and_slugs_of_telling_words(town: Town, lore: SceneLore) -> None:
    topics = match_items("ask about the barman's debts", (), town).topics
    assert topics == ("town:viktor", "barman", "debts")
    assert match_items("", (), town).topics == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(['"', "*", "OR", "NEAR(", "name:", "\0", "\ud800", "pier", "^", "-"])).map(" ".join),
    )
)
def test_any_words_point_at_some_of_the_items_each_once(town: Town, lore: SceneLore, words: str) -> None:
    found = match_items(words, lore.items(), town).items
    assert set(found) <= set(lore.items())
    assert len({one.id for one in found}) == len(found)
