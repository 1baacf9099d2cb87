"""Built-in stages have versions: what another version made is taken as it was recorded, and what follows is checked."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app, prompt_library
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.campaigns.history import Histories
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import Model
from lorewright.llm.prompt_template import Prompts
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.replay.comparing import TurnReplay
from lorewright.replay.last_act import without_last_act
from lorewright.replay.metrics import ALL_TURNS, TurnRange, measure
from lorewright.replay.recording import OtherVersion
from lorewright.replay.replay import Replay, Replays
from lorewright.rules.actions import Action
from lorewright.storage.database import add_functions
from lorewright.turn.stages.interpret.stage import SETTLE, Interpret
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.npc_intent.stage import Intend
from lorewright.turn.stages.plan.stage import Plan
from lorewright.turn.stages.stage import RecordedRuns, Stage
from lorewright.turn.stages.stages import STAGES, MakeStages, Stages, make_stages
from lorewright.values.proposals import NpcIntent, NpcIntentInput
from lorewright.values.readings import Unclear
from lorewright.values.records import (
    InterpreterInput,
    InterpreterOutput,
    NarratorInput,
    NarratorOutput,
    PlannerInput,
    PlannerOutput,
)
from support import harbour as h
from support import harbour_crew as c

LINES = ("look", "ask Osk about the debt", "take rope")


# The present versions of the built-in stages, and one that is above them all.
NOW = {stage.name: stage.builtin_version for stage in make_stages({})}
NEXT = max(NOW.values()) + 1


class Waiting(Interpret):
    """Reads every line as waiting, and says so or not."""

    def builtin_answer(self, given: InterpreterInput) -> InterpreterOutput:
        wait = Action.model_validate({"actor_id": given.scope.player.id, "type": "wait"})
        return InterpreterOutput(intent="wait", proposed_actions=(wait,))


class NewWaiting(Waiting):
    builtin_version = NEXT


class NewPlan(Plan):
    builtin_version = NEXT

    def builtin_answer(self, given: PlannerInput) -> PlannerOutput:
        return PlannerOutput(beats=("Nobody planned this.",))


class Shouting(Narrate):
    """Tells everything in capitals."""

    def builtin_answer(self, given: NarratorInput) -> NarratorOutput:
        told = super().builtin_answer(given)
        return told.model_copy(update={"final_text": told.final_text.upper()})


class NewShouting(Shouting):
    builtin_version = NEXT


class NewIntend(Intend):
    builtin_version = NEXT

    def builtin_answer(self, given: NpcIntentInput) -> NpcIntent:
        return NpcIntent(action_text=f"{given.me.name} yawns.")


ALL_NEW = (NewWaiting, NewPlan, NewShouting, NewIntend)


def program(*kinds: type[Stage[Any, Any, Any]]) -> MakeStages:
    """The stages of a program that has these in place of its own."""
    instead = {kind.name: kind for kind in kinds}

    def make(models: Mapping[str, Model], prompts: Prompts | None, recorded: Mapping[str, RecordedRuns]) -> Stages:
        made = make_stages(models, prompts, recorded)
        own = {field.name: getattr(made, field.name).name for field in fields(made)}
        return replace(
            made,
            **{
                field: instead[name](models.get(name), prompts, recorded.get(name))
                for field, name in own.items()
                if name in instead
            },
        )

    return make


def replayed(
    app: App, make: MakeStages, turns: TurnRange = ALL_TURNS, *, campaign: str = "game", **more: Any
) -> Replay:
    """A replay by a program with these stages."""
    histories = Histories(app.workspace.indexes / "history")
    opened: dict[str, Model] = more.pop("opened", {})
    replays = Replays(
        app.campaigns, histories, prompt_library(app.workspace), open_model=lambda key: opened[key], make=make
    )
    return asyncio.run(replays.rerun_turns(campaign, turns, **more))


def versions(app: App) -> dict[str, set[int | None]]:
    """Stage -> the versions in its records, of the whole campaign."""
    found: dict[str, set[int | None]] = {}
    with app.campaigns.reading("game") as store:
        for turn in store.turns():
            for record in store.stage_records(turn["turn_id"]):
                found.setdefault(record["stage"], set()).add(record["builtin_version"])
    return found


def change_records(app: App, sql: str) -> None:
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection, connection:
        connection.execute(f"UPDATE stage_records SET {sql}")


def taken(turn: TurnReplay) -> dict[str, int]:
    return {other.stage: other.runs for other in turn.taken}


def test_every_stage_has_a_version_and_records_it(tmp_path: Path) -> None:
    assert {stage.name: type(stage.builtin_version) for stage in make_stages({})} == dict.fromkeys(STAGES, int)
    found = versions(h.harbour(tmp_path, played=("look",)))
    present = {stage.name: {stage.builtin_version} for stage in make_stages({})}
    assert {"interpreter", "planner", "narrator"} <= set(found)
    assert {name: found[name] for name in found} == {name: present.get(name, {None}) for name in found}


def test_what_another_version_made_is_taken_and_all_that_follows_is_as_it_was(tmp_path: Path) -> None:
    app = c.crew(tmp_path, profile="stream", together=True)
    h.say(app, *LINES[:2])
    found = replayed(app, program(*ALL_NEW))
    assert found.is_identical and found.first_divergence is None
    assert found.metrics == found.recorded_metrics
    for turn in found.turns:
        assert taken(turn) == {"interpreter": 1, "planner": 1, "npc_intent": 2, "narrator": 3}
        assert turn.rethought == () and turn.stale == ()
        assert all((other.recorded, other.present) == (NOW[other.stage], NEXT) for other in turn.taken)
    told = found.as_dict()["turns"][0]["taken_as_recorded"]
    assert told[0] == {"stage": "interpreter", "recorded": NOW["interpreter"], "present": NEXT, "runs": 1}


@pytest.mark.parametrize("profile", ["freeform", "ensemble"])
def test_so_it_is_in_the_other_profiles(tmp_path: Path, profile: str) -> None:
    app = c.crew(tmp_path, profile=profile, together=True)
    h.say(app, *LINES)
    found = replayed(app, program(*ALL_NEW), TurnRange(2, 3), each=True)
    assert found.is_identical and found.first_divergence is None
    assert all({"interpreter", "planner", "narrator"} <= set(taken(turn)) for turn in found.turns)


def test_rethink_runs_the_present_version_and_shows_what_it_changes(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope", "wait"))
    found = replayed(app, program(NewWaiting, NewPlan), rethink=True)
    first = found.turns[0]
    assert first.taken == () and not found.is_identical
    assert first.rethought == (
        OtherVersion("interpreter", NOW["interpreter"], NEXT, 1),
        OtherVersion("planner", NOW["planner"], NEXT, 1),
    )
    parted = first.differences[0]
    assert (parted.stage, parted.aspect) == ("interpreter", "output")
    assert {"state", "narration"} <= {difference.aspect for difference in first.differences}
    assert found.as_dict()["rethink"] is True
    assert found.as_dict()["turns"][0]["rethought"][1]["stage"] == "planner"


def test_a_change_without_another_version_is_a_difference(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    for rethink in (False, True):
        found = replayed(app, program(Waiting), rethink=rethink)
        assert not found.is_identical
        assert found.turns[0].taken == found.turns[0].rethought == ()
        parted = found.first_divergence
        assert parted is not None and parted.differences[0].stage == "interpreter"


def test_one_stage_may_be_run_anew_and_the_others_stay(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    found = replayed(app, program(*ALL_NEW), override_models={"narrator": "builtin"})
    (turn,) = found.turns
    assert turn.rethought == (OtherVersion("narrator", NOW["narrator"], NEXT, 1),)
    assert taken(turn) == {"interpreter": 1, "planner": 1}
    assert turn.text == turn.recorded_text.upper() != turn.recorded_text
    assert found.turns[0].differences[0].stage == "narrator"


def test_records_without_a_version_are_of_the_first(tmp_path: Path) -> None:
    """As files have them that were written before there were versions."""
    app = h.harbour(tmp_path, played=LINES[:2])
    change_records(app, "builtin_version = NULL")
    same = replayed(app, make_stages)
    assert same.is_identical
    assert {other.recorded for turn in same.turns for other in turn.taken} == {1}
    newer = replayed(app, program(*ALL_NEW))
    assert newer.is_identical and newer.turns[0].taken[0] == OtherVersion("interpreter", 1, NEXT, 1)


def test_what_a_newer_program_recorded_is_taken_too(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    change_records(app, "builtin_version = 9 WHERE stage = 'planner'")
    change_records(app, "output_json = json_set(output_json, '$.tension_move', 'up') WHERE stage = 'planner'")
    (turn,) = replayed(app, make_stages).turns
    assert turn.taken == (OtherVersion("planner", 9, NOW["planner"], 1),)
    assert "planner" not in {one.stage for one in turn.differences if one.aspect == "output"}
    # The narrator is of this version: it is run, with what the planner made then.
    assert turn.differences[0].stage == "narrator" and turn.differences[0].aspect == "input"


def test_an_output_that_cannot_be_read_fails_the_turn_and_says_how_to_go_on(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    change_records(app, "output_json = '{\"gone\": 1}' WHERE stage = 'planner'")
    (turn,) = replayed(app, program(NewPlan)).turns
    assert turn.error is not None and "the planner (version 1) cannot be read" in turn.error
    assert replayed(app, program(NewPlan), rethink=True).turns[0].error is None


def test_a_stage_that_runs_more_often_than_then_answers_by_itself(tmp_path: Path) -> None:
    """Another character acts, because another stage is asked anew; there is no record of how that was told."""
    app = c.crew(tmp_path, profile="stream", together=True)
    h.say(app, "look")
    change_records(
        app,
        "stage = 'forgotten' WHERE stage = 'narrator' AND seq = (SELECT max(seq) FROM stage_records"
        " WHERE stage = 'narrator')",
    )
    (turn,) = replayed(app, program(NewShouting)).turns
    assert taken(turn) == {"narrator": 2}
    assert "extra" in {one.aspect for one in turn.differences if one.stage == "narrator"}
    assert any(part.isupper() for part in turn.text.split("\n") if part)


# With models.


def test_a_line_that_the_grammar_read_needs_no_model_and_the_other_way_round(tmp_path: Path) -> None:
    """A grammar of another version may be sure of other lines."""
    read = {"intent": "balance", "actions": [{"type": "wait"}]}
    app = h.harbour(tmp_path, models={"interpreter": ScriptedModel(lambda _: read)})
    h.say(app, "take rope", "balance on one leg")
    with app.campaigns.reading("game") as store:
        records = [store.stage_records(turn["turn_id"])[0] for turn in store.turns()[1:]]
    assert [(one["stage"], one["model_key"], one["builtin_version"]) for one in records] == [
        ("interpreter", "builtin", NOW["interpreter"]),
        ("interpreter", "scripted", NOW["interpreter"]),
    ]

    class Sure(NewWaiting):
        """Is sure of what a model read."""

    class Unsure(Interpret):
        builtin_version = NEXT

        def builtin_answer(self, given: InterpreterInput) -> InterpreterOutput:
            return InterpreterOutput(intent="?", unclear=Unclear(words="", question="What?"))

    for kind in (Sure, Unsure):
        found = replayed(app, program(kind))
        assert found.is_identical and found.first_divergence is None, kind
        assert [taken(turn) for turn in found.turns] == [{"interpreter": 1}, {}]


def test_a_question_that_was_settled_is_settled_as_it_was(tmp_path: Path) -> None:
    things = {"old": {"name": "old net", "at": "tavern"}, "new": {"name": "new net", "at": "tavern"}}
    scenario = c.scenario()
    app = c.crew(tmp_path, things={**scenario["things"], **things})
    h.say(app, "drop net")
    assert versions(app)[SETTLE] == {NOW["interpreter"]}
    found = replayed(app, program(NewWaiting))
    assert found.is_identical and found.first_divergence is None
    # Nothing was settled, so that nothing is, although the new grammar could.
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection, connection:
        connection.execute(f"UPDATE stage_records SET stage = 'forgotten' WHERE stage = '{SETTLE}'")
    (turn,) = replayed(app, program(NewWaiting)).turns
    assert SETTLE not in {one.stage for one in turn.differences if one.aspect == "extra"}


def test_a_character_whose_model_told_a_secret_acts_as_the_built_in_stage_had_it_act(tmp_path: Path) -> None:
    secret = "I sold her passage to the harbour master for a marmoset and a month of quiet."
    answer = {"action_text": f"Osk leans over. “{secret}”", "intent_tags": [], "thought": ""}
    app = c.crew(tmp_path, profile="stream", together=True, models={"npc_intent": ScriptedModel(lambda _: answer)})
    h.say(app, "look")
    with app.campaigns.reading("game") as store:
        records = store.stage_records(store.head().turn_id)
    by = [(one["model_key"], one["builtin_version"]) for one in records if one["stage"] == "npc_intent"]
    assert ("builtin", NOW["npc_intent"]) in by and ("scripted", None) in by
    found = replayed(app, program(NewIntend))
    assert found.is_identical and found.first_divergence is None
    assert taken(found.turns[0]) == {"npc_intent": by.count(("builtin", NOW["npc_intent"]))}


def test_a_model_in_place_of_a_stage_is_asked_whatever_version_played(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    model = ScriptedModel(lambda _: "A gull laughs.")
    found = replayed(app, program(*ALL_NEW), override_models={"narrator": "other"}, opened={"other": model})
    (turn,) = found.turns
    assert turn.text == "A gull laughs." and turn.anew == {"narrator": "other"}
    assert taken(turn) == {"interpreter": 1, "planner": 1} and turn.rethought == ()


def test_a_taken_stage_that_was_given_something_else_is_named(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    (turn,) = replayed(app, program(NewPlan, NewShouting), override_models={"planner": "builtin"}).turns
    assert turn.stale == ("narrator",)
    assert turn.text == turn.recorded_text


# What is done with campaigns.


@pytest.mark.parametrize("profile", ["stream", "ensemble"])
def test_the_last_act_is_taken_back_without_thinking_the_rest_anew(tmp_path: Path, profile: str) -> None:
    app = c.crew(tmp_path, profile=profile, together=True)
    h.say(app, "ask Osk about the debt")
    with app.campaigns.open("game") as campaign:
        asyncio.run(without_last_act(campaign, make=program(*ALL_NEW)))
        turn_id = campaign.store.head().turn_id
        made = {
            (one["stage"], one["builtin_version"])
            for one in campaign.store.stage_records(turn_id)
            if one["builtin_version"] is not None
        }
        said = [message.content for _, message in campaign.store.messages(turn_id, last=1)]
    assert made == {(stage, NOW[stage]) for stage, _ in made}
    assert {"interpreter", "planner", "npc_intent", "narrator"} <= {stage for stage, _ in made}
    assert "Bea ties a knot." in " ".join(said) and not any("yawns" in text for text in said)
    for make in (make_stages, program(*ALL_NEW)):
        assert replayed(app, make).first_divergence is None


def test_an_exported_campaign_takes_its_versions_along(tmp_path: Path) -> None:
    app = h.harbour(tmp_path / "here", played=("take rope",))
    other = NOW["narrator"] + 1
    change_records(app, f"builtin_version = {other} WHERE stage = 'narrator'")
    export(app.campaigns, "game", tmp_path / "file")
    make_empty_workspace(tmp_path / "away")
    away = open_app(tmp_path / "away")
    import_campaign(away.campaigns, tmp_path / "file")
    assert versions(away) == versions(app)
    found = replayed(away, make_stages)
    assert found.is_identical and found.turns[0].taken == (OtherVersion("narrator", other, NOW["narrator"], 1),)
    with away.campaigns.reading("game") as store:
        assert measure(store).metrics == found.metrics


def test_views_show_the_version_beside_that_of_the_prompt(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, played=("take rope",))
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection:
        add_functions(connection)
        (shown,) = connection.execute("SELECT builtin_versions_json FROM events WHERE turn_no = 1").fetchone()
        rows = connection.execute("SELECT step_name, builtin_version FROM turn_events WHERE turn_index = 1").fetchall()
    assert json.loads(shown) == {stage: NOW[stage] for stage in ("interpreter", "planner", "narrator")}
    assert {step for step, version in rows if version is not None} == {"interpreter", "planner", "narrator"}
