"""A service's address and a token -> its answers as typed values, its refusals as the library's own errors, its events.

What may safely be sent twice, because it only reads or carries an idempotency key, is sent again, a few times, when a
connection breaks off before the answer has come, or the service says that it cannot answer just now.
"""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeVar, cast
from urllib.parse import quote

import httpx2
from pydantic import Field, TypeAdapter, ValidationError

from lorewright import errors
from lorewright.errors import LorewrightError, ServiceError, TooManyRequests
from lorewright.service.web.shapes import Problem, Shape, TurnShown

T = TypeVar("T")

# A broken request is sent again so often, after this wait, which doubles each time.
_TRIES_AGAIN = 3
_FIRST_WAIT_S = 0.2
# A model may take minutes over a turn; a stream of events says every fifteen seconds that it lives.
PATIENCE_S = 300.0
_CONNECT_S = 10.0
# What a connection says when it breaks off. A client that was closed, or a malformed address, is no such thing.
_BROKEN = (httpx2.NetworkError, httpx2.TimeoutException, httpx2.RemoteProtocolError)


# What happens at a table.


class TurnSignal(Shape):
    """A turn is begun, a provisional narration is withdrawn, or a turn ended without being committed."""

    kind: Literal["begun", "withdrawn", "ended"]


class NarrationPiece(Shape):
    """A piece of a narration that is being written: provisional, until the turn is committed."""

    kind: Literal["told"] = "told"
    text: str


class TurnCommitted(Shape):
    """A turn, as the seat reads it."""

    kind: Literal["committed"] = "committed"
    turn: TurnShown


class StoryMoved(Shape):
    """The story stands elsewhere: load the table again."""

    kind: Literal["moved"] = "moved"
    turn_no: int
    revision: int


class TurnFailed(Shape):
    """A turn of one's own that nobody waited for could not be played, or the table cannot be read any more."""

    kind: Literal["failed"] = "failed"
    code: str
    detail: str = ""
    hint: str | None = None


class StreamClosing(Shape):
    """The stream ends: the service stops; or, with a reason, this program is let in no more (`signed_out`), or the seat
    was taken away (`no_seat`)."""

    kind: Literal["closing"] = "closing"
    reason: str = ""


TableNews = Annotated[
    TurnSignal | NarrationPiece | TurnCommitted | StoryMoved | TurnFailed | StreamClosing, Field(discriminator="kind")
]
_NEWS: TypeAdapter[TableNews] = TypeAdapter(TableNews)


class ServiceConnection:
    """Sends requests to a service. Closed with the HTTP client that it made; one that it was given stays open."""

    def __init__(self, url: str, token: str, *, http: httpx2.Client | None = None) -> None:
        """`url` is the service's address without `/v1`; with `http` requests are sent by that client."""
        self._root = f"{url.rstrip('/')}/v1"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._is_own = http is None
        self._http = http or httpx2.Client(timeout=httpx2.Timeout(PATIENCE_S, connect=_CONNECT_S))

    def close(self) -> None:
        """Close the HTTP client, where it is our own."""
        if self._is_own:
            self._http.close()

    def read(self, kind: type[T], *path: str | int, **query: Any) -> T:
        """Return the answer to a GET. `path` are the parts of the path, query parameters that are None are left out.

        Raises:
            LorewrightError: the service refuses, with the error that its code is of.
            ServiceError: it cannot be reached, refuses otherwise, or answers something else.
        """
        return _parse(kind, self._send("GET", path, query=query, again=True))

    def read_bytes(self, *path: str | int, **query: Any) -> bytes:
        """Return the bytes that a GET answers with; raises as `read`."""
        return self._send("GET", path, query=query, again=True).content

    def post(
        self,
        kind: type[T],
        *path: str | int,
        sent: Mapping[str, Any] | bytes,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = False,
        **query: Any,
    ) -> T:
        """Return the answer to a POST of JSON, or of bytes; raises as `read`.

        It is sent again on a broken connection only with a key, which lets it be done once, or with `again`, where it
        changes nothing.
        """
        more = {**(headers or {}), **({} if key is None else {"Idempotency-Key": key})}
        body: dict[str, Any] = {"content": sent} if isinstance(sent, bytes) else {"json": _drop_none(sent)}
        answer = self._send("POST", path, query=query, again=again or key is not None, headers=more, **body)
        return _parse(kind, answer)

    def delete(self, *path: str | int, **query: Any) -> None:
        """Send a DELETE; raises as `read`."""
        self._send("DELETE", path, query=query, again=False)

    def follow(self, *path: str | int, after: int | None = None, **query: Any) -> Iterator[TableNews]:
        """Yield the events of a stream up to its end. A stream that breaks off is taken up again after the last turn
        that was committed in it.

        Raises:
            LorewrightError, ServiceError: as `read`.
        """
        last, broken = after, 0
        while True:
            try:
                for news in self._stream(path, {**query, "after": last}):
                    broken = 0
                    if isinstance(news, TurnCommitted):
                        last = news.turn.turn_no
                    elif isinstance(news, StoryMoved):
                        last = news.turn_no
                    yield news
                    if isinstance(news, StreamClosing):
                        return
                raise httpx2.RemoteProtocolError("the stream ended without saying so")
            except _BROKEN as problem:
                broken += 1
                if broken > _TRIES_AGAIN:
                    raise _make_unreachable(problem) from None
                time.sleep(_FIRST_WAIT_S * 2 ** (broken - 1))

    def _stream(self, path: tuple[str | int, ...], query: Mapping[str, Any]) -> Iterator[TableNews]:
        params, kind = _drop_none(query), ""
        with self._http.stream("GET", self._url(path), params=params, headers=self._headers) as answer:
            if not answer.is_success:
                answer.read()
                raise _make_refusal(answer)
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    yield _read_news(kind, value)

    def _send(
        self,
        method: str,
        path: tuple[str | int, ...],
        *,
        query: Mapping[str, Any],
        again: bool,
        headers: Mapping[str, str] | None = None,
        **body: Any,
    ) -> httpx2.Response:
        tries = 1 + (_TRIES_AGAIN if again else 0)
        for number in range(tries):
            try:
                answer = self._http.request(
                    method,
                    self._url(path),
                    params=_drop_none(query),
                    headers={**self._headers, **(headers or {})},
                    **body,
                )
            except _BROKEN as problem:
                if number + 1 == tries:
                    raise _make_unreachable(problem) from None
            else:
                # A worker that leaves, or a database that is away for now: another try may be answered.
                if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE or number + 1 == tries:
                    break
            time.sleep(_FIRST_WAIT_S * 2**number)
        if not answer.is_success:
            raise _make_refusal(answer)
        return answer

    def _url(self, path: tuple[str | int, ...]) -> str:
        """Return the URL of a path; a part that would lead elsewhere is encoded."""
        return "/".join((self._root, *map(_encode, path)))


def _encode(part: str | int) -> str:
    text = quote(str(part), safe=":")
    return text if text.strip(".") else text.replace(".", "%2E")


def _drop_none(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


@cache
def _make_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _parse(kind: type[T], answer: httpx2.Response) -> T:
    try:
        found: T = _make_adapter(cast(Hashable, kind)).validate_json(answer.content)
    except ValidationError as problem:
        raise _make_misreading(problem) from None
    return found


def _read_news(kind: str, data: str) -> TableNews:
    try:
        shown = json.loads(data)
        told = {"kind": kind, "turn": shown} if kind == "committed" else {**shown, "kind": kind}
        found: TableNews = _NEWS.validate_python(told)
    except (ValueError, TypeError) as problem:
        raise _make_misreading(problem) from None
    return found


def _make_misreading(problem: Exception) -> ServiceError:
    first = str(problem).splitlines()[0]
    return ServiceError(f"the answer is not of a service of this version: {first}", hint="look at its address: url")


def _make_unreachable(problem: Exception) -> ServiceError:
    return ServiceError(f"the service cannot be reached: {problem}", hint="is it running, and at this address?")


def _find_kinds(kind: type[LorewrightError] = LorewrightError) -> Iterator[type[LorewrightError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _find_kinds(child)


# A code -> its error.
_BY_CODE = {
    kind.code: kind for kind in _find_kinds() if kind.__module__ == errors.__name__ and kind is not ServiceError
}


def _make_refusal(answer: httpx2.Response) -> LorewrightError:
    """Return the error that a refusal stands for."""
    try:
        problem = Problem.model_validate_json(answer.content)
    except ValidationError:
        return ServiceError(f"the service answered with the status {answer.status_code}", status=answer.status_code)
    kind, message = _BY_CODE.get(problem.code), problem.detail or problem.title
    if kind is None:
        return ServiceError(message, hint=problem.hint, code=problem.code, status=problem.status)
    if kind is TooManyRequests:
        wait = answer.headers.get("retry-after", "")
        return TooManyRequests(message, hint=problem.hint, retry_after_s=float(wait) if wait.isdigit() else 1.0)
    return kind(message, hint=problem.hint)
