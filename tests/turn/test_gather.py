"""Jobs that run side by side."""

from __future__ import annotations

import asyncio

import pytest

from lorewright.turn.run.steps import gather


async def job(value: int) -> int:
    return value


async def broken() -> int:
    raise ValueError("broken")


def test_jobs_give_what_they_give_in_their_order() -> None:
    assert asyncio.run(gather(job(2), job(1), job(3))) == [2, 1, 3]


def test_where_nobody_is_there_to_be_asked_nothing_comes_of_it() -> None:
    assert asyncio.run(gather()) == []


def test_one_that_fails_is_what_all_of_them_fail_with() -> None:
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(gather(job(1), broken()))
