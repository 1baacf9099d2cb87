"""Conditions: one closed grammar, in YAML and in words; what cannot be read is an error on its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.conditions import LoreConditions, from_json, holds, read_when, to_json
from lorewright.packs.items import read_items, without_items
from lorewright.packs.models import When, WhenClock, WhenFact, WhenThread
from support.pack_builder import by_id, loaded_text

NOW = LoreConditions({"case": "open"}, {"heat": 3}, frozenset({("burned", "p:pier"), ("lit", "lantern")}))

READ: list[tuple[object, When]] = [
    ({"thread": "case", "status": "open"}, When((WhenThread("case", "open"),))),
    ({"clock": "heat", "min": 3}, When((WhenClock("heat", 3, None),))),
    ({"clock": "heat", "min": 1, "max": 3}, When((WhenClock("heat", 1, 3),))),
    ({"fact": "burned", "subject": "pier"}, When((WhenFact("burned", "pier"),))),
    ("when thread case is open", When((WhenThread("case", "open"),))),
    ("When clock heat >= 3", When((WhenClock("heat", 3, None),))),
    ("when clock heat > 3", When((WhenClock("heat", 4, None),))),
    ("when clock heat < 3", When((WhenClock("heat", None, 2),))),
    ("when clock heat = 3", When((WhenClock("heat", 3, 3),))),
    ("when fact burned of p:pier", When((WhenFact("burned", "p:pier"),))),
    (
        "when thread case is open and clock heat <= 3",
        When((WhenThread("case", "open"), WhenClock("heat", None, 3))),
    ),
    (
        [{"thread": "case", "status": "open"}, {"clock": "heat", "max": 3}],
        When((WhenThread("case", "open"), WhenClock("heat", None, 3))),
    ),
]
BAD: list[object] = [
    "",
    "when it rains",
    "when thread case",
    "when clock heat",
    "when thread case is open or clock heat >= 3",
    None,
    True,
    7,
    [],
    {},
    [[]],
    {"thread": "case"},
    {"thread": "case", "status": True},
    {"thread": ["case"], "status": "open"},
    {"thread": "case", "status": "open", "min": 3},
    {"clock": "heat"},
    {"clock": "heat", "min": "3"},
    {"clock": "heat", "min": True},
    {"fact": "burned"},
    {"has": "lantern"},
    {"thread": "case", "status": "open", 3: 4},
]


@pytest.mark.parametrize(("value", "when"), READ)
def test_a_condition_is_read_from_yaml_and_from_words(value: object, when: When) -> None:
    assert read_when(value, line=7) == when
    assert from_json(to_json(when), line=7) == when


@pytest.mark.parametrize("value", BAD)
def test_what_is_no_condition_is_refused(value: object) -> None:
    assert isinstance(read_when(value, line=1), str)


@pytest.mark.parametrize(
    ("words", "truth"),
    [
        ("thread case is open", True),
        ("thread case is closed", False),
        ("thread other is open", False),
        ("clock heat >= 3", True),
        ("clock heat > 3", False),
        ("clock dread >= 0", False),
        ("fact burned of pier", True),
        ("fact burned of q:pier", False),
        ("fact lit of lantern", True),
        ("fact lit of pier", False),
        ("thread case is open and clock heat < 3", False),
    ],
)
def test_a_condition_holds_when_all_of_it_does(words: str, truth: bool) -> None:
    when = read_when(words, line=1)
    assert isinstance(when, When)
    assert holds(when, NOW, pack_id="p") is truth


def test_a_condition_that_could_not_be_read_never_holds() -> None:
    assert not holds(When(()), NOW, pack_id="p")


FILE = """---
id: a
type: npc
when: {thread: case, status: open}
section_when:
  Knows: {clock: heat, min: 3}
---

# A

Text.

## Knows

- {#one} (when fact burned of pier) The pier burned.
- {#two} Nothing else.
"""


def test_conditions_of_file_section_and_item_are_kept(tmp_path: Path) -> None:
    pack = loaded_text(tmp_path, FILE)
    assert not pack.errors
    chunks = by_id(pack)
    case, heat = When((WhenThread("case", "open"),)), When((WhenClock("heat", 3),))
    assert (chunks["a:overview"].conditions, chunks["a:knows"].conditions) == ((case,), (case, heat))
    assert [when.line for when in chunks["a:knows"].conditions] == [4, 5]
    assert [item.condition for item in chunks["a:knows"].items] == ["when fact burned of pier", None]


@pytest.mark.parametrize(
    ("was", "now", "line"),
    [
        ("status: open", "state: open", 4),
        ("min: 3", "least: 3", 5),
        ("  Knows:", "  Knowledge:", 5),
        ("when fact burned of pier", "when it burned", 15),
    ],
)
def test_a_bad_condition_is_an_error_on_its_line(tmp_path: Path, was: str, now: str, line: int) -> None:
    assert was in FILE
    found = [one for one in loaded_text(tmp_path, FILE.replace(was, now)).errors if one.code == "bad-condition"]
    assert [(one.line, bool(one.hint)) for one in found] == [(line, True)]


def test_items_are_taken_out_of_a_text_by_their_names() -> None:
    text = "Some prose.\n\n- {#one} First.\n  hint: it drips\n- Second.\n- {#one} Third.\n"
    assert [item.name for item in read_items(text, chunk_id="c", line=1, discoverable=False)] == ["one", "2", "one_2"]
    assert without_items(text, {"one"}) == "Some prose.\n\n- Second.\n- {#one} Third."
    assert without_items(text, {"2", "one_2"}) == "Some prose.\n\n- {#one} First.\n  hint: it drips"
    assert without_items("One.\n\nTwo.", {"1"}) == "Two."
