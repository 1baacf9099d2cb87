"""A scenario may name entities and items in any way that is unique; what it holds then are IDs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.names import with_ids
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario
from lorewright.index.generation import Generation
from lorewright.packs.files import Finding
from support import harbour as h
from support.pack_builder import opened_packs

PROJECT = Path(__file__).parents[2]

# Notes whose IDs are not the names of their files.
COAST = {
    "locations/tavern.md": "---\nid: locations-tavern\n---\n# The Low House\n\nA low room.\n\n## Clues\n\n- {#note} search the bar: a note.\n",
    "locations/quay.md": "---\nid: locations-quay\n---\n# The Quay\n\nWet stone.\n",
    "npcs/ilse.md": "---\nid: keeper\naliases: [the Widow]\n---\n# Ilse Coil\n\nA widow.\n\n## Secrets\n\n- {#oil} She sold it.\n",
    "npcs/Anna Loaf (baker).md": "---\nid: npcs-anna-loaf-baker\n---\n# Anna Loaf (baker)\n\nShe bakes.\n",
    "npcs/Jon Reed (smith).md": "---\nid: npcs-jon-reed-smith\n---\n# Jon Reed (smith)\n\nHe hammers.\n",
    "npcs/Jon Reed (ferryman).md": "---\nid: npcs-jon-reed-ferryman\n---\n# Jon Reed (ferryman)\n\nHe rows.\n",
    "items/lamp_oil.md": "---\nid: items-lamp-oil\naliases: [the oil]\n---\n# Lamp Oil\n\nA can of oil.\n",
}
PLAIN: dict[str, Any] = {
    "id": "coastal",
    "intro_seed": "Here.",
    "content_packs": ["coast"],
    "start": "tavern",
    "player": {"name": "Ada", "traits": {"charm": 1}},
    "places": {"The Low House": {}, "the quay": {}},
    "map": [{"from": "tavern", "to": "the quay"}],
    "things": {"lamp_oil": {"at": "tavern"}, "rope": {"name": "Coil of Rope", "held_by": "Ilse"}},
    "cast": {"Ilse Coil": {"at": "quay"}, "anna loaf": {"at": "the low house"}},
    "goals": {"ilse": "To sell."},
    "threads": {"storm": {"title": "The storm", "related": ["the widow"]}},
    "clocks": {"storm": {"max": 6, "at": {2: [{"arrive": "Ilse Coil"}]}}},
    "rules": [
        {
            "id": "owning",
            "on": {"act": "ask", "target": "Ilse Coil", "topic": "oil"},
            "check": {"dice": "2d6", "add": "charm"},
            "success": [{"reveal": "ilse/withholds#oil"}, {"give": "the oil"}, {"put": "coil of rope", "at": "the quay"}],
            "mixed": [{"clock": "storm"}],
        }
    ],
    "finds": {"the low house/discoverable#note": [{"clock": "storm"}]},
    "endings": {"lit": {"say": "Lit.", "when": {"revealed": "the widow/secret#oil"}}},
    "demo": ["look"],
}  # fmt: skip


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    with opened_packs(tmp_path_factory.mktemp("coast"), {"coast": COAST}) as generations:
        yield generations


def workspace(folder: Path) -> App:
    root = h.write_workspace(folder / "workspace")
    h.write_pack(root / "content_packs" / "coast", {**COAST, "pack.yaml": "id: coast\nname: Coast\n"})
    return open_app(root)


def findings(folder: Path, change: dict[str, Any]) -> list[Finding]:
    app = workspace(folder)
    path = app.workspace.root / "scenarios" / "coastal.yaml"
    path.write_text(yaml.safe_dump({**PLAIN, **change}, sort_keys=False), encoding="utf-8")
    return app.scenarios.findings(path)


def told(folder: Path, change: dict[str, Any]) -> str:
    return "\n".join(f"{finding.line}: {finding.message} ({finding.hint})" for finding in findings(folder, change))


def test_every_name_becomes_an_id(coast: tuple[Generation, ...]) -> None:
    found = with_ids(Scenario.model_validate(PLAIN), coast)
    assert found.start == "locations-tavern"
    assert list(found.places) == ["locations-tavern", "locations-quay"]
    assert (found.map[0].to, found.map[0].name, found.map[0].back) == ("locations-quay", "the quay", "tavern")
    assert {key: member.at for key, member in found.cast.items()} == {
        "keeper": "locations-quay",
        "npcs-anna-loaf-baker": "locations-tavern",
    }
    assert (found.things["rope"].held_by, found.things["rope"].entity) == ("keeper", None)
    assert list(found.goals) == ["keeper"]
    assert found.threads["storm"].related == ("keeper",)
    assert found.clocks["storm"].at[2][0].model_dump(exclude_none=True) == {"arrive": "keeper"}
    rule = found.rules[0]
    assert (rule.on.target, rule.on.topic) == ("keeper", "oil")
    assert [effect.model_dump(exclude_defaults=True) for effect in rule.success] == [
        {"reveal": "keeper/secrets#oil"},
        {"give": "lamp_oil"},
        {"put": "rope", "at": "locations-quay"},
    ]
    assert list(found.finds) == ["locations-tavern/clues#note"]
    assert found.endings["lit"].when is not None
    assert found.endings["lit"].when.model_dump() == {"revealed": "keeper/secrets#oil"}


def test_a_thing_without_a_name_is_the_packs(coast: tuple[Generation, ...]) -> None:
    oil = with_ids(Scenario.model_validate(PLAIN), coast).things["lamp_oil"]
    assert (oil.name, oil.entity) == ("Lamp Oil", "items-lamp-oil")


def test_a_scenario_with_ids_stays_as_it_is(coast: tuple[Generation, ...]) -> None:
    found = with_ids(Scenario.model_validate(PLAIN), coast)
    assert with_ids(found, coast) is found


def test_what_the_scenario_makes_itself_goes_before_what_packs_have(coast: tuple[Generation, ...]) -> None:
    own = {"places": {"mill": {"name": "The Quay"}, "tavern": {"name": "My Tavern"}}, "cast": {}, "goals": {}}
    made = {**PLAIN, **own, "map": [{"from": "tavern", "to": "the quay"}], "rules": [], "threads": {}, "clocks": {}}
    found = with_ids(Scenario.model_validate({**made, "things": {}, "finds": {}, "endings": {}}), coast)
    assert (found.start, list(found.places), found.map[0].to) == ("tavern", ["mill", "tavern"], "mill")


@pytest.mark.campaign
@pytest.mark.parametrize("path", sorted((PROJECT / "scenarios").glob("*.yaml")), ids=lambda path: path.stem)
def test_scenarios_that_ship_have_ids(path: Path) -> None:
    scenario = load_scenario(path)
    app = open_app(PROJECT)
    packs = [app.explorer.pack_of_id(pack_id)[0] for pack_id in scenario.content_packs]
    with ExitStack() as stack:
        generations = [stack.enter_context(closing(app.library.open(pack.key))) for pack in packs]
        assert with_ids(scenario, generations) is scenario


def test_a_scenario_by_names_is_valid_and_is_stored_with_ids(tmp_path: Path) -> None:
    assert findings(tmp_path, {}) == []
    app = open_app(tmp_path / "workspace")
    row = app.campaigns.new("coastal", campaign_id="game", seed=1)
    assert row.scenario["start"] == "locations-tavern"
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert state.positions["coast:keeper"] == "coast:locations-quay"
    assert "coast:items-lamp-oil" in state.held_by("coast:locations-tavern")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"start": "tavrn"}, "is called tavrn; did you mean locations-tavern (The Low House)?"),
        ({"start": "mordor"}, "nothing in the scenario or in coast is called mordor ("),
        (
            {"cast": {"Jon Reed": {"at": "tavern"}}, "goals": {}},
            "Jon Reed is not unique: it may be npcs-jon-reed-ferryman (Jon Reed (ferryman)) or npcs-jon-reed-smith",
        ),
        ({"places": {"tavern": {}, "The Low House": {}, "quay": {}}}, "is called The Low House; did you mean"),
        ({"things": {"lampe": {"at": "tavern"}}}, "things.lampe: name: is missing, and no pack has lampe"),
        ({"finds": {"tavern/clues#nota": []}}, "no pack has an item tavern/clues#nota; did you mean tavern/clues#note?"),
        ({"finds": {"tavern/secrets#x": []}}, "did you mean tavern/clues#note?"),
        ({"endings": {"lit": {"say": "x", "when": {"clock": "strom", "min": 1}}}}, "there is no clock strom (there are storm); did you mean storm?"),
        ({"rules": [{"on": {"act": "aks"}, "success": []}]}, "; did you mean ask? (use one of them, or another ruleset"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_told_with_the_nearest_and_several_with_all(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    assert says in told(tmp_path, change)


def test_a_fault_below_a_renamed_key_stands_on_the_line_of_the_wrong_word(tmp_path: Path) -> None:
    (wrong,) = [one for one in findings(tmp_path, {"cast": {"Ilse Coil": {"at": "moon"}}}) if one.severity == "error"]
    lines = (tmp_path / "workspace" / "scenarios" / "coastal.yaml").read_text(encoding="utf-8").splitlines()
    assert [line.strip() for line in lines[wrong.line - 2 : wrong.line]] == ["Ilse Coil:", "at: moon"]
