"""A model of one of the cast that will not keep a secret: in whatever disguise it tells it, nobody is told. The whole
pipeline, with scripted models."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.llm.doubles import ScriptedModel, ThiefModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.turn.views.leaks import LiveLeakCheck, RecordedLeakCheck
from support import harbour as h
from support.disguises import DISGUISES
from support.written_meanings import NEAR, Meanings

DEBT = "I sold her passage to the harbour master for a marmoset and a month of quiet."
HONEST = "Osk counts the coins once more."
SCENARIO = h.SCENARIO.replace("    start: tavern", "    profile: PROFILE\n    start: tavern").replace(
    "      osk: {at: tavern}", "      osk: {at: tavern, baked: true, states: {mood: {value: calm, level: 8}}}"
)
KINDS = list(DISGUISES)
# A handful a play: each play is begun anew.
HANDFULS = [KINDS[at : at + 3] for at in range(0, len(KINDS), 3)]


def begun(tmp_path: Path, models: dict[str, Any], *, profile: str = "stream") -> App:
    return h.harbour(tmp_path, models=models, scenario=SCENARIO.replace("PROFILE", profile))


def answers(text: str) -> dict[str, Any]:
    return {"action_text": text, "intent_tags": ["calm"]}


def everything_kept(app: App) -> dict[str, list[str]]:
    """Every text of the campaign's file, by table; without what models answered and were told was wrong with it."""
    found: dict[str, list[str]] = {}
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if name not in ("attempts", "stage_records", "stage_texts"):
                rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
                found[name] = [str(value) for row in rows for value in row if isinstance(value, str | bytes)]
    return found


class Betraying:
    """A character's model that tells its secret in one way, and mends its answer when it is asked to, or never."""

    def __init__(self, told: str, *, mends: bool) -> None:
        self.told = told
        self._mends = mends

    def __call__(self, request: ModelRequest) -> dict[str, Any]:
        return answers(HONEST if self._mends and request.talk else f"Osk leans over. “{self.told}”")


@pytest.mark.parametrize(
    "kinds",
    [*HANDFULS[:5], *(pytest.param(kinds, marks=pytest.mark.campaign) for kinds in HANDFULS[5:])],
    ids=lambda kinds: kinds[0],
)
def test_a_secret_in_disguise_is_refused_and_mended(tmp_path: Path, kinds: list[str]) -> None:
    says = Betraying("", mends=True)
    model = ScriptedModel(says)
    app = begun(tmp_path, {"npc_intent": model})
    for number, kind in enumerate(kinds):
        says.told = DISGUISES[kind](DEBT)[:560]
        (result,) = h.say(app, "wait" if number % 2 else "look")
        assert len(model.requests) == 2 * (number + 1), kind
        assert "leans over" not in json.dumps(result)
    narrators = [text for stage, texts in h.stage_inputs(app).items() if stage == "narrator" for text in texts]
    assert narrators
    assert not any("leans over" in text for text in narrators)
    assert not any("leans over" in text for texts in everything_kept(app).values() for text in texts)


@pytest.mark.parametrize("profile", ["stream", "ensemble"])
def test_who_never_keeps_a_secret_does_what_is_built_in(tmp_path: Path, profile: str) -> None:
    model = ScriptedModel(Betraying(DISGUISES["hyphened"](DEBT), mends=False))
    app = begun(tmp_path, {"npc_intent": model}, profile=profile)
    (result,) = h.say(app, "look")
    assert len(model.requests) == 3
    assert "leans over" not in json.dumps(result)
    assert "Osk" in result["final_text"]
    assert not any("leans over" in text for texts in everything_kept(app).values() for text in texts)
    with app.campaigns.reading("game") as store:
        records = store.stage_records(store.head().turn_id)
        assert store.attempts() == []
    assert [one["model_key"] for one in records if one["stage"] == "npc_intent"] == ["scripted", "builtin"]
    (kept,) = [one["output"] for one in records if one["stage"] == "leaks"]
    assert {(one["secret"], one["way"]) for one in kept["refused"]} == {("harbour:osk:withholds#debt", "letters")}


def test_what_goes_along_with_an_action_is_compared_too(tmp_path: Path) -> None:
    said = answers("Osk turns to you.") | {
        "action": {"type": "promise", "target_id": "game:player", "words": DISGUISES["rot13"](DEBT)}
    }
    tagged = answers("Osk turns to you.") | {"intent_tags": [DISGUISES["base64"](DEBT)]}
    for number, answer in enumerate((said, tagged)):
        model = ScriptedModel(lambda request, answer=answer: answers(HONEST) if request.talk else answer)
        app = begun(tmp_path / str(number), {"npc_intent": model})
        h.say(app, "look")
        assert len(model.requests) == 2


def test_an_answer_that_is_refused_for_another_reason_gives_way_to_the_built_in_stage(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _: answers("   "))
    app = begun(tmp_path, {"npc_intent": model})
    (result,) = h.say(app, "look")
    assert result["fell_back"] == ["npc_intent"] and len(model.requests) == 3


@pytest.mark.parametrize(
    "line",
    [
        "“Lin? I have not seen her,” says Osk.",
        "Osk says that he will not talk about her passage.",
        "“The harbour master pays well for animals,” says Osk, and shrugs.",
        "Osk threatens to throw you out. “A month of this weather, and you ask questions!”",
        "“I sell ale, and nothing else.”",
        "Landlord of the tavern, and a poor one: so he says of himself.",
    ],
)
def test_innocent_lines_pass_at_once(tmp_path: Path, line: str) -> None:
    model = ScriptedModel(lambda _: answers(line))
    app = begun(tmp_path, {"npc_intent": model})
    h.say(app, "look")
    assert len(model.requests) == 1


def test_what_was_revealed_may_be_said_again_in_other_words(tmp_path: Path) -> None:
    said = "Osk sighs. “For a marmoset, and for a quiet month, I sold the harbour master her passage.”"
    model = ScriptedModel(lambda request: answers(HONEST) if request.talk else answers(said))
    app = begun(tmp_path, {"npc_intent": model})
    asked = 0
    for _ in range(12):
        before = len(model.requests)
        (result,) = h.say(app, "ask osk about his debt")
        asked = len(model.requests) - before
        if h.WITHHOLDS in result["final_text"]:
            break
    else:
        raise AssertionError("it was never revealed")
    assert asked == 1
    before = len(model.requests)
    h.say(app, "look")
    assert len(model.requests) - before == 1


def test_a_narrator_that_disguises_what_it_was_not_shown_is_refused(tmp_path: Path) -> None:
    def told(request: ModelRequest) -> str:
        return "It is quiet in the tavern." if request.talk else f"A gull cries. {DISGUISES['rot13'](DEBT)}"

    narrator = ScriptedModel(told)
    app = begun(tmp_path, {"narrator": narrator}, profile="freeform")
    (result,) = h.say(app, "look")
    assert result["final_text"] == "It is quiet in the tavern."


def test_what_an_inner_state_becomes_tells_no_secret_either(tmp_path: Path) -> None:
    guilt = "guilty: for a marmoset and a quiet month I sold the harbour master her passage"
    models: dict[str, Any] = {
        "npc_intent": ScriptedModel(lambda _: answers(HONEST)),
        "character_extractor": ScriptedModel(
            lambda _: {"changes": [{"name": "mood", "value": guilt, "confidence": 0.9}]}
        ),
    }
    app = begun(tmp_path, models)
    h.say(app, "look")
    with app.campaigns.reading("game") as store:
        assert store.head().state.characters["harbour:osk"].states["mood"].value == "calm"
        records = store.stage_records(store.head().turn_id)
    refused = [one for record in records if record["stage"] == "inner_writes" for one in record["output"]["refused"]]
    assert [one["reason"] for one in refused] == ["quotes_what_is_hidden"]


class DisguisedThief(ThiefModel):
    """A thief that hands on its loot in Greek letters."""

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.stolen = [DISGUISES["greek"](one) for one in self.stolen]
        return await super().complete(request, on_text=on_text)


def test_a_thief_in_disguise_gets_no_thought_to_anybody(tmp_path: Path) -> None:
    thought = "Nobody may ever learn what the second key behind the clock is good for."
    thief = DisguisedThief(lambda _: {**answers(HONEST), "thought": thought})
    app = begun(tmp_path, {"npc_intent": thief})
    results = h.say(app, "look", "wait", "look")
    assert thief.thefts == 2
    assert DISGUISES["greek"](thought) not in json.dumps(results, ensure_ascii=False)


# Three ways that need an embedder, letters and words; what is told each time, and how it is found.
TOLD = {
    "I betrayed a young thing to somebody.": "meaning",
    DISGUISES["rot13"](DEBT): "letters",
    "For a marmoset and a quiet month I sold the harbour master her passage.": "words",
}


@pytest.fixture
def refused_game(tmp_path: Path) -> App:
    """A game in which something was refused in every turn, one by its meaning."""
    told = iter(TOLD)
    model = ScriptedModel(lambda request: answers(HONEST if request.talk else f"Osk leans over. “{next(told)}”"))
    app = begun(tmp_path, {"npc_intent": model})
    with app.campaigns.open("game") as campaign:
        campaign.change_setting(leaks=LiveLeakCheck(Meanings(NEAR)))
        for line in ("look", "wait", "look"):
            asyncio.run(campaign.submit(line))
    return app


def ways(app: App) -> list[str]:
    with app.campaigns.reading("game") as store:
        records = [one for turn in store.turns() for one in store.stage_records(turn["turn_id"])]
    return [one["way"] for record in records if record["stage"] == "leaks" for one in record["output"]["refused"]]


def test_what_was_refused_and_why_is_recorded(refused_game: App) -> None:
    assert ways(refused_game) == list(TOLD.values())


def test_a_replay_refuses_what_was_refused_with_no_embedder_at_hand(refused_game: App) -> None:
    replay = asyncio.run(refused_game.replays.rerun_turns("game"))
    assert replay.is_identical
    assert [turn.differences for turn in replay.turns] == [(), (), ()]


def test_a_replay_accepts_what_was_accepted_whatever_is_at_hand_now(
    tmp_path: Path,
) -> None:
    # As a version had it that compared by quotations alone.
    told = iter(TOLD)
    app = begun(tmp_path, {"npc_intent": ScriptedModel(lambda _: answers(f"Osk leans over. “{next(told)}”"))})
    with app.campaigns.open("game") as campaign:
        campaign.change_setting(leaks=RecordedLeakCheck(()))
        for line in ("look", "wait", "look"):
            asyncio.run(campaign.submit(line))
    assert ways(app) == []
    assert asyncio.run(app.replays.rerun_turns("game")).is_identical


def test_a_turn_that_falls_back_keeps_what_was_refused_in_it(tmp_path: Path) -> None:
    narrator = ScriptedModel(lambda _: DISGUISES["spaced"](DEBT))
    app = begun(tmp_path, {"narrator": narrator}, profile="freeform")
    (result,) = h.say(app, "look")
    assert result["fell_back"] == ["narrator"]
    (kept,) = [json.loads(output) for output in h.stage_outputs(app)["leaks"]]
    assert [refused["way"] for refused in kept["refused"]] == ["letters"]
