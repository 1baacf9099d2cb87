"""The history of a campaign that is open: at every moment what would be made of the same turns from nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.bootstrap import App
from lorewright.campaigns.history import Histories
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import begin, end
from lorewright.errors import CampaignError
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.generation import Generation
from lorewright.index.history import HistoryIndex
from lorewright.index.vector_building import VectorBuilder
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.storage.sittings import active_session_row
from lorewright.turn.store.turn_store import redo, undo_played
from support import harbour as h
from support.scale import scaled

LINES = ("look", "ask Osk about Lin", "take rope", "go door", "ask Bea about the cellar", "go tavern")
LEFT_OUT = 1


def answer(generations: tuple[Generation, ...]) -> list[str]:
    view = LoreView(generations, viewer="player")
    texts = ("Osk and the boat", "rope", "what did Bea say?", "")
    asked = [
        LoreRetrievalQuery(
            keywords=text, entity_ids=("harbour:osk",), tags=("recap",), corpus="history", viewer="player"
        )
        for text in texts
    ]
    return [found.result.model_dump_json() for found in (retrieve(view, query) for query in asked)]


def remembered(campaign: OpenCampaign) -> list[str]:
    with campaign.setting.history(campaign.store.head(), LEFT_OUT) as generations:
        return answer(generations)


def made_anew(campaign: OpenCampaign, folder: Path) -> list[str]:
    head = campaign.store.head()
    turns = [turn for turn in campaign.store.turns() if turn["turn_no"] <= head.turn_no - LEFT_OUT]
    if not turns:
        return answer(())
    histories = Histories(folder, VectorBuilder(HashingEmbedder(), EmbeddingCache(folder / "e.db"), bool))
    with histories.read(campaign.store, turns, campaign.setting.generations, witness=head.state.player_id) as found:
        return answer((found,))


def do(campaign: OpenCampaign, what: str, number: int) -> None:
    """A step of play; one that cannot be taken just now is left out."""
    active = active_session_row(campaign.store.database)
    try:
        match what:
            case "undo":
                undo_played(campaign.store)
            case "redo":
                redo(campaign.store)
            case "sit down or leave":
                begin(campaign) if active is None else end(campaign, active)
            case _:
                asyncio.run(campaign.submit(what, action_id=f"{number}"))
    except CampaignError:
        pass


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOREWRIGHT_EMBEDDER", "hashing")
        return h.harbour(tmp_path_factory.mktemp("played"))


@pytest.mark.campaign
@settings(deadline=None, max_examples=scaled(5))
@given(st.lists(st.sampled_from([*LINES, *LINES, "undo", "redo", "sit down or leave"]), max_size=12))
def test_wherever_the_head_goes_it_is_what_would_be_made_anew(
    app: App, tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("play")
    campaigns = app.rehearsal(folder)
    campaigns.new("night_boat", campaign_id="game", seed=1)
    for first, some in ((0, steps[:6]), (6, steps[6:])):
        with campaigns.open("game") as campaign:
            for number, step in enumerate(some, start=first):
                do(campaign, step, number)
                assert remembered(campaign) == made_anew(campaign, folder / "anew")


def test_a_sitting_that_ends_meanwhile_is_remembered_with_its_summary(app: App, tmp_path: Path) -> None:
    campaigns = app.rehearsal(tmp_path)
    campaigns.new("night_boat", campaign_id="game", seed=1)
    steps = ("sit down or leave", "look", "take rope", "sit down or leave", "look", "go door", "look")
    with campaigns.open("game") as campaign:
        for number, step in enumerate(steps):
            do(campaign, step, number)
            found = remembered(campaign)
            assert found == made_anew(campaign, tmp_path / "anew")
        assert "recap" in found[0]


def test_what_was_made_while_it_was_open_is_kept_when_it_is_closed(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, *LINES)
    kept = HistoryIndex(app.workspace.indexes / "history" / "game.db").texts()
    assert "Ada asked Osk about Lin, and was answered." in kept
