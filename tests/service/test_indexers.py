"""Packs that are sent to a service are installed by an indexer, another process, and come back by the store of lore."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.service.web.indexing.queue import IndexerJobs
from support import harbour as h
from support.postgres_server import new_database
from support.sent_packs import BROKEN, PACK, zipped
from support.table_service import Browser, Hall, hall

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(find_spec("procrastinate") is None, reason="procrastinate is not installed: make extras"),
]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def address(postgres: str) -> str:
    return new_database(postgres)


@pytest.fixture
def app(tmp_path: Path) -> App:
    """A worker's workspace, with a store of lore and another workspace for indexers."""
    (tmp_path / "store").mkdir()
    make_empty_workspace(tmp_path / "indexer")
    root = h.harbour(tmp_path).workspace.root
    return open_app(root, lore_store=LoreStore((tmp_path / "store").as_uri(), looked_every_s=0))


@pytest.fixture
def room(app: App, address: str) -> Iterator[Hall]:
    with hall(app, jobs=IndexerJobs(address)) as opened:
        yield opened


def send(browser: Browser, files: dict[str, str], name: str = "island") -> Any:
    headers = {"X-CSRF-Token": browser.csrf, "Content-Type": "application/zip"}
    answer = browser.client.post(f"/v1/packs?name={name}", content=zipped(files), headers=headers)
    assert answer.status_code == 202, answer.text
    return answer.json()


def started(app: App, address: str, *options: str) -> subprocess.Popen[bytes]:
    assert app.lore_store is not None
    command = [sys.executable, "-m", "lorewright", "indexer", "--database", address, "--lore", app.lore_store.url]
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT / "tests")))
    workspace = str(app.workspace.root.parent / "indexer")
    environment = {**os.environ, "PYTHONPATH": paths, "LOREWRIGHT_WORKSPACE": workspace}
    return subprocess.Popen([*command, *options], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def state(browser: Browser, job: Any, *wanted: str, within_s: float = 120) -> Any:
    until = time.monotonic() + within_s
    while (found := browser.get(f"/v1/jobs/{job['id']}").json())["state"] not in wanted:
        assert time.monotonic() < until, found
        time.sleep(0.1)
    return found


def test_a_pack_waits_for_an_indexer_and_is_served_when_it_is_done(app: App, room: Hall, address: str) -> None:
    owner = room.owner()
    good, bad = send(owner, PACK), send(owner, BROKEN, "broken")
    assert owner.get(f"/v1/jobs/{good['id']}").json()["state"] == "queued"
    done = started(app, address, "--once")
    _, errors = done.communicate(timeout=200)
    assert done.returncode == 0, errors.decode()
    assert state(owner, good, "done")["result"]["pack_id"] == "island"
    refused = state(owner, bad, "refused")
    assert refused["result"]["findings"][0]["severity"] == "error"
    assert "island" in [pack.id for pack in app.library.packs()]
    asked = owner.post("/v1/lore/query", {"text": "mill", "packs": ["island"], "as": "gm"})
    assert asked.status_code == 200 and "island:" in asked.text
    # As a stream: one event, for the job has ended.
    events = owner.events(f"/v1/jobs/{good['id']}", until="job", Accept="text/event-stream")
    assert [kind for kind, _ in events] == ["job"]


def test_a_job_is_cancelled_before_and_while_it_is_done(app: App, room: Hall, address: str) -> None:
    owner = room.owner()
    job = send(owner, PACK)
    assert owner.delete(f"/v1/jobs/{job['id']}").json()["state"] == "cancelled"
    done = started(app, address, "--once")
    done.communicate(timeout=200)
    assert done.returncode == 0
    assert owner.get(f"/v1/jobs/{job['id']}").json()["state"] == "cancelled"
    assert "island" not in [pack.id for pack in app.library.packs()]


def test_what_a_killed_indexer_was_doing_is_done_by_another(app: App, room: Hall, address: str) -> None:
    owner = room.owner()
    first = started(app, address)
    try:
        job = send(owner, PACK)
        state(owner, job, "running")
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    assert state(owner, job, "running", "done")["state"] == "running"
    second = started(app, address)
    try:
        assert state(owner, job, "done", within_s=240)["result"]["pack_id"] == "island"
    finally:
        second.send_signal(signal.SIGTERM)
        second.communicate(timeout=120)
    assert app.lore_store is not None and list(app.lore_store.pointers()) == ["island"]
