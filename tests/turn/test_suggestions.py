"""What is suggested brings something, says no name that nobody has spoken, and is not offered again in vain."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.patch import Outcome, Resolution, Roll, tried_in
from lorewright.rules.rulesets import CampaignRules, Ending
from lorewright.scene_lore.models import LoreText, NPCBriefing, SceneItem, SceneLore
from lorewright.turn.run.dry_run import DryRun
from lorewright.turn.run.suggestions import paying_lines, suggest
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.heard_topics import heard_topics
from lorewright.world.ops import RevealItem
from lorewright.world.state import WorldState
from support import small_world as w

NOBODY = {"positions": {w.JO: w.BAR}}
NOTHING: dict[str, Any] = {"inventory": {w.JO: {}}}
SHUT_IN: dict[str, Any] = {"exits": {}}
ALONE_WITH_VIKTOR = {"positions": {w.JO: w.BAR, w.VIKTOR: w.BAR}, **NOTHING, **SHUT_IN}

PIER_ITEM = SceneItem(
    id=w.PIER_9,
    chunk_id="town:viktor:knows",
    name="pier9",
    text="Her last run went to the old pier.",
    topics=("Pier 9",),
)
DEBT_ITEM = SceneItem(
    id=w.DEBT, chunk_id="town:viktor:withholds", name="debt", text="Zenith bought his debt.", topics=("debt",)
)
LEDGER_ITEM = SceneItem(
    id=w.LEDGER,
    chunk_id="town:bar:discoverable",
    name="ledger",
    text="A ledger lies there.",
    trigger="look behind the bar",
)
COUNTER = LoreText(key="a@1", chunk_id="town:bar:atmosphere", text="Behind the bar the lamps are low.")


def learned(item: str) -> RevealItem:
    return RevealItem(item_id=item, to=w.JO, how="told")


def suggested(
    state: WorldState,
    *told: str,
    rules: CampaignRules | None = None,
    tried: tuple[Resolution, ...] = (),
    knows: tuple[SceneItem, ...] = (),
    withholds: tuple[SceneItem, ...] = (),
    hidden: tuple[SceneItem, ...] = (),
) -> tuple[str, ...]:
    briefing = NPCBriefing(npc_id=w.VIKTOR, knows=knows, withholds=withholds)
    lore = SceneLore(
        scene_id="scene_001", location_id=w.BAR, briefings=(briefing,), discoverable=hidden, overview=(COUNTER,)
    )
    run = DryRun(rules or CampaignRules(ruleset=w.ruleset()), (), lore=lambda _: lore)
    return suggest(run, Acquaintance(state, ()), told, tuple(map(tried_in, tried)))


def test_somebody_is_asked_for_what_they_know_in_words_that_were_told() -> None:
    state = w.small_world(**ALONE_WITH_VIKTOR)
    assert suggested(state, "A boat left the pier.", knows=(PIER_ITEM,)) == ("ask Viktor about the pier",)


def test_what_nobody_has_spoken_of_is_no_topic() -> None:
    state = w.small_world(**ALONE_WITH_VIKTOR)
    assert suggested(state, "It rains.", knows=(PIER_ITEM,)) == ("talk to Viktor",)


def test_nobody_is_asked_for_what_they_told_already() -> None:
    told = w.after(w.small_world(**ALONE_WITH_VIKTOR), learned(w.PIER_9))
    assert suggested(told, "A boat left the pier.", knows=(PIER_ITEM,)) == ("wait",)


def put_off(words: str = "the debt") -> Resolution:
    asked = Outcome(action_index=0, actor_id=w.JO, type="ask", target_id=w.VIKTOR, words=words, code="deflected")
    return Resolution(outcomes=(asked,))


PRESSED = {
    "id": "own_up",
    "on": {"act": "persuade", "target": w.VIKTOR, "topic": "debt"},
    "check": {"dice": "2d6", "add": "charm"},
    "success": [{"reveal": w.DEBT}],
}


def test_what_is_kept_back_is_pressed_for_only_after_a_refusal() -> None:
    state, rules = w.small_world(**ALONE_WITH_VIKTOR), w.campaign_rules(PRESSED)
    assert suggested(state, "He has the debt.", rules=rules, withholds=(DEBT_ITEM,)) == ("wait",)
    after = suggested(state, "He has the debt.", rules=rules, withholds=(DEBT_ITEM,), tried=(put_off(),))
    assert after == ("persuade Viktor about the debt",)


def test_what_the_dice_refused_is_not_offered_again() -> None:
    state, rules = w.small_world(**ALONE_WITH_VIKTOR), w.campaign_rules(PRESSED)
    roll = Roll(
        expression="2d6", rolls=(1, 1), modifier=0, total=2, seed="", purpose="own_up", actor_id=w.JO, band="fail"
    )
    pressed = Outcome(
        action_index=0,
        actor_id=w.JO,
        type="persuade",
        target_id=w.VIKTOR,
        words="it",
        code="acted",
        band="fail",
        roll=0,
    )
    tried = (put_off(), Resolution(outcomes=(pressed,), rolls=(roll,)))
    assert suggested(state, "The debt.", rules=rules, withholds=(DEBT_ITEM,), tried=tried) == ("wait",)


def test_a_place_is_searched_where_something_is_left_to_find() -> None:
    state = w.small_world(**NOBODY, **NOTHING, **SHUT_IN)
    assert suggested(state, "It rains.", hidden=(LEDGER_ITEM,)) == ("search the place",)
    assert suggested(state, COUNTER.text, hidden=(LEDGER_ITEM,)) == ("search the bar",)
    assert suggested(w.after(state, learned(w.LEDGER)), COUNTER.text, hidden=(LEDGER_ITEM,)) == ("wait",)


def test_a_way_is_called_as_the_player_sees_it() -> None:
    """Nobody has said where the street leads; once one has been there, one goes back to the place."""
    new = w.small_world(**NOBODY, **NOTHING)
    assert suggested(new, "It rains.") == ("go to the street",)
    been = new.model_copy(update={"visits": {w.BAR: 1, w.PIER: 1}, "inventory": {w.PIER: {w.UNIT: 1}}})
    assert suggested(been, "It rains.") == ("go to Pier 9",)


def test_a_lock_is_offered_to_whoever_has_the_key() -> None:
    state = w.small_world(**NOBODY, inventory={w.JO: {w.KEY: 1}})
    assert "unlock the steel door" in suggested(state, "It rains.")
    assert "unlock the steel door" not in suggested(w.small_world(**NOBODY, **NOTHING), "It rains.")


def test_nothing_is_offered_that_ends_the_story_while_there_is_anything_else() -> None:
    ended = Ending(id="over", when={"has": w.COIN}, say="Over.")  # type: ignore[arg-type]
    rules = CampaignRules(ruleset=w.ruleset(), endings=(ended,))
    lines = suggested(w.small_world(**NOBODY, inventory={w.BAR: {w.COIN: 1}}), "It rains.", rules=rules)
    assert lines == ("go to the street",)


def test_what_the_rules_ask_about_comes_first() -> None:
    rules = w.campaign_rules({"id": "told", "on": {"act": "wait"}, "when": {"revealed": w.LEDGER}, "success": []})
    state = w.small_world(**{**ALONE_WITH_VIKTOR, "exits": w.small_world().exits})
    run = suggested(state, COUNTER.text, rules=rules, hidden=(LEDGER_ITEM,), knows=(PIER_ITEM,))
    assert run[0] == "search the bar"
    assert set(run) == {"search the bar", "talk to Viktor", "go to the street"}


def test_once_the_story_has_ended_nothing_is_offered() -> None:
    state = w.small_world(ended="over")
    run = DryRun(CampaignRules(ruleset=w.ruleset()), ())
    assert suggest(run, Acquaintance(state, ()), ()) == ()


def test_a_line_says_of_itself_what_is_known_of_it() -> None:
    run = DryRun(CampaignRules(ruleset=w.ruleset()), ())
    found = paying_lines(run, Acquaintance(w.small_world(**NOBODY, **NOTHING), ()), ("It rains.",))
    assert [(line.kind, line.certain, line.at_once, line.ends) for line in found] == [("onward", True, True, False)]


# Topics that were told.


def phrases(*told: str, names: tuple[str, ...] = ()) -> list[str]:
    return [topic.phrase for topic in heard_topics(told, names)]


@pytest.mark.parametrize(
    ("name", "told", "phrase"),
    [
        ("Jin", "Nobody has seen Jin.", "Jin"),
        ("The Night Market", "They went to the Night Market.", "the Night Market"),
        ("The Storm Drain", "Under it runs the storm drain.", "the storm drain"),
        ("comm unit", "A comm unit is under it.", "the comm unit"),
    ],
)
def test_a_name_is_typed_as_it_was_told(name: str, told: str, phrase: str) -> None:
    assert phrase in phrases(told, names=(name, "Agent Chen"))


def test_things_are_named_after_their_article_and_the_latest_come_first() -> None:
    assert phrases("There is the old lamp.", "He wipes a glass, and the radio is on.") == [
        "the glass",
        "the radio",
        "the lamp",
    ]


def test_a_verb_after_a_noun_is_no_thing() -> None:
    assert phrases("The bus goes to the town.") == ["the town"]


def test_what_was_said_long_ago_is_no_topic_any_more_but_the_opening_is() -> None:
    texts = ["A letter is in the box.", "A dog is in the yard.", *["It rains."] * 40]
    assert phrases(*texts) == ["the letter", "the box"]
