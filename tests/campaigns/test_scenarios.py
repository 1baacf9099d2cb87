"""Scenarios: every name is looked up, every mistake has its place, and the one that ships can be won and lost."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.rulesets import load_ruleset, ruleset_names
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.errors import CampaignError, NotFound, PackError, ScenarioError
from support import harbour as h

PROJECT = Path(__file__).parents[2]


def scenario_with(tmp_path: Path, old: str, new: str) -> Path:
    root = h.write_workspace(tmp_path / "workspace")
    path = root / "scenarios" / "night_boat.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("at: quay}\nthreads", "at: moon}\nthreads", "cast.bea: nothing in the scenario or in harbour is called moon"),
        ("{reveal: osk/withholds#debt}]", "{reveal: osk/withholds#loan}]", "no pack has an item osk/withholds#loan"),
        ("{clock: dread}]\n", "{clock: dreadful}]\n", "there is no clock dreadful"),
        ("3: [{end: fled}]", "3: [{end: fledd}]", "there is no ending fledd"),
        ("start: tavern", "start: cellar", "start: cellar is not among the places"),
        ("key: hatch_key", "key: golden_key", "nothing in the scenario or in harbour is called golden_key"),
        ("content_packs: [harbour]", "content_packs: [ghost]", "no pack ghost is installed"),
        ("id: night_boat", "id: night_boat\ncolour: red", "colour"),
        ("Dread, max: 3", "Dread, max: lots", "clocks.dread.max"),
        ("{clock: dread}]\n", "{explode: dread}]\n", "rules.owning_up.fail.1"),
        ("start: tavern", "start: tavern\n  bad: [", "column 6: a value has a colon in it"),
        ("dice: 2d6", "dice: 2d0", "a die has 2 to 1000 sides"),
        ("act: ask", "act: frobnicate", "there is no act frobnicate"),
        ("act: ask", "act: [ask, frobnicate]", "there is no act frobnicate"),
        ("act: ask,", "act: ask, item: spoon,", "nothing in the scenario or in harbour is called spoon"),
        ("fail: [{clock: dread}]", "fail: [{owes: {by: nobody, to: you, what: it}}]", "is called nobody"),
        ("fail: [{clock: dread}]", "fail: [{promise: {by: osk, to: you}}]", "rules.owning_up.fail.1"),
        ("locked: true,", "locked: true, open: true,", "a door cannot be locked and open"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_no_campaign_is_made(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    app = open_app(scenario_with(tmp_path, old, new))
    with pytest.raises((ScenarioError, NotFound)) as caught:
        app.campaigns.new("night_boat")
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert app.campaigns.ids() == []


def test_all_unknown_names_are_told_at_once(tmp_path: Path) -> None:
    root = scenario_with(tmp_path, "{clock: dread}]\n", "{clock: a}, {give: b}, {arrive: c}]\n")
    with pytest.raises(ScenarioError) as caught:
        open_app(root).campaigns.new("night_boat")
    assert caught.value.message.count("night_boat.yaml: rules.owning_up:") == 3


def test_a_campaign_is_seeded_from_scenario_and_pack(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.reading("game") as store:
        state = store.head().state
        pins = store.campaign().pins
    osk = state.entities["harbour:osk"]
    assert (osk.name, osk.pronoun, osk.origin, osk.pack_entity_id) == ("Osk", "he", "pack", "harbour:osk")
    assert "the landlord" in osk.aliases
    assert state.positions == {
        "game:player": "harbour:tavern",
        "harbour:osk": "harbour:tavern",
        "harbour:bea": "harbour:quay",
    }
    assert state.held_by("game:player") == {"game:lantern": 1}
    assert state.held_by("harbour:tavern") == {"game:rope": 1}
    assert state.doors["game:hatch"].key_id == "game:hatch_key"
    assert [pin.pack_id for pin in pins] == ["harbour"]
    assert len(list((app.workspace.campaigns / "packs-kept").glob("*.zip"))) == 1


def test_a_running_campaign_keeps_the_pack_text_that_it_began_with(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    page = app.workspace.content_packs / "harbour" / "npcs" / "osk.md"
    page.write_text(page.read_text().replace("kestrel", "parakeet"))
    app.indexer.index_pack(page.parents[1])
    (told,) = h.say(app, "ask osk about lin")
    assert "kestrel" in told["final_text"]
    app.campaigns.new("night_boat", campaign_id="fresh")
    (told,) = h.say(app, "ask osk about lin", campaign="fresh")
    assert "parakeet" in told["final_text"]


def test_campaigns_get_free_ids_and_a_taken_one_is_refused(tmp_path: Path) -> None:
    app = open_app(h.write_workspace(tmp_path / "workspace"))
    assert [app.campaigns.new("night_boat").id for _ in range(3)] == ["night_boat", "night_boat_2", "night_boat_3"]
    with pytest.raises(CampaignError, match="already"):
        app.campaigns.new("night_boat", campaign_id="night_boat_2")


def test_content_pack_in_the_singular_is_understood(tmp_path: Path) -> None:
    root = scenario_with(tmp_path, "content_packs: [harbour]", "content_pack: harbour")
    assert open_app(root).campaigns.new("night_boat").pins[0].pack_id == "harbour"


def test_every_ruleset_that_ships_loads_and_an_unknown_one_is_named() -> None:
    assert "freeform" in ruleset_names()
    for name in ruleset_names():
        assert load_ruleset(name)[0].id == name
    with pytest.raises(NotFound, match="no ruleset chess"):
        load_ruleset("chess")


@pytest.mark.campaign
def test_the_scenario_that_ships_names_only_what_exists(tmp_path: Path) -> None:
    app = open_app(PROJECT)
    campaigns = app.rehearsal(tmp_path)
    row = campaigns.new("dead_drop", campaign_id="probe", seed=1)
    assert len(row.rules.endings) >= 3


def played(tmp_path: Path, seed: int, lines: list[str]) -> str | None:
    """The ending that lines of Dead Drop reach."""
    campaigns = open_app(PROJECT).rehearsal(tmp_path / str(seed))
    campaigns.new("dead_drop", campaign_id="dead_drop_demo", seed=seed)
    with campaigns.open("dead_drop_demo") as opened:
        for line in lines:
            result = json.loads(asyncio.run(opened.submit(line)))
            if opened.store.head().state.ended:
                ended = [e["details"]["ending"] for e in result["engine_events"] if e["type"] == "campaign_ended"]
                return str(ended[0])
    return None


@pytest.mark.campaign
def test_the_demo_of_the_scenario_that_ships_is_won(tmp_path: Path) -> None:
    scenario = load_scenario(PROJECT / "scenarios" / "dead_drop.yaml")
    assert len(scenario.demo) >= 8
    assert played(tmp_path, scenario.demo_seed, list(scenario.demo)) == "delivered"


@pytest.mark.campaign
def test_the_scenario_that_ships_can_be_lost_by_waiting(tmp_path: Path) -> None:
    assert played(tmp_path, 1, ["wait"] * 14) == "left_behind"


def test_a_scenario_with_nothing_but_what_it_needs_is_played(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    plain = "id: plain\nintro_seed: Here you are.\nstart: tavern\ncontent_packs: [harbour]\nplaces: {tavern: {}}\n"
    (root / "scenarios" / "plain.yaml").write_text(plain, encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("plain", campaign_id="game")
    looked, searched, waited = h.say(app, "look", "search the tavern", "wait")
    assert all(result["final_text"] for result in (looked, searched, waited))


def test_a_promise_of_the_scenario_stands_between_the_two_it_names(tmp_path: Path) -> None:
    said = "{promise: {by: osk, to: you, what: a free drink}}"
    app = open_app(
        scenario_with(
            tmp_path, "fail: [{clock: dread}]", f"fail: [{said}]\n  - on: {{act: wait}}\n    success: [{said}]"
        )
    )
    app.campaigns.new("night_boat", campaign_id="game")
    waited, asked, denied = h.say(app, "wait", "what did osk promise me?", "what did I promise osk?")
    assert waited["clarification_question"] is None
    assert "“a free drink.”" in asked["final_text"]
    assert "drink" not in denied["final_text"]


def test_a_clock_may_be_marked_as_what_goes_wrong(tmp_path: Path) -> None:
    app = open_app(scenario_with(tmp_path, "Dread, max: 3", "Dread, cost: true, max: 3"))
    app.campaigns.new("night_boat", campaign_id="game")
    with app.campaigns.reading("game") as store:
        assert store.head().state.clocks["dread"].tags == ("cost",)


def test_beginning_a_campaign_finds_validates_indexes_seeds_and_keeps_its_packs(tmp_path: Path) -> None:
    app = open_app(h.write_workspace(tmp_path / "workspace"))
    assert app.library.packs() == [], "nothing is installed, let alone indexed"
    row = app.campaigns.new("night_boat", campaign_id="game", seed=1)
    (pack,) = app.library.packs()
    assert app.library.has(pack.key)
    assert [(pin.pack_id, pin.content_hash) for pin in row.pins] == [("harbour", pack.content_hash)]
    shutil.rmtree(app.workspace.indexes / "generations")
    shutil.rmtree(app.workspace.content_packs / "harbour")
    (told,) = h.say(app, "ask osk about lin")
    assert "kestrel" in told["final_text"], "what is kept of the text is indexed again"
    with app.campaigns.reading("game") as store:
        osk = store.head().state.entities["harbour:osk"]
    assert (osk.origin, osk.pack_id, osk.pack_entity_id) == ("pack", "harbour", "harbour:osk")


def test_a_pack_whose_index_is_gone_or_out_of_date_is_indexed_when_a_campaign_begins(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    shutil.rmtree(app.workspace.indexes / "generations")
    app.campaigns.new("night_boat", campaign_id="second", seed=1)
    page = app.workspace.content_packs / "harbour" / "npcs" / "osk.md"
    page.write_text(page.read_text(encoding="utf-8").replace("kestrel", "parakeet"), encoding="utf-8")
    app.campaigns.new("night_boat", campaign_id="third", seed=1)
    told = [h.say(app, "ask osk about lin", campaign=one)[0]["final_text"] for one in ("second", "third")]
    assert ["kestrel" in told[0], "parakeet" in told[1]] == [True, True]


def test_a_pack_with_errors_begins_no_campaign(tmp_path: Path) -> None:
    app = open_app(h.write_workspace(tmp_path / "workspace"))
    bad = app.workspace.content_packs / "harbour" / "npcs" / "bad.md"
    bad.write_text("---\nname: a: b\n---\n# Bad\n", encoding="utf-8")
    with pytest.raises(PackError, match="was not installed"):
        app.campaigns.new("night_boat")
    assert app.campaigns.ids() == []
    assert app.library.packs() == []
