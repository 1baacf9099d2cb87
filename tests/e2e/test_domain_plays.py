"""Domains that are data: a scenario played by typed lines, solved to the end with no model, and every rule provoked.

What is done, judged, rolled, changed and reported is as it was. To write the goldens anew after a change that is meant:
LOREWRIGHT_WRITE_GOLDENS=1, and read the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.lore import map_of
from lorewright.campaigns.viewers import table_of
from lorewright.lore_bootstrap import make_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.rules.patch import ReasonCode
from lorewright.world.state import WorldState
from support import harbour as h
from support import parlour as p

# Every reason that doors can give, met on the way to the end. (What is not here at all is asked back.)
DOOR_REASONS: set[ReasonCode] = {
    *("no_such_exit", "door_locked", "door_bolted", "door_closed", "not_openable", "already_open"),
    *("already_closed", "no_lock", "already_locked", "nothing_to_unlock", "no_key", "wrong_key", "not_in_inventory"),
    "depends_on_failed",
}
LOCKED_HOUSE = (
    *("go attic", "close the kitchen door", "open the kitchen door", "open the kitchen door"),
    *("lock the kitchen door", "unlock the kitchen door", "open the study door", "unlock the study door"),
    *("unlock the study door with the notebook", "knock on the music room door", "open the music room door"),
    *(
        "go music room and ask Mrs Pell about Tobias",
        "close the kitchen door",
        "go kitchen and ask Mrs Pell about Tobias",
    ),
    *("ask Mrs Pell about Miss Winifred", "ask Mrs Pell about the study key", "go hall", "go study"),
    *("unlock the study door", "lock the study door", "lock the study door", "open the study door and go study"),
    *(
        "lock the study door with the attic key",
        "search the desk",
        "take the attic key",
        "close the notebook",
        "go hall",
        "go up",
    ),
    *("unlock the attic door with the study key", "go attic"),
    *("open the attic door and go attic", "go back stair", "search the metronome", "go hall", "draw the bolt"),
    *("open the music room door", "go hall and take the attic key"),
    "go kitchen",
    "give the paper to Mrs Pell",
)

# Both squares of a fork, a square that is taken, something that is no square, and two marks in one breath.
NOUGHTS_WON = (
    *("look", "take Odo", "x in the top left", "mark the top left", "take the bottom right"),
    *("mark the top right", "put a cross in the top middle"),
)
NOUGHTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "won": (32, NOUGHTS_WON),
    "lost": (1, ("mark the top middle", "mark the middle left", "mark the centre")),
    "drawn": (
        5,
        (
            *("mark the top middle", "mark the middle left", "mark the bottom right", "mark the bottom left"),
            "mark the middle right",
        ),
    ),
}


def begun(root: Path, scenario: str, *, seed: int) -> App:
    make_workspace(root)
    app = open_app(root)
    app.campaigns.new(scenario, campaign_id="game", seed=seed)
    return app


def head(app: App) -> WorldState:
    with app.campaigns.reading("game") as store:
        return store.head().state


def reasons(turns: list[dict[str, Any]]) -> list[str]:
    return [one["reason"] for turn in turns for one in turn["validation"]["results"] if one["reason"]]


def as_it_was(name: str, turns: list[dict[str, Any]]) -> bool:
    golden = p.FIXTURES / "plays" / f"{name}.json"
    if os.environ.get("LOREWRIGHT_WRITE_GOLDENS"):
        golden.write_text(json.dumps(turns, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return bool(turns == json.loads(golden.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def locked_house(tmp_path_factory: pytest.TempPathFactory) -> App:
    app = begun(tmp_path_factory.mktemp("house") / "workspace", "locked_house", seed=3)
    h.say(app, *LOCKED_HOUSE)
    return app


def test_the_locked_house_is_solved_by_typed_lines_and_goes_as_it_went(locked_house: App) -> None:
    turns = p.played(locked_house)
    assert [turn["line"] for turn in turns] == list(LOCKED_HOUSE)
    assert head(locked_house).ended == "hers"
    assert as_it_was("locked_house", turns)


def test_every_reason_of_doors_is_met_on_the_way(locked_house: App) -> None:
    assert DOOR_REASONS - set(reasons(p.played(locked_house))) == set()


def test_what_is_refused_at_a_door_changes_nothing(locked_house: App) -> None:
    refused = [turn for turn in p.played(locked_house) if all(one["reason"] for one in turn["validation"]["results"])]
    assert len(refused) >= 12
    assert [turn["ops"] for turn in refused] == [[]] * len(refused)


def test_the_doors_stand_as_they_were_left(locked_house: App) -> None:
    doors = {door_id.rpartition(":")[2]: door for door_id, door in head(locked_house).doors.items()}
    assert {name for name, door in doors.items() if door.open} == {
        *("kitchen_door", "study_door", "attic_door", "bedroom_door", "music_door")
    }
    assert doors["front_door"].locked
    assert all(door.shut_bars for door in doors.values())


def test_the_map_and_the_history_know_of_doors(locked_house: App) -> None:
    ways = {way.name: way for place in map_of(head(locked_house)) for way in place.ways if place.name == "The Hall"}
    assert (ways["kitchen"].shut_door, ways["out"].locked_door) == (None, "front door")
    asked = LoreRetrievalQuery(keywords="kitchen door", viewer="player", corpus="history", limit=50, max_tokens=10_000)
    told = " ".join(chunk.text for chunk in locked_house.lore.retrieve(asked, campaign_id="game").result.chunks)
    assert "The kitchen door was opened." in told
    assert "The kitchen door was shut." in told


def test_a_shut_door_is_on_the_map_and_a_way_out_that_one_is_offered_to_open(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "locked_house", seed=1)
    (hall,) = map_of(head(app))
    assert {way.name: way.shut_door or way.locked_door for way in hall.ways} == {
        "kitchen": "kitchen door",
        "study": "study door",
        "music room": "music room door",
        "up": None,
        "out": "front door",
    }
    (result,) = h.say(app, "look")
    assert "the kitchen (shut)" in result["final_text"]
    assert "the music room (locked)" in result["final_text"]
    assert "open the kitchen door" in result["suggested_actions"]


@pytest.mark.campaign
def test_whoever_waits_is_let_out_of_nothing(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "locked_house", seed=2)
    h.say(app, *["wait"] * 12)
    state = head(app)
    assert (state.name_of(state.positions["orme_house:tobias"]), state.doors["game:music_door"].locked) == (
        "The Hall",
        False,
    )
    h.say(app, *["wait"] * 4)
    assert head(app).ended == "sold"


@pytest.mark.campaign
def test_what_is_suggested_in_the_locked_house_works_when_it_is_typed(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "locked_house", seed=2)
    lines = ["look"]
    for turn in range(24):
        (result,) = h.say(app, lines[turn % len(lines)])
        assert [one["reason"] for one in result["validation"]["results"]] == [None] * len(
            result["validation"]["results"]
        )
        lines = result["suggested_actions"]
        if head(app).ended is not None:
            break
        assert lines


@pytest.mark.campaign
@pytest.mark.parametrize("ending", NOUGHTS)
def test_tic_tac_toe_comes_to_each_of_its_endings_by_typed_lines(ending: str, tmp_path: Path) -> None:
    seed, lines = NOUGHTS[ending]
    app = begun(tmp_path / "workspace", "tic_tac_toe", seed=seed)
    h.say(app, *lines)
    turns = p.played(app)
    assert [turn["line"] for turn in turns] == list(lines)
    assert head(app).ended == ending
    assert as_it_was(f"tic_tac_toe_{ending}", turns)


@pytest.mark.campaign
def test_talk_over_the_slate_is_answered_and_is_no_move(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "tic_tac_toe", seed=5)
    before = table_of_game(app)
    results = h.say(app, "You play this every day, Odo?", "I frown at the slate", "Odo, do you ever lose?")
    assert all(judged["success"] for result in results for judged in result["validation"]["results"])
    assert "Odo" in results[0]["final_text"]
    assert table_of_game(app) == before


@pytest.mark.campaign
def test_every_rule_of_tic_tac_toe_is_met_and_told_in_its_own_words(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "tic_tac_toe", seed=32)
    results = h.say(app, *NOUGHTS_WON)
    told = {line: result["final_text"] for line, result in zip(NOUGHTS_WON, results, strict=True)}
    assert reasons(p.played(app)) == ["not_allowed_now", "not_allowed_now"]
    assert "Only a square of the board can be marked." in told["take Odo"]
    assert "That square is taken." in told["mark the top left"]
    assert "A cross goes into the bottom right. A nought goes into" in told["take the bottom right"]
    assert "Three in a row." in told["put a cross in the top middle"]
    assert next((roll["purpose"], roll["expression"]) for result in results for roll in result["rolls"]) == (
        "trigger:rival_takes_any",
        "1d8",
    )


@pytest.mark.campaign
def test_whoever_gives_up_has_lost_and_nothing_more_is_marked(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "tic_tac_toe", seed=5)
    h.say(app, "mark the centre")
    before = table_of_game(app)
    (result,) = h.say(app, "I give up")
    assert head(app).ended == "lost"
    assert table_of_game(app) == before
    assert "campaign_ended" in {event["type"] for event in result["engine_events"]}


@pytest.mark.campaign
def test_what_is_suggested_is_what_is_free_and_what_lies_on_the_table_is_shown(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "tic_tac_toe", seed=5)
    assert table_of_game(app) == ("· · ·", "· · ·", "· · ·")
    lines = ["mark the centre"]
    while head(app).ended is None:
        (result,) = h.say(app, lines[-1])
        assert [one["reason"] for one in result["validation"]["results"]] == [None]
        lines = result["suggested_actions"]
        assert all(line.startswith("mark the ") for line in lines)
    assert lines == []
    assert "".join(table_of_game(app)).count("x") >= 3


def table_of_game(app: App) -> tuple[str, ...]:
    with app.campaigns.open("game") as campaign:
        return table_of(campaign)
