"""What a character knows is quoted and cited; what it withholds reaches nobody until it is revealed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import open_app
from lorewright.llm.doubles import ParrotModel, ScriptedModel
from support import harbour as h


def everything_said(app: Any, results: list[dict[str, Any]]) -> str:
    """Every stage's input and output, and every result, as one text."""
    texts = [text for given in (h.stage_inputs(app), h.stage_outputs(app)) for each in given.values() for text in each]
    return "\n".join([*texts, json.dumps(results, ensure_ascii=False)])


def test_asking_quotes_what_is_known_and_cites_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (told,) = h.say(app, "ask Osk about Lin")
    assert "Lin took the night boat on Tuesday, with a cage under her arm and a kestrel in it." in told["final_text"]
    (citation,) = [one for one in told["citations"] if one["item_id"]]
    assert citation["cite"] == "osk/knows#boat"
    assert (citation["file_path"], citation["section_path"]) == ("npcs/osk.md", "Osk > Knows")


def test_before_anything_is_asked_no_stage_has_seen_any_item(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    said = everything_said(app, h.say(app, "look", "look at osk", "wait", "take the rope"))
    assert not [canary for canary in h.CANARIES if canary in said]


@pytest.mark.campaign
@pytest.mark.parametrize("stage", ["narrator", "planner", "both"])
def test_a_parrot_in_any_stage_cannot_tell_what_is_withheld(tmp_path: Path, stage: str) -> None:
    names = ("narrator", "planner") if stage == "both" else (stage,)
    app = h.harbour(tmp_path, models={name: ParrotModel() for name in names})
    lines = ("look", "ask osk about lin", "ask osk about the weather", "search the rafters", "wait", "go door")
    said = everything_said(app, h.say(app, *lines))
    assert h.KNOWS in said
    assert h.WITHHOLDS not in said
    assert h.DISCOVERABLE not in said
    for viewer in ("player", "npc:bea"):
        assert h.WITHHOLDS not in h.query(app, "marmoset passage harbour master debt", viewer)


def test_an_alias_means_whom_it_names(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (told,) = h.say(app, "ask the landlord about Lin")
    assert h.KNOWS in told["final_text"]


def test_what_is_withheld_appears_once_it_is_revealed(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, seed=seed_for(tmp_path, {"success", "critical", "mixed"}))
    assert h.WITHHOLDS not in h.query(app, "marmoset", "player")
    (told,) = h.say(app, "ask osk about his debt")
    assert h.WITHHOLDS in told["final_text"]
    assert [one["cite"] for one in told["citations"] if one["item_id"]] == ["osk/withholds#debt"]
    assert h.WITHHOLDS in h.query(app, "marmoset", "player")
    assert h.WITHHOLDS not in h.query(app, "marmoset", "npc:bea")


@pytest.mark.campaign
def test_a_failed_question_reveals_nothing_and_moves_a_clock(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, seed=seed_for(tmp_path, {"fail"}))
    results = h.say(app, "ask osk about his debt")
    assert h.WITHHOLDS not in everything_said(app, results)
    assert [clock["value"] for clock in results[0]["clocks"]] == [1]


def test_searching_finds_what_is_there_and_gives_what_comes_with_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    nothing, found, again = h.say(app, "search the rafters", "search under the counter", "search the counter")
    assert h.DISCOVERABLE not in nothing["final_text"]
    assert "Folded small under the counter lies a letter sealed with a pangolin." in found["final_text"]
    assert [one["cite"] for one in found["citations"] if one["item_id"]] == ["tavern/discoverable#letter"]
    assert [event["type"] for event in again["engine_events"] if event["type"] == "item_found"] == []
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert "game:hatch_key" in state.held_by(state.player_id)


def test_searching_the_place_by_its_name_finds_what_is_there(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (found,) = h.say(app, "search the tavern")
    assert h.DISCOVERABLE in found["final_text"]


def test_who_stands_by_overhears_and_who_does_not_does_not(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "ask osk about lin")
    assert h.KNOWS not in h.query(app, "kestrel", "npc:bea")
    assert h.KNOWS in h.query(app, "kestrel", "npc:osk")
    assert h.KNOWS in h.query(app, "kestrel", "player")


def test_a_narrator_that_quotes_what_was_not_revealed_is_not_heard(tmp_path: Path) -> None:
    thief = ScriptedModel(
        lambda _: {"final_text": "Osk says: I sold her passage to the harbour master for a marmoset."}
    )
    app = h.harbour(tmp_path, models={"narrator": thief})
    (result,) = h.say(app, "look")
    assert len(thief.requests) == 3
    assert result["fell_back"] == ["narrator"]
    assert "marmoset" not in json.dumps(result)


@pytest.mark.parametrize("is_open", [True, False])
def test_what_open_lore_says_in_the_same_words_may_be_quoted_and_nothing_else(tmp_path: Path, is_open: bool) -> None:
    gossip = "They say that somebody sold her passage to the harbour master, and look at Osk." if is_open else "Wet."
    files = {"culture/gossip.md": f"# Gossip of the passage\n\n{gossip}\n"}
    root = h.write_workspace(tmp_path / "workspace")
    h.write_pack(root / "content_packs" / "harbour", files)
    planner = ScriptedModel(lambda _: {"beats": ["Osk has sold her passage to the harbour master"]})
    app = open_app(root, models={"planner": planner})
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    (told,) = h.say(app, "look at the gossip")
    assert told.get("fell_back", []) == ([] if is_open else ["planner"])
    assert is_open or "osk:withholds#debt" in planner.requests[1].talk[-1].text


def test_a_model_that_names_what_is_not_in_scope_is_repaired(tmp_path: Path) -> None:
    wrong = {"intent": "x", "actions": [{"type": "ask", "target_id": "harbour:bea9"}]}
    right = {"intent": "wait", "actions": [{"type": "wait"}]}
    model = ScriptedModel([wrong, right])
    app = h.harbour(tmp_path, models={"interpreter": model})
    (result,) = h.say(app, "wamble about somebody or other, perhaps")
    assert result["validation"]["results"][0]["success"]
    shown, asked = model.requests[1].talk
    assert "harbour:bea9 is not in the scope" in asked.text
    assert shown.text == json.dumps(wrong)


def test_after_a_move_one_searches_and_asks_where_one_has_come_to(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (told,) = h.say(app, "go door and ask bea about the cellar")
    assert h.OTHER_KNOWS in told["final_text"]
    (found,) = h.say(app, "go tavern and search under the counter")
    assert h.DISCOVERABLE in found["final_text"]


def test_what_is_kept_back_does_not_stand_before_what_may_be_told(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    results = h.say(app, "talk to osk", "ask osk about passage and lin", "ask osk about the wind")
    assert h.KNOWS in json.dumps(results)
    assert h.WITHHOLDS not in everything_said(app, results)


def test_a_stop_word_opens_no_secret(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (told,) = h.say(app, "ask osk about me")
    assert told["rolls"] == []
    assert told["citations"] == [] or all(one["item_id"] is None for one in told["citations"])


def head_of(app: Any) -> tuple[str, int, str]:
    """The head as it would be guarded, and its state."""
    with app.campaigns.reading("game") as store:
        head = store.head()
        return head.turn_id, head.revision, head.state.to_json()


def seed_for(tmp_path: Path, bands: set[str]) -> int:
    """A seed by which asking Osk about his debt falls into one of the bands."""
    for seed in range(1, 60):
        app = h.harbour(tmp_path / f"try{seed}", seed=seed)
        (result,) = h.say(app, "ask osk about his debt")
        if result["rolls"][0]["band"] in bands:
            return seed
    raise AssertionError(f"no seed gives {bands}")


GOAL = "Sell the harbour master one more passenger before the wind turns"


def with_goals(tmp_path: Path, planner: Any) -> Any:
    scenario = h.SCENARIO.replace("    cast:\n", f"    goals: {{osk: {GOAL}}}\n    cast:\n", 1)
    return h.harbour(tmp_path, models={"planner": planner}, scenario=scenario)


def test_what_somebody_is_after_is_for_the_planner_and_stays_with_it(tmp_path: Path) -> None:
    app = with_goals(tmp_path, ParrotModel())
    results = h.say(app, "look", "ask osk about lin", "wait")
    given = h.stage_inputs(app)
    assert all(GOAL in text for text in given["planner"])
    assert not any(GOAL in text for stage, texts in given.items() if stage != "planner" for text in texts)
    assert GOAL not in json.dumps(results)


def test_a_plan_loses_the_notes_that_quote_a_goal_and_keeps_the_others(tmp_path: Path) -> None:
    planner = ScriptedModel(lambda _: {"beats": ["Osk looks up", f"He will {GOAL.lower()}"], "tension_move": "slow"})
    app = with_goals(tmp_path, planner)
    h.say(app, "look")
    told = json.loads(h.stage_inputs(app)["narrator"][0])["plan"]
    assert (told["beats"], told["tension_move"]) == (["Osk looks up"], "slow")
