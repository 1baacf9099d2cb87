"""Patience: tries, pauses, lanes and the end of time, without a network."""

from __future__ import annotations

import asyncio

import pytest

from lorewright.errors import BudgetExceeded, ProviderBusy
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.llm.opening import CallLimits, PatientModel
from lorewright.llm.prompt_template import PlainPrompt

REQUEST = ModelRequest("narrator", PlainPrompt("narrator").render({}))


def patient(script: list[object], patience: CallLimits | None = None) -> tuple[PatientModel, list[float]]:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    return PatientModel(ScriptedModel(script), patience or CallLimits(tries=4), sleep=sleep), pauses


def test_pauses_grow_and_have_a_bound() -> None:
    model, pauses = patient([ProviderBusy("busy")] * 3 + ["yes"], CallLimits(tries=4, longest_pause_s=3.0))
    reply = asyncio.run(model.complete(REQUEST))
    assert (reply.text, reply.tries) == ("yes", ("busy", "busy", "busy"))
    assert pauses == [1.0, 2.0, 3.0]


def test_what_cannot_pass_is_not_tried_again_and_keeps_the_tries_before_it() -> None:
    model, pauses = patient([ProviderBusy("busy"), BudgetExceeded("too dear"), "yes"])
    with pytest.raises(BudgetExceeded) as caught:
        asyncio.run(model.complete(REQUEST))
    assert caught.value.tries == ("busy",)
    assert pauses == [1.0]


class Slow:
    """Takes its time, and knows how many it served at once."""

    key, provider = "slow", "slow"

    def __init__(self) -> None:
        self.now = self.most = 0

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return ModelReply("yes", "slow")


def test_no_more_calls_of_a_provider_run_at_a_time_than_are_allowed() -> None:
    slow = Slow()
    # Two models of one provider share its lanes.
    models = [PatientModel(slow, CallLimits(concurrency=2)) for _ in range(2)]

    async def all_at_once() -> list[ModelReply]:
        return await asyncio.gather(*(models[no % 2].complete(REQUEST) for no in range(8)))

    assert len(asyncio.run(all_at_once())) == 8
    assert slow.most == 2


def test_a_model_serves_one_event_loop_after_another() -> None:
    model = PatientModel(Slow(), CallLimits(concurrency=1))

    async def crowd() -> list[ModelReply]:
        return await asyncio.gather(*(model.complete(REQUEST) for _ in range(3)))

    assert [len(asyncio.run(crowd())) for _ in range(3)] == [3, 3, 3]


def test_the_time_of_a_call_has_its_tries_and_pauses_in_it() -> None:
    async def for_ever(seconds: float) -> None:
        await asyncio.sleep(3600)

    model = PatientModel(ScriptedModel([ProviderBusy("busy")]), CallLimits(timeout_s=0.05), sleep=for_ever)
    with pytest.raises(ProviderBusy) as caught:
        asyncio.run(model.complete(REQUEST))
    assert caught.value.tries == ("busy", "no answer within 0.05 seconds")
