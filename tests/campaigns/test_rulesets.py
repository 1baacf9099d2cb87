"""Rulesets from files: every key is checked, and a fault has its line, what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.campaigns.scenarios.rulesets import load_ruleset, load_ruleset_file, read_ruleset, read_ruleset_file
from lorewright.errors import NotFound, RulesetError
from support import parlour as p
from support.harbour import dedent

TEXT = dedent("""
    id: dares
    name: Dares
    profile: freeform
    summary: For tests.
    rulebook_text: Dare.
    dice: 1d20
    roll: 1d20 + stat - scene_dread
    bands:
      - {name: success, minimum: 11}
      - {name: fail, minimum: -99}
    stats:
      nerve: {name: Nerve, represents: daring}
    traits: {nerve: nerve}
    character_stat_schema:
      type: object
      required: [nerve]
      properties:
        nerve: {type: integer, minimum: 0, maximum: 5, default: 1}
    scene_state_schema:
      type: object
      required: [dread]
      properties:
        dread: {type: integer, minimum: 0, maximum: 4, default: 0}
        omen: {type: string}
    owners: {scene.dread: resolve, scene.omen: extract, stats.*: scenario}
    allowed_ops: {resolve: [increment, decrement, set]}
    consequences:
      fail:
        - {op: increment, path: dread}
    triggers:
      - {id: flight, when: {path: dread, min: 4}, effects: [{op: decrement, path: dread, value: 4}]}
    timers: {dread: 1}
    actions:
      attempt: {minutes: 1, costs: {dread: 1}, summary: Dare, check: {stats: [nerve]}}
""")


def test_a_ruleset_that_is_in_order_has_no_fault() -> None:
    ruleset, faults = read_ruleset(TEXT)
    assert faults == []
    assert ruleset is not None
    assert ruleset.owner_of("stats.nerve") == "scenario"


@pytest.mark.parametrize(
    ("right", "wrong", "said", "hint"),
    [
        ("dice: 1d20", "dice: 1w20", "write NdM", "2d6"),
        ("stat - scene_dread", "stat ** 2", "use + - * //", "chemistry"),
        ("stat - scene_dread", "stat - scene_fear", "scene_fear", "scene_NUMBER"),
        ("minimum: 11", "minimum: -100", "do not fall", "highest minimum"),
        (
            "name: success, minimum",
            "name: triumph, minimum",
            "write critical, success, mixed or fail, not triumph",
            "docs/rulesets.md",
        ),
        (
            "  nerve: {name: Nerve, represents: daring}",
            "  luck: {name: Luck, represents: luck}",
            "luck",
            "character_stat_schema",
        ),
        ("traits: {nerve: nerve}", "traits: {nerve: luck}", "no stat luck", "nerve"),
        (
            "nerve: {type: integer, minimum: 0",
            "nerve: {type: integer, least: 0",
            "keyword least is not supported",
            "minimum",
        ),
        ("default: 1}", "default: 9}", "default does not fit", "bounds"),
        ("scene.omen: extract, ", "", "nobody owns scene.omen", "scene.omen: resolve"),
        ("scene.omen: extract", "scene.omens: extract", "scene.omens", "scene.NAME"),
        ("scene.dread: resolve", "scene.dread: extract", "belongs to extract", "owners"),
        ("[increment, decrement, set]", "[decrement, set]", "no increment", "another op"),
        ("[increment, decrement, set]", "[increment, decrement, hop]", "no op hop", "advance_time"),
        ("- {op: increment, path: dread}", "- {op: increment, path: fear}", "does not describe fear", "mend the path"),
        ("- {op: increment, path: dread}", "- {op: append, path: dread}", "append needs a value", "docs/rulesets.md"),
        ("when: {path: dread", "when: {path: fear", "does not describe fear", "mend the path"),
        ("timers: {dread: 1}", "timers: {omen: 1}", "omen is no whole number", "required"),
        ("costs: {dread: 1}", "costs: {gold: 1}", "no cost gold", "number of the scene"),
        ("check: {stats: [nerve]}", "check: {}", "names none", "stats: [NAME"),
        ("check: {stats: [nerve]}", "check: {stats: [luck]}", "no stat luck", "nerve"),
        ("profile: freeform", "profile: solo", "freeform", "docs/rulesets.md"),
        ("summary: For tests.", "sumary: For tests.", "sumary", "docs/rulesets.md"),
    ],
)
def test_a_fault_is_told_with_its_line_and_a_hint(right: str, wrong: str, said: str, hint: str) -> None:
    assert TEXT.count(right) == 1
    text = TEXT.replace(right, wrong)
    ruleset, faults = read_ruleset(text)
    assert ruleset is None
    found = [one for one in faults if said in one.message]
    assert found, faults
    assert any(hint in one.hint for one in found)
    assert all(1 <= one.line <= text.count("\n") for one in faults)


def test_the_line_of_a_fault_is_that_of_its_key() -> None:
    _, faults = read_ruleset(TEXT.replace("timers: {dread: 1}", "timers: {omen: 1}"))
    lines = TEXT.splitlines()
    assert [lines[one.line - 1].split(":")[0] for one in faults] == ["timers"]


def test_a_file_is_read_with_its_name_in_the_error(tmp_path: Path) -> None:
    file = tmp_path / "dares.yaml"
    file.write_text(TEXT.replace("dice: 1d20", "dice: many"), encoding="utf-8")
    with pytest.raises(RulesetError, match=r"dares\.yaml:6: dice") as caught:
        load_ruleset_file(file)
    assert caught.value.hint


def test_what_is_no_file_no_yaml_or_no_mapping_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nothing\.yaml"):
        read_ruleset_file(tmp_path / "nothing.yaml")
    assert read_ruleset("a: [")[1][0].hint == "mend the YAML"
    assert "key: value" in read_ruleset("- a")[1][0].message
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("id: d\xe4r".encode("latin-1"))
    assert "UTF-8" in read_ruleset_file(latin)[1][0].message


def test_a_ruleset_extends_another_key_by_key_and_its_hash_covers_both() -> None:
    freeform, freeform_hash = load_ruleset("freeform")
    d20, d20_hash = load_ruleset("freeform-d20")
    assert d20.actions == freeform.actions
    assert [(band.name, band.minimum) for band in d20.bands] == [("success", 15), ("mixed", 10), ("fail", -99)]
    assert d20_hash != freeform_hash
    assert "no ruleset freefrom" in read_ruleset("extends: freefrom")[1][0].message


def test_a_ruleset_of_ones_own_lies_beside_the_scenarios_and_is_played_by(tmp_path: Path) -> None:
    app = p.workspace(tmp_path / "w", p.scenario_text("freeform").replace("ruleset: freeform", "ruleset: dares"))
    (app.workspace.rulesets).mkdir()
    (app.workspace.rulesets / "dares.yaml").write_text(TEXT, encoding="utf-8")
    app.campaigns.new("parlour", campaign_id="game")
    with app.campaigns.reading("game") as store:
        assert store.campaign().rules.ruleset.id == "dares"
        assert store.head().state.stat("game:player", "nerve") == 1


def test_a_file_that_calls_itself_otherwise_or_is_no_ruleset_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "darings.yaml").write_text(TEXT, encoding="utf-8")
    with pytest.raises(RulesetError, match="it is dares"):
        load_ruleset("darings", tmp_path)
    with pytest.raises(NotFound) as caught:
        load_ruleset("dares", tmp_path)
    assert "darings" in str(caught.value.hint)
    (tmp_path / "freeform.yaml").write_text("nothing", encoding="utf-8")
    assert load_ruleset("freeform", tmp_path)[0].id == "freeform"


def test_the_small_ruleset_of_the_documentation_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rulesets.md").read_text(encoding="utf-8")
    small = page.split("```yaml\n")[1].split("```")[0]
    assert read_ruleset(small)[1] == []
