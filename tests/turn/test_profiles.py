"""The order of stages and messages in each profile, read from the log; and a turn that fails anywhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.campaigns.checks import check
from lorewright.errors import LorewrightError, ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.turn.stages.stages import STAGES
from support import harbour as h

# What a model of good will says, by stage; a changed state and a fact, so that there is something to write.
ANSWERS: dict[str, Any] = {
    "interpreter": {"intent": "dance", "actions": [{"type": "attempt", "words": "dance"}]},
    "planner": {"beats": ["go on"]},
    "resolution": {"resolved_outcome": "no roll"},
    "narrator": "It goes on in the low room, as such evenings do.",
    "lore_extractor": {},
    "npc_intent": {
        "action_text": "The talk goes on without a word about it.",
        "thought": "Not before the fiddle ends.",
    },
    "persona_extractor": {"changes": [{"name": "mood", "value": "braver", "confidence": 0.9}]},
    "character_extractor": {"changes": [{"name": "mood", "value": "wary", "confidence": 0.9}]},
    "summariser": {"sentences": []},
}

SCENARIO = (
    h.SCENARIO.replace("      osk: {at: tavern}", "      osk: {at: tavern, baked: true, states: {mood: {value: calm}}}")
    .replace("      bea: {at: quay}", "      bea: {at: tavern, chattiness: 1, states: {mood: {value: calm}}}")
    .replace("traits: {charm: 1}}", "traits: {charm: 1}, states: {mood: {value: calm}}}")
    .replace("2: [{arrive: bea}], ", "")
)


class Watched:
    """A scripted model that notes when each of its questions begins and ends; each takes a few turns of the loop."""

    key = "scripted"
    provider = "scripted"

    def __init__(self) -> None:
        self.spans: list[tuple[str, int, int]] = []
        self._clock = 0
        self._model = ScriptedModel(lambda request: ANSWERS[request.stage])

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self._clock += 1
        began = self._clock
        for _ in range(5):
            await asyncio.sleep(0)
        reply = await self._model.complete(request, on_text=on_text)
        self._clock += 1
        self.spans.append((request.stage, began, self._clock))
        return reply


def begun(tmp_path: Path, profile: str, models: dict[str, Any] | None = None) -> App:
    return h.harbour(tmp_path, models=models, scenario=h.dedent(SCENARIO) + f"profile: {profile}\n")


def records(app: App) -> list[str]:
    with app.campaigns.reading("game") as store:
        return [one["stage"] for one in store.stage_records(store.head().turn_id)]


def stream(app: App) -> list[tuple[str, str]]:
    """(owner, type) of the last turn's messages."""
    with app.campaigns.reading("game") as store:
        return [(one.owner, one.type) for _, one in store.messages(store.head().turn_id, last=1)]


READ = ["interpreter", "ground", "validate", "planner", "resolve"]
ACT = ["npc_validate", "npc_resolve"]


def test_in_a_stream_each_intention_is_told_before_the_next_one_is_formed(tmp_path: Path) -> None:
    app = begun(tmp_path, "stream")
    h.say(app, "look")
    own = ["narrator", "persona_extractor", "inner_writes"]
    others = ["npc_intent", *ACT, "narrator", "character_extractor", "inner_writes"]
    assert records(app) == [*READ, *own, "activation", *others, *others]


def test_in_an_ensemble_everybody_reflects_before_all_is_told_once(tmp_path: Path) -> None:
    app = begun(tmp_path, "ensemble")
    h.say(app, "look")
    told = ["narrator", "persona_extractor", "inner_writes", *(["character_extractor", "inner_writes"] * 2)]
    assert records(app) == [*READ, "npc_intent", "npc_intent", *ACT, *ACT, *told]


def test_with_one_round_a_turn_nobody_else_is_asked(tmp_path: Path) -> None:
    app = begun(tmp_path, "freeform")
    h.say(app, "look")
    assert records(app) == [*READ, "narrator"]


def test_with_models_the_lore_extractor_reads_each_narration_after_it(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: ANSWERS[request.stage])
    app = begun(tmp_path, "stream", dict.fromkeys(STAGES, model))
    h.say(app, "look")
    told = [one for one in records(app) if one in ("narrator", "lore_extractor", "npc_intent")]
    assert told == ["narrator", "lore_extractor", *(["npc_intent", "narrator", "lore_extractor"] * 2)]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("freeform", [("game:player", "intention"), ("narrator", "narration")]),
        (
            "stream",
            [
                *[("game:player", "intention"), ("narrator", "narration")],
                *[("harbour:osk", "thought"), ("harbour:osk", "intention"), ("narrator", "narration")],
                *[("harbour:bea", "thought"), ("harbour:bea", "intention"), ("narrator", "narration")],
            ],
        ),
        (
            "ensemble",
            [
                ("game:player", "intention"),
                *[("harbour:osk", "thought"), ("harbour:osk", "intention")],
                *[("harbour:bea", "thought"), ("harbour:bea", "intention"), ("narrator", "narration")],
            ],
        ),
    ],
)
def test_messages_stand_in_the_order_in_which_they_were_said(
    tmp_path: Path, profile: str, expected: list[tuple[str, str]]
) -> None:
    model = ScriptedModel(lambda request: ANSWERS[request.stage])
    app = begun(tmp_path, profile, dict.fromkeys(STAGES, model))
    h.say(app, "look")
    assert stream(app) == expected
    with app.campaigns.reading("game") as store:
        messages = [one for _, one in store.messages(store.head().turn_id, last=1)]
        assert [one.seq for one in messages] == list(range(len(messages)))
        assert {one.turn_id for one in messages} == {store.head().turn_id}


@pytest.mark.parametrize("profile", ["stream", "ensemble"])
def test_extractors_run_beside_their_narrator_and_nothing_else_overlaps(tmp_path: Path, profile: str) -> None:
    model = Watched()
    app = begun(tmp_path, profile, {stage: model for stage in STAGES if stage != "interpreter"})
    h.say(app, "look")
    beside = {"narrator", "persona_extractor", "character_extractor"}
    overlapping = {
        frozenset((one[0], other[0]))
        for one in model.spans
        for other in model.spans
        if one is not other and one[1] < other[2] and other[1] < one[2]
    }
    assert frozenset(("narrator", "persona_extractor")) in overlapping
    assert frozenset(("narrator", "character_extractor")) in overlapping
    assert all(pair <= beside or pair == {"npc_intent"} for pair in overlapping)
    if profile == "stream":
        assert frozenset(("npc_intent",)) not in overlapping


@pytest.mark.parametrize("profile", ["stream", "ensemble"])
def test_what_extractors_write_waits_for_the_narration_and_is_part_of_the_turn(tmp_path: Path, profile: str) -> None:
    model = ScriptedModel(lambda request: ANSWERS[request.stage])
    app = begun(tmp_path, profile, dict.fromkeys(STAGES, model))
    h.say(app, "look")
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert state.characters["harbour:osk"].states["mood"].value == "wary"
    assert state.characters["harbour:bea"].states["mood"].value == "wary"
    asked = [request.text for request in model.requests if request.stage == "narrator"]
    assert not any("wary" in text for text in asked[: 2 if profile == "stream" else 1])


def failing(stage: str, place: int) -> Callable[[ModelRequest], Any]:
    """Good will, until the `place`-th question of a stage."""
    asked: list[str] = []

    def answer(request: ModelRequest) -> Any:
        asked.append(request.stage)
        if request.stage == stage and asked.count(stage) > place:
            return ProviderError("the server is gone")
        return ANSWERS[request.stage]

    return answer


# Every question of a turn in which two of the cast act, by its stage and place among that stage's.
STREAM = [
    *[("planner", 0), ("narrator", 0), ("persona_extractor", 0), ("lore_extractor", 0)],
    *[("npc_intent", 0), ("narrator", 1), ("character_extractor", 0), ("lore_extractor", 1)],
    *[("npc_intent", 1), ("narrator", 2), ("character_extractor", 1), ("lore_extractor", 2)],
]


ENSEMBLE = [one for one in STREAM if one[1] == 0 or one[0] in ("npc_intent", "character_extractor")]


@pytest.mark.parametrize(
    ("profile", "stage", "place"),
    [*(("stream", *one) for one in STREAM), *(("ensemble", *one) for one in ENSEMBLE)],
)
def test_a_stage_that_fails_anywhere_leaves_the_stream_and_the_state_untouched(
    tmp_path: Path, profile: str, stage: str, place: int
) -> None:
    model = ScriptedModel(failing(stage, place))
    app = begun(tmp_path, profile, {one: model for one in STAGES if one != "interpreter"})
    with app.campaigns.reading("game") as store:
        before, messages = store.head(), store.messages(store.head().turn_id, last=99)
    with pytest.raises(LorewrightError):
        h.say(app, "look")
    with app.campaigns.reading("game") as store:
        assert store.head() == before
        assert store.messages(store.head().turn_id, last=99) == messages
        attempt = store.attempts()[-1]
    assert stage in [one["stage"] for one in attempt["records_json"]]
    assert [turn["stage"] for turn in attempt["records_json"] if turn["output"] == "null"] != []


def test_who_acts_first_is_who_is_baked(tmp_path: Path) -> None:
    app = begun(tmp_path, "stream")
    h.say(app, "look", "wait", "look")
    with app.campaigns.reading("game") as store:
        for turn in store.turns()[1:]:
            found = store.stage_output(turn["turn_id"], "activation")
            assert found["order"] == ["harbour:osk", "harbour:bea"]
            # Whoever is baked rolls for nothing.
            assert [roll["actor_id"] for roll in found["rolls"]] == ["harbour:bea"]


def test_every_round_sees_what_was_told_until_then(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: ANSWERS[request.stage])
    app = begun(tmp_path, "stream", {"npc_intent": model})
    h.say(app, "look")
    with app.campaigns.reading("game") as store:
        given = [one["input"] for one in store.stage_records(store.head().turn_id) if one["stage"] == "npc_intent"]
    told = [[one["content"] for _, one in view["messages"] if one["type"] == "narration"] for view in given]
    for earlier, later in pairwise(told):
        assert later[: len(earlier)] == earlier
        assert len(later) == len(earlier) + 1


@pytest.mark.campaign
def test_the_same_words_on_the_same_head_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = begun(tmp_path / "one", "stream"), begun(tmp_path / "other", "stream")
    lines = ("look", "ask Osk about Lin", "wait", "take rope", "give rope to Osk")
    assert json.dumps(h.say(one, *lines)) == json.dumps(h.say(other, *lines))


def test_whoever_was_there_knows_what_the_player_was_told(tmp_path: Path) -> None:
    """Also where a rule of the scenario has somebody say it; and whoever was not there does not."""
    app = begun(tmp_path, "stream")
    h.say(app, *("ask Osk about the debt",) * 4)
    with app.campaigns.reading("game") as store:
        state = store.head().state
    told = {item for item, one in state.reveals.get(state.player_id, {}).items() if one.how == "told"}
    assert "harbour:osk:withholds#debt" in told
    assert told - {item for item in told if item.startswith("harbour:bea:")} <= state.learned_by("harbour:bea")
    assert "harbour:osk:withholds#debt" not in state.learned_by("harbour:osk")


def test_a_narrator_is_told_what_lies_between_two_turns(tmp_path: Path) -> None:
    app = begun(tmp_path, "stream")
    h.say(app, "go to the quay", "wait 2 hours", "look")
    given = [json.loads(one) for one in h.stage_inputs(app)["narrator"]]
    own = [one["markers"] for one in given if one["player_text"]]
    assert own == [[], ["They have come from The Tavern."], ["120 minutes went by before this."]]
    assert all(not one["markers"] for one in given if not one["player_text"])


def test_a_file_with_thoughts_and_whispers_is_found_sound(tmp_path: Path) -> None:
    app = begun(tmp_path, "stream")
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look", thought="That landlord counts too often."))
        asyncio.run(campaign.submit("ask Osk about the boat", whisper_to="harbour:osk"))
    checked = check(app.workspace.campaigns / "game.db")
    assert (checked.findings, checked.turns) == ((), 3)
