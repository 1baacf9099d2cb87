"""A text that comes in pieces is printed word by word, as wide as a page, and never leaves a row uncounted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lorewright.cli.game.play_session import Flow

PIECES = st.lists(st.text(alphabet="ab\u6f22\n \x1b[31m\u202e", max_size=12), max_size=12)


def flowed(pieces: list[str], width: int = 20, margin: str = "") -> tuple[str, Flow]:
    flow = Flow(width, margin=margin)
    return "".join([*map(flow.feed, pieces), flow.close()]), flow


@given(PIECES, st.integers(2, 30))
def test_however_it_comes_the_same_lines_are_printed(pieces: list[str], width: int) -> None:
    text, flow = flowed(pieces, width)
    assert text == flowed(["".join(pieces)], width)[0]
    assert flow.rows == text.count("\n")
    assert not text or text.endswith("\n")


def test_words_are_kept_whole_and_lines_no_wider_than_the_page() -> None:
    text, _ = flowed(["The rain has dri", "ven you into the tav", "ern. Lin is not here."])
    assert text == "The rain has driven\nyou into the tavern.\nLin is not here.\n"


def test_a_word_is_not_shown_before_it_is_whole() -> None:
    flow = Flow(20)
    assert flow.feed("The ra") == "The"
    assert flow.feed("in") == ""
    assert flow.feed(" ") == " rain"


def test_paragraphs_stay_apart_and_single_line_ends_are_spaces() -> None:
    assert flowed(["One\ntwo", "\n", "\nthree\n\n"])[0] == "One two\n\nthree\n"


def test_an_escape_that_comes_in_halves_never_reaches_the_screen() -> None:
    text, _ = flowed(["Red \x1b", "[31m alert\x1b]0;", "title\x07 and\x9b2J gone"], 80)
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "\x07" not in text


def test_a_word_that_no_line_holds_is_broken() -> None:
    assert flowed(["a" * 12, "b"], 5)[0] == "aaaaa\naaaaa\naab\n"


def test_wide_letters_count_twice() -> None:
    assert flowed(["\u6f22\u6f22 \u6f22\u6f22"], 6)[0] == "\u6f22\u6f22\n\u6f22\u6f22\n"


def test_a_margin_marks_every_line() -> None:
    assert flowed(["one two\n\nthree"], 7, "| ")[0] == "| one\n| two\n|\n| three\n"
