"""Budget: what models may cost in a turn and in a sitting. A call that could go over it is not made."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from lorewright.errors import BudgetExceeded
from lorewright.llm.model import AroundModel, Model, ModelReply, ModelRequest, OnText
from lorewright.llm.taxonomy import Prices
from lorewright.settings import BudgetSettings, Unlimited
from lorewright.tokens import count_tokens

# Our count of tokens is an estimate for English prose; models' own go over it by up to a third.
_MARGIN = 1.35
_MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls took: tokens read and written, and millionths of a dollar."""

    tokens: int = 0
    microusd: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.microusd + other.microusd)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.tokens - other.tokens, self.microusd - other.microusd)


class Budget:
    """Counts what a turn and a sitting cost, and says no before a limit is passed. All models of a game share one."""

    def __init__(self, limits: BudgetSettings, *, spent: Spent = Spent()) -> None:
        """`spent` is what the sitting has cost before."""
        self._limits = limits
        self.sitting = spent
        self.turn = Spent()
        self._held = Spent()

    def begin_turn(self) -> None:
        """From here on another turn is counted."""
        self.turn = Spent()

    def hold(self, most: Spent) -> None:
        """Set aside the most that a call can take.

        Raises:
            BudgetExceeded: with it, and what other calls have set aside, a limit could be passed. Nothing is held.
        """
        asked = self._held + most
        self._admit("turn", self.turn + asked, self._limits.turn_usd, self._limits.turn_tokens)
        self._admit("sitting", self.sitting + asked, self._limits.sitting_usd, self._limits.sitting_tokens)
        self._held = asked

    def book(self, most: Spent, took: Spent) -> None:
        """Count what a call took, in place of the most that was set aside for it."""
        self._held -= most
        self.turn += took
        self.sitting += took

    @staticmethod
    def _admit(what: str, could: Spent, usd: float | Unlimited, tokens: int | Unlimited) -> None:
        if usd != "unlimited" and could.microusd > usd * _MICRO:
            raise BudgetExceeded(
                f"the next call could bring this {what} to ${could.microusd / _MICRO:.4f}, and ${usd:.2f} is allowed",
                hint=f"raise {what}_usd under [models.budget] in lorewright.toml, or go on with the built-in stage",
            )
        if tokens != "unlimited" and could.tokens > tokens:
            raise BudgetExceeded(
                f"the next call could bring this {what} to {could.tokens} tokens, and {tokens} are allowed",
                hint=f"raise {what}_tokens under [models.budget] in lorewright.toml, or go on with the built-in stage",
            )


class MeteredModel(AroundModel):
    """A model that asks the budget before every try, and tells it what each took."""

    def __init__(self, model: Model, prices: Prices | None, budget: Budget) -> None:
        super().__init__(model)
        self._prices = prices
        self._budget = budget

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Ask, if the budget allows it. A try that comes to nothing is counted as what it read and what was heard of
        it: providers charge for what they did.

        Raises:
            BudgetExceeded: the call could cost more than is left; it was not made.
            ProviderError: as the model does.
        """
        read = estimated_input(request)
        most = self._spent(read, request.max_tokens)
        self._budget.hold(most)
        heard = 0

        def hear(piece: str) -> None:
            nonlocal heard
            heard += len(piece)
            assert on_text is not None
            on_text(piece)

        took = Spent()
        try:
            reply = await self._model.complete(request, on_text=hear if on_text is not None else None)
            took = Spent(reply.input_tokens + reply.output_tokens, reply.cost_microusd)
            return reply
        except BaseException:
            # Also when the time was up: the call may have been answered where we did not hear it.
            took = self._spent(read, math.ceil(heard / 4))
            raise
        finally:
            self._budget.book(most, took)

    def _spent(self, read: int, written: int) -> Spent:
        if self._prices is None:
            return Spent(read + written)
        # A provider may write all of it into its cache, which can cost more than to read it.
        dearest = max(self._prices.input, self._prices.cache_write)
        return Spent(read + written, math.ceil(read * dearest + written * self._prices.output))


def estimated_input(request: ModelRequest) -> int:
    """How many tokens a request may have at most, as far as can be told without the model's own count."""
    beside = [request.schema, *(tool.schema for tool in request.tools)] if request.schema or request.tools else []
    calls = [call.arguments for talk in request.talk for call in talk.calls]
    text = "\n".join([request.text, *(json.dumps(one) for one in beside), *calls])
    return math.ceil(count_tokens(text) * _MARGIN)
