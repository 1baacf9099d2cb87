"""What moved between two answers: who came, who went, who moved of itself and who only made room; each with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lorewright.authoring.changes import Changes, ExplainedAnswer, answer_of, changes_between, moved
from lorewright.retrieval.explain import ChunkTrace
from support.pack_builder import TOWN, ask, opened_packs

IDS = tuple(f"town:{name}:overview" for name in "abcdefgh")


def trace(chunk_id: str, **fields: Any) -> ChunkTrace:
    """The trace of a chunk about which nothing is worth saying, but for some fields."""
    plain = {
        **dict.fromkeys(ChunkTrace.model_fields),
        "rank": 1,
        "score": 0.5,
        "terms": {},
        "filters": (),
        "tokens": 10,
    }
    return ChunkTrace.model_construct(**{**plain, "chunk_id": chunk_id, **fields})


def answer(
    *texts: str, known: tuple[str, ...] = IDS, edited: str = "", weight: float = 0.45, **traces: Any
) -> ExplainedAnswer:
    """An answer of the chunks `a`, `b`, …, each told as `a` or `a=its text`; more of a trace, or a chunk that was left
    out, as `b={"reason": …}`. The chunks of `edited` say something else than in other answers."""
    told = {f"town:{one.partition('=')[0]}:overview": one.partition("=")[2] or "text" for one in texts}
    made = {one: trace(one) for one in told}
    made |= {f"town:{name}:overview": trace(f"town:{name}:overview", **fields) for name, fields in traces.items()}
    said = {one: "other" if one.split(":")[1] in edited else "text" for one in known}
    return ExplainedAnswer(told, made, weight, 0, said)


def lines(changes: Changes) -> list[str]:
    """`b up 2-1: why; why` for every move."""
    return [
        f"{move.chunk_id.split(':')[1]} {move.kind} {move.before or ''}-{move.after or ''}"
        + (f": {'; '.join(move.why)}" if move.why else "")
        for move in changes.moves
    ]


def test_nothing_moves_between_an_answer_and_itself() -> None:
    one = answer("a", "b", c={"reason": "over_budget"})
    assert not changes_between(one, one)
    assert changes_between(one, one).of_all == ()


orders = st.lists(st.sampled_from(IDS), unique=True, max_size=8)


@given(before=orders, after=orders, edited=st.sets(st.sampled_from(IDS)))
def test_the_moves_make_the_old_order_the_new_one(before: list[str], after: list[str], edited: set[str]) -> None:
    was = ExplainedAnswer(dict.fromkeys(before, "text"), {one: trace(one) for one in IDS}, 0.5, 0, {})
    new = {one: "other" if one in edited else "text" for one in after}
    now = ExplainedAnswer(new, was.traces, 0.5, 0, {})
    changes = changes_between(was, now)
    assert moved(before, changes.moves) == after
    assert {move.chunk_id for move in changes.moves if move.kind == "entered"} == set(after) - set(before)
    assert {move.chunk_id for move in changes.moves if move.kind == "left"} == set(before) - set(after)
    assert bool(changes) == (before != after or bool(edited & set(before) & set(after)))


def test_of_two_that_changed_places_the_one_moved_that_has_a_reason() -> None:
    before = answer("a", "b", b={"terms": {"ferry": 2.1}})
    after = answer("b", "a", b={"terms": {"ferry": 4.0}}, edited="b")
    assert lines(changes_between(before, after)) == ["b up 2-1: its words: ferry 2.1 → 4.0", "a shifted 1-2"]
    assert lines(changes_between(after, before)) == ["a shifted 2-1", "b down 1-2: its words: ferry 4.0 → 2.1"]


def test_who_has_no_reason_of_its_own_is_told_who_went_by() -> None:
    assert lines(changes_between(answer("a", "b", "c"), answer("c", "a", "b"))) == [
        "c up 3-1: a:overview fell back",
        "a shifted 1-2",
        "b shifted 2-3",
    ]


def test_what_comes_in_says_whether_it_is_new_or_was_left_out_before() -> None:
    before = answer("a", c={"reason": "below_the_cut", "rank": 12, "terms": {"toll": 1.0}}, known=IDS[:3])
    after = answer(
        "d",
        "c",
        "a",
        c={"terms": {"toll": 2.0}},
        d={"terms": {"ferry": 3.0}, "vector_score": 0.5, "name": "Dee"},
        edited="c",
    )
    assert lines(changes_between(before, after)) == [
        "d entered -1: a new section; its words: ferry 3.0; its meaning: 0.50; named Dee",
        "c entered -2: was below the cut (#12 of all); its words: toll 1.0 → 2.0",
        "a shifted 1-3",
    ]


def test_what_comes_in_unchanged_came_because_others_fell_back() -> None:
    before = answer("a", b={"reason": "over_budget", "rank": 2})
    assert lines(changes_between(before, answer("a", "b", b={"rank": 2}))) == [
        "b entered -2: was over budget (#2 of all); others fell back"
    ]


def test_what_was_there_before_and_is_found_only_now_says_by_what() -> None:
    after = answer("a", b={}, c={"terms": {"toll": 1.5}})
    after = ExplainedAnswer({**after.texts, IDS[2]: "text"}, after.traces, 0.45, 0, after.known)
    assert lines(changes_between(answer("a"), after)) == ["c entered -2: found now; its words: toll 1.5"]


def test_what_leaves_says_why_it_is_left_out_now() -> None:
    before = answer("a", "b", "c", "d")
    after = answer("a", b={"reason": "over_budget", "rank": 7, "tokens": 900}, known=(*IDS[:3], *IDS[4:]))
    assert lines(changes_between(before, after)) == [
        "b left 2-: over budget (#7 of all); its text: 10 → 900 tokens",
        "c left 3-: nothing points at it any more",
        "d left 4-: the section is gone",
    ]


def test_an_edited_text_is_told_where_it_stands() -> None:
    before = answer("a=one", "b", a={"tokens": 67})
    assert lines(changes_between(before, answer("a=two", "b", a={"tokens": 90}))) == [
        "a edited 1-1: its text: 67 → 90 tokens"
    ]
    assert lines(changes_between(before, answer("a=two", "b", a={"tokens": 67}))) == ["a edited 1-1: its text"]


def test_every_tie_that_came_or_went_is_a_reason() -> None:
    before = answer("a", "b", b={"name": "Bee", "filters": ("location",), "vector_score": 0.41})
    after = answer("b", "a", b={"name": "Bea", "filters": ("tag",), "vector_score": 0.52})
    (first, _) = changes_between(before, after).moves
    assert first.why == (
        "its meaning: 0.41 → 0.52", "named Bea", "tied by tag", "not tied by location any more",
    )  # fmt: skip


def test_rules_of_an_entry_are_reasons() -> None:
    before = answer("a", "b", b={"rule": ""})
    after = answer("b", "a", b={"rule": "always there"})
    assert changes_between(before, after).moves[0].why == ("by its rules: always there",)
    assert "not by its rules any more: always there" in changes_between(after, before).moves[1].why


def test_another_weight_of_meaning_is_a_reason_for_all() -> None:
    changes = changes_between(answer("a", "b", weight=0.45), answer("b", "a", weight=0.85))
    assert changes.of_all == ("meaning counts 0.45 → 0.85",)


def test_a_word_that_says_less_because_more_hold_it_is_a_reason_for_all_and_for_none_of_its_own() -> None:
    before = answer("a", "b", a={"terms": {"jin": 3.0, "toll": 1.0}}, b={"terms": {"jin": 2.0}})
    after = answer("b", "a", a={"terms": {"jin": 2.5, "toll": 1.3}}, b={"terms": {"jin": 1.6}})
    changes = changes_between(before, after)
    assert changes.of_all == ("less is said by: jin", "more is said by: toll")
    assert [move.why for move in changes.moves if move.kind != "shifted"] == [("b:overview went by",)]


def test_a_real_edit_is_explained(tmp_path: Path) -> None:
    """The same question before and after Mara's file came to speak of the ledger."""
    mara = str(TOWN["npcs/mara.md"]) + "\n## Ledger\n\nMara has copied the ledger, the whole ledger.\n"
    answers = []
    for name, files in (("old", TOWN), ("new", {**TOWN, "npcs/mara.md": mara})):
        with opened_packs(tmp_path / name, {"town": files}) as generations:
            known = {chunk.id: chunk.text for one in generations for chunk in one.all_chunks()}
            answers.append(answer_of(ask(generations, "who copied the ledger"), known))
    changes = changes_between(*answers)
    entered = changes.moves[0]
    assert (entered.chunk_id, entered.kind, entered.after) == ("town:mara:ledger", "entered", 1)
    assert entered.why[0] == "a new section"
    assert "ledger" in entered.why[1]
    assert moved(list(answers[0].texts), changes.moves) == list(answers[1].texts)
