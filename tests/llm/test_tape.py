"""A tape answers what was asked when it was recorded, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright.errors import ModelRefused, ProviderBusy, ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, Toolbox, ToolCall, ToolSpec
from lorewright.llm.tape import TapePlayer, TapeRecorder, request_hash
from support.model_apis import ModelServer, Use
from support.model_requests import ANSWER, PROMPT, ask, asked_at, run

REQUEST = ModelRequest("narrator", PROMPT)
REPLY = ModelReply("yes", "m-1", 10, 2, 3, 4, 5, (ToolCall("c1", "roll", "{}"),), ("busy",), "half")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return tmp_path / "friday.jsonl"


def test_a_played_reply_is_the_recorded_one_to_the_last_number(tape: Path) -> None:
    recorded = ask(TapeRecorder(ScriptedModel([REPLY]), tape), prose=True)
    assert ask(TapePlayer(tape, key="scripted"), prose=True) == recorded == REPLY


def test_the_same_question_is_answered_in_the_order_of_the_recording(tape: Path) -> None:
    recorder = TapeRecorder(ScriptedModel(["one", "two"]), tape)
    assert [ask(recorder, prose=True).text for _ in range(2)] == ["one", "two"]
    player = TapePlayer(tape, key="scripted")
    assert [ask(player, prose=True).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ProviderError, match="no answer"):
        ask(player, prose=True)


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, stage="planner"),
        replace(REQUEST, prompt=replace(PROMPT, changing="You look down.")),
        replace(REQUEST, schema={"type": "object"}),
        replace(REQUEST, max_tokens=1),
    ],
)
def test_another_question_is_not_answered(tape: Path, other: ModelRequest) -> None:
    asyncio.run(TapeRecorder(ScriptedModel(["one"]), tape).complete(REQUEST))
    with pytest.raises(ProviderError, match=f"{other.stage} stage"):
        asyncio.run(TapePlayer(tape, key="scripted").complete(other))


# The hashes of questions on tapes from before answers had lengths by stage.
FIRST_HASHES = {
    "narrator": "e1e3d476a04bd3f19bcfb9ce0e3d3d6cccc212864b2896e7a8f6d7201015dd40",
    "npc_intent": "2baf7e4e160190a0ce5697719a06f8dad0c4086ce693d64da5cb0650ece920b7",
}


@pytest.mark.parametrize("stage", FIRST_HASHES)
def test_a_tape_from_before_lengths_were_settings_can_still_be_played(stage: str) -> None:
    assert request_hash("scripted", replace(REQUEST, stage=stage)) == FIRST_HASHES[stage]


def test_another_model_is_not_on_the_tape(tape: Path) -> None:
    ask(TapeRecorder(ScriptedModel(["one"]), tape), prose=True)
    with pytest.raises(ProviderError, match="gpt"):
        ask(TapePlayer(tape, key="gpt-5.2"), prose=True)


@pytest.mark.parametrize("error", [ModelRefused("no", hint="h"), ProviderBusy("away", tries=("a", "b"))])
def test_what_went_wrong_goes_wrong_again(tape: Path, error: ProviderError) -> None:
    with pytest.raises(type(error)):
        ask(TapeRecorder(ScriptedModel([error]), tape), prose=True)
    with pytest.raises(type(error)) as caught:
        ask(TapePlayer(tape, key="scripted"), prose=True)
    assert (caught.value.message, caught.value.hint, caught.value.tries) == (error.message, error.hint, error.tries)


def test_a_tape_of_a_real_sdk_plays_a_repair_and_a_loop_of_tools(server: ModelServer, tape: Path) -> None:
    answers: list[object] = ["no JSON", Use("roll", {"expression": "2d6"}), ANSWER]
    server._answer = lambda asked: answers.pop(0)
    box = Toolbox((ToolSpec("roll", "Roll.", {"type": "object", "properties": {}}),), {"roll": lambda _: "7"})
    recorded = run(TapeRecorder(asked_at(server, "claude-haiku"), tape), toolbox=box)
    played = run(TapePlayer(tape, key="claude-haiku"), toolbox=box)
    assert played.output == recorded.output
    assert [(call.text, call.calls, call.cost_microusd) for call in played.log.calls] == [
        (call.text, call.calls, call.cost_microusd) for call in recorded.log.calls
    ]


def test_a_line_that_was_not_finished_is_as_if_it_were_not_there(tape: Path) -> None:
    ask(TapeRecorder(ScriptedModel(["one"]), tape), prose=True)
    with tape.open("a") as file:
        file.write('{"request":"ab')
    assert ask(TapePlayer(tape, key="scripted"), prose=True).text == "one"


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"request":"a","reply":{"text":1}}', "\x00", '{"request":"a","error":{}}']
)
def test_a_line_that_is_none_is_told_by_its_number(tape: Path, line: str) -> None:
    tape.write_text(f"{line}\n")
    with pytest.raises(ProviderError, match=r"friday\.jsonl:1"):
        TapePlayer(tape, key="scripted")
