"""Forty turns at the night desk without a model: who acts, what for, and whether everybody knows what they say."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_workspace
from support import harbour as h

pytestmark = pytest.mark.campaign

# Forty lines that end nothing, and of which only ways, searches and a wait take time. So they meet everybody where the
# hour has them, whatever the dice say: Bram comes in for warmth at eleven, Ines brings coffee to the desk after that,
# Wendell is at home until one, and then both are at the counter.
LINES = (
    *("look", "search the blotter", "go to the lot", "ask Bram about the car", "go to the office", "wait"),
    *("ask Ines about Wendell", "look", "look", "look", "ask Ines about Bram", "ask Bram about the law", "look"),
    *("ask Bram about the cake", "ask Bram about the rumour", "look", "promise Bram a slice of pie", "look"),
    *("ask Bram about Wendell", "ask Bram about Ines", "tell Bram about the rumour", "look", "go to the lot"),
    *("go to the walkway", "go to room 7", "ask Wendell about the pipe", "look", "ask Wendell about Odile"),
    *("go to the walkway", "go to the lot", "go to the diner", "look", "ask Ines about Hollin", "look"),
    *("ask Ines about the counter", "look", "ask Bram about Odile", "look", "ask Ines about Odile", "look"),
)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> App:
    """The night desk after forty turns."""
    root = tmp_path_factory.mktemp("desk") / "workspace"
    make_workspace(root)
    app = open_app(root)
    app.campaigns.new("night_desk", campaign_id="game", seed=2)
    assert len(h.say(app, *LINES)) == 40
    return app


def rounds(app: App) -> list[dict[str, Any]]:
    """Every intent with its view, what the rules made of it, and the turn."""
    found: list[dict[str, Any]] = []
    with app.campaigns.reading("game") as store:
        for turn in store.turns():
            records = store.stage_records(turn["turn_id"])
            intents = [one for one in records if one["stage"] == "npc_intent"]
            resolved = [one["output"] for one in records if one["stage"] == "npc_resolve"]
            for one, outcome in zip(intents, resolved, strict=True):
                found.append({"turn": turn, "view": one["input"], "intent": one["output"], "resolved": outcome})
    return found


def activations(app: App) -> tuple[Counter[str], Counter[str]]:
    """How often somebody was there to be asked, and how often they acted."""
    asked: Counter[str] = Counter()
    acted: Counter[str] = Counter()
    with app.campaigns.reading("game") as store:
        for turn in store.turns()[1:]:
            if (found := store.stage_output(turn["turn_id"], "activation")) is not None:
                asked.update([*found["order"], *found["skipped"]])
                acted.update(found["order"])
    return asked, acted


def test_everybody_acts_as_often_as_they_are_said_to(game: App) -> None:
    asked, acted = activations(game)
    bram, ines, wendell = (f"motel_verse:{one}" for one in ("bram", "ines", "wendell"))
    assert asked[bram] >= 8
    assert acted[bram] == asked[bram]
    assert asked[wendell] >= 3
    assert acted[wendell] == 0
    assert 0 < acted[ines] < asked[ines]


def test_what_is_told_was_in_the_tellers_knowledge_at_that_turn(game: App) -> None:
    """By item: every lore item that somebody learned by an act was known to whoever told it, the one who acted or the one
    who was asked, and was not kept back."""
    told, answered = 0, 0
    with game.campaigns.reading("game") as store:
        before = {turn["turn_id"]: store.state_at(last["turn_id"]) for last, turn in pairwise(store.turns())}
    for one in rounds(game):
        own = {item["id"] for item in one["view"]["knows"] if not item["kept_back"]}
        learned = {op["item_id"] for op in one["resolved"]["ops"] if op["op"] == "reveal"}
        asked = {outcome["target_id"] for outcome in one["resolved"]["outcomes"] if outcome["type"] == "ask"}
        state = before[one["turn"]["turn_id"]]
        theirs = {item for item in learned for who in asked
                  if item.startswith((f"{who}:knows#", f"{who}:knows~")) or item in state.learned_by(who)}  # fmt: skip
        assert learned <= own | theirs, (one["turn"]["turn_no"], one["view"]["me"]["id"], learned - own - theirs)
        told, answered = told + len(learned & own), answered + len(learned - own)
    assert told >= 4
    assert answered <= told


def test_what_somebody_knows_is_their_own_or_was_told_to_them_in_play(game: App) -> None:
    """By item, too: whatever stands in a view is the character's by the pack, or was revealed to them by then."""
    with game.campaigns.reading("game") as store:
        after = {turn["turn_id"]: store.state_at(turn["turn_id"]) for turn in store.turns()}
    for one in rounds(game):
        who = one["view"]["me"]["id"]
        by_now = after[one["turn"]["turn_id"]].learned_by(who)
        assert all(item["id"].startswith(f"{who}:") or item["id"] in by_now for item in one["view"]["knows"])


def test_they_follow_what_their_author_wrote_for_them(game: App) -> None:
    done = [one["intent"]["act_id"] for one in rounds(game) if one["intent"]["act_id"]]
    assert len(set(done)) >= 6
    assert all(one["view"]["me"]["goal"] for one in rounds(game))


def test_they_remember_what_they_saw(game: App) -> None:
    with game.campaigns.reading("game") as store:
        state = store.head().state
    for who in ("motel_verse:bram", "motel_verse:ines", "motel_verse:wendell"):
        assert len(state.observations.get(who, {})) >= 3, who
    shown = [len(one["view"]["remembers"]) for one in rounds(game)]
    assert shown[-1] > shown[0]


def test_nobody_does_the_same_thing_twice_running(game: App) -> None:
    last: dict[str, str] = {}
    for one in rounds(game):
        who, text = one["view"]["me"]["id"], one["intent"]["action_text"]
        assert last.get(who) != text, (one["turn"]["turn_no"], text)
        last[who] = text


def test_what_nobody_may_see_is_in_no_telling(game: App) -> None:
    """Thoughts are nobody's to read: none of them is told, in its own words."""
    with game.campaigns.reading("game") as store:
        messages = [message for _, message in store.messages(store.head().turn_id, last=99)]
        results = json.dumps([turn["result"] for turn in store.turns()], ensure_ascii=False)
    thoughts = {one.content for one in messages if one.type == "thought"}
    assert thoughts
    assert not [one for one in thoughts if one in results]
