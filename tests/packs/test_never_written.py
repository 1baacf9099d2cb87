"""A pack with something hidden in it gives players the same bytes as one in which that was never written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lorewright.formats.shown import Audience, shown_pack
from lorewright.packs.content_hash import READING, WITHOUT_GAPS
from lorewright.packs.items import without_items
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Chunk, Pack
from support.pack_builder import write_pack

FENCE = "```\nkeep\n\n\n- this  as it is\n```"
READ = f"# Mill\n\nIt grinds.\n\n- flour\n- bran\n\n{FENCE}\n\n1. a gate\n2. a door\n\nIt is old.\n"
WRITTEN = f"""# Mill

%%for me%%

It <!-- slowly --> grinds.

- flour
- **Secret:** bones
- bran
- %%and mice%%

{FENCE}

> [!secret] Under it
> A well.

1. a gate
2. **Secret:** a hatch
3. a door

It is old.

%%the end%%
"""


def mill(tmp_path: Path, text: str, *, name: str = "m", reading: int = READING) -> Pack:
    return load_pack(write_pack(tmp_path / name, {"mill.md": text}), reading=reading)


def sections(pack: Pack) -> list[Chunk]:
    return [chunk for chunk in pack.chunks if chunk.source]


def test_a_player_reads_the_bytes_of_what_was_never_hidden(tmp_path: Path) -> None:
    hidden, never = mill(tmp_path, WRITTEN), mill(tmp_path, READ, name="never")
    (chunk,), (other,) = sections(hidden), sections(never)
    assert chunk.shown == other.shown == READ.partition("\n\n")[2].strip("\n")
    shown, never_shown = (shown_pack(pack, Audience.of("player")) for pack in (hidden, never))
    assert [entity.sections for entity in shown.entities] == [entity.sections for entity in never_shown.entities]


def test_the_game_masters_text_is_the_authors(tmp_path: Path) -> None:
    now, then = (mill(tmp_path, WRITTEN, name=str(reading), reading=reading) for reading in (READING, 3))
    (chunk,), (before,) = sections(now), sections(then)
    assert chunk.source == WRITTEN
    assert (chunk.text, chunk.line, chunk.token_count) == (before.text, before.line, before.token_count)
    assert FENCE in chunk.text and FENCE in chunk.shown
    (entity,) = shown_pack(now, Audience.of("gm")).entities
    assert "bones" in entity.sections[0].text


def test_the_rules_before_leave_what_they_left(tmp_path: Path) -> None:
    (chunk,) = sections(mill(tmp_path, WRITTEN, reading=WITHOUT_GAPS - 1))
    assert "- flour\n\n- bran" in chunk.shown
    assert re.search(r"\n\n\n", chunk.shown)


def test_items_are_numbered_without_those_that_are_hidden_and_keep_their_lines(tmp_path: Path) -> None:
    text = "# Mill\n\nOld.\n\n## Discoverable\n\n%%two\nlines%%\n\n- %%mice%%\n- search the sacks: A coin.\n- A key.\n"
    found = next(chunk for chunk in sections(mill(tmp_path, text)) if chunk.role == "discoverable")
    assert [(item.name, item.trigger, item.text, item.line) for item in found.items] == [
        ("1", "search the sacks", "A coin.", 11),
        ("2", None, "A key.", 12),
    ]


@pytest.mark.parametrize(
    ("text", "names", "left"),
    [
        ("- a\n- b\n- c", {"2"}, "- a\n- c"),
        ("One.\n\nTwo.\n\nThree.", {"2"}, "One.\n\nThree."),
        ("1. a\n2. b\n3. c", {"1"}, "1. b\n2. c"),
        ("Some prose.\n\n- a\n\n- b\n\nMore.", {"1", "2"}, "Some prose.\n\nMore."),
    ],
)
def test_items_whose_condition_does_not_hold_leave_no_gap(text: str, names: set[str], left: str) -> None:
    assert without_items(text, names, leaves_gaps=False) == left


LINES = [
    "It grinds.",
    "Flour %%x%% is white.",
    "%%alone%%",
    "- a\n- **Secret:** b\n- c",
    "**Secret:** d",
    "## Below\n\nOld.",
]
NEVER = {
    LINES[1]: "Flour is white.",
    LINES[2]: "",
    LINES[3]: "- a\n- c",
    LINES[4]: "",
}


@settings(
    max_examples=12,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=6))
def test_any_note_reads_as_if_the_hidden_parts_had_never_been_written(tmp_path: Path, blocks: list[str]) -> None:
    never = [block for block in (NEVER.get(block, block) for block in blocks) if block]
    written, read = ("\n\n".join(["# Mill", *part]) + "\n" for part in (blocks, never))
    hidden, other = (sections(mill(tmp_path, text, name=name)) for text, name in ((written, "a"), (read, "b")))
    assert [(chunk.id, chunk.shown) for chunk in hidden] == [(chunk.id, chunk.shown) for chunk in other]
