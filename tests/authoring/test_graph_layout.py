"""A layout stands on the page, is the same every time, and puts what is linked nearer than what is not."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.authoring.stats_page import lay_out
from support.scale import scaled

GROUPS = st.lists(st.sampled_from(["npc", "location", "item"]), min_size=1, max_size=25)


@settings(max_examples=scaled(15), deadline=None)
@given(groups=GROUPS, seeds=st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=40))
def test_every_node_has_a_place_on_the_page_and_always_the_same(
    groups: list[str], seeds: list[tuple[int, int]]
) -> None:
    edges = [(a % len(groups), b % len(groups)) for a, b in seeds if a % len(groups) != b % len(groups)]
    places = lay_out(groups, edges, width=400, height=300)
    assert len(places) == len(groups)
    assert all(24 <= x <= 376 and 24 <= y <= 276 for x, y in places)
    assert lay_out(groups, list(reversed(edges)), width=400, height=300) == places


def test_an_empty_graph_has_no_places() -> None:
    assert lay_out([], [], width=10, height=10) == []


def test_what_is_linked_stands_nearer_than_what_is_not() -> None:
    groups = ["npc"] * 20
    places = lay_out(groups, [(0, 19)], width=1000, height=1000)
    linked = math.dist(places[0], places[19])
    others = [math.dist(places[0], places[at]) for at in range(1, 19)]
    assert linked < sum(others) / len(others)


def test_groups_keep_apart() -> None:
    groups = ["a"] * 12 + ["b"] * 12
    places = lay_out(groups, [], width=1000, height=1000)
    within = max(math.dist(places[0], place) for place in places[:12])
    middles = [tuple(sum(axis) / 12 for axis in zip(*half, strict=True)) for half in (places[:12], places[12:])]
    assert math.dist(*middles) > within / 2
