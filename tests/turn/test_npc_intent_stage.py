"""The stage of a character's intent: a model may name only what it was shown, and tells only what its character would."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.rules.actions import AuthoredAct, Deed
from lorewright.rules.verbs import verbs
from lorewright.turn.stages.npc_intent.context import npc_intent_context
from lorewright.turn.stages.npc_intent.stage import Intend, Reflection
from lorewright.turn.views.draft import Recorder
from lorewright.values.proposals import KnownItem, NpcIntent, NpcIntentInput, OwnSelf, Remembered, Toward
from lorewright.values.records import InnerState, LoreLine
from lorewright.values.scope import Named, Scope, WayOut
from support.prompt_files import SHIPPED
from support.scale import scaled

OSK = Named(id="h:osk", name="Osk", kind="person")
ADA = Named(id="c:player", name="Ada", kind="person")
BEA = Named(id="h:bea", name="Bea", kind="person")
ROPE = Named(id="c:rope", name="coil of rope", kind="thing")
COIN = Named(id="c:coin", name="copper coin", kind="thing")
BOAT = KnownItem(id="h:osk:knows#boat", name="boat", text="Lin took the night boat.", holder_id=OSK.id)
DEBT = KnownItem(id="h:osk:withholds#debt", name="debt", text="I sold her.", holder_id=OSK.id, kept_back=True)
WARN = AuthoredAct(
    id="warn", do=Deed(type="tell", target=ADA.id, item=BOAT.id), say=("Osk leans over.",), thought="Now."
)

GIVEN = NpcIntentInput(
    me=OwnSelf(
        id=OSK.id, name="Osk", pronoun="he", goal="Say nothing of the cage.", profile={"trade": "landlord"},
        disposition=(LoreLine(key="coins", text="Osk counts the same coins twice.", chunk_id="h:osk:disposition"),),
        states=(InnerState(name="mood", value="wary", level=7),),
    ),
    player_id=ADA.id,
    player_name="Ada",
    place_id="h:tavern",
    place_name="The Tavern",
    scope=Scope(
        player=OSK, place=Named(id="h:tavern", name="The Tavern", kind="place"), people=(ADA, BEA), here=(ROPE,),
        carried=(COIN,), exits=(WayOut(name="door", to="h:quay", to_name="Quay"),),
    ),
    knows=(BOAT, DEBT),
    toward=(Toward(who=ADA.id, trust=1, ties=("guest",)), Toward(who=BEA.id, ties=("sister of",))),
    remembers=(Remembered(content="Ada broke a glass.", priority=2.0),),
    claims=({"kind": "promised", "by": OSK.id, "to": ADA.id, "what": "the boat", "holds": False},),
    acts=(WARN,),
    verbs=tuple(sorted(verbs())),
    names={one.id: one.name for one in (OSK, ADA, BEA)},
)  # fmt: skip
WAITS = {"action_text": "Osk wipes the counter."}


def answered(*answers: Any) -> tuple[NpcIntent, ScriptedModel]:
    model = ScriptedModel(answers)
    stage = Intend(model, PromptLibrary([SHIPPED]))
    return asyncio.run(stage.run(GIVEN, Recorder())), model


def acting(kind: str, **more: Any) -> dict[str, Any]:
    return {**WAITS, "action": {"type": kind, **more}}


def test_words_alone_change_nothing() -> None:
    made, _ = answered({**WAITS, "thought": "She knows.", "intent_tags": ["calm"]})
    assert (made.action, made.action_text, made.thought, made.intent_tags) == (
        None, "Osk wipes the counter.", "She knows.", ("calm",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "metadata"),
    [
        (acting("give", target_id=ADA.id, item_id=COIN.id), {"item_id": COIN.id}),
        (acting("ask", target_id=BEA.id, words="the cellar", whisper=True), {"topic": "the cellar", "whisper": True}),
        (acting("go", location_id="h:quay"), {}),
        (acting("attempt", words="bolt the hatch quietly"), {"verb": "bolt", "detail": "the hatch quietly"}),
        (acting("knock", words="knock on the counter twice"), {"verb": "knock on the counter twice"}),
        (acting("wait", words="a while"), {}),
        (acting("look", target_id=ADA.id, whisper=True), {}),
    ],
)
def test_an_action_is_the_characters_own_with_the_metadata_of_its_type(answer: Any, metadata: dict[str, Any]) -> None:
    made, model = answered(answer)
    assert made.action is not None and len(model.requests) == 1
    assert (made.action.actor_id, dict(made.action.metadata)) == (OSK.id, metadata)


def test_what_is_told_is_a_lore_item_by_its_id() -> None:
    made, _ = answered(acting("tell", target_id=ADA.id, item_id=BOAT.id))
    assert made.item_id == BOAT.id
    assert made.action is not None and made.action.metadata["lore_item_id"] == BOAT.id
    assert answered(acting("give", target_id=ADA.id, item_id=COIN.id))[0].item_id is None


def test_a_plan_of_its_authors_is_done_with_the_authors_words() -> None:
    made, _ = answered({**WAITS, "choice": "warn", "action": {"type": "nonsense"}})
    assert (made.act_id, made.say, made.thought, made.item_id) == ("warn", WARN.say, "Now.", BOAT.id)
    assert made.action == WARN.do.action(OSK.id)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (acting("win"), "win is not a type of action"),
        (acting("\x1b[2J"), "is not a type of action"),
        (acting("ask", target_id="h:lin"), "h:lin is not in the list of what you can name"),
        (acting("go", location_id="h:moon"), "h:moon is not an exit of this place"),
        (acting("give", target_id=ADA.id, item_id="c:lantern"), "c:lantern is not a thing that is here"),
        (
            acting("tell", target_id=ADA.id, item_id="h:bea:knows#cellar"),
            "h:bea:knows#cellar is not an item that you know",
        ),
        (acting("tell", target_id=ADA.id, item_id=DEBT.id), f"you keep {DEBT.id} to yourself"),
        (acting("give", target_id=ADA.id, item_id=BOAT.id), "is not a thing that is here"),
        (
            acting("ask", target_id=ROPE.id, words="x", whisper=True),
            "whisper needs the target_id of a person who is here",
        ),
        (acting("wait", actor_id=BEA.id), "Extra inputs"),
        ({**WAITS, "choice": "burn"}, "burn is none of the choices"),
        ({"action_text": "  "}, "action_text says nothing"),
        ({"action_text": "x" * 601}, "at most 600"),
        ({**WAITS, "intent_tags": ["x"] * 7}, "at most 6"),
        (acting("ask", target_id=BEA.id, words="x" * 201), "at most 200"),
    ],
)
def test_an_answer_that_does_not_hold_is_repaired(wrong: Any, problem: str) -> None:
    made, model = answered(wrong, WAITS)
    assert made.action_text == WAITS["action_text"]
    assert problem in model.requests[1].text


def test_where_an_answer_stays_wrong_the_character_acts_as_without_a_model() -> None:
    made, model = answered(acting("win"), acting("win"), acting("win"), acting("win"))
    assert len(model.requests) == 3
    assert made.action is None or made.action.type != "win"


def test_the_prompt_shows_what_it_knows_and_by_which_ids_and_what_was_claimed() -> None:
    _, model = answered(WAITS)
    text = model.requests[0].text
    for shown in (
        "You are Osk.", "trade: landlord", "Osk counts the same coins twice.", "Say nothing of the cage.",
        "Person: c:player = Ada", "Thing here: c:rope = coil of rope", "You carry: c:coin = copper coin",
        "Way: h:quay = door, to Quay", "h:osk:knows#boat: Lin took the night boat.",
        "h:osk:withholds#debt: I sold her. (you keep this to yourself)", "Ada broke a glass.", "mood: wary",
        "Ada (the player's character): your guest; you are inclined to trust them (trust +1)", "Bea: you are their sister",
        "you promised Ada: “the boat”: it is not so", "warn: as it would be told to Ada (“you”): Osk leans over.", "tell: words, item_id (what you know), whisper",
    ):  # fmt: skip
        assert shown in text, shown


def test_the_older_prompt_goes_on_working() -> None:
    """Campaigns hold on to the version that they were begun with."""
    template = PromptLibrary([SHIPPED]).get("npc_intent", "v1")
    text = str(template.render(npc_intent_context(GIVEN).model_dump(mode="json")))
    assert "Lin took the night boat." in text and "You feel: mood: wary" in text
    # It has no words for what is kept back, and so it is not shown.
    assert DEBT.text not in text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 500) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)
IDS = st.sampled_from([ADA.id, BEA.id, ROPE.id, COIN.id, BOAT.id, DEBT.id, "h:quay", "h:lin", "", None])
ACTIONS = st.fixed_dictionaries(
    {"type": st.sampled_from([*verbs(), "win", ""])},
    optional={
        "target_id": IDS,
        "location_id": IDS,
        "item_id": IDS,
        "words": st.text(max_size=210),
        "whisper": st.booleans(),
    },
)


@settings(max_examples=scaled(80), deadline=None)
@given(
    st.builds(
        lambda action, extra: {**WAITS, "action": action, **extra},
        ACTIONS | JSON,
        st.just({}) | st.dictionaries(st.sampled_from(["choice", "thought", "x"]), JSON, max_size=2),
    )
)
def test_whatever_a_model_answers_it_is_refused_or_an_act_of_its_own_that_it_can_name(answer: dict[str, Any]) -> None:
    stage = Intend()
    try:
        read = Reflection.model_validate_json(json.dumps(answer))
    except ValidationError:
        return
    if stage.wrong_with(read, GIVEN) is not None:
        return
    made = stage.made_of(read, GIVEN)
    assert made.item_id in (None, BOAT.id)
    if made.action is not None:
        assert made.action.actor_id == OSK.id
        assert made.action.target_id in (None, ADA.id, BEA.id, ROPE.id, COIN.id)
        assert made.action.item_id in (None, ROPE.id, COIN.id)
