"""What a call leaves behind for the collector of cyclic garbage."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable


def count_garbage(call: Callable[[], Awaitable[None]]) -> int:
    """Return how many objects twenty calls leave that hold each other; twenty others are made before, so that what is
    made once does not count."""

    async def count() -> int:
        for _ in range(2):
            gc.collect()
            for _ in range(20):
                await call()
        return gc.collect()

    gc.disable()
    try:
        return asyncio.run(count())
    finally:
        gc.enable()
