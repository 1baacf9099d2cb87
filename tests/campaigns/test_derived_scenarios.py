"""What a scenario does not write comes from its packs: people, things, ways, first words, rules of withheld items."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.beginning import Beginning, read_beginning
from lorewright.campaigns.scenarios.scenario import Scenario, ScenarioClock
from lorewright.errors import ScenarioError, SettingsError
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.packs.files import Finding
from lorewright.values.records import TurnResult
from lorewright.world.state import WorldState
from support.pack_builder import write_pack

# A pack without frontmatter: folders say what a note is.
COAST: dict[str, str | bytes] = {
    "places/quay.md": "# The Quay\n\nNets dry on the rails.\n\n## Exits\n\n- door: [[The Anchor]]\n- causeway: [[The Light]] (10 minutes, one way)\n",
    "places/anchor.md": "# The Anchor\n\nOne lamp burns.\n\n## Discoverable\n\n- {#cask} look behind the bar: A cask of [[lamp oil]] stands there.\n",
    "places/light.md": "# The Light\n\nIt is dark.\n",
    "places/far.md": "# The Far Isle\n\nNobody goes there.\n",
    "items/oil.md": "# Lamp Oil\n\nA cask.\n",
    "items/rope.md": "# Rope\n\nIt hangs in [[The Anchor]].\n",
    "people/maren.md": "# Maren\n\nMaren keeps [[The Anchor]].\n\n## Knows\n\n- {#storm} A storm is coming.\n\n## Withholds\n\n- {#oil} (2d6 charm) I hid the last cask.\n- {#father} I miss him. (trust 2)\n- {#tower} (ask) I sleep in the tower.\n",
    "people/hermit.md": "# The Hermit\n\nThe hermit lives on [[The Far Isle]].\n",
}  # fmt: skip


@pytest.fixture
def app(tmp_path: Path) -> App:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    for path, text in COAST.items():
        file = root / "content_packs" / "coast" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(text), encoding="utf-8")
    (root / "scenarios" / "first_of_all.yaml").write_text(
        "id: first_of_all\ncontent_packs: [coast]\n", encoding="utf-8"
    )
    app = open_app(root)
    app.scenarios.opening_state(root / "scenarios" / "first_of_all.yaml")
    return app


def opened(app: App, text: str) -> tuple[Scenario, WorldState]:
    path = app.workspace.scenarios / "own.yaml"
    path.write_text(f"id: own\ncontent_packs: [coast]\n{text}", encoding="utf-8")
    return app.scenarios.opening_state(path)


def findings(app: App, text: str) -> list[Finding]:
    opened_at = app.workspace.scenarios / "own.yaml"
    opened_at.write_text(f"id: own\ncontent_packs: [coast]\n{text}", encoding="utf-8")
    return app.scenarios.findings(opened_at)


def test_two_lines_are_a_scenario(app: App) -> None:
    made, state = opened(app, "")
    assert {place.partition(":")[2] for place in state.exits} == {"quay", "anchor", "light", "far"}
    assert state.positions["coast:maren"] == "coast:anchor"
    assert state.positions["coast:hermit"] == "coast:far"
    assert made.intro_seed


def test_listed_exits_lead_back_unless_they_are_one_way(app: App) -> None:
    _, state = opened(app, "places: {quay: {}, anchor: {}, light: {}}\n")
    ways = {place: {way.name: (way.to, way.minutes) for way in exits} for place, exits in state.exits.items()}
    assert ways["coast:quay"] == {"door": ("coast:anchor", 1), "causeway": ("coast:light", 10)}
    assert ways["coast:anchor"] == {"The Quay": ("coast:quay", 1)}
    assert ways["coast:light"] == {}


def test_people_and_things_come_to_the_places_that_are_written(app: App) -> None:
    made, state = opened(app, "places: {quay: {}, anchor: {}}\n")
    assert set(made.cast) == {"maren"}
    assert made.things["rope"].at == "anchor"
    assert made.things["oil"].at is None
    assert [effect.model_dump() for effect in made.finds["anchor/discoverable#cask"]] == [
        {"put": "oil", "at": "anchor"}
    ]
    assert made.intro_seed == "Nets dry on the rails."
    assert "coast:hermit" not in state.positions


def test_what_is_written_holds(app: App) -> None:
    made, state = opened(app, "places: {quay: {}, anchor: {}}\ncast: {}\nthings: {}\nintro_seed: Fog.\n")
    assert (dict(made.cast), dict(made.things), made.intro_seed) == ({}, {}, "Fog.")
    made, _ = opened(app, "places: {quay: {}, anchor: {}}\ncast: {maren: {trust: 2}}\n")
    assert (made.cast["maren"].at, made.cast["maren"].trust) == ("anchor", 2)
    made, state = opened(app, "map: [{from: light, to: quay}]\n")
    assert set(made.places) == {"light", "quay"}
    assert [way.to for way in state.exits["coast:quay"]] == ["coast:light"]


def test_places_that_link_one_another_are_joined_where_no_way_is_written(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    notes = {"places/mill.md": "# The Mill\n\nIt stands by [[The Ford]].\n", "places/ford.md": "# The Ford\n\nWet.\n"}
    write_pack(root / "content_packs", notes, pack_id="vale")
    app = open_app(root)
    path = root / "scenarios" / "own.yaml"
    path.write_text("id: own\ncontent_packs: [vale]\nplaces: {mill: {}, ford: {}}\n", encoding="utf-8")
    state = app.scenarios.opening_state(path)[1]
    assert [(way.name, way.to) for way in state.exits["vale:ford"]] == [("The Mill", "vale:mill")]
    path.write_text(
        "id: own\ncontent_packs: [vale]\nplaces: {mill: {exits: {ford: {to: ford}}}, ford: {}}\n", encoding="utf-8"
    )
    assert app.scenarios.opening_state(path)[1].exits["vale:ford"] == ()


def test_a_note_of_a_withheld_item_is_a_rule_unless_the_scenario_reveals_it(app: App) -> None:
    opened(app, "")
    rules = {rule["id"]: rule for rule in app.scenarios.shown(app.workspace.scenarios / "own.yaml").derived["rules"]}
    assert rules["opens_maren_oil"]["check"] == {"dice": "2d6", "add": "charm"}
    assert {"relation": ["coast:maren", "you"], "trust": -1} in rules["opens_maren_oil"]["mixed"]
    assert rules["opens_maren_father"]["when"]["all"][0]["min"] == 2
    assert "check" not in rules["opens_maren_tower"]
    opened(app, "rules: [{on: {act: wait}, success: [{reveal: maren/secrets#oil}]}]\n")
    rules = {rule["id"]: rule for rule in app.scenarios.shown(app.workspace.scenarios / "own.yaml").derived["rules"]}
    assert "opens_maren_oil" not in rules


def test_a_noted_secret_is_told_without_its_note(app: App) -> None:
    opened(app, "start: The Anchor\n")
    row = app.campaigns.new("own", campaign_id="game", seed=1)
    with app.campaigns.open(row.id) as campaign:
        result = TurnResult.model_validate_json(asyncio.run(campaign.submit("ask Maren about the tower")))
        assert "I sleep in the tower." in result.final_text
        assert "(ask)" not in result.final_text


def test_a_clock_rises_by_itself_as_time_passes(app: App) -> None:
    opened(app, "places: {quay: {}, anchor: {}}\nclocks: {storm: {max: 3, every: 10 minutes}}\n")
    row = app.campaigns.new("own", campaign_id="game", seed=1)
    with app.campaigns.open(row.id) as campaign:
        values = []
        for line in ("look", "wait 5 minutes", "wait 5 minutes", "wait 1 hour"):
            asyncio.run(campaign.submit(line))
            values.append(campaign.store.head().state.clocks["storm"].value)
    assert values == [0, 0, 1, 3]
    assert [item.code for item in findings(app, "clocks: {storm: {max: 3, every: 10 minutes}}\n")] == ["no-demo"]


@pytest.mark.parametrize(
    ("written", "minutes"), [("10 minutes", 10), ("an hour", 60), ("half an hour", 30), ("2 h", 120), (7, 7)]
)
def test_a_span_of_time_is_written_as_one_says_it(written: object, minutes: int) -> None:
    assert ScenarioClock.model_validate({"max": 2, "every": written}).every == minutes


def test_a_game_begins_in_any_place_after_any_effects(app: App) -> None:
    opened(app, "clocks: {storm: {max: 6, every: 10 minutes}}\n")
    beginning = read_beginning(
        "the light", ["{give: lamp oil}", "[{clock: storm, by: 2}, {reveal: maren/secrets#oil}]"]
    )
    row = app.campaigns.new("own", campaign_id="late", seed=1, beginning=beginning)
    with app.campaigns.open(row.id) as campaign:
        state = campaign.store.head().state
    assert state.scene.location_id == "coast:light"
    assert state.held_by(state.player_id) == {"coast:oil": 1}
    assert state.clocks["storm"].value == 2
    with pytest.raises(ScenarioError, match="no place lihgt; did you mean light") as caught:
        app.campaigns.new("own", campaign_id="never", beginning=Beginning(at="lihgt"))
    assert "quay" in str(caught.value.hint)
    with pytest.raises(SettingsError, match="did you mean give"):
        read_beginning(None, ["{gve: oil}"])
    assert app.campaigns.ids() == ["late"]


def test_a_new_scenario_has_comments_and_can_be_played_as_it_is(app: App) -> None:
    text = app.scenarios.new_text("first", "coast")
    path = app.workspace.scenarios / "first.yaml"
    path.write_text(text, encoding="utf-8")
    assert app.scenarios.findings(path) == []
    assert text.count("\n# ") >= 6
    assert json.dumps(app.scenarios.shown(path).derived)


def test_a_campaign_from_before_keeps_its_scenario_when_the_file_writes_less(app: App) -> None:
    opened(app, "places: {quay: {}, anchor: {}}\n")
    row = app.campaigns.new("own", campaign_id="game", seed=1)
    assert set(row.scenario["cast"]) == {"maren"}
    assert [remark.kind for remark in app.upgrades.plan("game").remarks] == []


def test_what_is_added_stands_beside_what_the_packs_have(app: App) -> None:
    made, state = opened(
        app,
        "add_to_packs: true\nstart: The Anchor\nplaces: {cellar: {name: the cellar}, The Light: {tags: [tall]}}\n"
        "map:\n  - {from: The Anchor, to: cellar, name: hatch}\n  - {from: The Quay, to: The Anchor, name: gate}\n"
        "  - {from: The Quay, to: Jetty}\n"
        "cast: {Maren: {trust: 2}}\nthings: {knife: {name: a knife, at: cellar}}\n",
    )
    assert set(made.places) == {"quay", "anchor", "light", "far", "cellar", "Jetty"}
    assert {who: (member.at, member.trust) for who, member in made.cast.items()} == {
        "maren": ("anchor", 2),
        "hermit": ("far", 0),
    }
    assert {"oil", "rope", "knife"} <= {key.removeprefix("the thing ") for key in made.things}
    ways = {place: {way.name: way.to for way in exits} for place, exits in state.exits.items()}
    # A written way goes before the packs' to the same place; those of the packs stay.
    assert {name: to for name, to in ways["coast:quay"].items() if name != "The Far Isle"} == {
        "causeway": "coast:light",
        "gate": "coast:anchor",
        "Jetty": "own:Jetty",
    }
    assert set(ways["coast:anchor"].values()) == {"coast:quay", "own:cellar"}
    assert state.scene.location_id == "coast:anchor"


def test_an_added_entry_for_a_thing_of_the_packs_is_that_thing(app: App) -> None:
    made, state = opened(
        app, "add_to_packs: true\nthings: {oil: {name: oil of the lamp, entity: oil}, Rope: {at: quay}}\n"
    )
    assert sorted(thing.name for thing in made.things.values()) == ["Rope", "oil of the lamp"]
    assert [place for place, held in state.inventory.items() if any("rope" in thing for thing in held)] == [
        "coast:quay"
    ]


def test_a_thing_that_can_be_found_later_alone_lies_nowhere_until_then(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    notes = {
        "places/mill.md": "# The Mill\n\nDusty.\n\n## Discoverable\n\n- {#seal} look under the stone (when clock flood >= 2): A [[Seal]] lies there.\n",
        "items/seal.md": "# Seal\n\nIt is made of brass.\n",
    }
    write_pack(root / "content_packs", notes, pack_id="vale")
    path = root / "scenarios" / "own.yaml"
    path.write_text("id: own\ncontent_packs: [vale]\nclocks: {flood: {max: 4}}\n", encoding="utf-8")
    made, state = open_app(root).scenarios.opening_state(path)
    assert {thing.at for thing in made.things.values()} == {None}
    assert made.finds
    assert not any(state.inventory.values())


def test_a_thing_that_is_offstage_lies_nowhere(app: App) -> None:
    made, state = opened(app, "places: {quay: {}}\nthings: {rope: {at: offstage}}\n")
    assert made.things["rope"].at == "offstage"
    assert not any(state.inventory.values())


def test_a_campaign_with_additions_keeps_them_when_its_file_is_unchanged(app: App) -> None:
    opened(app, "add_to_packs: true\nplaces: {cellar: {name: the cellar}}\nmap: [{from: anchor, to: cellar}]\n")
    app.campaigns.new("own", campaign_id="game", seed=1)
    assert [remark.kind for remark in app.upgrades.plan("game").remarks] == []


def test_a_start_that_nothing_is_called_is_remarked_on(app: App) -> None:
    said = [finding for finding in findings(app, "start: Nowhere\n") if finding.code == "mistaken-place"]
    assert [(finding.line, "Nowhere" in finding.message) for finding in said] == [(3, True)]
    assert [
        f for f in findings(app, "start: Pier\nmap: [{from: Pier, to: quay}]\n") if f.code == "mistaken-place"
    ] == []


def test_a_thing_that_the_packs_write_small_has_a_small_name(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    notes = {
        "places/mill.md": "# The Mill\n\nA red lantern hangs over the door. Everybody knows Silver Whistle by its note.\n",
        "items/lantern.md": "# Red Lantern\n\nIt hangs in [[The Mill]].\n",
        "items/whistle.md": "# Silver Whistle\n\nIt hangs in [[The Mill]].\n",
    }
    write_pack(root / "content_packs", notes, pack_id="vale")
    app, path = open_app(root), root / "scenarios" / "own.yaml"
    for text in ("", "places: {mill: {}}\nthings: {lantern: {at: mill}, whistle: {at: mill}}\n"):
        path.write_text(f"id: own\ncontent_packs: [vale]\n{text}", encoding="utf-8")
        made, _ = app.scenarios.opening_state(path)
        assert {thing.name for thing in made.things.values()} == {"red lantern", "Silver Whistle"}


def test_a_place_that_is_a_thing_in_its_pack_is_remarked_on(app: App) -> None:
    said = findings(app, "start: quay\nplaces: {quay: {}, rope: {exits: {back: {to: quay}}}}\n")
    found = [(finding.line, finding.message) for finding in said if finding.code == "mistaken-place"]
    assert found == [(4, "Rope is a place here, and its note says `type: item`")]


@pytest.mark.parametrize("places", ["", "places: {mill: {}}\n"])
def test_what_is_written_of_one_find_leaves_the_others(tmp_path: Path, places: str) -> None:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    notes = {
        "places/mill.md": "# The Mill\n\nDusty.\n\n## Discoverable\n\n- {#seal} look under the stone: A [[Seal]].\n- {#key} look up: A [[Key]].\n",
        "items/seal.md": "# Seal\n\nIt is made of brass.\n",
        "items/key.md": "# Key\n\nIt is made of iron.\n",
    }
    write_pack(root / "content_packs", notes, pack_id="vale")
    path = root / "scenarios" / "own.yaml"
    own = "finds: {mill/discoverable#key: [{end: over}]}\nendings: {over: {say: Over.}}\n"
    path.write_text(f"id: own\ncontent_packs: [vale]\n{places}{own}", encoding="utf-8")
    made, _ = open_app(root).scenarios.opening_state(path)
    kinds = {item: [type(effect).__name__ for effect in effects] for item, effects in made.finds.items()}
    assert kinds == {"mill/discoverable#seal": ["PutEffect"], "mill/discoverable#key": ["EndEffect"]}
