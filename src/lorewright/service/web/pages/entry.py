"""The pages of accounts: signing in, links, home, one's own account, administration."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from lorewright.errors import AccessRefused, LorewrightError, NotFound, NotSignedIn, SettingsError
from lorewright.service.web.access import Caller, check_csrf, session_of
from lorewright.service.web.accounts import SCOPES
from lorewright.service.web.api.accounts import address_of, check_sign_in, end_session, set_cookie
from lorewright.service.web.budgets import MonthSpent
from lorewright.service.web.pages.rendering import render_page
from lorewright.service.web.pages.requests import (
    Asker,
    Here,
    redirect_to,
    role_in_words,
    session_values,
    show_time,
)
from lorewright.service.web.service import Service

entry_pages = APIRouter(include_in_schema=False)


# Signing in.


@entry_pages.get("/sign-in")
async def sign_in_page(service: Here, goal: Annotated[str, Query(alias="next", max_length=1_000)] = "/") -> Response:
    """The page on which one signs in."""
    values = {"title": "Sign in", "problem": "", "next": _own_path(goal)}
    return render_page("sign_in", values)


@entry_pages.post("/sign-in")
async def sign_in(
    request: Request,
    service: Here,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1_000)] = "",
    goal: Annotated[str, Form(alias="next", max_length=1_000)] = "/",
) -> Response:
    """Sign in."""
    try:
        account = await check_sign_in(request, service, name, password)
    except (NotSignedIn, AccessRefused) as error:
        values = {"title": "Sign in", "problem": error.message, "next": _own_path(goal)}
        return render_page("sign_in", values, status=401 if isinstance(error, NotSignedIn) else 429)
    response = redirect_to(_own_path(goal))
    set_cookie(response, service, service.accounts.begin_session(account)[0])
    return response


def _own_path(path: str) -> str:
    """Return a path of this service; the home page for anything else."""
    return path if re.fullmatch(r"/(?![/\\])[\w/.?=&%:+~-]*", path) else "/"


@entry_pages.post("/sign-out")
async def sign_out(request: Request, service: Here, caller: Asker) -> Response:
    """Sign out."""
    response = redirect_to("/sign-in")
    end_session(request, response, service, caller)
    return response


@entry_pages.get("/enter/{secret}")
async def enter_page(request: Request, service: Here, secret: str) -> Response:
    """The page of a link that lets somebody in. Looking at it uses nothing up: programs that preview links do that."""
    return _enter(request, service, secret)


def _enter(request: Request, service: Service, secret: str, problem: str = "", *, status: int = 200) -> Response:
    link = service.accounts.link(secret)
    if link is None:
        raise NotFound("the link was used already, or it has expired")
    session = session_of(request, service.accounts)
    name = ""
    if link.campaign_id is not None:
        name = next((row.name for row in service.accounts.tables([link.campaign_id])), link.campaign_id)
    values = {
        "title": "Welcome",
        "secret": secret,
        "is_owner_link": link.kind == "owner",
        "table": name,
        "role": role_in_words(link.role or ""),
        "me": None if session is None else session.account.name,
        "csrf": None if session is None else session.csrf,
        "problem": problem,
    }
    return render_page("enter", values, status=status)


@entry_pages.post("/enter/{secret}")
async def enter(
    request: Request,
    service: Here,
    secret: str,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Use a link: as the owner, or to take a seat, with the account that is signed in or a new one."""
    accounts = service.accounts
    service.sign_ins.take(address_of(request))
    link = accounts.link(secret)
    if link is None:
        raise NotFound("the link was used already, or it has expired")
    if link.kind == "owner":
        account = accounts.use_owner_link(secret)
    elif (session := session_of(request, accounts)) is not None:
        form = await request.form()
        check_csrf(session, str(form.get("csrf", "")))
        account = accounts.take_seat(secret, session.account)
    else:
        try:
            account = await service.hashing(lambda: accounts.create(name, password, link=secret))
        except SettingsError as error:
            return _enter(request, service, secret, f"{error.message}: {error.hint}", status=422)
    response = redirect_to("/")
    if link.campaign_id is not None:
        accounts.note(account, "enter", campaign_id=link.campaign_id, role=link.role)
        response = redirect_to(f"/table/{quote(link.campaign_id)}")
    if session_of(request, accounts) is None or link.kind == "owner":
        set_cookie(response, service, accounts.begin_session(account)[0])
    return response


# Home.


@entry_pages.get("/")
async def home(service: Here, caller: Asker) -> Response:
    """My tables, and what can be begun."""
    if caller.account.is_owner:
        await service.take_stock()
    values = {
        "title": "Your tables",
        **session_values(caller),
        "tables": [
            {
                "id": table.id,
                "name": table.name,
                "turn_no": table.turn_no,
                "played_at": show_time(table.played_at),
                "is_gm": "gm" in table.roles,
                "roles": ", ".join(role_in_words(role) for role in table.roles),
            }
            for table in service.listed(caller)
        ],
        "may_begin": caller.account.is_owner,
        "scenarios": [scenario.model_dump() for scenario in await service.scenarios()],
    }
    return render_page("home", values)


@entry_pages.post("/begin")
async def begin(service: Here, caller: Asker, scenario: Annotated[str, Form(max_length=200)]) -> Response:
    """Begin a game."""
    service.turns.take(caller.account.id)
    return redirect_to(f"/table/{quote(await service.begin(caller.account, scenario))}")


# Account and administration.


@entry_pages.get("/account")
async def account(service: Here, caller: Asker) -> Response:
    """My password and my tokens."""
    return _account(service, caller)


def _account(service: Service, caller: Caller, *, problem: str = "", secret: str = "", status: int = 200) -> Response:
    values = {
        "title": "Your account",
        **session_values(caller),
        "has_password": caller.account.has_password,
        "scopes": sorted(caller.scopes),
        "tokens": [
            {
                "id": token.id,
                "name": token.name,
                "scopes": ", ".join(token.scopes),
                "campaign_id": token.campaign_id or "all tables",
            }
            for token in service.accounts.tokens(caller.account)
        ],
        "problem": problem,
        "secret": secret,
        "spent": spent_in_words(service.spending.of(caller.account)),
    }
    return render_page("account", values, status=status)


@entry_pages.post("/account/password")
async def set_password(
    request: Request,
    service: Here,
    caller: Asker,
    password: Annotated[str, Form(max_length=1_000)] = "",
    old: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Set my password, with the old one where there is one; this browser stays signed in, the others do not."""
    me = caller.account
    try:
        if me.has_password:
            # A browser that was left open is not enough to take the account over.
            await check_sign_in(request, service, me.name, old)
        await service.hashing(lambda: service.accounts.set_password(me.id, password))
    except NotSignedIn:
        return _account(service, caller, problem="the old password is not right", status=422)
    except SettingsError as error:
        return _account(service, caller, problem=f"{error.message}: {error.hint}", status=422)
    service.accounts.note(me, "password")
    service.hub.wake(me.id)
    response = redirect_to("/account")
    set_cookie(response, service, service.accounts.begin_session(caller.account)[0])
    return response


@entry_pages.post("/account/tokens")
async def make_token(
    request: Request, service: Here, caller: Asker, name: Annotated[str, Form(max_length=40)] = ""
) -> Response:
    """Make a token; its secret is shown once."""
    form = await request.form()
    wanted = [scope for scope in SCOPES if form.get(f"scope-{scope}")]
    try:
        secret, _ = service.accounts.new_token(caller.account, name=name, scopes=wanted)
    except LorewrightError as error:
        return _account(service, caller, problem=f"{error.message}: {error.hint}", status=422)
    return _account(service, caller, secret=secret)


@entry_pages.post("/account/tokens/revoke")
async def revoke_token(service: Here, caller: Asker, token: Annotated[str, Form(max_length=40)]) -> Response:
    """Revoke a token."""
    service.accounts.revoke_token(caller.account, token)
    service.hub.wake(caller.account.id)
    return redirect_to("/account")


@entry_pages.get("/admin")
async def admin(service: Here, caller: Asker) -> Response:
    """Accounts, models and budget, health."""
    caller.needs("admin")

    async def health(tables: Any) -> dict[str, Any]:
        models = tables.app.workspace.settings.models
        return {
            "packs": [f"{pack.name} {pack.version}" for pack in tables.app.library.packs()],
            "stages": [f"{stage}: {key}" for stage, key in sorted(models.stages.items())],
            "budget": f"{models.budget.turn_usd} $ a turn, {models.budget.sitting_usd} $ a sitting",
            "embedder": tables.app.workspace.settings.index.embedder,
        }

    values = {
        "title": "Administration",
        **session_values(caller),
        "accounts": [
            {
                "id": known.id,
                "name": known.name,
                "is_owner": known.is_owner,
                "is_disabled": known.is_disabled,
                "spent": spent_in_words(spent),
                "most": "" if spent.most_usd is None else f"{spent.most_usd:g}",
            }
            for known in service.accounts.all()
            for spent in (service.spending.of(known),)
        ],
        **await service.engine.run(health),
        "open_count": service.engine.open_count,
        "streams": service.hub.streams,
        "audit": [
            {
                "at": show_time(entry.at),
                "account": entry.account,
                "action": entry.action,
                "campaign_id": entry.campaign_id or "",
            }
            for entry in service.accounts.audit(last=50)
        ],
    }
    return render_page("admin", values)


@entry_pages.post("/admin/accounts")
async def disable_account(
    service: Here,
    caller: Asker,
    account: Annotated[str, Form(max_length=40)],
    disabled: Annotated[bool, Form()],
) -> Response:
    """Shut an account out, or let it in again."""
    caller.needs("admin")
    service.accounts.disable(account, disabled=disabled)
    service.hub.wake(account)
    service.accounts.note(caller.account, "disable" if disabled else "enable", member=account)
    return redirect_to("/admin")


def spent_in_words(spent: MonthSpent) -> str:
    """Return what models have cost for an account this month, and may cost."""
    return f"{spent.usd:.2f} $ this month" + ("" if spent.most_usd is None else f", at most {spent.most_usd:g} $")


@entry_pages.post("/admin/budget")
async def set_budget(
    service: Here,
    caller: Asker,
    account: Annotated[str, Form(max_length=40)],
    usd: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Set what models may cost for an account in a month; nothing takes the bound away."""
    caller.needs("admin")
    try:
        most = float(usd) if usd.strip() else None
    except ValueError:
        raise SettingsError("a budget is an amount in dollars", hint="as in 5, or nothing for no bound") from None
    service.spending.bound(service.accounts.account(account), most)
    service.accounts.note(caller.account, "budget", member=account, usd=most)
    return redirect_to("/admin")
