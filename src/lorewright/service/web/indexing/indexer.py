"""A process that does the jobs of a service: it takes them from the queue one after the other, until it is stopped.

A job whose indexer died is taken up by another one, half a minute later.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from lorewright import __version__
from lorewright.errors import LorewrightError
from lorewright.logs import log_event
from lorewright.service.web.indexing.queue import QUEUE, TASK, defer, procrastinate_app
from lorewright.service.web.indexing.store import JobRows
from lorewright.service.web.jobs import SENT, install_in_child
from lorewright.storage.enclosure import Enclosure

# So long a job may go on when the process is to stop; then it is put back.
_GRACE_S = 20.0
# How often jobs are looked for whose indexer, or whose service, has died.
SWEPT_EVERY_S = 10.0
# An indexer that has not been heard of for so long has died.
_DEAD_AFTER_S = 30.0
_TRIES, _PAUSE_S = 5, 10


class Indexer:
    """Does jobs in one workspace, and pushes what it installed."""

    def __init__(self, address: str, workspace: Path, *, lore_url: str | None = None) -> None:
        """Connect.

        Raises: as `JobRows`.
        """
        self._rows = JobRows(address)
        self._workspace = workspace
        self._lore_url = lore_url or ""
        self._app = procrastinate_app(address)
        from procrastinate import RetryStrategy

        retry = RetryStrategy(max_attempts=_TRIES, wait=_PAUSE_S)
        self._app.task(name=TASK, queue=QUEUE, retry=retry)(self._do)

    async def run(self, *, is_once: bool = False) -> None:
        """Work until the process is told to stop, or with `is_once` until nothing waits."""
        log_event("started", process="indexer", version=__version__)
        try:
            async with self._app.open_async():
                sweeping = asyncio.create_task(self._sweep())
                try:
                    await self._app.run_worker_async(
                        queues=[QUEUE],
                        concurrency=1,
                        wait=not is_once,
                        shutdown_graceful_timeout=_GRACE_S,
                        stalled_worker_timeout=_DEAD_AFTER_S,
                    )
                finally:
                    sweeping.cancel()
                    with suppress(asyncio.CancelledError):
                        await sweeping
        finally:
            self._rows.close()
            log_event("stopped", process="indexer")

    async def _do(self, job_id: str) -> None:
        """Do a job, unless it has ended."""
        begun = self._rows.begin(job_id)
        if begun is None:
            return
        with tempfile.TemporaryDirectory(prefix="lorewright-job-") as made:
            folder = Path(made)
            Enclosure(folder).write_new(folder / SENT, begun.sent)
            try:
                ended = await install_in_child(
                    self._workspace,
                    folder,
                    begun.name,
                    lore_url=self._lore_url,
                    tell=partial(self._rows.tell, job_id),
                    is_cancelled=partial(self._rows.is_cancelled, job_id),
                )
            except asyncio.CancelledError:
                self._rows.put_back(job_id)
                raise
        self._rows.end(job_id, ended)

    async def _sweep(self) -> None:
        """Have those jobs done that somebody left."""
        while True:
            with suppress(LorewrightError):
                await self._take_up()
            await asyncio.sleep(SWEPT_EVERY_S)

    async def _take_up(self) -> None:
        from procrastinate.exceptions import ProcrastinateException

        manager: Any = self._app.job_manager
        with suppress(ProcrastinateException):
            for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=_DEAD_AFTER_S):
                await manager.retry_job(job)
            for job_id in self._rows.forgotten():
                await defer(self._app, job_id)
