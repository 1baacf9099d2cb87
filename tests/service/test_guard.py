"""What stands before the service: foreign names, pages of other sites, forms of other sessions, paths, headers, bodies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from lorewright.errors import TooManyRequests
from lorewright.service.web.access import RateLimit
from lorewright.service.web.app import make_app
from lorewright.service.web.engine import in_engine
from lorewright.service.web.guard import Guard
from support import harbour as h
from support.garbage import count_garbage
from support.table_service import Hall, hall

GAME = "/v1/campaigns/game"
NAMES = ("evil.example", "127.0.0.1", "127.0.0.1:8000.evil.example", "localhost:9999", "", "127.0.0.1:8000\tx")
ORIGINS = (
    "https://evil.example",
    "null",
    "http://127.0.0.1:9999",
    "https://127.0.0.1:8000",
    "http://localhost.evil.example",
)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


def test_a_request_by_another_name_is_refused(room: Hall) -> None:
    owner = room.owner()
    for name in NAMES:
        answer = owner.get(GAME, headers={"Host": name})
        assert (answer.status_code, answer.json()["code"]) == (421, "unknown_host"), name
    assert owner.get(GAME, headers={"Host": "localhost:8000"}).status_code == 200


def test_a_request_leaves_nothing_to_the_garbage_collector(room: Hall) -> None:
    app, statuses = make_app(room.service), list[int]()
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
    path = {"path": f"{GAME}/turns", "raw_path": f"{GAME}/turns".encode(), "query_string": b""}
    asked = {"type": "http", "method": "POST", "headers": headers, **path}

    async def receive() -> Message:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Message) -> None:
        statuses.extend([message["status"]] if "status" in message else [])

    async def call() -> None:
        await app(dict(asked), receive, send)

    assert count_garbage(call) < 20
    assert statuses == [401] * 40


def test_a_page_of_another_site_changes_nothing(room: Hall) -> None:
    owner = room.owner()
    for origin in ORIGINS:
        answer = owner.post(f"{GAME}/turns", {"text": "look around"}, Origin=origin)
        assert answer.json()["code"] == "foreign_origin", origin
    refused = owner.post(f"{GAME}/turns", {"text": "look around"}, Referer="https://evil.example/page")
    assert refused.status_code == 403
    assert owner.post(f"{GAME}/turns", {"text": "wait"}, Origin="http://127.0.0.1:8000").status_code == 200


def test_a_form_without_the_secret_of_its_session_changes_nothing(room: Hall) -> None:
    owner, other = room.owner(), room.owner()
    for secret in ("", "wrong", other.csrf, "ünïcode"):
        answer = owner.client.post(
            f"{GAME}/turns", json={"text": "wait"}, headers={"X-CSRF-Token": secret.encode("utf-8")}
        )
        assert answer.json()["code"] == "access_refused", secret
        page = owner.client.post("/table/game/say", data={"csrf": secret, "text": "wait"})
        assert page.status_code == 403, secret
    assert owner.get(GAME).json()["turn_no"] == 0
    assert owner.submit("/table/game/say", text="wait", key="k").status_code == 200
    assert owner.get(GAME).json()["turn_no"] == 1


def test_a_body_that_is_too_large_is_refused_before_it_is_read(room: Hall) -> None:
    owner = room.owner()
    big = owner.post(f"{GAME}/turns", {"text": "x" * 300_000})
    assert (big.status_code, big.json()["code"]) == (413, "too_large")

    def pieces() -> Iterator[bytes]:
        # Without a length, in pieces.
        for _ in range(40):
            yield b" " * 10_000

    headers = {"X-CSRF-Token": owner.csrf, "Content-Type": "application/json"}
    chunked = owner.client.post(f"{GAME}/turns", content=pieces(), headers=headers)
    assert (chunked.status_code, chunked.json()["code"]) == (413, "too_large")
    lying = owner.client.post(f"{GAME}/turns", content=b"{}", headers={**headers, "Content-Length": "many"})
    assert lying.status_code in (400, 413)


def test_a_body_that_takes_too_long_is_refused() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await Response("read")(scope, receive, send)

    async def drip() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/x", "headers": [(b"host", b"here")]}
    guard = Guard(app, hosts=["here"], origins=[], timeout_s=0.1)
    asyncio.run(asyncio.wait_for(guard(scope, drip, send), 10))
    assert sent[0]["status"] == 408


def test_every_answer_keeps_browsers_to_our_own_scripts_and_frames(room: Hall) -> None:
    owner = room.owner()
    for path in ("/", "/table/game", GAME, "/nothing", "/static/style.css", "/sign-in", "/healthz"):
        headers = owner.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"], path
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] in ("no-store", "private, no-cache", "max-age=3600")
    page = owner.get("/table/game").text
    assert re.findall(r"<script(?![^>]* src=\"/static/)|<style|\son\w+=|javascript:|https?://", page) == []


def test_a_path_leads_nowhere_out(room: Hall) -> None:
    owner = room.owner()
    for path in (
        "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/table/..%2f..%2fservice.db",
        "/v1/campaigns/..%2f..%2fservice", "/v1/campaigns/%2e%2e", "/v1/campaigns/game%00", "/table/game%0d%0aX-Evil:1",
        "/v1/campaigns/game/entities/..%2f..%2fetc%2fpasswd", "/enter/..%2f", "/v1/packs/..%2f/entities/x",
    ):  # fmt: skip
        answer = owner.get(path)
        assert answer.status_code in (404, 422), (path, answer.status_code)
        assert "x-evil" not in answer.headers


def test_what_is_typed_becomes_text_and_no_markup(room: Hall) -> None:
    owner = room.owner()
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">{{csrf}}'
    assert owner.submit("/table/game/say", text=evil, key="k").status_code in (200, 409)
    for path in ("/table/game", "/table/game/story", "/table/game/desk", f"/table/game/story?q={evil}"):
        page = owner.get(path).text
        assert "<script>alert" not in page, path
        assert "<img src=x" not in page, path
        assert owner.csrf in page or "{{csrf}}" not in page
    token = owner.submit("/account/tokens", name="<b>bot</b>", **{"scope-read": "on"})
    assert "<b>bot" not in token.text


def test_a_sign_in_leads_on_to_our_own_pages_alone(room: Hall) -> None:
    room.guest("Ben")
    sent = {"name": "Ben", "password": "a word that is long enough"}
    for path in (
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/%0d%0aX: y",
        "x",
    ):
        stranger = room.stranger()
        answer = stranger.client.post("/sign-in", data={**sent, "next": path}, follow_redirects=False)
        assert answer.headers["location"].startswith("/"), path
        assert not answer.headers["location"].startswith(("//", "/\\")), path
    assert room.stranger().get("/table/game").url.path == "/sign-in"


def test_a_cookie_is_kept_from_scripts_and_other_sites(room: Hall) -> None:
    room.guest("Ben")
    sent = {"name": "Ben", "password": "a word that is long enough"}
    cookie = room.stranger().client.post("/v1/session", json=sent).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


def test_behind_https_a_cookie_is_kept_to_it(tmp_path: Path) -> None:
    from lorewright.service.web.service import ServiceAddress

    with hall(h.harbour(tmp_path), address=ServiceAddress("https://lore.example.org", False)) as room:
        room.guest("Ben")
        sent = {"name": "Ben", "password": "a word that is long enough"}
        headers = {"Host": "lore.example.org", "Origin": "https://lore.example.org"}
        answer = room.stranger().client.post("/v1/session", json=sent, headers=headers)
        cookie = answer.headers["set-cookie"]
        # No page of a subdomain can set a cookie of this name.
        assert cookie.startswith("__Host-")
        assert "Secure" in cookie
        assert "Domain" not in cookie
        assert room.stranger().get("/healthz").status_code == 421
        metrics = room.stranger().get("/metrics", headers={"Host": "lore.example.org"})
        assert metrics.status_code == 401


def test_no_campaign_is_opened_for_who_has_no_seat(room: Hall) -> None:
    # So that neither time nor errors tell whether there is one.
    eve, engine = room.guest("Eve"), room.service.engine
    asyncio.run(engine.run(in_engine(lambda tables: tables.shut("game"))))
    for path in ("", "/turns", "/codex", "/events", "/export", "/desk"):
        assert eve.get(f"{GAME}{path}").status_code == 404
        assert engine.open_count == 0


def test_headers_and_bodies_that_cannot_be_read_are_refused_in_words(room: Hall) -> None:
    owner = room.owner()
    assert owner.post(f"{GAME}/undo", {}, Referer="http://[").json()["code"] == "foreign_origin"
    assert owner.get("/healthz", headers={"Content-Length": "9" * 5_000}).status_code == 413
    revision = str(owner.get(GAME).json()["revision"])
    deep = owner.submit("/table/game/desk/ops", ops="[" * 19_000, revision=revision)
    assert deep.status_code == 422
    assert "moved to evil" not in owner.get("/sign-in?problem=moved+to+evil").text


def test_blanks_in_a_name_are_no_way_round_the_limit_on_signing_in(room: Hall) -> None:
    stranger, limit = room.stranger(), room.service.sign_ins
    codes = []
    for number in range(32):
        limit._addresses._left.clear()
        codes.append(
            stranger.client.post("/v1/session", json={"name": "Ben" + " " * number, "password": "x"}).status_code
        )
    assert codes[-1] == 429


def test_a_limit_holds_for_many_threads_at_once() -> None:
    limit, granted = RateLimit(1, at_once=50), []

    def ask() -> None:
        for _ in range(500):
            with suppress(TooManyRequests):
                limit.take("key")
                granted.append(1)

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 50
