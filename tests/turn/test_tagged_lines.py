"""In a turn, the acts that a line is tagged with are recorded, and replayed as recorded, whatever an embedder says."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, prompt_library
from lorewright.campaigns.history import Histories
from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Adaptation, WordStates
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedders.minilm import MiniLM
from lorewright.replay.comparing import stage_differences
from lorewright.replay.metrics import ALL_TURNS
from lorewright.replay.replay import Replay, Replays
from lorewright.turn.stages.interpret.stage import TAGGED
from support import harbour as h
from support.shared_build import embedding_library

LINE = "have a seat on the quay for a while"
_MINILM = MiniLM()


class Words(HashingEmbedder):
    """Passes for the embedder that the tagger's weights hold for, and reads words as it does; counts what it is asked,
    and may fail."""

    fingerprint = _MINILM.fingerprint

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.asked = 0
        self._fails = fails

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        self.asked += 1
        if self._fails:
            raise EmbedderError("the weights are gone")
        return _MINILM.read_words(text, adaptation)


def with_embedder(app: App, embedder: Any) -> App:
    """The same workspace, with an embedder."""
    return replace(app, library=embedding_library(app.workspace.indexes, embedder))


def records(app: App, name: str) -> list[dict[str, Any]]:
    with app.campaigns.reading("game") as store:
        return [r for turn in store.turns() for r in store.stage_records(turn["turn_id"]) if r["stage"] == name]


def replayed(app: App) -> Replay:
    histories = Histories(app.workspace.indexes / "history")
    replays = Replays(app.campaigns, histories, prompt_library(app.workspace), open_model=_no_model)
    return asyncio.run(replays.rerun_turns("game", ALL_TURNS))


def _no_model(key: str) -> Any:
    raise AssertionError(f"nobody asks for {key}")


def test_without_an_embedder_no_line_is_tagged(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, LINE)
    assert records(app, TAGGED) == []


def test_the_acts_of_a_line_are_recorded_and_say_how_they_are_told(tmp_path: Path) -> None:
    app = with_embedder(h.harbour(tmp_path), Words())
    (result,) = h.say(app, LINE)
    assert result["clarification_question"] is None
    (record,) = records(app, TAGGED)
    (tagged,) = record["output"]["acts"].values()
    assert [act["kind"] for act in tagged] == ["sit"]
    assert [action["metadata"]["form"] for action in result["actions"]] == ["sit"]


def test_a_line_that_was_offered_is_not_tagged(tmp_path: Path) -> None:
    embedder = Words()
    app = with_embedder(h.harbour(tmp_path), embedder)
    (first,) = h.say(app, LINE)
    before = embedder.asked
    h.say(app, first["suggested_actions"][0])
    assert embedder.asked == before


def test_an_embedder_that_fails_costs_no_turn(tmp_path: Path) -> None:
    app = with_embedder(h.harbour(tmp_path), Words(fails=True))
    (result,) = h.say(app, "take the rope")
    assert result["clarification_question"] is None
    assert records(app, TAGGED) == []


@pytest.mark.parametrize("now", ["none", "fails", "another"])
def test_a_replay_reads_the_words_as_they_were_read(tmp_path: Path, now: str) -> None:
    app = h.harbour(tmp_path)
    h.say(with_embedder(app, Words()), LINE)
    embedder = Words(fails=now == "fails")
    again = app if now == "none" else with_embedder(app, embedder)
    if now == "another":
        embedder.fingerprint = "another"
    found = replayed(again)
    assert found.is_identical
    assert found.first_divergence is None
    assert embedder.asked == 0


def test_what_was_read_without_an_embedder_is_replayed_so_with_one(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, LINE)
    found = replayed(with_embedder(app, Words()))
    assert found.is_identical
    assert found.first_divergence is None


def test_what_earlier_versions_recorded_beside_a_reading_is_not_missed() -> None:
    then = [{"stage": name, "input": [], "output": {}} for name in ("meaning", "planner")]
    assert [difference.stage for difference in stage_differences(then, [])] == ["planner"]
