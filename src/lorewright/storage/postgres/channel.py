"""What services that share a PostgreSQL database tell each other: that a campaign has a new turn or has moved, that an
account is to be looked at again. By NOTIFY, and heard on one connection of each; no text and no secret is in it.

It is told after the commit, in a transaction of its own: one that notifies holds a lock of the whole database while it
commits, which no turn is to wait for. What is lost with a connection is not told again: who reconnects says so.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from lorewright.errors import DatabaseUnavailable
from lorewright.storage.postgres.service_rows import PostgresRows
from lorewright.storage.postgres.store import PostgresStore

_CHANNEL = "lorewright_events"
# As an application's name, by which a database's operator knows a connection and workers know who lives.
_NAMED = "lorewright worker "
_LOOKED_EVERY_S = 0.5
_AGAIN_S = 0.5
_START_S = 15.0
# A network that is cut is noticed within half a minute.
_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "connect_timeout": 10}

Heard = Callable[[dict[str, str]], object]


class Channel:
    """The way from one worker to the others."""

    def __init__(self, store: PostgresStore, rows: PostgresRows) -> None:
        """`rows` are what it is told by; it is heard by a connection of its own."""
        self.me = secrets.token_hex(6)
        self._address = store.address
        self._rows = rows
        self._teller = ThreadPoolExecutor(1, "channel")
        self._closing = threading.Event()
        self._listens = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, heard: Heard, missed: Callable[[], object]) -> None:
        """Listen, from now on: `heard` is called with what another worker tells, and `missed` when something may have
        been told while nobody listened; both in a thread of the channel's."""
        self._thread = threading.Thread(target=self._listen, args=(heard, missed), name="listener", daemon=True)
        self._thread.start()
        self._listens.wait(_START_S)

    def tell(self, **words: str) -> None:
        """Tell the other workers something, soon and in order; nobody waits for it."""
        payload = json.dumps({**words, "worker": self.me})
        with suppress(RuntimeError):
            # It was closed.
            self._teller.submit(self._send, payload)

    def alive(self) -> frozenset[str]:
        """Return the IDs of the workers that listen."""
        found = self._rows.rows(
            """SELECT application_name AS name FROM pg_stat_activity
               WHERE datname = current_database() AND application_name IS NOT NULL"""
        )
        return frozenset(row["name"].removeprefix(_NAMED) for row in found if row["name"].startswith(_NAMED))

    def close(self) -> None:
        """Tell what is still to be told, and listen no more."""
        self._teller.shutdown(wait=True)
        self._closing.set()
        if self._thread is not None:
            self._thread.join(2 * _LOOKED_EVERY_S)

    def _send(self, payload: str) -> None:
        # Streams of others look by themselves every few seconds.
        with suppress(DatabaseUnavailable):
            self._rows.rows("SELECT pg_notify(?, ?)", _CHANNEL, payload)

    def _listen(self, heard: Heard, missed: Callable[[], object]) -> None:
        import psycopg

        has_missed = False
        while not self._closing.is_set():
            try:
                with psycopg.connect(
                    self._address, autocommit=True, application_name=_NAMED + self.me, **_ALIVE
                ) as connection:
                    connection.execute(f"LISTEN {_CHANNEL}")
                    self._listens.set()
                    if has_missed:
                        missed()
                    while not self._closing.is_set():
                        for notice in connection.notifies(timeout=_LOOKED_EVERY_S):
                            self._hear(notice.payload, heard)
            except psycopg.Error:
                has_missed = True
                self._closing.wait(_AGAIN_S)

    def _hear(self, payload: str, heard: Heard) -> None:
        # Every role that may connect to the database may write here.
        try:
            found: Any = json.loads(payload)
        except (ValueError, RecursionError):
            return
        is_words = isinstance(found, dict) and all(isinstance(word, str) for word in found.values())
        if is_words and found.pop("worker", self.me) != self.me:
            heard(found)
