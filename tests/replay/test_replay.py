"""Replay: with what was recorded everything comes out as it was; with an override one sees that, and nothing else."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import App, prompt_library
from lorewright.campaigns.history import Histories
from lorewright.campaigns.sessions import begin, end
from lorewright.errors import CampaignError, NotFound, ProviderError, SettingsError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import Model
from lorewright.replay.metrics import ALL_TURNS, TurnRange
from lorewright.replay.recording import OpenModel, Overrides
from lorewright.replay.replay import Replay, Replays
from lorewright.turn.store.turn_store import undo
from support import harbour as h
from support import playing_models as mp


def replays_of(app: App, open_model: OpenModel) -> Replays:
    """Replays that open models so."""
    library = prompt_library(app.workspace)
    return Replays(app.campaigns, Histories(app.workspace.indexes / "history"), library, open_model=open_model)


def dump(app: App) -> str:
    """All that stands in the file of the campaign `game`."""
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection:
        return "\n".join(connection.iterdump())


def replayed(
    app: App,
    turns: TurnRange = ALL_TURNS,
    *,
    prompts: dict[str, str] | None = None,
    models: dict[str, str] | None = None,
    opened: dict[str, Model] | None = None,
    reroll: bool = False,
    each: bool = False,
) -> Replay:
    """A replay of the campaign `game`, where these models can be opened."""
    replays = replays_of(app, lambda key: (opened or {})[key])
    return asyncio.run(replays.rerun_turns("game", turns, prompts, override_models=models, reroll=reroll, each=each))


def whole_state(app: App) -> list[tuple[str, str, str]]:
    """(turn, state after it, what was told) of every turn that was played."""
    with app.campaigns.reading("game") as store:
        return [
            (turn["turn_id"], store.state_at(turn["turn_id"]).to_json(), turn["result"]["final_text"])
            for turn in store.turns()[1:]
        ]


@pytest.mark.campaign
def test_built_in_turns_come_out_as_they_were(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=tuple(mp.lines(6)))
    found = replayed(app)
    assert found.is_identical and found.first_divergence is None
    assert [(one.turn_id, one.state_json) for one in found.turns] == [one[:2] for one in whole_state(app)]
    assert found.metrics == found.recorded_metrics


@pytest.mark.campaign
def test_recorded_answers_are_validated_repaired_and_judged_again(tmp_path: Path) -> None:
    """Nobody is asked; what was wrong with an answer is found wrong again."""
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, *mp.lines(13))
    found = replayed(app)
    assert found.is_identical and found.first_divergence is None
    assert [(one.turn_id, one.state_json, one.result and one.result.final_text) for one in found.turns] == whole_state(
        app
    )
    assert found.recorded_metrics.repair_rate and found.recorded_metrics.retry_rate
    assert found.metrics == found.recorded_metrics


@pytest.mark.campaign
def test_a_replay_changes_nothing_of_the_campaign(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, *mp.lines(4))
    before = dump(app)
    replayed(app, models={"narrator": "other"}, opened={"other": ScriptedModel(lambda _: "Nothing stirs.")})
    assert dump(app) == before


@pytest.mark.campaign
def test_a_changed_narrator_prompt_changes_only_the_narration(tmp_path: Path) -> None:
    """The extractor read another narration then, so that it answers as recorded; what is true stays what it was."""
    app = h.harbour(tmp_path, models=mp.models())
    mp.newer_version(app, "narrator")
    h.say(app, *mp.lines(13))
    teller = ScriptedModel(mp.Teller(voice="You tarry"))
    found = replayed(app, prompts={"narrator": "v9"}, opened={"scripted": teller})
    told = [one for one in found.turns if one.kind == "play"]
    assert all(one.text.startswith("You tarry") and one.recorded_text.startswith("You wait") for one in told)
    assert [one.state_hash for one in found.turns] == [one.recorded_hash for one in found.turns]
    assert all(one.rolls == one.recorded_rolls for one in found.turns)
    assert {request.prompt.version for request in teller.requests} == {"v9"}
    assert all("Be slow." in request.prompt.system for request in teller.requests)
    assert {one.aspect for turn in found.turns for one in turn.differences} == {
        "input",
        "output",
        "narration",
        "result",
    }
    assert told[0].stale == ("lore_extractor",)
    first = found.first_divergence
    assert first is told[0] and first.differences[0].stage == "narrator" and first.differences[0].aspect == "output"


def test_another_model_is_shown_the_prompt_of_then(tmp_path: Path) -> None:
    """Although there is a newer one by now: one thing is changed at a time."""
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, "look", "look")
    mp.newer_version(app, "narrator")
    teller = ScriptedModel(mp.Teller(voice="You tarry"))
    found = replayed(app, models={"narrator": "other"}, opened={"other": teller})
    assert found.turns[1].text.startswith("You tarry")
    assert {request.prompt.version for request in teller.requests} == {"v4"}


@pytest.mark.campaign
def test_what_a_new_narration_told_is_what_later_turns_remember(tmp_path: Path) -> None:
    """Also once it is so long ago that it is looked up in the history."""
    app = h.harbour(tmp_path, models=mp.models())
    mp.newer_version(app, "narrator")
    h.say(app, *mp.lines(13))
    teller = ScriptedModel(mp.Teller(voice="You tarry"))
    replayed(app, prompts={"narrator": "v9"}, opened={"scripted": teller})
    later = [request.text for request in teller.requests[6:] if not request.talk]
    assert later and all("You tarry" in text and "You wait a little" not in text for text in later)


def test_with_each_every_turn_begins_as_it_was_recorded_to(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    mp.newer_version(app, "narrator")
    h.say(app, *mp.lines(5))
    teller = ScriptedModel(mp.Teller(voice="You tarry"))
    found = replayed(app, prompts={"narrator": "v9"}, opened={"scripted": teller}, each=True)
    assert len(found.turns) == 5
    assert all(one.differences[0].aspect == "output" for one in found.turns)
    assert all("You tarry" not in request.text for request in teller.requests if not request.talk)


def test_another_reading_leads_elsewhere_and_the_diffs_say_where(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "frobnicate quietly", "look")
    go = {"intent": "go", "actions": [{"type": "go", "location_id": "harbour:quay"}]}
    found = replayed(app, models={"interpreter": "reader"}, opened={"reader": ScriptedModel(lambda _: go)})
    first, second = found.turns
    assert first.kind == "clarification" and first.result is not None
    assert first.result.clarification_question is None
    assert first.diff is not None and first.diff.scene_update is not None
    assert first.recorded_diff is not None and first.recorded_diff.scene_update is None
    assert first.same_truth is False and not first.is_identical
    assert "Wet stone and rope" in second.text and "Wet stone" not in second.recorded_text


def test_an_answer_that_does_not_hold_any_more_gives_way_and_says_what_to_override_too(tmp_path: Path) -> None:
    """What was told in the tavern cites what the quay does not have."""
    app = h.harbour(tmp_path)
    h.say(app, "frobnicate quietly")
    marks = re.compile(r"\[(\d+)\]")
    last = ScriptedModel(lambda asked: f"You listen [{max(map(int, marks.findall(asked.text)))}].")
    h.say(h.with_models(app, {"narrator": last}), "look")
    go = {"intent": "go", "actions": [{"type": "go", "location_id": "harbour:quay"}]}
    found = replayed(app, models={"interpreter": "reader"}, opened={"reader": ScriptedModel(lambda _: go)})
    assert found.turns[0].error is None
    assert found.stopped is None and not found.is_identical
    assert found.turns[1].stale == ("narrator",)
    assert found.turns[1].text != found.turns[1].recorded_text


def test_a_turn_that_fails_ends_the_replay_and_says_why(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, "look", "look", "look")
    refusing = ScriptedModel(lambda _: ProviderError("out of reach"))
    found = replayed(app, models={"narrator": "far"}, opened={"far": refusing})
    assert len(found.turns) == 1 and found.turns[0].error == "provider_failed: out of reach"
    assert found.stopped == "turn 1 failed: provider_failed: out of reach" and not found.is_identical
    apart = replayed(app, models={"narrator": "far"}, opened={"far": refusing}, each=True)
    assert len(apart.turns) == 3 and apart.stopped is None and not apart.is_identical


def test_the_built_in_twin_can_stand_in_for_a_model(tmp_path: Path) -> None:
    """Then nothing is extracted, and what the narrator remembers of its phrases comes on top."""
    app = h.harbour(tmp_path, models={"narrator": ScriptedModel(mp.Teller())})
    h.say(app, "look", "ask Osk about the weather")
    found = replayed(app, models={"narrator": "builtin"})
    assert "Smoke hangs from the beams" in found.turns[0].text
    assert all(one.same_truth and one.state_hash != one.recorded_hash for one in found.turns)
    assert found.metrics.tokens.input == 0 < found.recorded_metrics.tokens.input


def test_rerolled_dice_are_the_recorded_ones(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "ask Osk about the debt", "persuade Osk to help me", "ask Osk about the debt")
    found = replayed(app, reroll=True)
    assert found.is_identical
    assert [one.rolls for one in found.turns] == [one.recorded_rolls for one in found.turns]
    assert sum(len(one.rolls) for one in found.turns) >= 2


def test_dice_of_another_seed_fall_otherwise_and_always_the_same(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "ask Osk about the debt", "persuade Osk to help me", "ask Osk about the debt")

    def rolls(seed: int) -> list[object]:
        found = asyncio.run(app.replays.rerun_turns("game", seed=seed))
        assert (found.reroll, found.seed) == (True, seed)
        return [roll.total for turn in found.turns for roll in turn.rolls]

    recorded = [roll.total for turn in replayed(app).turns for roll in turn.recorded_rolls]
    assert rolls(1) == recorded
    assert any(rolls(seed) != recorded for seed in (2, 3, 4))
    assert rolls(2) == rolls(2)


def test_recorded_dice_fall_the_same_in_a_state_that_is_another(tmp_path: Path) -> None:
    """A change is compared without the luck that comes with it, unless the dice are thrown anew."""
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, "look", "persuade Osk to help me")
    other = {"established_facts": [{"subject_id": "harbour:tavern", "predicate": "floor", "detail": "wet"}]}
    kept, anew = (
        replayed(
            app,
            models={"lore_extractor": "other"},
            opened={"other": ScriptedModel(lambda _: other)},
            reroll=reroll,
        ).turns[1]
        for reroll in (False, True)
    )
    assert kept.recorded_rolls and kept.same_truth is False
    assert kept.rolls == kept.recorded_rolls
    assert anew.rolls != anew.recorded_rolls


def test_one_turn_is_thought_again_from_its_recorded_beginning(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    mp.newer_version(app, "narrator")
    h.say(app, *mp.lines(6))
    replays = replays_of(app, lambda _: ScriptedModel(mp.Teller(voice="You tarry")))
    same = asyncio.run(replays.rerun_turn("game", 4))
    other = asyncio.run(replays.rerun_turn("game", 4, {"narrator": "v9"}))
    assert same.is_identical and same.result is not None and same.result.turn_no == 4
    assert other.result is not None and other.result.final_text.startswith("You tarry")
    assert other.state_hash == same.state_hash


@pytest.mark.campaign
def test_the_sittings_lore_and_the_path_are_those_of_then(tmp_path: Path) -> None:
    """Turns that were taken back are no part of it, sittings began and ended since, and the words came twice."""
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as opened:
        first = begin(opened)
    h.say(app, "search under the counter", "ask Osk about the weather")
    with app.campaigns.open("game") as opened:
        end(opened, first)
    h.say(app, "look")
    with app.campaigns.open("game") as opened:
        begin(opened)
    h.say(app, "go door", "look")
    with app.campaigns.open("game") as opened:
        undo(opened.store, turns=1)
    h.say(app, *mp.lines(14))
    found = replayed(app)
    assert found.is_identical and found.first_divergence is None
    assert len(found.turns) == len(whole_state(app)) == 18


def test_a_turn_that_came_out_by_other_rules_is_replayed_by_those(tmp_path: Path) -> None:
    """An upgrade is taken over as it was recorded; the turns on both sides are thought with what held for them."""
    app = h.harbour(tmp_path)
    h.say(app, "ask Osk about the weather", "look")
    root = app.workspace.root
    osk = root / "content_packs" / "harbour" / "npcs" / "osk.md"
    osk.write_text(osk.read_text("utf-8").replace("The wind turns at midnight", "The wind never turns"), "utf-8")
    app.indexer.index_pack(root / "content_packs" / "harbour")
    assert app.upgrades.upgrade("game").turn_no == 3
    h.say(app, "look", "ask Osk about the weather", "go door")
    found = replayed(app)
    assert found.is_identical and found.first_divergence is None
    assert [one.kind for one in found.turns] == ["play", "play", "upgrade", "play", "play", "play"]
    assert "taken over" in found.turns[2].note and not found.turns[2].is_thought
    assert "never turns" in found.turns[4].text and "never turns" not in found.turns[0].text
    with pytest.raises(CampaignError, match="was not played"):
        asyncio.run(app.replays.rerun_turn("game", 3))


def test_what_was_recorded_otherwise_is_the_first_divergence(tmp_path: Path) -> None:
    """As by an older version whose planner was given something else: told, though nothing came of it."""
    app = h.harbour(tmp_path)
    h.say(app, "look", "look")
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        turn_id = store.turns()[2]["turn_id"]
        sql = "UPDATE stage_records SET input_json = replace(text_of(input_json), 'Dread', 'Dreads')"
        connection.execute(f"{sql} WHERE stage = 'planner' AND turn_id = ?", (turn_id,))
    found = replayed(app)
    first = found.first_divergence
    assert found.is_identical and first is not None and first.turn_no == 2
    (told,) = first.differences
    assert (told.stage, told.aspect) == ("planner", "input") and told.path.startswith("packet.clocks.0.")
    assert "Dreads" in told.recorded and "Dreads" not in told.replayed


def test_a_record_that_was_tampered_with_is_not_identical(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models={"narrator": ScriptedModel(mp.Teller())})
    h.say(app, "look")
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute("UPDATE stage_records SET calls_json = replace(calls_json, 'You wait', 'You run')")
    found = replayed(app)
    assert not found.is_identical
    assert {one.aspect for one in found.turns[0].differences} == {"output", "narration", "result"}


@pytest.mark.parametrize(
    ("prompts", "models", "named"),
    [({"narrater": "v9"}, {}, "narrater"), ({}, {"recap": "claude-haiku"}, "recap")],
)
def test_an_override_of_what_there_is_not_is_refused(
    prompts: dict[str, str], models: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        Overrides(prompts, models)


def test_a_range_without_a_turn_is_refused(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    with pytest.raises(NotFound, match="no turn is in 5:9"):
        replayed(app, TurnRange(5, 9))
    with pytest.raises(NotFound, match="no turn in 0 was played"):
        replayed(app, TurnRange(0, 0))
