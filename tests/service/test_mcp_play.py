"""A client plays: turns of words or of actions, and the moves of the story, as a player or as the game master."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import App
from support import harbour as h
from support.service_clients import MODES, call, fail


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def turns(app: App) -> int:
    with app.campaigns.reading("game") as store:
        return store.position().turn_no


@pytest.mark.parametrize("mode", MODES)
def test_a_player_takes_a_turn_and_gets_what_the_command_line_prints(app: App, mode: str) -> None:
    played = call(app, "take_turn", {"text": "ask Osk about Lin", "action_id": "a"}, viewer="player", mode=mode)
    assert (played["turn_no"], played["actions"][0]["type"], turns(app)) == (1, "ask", 1)
    assert played["validation"]["results"][0]["success"]
    assert played["final_text"]
    assert not any(canary in str(played) for canary in h.CANARIES if canary not in played["final_text"])
    # Sent again it is the same turn.
    assert call(app, "take_turn", {"text": "ask Osk about Lin", "action_id": "a"}, viewer="player") == played
    assert "action_id_reused" in fail(app, "take_turn", {"text": "look", "action_id": "a"}, viewer="player")


def test_actions_are_played_in_place_of_words_with_keys_of_either_spelling(app: App) -> None:
    actions = [
        {"type": "ask", "targetId": "osk", "metadata": {"topic": "Lin"}},
        {"type": "go", "location_id": "atlantis"},
    ]
    played = call(app, "take_turn", {"actions": actions, "thought": "Now or never."}, viewer="player")
    assert [action["type"] for action in played["actions"]] == ["ask", "go"]
    assert [result["reason"] for result in played["validation"]["results"]] == [None, "no_such_exit"]
    assert played["messages"][0]["content"] == "Now or never."


def test_a_turn_needs_something_to_play(app: App) -> None:
    assert "give text, or actions" in fail(app, "take_turn", {}, viewer="player")
    assert "action 0" in fail(app, "take_turn", {"actions": [{"target": "osk"}]}, viewer="player")
    assert turns(app) == 0


def test_turns_are_taken_back_and_done_again(app: App) -> None:
    for line in ("look", "wait"):
        call(app, "take_turn", {"text": line})
    assert call(app, "moves", {"move": "undo", "turns": 2})["turn_no"] == 0
    again = call(app, "moves", {"move": "redo"})
    assert (again["turn_no"], again["can_be_redone"]) == (1, 1)
    call(app, "moves", {"move": "redo"})
    assert "there is nothing to redo" in fail(app, "moves", {"move": "redo"})
    assert "there are only 2 turns" in fail(app, "moves", {"move": "undo", "turns": 9})
    assert turns(app) == 2


def test_a_branch_is_begun_and_switched_to(app: App) -> None:
    call(app, "take_turn", {"text": "look"})
    assert "give its number" in fail(app, "moves", {"move": "branch", "name": "what_if"})
    assert "give its name" in fail(app, "moves", {"move": "branch", "turn": 0})
    call(app, "moves", {"move": "branch", "name": "what_if", "turn": 0})
    moved = call(app, "moves", {"move": "switch", "name": "what_if"})
    assert (moved["turn_no"], [row["name"] for row in moved["branches"] if row["is_here"]]) == (0, ["what_if"])
    assert call(app, "moves", {"move": "branches"}) == moved


def test_a_players_undo_leaves_a_change_of_the_game_masters_to_the_turn_before_it(app: App) -> None:
    call(app, "take_turn", {"text": "look"})
    call(app, "apply_ops", {"ops": [{"op": "advance_time", "minutes": 5}]})
    assert call(app, "moves", {"move": "undo"}, viewer="player")["turn_no"] == 0


def test_a_persona_of_ones_own_is_the_only_one_to_be_played(app: App) -> None:
    with app.campaigns.reading("game") as store:
        own = store.head().state.player_id
    assert call(app, "take_turn", {"text": "look"}, viewer=f"pc:{own}")["turn_no"] == 1
    assert "is not yours to play" in fail(app, "take_turn", {"text": "look", "persona": "osk"}, viewer=f"pc:{own}")
    assert "Unknown tool" in fail(app, "moves", {"move": "undo"}, viewer=f"pc:{own}")


def test_a_wrong_argument_is_answered_with_those_that_there_are_and_no_traceback(app: App) -> None:
    unknown = fail(app, "query_lore", {"question": "Lin"})
    assert "takes no argument question; its arguments are: text, " in unknown
    missing = fail(app, "query_lore", {})
    assert "the argument text of the tool query_lore does not fit: Field required" in missing
    wrong = fail(app, "moves", {"move": "fly"})
    assert "the argument move" in wrong
    assert "'undo', 'redo'" in wrong
    assert not any("http" in told or "Traceback" in told or "pydantic" in told for told in (unknown, missing, wrong))
