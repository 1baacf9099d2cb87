"""A service over a workspace, in this process: clients that are signed in, as the owner or with a seat at a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from starlette.testclient import TestClient

from lorewright.bootstrap import App, open_app
from lorewright.ids import NumberedIds
from lorewright.service.web.accounts import Account
from lorewright.service.web.app import make_app
from lorewright.service.web.engine import Engine
from lorewright.service.web.jobs import ChildJobs
from lorewright.service.web.service import Service, ServiceAddress, make_limits
from lorewright.service.web.store import Accounts
from lorewright.settings import ACCOUNTS_FILE as FILE
from lorewright.storage.postgres.channel import Channel
from lorewright.storage.postgres.service_rows import PostgresRows

URL = "http://127.0.0.1:8000"
PASSWORD = "a word that is long enough"
# Later than all that a test's files were written at.
_MOMENT = datetime(2040, 1, 1, tzinfo=UTC)
_CSRF = re.compile(r'name="csrf" value="([^"]+)"')


def service_of(app: App, *, is_counted: bool = False, **settings: Any) -> Service:
    """Return a service over the workspace of an app, with its engine running; with `is_counted` one whose accounts have
    numbers in place of random IDs, and a clock that stands still."""
    root = app.workspace.root

    def opened() -> App:
        return open_app(root, models=app.models, elsewhere=app.elsewhere, lore_store=app.lore_store)

    engine = Engine(opened)
    engine.start()
    # Trying a password costs next to nothing here.
    hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    rows = None if app.elsewhere is None else PostgresRows(app.elsewhere)
    kept = root / FILE if rows is None else rows
    channel = None if app.elsewhere is None or rows is None else Channel(app.elsewhere, rows)
    if is_counted:
        accounts = Accounts(kept, hasher=hasher, clock=lambda: _MOMENT, new_id=NumberedIds())
    else:
        accounts = Accounts(kept, hasher=hasher)
    lore_url = None if app.lore_store is None else app.lore_store.url
    settings.setdefault("jobs", ChildJobs(accounts, root, channel, lore_url=lore_url))
    return Service(
        engine=engine,
        channel=channel,
        workspace=root,
        open_app=opened,
        lore_store=app.lore_store,
        **{"accounts": accounts, "address": ServiceAddress(URL, True), **make_limits(rows), **settings},
    )


@dataclass
class Browser:
    """A client with a cookie, as one account; requests carry the secret of its session."""

    client: TestClient
    account: Account | None = None
    csrf: str = ""

    def get(self, path: str, **options: Any) -> Any:
        """Return the answer to a request, redirects followed."""
        return self.client.get(path, **options)

    def post(self, path: str, sent: Any = None, **headers: str) -> Any:
        """Return the answer to JSON that is posted."""
        return self.client.post(path, json={} if sent is None else sent, headers={"X-CSRF-Token": self.csrf, **headers})

    def delete(self, path: str) -> Any:
        """Return the answer to a request that deletes."""
        return self.client.delete(path, headers={"X-CSRF-Token": self.csrf})

    def submit(self, path: str, **fields: Any) -> Any:
        """Return the page that a form leads to."""
        return self.client.post(path, data={"csrf": self.csrf, **fields})

    def say(self, campaign: str, text: str, *, key: str | None = None, role: str | None = None) -> Any:
        """Play a turn; return the answer."""
        headers = {} if key is None else {"Idempotency-Key": key}
        suffix = "" if role is None else f"?as={role}"
        return self.post(f"/v1/campaigns/{campaign}/turns{suffix}", {"text": text}, **headers)

    def events(self, path: str, until: str, **headers: str) -> list[tuple[str, Any]]:
        """Return the server-sent events of a stream, up to the first of a kind. The stream must have that already."""
        found: list[tuple[str, Any]] = []
        with self.client.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            kind = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    found.append((kind, json.loads(line.removeprefix("data: "))))
                    if kind == until:
                        break
        return found


class Hall:
    """A running service and its clients."""

    def __init__(self, service: Service, first: TestClient) -> None:
        self.service = service
        self._first = first

    def stranger(self) -> Browser:
        """Return a client that nobody has signed in."""
        client = TestClient(self._first.app, base_url=URL, raise_server_exceptions=True)
        # All clients are served by one event loop, as by a real server.
        client.portal = self._first.portal
        return Browser(client)

    def owner(self) -> Browser:
        """Return a client of the owner's."""
        return self.signed_in(self.service.accounts.owner())

    def signed_in(self, account: Account) -> Browser:
        """Return a client of an account."""
        secret, session = self.service.accounts.begin_session(account)
        browser = self.stranger()
        browser.client.cookies.set("lorewright", secret)
        browser.account, browser.csrf = account, session.csrf
        return browser

    def guest(self, name: str, campaign: str | None = None, role: str = "player") -> Browser:
        """Return a client of a new account, with a seat at a table where one is named."""
        account = self.service.accounts.create(name, PASSWORD)
        if campaign is not None:
            self.service.accounts.add_seat(campaign, account, role)
        return self.signed_in(account)


@contextmanager
def hall(app: App, **settings: Any) -> Iterator[Hall]:
    """Run a service over an app's workspace until the block ends."""
    service = service_of(app, **settings)
    with TestClient(make_app(service), base_url=URL) as first:
        yield Hall(service, first)


def csrf_in(page: str) -> str:
    """Return the secret that the forms of a page carry."""
    found = _CSRF.search(page)
    assert found is not None
    return found[1]


def database_of(root: Path) -> Path:
    """Return the path of the service's own database."""
    return root / FILE
