"""Dead Drop played through the real SDKs against a server on loopback, every request held against what may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_socket

from lorewright.campaigns.stage_models import ModelKeys
from lorewright.tokens import count_tokens
from lorewright.turn.views.leaks import quoted_secret
from support import model_server as t
from support.model_apis.server import ModelServer
from support.model_apis.wire import Asked
from support.scale import scaled

TURNS = 12

pytestmark = pytest.mark.campaign


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ModelServer(t.answer).running() as running:
        yield running


# Of both providers from CAMPAIGN_SCALE=2 on.
@pytest.mark.parametrize("keys", [t.ANTHROPIC, t.OPENAI][: scaled(1)], ids=["anthropic", "openai"][: scaled(1)])
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
                stage = t.stage_of(asked)
                stages.add(stage)
                assert asked.streams or stage != "narrator"
                # The planner knows what ties a scene to the open threads.
                kept = [(item, text) for item, text in hidden if stage != "planner" or ":threads#" not in item]
                assert quoted_secret(asked.text, kept, said_before=f"{line}\n{told}") is None, stage
        assert {record["provider"] for record in campaign.store.stage_records(result["turn_id"])} > {"builtin"}
    assert {"narrator", "planner", "lore_extractor"} <= stages


# Between two turns of one scene so much of the narrator's request may change (tokens as estimated).
MOST_CHANGED = 1_500


def test_between_two_turns_of_a_scene_little_of_the_narrators_request_changes(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = t.dead_drop(tmp_path, server, monkeypatch, t.ANTHROPIC)
    by_scene: dict[tuple[str, ...], list[tuple[str, Asked, int]]] = {}
    with app.campaigns.open("game") as campaign:
        for line in t.demo_lines(app)[:TURNS]:
            before = len(server.asked)
            t.submit(campaign, line)
            (asked,) = [one for one in server.asked[before:] if t.stage_of(one) == "narrator"]
            records = campaign.store.stage_records(campaign.store.head().turn_id)
            (prompt,) = [one["prompt"] for one in records if one["stage"] == "narrator"]
            state = campaign.store.head().state
            by_scene.setdefault((state.scene.id, *state.present()), []).append(
                (prompt["prefix_hash"], asked, prompt["changing_tokens"])
            )
    pairs = [pair for turns in by_scene.values() for pair in pairwise(turns)]
    assert len(pairs) >= 8
    for (was, first, _), (now, second, changing) in pairs:
        assert was == now
        same = next(n for n, (a, b) in enumerate(zip(first.text, second.text, strict=False)) if a != b)
        assert count_tokens(second.text[same:]) <= changing + 10
        assert changing <= MOST_CHANGED
    # The provider's cache had it: what was read from it is on record.
    with app.campaigns.reading("game") as store:
        calls = [
            call for turn in store.turns()[2:] for one in store.stage_records(turn["turn_id"]) for call in one["calls"]
        ]
    assert sum(call["cache_read_tokens"] for call in calls) > sum(call["input_tokens"] for call in calls) / 4


def test_the_first_word_waits_for_no_more_than_the_narrator_where_the_grammar_is_sure(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it takes in seconds is measured in benchmarks/first_word.py."""
    app = t.dead_drop(tmp_path, server, monkeypatch, t.ANTHROPIC)
    asked_before_the_first_word: list[list[str]] = []

    class Listening(t.Heard):
        def told(self, text: str) -> None:
            if not self.pieces:
                asked_before_the_first_word.append([t.stage_of(one) for one in server.asked[before:]])
            super().told(text)

    with app.campaigns.open("game") as campaign:
        for line in ("look", "wamble about somebody or other, perhaps"):
            before = len(server.asked)
            t.submit(campaign, line, listener=Listening())
    assert asked_before_the_first_word == [["narrator"], ["interpreter", "narrator"]]
