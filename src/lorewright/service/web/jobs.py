"""Work that takes long -> rows beside the accounts, done one after the other by child processes of lowest priority.

`JobQueue` is what the API and the pages know; a queue of several machines can stand in its place.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Literal, Protocol

from lorewright.child import start_child
from lorewright.errors import LorewrightError, NotFound
from lorewright.service.web.accounts import Account
from lorewright.service.web.service_file import ServiceFile
from lorewright.storage.integrity import Row

State = Literal["queued", "running", "done", "refused", "failed", "cancelled"]
ENDED: tuple[State, ...] = ("done", "refused", "failed", "cancelled")

# Files of a job's folder: what was sent, what is told of it meanwhile, and what came of it.
SENT = "sent.zip"
TOLD = "told.json"
RESULT = "result.json"

_LOOKED_EVERY_S = 0.25
# So many jobs are kept; older ones that have ended are forgotten.
_MOST_KEPT = 200
_FORGET_OLD = """DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state NOT IN ('queued', 'running')
    ORDER BY created_at DESC, id LIMIT 1000000000 OFFSET ?)"""
# A job that was cancelled stays so.
_SET = "UPDATE jobs SET state = ?, problem = ?, result = ? WHERE id = ? AND state <> 'cancelled'"
_STOPPED = "the service was stopped; send it again"
# So often it is looked whether the workers of others' jobs still live.
_LIVES_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work: who asked for it, where it stands, and what came of it. `told` and the two counts are its
    progress; `result` has the findings of a pack; `problem` is why it was not done, in a sentence."""

    id: str
    kind: str
    name: str
    account_id: str
    state: State
    told: str = ""
    done: int = 0
    of: int = 0
    result: dict[str, Any] | None = None
    problem: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class JobEnded:
    """What came of a job."""

    state: State
    problem: str = ""
    result: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class JobTold:
    """What a job tells while it is done."""

    told: str
    done: int
    of: int


class JobQueue(Protocol):
    """Takes work, and tells how it stands. A job is its owner's, and the service's owner's."""

    def start(self) -> None:
        """Begin to work, in the loop of the web server."""

    async def close(self) -> None:
        """Stop working, in that loop."""

    async def add(self, account: Account, kind: str, name: str, sent: AsyncIterator[bytes]) -> Job:
        """Keep what was sent, and return the job that waits with it."""

    def job(self, account: Account, job_id: str) -> Job:
        """Return a job.

        Raises:
            NotFound: there is none of that ID that the account may know of.
        """

    def jobs(self, account: Account) -> list[Job]:
        """Return the jobs that an account may know of, the newest first."""

    async def cancel(self, account: Account, job_id: str) -> Job:
        """End a job that has not ended; what it was doing is as if it had never begun.

        Raises:
            NotFound: as `job`.
        """


class Workers(Protocol):
    """The services that share the rows of jobs."""

    @property
    def me(self) -> str:
        """The ID of this one."""

    def alive(self) -> frozenset[str]:
        """Return the IDs of those that run, this one among them."""


class ChildJobs:
    """Jobs of one machine: each in a child process of its own, one at a time. `start` it in the loop of the web server,
    and `close` it there. With `workers` others do jobs of the same rows: each has those that were sent to it."""

    def __init__(
        self,
        file: ServiceFile,
        workspace: Path,
        workers: Workers | None = None,
        *,
        lore_url: str | None = None,
    ) -> None:
        """What is installed is pushed to the store of lore, where there is one."""
        self._file = file
        self._workspace = workspace
        self._workers = workers
        self._me = "" if workers is None else workers.me
        self._looked_at = -_LIVES_EVERY_S
        self._lore_url = lore_url
        self._folders: dict[str, Path] = {}
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._cancelled: set[str] = set()

    def start(self) -> None:
        """Begin to work. Jobs that an earlier process left are told as failed: their child has ended with it."""
        self._fail_left()
        self._worker = asyncio.create_task(self._work())

    def _fail_left(self) -> None:
        """Tell jobs as failed that nobody does any more."""
        left = "UPDATE jobs SET state = 'failed', problem = ? WHERE state IN ('queued', 'running')"
        if self._workers is None:
            self._file.write((left, (_STOPPED,)))
            return
        self._looked_at = monotonic()
        alive = json.dumps(sorted({*self._workers.alive(), self._me}))
        of_others = " AND worker NOT IN (SELECT value FROM json_each(?))"
        self._file.write((left + of_others, (_STOPPED, alive)))

    async def close(self) -> None:
        """Stop working; the job at hand is told as failed at the next start."""
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)

    async def add(self, account: Account, kind: str, name: str, sent: AsyncIterator[bytes]) -> Job:
        """Keep what was sent, and return the job that waits with it."""
        job_id, folder = secrets.token_hex(8), Path(tempfile.mkdtemp(prefix="lorewright-job-"))
        try:
            with (folder / SENT).open("wb") as file:
                async for piece in sent:
                    file.write(piece)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._folders[job_id] = folder
        values = (job_id, kind, name, account.id, "queued", "", 0, 0, None, "", self._file.now(), self._me)
        self._file.write(
            ("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values),
            (_FORGET_OLD, (_MOST_KEPT,)),
        )
        self._waiting.put_nowait(job_id)
        return self.job(account, job_id)

    def job(self, account: Account, job_id: str) -> Job:
        """Return a job.

        Raises:
            NotFound: there is none of that ID that the account may know of.
        """
        found = self._read(account, job_id)
        if not found:
            raise NotFound("there is no such job")
        return found[0]

    def jobs(self, account: Account) -> list[Job]:
        """Return the jobs that an account may know of, the newest first."""
        return self._read(account)

    def _read(self, account: Account, job_id: str | None = None) -> list[Job]:
        rows = self._rows(account, job_id)
        is_due = self._workers is not None and monotonic() - self._looked_at > _LIVES_EVERY_S
        if is_due and any(row["worker"] != self._me and row["state"] not in ENDED for row in rows):
            self._fail_left()
            rows = self._rows(account, job_id)
        return [job_of(row) for row in rows]

    def _rows(self, account: Account, job_id: str | None) -> list[Row]:
        return self._file.read(
            """SELECT * FROM jobs WHERE (?1 IS NULL OR id = ?1) AND (account_id = ?2 OR ?3 = 1)
               ORDER BY created_at DESC, id""",
            job_id,
            account.id,
            int(account.is_owner),
        )

    async def cancel(self, account: Account, job_id: str) -> Job:
        """End a job that has not ended; what it was doing is as if it had never begun.

        Raises:
            NotFound: as `job`.
        """
        job = self.job(account, job_id)
        if job.state not in ENDED:
            self._cancelled.add(job_id)
            # Another worker's child is told by the row.
            if job.state == "queued" or job_id not in self._folders:
                self._set(job_id, "cancelled")
            while self.job(account, job_id).state not in ENDED:
                await asyncio.sleep(_LOOKED_EVERY_S)
        return self.job(account, job_id)

    def _set(self, job_id: str, state: State, *, problem: str = "", result: dict[str, Any] | None = None) -> None:
        text = None if result is None else json.dumps(result, ensure_ascii=False)
        # One that has ended meanwhile is not cancelled.
        still = " AND state IN ('queued', 'running')" if state == "cancelled" else ""
        self._file.write((_SET + still, (state, problem, text, job_id)))

    def _is_cancelled(self, job_id: str) -> bool:
        if job_id in self._cancelled or self._workers is None:
            return job_id in self._cancelled
        return bool(self._file.read("SELECT 1 FROM jobs WHERE id = ? AND state = 'cancelled'", job_id))

    async def _work(self) -> None:
        while True:
            job_id = await self._waiting.get()
            folder = self._folders[job_id]
            try:
                if not self._is_cancelled(job_id):
                    await self._run(job_id, folder)
            except (OSError, LorewrightError) as problem:
                # The next job is done all the same.
                with suppress(LorewrightError):
                    self._set(job_id, "failed", problem=f"it could not be begun: {type(problem).__name__}")
            finally:
                self._folders.pop(job_id, None)
                shutil.rmtree(folder, ignore_errors=True)

    async def _run(self, job_id: str, folder: Path) -> None:
        row = self._file.read("SELECT name FROM jobs WHERE id = ?", job_id)[0]
        self._set(job_id, "running")
        ended = await install_in_child(
            self._workspace,
            folder,
            row["name"],
            lore_url=self._lore_url,
            tell=lambda told: self._tell(job_id, told),
            is_cancelled=lambda: self._is_cancelled(job_id),
        )
        self._set(job_id, ended.state, problem=ended.problem, result=ended.result)

    def _tell(self, job_id: str, told: JobTold) -> None:
        values = (told.told, told.done, told.of, job_id)
        self._file.write(("UPDATE jobs SET told = ?, done = ?, total = ? WHERE id = ?", values))


async def install_in_child(
    workspace: Path,
    folder: Path,
    name: str,
    *,
    lore_url: str | None,
    tell: Callable[[JobTold], None],
    is_cancelled: Callable[[], bool],
) -> JobEnded:
    """Install the pack in a job's folder in a child process at the lowest priority, and return what came of it. The
    child ends with this call, however that ends. For `lore_url` see `pack_job`.

    Raises:
        OSError: it cannot be started.
    """
    process = start_child(
        "lorewright.service.web.pack_job",
        workspace,
        folder,
        name,
        *([] if lore_url is None else [lore_url]),
        yields=True,
    )
    try:
        while process.poll() is None:
            await asyncio.sleep(_LOOKED_EVERY_S)
            if is_cancelled():
                process.kill()
                process.wait()
                return JobEnded("cancelled")
            if (told := _json_of(folder / TOLD)) is not None:
                tell(JobTold(str(told["told"])[:200], int(told["done"]), int(told["of"])))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    found = _json_of(folder / RESULT)
    if found is None:
        return JobEnded("failed", "the process that did it ended before it was done; send it again")
    return JobEnded(found["state"], found.get("problem", ""), found.get("result"))


def _json_of(path: Path) -> dict[str, Any] | None:
    """Return what stands in a child's file, None where it is not there, or is being written."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def job_of(row: Row | Mapping[str, Any]) -> Job:
    """Return a row of a table of jobs as a job."""
    return Job(
        id=row["id"],
        kind=row["kind"],
        name=row["name"],
        account_id=row["account_id"],
        state=row["state"],
        told=row["told"],
        done=row["done"],
        of=row["total"],
        result=None if row["result"] is None else json.loads(row["result"]),
        problem=row["problem"],
        created_at=row["created_at"],
    )
