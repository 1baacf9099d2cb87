"""The table of what the trust suite tried."""

from __future__ import annotations

import trust_page

LINES = [
    {"kind": "kills", "what": "turn", "tried": 3, "seen": {"killed": 2}, "faults": {}, "examples": []},
    {"kind": "kills", "what": "turn", "tried": 4, "seen": {"killed": 4}, "faults": {}, "examples": []},
    {"kind": "leaks", "what": "query", "tried": 1000, "seen": {}, "faults": {"leak": 1}, "examples": ["leak: kestrel"]},
]


def test_lines_of_one_row_are_added_up_and_faults_stand_with_their_examples() -> None:
    table = trust_page.table(LINES, said="Run today.")
    assert "| turn | 7 | killed 6 | 0 |" in table
    assert "| query | 1,000 |  | leak 1 |" in table
    assert "- query: leak: kestrel" in table


def test_the_table_takes_the_place_of_the_one_before() -> None:
    page = f"Before.\n\n{trust_page.BEGINS}\nold\n{trust_page.ENDS}\n\nAfter.\n"
    done = trust_page.with_table(page, "new")
    assert "old" not in done
    assert trust_page.with_table(done, "new") == done
    assert done.startswith("Before.")
    assert done.endswith("After.\n")


def test_the_page_has_a_place_for_the_table() -> None:
    page = trust_page.FILE.read_text(encoding="utf-8")
    assert page.index(trust_page.BEGINS) < page.index(trust_page.ENDS)
