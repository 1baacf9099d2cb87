"""Lines typed over a board: a square in any wording is marked, what is not clear is asked, and never a second move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.asides import has_words
from lorewright.builtin.words.tagging import Act
from lorewright.campaigns.scenarios.opening import compose
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.turn.views.scope import board_of, scope_of
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Board, Named, Scope, Square

SCENARIO = load_scenario(Path(__file__).parents[2] / "scenarios" / "tic_tac_toe.yaml")
RULESET, _ = load_ruleset("tic-tac-toe")
BEGUN = compose(SCENARIO, RULESET, (), campaign_id="game", source="tic_tac_toe.yaml")
Holders = dict[str, str]
NOBODY: Holders = {}


def read(line: str, held: Holders = NOBODY, *, acts: Sequence[Act] = ()) -> InterpreterOutput:
    """How a line is read over the slate, where these squares are held."""
    board = board_of(BEGUN.state, BEGUN.rules)
    assert board is not None
    rows = tuple(
        tuple(square.model_copy(update={"holder": held.get(square.id.partition(":")[2], "")}) for square in row)
        for row in board.rows
    )
    given = InterpreterInput(
        player_text=line,
        scope=scope_of(BEGUN.state),
        verbs=RULESET.verbs(),
        board=board.model_copy(update={"rows": rows}),
    )
    return interpret(given, lambda _: tuple(acts))


def marked(read_as: InterpreterOutput) -> list[str]:
    """The squares that are marked."""
    return [str(act.target_id).partition(":")[2] for act in read_as.proposed_actions if act.type == "mark"]


def asked(read_as: InterpreterOutput) -> set[str]:
    """The squares that are offered."""
    return set() if read_as.unclear is None else {line.removeprefix("mark the ") for line in read_as.unclear.lines}


@pytest.mark.parametrize(
    ("line", "square"),
    [
        ("the lower right corner, please", "bottom_right"),
        ("uper left", "top_left"),
        ("botom rihgt", "bottom_right"),
        ("cntre", "centre"),
        ("x at row 1 column 3", "top_right"),
        ("r3c2", "bottom_middle"),
        ("third square of the second row", "middle_right"),
        ("second from the left in the top row", "top_middle"),
        ("7", "bottom_left"),
        ("I mark the square just below the centre", "bottom_middle"),
        ("the one right above the bottom left", "middle_left"),
        ("put my cross to the right of the middle left one", "centre"),
        ("between the bottom left and the bottom right", "bottom_middle"),
        ("two squares above the bottom right one", "top_right"),
        ("the corner diagonally opposite the top right one", "bottom_left"),
        ("put a cross in the top left. actually, bottom left", "bottom_left"),
        ("not the centre, the top middle", "top_middle"),
        ("a slow cross in the middle of the left-hand side", "middle_left"),
        ("right in the centre", "centre"),
        ("the top edge", "top_middle"),
        ("the bottom right, if not the top left", "bottom_right"),
        ("the 8th one", "bottom_middle"),
        ("I'd like the one to the left of the centre", "middle_left"),
        ("I make my cross at the bottom, in the middle", "bottom_middle"),
        ("a cross on the left, at the top", "top_left"),
        ("pretend to aim at the corner and then plump for top middle instead", "top_middle"),
        ("I feint towards the top left, then mark the centre", "centre"),
        ("i put the X on middle of right side ok? thank", "middle_right"),
        ("I'll have the last square of the first row.", "top_right"),
        ("i put mine on rite side, the one in middle of it", "middle_right"),
    ],
)
def test_a_square_is_meant_in_any_wording(line: str, square: str) -> None:
    assert marked(read(line)) == [square]


def test_a_square_that_is_only_spoken_of_in_quotation_marks_is_none_beside_one_that_is_marked() -> None:
    acts = (
        Act(kind="offer", words="the centre is yours if you want it", score=0.9),
        Act(kind="write", words="and mark the top right", score=0.9),
    )
    assert marked(read('say "the centre is yours if you want it" and mark the top right', acts=acts)) == ["top_right"]


def test_what_somebody_is_said_to_draw_is_no_square() -> None:
    line = "Lovely handwriting you have, for a man who draws four lines."
    found = read(line, acts=(Act(kind="compliment", words=line, score=0.9),))
    assert (marked(found), found.proposed_actions[0].target_id) == ([], "game:rival")


HELD = {"centre": "player", "bottom_middle": "rival", "top_left": "player", "bottom_right": "rival"}


@pytest.mark.parametrize(
    ("line", "square"),
    [
        ("I stop you there", "bottom_left"),
        ("block him", "bottom_left"),
        ("the last free square of the bottom row", "bottom_left"),
        ("take the free square above your nought", "middle_right"),
        ("the middle of the top row", "top_middle"),
    ],
)
def test_what_is_clear_from_the_board_is_played(line: str, square: str) -> None:
    assert marked(read(line, HELD)) == [square]


@pytest.mark.parametrize(
    ("line", "squares"),
    [
        ("a corner", {"top left", "top right", "bottom left", "bottom right"}),
        ("somewhere in the middle row", {"middle left", "centre", "middle right"}),
        ("put it on the left", {"top left", "middle left", "bottom left"}),
        ("top right or bottom right", {"top right", "bottom right"}),
        ("any corner but the bottom left", {"top left", "top right", "bottom right"}),
        ("a3", {"top left", "top right", "bottom left"}),
    ],
)
def test_what_is_not_clear_is_asked_by_the_squares_that_fit(line: str, squares: set[str]) -> None:
    found = read(line)
    assert (marked(found), asked(found)) == ([], squares)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("square 12", "no such square"),
        ("row 4, column 1", "no such square"),
        ("g7", "no such square"),
        ("two crosses, one in each corner", "at a time"),
        ("mark every square", "at a time"),
        ("bottom left and then the centre", "at a time"),
        ("finish my line", "No square wins yet"),
        ("next to yours", "no nought on the board"),
        ("queen to d8", "another game"),
        ("draw a nought in the corner", "Your mark is the cross"),
        ("put a cross down somewhere", "Which square shall it be"),
        ("I set my X on top of yours", "whoever has it"),
        ("how do I type a move?", "three in a row".capitalize()),
        ("who's winning?", "Nobody is ahead"),
        ("I wipe the slate", "stays marked"),
    ],
)
def test_what_cannot_be_played_is_refused_in_the_games_own_words(line: str, said: str) -> None:
    found = read(line)
    assert marked(found) == []
    assert found.aside is not None
    assert found.aside.kind == "told"
    assert said in found.aside.words


@pytest.mark.parametrize(
    "line",
    [
        "my right hand hurts",
        "you're right",
        "look at the top left",
        "in the middle of the night",
        "is the centre free?",
    ],
)
def test_what_only_sounds_like_a_square_is_no_move(line: str) -> None:
    assert marked(read(line)) == []


def test_all_squares_at_once_and_marks_of_another_shape_are_refused() -> None:
    for line in ("mark all nine squares", "I mark all the squares", "fill every square"):
        assert "at a time" in str(read(line).aside and read(line).aside.words)
    refused = read("I draw a small star in the centre")
    assert marked(refused) == []
    assert "Your mark is the cross" in str(refused.aside and refused.aside.words)


@pytest.mark.parametrize(
    ("line", "squares"),
    [
        ("my cross goes to the heart of the board", ["centre"]),
        ("northwest", ["top_left"]),
        ("I take the south-east corner", ["bottom_right"]),
        ("Odo, may I have the centre?", ["centre"]),
        ("I put my cup in the middle of the slate", []),
        ("I lay my finger on the top left", []),
        ("My heart beats in the middle of all this", []),
    ],
)
def test_the_heart_and_the_winds_are_places_of_the_board_and_a_cup_is_no_mark(line: str, squares: list[str]) -> None:
    assert marked(read(line)) == squares


def test_a_square_after_what_is_sketched_or_told_is_the_move() -> None:
    assert marked(read("Right: the square under the top left")) == ["middle_left"]
    acts = [Act(kind="pose", words="sketch it in my head first: bottom left", score=0.7)]
    assert marked(read(acts[0].words, acts=acts)) == ["bottom_left"]
    acts = [Act(kind="tell", words="tell him about my aunt, then top left", score=0.9, person="him")]
    assert marked(read(acts[0].words, acts=acts)) == ["top_left"]
    assert marked(read("tap the centre but don't mark it, then take the bottom right")) == ["bottom_right"]
    assert marked(read("You sit as straight as a ruler in the middle of all this rain.")) == []


def test_of_several_acts_one_is_the_move_and_the_others_stay() -> None:
    acts = [
        Act(kind="look", score=0.9, words="I look out of the window"),
        Act(kind="write", score=0.9, words="and draw a cross in the uppr right corner", target="uppr right corner"),
    ]
    found = read("I look out of the window and draw a cross in the uppr right corner", acts=acts)
    assert marked(found) == ["top_right"]
    assert found.rest is not None
    assert "window" in found.rest.question


def test_a_correction_in_another_act_takes_the_first_back() -> None:
    acts = [
        Act(kind="put", score=0.9, words="I put it in the centre", target="it"),
        Act(kind="refuse", score=0.8, words="no wait"),
        Act(kind="go", score=0.5, words="bottom middle"),
    ]
    assert marked(read("I put it in the centre, no wait, bottom middle", acts=acts)) == ["bottom_middle"]


def test_a_board_of_another_size_is_read_by_its_own_rows() -> None:
    names = [[f"{letter}{number}" for number in range(1, 5)] for letter in "wxyz"]
    rows = tuple(tuple(Square(id=f"game:{name}", name=name) for name in row) for row in names)
    board = Board(verb="mark", rows=rows, in_line=4, own="player", marks={}, names={"player": "Ann", "rival": "Bo"})
    things = tuple(Named(id=square.id, name=square.name, kind="thing") for row in rows for square in row)
    scope = Scope(
        player=Named(id="game:player", name="Ann", kind="person"),
        place=Named(id="game:room", name="Room", kind="place"),
        here=things,
    )

    def target(line: str) -> list[str]:
        given = InterpreterInput(player_text=line, scope=scope, verbs={"mark": "mark"}, board=board)
        return marked(interpret(given))

    assert target("row 2, column 4") == ["x4"]
    assert target("bottom right corner") == ["z4"]
    assert target("square 6") == ["x2"]
    assert target("row 5, column 1") == []


def test_words_are_found_in_any_order_and_by_how_they_begin() -> None:
    assert has_words("coffee cost*, your_turn", "What does that cost, the coffee?")
    assert has_words("teach*", "she teaches it")
    assert has_words("your_turn", "it's your turn, mate")
    assert not has_words("your_turn", "your own turn")
    assert not has_words("coffee cost*", "the coffee is hot")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hint? which square's statistically best", "The centre lies on four"),
        ("is it my turn?", "The next mark is yours"),
        ("how strong is Odo, does he play perfectly?", "it can be beaten"),
        ("I've already won, look, three in a row.", "Nobody has won"),
        ("wait for him to go first", "the first mark is yours"),
        ("I cheat by drawing an extra line.", "does not pass over this slate"),
        ("what are the numbers of the squares", "counted row by row"),
        ("I swap so that I have the noughts", "You have the crosses, and keep them"),
    ],
)
def test_questions_about_the_game_over_the_slate_are_answered_by_what_they_ask(line: str, said: str) -> None:
    found = read(line)
    assert said in str(found.aside)
    assert marked(found) == []


def test_who_asks_about_crosses_or_lets_somebody_else_begin_marks_nothing() -> None:
    line = "ask him how come he gives away the crosses when everyone knows that crosses have the better of it"
    assert marked(read(line, acts=(Act(kind="ask", words=line, score=0.4),))) == []
    assert asked(read("bruh u go 1st i dont care")) == set()


def test_a_square_before_words_is_marked_and_the_words_are_said() -> None:
    line = "top middle and don't cry when you lose"
    found = read(line, acts=(Act(kind="comfort", words=line, score=0.9),))
    assert marked(found) == ["top_middle"] and len(found.proposed_actions) == 2


def test_what_the_game_answers_is_not_quoted_as_not_played() -> None:
    acts = (
        Act(kind="offer", words="play chess instead", score=0.9),
        Act(kind="write", words="then mark the centre", score=0.9),
    )
    found = read("play chess instead, then mark the centre", acts=acts)
    assert "play chess instead" not in found.not_played


def test_nobody_wins_by_saying_so_beside_a_mark() -> None:
    acts = (Act(kind="go", words="right side middle one.", score=0.2), Act(kind="thought", words="ez win", score=0.1))
    found = read("rite side midle one. ez win", acts=acts)
    assert "pose" not in [action.type for action in found.proposed_actions]
    assert marked(found) == ["middle_right"]


@pytest.mark.parametrize("line", ("Can we play chess instead?", "can I be noughts instead", "can i play as O instead"))
def test_what_is_asked_for_instead_is_refused_in_words(line: str) -> None:
    found = read(line)
    assert found.aside is not None and found.aside.words and not found.proposed_actions
