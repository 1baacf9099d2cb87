"""What happens at a table -> the streams of those who sit there.

Only what a seat may read goes into its stream: a narration that is being written goes to the seat that plays the turn
and to game masters; of a committed turn every stream is told that it came, and asks for what its own seat may read of
it. Why a narration was withdrawn, and which stages ran, is told to nobody: it may quote a secret.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from lorewright.errors import TooManyRequests
from lorewright.service.web.accounts import Seat

Kind = Literal["begun", "told", "withdrawn", "ended", "committed", "moved", "failed", "checked", "closing"]

# What the streams of other workers are told of, too: they read the tables that all share. What is not committed yet,
# and why a turn failed, is told by the worker that plays it alone.
_SHARED: tuple[Kind, ...] = ("committed", "moved", "closing")
# Words that are told to other workers: a kind, and the ID of a campaign or an account.
Tell = Callable[..., None]

# A stream that does not read falls behind by so many events; then it is told to read the table anew.
_BEHIND = 1_000

# A browser has a stream for each tab with a table; a stream costs a task and a read for each event.
MOST_OF_ACCOUNT = 20
MOST_STREAMS = 5_000


def name_seat(seat: Seat) -> str:
    """Return a name for a seat among those at its table."""
    return f"{seat.account_id} {seat.role}"


@dataclass(frozen=True, slots=True)
class TableEvent:
    """Something that happened at a table. `text` is a provisional piece of a narration, or why a turn failed as JSON;
    `by` is the seat that plays, as `name_seat` names it."""

    kind: Kind
    text: str = ""
    by: str = ""


@dataclass(eq=False, slots=True)
class Subscriber:
    """A stream, and the seat that follows it."""

    seat: Seat
    queue: asyncio.Queue[TableEvent] = field(default_factory=lambda: asyncio.Queue(_BEHIND))

    def reads(self, event: TableEvent) -> bool:
        """Return whether the event goes into this stream: pieces of a narration only into that of the seat that plays,
        and of game masters, why a turn could not be played only into that of the seat that played it. Another seat of
        the same account knows other things."""
        is_own = event.by == name_seat(self.seat)
        if event.kind == "failed":
            return is_own
        return event.kind not in ("told", "withdrawn") or self.seat.is_gm or is_own


class Hub:
    """The streams of all tables; to be used in the thread of the web server, but for `publisher`."""

    def __init__(self) -> None:
        self._subscribers: dict[str, set[Subscriber]] = defaultdict(set)
        # Table -> the turn that is being made: who plays it, and what was told so far.
        self._running: dict[str, tuple[str, str]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tell_others: Tell | None = None
        self.is_closing = False

    def attach(self) -> None:
        """Take the running loop for that of the web server."""
        self._loop = asyncio.get_running_loop()

    def connect(self, tell: Tell) -> None:
        """Tell other workers, from now on, what their streams are to be told; `hear` is what they tell."""
        self._tell_others = tell

    def hear(self, words: dict[str, str]) -> None:
        """Tell the streams what another worker has told, from any thread."""
        self._from_any_thread(lambda: self._hear(words))

    def has_missed(self) -> None:
        """Have all streams read their tables anew, from any thread: other workers may have told something that was not
        heard."""
        self._from_any_thread(self._move_all)

    @property
    def streams(self) -> int:
        """How many streams there are."""
        return sum(map(len, self._subscribers.values()))

    @contextmanager
    def subscribed(self, seat: Seat) -> Iterator[Subscriber]:
        """Follow a seat's table within the block. A turn that is being made is told from its beginning.

        Raises:
            TooManyRequests: the account follows too many tables already, or all accounts together do.
        """
        self.check_room(seat.account_id)
        campaign_id, subscriber = seat.campaign_id, Subscriber(seat)
        if (running := self._running.get(campaign_id)) is not None:
            by, told = running
            for event in (TableEvent("begun", by=by), *([TableEvent("told", told, by)] if told else ())):
                if subscriber.reads(event):
                    subscriber.queue.put_nowait(event)
        self._subscribers[campaign_id].add(subscriber)
        try:
            yield subscriber
        finally:
            self._subscribers[campaign_id].discard(subscriber)
            if not self._subscribers[campaign_id]:
                del self._subscribers[campaign_id]

    def check_room(self, account_id: str) -> None:
        """Refuse another stream where an account, or all of them, have too many.

        Raises:
            TooManyRequests: they have.
        """
        own = sum(follower.seat.account_id == account_id for follower in self._all())
        if own >= MOST_OF_ACCOUNT or self.streams >= MOST_STREAMS:
            raise TooManyRequests("too many streams are open", hint="close other tabs, or end other programs")

    def wake(self, account_id: str) -> None:
        """Have the streams of an account see at once whether they are still let in, at all workers."""
        self._wake(account_id)
        if self._tell_others is not None:
            self._tell_others(kind="checked", account=account_id)

    def _wake(self, account_id: str) -> None:
        for follower in self._all():
            if follower.seat.account_id == account_id:
                _put(follower, TableEvent("checked"))

    def _hear(self, words: dict[str, str]) -> None:
        match words:
            case {"kind": "checked", "account": account_id}:
                self._wake(account_id)
            case {"kind": "committed" | "moved" | "closing" as kind, "campaign": campaign_id}:
                # A turn that is being made here goes on being made, or fails.
                self._put_all(campaign_id, TableEvent(kind))
            case _:
                # Of a later version.
                pass

    def _move_all(self) -> None:
        for follower in self._all():
            _put(follower, TableEvent("moved"))

    def _all(self) -> list[Subscriber]:
        return [follower for followers in self._subscribers.values() for follower in followers]

    def publish(self, campaign_id: str, event: TableEvent) -> None:
        """Put an event into the streams of a table that may read it, at all workers where it is theirs, too."""
        match event.kind:
            case "begun":
                self._running[campaign_id] = (event.by, "")
            case "told":
                by, told = self._running.get(campaign_id, (event.by, ""))
                self._running[campaign_id] = (by, told + event.text)
            case "withdrawn":
                self._running[campaign_id] = (event.by, "")
            case "committed" | "ended":
                self._running.pop(campaign_id, None)
            case _:
                pass
        self._put_all(campaign_id, event)
        if self._tell_others is not None and event.kind in _SHARED:
            self._tell_others(kind=event.kind, campaign=campaign_id)

    def _put_all(self, campaign_id: str, event: TableEvent) -> None:
        for subscriber in tuple(self._subscribers.get(campaign_id, ())):
            if subscriber.reads(event):
                _put(subscriber, event)

    def _from_any_thread(self, work: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            # The loop may end just now.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(work)

    def publisher(self, campaign_id: str) -> Callable[[TableEvent], None]:
        """Return a function that publishes from any thread."""
        loop = self._loop

        def publish(event: TableEvent) -> None:
            if loop is not None and not loop.is_closed():
                loop.call_soon_threadsafe(self.publish, campaign_id, event)

        return publish

    def close(self) -> None:
        """Tell all streams that the service stops."""
        self.is_closing = True
        for subscriber in self._all():
            _put(subscriber, TableEvent("closing"))


def _put(subscriber: Subscriber, event: TableEvent) -> None:
    try:
        subscriber.queue.put_nowait(event)
    except asyncio.QueueFull:
        while not subscriber.queue.empty():
            subscriber.queue.get_nowait()
        subscriber.queue.put_nowait(TableEvent("moved"))


class TurnEvents:
    """A turn listener that publishes what the table may follow."""

    def __init__(self, publish: Callable[[TableEvent], None], seat: Seat) -> None:
        self._publish = publish
        self._by = name_seat(seat)

    def stage_began(self, stage: str, model_key: str) -> None:
        """Tell nothing: names of stages say that hidden people act."""

    def told(self, text: str) -> None:
        """Publish a piece of the narration."""
        self._publish(TableEvent("told", text, self._by))

    def not_so(self, reason: str) -> None:
        """Publish that the narration begins anew; the reason may quote a secret."""
        self._publish(TableEvent("withdrawn", by=self._by))
