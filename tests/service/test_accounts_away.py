"""A PostgreSQL that is stopped while a service runs: nobody is held up for long, and it goes on where it was."""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import copy_campaign
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.postgres_server import PostgresServer, new_database, require_postgres
from support.table_service import hall

pytestmark = [pytest.mark.server, pytest.mark.campaign]

GAME = "/v1/campaigns/game"


def test_while_postgres_is_away_requests_wait_without_holding_others_up(tmp_path: Path) -> None:
    require_postgres()
    if "LOREWRIGHT_TEST_DATABASE" in os.environ:
        pytest.skip("a server that others use is not stopped")
    server = PostgresServer()
    try:
        app = h.harbour(tmp_path)
        with closing(PostgresStore(new_database(server.address("postgres", "owner")))) as store:
            there = open_app(app.workspace.root, elsewhere=store)
            copy_campaign(app.campaigns, there.campaigns, "game")
            with hall(there) as room:
                owner = room.owner()
                assert owner.say("game", "look", key="k1").status_code == 200
                server.stop("immediate")
                answers: list[int] = []
                waiting = [
                    threading.Thread(target=lambda: answers.append(owner.get(GAME).status_code)) for _ in range(4)
                ]
                for thread in waiting:
                    thread.start()
                time.sleep(1)
                assert room.service.accounts.kept.is_away
                began = time.monotonic()
                assert room.stranger().get("/healthz").status_code == 200
                assert time.monotonic() - began < 1
                assert answers == []
                server.start()
                for thread in waiting:
                    thread.join(60)
                assert answers == [200] * 4
                assert not room.service.accounts.kept.is_away
                assert owner.say("game", "wait", key="k2").json()["turn_no"] == 2
                assert owner.say("game", "look", key="k1").json()["turn_no"] == 1
    finally:
        server.remove()
