"""A recap in a model's words: from what the player has read, on request, and paid for only when that was agreed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.sessions import active_or_new_session, recap_by_model
from lorewright.errors import CampaignError, OutputRejected, ProviderError, SettingsError
from lorewright.llm.doubles import ScriptedModel
from lorewright.storage.sittings import SessionRow
from support import harbour as h

TOLD = "You looked about the tavern, and Osk counted his coins."


def played(tmp_path: Path, model: ScriptedModel | None, *lines: str) -> tuple[App, SessionRow]:
    app = h.harbour(tmp_path, models={"recap": model} if model else {})
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
    h.say(app, *lines)
    return app, session


def told(app: App, session: SessionRow) -> str:
    with app.campaigns.open("game") as campaign:
        return asyncio.run(recap_by_model(campaign, session))


def test_it_is_told_from_what_the_player_has_read_and_the_call_is_kept(tmp_path: Path) -> None:
    model = ScriptedModel([TOLD])
    app, session = played(tmp_path, model, "look", "search under the counter")
    assert told(app, session) == TOLD
    (asked,) = model.requests
    assert "Smoke hangs from the beams" in asked.text
    assert h.DISCOVERABLE in asked.text
    assert [canary for canary in (h.KNOWS, h.WITHHOLDS) if canary in asked.text] == []
    with app.campaigns.open("game") as campaign:
        rows = campaign.store.database.rows("SELECT * FROM model_calls")
        assert [(row["stage"], row["session_id"]) for row in rows] == [("recap", session.id)]
        assert TOLD in rows[0]["record_json"]
        assert campaign.spent().tokens > 0


def test_a_name_that_the_player_never_read_is_not_told(tmp_path: Path) -> None:
    app, session = played(tmp_path, ScriptedModel(lambda _: "You met old Zorilla at the bar."), "look")
    with pytest.raises(OutputRejected, match="Zorilla"):
        told(app, session)
    with app.campaigns.reading("game") as store:
        (row,) = store.database.rows("SELECT record_json FROM model_calls")
    assert row["record_json"].count("Zorilla at the bar") == 3


def test_a_model_that_fails_leaves_the_built_in_recap_and_the_story_as_they_are(tmp_path: Path) -> None:
    app, session = played(tmp_path, ScriptedModel([ProviderError("gone")]), "look")
    before = app.sessions.generate_recap(session.id)
    with pytest.raises(ProviderError):
        told(app, session)
    assert app.sessions.generate_recap(session.id) == before


def test_without_a_large_model_or_without_a_turn_there_is_nothing_to_tell(tmp_path: Path) -> None:
    app, session = played(tmp_path / "none", None, "look")
    with pytest.raises(SettingsError, match="no large model"):
        told(app, session)
    app, session = played(tmp_path / "nothing", ScriptedModel([TOLD]))
    with pytest.raises(CampaignError, match="nothing was played"):
        told(app, session)
