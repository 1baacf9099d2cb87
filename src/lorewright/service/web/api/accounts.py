"""The API of accounts: sessions of browsers, tokens of programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from lorewright.errors import (
    AccessRefused,
    NotSignedIn,
    SettingsError,
)
from lorewright.service.web.access import Caller, cookie_name, cookie_of
from lorewright.service.web.accounts import Account, Scope, Token
from lorewright.service.web.api.requests import (
    REFUSALS,
    Asker,
    Here,
    Sent,
)
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import (
    Me,
    OwnSeat,
    TokenShown,
)
from lorewright.service.web.store import name_key

accounts_api = APIRouter(prefix="/v1", responses=REFUSALS)


class SignIn(Sent):
    """A name and a password."""

    name: str = Field(max_length=200, examples=["Ann"])
    password: str = Field(max_length=1_000, examples=["correct horse battery staple"])


class NewToken(Sent):
    """A token to be made."""

    name: str = Field(default="", max_length=40, examples=["bot"])
    scopes: tuple[Scope, ...] = Field(default=("read", "play"), min_length=1, max_length=5)
    campaign_id: str | None = Field(default=None, max_length=100, description="Only for this table.")
    role: str | None = Field(default=None, max_length=200, description="Only with this role there.")
    days: int | None = Field(default=None, ge=1, le=3_650, description="It ends after so many days.")


@accounts_api.post("/session", tags=["accounts"], status_code=204)
async def sign_in(request: Request, response: Response, service: Here, sent: SignIn) -> None:
    """Sign in with name and password: the answer sets the cookie of the session. What changes something is then sent
    with the header X-CSRF-Token, which `GET /v1/session` has."""
    account = await check_sign_in(request, service, sent.name, sent.password)
    set_cookie(response, service, service.accounts.begin_session(account)[0])


async def check_sign_in(request: Request, service: Service, name: str, password: str) -> Account:
    """Return the account of a name and its password.

    Raises:
        NotSignedIn: they do not fit.
        TooManyRequests: it was tried too often.
    """
    address, key = address_of(request), name_key(name)
    service.sign_ins.take(address, key)
    found = await service.hashing(lambda: service.accounts.check_password(name, password))
    if found is None:
        raise NotSignedIn("name and password do not fit", hint="ask the owner for an invitation if you have none")
    service.sign_ins.succeeded(address, key)
    return found


def address_of(request: Request) -> str:
    """Return the address that a request comes from; empty where it is not known."""
    return request.client.host if request.client else ""


def set_cookie(response: Response, service: Service, secret: str) -> None:
    """Give a browser its session's cookie."""
    response.set_cookie(
        cookie_name(secure=service.address.is_secure),
        secret,
        max_age=30 * 24 * 3600,
        httponly=True,
        samesite="lax",
        secure=service.address.is_secure,
        path="/",
    )


def end_session(request: Request, response: Response, service: Service, caller: Caller) -> None:
    """Sign a browser out: its cookie and its streams end."""
    service.accounts.end_session(cookie_of(request))
    service.hub.wake(caller.account.id)
    name = cookie_name(secure=service.address.is_secure)
    response.delete_cookie(name, path="/", secure=service.address.is_secure, httponly=True, samesite="lax")


class SessionShown(BaseModel):
    """The secret that a browser sends with what changes something."""

    csrf_token: str


@accounts_api.get("/session", tags=["accounts"])
async def session(caller: Asker) -> SessionShown:
    """The session of a browser."""
    if caller.csrf is None:
        raise SettingsError("a token has no session", hint="send it as it is")
    return SessionShown(csrf_token=caller.csrf)


@accounts_api.delete("/session", tags=["accounts"], status_code=204)
async def sign_out(request: Request, response: Response, service: Here, caller: Asker) -> None:
    """Sign out."""
    end_session(request, response, service, caller)


@accounts_api.get("/me", tags=["accounts"])
async def me(service: Here, caller: Asker) -> Me:
    """Who asks, what they may do, and where they sit."""
    account = caller.account
    spent = service.spending.of(account)
    return Me(
        id=account.id,
        name=account.name,
        is_owner=account.is_owner,
        scopes=tuple(sorted(caller.scopes)),
        seats=tuple(
            OwnSeat(campaign_id=seat.campaign_id, role=seat.role)
            for seat in service.accounts.seats_of(account)
            if caller.campaign_id in (None, seat.campaign_id)
        ),
        spent_usd=round(spent.usd, 4),
        most_usd=spent.most_usd,
    )


@accounts_api.get("/tokens", tags=["accounts"])
async def list_tokens(service: Here, caller: Asker) -> list[TokenShown]:
    """Your tokens, without their secrets."""
    _needs_browser(caller)
    return [_token(token) for token in service.accounts.tokens(caller.account)]


@accounts_api.post("/tokens", tags=["accounts"], status_code=201)
async def make_token(service: Here, caller: Asker, sent: NewToken) -> TokenShown:
    """Make a token for a program: it may do what its scopes name, and never more than you may. Its secret is told
    once."""
    _needs_browser(caller)
    secret, token = service.accounts.new_token(
        caller.account,
        name=sent.name,
        scopes=sent.scopes,
        campaign_id=sent.campaign_id,
        role=sent.role,
        days=sent.days,
    )
    service.accounts.note(caller.account, "token", campaign_id=sent.campaign_id, token=token.id)
    return _token(token, secret)


@accounts_api.delete("/tokens/{token}", tags=["accounts"], status_code=204)
async def revoke_token(service: Here, caller: Asker, token: Annotated[str, Path(max_length=40)]) -> None:
    """Revoke a token at once."""
    _needs_browser(caller)
    service.accounts.revoke_token(caller.account, token)
    service.hub.wake(caller.account.id)


def _needs_browser(caller: Caller) -> None:
    """Refuse requests by a token: a token makes no other tokens."""
    if caller.csrf is None:
        raise AccessRefused("tokens are made by people", hint="sign in, in a browser")


def _token(token: Token, secret: str | None = None) -> TokenShown:
    return TokenShown(
        id=token.id,
        name=token.name,
        scopes=token.scopes,
        campaign_id=token.campaign_id,
        role=token.role,
        created_at=token.created_at,
        expires_at=token.expires_at,
        secret=secret,
    )
