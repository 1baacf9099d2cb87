"""`lorewright pack test` as its author and a CI job see it: exit codes, JSON, JUnit, baselines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from lorewright.authoring.leaks.planting import Leak, LeakReport
from lorewright.cli.packs.pack_testing import show_leaks
from lorewright.cli.root import app as command_line
from lorewright.settings import SETTINGS_FILE
from support.pack_builder import TOWN, write_pack

GOLDEN = "- {name: the owner, query: who owns the bar where Mara mends radios, include: [viktor:overview]}\n"
WRONG = "- {name: the owner, query: who owns the bar, limit: 1, include: [hand:overview]}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / SETTINGS_FILE).write_text('name = "test"\n', encoding="utf-8")
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(tmp_path))
    write_pack(tmp_path / "content_packs", TOWN | {"tests/golden.yaml": GOLDEN})
    return tmp_path


def pack_test(*words: str) -> Any:
    return CliRunner().invoke(command_line, ["pack", "test", *words])


def test_a_folder_is_tested_without_being_installed(root: Path) -> None:
    done = pack_test(str(root / "content_packs" / "town"))
    assert done.exit_code == 0, done.output
    assert "golden      1 passed" in done.output
    assert "retrievable 19 passed" in done.output
    assert not (root / "indexes" / "library.db").exists()


def test_what_failed_is_told_with_its_place_reason_and_hint_and_exits_with_one(root: Path) -> None:
    write_pack(root / "content_packs", {"tests/golden.yaml": WRONG})
    done = pack_test("town")
    assert done.exit_code == 1
    assert "FAILED  golden  tests/golden.yaml:1  the owner" in done.output
    assert "  expected  hand:overview in the answer (as gm, 1000 tokens, 1 sections)" in done.output
    assert "  why       " in done.output
    assert "  hint      " in done.output
    assert "golden      1 failed" in done.output


def test_what_is_looked_at_can_be_chosen(root: Path) -> None:
    shown = json.loads(pack_test("town", "--only", "golden", "--only", "starved", "--json").output)
    assert set(shown["counts"]) == {"golden", "starved"}
    assert json.loads(pack_test("town", "--links", "--json").output)["counts"] == {}
    assert pack_test("town", "--only", "speed").exit_code == 2
    assert pack_test("town", "--sample", "-1").exit_code == 2
    assert pack_test().exit_code == 2


def test_a_pack_that_is_not_there_is_named(root: Path) -> None:
    done = pack_test("tonw")
    assert done.exit_code == 1
    assert "there is no folder or pack tonw" in str(done.exception)


def test_junit_and_json_say_the_same(root: Path) -> None:
    write_pack(root / "content_packs", {"tests/golden.yaml": GOLDEN + WRONG.replace("owner", "hand")})
    out = root / "out" / "lore.xml"
    done = pack_test("town", "--junit", str(out), "--json")
    assert done.exit_code == 1
    shown = json.loads(done.output)
    suites = {suite.get("name"): suite for suite in ElementTree.parse(out).getroot()}
    assert {f"town.{kind}" for kind in shown["counts"]} == set(suites)
    for kind, counts in shown["counts"].items():
        assert suites[f"town.{kind}"].get("failures") == str(counts["failed"])
        assert suites[f"town.{kind}"].get("tests") == str(sum(counts.values()))
    assert shown["passed"] is False


def test_strictly_a_warning_fails(root: Path) -> None:
    write_pack(root / "content_packs", {"quay.md": "# Quay\n\nNine boats lie here.\n\n## Nets\n"})
    assert pack_test("town").exit_code == 0
    strict = pack_test("town", "--strict")
    assert strict.exit_code == 1
    assert "FAILED  retrievable  quay.md:5  quay:nets" in strict.output


def test_a_planted_regression_fails_with_what_was_lost_until_it_is_kept(root: Path) -> None:
    kept = root / "content_packs" / "town" / "tests" / "baseline.json"
    saved = pack_test("town", "--save-baseline", str(kept))
    assert saved.exit_code == 0, saved.output
    assert pack_test("town").exit_code == 0
    (root / "content_packs" / "town" / "npcs" / "mara.md").unlink()
    before = json.loads(kept.read_text(encoding="utf-8"))["answers"]
    assert any("town:mara:overview" in one["sections"] for one in before.values())
    done = pack_test("town", "--only", "golden")
    assert done.exit_code == 1
    assert "FAILED  regression  tests/golden.yaml:1  the owner" in done.output
    assert "mara:overview was at place " in done.output
    assert "there is no such section any more" in done.output.replace("\n            ", " ")
    assert pack_test("town", "--save-baseline", str(kept)).exit_code == 0
    assert pack_test("town").exit_code == 0


def test_a_baseline_that_is_none_is_refused(root: Path) -> None:
    done = pack_test("town", "--baseline", str(root / SETTINGS_FILE))
    assert done.exit_code == 1
    assert "is no baseline" in str(done.exception)


@pytest.mark.campaign
def test_the_leak_suite_joins_the_other_tests_where_they_are_asked_for(root: Path) -> None:
    write_pack(root / "content_packs", {"quay.md": "# Quay\n\nZenith bought his debt of forty thousand.\n"})
    out = root / "leaks.xml"
    done = pack_test("town", "--leaks", "--only", "golden", "--junit", str(out), "--json")
    assert done.exit_code == 1
    leaks = [
        case for case in json.loads(done.output)["cases"] if case["kind"] == "leaks" and case["status"] == "failed"
    ]
    assert {case["file"] for case in leaks} == {"npcs/viktor.md"}
    assert ElementTree.parse(out).find(".//testsuite[@name='town.leaks']/testcase/failure") is not None


def test_of_many_leaks_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    leaks = tuple(
        Leak("town.md", line, f"town:{line}", "player", "query", "asked", "said", "mend it") for line in range(30)
    )
    with pytest.raises(typer.Exit):
        show_leaks(LeakReport("town", 30, ("player",), {"query": 30}, leaks), as_json=False)
    printed = capsys.readouterr().out
    assert printed.count("town.md:") == 25
    assert "… and 5 more" in printed
