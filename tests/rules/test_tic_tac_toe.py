"""Tic-tac-toe, which is data alone, held to what everybody knows of it: by games at random, and by two at one board."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.campaigns.scenarios.opening import Opening, compose
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.dice import SeededDice
from lorewright.rules.patch import ActionResult
from lorewright.rules.resolve import resolve
from lorewright.rules.validate import validate
from lorewright.world.apply import apply
from lorewright.world.state import WorldState
from support.scale import scaled

SCENARIO = load_scenario(Path(__file__).parents[2] / "scenarios" / "tic_tac_toe.yaml")
SQUARES = ("top_left", "top_middle", "top_right", "middle_left", "centre", "middle_right") + (
    ("bottom_left", "bottom_middle", "bottom_right")
)
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
ROWS = [tuple(SQUARES[number] for number in line) for line in LINES]
PLAYER, RIVAL = "game:player", "game:rival"
Board = dict[str, str]


def opening(plays: str = "by_itself") -> Opening:
    ruleset, _ = load_ruleset("tic-tac-toe")
    scenario = SCENARIO.model_copy(update={"scene_seed": {"plays": plays}})
    return compose(scenario, ruleset, (), campaign_id="game", source="tic_tac_toe.yaml")


ALONE, BY_HAND = opening(), opening("by_hand")


def board(state: WorldState) -> Board:
    assert state.ruleset is not None
    return dict(state.ruleset.scene["board"])


def result(state: WorldState) -> Any:
    assert state.ruleset is not None
    return state.ruleset.scene["result"]


def act(begun: Opening, state: WorldState, actor: str, kind: str, square: str | None = None, seed: int = 1) -> Any:
    """The state after an action of somebody's, and how it was judged."""
    target = None if square is None else f"game:{square}"
    turn = (Attempt(action=Action(actor_id=actor, type=kind, target_id=target)),)
    judged = validate(turn, state, begun.rules)
    dice = SeededDice(seed, state.truth_hash(), str(square))
    applied = apply(state, resolve(turn, judged, state, begun.rules, dice).ops)
    assert applied.refusal is None
    return applied.state, judged.results[0]


def marked(state: WorldState, *moves: tuple[str, str]) -> WorldState:
    """The state after marks that must be possible, at a board where everybody plays by hand."""
    for actor, square in moves:
        state, judged = act(BY_HAND, state, actor, "mark", square)
        assert judged.success, (actor, square, judged)
    return state


def row_of(cells: Board, who: str) -> bool:
    return any(all(cells[square] == who for square in row) for row in ROWS)


def third_of(cells: Board, who: str) -> set[str]:
    """The free squares that would be somebody's third."""
    found = set()
    for row in ROWS:
        held = [cells[square] for square in row]
        if held.count(who) == 2 and "empty" in held:
            found.add(row[held.index("empty")])
    return found


def should_be(cells: Board) -> str:
    if row_of(cells, "player"):
        return "player"
    if row_of(cells, "rival"):
        return "rival"
    return "open" if "empty" in cells.values() else "draw"


def game(order: list[str], seed: int) -> list[WorldState]:
    """The states of a game against a rival that plays by itself: each free square of the order in turn."""
    states = [ALONE.state]
    for square in order:
        if states[-1].ended is None and board(states[-1])[square] == "empty":
            state, judged = act(ALONE, states[-1], PLAYER, "mark", square, seed)
            assert judged.success
            states.append(state)
    return states


@settings(max_examples=scaled(6), deadline=None)
@given(st.permutations(SQUARES), st.integers(1, 9999))
def test_every_game_goes_by_the_rules_that_everybody_knows(order: list[str], seed: int) -> None:
    states = game(order, seed)
    for before, after in pairwise(map(board, states)):
        assert all(after[square] == mark for square, mark in before.items() if mark != "empty")
        new = sorted(after[square] for square in SQUARES if before[square] != after[square])
        assert new == (["player"] if should_be(after) in ("player", "draw") else ["player", "rival"])
    assert [result(state) for state in states] == [should_be(board(state)) for state in states]
    endings = {"player": "won", "rival": "lost", "draw": "drawn"}
    assert states[-1].ended == endings[should_be(board(states[-1]))]


@settings(max_examples=scaled(6), deadline=None)
@given(st.permutations(SQUARES), st.integers(1, 9999))
def test_the_rival_takes_three_where_it_can_and_else_stands_in_the_way(order: list[str], seed: int) -> None:
    for before, after in pairwise(map(board, game(order, seed))):
        own = [square for square in SQUARES if before[square] == "empty" and after[square] == "rival"]
        middle = {**after, **dict.fromkeys(own, "empty")}
        wanted = third_of(middle, "rival") or third_of(middle, "player")
        assert not own or not wanted or own[0] in wanted


def test_two_at_one_board_act_in_turn() -> None:
    state, judged = act(BY_HAND, BY_HAND.state, RIVAL, "mark", "centre")
    assert (judged.reason, board(state)["centre"]) == ("not_your_turn", "empty")
    state = marked(state, (PLAYER, "centre"))
    again, judged = act(BY_HAND, state, PLAYER, "mark", "top_left")
    assert (judged.reason, again) == ("not_your_turn", state)
    state = marked(state, (RIVAL, "top_left"), (PLAYER, "top_middle"))
    assert (board(state)["centre"], board(state)["top_left"]) == ("player", "rival")
    _, judged = act(BY_HAND, state, "game:somebody", "mark", "top_right")
    assert judged.reason == "not_your_turn"


def test_a_refused_mark_does_not_pass_the_turn() -> None:
    state = marked(BY_HAND.state, (PLAYER, "centre"))
    state, judged = act(BY_HAND, state, RIVAL, "mark", "centre")
    assert judged == ActionResult(
        action_index=0, success=False, reason="not_allowed_now", message="That square is taken."
    )
    marked(state, (RIVAL, "top_left"))


@pytest.mark.parametrize("target", ["rival", "player", None])
def test_only_squares_are_marked(target: str | None) -> None:
    state, judged = act(BY_HAND, BY_HAND.state, PLAYER, "mark", target)
    assert (judged.reason, judged.message) == ("not_allowed_now", "Only a square of the board can be marked.")
    assert board(state) == board(BY_HAND.state)


def test_two_at_one_board_come_to_a_row_of_the_rival_or_to_a_draw() -> None:
    rows = marked(
        BY_HAND.state,
        *((PLAYER, "top_left"), (RIVAL, "centre"), (PLAYER, "top_middle"), (RIVAL, "top_right")),
        *((PLAYER, "middle_left"), (RIVAL, "bottom_left")),
    )
    assert (result(rows), rows.ended) == ("rival", "lost")
    _, judged = act(BY_HAND, rows, PLAYER, "mark", "bottom_right")
    assert judged.reason == "campaign_over"
    order = ("top_left", "centre", "bottom_right", "top_middle", "bottom_middle", "bottom_left", "top_right")
    order += ("middle_right", "middle_left")
    drawn = marked(BY_HAND.state, *zip((PLAYER, RIVAL) * 5, order, strict=False))
    assert (result(drawn), drawn.ended) == ("draw", "drawn")


@pytest.mark.parametrize(("actor", "winner", "ending"), [(PLAYER, "rival", "lost"), (RIVAL, "player", "won")])
def test_whoever_gives_up_leaves_the_game_to_the_other(actor: str, winner: str, ending: str) -> None:
    state, judged = act(BY_HAND, BY_HAND.state, actor, "give_up")
    assert judged.success
    assert (result(state), state.ended) == (winner, ending)
