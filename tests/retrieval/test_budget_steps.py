"""What a smaller budget gives, a larger one keeps; each step tells what comes in and where it ends."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.authoring.changes import budget_steps
from lorewright.index.generation import Generation
from support.pack_builder import TOWN, ask, found, opened_packs
from support.scale import scaled

Town = tuple[Generation, ...]
WORDS = "the barman and the laundry of the Night Guild"


@settings(max_examples=scaled(25), deadline=None)
@given(
    budgets=st.lists(st.integers(min_value=0, max_value=600), min_size=2, max_size=5),
    limit=st.integers(min_value=1, max_value=12),
)
def test_a_larger_budget_keeps_what_a_smaller_one_gave(town: Town, budgets: list[int], limit: int) -> None:
    steps = budget_steps(ask(town, WORDS), budgets, limit=limit)
    assert [step.max_tokens for step in steps] == sorted(set(budgets))
    kept: dict[str, int] = {}
    for step in steps:
        assert not {one.chunk_id for one in step.new} & kept.keys()
        assert {one.chunk_id for one in step.longer} <= kept.keys()
        kept |= {one.chunk_id: one.given for one in (*step.new, *step.longer)}
        answer = ask(town, WORDS, max_tokens=step.max_tokens, limit=limit)
        assert {one.partition(":")[2] for one in kept} == set(found(answer))
        assert sum(kept.values()) == step.tokens == answer.result.total_tokens <= step.max_tokens


def test_a_step_tells_what_had_no_room(town: Town) -> None:
    small, large = budget_steps(ask(town, WORDS), [0, 5000], limit=10)
    assert (small.sections, small.tokens, small.new) == (0, 0, ())
    assert small.next is not None
    assert small.next.rank == 1
    assert large.next is None
    assert large.sections == 8


def test_the_limit_of_sections_is_not_taken_for_the_budget(town: Town) -> None:
    (step,) = budget_steps(ask(town, WORDS), [5000], limit=2)
    assert (step.sections, step.cut, step.next) == (2, None, None)


def test_what_is_always_there_is_told_with_its_step(tmp_path: Path) -> None:
    law = "---\nid: law\nlore: {always: true}\n---\n# Law\n\nNobody may carry iron after dark.\n"
    with opened_packs(tmp_path, {"town": {**TOWN, "law.md": law}}) as generations:
        small, large = budget_steps(ask(generations, WORDS), [20, 200], limit=10)
    assert [(one.chunk_id, one.rank) for one in small.new] == [("town:law:overview", 0)]
    assert "town:law:overview" not in {one.chunk_id for one in large.new}
