"""Jobs that run side by side: all of them, or the first failure and none."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def side_by_side(*jobs: Coroutine[Any, Any, Any]) -> list[Any]:
    """What the jobs give, in their order. Where one fails the others are stopped; all have ended when this raises what
    the first of them, in that order, failed with."""
    if not jobs:
        return []
    if len(jobs) == 1:
        return [await jobs[0]]
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    failed = [one for one in ended if isinstance(one, BaseException)]
    if failed:
        raise next((one for one in failed if not isinstance(one, asyncio.CancelledError)), failed[0])
    return list(ended)
