"""A summary is had by its scope: the scene, the threads or one of them, a sitting, the story."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import NotFound
from support import harbour as h


def test_summaries_are_had_by_their_scope(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    with app.campaigns.open("game") as campaign:
        assert "The Tavern" in campaign.get_summary("scene")
        threads = campaign.store.head().state.threads
        assert all(thread.title in campaign.get_summary("threads") for thread in threads.values())
        assert all(campaign.get_summary("threads", one).startswith(threads[one].title) for one in threads)
        assert campaign.get_summary("session") == campaign.get_summary("story") == ""
        for scope in ("threads", "session"):
            with pytest.raises(NotFound):
                campaign.get_summary(scope, "none")  # type: ignore[arg-type]
    sitting = app.sessions.start_session("game")
    h.say(app, "ask Osk about Lin")
    ended = app.sessions.end_session(sitting.id)
    with app.campaigns.open("game") as campaign:
        assert campaign.get_summary("session") == campaign.get_summary("session", sitting.id) == ended.summary
        assert ended.summary
