"""A scenario that has no packs is played from beginning to end, and every view of its campaign works."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns import exchange
from lorewright.campaigns.checks import check
from lorewright.campaigns.lore import ask_lore, introductions, map_of
from lorewright.campaigns.sessions import active_or_new_session, end, recap_of
from lorewright.errors import NotFound, ScenarioError
from lorewright.retrieval.query import LoreRetrievalQuery
from support import bare_workspace as b
from support import harbour as h


@pytest.mark.parametrize("packs", ["", "content_packs: []", "content_packs:", "content_pack:"])
def test_a_scenario_may_leave_its_packs_out_in_any_way(tmp_path: Path, packs: str) -> None:
    app = b.bare_house(tmp_path, packs=packs)
    with app.campaigns.reading("game") as store:
        assert store.campaign().pins == ()
        assert store.campaign().scenario["content_packs"] == []


def test_it_is_played_to_its_end_with_no_model(tmp_path: Path) -> None:
    app = b.bare_house(tmp_path)
    results = h.say(app, *b.TO_THE_END)
    assert all(one["citations"] == [] for one in results)
    assert all(result["success"] for one in results for result in one["validation"]["results"])
    assert results[-1]["final_text"].endswith("You have the chest.")
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert (state.ended, state.clocks["rain"].value) == ("found", 1)
    assert {one.origin for one in state.entities.values()} == {"campaign"}
    assert check(app.campaigns.path("game"), app.campaigns.kept).clean


def test_what_happened_can_be_searched_with_every_pair_of_eyes(tmp_path: Path) -> None:
    app = b.bare_house(tmp_path)
    h.say(app, *b.TO_THE_END)
    for viewer in ("gm", "player", "npc:game:tom"):
        for corpus in ("history", "all"):
            query = LoreRetrievalQuery(keywords="iron key", viewer=viewer, corpus=corpus)
            told = " ".join(one.text for one in app.lore.retrieve(query, campaign_id="game").result.chunks)
            assert "iron key" in told
            # Tom was in the kitchen all the time.
            assert "cellar" not in told or viewer != "npc:game:tom"
    authored = app.lore.retrieve(LoreRetrievalQuery(keywords="iron key", corpus="authored"), campaign_id="game")
    assert authored.result.chunks == ()
    with pytest.raises(NotFound, match="there is no entity tom"):
        app.lore.entity("tom", campaign_id="game", max_tokens=100)


def test_asides_and_sittings_work(tmp_path: Path) -> None:
    app = b.bare_house(tmp_path)
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
    h.say(app, *b.TO_THE_END[:3])
    with app.campaigns.open("game") as campaign:
        assert [one.name for one in introductions(campaign)] == ["Tom"]
        assert [place.name for place in map_of(campaign.store.head().state)] == ["Kitchen", "Hall"]
        assert ask_lore(campaign, "Aunt Vi")
        assert "Tom" in recap_of(campaign, session)
        end(campaign, session)


def test_it_goes_into_a_file_and_comes_out_of_it(tmp_path: Path) -> None:
    app = b.bare_house(tmp_path)
    h.say(app, *b.TO_THE_END[:4])
    exchange.export(app.campaigns, "game", tmp_path / "game.lorewright")
    exchange.export(app.campaigns, "game", tmp_path / "player.lorewright", audience="player")
    other = open_app(b.write_bare_house(tmp_path / "other"))
    row = exchange.import_campaign(other.campaigns, tmp_path / "game.lorewright")
    assert (row.current_turn, row.pins) == (4, ())
    h.say(other, *b.TO_THE_END[4:])
    assert check(other.campaigns.path("game"), other.campaigns.kept).clean


def test_the_list_and_the_compiler_say_that_nothing_is_wrong(tmp_path: Path) -> None:
    app = b.bare_house(tmp_path)
    listed, broken = app.scenarios.listed()
    assert (broken, [(one.id, one.packs, one.packs_here) for one in listed]) == ([], [("bare_house", (), True)])
    path = app.campaigns.scenario_path("bare_house")
    assert app.scenarios.findings(path) == []
    assert app.scenarios.demo_findings(path, app.rehearsal(tmp_path / "rehearsal")) == []


def test_a_name_that_means_nothing_is_told_without_naming_packs_that_there_are_not(tmp_path: Path) -> None:
    root = b.write_bare_house(tmp_path / "workspace")
    path = root / "scenarios" / "bare_house.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("tom: {at: kitchen,", "tom: {at: moon,"), encoding="utf-8")
    with pytest.raises(ScenarioError, match="nothing in the scenario, which has no packs, is called moon"):
        open_app(root).campaigns.new("bare_house")


def test_a_section_of_a_pack_cannot_be_named_where_there_is_none(tmp_path: Path) -> None:
    root = b.write_bare_house(tmp_path / "workspace")
    path = root / "scenarios" / "bare_house.yaml"
    text = path.read_text(encoding="utf-8").replace("success: [{give: iron_key}", "success: [{reveal: tom/knows#key}")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match="no pack has an item tom/knows#key"):
        open_app(root).campaigns.new("bare_house")
