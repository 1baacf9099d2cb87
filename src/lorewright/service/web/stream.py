"""The events of a table as server-sent events, for one seat.

`id:` is `turn.seq` and stands at committed turns alone, so that a browser that comes back with `Last-Event-ID` is told
the committed turns that it missed. What is told before a turn is committed is provisional.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import DatabaseUnavailable, LorewrightError, NotFound
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.events import TableEvent
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import Turns
from lorewright.service.web.table import show_turns_after

# So often a stream says that it lives, and asks whether another process has moved the story.
KEEP_ALIVE_S = 15.0


def message(event: str, data: Any, *, event_id: str | None = None) -> str:
    """Return a server-sent event; `data` is written as JSON on one line."""
    head = "" if event_id is None else f"id: {event_id}\n"
    return f"{head}event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def turn_of(event_id: str | None) -> int | None:
    """Return the turn of an event's ID (`12.0`); None where it is none."""
    number = (event_id or "").partition(".")[0]
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else None


async def follow(
    service: Service, caller: Caller, seat: Seat, *, after: int | None, keep_alive_s: float = KEEP_ALIVE_S
) -> AsyncIterator[str]:
    """Yield the events of a table for a seat: the committed turns after a turn, then what happens, until the service
    stops or the seat is taken away. The last says why, where it is not that the service stops."""
    over: dict[str, str] = {}
    with service.hub.subscribed(seat) as subscriber:
        yield "retry: 1000\n\n"
        turn_no, revision = await service.read(seat, _position)
        if after is not None and after > turn_no:
            yield message("moved", {"turn_no": turn_no, "revision": revision})
        last = turn_no if after is None else min(after, turn_no)
        async for text in _catch_up(service, seat, last, turn_no):
            yield text
        last = turn_no
        while not service.hub.is_closing:
            try:
                event = await asyncio.wait_for(subscriber.queue.get(), keep_alive_s)
            except TimeoutError:
                event = None
            try:
                # A seat that was taken away sees nothing more, nor an account that was shut out.
                if not await _is_let_in(service, caller, seat):
                    over = {"reason": "signed_out"}
                    break
                turn_no, now = await service.read(seat, _position)
                if event is None or event.kind == "checked":
                    yield ": still here\n\n" if now == revision else message("moved", _at(turn_no, now))
                elif event.kind == "committed" and turn_no > last:
                    async for text in _catch_up(service, seat, last, turn_no):
                        yield text
                elif event.kind in ("committed", "moved"):
                    yield message("moved", _at(turn_no, now))
                elif (shown := _shown(event)) is not None:
                    yield shown
                if event is None or event.kind in ("committed", "moved", "checked"):
                    last, revision = turn_no, now
            except NotFound:
                over = {"reason": "no_seat"}
                break
            except LorewrightError as problem:
                yield message("failed", {"code": problem.code})
                break
            if event is not None and event.kind == "closing":
                break
        yield message("closing", over)


async def _is_let_in(service: Service, caller: Caller, seat: Seat) -> bool:
    """Return whether a stream's caller is still let in.

    Raises:
        NotFound: they are, and have no such seat any more.
        DatabaseUnavailable: the accounts do not answer, also when they were waited for.
    """
    for _ in range(2):
        try:
            if not caller.is_still_let_in(service.accounts):
                return False
            caller.seat(service.accounts, seat.campaign_id, role=seat.role)
        except DatabaseUnavailable:
            await service.accounts_answer()
        else:
            return True
    raise DatabaseUnavailable("the accounts do not answer", hint="try again in a moment")


def _at(turn_no: int, revision: int) -> dict[str, int]:
    return {"turn_no": turn_no, "revision": revision}


def _position(campaign: OpenCampaign, seat: Seat) -> tuple[int, int]:
    at = campaign.store.position()
    return at.turn_no, at.revision


async def _catch_up(service: Service, seat: Seat, last: int, turn_no: int) -> AsyncIterator[str]:
    """Yield the turns after a turn up to another; one that was committed meanwhile has an event of its own."""

    def later(campaign: OpenCampaign, seat: Seat) -> Turns:
        return show_turns_after(campaign, seat, last)

    # By pages, so that a long story that was missed blocks nobody.
    while turns := [turn for turn in (await service.read(seat, later)).turns if turn.turn_no <= turn_no]:
        for turn in turns:
            yield message("committed", turn.model_dump(mode="json"), event_id=f"{turn.turn_no}.0")
        last = turns[-1].turn_no


def _shown(event: TableEvent) -> str | None:
    match event.kind:
        case "begun" | "withdrawn" | "ended":
            return message(event.kind, {})
        case "told":
            return message("told", {"text": event.text})
        case "failed":
            return message("failed", json.loads(event.text))
        case _:
            return None
