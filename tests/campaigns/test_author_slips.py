"""Slips that authors make, written from the docs alone before any was tried: each is answered with its file, its line and what
to do about it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from lorewright.bootstrap import open_app
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
