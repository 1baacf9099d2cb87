"""A `JobQueue` whose jobs wait in PostgreSQL, and are done by `lorewright indexer` processes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from typing import Any

from lorewright.errors import DatabaseUnavailable, NotFound
from lorewright.service.web.accounts import Account
from lorewright.service.web.indexing.store import OPTIONS, JobRows
from lorewright.service.web.jobs import ENDED, Job, JobEnded, job_of

TASK = "install_pack"
QUEUE = "lorewright"
_LOOKED_EVERY_S = 0.25
# An indexer that lives ends a job within a second; where none does, the caller need not wait for one.
_CANCELLED_WITHIN_S = 10.0


def procrastinate_app(address: str) -> Any:
    """Return the queue's application, not opened yet, with its tables in our schema of jobs."""
    # Late: only who uses indexers has it.
    from procrastinate import App, PsycopgConnector

    return App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=4, kwargs={"options": OPTIONS}))


async def defer(app: Any, job_id: str) -> None:
    """Have a job done once: while it waits it is not put there a second time, and no two do it at once."""
    from procrastinate.exceptions import AlreadyEnqueued

    try:
        await app.configure_task(TASK, queue=QUEUE, lock=job_id, queueing_lock=job_id).defer_async(job_id=job_id)
    except AlreadyEnqueued:
        return


class IndexerJobs:
    """Jobs that other processes do."""

    def __init__(self, address: str) -> None:
        """Connect.

        Raises: as `JobRows`.
        """
        self._rows = JobRows(address)
        self._app = procrastinate_app(address)

    def start(self) -> None:
        """Do nothing: indexers work whether there is a service or not."""

    async def close(self) -> None:
        """Close the connections; jobs go on."""
        self._rows.close()

    async def add(self, account: Account, kind: str, name: str, sent: AsyncIterator[bytes]) -> Job:
        """Keep what was sent, and return the job that waits with it.

        Raises:
            DatabaseUnavailable: PostgreSQL does not answer.
        """
        from procrastinate.exceptions import ProcrastinateException

        data = b"".join([piece async for piece in sent])
        job = Job(secrets.token_hex(8), kind, name, account.id, "queued")
        await asyncio.to_thread(self._rows.add, job, data)
        try:
            async with self._app.open_async():
                await defer(self._app, job.id)
        except ProcrastinateException as problem:
            self._rows.end(job.id, JobEnded("failed", "it could not be put into the queue; send it again"))
            raise DatabaseUnavailable("the queue of jobs does not answer", hint="try again") from problem
        return self.job(account, job.id)

    def job(self, account: Account, job_id: str) -> Job:
        """Return a job.

        Raises:
            NotFound: there is none of that ID that the account may know of.
            DatabaseUnavailable: PostgreSQL does not answer.
        """
        found = self._rows.read(account.id, is_owner=account.is_owner, job_id=job_id)
        if not found:
            raise NotFound("there is no such job")
        return job_of(found[0])

    def jobs(self, account: Account) -> list[Job]:
        """Return the jobs that an account may know of, the newest first.

        Raises:
            DatabaseUnavailable: PostgreSQL does not answer.
        """
        return [job_of(row) for row in self._rows.read(account.id, is_owner=account.is_owner)]

    async def cancel(self, account: Account, job_id: str) -> Job:
        """End a job that has not ended; what it was doing is as if it had never begun. Without an indexer that lives it
        ends when one comes to it.

        Raises: as `job`.
        """
        self.job(account, job_id)
        self._rows.cancel(job_id)
        until = time.monotonic() + _CANCELLED_WITHIN_S
        while (job := self.job(account, job_id)).state not in ENDED and time.monotonic() < until:
            await asyncio.sleep(_LOOKED_EVERY_S)
        return job
