"""Several `lorewright serve` at one workspace and one PostgreSQL, each a process; and people who play there whatever happens:
each turn has a key, and is sent again until it is answered."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx

from support.played_in_a_browser import free_port

LINES = ("look around", "ask Osk about the boat", "go to the quay", "go to the tavern", "wait", "ask Osk about Lin")
_numbers = count(1)
_LINK = re.compile(r"/enter/([\w-]+)")
# A request that nobody answers is sent again after so long.
_ASKED_S = 8.0
# These say that it may be sent again: too many, moved meanwhile, not now.
_AGAIN = (409, 429, 500, 502, 503, 504, 507)


class Worker:
    """One `lorewright serve`."""

    def __init__(self, root: Path, database: str, public_url: str, *options: str) -> None:
        self.port = free_port()
        self._root, self._options = root, ("--database", database, "--public-url", public_url, "--proxy", *options)
        self.log = root.parent / f"worker-{self.port}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it; it is up when `wait` returns."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "lorewright", "serve", "--at", f"127.0.0.1:{self.port}", *self._options],
                stdout=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, "LOREWRIGHT_WORKSPACE": str(self._root), "COLUMNS": "300"},
            )

    def wait(self, host: str, patience_s: float = 240.0) -> None:
        """Wait until it is ready."""
        until = time.monotonic() + patience_s
        while self.ready(host) != 200:
            assert self.process is not None
            assert self.process.poll() is None, self.log.read_text("utf-8")
            assert time.monotonic() < until, self.log.read_text("utf-8")
            time.sleep(0.1)

    def ready(self, host: str) -> int:
        """Return the status of /readyz; 0 where nobody answers."""
        with suppress(httpx.TransportError):
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz", headers={"Host": host}, timeout=20).status_code
        return 0

    def secret(self) -> str:
        """Return the secret of the owner's link that it printed last."""
        return _LINK.findall(self.log.read_text("utf-8"))[-1]

    def signal(self, number: int) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it, and wait until it is gone."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


@dataclass
class Account:
    """Somebody who is signed in."""

    cookie: str
    csrf: str

    def headers(self, host: str) -> dict[str, str]:
        """Return the headers of their requests."""
        return {"Cookie": f"lorewright={self.cookie}", "X-CSRF-Token": self.csrf, "Host": host}


def enter(url: str, host: str, secret: str, **form: str) -> Account:
    """Sign in by a link, at a worker itself, each from an address of its own: few may from one."""
    address = f"10.0.{next(_numbers)}.1"
    with httpx.Client(base_url=url, headers={"Host": host, "X-Forwarded-For": address}, timeout=60) as client:
        answer = client.post(f"/enter/{secret}", data=form)
        assert answer.status_code < 400, answer.text
        cookie = answer.cookies["lorewright"]
        told = client.get("/v1/session", headers={"Cookie": f"lorewright={cookie}"}).json()
        return Account(cookie, told["csrf_token"])


def invite(url: str, host: str, owner: Account, campaign: str, name: str) -> Account:
    """Let somebody in as the player of a campaign."""
    headers = owner.headers(host)
    path = f"{url}/v1/campaigns/{campaign}/invites"
    answer = httpx.post(path, json={"role": "player"}, headers=headers, timeout=60)
    assert answer.status_code < 400, answer.text
    return enter(url, host, _LINK.findall(answer.text)[0], name=name, password="a word that is long enough")


@dataclass
class Acknowledged:
    """A turn that was answered: its key, its words, the bytes of the answer."""

    key: str
    line: str
    content: bytes


@dataclass
class Recovery:
    """How often requests were sent again, and how long the worst of them took from its first failure."""

    again: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    # When a request first failed, and the seconds until it was answered.
    each: list[tuple[float, float]] = field(default_factory=list)

    @property
    def worst_s(self) -> float:
        """The seconds of the one that took longest."""
        return max((seconds for _, seconds in self.each), default=0.0)


class Player(threading.Thread):
    """Plays one table. `urls` are the workers that may be asked, the one that a hash of the table gives first: a proxy's
    alone, or all workers' where there is no proxy."""

    def __init__(
        self, urls: Sequence[str], host: str, account: Account, campaign: str, *, pause_s: float = 0.25
    ) -> None:
        super().__init__(daemon=True)
        first = crc32(campaign.encode()) % len(urls)
        self._urls = [*urls[first:], *urls[:first]]
        self.campaign, self.pause_s = campaign, pause_s
        self._client = httpx.Client(headers=account.headers(host), timeout=httpx.Timeout(_ASKED_S, connect=2.0))
        self.acknowledged: list[Acknowledged] = []
        self.recovery = Recovery()
        self.wrong: list[str] = []
        self.is_over = threading.Event()

    def ask(self, url: str, key: str, line: str) -> httpx.Response:
        """Send a turn."""
        path = f"{url}/v1/campaigns/{self.campaign}/turns"
        return self._client.post(path, json={"text": line}, headers={"Idempotency-Key": key})

    def send(self, key: str, line: str, *, url: str | None = None, patience_s: float = 240.0) -> bytes:
        """Send a turn until it is answered, to one address or to those in turn; return the bytes of the answer."""
        urls = self._urls if url is None else [url]
        failed: float | None = None
        tries = 0
        while True:
            try:
                answer = self.ask(urls[tries % len(urls)], key, line)
                status = str(answer.status_code)
                if answer.status_code == 200:
                    if failed is not None:
                        self.recovery.each.append((failed, time.monotonic() - failed))
                    return answer.content
                if answer.status_code not in _AGAIN:
                    raise AssertionError(f"{self.campaign} {key}: {answer.status_code} {answer.text}")
                if answer.status_code == 409 and answer.json()["code"] != "head_moved":
                    raise AssertionError(f"{self.campaign} {key}: {answer.text}")
            except httpx.TransportError as problem:
                status = type(problem).__name__
            tries += 1
            self.recovery.statuses[status] = self.recovery.statuses.get(status, 0) + 1
            # A limit on turns is no fault.
            if status != "429":
                self.recovery.again += 1
                failed = failed or time.monotonic()
                if time.monotonic() - failed > patience_s:
                    raise AssertionError(f"{self.campaign} {key}: {status} for {patience_s} s")
            time.sleep(min(0.1 * tries, 0.5))

    def run(self) -> None:
        """Play until it is over."""
        number = 0
        try:
            while not self.is_over.is_set():
                key, line = f"{self.campaign}-{number}", LINES[number % len(LINES)]
                self.acknowledged.append(Acknowledged(key, line, self.send(key, line)))
                number += 1
                self.is_over.wait(self.pause_s)
        except (AssertionError, RuntimeError) as problem:
            # A client that was closed is one of a test that has failed already.
            self.wrong.append(str(problem))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def told(self) -> dict[str, Any]:
        """Return what it counted."""
        return {"turns": len(self.acknowledged), "again": self.recovery.again, "worst_s": self.recovery.worst_s}
