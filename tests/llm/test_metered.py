"""The budget is kept before a call, not after it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import BudgetExceeded, ProviderBusy
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.gateway import Budget, CallUsage, MeteredModel, estimated_input
from lorewright.llm.model import Model, ModelReply, ModelRequest, OnText
from lorewright.llm.prompt_template import PlainPrompt, RenderedPrompt
from lorewright.llm.taxonomy import Prices
from lorewright.settings import USUAL_ANSWERS, BudgetSettings

PRICES = Prices(2, 10, 0.1, 2.5)
REQUEST = ModelRequest("narrator", RenderedPrompt("narrator", "v1", "", "word " * 1_000, "", ""), max_tokens=1_000)
# What it can cost at most: 1,688 tokens read into the cache at 2.5, and 1,000 written at 10.
MOST_USD = 0.01422


def unlimited(**limits: float) -> BudgetSettings:
    free = {"turn_usd": "unlimited", "sitting_usd": "unlimited"}
    return BudgetSettings.model_validate({**free, **limits})


def metered(budget: Budget, script: list[object], prices: Prices | None = PRICES) -> tuple[Model, ScriptedModel]:
    model = ScriptedModel(script)
    return MeteredModel(model, prices, budget), model


def complete(model: Model, on_text: OnText | None = None, request: ModelRequest = REQUEST) -> ModelReply:
    return asyncio.run(model.complete(request, on_text=on_text))


def test_a_call_that_could_go_over_the_turn_is_not_made() -> None:
    model, inner = metered(Budget(unlimited(turn_usd=MOST_USD - 0.0001)), ["yes"])
    with pytest.raises(BudgetExceeded, match="turn") as caught:
        complete(model)
    assert "turn_usd" in (caught.value.hint or "")
    assert inner.requests == []


def test_a_call_that_says_nothing_of_its_length_reserves_the_usual_one_of_its_stage() -> None:
    usual = CallUsage(0, PRICES.cost_microusd(0, USUAL_ANSWERS.narrator, cache_write=0))
    budget = Budget(unlimited(turn_usd=usual.microusd / 1_000_000))
    with pytest.raises(BudgetExceeded):
        complete(metered(budget, ["yes"])[0], request=replace(REQUEST, max_tokens=None))


def test_a_call_that_just_fits_is_made_and_counted_as_what_it_took() -> None:
    budget = Budget(unlimited(turn_usd=MOST_USD, sitting_usd=1))
    model, _ = metered(budget, [ModelReply("yes", "m", 900, 100, cost_microusd=2_800)])
    complete(model)
    assert budget.turn == budget.sitting == CallUsage(1_000, 2_800)


def test_a_new_turn_begins_at_nothing_and_the_sitting_goes_on() -> None:
    reply = ModelReply("yes", "m", 900, 100, cost_microusd=9_000)
    budget = Budget(unlimited(turn_usd=0.02, sitting_usd=0.04), spent=CallUsage(0, 10_000))
    model, _ = metered(budget, [reply] * 3)
    complete(model)
    with pytest.raises(BudgetExceeded, match="turn"):
        complete(model)
    budget.begin_turn()
    complete(model)
    budget.begin_turn()
    with pytest.raises(BudgetExceeded, match="sitting"):
        complete(model)
    assert budget.sitting == CallUsage(2_000, 28_000)


def test_tokens_have_limits_of_their_own_also_where_nothing_is_paid() -> None:
    model, inner = metered(Budget(unlimited(sitting_tokens=2_000)), ["yes"], prices=None)
    with pytest.raises(BudgetExceeded, match="tokens"):
        complete(model)
    assert inner.requests == []


def test_nothing_is_allowed_where_the_limit_is_nothing() -> None:
    model, _ = metered(Budget(unlimited(turn_usd=0)), ["yes"])
    with pytest.raises(BudgetExceeded):
        complete(model)


def test_a_call_that_broke_off_is_counted_as_what_it_read_and_said() -> None:
    class Breaks:
        key = provider = "breaks"

        async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            assert on_text is not None
            on_text("x" * 400)
            raise ProviderBusy("it broke off")

    budget = Budget(unlimited())
    heard: list[str] = []
    with pytest.raises(ProviderBusy):
        complete(MeteredModel(Breaks(), PRICES, budget), heard.append)
    assert heard == ["x" * 400]
    assert budget.turn.tokens == estimated_input(REQUEST) + 100
    assert budget.turn.microusd > 0


def test_a_call_whose_time_is_up_is_counted_too() -> None:
    class Hangs:
        key = provider = "hangs"

        async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            await asyncio.sleep(3600)
            raise AssertionError

    budget = Budget(unlimited())

    async def impatient() -> None:
        async with asyncio.timeout(0.01):
            await MeteredModel(Hangs(), PRICES, budget).complete(REQUEST)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert budget.turn.tokens == estimated_input(REQUEST)


@given(costs=st.lists(st.integers(0, 14_000), max_size=12), limit=st.integers(0, 60_000))
def test_no_order_of_calls_passes_a_limit(costs: list[int], limit: int) -> None:
    """Calls that run at the same time set aside what each may take."""
    budget = Budget(unlimited(turn_usd=limit / 1_000_000))

    class Waits:
        key = provider = "waits"

        async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
            await asyncio.sleep(0)
            return ModelReply("yes", "m", 1, 1, cost_microusd=request.max_tokens)

    async def all_at_once() -> None:
        model = MeteredModel(Waits(), Prices(0, 1, 0, 0), budget)
        calls = [model.complete(replace(REQUEST, max_tokens=cost)) for cost in costs]
        await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(all_at_once())
    assert budget.turn.microusd <= limit


def test_what_is_counted_before_a_call_has_schema_tools_and_talk_in_it() -> None:
    bare = ModelRequest("narrator", PlainPrompt("narrator").render({}))
    assert estimated_input(replace(bare, schema={"type": "object", "title": "x" * 400})) >= estimated_input(bare) + 100
