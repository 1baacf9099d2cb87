"""What is printed fits the screen: prose, suggestions, chunks of markdown, the tables of an explanation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.cli.output import in_lines, laid_out, wrapped
from lorewright.cli.tracing import show_trace
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", "80")
    return 80


def test_a_list_item_hangs_from_its_mark_and_a_link_is_shown_as_it_reads(narrow: int) -> None:
    item = "- {#debt} " + "[[viktor|The barman]] owes [money](zenith.md). " * 4
    lines = laid_out(item).splitlines()
    assert lines[0].startswith("- {#debt} The barman owes money.")
    assert all(line.startswith("  ") and not line.startswith("   ") for line in lines[1:])
    assert all(len(line) <= narrow for line in lines)


def test_tables_headings_and_code_keep_their_lines(narrow: int) -> None:
    kept = "### Prices\n| drink | price |\n|---|---|\n| gin | 2 |\n\n```\na   b\n- c\n```"
    assert laid_out(kept) == kept


def test_paragraphs_and_items_are_not_run_together(narrow: int) -> None:
    assert laid_out("One\nand on.\n- two\n- three\n  and on\n\nFour.") == "One and on.\n- two\n- three and on\n\nFour."


def test_a_suggestion_is_broken_only_where_it_is_longer_than_a_line(narrow: int) -> None:
    options = [f"{number} ask somebody about the thing" for number in range(1, 6)]
    lines = in_lines(options).splitlines()
    assert [option for line in lines for option in line.strip().split("   ")] == options
    assert all(len(line) <= narrow and line.startswith("  ") for line in lines)
    assert all(len(line) <= narrow for line in in_lines(["word " * 40]).splitlines())


@given(st.text(max_size=400))
def test_no_text_is_too_odd_to_be_laid_out(text: str) -> None:
    assert isinstance(laid_out(text), str)
    assert isinstance(wrapped(text), str)


def traced(chunk_id: str, rank: int, reason: str | None) -> ChunkTrace:
    return ChunkTrace.model_validate(
        {
            "chunk_id": chunk_id,
            "section_path": chunk_id,
            "rank": rank,
            "score": 1 / rank,
            "parts": {"words": 0.5 / rank, "name": 0.3 / rank, "filters": 0.2 / rank},
            "keyword_rank": rank,
            "keyword_score": 1.0,
            "vector_rank": None,
            "vector_score": None,
            "rerank_score": None,
            "terms": {"smuggler": 4.0, "lighthouse keeper": 3.0, "quarantine": 2.0},
            "name": "the quarantine station",
            "filters": (),
            "tokens": 12,
            "reason": reason,
        }
    )


@pytest.mark.parametrize("other", ["reef", "shoal"])
def test_an_explanation_fits_the_screen_and_names_one_pack_once(
    narrow: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], other: str
) -> None:
    monkeypatch.setattr("lorewright.cli.output._WIDE", narrow)
    first, second = "reef:lighthouse_keepers_widow:correspondence", f"{other}:quarantine_station:overview"
    chunks = (traced(first, 1, None), traced(second, 2, "below_the_cut"))
    show_trace(RetrievalTrace(viewer="gm", packs=("reef", other), vector_weight=0.5, chunks=chunks))
    told = capsys.readouterr().out
    assert all(len(line) <= narrow for line in told.splitlines())
    assert "left out: below the cut" in told
    assert ("all of reef" in told) == (other == "reef")
    assert ("shoal:" in told) == (other == "shoal")
