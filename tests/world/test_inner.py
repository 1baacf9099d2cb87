"""What characters remember: it fades as time passes, by the formula, and reading it changes nothing."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.world.ops import AdvanceTime, Observe
from lorewright.world.things import Observation, decay_weight, observation_id, priority, recalled
from support import small_world as w

observations = st.builds(
    Observation,
    content=st.text(min_size=1, max_size=20),
    importance=st.integers(1, 5),
    minute=st.integers(0, 10_000),
    reinforcement_count=st.integers(0, 9),
)
lambdas = st.floats(0, 0.1)
SEEN = Observe(who=w.VIKTOR, content="The timer makes her heartbeat audible.", importance=4)


@given(observations, st.integers(0, 100_000), lambdas)
def test_priority_is_the_formula(one: Observation, age: int, decay_lambda: float) -> None:
    reinforced = 1 + min(one.reinforcement_count, 3) * 0.15
    expected = one.importance * math.exp(-decay_lambda * age) * reinforced
    assert priority(one, minute=one.minute + age, decay_lambda=decay_lambda) == expected


@given(observations, st.integers(0, 50_000), st.integers(0, 50_000), lambdas)
def test_what_is_older_never_weighs_more(one: Observation, age: int, more: int, decay_lambda: float) -> None:
    now, later = one.minute + age, one.minute + age + more
    assert priority(one, minute=later, decay_lambda=decay_lambda) <= priority(
        one, minute=now, decay_lambda=decay_lambda
    )


def test_a_fourth_reinforcement_adds_nothing() -> None:
    weights = [
        priority(Observation(content="x", importance=2, minute=0, reinforcement_count=n), minute=0, decay_lambda=0.01)
        for n in range(5)
    ]
    assert weights == [2.0, 2.3, 2.6, 2.9, 2.9]


def test_a_memory_of_a_later_minute_is_fresh() -> None:
    assert priority(Observation(content="x", importance=3, minute=9), minute=5, decay_lambda=0.5) == 3.0


@pytest.mark.parametrize(("age", "decay_lambda"), [(-1, 0.1), (1, -0.1)])
def test_a_negative_age_or_lambda_is_refused(age: int, decay_lambda: float) -> None:
    with pytest.raises(ValueError, match="not negative"):
        decay_weight(age, decay_lambda=decay_lambda)


@given(st.dictionaries(st.text(min_size=1, max_size=4), observations, max_size=6), lambdas)
def test_what_weighs_most_is_recalled_first_and_nothing_is_left_out(
    memory: dict[str, Observation], decay_lambda: float
) -> None:
    found = recalled(memory, minute=10_000, decay_lambda=decay_lambda)
    assert {one.id for one in found} == memory.keys()
    assert all(first.priority >= second.priority - 1e-9 for first, second in itertools.pairwise(found))
    assert recalled(memory, minute=10_000, decay_lambda=decay_lambda, limit=2) == found[:2]


def test_the_same_seen_again_is_one_memory_that_counts_more_and_keeps_its_date() -> None:
    again = SEEN.model_copy(update={"content": "the timer  makes her heartbeat AUDIBLE.", "importance": 2})
    state = w.after(w.small_world(), SEEN, AdvanceTime(minutes=30), again)
    (one,) = state.observations[w.VIKTOR].values()
    assert (one.content, one.importance, one.minute, one.reinforcement_count) == (SEEN.content, 4, 0, 1)


def test_remembering_changes_nothing() -> None:
    state = w.after(w.small_world(), SEEN, AdvanceTime(minutes=30))
    before = state.to_json()
    recalled(state.observations[w.VIKTOR], minute=state.minutes, decay_lambda=0.01)
    assert state.to_json() == before


def test_a_state_without_memories_is_written_as_before_there_were_any() -> None:
    small = w.small_world()
    assert small.schema_version == 1
    assert "observations" not in small.model_dump(mode="json")
    seen = w.after(small, SEEN)
    assert seen.schema_version == 3
    assert list(seen.observations[w.VIKTOR]) == [observation_id(SEEN.content)]
