"""What the prose has shown exists: it is looked at, refused with a reason, and told apart from what is not there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.replay.metrics import ALL_TURNS
from support import harbour as h

HANDSET = h.SCENARIO.replace(
    "The rain has driven you into the tavern.", "The rain has driven you and your handset into the tavern, past a cat."
)


def played(tmp_path: Path, *lines: str, **given: Any) -> list[dict[str, Any]]:
    return h.say(h.harbour(tmp_path, **given), *lines)


def reasons(result: dict[str, Any]) -> list[str | None]:
    return [one["reason"] for one in result["validation"]["results"]]


def test_what_a_sentence_shows_is_looked_at_in_that_sentence_which_is_cited(tmp_path: Path) -> None:
    (result,) = played(tmp_path, "x the beams")
    assert result["final_text"].startswith("Smoke hangs from the beams.")
    assert [citation["cite"] for citation in result["citations"]][:1] == ["tavern/atmosphere"]
    assert reasons(result) == [None]


def test_a_second_look_says_so_and_quotes_the_sentence_again(tmp_path: Path) -> None:
    *_, again = played(tmp_path, "x the fiddle", "look at the fiddle")
    assert "Somebody is tuning a fiddle and not getting there." in again["final_text"]
    assert not again["final_text"].startswith("Somebody")


@pytest.mark.parametrize(
    "line",
    ("take the fiddle", "open the fiddle", "use the fiddle", "push the fiddle", "break the fiddle", "take fiddles",
     "use the lantern on the fiddle", "wear the fiddle", "attack the fiddle"),
)  # fmt: skip
def test_what_only_the_prose_shows_is_refused_with_a_reason_of_its_own_and_never_denied(
    line: str, tmp_path: Path
) -> None:
    (result,) = played(tmp_path, line)
    assert reasons(result) == ["only_scenery"]
    assert "the fiddle" in result["final_text"].lower()
    assert "There is no" not in result["final_text"]


@pytest.mark.parametrize(
    "line", ("take the gun", "examine my gun", "read the gun", "search the gun", "push the gun", "open the gun")
)
def test_what_is_absent_is_plainly_not_there(line: str, tmp_path: Path) -> None:
    (result,) = played(tmp_path, line)
    assert result["clarification_question"] is None
    assert reasons(result) == ["object_not_found"]
    assert "gun" in result["final_text"]
    assert result["rolls"] == []


def test_a_search_for_something_absent_is_a_search(tmp_path: Path) -> None:
    (result,) = played(tmp_path, "search for a gun")
    assert reasons(result) == [None]


def test_a_search_that_finds_something_finds_it_whatever_the_prose_says(tmp_path: Path) -> None:
    (result,) = played(tmp_path, "search the counter")
    assert "sealed with a pangolin" in result["final_text"]


def test_what_was_found_is_there_from_then_on_and_not_before(tmp_path: Path) -> None:
    before, _, after, looked = played(
        tmp_path, "take the letter", "search under the counter", "take the letter", "x letter"
    )
    assert (reasons(before), reasons(after)) == (["object_not_found"], ["only_scenery"])
    assert "Folded small under the counter lies a letter" in looked["final_text"]
    assert looked["citations"][0]["cite"] == "tavern/discoverable#letter"


@pytest.mark.parametrize("word", ("letter", "pangolin", "marmoset", "kestrel", "passage", "cage", "axolotl", "bath"))
def test_nothing_that_is_withheld_or_hidden_makes_scenery(word: str, tmp_path: Path) -> None:
    (result,) = played(tmp_path, f"take the {word}")
    assert reasons(result) == ["object_not_found"]


def test_what_somebody_was_heard_to_say_is_not_there_for_it(tmp_path: Path) -> None:
    asked, result = played(tmp_path, "ask osk about lin", "take the cage")
    assert "with a cage under her arm" in asked["final_text"]
    assert reasons(result) == ["object_not_found"]


def test_the_opening_shows_its_things_at_its_place_and_what_is_yours_everywhere(tmp_path: Path) -> None:
    cat, own, shown, _, gone, still = played(
        tmp_path, "x cat", "x my handset", "show osk my handset", "go quay", "x cat", "x my handset", scenario=HANDSET
    )
    assert "The rain has driven you and your handset into the tavern, past a cat." in cat["final_text"]
    assert reasons(own) == reasons(still) == [None]
    assert reasons(shown) == ["only_scenery"] and "your handset" in shown["final_text"].lower()
    assert reasons(gone) == ["object_not_found"]


def test_nobody_denies_that_one_has_what_the_opening_says(tmp_path: Path) -> None:
    (result,) = played(tmp_path, "Osk, that is my handset", scenario=HANDSET)
    (premise,) = _premises(tmp_path)
    assert premise["holds"] and premise["evidence"][0].endswith("/0")
    assert result["final_text"]


def _premises(tmp_path: Path) -> list[dict[str, Any]]:
    app = h.harbour(tmp_path / "again", scenario=HANDSET, played=("Osk, that is my handset",))
    with app.campaigns.reading("game") as store:
        records = store.stage_records(store.head().turn_id)
    return next(record["output"] for record in records if record["stage"] == "premises")


def test_the_prose_of_one_place_is_not_that_of_the_next(tmp_path: Path) -> None:
    *_, fiddle, gulls = played(tmp_path, "go quay", "x fiddle", "take a gull")
    assert reasons(fiddle) == ["object_not_found"]
    assert reasons(gulls) == ["only_scenery"]


def test_after_a_way_in_the_same_line_nothing_is_said_to_be_absent(tmp_path: Path) -> None:
    (result,) = played(tmp_path, "go quay and take the gull")
    assert result["validation"]["not_played"] == ["take the gull"]
    assert "no gull" not in result["final_text"]


def test_the_floor_is_everywhere_and_hands_are_ones_own(tmp_path: Path) -> None:
    floor, taken, hands = played(tmp_path, "x floor", "take the floor", "take my hands")
    assert reasons(floor) == [None]
    assert reasons(taken) == ["only_scenery"]
    assert reasons(hands) == [None]


def test_neither_the_state_nor_any_record_has_the_scenery_in_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "x the fiddle", "take the fiddle")
    inputs = h.stage_inputs(app)
    assert all('"scenery":[' not in text for text in inputs["interpreter"])
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert "fiddle" not in json.dumps(state.model_dump(mode="json", exclude={"recall"}))


def test_turns_about_scenery_replay_as_they_were_played(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("x beams", "take the fiddle", "search the wardrobe", "go quay", "x gulls"))
    assert asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None)).is_identical


def test_a_word_that_stands_in_the_prose_is_never_denied_whatever_it_is(tmp_path: Path) -> None:
    (result,) = played(tmp_path, "x the people")
    (tuning,) = played(tmp_path / "again", "x the bailiffs", files=BAILIFFS)
    assert reasons(result) != ["object_not_found"]
    assert "Bailiffs walk along the beams." in tuning["final_text"]


BAILIFFS = {
    **h.FILES,
    "locations/tavern.md": h.FILES["locations/tavern.md"].replace(
        "Smoke hangs from the beams.", "Bailiffs walk along the beams."
    ),
}
