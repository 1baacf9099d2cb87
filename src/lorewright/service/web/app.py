"""A service -> its ASGI app: the guard, the API, the pages, health and metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lorewright import __version__
from lorewright.errors import LorewrightError, NotFound, NotSignedIn, TooManyRequests
from lorewright.logs import log_event
from lorewright.service.web.access import caller_of, is_event_source
from lorewright.service.web.api.accounts import accounts_api
from lorewright.service.web.api.chat import chat_api
from lorewright.service.web.api.desk import desk_api
from lorewright.service.web.api.lore import lore_api
from lorewright.service.web.api.play import play_api
from lorewright.service.web.api.requests import REFUSALS
from lorewright.service.web.api.tables import tables_api
from lorewright.service.web.api.workshop import workshop_api
from lorewright.service.web.completions import chat_error
from lorewright.service.web.engine import in_engine, stopping
from lorewright.service.web.guard import Guard
from lorewright.service.web.mcp_door import PATH, McpDoor
from lorewright.service.web.openapi import describe_app
from lorewright.service.web.pages.desk import desk_pages
from lorewright.service.web.pages.entry import entry_pages
from lorewright.service.web.pages.requests import refusal_page
from lorewright.service.web.pages.table import table_pages
from lorewright.service.web.pages.workshop import workshop_pages
from lorewright.service.web.problems import problem_of, respond
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import Health, Problem

_STATIC = Path(__file__).parent / "pages" / "static"
_DESCRIPTION = (
    "Tables at which stories are played, grounded in lore that every seat sees as far as its character knows it. Sign "
    "in by a cookie (`POST /v1/session`) or send a token: `Authorization: Bearer lw_…`. Refusals are problem+json with "
    "a `code` and a `hint`."
)
_KINDS = ("/v1/lore", "/v1/campaigns", "/v1", "/static", "/table", "/healthz", "/readyz", "/metrics")
# What is asked for by programs is refused as JSON, all else as a page.
_PROGRAMS = ("/v1/", "/mcp", "/healthz", "/readyz", "/metrics", "/openapi.json")
_WITHOUT_ACCOUNTS = ("/static", "/healthz")
_CHATS = ("/v1/chat", "/v1/models")
# What a service that is told to stop begins no more: turns and other work on a campaign, streams, jobs.
_WORK = (
    "/v1/campaigns",
    "/table/",
    "/v1/chat/",
    "/v1/messages",
    "/v1/import",
    "/v1/packs",
    "/mcp",
    "/begin",
    "/workshop/",
)
_SAFE = ("GET", "HEAD", "OPTIONS")
# A request that another worker, or this one after a restart, can answer is asked again so soon.
_AGAIN_S = 1.0
_CODES = {405: "method_not_allowed", 408: "request_timeout", 413: "too_large", 415: "media_type"}


def make_app(service: Service) -> ASGIApp:
    """Return the service as an ASGI app. Its engine is started with it, and stopped with it."""

    door = McpDoor(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.hub.attach()
        service.accounts.kept.hurry()
        if (channel := service.channel) is not None:
            service.hub.connect(channel.tell)
            await asyncio.to_thread(channel.start, service.hub.hear, service.hub.has_missed)
        await service.take_stock()
        service.jobs.start()
        log_event("started", process="serve", transport="http", version=__version__)
        yield
        service.hub.close()
        await service.jobs.close()
        await door.close()
        service.engine.stop()
        if channel is not None:
            await asyncio.to_thread(channel.close)
        service.accounts.kept.close()
        log_event("stopped", process="serve")

    app = FastAPI(
        title="Lorewright",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    for api in (accounts_api, tables_api, play_api, lore_api, desk_api, chat_api, workshop_api):
        app.include_router(api)
    for pages in (entry_pages, table_pages, desk_pages, workshop_pages):
        app.include_router(pages)
    # An ASGI app in place of a function: the router takes it as it is.
    app.add_route(PATH, door, include_in_schema=False)  # type: ignore[arg-type]
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    _add_health(app, service)
    _add_refusals(app, service)
    describe_app(app)
    app.add_middleware(_Watch, service=service)
    parts = urlsplit(service.address.url)
    hosts, origins = {parts.netloc}, {f"{parts.scheme}://{parts.netloc}"}
    if service.address.is_local:
        for name in ("127.0.0.1", "localhost", "[::1]"):
            hosts.add(f"{name}:{parts.port or 80}")
            origins.add(f"http://{name}:{parts.port or 80}")
    return Guard(app, hosts=hosts, origins=origins)


def _add_health(app: FastAPI, service: Service) -> None:
    metrics = service.metrics
    metrics.watch("open_campaigns", lambda: service.engine.open_count)
    metrics.watch("open_campaign_bytes", lambda: service.engine.open_bytes)
    metrics.watch("engine_requests", lambda: service.engine.waiting)
    metrics.watch("streams", lambda: service.hub.streams)

    @app.get("/healthz", tags=["service"])
    async def healthz() -> Health:
        """Whether the process answers."""
        return Health(status="stopping" if service.hub.is_closing else "ok", version=__version__)

    @app.get("/readyz", tags=["service"], responses={503: {"model": Health}})
    async def readyz(response: Response) -> Health:
        """Whether the engine answers and the packs can be read; with a store of lore, whether that answers, and with
        how many of its packs this worker's embedder does not agree."""
        if service.hub.is_closing:
            response.status_code = 503
            return Health(status="stopping", version=__version__)
        try:
            packs = await service.engine.run(in_engine(lambda tables: len(tables.app.library.packs())))
        except LorewrightError as problem:
            response.status_code = 503
            return Health(status="failing", version=__version__, detail={"code": problem.code})
        detail: dict[str, int | bool] = {"packs": packs}
        if service.lore_store is not None:
            differing, compared = service.lore_store.disagreements()
            detail |= {"lore_store_answers": service.lore_store.is_answering, "embedder_differs": differing}
            # Where it differs with some packs, these are at fault; where with all, this worker is.
            if compared and differing == compared:
                response.status_code = 503
                return Health(status="failing", version=__version__, detail={"code": "embedder_differs", **detail})
        return Health(status="ok", version=__version__, detail=detail)

    @app.get(
        "/metrics",
        tags=["service"],
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, 403: REFUSALS[403], 401: REFUSALS[401]},
    )
    async def read_metrics(request: Request) -> Response:
        """The metrics in Prometheus' text format: for this machine, and with a token of the scope `admin`."""
        if not (service.address.is_local and _is_of_this_machine(request)):
            caller_of(request, service.accounts).needs("admin")
        return Response(metrics.text(), media_type=metrics.media_type)


def _is_of_this_machine(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _refuse(request: Request, problem: Problem, retry_after_s: float | None = None) -> Response:
    """Return a refusal as JSON or as a page, after what was asked. What cannot be done now says when to ask again."""
    if retry_after_s is None and problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        retry_after_s = _AGAIN_S
    if request.url.path.startswith(_CHATS):
        response: Response = JSONResponse(chat_error(problem), problem.status)
    elif request.url.path.startswith(_PROGRAMS):
        return respond(problem, retry_after_s=retry_after_s)
    else:
        response = refusal_page(request, problem)
    if retry_after_s is not None:
        response.headers["Retry-After"] = str(max(1, round(retry_after_s)))
    return response


def _begins_work(request: Request) -> bool:
    """Return True for a request that plays, changes a campaign, follows a table or starts a job."""
    path = request.url.path
    return path.endswith("/events") or (request.method not in _SAFE and path.startswith(_WORK))


def _add_refusals(app: FastAPI, service: Service) -> None:
    @app.exception_handler(LorewrightError)
    async def refuse(request: Request, error: LorewrightError) -> Response:
        if isinstance(error, NotSignedIn) and is_event_source(request):
            # The browser's session has ended: by this status an EventSource asks no more.
            return Response(status_code=204)
        problem = problem_of(error, service.workspace)
        if problem.status >= 500:
            log_event("error", level="error", code=error.code)
        return _refuse(request, problem, error.retry_after_s if isinstance(error, TooManyRequests) else None)

    @app.exception_handler(RequestValidationError)
    async def refuse_request(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = Problem(
            title=HTTPStatus(422).phrase,
            status=422,
            detail=f"{where}: {first['msg']}",
            code="request_invalid",
            hint="see /openapi.json",
        )
        return _refuse(request, problem)

    @app.exception_handler(HTTPException)
    async def refuse_http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return _refuse(request, problem_of(NotFound(""), service.workspace))
        problem = Problem(
            title=HTTPStatus(error.status_code).phrase,
            status=error.status_code,
            detail=str(error.detail),
            code=_CODES.get(error.status_code, "request_invalid"),
        )
        response = _refuse(request, problem)
        response.headers.update(error.headers or {})
        return response


class _Watch:
    """Counts requests, and gives answers their ETag.

    It is no `middleware("http")` of Starlette: that runs each request in a group of tasks, whose cancelled ones hold on
    to each other until a garbage collection, in which all turns stand still.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, request, service = time.perf_counter(), Request(scope, receive), self._service
        kind = next((kind for kind in _KINDS if request.url.path.startswith(kind)), "other")
        tagged = _Tagged(request, send) if request.method == "GET" and kind.startswith("/v1") else None

        async def send_watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                service.metrics.requests.labels(kind, str(message["status"])).inc()
                service.metrics.request_seconds.labels(kind).observe(time.perf_counter() - began)
                headers = MutableHeaders(raw=list(message.get("headers", ())))
                headers.setdefault("Cache-Control", "no-store" if kind != "/static" else "max-age=3600")
                message = {**message, "headers": headers.raw}
            await (send if tagged is None else tagged.send)(message)

        if service.hub.is_closing and _begins_work(request):
            refusal: Response | None = _refuse(request, problem_of(stopping(), service.workspace))
        else:
            refusal = await _refused(request, service)
        await (self._app if refusal is None else refusal)(scope, receive, send_watched)


class _Tagged:
    """Sends a JSON answer whole, with the hash of its bytes as ETag; 304 where the client has these bytes already.
    Other answers it sends as they come."""

    def __init__(self, request: Request, send: Send) -> None:
        self._request = request
        self._send = send
        self._start: Message | None = None
        self._body: list[bytes] = []

    async def send(self, message: Message) -> None:
        """Send a part of an answer, or keep it until the answer is whole."""
        if message["type"] == "http.response.start":
            kind = MutableHeaders(raw=message["headers"]).get("content-type", "")
            if message["status"] == HTTPStatus.OK and kind.startswith("application/json"):
                self._start = message
                return
        if self._start is None:
            await self._send(message)
            return
        self._body.append(message.get("body", b""))
        if not message.get("more_body", False):
            await self._send_whole(self._start, b"".join(self._body))

    async def _send_whole(self, start: Message, body: bytes) -> None:
        etag = f'"{sha256(body).hexdigest()[:32]}"'
        headers = MutableHeaders(raw=start["headers"])
        headers["ETag"], headers["Cache-Control"] = etag, "private, no-cache"
        if etag in (self._request.headers.get("if-none-match") or ""):
            del headers["Content-Length"]
            del headers["Content-Type"]
            start, body = {**start, "status": HTTPStatus.NOT_MODIFIED.value}, b""
        await self._send({**start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})


async def _refused(request: Request, service: Service) -> Response | None:
    """Return the refusal of a request while the accounts do not answer."""
    if request.url.path.startswith(_WITHOUT_ACCOUNTS):
        return None
    try:
        await service.accounts_answer()
    except LorewrightError as problem:
        return _refuse(request, problem_of(problem, service.workspace))
    return None
