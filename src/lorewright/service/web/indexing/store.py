"""The jobs that indexers do for a service, as rows of PostgreSQL, in one schema with Procrastinate's tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lorewright.extras import require_extra
from lorewright.service.web.jobs import Job, JobEnded, JobTold, State
from lorewright.storage.postgres.store import faults_of

if TYPE_CHECKING:
    import psycopg
    import psycopg_pool

SCHEMA = "lorewright_jobs"
OPTIONS = f"-c search_path={SCHEMA}"
_CONNECTIONS = 4
_WAIT_S = 15.0
# Any number; it names the lock under which tables are made.
_MIGRATING = 7_305_918
# So many jobs are kept; older ones that have ended are forgotten.
_MOST_KEPT = 200
_MAKE = """CREATE TABLE IF NOT EXISTS pack_jobs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, account_id TEXT NOT NULL, state TEXT NOT NULL,
    told TEXT NOT NULL DEFAULT '', done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, result TEXT,
    problem TEXT NOT NULL DEFAULT '', created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    is_cancelled BOOLEAN NOT NULL DEFAULT FALSE, sent BYTEA
)"""
_COLUMNS = """id, kind, name, account_id, state, told, done, total, result, problem,
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') AS created_at"""
_OPEN = "state IN ('queued', 'running')"
# A job that Procrastinate knows of and has not ended.
_KNOWN = """EXISTS (SELECT 1 FROM procrastinate_jobs
    WHERE args ->> 'job_id' = pack_jobs.id AND status IN ('todo', 'doing'))"""


@dataclass(frozen=True, slots=True)
class SentPack:
    """A job that an indexer has begun: the name and the archive that were sent."""

    name: str
    sent: bytes


class JobRows:
    """The table of jobs. Threads may share it; the caller closes it."""

    def __init__(self, address: str) -> None:
        """Connect, and make the tables where that was not done yet.

        Raises:
            ExtraMissing: Procrastinate or psycopg is not installed.
            DatabaseUnavailable: nobody answers there, or the role may not make tables.
        """
        require_extra("indexer", needed_by="installing by indexers")
        import psycopg
        import psycopg.rows
        import psycopg_pool

        self._errors = (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed)
        self._pool: psycopg_pool.ConnectionPool[Any] = psycopg_pool.ConnectionPool(
            address,
            min_size=1,
            max_size=_CONNECTIONS,
            timeout=_WAIT_S,
            kwargs={
                "autocommit": True,
                "options": OPTIONS,
                "application_name": "lorewright",
                "row_factory": psycopg.rows.dict_row,
            },
            open=False,
        )
        try:
            with self._answering():
                self._pool.open(wait=True, timeout=_WAIT_S)
            with self._connection() as connection:
                _make_tables(connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def add(self, job: Job, sent: bytes) -> None:
        """Keep a new job with what was sent, and forget old ones that have ended.

        Raises:
            DatabaseUnavailable: PostgreSQL does not answer; so does every other method.
        """
        with self._connection() as connection, connection.transaction():
            connection.execute(
                "INSERT INTO pack_jobs (id, kind, name, account_id, state, sent) VALUES (%s, %s, %s, %s, %s, %s)",
                (job.id, job.kind, job.name, job.account_id, job.state, sent),
            )
            connection.execute(
                f"""DELETE FROM pack_jobs WHERE id IN (SELECT id FROM pack_jobs WHERE NOT {_OPEN}
                    ORDER BY created_at DESC, id OFFSET %s)""",
                (_MOST_KEPT,),
            )

    def read(self, account_id: str, *, is_owner: bool, job_id: str | None = None) -> list[Mapping[str, Any]]:
        """Return the rows that an account may know of, the newest first."""
        with self._connection() as connection:
            return list(
                connection.execute(
                    f"""SELECT {_COLUMNS} FROM pack_jobs WHERE (%s::text IS NULL OR id = %s) AND (account_id = %s OR %s)
                        ORDER BY pack_jobs.created_at DESC, id""",
                    (job_id, job_id, account_id, is_owner),
                ).fetchall()
            )

    def begin(self, job_id: str) -> SentPack | None:
        """Note that a job is done now; return it, None where it has ended or is to be ended."""
        with self._connection() as connection:
            row = connection.execute(
                f"""UPDATE pack_jobs SET state = CASE WHEN is_cancelled THEN 'cancelled' ELSE 'running' END
                    WHERE id = %s AND {_OPEN} RETURNING state, name, sent""",
                (job_id,),
            ).fetchone()
        if row is None or row["state"] == "cancelled" or row["sent"] is None:
            return None
        return SentPack(row["name"], bytes(row["sent"]))

    def tell(self, job_id: str, told: JobTold) -> None:
        """Note how far a job is."""
        with self._connection() as connection:
            connection.execute(
                "UPDATE pack_jobs SET told = %s, done = %s, total = %s WHERE id = %s",
                (told.told, told.done, told.of, job_id),
            )

    def end(self, job_id: str, ended: JobEnded) -> None:
        """Note what came of a job that has not ended, and forget what was sent."""
        result = None if ended.result is None else json.dumps(ended.result, ensure_ascii=False)
        with self._connection() as connection:
            connection.execute(
                f"UPDATE pack_jobs SET state = %s, problem = %s, result = %s, sent = NULL WHERE id = %s AND {_OPEN}",
                (ended.state, ended.problem, result, job_id),
            )

    def put_back(self, job_id: str) -> None:
        """Have a job that was begun done anew, by whichever indexer comes to it."""
        self._set_state(job_id, "queued", before="running")

    def cancel(self, job_id: str) -> None:
        """Have a job end: at once where nobody has begun it."""
        with self._connection() as connection:
            connection.execute(f"UPDATE pack_jobs SET is_cancelled = TRUE WHERE id = %s AND {_OPEN}", (job_id,))
        self._set_state(job_id, "cancelled", before="queued")

    def is_cancelled(self, job_id: str) -> bool:
        """Return whether a job is to end, or is gone."""
        with self._connection() as connection:
            row = connection.execute("SELECT is_cancelled FROM pack_jobs WHERE id = %s", (job_id,)).fetchone()
        return row is None or bool(row["is_cancelled"])

    def forgotten(self) -> list[str]:
        """Return the jobs that wait and that Procrastinate does not know of: their service ended before it could say
        so. Those that were begun and that it has given up are told as failed."""
        with self._connection() as connection:
            connection.execute(
                f"""UPDATE pack_jobs SET state = 'failed', problem = 'it failed again and again; send it again',
                    sent = NULL WHERE state = 'running' AND NOT {_KNOWN}"""
            )
            rows = connection.execute(
                f"""SELECT id FROM pack_jobs WHERE state = 'queued' AND created_at < now() - interval '10 seconds'
                    AND NOT {_KNOWN} ORDER BY created_at"""
            ).fetchall()
        return [row["id"] for row in rows]

    def _set_state(self, job_id: str, state: State, *, before: State) -> None:
        with self._connection() as connection:
            connection.execute("UPDATE pack_jobs SET state = %s WHERE id = %s AND state = %s", (state, job_id, before))

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        with self._answering(), self._pool.connection() as connection:
            yield connection

    def _answering(self) -> AbstractContextManager[None]:
        return faults_of("the database of jobs", self._errors)


def _make_tables(connection: psycopg.Connection[Any]) -> None:
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        connection.execute(_MAKE)
        there = connection.execute("SELECT to_regclass(%s) AS found", (f"{SCHEMA}.procrastinate_jobs",)).fetchone()
        if there is None or there["found"] is None:
            # Procrastinate's own text, without a value of ours in it.
            made = (files("procrastinate.sql") / "schema.sql").read_text(encoding="utf-8")
            connection.execute(made.encode())
