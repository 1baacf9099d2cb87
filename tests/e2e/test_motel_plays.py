"""The three scenarios of the motel: each demo comes to its end with no model, nothing in it is anybody's but a grown
person's, and whatever its people keep back can be opened somewhere."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario
from lorewright.ids import local
from lorewright.lore_bootstrap import make_workspace
from lorewright.packs.models import Pack
from lorewright.packs.pack_loader import PackLoader
from lorewright.rules.effects import Effect, RevealEffect
from lorewright.world.state import WorldState
from support import harbour as h
from support import parlour as p

PROJECT = Path(__file__).parents[2]
PACK = "motel_verse"
# Each with the ending that its demo comes to.
DEMOS = {"lost_property": "unopened", "night_desk": "told", "seven_minutes": "dared"}


@cache
def scenario(name: str) -> Scenario:
    return load_scenario(PROJECT / "scenarios" / f"{name}.yaml")


@pytest.fixture(scope="module")
def pack() -> Pack:
    return PackLoader(PROJECT / "content_packs").check_pack(PROJECT / "content_packs" / PACK)


def begun(root: Path, name: str, *, seed: int) -> App:
    make_workspace(root)
    app = open_app(root)
    app.campaigns.new(name, campaign_id="game", seed=seed)
    return app


def head(app: App) -> WorldState:
    with app.campaigns.reading("game") as store:
        return store.head().state


def reasons(turns: list[dict[str, Any]]) -> list[str]:
    return [one["reason"] for turn in turns for one in turn["validation"]["results"] if one["reason"]]


@pytest.mark.campaign
@pytest.mark.parametrize("name", DEMOS)
def test_the_demo_comes_to_its_ending_and_no_line_of_it_is_refused(name: str, tmp_path: Path) -> None:
    written = scenario(name)
    app = begun(tmp_path / "workspace", name, seed=written.demo_seed)
    said = h.say(app, *written.demo)
    assert [one["clarification_question"] for one in said] == [None] * len(written.demo)
    assert reasons(p.played(app)) == []
    assert head(app).ended == DEMOS[name]


@pytest.mark.parametrize("name", DEMOS)
def test_a_scenario_of_the_motel_has_an_ending_for_each_way_it_can_go(name: str) -> None:
    assert len(scenario(name).endings) >= 4


def test_every_secret_of_the_motel_is_opened_by_a_rule_of_one_of_its_scenarios(pack: Pack) -> None:
    kept = {
        item.id.removeprefix(f"{PACK}:").replace(":", "/")
        for chunk in pack.chunks
        if chunk.role == "withholds"
        for item in chunk.items
    }
    opened = {
        effect.reveal for name in DEMOS for effect in effects_of(scenario(name)) if isinstance(effect, RevealEffect)
    }
    assert kept - opened == set()
    assert kept


def effects_of(written: Scenario) -> list[Effect]:
    """All that rules and clocks of a scenario bring about."""
    by_rules = [
        effect for rule in written.rules for band in ("success", "mixed", "fail") for effect in getattr(rule, band)
    ]
    return [*by_rules, *(effect for clock in written.clocks.values() for at in clock.at.values() for effect in at)]


def test_whoever_acts_of_themselves_knows_enough_to_talk_about(pack: Pack) -> None:
    knows = Counter[str]()
    for chunk in pack.chunks:
        if chunk.role == "knows":
            knows[local(chunk.entity_id)] += len(chunk.items)
    cast = {who for name in DEMOS for who in scenario(name).cast}
    assert {who: count for who, count in knows.items() if who in cast and count < 5} == {}
    assert cast <= set(knows)


@pytest.mark.campaign
def test_everybody_behind_the_closet_door_is_grown_and_nobody_younger_can_be_put_there(tmp_path: Path) -> None:
    written = scenario("seven_minutes")
    assert {who for who, block in written.stat_blocks.items() if block["age"] >= 18} == {"player", *written.cast}
    app = begun(tmp_path / "workspace", "seven_minutes", seed=1)
    sheets = head(app).ruleset
    assert sheets is not None
    assert sheets.stat_schema["properties"]["age"]["minimum"] == 18


@pytest.mark.campaign
@pytest.mark.parametrize("line", ["tell Lena stop", "tell Lena enough"])
def test_whoever_says_stop_has_stopped_it(line: str, tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "seven_minutes", seed=1)
    (result,) = h.say(app, line)
    assert head(app).ended == "stopped"
    assert result["rolls"] == []


@pytest.mark.campaign
def test_nobody_is_kept_in_the_closet(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "seven_minutes", seed=1)
    h.say(app, "go out", *["wait"] * 6)
    assert head(app).ended == "stopped"


@pytest.mark.campaign
def test_a_quiet_night_at_the_desk_ends_at_six_and_costs_nobody_anything(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "night_desk", seed=1)
    h.say(app, *["wait"] * 16)
    assert head(app).ended == "six"


@pytest.mark.campaign
def test_the_passkey_in_the_wrong_hand_ends_the_night(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "night_desk", seed=1)
    h.say(app, "take the passkey", "go lot", "give the passkey to Bram")
    assert head(app).ended == "opened"


@pytest.mark.campaign
def test_whoever_leaves_the_door_of_room_12_open_leaves_it_open_for_the_constable(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "night_desk", seed=1)
    h.say(app, "take the passkey", "go lot", "go walkway", "unlock the door of room 12", "open the door of room 12")
    h.say(app, "wait", "wait", "wait")
    assert head(app).ended is None
    h.say(app, *["wait"] * 4)
    assert head(app).ended == "walked_in"


@pytest.mark.campaign
def test_a_locked_door_keeps_the_constable_out_and_he_is_told_of(tmp_path: Path) -> None:
    app = begun(tmp_path / "workspace", "night_desk", seed=1)
    h.say(app, "go lot", "go walkway", *["wait"] * 6)
    told = " ".join(turn["final_text"] for turn in h.say(app, "look", "look"))
    assert head(app).ended is None
    assert "Bram" in told
    assert head(app).positions["motel_verse:bram"] != "motel_verse:room_12"


def test_in_the_lounge_a_failure_is_a_turn_of_the_story() -> None:
    """Where a voice fails something else happens than where it carries the moment, and never nothing."""
    rolled = [rule for rule in scenario("lost_property").rules if rule.check is not None]
    assert len({stat for rule in rolled if rule.check for stat in rule.check.stats}) >= 8
    assert [rule.id for rule in rolled if not rule.fail or not rule.say.get("fail")] == []
    assert [rule.id for rule in rolled if rule.fail == rule.success] == []
