"""Games that models of the real SDKs played: replayed without them, rulings with their dice included."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from lorewright.bootstrap import App, open_app
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, ToolCall
from lorewright.replay.metrics import measure
from support import harbour as h
from support import model_server as t
from support.model_apis.server import ModelServer


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ModelServer(t.answer).running() as running:
        yield running


@pytest.mark.campaign
def test_a_game_of_the_real_sdk_is_replayed_with_nobody_to_ask(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with the metrics that the play itself has: tokens as the server counted them, prefixes that hold."""
    app = t.dead_drop(tmp_path, server, monkeypatch, t.ANTHROPIC, settings='[models.stages]\nplanner = "large"\n')
    with app.campaigns.open("game") as campaign:
        for line in t.demo_lines(app)[:12]:
            t.submit(campaign, line)
    asked = len(server.asked)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    app = open_app(app.workspace.root)
    found = asyncio.run(app.replays.rerun_turns("game", reroll=True))
    assert found.is_identical and found.first_divergence is None
    assert len(found.turns) == 12 and len(server.asked) == asked
    assert found.metrics == found.recorded_metrics
    with app.campaigns.reading("game") as store:
        of = measure(store).metrics
    assert of == found.metrics
    assert of.tokens.input > 0 and of.cost_usd > 0 and {"narrator", "planner"} <= set(of.latency)
    assert of.prefix.changing_max is not None and of.prefix.changing_max <= 1_500


@pytest.mark.campaign
def test_one_models_narrator_is_compared_with_anothers(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another SDK tells the same turns; what is true stays as it was."""
    app = t.dead_drop(tmp_path, server, monkeypatch, t.ANTHROPIC)
    with app.campaigns.open("game") as campaign:
        for line in t.demo_lines(app)[:4]:
            t.submit(campaign, line)
    before = len(server.asked)
    found = asyncio.run(app.replays.rerun_turns("game", override_models={"narrator": "gpt-5.2"}))
    told = [turn for turn in found.turns if turn.anew]
    assert found.stopped is None and told and {turn.anew["narrator"] for turn in told} == {"gpt-5.2"}
    assert {t.stage_of(one) for one in server.asked[before:]} == {"narrator"}
    assert len(server.asked) - before == len([turn for turn in told if turn.kind == "play"])
    assert all(turn.state_hash == turn.recorded_hash for turn in found.turns)


def _ruling(request: ModelRequest) -> Any:
    """A ruling that has the dice thrown, and then says what they show."""
    results = [one.text for said in request.talk for one in said.results]
    if not results:
        call = ToolCall("call_7", "roll_dice", '{"expression": "2d6", "check_type": "nerve"}')
        return ModelReply("", "ruler-1", 50, 9, calls=(call,))
    total = json.loads(results[-1])["total"]
    band = "critical" if total >= 12 else "success" if total >= 10 else "mixed" if total >= 7 else "fail"
    return {"dice_request": ["2d6"], "resolved_outcome": band}


def _rulings(app: App) -> list[dict[str, Any]]:
    with app.campaigns.reading("game") as store:
        return [
            record
            for turn in store.turns()
            for record in store.stage_records(turn["turn_id"])
            if record["stage"] == "resolution"
        ]


def test_a_ruling_calls_for_its_dice_again_and_they_fall_the_same(tmp_path: Path) -> None:
    """What the grammar does not know a model reads, and the rulebook decides."""
    read = {"intent": "balance", "actions": [{"type": "attempt", "words": "balance on one leg"}]}
    models = {"interpreter": ScriptedModel(lambda _: read), "resolution": ScriptedModel(_ruling)}
    app = h.harbour(tmp_path, models=models)
    h.say(app, "balance on one leg", "look", "balance on one leg")
    recorded = _rulings(app)
    assert [len(one["calls"]) for one in recorded] == [2, 2]
    for reroll in (False, True):
        found = asyncio.run(app.replays.rerun_turns("game", reroll=reroll))
        assert found.is_identical and found.first_divergence is None
        assert [len(turn.rolls) for turn in found.turns] == [1, 0, 1]
        assert [turn.rolls for turn in found.turns] == [turn.recorded_rolls for turn in found.turns]
