"""Stat blocks and scene seeds: filled by the ruleset's defaults, held to its schemas, faults told by line."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from lorewright.campaigns.scenarios.cast import check_state
from lorewright.errors import ScenarioError, StateMisfit
from lorewright.ids import canonical_json
from lorewright.packs.files import Finding
from lorewright.storage.database import opened
from lorewright.world.ruleset_state import RulesetState
from support import harbour as h
from support import parlour as p

PLAYER, LENA, TOM = "game:player", "parlour:lena", "parlour:tom"


def state_of(app: Any) -> RulesetState:
    with app.campaigns.reading("game") as store:
        held = store.head().state.ruleset
    assert held is not None
    return held


def findings(tmp_path: Path, text: str) -> list[Finding]:
    app = p.workspace(tmp_path / "workspace", text)
    app.packs.install(app.workspace.root / "content_packs" / "parlour")
    return app.scenarios.findings(app.workspace.root / "scenarios" / "parlour.yaml")


def test_everybody_has_a_stat_block_and_defaults_fill_what_is_not_said(tmp_path: Path) -> None:
    held = state_of(p.begun(tmp_path / "w", "everyday-tension"))
    assert sorted(held.stats) == [PLAYER, LENA, TOM]
    assert (held.value("warmth", of=LENA), held.value("logic", of=LENA), held.value("logic", of=TOM)) == (1, 0, 0)
    assert (held.value("pressure_clock"), held.value("shifts"), held.value("pressure")) == (2, 0, "the last train")


def test_freeform_without_stat_blocks_shapes_nothing(tmp_path: Path) -> None:
    app = p.begun(tmp_path / "w", "freeform", more="scene_seed: {weather: rain}")
    with app.campaigns.reading("game") as store:
        assert store.head().state.ruleset is None
        assert store.head().state.schema_version == 1
        assert store.campaign().scenario["scene_seed"] == {"weather": "rain"}


def test_freeform_with_stat_blocks_holds_those_that_are_given(tmp_path: Path) -> None:
    assert sorted(state_of(p.begun(tmp_path / "w", "freeform-d20")).stats) == [PLAYER]


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("warmth: 2", "warmth: 9", "stat_blocks.player.warmth: 9 is greater than the maximum of 5"),
        (
            "boundaries: 4",
            "courage: 4",
            "stat_blocks.lena: Additional properties are not allowed ('courage' was unexpected)",
        ),
        ("  lena: {warmth", "  lana: {warmth", "stat_blocks.lana: lana is not in the cast (nor player)"),
        ("pressure_clock: 2", "pressure_clock: high", "scene_seed.pressure_clock: 'high' is not of type 'integer'"),
        (
            "scene_seed: {pressure_clock: 2, pressure: the last train}",
            "scene_seed: [a]",
            "scene_seed: write `key: value` lines",
        ),
    ],
)
def test_what_does_not_fit_is_told_by_line_with_a_hint(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    text = p.scenario_text("everyday-tension")
    assert text.count(right) == 1
    text = text.replace(right, wrong)
    found = [one for one in findings(tmp_path, text) if one.severity == "error"]
    assert len(found) == 1
    assert found[0].code == "ruleset-schema"
    assert found[0].message.startswith(said)
    assert "ruleset show everyday-tension" in found[0].hint
    assert found[0].line == next(n for n, line in enumerate(text.splitlines(), 1) if wrong in line)


def test_a_stat_block_that_the_ruleset_asks_for_and_nobody_gives_is_missed(tmp_path: Path) -> None:
    lines = [line for line in p.scenario_text("seven-minutes").splitlines() if not line.startswith("  tom: {shyness")]
    found = [one.message for one in findings(tmp_path, "\n".join(lines)) if one.severity == "error"]
    assert found == [
        "stat_blocks.tom: 'chemistry' is a required property (there is none in the scenario)",
        "stat_blocks.tom: 'shyness' is a required property (there is none in the scenario)",
    ]


def test_nobody_younger_than_eighteen_is_in_seven_minutes(tmp_path: Path) -> None:
    found = findings(tmp_path, p.scenario_text("seven-minutes").replace("age: 31", "age: 17"))
    assert ["17 is less than the minimum of 18" in one.message for one in found if one.severity == "error"] == [True]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "rules: [{id: r, on: {act: wait}, success: [{op: set, path: moon, value: 1}]}]",
            "rules.r: scene_state_schema of seven",
        ),
        (
            "rules: [{id: r, on: {act: wait}, success: [{op: set, path: age, of: lena, value: 50}]}]",
            "belongs to scenario",
        ),
        ("rules: [{id: r, on: {act: ask}, check: {roll: 1d20 + luck}}]", "reads luck"),
        ("rules: [{id: r, on: {act: ask}, check: {dice: many}}]", "rules.r: dice"),
        ("clocks: {c: {max: 2, at: {1: [{op: increment, path: moon}]}}}", "clocks.c"),
        ("finds: {parlour/discoverable#ticket: [{op: increment, path: moon}]}", "moon"),
    ],
)
def test_paths_and_formulas_of_a_scenario_are_those_of_its_ruleset(tmp_path: Path, more: str, said: str) -> None:
    found = [
        one.message
        for one in findings(tmp_path, p.scenario_text("seven-minutes", more=more))
        if one.severity == "error"
    ]
    assert any(said in message for message in found), found


def test_a_campaign_is_not_begun_with_what_does_not_fit(tmp_path: Path) -> None:
    app = p.workspace(tmp_path / "w", p.scenario_text("inner-chorus").replace("rhetoric: 6", "rhetoric: 60"))
    with pytest.raises(ScenarioError, match=r"stat_blocks\.player\.rhetoric: 60"):
        app.campaigns.new("parlour", campaign_id="game")
    assert app.campaigns.ids() == []


def test_a_campaign_records_the_hash_of_its_ruleset(tmp_path: Path) -> None:
    app = p.begun(tmp_path / "w", "inner-chorus")
    with app.campaigns.reading("game") as store:
        row = store.campaign()
    assert len(row.ruleset_hash) == 64
    assert row.rules.ruleset.id == "inner-chorus"


def test_a_file_whose_state_does_not_fit_its_ruleset_is_not_opened_and_the_field_is_named(tmp_path: Path) -> None:
    app = p.begun(tmp_path / "w", "seven-minutes")
    with opened(app.workspace.campaigns / "game.db") as database, database.transaction() as connection:
        connection.execute(
            """UPDATE world_states
               SET state_json = replace(text_of(state_json), '"minutes_left":7', '"minutes_left":9')"""
        )
    with pytest.raises(StateMisfit, match=r"scene\.minutes_left: 9"):
        h.say(app, "look")


def test_a_state_is_held_to_the_ruleset_of_the_campaign_not_only_to_its_own_copy(tmp_path: Path) -> None:
    app = p.begun(tmp_path / "w", "seven-minutes")
    with app.campaigns.reading("game") as store:
        state, ruleset = store.head().state, store.campaign().rules.ruleset
    check_state(state, ruleset)
    schema = json.loads(canonical_json(json.loads(ruleset.model_dump_json())["scene_state_schema"]))
    schema["properties"]["minutes_left"]["maximum"] = 5
    with pytest.raises(StateMisfit, match=r"seven-minutes: scene\.minutes_left: 7"):
        check_state(state, ruleset.model_copy(update={"scene_state_schema": schema}))


@pytest.fixture
def old(tmp_path: Path) -> Any:
    """A campaign of four turns whose file was written before states had a part that their ruleset shapes."""
    app = p.workspace(tmp_path / "w", p.scenario_text("freeform"))
    folder = p.FIXTURES / "campaigns"
    path = app.workspace.campaigns / "before_stats.db"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.decompress((folder / "before_stats.db.gz").read_bytes()))
    (path.parent / "packs-kept").mkdir(exist_ok=True)
    for kept in folder.glob("*.zip"):
        shutil.copy(kept, path.parent / "packs-kept" / kept.name)
    return app


def test_every_state_of_an_old_campaign_is_read_with_the_hash_that_it_had(old: Any) -> None:
    with old.campaigns.reading("before_stats") as store:
        rows = store.database.rows("SELECT turn_id, state_hash FROM turns ORDER BY turn_no")
        assert len(rows) == 5
        assert [store.state_at(row["turn_id"]).content_hash() for row in rows] == [row["state_hash"] for row in rows]


def test_an_old_campaign_goes_on(old: Any) -> None:
    (result,) = h.say(old, "go parlour", campaign="before_stats")
    assert result["turn_no"] == 5
    assert result["validation"]["results"][0]["success"]
