"""A request -> who asks, and what they may: by the cookie of a browser or the token of a program.

The viewer comes from the seat of the account, never from the request: a request may at most name one of the account's
own seats, and a game master may look with a player's eyes.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from typing import Protocol

from starlette.requests import Request

from lorewright.errors import AccessRefused, NotFound, NotSignedIn, TooManyRequests
from lorewright.service.web.accounts import SCOPES, Account, Scope, Seat, WebSession
from lorewright.service.web.store import Accounts
from lorewright.storage.postgres.limits import SharedLimits

_COOKIE = "lorewright"
CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"

# So long an address stays known to all workers as that of an account.
_KNOWN_S = 30 * 24 * 3600.0

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the account, and what this request may do with it. `csrf` is that of the browser's session."""

    account: Account
    scopes: frozenset[Scope]
    campaign_id: str | None = None
    role: str | None = None
    csrf: str | None = None
    token_id: str | None = None
    session_id: str | None = None

    def needs(self, scope: Scope) -> None:
        """Refuse a request without a scope.

        Raises:
            AccessRefused: it does not have the scope.
        """
        if scope not in self.scopes or (scope == "admin" and not self.account.is_owner):
            raise AccessRefused(f"this needs the scope {scope}", hint="use a token that has it, or another account")

    def seat(self, accounts: Accounts, campaign_id: str, *, role: str | None = None) -> Seat:
        """Return the seat that the request has at a table: that of its token, else the named one, else the one that
        the account plays from.

        Raises:
            NotFound: the account has none; nor can it be told whether there is such a table.
            AccessRefused: it is the game master's, and the request has not the scope `gm`.
        """
        seat = self._seat(accounts, campaign_id, role)
        if seat.is_gm or (seat.role != self.role and seat not in accounts.seats_of(self.account)):
            # Without the scope nothing is seen with a game master's eyes, nor with those that one lets them borrow.
            self.needs("gm")
        return seat

    def _seat(self, accounts: Accounts, campaign_id: str, role: str | None) -> Seat:
        if self.campaign_id not in (None, campaign_id):
            raise NotFound("there is no such table, or you have no seat at it")
        if self.role is not None:
            found = accounts.seat_of(self.account, campaign_id, self.role)
            if role in (None, self.role):
                return found
            if found.is_gm and role is not None:
                return accounts.seat_of(self.account, campaign_id, role)
            raise NotFound("there is no such table, or you have no seat at it")
        return accounts.seat_of(self.account, campaign_id, role)

    def is_still_let_in(self, accounts: Accounts) -> bool:
        """Return whether the request would be let in now: the account was not shut out since, its browser is signed in,
        its token is neither revoked nor has it ended."""
        return accounts.lives(self.account.id, session_id=self.session_id, token_id=self.token_id)

    def gm_seat(self, accounts: Accounts, campaign_id: str) -> Seat:
        """Return the game master's seat at a table.

        Raises:
            NotFound: the account has no such seat there.
            AccessRefused: the request has not the scope `gm`.
        """
        return self.seat(accounts, campaign_id, role="gm")


def caller_of(request: Request, accounts: Accounts) -> Caller:
    """Return who asks.

    Raises:
        NotSignedIn: no valid token, no valid cookie.
        AccessRefused: a request that changes something came with a cookie and without its form's secret.
    """
    shown = request.headers.get("authorization", "")
    if shown:
        kind, _, secret = shown.partition(" ")
        found = accounts.token(secret.strip()) if kind.casefold() == "bearer" else None
        if found is None:
            raise NotSignedIn("the token is not valid", hint="make one: your account, tokens")
        account, token = found
        return Caller(account, frozenset(token.scopes), token.campaign_id, token.role, token_id=token.id)
    session = session_of(request, accounts)
    if session is None:
        raise NotSignedIn("you are not signed in", hint="open the link that you were given, or sign in")
    if request.method not in _SAFE:
        check_csrf(session, request.headers.get(CSRF_HEADER, ""))
    return browser_caller(session)


def browser_caller(session: WebSession) -> Caller:
    """Return who asks with a browser: it may do all that its account may."""
    scopes = SCOPES if session.account.is_owner else tuple(scope for scope in SCOPES if scope != "admin")
    return Caller(session.account, frozenset(scopes), csrf=session.csrf, session_id=session.id)


def session_of(request: Request, accounts: Accounts) -> WebSession | None:
    """Return the session of the request's cookie, None where there is none."""
    secret = cookie_of(request)
    return None if not secret else accounts.session(secret)


def is_event_source(request: Request) -> bool:
    """Return whether a browser's `EventSource` asks for a table's events: by its cookie, without a token."""
    accepts = request.headers.get("accept", "")
    is_of_events = request.url.path.startswith("/v1/campaigns/") and request.url.path.endswith("/events")
    return is_of_events and "text/event-stream" in accepts and "authorization" not in request.headers


def cookie_name(*, secure: bool) -> str:
    """Return the name of the session's cookie. Over https a browser takes one of this name from this host alone, and
    neither from a subdomain's page nor over http."""
    return f"__Host-{_COOKIE}" if secure else _COOKIE


def cookie_of(request: Request) -> str:
    """Return the secret of the request's cookie; empty where it has none."""
    is_secure = request.app.state.service.address.is_secure
    return request.cookies.get(cookie_name(secure=is_secure), "")


def check_csrf(session: WebSession, shown: str) -> None:
    """Refuse a request whose form does not carry the session's secret.

    Raises:
        AccessRefused: it does not.
    """
    if not hmac.compare_digest(shown.encode("utf-8", "replace"), session.csrf.encode()):
        raise AccessRefused("the form is not of this session", hint="load the page again and send it once more")


class SignInLimit:
    """How often a password may be tried: from one address, and for one name from addresses that are strange to it.

    Whoever knows a name could keep its owner out by wrong passwords. So tries from an address at which the account has
    signed in before do not count as strange. In memory: after a start all addresses are strange, and few tries a minute
    are still left to each.
    """

    _MOST_KNOWN = 10_000

    def __init__(
        self,
        *,
        of_address: int = 10,
        of_name: int = 30,
        clock: Callable[[], float] = time.monotonic,
        shared: SharedLimits | None = None,
    ) -> None:
        """`of_address` and `of_name` are a minute's tries, and those at once. With `shared` they are counted there, for
        all workers, and an address stays known for some weeks."""
        self._shared = shared
        self._addresses = rate_limit("address", of_address, at_once=of_address, clock=clock, shared=shared)
        self._names = rate_limit("name", of_name, at_once=of_name, clock=clock, shared=shared)
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    def take(self, address: str, name: str | None = None) -> None:
        """Count a try, of a link or of a name's password.

        Raises:
            TooManyRequests: there were too many.
        """
        network = network_of(address)
        self._addresses.take(network)
        if name is not None and not self._knows(name, network):
            self._names.take(name)

    def succeeded(self, address: str, name: str) -> None:
        """Remember that a name has signed in from an address."""
        key = (name, network_of(address))
        if self._shared is not None:
            self._shared.keep("known", "\n".join(key), for_s=_KNOWN_S)
            return
        self._known[key] = None
        self._known.move_to_end(key)
        if len(self._known) > self._MOST_KNOWN:
            self._known.popitem(last=False)

    def _knows(self, *key: str) -> bool:
        return key in self._known if self._shared is None else self._shared.keeps("known", "\n".join(key))


def network_of(address: str) -> str:
    """Return what stands for somebody's connection: an IPv4 address, or the /64 of an IPv6 address, of which one
    connection has all 2^64."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or ip_network((found, 64), strict=False))
    return str(found)


class Limit(Protocol):
    """So many requests in a minute for each key."""

    def take(self, key: str) -> None:
        """Count a request.

        Raises:
            TooManyRequests: there were too many of the key.
        """


def rate_limit(
    kind: str,
    a_minute: float,
    *,
    at_once: float,
    clock: Callable[[], float] = time.monotonic,
    shared: SharedLimits | None = None,
) -> Limit:
    """Return a limit, for one process or for all that share one."""
    if shared is None:
        return RateLimit(a_minute, at_once=at_once, clock=clock)
    return SharedRateLimit(shared, kind, a_minute, at_once=at_once)


class SharedRateLimit:
    """A limit as `RateLimit`, for all workers of one database."""

    def __init__(self, shared: SharedLimits, kind: str, a_minute: float, *, at_once: float) -> None:
        self._shared = shared
        self._kind = kind
        self._step_s = 60 / a_minute
        self._most = at_once

    def take(self, key: str) -> None:
        """Count a request.

        Raises:
            TooManyRequests: there were too many of the key.
            DatabaseUnavailable: it cannot be counted.
        """
        if wait := self._shared.take(self._kind, key, step_s=self._step_s, at_once=self._most):
            raise _too_many(wait)


class RateLimit:
    """So many requests in a minute for each key, evenly: a bucket that fills by and by. In memory, for one process."""

    _MOST_KEYS = 10_000

    def __init__(self, a_minute: float, *, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = a_minute / 60
        self._most = at_once
        self._clock = clock
        self._lock = Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Count a request.

        Raises:
            TooManyRequests: there were too many of the key.
        """
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(key, (self._most, now))
            left = min(self._most, left + (now - since) * self._rate)
            self._left[key] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > self._MOST_KEYS:
                self._left.popitem(last=False)
        if left < 1:
            raise _too_many((1 - left) / self._rate)


def _too_many(wait: float) -> TooManyRequests:
    return TooManyRequests("too many requests", hint=f"try again in {wait:.0f} seconds", retry_after_s=wait)
