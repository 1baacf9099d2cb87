"""Scenarios made from packs: sound, played to their goal, the same by seed and different between seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.errors import ScenarioError
from lorewright.generate.explore.writing import scenario_text
from lorewright.generate.scenario.generating import draft
from lorewright.generate.scenario.staging import Lot
from lorewright.world.schemas import filled, misfits
from support.corpora import corpus_pack
from support.generated_scenarios import MOST_ACTIONS, Workshop, proven, workshop
from support.pack_builder import write_pack
from support.scale import scaled
from support.small_vault import CANARIES, write_vault

OWN_PACKS = ("neo_seattle", "cyberpunk_core")
# CAMPAIGN_SCALE=100 for a hundred seeds of each pack, which take ten minutes and more.
SEEDS = range(1, 1 + scaled(1))
RULESETS = ("freeform", "freeform-d20", "everyday-tension", "inner-chorus", "seven-minutes")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A workshop with the smallest of the packs that ship."""
    return workshop(tmp_path_factory.mktemp("house"), "orme_house")


@pytest.mark.campaign
@pytest.mark.parametrize("pack", [*OWN_PACKS, "orme_house"])
def test_a_generated_scenario_is_sound_and_its_goal_is_reached_by_whoever_tries_everything(
    pack: str, tmp_path: Path
) -> None:
    shop = workshop(tmp_path, pack)
    made = {seed: shop.make(seed) for seed in SEEDS}
    proofs = {seed: proven(shop, one, tmp_path) for seed, one in made.items()}
    assert {seed: one for seed, one in proofs.items() if not one.holds} == {}
    assert all(one.lines <= MOST_ACTIONS for one in made.values())


@pytest.mark.campaign
@pytest.mark.corpora
def test_a_real_sourcebook_gives_scenarios_too(tmp_path: Path) -> None:
    shop = workshop(tmp_path, str(corpus_pack("eclipse-phase")))
    proofs = {seed: proven(shop, shop.make(seed), tmp_path) for seed in SEEDS}
    assert {seed: one for seed, one in proofs.items() if not one.holds} == {}


@pytest.mark.campaign
def test_a_pack_and_the_one_that_it_builds_upon_make_one_scenario(tmp_path: Path) -> None:
    shop = workshop(tmp_path, "neo_seattle", "cyberpunk_core")
    made = shop.make(4)
    assert made.scenario.content_packs == ("neo_seattle", "cyberpunk_core")
    assert proven(shop, made, tmp_path).holds


@pytest.mark.campaign
@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_stat_blocks_and_scene_fit_the_ruleset_and_differ_by_seed(ruleset_id: str, house: Workshop) -> None:
    ruleset, _ = load_ruleset(ruleset_id)
    made = [house.make(seed, ruleset_id).scenario for seed in (1, 2)]
    for scenario in made:
        assert set(scenario.stat_blocks) == {"player", *scenario.cast}
        for block in scenario.stat_blocks.values():
            assert misfits(filled(block, ruleset.character_stat_schema), ruleset.character_stat_schema) == []
        if ruleset.scene_state_schema:
            assert misfits(filled(scenario.scene_seed, ruleset.scene_state_schema), ruleset.scene_state_schema) == []
    assert made[0].stat_blocks["player"] != made[1].stat_blocks["player"]


@pytest.mark.campaign
def test_seeds_differ_in_where_it_begins_who_is_in_it_and_what_is_wanted(tmp_path: Path) -> None:
    shop = workshop(tmp_path, "neo_seattle")
    ruleset, _ = load_ruleset("freeform")
    made = [draft(shop.prepared.ground, ruleset, Lot(seed), f"s_{seed}") for seed in range(1, 41)]
    assert len({one.start for one in made}) >= 10
    assert len({frozenset(one.cast) for one in made}) >= 30
    assert len({one.goals["player"] for one in made}) >= 35
    assert len({tuple(rule.id for rule in one.rules) for one in made}) >= 6
    assert len({one.intro_seed for one in made}) == 40


@pytest.mark.campaign
def test_the_same_seed_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    shop = workshop(tmp_path, "cyberpunk_core")
    here = scenario_text(shop.make(5).scenario)
    out = tmp_path / "again.yaml"
    command = [sys.executable, "-m", "lorewright", "scenario", "generate", "--pack", "cyberpunk_core"]
    subprocess.run(
        [*command, "--seed", "5", "--out", str(out)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "77", "LOREWRIGHT_WORKSPACE": str(tmp_path / "workspace")},
    )
    assert out.read_text(encoding="utf-8") == here


@pytest.mark.campaign
def test_a_brief_chooses_the_place_and_the_people_that_it_names_and_is_kept(tmp_path: Path) -> None:
    shop = workshop(tmp_path, "neo_seattle")
    for seed in SEEDS:
        made = shop.make(seed, brief="Hesper at the flood chapel, and a dragonfly")
        assert made.scenario.start == "flood_chapel"
        assert "hesper" in made.scenario.cast
        assert made.unheard == ("dragonfly",)
        assert made.scenario.system["generated"]["brief"] == "Hesper at the flood chapel, and a dragonfly"


def test_what_presses_ends_it_for_whoever_only_waits(house: Workshop) -> None:
    scenario = house.make(1).scenario
    clock = scenario.clocks["pressing"]
    assert clock.max > sum(line.startswith("go ") for line in scenario.demo)
    assert [effect.end for effect in clock.at[clock.max]] == ["too_late"]
    assert scenario.endings["too_late"].say


@pytest.mark.campaign
def test_people_remember_from_the_start_what_the_errand_is_about(house: Workshop, tmp_path: Path) -> None:
    made = house.make(2)
    campaigns = house.app.rehearsal(tmp_path)
    campaigns.begin(made.scenario, house.prepared.installed, house.app.by_words, source="x", campaign_id="game", seed=1)
    with campaigns.reading("game") as store:
        state = store.head().state
    remembered = {who: [one.content for one in memory.values()] for who, memory in state.observations.items()}
    assert state.player_id in remembered
    assert len(remembered) >= 3
    assert all(one.importance == 4 for memory in state.observations.values() for one in memory.values())


@pytest.mark.campaign
def test_nothing_that_is_hidden_is_told_or_held(tmp_path: Path) -> None:
    shop = workshop(tmp_path, str(write_vault(tmp_path)))
    for seed in range(1, 1 + scaled(2)):
        text = scenario_text(shop.make(seed).scenario)
        assert [canary for canary in CANARIES if canary in text] == []
        assert "Silver Whistle" not in text


def test_a_pack_that_has_too_little_is_told_what_to_write(tmp_path: Path) -> None:
    folder = write_pack(
        tmp_path,
        {
            "locations/hut.md": "# Hut\n\nA hut with one door and nobody in it.\n",
            "npcs/ada.md": "# Ada\n\nAda mends nets.\n\n## Knows\n\n- {#light} It went out on a Tuesday.\n",
        },
        pack_id="small",
        manifest=None,
    )
    shop = workshop(tmp_path, str(folder))
    with pytest.raises(ScenarioError) as problem:
        shop.make(1)
    assert "1 of at least 3 places" in str(problem.value)
    assert "1 of at least 2 people" in str(problem.value)
    assert "name another --pack" in (problem.value.hint or "")


def test_a_ruleset_without_ways_and_talk_is_refused(house: Workshop) -> None:
    with pytest.raises(ScenarioError, match="tic-tac-toe has no `go`"):
        house.make(1, "tic-tac-toe")


VILLAGE = {
    "places/quay.md": "---\ntype: location\nexits: [chapel, loft]\n---\n# The Quay\n\nWet stone.\n",
    "places/chapel.md": "---\ntype: location\nexits: [quay]\n---\n# The Chapel\n\nCold pews. [[Lamp Oil]] is kept here.\n",
    "places/loft.md": "---\ntype: location\nexits: [quay]\n---\n# The Loft\n\nNets.\n",
    "people/maren.md": "---\ntype: npc\n---\n# Maren Coil\n\nShe keeps the light.\n\n## Knows\n\n- {#storm} It comes at ten.\n",
    "people/tobin.md": "---\ntype: npc\n---\n# Tobin\n\nHe mends nets.\n\n## Knows\n\n- {#boat} The boat is dry.\n",
    "items/lamp-oil.md": "---\ntype: item\naliases: [the paraffin]\n---\n# Lamp Oil\n\nA cask of it.\n",
    "factions/gulls.md": "---\ntype: faction\n---\n# The Gulls\n\nThey scream.\n",
}


@pytest.mark.campaign
@pytest.mark.parametrize("brief", ["the missing oil", "who has taken the paraffin?"])
def test_a_brief_names_the_thing_by_its_name_or_an_alias_and_the_ending_tells_of_it(brief: str, tmp_path: Path) -> None:
    shop = workshop(tmp_path, str(write_pack(tmp_path, VILLAGE)))
    made = shop.make(1, brief=brief)
    assert [thing.entity for thing in made.scenario.things.values() if thing.entity] == ["town:lamp-oil"]
    assert {"maren", "tobin"} <= set(made.scenario.cast)
    ending = made.scenario.endings["done"].say
    assert "Lamp Oil" in ending
    assert any(name in ending for name in ("Maren Coil gave it up", "Tobin gave it up"))
    assert proven(shop, made, tmp_path).holds
