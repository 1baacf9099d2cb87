"""What all pages share: who asks, from which seat, and how they are refused."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from lorewright.errors import LorewrightError, NotSignedIn
from lorewright.service.web.access import Caller, browser_caller, check_csrf, session_of
from lorewright.service.web.accounts import Seat, check_role
from lorewright.service.web.pages.rendering import render_page
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import Problem


def service_of(request: Request) -> Service:
    """Return the running service."""
    service: Service = request.app.state.service
    return service


# A plain function would be called in a thread of its own.
async def _service_here(request: Request) -> Service:
    return service_of(request)


Here = Annotated[Service, Depends(_service_here)]


async def signed_in(request: Request) -> Caller:
    """Return who asks with a browser; a form must carry the session's secret.

    Raises:
        NotSignedIn: nobody is signed in.
        AccessRefused: the form is not of this session.
    """
    service = service_of(request)
    session = session_of(request, service.accounts)
    if session is None:
        raise NotSignedIn("you are not signed in", hint="open the link that you were given, or sign in")
    if request.method == "POST":
        form = await request.form()
        check_csrf(session, str(form.get("csrf", "")))
    service.requests.take(session.account.id)
    return browser_caller(session)


async def seated(request: Request, campaign: str, caller: Annotated[Caller, Depends(signed_in)]) -> Seat:
    """Return the seat of the request.

    Raises:
        NotFound: the account has none at this table.
    """
    role = request.query_params.get("as") or None
    return caller.seat(service_of(request).accounts, campaign, role=None if role is None else check_role(role))


async def gm_seated(request: Request, campaign: str, caller: Annotated[Caller, Depends(signed_in)]) -> Seat:
    """Return the game master's seat of the request.

    Raises:
        NotFound: the account has none at this table.
    """
    return caller.gm_seat(service_of(request).accounts, campaign)


Asker = Annotated[Caller, Depends(signed_in)]
AtTable = Annotated[Seat, Depends(seated)]
AtDesk = Annotated[Seat, Depends(gm_seated)]
Text = Annotated[str, Form(max_length=2_000)]


def session_values(caller: Caller) -> dict[str, Any]:
    """Return what the frame of a page shows of a session."""
    return {"me": caller.account.name, "csrf": caller.csrf, "is_owner": caller.account.is_owner}


def refusal_page(request: Request, problem: Problem) -> Response:
    """Return a refusal as a page; where nobody is signed in, that on which one signs in."""
    if problem.status == 401:
        if request.method == "GET":
            return RedirectResponse("/sign-in?" + urlencode({"next": _path_of(request)}), 303)
        problem = problem.model_copy(update={"hint": "sign in again; what you typed is still in the page before"})
    values = {"title": problem.title, "problem": problem.model_dump(), "me": None, "csrf": None}
    return render_page("refusal", values, status=problem.status)


def _path_of(request: Request) -> str:
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path


def redirect_to(path: str) -> RedirectResponse:
    """Return a redirect after a form was posted."""
    return RedirectResponse(path, 303)


def role_in_words(role: str) -> str:
    """Return a role as people say it."""
    if role.startswith("pc:"):
        return f"the player of {role.rpartition(':')[2].replace('_', ' ')}"
    return {"gm": "a game master", "player": "a player", "watcher": "somebody who watches"}.get(role, role)


def show_time(written: str) -> str:
    """Return a stored time for people; as it is where it is none."""
    try:
        return f"{datetime.fromisoformat(written):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return written


def base_of(seat: Seat) -> str:
    """Return the path of a seat's table."""
    return f"/table/{quote(seat.campaign_id)}"


def query_of(seat: Seat) -> str:
    """Return the query that names the seat."""
    return f"?as={quote(seat.role)}"


def navigation(service: Service, caller: Caller, seat: Seat, name: str) -> dict[str, Any]:
    """Return what the frame of a page shows of a table."""
    roles = [own.role for own in service.accounts.seats_of(caller.account) if own.campaign_id == seat.campaign_id]
    return {
        "name": name,
        "base": base_of(seat),
        "as": query_of(seat),
        "is_gm": "gm" in roles,
        "has_codex": not seat.is_gm,
        "seats": [
            {"role": role, "words": role_in_words(role), "is_here": role == seat.role, "as": f"?as={quote(role)}"}
            for role in roles
        ]
        if len(roles) > 1
        else [],
    }


def status_of_page(request: Request, error: LorewrightError, service: Service) -> int:
    """Return the status of a page that tells of an error; htmx swaps it in with any."""
    status = problem_of(error, service.workspace).status
    return 409 if status == 404 else status
