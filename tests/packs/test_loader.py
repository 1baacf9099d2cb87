"""A folder becomes a pack: nothing of its text is lost, every chunk and item has an ID of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.packs.files import MAX_CHUNK_TOKENS
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from lorewright.tokens import count_tokens
from support.pack_builder import TOWN, by_id, codes, loaded, loaded_text, write_pack
from support.scale import scaled


def test_a_pack_is_its_manifest_entities_and_chunks(tmp_path: Path) -> None:
    pack = loaded(tmp_path, TOWN)
    assert pack.findings == ()
    assert [entity.id for entity in pack.entities if entity.type == "location"] == ["town:bar", "town:pier"]
    assert [name for name in by_id(pack) if name.startswith("bar")] == [
        "bar:overview",
        "bar:atmosphere",
        "bar:history",
        "bar:discoverable",
        "bar:threads",
    ]


def test_a_chunk_knows_its_section_role_line_and_metadata(tmp_path: Path) -> None:
    chunk = by_id(loaded(tmp_path, TOWN))["bar:history"]
    assert (chunk.section_path, chunk.section, chunk.role) == ("The Neon Dragon > History", "History", "lore")
    assert chunk.text.startswith("The bar was a laundry")
    assert chunk.source.startswith("## History\n\nThe bar")
    assert TOWN["locations/bar.md"].split("\n")[chunk.line - 1] == "## History"  # type: ignore[arg-type]
    assert chunk.metadata == {
        "type": "location",
        "role": "lore",
        "location_ids": ["bar"],
        "entity_ids": ["viktor", "mara"],
        "faction_ids": [],
        "thread_ids": ["main_case"],
        "tags": ["nightlife"],
        "token_count": chunk.token_count,
    }


def test_items_know_their_lines(tmp_path: Path) -> None:
    pack = loaded(tmp_path, TOWN)
    items = [item for chunk in pack.chunks for item in chunk.items if chunk.entity_id == "town:bar"]
    lines = str(TOWN["locations/bar.md"]).split("\n")
    assert len(items) == 5
    assert all(f"{{#{item.name}}}" in lines[item.line - 1] for item in items)


def test_a_heading_below_blank_lines_moves_no_line(tmp_path: Path) -> None:
    chunk = by_id(loaded_text(tmp_path, "---\nid: a\ntype: npc\n---\n\n\n## Knows\n\n- one\n"))["a:knows"]
    assert (chunk.line, chunk.items[0].line) == (7, 9)


def test_a_long_section_is_split_into_parts_that_know_their_lines(tmp_path: Path) -> None:
    items = [f"- {{#n{number}}} {'word ' * 60}\n" for number in range(30)]
    text = "# A\n\nintro\n\n## Knows\n\n" + "".join(items)
    chunks = [chunk for chunk in loaded_text(tmp_path, text).chunks if chunk.section == "Knows"]
    assert [chunk.id for chunk in chunks] == ["town:a:knows"] + [f"town:a:knows~{n}" for n in range(2, len(chunks) + 1)]
    assert len(chunks) > 2
    assert [item.name for chunk in chunks for item in chunk.items] == [f"n{number}" for number in range(30)]
    lines = text.split("\n")
    for chunk in chunks:
        assert lines[chunk.line - 1] == chunk.source.split("\n")[0]
        assert all(f"{{#{item.name}}}" in lines[item.line - 1] for item in chunk.items)


def test_sections_of_the_same_name_have_ids_of_their_own(tmp_path: Path) -> None:
    text = "lead\n\n# A\n## X\n1\n## X\n2\n## X-2\n3\n## Overview\n4\n# B\n## Preamble\n5\n## 🔥\n6\n## \n7\n"
    ids = [chunk.id for chunk in loaded_text(tmp_path, text).chunks]
    assert len(set(ids)) == len(ids)
    assert ids[:5] == ["town:a:preamble", "town:a:overview", "town:a:x", "town:a:x-2", "town:a:x-2-2"]


def test_the_first_file_of_an_id_keeps_it(tmp_path: Path) -> None:
    text = "---\nid: same\ntype: npc\n---\n# One\n\ntext\n"
    pack = loaded(tmp_path, {"b.md": text.replace("One", "Two"), "a.md": text})
    assert [(entity.id, entity.name) for entity in pack.entities] == [("town:same", "One")]
    (finding,) = pack.errors
    assert (finding.file, finding.code, finding.line) == ("b.md", "duplicate-id", 2)
    assert "a.md" in finding.message


def test_a_file_that_cannot_be_read_leaves_the_others_readable(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {"a.md": b"\xff\xfe", "b.md": "---\nid: x: y\n---\n", "c.md": "# C\n\ntext\n"})
    assert [entity.id for entity in pack.entities] == ["town:c"]
    assert {finding.file for finding in pack.errors} == {"a.md", "b.md"}


def test_a_name_is_the_title_else_the_file(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {"a.md": "# The *Bar*\n", "b_c.md": "text", "d.md": "---\ntitle: Dee\n---\ntext"})
    assert [entity.name for entity in pack.entities] == ["The Bar", "b c", "Dee"]


def test_a_heading_beside_a_title_is_an_alias(tmp_path: Path) -> None:
    (entity,) = loaded_text(tmp_path, "---\nid: a\ntitle: Vik\naliases: [V]\n---\n# Viktor\n").entities
    assert (entity.name, entity.aliases) == ("Vik", ("V", "Viktor"))


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("NPCs/Anna Loaf (baker).md", "# Biography\n", ("Biography", "Anna Loaf", "Anna Loaf (baker)")),
        ("NPCs/Anna Loaf.md", "# `=this.file.name` `VIEW[{x}]`\n\nText.\n", ("Anna Loaf",)),
        ("NPCs/Anna Loaf.md", "### Anna Loaf\n\nText.\n\n### Home\n\nHers.\n", ("Anna Loaf",)),
        ("inns/rusty-anchor.md", "# The Tavern\n", ("The Tavern", "rusty-anchor")),
        ("inns/Jean-Luc.md", "No heading.\n", ("Jean Luc",)),
    ],
)
def test_a_note_has_the_name_of_its_file(tmp_path: Path, path: str, text: str, names: tuple[str, ...]) -> None:
    (entity,) = loaded(tmp_path, {path: text}).entities
    assert (entity.name, *entity.aliases) == names


def test_a_heading_that_three_notes_have_is_no_name(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {f"npcs/{name}.md": "# Biography\n\nText.\n" for name in ("Anna", "Bo", "Cem")})
    assert [entity.name for entity in pack.entities] == ["Anna", "Bo", "Cem"]


def test_no_note_is_lost_for_an_id(tmp_path: Path) -> None:
    deep = "/".join(["A very long name of a folder of notes"] * 3)
    notes = {f"{deep}/{name}.md": "# X\n" for name in ("Twin", "Other")}
    notes |= {
        "Twin.md": "# X\n",
        "People/Twin.md": "# X\n",
        "👥 People/Twin.md": "# X\n",
        "given.md": "---\nid: other\n---\n",
    }
    pack = loaded(tmp_path, notes)
    assert pack.errors == ()
    ids = {entity.file_path: entity.id for entity in pack.entities}
    assert len(set(ids.values())) == len(notes)
    assert (ids["Twin.md"], ids["People/Twin.md"], ids["given.md"]) == ("town:twin", "town:twin-people", "town:other")


def test_a_gm_file_has_no_open_section(tmp_path: Path) -> None:
    text = "---\nid: a\ntype: npc\nvisibility: gm\n---\nlead\n# A\nx\n## Atmosphere\ny\n## Knows\n- z\n"
    chunks = by_id(loaded_text(tmp_path, text))
    assert {name: chunk.role for name, chunk in chunks.items()} == {
        "a:preamble": "secret",
        "a:overview": "secret",
        "a:atmosphere": "secret",
        "a:knows": "knows",
    }


def test_the_files_own_section_roles_hold(tmp_path: Path) -> None:
    text = "---\nid: a\ntype: npc\nsection_roles: {past: withholds}\n---\n# A\n## Past\n- one\n"
    chunk = by_id(loaded_text(tmp_path, text))["a:past"]
    assert (chunk.role, len(chunk.items)) == ("withholds", 1)


def test_comments_are_kept_in_the_source_and_found_by_the_game_master_alone(tmp_path: Path) -> None:
    text = "# A\n\nOpen %%one%% text.\n\n<!-- two\n\n## Past\n\n-->\nOld.\n\n## Knows\n\n%%\n- three\n%%\n\n- four\n"
    pack = loaded_text(tmp_path, text)
    assert "".join(chunk.source for chunk in pack.chunks) == text
    *shown, asides = pack.chunks
    assert not [word for word in ("one", "two", "three", "%%", "<!--") if any(word in chunk.text for chunk in shown)]
    assert (asides.id, asides.role, asides.text) == ("town:a:comments", "secret", "one\n\n- three")
    (item,) = by_id(pack)["a:knows"].items
    assert (item.text, item.line) == ("four", 18)


def test_findings_are_sorted_and_each_told_once(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {"b.md": "[[x]] [[x]]", "a.md": "[[y]]"})
    assert list(pack.findings) == sorted(set(pack.findings))
    assert codes(pack.findings) >= {"dangling-reference", "no-heading", "missing-frontmatter"}


def test_empty_files_are_told(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {"a.md": "", "b.md": "---\nid: b\ntype: npc\n---\n\n"})
    assert codes(pack.findings, file="a.md") == {"empty-file"}
    assert codes(pack.findings, file="b.md") == {"empty-body"}
    assert pack.chunks == ()


def test_progress_is_told_after_each_file(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    load_pack(write_pack(tmp_path, TOWN), progress=lambda _, done, total: told.append((done, total)))
    assert told == [(number, len(TOWN)) for number in range(1, len(TOWN) + 1)]


def assert_sound(pack: Pack) -> None:
    """What holds of every pack, whatever its author wrote."""
    ids = [chunk.id for chunk in pack.chunks]
    items = [item.id for chunk in pack.chunks for item in chunk.items]
    assert len(set(ids)) == len(ids)
    assert len(set(items)) == len(items)
    assert [chunk.position for chunk in pack.chunks] == list(range(len(ids)))
    for chunk in pack.chunks:
        assert count_tokens(chunk.text) <= MAX_CHUNK_TOKENS
        assert chunk.id.startswith(chunk.entity_id + ":")


pieces = st.sampled_from(
    [
        "# A\n",
        "## Knows\n",
        "## Secrets\n",
        "## Knows\n",
        "- x\n",
        "[[ ]]",
        "[[.]]",
        "](x.md)",
        "](/.md)",
        "{#a}",
        "hint: ",
        "%%",
    ]
    + [
        "<!--",
        "-->",
        "```\n",
        "---\n",
        "id: a\n",
        "related_entities: [/, '']\n",
        "\n\n",
        "\0",
        "\x1b",
        "\u2028",
        "\ufffe",
        "word ",
    ]
)


@settings(max_examples=scaled(25))
@given(st.one_of(st.binary(max_size=60), st.lists(pieces, max_size=20).map(lambda found: "".join(found).encode())))
def test_a_file_of_anything_is_read_soundly(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pack = loaded(Path(folder), {"a.md": data, "b.md": TOWN["npcs/viktor.md"]})
    assert_sound(pack)
    assert "town:viktor" in {entity.id for entity in pack.entities}
