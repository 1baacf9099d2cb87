"""What a campaign's file knows of models: whose keys hold, what a sitting has cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.errors import ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply
from lorewright.storage import sittings
from lorewright.storage.model_rows import model_keys, set_model_keys, spent_in
from lorewright.turn.store.turn_store import undo
from support import harbour as h


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def reply(text: str, cost: int = 7) -> ModelReply:
    return ModelReply(text, "scripted", 100, 20, cost_microusd=cost)


def narrated(app: App, *texts: str) -> None:
    """Turns that a paid narrator tells, each for 120 tokens and 7 millionths."""
    h.say(h.with_models(app, {"narrator": ScriptedModel([reply(text) for text in texts])}), *["wait"] * len(texts))


def spent(app: App, session_id: str | None = None) -> tuple[int, int]:
    with app.campaigns.reading("game") as store:
        return spent_in(store.database, session_id)


def test_keys_are_the_campaigns_unless_the_sitting_has_its_own(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        database = campaign.store.database
        assert model_keys(database) == ("builtin", "builtin")
        set_model_keys(database, small="claude-haiku")
        set_model_keys(database, large="claude-sonnet")
        session = app.sessions.start_session("game")
        assert model_keys(database) == ("claude-haiku", "claude-sonnet")
        sittings.set_model_keys(database, session.id, small=None, large="gpt-5.2")
        assert model_keys(database) == ("claude-haiku", "gpt-5.2")
        app.sessions.end_session(session.id)
        assert model_keys(database) == ("claude-haiku", "claude-sonnet")


def test_built_in_turns_cost_nothing(app: App) -> None:
    h.say(app, "look", "wait")
    assert spent(app) == (0, 0)


def test_every_call_counts_also_of_turns_that_were_taken_back_and_of_those_that_failed(app: App) -> None:
    narrated(app, "Smoke.", "Smoke again.")
    assert spent(app) == (240, 14)
    with app.campaigns.open("game") as campaign:
        undo(campaign.store)
    assert spent(app) == (240, 14)
    failing = ScriptedModel([reply("[99]"), ProviderError("no answer")])
    with pytest.raises(ProviderError):
        h.say(h.with_models(app, {"narrator": failing}), "wait")
    assert spent(app) == (360, 21)
    h.say(h.with_models(app, {"narrator": ScriptedModel([reply("[99]")] * 3)}), "wait")
    assert spent(app) == (720, 42)


def test_a_repair_is_paid_for_too(app: App) -> None:
    h.say(h.with_models(app, {"narrator": ScriptedModel([reply("[99]"), reply("Smoke.")])}), "wait")
    assert spent(app) == (240, 14)


def test_each_sitting_is_counted_by_itself(app: App) -> None:
    first = app.sessions.start_session("game")
    narrated(app, "Smoke.")
    app.sessions.end_session(first.id)
    second = app.sessions.start_session("game")
    narrated(app, "Smoke.", "Smoke again.")
    assert spent(app, first.id) == (120, 7)
    assert spent(app, second.id) == (240, 14)
    assert spent(app) == (360, 21)
