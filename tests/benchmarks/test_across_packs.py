"""Numbers are chosen by what they are worth on the packs at hand, and the page says first what was missed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import across_packs
from ablation import homes_of
from across_blocks import AIMS, WRITTEN, aims
from across_packs import CHOICES, START, choose, objective, shipped
from measures import METRICS, Gold, Passage, Question, is_found_in, ratios, summarised
from results import OURS, ArmResult, SetResult, counted, load, load_told, save

KINDS = ("lookup", "paraphrase", "multihop", "scene")


def near(setting: Mapping[str, float]) -> float:
    """A setting is worth the more the nearer it is to where a choice begins."""
    return -sum(abs(setting[name] - START[name]) for name in setting)


def test_each_number_becomes_the_best_of_its_values() -> None:
    best = {name: values[-1] for name, values in CHOICES.items()}
    found = choose(lambda setting: -sum(abs(setting[name] - best[name]) for name in best), START)
    assert found == best


def test_a_number_stays_where_little_is_gained() -> None:
    least = across_packs._LEAST_GAIN / 2
    assert choose(lambda setting: 0.0 if setting == START else least, START) == START
    assert choose(near, START) == START


def test_what_ships_is_one_of_the_values_and_every_number_is_there() -> None:
    assert all(homes_of(name) for name in CHOICES)
    assert all(shipped()[name] in values for name, values in CHOICES.items())
    assert len(CHOICES) <= 8


def test_a_question_is_worth_its_evidence_its_rank_and_the_headline_of_its_kind() -> None:
    scores = np.zeros((2, len(METRICS)))
    scores[:, METRICS.index("all@10")] = 1.0
    assert objective(["multihop", "paraphrase"], scores).tolist() == [pytest.approx(1 / 3), 0.0]
    scores[1, METRICS.index("recall@1000")] = 0.5
    assert objective(["multihop", "paraphrase"], scores)[1] == pytest.approx(0.5 / 3)


def test_a_sentence_counts_in_every_file_that_tells_of_the_same() -> None:
    gold = Gold(("Lich.md", "Lich"), "the lich drinks souls", ("Monsters L.md",))
    assert is_found_in(gold, Passage(("Monsters L.md", "Lich"), "Here the lich drinks souls."))
    assert not is_found_in(gold, Passage(("Monsters M.md", "Lich"), "Here the lich drinks souls."))


def compared(ours: float, theirs: float) -> SetResult:
    """A set of all kinds on which each of two arms scores the same on every question."""
    asked = [Question(kind, "?", (), (), ("x",)) for kind in KINDS for _ in range(3)]
    base, other = (np.full((len(asked), len(METRICS)), value) for value in (ours, theirs))
    arms = [ArmResult(OURS, "", summarised(asked, base))]
    arms.append(ArmResult("plain RRF", "", summarised(asked, other, base), ratios(asked, base, other)))
    return SetResult(counted(asked), arms)


def test_what_was_missed_is_told_first() -> None:
    sets = {pool: compared(1.0, 0.5) for pool in {aim.pool for aim in AIMS}} | {WRITTEN: compared(0.5, 0.49)}
    told = aims(sets).splitlines()
    missed = [line.startswith("- **missed**") for line in told]
    assert missed == sorted(missed, reverse=True)
    assert {True, False} == set(missed)
    assert len(told) == len(AIMS) + 1
    assert any("2.0000 × (2.000–2.000); ours 1.00, theirs .50" in line for line in told)


def test_ratios_come_back_from_a_file_with_what_is_told_beside_them(tmp_path: Path) -> None:
    save("across-packs", {"one": compared(1.0, 0.5)}, tmp_path, told={"ships": {"A": 1}})
    assert load("across-packs", tmp_path) == {"one": compared(1.0, 0.5)}
    assert load_told("across-packs", tmp_path) == {"ships": {"A": 1}}
