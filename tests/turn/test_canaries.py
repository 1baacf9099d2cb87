"""A canary in every kind of secret: nowhere that a player or a narrator looks, until it is revealed; then where it
belongs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App
from lorewright.cli.game.slash import run_command
from lorewright.cli.root import app as command_line
from lorewright.llm.doubles import ParrotModel
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.turn.store.turn_store import redo, undo
from support import harbour as h
from support import harbour_canaries as c

# Every kind of thing that one can do, and guesses in the player's own words that no secret uses.
LINES = (
    "look", "look at osk", "look at the barrel", "talk to osk", "ask osk about lin", "ask osk about the roof",
    "tell osk that I know everything", "tell osk about lin", "threaten osk with the truth", "persuade osk to confess",
    "promise osk a month of peace", "what did you promise me", "search the rafters", "yodel a tune", "frobnicate it", "2",
    "take the rope", "use the rope on the hatch", "go cellar", "hide", "wait an hour", "1", "go door", "talk to bea",
    "ask bea about lin", "ask bea about her", "attack bea", "give rope to bea", "search the boats", "i",
)  # fmt: skip


def sat_down(app: App, *lines: str) -> list[dict[str, Any]]:
    """Play lines in a sitting that is ended with its summary."""
    session = app.sessions.start_session("game")
    results = h.say(app, *lines)
    app.sessions.end_session(session.id)
    return results


def printed(app: App, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the commands for a campaign print."""
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    commands = (
        ["campaign", "show", "game"], ["campaign", "show", "game", "--json"], ["campaign", "log", "game"],
        ["campaign", "log", "game", "--json"], ["campaign", "list", "--json"], ["session", "recap", "game"],
        ["session", "list", "game", "--json"], ["doctor"],
        ["lore", "query", "harbour master passage", "--campaign", "game", "--as", "player", "--json"],
    )  # fmt: skip
    results = [CliRunner().invoke(command_line, command) for command in commands]
    assert [
        (result.exit_code, command) for result, command in zip(results, commands, strict=True) if result.exit_code
    ] == []
    return "\n".join(result.output for result in results)


@pytest.mark.campaign
@pytest.mark.parametrize("parrots", [(), ("narrator",), ("planner", "narrator")], ids=str)
def test_no_canary_is_seen_before_it_is_revealed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, parrots: tuple[str, ...]
) -> None:
    app = c.canary_town(tmp_path, models={stage: ParrotModel() for stage in parrots})
    # A parrot repeats all that it has ever said, and so grows with every turn.
    lines = LINES[1::6] if parrots else LINES
    results = sat_down(app, *lines)
    assert len(results) == len(lines)
    surfaces = {
        "results": json.dumps(results, ensure_ascii=False),
        "stages": c.staged(app),
        "prompt": c.shown_at_the_prompt(app, capsys),
        "player": c.queried(app, "player"),
        "bystander": c.queried(app, "npc:lin"),
        "sittings": c.kept_of_sittings(app),
        "commands": printed(app, monkeypatch),
    }
    assert {where: found for where, text in surfaces.items() if (found := c.canaries_in(text))} == {}


def test_every_canary_is_there_for_the_game_master_or_is_no_text(tmp_path: Path) -> None:
    app = c.canary_town(tmp_path)
    no_text = ("bilby", "tapir", "okapi", "dhole", "dugong", "quagga", "lamprey", "zebu", "fossa", "Zorilla", "Quokka")
    everything = c.queried(app, "gm")
    assert [one for one in c.CANARIES.values() if one not in no_text and one not in everything] == []


def revealing(tmp_path: Path, canary: str, *lines: str) -> App:
    """The town after lines that have told a canary, with the first seed by whose dice they do."""
    for seed in range(1, 20):
        app = c.canary_town(tmp_path / f"seed{seed}", seed=seed)
        if canary in sat_down(app, *lines)[-1]["final_text"]:
            return app
    raise AssertionError(f"{canary} is not told by {lines}")


MARMOSET = c.CANARIES["withheld"]
PANGOLIN = c.CANARIES["undiscovered"]


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("canary", "line", "asked"),
    [
        (MARMOSET, "ask osk about his quagga", "who paid for a month of quiet"),
        (PANGOLIN, "search the place", "what lay folded small"),
    ],
)
def test_what_was_revealed_is_wherever_it_belongs_and_nowhere_once_it_is_taken_back(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    canary: str,
    line: str,
    asked: str,
) -> None:
    app = revealing(tmp_path, canary, "take rope", line)
    query = {"keywords": asked, "viewer": "player", "limit": 50, "max_tokens": 9000}

    def surfaces() -> dict[str, str]:
        with app.campaigns.open("game") as campaign:
            capsys.readouterr()
            for command in (f"/lore {asked}", "/recap", "/why", "/lore osk tavern letter"):
                run_command(campaign, command)
        found = app.lore.retrieve(LoreRetrievalQuery.model_validate(query), campaign_id="game")
        return {
            "prompt": capsys.readouterr().out,
            "query": found.result.model_dump_json(),
            "player": c.queried(app, "player"),
            "commands": printed(app, monkeypatch),
        }

    assert {where for where, text in surfaces().items() if canary not in text} == set()
    assert canary not in c.queried(app, "npc:bea")
    others = json.dumps(surfaces())
    assert c.canaries_in(others, but=(canary, "quagga", "lamprey", "dugong")) == []
    with app.campaigns.open("game") as campaign:
        undo(campaign.store)
    assert {where: found for where, text in surfaces().items() if (found := c.canaries_in(text))} == {}
    h.say(app, "look", "ask osk about lin", "talk to osk")
    assert {where: found for where, text in surfaces().items() if (found := c.canaries_in(text))} == {}


@pytest.mark.campaign
def test_what_is_done_again_is_known_again(tmp_path: Path) -> None:
    app = revealing(tmp_path, PANGOLIN, "search the place")
    with app.campaigns.open("game") as campaign:
        undo(campaign.store)
        assert PANGOLIN not in c.queried(app, "player")
        redo(campaign.store)
    assert PANGOLIN in c.queried(app, "player")


GUESSES = (
    "tell osk that he sold her passage to the harbour master",
    "is it true that you sold her passage for a month of quiet",
    "threaten osk with what the harbour master paid",
    "persuade osk to admit that he sold Lin's passage",
    "ask osk whether he has sold her passage to the harbour master for a month of quiet",
    "tell osk that the letter lies under the barrel",
    "promise osk to say nothing of the passage that he sold to the harbour master",
)


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guess_in_ones_own_words_is_not_confirmed(tmp_path: Path, guess: str) -> None:
    app = c.canary_town(tmp_path)
    results = h.say(app, guess, "what do you know", "ask osk about that")
    told = json.dumps(results, ensure_ascii=False)
    assert c.canaries_in(told + c.staged(app), but=("dugong",)) == []
    secrets = ("osk:withholds", "tavern:discoverable")
    assert not [one for result in results for one in result["citations"] if one["chunk_id"].endswith(secrets)]
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert not [item for item in state.learned_by(state.player_id) if any(one in item for one in secrets)]
