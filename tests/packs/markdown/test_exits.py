"""Exits in frontmatter: several ways to write them, one form to read; both ends are checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.files import Finding
from lorewright.packs.markdown.exits import PackExit, read_ways, ways_of
from lorewright.packs.models import Pack
from support.pack_builder import loaded

DOCKS = PackExit("docks", "pier", 20, "steel_door", "old_key")


@pytest.mark.parametrize(
    ("value", "ways"),
    [
        ({"docks": {"to": "pier", "minutes": 20, "door": "steel_door", "key": "old_key"}}, (DOCKS,)),
        (
            [{"name": "docks", "to": "pier", "minutes": 20, "door": "steel_door", "key": "old_key"}],
            (DOCKS,),
        ),
        ({"docks": "pier"}, (PackExit("docks", "pier"),)),
        ([{"to": "pier", "one_way": True}], (PackExit("pier", "pier", one_way=True),)),
        (["pier", "other:quay"], (PackExit("pier", "pier"), PackExit("quay", "other:quay"))),
        (["[[Pier 9]]"], (PackExit("Pier 9", "Pier 9"),)),
        ([], ()),
    ],
)
def test_every_way_to_write_exits_is_read_alike(value: object, ways: tuple[PackExit, ...]) -> None:
    assert read_ways(value) == (ways, ())


@pytest.mark.parametrize(
    "value",
    ["pier", 3, None, [3], [{}], [{"to": ["pier"]}], [{"to": "pier", "minutes": -1}], [{"to": "pier", "minutes": True}]]
    + [[{"to": "pier", "locked": True}], {"docks": None}, [{"to": "pier", "one_way": "no"}]],
)
def test_what_cannot_be_read_is_said(value: object) -> None:
    ways, wrong = read_ways(value)
    assert (ways, len(wrong)) == ((), 1)


def place(name: str, exits: str, type_: str = "location") -> str:
    return f"---\nid: {name}\ntype: {type_}\nexits: {exits}\n---\n# {name.title()}\n\nText.\n"


def read(tmp_path: Path, **places: str) -> tuple[Pack, list[Finding]]:
    pack = loaded(tmp_path, {f"{name}.md": place(name, exits) for name, exits in places.items()})
    return pack, [finding for finding in pack.findings if finding.line == 4]


def test_exits_lead_to_entities(tmp_path: Path) -> None:
    pack, found = read(tmp_path, bar="{out: Pier, up: other:roof}", pier="[bar]")
    ways = {entity.id: ways_of(entity) for entity in pack.entities}
    assert ways == {
        "town:bar": [PackExit("out", "town:pier"), PackExit("up", "other:roof")],
        "town:pier": [PackExit("bar", "town:bar")],
    }
    assert found == []


def test_an_exit_to_nowhere_is_left_out_and_said(tmp_path: Path) -> None:
    pack, (found,) = read(tmp_path, bar="[nowhere, pier]", pier="[bar]")
    assert (found.file, found.severity, found.code) == ("bar.md", "warning", "dangling-reference")
    assert [way.to for way in ways_of(pack.entities[0])] == ["town:pier"]


def test_a_way_without_a_way_back_is_said_unless_it_is_meant(tmp_path: Path) -> None:
    _, (found,) = read(tmp_path / "a", bar="[pier]", pier="[]")
    assert (found.file, found.severity, found.code) == ("bar.md", "warning", "one-way-exit")
    assert read(tmp_path / "b", bar="[{to: pier, one_way: true}]", pier="[]")[1] == []


def test_exits_of_what_is_no_place_are_its_own_business(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {"a.md": place("a", "7", "faction")})
    assert pack.entities[0].attrs == {"exits": 7}
    assert ways_of(pack.entities[0]) == []
