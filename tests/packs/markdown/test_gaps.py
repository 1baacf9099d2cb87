"""A text without what is hidden in it is the same bytes as if that had never been written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lorewright.packs.markdown.chunking import blocks_of, comments_in, lines_of
from lorewright.packs.markdown.gaps import close_gaps, edits_within, lines_of_origin
from lorewright.packs.markdown.hidden_spans import find_hidden_spans, ranges_of
from lorewright.packs.markdown.markup import apply_edits


def without_hidden(text: str) -> str:
    return apply_edits(text, close_gaps(text, ranges_of(find_hidden_spans(text, blocks_of(text)))))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        # A paragraph of its own.
        ("A\n\n%%x%%\n\nB", "A\n\nB"),
        ("A\n\n%%x\n\ny%%\n\nB", "A\n\nB"),
        ("A\n\n%%x%%\n\n<!-- y -->\n\nB", "A\n\nB"),
        ("A\n\n%%x%%\nB", "A\n\nB"),
        ("A\n%%x%%\n\nB", "A\n\nB"),
        ("A\n%%x%%\nB", "A\nB"),
        ("A\n\n\n%%x%%\n\nB", "A\n\nB"),
        ("A\n\n> [!secret] The oven\n> It is cold.\n\nB", "A\n\nB"),
        ("A\n\n**Secret:** x\n\nB", "A\n\nB"),
        ("A\n\n   %%x%%   \n\nB", "A\n\nB"),
        # At the start and the end.
        ("%%x%%\n\nB", "B"),
        ("\n%%x%%\n\nB", "\nB"),
        ("A\n\n%%x%%", "A\n"),
        ("A\n\n%%x%%\n", "A\n"),
        ("%%x%%", ""),
        # Items of lists.
        ("- a\n- **Secret:** s\n- b\n", "- a\n- b\n"),
        ("- a\n- %%s%%\n- b\n", "- a\n- b\n"),
        ("- a\n\n- **Secret:** s\n\n- b\n", "- a\n\n- b\n"),
        ("- **Secret:** s\n- b\n", "- b\n"),
        ("- a\n- **Secret:** s\n\nB", "- a\n\nB"),
        ("A\n\n- **Secret:** s\n- b", "A\n\n- b"),
        ("A\n\n- **Secret:** s\n\nB", "A\n\nB"),
        ("- a\n  - **Secret:** s\n  - b\n- c", "- a\n  - b\n- c"),
        ("- a\n\n  **Secret:** s\n\n- b", "- a\n\n- b"),
        ("- %%s%% a\n- b", "- a\n- b"),
        ("- %%s%%\n  - a\n- b", "-\n  - a\n- b"),
        ("- a\n- %%s%%\n\n> B", "- a\n\n> B"),
        ("> - a\n> - %%s%%\n>   b", "> - a\n> -\n>   b"),
        ("1. a\n2. **Secret:** s\n3. b\n4. c\n", "1. a\n2. b\n3. c\n"),
        ("1. **Secret:** s\n2. b\n", "1. b\n"),
        ("1. a\n1. **Secret:** s\n1. b\n", "1. a\n1. b\n"),
        ("9. a\n10. **Secret:** s\n11. b\n\n    more", "9. a\n10. b\n\n    more"),
        # Within a quotation.
        ("> A\n>\n> **Secret:** s\n>\n> B", "> A\n>\n> B"),
        ("> A\n>\n> **Secret:** s\n\nB", "> A\n\nB"),
        ("> - a\n> - **Secret:** s\n>\n> B", "> - a\n>\n> B"),
        # Within a line.
        ("A %%x%% B", "A B"),
        ("A%%x%%B", "AB"),
        ("A %%x%%, B", "A, B"),
        ("A %%x%%.", "A."),
        ("(%%x%% A)", "(A)"),
        ("A %%x%%B", "A B"),
        ("A%%x%% B", "A B"),
        ("A %%x%%\nB", "A\nB"),
        ("%%x%% A\nB", "A\nB"),
        ("A %%x%% %%y%% B", "A B"),
        ("A %%x%%\n\n%%y%% B", "A\n\nB"),
        ("A %%x\n\ny%% B", "A B"),
        ("A  \n%%x%%\nB", "A  \nB"),
        ("### Under %%x%%\n\nA", "### Under\n\nA"),
        # A row of a table.
        ("| a | b |\n|---|---|\n| Secret | s |\n| c | d |\n", "| a | b |\n|---|---|\n| c | d |\n"),
        # What is not hidden stays as it is.
        ("A  B\n\n\n\nC \n", "A  B\n\n\n\nC \n"),
        ("```\na\n\n\n\nb  c\n```\n\n%%x%%\n\n1. d\n1. e\n", "```\na\n\n\n\nb  c\n```\n\n1. d\n1. e\n"),
    ],
)
def test_what_is_cut_out_leaves_no_gap(written: str, read: str) -> None:
    assert without_hidden(written) == read


WORDS = st.lists(st.sampled_from(["oven", "mill", "Ada", "cold", "it", "rain"]), min_size=1, max_size=5)
COMMENT = st.sampled_from(["%%x%%", "<!-- x -->", "%%x y\nz%%", "<!-- x\n\n- y\n-->", "%%**Secret:** x%%"])
LINE_COMMENT = st.sampled_from(["%%x%%", "<!-- x -->", "%% x, y. %%"])


@dataclass(frozen=True)
class Block:
    """A block as it is written, and as a player reads it: empty where all of it is hidden."""

    written: str
    read: str


@st.composite
def sentences(draw: st.DrawFn) -> Block:
    """A line of words, with comments between them, before or after them."""
    words = draw(WORDS)
    written = list(words)
    for at in sorted(draw(st.sets(st.integers(0, len(words)), max_size=2)), reverse=True):
        written.insert(at, draw(LINE_COMMENT))
    return Block(f"{' '.join(written)}.", f"{' '.join(words)}.")


@st.composite
def paragraphs(draw: st.DrawFn) -> Block:
    rows = draw(st.lists(sentences(), min_size=1, max_size=3))
    written, read = [row.written for row in rows], [row.read for row in rows]
    if draw(st.booleans()):
        written.insert(draw(st.integers(1, len(rows))), draw(LINE_COMMENT))
    return Block("\n".join(written), "\n".join(read))


@st.composite
def lists(draw: st.DrawFn) -> Block:
    """A list, tight or loose, with numbers or without, in which some items are withheld."""
    joint = draw(st.sampled_from(["\n", "\n\n"]))
    is_numbered = draw(st.booleans())
    written, read = [], []
    for number, item in enumerate(draw(st.lists(st.one_of(sentences(), st.none()), min_size=1, max_size=5)), start=1):
        hidden = draw(st.sampled_from(["**Secret:** the oven.", "%%x%%", "**Secret:** it\n   goes on."]))
        mark, mark_read = (f"{number}.", f"{len(read) + 1}.") if is_numbered else ("-", "-")
        written.append(f"{mark} {hidden if item is None else item.written}")
        read += [] if item is None else [f"{mark_read} {item.read}"]
    return Block(joint.join(written), joint.join(read))


HIDDEN = st.one_of(COMMENT, st.sampled_from(["> [!secret] Oven\n> It is cold.", "**Secret:** the oven is cold."]))
PLAIN = st.sampled_from(
    ["```\na\n\n\n- b  c\n```", "> said\n>\n> more", "### Below", "* * *", "| a | b |\n|---|---|\n| c | d |"]
)
BLOCKS = st.one_of(
    paragraphs(), lists(), HIDDEN.map(lambda text: Block(text, "")), PLAIN.map(lambda text: Block(text, text))
)


def joined(blocks: Sequence[Block]) -> tuple[str, str]:
    """The blocks as they are written and as they are read, with one blank line between two."""
    return "\n\n".join(block.written for block in blocks), "\n\n".join(filter(None, (block.read for block in blocks)))


@settings(max_examples=60, deadline=None, phases=[Phase.generate])
@given(st.lists(BLOCKS, max_size=4))
def test_cut_out_equals_never_written(blocks: list[Block]) -> None:
    written, read = joined(blocks)
    assert without_hidden(written).strip("\n") == read


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["%%x%%", "%%", "a", " ", "\n", "\n\n", "> ", "- ", "1. ", "<!-- y -->", "## "])).map(
        "".join
    )
)
def test_whatever_stands_around_it_only_marks_and_white_space_go_with_what_is_hidden(text: str) -> None:
    spans = comments_in(text)
    edits = close_gaps(text, spans)
    assert all(first.end <= second.start for first, second in pairwise(edits))
    hidden = {at for start, end in spans for at in range(start, end)}
    gone = {at for edit in edits for at in range(edit.start, edit.end)}
    assert {at for at in hidden - gone if text[at].strip()} == set()
    assert {text[at] for at in gone - hidden} <= set(" \n>-#.0123456789")
    assert close_gaps(text, []) == []


@settings(max_examples=50, deadline=None)
@given(st.lists(BLOCKS, max_size=3), st.integers(0, 200), st.integers(0, 200))
def test_a_stretch_is_edited_as_the_whole_is_and_its_lines_are_known(
    blocks: list[Block], first: int, second: int
) -> None:
    text, _ = joined(blocks)
    edits = close_gaps(text, ranges_of(find_hidden_spans(text, blocks_of(text))))
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    stretch = text[start:end]
    own = edits_within(edits, start, end)
    read = apply_edits(stretch, own)
    assert read == apply_edits(stretch, edits, start=start)
    origins = lines_of_origin(stretch, own)
    assert len(origins) == len(lines_of(read))
    rows = stretch.split("\n")
    for row, origin in zip(read.split("\n"), origins, strict=False):
        assert row.strip(" .0123456789>-")[:1] in rows[origin]


@pytest.mark.parametrize("text", ["a%%%%" * 5_000, "x" * 50_000 + "\n" + "%%x%%\n" * 3_000, "> %%x%%\n>\n" * 3_000])
def test_what_is_made_to_cost_time_is_cut_all_the_same(text: str) -> None:
    edits = close_gaps(text, comments_in(text))
    assert "%%" not in apply_edits(text, edits)
