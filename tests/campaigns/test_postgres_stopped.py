"""A PostgreSQL that is stopped at once while a story is played: no acknowledged turn is lost, and none is played twice."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import check_copy, copy_campaign
from lorewright.errors import DatabaseUnavailable
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.postgres_server import PostgresServer, new_database, require_postgres
from support.scale import scaled

pytestmark = [pytest.mark.server, pytest.mark.campaign]

# Recovery is given so long.
_PATIENCE_S = 15


def test_a_server_that_is_stopped_at_once_loses_no_acknowledged_turn(tmp_path: Path) -> None:
    require_postgres()
    if "LOREWRIGHT_TEST_DATABASE" in os.environ:
        pytest.skip("a server that others use is not stopped")
    stops, server, done, played = scaled(2), PostgresServer(), Event(), Event()
    try:
        here = h.harbour(tmp_path)
        with closing(PostgresStore(new_database(server.address("postgres", "owner")))) as store:
            elsewhere = open_app(here.workspace.root, elsewhere=store)
            copy_campaign(here.campaigns, elsewhere.campaigns, "game")

            def stop() -> None:
                try:
                    for number in range(stops):
                        played.wait(60)
                        played.clear()
                        sleep(0.013 * (number % 7))
                        server.stop("immediate")
                        server.start()
                        stopped.append(number)
                finally:
                    done.set()

            stopped = list[int]()
            stopper, acknowledged = Thread(target=stop), list[tuple[str, str]]()
            stopper.start()
            while not done.is_set() or len(acknowledged) < stops * 3:
                key, begun = f"k{len(acknowledged)}", monotonic()
                while True:
                    try:
                        with elsewhere.campaigns.open("game") as campaign:
                            acknowledged.append((key, asyncio.run(campaign.submit("wait", action_id=key))))
                        break
                    except DatabaseUnavailable:
                        assert monotonic() - begun < _PATIENCE_S
                        sleep(0.05)
                played.set()
            stopper.join()
            assert len(stopped) == stops
            with elsewhere.campaigns.open("game") as campaign:
                assert [turn.kind for turn in campaign.store.path()] == ["start", *["play"] * len(acknowledged)]
                for key, told in acknowledged:
                    assert asyncio.run(campaign.submit("wait", action_id=key)) == told
                assert check_copy(campaign.store.database, "game").clean
    finally:
        server.remove()
