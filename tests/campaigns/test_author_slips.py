"""Slips that authors make, written from the docs alone before any was tried: each is answered with its file, its line and what
to do about it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.beginning import Beginning
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.packs.files import Finding

pytestmark = pytest.mark.campaign

BASE = Path(__file__).parents[1] / "fixtures" / "author_slips"
SLIPS: list[dict[str, Any]] = yaml.safe_load((BASE / "slips.yaml").read_text(encoding="utf-8"))


def workspace(tmp_path: Path) -> Path:
    make_empty_workspace(tmp_path)
    shutil.copytree(BASE / "base", tmp_path, dirs_exist_ok=True)
    return tmp_path


def findings_in(root: Path, *, of_the_scenario: bool) -> list[Finding]:
    app, pack = open_app(root), root / "content_packs" / "saltmere"
    if not of_the_scenario:
        return list(app.packs.check(pack).findings)
    app.indexer.index_pack(pack)
    return app.scenarios.findings(app.campaigns.scenario_path("saltmere_light"))


def make_slip(root: Path, slip: dict[str, Any]) -> int:
    """Edit the file; return the line that a finding must name."""
    file = root / slip["file"]
    text = slip.get("text") or file.read_text(encoding="utf-8")
    at = slip.get("at")
    if "replace" in slip:
        old, new = slip["replace"]
        assert text.count(old) == 1, "the edit is of one place"
        text = text.replace(old, new)
        changed = [line for line in new.splitlines() if line not in old.splitlines()]
        at = at or next(iter(changed), new.splitlines()[0])
    file.write_bytes(text.encode(slip.get("encoding", "utf-8")))
    if "line" in slip:
        return int(slip["line"])
    return next(number for number, line in enumerate(text.splitlines(), 1) if at in line)


def says(finding: Finding, wanted: list[str | list[str]]) -> bool:
    told = f"{finding.message} {finding.hint or ''}".casefold()
    return all(any(word.casefold() in told for word in ([one] if isinstance(one, str) else one)) for one in wanted)


def names(finding: Finding, file: str) -> bool:
    return file.endswith(finding.file) or finding.file.endswith(file)


def test_the_game_that_slips_are_made_in_has_none(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    # That IDs follow from paths, and that nobody gave a license, is said of any pack.
    told = {finding.code for finding in findings_in(root, of_the_scenario=False)}
    assert told <= {"missing-frontmatter", "missing-license"}
    assert findings_in(root, of_the_scenario=True) == []


@pytest.mark.parametrize("slip", [pytest.param(slip, id=slip["slip"]) for slip in SLIPS])
def test_a_slip_is_answered_with_its_line_and_what_to_do(slip: dict[str, Any], tmp_path: Path) -> None:
    root = workspace(tmp_path)
    line = make_slip(root, slip)
    of_the_scenario = slip.get("check") == "scenario" or slip["file"].startswith("scenarios/")
    found = findings_in(root, of_the_scenario=of_the_scenario)
    good = [
        finding
        for finding in found
        if (not line or (finding.line == line and names(finding, slip["file"]))) and says(finding, slip["says"])
    ]
    assert good, (
        "\n".join(f"{one.file}:{one.line}: {one.severity} {one.message} ({one.hint})" for one in found) or "none"
    )


def read_map(root: Path, name: str) -> dict[str, set[str]]:
    _, state = open_app(root).scenarios.opening_state(root / "scenarios" / f"{name}.yaml")
    return {place.partition(":")[2]: {way.to.partition(":")[2] for way in ways} for place, ways in state.exits.items()}


def test_a_way_that_is_one_way_leads_back_in_no_scenario(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    quay = root / "content_packs" / "saltmere" / "places" / "quay.md"
    quay.write_text(quay.read_text(encoding="utf-8") + "- chute: [[The Cellar]] (one way)\n", encoding="utf-8")
    cellar = "# The Cellar\n\nIt is cold.\n\n## Exits\n\n- steps: [[The Rusty Anchor]]\n"
    (quay.parent / "cellar.md").write_text(cellar, encoding="utf-8")
    app = open_app(root)
    app.indexer.index_pack(root / "content_packs" / "saltmere")
    ways = read_map(root, "saltmere_light")
    assert "cellar" in ways["quay"]
    assert ways["cellar"] == {"anchor"}


def test_a_start_may_be_any_name_of_one_of_the_places_that_are_written(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    file = root / "scenarios" / "saltmere_light.yaml"
    text = file.read_text(encoding="utf-8").replace(
        "begins:", "places: {quay: {}, anchor: {}, lighthouse: {}}\nbegins:"
    )
    file.write_text(text, encoding="utf-8")
    assert findings_in(root, of_the_scenario=True) == []
    assert set(read_map(root, "saltmere_light")) == {"quay", "anchor", "lighthouse"}


def test_a_clock_that_counts_until_an_hour_and_that_nothing_moves_is_full_then(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    file = root / "scenarios" / "saltmere_light.yaml"
    text = file.read_text(encoding="utf-8")
    text = text.replace("max: 6, every: 10 minutes,", 'max: 6, until: "21:00",').replace(
        ", {clock: storm, by: 1}]", "]"
    )
    file.write_text(text, encoding="utf-8")
    app = open_app(root)
    app.indexer.index_pack(root / "content_packs" / "saltmere")
    row = app.campaigns.new("saltmere_light")
    with app.campaigns.open(row.id) as campaign:
        asyncio.run(campaign.submit("wait 30 minutes"))
        assert campaign.store.head().state.clocks["storm"].value == 3


@pytest.mark.parametrize(
    ("say", "says"),
    [
        ("Tobin sighs.", 'say: {success: "'),
        ("{success: You say the name, and Tobin looks away.}", "needs quotes"),
        ("{success: Who told you?, fail: No!}", "quotes"),
    ],
)
def test_a_text_that_a_rule_says_in_the_wrong_form_is_answered_with_the_right_one(
    tmp_path: Path, say: str, says: str
) -> None:
    root = workspace(tmp_path)
    file = root / "scenarios" / "saltmere_light.yaml"
    text = file.read_text(encoding="utf-8").replace("    check: {dice", f"    say: {say}\n    check: {{dice")
    file.write_text(text, encoding="utf-8")
    (finding,) = findings_in(root, of_the_scenario=True)
    assert finding.line == text.splitlines().index(f"    say: {say}") + 1
    assert says in f"{finding.message} {finding.hint}"


def test_a_second_campaign_leaves_the_name_of_another_scenario_to_its_own(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    file = root / "scenarios" / "saltmere_light.yaml"
    second = file.read_text(encoding="utf-8").replace("id: saltmere_light", "id: saltmere_light_2")
    (file.parent / "saltmere_light_2.yaml").write_text(second, encoding="utf-8")
    app = open_app(root)
    app.indexer.index_pack(root / "content_packs" / "saltmere")
    begun = [app.campaigns.new(name).id for name in ("saltmere_light", "saltmere_light", "saltmere_light_2")]
    assert begun == ["saltmere_light", "saltmere_light_3", "saltmere_light_2"]


def test_a_condition_that_names_nobody_says_whom_it_may_mean(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    note = root / "content_packs" / "saltmere" / "people" / "maren.md"
    text = note.read_text(encoding="utf-8").replace(
        "{#storm}", "{#storm} (when clock storm >= 1 and fact burned of the_quay)"
    )
    note.write_text(text, encoding="utf-8")
    file = root / "scenarios" / "saltmere_light.yaml"
    cast = "cast: {maren: {at: anchor}, tobin: {at: quay}, brine: {at: quay}}\nbegins:"
    file.write_text(file.read_text(encoding="utf-8").replace("begins:", cast), encoding="utf-8")
    told = [finding.message for finding in findings_in(root, of_the_scenario=True)]
    assert any("did you mean quay" in message for message in told), told


def test_a_campaign_that_begins_elsewhere_is_opened_by_the_text_of_that_place(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    app = open_app(root)
    app.indexer.index_pack(root / "content_packs" / "saltmere")
    row = app.campaigns.new("saltmere_light", beginning=Beginning(at="The Lighthouse"))
    with app.campaigns.open(row.id) as campaign:
        opening = campaign.store.opening()
        assert opening is not None
        assert opening.text.startswith("Salt has crept up the stairs")
