"""Coming in: passwords that are tried, invitations that several use at once, what ends with a password or a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from lorewright.errors import NotFound, TooManyRequests
from lorewright.service.web.access import SignInLimit, network_of
from lorewright.service.web.accounts import Account
from support import harbour as h
from support.table_service import PASSWORD, Hall, hall


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


def refused(work: Callable[[], object]) -> bool:
    try:
        work()
    except TooManyRequests:
        return True
    return False


def test_wrong_passwords_of_others_keep_nobody_out_where_they_sign_in() -> None:
    limit = SignInLimit(clock=lambda: 0.0)
    limit.take("192.0.2.7", "ann")
    limit.succeeded("192.0.2.7", "ann")
    tries = [refused(lambda number=number: limit.take(f"198.51.100.{number}", "ann")) for number in range(100)]
    assert tries.index(True) == 29
    assert not refused(lambda: limit.take("192.0.2.7", "ann"))
    assert not refused(lambda: limit.take("198.51.100.1", "ben"))


def test_an_address_tries_few_passwords_whatever_the_names() -> None:
    limit = SignInLimit(clock=lambda: 0.0)
    tries = [refused(lambda number=number: limit.take("192.0.2.7", f"name {number}")) for number in range(20)]
    assert tries.index(True) == 10


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("testclient", "testclient", True),
    ],
)
def test_addresses_of_one_connection_count_as_one(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


def test_of_several_who_use_an_invitation_at_once_one_gets_an_account(room: Hall) -> None:
    accounts = room.service.accounts
    link, _ = accounts.new_link("seat", accounts.owner(), campaign_id="game", role="pc:ada")
    before, barrier = len(accounts.all()), Barrier(6)
    made: list[Account] = []

    def enter(name: str) -> None:
        barrier.wait()
        try:
            made.append(accounts.create(name, PASSWORD, link=link))
        except NotFound:
            pass
        finally:
            accounts.close()

    threads = [Thread(target=enter, args=(f"Eve {number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(accounts.all()) == before + 1
    assert [seat.role for account, seat in accounts.seats("game") if account == made[0]] == ["pc:ada"]


def test_a_name_that_is_taken_uses_no_invitation_up(room: Hall) -> None:
    room.guest("Ben")
    accounts = room.service.accounts
    link, _ = accounts.new_link("seat", accounts.owner(), campaign_id="game", role="player")
    page = room.stranger().client.post(f"/enter/{link}", data={"name": "ben", "password": PASSWORD})
    assert (page.status_code, "taken" in page.text) == (422, True)
    entered = room.stranger().client.post(f"/enter/{link}", data={"name": "Benedict", "password": PASSWORD})
    assert entered.status_code == 200
    assert [seat.role for account, seat in accounts.seats("game") if account.name == "Benedict"] == ["player"]


def test_a_password_is_changed_with_the_old_one_and_other_browsers_are_signed_out(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    assert ben.account is not None
    other = room.signed_in(ben.account)
    new = "another word that is long enough"
    wrong = ben.submit("/account/password", password=new, old="not it")
    assert wrong.status_code == 422
    assert other.get("/v1/me").status_code == 200
    ben.submit("/account/password", password=new, old=PASSWORD)
    assert other.get("/v1/me").status_code == 401
    assert ben.get("/v1/me").status_code == 200
    signed = room.stranger().client.post("/v1/session", json={"name": "Ben", "password": new})
    assert signed.status_code == 204


def test_no_more_passwords_are_tried_at_once_than_memory_allows(room: Hall) -> None:
    service = room.service
    service._waiting = 32

    async def ask() -> Any:
        return await service.hashing(lambda: 1)

    portal = room.stranger().client.portal
    assert portal is not None
    with pytest.raises(TooManyRequests):
        portal.call(ask)
    service._waiting = 0
    assert portal.call(ask) == 1


def test_signing_in_leads_back_to_the_page_with_its_question(room: Hall) -> None:
    answer = room.stranger().client.get("/table/game/story?as=player&q=boat", follow_redirects=False)
    assert answer.headers["location"] == "/sign-in?next=%2Ftable%2Fgame%2Fstory%3Fas%3Dplayer%26q%3Dboat"
