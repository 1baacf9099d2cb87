"""Metrics: what is divided by what, counted by hand; and nothing made up where nothing was counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.bootstrap import App
from lorewright.campaigns.sessions import begin, end
from lorewright.errors import NotFound, ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply
from lorewright.replay.figures import ModelRun, Proposals, TurnFigures
from lorewright.replay.metrics import ALL_TURNS, FailedAttempt, Measured, TurnRange, measure, metrics_of, percentile
from lorewright.world.ops import AddFact
from lorewright.world.things import Fact
from support import harbour as h
from support import playing_models as mp


def measured(app: App, turns: TurnRange = ALL_TURNS, **options: Any) -> Measured:
    """What is measured of the campaign `game`."""
    with app.campaigns.reading("game") as store:
        return measure(store, turns, **options)


def turn(number: int, *, kind: str = "play", scene: str = "scene_001", **figures: Any) -> TurnFigures:
    """The figures of a turn."""
    return TurnFigures(number, f"turn_{number}", kind, scene, **figures)


def run(stage: str = "narrator", **figures: Any) -> ModelRun:
    """A run of a stage, with nothing counted but what is given."""
    return ModelRun(
        **{
            **dict.fromkeys(ModelRun.__slots__, 0),
            "stage": stage,
            "model_key": "m",
            "calls": 1,
            "prefix_hash": "",
            "repaired": False,
            "retried": False,
            **figures,
        }
    )


def test_a_campaign_without_turns_has_no_rates(tmp_path: Path) -> None:
    found = measured(h.harbour(tmp_path)).metrics
    assert found.turns == 0 and found.cost_usd == 0 and found.latency == {}
    rates = [value for name, value in found.as_dict().items() if name.endswith(("rate", "acceptance"))]
    assert len(rates) == 8 and rates == [None] * 8
    assert found.length_stats == {"words": None, "characters": None}


def test_what_no_model_did_has_no_rate_and_what_code_did_has_one(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (look, asked, blocked, _) = h.say(
        app, "look", "ask Osk about the weather", "take the moon and look", "frobnicate the"
    )
    found = measured(app)
    of = found.metrics
    assert (of.contradiction_rate, of.unsupported_rate, of.repair_rate, of.retry_rate) == (None,) * 4
    assert (
        of.turns == 4 and of.clarification_rate == len([one for one in found.turns if one.kind == "clarification"]) / 4
    )
    told = [one["final_text"] for one in (look, asked, blocked) if one["clarification_question"] is None]
    characters = of.length_stats["characters"]
    assert characters is not None
    assert (characters.min, characters.max) == (min(map(len, told)), max(map(len, told)))
    assert of.lore_cache_hit_rate == sum(bool(one.lore_cached) for one in found.turns) / 4
    assert of.prefix.share is None and of.tokens.cached_share is None


def test_lore_counts_as_relevant_once_a_narration_of_its_scene_cites_it(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "ask Osk about the weather", "go door")
    found = measured(app)
    tavern = [one for one in found.turns if one.scene == "scene_001"]
    quay = [one for one in found.turns if one.scene == "scene_002"]
    retrieved = [{chunk for one in scene for chunk in one.retrieved} for scene in (tavern, quay)]
    cited = [{chunk for one in scene for chunk in one.cited} for scene in (tavern, quay)]
    assert "harbour:osk:knows" in retrieved[0] & cited[0] and "harbour:quay:atmosphere" in retrieved[1] & cited[1]
    relevant = sum(len(got & said) for got, said in zip(retrieved, cited, strict=True))
    assert found.metrics.lore_relevance_rate == relevant / sum(map(len, retrieved))


def test_an_action_that_the_rules_now_refuse_was_wrongly_accepted(tmp_path: Path) -> None:
    """As if a bug of the validator had let it through: the record says yes, the rules and the state say no."""
    app = h.harbour(tmp_path)
    h.say(app, "open hatch", "look", "unlock hatch")
    honest = measured(app)
    refused = sum(one.refused_actions for one in honest.turns)
    assert refused == 2 and honest.metrics.invalid_action_acceptance == 0
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        for row in connection.execute(
            "SELECT rowid, output_json FROM stage_records WHERE stage = 'validate'"
        ).fetchall():
            output = json.loads(row["output_json"])
            if any(one["reason"] == "door_locked" for one in output["results"]):
                output["results"] = [{**one, "success": True, "reason": None} for one in output["results"]]
            connection.execute(
                "UPDATE stage_records SET output_json = ? WHERE rowid = ?", (json.dumps(output), row["rowid"])
            )
    assert measured(app).metrics.invalid_action_acceptance == 1 / 2


def test_models_are_counted_by_what_they_answered(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, *mp.lines(7))
    found = measured(app)
    of = found.metrics
    runs = [one for turn in found.turns for one in turn.runs]
    assert len(runs) == 14
    assert of.repair_rate == 3 / 14 and of.retry_rate == 1 / 14
    # What was only narrated may be said anew.
    assert of.contradiction_rate == 0
    # Behind one of the narrations of two sentences code has told what was left out.
    assert of.unsupported_rate == 7 / 16
    narrated = 7 + 3 + 1
    assert of.cost_usd == pytest.approx(narrated * 450 / 1_000_000)
    assert of.tokens.cached == narrated * 600 and of.tokens.cached_share is not None
    assert set(of.latency) == {"narrator", "lore_extractor"} and of.latency["narrator"].runs == 7


def test_what_failed_costs_as_well(tmp_path: Path) -> None:
    paid = ModelReply("{}", "teller-1", 100, 5, cost_microusd=7)
    bad = ScriptedModel([paid, paid, ProviderError("no answer")])
    app = h.harbour(tmp_path, models={"narrator": bad})
    with pytest.raises(ProviderError):
        h.say(app, "look")
    h.say(h.with_models(app, {}), "look")
    found = measured(app)
    assert found.metrics.failed_attempts == {"provider_failed": 1}
    assert found.failed[0].turn_no == 1
    assert found.metrics.cost_usd == pytest.approx(14 / 1_000_000) and found.metrics.tokens.input == 200
    assert found.metrics.retry_rate == 1
    assert measured(app, TurnRange(2, None) if len(found.turns) > 1 else ALL_TURNS).metrics.turns == 1


def test_a_sitting_is_measured_by_itself(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    with app.campaigns.open("game") as opened:
        session = begin(opened)
    h.say(app, "look", "ask Osk about the weather")
    with app.campaigns.open("game") as opened:
        end(opened, session)
    h.say(app, "go door")
    assert [one.turn_no for one in measured(app, session_id="session_1").turns] == [2, 3]
    assert [one.turn_no for one in measured(app, TurnRange(3, 4), session_id=session.id).turns] == [3]
    with pytest.raises(NotFound, match="no sitting session_9"):
        measured(app, session_id="session_9")


def test_turns_that_were_taken_back_are_not_measured(tmp_path: Path) -> None:
    from lorewright.turn.store.turn_store import undo

    app = h.harbour(tmp_path)
    h.say(app, "look", "ask Osk about the weather")
    with app.campaigns.open("game") as opened:
        undo(opened.store)
    assert [one.turn_no for one in measured(app).turns] == [1]


def test_the_prefix_is_compared_within_a_scene_only() -> None:
    def told(prefix: str, changing: int) -> tuple[ModelRun, ...]:
        return (run(prefix_hash=prefix, prefix_tokens=900, changing_tokens=changing),)

    found = metrics_of(
        [
            turn(1, runs=told("a", 2_000)),
            turn(2, runs=told("a", 100)),
            turn(3, scene="scene_002", runs=told("b", 3_000)),
            turn(4, scene="scene_002", runs=told("c", 300)),
        ]
    ).prefix
    assert (found.changing_max, found.broken) == (300, 1)
    assert found.share == pytest.approx((900 / 2_900 + 0.9 + 900 / 3_900 + 0.75) / 4)


def test_imported_turns_and_upgrades_are_nobodys_turns() -> None:
    found = metrics_of([turn(1, kind="upgrade"), turn(2, kind="clarification"), turn(3, words=4, characters=20)])
    assert found.turns == 2 and found.clarification_rate == 0.5


def test_latency_is_of_whole_runs_by_stage() -> None:
    runs = tuple(run("planner", milliseconds=n) for n in range(1, 21))
    found = metrics_of([turn(1, runs=runs)], [FailedAttempt(2, "provider_busy", (run("narrator", milliseconds=9),))])
    assert (found.latency["planner"].p50, found.latency["planner"].p95) == (10, 19)
    assert found.latency["narrator"].p95 == 9


@given(st.lists(st.integers(0, 10_000), min_size=1), st.integers(1, 100))
def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed(values: list[int], percent: int) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(one <= found for one in values) * 100 >= percent * len(values)
    assert sum(one < found for one in values) * 100 < percent * len(values)


def test_proposals_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    """One is true, one waits, one is not its to say; then one speaks against what is established, in both wordings, and
    counts once."""
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        hat = Fact(id="game:hat", subject_id="harbour:osk", predicate="hat", object="A tall one.")
        campaign.edit([AddFact(fact=hat)], action_id="hat")

    def fact(predicate: str, detail: str, **fields: float) -> dict[str, Any]:
        return {"subject_id": "harbour:osk", "predicate": predicate, "detail": detail, **fields}

    first = [fact("shoes", "Two left ones."), fact("habit", "He hums.", confidence=0.2), fact("dead", "He is dead.")]
    other = [fact("hat", "None at all.")]
    models = {
        "narrator": ScriptedModel(["Smoke hangs from the beams [1]."] * 3),
        "lore_extractor": ScriptedModel([{"established_facts": one} for one in (first, other, other)]),
    }
    h.say(h.with_models(app, models), "look", "wait")
    metrics = measured(app).metrics
    of = metrics.proposals
    assert metrics.contradiction_rate is not None and metrics.contradiction_rate > 0
    assert (of.accepted, of.refused, of.waiting, of.flagged) == (1, 2, 1, 1)


def test_without_models_nothing_is_proposed(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    assert measured(app).metrics.proposals == Proposals()
