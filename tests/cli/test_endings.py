"""After an ending: the same story again, back to before it, or another one; and nothing that looks like a fault."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_commands import run

from lorewright.bootstrap import App, open_app
from lorewright.cli.game.endings import WaysOn
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.sitting import play_at_prompt
from lorewright.cli.game.stories import Stories
from support import harbour as h

Typed = Callable[..., str]

WAITING = """    rules:
      - on: {act: wait}
        success: [{clock: dread, by: 1}]
"""


@pytest.fixture
def app(tmp_path: Path) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    scenario = h.SCENARIO.replace("    rules:\n", WAITING).replace("id: night_boat", "id: game")
    (root / "scenarios" / "game.yaml").write_text(h.dedent(scenario), encoding="utf-8")
    made = open_app(root)
    made.campaigns.new("game", campaign_id="game", seed=1)
    return made


@pytest.fixture
def typed(app: App, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Typed]:
    """Play these lines at the prompt of a campaign, and return what was printed, stderr last."""

    def play(*lines: str, campaign: str = "game") -> str:
        given = iter(lines)

        def ask(question: str = "") -> str:
            line = next(given, None)
            if line is None:
                raise EOFError
            return line

        monkeypatch.setattr("builtins.input", ask)
        capsys.readouterr()
        play_at_prompt(app.campaigns, campaign, stories=Stories(app))
        told = capsys.readouterr()
        return " ".join((told.out + told.err).split())

    yield play


def turns(app: App, campaign: str) -> list[str]:
    with app.campaigns.reading(campaign) as store:
        return [turn["player_text"] for turn in store.turns()[1:]]


OFFER = "1 begin it again 2 go back to before the end 3 another story"


def test_an_ending_offers_to_begin_again_and_a_number_does(app: App, typed: Typed) -> None:
    text = typed("wait", "wait", "wait", "1", "look", campaign="game")
    assert text.count(OFFER) == 1
    assert text.index("— the end —") < text.index(OFFER)
    assert turns(app, "game") == ["wait", "wait", "wait"]
    assert turns(app, "game_2") == ["look"]
    assert "Go on with: lorewright play game_2" in text


def test_one_goes_back_to_before_the_end_by_number_or_by_word(app: App, typed: Typed) -> None:
    text = typed("wait", "wait", "wait", "2", "look", "wait", "back")
    assert text.count("Taken back: wait") == 2
    assert turns(app, "game") == ["wait", "wait", "look"]


def test_whoever_comes_back_to_an_ending_is_shown_it_and_the_same_offer(app: App, typed: Typed) -> None:
    typed("wait", "wait", "wait")
    text = typed("look around", "", "7", "again")
    assert text.count(OFFER) == 4
    assert text.count("— the end —") == 3
    assert "error[" not in text
    assert turns(app, "game_2") == []


def test_another_story_is_chosen_from_the_list(app: App, typed: Typed) -> None:
    other = app.campaigns.new("night_boat", campaign_id="other", seed=2).id
    text = typed("wait", "wait", "wait", "3", "2", "y", "look")
    assert "begun: other, last played" in text
    assert turns(app, other) == ["look"]


def test_who_chooses_no_other_story_stays_at_the_ending(app: App, typed: Typed) -> None:
    text = typed("wait", "wait", "wait", "3", "", "undo")
    assert text.count(OFFER) == 2
    assert turns(app, "game") == ["wait", "wait"]


def test_what_the_game_refuses_is_said_in_plain_words(typed: Typed) -> None:
    text = typed("/undo", "/redo")
    assert "There is nothing to undo: the story stands at its beginning." in text
    assert "error[" not in text


def test_a_story_whose_file_is_gone_is_not_offered_again(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign)
        app.campaigns.scenario_path("game").unlink()
        assert WaysOn(session, Stories(app)).labels == ("go back to before the end", "another story")
        assert WaysOn(session, None).labels == ("go back to before the end",)


def test_begun_again_a_campaign_keeps_what_was_agreed_on(app: App, tmp_path: Path) -> None:
    agreed = tmp_path / "agreed.yaml"
    agreed.write_text("tone: dry\n", encoding="utf-8")
    run(app.workspace.root, "campaign", "new", "game", "--id", "calm", "--calibration", str(agreed))
    with app.campaigns.open("calm") as campaign:
        again = Stories(app).begin_again(campaign)
    with app.campaigns.reading(again) as store:
        assert store.campaign().calibration["tone"] == "dry"
        assert store.campaign().scenario_id == "game"


def test_new_begins_another_campaign_although_there_is_one(app: App) -> None:
    root = app.workspace.root
    run(root, "play", "game", stdin="look\n")
    run(root, "play", "game", "--new", stdin="wait\n")
    run(root, "play", "game_2", "--new", stdin="take rope\n")
    assert [turns(app, name) for name in ("game", "game_2", "game_3")] == [["look"], ["wait"], ["take rope"]]


def test_play_without_a_name_lists_what_there_is(app: App) -> None:
    run(app.workspace.root, "play", "game", stdin="look\n")
    text = " ".join(run(app.workspace.root, "play").stdout.split())
    assert text.startswith("1 Night Boat game begun: game, last played 2")
    assert "2 Night Boat" in text
    refused = run(app.workspace.root, "play", "--script", "x.txt")
    assert (refused.returncode, "name it" in refused.stderr) == (1, True)


def test_one_chooses_a_scenario_and_may_set_limits_first(
    app: App, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = iter(["nine", "9", "1", "n", "", ""])
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return next(given)

    monkeypatch.setattr("builtins.input", ask)
    assert Stories(app).choose() == "game_2"
    assert [question for question in asked if question.startswith("Which one?")] == asked[:3]
    assert asked[3].startswith("Go on with game, last played")
    assert asked[4:] == ["Set tone and limits first? [y/N] "]
    given = iter(["1", "y"])
    assert Stories(app).choose() == "game_2"
    given = iter([""])
    assert Stories(app).choose() is None


def test_a_session_zero_is_for_a_campaign_that_begins(app: App) -> None:
    refused = run(app.workspace.root, "play", "game", "--session-zero", stdin="look\n")
    assert (refused.returncode, "--new" in refused.stderr) == (1, True)


def test_a_removed_campaign_is_gone_with_its_index(app: App) -> None:
    root = app.workspace.root
    run(root, "play", "game", stdin="look\n")
    refused = run(root, "campaign", "remove", "game")
    assert (refused.returncode, "say --yes" in refused.stderr, app.campaigns.ids()) == (1, True, ["game"])
    removed = json.loads(run(root, "campaign", "remove", "game", "--yes", "--json").stdout)
    assert removed["id"] == "game"
    assert [path.name for path in (root / "campaigns").iterdir() if path.name.startswith("game")] == []
    assert [path.name for path in (root / "indexes" / "history").glob("game*")] == []
    assert run(root, "campaign", "remove", "game", "--yes").returncode == 1


def test_a_campaign_that_is_open_is_not_removed(app: App) -> None:
    with app.campaigns.open("game"):
        refused = run(app.workspace.root, "campaign", "remove", "game", "--yes")
        assert (refused.returncode, "is open in another process" in refused.stderr) == (1, True)
    assert app.campaigns.ids() == ["game"]
    assert run(app.workspace.root, "campaign", "remove", "game", "--yes").returncode == 0


def test_a_campaign_whose_file_is_damaged_can_be_removed(app: App) -> None:
    app.campaigns.path("game").write_bytes(b"no database" * 100)
    assert run(app.workspace.root, "campaign", "remove", "game", "--yes").returncode == 0
    assert app.campaigns.ids() == []


def test_one_is_told_when_packs_or_the_scenario_are_others_by_now(app: App, typed: Typed) -> None:
    assert "campaign upgrade" not in typed("look")
    path = app.campaigns.scenario_path("game")
    text = path.read_text(encoding="utf-8")
    later = path.stat().st_mtime + 100
    os.utime(path, (later, later))
    assert "campaign upgrade" not in typed("look")
    path.write_text(text.replace("The rain has driven", "The snow has driven"), encoding="utf-8")
    os.utime(path, (later, later))
    assert "the scenario's file has changed since" in typed("look")
    path.write_text(text, encoding="utf-8")
    tavern = app.workspace.content_packs / "harbour" / "locations" / "tavern.md"
    tavern.write_text(tavern.read_text(encoding="utf-8").replace("fiddle", "harp"), encoding="utf-8")
    app.indexer.index_pack(app.workspace.content_packs / "harbour")
    text = typed("look")
    assert "harbour is installed with another text by now: lorewright campaign upgrade game" in text
    assert text.count("campaign upgrade") == 1
