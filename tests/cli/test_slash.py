"""The commands of the prompt, as a player meets them: at a terminal, from a script or through a pipe."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_commands import run

from lorewright.bootstrap import App, open_app
from lorewright.cli.game.slash import COMMANDS, is_command, run_command
from lorewright.cli.game.turn_output import show_result
from lorewright.errors import CampaignError
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.values.records import TurnResult
from support import harbour as h


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def told(app: App, capsys: pytest.CaptureFixture[str], *lines: str) -> str:
    """What is printed for the last of these lines; the ones that are no commands are played."""
    with app.campaigns.open("game") as campaign:
        for line in lines:
            capsys.readouterr()
            if is_command(line):
                assert run_command(campaign, line)
            else:
                asyncio.run(campaign.submit(line))
    return " ".join(capsys.readouterr().out.split())


def played(app: App, *lines: str) -> str:
    """What `play` prints when these lines are piped into it."""
    return run(app.workspace.root, "play", "game", stdin="\n".join(lines) + "\n").stdout


def test_help_names_every_command_with_what_it_does(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(app, capsys, "/help")
    for name, command in COMMANDS.items():
        assert f"{name} {command.argument}".strip() in text
        assert command.help in text
    assert "/quit" in text
    assert told(app, capsys, "help") == text


def test_an_unknown_command_is_named_with_the_nearest(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(app, capsys, "/rcap") == "There is no /rcap. Did you mean /recap? All of them: /help"
    assert told(app, capsys, "/zzzzzz") == "There is no /zzzzzz. All of them: /help"
    assert told(app, capsys, "/foo") == "There is no /foo. All of them: /help"
    assert told(app, capsys, "/") == told(app, capsys, "/ help") == told(app, capsys, "/help")
    assert len(told(app, capsys, "/" + "x" * 5000)) < 200
    assert len(told(app, capsys, "/lore " + "x" * 5000)) < 200


def test_who_gives_each_one_open_line(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(app, capsys, "/who") == "The Tavern: Osk Osk: Landlord of the tavern, and a poor one."
    assert told(app, capsys, "go door", "/WHO") == "The Quay: Bea Bea: She mends nets and hears everything."


def test_the_map_has_what_was_seen_and_marks_what_was_not(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(app, capsys, "/map") == (
        "* The Tavern (you are here) door → The Quay ? · 3 min cellar → The Quay ? · 1 min · hatch: locked"
    )
    text = told(app, capsys, "search under the counter", "go door", "/map")
    assert text == (
        "* The Quay (you are here) tavern → The Tavern · 3 min "
        "The Tavern door → The Quay · 3 min cellar → The Quay · 1 min · hatch: locked, and you have the key"
    )


def test_why_gives_dice_price_and_the_note_of_each_quotation(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(app, capsys, "ask Osk about debt", "/why")
    assert re.search(r"2d6\+1 = \d+, \w+: the dice fell \d, \d, and \+1 is yours", text)
    assert "It cost 2 minutes" in text
    text = told(app, capsys, "ask Osk about Lin", "/why")
    assert "[osk/knows#boat] npcs/osk.md > Knows" in text
    assert h.KNOWS in text
    assert "Nothing was rolled and nothing was quoted." in told(app, capsys, "frobnicate it", "/why")


def test_why_lore_who_and_map_tell_nothing_that_was_not_learned(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["look", "go door", "go tavern", "wait"]
    with app.campaigns.open("game") as campaign:
        for line in lines:
            asyncio.run(campaign.submit(line))
            for command in ("/why", "/who", "/map", "/recap", "/inv", *(f"/lore {word}" for word in h.CANARIES)):
                run_command(campaign, command)
            run_command(campaign, "/lore Osk Lin debt boat cellar letter counter")
    text = capsys.readouterr().out
    for canary in h.CANARIES:
        assert canary not in text.replace(f"You know nothing of {canary}.", "")


def test_lore_names_the_section_and_knows_what_was_learned(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Lin (npcs/lin.md) A bird seller" in told(app, capsys, "/lore Lin")
    assert h.KNOWS in told(app, capsys, "ask Osk about Lin", "/lore night boat")
    assert told(app, capsys, "/lore zyzzyva") == "You know nothing of zyzzyva."
    assert told(app, capsys, "/lore") == "Ask for something: /lore NAME, or a few words"


def test_undo_redo_and_retry_say_what_they_did_and_show_where_one_is(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    first = told(app, capsys, "look", "take rope", "/recap")
    assert told(app, capsys, "/undo").startswith("Taken back: take rope")
    assert "coil of rope" not in told(app, capsys, "/inv")
    assert told(app, capsys, "/redo").startswith("Done again: take rope")
    assert told(app, capsys, "/recap") == first
    assert told(app, capsys, "ask Osk about debt", "/retry")
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "take rope", "ask Osk about debt"]


def test_a_question_that_was_asked_back_is_taken_back_with_the_turn_before_it(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(app, capsys, "take rope", "frobnicate it", "undo").startswith("Taken back: take rope")


def test_several_turns_can_be_taken_back_at_once(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("look", "take rope", "frobnicate it", "wait", "frobnicate it", "/undo 2")
    assert told(app, capsys, *lines).count("Taken back: 2 turns, from “take rope” on") == 1
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "look"]


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "²", "99", "9" * 5000])
def test_what_is_no_number_of_turns_takes_nothing_back(
    app: App, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look"))
        with pytest.raises(CampaignError) as caught:
            run_command(campaign, f"/undo {number}")
        assert caught.value.hint
        assert len(caught.value.message) < 200
        assert campaign.store.head().turn_no == 1


def test_the_answers_that_a_question_names_are_not_told_twice(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    (asked,) = h.say(app, "drop")
    (first, *_) = asked["suggested_actions"]
    show_result(TurnResult.model_validate(asked))
    assert " ".join(capsys.readouterr().out.split()).count(f"1 {first}") == 1


@pytest.mark.campaign
def test_bytes_that_are_no_text_and_letters_that_a_terminal_has_not_stop_nobody(app: App) -> None:
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(app.workspace.root), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "lorewright", "play", "game"],
        input=b"\xff\xfe look\nask osk about the wind\n",
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr.decode()
    assert b"The wind turns at midnight" in done.stdout


def test_words_with_half_a_sign_are_played(app: App) -> None:
    h.say(app, "look \udcff\ud83d")
    with app.campaigns.reading("game") as store:
        assert store.turns()[-1]["player_text"] == "look ??"


def test_through_a_pipe_all_of_them_work_and_a_sitting_is_kept(app: App) -> None:
    text = played(
        app, "take rope", "/inv", "undo", "/inv", "/redo", "1", "/map", "/undo 7", "/nonsense", "/quit", "wait"
    )
    assert text.index("coil of rope") < text.index("Taken back")
    assert text.count("You carry: lantern, coil of rope") == 1
    assert text.count("You carry: lantern\n") == 1
    assert "> wait" not in text
    sittings = json.loads(run(app.workspace.root, "session", "list", "game", "--json").stdout)
    assert [(one["id"], one["turn_range_end"]) for one in sittings] == [("game:session_1", 2)]
    assert played(app, "/quit").count(sittings[0]["summary"][:20]) == 1


def test_from_a_script_they_work_too(app: App, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("look\n/undo\n/redo\n/why\n", encoding="utf-8")
    done = run(app.workspace.root, "play", "game", "--script", str(script))
    assert done.returncode == 0
    assert "Taken back: look" in done.stdout
    assert "Done again: look" in done.stdout


def test_what_cannot_be_taken_back_is_said_and_play_goes_on(app: App) -> None:
    done = run(app.workspace.root, "play", "game", stdin="/undo\n/redo\n/retry\nlook\n")
    assert done.stderr.count("nothing to undo") == 2
    assert "nothing to redo" in done.stderr
    assert "Osk" in done.stdout.split("> look")[1]


WAITING = """    rules:
      - on: {act: wait}
        success: [{clock: dread, by: 1}]
"""


def test_after_the_end_commands_are_answered_and_the_next_other_line_is_too_many(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    scenario = h.SCENARIO.replace("    rules:\n", WAITING)
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(scenario), encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    text = played(app, "wait", "wait", "wait", "/recap", "/undo", "look", "wait", "/inv", "look", "/inv")
    assert text.count("— the end —") == 2
    assert " ".join(text.split()).count("The story has ended: fled.") == 3
    assert "Taken back: wait" in text
    assert text.count("> look") == 1
    assert text.count("You carry: lantern") == 1


def test_a_rollback_from_outside_moves_the_head(app: App) -> None:
    h.say(app, "look", "take rope", "wait")
    root = app.workspace.root
    back = json.loads(run(root, "campaign", "rollback", "game", "--turns", "2", "--json").stdout)
    assert back["current_turn"] == 1
    log = json.loads(run(root, "campaign", "log", "game", "--json").stdout)
    assert [turn["player_text"] for turn in log] == ["", "look"]
    assert "no turn 2" in run(root, "campaign", "log", "game", "--turn", "2").stderr
    assert "stands after turn 0" in run(root, "campaign", "rollback", "game", "--to", "0").stdout
    refused = run(root, "campaign", "rollback", "game")
    assert (refused.returncode, "nothing to undo" in refused.stderr) == (1, True)
    assert run(root, "campaign", "rollback", "game", "--to", "0", "--turns", "1").returncode == 1


def test_show_has_the_rate_the_sitting_the_head_and_the_pins(app: App) -> None:
    root = app.workspace.root
    run(root, "session", "start", "game")
    h.say(app, "look", "look", "wait", "look")
    shown = json.loads(run(root, "campaign", "show", "game", "--json").stdout)
    assert shown["lore_cache_hit_rate"] == 0.75
    assert shown["session"]["id"] == "game:session_1"
    assert shown["head_turn_id"].startswith("turn_")
    assert shown["pins"][0]["pack_id"] == "harbour"
    text = run(root, "campaign", "show", "game").stdout
    assert "scene lore was at hand in 75% of the turns" in text
    assert "Dread: 0/3" in text


def test_sittings_can_be_kept_by_programs(app: App) -> None:
    root = app.workspace.root
    nothing = run(root, "session", "recap", "game")
    assert (nothing.returncode, "no sitting yet" in nothing.stderr) == (1, True)
    assert run(root, "session", "end", "game").returncode == 1
    started = json.loads(run(root, "session", "start", "game", "--json").stdout)
    assert run(root, "session", "start", "game").returncode == 1
    run(root, "turn", "game", "ask Osk about Lin")
    ended = json.loads(run(root, "session", "end", "game", "--json").stdout)
    assert ended["id"] == started["id"]
    assert ended["summary"].split() == run(root, "session", "recap", "game").stdout.split()
    assert json.loads(run(root, "session", "recap", "game", "--session", "session_1", "--json").stdout) == {
        "session_id": "session_1",
        "recap": ended["summary"],
    }
    assert "turns 1 to 1" in run(root, "session", "list", "game").stdout


def test_me_tells_how_one_stands_and_nothing_of_what_others_are_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_empty_workspace(tmp_path)
    (tmp_path / "scenarios" / "cellar.yaml").write_text(CELLAR, encoding="utf-8")
    app = open_app(tmp_path)
    app.campaigns.new("cellar", campaign_id="game", seed=1)
    assert told(app, capsys, "/me") == "You are Ada: Wits +2 What is behind the wall? 0 of 2"
    shown = told(app, capsys, "look", "/me")
    assert "bound: tied or held fast" in shown
    assert "Somebody is coming down: 30 minutes left" in shown
    assert "the light has gone out: 10 minutes left" in shown
    assert "What is behind the wall? 1 of 2" in shown
    assert "gagged" not in shown


CELLAR = """
id: cellar
start: cellar
intro_seed: It is cold down here.
player: {name: Ada, traits: {wits: 2}}
places: {cellar: {name: Cellar}}
cast: {tom: {at: cellar, name: Tom, conditions: [gagged]}}
threads: {wall: {title: "What is behind the wall?", inquiry: {needed: 2}}}
threats: {steps: {title: Somebody is coming down}}
situations: {dark: {summary: the light has gone out}}
rules:
  - "on": {act: look}
    success: [{condition: bound}, {announce: steps, minutes: 30}, {situation: dark, minutes: 10}, {progress: wall}]
demo: [look]
"""


def test_a_hint_is_plainer_each_time_and_no_turn(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    printed = played(app, "/hint", "give me a hint", "I'm stuck.", "look", "hint")
    first, second, third, _, again = (
        " ".join(part.split("\n", 1)[1].split()) for part in f"\n{printed}".split("\n> ")[1:]
    )
    assert len({first, second, third}) == 3
    assert third.startswith("Type: ")
    assert again.startswith(first)
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "look"]


def test_the_goal_is_told_at_any_time(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(app, capsys, "/goal") == "Nobody has told you what to want here. Look about."
