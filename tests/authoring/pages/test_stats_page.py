"""The page of a pack at a glance: a graph that stays legible, escaped, the same every time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lorewright.authoring.pack_figures import Edge, Node, PackFigures, figures_of
from lorewright.authoring.stats_page import MOST_NODES, SHEETS, graph_values, stats_page
from support.html_page import read_page
from support.pack_builder import TOWN, opened_packs

STATS = {"pack_id": "town", "files": 7, "chunks": 20, "total_tokens": 900}


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> PackFigures:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as (generation,):
        return figures_of(generation)


def test_it_draws_who_is_linked_and_lists_who_is_not(figures: PackFigures) -> None:
    html = stats_page(STATS, figures)
    page = read_page(html)
    signs = html.partition('<svg class="broad"')[2].partition("</svg>")[0].count("<title>")
    assert signs == len(figures.nodes) - len(figures.orphans)
    for part in ("Orphans: 1", "Hand town:hand", "Dead ends: ", "The Neon Dragon (location)", "The pack has none"):
        assert part in page.told
    assert html == stats_page(STATS, figures)


def crowd(count: int, figures: PackFigures) -> PackFigures:
    nodes = tuple(
        Node(
            id=f"town:n{at:04}",
            name=f"Somebody called number {at}",
            type=("npc", "location", "item")[at % 3],
            file_path="a.md",
            links_in=int(at > 0),
            links_out=int(at < count - 1),
            sections=1,
            tokens=10,
            asked_for=0,
        )
        for at in range(count)
    )
    edges = tuple(Edge(source=one.id, target=other.id, kinds=("entity",)) for one, other in pairwise(nodes))
    return figures.model_copy(update={"nodes": nodes, "edges": edges})


def test_a_hostile_name_is_shown_and_not_obeyed(figures: PackFigures) -> None:
    nasty = "<script>x</script></svg>\"'\x1b"
    some = crowd(4, figures)
    nodes = tuple(node.model_copy(update={"name": nasty, "type": nasty}) for node in some.nodes)
    hostile = some.model_copy(
        update={
            "nodes": nodes,
            "orphans": (nodes[0].id,),
            "dead_ends": (),
            "no_way_in": (),
            "entities_by_type": {nasty: 4},
        }
    )
    html = stats_page(STATS, hostile)
    assert read_page(html).told.count("<script>x</script>") > 4
    assert "\x1b" not in html


@pytest.mark.parametrize("at", range(len(SHEETS)))
def test_names_never_cover_one_another_and_stay_on_the_page(figures: PackFigures, at: int) -> None:
    labels = graph_values(crowd(300, figures))["drawings"][at]["labels"]
    width, height = SHEETS[at].width, SHEETS[at].height
    assert len(labels) > 10
    boxes = [(float(one["x"]), float(one["y"]), len(one["name"]) * 6.2 / 2) for one in labels]
    for number, (x, y, half) in enumerate(boxes):
        assert 0 <= x - half <= x + half <= width
        assert 0 <= y <= height
        for other_x, other_y, other_half in boxes[number + 1 :]:
            assert abs(x - other_x) >= half + other_half - 0.2 or abs(y - other_y) >= 12.8


def test_more_entities_than_can_be_told_apart_are_counted(
    figures: PackFigures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lorewright.authoring.stats_page.MOST_NODES", 20)
    values = graph_values(crowd(25, figures))
    assert MOST_NODES > 500
    assert [len(drawing["dots"]) for drawing in values["drawings"]] == [20, 20]
    assert values["left_off"] == "5"


def test_types_are_told_apart_by_their_shapes_too(figures: PackFigures) -> None:
    values = graph_values(crowd(30, figures))
    assert len({entry["shape"] for entry in values["types"]}) == len(values["types"]) == 3


def test_a_pack_without_links_has_a_page_too(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"town": {"a.md": "# A\n\nText.\n"}}) as (generation,):
        page = read_page(stats_page(STATS, figures_of(generation)))
    assert "No file names another." in page.told
