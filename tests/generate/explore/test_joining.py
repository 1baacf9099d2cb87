"""Places joined into a map: everything can be reached, nothing has too many ways."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.generate.explore.joining import MOST_WAYS, AuthoredPath, Path, Tied, join_places

TAGS = ("coast", "inland", "town", "old")


def reached(ways: Mapping[str, tuple[Path, ...]], start: str) -> set[str]:
    found, todo = {start}, [start]
    while todo:
        near = {path.to for path in ways[todo.pop()]} - found
        found |= near
        todo += near
    return found


@st.composite
def maps(draw: st.DrawFn) -> tuple[list[Tied], dict[tuple[str, str], int], list[AuthoredPath]]:
    size = draw(st.integers(1, 40))
    ids = [f"p{number}" for number in range(size)]
    places = [Tied(one, dict.fromkeys(draw(st.sets(st.sampled_from(TAGS))), 5), title=one) for one in ids]
    pair = st.tuples(st.sampled_from(ids), st.sampled_from(ids)).filter(lambda two: two[0] < two[1])
    links = draw(st.dictionaries(pair, st.integers(1, 4), max_size=60)) if size > 1 else {}
    authored = draw(
        st.lists(st.tuples(st.sampled_from(ids), st.sampled_from([*ids, "nowhere"]), st.booleans()), max_size=8)
    )
    return places, links, [AuthoredPath(a, Path(b, 3, f"to {b}"), one_way) for a, b, one_way in authored]


@pytest.mark.campaign
@given(maps())
def test_every_place_can_be_reached_from_every_other(given_: tuple) -> None:  # type: ignore[type-arg]
    places, links, authored = given_
    ways = join_places(places, authored, links)
    assert list(ways) == [place.id for place in places]
    for place in places:
        assert reached(ways, place.id) == set(ways)


@pytest.mark.campaign
@given(maps())
def test_no_place_has_more_ways_than_can_be_read_but_for_its_authors(given_: tuple) -> None:  # type: ignore[type-arg]
    places, links, _ = given_
    ways = join_places(places, (), links)
    assert max(map(len, ways.values())) <= MOST_WAYS
    assert all(
        len({path.to for path in paths}) == len(paths) and one not in {p.to for p in paths}
        for one, paths in ways.items()
    )


def test_authored_exits_keep_their_name_and_time_and_one_way_ones_their_direction() -> None:
    places = [Tied("a"), Tied("b"), Tied("c")]
    authored = [AuthoredPath("a", Path("b", 7, "stairs")), AuthoredPath("b", Path("c", 2, "chute"), one_way=True)]
    ways = join_places(places, authored, {("a", "c"): 1})
    assert ways["a"][0] == Path("b", 7, "stairs")
    assert ways["b"] == (Path("c", 2, "chute"), Path("a", 7))
    assert [path.to for path in ways["c"]] == ["a"]


def test_what_is_linked_is_near_and_what_shares_a_rare_tag_is_joined_before_what_shares_a_common_one() -> None:
    rare = [
        Tied("a", {"all": 5, "rare": 5}),
        Tied("b", {"all": 5}),
        Tied("c", {"all": 5, "rare": 5}),
        Tied("d", {"all": 5}),
    ]
    ways = join_places(rare, (), {("b", "d"): 1})
    assert "c" in [path.to for path in ways["a"]]
    assert "d" in [path.to for path in ways["b"]]
    assert "c" not in [path.to for path in ways["d"]]


def test_a_place_that_bears_the_name_of_a_tag_is_the_middle_of_what_has_the_tag() -> None:
    places = [*(Tied(f"p{n}", {"mars": 5}) for n in range(3)), Tied("m", title="mars")]
    assert {path.to for path in join_places(places, (), {})["m"]} == {"p0", "p1", "p2"}
