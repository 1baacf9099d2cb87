"""Frontmatter is understood as meant where it can be, and every guess is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.ids import is_id
from lorewright.packs.frontmatter import read_source
from lorewright.packs.metadata import FileMetadata, read_metadata
from lorewright.packs.models import ENTITY_TYPES


def meta(frontmatter: str, *, path: str = "npcs/a.md") -> FileMetadata:
    return read_metadata(read_source(path, f"---\nid: a\ntype: npc\n{frontmatter}\n---\ntext\n".encode()))


def bare(frontmatter: str, *, path: str = "npcs/a.md") -> FileMetadata:
    return read_metadata(read_source(path, f"---\n{frontmatter}\n---\ntext\n".encode()))


def notes(found: FileMetadata) -> list[tuple[str, str]]:
    return [(finding.severity, finding.code) for finding in found.findings]


def test_what_is_written_as_asked_is_read_without_a_word() -> None:
    found = meta("aliases: [the fixer]\ntags: [x]\nrelated_entities: [jin]\nrelated_threads: [t]\npronoun: he")
    assert notes(found) == []
    assert (found.entity_id, found.type, found.aliases, found.tags) == ("a", "npc", ("the fixer",), ("x",))
    assert found.relations == (("entity", "jin"), ("thread", "t"))
    assert found.attrs == {"pronoun": "he"}


@pytest.mark.parametrize(
    ("path", "entity_id", "kind"),
    [
        ("npcs/viktor.md", "viktor", "npc"),
        ("Places/Old Town/The Bar.md", "the-bar", "location"),
        ("factions/sub/x.md", "x", "faction"),
        ("technologies/x.md", "x", "technology"),
        ("Gear/x.md", "x", "item"),
        ("notes/x.md", "x", "culture"),
        ("x.md", "x", "culture"),
        ("人物/日本.md", "ri-ben", "npc"),
    ],
)
def test_id_and_type_are_derived_from_the_path(path: str, entity_id: str, kind: str) -> None:
    found = bare("pronoun: he", path=path)
    assert (found.entity_id, found.type) == (entity_id, kind)
    missing = [("warning", "missing-type")] if kind == "culture" else []
    assert notes(found) == [("warning", "missing-id"), *missing]


@pytest.mark.parametrize(
    ("written", "entity_id", "code"),
    [
        ("12", "12", "wrong-type"),
        ("true", "True", "wrong-type"),
        ("the bar", "the-bar", "bad-id"),
        ("a:b", "a-b", "bad-id"),
        ("a/b", "a-b", "bad-id"),
        ('"a\u200bb"', "ab", "suspicious-id"),
    ],
)
def test_an_id_is_mended_where_it_can_be(written: str, entity_id: str, code: str) -> None:
    found = bare(f"id: {written}\ntype: npc")
    assert found.entity_id == entity_id
    assert notes(found) == [("warning", code)]
    assert not found.skip


@pytest.mark.parametrize("written", ["[a]", "{a: b}", "../x", "'..'", "' '", "'.'", '"a\\nb"'])
def test_what_cannot_be_an_id_is_an_error(written: str) -> None:
    found = bare(f"id: {written}\ntype: npc")
    assert found.skip
    assert found.findings[0].severity == "error"
    assert found.findings[0].line == 2


@given(st.text(max_size=150))
def test_whatever_is_written_as_an_id_becomes_one(text: str) -> None:
    found = bare(f"id: {[text]!r}".replace("['", "'").replace("']", "'"))
    assert is_id(found.entity_id)


def test_letters_of_every_script_may_stand_in_an_id() -> None:
    assert bare("id: виќтор\ntype: npc").entity_id
    assert bare("id: Élan_9\ntype: npc").entity_id == "Élan_9"


@pytest.mark.parametrize(("written", "kind"), [("NPC", "npc"), ("person", "npc"), ("Settlement", "location")])
def test_a_type_in_other_words_is_read(written: str, kind: str) -> None:
    found = bare(f"id: a\ntype: {written}")
    assert (found.type, notes(found)) == (kind, [("warning", "unknown-type")])


def test_an_unknown_type_is_read_from_the_folder_and_told() -> None:
    found = bare("id: a\ntype: 12")
    assert (found.type, notes(found)) == ("npc", [("warning", "unknown-type")])


def test_a_type_that_is_a_list_is_an_error() -> None:
    assert bare("id: a\ntype: [npc]").skip


@pytest.mark.parametrize(
    ("written", "aliases"),
    [
        ("[a, b, a, '']", ("a", "b")),
        ("a", ("a",)),
        ("a, b", ("a", "b")),
        ("[12, 1.5]", ("12", "1.5")),
        ("[[[The Bar]]]", ("The Bar",)),
        ("[[The Bar]]", ("The Bar",)),
        ("['[[The Bar|bar]]']", ("The Bar",)),
        ("[{a: b}, c]", ("c",)),
        ("[true, c]", ("c",)),
        ("{a: b}", ()),
        ("12", ()),
        ("", ()),
    ],
)
def test_a_list_of_texts_is_read_however_it_is_written(written: str, aliases: tuple[str, ...]) -> None:
    assert meta(f"aliases: {written}").aliases == aliases


def test_a_link_that_yaml_nests_is_the_link_that_was_meant() -> None:
    found = meta("related_entities: [[Some Name]]")
    assert found.relations == (("entity", "Some Name"),)
    assert notes(found) == [("warning", "wrong-type")]


def test_tags_stand_without_their_hash_and_may_be_parted_by_blanks() -> None:
    assert meta("tags: ['#a', b]").tags == ("a", "b")
    assert meta("tags: a b").tags == ("a", "b")


def test_section_roles_are_read_and_unknown_ones_told() -> None:
    found = meta("section_roles: {History: withholds, Past: nonsense}")
    assert found.section_roles == {"history": "withholds"}
    assert notes(found) == [("warning", "unknown-role")]
    assert notes(meta("section_roles: [a]")) == [("warning", "wrong-type")]


@pytest.mark.parametrize(
    ("written", "gm_only"), [("gm", True), ("GM", True), ("hidden", True), ("player", False), ("", False)]
)
def test_visibility_says_who_may_see_the_file(written: str, gm_only: bool) -> None:
    assert meta(f"visibility: {written}").gm_only is gm_only


@given(st.text(max_size=60))
def test_any_frontmatter_gives_an_id_and_a_type(text: str) -> None:
    source = read_source("places/x.md", f"---\n{text}\n---\n".encode("utf-8", "replace"))
    found = read_metadata(source)
    assert is_id(found.entity_id)
    assert found.type in ENTITY_TYPES
