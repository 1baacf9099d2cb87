"""The budget: never exceeded, cut at a good end, and a larger one never loses what a smaller one had."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.index.generation import StoredChunk
from lorewright.retrieval.budget import MIN_CUT_TOKENS, cut_text, fit_to_budget
from lorewright.retrieval.ranking import Hit
from lorewright.tokens import count_tokens


def hit(row: int, text: str, *, section: str | None = None, part: int = 1) -> Hit:
    chunk_id = f"p:e:{section or row}" + (f"~{part}" if part > 1 else "")
    tokens = count_tokens(text)
    chunk = StoredChunk(
        row, chunk_id, "p", "p:e", "e.md", "E", "E", "", text, "lore", 1, part, tokens, {}, None, tokens
    )
    return Hit(chunk=chunk, text=text, token_count=tokens, score=1 / (row + 1))


def sentences(count: int, word: str) -> str:
    return " ".join(f"{word}{number} stands in its own sentence here." for number in range(count))


def ids(hits: Sequence[Hit]) -> list[str]:
    return [one.chunk.id for one in hits]


def test_what_fits_is_kept_in_its_order() -> None:
    hits = [hit(2, "second words"), hit(1, "first text")]
    assert fit_to_budget(hits, budget_tokens=100, limit=10) == (hits, [])


def test_the_first_that_overflows_is_cut_and_filling_stops() -> None:
    hits = [hit(1, sentences(10, "a")), hit(2, sentences(40, "b")), hit(3, "tiny")]
    chosen, left_out = fit_to_budget(hits, budget_tokens=hits[0].token_count + 100, limit=10)
    assert ids(chosen) == ["p:e:1", "p:e:2"]
    assert chosen[1].text.endswith("here.")
    assert hits[1].text.startswith(chosen[1].text)
    assert MIN_CUT_TOKENS <= chosen[1].token_count <= 100
    assert [(one.chunk.id, reason) for one, reason in left_out] == [("p:e:3", "over_budget")]


def test_a_rest_that_tells_nothing_is_left_out_whole() -> None:
    hits = [hit(1, sentences(40, "a")), hit(2, "tiny")]
    chosen, left_out = fit_to_budget(hits, budget_tokens=MIN_CUT_TOKENS - 1, limit=10)
    assert chosen == []
    assert [reason for _, reason in left_out] == ["over_budget", "over_budget"]


def test_the_limit_counts_sections_and_not_their_parts() -> None:
    hits = [
        hit(2, "alpha beta", section="s", part=2),
        hit(1, "gamma delta", section="s"),
        hit(9, "other words", section="t"),
        hit(3, "epsilon zeta", section="s", part=3),
    ]
    chosen, left_out = fit_to_budget(hits, budget_tokens=100, limit=1)
    assert ids(chosen) == ["p:e:s", "p:e:s~2", "p:e:s~3"]
    assert [(one.chunk.id, reason) for one, reason in left_out] == [("p:e:t", "below_the_cut")]


def test_sections_stand_by_rank_and_their_parts_in_source_order() -> None:
    hits = [
        hit(5, "five is here", section="b", part=2),
        hit(1, "one is there", section="a"),
        hit(4, "four goes away", section="b"),
    ]
    assert ids(fit_to_budget(hits, budget_tokens=100, limit=10)[0]) == ["p:e:b", "p:e:b~2", "p:e:a"]


def test_what_says_the_same_again_is_left_out() -> None:
    text = sentences(10, "a")
    hits = [hit(1, text), hit(2, text.upper() + "!"), hit(3, sentences(10, "b"))]
    chosen, left_out = fit_to_budget(hits, budget_tokens=1000, limit=10)
    assert ids(chosen) == ["p:e:1", "p:e:3"]
    assert [(one.chunk.id, reason) for one, reason in left_out] == [("p:e:2", "duplicate")]


def test_a_negative_budget_is_refused_and_none_holds_nothing() -> None:
    with pytest.raises(ValueError, match="negative"):
        fit_to_budget([], budget_tokens=-1, limit=1)
    assert fit_to_budget([hit(1, "word")], budget_tokens=0, limit=1)[0] == []


texts = st.builds(
    lambda sizes, word, stop: stop.join(f"{word}{n} " + "word " * size + "end." for n, size in enumerate(sizes)),
    st.lists(st.integers(0, 30), min_size=1, max_size=8),
    st.sampled_from("abcdef"),
    st.sampled_from([" ", "\n\n", "\n", ""]),
)
ranked = st.lists(st.tuples(texts, st.sampled_from("stuv"), st.integers(1, 3)), max_size=8).map(
    lambda found: [hit(row, text, section=section, part=row + 1) for row, (text, section, _) in enumerate(found)]
)


@given(ranked, st.integers(0, 400), st.integers(0, 400), st.integers(1, 5))
def test_a_larger_budget_never_loses_what_a_smaller_one_had(hits: list[Hit], one: int, other: int, limit: int) -> None:
    small, _ = fit_to_budget(hits, budget_tokens=min(one, other), limit=limit)
    large, _ = fit_to_budget(hits, budget_tokens=max(one, other), limit=limit)
    kept = {found.chunk.id: found.text for found in large}
    assert all(kept[found.chunk.id].startswith(found.text) for found in small)


@given(ranked, st.integers(0, 400), st.integers(1, 5))
def test_the_total_stays_within_and_each_hit_is_chosen_or_left_out_once(
    hits: list[Hit], budget: int, limit: int
) -> None:
    chosen, left_out = fit_to_budget(hits, budget_tokens=budget, limit=limit)
    assert sum(count_tokens(one.text) for one in chosen) <= budget
    assert sum(one.token_count for one in chosen) <= budget
    assert sorted([*ids(chosen), *ids([one for one, _ in left_out])]) == sorted(ids(hits))
    assert len({one.chunk.section_id for one in chosen}) <= limit


@given(texts, st.integers(0, 200))
def test_a_cut_is_a_beginning_that_fits_and_ends_well(text: str, limit: int) -> None:
    beginning = cut_text(text, max_tokens=limit)
    assert text.startswith(beginning)
    assert count_tokens(beginning) <= limit
    assert beginning == "" or beginning.endswith(".")


@given(st.text(max_size=200), st.integers(0, 50))
def test_any_text_can_be_cut(text: str, limit: int) -> None:
    beginning = cut_text(text, max_tokens=limit)
    assert text.startswith(beginning)
    assert count_tokens(beginning) <= limit


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("One. Two.", "One."),
        ("One!” Two.", "One!”"),
        ("One\n\nTwo words", "One"),
        ("One line\nTwo words", "One line"),
        ("no end at all", ""),
        ("3.5 litres of it", ""),
    ],
)
def test_a_cut_ends_at_a_paragraph_line_or_sentence(text: str, beginning: str) -> None:
    assert cut_text(text, max_tokens=3) == beginning


def test_a_line_that_ends_within_a_sentence_is_no_end() -> None:
    text = "The toll is paid\non the first of the\nmonth. Whoever is late\npays twice.\n- The ferry waits\n- for nobody"
    assert cut_text(text, max_tokens=13) == "The toll is paid\non the first of the\nmonth."
    assert cut_text(text, max_tokens=21) == "The toll is paid\non the first of the\nmonth. Whoever is late\npays twice."
    assert cut_text(text, max_tokens=26).endswith("- The ferry waits")
