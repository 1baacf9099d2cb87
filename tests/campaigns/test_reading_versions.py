"""The rules of reading have a version: what was read by the first is read the same for ever."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import import_campaign
from lorewright.campaigns.upgrade_changes import names_then, other_ids
from lorewright.campaigns.viewers import transcript_of
from lorewright.ids import with_other_ids
from lorewright.index.building import build_generation
from lorewright.index.generation import Generation
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.packs.content_hash import READING, content_hash_of, reading_of
from lorewright.packs.loader import load_pack
from lorewright.replay.metrics import ALL_TURNS
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.world.ops import Observe
from support.pack_builder import write_pack

NOTES = {
    "People/Anna Loaf.md": "# Biography\n\nShe bakes.\n\n## Secrets\n\n- {#oven} The oven is cold.\n",
    "Places/The Mill.md": "# The Mill\n\nIt grinds.\n\n### Treasure\n\n- search the sacks: A coin.\n\n> [!secret]\n> Ghost.\n",
    "Templates/Person.md": "# <% tp.file.title %>\n\nText.\n",
}


def test_the_hash_of_a_text_says_by_which_rules_it_is_read(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, NOTES)
    first, now = (content_hash_of(folder, reading=version) for version in (1, READING))
    assert first != now
    assert (reading_of(folder, first), reading_of(folder, now), reading_of(folder, "0" * 64)) == (1, READING, None)
    assert load_pack(folder).content_hash == now
    assert load_pack(folder, reading=1).content_hash == first


def test_the_first_rules_cut_name_and_type_as_they_did(tmp_path: Path) -> None:
    pack = load_pack(write_pack(tmp_path, NOTES), reading=1)
    assert [(entity.id, entity.name) for entity in pack.entities] == [
        ("town:people-anna-loaf", "Biography"),
        ("town:places-the-mill", "The Mill"),
        ("town:templates-person", "something"),
    ]
    mill = [chunk for chunk in pack.chunks if chunk.entity_id == "town:places-the-mill"]
    assert [(chunk.role, "Ghost." in chunk.shown) for chunk in mill] == [("lore", True)]


def test_the_second_rules_take_a_deep_heading_for_a_section(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, {"Things/Chest.md": "### Secret Chest\n\nIt is of oak.\n"})
    then, now = (load_pack(folder, reading=version) for version in (2, READING))
    assert [(chunk.role, chunk.text) for chunk in then.chunks] == [("withholds", "It is of oak.")]
    assert [chunk.role for chunk in now.chunks] == ["lore"]


def generations(tmp_path: Path) -> tuple[Generation, Generation]:
    folder, home = write_pack(tmp_path, NOTES), tmp_path / "generations"
    home.mkdir()
    then, now = (home / build_generation(load_pack(folder, reading=version), home).folder for version in (1, READING))
    return Generation(then), Generation(now)


def test_ids_that_move_are_followed_by_file_name_and_text(tmp_path: Path) -> None:
    then, now = generations(tmp_path)
    assert (then.reading, now.reading) == (1, READING)
    ids = other_ids(then, now)
    assert ids == {"town:people-anna-loaf": "town:anna-loaf", "town:places-the-mill": "town:the-mill"}
    assert with_other_ids("town:people-anna-loaf:secrets#oven", ids) == "town:anna-loaf:secrets#oven"
    assert other_ids(now, now) == {}
    then.close()
    now.close()


def test_a_scenario_of_the_first_rules_names_what_is_meant(tmp_path: Path) -> None:
    then, now = generations(tmp_path)
    scenario = {"start": "places-the-mill", "cast": {"people-anna-loaf": {"at": "places-the-mill"}}, "intro": "places"}
    assert with_other_ids(scenario, names_then(now)) == {
        "start": "the-mill",
        "cast": {"anna-loaf": {"at": "the-mill"}},
        "intro": "places",
    }
    then.close()
    now.close()


# A campaign that the program of the first rules played and exported: a pack of three notes, all IDs made of paths.
PLAYED = Path(__file__).parents[1] / "fixtures" / "campaigns" / "reading_001.lorewright"
EDDA_THEN, EDDA = "cove:01-people-edda-loaf", "cove:edda-loaf"
BAKEHOUSE, SLIP = "cove:the-bakehouse", "cove:the-slip"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("reading") / "workspace"
    make_empty_workspace(root)
    import_campaign(open_app(root).campaigns, PLAYED)
    return root


@pytest.fixture
def voyage(imported: Path, tmp_path: Path) -> App:
    """The workspace of the imported campaign; nothing is installed in it."""
    shutil.copytree(imported, tmp_path / "workspace")
    return open_app(tmp_path / "workspace")


def with_the_pack_installed(app: App) -> App:
    (text,) = (app.workspace.root / "campaigns" / "packs-kept").glob("*.zip")
    with zipfile.ZipFile(text) as archive:
        archive.extractall(app.workspace.root / "vault")
    app.packs.install(app.workspace.root / "vault")
    return app


def is_replayed_as_played(app: App) -> bool:
    return asyncio.run(app.replays.rerun_turns("voyage", ALL_TURNS, None)).is_identical


@pytest.mark.campaign
def test_a_campaign_of_the_first_rules_replays_without_its_indexes(voyage: App) -> None:
    shutil.rmtree(voyage.workspace.root / "indexes", ignore_errors=True)
    assert is_replayed_as_played(voyage)
    with voyage.campaigns.open("voyage") as campaign:
        assert [generation.reading for generation in campaign.setting.generations] == [1]


@pytest.mark.campaign
def test_an_installed_pack_changes_nothing_of_it_until_it_is_upgraded(voyage: App) -> None:
    app = with_the_pack_installed(voyage)
    with app.campaigns.open("voyage") as campaign:
        assert EDDA_THEN in campaign.store.head().state.entities
        asyncio.run(campaign.submit("go to the bakehouse"))
        assert campaign.store.head().state.scene.location_id == "cove:02-places-harbour-the-bakehouse"
    assert is_replayed_as_played(app)


@pytest.mark.campaign
def test_an_upgrade_shows_the_ids_that_move_and_maps_what_is_known(voyage: App) -> None:
    app = with_the_pack_installed(voyage)
    renamed = {remark.about: remark.what for remark in app.upgrades.plan("voyage").remarks if remark.kind == "renamed"}
    assert renamed[EDDA_THEN] == f"{EDDA_THEN} is {EDDA} now"
    assert len(renamed) == 3
    assert not any(remark.kind.startswith("section") for remark in app.upgrades.plan("voyage").remarks)
    assert app.upgrades.upgrade("voyage").turn_no == 11
    with app.campaigns.reading("voyage") as store:
        state = store.head().state
    assert set(state.reveals["voyage:player"]) == {
        f"{EDDA}:knows#oven",
        f"{EDDA}:withholds#debt",
        f"{BAKEHOUSE}:discoverable#coin",
    }
    (promise,) = state.facts.values()
    assert promise.object == {"to": EDDA, "what": "bring flour"}
    assert (state.positions[EDDA], state.scene.location_id) == (BAKEHOUSE, SLIP)
    assert state.threads["heron"].related_entity_ids == (EDDA,)
    assert {key for key in state.recall if "01-people" in key or "02-places" in key} == set()
    assert f"lore:{EDDA}:disposition@1" in state.recall
    assert check(app.campaigns.path("voyage"), app.campaigns.kept).clean
    assert is_replayed_as_played(app)


@pytest.mark.campaign
def test_memories_move_too_and_the_people_remember_after_an_upgrade(voyage: App) -> None:
    app = with_the_pack_installed(voyage)
    with app.campaigns.open("voyage") as campaign:
        asyncio.run(campaign.submit("go to the bakehouse"))
        seen = Observe(who=EDDA_THEN, content="The stranger said they would come back.", importance=4)
        campaign.edit([seen], action_id="seen")
    app.upgrades.upgrade("voyage")
    with app.campaigns.open("voyage") as campaign:
        state = campaign.store.head().state
        assert "come back" in "\n".join(memory.content for memory in state.observations[EDDA].values())
        assert EDDA_THEN not in state.to_json()
        told = json.loads(asyncio.run(campaign.submit("ask Edda about her debt")))["final_text"]
    assert "nine barrels of flour" in told
    assert is_replayed_as_played(app)


def found(app: App, viewer: str, words: str = "", **fields: Any) -> list[str]:
    query = LoreRetrievalQuery(keywords=words, viewer=viewer, corpus="history", limit=50, max_tokens=5000, **fields)
    return [chunk.text for chunk in app.lore.retrieve(query, campaign_id="voyage").result.chunks]


@pytest.mark.campaign
@pytest.mark.parametrize("goes_on", [False, True])
def test_what_was_told_before_an_upgrade_is_found_by_the_ids_of_now(voyage: App, goes_on: bool) -> None:
    """Who saw a turn finds it after the upgrade, too, and it is found by the people and places that it is about."""
    app = with_the_pack_installed(voyage)
    before = {viewer: found(app, viewer, "Edda flour debt") for viewer in ("gm", "player", f"npc:{EDDA_THEN}")}
    of_edda = found(app, "gm", entity_ids=(EDDA_THEN,))
    assert all(before.values()) and of_edda
    app.upgrades.upgrade("voyage")
    if goes_on:
        with app.campaigns.open("voyage") as campaign:
            for line in ("go to the bakehouse", "wait"):
                asyncio.run(campaign.submit(line))
    told = found(app, "gm", "Edda flour debt")
    assert set(before["gm"]) <= set(told)
    assert not any("Edda Loaf left" in text or "Edda Loaf came" in text for text in told)
    assert set(before["player"]) <= set(found(app, "player", "Edda flour debt"))
    assert set(before[f"npc:{EDDA_THEN}"]) <= set(found(app, f"npc:{EDDA}", "Edda flour debt"))
    assert set(of_edda) <= set(found(app, "gm", entity_ids=(EDDA,)))
    assert "You come to the Slip" in " ".join(found(app, "gm", location_id=SLIP))


def test_the_last_messages_are_seen_by_whom_they_were_told_after_an_upgrade(voyage: App) -> None:
    app = with_the_pack_installed(voyage)
    app.upgrades.upgrade("voyage")
    with app.campaigns.open("voyage") as campaign:
        seen = [message for _, message in campaign.store.head().recent if message.type == "narration"]
        assert EDDA in seen[0].audience and not any(EDDA_THEN in message.audience for message in seen)
        transcript = transcript_of(campaign, f"npc:{EDDA}", last=20)
        assert any("nine barrels" in message.content for message in transcript.messages)
        # Whom the player has met stays met.
        assert EDDA in campaign.store.story(campaign.store.head()).met
