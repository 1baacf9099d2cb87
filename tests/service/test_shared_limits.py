"""Limits over several workers: what one has counted the other knows, and none is granted more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from lorewright.errors import TooManyRequests
from lorewright.service.web.access import SharedRateLimit, SignInLimit
from lorewright.service.web.service import make_limits
from lorewright.storage.postgres.limits import SharedLimits
from lorewright.storage.postgres.service_rows import PostgresRows
from lorewright.storage.postgres.store import PostgresStore
from support.postgres_server import new_database

pytestmark = pytest.mark.server


@pytest.fixture
def workers(postgres: str) -> Iterator[tuple[SharedLimits, SharedLimits]]:
    with (
        closing(PostgresStore(new_database(postgres))) as store,
        closing(PostgresRows(store)) as one,
        closing(PostgresRows(store)) as two,
    ):
        yield SharedLimits(one), SharedLimits(two)


def granted(*limits: SharedRateLimit, tries: int, key: str = "ann") -> int:
    """How many of so many tries, made at once by threads of all limits, were granted."""

    def ask(number: int) -> int:
        with suppress(TooManyRequests):
            limits[number % len(limits)].take(key)
            return 1
        return 0

    with ThreadPoolExecutor(6) as pool:
        return sum(pool.map(ask, range(tries)))


def test_two_workers_together_grant_what_one_would(workers: tuple[SharedLimits, SharedLimits]) -> None:
    # One an hour, so that none comes back while the test runs.
    limits = [SharedRateLimit(each, "turns", 1 / 60, at_once=20) for each in workers]
    assert granted(*limits, tries=120) == 20
    assert granted(limits[1], tries=10) == 0
    # Other keys and other kinds are counted by themselves.
    assert granted(limits[1], tries=30, key="ben") == 20
    assert granted(SharedRateLimit(workers[0], "requests", 1 / 60, at_once=5), tries=30) == 5


def test_an_operator_says_how_many_turns_an_account_may_play_in_a_minute() -> None:
    # A third of them at once, and one at least.
    for a_minute, at_once in ((60, 20), (600, 200), (1, 1)):
        turns = make_limits(turns_a_minute=a_minute)["turns"]
        for _ in range(at_once):
            turns.take("ann")
        with pytest.raises(TooManyRequests):
            turns.take("ann")


def test_what_was_taken_comes_back_evenly_and_a_refusal_says_when(workers: tuple[SharedLimits, SharedLimits]) -> None:
    here, there = (SharedRateLimit(each, "turns", 120, at_once=2) for each in workers)
    here.take("ann")
    there.take("ann")
    with pytest.raises(TooManyRequests) as refused:
        here.take("ann")
    wait = refused.value.retry_after_s
    assert 0 < wait <= 0.5
    time.sleep(wait + 0.01)
    there.take("ann")
    with pytest.raises(TooManyRequests):
        here.take("ann")


def test_tries_to_sign_in_are_counted_over_workers_and_a_known_address_is_known_to_all(
    workers: tuple[SharedLimits, SharedLimits],
) -> None:
    here, there = (SignInLimit(of_address=10**6, of_name=3, shared=each) for each in workers)
    here.succeeded("192.0.2.1", "ann")
    for number in range(3):
        (here, there)[number % 2].take(f"198.51.100.{number}", "ann")
    for limit in (here, there):
        with pytest.raises(TooManyRequests):
            limit.take("198.51.100.9", "ann")
        # Not from where she has signed in before.
        limit.take("192.0.2.1", "ann")


def test_what_was_typed_stands_in_no_row_and_what_has_run_out_is_forgotten(
    workers: tuple[SharedLimits, SharedLimits],
) -> None:
    limits = workers[0]
    limits.take("name", "my secret password", step_s=0.001, at_once=5)
    limits.keep("known", "ann\n192.0.2.1", for_s=60)
    rows = str([tuple(row) for row in limits._rows.rows("SELECT * FROM limits")])
    assert "secret" not in rows
    assert "192.0.2.1" not in rows
    for number in range(999):
        limits.take("turns", f"k{number}", step_s=0.0001, at_once=5)
    assert len(limits._rows.rows("SELECT * FROM limits")) < 100
    assert limits.keeps("known", "ann\n192.0.2.1")
