"""The specification's matrix, cell by cell, against what the stages are really given: each cell has a test, and that
test fails when the cell says anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import get_args

import pytest

from lorewright import visibility
from lorewright.turn.views.story import seen_by
from lorewright.values.records import Message
from lorewright.visibility import MESSAGES, MessageKind, MessageReader, MessageSight

# As it stands in the specification; the columns are its, too. What it leaves out follows below.
TABLE = """
| npc_intent          | ✗ | ✓ all past     | ◐ own past       | ◐ own |
| narrator            | ✓ | ✓ all past     | ✓ resolving only | ✗     |
| persona_extractor   | ✗ | ✓ all past     | ◐ last own only  | ◐ own |
| character_extractor | ✗ | ✓ all past     | ◐ last own only  | ◐ own |
| lore_extractor      | ✗ | ✓ current only | ✗                | ✗     |
"""
# The stages that it lacks, in the same words.
COMPLETED = """
| player              | ✗ | ✓ all past     | ◐ own past       | ◐ own |
| interpreter         | ✗ | ✗              | ◐ own past       | ✗     |
| planner             | ✗ | ✓ all past     | ✗                | ✗     |
| summariser          | ✗ | ✓ all past     | ✗                | ✗     |
| recap               | ✗ | ✓ all past     | ✗                | ✗     |
| gm                  | ✓ | ✓ each         | ✓ all            | ✓ all |
"""
COLUMNS: tuple[MessageKind, ...] = ("scene_marker", "narration", "intention", "thought")
ME, OTHER, THIRD = "town:osk", "town:bea", "town:lin"

# Owner, type, turn, what is said, and who was there: a story of three turns, the third at its second round. What OTHER
# means to do is resolved just now and was just told.
STORY = (
    ("system", "scene_marker", 1, "the scene opens", ()),
    (ME, "thought", 1, "my old thought", ()),
    (ME, "intention", 1, "my old intention", ()),
    ("narrator", "narration", 1, "an old narration", (ME, OTHER, THIRD)),
    (OTHER, "thought", 1, "another's old thought", ()),
    (OTHER, "intention", 1, "another's old intention", ()),
    ("narrator", "narration", 1, "what I was not there for", (OTHER, THIRD)),
    ("system", "scene_marker", 2, "they have moved", ()),
    (ME, "thought", 2, "my thought", ()),
    (ME, "intention", 2, "my last intention", ()),
    ("narrator", "narration", 2, "a narration of nobody in particular", ()),
    (THIRD, "intention", 2, "a third's intention", ()),
    ("narrator", "narration", 3, "this turn's first narration", (ME, OTHER)),
    (OTHER, "thought", 3, "another's thought", ()),
    (OTHER, "intention", 3, "what is resolved", ()),
    ("narrator", "narration", 3, "what was just told", (ME, OTHER)),
    ("system", "system", 3, "an instruction", ()),
)
HEARD = {"an old narration", "a narration of nobody in particular", "this turn's first narration", "what was just told"}
MARKERS = {"the scene opens", "they have moved"}
# What each entry of the table means in this story.
MEANS: dict[tuple[MessageKind, str], set[str]] = {
    ("scene_marker", "✗"): set(),
    ("scene_marker", "✓"): MARKERS,
    ("narration", "✗"): set(),
    ("narration", "✓ each"): {said for _, kind, _, said, _ in STORY if kind == "narration"},
    ("narration", "✓ all past"): HEARD,
    ("narration", "✓ current only"): {"what was just told"},
    ("intention", "✗"): set(),
    ("intention", "✓ all"): {said for _, kind, _, said, _ in STORY if kind == "intention"},
    ("intention", "◐ own past"): {"my old intention", "my last intention"},
    ("intention", "◐ last own only"): {"my last intention"},
    ("intention", "✓ resolving only"): {"what is resolved"},
    ("thought", "✗"): set(),
    ("thought", "✓ all"): {said for _, kind, _, said, _ in STORY if kind == "thought"},
    ("thought", "◐ own"): {"my old thought", "my thought"},
}
# What a cell could say instead and show another thing: a marker is nobody's own, and so on.
OTHERWISE: dict[MessageKind, tuple[MessageSight, ...]] = {
    "scene_marker": ("all", "none"),
    "narration": ("every", "all", "current", "none"),
    "intention": ("all", "own", "last_own", "resolving", "none"),
    "thought": ("all", "own", "last_own", "none"),
}


def messages() -> list[Message]:
    return [
        Message.model_validate(
            {"owner": owner, "type": kind, "turn_id": f"turn_{turn}", "seq": seq, "content": said, "audience": audience}
        )
        for seq, (owner, kind, turn, said, audience) in enumerate(STORY)
    ]


def shown(reader: MessageReader, column: MessageKind) -> set[str]:
    """What the filter that every stage gets its messages from lets a reader see of one column."""
    story = messages()
    at_hand = [one for one in story if one.content == "what is resolved"]
    just_told = [one for one in story if one.content == "what was just told"]
    seen = seen_by(reader, story, own_id=ME, resolving=at_hand, current=just_told)
    return {one.content for one in seen if one.type == column}


def cells(table: str) -> Iterator[tuple[MessageReader, MessageKind, str]]:
    for line in table.strip().splitlines():
        reader, *entries = (cell.strip() for cell in line.strip("|").split("|"))
        assert reader in get_args(MessageReader)
        for column, entry in zip(COLUMNS, entries, strict=True):
            yield reader, column, entry  # type: ignore[misc]


CELLS = [*cells(TABLE), *cells(COMPLETED)]


@pytest.mark.parametrize(("reader", "column", "entry"), CELLS)
def test_a_stage_sees_what_its_cell_says(reader: MessageReader, column: MessageKind, entry: str) -> None:
    assert shown(reader, column) == MEANS[column, entry]


@pytest.mark.parametrize(("reader", "column", "entry"), CELLS)
def test_a_flipped_cell_does_not_pass(
    monkeypatch: pytest.MonkeyPatch, reader: MessageReader, column: MessageKind, entry: str
) -> None:
    flips = [sight for sight in OTHERWISE[column] if sight != MESSAGES[reader][column]]
    assert len(flips) == len(OTHERWISE[column]) - 1
    for sight in flips:
        monkeypatch.setattr(visibility, "MESSAGES", flipped(reader, column, sight))
        assert shown(reader, column) != MEANS[column, entry], sight
        with pytest.raises(AssertionError):
            test_a_stage_sees_what_its_cell_says(reader, column, entry)


def flipped(
    reader: MessageReader, column: MessageKind, sight: MessageSight
) -> Mapping[MessageReader, Mapping[MessageKind, MessageSight]]:
    """The table with one cell otherwise."""
    return MappingProxyType({**MESSAGES, reader: MappingProxyType({**MESSAGES[reader], column: sight})})


def test_every_reader_has_a_row_and_every_cell_is_tested() -> None:
    assert set(MESSAGES) == set(get_args(MessageReader)) == {reader for reader, _, _ in CELLS}
    assert len(CELLS) == len(MESSAGES) * len(COLUMNS)


@pytest.mark.parametrize("reader", get_args(MessageReader))
def test_the_game_master_alone_reads_what_the_system_says(reader: MessageReader) -> None:
    assert shown(reader, "system") == ({"an instruction"} if reader == "gm" else set())
    assert MESSAGES[reader]["system"] == ("all" if reader == "gm" else "none")


def test_a_whisper_is_heard_by_its_two_ends() -> None:
    whisper = Message(
        owner="narrator", type="narration", turn_id="t", seq=0, content="psst", subtype="whisper", audience=(ME, OTHER)
    )
    assert [bool(seen_by("npc_intent", [whisper], own_id=who)) for who in (ME, OTHER, THIRD)] == [True, True, False]
    assert seen_by("narrator", [whisper], own_id=THIRD) == []
