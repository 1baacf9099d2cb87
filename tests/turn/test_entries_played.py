"""Entry rules over the turns of a campaign: what was found stays and stays away along its own branch, dice fall again as
they fell, and a campaign whose packs have no rules knows nothing of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, prompt_library
from lorewright.campaigns.branches import branch, rollback, switch
from lorewright.campaigns.history import Histories
from lorewright.campaigns.lore import ask_lore
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import retrieve_for_session
from lorewright.replay.metrics import ALL_TURNS
from lorewright.replay.replay import Replays
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.turn.stages.narrate.context import narrator_context
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.turn.stages.plan.context import planner_context
from lorewright.turn.store.turn_store import redo, undo
from lorewright.turn.views.draft import no_entries
from lorewright.values.entries import EntryDice
from lorewright.values.records import NarratorInput, PlannerInput
from support import harbour as h


def note(entry_id: str, text: str, lore: str) -> dict[str, str]:
    return {
        f"events/{entry_id}.md": f"---\nid: {entry_id}\ntype: event\nlore: {{{lore}}}\n---\n\n# {entry_id.title()}\n\n{text}\n"
    }


RULED = {
    **h.FILES,
    **note("curfew", "After the eighth bell nobody may be out on the stones.", "always: true"),
    **note("ballast", "Ballast is thrown out at the mole, and the customs men count it.", "sticky: 2, cooldown: 2"),
    **note("comet", "A comet hangs above the breakwater, and sailors spit when they name it.", "probability: 0.5"),
}


def app_with(folder: Path, files: dict[str, str]) -> App:
    return h.harbour(folder, files={**h.FILES, **files})


@pytest.fixture
def app(tmp_path: Path) -> App:
    return app_with(tmp_path, RULED)


def play(campaign: OpenCampaign, *lines: str) -> list[set[str]]:
    """Play lines; whose entries the planner was told of in each, of those with rules."""
    found = []
    for line in lines:
        asyncio.run(campaign.submit(line))
        found.append(told(campaign))
    return found


def told(campaign: OpenCampaign) -> set[str]:
    records = campaign.store.stage_records(campaign.store.position().turn_id)
    packet = next(one for one in records if one["stage"] == "planner")["input"]["packet"]
    chunks = [one["chunk_id"] for one in packet["lore_context"]["asked"]]
    return {one.split(":")[1] for one in chunks if one.split(":")[1] in ("ballast", "comet", "curfew")}


def packet_of(campaign: OpenCampaign) -> dict[str, Any]:
    records = campaign.store.stage_records(campaign.store.position().turn_id)
    found: dict[str, Any] = next(one for one in records if one["stage"] == "planner")["input"]["packet"]
    return found


def left(campaign: OpenCampaign) -> dict[str, Any] | None:
    found: dict[str, Any] | None = campaign.store.stage_output(campaign.store.position().turn_id, "entries")
    return found


BALLAST = "harbour:ballast:overview"
ASKS, IDLE = "ask Osk about ballast", "ask Osk about the debt"


def test_eight_turns_of_what_stays_and_stays_away(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        shown = play(campaign, IDLE, ASKS, IDLE, IDLE, ASKS, ASKS, ASKS, IDLE)
        assert ["ballast" in one for one in shown] == [False, True, True, True, False, False, True, True]
        assert left(campaign) == {"turn": 8, "found": {BALLAST: 7}}


def test_a_question_that_is_asked_back_is_no_turn_of_it(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, ASKS)
        before = left(campaign)
        answer = json.loads(asyncio.run(campaign.submit("use")))
        assert answer["clarification_question"]
        assert left(campaign) is None
        assert before == {"turn": 1, "found": {BALLAST: 1}}
        shown = play(campaign, IDLE, IDLE, IDLE)
        assert ["ballast" in one for one in shown] == [True, True, False]


def test_undo_takes_back_what_was_found_and_redo_brings_it_again(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, IDLE, ASKS)
        undo(campaign.store)
        assert "ballast" not in play(campaign, IDLE)[0]
        undo(campaign.store)
        play(campaign, ASKS)
        undo(campaign.store)
        redo(campaign.store)
        assert left(campaign) == {"turn": 2, "found": {BALLAST: 2}}
        assert "ballast" in play(campaign, IDLE)[0]


def test_each_branch_has_what_was_found_on_its_own_way(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, IDLE, ASKS)
        branch(campaign.store, turn="1", name="dry")
        switch(campaign.store, "dry")
        assert "ballast" not in play(campaign, IDLE)[0]
        switch(campaign.store, "main")
        assert "ballast" in play(campaign, IDLE)[0]
        rollback(campaign.store, turns=2)
        assert left(campaign) == {"turn": 1, "found": {}}


def test_the_same_turns_give_the_same_bytes_in_another_campaign(tmp_path: Path) -> None:
    kept = []
    for folder in ("one", "other"):
        app = app_with(tmp_path / folder, RULED)
        with app.campaigns.open("game") as campaign:
            for number, line in enumerate((ASKS, "ask Osk about the comet", IDLE, ASKS)):
                asyncio.run(campaign.submit(line, action_id=f"a{number}"))
            turns = campaign.store.turns()
            kept.append([turns, [campaign.store.stage_records(turn["turn_id"]) for turn in turns]])
    assert kept[0] == kept[1]


def test_a_replay_finds_keeps_and_throws_the_same(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, ASKS, "ask Osk about the comet above the breakwater", IDLE, ASKS)
    histories, prompts = Histories(app.workspace.indexes / "history"), prompt_library(app.workspace)
    replayed = asyncio.run(Replays(app.campaigns, histories, prompts).rerun_turns("game", ALL_TURNS, None))
    assert replayed.is_identical
    assert replayed.first_divergence is None


def test_dice_are_of_the_seed_the_state_the_turn_and_the_entry() -> None:
    dice = EntryDice(1, "abc", 3)
    assert dice("harbour:comet") == EntryDice(1, "abc", 3)("harbour:comet")
    others = [EntryDice(2, "abc", 3), EntryDice(1, "abd", 3), EntryDice(1, "abc", 4)]
    thrown = {(dice(one), *(other(one) for other in others)) for one in map(str, range(8))}
    assert all(len(set(one)) > 1 for one in thrown)
    many = [dice(f"harbour:{number}") for number in range(400)]
    assert 0.4 < sum(one <= 500 for one in many) / len(many) < 0.6
    assert 1 <= min(many) <= max(many) <= 1000


def test_an_entry_is_thrown_for_once_a_turn_whoever_asks(app: App) -> None:
    asked = LoreRetrievalQuery(keywords="the comet above the breakwater", viewer="player")
    with app.campaigns.open("game") as campaign:
        seen = set()
        for _ in range(6):
            before = [_comet(app.lore, asked), _comet(app.lore, asked.model_copy(update={"viewer": "gm"}))]
            shown = play(campaign, "ask Osk about the comet above the breakwater")[0]
            assert before == ["comet" in shown] * 2
            seen.add("comet" in shown)
    assert seen == {True, False}


def _comet(lore: LoreRetriever, asked: LoreRetrievalQuery) -> bool:
    chunks = lore.retrieve(asked, campaign_id="game").result.chunks
    return any(one.chunk_id == "harbour:comet:overview" for one in chunks)


def test_what_is_always_there_stands_in_the_scene_once_and_not_in_what_is_asked(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, "ask Osk about the curfew after the eighth bell")
        lore = packet_of(campaign)["lore_context"]
        assert lore["scene"]["standing"] == ["After the eighth bell nobody may be out on the stones."]
        assert "eighth bell" not in json.dumps(lore["asked"])


def test_what_is_always_there_is_shown_to_the_planner_and_the_narrator_once(app: App) -> None:
    curfew = "After the eighth bell nobody may be out on the stones."
    with app.campaigns.open("game") as campaign:
        play(campaign, "ask Osk about the curfew after the eighth bell")
        records = campaign.store.stage_records(campaign.store.position().turn_id)
        given = {record["stage"]: record["input"] for record in records}
        planner = planner_context(PlannerInput.model_validate(given["planner"]))
        told = NarratorInput.model_validate(given["narrator"])
        assert planner.lore.text.count(curfew) == 1
        assert narrator_context(told).lore.text.count(curfew) == 1
        sources = [(source.kind, source.id) for source in sources_of(told) if source.text == curfew]
        assert sources == [("chunk", "harbour:curfew:overview")]


def test_whoever_looks_something_up_at_the_prompt_gets_what_they_asked_for(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, ASKS)
        assert [one.chunk_id for one in ask_lore(campaign, "ballast at the mole").chunks][:1] == [BALLAST]
        found = {one.chunk_id.split(":")[1] for one in ask_lore(campaign, "a lantern in the tavern").chunks}
        assert found.isdisjoint({"ballast", "curfew"})
        lore = retrieve_for_session(campaign.store.head().state, campaign.setting.generations)
        assert all("curfew" not in one["chunk_id"] for one in lore["chunks"])


def test_a_query_in_a_campaign_goes_by_the_turn_to_come(app: App) -> None:
    asked = LoreRetrievalQuery(keywords="a lantern", viewer="gm")

    def ballast(viewer: str) -> list[tuple[str | None, str]]:
        found = app.lore.retrieve(asked.model_copy(update={"viewer": viewer}), campaign_id="game").trace
        return [(one.reason, one.rule) for one in found.chunks if one.chunk_id == BALLAST]

    with app.campaigns.open("game") as campaign:
        assert ballast("gm") == []
        play(campaign, ASKS)
        assert ballast("gm") == [(None, "sticky, 1 turn more")] == ballast("player")
        # What the story found is no matter to one of the cast.
        assert ballast("npc:osk") == []


def test_a_save_without_any_record_of_entries_begins_with_nothing_found(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        play(campaign, ASKS)
        with campaign.store.database.transaction() as connection:
            connection.execute("DELETE FROM stage_records WHERE stage = 'entries'")
        assert "ballast" not in play(campaign, IDLE)[0]
        assert left(campaign) == {"turn": 1, "found": {}}
        with campaign.store.database.transaction() as connection:
            connection.execute("UPDATE stage_records SET output_json = '[]' WHERE stage = 'entries'")
        assert "ballast" in play(campaign, ASKS)[0]


def test_without_rules_no_turn_leaves_or_looks_up_anything_of_them(tmp_path: Path) -> None:
    app = app_with(tmp_path, h.FILES)
    with app.campaigns.open("game") as campaign:
        play(campaign, ASKS, IDLE)
        assert left(campaign) is None
        assert campaign.setting.entries is no_entries
        assert "standing" not in packet_of(campaign)["lore_context"]["scene"]


def test_a_hidden_entry_is_kept_by_no_turn_and_changes_none(tmp_path: Path) -> None:
    secret = note("wreck", "Ballast, ballast: the wreck below the mole is full of it.", "sticky: 3, always: true")
    hidden = {path: text.replace("type: event", "type: event\nvisibility: gm") for path, text in secret.items()}
    played = []
    for folder, files in (("open", RULED), ("hidden", {**RULED, **hidden})):
        app = app_with(tmp_path / folder, files)
        with app.campaigns.open("game") as campaign:
            shown = play(campaign, ASKS, IDLE)
            asked = [one["text"] for one in packet_of(campaign)["lore_context"]["asked"]]
            played.append([shown, left(campaign), asked, packet_of(campaign)["lore_context"]["scene"]])
    assert played[0] == played[1]
