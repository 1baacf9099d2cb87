"""A recap: what one wants, whom one met, what is open; of what the record has, and nothing that it has not."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

import pytest

from lorewright.campaigns.recap import goal_of, recap, shortened
from lorewright.rules.patch import Outcome, Resolution
from lorewright.world.ops import (
    ChangeInventory,
    EndCampaign,
    Move,
    RevealItem,
    StateOp,
    TickClock,
    UpdateThread,
)
from support import small_world as w


def asked(target: str, words: str = "", code: str = "told") -> Outcome:
    return Outcome(action_index=0, actor_id=w.JO, type="ask", target_id=target, words=words, code=code)  # type: ignore[arg-type]


def told(
    *ops: StateOp,
    outcomes: Sequence[Outcome] = (),
    learned: Sequence[str] = (),
    goal: str = "",
    unseen: Sequence[str] = (),
) -> str:
    before = w.small_world()
    resolution = Resolution(outcomes=tuple(outcomes))
    return recap(before, w.after(before, *ops), [resolution], learned=learned, goal=goal, unseen=unseen)


def rows(text: str) -> int:
    """How many lines of a page it fills."""
    return sum(len(textwrap.wrap(part, 88)) for part in text.splitlines())


def test_a_recap_has_what_one_wants_whom_one_met_and_what_is_open() -> None:
    text = told(
        TickClock(clock_id=w.HEAT, delta=2),
        TickClock(clock_id=w.DOOM, delta=1),
        outcomes=[asked(w.VIKTOR, "jin"), asked(w.VIKTOR, "mara"), asked(w.MARA), asked(w.CHEN, code="blocked")],
        learned=["He went north. It was cold."],
        goal="Find Jin.",
        unseen=["Pier 9", "The Back Alley", "", "Pier 9"],
    )
    assert text.splitlines() == [
        "What you want: Find Jin.",
        "Whom you met: Viktor and Mara. What you learned: “He went north”.",
        "What is open: Where is Jin? Doom stands at 1 of 4 and Heat at 2 of 6. Where you have not been: Pier 9 and the Back Alley.",
    ]


def test_what_changed_hands_and_what_was_settled_is_told() -> None:
    text = told(
        ChangeInventory(owner_id=w.JO, item_id=w.KEY, delta=1),
        ChangeInventory(owner_id=w.JO, item_id=w.CARD, delta=-1),
        UpdateThread(thread_id=w.JIN, status="traced"),
    )
    assert text.splitlines() == [
        "You got the steel key and parted with the business card.",
        "“Where is Jin?” is traced now.",
    ]


def test_where_nothing_was_done_it_says_so() -> None:
    assert told() == "Nothing has happened in this sitting yet.\nWhat is open: Where is Jin?"


def test_of_much_that_was_learned_the_newest_have_their_titles_and_the_rest_is_counted() -> None:
    text = told(learned=[f"Thing {number} is so. And more of it." for number in range(6)])
    assert "“Thing 2 is so”; “Thing 3 is so”; “Thing 4 is so”; “Thing 5 is so”; two more before." in text


LONG = "The storm drain runs from the laundromat to the ladder under the old pier, and nobody has swept it since"


def test_it_is_never_longer_than_eight_lines() -> None:
    outcomes = [asked(who) for who in (w.VIKTOR, w.MARA, w.CHEN)]
    ops = (TickClock(clock_id=w.HEAT, delta=2), TickClock(clock_id=w.DOOM, delta=1))
    for many in range(12):
        text = told(
            *ops,
            outcomes=outcomes,
            learned=[f"{LONG} {number}, which is long ago." for number in range(many)],
            goal=f"{LONG}; {LONG}; {LONG}.",
            unseen=[f"the long gallery of the {number} winds" for number in range(many)],
        )
        assert rows(text) <= 8
        assert "What is open" in text


@pytest.mark.parametrize(
    ("text", "width", "kept"),
    [
        ("He went north.", 20, "He went north."),
        ("He went north. It was cold there.", 20, "He went north."),
        ("He went north, as they do; it was cold.", 27, "He went north, as they do"),
        ("He went north because it was cold.", 20, "He went north…"),
        ("Hewentnorthbecauseitwascold", 10, "Hewentnor…"),
    ],
)
def test_a_text_is_cut_where_something_ends(text: str, width: int, kept: str) -> None:
    assert shortened(text, width) == kept


def test_the_goal_is_that_of_the_persona() -> None:
    scenario = {"goals": {"player": "Find  Jin.", "nell": "Sleep.", "viktor": "Say nothing."}}
    state = w.small_world()
    assert goal_of(scenario, w.JO, state) == "Find Jin."
    both = state.with_fields(personas=(w.JO, "game:nell"))
    assert goal_of(scenario, "game:nell", both) == "Sleep."
    assert goal_of(scenario, w.JO, both) == "Find Jin."
    assert goal_of({}, w.JO, state) == ""


def test_an_end_is_told_last_and_nothing_is_open_then() -> None:
    text = told(EndCampaign(ending_id="left_behind"), unseen=["Pier 9"])
    assert text.splitlines()[1:] == ["The story has ended: left behind."]


def test_no_id_and_nothing_that_was_not_learned_is_in_it() -> None:
    text = told(
        RevealItem(item_id=w.DEBT, to=w.VIKTOR, how="witnessed"),
        Move(entity_id=w.CHEN, to=w.PIER),
        outcomes=[asked(w.VIKTOR, "debt", "deflected")],
    )
    assert not re.search(r"\w+:\w+|#|_", text)
    assert "Chen" not in text
