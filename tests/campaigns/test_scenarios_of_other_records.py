"""Scenarios as the specification writes them: without places, with keys of other names, with entities of the packs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.other_keys import with_known_keys
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.packs.files import Finding
from lorewright.world.state import WorldState
from support.pack_builder import write_pack

# The scenario of the specification, to the letter.
DEAD_DROP = """\
# scenarios/dead_drop.yaml
id: dead_drop
name: "Dead Drop"
content_pack: neo_seattle          # references installed pack
content_packs:                     # v2: multiple packs
  - neo_seattle
  - cyberpunk_core

# Entities in the scenario seed from the pack
entities:
  - id: neo_seattle:viktor         # namespaced to pack
    type: npc
    name: Viktor
    # ... attrs, tags
"""
# The scenario record of the specification, to the letter.
SEVEN_MINUTES = """\
{
  "id": "seven-minutes-01",
  "title": "Seven Minutes",
  "summary": "A cramped storage closet, a ticking timer.",
  "ruleset_id": "seven-minutes",
  "world_lore_id": "motel-verse",
  "character_ids": ["lena", "user-persona"],
  "scene_seed": {"minutes_left": 7, "location": "storage closet", "pressure": "timer"},
  "stakes": "If this goes wrong, trust collapses.",
  "goals": {"lena": "survive the closeness", "user": "break the awkwardness"},
  "tone": "tense, awkward, intimate",
  "intro_seed": "The door clicks shut behind you. It's darker than you expected.",
  "schema_version": 1
}
"""
NEON = {
    "locations/neon_dragon.md": "---\nid: neon_dragon\ntype: location\ntags: [bar]\nrelated_entities: [viktor]\nexits: {street: {to: night_market}}\n---\n# The Neon Dragon\n\nA dive bar.\n\n## Atmosphere\n\nHaze.\n",
    "locations/night_market.md": "---\nid: night_market\ntype: location\nexits: {bar: {to: neon_dragon}}\n---\n# The Night Market\n\nStalls under tarpaulin.\n",
    "npcs/viktor.md": "---\nid: viktor\ntype: npc\ntags: [fixer]\nhair: grey\nrelated_locations: [neon_dragon]\n---\n# Viktor Sol\n\nHe owns the bar.\n",
    "npcs/mira.md": "---\nid: mira\ntype: npc\nrelated_locations: [night_market]\n---\n# Mira\n\nShe sells wire.\n",
}  # fmt: skip
CORE = {"technology/wire.md": "---\nid: wire\ntype: technology\n---\n# Wire\n\nEverybody has some.\n"}
MOTEL = {
    "locations/storage_closet.md": "---\nid: storage_closet\ntype: location\n---\n# The Storage Closet\n\nDark.\n",
    "locations/lounge.md": "---\nid: lounge\ntype: location\n---\n# The Lounge\n\nLight.\n",
    "npcs/lena.md": "---\nid: lena\ntype: npc\n---\n# Lena\n\nQuiet, sharp.\n",
}
PACKS: dict[str, dict[str, str | bytes]] = {
    "neo_seattle": {**NEON},
    "cyberpunk_core": {**CORE},
    "motel-verse": {**MOTEL},
    "blank": {"notes/a.md": "---\nid: a\ntype: culture\nvisibility: gm\n---\n# A\n\nHidden.\n"},
}


def workspace(folder: Path, **scenarios: str) -> App:
    root = folder / "workspace"
    make_empty_workspace(root)
    for pack_id, files in PACKS.items():
        write_pack(root / "content_packs", files, pack_id=pack_id)
    for name, text in scenarios.items():
        (root / "scenarios" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return open_app(root)


def begun(app: App, name: str) -> tuple[Scenario, WorldState]:
    row = app.campaigns.new(name, seed=1)
    with app.campaigns.reading(row.id) as store:
        return Scenario.model_validate(store.campaign().scenario), store.head().state


def findings(app: App, name: str) -> list[Finding]:
    return app.scenarios.findings(app.campaigns.scenario_path(name))


def errors(app: App, name: str) -> list[str]:
    return [one.message for one in findings(app, name) if one.severity == "error"]


def test_the_scenario_of_the_specification_plays_in_the_places_of_its_packs(tmp_path: Path) -> None:
    app = workspace(tmp_path, dead_drop=DEAD_DROP)
    assert errors(app, "dead_drop") == []
    scenario, state = begun(app, "dead_drop")
    assert scenario.content_packs == ("neo_seattle", "cyberpunk_core")
    assert set(state.exits) == {"neo_seattle:neon_dragon", "neo_seattle:night_market"}
    assert [way.to for way in state.exits["neo_seattle:neon_dragon"]] == ["neo_seattle:night_market"]
    assert state.positions["neo_seattle:viktor"] == "neo_seattle:neon_dragon"
    assert state.positions["neo_seattle:mira"] == "neo_seattle:night_market"
    assert state.entities["neo_seattle:viktor"].pack_entity_id == "neo_seattle:viktor"
    assert state.entities["neo_seattle:viktor"].name == "Viktor"
    assert "Viktor Sol" in state.entities["neo_seattle:viktor"].aliases
    assert scenario.intro_seed == "A dive bar."


def test_a_walk_in_a_pack_has_the_same_places_as_a_scenario_without_any(tmp_path: Path) -> None:
    app = workspace(tmp_path, bare="id: bare\ncontent_packs: [neo_seattle]\n")
    scenario, _ = begun(app, "bare")
    walk = app.explorer.walk(*app.explorer.pack_of_id("neo_seattle"), seed=1).scenario
    assert (scenario.places, scenario.start, scenario.cast) == (walk.places, walk.start, walk.cast)


def test_what_a_scenario_writes_holds_against_what_is_made(tmp_path: Path) -> None:
    text = "id: own\ncontent_pack: neo_seattle\nstart: the night market\nintro_seed: Here.\ncast: {mira: {trust: 2}}\n"
    scenario, state = begun(workspace(tmp_path, own=text), "own")
    assert state.scene.location_id == "neo_seattle:night_market"
    assert state.positions["neo_seattle:mira"] == "neo_seattle:night_market"
    assert "neo_seattle:viktor" not in state.positions
    assert scenario.intro_seed == "Here."


def test_places_without_a_start_begin_at_the_first(tmp_path: Path) -> None:
    text = "id: own\ncontent_packs: [neo_seattle]\nsummary: Rain.\nplaces: {night_market: {}, neon_dragon: {}}\n"
    scenario, state = begun(workspace(tmp_path, own=text), "own")
    assert state.scene.location_id == "neo_seattle:night_market"
    assert scenario.intro_seed == "Rain. Stalls under tarpaulin."
    assert state.positions["neo_seattle:mira"] == "neo_seattle:night_market"
    assert state.positions["neo_seattle:viktor"] == "neo_seattle:neon_dragon"
    alone, state = begun(workspace(tmp_path / "alone", own=text + "cast: {}\n"), "own")
    assert (dict(alone.cast), set(state.positions)) == ({}, {"own:player"})


@pytest.mark.parametrize("given", ["id: own\n", "id: own\ncontent_packs: []\n"])
def test_without_a_pack_the_places_must_be_written(given: str, tmp_path: Path) -> None:
    (message,) = errors(workspace(tmp_path, own=given), "own")
    assert "places, start, intro_seed: missing, and there is no pack to make it of" in message


def test_packs_without_a_readable_note_are_no_ground(tmp_path: Path) -> None:
    app = workspace(tmp_path, own="id: own\ncontent_packs: [blank]\n")
    (message,) = errors(app, "own")
    assert message == "places: missing, and a player may read nothing in blank"


def test_the_scenario_record_of_the_specification_is_understood(tmp_path: Path) -> None:
    stats = '"stat_blocks": {"lena": {"shyness": 7, "chemistry": 3}, "user-persona": {"shyness": 2, "chemistry": 4}},'
    app = workspace(tmp_path, record=SEVEN_MINUTES, whole=SEVEN_MINUTES.replace('"stakes"', f'{stats}\n  "stakes"'))
    # The stats of its characters stand in records of their own: they are all that is missing.
    assert {message.partition(":")[0] for message in errors(app, "record")} == {
        "stat_blocks.player",
        "stat_blocks.lena",
    }
    assert errors(app, "whole") == []
    scenario, state = begun(app, "whole")
    assert (scenario.name, scenario.ruleset, scenario.content_packs) == (
        "Seven Minutes",
        "seven-minutes",
        ("motel-verse",),
    )
    assert state.scene.location_id == "motel-verse:storage_closet"
    assert state.positions["motel-verse:lena"] == "motel-verse:storage_closet"
    assert scenario.goals == {"lena": "survive the closeness", "player": "break the awkwardness"}
    assert state.ruleset is not None and state.ruleset.stats["seven-minutes-01:player"]["shyness"] == 2


def test_a_location_that_no_pack_has_is_a_place_of_its_own(tmp_path: Path) -> None:
    text = "id: own\ncontent_pack: motel-verse\nscene_seed: {location: the roof}\n"
    _, state = begun(workspace(tmp_path, own=text), "own")
    assert [state.name_of(place) for place in state.exits] == ["the roof"]
    assert state.scene.location_id in state.exits


def test_a_known_key_holds_against_its_other_name(tmp_path: Path) -> None:
    text = "id: own\ntitle: Other\nname: Own\ncontent_pack: neo_seattle\n"
    scenario, _ = begun(workspace(tmp_path, own=text), "own")
    assert scenario.name == "Own"


SHARED = """\
id: own
content_packs: [neo_seattle]
start: neon_dragon
intro_seed: Here.
places: {neon_dragon: {tags: [wet]}}
cast: {viktor: {at: neon_dragon}}
entities:
  - {id: viktor, type: npc, name: Old Viktor, attrs: {mood: nervous}, tags: [friend]}
  - {id: neo_seattle:neon_dragon, type: location, name: The Dragon, attrs: {smoke: thick}, tags: [t1]}
"""


def test_entities_that_are_cast_or_places_too_keep_what_is_said_of_them(tmp_path: Path) -> None:
    app = workspace(tmp_path, own=SHARED)
    _, state = begun(app, "own")
    viktor, dragon = state.entities["neo_seattle:viktor"], state.entities["neo_seattle:neon_dragon"]
    assert (viktor.name, viktor.type, viktor.tags) == ("Old Viktor", "npc", ("fixer", "friend"))
    assert (viktor.attrs["hair"], viktor.attrs["mood"]) == ("grey", "nervous")
    assert (dragon.name, dragon.type, dragon.tags) == ("The Dragon", "location", ("bar", "wet", "t1"))
    assert dragon.attrs["smoke"] == "thick"
    assert [one.code for one in findings(app, "own") if one.code == "entity-conflict"] == []


def test_two_names_or_kinds_for_one_entity_are_warned_of(tmp_path: Path) -> None:
    text = SHARED.replace("viktor: {at", "viktor: {name: Vik, at").replace(
        "id: viktor, type: npc", "id: viktor, type: item"
    )
    app = workspace(tmp_path, own=text)
    warned = [one.message for one in findings(app, "own") if one.code == "entity-conflict"]
    assert warned == [
        "viktor is called Old Viktor here and Vik in cast, which holds",
        "viktor is of the type item here and stands in cast: it is a npc",
    ]
    _, state = begun(app, "own")
    viktor = state.entities["neo_seattle:viktor"]
    assert (viktor.name, viktor.type) == ("Vik", "npc")
    assert "Old Viktor" in viktor.aliases


@pytest.mark.parametrize("location", ["storage closet", "Storage_Closet", "The Lounge", "the office"])
def test_a_scene_that_names_a_written_place_starts_there(location: str) -> None:
    places = {"storage_closet": {}, "lounge": {}, "desk": {"name": "Office"}}
    assert with_known_keys({"places": places, "scene_seed": {"location": location}})["start"] == location


def test_a_scene_told_in_prose_is_no_start_where_the_places_are_written() -> None:
    record = {"places": {"storage_closet": {}, "lounge": {}}, "scene_seed": {"location": "the lounge of the Heron"}}
    assert "start" not in with_known_keys(record)
