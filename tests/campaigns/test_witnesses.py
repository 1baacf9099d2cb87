"""What happened on turn 3, asked on turn 20: by those who saw it, and by no one else; promises, and those never made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.cli.root import app as command_line
from lorewright.turn.store.turn_store import undo
from support import harbour as h

# Bea stands by from the start; when the weather is asked about she leaves, and Lin comes.
CAST = """
      osk: {at: tavern}
      bea: {at: tavern}
      lin: {at: offstage}
"""
RULE = """
      - on: {act: ask, target: osk, topic: weather}
        success: [{depart: bea, to: quay}, {arrive: lin}]
""".lstrip("\n")
PROMISE = "I'll bring the lantern to the breakwater"


@pytest.fixture
def app(tmp_path: Path) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    scenario = h.SCENARIO.replace("      osk: {at: tavern}\n      bea: {at: quay}\n", CAST.lstrip("\n"))
    scenario = scenario.replace("    rules:\n", "    rules:\n" + RULE)
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(scenario), encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    return app


def asked(app: App, monkeypatch: pytest.MonkeyPatch, words: str, viewer: str) -> str:
    """What `lore query --corpus history` prints for a viewer."""
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    line = ["lore", "query", words, "--campaign", "game", "--corpus", "history", "--as", viewer, "--json"]
    result = CliRunner().invoke(command_line, line)
    assert result.exit_code == 0, result.output
    return " ".join(chunk["text"] for chunk in json.loads(result.output)["chunks"])


def turned(app: App, monkeypatch: pytest.MonkeyPatch, words: str) -> dict[str, Any]:
    """What `turn --json` prints."""
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    result = CliRunner().invoke(command_line, ["turn", "game", words, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


@pytest.mark.campaign
def test_turn_three_is_found_on_turn_twenty_by_those_who_were_there(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    h.say(app, "look", f"promise osk {PROMISE}")
    told = turned(app, monkeypatch, "ask osk about lin")
    assert told["turn_no"] == 3
    h.say(app, "ask osk about the weather", "take rope", *["wait 5 minutes"] * 3, "go door", *["wait 5 minutes"] * 4)
    h.say(app, "go tavern", *["wait 5 minutes"] * 4, "look")
    last = turned(app, monkeypatch, "look")
    assert last["turn_no"] >= 20
    question = "what did osk say of lin and the kestrel on the boat"
    seen = {
        viewer: h.KNOWS in asked(app, monkeypatch, question, viewer)
        for viewer in ("player", "gm", "npc:osk", "npc:bea", "npc:lin")
    }
    # Bea stood by and left a turn later; Lin came when it was over.
    assert seen == {"player": True, "gm": True, "npc:osk": True, "npc:bea": True, "npc:lin": False}
    deeds = {viewer: "asked Osk about lin" in asked(app, monkeypatch, "who asked about Lin", viewer) for viewer in seen}
    assert deeds == seen
    taken = {viewer: "got the coil" in asked(app, monkeypatch, "took the coil of rope", viewer) for viewer in seen}
    assert taken == {"player": True, "gm": True, "npc:osk": True, "npc:bea": False, "npc:lin": True}


def test_a_promise_is_answered_by_whom_it_was_made_to_and_denied_by_everybody_else(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    h.say(app, f"promise osk {PROMISE}", *["wait 5 minutes"] * 5)
    assert PROMISE in turned(app, monkeypatch, "osk, what did I promise you?")["final_text"]
    for words in ("what did osk promise me?", "bea, what did I promise you?", "bea, what did you promise me?"):
        result = turned(app, monkeypatch, words)
        assert PROMISE not in result["final_text"], words
        assert result["final_text"], words
    with app.campaigns.open("game") as campaign:
        undo(campaign.store, turns=campaign.store.head().turn_no)
    assert PROMISE not in turned(app, monkeypatch, "osk, what did I promise you?")["final_text"]
    assert PROMISE not in asked(app, monkeypatch, "promise lantern breakwater", "player")
