"""Measures say what they are defined to say, and intervals are those of the questions at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures import (
    BUDGETS,
    METRICS,
    Answer,
    Gold,
    Passage,
    Question,
    Section,
    find_rank,
    holds,
    is_found_in,
    normalised,
    scores_of,
    summarised,
)

HALL, GATE, WELL = ("castle.md", "Hall"), ("castle.md", "Gate"), ("town.md", "Well")
WORDS = st.lists(st.sampled_from("the gate stands open all night".split()), max_size=12).map(" ".join)


def question(gold: tuple[Section, ...] = (HALL,), also: tuple[Section, ...] = (), evidence: str = "oak") -> Question:
    return Question("lookup", "?", tuple(map(Gold, gold)), tuple(map(Gold, also)), (evidence,))


def scored(asked: Question, *sections: Section, text: str = "") -> dict[str, float]:
    answer = Answer(tuple(Passage(one, "") for one in sections), dict.fromkeys(BUDGETS, text))
    return dict(zip(METRICS, scores_of(asked, answer), strict=True))


def test_the_rank_of_the_first_section_that_answers_counts() -> None:
    found = scored(question(), GATE, HALL)
    assert (found["any@1"], found["any@10"], found["MRR"]) == (0, 1, 0.5)


def test_what_is_not_found_counts_nothing() -> None:
    assert set(scored(question(), GATE).values()) == {0}


def test_a_section_that_will_do_as_well_is_a_hit_but_does_not_stand_in_for_what_is_asked() -> None:
    found = scored(question(also=(GATE,)), GATE)
    assert (found["any@1"], found["MRR"], found["all@10"]) == (1, 1, 0)


def test_all_asks_for_every_section_and_the_eleventh_is_too_late() -> None:
    others = tuple(("other.md", str(number)) for number in range(9))
    assert scored(question((HALL, WELL)), HALL, WELL)["all@10"] == 1
    assert scored(question((HALL, WELL)), HALL, *others, WELL)["all@10"] == 0
    assert scored(question((WELL,)), HALL, *others, WELL)["MRR"] == 0


@pytest.mark.parametrize("section", ["Hall", "Hall > Doors", ""], ids=["as asked", "cut deeper", "cut less"])
def test_gold_is_found_where_its_sentence_stands_however_its_file_is_cut(section: str) -> None:
    asked = Gold(HALL, "An oak door leads down.")
    assert is_found_in(asked, Passage((HALL[0], section), "It is cold.\nAn *oak*\ndoor leads  down."))
    assert not is_found_in(asked, Passage((HALL[0], section), "It is cold."))
    assert not is_found_in(asked, Passage(("other.md", section), "An oak door leads down."))


def test_gold_without_a_sentence_is_found_by_its_section() -> None:
    assert is_found_in(Gold(HALL), Passage(HALL, "whatever"))
    assert not is_found_in(Gold(HALL), Passage(GATE, "whatever"))


def test_of_a_sentence_cut_in_two_the_larger_part_counts() -> None:
    sentence = "an oak door leads down to the well"
    assert holds("It is cold. An oak door leads down", sentence)
    assert not holds("to the well. It is deep.", sentence)
    assert not holds("an oak door leads down, where the dog sleeps", sentence)
    assert holds("An oak door leads", "an oak door leads down to it")
    assert not holds("oak", "oak door leads")


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=9), st.data())
def test_wherever_a_sentence_is_cut_in_two_a_part_of_it_counts(words: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(words) - 1))
    first, second = f"before {' '.join(words[:at])}", f"{' '.join(words[at:])} behind"
    larger, other = (first, second) if at * 2 > len(words) else (second, first)
    assert holds(larger, " ".join(words))
    assert at * 2 != len(words) or holds(other, " ".join(words))


def test_a_section_counts_once_and_its_gold_where_the_part_with_the_sentence_comes() -> None:
    asked = Gold(HALL, "oak")
    parts = [Passage(HALL, "It is cold."), Passage(HALL, "Tiles."), Passage(GATE, "Iron."), Passage(HALL, "An oak.")]
    assert find_rank(asked, Answer(tuple(parts), {})) == 2
    assert find_rank(asked, Answer(tuple(parts[:2] + parts[3:]), {})) == 1
    assert find_rank(asked, Answer(tuple(parts[:3]), {})) == 0


def test_recall_is_the_share_of_the_evidence_that_was_handed_over() -> None:
    asked = Question("multihop", "?", (Gold(HALL), Gold(WELL)), (), ("an oak door", "a dry well"))
    answer = Answer((), {500: "nothing", 1000: "Behind an oak door.", 2000: "An oak door; a dry well."})
    assert scores_of(asked, answer)[-3:] == [0, 0.5, 1]


@pytest.mark.parametrize(
    "written",
    [
        "the abbot’s “oak” door",
        'The *abbot\'s* "oak"\n  door',
        "the [abbot's](people/abbot.md) “oak” **door**",
        "the abbot's\n> “oak” door",
    ],
)
def test_typography_and_markup_do_not_hide_evidence(written: str) -> None:
    assert normalised('the abbot\'s "oak" door') in normalised(f"There stood {written}.")


@given(WORDS, WORDS, WORDS)
def test_more_text_never_has_less_of_the_evidence(evidence: str, text: str, more: str) -> None:
    if normalised(evidence) in normalised(text):
        assert normalised(evidence) in normalised(f"{text}\n\n{more}")


def test_an_interval_holds_its_value_and_narrows_with_questions() -> None:
    few, many = (summarised([question()] * count, _half_right(count))["all"]["MRR"].estimate for count in (10, 1000))
    assert few.low <= few.value <= few.high
    assert many.high - many.low < few.high - few.low


def test_differences_are_paired() -> None:
    """Where an arm is worse by the same on every question, nothing of that is chance."""
    scores = _half_right(40)
    found = summarised([question()] * 40, scores - 0.25, scores)["all"]["MRR"]
    assert found.difference is not None
    assert (found.difference.low, found.difference.high) == (-0.25, -0.25)
    assert found.estimate.high - found.estimate.low > 0.2


def test_kinds_are_counted_apart_and_together() -> None:
    asked = [question(), Question("scene", "?", (), (), ("oak",))]
    found = summarised(asked, np.array([[1.0] * len(METRICS), [0.0] * len(METRICS)]))
    assert {kind: found[kind]["any@1"].estimate.value for kind in found} == {"lookup": 1, "scene": 0, "all": 0.5}


def test_the_same_scores_give_the_same_intervals() -> None:
    asked, scores = [question()] * 30, _half_right(30)
    assert summarised(asked, scores) == summarised(asked, scores)


def _half_right(count: int) -> np.ndarray:
    return np.tile(np.arange(count) % 2, (len(METRICS), 1)).T.astype(float)
