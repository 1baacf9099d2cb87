"""A change over the protocol is made once, whole or not at all, by whoever may."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.checks import check
from lorewright.service.queries import Queries
from lorewright.service.server import make_server
from lorewright.turn.checks.tools import OUTSIDE_OPS
from lorewright.turn.store.turn_store import undo
from lorewright.values.annotations import Annotations, Review
from lorewright.visibility import Viewer
from lorewright.world.ops import AddFact, AdvanceTime
from lorewright.world.things import Fact
from support import harbour as h
from support.scale import scaled
from support.service_clients import MODES, asked, call, fail

FIVE = {"op": "advance_time", "minutes": 5}
BEA_COMES = {"op": "move", "entity_id": "harbour:bea", "to": "harbour:tavern"}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def minutes(app: App) -> tuple[int, int]:
    """The time, and how many turns there are."""
    with app.campaigns.reading("game") as store:
        return store.head().state.minutes, len(store.turns())


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_is_sent_twice_changes_the_world_once(app: App, mode: str) -> None:
    first = call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"}, mode=mode)
    again = call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"}, mode=mode)
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert {**first, "repeated": None} == {**again, "repeated": None}
    assert minutes(app) == (5, 2)
    call(app, "apply_ops", {"ops": [FIVE], "call_id": "b"}, mode=mode)
    assert minutes(app) == (10, 3)
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()


def test_without_a_call_id_whoever_asks_again_at_once_changes_nothing_twice(app: App) -> None:
    first = call(app, "apply_ops", {"ops": [FIVE]})
    again = call(app, "apply_ops", {"ops": [FIVE]})
    assert (again["repeated"], again["call_id"], again["turn_id"]) == (True, first["call_id"], first["turn_id"])
    assert minutes(app) == (5, 2)
    # Something else, and then the same once more, is another change.
    call(app, "apply_ops", {"ops": [BEA_COMES]})
    assert call(app, "apply_ops", {"ops": [FIVE]})["repeated"] is False
    assert minutes(app) == (10, 4)


def test_without_a_call_id_the_same_can_be_done_again_after_it_was_taken_back(app: App) -> None:
    call(app, "apply_ops", {"ops": [FIVE]})
    with app.campaigns.reading("game") as store:
        undo(store)
    assert call(app, "apply_ops", {"ops": [FIVE]})["repeated"] is False
    assert minutes(app) == (5, 2)


def test_a_call_id_with_other_ops_is_refused(app: App) -> None:
    call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"})
    assert "action_id_reused" in fail(app, "apply_ops", {"ops": [BEA_COMES], "call_id": "a"})
    assert minutes(app) == (5, 2)


def test_a_call_id_is_not_an_action_id_of_the_player(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look", action_id="a"))
    assert call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"})["repeated"] is False


def test_a_change_that_was_taken_back_is_not_made_again_by_its_call_id(app: App) -> None:
    call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"})
    with app.campaigns.reading("game") as store:
        undo(store)
    assert "turn_undone" in fail(app, "apply_ops", {"ops": [FIVE], "call_id": "a"})
    assert minutes(app)[0] == 0


def test_a_change_is_made_only_at_the_revision_that_was_read(app: App) -> None:
    revision = call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"})["revision"]
    h.say(app, "look")
    assert "head_moved" in fail(app, "apply_ops", {"ops": [FIVE], "call_id": "b", "revision": revision})
    call(app, "apply_ops", {"ops": [FIVE], "call_id": "b", "revision": revision + 1})


def test_what_follows_by_the_rules_is_answered_and_can_be_seen_beforehand(app: App) -> None:
    ops = [{"op": "clock", "clock_id": "dread", "delta": 2}]
    preview = call(app, "preview_ops", {"ops": ops})
    assert [one["op"] for one in preview["followed"]] == ["move"]
    assert minutes(app) == (0, 1)
    done = call(app, "apply_ops", {"ops": ops, "call_id": "a"})
    assert done["followed"] == preview["followed"]
    assert done["events"] == preview["events"]


def test_all_ops_are_done_or_none_and_the_answer_says_why(app: App) -> None:
    told = fail(app, "apply_ops", {"ops": [FIVE, {"op": "move", "entity_id": "bea", "to": "tavern"}], "call_id": "a"})
    assert "edit_refused: op 1 (move)" in told
    assert "did you mean harbour:bea" in told
    by_a_word = {"op": "transfer", "item_id": "game:key", "from_id": "harbour:tavern", "to_id": "game:player"}
    assert "did you mean game:hatch_key" in fail(app, "apply_ops", {"ops": [by_a_word]})
    assert minutes(app) == (0, 1)
    # A call that was refused was never made: its ID is free.
    call(app, "apply_ops", {"ops": [FIVE], "call_id": "a"})


@pytest.mark.parametrize(
    ("op", "told"),
    [
        ({}, "op 0"),
        ({"op": "fly"}, "kinds of ops"),
        ({"op": "recall", "key": "x"}, "bookkeeping"),
        ({"op": "move", "entity_id": "harbour:bea"}, "move {entity_id, to}"),
        ({"op": "move", "entity_id": "harbour:bea", "to": "harbour:quay", "how": "slowly"}, "how"),
        ({"op": "advance_time", "minutes": -5}, "minutes"),
        ({"op": "set", "path": "x", "value": float("1e400")}, "op 0"),
        ({"op": "observe", "who": "harbour:osk", "content": "x" * 5000, "importance": 3}, "content"),
        (
            {"op": "entity_add", "entity": {"id": "x", "type": "npc", "name": "X"}, "at": "harbour:quay"},
            "of_the_campaign",
        ),
        (
            {"op": "reveal", "item_id": "harbour:osk:knows#none", "to": "harbour:bea", "how": "told"},
            "unknown_lore_item",
        ),
    ],
)
def test_an_op_that_is_none_is_refused_with_what_it_should_be(app: App, op: dict[str, Any], told: str) -> None:
    for tool in ("apply_ops", "preview_ops"):
        assert told in fail(app, tool, {"ops": [op]})
    assert minutes(app) == (0, 1)


@pytest.mark.parametrize("ops", [[], "ops", [[FIVE]], ["advance_time"], None, [FIVE] * 201])
def test_what_is_no_list_of_ops_is_refused(app: App, ops: Any) -> None:
    fail(app, "apply_ops", {"ops": ops})
    assert minutes(app) == (0, 1)


@pytest.mark.parametrize("call_id", ["", "   ", "x" * 201, 7, ["a"]])
def test_a_call_id_that_is_none_is_refused(app: App, call_id: Any) -> None:
    fail(app, "apply_ops", {"ops": [FIVE], "call_id": call_id})
    assert minutes(app) == (0, 1)


@pytest.mark.campaign
def test_ops_that_come_as_a_text_of_json_are_read_as_some_clients_send_them(app: App) -> None:
    call(app, "apply_ops", {"ops": json.dumps([FIVE])})
    assert minutes(app) == (5, 2)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.text(max_size=8)
    | st.sampled_from(["harbour:osk", "dread"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ["entity_id", "to", "who", "name", "value", "level", "path", "of", "delta", "fact", "entity", "at", "a", "b"]


@pytest.mark.campaign
@settings(max_examples=scaled(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ops=st.lists(
        st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=4).flatmap(
            lambda fields: st.sampled_from(OUTSIDE_OPS).map(lambda kind: {"op": kind, **fields})
        ),
        min_size=1,
        max_size=3,
    )
)
def test_whatever_is_sent_the_world_stays_whole_and_no_trace_is_shown(app: App, ops: list[dict[str, Any]]) -> None:
    async def ask(client: Client) -> str:
        result = await client.call_tool("preview_ops", {"ops": ops})
        return "" if not result.is_error else result.content[0].text  # type: ignore[union-attr]

    told = asked(app, ask)
    assert not told or "edit_refused" in told or "validation error" in told, told
    assert minutes(app) == (0, 1)


@pytest.mark.campaign
def test_many_clients_at_once_lose_nothing_and_double_nothing(app: App) -> None:
    async def one(number: int) -> list[dict[str, Any]]:
        # Each with an app of its own, as several processes would have.
        server = make_server(Queries(open_app(app.workspace.root, models={}), Viewer("gm"), "game"))
        async with Client(server) as client:
            calls = ("shared", f"own-{number}")
            found = [await client.call_tool("apply_ops", {"ops": [FIVE], "call_id": one}) for one in calls]
            assert not any(result.is_error for result in found)
            return [dict(result.structured_content or {}) for result in found]

    async def all_of_them() -> list[list[dict[str, Any]]]:
        return await asyncio.gather(*(one(number) for number in range(5)))

    results = asyncio.run(all_of_them())
    assert len({shared["turn_id"] for shared, _ in results}) == 1
    assert len({own["turn_id"] for _, own in results}) == 5
    assert minutes(app) == (30, 7)
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()


def propose(app: App) -> str:
    """Let a proposal wait; its ID."""
    fact = Fact(id="game:limp", subject_id="harbour:osk", predicate="limps", object="on rainy days")
    review = Review(
        stage="lore_extractor",
        kind="established_fact",
        subject_id="harbour:osk",
        ops=(AddFact(fact=fact),),
        shown="Osk limps on rainy days.",
        confidence=0.3,
    )
    with app.campaigns.open("game") as campaign:
        campaign.edit([AdvanceTime(minutes=1)], action_id="proposal", kept=Annotations(reviews=(review,)))
    (waiting,) = call(app, "list_reviews")["reviews"]
    assert (waiting["shown"], waiting["confidence"]) == ("Osk limps on rainy days.", 0.3)
    return str(waiting["id"])


@pytest.mark.campaign
@pytest.mark.parametrize(("tool", "facts"), [("accept_review", 1), ("reject_review", 0)])
@pytest.mark.parametrize("call_id", [None, "mine"])
def test_a_proposal_is_judged_once(app: App, tool: str, facts: int, call_id: str | None) -> None:
    review_id = propose(app)
    arguments = {"review": review_id} | ({} if call_id is None else {"call_id": call_id})
    first, again = (call(app, tool, arguments) for _ in range(2))
    assert (first["repeated"], again["repeated"], again["turn_id"]) == (False, True, first["turn_id"])
    assert call(app, "list_reviews")["reviews"] == []
    assert len(call(app, "get_state", {"parts": ["facts"]})["world"]["facts"]) == facts
    assert len(call(app, "get_lorebook")["entries"]) == facts
    other = "reject_review" if tool == "accept_review" else "accept_review"
    assert "campaign_error" in fail(app, other, {"review": review_id})
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()


def test_a_proposal_that_is_none_is_not_found(app: App) -> None:
    assert "not_found" in fail(app, "accept_review", {"review": "none"})
    assert call(app, "get_lorebook", {"flagged": True})["entries"] == []
