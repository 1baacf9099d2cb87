"""Turns with models as whoever plays meets them: without a terminal, by models that are scripted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.estimate import format_dollars
from lorewright.cli.game.play_session import PlaySession, terminal_listener
from lorewright.cli.game.slash import run_command
from lorewright.errors import CampaignError, ProviderBusy
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import Model, ModelReply
from support import harbour as h

TOLD = "You look around, and nobody minds."
DOWN = ProviderBusy("the model is down")


def app_with(tmp_path: Path, *narrations: Any) -> App:
    models: Mapping[str, Model] = {"narrator": ScriptedModel(narrations)}
    return h.harbour(tmp_path, models=models)


def words(app: App) -> list[str]:
    with app.campaigns.reading("game") as store:
        return [turn["player_text"] for turn in store.turns()[1:]]


def test_a_narration_is_printed_once_where_there_is_no_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with app_with(tmp_path, TOLD).campaigns.open("game") as campaign:
        PlaySession(campaign).submit("look")
    told = capsys.readouterr()
    assert told.out.count(TOLD) == 1
    assert "\x1b" not in told.out + told.err


def test_without_a_terminal_a_failure_is_told_with_the_ways_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = app_with(tmp_path, DOWN, TOLD)
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign)
        session.submit("look")
        told = capsys.readouterr()
        assert "error[provider_busy]: the model is down" in told.err
        assert "/builtin" in told.err
        assert "/undo" in told.err
        assert words(app) == []
        session.submit("look")
    assert TOLD in capsys.readouterr().out
    assert words(app) == ["look"]


def test_builtin_plays_the_words_that_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = app_with(tmp_path, DOWN)
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign)
        session.submit("take rope")
        assert run_command(campaign, "/builtin", session=session)
        run_command(campaign, "/builtin look at osk", session=session)
        capsys.readouterr()
        run_command(campaign, "/builtin", session=session)
        assert "There is nothing to play" in capsys.readouterr().out
    assert words(app) == ["take rope", "look at osk"]


@pytest.mark.parametrize(
    ("choices", "played"),
    [("r", ["wait", "look"]), ("b", ["wait", "look"]), ("", ["wait"]), ("u", []), ("xr", ["wait", "look"])],
)
def test_at_a_terminal_a_failed_turn_is_retried_built_in_or_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choices: str, played: list[str]
) -> None:
    app = app_with(tmp_path, TOLD, DOWN, TOLD)
    answers = iter([*choices, *([""] * 3)])
    monkeypatch.setattr("builtins.input", lambda question: next(answers))
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign, at_terminal=True)
        session.submit("wait")
        session.submit("look")
        with_model = [one["narrator"] for one in _narrators(app)]
    assert words(app) == played
    assert with_model == ["scripted"] * len(played) if choices != "b" else with_model == ["scripted", "builtin"]


def _narrators(app: App) -> list[dict[str, str]]:
    with app.campaigns.reading("game") as store:
        records = [store.stage_records(turn["turn_id"]) for turn in store.turns()[1:]]
    return [{one["stage"]: one["model_key"] for one in turn} for turn in records]


def test_a_retry_that_fails_leaves_the_turn_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = app_with(tmp_path, TOLD, DOWN)
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign)
        session.submit("look")
        run_command(campaign, "/retry", session=session)
        assert "the model is down" in capsys.readouterr().err
    assert words(app) == ["look"]


def test_a_mistake_of_the_players_is_no_reason_to_offer_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda question: pytest.fail("nothing is asked"))
    with app_with(tmp_path).campaigns.open("game") as campaign, pytest.raises(CampaignError, match="nothing to undo"):
        PlaySession(campaign, at_terminal=True).retry()


def test_whoever_wants_to_know_is_told_what_a_turn_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reply = ModelReply(TOLD, "m", 4_120, 210, cache_read_tokens=3_378, cost_microusd=12_345)
    with app_with(tmp_path, reply).campaigns.open("game") as campaign:
        session = PlaySession(campaign, verbose=True)
        session.submit("look")
        assert "  in 4,120 (82 % cached) · out 210 · $0.0123 · 0." in capsys.readouterr().out
        run_command(campaign, "/builtin wait", session=session)
        assert "no model was asked" in capsys.readouterr().out


def test_an_interrupt_while_a_model_thinks_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(request: Any) -> Any:
        raise KeyboardInterrupt

    app = h.harbour(tmp_path, models={"narrator": ScriptedModel(interrupted)})
    with app.campaigns.open("game") as campaign:
        PlaySession(campaign, at_terminal=True).submit("look")
        assert "Stopped. Nothing of it happened" in capsys.readouterr().out
        with pytest.raises(KeyboardInterrupt):
            PlaySession(campaign).submit("look")
    assert words(app) == []


@pytest.mark.parametrize(("told", "ends"), [("It rains. And", "— that did not happen: it is told anew —"), ("", "")])
def test_what_is_taken_back_is_said_only_of_what_was_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: str, ends: str
) -> None:
    monkeypatch.setattr("lorewright.cli.game.play_session.can_redraw", lambda: True)
    with terminal_listener(streams=True) as looking:
        looking.told(told)
        looking.not_so("it names the secret marmoset")
    shown = capsys.readouterr().out
    assert shown.strip().endswith(ends)
    assert "marmoset" not in shown


def test_a_long_telling_that_cannot_be_drawn_anew_is_not_printed_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINES", "5")
    monkeypatch.setattr("lorewright.cli.game.play_session.can_redraw", lambda: True)
    text = "It rains and it rains. " * 40
    with terminal_listener(streams=True) as looking:
        looking.told(text)
        assert looking.happened(text)
        looking.told(text)
        assert not looking.happened(f"Otherwise. {text}")
    assert "\x1b" not in capsys.readouterr().out


def test_prices_are_told_with_the_digits_that_say_something() -> None:
    amounts = {0: "$0", 0.0123: "$0.012", 0.00034: "$0.00034", 1.5: "$1.50", 0.1: "$0.10"}
    assert {usd: format_dollars(usd) for usd in amounts} == amounts
