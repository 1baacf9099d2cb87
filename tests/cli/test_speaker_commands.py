"""Who speaks, to whom, and what is said outside of the story: at the prompt, from a script, as commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_commands import run

from lorewright.bootstrap import App
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.slash import is_command, run_command
from lorewright.errors import CampaignError
from support import harbour as h
from support import harbour_crew as c

SECRET = "I shall never forgive the ostrich"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return c.crew(tmp_path, together=True, profile="stream")


def told(app: App, capsys: pytest.CaptureFixture[str], *lines: str, debug: bool = False) -> str:
    """What is printed for the last of these lines, said at one session."""
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign, debug=debug)
        for line in lines:
            capsys.readouterr()
            if is_command(line):
                assert run_command(campaign, line, session=session)
            else:
                session.submit(line)
    return " ".join(capsys.readouterr().out.split())


def turns(app: App) -> list[tuple[str, str]]:
    with app.campaigns.reading("game") as store:
        return [(turn["kind"], turn["player_text"]) for turn in store.turns()[1:]]


def thoughts(app: App) -> list[str]:
    with app.campaigns.reading("game") as store:
        told = store.messages(store.position().turn_id, last=100)
        return [
            f"{one.owner}: {one.content}" for _, one in told if one.type == "thought" and one.owner in (c.ADA, c.BO)
        ]


def test_as_lists_whom_one_may_play_and_goes_on_as_one_of_them(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(app, capsys, "/as") == "* Ada: at The Tavern Bo: at The Quay"
    assert told(app, capsys, "/as bo") == "You go on as Bo with your next words: at The Quay."
    assert turns(app) == []
    assert told(app, capsys, "/as bo", "/as") == "Ada: at The Tavern * Bo: at The Quay"
    assert "You are Ada." in told(app, capsys, "/as bo", "/as ada")
    assert "Quay" in told(app, capsys, "/as bo", "look around")
    assert told(app, capsys, "/as") == "Ada: at The Tavern * Bo: at The Quay"
    assert "You carry: knife" in told(app, capsys, "/inv")


def test_as_nobody_is_an_error_that_says_who_there_is(app: App) -> None:
    with app.campaigns.open("game") as campaign, pytest.raises(CampaignError) as refused:
        run_command(campaign, "/as Osk")
    assert "you may play: Ada, Bo" in str(refused.value.hint)


def test_a_thought_is_kept_for_the_next_words_and_no_longer(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert "keep it to yourself" in told(app, capsys, f"/think {SECRET}")
    assert "ostrich" not in told(app, capsys, f"/think {SECRET}", "look around", "wait")
    assert thoughts(app) == [f"{c.ADA}: {SECRET}"]
    assert "let the thought go" in told(app, capsys, "/think never mind", "/think")
    told(app, capsys, "/think never mind", "/think", "wait")
    assert thoughts(app) == [f"{c.ADA}: {SECRET}"]
    assert "/think TEXT" in told(app, capsys, "/think")


def test_a_thought_is_kept_until_the_words_that_it_goes_with_are_played(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    with app.campaigns.open("game") as campaign:
        session = PlaySession(campaign)
        run_command(campaign, f"/think {SECRET}", session=session)
        with pytest.raises(CampaignError):
            session.submit("tell it", whisper_to="harbour:lin")
        session.submit("wait")
    assert thoughts(app) == [f"{c.ADA}: {SECRET}"]


@pytest.mark.parametrize("name", ["Osk", "osk:", "the landlord", "harbour:osk"])
def test_a_whisper_takes_the_longest_name_that_somebody_has(
    app: App, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    if name == "harbour:osk":
        name = "osk"
    assert "kestrel" in told(app, capsys, f"/whisper {name} ask about the boat")
    with app.campaigns.reading("game") as store:
        whispered = [m for _, m in store.messages(store.position().turn_id, last=1) if m.subtype == "whisper"]
    assert [(one.owner, one.content, one.payload["to"]) for one in whispered if one.owner == c.ADA] == [
        (c.ADA, "ask about the boat", c.OSK)
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/whisper", "needs a name"),
        ("/whisper Osk", "nothing to whisper"),
        ("/whisper Zeno hello", "nobody called Zeno"),
    ],
)
def test_a_whisper_without_ears_or_words_is_refused(app: App, line: str, why: str) -> None:
    with app.campaigns.open("game") as campaign, pytest.raises(CampaignError, match=why):
        run_command(campaign, line)
    assert turns(app) == []


def test_a_scene_ends_outside_of_the_story_and_is_taken_back_by_itself(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    told(app, capsys, "look around")
    assert told(app, capsys, "/scene end 30").startswith("The scene ends. 30 minutes later.")
    assert turns(app) == [("play", "look around"), ("edit", "")]
    assert told(app, capsys, "/undo").startswith("Taken back: the end of the scene")
    assert turns(app) == [("play", "look around")]
    assert told(app, capsys, "/redo").startswith("Done again")
    told(app, capsys, "/scene end", "wait")
    # No stage was ever told that anybody said so.
    assert not any("/scene" in one for given in h.stage_inputs(app).values() for one in given)


@pytest.mark.parametrize("line", ["/scene", "/scene begin", "/scene end soon", "/scene end -5", "/scene end ²"])
def test_a_scene_can_be_ended_and_nothing_else(app: App, line: str) -> None:
    with app.campaigns.open("game") as campaign, pytest.raises(CampaignError, match="comes `end`"):
        run_command(campaign, line)
    assert turns(app) == []


def test_undo_npc_takes_back_what_was_done_last_by_somebody_else(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    assert "polishes a glass" in told(app, capsys, "look around")
    again = told(app, capsys, "/undo NPC")
    assert "ties a knot" in again
    assert "polishes a glass" not in again
    assert turns(app) == [("play", "look around")]


def test_debug_alone_shows_what_others_mean_and_think(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    plain = told(app, capsys, "/think Careful.", "look around")
    assert "intends" not in plain
    assert "Quiet." not in plain
    shown = told(app, capsys, "/think Careful.", "/whisper osk ask about the boat", debug=True)
    assert "Ada thinks: Careful." in shown
    assert "Ada whispers to Osk: ask about the boat" in shown
    assert "activation: Bea is baked; Osk is baked" in shown
    assert "Bea intends:" in shown
    assert "stages: interpreter" in shown
    assert "npc_intent × 2" in shown


def test_rolls_to_act_are_shown_with_what_they_were_rolled_against(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cast = c.scenario(profile="stream", together=True)["cast"]
    cast["osk"] = {**cast["osk"], "baked": False, "chattiness": 1.0}
    cast["bea"] = {**cast["bea"], "baked": False, "chattiness": 0.0}
    app = c.crew(tmp_path, profile="stream", together=True, cast=cast)
    shown = told(app, capsys, "look around", debug=True)
    assert "of 100, acts" in shown
    assert "of 0, lets it pass" in shown


# As commands.


def test_the_same_as_commands(app: App) -> None:
    root = app.workspace.root
    done = run(root, "turn", "game", "look around", "--persona", "Bo", "--thought", SECRET, "--json")
    result = json.loads(done.stdout)
    assert [one["type"] for one in result["messages"]] == ["thought", "intention", "narration"]
    whispered = run(root, "turn", "game", "ask about the boat", "--persona", "ada", "--whisper", "osk")
    assert "kestrel" in whispered.stdout
    refused = run(root, "turn", "game", "look", "--persona", "Osk")
    assert (refused.returncode, "for you to play" in refused.stderr) == (1, True)
    taken = json.loads(run(root, "campaign", "undo-npc", "game", "--json").stdout)
    assert taken["turn_no"] == 2
    ended = json.loads(run(root, "campaign", "end-scene", "game", "--minutes", "30", "--json").stdout)
    assert ended["turn_no"] == 3
    assert run(root, "campaign", "undo-npc", "game").returncode == 1


@pytest.mark.campaign
def test_the_log_shows_others_only_to_who_asks(app: App) -> None:
    root = app.workspace.root
    run(root, "turn", "game", "look around", "--thought", SECRET)
    plain = run(root, "campaign", "log", "game").stdout
    assert f"You think: {SECRET}" in " ".join(plain.split())
    assert "Quiet." not in plain
    assert "intends" not in plain
    assert "Quiet." not in run(root, "campaign", "log", "game", "--json").stdout
    debug = " ".join(run(root, "campaign", "log", "game", "--debug").stdout.split())
    assert "Osk thinks: Quiet." in debug
    data = json.loads(run(root, "campaign", "log", "game", "--debug", "--json").stdout)
    assert [one["type"] for one in data[1]["messages"]].count("intention") == 3
    # The turn that the story began with has none of that stage.
    staged = json.loads(run(root, "campaign", "log", "game", "--stage", "npc_intent", "--json").stdout)
    assert [len(turn["stages"]) for turn in staged] == [0, 2]
    unknown = run(root, "campaign", "log", "game", "--stage", "zzz")
    assert unknown.returncode == 1


def test_a_script_may_say_all_of_it(app: App, tmp_path: Path) -> None:
    lines = [
        "/as",
        f"/think {SECRET}",
        "/whisper osk ask about the boat",
        "/undo npc",
        "/scene end 5",
        "/as bo",
        "look",
    ]
    script = tmp_path / "script.txt"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run(app.workspace.root, "play", "game", "--script", str(script), "--debug")
    assert done.returncode == 0, done.stderr
    assert "The scene ends. 5 minutes later." in done.stdout
    assert "¦ stages:" in done.stdout
    assert thoughts(app) == [f"{c.ADA}: {SECRET}"]
    assert turns(app)[-1] == ("play", "look")
