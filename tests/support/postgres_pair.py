"""A PostgreSQL with a replica that follows it: each commit waits for both. The first can be stopped, and the other take over."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import psycopg

from support.postgres_server import _OTHER_USER, PostgresServer

# A replica that lost its primary asks for it again so soon.
_OPTIONS = "-c wal_retrieve_retry_interval=200ms -c hot_standby=on -c wal_receiver_timeout=5s -c wal_sender_timeout=5s"


class _Replica(PostgresServer):
    """A copy of a server that follows it."""

    def __init__(self, primary: PostgresServer) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lorewright-pg-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, _OTHER_USER)
        self.data, self.port = self.folder / "data", 5432
        source = ("-h", str(primary.folder), "-p", str(primary.port), "-U", "owner")
        self._run("pg_basebackup", *source, "-D", str(self.data), "-R", "-X", "stream", "-c", "fast", "--no-sync")
        _write_setting(self, "synchronous_standby_names", "")
        self.start()

    def promote(self) -> None:
        """Stop following, and take writes."""
        self._run("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "promote")


def _write_setting(server: PostgresServer, name: str, value: str) -> None:
    with (server.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
        file.write(f"{name} = '{value}'\n")


class PostgresPair:
    """The two servers; `primary` is the one that takes writes."""

    def __init__(self) -> None:
        self.primary = PostgresServer()
        self._gone: list[PostgresServer] = []
        self._pair()

    def _pair(self) -> None:
        with psycopg.connect(self.primary.address("postgres", "owner"), autocommit=True) as connection:
            for setting in _OPTIONS.replace("-c ", "").split():
                name, _, value = setting.partition("=")
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            connection.execute("SELECT pg_reload_conf()")
            self.replica = _Replica(self.primary)
            self._wait_for_replica()
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")

    def _wait_for_replica(self) -> None:
        until = time.monotonic() + 30
        with psycopg.connect(self.primary.address("postgres", "owner"), autocommit=True) as connection:
            while not connection.execute("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'").fetchone():
                assert time.monotonic() < until, "the replica does not follow"
                time.sleep(0.05)

    def address(self, of: str) -> str:
        """Return the address of a database, given as one of the first server, with both: whichever takes writes is used.
        Later replicas have folders of their own, so both are named by links that `promote` sets anew."""
        parts = psycopg.conninfo.conninfo_to_dict(of)
        self._links = [Path(tempfile.mkdtemp(prefix="lorewright-pg-", dir="/tmp")) / name for name in ("a", "b")]
        for link in self._links:
            link.parent.chmod(0o755)
        self._link()
        hosts = ",".join(map(str, self._links))
        return psycopg.conninfo.make_conninfo(
            **{**parts, "host": hosts, "port": "5432,5432", "target_session_attrs": "read-write", "connect_timeout": 2}
        )

    def _link(self) -> None:
        for link, server in zip(self._links, (self.primary, self.replica), strict=True):
            link.unlink(missing_ok=True)
            link.symlink_to(server.folder)

    def restart(self) -> None:
        """Stop the primary at once, as a crash does, and start it again."""
        self.primary.stop("immediate")
        self.primary.start()

    def promote(self) -> float:
        """Stop the primary at once and for good, have the replica take over, and give that one a replica of its own.
        Return the seconds that nobody took writes."""
        # What a restarted primary has committed and not sent yet would be lost: who promotes waits until it was.
        self._wait_for_replica()
        began = time.monotonic()
        self.primary.stop("immediate")
        assert isinstance(self.replica, _Replica)
        self.replica.promote()
        away = time.monotonic() - began
        self._gone.append(self.primary)
        self.primary = self.replica
        self._pair()
        self._link()
        return away

    def remove(self) -> None:
        """Stop both, and delete what they wrote."""
        for server in (*self._gone, self.primary, self.replica):
            server.remove()
        for link in getattr(self, "_links", ()):
            shutil.rmtree(link.parent, ignore_errors=True)
