"""Real SDKs against a server on loopback: what is sent, what comes back, and every way in which it goes wrong."""

from __future__ import annotations

import asyncio
import json

import pytest

from lorewright.errors import ModelRefused, ProviderBusy, ProviderError
from lorewright.llm.gateway import Budget
from lorewright.llm.model import AnswerListener, CallLog, ModelRequest, Toolbox, ToolSpec
from lorewright.llm.opening import open_model
from lorewright.settings import AnswerTokens, BudgetSettings, ModelSettings, ModelsSettings
from support.model_apis.faults import Fault, FaultKind, Raw
from support.model_apis.server import ModelServer
from support.model_apis.wire import Said, Use
from support.model_requests import ANSWER, KEYS, PROMPT, Answer, ask, asked_at, at_once, run

PASSING: tuple[FaultKind, ...] = ("rate_limited", "error", "overloaded", "dropped", "dropped_midway", "html")
SPOILT: tuple[FaultKind, ...] = ("truncated", "invalid_json", "wrong_schema", "empty")


@pytest.fixture(params=KEYS)
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def answers(server: ModelServer) -> None:
    """What the server says unless a test says otherwise."""
    server._answer = lambda asked: ANSWER if asked.schema or asked.tools else ANSWER["text"]


def test_a_structured_answer_fits_its_schema(server: ModelServer, key: str) -> None:
    response = run(asked_at(server, key))
    assert response.output == Answer.model_validate(ANSWER)
    assert [call.problem for call in response.log.calls] == [None]


def test_prose_comes_in_pieces_that_are_the_whole(server: ModelServer, key: str) -> None:
    pieces: list[str] = []
    reply = ask(asked_at(server, key), prose=True, on_text=pieces.append)
    assert len(pieces) > 2
    assert "".join(pieces) == reply.text == ANSWER["text"]
    assert server.asked[-1].streams


def test_the_model_is_shown_the_prompt_in_the_order_of_its_parts(server: ModelServer, key: str) -> None:
    ask(asked_at(server, key), prose=True)
    shown = server.asked[-1]
    assert shown.system == PROMPT.system
    ((role, text),) = shown.messages
    assert role == "user"
    assert text == f"{PROMPT.stable}\n\n{PROMPT.changing}"


def test_the_schema_goes_to_the_provider_by_its_own_guarantee(server: ModelServer) -> None:
    for key, mode in (("claude-haiku", "output_config"), ("gpt-5.2", "response_format"), ("deepseek-v32", "tools")):
        ask(asked_at(server, key))
        asked = server.asked[-1]
        assert mode in asked.body, key
        assert asked.schema is not None
        assert set(asked.schema["properties"]) == {"text", "notes"}


def test_a_schema_that_no_guarantee_can_hold_is_put_into_words(server: ModelServer, key: str) -> None:
    class Open(Answer):
        value: object = None

    asyncio.run(asked_at(server, key).complete(ModelRequest("narrator", PROMPT, Open.model_json_schema())))
    assert '"value"' in server.asked[-1].system
    assert server.asked[-1].schema is None


def test_breakpoints_of_the_prompt_cache_stand_after_system_and_stable_part(server: ModelServer) -> None:
    ask(asked_at(server, "claude-haiku"), prose=True)
    body = server.asked[-1].body
    assert "cache_control" in body["system"][-1]
    stable, changing = body["messages"][0]["content"]
    assert (stable["text"], "cache_control" in stable) == (PROMPT.stable, True)
    assert (changing["text"], "cache_control" in changing) == (PROMPT.changing, False)


def test_the_second_request_of_a_scene_reads_its_beginning_from_the_cache(server: ModelServer) -> None:
    model = asked_at(server, "claude-haiku")
    first, second = ask(model, prose=True), ask(model, prose=True)
    assert (first.cache_read_tokens, second.cache_write_tokens) == (0, 0)
    assert second.cache_read_tokens == first.cache_write_tokens > 0
    assert second.input_tokens == first.input_tokens > second.cache_read_tokens
    assert second.cost_microusd < first.cost_microusd


def test_a_reply_costs_what_the_table_says(server: ModelServer) -> None:
    reply = ask(asked_at(server, "claude-opus"), prose=True)
    plain = reply.input_tokens - reply.cache_write_tokens
    assert reply.cost_microusd == -(-(plain * 4 + reply.cache_write_tokens * 5 + reply.output_tokens * 20) // 1)


def test_a_local_model_costs_nothing_and_says_its_name(server: ModelServer) -> None:
    reply = ask(asked_at(server, "ollama/some-model"))
    assert (reply.cost_microusd, reply.model_name) == (0, "some-model")
    assert reply.input_tokens > 0


def test_nothing_is_said_of_temperature(server: ModelServer, key: str) -> None:
    ask(asked_at(server, key))
    assert not {"temperature", "top_p", "top_k"} & server.asked[-1].body.keys()


@pytest.mark.parametrize("kind", PASSING)
@pytest.mark.parametrize("prose", [False, True], ids=["json", "prose"])
def test_what_may_pass_is_tried_again_and_kept(server: ModelServer, key: str, kind: FaultKind, prose: bool) -> None:
    server.faults.append(Fault(kind))
    log = CallLog()
    response = run(at_once(asked_at(server, key), tries=2), prose=prose, log=log)
    assert response.output.text == ANSWER["text"]
    (call,) = log.calls
    assert len(call.tries) == 1
    assert key in call.tries[0]
    assert len(server.asked) == 2


@pytest.mark.parametrize("kind", PASSING)
@pytest.mark.parametrize("prose", [False, True], ids=["json", "prose"])
def test_what_does_not_pass_is_given_up(server: ModelServer, key: str, kind: FaultKind, prose: bool) -> None:
    server.faults.extend([Fault(kind)] * 2)
    with pytest.raises(ProviderBusy) as caught:
        ask(at_once(asked_at(server, key), tries=2), prose=prose)
    assert len(caught.value.tries) == 2
    assert caught.value.hint


@pytest.mark.parametrize("kind", [*PASSING, "cut"])
def test_a_stream_that_breaks_is_taken_back_and_begun_anew(server: ModelServer, key: str, kind: FaultKind) -> None:
    server.faults.append(Fault(kind))
    heard: list[str] = []
    on_text = AnswerListener(heard.append, lambda reason: heard.clear())
    reply = ask(at_once(asked_at(server, key), tries=2), prose=True, on_text=on_text)
    assert "".join(heard) == reply.text == ANSWER["text"]
    assert len(reply.tries) == 1


@pytest.mark.parametrize("kind", ["cut", "dropped_midway"])
def test_a_listener_who_cannot_be_told_never_hears_a_beginning_twice(
    server: ModelServer, key: str, kind: FaultKind
) -> None:
    server.faults.append(Fault(kind))
    heard: list[str] = []
    with pytest.raises(ProviderBusy):
        ask(at_once(asked_at(server, key), tries=3), prose=True, on_text=heard.append)
    assert ANSWER["text"].startswith("".join(heard))
    assert len(server.asked) == 1


@pytest.mark.parametrize("kind", SPOILT)
def test_a_spoilt_answer_is_repaired(server: ModelServer, key: str, kind: FaultKind) -> None:
    server.faults.append(Fault(kind))
    log = CallLog()
    assert run(at_once(asked_at(server, key)), log=log).output.text == ANSWER["text"]
    first, second = log.calls
    assert first.problem
    assert (second.attempt, second.problem) == ("repair", None)
    assert first.problem in json.loads(server.asked[1].messages[-1][1])["problem"]


@pytest.mark.parametrize("kind", ["truncated", "empty"])
def test_prose_that_is_not_whole_is_repaired(server: ModelServer, key: str, kind: FaultKind) -> None:
    server.faults.append(Fault(kind))
    told: list[str] = []
    response = run(at_once(asked_at(server, key)), prose=True, on_text=lambda _: None, on_rejected=told.append)
    assert response.output.text == ANSWER["text"]
    assert len(told) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_one(server: ModelServer, key: str, stream: bool) -> None:
    server.faults.append(Fault("refusal"))
    with pytest.raises(ModelRefused, match="declined"):
        ask(at_once(asked_at(server, key), tries=3), prose=True, on_text=(lambda _: None) if stream else None)
    assert len(server.asked) == 1


def test_a_wrong_key_names_its_variable(server: ModelServer) -> None:
    server.expects_key = "sk-another"
    for key, variable in (("claude-haiku", "ANTHROPIC_API_KEY"), ("gpt-5.2", "OPENAI_API_KEY")):
        with pytest.raises(ProviderError, match="401") as caught:
            ask(at_once(asked_at(server, key), tries=3))
        assert variable in (caught.value.hint or "")
        assert not isinstance(caught.value, ProviderBusy)


@pytest.mark.parametrize(
    ("key", "message"),
    [("claude-haiku", "prompt is too long: 9 tokens > 8 maximum"), ("gpt-5.2", "maximum context length is 8 tokens")],
)
def test_a_prompt_that_is_too_long_is_told_as_that(server: ModelServer, key: str, message: str) -> None:
    server.faults.append(Fault("error", status=400, message=message))
    with pytest.raises(ProviderError, match="longer than its context window"):
        ask(at_once(asked_at(server, key), tries=3))
    assert len(server.asked) == 1


def test_retry_after_is_obeyed_up_to_a_bound(server: ModelServer, key: str) -> None:
    server.faults.extend([Fault("rate_limited", seconds=7), Fault("rate_limited", seconds=9_000)])
    pauses: list[float] = []
    ask(at_once(asked_at(server, key), tries=3, pauses=pauses, longest_pause_s=20))
    assert pauses == [7, 20]


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_ends_when_its_time_is_up(server: ModelServer, key: str, stream: bool) -> None:
    server.faults.append(Fault("slow", seconds=0.4))
    with pytest.raises(ProviderBusy, match=r"within 0\.2 seconds"):
        ask(at_once(asked_at(server, key), timeout_s=0.2), prose=True, on_text=(lambda _: None) if stream else None)


DICE = ToolSpec(
    "roll_dice",
    "Roll dice.",
    {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
)


def test_a_model_calls_a_tool_and_concludes_with_its_result(server: ModelServer, key: str) -> None:
    rolled: list[str] = []

    def roll(arguments: str) -> str:
        rolled.append(json.loads(arguments)["expression"])
        return "2d6 → 4 + 3 = 7"

    def answer(asked: object) -> object:
        return ANSWER if "= 7" in asked.text else Use("roll_dice", {"expression": "2d6"})  # type: ignore[attr-defined]

    server._answer = answer
    response = run(asked_at(server, key), toolbox=Toolbox((DICE,), {"roll_dice": roll}))
    assert response.output.text == ANSWER["text"]
    assert rolled == ["2d6"]
    assert [call.calls for call in response.log.calls] == [
        (("roll_dice", '{"expression": "2d6"}', "2d6 → 4 + 3 = 7"),),
        (),
    ]


def test_what_a_model_thinks_is_no_part_of_its_answer(server: ModelServer, key: str) -> None:
    server._answer = lambda asked: Said(ANSWER["text"], thought="Viktor lies, and nobody must know.")
    pieces: list[str] = []
    streamed = ask(asked_at(server, key), prose=True, on_text=pieces.append)
    assert "".join(pieces) == streamed.text == ask(asked_at(server, key), prose=True).text == ANSWER["text"]


def test_what_a_local_model_thinks_aloud_is_no_part_of_its_answer(server: ModelServer) -> None:
    server._answer = lambda asked: f"<think>Viktor lies, and nobody must know.</think>{ANSWER['text']}"
    pieces: list[str] = []
    streamed = ask(asked_at(server, "ollama/x"), prose=True, on_text=pieces.append)
    assert "".join(pieces) == streamed.text == ask(asked_at(server, "ollama/x"), prose=True).text == ANSWER["text"]


def test_a_model_that_thought_before_it_called_is_shown_its_signed_thought_again(server: ModelServer) -> None:
    roll = Said(uses=(Use("roll_dice", {"expression": "2d6"}),), thought="It takes a roll.")
    answers: list[object] = [roll, ANSWER]
    server._answer = lambda asked: answers.pop(0)
    run(asked_at(server, "claude-sonnet"), toolbox=Toolbox((DICE,), {"roll_dice": lambda _: "7"}))
    _, said, result = server.asked[1].body["messages"]
    assert [block["type"] for block in said["content"]] == ["thinking", "tool_use"]
    assert said["content"][0]["signature"]
    assert result["content"][0]["tool_use_id"] == said["content"][1]["id"]


def test_a_model_whose_row_promises_too_much_is_told_apart(server: ModelServer) -> None:
    own = ModelSettings(provider="google", model="gemini-2.5-pro", base_url=server.url)
    model = open_model("mine", ModelsSettings(keys={"mine": own}), environ=server.environ)
    assert model is not None
    with pytest.raises(ProviderError, match="mine") as caught:
        ask(model, tools=(DICE,))
    assert "mode" in (caught.value.hint or "")


def test_a_model_that_never_concludes_is_told_to(server: ModelServer, key: str) -> None:
    server._answer = lambda asked: Use("roll_dice", {"expression": "2d6"}) if asked.may_call else ANSWER
    response = run(asked_at(server, key), toolbox=Toolbox((DICE,), {"roll_dice": lambda _: "7"}))
    assert response.output.text == ANSWER["text"]
    assert len(response.log.calls) == 5


def test_a_model_of_ones_own_is_asked_where_its_row_says(server: ModelServer) -> None:
    own = ModelSettings(provider="openai-compatible", model="big", base_url=f"{server.url}/v1", mode="prompted")
    settings = ModelsSettings(keys={"mine": own})
    server._answer = lambda asked: json.dumps(ANSWER)
    model = open_model("mine", settings, environ={})
    assert model is not None
    assert json.loads(ask(model).text) == ANSWER
    assert (server.asked[-1].body["model"], server.asked[-1].body["max_tokens"]) == ("big", 2048)
    assert "authorization" in server.asked[-1].headers


def test_an_answer_is_as_long_as_the_settings_let_its_stage_be(server: ModelServer) -> None:
    settings = ModelsSettings(answer_tokens=AnswerTokens(narrator=300))
    ask(asked_at(server, "ollama/x", settings), prose=True)
    ask(asked_at(server, "ollama/x", settings), prose=True, max_tokens=70)
    assert [asked.body["max_tokens"] for asked in server.asked] == [300, 70]


def test_a_try_that_broke_off_is_paid_for_beside_the_one_that_came(server: ModelServer) -> None:
    server.faults.append(Fault("dropped_midway"))
    budget = Budget(BudgetSettings())
    settings = ModelsSettings(pause_seconds=0)
    reply = ask(asked_at(server, "claude-opus", settings, budget=budget), prose=True)
    assert budget.turn.tokens > 2 * reply.input_tokens
    assert budget.turn.microusd > reply.cost_microusd


def test_a_server_that_nobody_runs_is_named(server: ModelServer) -> None:
    model = asked_at(server, "ollama/x", environ={"OLLAMA_BASE_URL": "http://user:pass@127.0.0.1:9/v1"})
    with pytest.raises(ProviderBusy, match=r"to 127\.0\.0\.1:9 failed") as caught:
        ask(at_once(model))
    assert "pass" not in caught.value.message


def test_a_long_answer_is_streamed_although_nobody_listens(server: ModelServer, key: str) -> None:
    assert ask(asked_at(server, key), prose=True, max_tokens=30_000).text == ANSWER["text"]
    assert server.asked[-1].streams


def test_a_server_that_does_not_count_is_counted_for(server: ModelServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "So it is."}, "finish_reason": "stop"}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    server._answer = lambda asked: Raw(json.dumps(whole).encode())
    reply = ask(asked_at(server, "ollama/x"), prose=True)
    assert reply.text == "So it is."
    assert reply.input_tokens > reply.output_tokens > 0


def test_a_local_server_that_never_says_how_it_ended_is_believed_in_one_piece(server: ModelServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "So it is."}}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    server._answer = lambda asked: Raw(json.dumps(whole).encode())
    assert ask(asked_at(server, "ollama/x"), prose=True).text == "So it is."
    with pytest.raises(ProviderBusy, match="broke off"):
        ask(at_once(asked_at(server, "gpt-5.2")), prose=True)


def test_a_provider_serves_no_more_calls_at_a_time_than_are_allowed(server: ModelServer) -> None:
    server.faults.extend([Fault("slow", seconds=0.05)] * 6)
    model = asked_at(server, "gpt-5.2", ModelsSettings(concurrency=2))

    async def crowd() -> None:
        await asyncio.gather(*(model.complete(ModelRequest("narrator", PROMPT)) for _ in range(6)))

    asyncio.run(crowd())
    assert len(server.asked) == 6
    assert server.most_at_once == 2
