"""An export whose download is broken off, or never begun, leaves nothing open and nothing on the disk."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from support import harbour as h
from support.table_doors import EXPORT
from support.table_service import Browser, Hall, hall

_OPEN = Path("/proc/self/fd")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    before = set(folders_of_exports())
    with hall(h.harbour(tmp_path, played=("look around", "wait"))) as opened:
        yield opened
    # Those of tests that run beside this one go in a moment.
    left = [folder for folder in folders_of_exports() if folder not in before]
    until = time.monotonic() + 10
    while any(folder.exists() for folder in left) and time.monotonic() < until:
        time.sleep(0.1)
    assert [folder for folder in left if folder.exists()] == []


def folders_of_exports() -> list[Path]:
    """The folders in which exports are written."""
    return list(Path(tempfile.gettempdir()).glob("lorewright-export-*"))


def files_of_exports() -> list[str]:
    """The open files of this process that are exports."""
    if not _OPEN.is_dir():
        pytest.skip("the open files of a process are read from /proc")
    found = []
    for number in _OPEN.iterdir():
        # The one by which this is read is closed already.
        with suppress(OSError):
            found.append(str(number.readlink()))
    return [name for name in found if "lorewright-export" in name]


class Gone(OSError):
    """The client has gone."""


def download(room: Hall, browser: Browser, *, takes: int, leaves_at_once: bool = False) -> list[Message]:
    """Ask for an export as a server does, and go after so many messages of the answer; return these."""
    cookie = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
    headers = [(b"host", b"127.0.0.1:8000"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": EXPORT}
    scope |= {"raw_path": EXPORT.encode(), "query_string": b"as=gm", "root_path": "", "scheme": "http"}
    scope |= {"headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000)}
    sent: list[Message] = []
    asked: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        return asked.pop() if asked and not leaves_at_once else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if len(sent) >= takes:
            raise Gone("broken off")
        sent.append(message)

    async def run() -> None:
        try:
            await browser.client.app(scope, receive, send)  # type: ignore[arg-type, call-arg, misc]
        except BaseException as error:
            assert_gone(error)

    assert browser.client.portal is not None
    browser.client.portal.call(run)
    return sent


def assert_gone(error: Any) -> None:
    """Check that an error is of the client's going alone, in groups of errors, too."""
    inner = getattr(error, "exceptions", None)
    if inner is None:
        assert isinstance(error, OSError) or "disconnect" in type(error).__name__.casefold(), error
    for found in inner or ():
        assert_gone(found)


def test_an_export_that_is_read_whole_leaves_nothing_open(room: Hall) -> None:
    answer = room.owner().get(f"{EXPORT}?as=gm")
    assert answer.status_code == 200
    assert len(answer.content) == int(answer.headers["content-length"])
    assert files_of_exports() == []


@pytest.mark.parametrize("takes", (0, 1, 2))
def test_a_download_that_is_broken_off_leaves_nothing_open(room: Hall, takes: int) -> None:
    owner = room.owner()
    for _ in range(5):
        assert len(download(room, owner, takes=takes)) <= takes
    assert files_of_exports() == []
    # And the service goes on.
    assert owner.get(f"{EXPORT}?as=gm").status_code == 200


def test_who_has_gone_before_the_export_is_written_leaves_nothing_open(room: Hall) -> None:
    download(room, room.owner(), takes=10, leaves_at_once=True)
    assert files_of_exports() == []
