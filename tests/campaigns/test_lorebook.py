"""The campaign's lorebook: what narrations established, with their turns, and what they said against canon, which stays
as it is."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import branches
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.cli.root import app as command_line
from lorewright.llm.doubles import ScriptedModel
from lorewright.retrieval.query import LoreRetrievalQuery
from support import harbour as h

FINE = "Smoke hangs from the beams [1]. Osk counts his coins."
OSK = "harbour:osk"
SHOES = {"subject_id": OSK, "predicate": "shoes", "detail": "He wears two left shoes.", "confidence": 0.9}
OTHERWISE = {"subject_id": OSK, "predicate": "Shoes", "detail": "He goes barefoot in all weathers."}


@pytest.fixture
def app(tmp_path: Path) -> App:
    """Two turns: the first establishes something, the second insists on the contrary, though it is told not to."""
    app = h.harbour(tmp_path)
    models = {
        "narrator": ScriptedModel([FINE] * 3),
        "lore_extractor": ScriptedModel([{"established_facts": [one]} for one in (SHOES, OTHERWISE, OTHERWISE)]),
    }
    h.say(h.with_models(app, models), "look", "wait")
    return app


def entries(app: App, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[dict[str, Any]]:
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    result = CliRunner().invoke(command_line, ["campaign", "lorebook", "game", "--json", *options])
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def happened(app: App, words: str, viewer: str) -> list[tuple[str, Any]]:
    asked = LoreRetrievalQuery(keywords=words, viewer=viewer, corpus="history", limit=50, max_tokens=9_000)
    found = app.lore.retrieve(asked, campaign_id="game").result.chunks
    return [(chunk.section_path, chunk.metadata["turn_no"]) for chunk in found if words in chunk.text]


def test_what_was_established_and_what_spoke_against_it_stand_with_their_turns(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, flagged = entries(app, monkeypatch)
    assert (kept["turn_no"], kept["subject"], kept["detail"], kept["flag"]) == (1, "Osk", SHOES["detail"], None)
    assert kept["confidence"] == 0.72
    assert (flagged["turn_no"], flagged["detail"], flagged["flag"]) == (2, OTHERWISE["detail"], "contradicts")
    assert flagged["against"] == kept["fact_id"]
    assert entries(app, monkeypatch, "--flagged") == [flagged]


def test_canon_is_not_overwritten(app: App) -> None:
    with app.campaigns.reading("game") as store:
        assert [fact.object for fact in store.head().state.facts_about(OSK)] == [SHOES["detail"]]


def test_history_finds_both_for_the_game_master_and_no_flag_for_the_player(app: App) -> None:
    assert happened(app, "two left shoes", "gm") == happened(app, "two left shoes", "player") == [("Turn 1 > fact", 1)]
    assert happened(app, "barefoot", "gm") == [("Turn 2 > contradiction", 2)]
    assert happened(app, "barefoot", "player") == happened(app, "barefoot", f"npc:{OSK}") == []


def test_the_lorebook_goes_along_into_another_workspace(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(app.campaigns, "game", tmp_path / "game.lorewright")
    other = open_app(h.write_workspace(tmp_path / "other"))
    import_campaign(other.campaigns, tmp_path / "game.lorewright")
    assert entries(other, monkeypatch) == entries(app, monkeypatch)


def test_what_a_player_is_given_to_read_has_no_flag(app: App, tmp_path: Path) -> None:
    export(app.campaigns, "game", tmp_path / "game.zip", audience="player")
    with zipfile.ZipFile(tmp_path / "game.zip") as archive:
        texts = [archive.read(name).decode() for name in archive.namelist()]
    assert texts and not any("barefoot" in text for text in texts)


def test_an_entry_belongs_to_its_turn(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    with app.campaigns.reading("game") as store:
        branches.rollback(store, turns=1, to=None)
    assert [one["detail"] for one in entries(app, monkeypatch)] == [SHOES["detail"]]
    assert happened(app, "barefoot", "gm") == []
    with app.campaigns.reading("game") as store:
        branches.rollback(store, turns=1, to=None)
    assert entries(app, monkeypatch) == []
