"""PatientModel: asks again when a try comes to nothing that may pass, waits its turn, and gives up in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from lorewright.errors import ProviderBusy, ProviderError
from lorewright.llm.model import AroundModel, Heard, Model, ModelReply, ModelRequest, OnText

Sleep = Callable[[float], Awaitable[None]]

# Per event loop: how many calls of each provider may still begin. A lock cannot serve two loops, and each turn that is
# played at a terminal runs in its own.
_LANES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], asyncio.Semaphore]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often.

    A call takes at most `timeout_s`, its tries and the pauses between them together; waiting for a free lane does not
    count. The pauses are 1, 2, 4 … times `first_pause_s`, none longer than `longest_pause_s`, which also bounds what a
    provider may ask for. At most `concurrency` calls of a provider run at a time.
    """

    timeout_s: float = 120.0
    tries: int = 3
    first_pause_s: float = 1.0
    longest_pause_s: float = 20.0
    concurrency: int = 4

    def pause_s(self, tries_made: int, retry_after_s: float | None) -> float:
        """The pause after so many tries."""
        growing: float = self.first_pause_s * 2.0 ** (tries_made - 1)
        return min(max(growing, retry_after_s or 0.0), self.longest_pause_s)


class PatientModel(AroundModel):
    """A model that is asked again. What went wrong with each try is in the reply's `tries`, or the error's."""

    def __init__(self, model: Model, patience: Patience, *, sleep: Sleep = asyncio.sleep) -> None:
        super().__init__(model)
        self._patience = patience
        self._sleep = sleep

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Ask until an answer comes, within bounds.

        Pieces that a try passed on before it broke off do not hold. Where `on_text` is `Heard`, that is told and the
        call tried again; any other listener would hear the beginning twice, so there it is given up.

        Raises:
            ProviderBusy: no try brought an answer, or the time was up.
            ProviderError: whatever else the model raises, at once, with the tries before it.
        """
        tries: list[str] = []
        async with self._lane():
            try:
                async with asyncio.timeout(self._patience.timeout_s):
                    reply = await self._asked(request, on_text, tries)
            except TimeoutError:
                late = f"no answer within {self._patience.timeout_s:g} seconds"
                raise ProviderBusy(
                    f"{self.provider} ({self.key}): {late}",
                    hint="try again, or give it more time: timeout_seconds under [models] in lorewright.toml",
                    tries=(*tries, late),
                ) from None
        return replace(reply, tries=(*tries, *reply.tries))

    async def _asked(self, request: ModelRequest, on_text: OnText | None, tries: list[str]) -> ModelReply:
        while True:
            hearing = _Hearing(on_text)
            try:
                return await self._model.complete(request, on_text=hearing.piece if on_text is not None else None)
            except ProviderBusy as failure:
                tries.append(failure.message)
                again = on_text.again if isinstance(on_text, Heard) else None
                if len(tries) >= self._patience.tries or (hearing.heard and again is None):
                    raise ProviderBusy(failure.message, hint=failure.hint, tries=tuple(tries)) from None
                if hearing.heard and again is not None:
                    again(failure.message)
                await self._sleep(self._patience.pause_s(len(tries), failure.retry_after_s))
            except ProviderError as failure:
                failure.tries = (*tries, *failure.tries)
                raise

    def _lane(self) -> asyncio.Semaphore:
        lanes = _LANES.setdefault(asyncio.get_running_loop(), {})
        limit = self._patience.concurrency
        return lanes.setdefault((self.provider, limit), asyncio.Semaphore(limit))


class _Hearing:
    """Passes pieces on and remembers whether there were any."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self.heard = False

    def piece(self, piece: str) -> None:
        self.heard = True
        if self._on_text is not None:
            self._on_text(piece)
