"""Which facts a stage is shown: those of the scene before others, the newest first, and only so many."""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.values.entries import FACTS_SHOWN, facts_shown, lore_conditions
from lorewright.world.ops import AddFact, UpdateFact
from lorewright.world.state import Fact, WorldState
from support import small_world as w


def knowing(facts: Iterable[Fact]) -> WorldState:
    return w.small_world(facts={fact.id: fact for fact in facts})


def fact(number: int, subject: str = w.PIER, turn: int | None = None, visibility: str = "player") -> Fact:
    return Fact(id=f"f{number:03d}", subject_id=subject, predicate="is", discovered_turn=turn, visibility=visibility)


def ids(state: WorldState, *about: str, hidden: bool = True) -> list[str]:
    return [
        one.id for one in facts_shown(state, about, reader="planner" if hidden else "narrator", who=state.player_id)
    ]


def test_what_is_known_of_the_scene_comes_first_and_the_newest_of_it_before_the_rest() -> None:
    state = knowing([fact(0, w.BAR), fact(1, w.BAR, 3), fact(2, turn=9), fact(3, w.BAR, 5), fact(4)])
    assert ids(state, w.BAR) == ["f003", "f001", "f000", "f002", "f004"]


def test_of_a_long_game_only_so_much_is_shown() -> None:
    state = knowing([*(fact(number, turn=number) for number in range(99)), fact(99, w.BAR)])
    assert ids(state, w.BAR) == ["f099", *(f"f{number:03d}" for number in range(98, 98 - FACTS_SHOWN + 1, -1))]
    assert ids(state, w.PIER)[:2] == ["f098", "f097"]
    assert len(ids(state, w.PIER)) == FACTS_SHOWN


def test_what_the_player_does_not_know_is_shown_to_whom_it_may_be() -> None:
    state = knowing([fact(0, w.BAR, visibility="gm"), fact(1)])
    assert ids(state, w.BAR) == ["f000", "f001"]
    assert ids(state, w.BAR, hidden=False) == ["f001"]


def test_a_fact_that_was_just_established_or_revised_is_shown_as_it_is_now() -> None:
    state = knowing([fact(0)])
    ids(state)
    after = w.after(state, AddFact(fact=fact(1)), UpdateFact(fact_id="f000", object=7))
    assert [(one.id, one.object) for one in facts_shown(after, (), reader="player", who=None)] == [
        ("f000", 7),
        ("f001", None),
    ]
    assert [one.object for one in facts_shown(state, (), reader="player", who=None)] == [None]


def test_conditions_know_of_a_fact_from_the_turn_that_established_it_on() -> None:
    state = knowing([])
    assert lore_conditions(state).facts == frozenset()
    after = w.after(state, AddFact(fact=fact(1)))
    assert len(lore_conditions(after).facts) == 1
    assert lore_conditions(state).facts == frozenset()
