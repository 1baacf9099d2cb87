"""A recap: a few plain sentences of what the record has, and nothing that it has not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorewright.campaigns.recap import nothing_yet, recap
from lorewright.rules.patch import Outcome, Resolution
from lorewright.world.events import EngineEvent, SceneChanged
from lorewright.world.ops import (
    AdvanceTime,
    ChangeInventory,
    EndCampaign,
    Move,
    OpenScene,
    RevealItem,
    StateOp,
    TickClock,
    UpdateThread,
)
from support import small_world as w


def moved(to: str) -> EngineEvent:
    return SceneChanged(from_id=w.BAR, to_id=to)


def asked(target: str, words: str = "", code: str = "told") -> Outcome:
    return Outcome(action_index=0, actor_id=w.JO, type="ask", target_id=target, words=words, code=code)  # type: ignore[arg-type]


def told(
    *ops: StateOp,
    events: Sequence[EngineEvent] = (),
    outcomes: Sequence[Outcome] = (),
    learned: Sequence[str] = (),
) -> str:
    before = w.small_world()
    resolution = Resolution(events=tuple(events), outcomes=tuple(outcomes))
    return recap(before, w.after(before, *ops), [resolution], learned=learned)


def test_whoever_stayed_stayed() -> None:
    assert told(AdvanceTime(minutes=75)) == (
        "You stayed at the Neon Dragon for one hour and 15 minutes. Still open: “Where is Jin?” "
        "You are at the Neon Dragon with Mara and Viktor."
    )


def test_the_way_is_told_place_by_place() -> None:
    ops = [Move(entity_id=w.JO, to=w.PIER), OpenScene(location_id=w.PIER), AdvanceTime(minutes=5)]
    text = told(*ops, events=[moved(w.ALLEY), moved(w.PIER)])
    assert text.startswith("From the Neon Dragon you went to the back alley, then Pier 9, five minutes in all.")
    assert text.endswith("You are at Pier 9.")


def test_a_long_way_is_told_as_a_round() -> None:
    text = told(AdvanceTime(minutes=60), events=[moved(w.ALLEY), moved(w.BAR)] * 4)
    assert text.startswith("You went to and fro between the Neon Dragon and the back alley, one hour in all.")


def test_everything_that_a_sitting_may_bring_is_told_in_eight_sentences_at_most() -> None:
    text = told(
        AdvanceTime(minutes=2),
        ChangeInventory(owner_id=w.JO, item_id=w.KEY, delta=1),
        ChangeInventory(owner_id=w.JO, item_id=w.CARD, delta=-1),
        TickClock(clock_id=w.HEAT, delta=2),
        TickClock(clock_id=w.DOOM, delta=1),
        UpdateThread(thread_id=w.JIN, status="traced"),
        outcomes=[asked(w.VIKTOR, "jin"), asked(w.VIKTOR, "mara"), asked(w.MARA), asked(w.CHEN, code="blocked")],
        learned=["He went north."],
    )
    assert text == (
        "You stayed at the Neon Dragon for two minutes. You talked to Viktor about jin and Mara; to Mara. "
        "You learned this: “He went north.” You got the steel key and parted with the business card. "
        "Doom stands at 1 of 4 and Heat at 2 of 6. The thread “Where is Jin?” is traced now. "
        "You are at the Neon Dragon with Mara and Viktor."
    )


def test_of_much_that_was_learned_the_newest_is_quoted_and_the_rest_counted() -> None:
    text = told(learned=[f"Thing {number}." for number in range(5)])
    assert "You learned two more and this: “Thing 2.” “Thing 3.” “Thing 4.”" in text


def test_an_end_is_told_last() -> None:
    text = told(EndCampaign(ending_id="left_behind"))
    assert text == "You stayed at the Neon Dragon. The story has ended: left behind."


def test_no_id_and_nothing_that_was_not_learned_is_in_it() -> None:
    text = told(
        RevealItem(item_id=w.DEBT, to=w.VIKTOR, how="witnessed"),
        Move(entity_id=w.CHEN, to=w.PIER),
        outcomes=[asked(w.VIKTOR, "debt", "deflected")],
    )
    assert not re.search(r"\w+:\w+|#|_", text)
    assert "Chen" not in text


def test_a_sitting_without_a_turn_says_where_one_is() -> None:
    text = nothing_yet(w.small_world())
    assert text == "Nothing has happened in this sitting yet. You are at the Neon Dragon with Mara and Viktor."
