"""In a turn, a reading by meaning is recorded, and replayed as it was recorded, whatever an embedder says now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, prompt_library
from lorewright.campaigns.history import Histories
from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.replay.metrics import ALL_TURNS
from lorewright.replay.replay import Replay, Replays
from lorewright.turn.stages.interpret.stage import MEANING
from support import harbour as h
from support.shared_build import embedding_library

LINE = "make myself comfortable"


class Words(HashingEmbedder):
    """Passes for the embedder that the thresholds hold for; counts what it is asked, and may fail."""

    fingerprint = "minilm-by-words"

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.asked = 0
        self._fails = fails

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._fails:
            raise EmbedderError("the weights are gone")
        return super().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        self.asked += 1
        if self._fails:
            raise EmbedderError("the weights are gone")
        return super().embed_query(text)


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


def test_without_an_embedder_nothing_is_read_by_meaning(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (result,) = h.say(app, LINE)
    assert result["clarification_question"]
    assert {read for record in records(app, MEANING) for read in record["output"]["read"].values()} <= {None}


def test_a_reading_is_played_told_and_recorded(tmp_path: Path) -> None:
    app = with_embedder(h.harbour(tmp_path), Words())
    (result,) = h.say(app, LINE)
    assert result["clarification_question"] is None
    (read_as,) = result["validation"]["read_as"]
    assert LINE in read_as
    assert "lean back" in read_as
    (record,) = records(app, MEANING)
    assert record["output"]["read"][LINE]["line"] == "lean back"


def test_what_the_grammar_reads_is_not_recorded_as_read_by_meaning(tmp_path: Path) -> None:
    embedder = Words()
    app = with_embedder(h.harbour(tmp_path), embedder)
    h.say(app, "take the rope")
    assert records(app, MEANING) == []


def test_an_embedder_that_fails_costs_no_turn(tmp_path: Path) -> None:
    app = with_embedder(h.harbour(tmp_path), Words(fails=True))
    (result,) = h.say(app, f"take the rope, then {LINE}")
    assert result["clarification_question"] is None
    assert result["validation"]["not_played"] == [LINE]


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
    h.say(app, f"take the rope, then {LINE}")
    found = replayed(with_embedder(app, Words()))
    assert found.is_identical
    assert found.first_divergence is None
