"""Lines played instead of the last one, points with names, exports, and an empty line: at the prompt of a game."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import import_campaign
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.sitting import play_at_prompt
from lorewright.cli.game.slash import run_command
from lorewright.errors import CampaignError, NotFound, ProviderBusy
from lorewright.llm.doubles import ScriptedModel
from support import harbour as h


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def said(app: App, *lines: str) -> list[str]:
    """Type these lines, and return what is played on the path to the head."""
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign)
        session.campaigns = app.campaigns
        for line in lines:
            if line.startswith("/"):
                run_command(campaign, line, session=session)
            else:
                asyncio.run(campaign.submit(line))
        return [turn["player_text"] for turn in campaign.store.turns()[1:]]


def test_other_words_are_played_in_place_of_the_last(app: App) -> None:
    assert said(app, "look", "take rope", "/edit wait") == ["look", "wait"]
    assert said(app, "/edit take rope", "/undo") == ["look"]


def test_words_that_were_not_understood_are_replaced_without_taking_anything_back(app: App) -> None:
    assert said(app, "take rope", "frobnicate it", "/edit look") == ["take rope", "frobnicate it", "look"]


def test_there_is_nothing_to_edit_before_the_first_words(app: App) -> None:
    with pytest.raises(CampaignError, match="nothing to edit"):
        said(app, "/edit look")


def test_what_fails_in_its_place_leaves_the_turn_as_it_was(tmp_path: Path) -> None:
    narrator = ScriptedModel(["You look around.", ProviderBusy("the model is down")])
    app = h.harbour(tmp_path, models={"narrator": narrator})
    assert said(app, "look", "/edit take rope") == ["look"]


def test_without_a_prompt_that_can_edit_the_last_words_are_shown(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(app, "take rope", "/edit") == ["take rope"]
    assert "You said: take rope" in capsys.readouterr().out


def test_one_goes_back_to_a_point_as_often_as_one_likes(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(app, "look", "/save before the rope", "take rope", "wait") == ["look", "take rope", "wait"]
    assert said(app, "/load before_the_rope", "go door") == ["look", "go door"]
    assert "Where you were is kept: /load main-turn3" in capsys.readouterr().out
    assert said(app, "/load Before_the_Rope", "look") == ["look", "look"]
    assert said(app, "/load main-turn3") == ["look", "take rope", "wait"]
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "take rope", "wait"]
    checked = check(app.campaigns.path("game"), app.campaigns.kept)
    assert (checked.findings, checked.notes) == ((), ())


def test_what_was_taken_back_is_not_done_again_from_another_point(app: App) -> None:
    said(app, "look", "/save one", "take rope", "wait", "/undo", "/load one")
    with pytest.raises(CampaignError, match="nothing to redo"):
        said(app, "/redo")


def test_going_forward_to_a_point_keeps_no_other_name(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(app, "look", "take rope", "/save", "/undo 2", "/load save-turn2") == ["look", "take rope"]
    said(app, "/branches")
    shown = capsys.readouterr().out
    assert "save-turn2" in shown
    assert "main-turn" not in shown


def test_a_point_that_is_not_there_or_where_one_stands_is_refused(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    said(app, "look", "/save here")
    for line, problem in (("/load nowhere", NotFound), ("/load here", CampaignError), ("/save here", CampaignError)):
        with pytest.raises(problem):
            said(app, line)
    with pytest.raises(CampaignError, match="cannot be the name"):
        said(app, "/save ../../etc")
    capsys.readouterr()
    said(app, "/load")
    assert "/load NAME goes to where one of them stands" in capsys.readouterr().out


def test_a_campaign_is_exported_from_within_the_game(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said(app, "look", f"/export {tmp_path / 'mine.lorewright'}", "/export", "/export")
    for name in ("mine", "game", "game-2"):
        assert (tmp_path / f"{name}.lorewright").is_file()
    row = import_campaign(app.campaigns, tmp_path / "mine.lorewright", campaign_id="copy")
    assert row.current_turn == 1
    with app.campaigns.open("game") as campaign, pytest.raises(CampaignError, match="cannot be exported from here"):
        run_command(campaign, "/export")


def test_an_empty_line_goes_on_and_shows_what_was_played(
    app: App, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = iter(["", "frobnicate it", "", "look"])

    def ask(question: str = "") -> str:
        line = next(given, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", ask)
    play_at_prompt(app.campaigns, "game")
    shown = capsys.readouterr().out
    assert "> wait" in shown
    assert shown.count("Answer with a number, or in your own words.") == 1
    assert said(app) == ["wait", "frobnicate it", "look"]
