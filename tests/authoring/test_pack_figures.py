"""Figures of a pack: who links to whom, who to nobody, how long sections are, what golden queries ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.golden import read_golden
from lorewright.authoring.pack_figures import Edge, PackFigures, figures_of
from lorewright.index.generation import Generation
from support.pack_builder import TOWN, opened_packs, write_pack

Town = tuple[Generation, ...]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> PackFigures:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as (generation,):
        return figures_of(generation)


def test_a_link_between_two_files_is_told_once_whatever_names_it(figures: PackFigures) -> None:
    assert Edge(source="town:bar", target="town:viktor", kinds=("entity",)) in figures.edges
    assert Edge(source="town:viktor", target="town:bar", kinds=("location",)) in figures.edges
    pairs = [(edge.source, edge.target) for edge in figures.edges]
    assert pairs == sorted(set(pairs))
    assert all(source != target for source, target in pairs)


def test_nodes_count_what_comes_in_and_what_goes_out(figures: PackFigures) -> None:
    nodes = {node.id: node for node in figures.nodes}
    for node_id, node in nodes.items():
        assert node.links_in == sum(edge.target == node_id for edge in figures.edges)
        assert node.links_out == sum(edge.source == node_id for edge in figures.edges)
    assert sum(node.sections for node in figures.nodes) == figures.golden.sections
    assert nodes["town:bar"].name == "The Neon Dragon"


def test_what_nothing_leads_to_or_from_is_told_apart(figures: PackFigures) -> None:
    assert figures.orphans == ("town:hand",)
    assert "town:guild" in figures.dead_ends
    assert figures.no_way_in == ("town:cult",)


def test_the_histogram_holds_every_section_once(figures: PackFigures) -> None:
    assert sum(one.sections for one in figures.histogram) == figures.golden.sections
    for one, after in zip(figures.histogram, figures.histogram[1:], strict=False):
        assert one.high == after.low
    assert figures.histogram[-1].high is None
    assert sum(figures.sections_by_role.values()) == figures.golden.sections


def test_long_and_short_sections_are_told_by_their_whole_length(tmp_path: Path) -> None:
    paragraph = "The harbour wall was raised twice and lowered once, and nobody wrote down why. "
    long = "\n\n".join(paragraph * 4 for _ in range(12))
    files = {"a.md": f"# Wall\n\n{long}\n\n## Gate\n\nShut.\n\n## Secret\n\nNo.\n"}
    with opened_packs(tmp_path, {"town": files}) as (generation,):
        found = figures_of(generation)
    (split,) = found.long
    assert split.section_id == "town:a:overview"
    assert split.parts > 1
    assert split.tokens > 500
    assert [one.section_id for one in found.short] == ["town:a:gate"]


def test_golden_queries_cover_the_sections_that_they_ask_for(tmp_path: Path) -> None:
    asked = (
        "- query: the bar\n  include: [town:bar:history, town:bar:overview]\n- query: x\n  include: [town:bar:gone]\n"
    )
    folder = write_pack(tmp_path / "source", {**TOWN, "tests/golden.yaml": asked})
    with opened_packs(tmp_path, {"town": TOWN}) as (generation,):
        covered = figures_of(generation, read_golden(folder)).golden
    assert (covered.queries, covered.asked_for, covered.unknown) == (2, 2, ("town:bar:gone",))
    assert covered.by_type["location"][0] == 2
    assert sum(of for _, of in covered.by_type.values()) == covered.sections
    assert len(covered.not_asked_for) == covered.sections - 2


def test_a_file_may_say_that_it_is_in_another_language(tmp_path: Path) -> None:
    files = {"a.md": "---\nid: a\nlanguage: de\n---\n# A\n\nEin Haus.\n", "b.md": "# B\n\nA house.\n"}
    with opened_packs(tmp_path, {"town": files}) as (generation,):
        assert figures_of(generation).entities_by_language == {"de": 1, "en": 1}
