"""What is made of measured seconds: medians, and how this checkout stands to the other."""

from __future__ import annotations

import json

from start_up import LINES, asked, played, rows


def test_a_row_has_medians_of_both_and_the_ratio_of_this_to_the_other() -> None:
    (row,) = rows({"help": [0.3, 9.0, 0.2]}, {"help": [0.6, 0.5, 0.7]})
    assert (row["here_s"], row["least_s"], row["most_s"], row["other_s"], row["ratio"]) == (0.3, 0.2, 9.0, 0.6, 0.5)


def test_a_difference_that_came_out_at_nothing_has_no_ratio() -> None:
    (row,) = rows({"one turn, warm": [0.2]}, {"one turn, warm": [0.0]})
    assert row["ratio"] is None


def test_twice_as_many_lines_begin_with_the_same_lines() -> None:
    assert played(2 * len(LINES)) == played(len(LINES)) * 2
    assert asked(4).startswith(asked(2))
    assert len({json.loads(line)["query"] for line in asked(9).splitlines()}) == 9
