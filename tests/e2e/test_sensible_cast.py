"""The cast of the shipped scenarios in play: they answer what is done to them, confirm what they have told, and tell
nobody a thing twice."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.settings import EMBEDDER_VARIABLE
from lorewright.values.records import TurnResult
from support.played_scenarios import begun

pytestmark = pytest.mark.campaign


def say(game: OpenCampaign, *lines: str) -> list[TurnResult]:
    return [TurnResult.model_validate_json(asyncio.run(game.submit(line))) for line in lines]


def outcomes(game: OpenCampaign, result: TurnResult) -> list[dict[str, Any]]:
    resolved = game.store.stage_output(result.turn_id, "resolve")
    return [] if resolved is None else list(resolved["outcomes"])


def intents(game: OpenCampaign, result: TurnResult) -> list[dict[str, Any]]:
    records = game.store.stage_records(result.turn_id)
    return [one["output"] for one in records if one["stage"] == "npc_intent"]


def test_what_bram_has_told_of_the_car_he_confirms_and_counts_once(tmp_path: Path) -> None:
    with begun("night_desk", tmp_path, seed=4) as game:
        came, asked = say(game, "go lot", "ask Bram what he lifted out of the reservoir on a Monday")
        told = "We lifted Hallam Renn's car out of the reservoir on a Monday."
        assert told in came.final_text and told in asked.final_text
        assert [one["code"] for one in outcomes(game, asked)] == ["told_before"]
        assert game.store.head().state.recall["acts:motel_verse:bram:tells_of_the_car"] == 1


@pytest.mark.parametrize("line", ["attack Bram", "threaten Bram"])
def test_whoever_is_attacked_answers_that_and_follows_no_script(line: str, tmp_path: Path) -> None:
    with begun("night_desk", tmp_path, seed=7) as game:
        *_, done = say(game, "go lot", line)
        acted = [one for one in intents(game, done) if one["action_text"].startswith("Bram") or "Bram" in str(one)]
        assert acted and [one["act_id"] for one in acted] == [None]


def test_nothing_is_told_twice_in_a_turn(tmp_path: Path) -> None:
    with begun("lost_property", tmp_path, seed=7) as game:
        state = game.store.head().state
        people = [state.name_of(who) for who in state.present_npcs()]
        lines = [f"{verb} {who} gently" for verb, who in itertools.product(("convince", "talk to"), people)]
        for result in say(game, *lines * 2):
            quoted = [citation.quote for citation in result.citations if len(citation.quote) > 30]
            assert [quote for quote in quoted if result.final_text.count(quote) > 1] == []


def test_whoever_never_acts_keeps_no_silence(tmp_path: Path) -> None:
    with begun("night_desk", tmp_path, seed=4) as game:
        results = say(game, "go lot", "go walkway", "go Room 7", "look", "look", "wait", "look")
        silent = [event for result in results for event in result.engine_events if event.type == "nobody_acted"]
        assert [who for event in silent for who in event.who if who.endswith(":wendell")] == []


def test_the_clerk_is_not_named_before_anybody_has_spoken_of_him(tmp_path: Path) -> None:
    with begun("dead_drop", tmp_path) as game:
        for result in say(game, "I ask the clerk about the lease", "wave to the clerk"):
            assert "Nance" not in result.final_text


def test_a_greeting_and_a_question_are_answered_once_each(tmp_path: Path) -> None:
    with begun("dead_drop", tmp_path) as game:
        (result,) = say(game, "Evening, Viktor. Have you seen Jin?")
        assert [(one["type"], one["code"]) for one in outcomes(game, result)] == [("greet", "acted"), ("ask", "told")]
        assert "About Evening" not in result.final_text


def test_what_somebody_has_to_tell_of_themselves_comes_before_a_stock_answer_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EMBEDDER_VARIABLE, "minilm")
    lines = (
        "who are you?",
        "how are you?",
        "where do you live?",
        "What would you do first in my place?",
        "where do you live?",
    )
    with begun("lamp_night", tmp_path, seed=7) as game:
        named, fine, lives, would, again = say(game, *lines)
    types = [action.type for result in (named, fine, lives, would, again) for action in result.actions]
    assert types == ["enquire", "enquire", "ask", "ask", "enquire"]
    assert "I am fifty-eight and live aboard" in lives.final_text.replace("\n", " ")
    assert "In your place I would carry first" in would.final_text.replace("\n", " ")
