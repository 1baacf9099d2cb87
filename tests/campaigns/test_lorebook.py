"""The campaign's lorebook: what narrations established, with their turns, and what they said against canon, which stays
as it is."""

from __future__ import annotations

import asyncio
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import branches
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.cli.root import app as command_line
from lorewright.llm.doubles import ScriptedModel
from lorewright.replay.metrics import ALL_TURNS
from lorewright.replay.replay import Replays
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.turn.run.commit import run_turn
from lorewright.turn.stages.stages import make_stages
from lorewright.turn.views.draft import Submission
from lorewright.world.ops import AddFact
from lorewright.world.things import Fact
from support import harbour as h

FINE = "Smoke hangs from the beams [1]. Osk counts his coins."
OSK = "harbour:osk"
OTHERWISE = {"subject_id": OSK, "predicate": "Shoes", "detail": "He goes barefoot in all weathers."}
COAT = {"subject_id": OSK, "predicate": "coat", "detail": "It has two left sleeves.", "confidence": 0.9}
OTHER_COAT = {"subject_id": OSK, "predicate": "coat", "detail": "The second sleeve has been mended.", "confidence": 0.7}
FIRM = Fact(id="game:firm", subject_id=OSK, predicate="shoes", object="Boots, always.")


def told(app: App, *facts: dict[str, Any], turns: int | None = None) -> None:
    """Turns that are narrated by a model; of each narration, one a turn if not said otherwise, a fact is read."""
    models = {
        "narrator": ScriptedModel([FINE] * len(facts)),
        "lore_extractor": ScriptedModel([{"established_facts": [one]} for one in facts]),
    }
    h.say(h.with_models(app, models), *["wait"] * (turns or len(facts)))


def facts_of_osk(app: App) -> dict[str, Any]:
    with app.campaigns.reading("game") as store:
        return {fact.predicate: fact.object for fact in store.head().state.facts_about(OSK)}


@pytest.fixture
def plain(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


@pytest.fixture
def app(plain: App) -> App:
    """Three turns: a narration establishes something of Osk, a game master says what his shoes are, and another
    narration insists on the contrary, though it is told not to."""
    told(plain, COAT)
    with plain.campaigns.open("game") as campaign:
        campaign.edit([AddFact(fact=FIRM)], action_id="firm")
    told(plain, OTHERWISE, OTHERWISE, turns=1)
    return plain


def entries(app: App, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[dict[str, Any]]:
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    result = CliRunner().invoke(command_line, ["campaign", "lorebook", "game", "--json", *options])
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def run_command(*words: str) -> str:
    result = CliRunner().invoke(command_line, list(words))
    return (
        result.output
        if result.exception is None
        else f"{result.output}{result.exception}{getattr(result.exception, 'hint', '')}"
    )


def happened(app: App, words: str, viewer: str) -> list[tuple[str, Any]]:
    asked = LoreRetrievalQuery(keywords=words, viewer=viewer, corpus="history", limit=50, max_tokens=9_000)
    found = app.lore.retrieve(asked, campaign_id="game").result.chunks
    return [(chunk.section_path, chunk.metadata["turn_no"]) for chunk in found if words in chunk.text]


def test_what_was_established_and_what_spoke_against_it_stand_with_their_turns(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, flagged = entries(app, monkeypatch)
    assert (kept["turn_no"], kept["subject"], kept["detail"], kept["flag"]) == (1, "Osk", COAT["detail"], None)
    assert kept["confidence"] == 0.72
    assert (flagged["turn_no"], flagged["detail"], flagged["flag"]) == (3, OTHERWISE["detail"], "contradicts")
    assert flagged["against"] == FIRM.id
    assert entries(app, monkeypatch, "--flagged") == [flagged]


def test_canon_is_not_overwritten(app: App) -> None:
    assert facts_of_osk(app) == {"coat": COAT["detail"], "shoes": FIRM.object}


def test_what_was_narrated_gives_way_to_a_later_narration_and_stays_in_the_lorebook(
    plain: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(plain, COAT, OTHER_COAT)
    assert facts_of_osk(plain) == {"coat": OTHER_COAT["detail"]}
    old, new = entries(plain, monkeypatch)
    assert (old["detail"], old["source_turn_no"], old["replaced_in"]) == (COAT["detail"], 1, 2)
    assert (new["detail"], new["source_turn_no"], new["replaced_in"]) == (OTHER_COAT["detail"], 2, None)
    assert (old["confidence"], new["confidence"], new["flag"]) == (0.72, 0.56, None)
    assert happened(plain, "sleeves", "player") == [("Turn 1 > fact", 1)]
    assert happened(plain, "mended", "player") == [("Turn 2 > fact", 2)]
    with plain.campaigns.reading("game") as store:
        branches.rollback(store, turns=1, to=None)
    assert facts_of_osk(plain) == {"coat": COAT["detail"]}


def test_an_old_turn_that_flagged_what_was_only_narrated_is_replayed_with_its_flag(plain: App) -> None:
    told(plain, COAT)
    changed = plain.campaigns
    with h.with_models(plain, {}).campaigns.open("game") as campaign:
        campaign.change_setting(renews_narrated=False)
        models = {
            "narrator": ScriptedModel([FINE]),
            "lore_extractor": ScriptedModel([{"established_facts": [OTHER_COAT]}]),
        }
        submission = Submission("wait", "as before")
        asyncio.run(run_turn(campaign.store, submission, campaign.setting, make_stages(models)))
    assert facts_of_osk(plain) == {"coat": COAT["detail"]}
    replays = Replays(changed, plain.histories, plain.prompts, open_model=lambda key: pytest.fail(key))
    assert asyncio.run(replays.rerun_turns("game", ALL_TURNS)).is_identical


@pytest.mark.parametrize("verdict", ["accept", "reject"])
def test_a_flagged_entry_is_decided_on_and_waits_again_once_that_is_taken_back(
    app: App, monkeypatch: pytest.MonkeyPatch, verdict: str
) -> None:
    (flagged,) = entries(app, monkeypatch, "--flagged")
    decided = run_command("campaign", "lorebook", verdict, "game", flagged["short_id"])
    assert f"{flagged['short_id']} is {verdict}ed in turn 4" in decided
    shoes = OTHERWISE["detail"] if verdict == "accept" else FIRM.object
    assert facts_of_osk(app)["shoes"] == shoes
    assert [one["decision"] for one in entries(app, monkeypatch, "--flagged")] == [f"{verdict}ed"]
    # Once more is the same turn, the other way round is refused.
    assert "in turn 4" in run_command("campaign", "lorebook", verdict, "game", flagged["short_id"])
    other = "reject" if verdict == "accept" else "accept"
    assert "already" in run_command("campaign", "lorebook", other, "game", flagged["short_id"])
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()
    with app.campaigns.reading("game") as store:
        branches.rollback(store, turns=1, to=None)
    assert facts_of_osk(app)["shoes"] == FIRM.object
    assert [one["decision"] for one in entries(app, monkeypatch, "--flagged")] == [None]


def test_an_entry_that_is_not_there_or_not_flagged_cannot_be_decided_on(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept, _) = entries(app, monkeypatch)
    assert "no flagged entry" in run_command("campaign", "lorebook", "accept", "game", kept["short_id"])
    assert "no entry is named" in run_command("campaign", "lorebook", "accept", "game")
    assert "is too much" in run_command("campaign", "lorebook", "game", "1.0")


def test_what_speaks_against_a_packs_frontmatter_becomes_a_fact_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        h.FILES, "npcs/osk.md", h.FILES["npcs/osk.md"].replace("pronoun: he", "pronoun: he\n        eyes: grey")
    )
    app = h.harbour(tmp_path)
    told(app, {"subject_id": OSK, "predicate": "eyes", "detail": "They are green."}, turns=1)
    (flagged,) = entries(app, monkeypatch, "--flagged")
    assert flagged["against"] == f"{OSK}@eyes"
    run_command("campaign", "lorebook", "accept", "game", flagged["short_id"])
    assert facts_of_osk(app) == {"eyes": "They are green."}


def test_history_finds_both_for_the_game_master_and_no_flag_for_the_player(app: App) -> None:
    assert happened(app, "two left sleeves", "gm") == happened(app, "two left sleeves", "player")
    assert happened(app, "two left sleeves", "gm") == [("Turn 1 > fact", 1)]
    assert happened(app, "barefoot", "gm") == [("Turn 3 > contradiction", 3)]
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
    assert [one["detail"] for one in entries(app, monkeypatch)] == [COAT["detail"]]
    assert happened(app, "barefoot", "gm") == []
    with app.campaigns.reading("game") as store:
        branches.rollback(store, turns=2, to=None)
    assert entries(app, monkeypatch) == []
