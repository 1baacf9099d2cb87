"""What an extractor was not sure of: it waits, is accepted or rejected in a turn of its own, and a rollback makes it wait
again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App
from lorewright.campaigns import branches
from lorewright.campaigns.checks import check
from lorewright.campaigns.reviews import decide, waiting
from lorewright.cli.game.slash import run_command
from lorewright.cli.game.turn_output import show_last, show_result
from lorewright.cli.root import app as command_line
from lorewright.errors import CampaignError, EditRefused, NotFound
from lorewright.llm.doubles import ScriptedModel
from lorewright.turn.store.annotations import StoredReview, name_of_edit
from lorewright.turn.store.turn_store import undo
from lorewright.values.annotations import NO_ANNOTATIONS, Annotations, Review
from lorewright.values.records import TurnResult
from lorewright.world.ops import AddFact, SetCharacterState
from lorewright.world.state import Fact, WorldState
from support import harbour as h

FINE = "Smoke hangs from the beams [1]. Osk counts his coins."
OSK = "harbour:osk"


def habit(detail: str, confidence: float = 0.4) -> dict[str, Any]:
    return {"subject_id": OSK, "predicate": "habit", "detail": detail, "confidence": confidence}


def told(app: App, *extracted: dict[str, Any]) -> App:
    """A turn a proposal, told by a model."""
    models = {
        "narrator": ScriptedModel([FINE] * len(extracted)),
        "lore_extractor": ScriptedModel([{"established_facts": [one]} for one in extracted]),
    }
    h.say(h.with_models(app, models), *("look" for _ in extracted))
    return app


@pytest.fixture
def app(tmp_path: Path) -> App:
    return told(h.harbour(tmp_path), habit("He hums."), habit("He whistles."))


def pending(app: App) -> list[StoredReview]:
    with app.campaigns.reading("game") as store:
        return waiting(store)


def settle(app: App, review_id: str, *, accept: bool = True) -> dict[str, Any]:
    with app.campaigns.open("game") as campaign:
        return json.loads(decide(campaign, review_id, accept=accept))  # type: ignore[no-any-return]


def head(app: App) -> tuple[int, WorldState]:
    with app.campaigns.reading("game") as store:
        found = store.head()
        return found.turn_no, found.state


def habits(app: App) -> list[Any]:
    return [fact.object for fact in head(app)[1].facts_about(OSK) if fact.predicate == "habit"]


def test_what_the_extractor_was_not_sure_of_waits_and_is_not_true(app: App) -> None:
    assert [(one.short_id, one.review.shown, one.review.confidence) for one in pending(app)] == [
        ("1.0", "Osk: habit: He hums.", 0.4),
        ("2.0", "Osk: habit: He whistles.", 0.4),
    ]
    assert habits(app) == []


def test_accepted_it_becomes_true_in_a_turn_of_its_own(app: App) -> None:
    result = settle(app, "1.0")
    assert (result["turn_no"], habits(app)) == (3, ["He hums."])
    assert [one.short_id for one in pending(app)] == ["2.0"]
    (fact,) = head(app)[1].facts_about(OSK)
    assert fact.discovered_turn == 1
    with app.campaigns.reading("game") as store:
        assert store.turn(result["turn_id"]).kind == "edit"
    assert check(app.workspace.campaigns / "game.db").clean


def test_rejected_it_never_does_and_waits_no_more(app: App) -> None:
    settle(app, "1.0", accept=False)
    assert ([one.short_id for one in pending(app)], habits(app)) == (["2.0"], [])


def test_the_same_decision_twice_is_one(app: App) -> None:
    full_id = pending(app)[0].id
    assert settle(app, "1.0") == settle(app, full_id)
    assert head(app)[0] == 3


def test_a_decision_is_not_turned_over(app: App) -> None:
    settle(app, "1.0")
    with pytest.raises(CampaignError, match="was accepted already"):
        settle(app, "1.0", accept=False)
    assert habits(app) == ["He hums."]


def test_what_does_not_fit_any_more_says_why_and_waits_still(app: App) -> None:
    settle(app, "1.0")
    with pytest.raises(EditRefused, match="contradicts_fact; it still waits") as refused:
        settle(app, "2.0")
    assert refused.value.reason == "contradicts_fact"
    assert ([one.short_id for one in pending(app)], habits(app)) == (["2.0"], ["He hums."])


def test_taken_back_the_review_waits_again_and_can_be_decided_anew(app: App) -> None:
    settle(app, "1.0")
    with app.campaigns.reading("game") as store:
        branches.rollback(store, turns=1, to=None)
    assert ([one.short_id for one in pending(app)], habits(app)) == (["1.0", "2.0"], [])
    settle(app, "1.0", accept=False)
    assert [one.short_id for one in pending(app)] == ["2.0"]


def test_on_another_branch_a_decision_was_never_made(app: App) -> None:
    settle(app, "1.0")
    with app.campaigns.reading("game") as store:
        branches.branch(store, turn="1", name="what_if")
        branches.switch(store, "what_if")
    assert [one.short_id for one in pending(app)] == ["1.0"]


def test_there_is_no_such_review(app: App) -> None:
    with pytest.raises(NotFound, match=r"no review 9\.9"):
        settle(app, "9.9")


def test_an_inner_state_that_moved_since_is_not_set_back(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)

    def becomes(value: str) -> SetCharacterState:
        return SetCharacterState(who=OSK, name="mood", value=value)

    review = Review(
        stage="character_extractor",
        kind="inner_state",
        subject_id=OSK,
        ops=(becomes("merry"),),
        shown="Osk: mood becomes merry",
        confidence=0.3,
    )
    with app.campaigns.open("game") as campaign:
        campaign.edit([becomes("sour")], action_id="one", kept=Annotations(reviews=(review,)))
        campaign.edit([becomes("grim")], action_id="two", kept=NO_ANNOTATIONS)
    with pytest.raises(EditRefused, match="changed_since"):
        settle(app, "1.0")
    with app.campaigns.open("game") as campaign:
        campaign.edit([becomes("sour")], action_id="three")
    settle(app, "1.0")
    assert head(app)[1].characters[OSK].states["mood"].value == "merry"


def run(app: App, monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    return CliRunner().invoke(command_line, ["campaign", *words])


def test_reviews_are_listed_accepted_and_rejected_at_the_command_line(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = json.loads(run(app, monkeypatch, "review", "list", "game", "--json").stdout)
    assert [(one["short_id"], one["stage"], one["shown"]) for one in listed] == [
        ("1.0", "lore_extractor", "Osk: habit: He hums."),
        ("2.0", "lore_extractor", "Osk: habit: He whistles."),
    ]
    assert "review accept game 1.0" in run(app, monkeypatch, "review", "list", "game").stdout
    assert "2.0 is rejected in turn 3" in run(app, monkeypatch, "review", "reject", "game", "2.0").stdout
    (accepted,) = json.loads(run(app, monkeypatch, "review", "accept", "game", listed[0]["id"], "--json").stdout)
    assert (accepted["review"], accepted["turn_no"]) == (listed[0]["id"], 4)
    assert "Nothing waits." in run(app, monkeypatch, "review", "list", "game").stdout
    assert run(app, monkeypatch, "review", "accept", "game", "9.9").exit_code == 1


def test_an_accepted_fact_is_in_the_lorebook_with_the_turn_that_told_it(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(app, "2.0")
    (entry,) = json.loads(run(app, monkeypatch, "lorebook", "game", "--json").stdout)
    assert (entry["turn_no"], entry["source_turn_no"], entry["confidence"]) == (3, 2, 0.32)


def test_facts_that_code_made_are_none_of_the_lorebooks(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    fact = Fact(id="game:f", subject_id=OSK, predicate="age", object="forty")
    with app.campaigns.open("game") as campaign:
        campaign.edit([AddFact(fact=fact)], action_id="one")
    assert json.loads(run(app, monkeypatch, "lorebook", "game", "--json").stdout) == []


# Equal proposals are one, several are decided in one turn, and what waits is announced.


@pytest.fixture
def thrice(tmp_path: Path) -> App:
    """The same is proposed three times, and something else in between."""
    return told(h.harbour(tmp_path), *map(habit, ("He hums.", "He whistles.", "he  hums.", "He hums.")))


def test_equal_proposals_wait_as_one(thrice: App) -> None:
    assert [(one.short_id, one.also) for one in pending(thrice)] == [("1.0", ("3.0", "4.0")), ("2.0", ())]


@pytest.mark.parametrize("named", ["1.0", "4.0"])
def test_what_equals_a_decided_one_is_decided_along(thrice: App, named: str) -> None:
    settle(thrice, named)
    assert ([one.short_id for one in pending(thrice)], len(habits(thrice))) == (["2.0"], 1)
    assert check(thrice.workspace.campaigns / "game.db").clean


def decided(app: App, *ids: str, accept: bool = True) -> dict[str, Any]:
    with app.campaigns.open("game") as campaign:
        found: dict[str, Any] = json.loads(decide(campaign, *ids, accept=accept))
        return found


def test_several_are_decided_in_one_turn_with_a_name_that_tells_no_secret(thrice: App) -> None:
    before = head(thrice)[0]
    rejected = decided(thrice, "all", accept=False)
    assert (head(thrice)[0], pending(thrice)) == (before + 1, [])
    with thrice.campaigns.reading("game") as store:
        assert name_of_edit(store.database, rejected["turn_id"]) == "4 proposals rejected"
        note = store.stage_output(rejected["turn_id"], "edit")
        assert note is not None and "He whistles." in note["note"]
        undo(store)
    assert len(pending(thrice)) == 2


def test_a_batch_is_whole_or_nothing(thrice: App) -> None:
    before = head(thrice)
    with pytest.raises(EditRefused, match=r"review 2\.0 .* contradicts_fact"):
        decided(thrice, "1.0", "2.0")
    assert (head(thrice), len(pending(thrice))) == (before, 2)
    with pytest.raises(NotFound, match=r"no review 9\.9"):
        decided(thrice, "1.0", "9.9")
    decided(thrice, "all", accept=False)
    with pytest.raises(NotFound, match="nothing waits"):
        decided(thrice, "all")


def test_what_waits_is_announced_and_decided_on_at_the_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = told(h.harbour(tmp_path), habit("He hums."))
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
    shown = CliRunner().invoke(command_line, ["campaign", "show", "game"]).stdout
    assert "a proposal waits: lorewright campaign review list game" in shown
    as_json = CliRunner().invoke(command_line, ["campaign", "show", "game", "--json"]).stdout
    assert json.loads(as_json)["reviews_waiting"] == 1
    with app.campaigns.open("game") as campaign:

        def said(command: str) -> str:
            capsys.readouterr()
            run_command(campaign, command)
            return capsys.readouterr().out

        show_last(campaign)
        assert "a proposal waits for you: /review" in capsys.readouterr().out
        show_result(TurnResult.model_validate(campaign.store.turns()[-1]["result"]), campaign=campaign)
        assert "a proposal waits for you: /review" in capsys.readouterr().out
        assert "Osk: habit: He hums." in said("/review")
        assert "A proposal accepted; /undo takes it back" in said("/review accept 1.0")
        assert "Taken back: a proposal accepted" in said("/undo")
        assert "Done again: a proposal accepted" in said("/redo")
        assert "Nothing waits." in said("/review")
        with pytest.raises(CampaignError, match="nothing to do"):
            said("/review maybe")
    assert habits(app) == ["He hums."]
    assert "(a proposal accepted)" in CliRunner().invoke(command_line, ["campaign", "log", "game"]).stdout
