"""A service that is told to stop: it begins no more work, still answers what reads, and says when to ask again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.errors import SettingsError
from lorewright.service.web.serving import run
from support import harbour as h
from support.table_service import Browser, Hall, hall


@pytest.fixture
def leaving(tmp_path: Path) -> Iterator[tuple[Hall, Browser]]:
    with hall(h.harbour(tmp_path)) as found:
        browser = found.owner()
        assert found.stranger().get("/readyz").status_code == 200
        found.service.hub.close()
        yield found, browser


def test_a_service_that_leaves_is_not_ready_and_refuses_turns_with_a_time_to_ask_again(
    leaving: tuple[Hall, Browser],
) -> None:
    found, browser = leaving
    assert found.stranger().get("/readyz").json()["status"] == "stopping"
    refused = [
        browser.say("game", "wait", key="k1"),
        browser.post("/v1/campaigns/game/undo"),
        browser.get("/v1/campaigns/game/events"),
        browser.submit("/table/game/say", text="wait", key="k2"),
        browser.post("/mcp"),
    ]
    for answer in (found.stranger().get("/readyz"), *refused):
        assert answer.status_code == 503
    assert {answer.headers["Retry-After"] for answer in refused} == {"1"}
    assert refused[0].json()["code"] == "busy"
    # The page of a refusal is a page.
    assert "stopping" in refused[3].text
    assert refused[3].headers["content-type"].startswith("text/html")


def test_a_service_that_leaves_still_answers_what_reads(leaving: tuple[Hall, Browser]) -> None:
    _, browser = leaving
    assert browser.get("/v1/campaigns/game").json()["turn_no"] == 0
    assert browser.get("/table/game").status_code == 200
    assert browser.post("/v1/lore/query", {"text": "rope", "campaign_id": "game"}).status_code == 200


def test_a_proxy_is_named_by_an_address_or_a_network(leaving: tuple[Hall, Browser]) -> None:
    found, _ = leaving
    with pytest.raises(SettingsError, match="no address or network"):
        run(found.service, "127.0.0.1:8000", proxies=["the one in the cellar"])
