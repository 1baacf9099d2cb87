"""The map of a scenario has its places, ways and people, and is a picture that a browser reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from lorewright.authoring.scenario_map import DrawnPlace, DrawnWay, ScenarioMap, draw_map
from lorewright.bootstrap import open_app
from lorewright.cli.root import app
from lorewright.errors import ScenarioError
from support import harbour as h

SVG = "{http://www.w3.org/2000/svg}"


def place(name: str, *, start: bool = False, people: tuple[str, ...] = ()) -> DrawnPlace:
    return DrawnPlace(name, name, people, (), start)


MAP = ScenarioMap(
    "Two & more",
    (place("Inn", start=True, people=("Osk <the smith>",)), place("Quay"), place("Cellar"), place("Moon")),
    (
        DrawnWay("street", "Inn", "Quay", 5, ""),
        DrawnWay("inn", "Quay", "Inn", 5, ""),
        DrawnWay("hatch", "Inn", "Cellar", 1, "locked"),
    ),
)


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    found = [box for box in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "box" in box.get("class", "")]
    return [tuple(float(box.get(name, 0)) for name in ("x", "y", "width", "height")) for box in found]  # type: ignore[misc]


def test_no_box_of_a_map_lies_on_another_or_off_the_page() -> None:
    svg = draw_map(MAP)
    _, _, width, height = map(float, re.findall(r"viewBox='([^']+)'", svg)[0].split())
    found = boxes(svg)
    assert len(found) == 4
    assert all(x >= 0 and x + w <= width and y >= 0 and y + tall <= height for x, y, w, tall in found)
    for at, (x, y, w, tall) in enumerate(found):
        assert all(abs(x - other[0]) >= w or abs(y - other[1]) >= tall for other in found[at + 1 :])


def test_a_way_there_and_back_is_one_line_and_a_barred_or_one_sided_one_says_so() -> None:
    drawn = ElementTree.fromstring(draw_map(MAP))
    lines = {line[0].text: line.get("class") for line in drawn.iter(f"{SVG}line")}
    assert lines == {
        "Inn to Quay: street, 5 min; Quay to Inn: inn, 5 min": "way",
        "Inn to Cellar: hatch, 1 min, locked": "way barred",
    }
    assert "locked / one way" in [text.text for text in drawn.iter(f"{SVG}text")]


def test_places_to_which_no_way_leads_are_named() -> None:
    assert [found.name for found in MAP.unreached()] == ["Moon"]


def test_the_same_map_is_the_same_picture() -> None:
    assert draw_map(MAP) == draw_map(MAP)


def test_the_command_prints_and_draws_the_places_of_a_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(h.write_workspace(tmp_path / "workspace"))
    shown = CliRunner().invoke(app, ["scenario", "map", "night_boat", "--svg", "map.svg"])
    assert shown.exit_code == 0
    assert "(start)" in shown.stdout
    assert len(boxes(Path("map.svg").read_text(encoding="utf-8"))) > 1
    data = json.loads(CliRunner().invoke(app, ["scenario", "map", "night_boat", "--json"]).stdout)
    assert {way["from_id"] for way in data["ways"]} <= {found["id"] for found in data["places"]}
    assert next(found for found in data["places"] if found["is_start"])["people"]


def test_a_map_of_a_scenario_with_unknown_names_is_refused_with_them(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    path = root / "scenarios" / "night_boat.yaml"
    path.write_text(h.SCENARIO.replace("at: quay}", "at: moon}"), encoding="utf-8")
    with pytest.raises(ScenarioError, match="moon"):
        open_app(root).scenarios.opening_state(path)
