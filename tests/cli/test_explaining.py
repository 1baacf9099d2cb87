"""Explanations at the command line: why not, budgets compared, pages, scenes, a pack at a glance."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lorewright.cli import main
from support.html_page import read_page
from support.pack_builder import TOWN, write_pack

Run = Callable[..., str]


@pytest.fixture
def lorewright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a workspace with TOWN installed; what it printed, or its exit code and what it complained."""
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(tmp_path / "ws"))
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "none")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "lorewright.toml").write_text('name = "ws"\n')

    def run(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["lorewright", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return said.out if ended.value.code in (0, None) else f"exit {ended.value.code}: {said.err}"

    golden = "- query: the laundry\n  include: [town:bar:history]\n"
    assert "installed" in run("pack", "install", str(write_pack(tmp_path, {**TOWN, "tests/golden.yaml": golden})))
    return run


def flat(text: str) -> str:
    return " ".join(text.split())


def test_why_not_says_what_is_lacking_and_what_would_help(lorewright: Run) -> None:
    ask = ("lore", "query", "what of the laundry and the barman", "--limit", "1", "--why-not")
    told = flat(lorewright(*ask, "pier:overview"))
    assert "town:pier:overview was left out, for neither words nor names" in told
    assert "it does not hold “laundry” or “barman”" in told
    told = flat(lorewright(*ask, "viktor:threads"))
    assert told == "viktor:threads: there is no such chunk for gm in the packs that are asked."
    told = flat(lorewright(*ask, "viktor:withholds"))
    assert "was left out, for there are enough better sections: it stands at rank" in told
    assert "It is in the answer with --limit" in told
    found = json.loads(lorewright(*ask, "viktor:withholds", "--json"))
    assert found["chunk"]["reason"] == "below_the_cut"
    assert found["from_limit"] > 1


def test_for_a_player_a_secret_is_an_id_that_nobody_wrote(lorewright: Run) -> None:
    ask = ("lore", "query", "debt", "--as", "player", "--why-not")
    hidden, unknown = lorewright(*ask, "viktor:withholds"), lorewright(*ask, "viktor:withheld")
    assert hidden.replace("viktor:withholds", "X") == unknown.replace("viktor:withheld", "X")
    assert "Did you mean town:viktor:overview?" in flat(lorewright(*ask, "viktor:overviw"))


def test_budgets_are_compared_step_by_step(lorewright: Run) -> None:
    ask = ("lore", "query", "the barman", "--diff-budget")
    told = lorewright(*ask, "30,500")
    assert "where it ends" in told
    assert "with 500 tokens" in told
    steps = json.loads(lorewright(*ask, "500,30", "--json"))
    assert [step["max_tokens"] for step in steps] == [30, 500]
    for wrong in ("500", "a,b", "1,-2", "1,2,"):
        assert lorewright(*ask, wrong).startswith("exit 1: error[")


def test_an_answer_and_a_scene_are_written_as_pages(lorewright: Run, tmp_path: Path) -> None:
    lorewright("lore", "query", "the barman", "--html", str(tmp_path / "q.html"))
    assert "the barman" in read_page((tmp_path / "q.html").read_text(encoding="utf-8")).told
    lorewright("lore", "scene", "--location", "bar", "--present", "viktor", "--html", str(tmp_path / "s.html"))
    assert "Found beside" in read_page((tmp_path / "s.html").read_text(encoding="utf-8")).told
    assert "cannot be written" in lorewright("lore", "query", "x", "--html", str(tmp_path / "none" / "q.html"))


def test_a_scene_is_explained(lorewright: Run) -> None:
    told = lorewright("lore", "scene", "--location", "bar", "--present", "viktor", "--explain")
    for part in ("with Viktor [town:viktor]", "there by ID", "kept back", "found beside, and why", "Viktor: withholds"):
        assert part in told
    player = lorewright("lore", "scene", "--location", "bar", "--present", "viktor", "--explain", "--as", "player")
    assert "kept back" not in player
    assert "withholds" not in player
    found = json.loads(lorewright("lore", "scene", "--location", "bar", "--json", "--explain"))
    assert found["location_id"] == "town:bar"
    assert {"beside", "trace"} <= found.keys()
    assert "there is no place cellar" in lorewright("lore", "scene", "--location", "cellar")


def test_a_scene_is_printed_in_the_shape_of_the_seed(lorewright: Run) -> None:
    ask = ("lore", "scene", "--location", "bar", "--present", "viktor", "--thread", "main_case", "--json")
    found = json.loads(lorewright(*ask))
    assert (found["scene_id"], found["session_id"], found["retrieved_at"]) == ("", None, None)
    assert found["atmosphere"][0] == "Neon hums over wet glass."
    assert set(found["npc_briefings"]["town:viktor"]) == {"disposition", "knows", "withholds", "capabilities"}
    assert found["npc_briefings"]["town:viktor"]["withholds"]
    assert set(found["discoverable"][0]) == {"trigger", "content"}
    assert found["thread_connections"] == {"main_case": "Jin was last seen in the Dragon."}
    assert found["lore"]["briefings"][0]["npc_id"] == "town:viktor"
    player = json.loads(lorewright(*ask, "--as", "player"))
    assert "lore" not in player and not player["thread_connections"]
    assert found.keys() - {"lore"} == player.keys()
    assert lorewright(*ask) == lorewright(*ask)


def test_how_long_a_question_took_is_said_on_request_alone(lorewright: Run) -> None:
    assert json.loads(lorewright("lore", "query", "the barman", "--json"))["query_time_ms"] is None
    assert json.loads(lorewright("lore", "query", "the barman", "--json", "--timed"))["query_time_ms"] > 0
    assert "found in" in lorewright("lore", "query", "the barman", "--timed")


def test_names_do_where_ids_do_and_the_nearest_are_suggested(lorewright: Run) -> None:
    by_id = lorewright("lore", "scene", "--location", "bar", "--present", "viktor")
    assert lorewright("lore", "scene", "--location", "The Neon Dragon", "--present", "Viktor") == by_id
    assert lorewright("lore", "entity", "the dragon") == lorewright("lore", "entity", "bar")
    query = ("lore", "query", "laundry", "--location")
    assert lorewright(*query, "the neon dragon") == lorewright(*query, "town:bar")
    assert lorewright("lore", "query", "debt", "--as", "npc:Viktor") == (
        lorewright("lore", "query", "debt", "--as", "npc:viktor")
    )
    for asked in (("lore", "entity", "Viktr"), ("lore", "query", "--entity", "Viktr")):
        assert "did you mean Viktor [town:viktor]?" in flat(lorewright(*asked))


def test_what_is_not_found_says_which_workspace_was_asked(
    lorewright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = flat(lorewright("pack", "show", "twon"))
    assert "no pack twon is installed (installed: town) hint: did you mean town?" in told
    assert f"the workspace that was asked is {tmp_path / 'ws'}" in told
    monkeypatch.chdir(tmp_path / "ws")
    assert "the workspace that was asked" not in lorewright("pack", "show", "twon")


def test_a_lorebook_that_is_installed_as_a_pack_is_sent_to_import(lorewright: Run, tmp_path: Path) -> None:
    book = tmp_path / "book.json"
    book.write_text('{"entries": {}}', encoding="utf-8")
    assert f"lorewright pack import {book} FOLDER" in flat(lorewright("pack", "install", str(book)))


@pytest.mark.parametrize("asked", [("lore", "entity"), ("lore", "query", "--entity"), ("lore", "scene", "--location")])
def test_a_player_who_asks_for_a_hidden_name_hears_what_is_said_of_a_made_up_one(
    lorewright: Run, asked: tuple[str, ...]
) -> None:
    hidden, made_up = lorewright(*asked, "Drowned Choir", "--as", "player"), "Frowned Choir"
    assert hidden.startswith("exit 1")
    assert hidden.replace("Drowned Choir", made_up) == lorewright(*asked, made_up, "--as", "player")


def test_stats_say_how_a_pack_hangs_together(lorewright: Run, tmp_path: Path) -> None:
    told = lorewright("pack", "stats", "town", "--html", str(tmp_path / "town.html"))
    assert "1 orphans, without a link in or out: town:hand" in told
    assert "1 ask for 1 of" in told
    read_page((tmp_path / "town.html").read_text(encoding="utf-8"))
    figures = json.loads(lorewright("pack", "stats", "town", "--json"))["figures"]
    assert figures["golden"]["asked_for"] == 1
