"""Dead Drop played through the real SDKs against a server on loopback, every request held against what may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket

import model_table as t
from lorewright.campaigns.casting import ModelKeys
from lorewright.llm.doubles.server import ModelServer
from lorewright.turn.leaks import quoted_secret

TURNS = 12


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ModelServer(t.answer).running() as running:
        yield running


@pytest.mark.parametrize("keys", [t.ANTHROPIC, t.OPENAI], ids=["anthropic", "openai"])
def test_twelve_turns_through_a_real_sdk_stream_and_show_no_stage_what_was_not_learned(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, keys: ModelKeys
) -> None:
    app = t.dead_drop(tmp_path, server, monkeypatch, keys, settings='[models.stages]\nplanner = "large"\n')
    stages: set[str] = set()
    with app.campaigns.open("game") as campaign:
        packs = campaign.setting.generations
        items = [item for pack in packs for chunk in pack.all_chunks() for item in pack.items_of(chunk.row)]
        assert len(items) > 20
        # What anybody may look up is no secret, though an item should say the same in part.
        secret = {chunk.id for pack in packs for chunk in pack.hidden_chunks()}
        told = "\n".join(chunk.text for pack in packs for chunk in pack.all_chunks() if chunk.id not in secret)
        for number, line in enumerate(t.demo_lines(app)[:TURNS], 1):
            heard, before = t.Heard(), len(server.asked)
            result = t.submit(campaign, line, listener=heard)
            assert result["turn_no"] == number
            assert "".join(heard.pieces).split() == result["final_text"].split()
            state = campaign.store.head().state
            learned = state.learned_by(state.player_id)
            hidden = [(item.id, item.text) for item in items if item.id not in learned]
            for asked in server.asked[before:]:
                stages.add(t.stage_of(asked))
                assert asked.streams or t.stage_of(asked) != "narrator"
                assert quoted_secret(asked.text, hidden, said_before=f"{line}\n{told}") is None, t.stage_of(asked)
        assert {record["provider"] for record in campaign.store.stage_records(result["turn_id"])} > {"builtin"}
    assert {"narrator", "planner", "lore_extractor"} <= stages
