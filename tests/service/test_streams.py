"""Streams: who may follow, what goes into which, when they end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lorewright.errors import TooManyRequests
from lorewright.service.web.access import Caller, browser_caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.events import MOST_OF_ACCOUNT, Hub, TableEvent, TurnEvents, name_seat
from lorewright.service.web.stream import follow
from support import harbour as h
from support.table_service import Browser, Hall, hall

GAME = "/v1/campaigns/game"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path, played=())) as opened:
        yield opened


def followed(room: Hall, browser: Browser, caller: Caller, act: Callable[[], object]) -> list[str]:
    """What a stream tells when something is done as soon as it has begun; it never says that it lives."""
    service = room.service
    seat = caller.seat(service.accounts, "game")

    async def read() -> list[str]:
        found = []
        async for text in follow(service, caller, seat, after=None, keep_alive_s=20):
            found.append(text)
            if len(found) == 1:
                act()
        return found

    assert browser.client.portal is not None
    return browser.client.portal.call(read)


def test_a_stream_ends_at_once_with_the_session_that_opened_it(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    accounts = room.service.accounts
    secret = ben.client.cookies["lorewright"]
    session = accounts.session(secret)
    assert session is not None

    def sign_out() -> None:
        accounts.end_session(secret)
        room.service.hub.wake(session.account.id)

    assert followed(room, ben, browser_caller(session), sign_out)[-1].startswith("event: closing")


def test_a_stream_ends_with_its_token_whether_revoked_or_run_out(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    assert ben.account is not None
    accounts, hub, me = room.service.accounts, room.service.hub, ben.account

    def caller_of_token() -> tuple[Caller, str]:
        _, token = accounts.new_token(me, name="bot", scopes=("read",), days=1)
        return Caller(me, frozenset({"read"}), token_id=token.id), token.id

    caller, token_id = caller_of_token()

    def revoke() -> None:
        accounts.revoke_token(me, token_id)
        hub.wake(me.id)

    assert followed(room, ben, caller, revoke)[-1].startswith("event: closing")
    caller, _ = caller_of_token()

    def run_out() -> None:
        accounts._clock = lambda: datetime.now(UTC) + timedelta(days=2)
        hub.wake(me.id)

    assert followed(room, ben, caller, run_out)[-1].startswith("event: closing")


def test_a_browser_that_has_signed_out_is_told_to_ask_for_events_no_more(room: Hall) -> None:
    ben, stranger = room.guest("Ben", "game"), room.stranger()
    asks = {"Accept": "text/event-stream"}
    ben.submit("/sign-out")
    for browser in (ben, stranger):
        answer = browser.get(f"{GAME}/events?as=player&after=0", headers={**asks, "Last-Event-ID": "0.0"})
        assert (answer.status_code, answer.content) == (204, b"")
    # Whether there is such a table is not told either.
    assert stranger.get("/v1/campaigns/nothing/events", headers=asks).status_code == 204
    # Programs are told what is wrong, and so is who asks for anything else.
    token = {**asks, "Authorization": "Bearer lw_none"}
    assert stranger.get(f"{GAME}/events", headers=token).status_code == 401
    assert stranger.get(f"{GAME}/events").status_code == 401
    assert stranger.get(f"{GAME}/turns", headers=asks).status_code == 401


def test_an_open_stream_says_whether_the_session_or_the_seat_has_ended_and_ends_at_once(room: Hall) -> None:
    accounts, hub = room.service.accounts, room.service.hub
    ben, ann = room.guest("Ben", "game"), room.guest("Ann", "game")
    assert ben.account is not None and ann.account is not None
    session = accounts.session(ben.client.cookies["lorewright"])
    assert session is not None
    began = time.monotonic()

    def sign_out() -> None:
        accounts.end_session(ben.client.cookies["lorewright"])
        hub.wake(session.account.id)

    def take_seat() -> None:
        assert ann.account is not None
        accounts.remove_seat("game", ann.account.id, "player")
        hub.wake(ann.account.id)

    assert '"reason": "signed_out"' in followed(room, ben, browser_caller(session), sign_out)[-1]
    caller = Caller(ann.account, frozenset({"read"}))
    assert '"reason": "no_seat"' in followed(room, ann, caller, take_seat)[-1]
    # Not when the stream says next that it lives, after twenty seconds.
    assert time.monotonic() - began < 15


def test_signing_out_in_a_browser_wakes_the_streams_of_the_account(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    assert ben.account is not None
    with room.service.hub.subscribed(Seat("game", ben.account.id, "player")) as stream:
        ben.submit("/sign-out")
        assert stream.queue.get_nowait().kind == "checked"


def test_an_account_has_so_many_streams_and_another_is_refused_before_it_begins(room: Hall) -> None:
    ben, ann = room.guest("Ben", "game"), room.guest("Ann", "game")
    assert ben.account is not None
    hub, seat = room.service.hub, Seat("game", ben.account.id, "player")
    held = [hub.subscribed(seat) for _ in range(MOST_OF_ACCOUNT)]
    for one in held:
        one.__enter__()
    with pytest.raises(TooManyRequests):
        hub.check_room(ben.account.id)
    refused = ben.get(f"{GAME}/events")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert ann.account is not None
    hub.check_room(ann.account.id)
    for one in held:
        one.__exit__(None, None, None)
    hub.check_room(ben.account.id)


def test_what_is_being_told_to_one_seat_goes_into_no_other_of_the_account() -> None:
    hub, told = Hub(), []
    ada, bo, gm = (Seat("game", "ann", role) for role in ("pc:ada", "pc:bo", "gm"))
    with hub.subscribed(ada) as first, hub.subscribed(bo) as second, hub.subscribed(gm) as third:
        events = TurnEvents(lambda event: hub.publish("game", event), ada)
        hub.publish("game", TableEvent("begun", by=name_seat(ada)))
        events.told("The lamp goes out.")
        for stream in (first, second, third):
            told.append([stream.queue.get_nowait().text for _ in range(stream.queue.qsize())])
    assert told == [["", "The lamp goes out."], [""], ["", "The lamp goes out."]]


@pytest.mark.campaign
def test_a_stream_that_missed_more_turns_than_a_page_holds_tells_all_of_them(tmp_path: Path) -> None:
    with hall(h.harbour(tmp_path, played=tuple("look" for _ in range(57)))) as room:
        service, owner = room.service, room.owner()
        assert owner.account is not None
        seat = Seat("game", owner.account.id, "player")
        caller = Caller(owner.account, frozenset({"read"}))

        async def read() -> list[str]:
            found: list[str] = []
            async for text in follow(service, caller, seat, after=0):
                found += [line for line in text.splitlines() if line.startswith("id: ")]
                if "id: 57.0" in found:
                    break
            return found

        assert owner.client.portal is not None
        assert owner.client.portal.call(read) == [f"id: {number}.0" for number in range(1, 58)]
