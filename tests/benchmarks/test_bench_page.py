"""The pages of benchmarks say what the results say, and nothing of their prose is lost when they are written anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench_blocks import Numbers, blocks_of, plots_of, read_numbers
from bench_page import PAGE, PLOTS, README, files_of, filled
from measures import METRICS, Question, summarised
from results import OURS, RESULTS, ArmResult, SetResult, counted, load, save

BOOK, TALES = "eclipse-phase", "tales"
NUMBERS = read_numbers(RESULTS)
WRITTEN = files_of(NUMBERS)
PROSE = st.text("ab <!->\n#|", max_size=30).filter(lambda text: "bench" not in text)


@pytest.mark.parametrize("path", list(WRITTEN), ids=lambda path: path.name)
def test_what_stands_on_a_page_is_what_was_measured(path: Path) -> None:
    told = "the results have changed: python benchmarks/bench_page.py"
    assert path.read_text(encoding="utf-8") == WRITTEN[path], told


def test_no_plot_is_left_over() -> None:
    assert {path.name for path in PLOTS.glob("*")} == {path.name for path in WRITTEN if path.parent == PLOTS}


def test_the_readme_tells_the_figures_of_the_file() -> None:
    sets = json.loads((RESULTS / "across-packs.json").read_text(encoding="utf-8"))["sets"]
    row = next(line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"| **{OURS}**"))
    cells = [cell.strip(" *") for cell in row.strip("|").split("|")]
    ours = {name: one["arms"][0]["kinds"] for name, one in sets.items()}
    asked = sets["written"]["questions"]["lookup"]
    assert cells[1] == f"{ours['all']['all']['recall@1000'][0]:.0%}"
    assert cells[3] == f"{round(ours['written']['lookup']['any@1'][0] * asked)}/{asked}"
    assert float(cells[-1]) == pytest.approx(ours["all"]["all"]["MRR"][0], abs=0.005)


def test_every_block_of_the_pages_is_known_and_every_known_one_is_shown() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (PAGE, README))
    assert set(re.findall(r"<!-- bench:([a-z-]+) -->", pages)) == set(blocks_of(NUMBERS))


@given(PROSE, PROSE, PROSE)
def test_prose_stays_and_writing_twice_changes_nothing(before: str, between: str, after: str) -> None:
    page = f"{before}<!-- bench:a -->\n{between}<!-- /bench -->{after}"
    once = filled(page, {"a": "numbers\n"})
    assert once == f"{before}<!-- bench:a -->\nnumbers\n<!-- /bench -->{after}"
    assert filled(once, {"a": "numbers\n"}) == once
    assert filled(page, {"a": ""}) == page


def test_a_block_that_nothing_is_written_for_is_an_error() -> None:
    with pytest.raises(KeyError, match="gone"):
        filled("<!-- bench:gone -->\n<!-- /bench -->", {})


def measured(*arms: tuple[str, float]) -> SetResult:
    """A set on which each arm scores the same on every question."""
    asked = [Question("lookup", "?", (), (), ("x",))] * 4
    base = np.full((4, len(METRICS)), arms[0][1])
    found = [ArmResult(arms[0][0], "ours", summarised(asked, base))]
    for name, value in arms[1:]:
        found.append(ArmResult(name, "theirs", summarised(asked, np.full_like(base, value), base)))
    return SetResult(counted(asked), found)


def test_results_come_back_as_they_were_and_other_sets_stay(tmp_path: Path) -> None:
    first, second = measured((OURS, 0.5), ("BM25 alone", 0.25)), measured((OURS, 1.0))
    save("quality", {"one": first}, tmp_path)
    save("quality", {"two": second}, tmp_path)
    assert load("quality", tmp_path) == {"one": first, "two": second}
    assert load("ablation", tmp_path) == {}


def test_who_is_ahead_of_ours_is_named_and_nobody_else() -> None:
    ahead = measured((OURS, 0.5), ("BM25 alone", 0.25), ("plain RRF", 0.75))
    kinds = dict.fromkeys(("lookup", "paraphrase", "multihop", "scene"), ahead.questions["lookup"])
    arms = [ArmResult(a.arm, a.what, dict.fromkeys([*kinds, "all"], a.kinds["all"])) for a in ahead.arms]
    book = SetResult({**kinds, "all": 16}, arms)
    told = blocks_of(
        Numbers(
            {BOOK: book, TALES: measured((OURS, 0.5), ("BM25 alone", 0.5), ("plain RRF", 0.5))}, {}, [], [], {}, [], []
        )
    )["behind"]
    assert "plain RRF .75, ours .50" in told
    assert "BM25" not in told


def test_times_of_others_are_told_as_ratios_to_ours_of_their_size() -> None:
    peers = [
        {"arm": "llamaindex", "size": 25000, "p50_ms": 20.0, "times_ours": 5.0},
        {"arm": "llamaindex", "size": 1500, "p50_ms": 8.0, "times_ours": 4.0},
        {"arm": "haystack", "size": 1500},
        {"arm": "ours", "size": 1500, "p50_ms": 2.0, "times_ours": 1.0},
    ]
    told = blocks_of(Numbers({}, {}, [], peers, {}, [], []))["peers"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in told.splitlines()]
    assert [row[:4] for row in rows[2:]] == [
        ["1,500", "Lorewright", "1.0 ×", "2.00"],
        ["1,500", "llamaindex", "4.0 ×", "8.00"],
        ["1,500", "haystack", "–", "–"],
        ["25,000", "llamaindex", "5.0 ×", "20.0"],
    ]


@pytest.mark.parametrize("name", sorted(plots_of(NUMBERS)))
def test_a_plot_stands_for_itself_in_light_and_dark(name: str) -> None:
    drawn = plots_of(NUMBERS)[name]
    ElementTree.fromstring(drawn)
    assert "prefers-color-scheme: dark" in drawn
    assert set(re.findall(r"https?://[^'\"<\s]+", drawn)) == {"http://www.w3.org/2000/svg"}
