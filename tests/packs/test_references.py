"""References become links to entities, or findings where nothing has that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.models import Link, Pack
from support.pack_builder import loaded

VIKTOR = "---\nid: viktor\ntype: npc\naliases: [the fixer]\n---\n# Viktor Old\n\ntext\n"
BAR = "---\nid: bar\ntype: location\n---\n# The Dragon\n\ntext\n"
GUILD = "---\nid: guild\ntype: faction\n---\n# Night Guild\n\ntext\n"


def linked(tmp_path: Path, body: str, frontmatter: str = "") -> Pack:
    text = f"---\nid: a\ntype: npc\n{frontmatter}\n---\n{body}\n"
    return loaded(tmp_path, {"people/a.md": text, "people/v_1.md": VIKTOR, "places/bar.md": BAR, "guild.md": GUILD})


def links_of(pack: Pack) -> list[tuple[str, str]]:
    """What the first chunk of `a` is tied to beside itself."""
    chunk = next(chunk for chunk in pack.chunks if chunk.entity_id == "town:a")
    return [(link.kind, link.value) for link in chunk.links if link.value != "town:a"]


def dangling(pack: Pack) -> list[str]:
    return [finding.message for finding in pack.findings if finding.code == "dangling-reference"]


@pytest.mark.parametrize(
    "reference",
    [
        "viktor",
        "town:viktor",
        "Viktor Old",
        "viktor old",
        "the fixer",
        "people/v_1",
        "people/v_1.md",
        "v_1",
        "V 1",
        "any/v_1",
    ],
)
def test_an_entity_is_found_by_id_name_alias_path_or_file_name(tmp_path: Path, reference: str) -> None:
    for body, frontmatter in ((f"[[{reference}]]", ""), ("text", f"related_entities: ['{reference}']")):
        pack = linked(tmp_path, body, frontmatter)
        assert links_of(pack) == [("entity", "town:viktor")]
        assert dangling(pack) == []


def test_a_link_is_of_the_kind_of_what_it_leads_to(tmp_path: Path) -> None:
    pack = linked(tmp_path, "[[bar]] [[guild|them]] ![[viktor]]", "related_entities: [guild]")
    assert links_of(pack) == [("faction", "town:guild"), ("location", "town:bar"), ("entity", "town:viktor")]


@pytest.mark.parametrize("link", ["v_1.md", "./v_1.md", "../people/v_1.md", "v%5F1.md", "<v_1.md>", "v_1.md#past"])
def test_a_markdown_link_is_found_from_its_own_folder(tmp_path: Path, link: str) -> None:
    assert links_of(linked(tmp_path, f"[him]({link})")) == [("entity", "town:viktor")]


@pytest.mark.parametrize(
    "link", ["https://x.org/v_1.md", "../../people/v_1.md", "/v_1.md", "..%2f..%2fsecret.md", "gone.md"]
)
def test_a_markdown_link_that_leads_elsewhere_is_no_link(tmp_path: Path, link: str) -> None:
    pack = linked(tmp_path, f"[him]({link})")
    assert links_of(pack) == []


def test_tags_and_threads_are_links_too(tmp_path: Path) -> None:
    pack = linked(tmp_path, "text", "tags: [x]\nrelated_threads: [case]")
    assert links_of(pack) == [("thread", "case"), ("tag", "x")]


def test_a_section_is_tied_to_what_it_names_and_not_to_what_another_names(tmp_path: Path) -> None:
    pack = linked(tmp_path, "# A\n\ntext\n\n## One\n\n[[bar]]\n\n## Two\n\n[[guild]]\n", "related_entities: [viktor]")
    values = {
        chunk.section: {link.value for link in chunk.links} for chunk in pack.chunks if chunk.entity_id == "town:a"
    }
    assert values == {
        "": {"town:a", "town:viktor"},
        "One": {"town:a", "town:viktor", "town:bar"},
        "Two": {"town:a", "town:viktor", "town:guild"},
    }


def test_every_chunk_is_tied_to_its_own_entity_once(tmp_path: Path) -> None:
    chunk = next(chunk for chunk in linked(tmp_path, "[[a]] [[a]]").chunks if chunk.entity_id == "town:a")
    assert chunk.links == (Link("entity", "town:a"),)


def test_what_nothing_is_named_is_told_and_no_link(tmp_path: Path) -> None:
    pack = linked(tmp_path, "[[nobody]] [[" + "n" * 150 + "]]", "related_locations: [nowhere]")
    assert links_of(pack) == []
    messages = dangling(pack)
    assert len(messages) == 3
    assert all(len(message) < 100 for message in messages)


def test_an_id_of_another_pack_stays_as_it_is_written(tmp_path: Path) -> None:
    pack = linked(tmp_path, "text", "related_entities: ['core:dragon']")
    assert links_of(pack) == [("entity", "core:dragon")]
    assert dangling(pack) == []


def test_a_name_that_two_have_means_neither(tmp_path: Path) -> None:
    twin = VIKTOR.replace("id: viktor", "id: other")
    pack = loaded(tmp_path, {"a.md": "# A\n\n[[Viktor Old]]", "b.md": VIKTOR, "c.md": twin})
    assert [link.value for link in pack.chunks[0].links] == ["town:a"]
    assert len(dangling(pack)) == 1


@pytest.mark.parametrize("reference", [" ", ".", "/", "..", "//", "a/", "../../etc/passwd", "\u202e", "🔥"])
def test_a_reference_that_is_no_name_is_read_without_harm(tmp_path: Path, reference: str) -> None:
    pack = linked(tmp_path, f"[[{reference}]]", f"related_entities: ['{reference}']")
    assert links_of(pack) == []


def test_what_a_comment_names_is_no_link(tmp_path: Path) -> None:
    assert links_of(linked(tmp_path, "text %%really [[viktor]]%% <!-- [b](../places/bar.md) -->")) == []
