"""The engine thread: the only one that opens campaigns, with an event loop of its own.

SQLite's connections belong to the thread that opened them, and a turn computes for tens of milliseconds: so requests
are read and answered in the thread of the web server, whose loop is never blocked, and all that touches a campaign is
handed over to this one. Turns of one campaign come one after the other; while a model is waited for, those of others
go on. Turns that ask no model only compute: they are played to their end in the order in which they came, as each of
them would end later if they took turns by stages.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from lorewright.bootstrap import App
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import Busy, LorewrightError, SettingsError
from lorewright.settings import CAMPAIGN_ROOM_MB
from lorewright.trust import ask_with

T = TypeVar("T")

# So many campaigns stay open, as far as there is room for them in memory; the one that was not asked for longest is
# closed for another.
MOST_OPEN = 64
# One that nobody has asked for so long is closed when another is asked for.
IDLE_S = 1800.0
# After so many changes the heap's free pages are given back, which takes some 2 ms; 50 turns later most of them are in
# use again.
TRIM_EVERY = 25
# How long running turns may take to end when the service stops.
DRAIN_S = 30.0


@dataclass(slots=True)
class _Held:
    """An open campaign, what closes it, its turns' lock, and how many requests use it just now; when it was used last,
    and how much memory it takes."""

    campaign: OpenCampaign
    stack: ExitStack
    writes: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    used_at: float = 0.0
    bytes: int = 0


class Tables:
    """The campaigns that are open in the engine thread; to be used in that thread alone."""

    def __init__(
        self,
        app: App,
        *,
        most_open: int = MOST_OPEN,
        room_bytes: float = CAMPAIGN_ROOM_MB * 1e6,
        clock: Callable[[], float] = time.monotonic,
        trim: Callable[[], object] | None = None,
        trim_every: int = TRIM_EVERY,
    ) -> None:
        """Open campaigns of `app`, as many as there may be and as there is room for in memory. `clock` returns seconds.
        `trim` gives free memory back to the system, after every so many changes; None: as the system's allocator can.
        """
        self.app = app
        self._most_open = most_open
        self._room_bytes = room_bytes
        self._clock = clock
        self._trim = give_memory_back if trim is None else trim
        self._trim_every = trim_every
        self._changes = 0
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._computing = asyncio.Lock()

    @property
    def open_count(self) -> int:
        """How many campaigns are open."""
        return len(self._held)

    @property
    def open_bytes(self) -> int:
        """About how much memory they take."""
        # A list at once: other threads ask, too.
        return sum(held.bytes for held in list(self._held.values()))

    @asynccontextmanager
    async def reading(self, campaign_id: str) -> AsyncIterator[OpenCampaign]:
        """Open a campaign to read what is committed, also while a turn of it is being made.

        Raises:
            NotFound: there is no such campaign.
        """
        await self._fetch(campaign_id)
        held = self._hold(campaign_id)
        held.users += 1
        try:
            yield held.campaign
        finally:
            self._release(held)

    @asynccontextmanager
    async def writing(self, campaign_id: str) -> AsyncIterator[OpenCampaign]:
        """Open a campaign to change it, one change after the other.

        Raises:
            NotFound: there is no such campaign.
        """
        await self._fetch(campaign_id)
        held = self._hold(campaign_id)
        held.users += 1
        try:
            async with held.writes, self._computing if _only_computes(held.campaign) else nullcontext():
                yield held.campaign
        finally:
            self._release(held)
            self._changes += 1
            if self._changes % self._trim_every == 0:
                self._trim()

    def shut(self, campaign_id: str) -> None:
        """Close a campaign, so that its file can be deleted or replaced.

        Raises:
            Busy: somebody uses it just now.
        """
        held = self._held.get(campaign_id)
        if held is not None and held.users:
            raise Busy(f"{campaign_id} is being played", hint="try again in a moment")
        if held is not None:
            del self._held[campaign_id]
            held.stack.close()

    def close(self) -> None:
        """Close all campaigns."""
        while self._held:
            _, held = self._held.popitem()
            with suppress(LorewrightError):
                held.stack.close()

    async def _fetch(self, campaign_id: str) -> None:
        """Have the packs fetched that a campaign needs, while others are played."""
        if self.app.lore_store is not None and campaign_id not in self._held:
            await asyncio.to_thread(self.app.fetch_lore_of, campaign_id)

    def _hold(self, campaign_id: str) -> _Held:
        found = self._held.get(campaign_id)
        if found is None:
            stack = ExitStack()
            found = _Held(stack.enter_context(self.app.campaigns.open(campaign_id)), stack)
            self._held[campaign_id] = found
        self._held.move_to_end(campaign_id)
        return found

    def _release(self, held: _Held) -> None:
        held.users -= 1
        held.used_at, held.bytes = self._clock(), held.campaign.memory_bytes
        for campaign_id, other in [(name, other) for name, other in self._held.items() if not other.users]:
            if not self._is_surplus(other, last_used=held):
                break
            self._held.pop(campaign_id).stack.close()

    def _is_surplus(self, idle: _Held, *, last_used: _Held) -> bool:
        """Tell whether a campaign that nobody uses just now is to be closed. The one that was used last may take more
        than there is room for: it would be opened anew for each turn."""
        if len(self._held) > self._most_open:
            return True
        is_forgotten = last_used.used_at - idle.used_at > IDLE_S
        return idle is not last_used and (is_forgotten or self.open_bytes > self._room_bytes)


def give_memory_back() -> None:
    """Give the free pages of the heap back to the system, where the allocator is glibc's: it keeps those between pieces
    in use, of which each turn leaves some behind."""
    if _trim_heap is not None:
        _trim_heap(0)


def _find_trim() -> Callable[[int], object] | None:
    # Other allocators have no such function.
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


_trim_heap = _find_trim()


def _only_computes(campaign: OpenCampaign) -> bool:
    try:
        return not campaign.asks_models
    except SettingsError:
        # A turn tells of that itself; an undo need not know.
        return False


class Engine:
    """The thread, and the way into it."""

    def __init__(
        self,
        open_app: Callable[[], App],
        *,
        most_open: int = MOST_OPEN,
        room_bytes: float = CAMPAIGN_ROOM_MB * 1e6,
    ) -> None:
        self._open_app = open_app
        self._most_open = most_open
        self._room_bytes = room_bytes
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._tables: Tables | None = None
        self._running: set[asyncio.Task[Any]] = set()
        self._is_stopping = False

    def start(self) -> None:
        """Start the thread and wait until it answers.

        Raises:
            LorewrightError: the workspace cannot be opened.
        """
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        """Let running turns end, close all campaigns, and end the thread."""
        if self._loop is None or not self._thread.is_alive():
            return
        self._is_stopping = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DRAIN_S + 10)

    @property
    def open_count(self) -> int:
        """How many campaigns are open."""
        return 0 if self._tables is None else self._tables.open_count

    @property
    def open_bytes(self) -> int:
        """About how much memory they take."""
        return 0 if self._tables is None else self._tables.open_bytes

    @property
    def waiting(self) -> int:
        """How many requests the engine is working on."""
        return len(self._running)

    async def run(self, work: Callable[[Tables], Awaitable[T]]) -> T:
        """Do work in the engine thread and return what it returns; whatever it raises is raised here. Work that was
        begun is done to its end, also where its caller is cancelled: a turn whose browser is gone is still played.

        Raises:
            Busy: the service is stopping.
        """
        if self._loop is None or self._is_stopping:
            raise stopping()
        here = asyncio.get_running_loop()
        answer: asyncio.Future[T] = here.create_future()
        self._loop.call_soon_threadsafe(self._begin, work, here, answer)
        try:
            return await answer
        finally:
            # An error that is raised here keeps this frame, and would keep itself by it.
            del answer

    def _begin(
        self, work: Callable[[Tables], Awaitable[T]], here: asyncio.AbstractEventLoop, answer: asyncio.Future[T]
    ) -> None:
        task = asyncio.ensure_future(self._answered(work, here, answer))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _answered(
        self, work: Callable[[Tables], Awaitable[T]], here: asyncio.AbstractEventLoop, answer: asyncio.Future[T]
    ) -> None:
        """Do work and answer at once. What waits for the end of this task would be called after the next turn has been
        played: that was made ready first, when this one let go of its lock."""
        made, problem = await self._tried(work)
        _tell(here, answer, made, problem)

    async def _tried(self, work: Callable[[Tables], Awaitable[T]]) -> tuple[T | None, BaseException | None]:
        # Caught here: an error keeps the frame that catches it, in which there must be nothing that keeps the error.
        assert self._tables is not None
        try:
            return await work(self._tables), None
        except BaseException as problem:
            return None, problem

    def _run(self) -> None:
        try:
            app = self._open_app()
            # Nobody is there to be asked.
            app.campaigns.hold_to_trust()
            ask_with(None)
            loop = asyncio.new_event_loop()
        except BaseException as problem:
            self._failed = problem
            self._ready.set()
            return
        asyncio.set_event_loop(loop)
        # Generations are opened once for all campaigns that pin them.
        with app.library.sharing():
            self._tables = Tables(app, most_open=self._most_open, room_bytes=self._room_bytes)
            self._loop = loop
            self._ready.set()
            loop.run_forever()
            with suppress(TimeoutError):
                loop.run_until_complete(asyncio.wait_for(self._drained(), DRAIN_S))
            self._tables.close()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    async def _drained(self) -> None:
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)


def _tell(
    here: asyncio.AbstractEventLoop, answer: asyncio.Future[T], made: T | None, problem: BaseException | None
) -> None:
    """Answer in another thread's loop, where somebody may still wait for it."""

    def tell() -> None:
        if answer.done():
            return
        if problem is None:
            answer.set_result(cast(T, made))
        else:
            answer.set_exception(problem)

    # The loop may be closed by now.
    with suppress(RuntimeError):
        here.call_soon_threadsafe(tell)


def stopping() -> Busy:
    """Return the refusal of a service that is about to stop."""
    return Busy("the service is stopping", hint="try again in a moment")


def in_engine(function: Callable[[Tables], T]) -> Callable[[Tables], Coroutine[Any, Any, T]]:
    """Return a plain function as work for the engine."""

    async def work(tables: Tables) -> T:
        return function(tables)

    return work
