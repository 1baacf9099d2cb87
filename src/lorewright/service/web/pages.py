"""The pages: home, table, codex, story, the game master's desk, account, administration.

Each form posts and is answered by a redirect, so that all of it works without JavaScript; with it, the table follows
its events. Who may see what is decided where the API decides it.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from lorewright.errors import AccessRefused, LorewrightError, NotFound, NotSignedIn, SettingsError
from lorewright.service.queries import LoreFound
from lorewright.service.web.access import COOKIE, Caller, check_csrf, session_of
from lorewright.service.web.accounts import SCOPES, Scope, Seat, check_role
from lorewright.service.web.api import check_sign_in, make_invitation, set_cookie
from lorewright.service.web.lore_api import ask_table, noted
from lorewright.service.web.place_map import draw_places
from lorewright.service.web.problems import problem_of
from lorewright.service.web.rendering import render_page
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import Problem, TableShown, Turns, TurnShown
from lorewright.service.web.table import (
    MOST_TURNS,
    explain_turn,
    show_attempts,
    show_codex,
    show_desk,
    show_hint,
    show_recap,
    show_stream,
    show_table,
    show_turns,
)
from lorewright.service.write_tools import WriteTools

pages = APIRouter(include_in_schema=False)

# So many turns stand on the table's page; the story's page has all.
_TURNS = 12
_PARAGRAPH = re.compile(r"\n\s*\n")


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _caller(request: Request) -> Caller:
    """Return who asks with a browser; a form must carry the session's secret.

    Raises:
        NotSignedIn: nobody is signed in.
        AccessRefused: the form is not of this session.
    """
    service = _service(request)
    session = session_of(request, service.accounts)
    if session is None:
        raise NotSignedIn("you are not signed in", hint="open the link that you were given, or sign in")
    if request.method == "POST":
        form = await request.form()
        check_csrf(session, str(form.get("csrf", "")))
    service.requests.take(session.account.id)
    scopes: tuple[Scope, ...] = SCOPES if session.account.is_owner else ("read", "play", "gm", "lore")
    return Caller(session.account, frozenset(scopes), csrf=session.csrf)


async def _seat(request: Request, campaign: str, caller: Annotated[Caller, Depends(_caller)]) -> Seat:
    role = request.query_params.get("as") or None
    return caller.seat(_service(request).accounts, campaign, role=None if role is None else check_role(role))


async def _gm_seat(request: Request, campaign: str, caller: Annotated[Caller, Depends(_caller)]) -> Seat:
    return caller.gm_seat(_service(request).accounts, campaign)


Here = Annotated[Service, Depends(_service)]
Asker = Annotated[Caller, Depends(_caller)]
AtTable = Annotated[Seat, Depends(_seat)]
AtDesk = Annotated[Seat, Depends(_gm_seat)]
Text = Annotated[str, Form(max_length=2_000)]


def _signed(caller: Caller) -> dict[str, Any]:
    return {"me": caller.account.name, "csrf": caller.csrf, "is_owner": caller.account.is_owner}


def refusal_page(request: Request, problem: Problem) -> Response:
    """Return a refusal as a page; where nobody is signed in, that on which one signs in."""
    if problem.status == 401:
        if request.method == "GET":
            return RedirectResponse("/sign-in?" + urlencode({"next": request.url.path}), 303)
        problem = problem.model_copy(update={"hint": "sign in again; what you typed is still in the page before"})
    values = {"title": problem.title, "problem": problem.model_dump(), "me": None, "csrf": None}
    return render_page("refusal", values, status=problem.status)


def _to(path: str) -> RedirectResponse:
    return RedirectResponse(path, 303)


# Signing in.


@pages.get("/sign-in")
async def sign_in_page(service: Here, problem: str = "", next: str = "/") -> Response:  # noqa: A002
    """The page on which one signs in."""
    values = {"title": "Sign in", "problem": problem[:300], "next": _own_path(next), "with_accounts": True}
    return render_page("sign_in", values)


@pages.post("/sign-in")
async def sign_in(
    request: Request,
    service: Here,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1_000)] = "",
    next: Annotated[str, Form(max_length=1_000)] = "/",  # noqa: A002
) -> Response:
    """Sign in."""
    address = request.client.host if request.client else ""
    try:
        service.sign_ins.take(f"at {address}")
        service.sign_ins.take(f"as {name.casefold()}")
        account = await asyncio.to_thread(check_sign_in, service, name, password)
    except (NotSignedIn, AccessRefused) as error:
        values = {"title": "Sign in", "problem": error.message, "next": _own_path(next), "with_accounts": True}
        return render_page("sign_in", values, status=401 if isinstance(error, NotSignedIn) else 429)
    response = _to(_own_path(next))
    set_cookie(response, service, service.accounts.begin_session(account)[0])
    return response


def _own_path(path: str) -> str:
    """Return a path of this service; the home page for anything else."""
    return path if re.fullmatch(r"/(?![/\\])[\w/.?=&%:+~-]*", path) else "/"


@pages.post("/sign-out")
async def sign_out(request: Request, service: Here, caller: Asker) -> Response:
    """Sign out."""
    service.accounts.end_session(request.cookies.get(COOKIE, ""))
    response = _to("/sign-in")
    response.delete_cookie(COOKIE, path="/")
    return response


@pages.get("/enter/{secret}")
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
        "role": _role_in_words(link.role or ""),
        "me": None if session is None else session.account.name,
        "csrf": None if session is None else session.csrf,
        "problem": problem,
    }
    return render_page("enter", values, status=status)


@pages.post("/enter/{secret}")
async def enter(
    request: Request,
    service: Here,
    secret: str,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Use a link: as the owner, or to take a seat, with the account that is signed in or a new one."""
    accounts = service.accounts
    service.sign_ins.take(f"at {request.client.host if request.client else ''}")
    link = accounts.link(secret)
    if link is None:
        raise NotFound("the link was used already, or it has expired")
    if link.kind == "owner":
        account = accounts.owner()
    elif (session := session_of(request, accounts)) is not None:
        form = await request.form()
        check_csrf(session, str(form.get("csrf", "")))
        account = session.account
    else:
        try:
            account = accounts.create(name, password)
        except SettingsError as error:
            return _enter(request, service, secret, f"{error.message}: {error.hint}", status=422)
    if accounts.use_link(secret) is None:
        raise NotFound("the link was used already, or it has expired")
    response = _to("/")
    if link.kind == "seat" and link.campaign_id is not None:
        accounts.add_seat(link.campaign_id, account, link.role or "watcher")
        accounts.note(account, "enter", campaign_id=link.campaign_id, role=link.role)
        response = _to(f"/table/{quote(link.campaign_id)}")
    if session_of(request, accounts) is None or link.kind == "owner":
        set_cookie(response, service, accounts.begin_session(account)[0])
    return response


def _role_in_words(role: str) -> str:
    if role.startswith("pc:"):
        return f"the player of {role.rpartition(':')[2].replace('_', ' ')}"
    return {"gm": "a game master", "player": "a player", "watcher": "somebody who watches"}.get(role, role)


# Home.


@pages.get("/")
async def home(service: Here, caller: Asker) -> Response:
    """My tables, and what can be begun."""
    await service.take_stock()
    values = {
        "title": "Your tables",
        **_signed(caller),
        "tables": [
            {
                "id": table.id,
                "name": table.name,
                "turn_no": table.turn_no,
                "played_at": _time(table.played_at),
                "is_gm": "gm" in table.roles,
                "roles": ", ".join(_role_in_words(role) for role in table.roles),
            }
            for table in service.listed(caller)
        ],
        "scenarios": [scenario.model_dump() for scenario in await service.scenarios()],
    }
    return render_page("home", values)


def _time(written: str) -> str:
    try:
        return f"{datetime.fromisoformat(written):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return written


@pages.post("/begin")
async def begin(service: Here, caller: Asker, scenario: Annotated[str, Form(max_length=200)]) -> Response:
    """Begin a game."""
    service.turns.take(caller.account.id)
    return _to(f"/table/{quote(await service.begin(caller.account, scenario))}")


# The table.


@pages.get("/table/{campaign}")
async def table(service: Here, caller: Asker, seat: AtTable) -> Response:
    """The table of a seat."""
    return await _table(service, caller, seat)


async def _table(
    service: Service,
    caller: Caller,
    seat: Seat,
    *,
    problem: LorewrightError | None = None,
    typed: str = "",
    hint: str = "",
    status: int = 200,
) -> Response:
    def look(campaign: Any, seat: Seat) -> tuple[TableShown, Turns]:
        return show_table(campaign, seat), show_turns(campaign, seat, last=_TURNS)

    shown, story = await service.read(seat, look)
    refusal = None if problem is None else problem_of(problem, service.workspace).model_dump()
    if refusal is not None and refusal["status"] == 404:
        refusal["detail"] = "nobody and nothing here is called so"
    values = {
        "title": shown.name,
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, shown.name),
        "t": shown.model_dump(),
        "base": _base(seat),
        "as": _as(seat),
        "turns": [_turn(turn.model_dump()) for turn in story.turns],
        "earlier": story.earlier is not None,
        "map": draw_places(shown.places),
        "carried": [
            f"{thing.name} × {thing.quantity}" if thing.quantity > 1 else thing.name
            for thing in (() if shown.sheet is None else shown.sheet.carried)
        ],
        "clocks": [
            {**clock.model_dump(), "steps": "■" * clock.value + "□" * (clock.max - clock.value)}
            for clock in shown.clocks
        ],
        "key": secrets.token_urlsafe(12),
        "problem": refusal,
        "typed": typed,
        "hint": hint,
        "can_move": seat.role in ("gm", "player"),
        "other_branches": [branch.model_dump() for branch in shown.branches if not branch.is_here],
    }
    return render_page("table", values, status=status)


def _base(seat: Seat) -> str:
    return f"/table/{quote(seat.campaign_id)}"


def _as(seat: Seat) -> str:
    return f"?as={quote(seat.role)}"


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    return {
        **turn,
        "paragraphs": [part.strip() for part in _PARAGRAPH.split(turn["told"]) if part.strip()],
        "is_edit": turn["kind"] == "edit",
        "has_why": turn["is_own"] and turn["kind"] == "play",
    }


def _nav(service: Service, caller: Caller, seat: Seat, name: str) -> dict[str, Any]:
    roles = [own.role for own in service.accounts.seats_of(caller.account) if own.campaign_id == seat.campaign_id]
    return {
        "name": name,
        "base": _base(seat),
        "as": _as(seat),
        "is_gm": "gm" in roles,
        "has_codex": not seat.is_gm,
        "seats": [
            {"role": role, "words": _role_in_words(role), "is_here": role == seat.role, "as": f"?as={quote(role)}"}
            for role in roles
        ]
        if len(roles) > 1
        else [],
    }


@pages.post("/table/{campaign}/say")
async def say(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtTable,
    text: Text = "",
    chosen: Text = "",
    key: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Play a turn, of a suggestion or of what was typed. Sent twice, it is played once."""
    words = chosen or text
    try:
        await service.play(seat, caller.account, words, key=f"{key}:{words}" if key else None)
    except LorewrightError as error:
        return await _table(service, caller, seat, problem=error, typed=words, status=_status(request, error, service))
    return _to(_base(seat) + _as(seat))


def _status(request: Request, error: LorewrightError, service: Service) -> int:
    """Return the status of a page that tells of an error; htmx swaps it in with any."""
    status = problem_of(error, service.workspace).status
    return 409 if status == 404 else status


@pages.post("/table/{campaign}/move")
async def move(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtTable,
    move: Annotated[str, Form(max_length=20)],
    revision: Annotated[int, Form(ge=0)],
    name: Annotated[str, Form(max_length=80)] = "",
    turn: Annotated[int | None, Form(ge=0)] = None,
    text: Text = "",
) -> Response:
    """Take a turn back, do it again, play it once more, branch off, go on with another branch."""
    try:
        match move:
            case "retry":
                await service.retry(seat, caller.account, words=text.strip(), revision=revision)
            case "undo" | "redo" | "branch" | "switch":
                await service.move(seat, caller.account, move, name=name, turn=turn, revision=revision)
            case _:
                raise SettingsError(f"there is no move {move[:20]}", hint="undo, redo, retry, branch or switch")
    except LorewrightError as error:
        return await _table(service, caller, seat, problem=error, status=_status(request, error, service))
    return _to(_base(seat) + _as(seat))


@pages.get("/table/{campaign}/hint")
async def hint(
    request: Request, service: Here, caller: Asker, seat: AtTable, step: Annotated[int, Query(ge=1, le=3)] = 1
) -> Response:
    """A hint, plainer with each step."""
    try:
        found = await service.read(seat, lambda campaign, seat: show_hint(campaign, seat, step=step))
    except LorewrightError as error:
        return await _table(service, caller, seat, problem=error, status=_status(request, error, service))
    values = {
        "title": "A hint",
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, _name(service, seat)),
        "text": found.text,
        "next": f"{_base(seat)}/hint{_as(seat)}&step={step + 1}" if step < 3 else "",
        "back": _base(seat) + _as(seat),
    }
    return render_page("hint", values)


def _name(service: Service, seat: Seat) -> str:
    return next((row.name for row in service.accounts.tables([seat.campaign_id])), seat.campaign_id)


@pages.get("/table/{campaign}/why/{turn}")
async def why(service: Here, caller: Asker, seat: AtTable, turn: int) -> Response:
    """Why a turn came out as it did: each sentence with its sources."""
    found = await service.read(seat, lambda campaign, seat: explain_turn(campaign, seat, turn))
    values = {
        "title": f"Turn {turn}: why",
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, _name(service, seat)),
        "why": found.model_dump(),
        "is_builtin": found.told_by == "builtin",
        "back": _base(seat) + _as(seat),
    }
    return render_page("why", values)


@pages.get("/table/{campaign}/codex")
async def codex(service: Here, caller: Asker, seat: AtTable, q: Annotated[str, Query(max_length=300)] = "") -> Response:
    """What my character knows, with the turn in which they learned it; and questions to the lore."""
    known = await service.read(seat, show_codex)
    lore: LoreFound | None = None
    if q.strip():
        lore = await ask_table(service, seat, lambda queries: queries.lore(q, limit=5, max_tokens=1_500))
    values = {
        "title": "Codex",
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, _name(service, seat)),
        "base": _base(seat),
        "as": _as(seat),
        "role": seat.role,
        "codex": known.model_dump(),
        "q": q,
        "asked": bool(q.strip()),
        "chunks": [] if lore is None else _chunks(lore.chunks),
    }
    return render_page("codex", values)


def _chunks(chunks: Any) -> list[dict[str, Any]]:
    return [
        {
            "section_path": chunk.section_path,
            "file_path": chunk.file_path,
            "paragraphs": [part.strip() for part in _PARAGRAPH.split(chunk.text) if part.strip()],
        }
        for chunk in chunks
    ]


@pages.get("/table/{campaign}/entity")
async def entity(service: Here, caller: Asker, seat: AtTable, id: Annotated[str, Query(max_length=300)]) -> Response:  # noqa: A002
    """All that I may read of a person, place or thing."""
    found = await ask_table(service, seat, lambda queries: queries.entity(id))
    values = {
        "title": found.entity.name,
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, _name(service, seat)),
        "entity": found.entity.model_dump(),
        "aliases": ", ".join(found.entity.aliases),
        "chunks": _chunks(found.chunks),
        "back": f"{_base(seat)}/codex{_as(seat)}",
    }
    return render_page("entity", values)


@pages.get("/table/{campaign}/story")
async def story(
    service: Here,
    caller: Asker,
    seat: AtTable,
    before: Annotated[int | None, Query(ge=0, le=10**9)] = None,
    q: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """The story to read, to search and to take along."""
    found = await service.read(
        seat,
        lambda campaign, seat: (
            _searched(campaign, seat, q) if q.strip() else show_turns(campaign, seat, last=MOST_TURNS, before=before)
        ),
    )
    recap = await service.read(seat, show_recap)
    values = {
        "title": "Story",
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, _name(service, seat)),
        "base": _base(seat),
        "as": _as(seat),
        "role": seat.role,
        "turns": [_turn(turn.model_dump()) for turn in found.turns],
        "earlier": found.earlier,
        "q": q,
        "recap": [line for line in recap.text.splitlines() if line.strip()],
        "export": f"/v1/campaigns/{quote(seat.campaign_id)}/export{_as(seat)}",
    }
    return render_page("story", values)


# A search reads at most so many turns.
_SEARCHED = 5_000


def _searched(campaign: Any, seat: Seat, words: str) -> Turns:
    """Return the turns in whose words or telling the words stand, oldest first."""
    wanted, before = words.casefold().strip(), None
    found: list[TurnShown] = []
    for _ in range(_SEARCHED // MOST_TURNS):
        part = show_turns(campaign, seat, last=MOST_TURNS, before=before)
        found = [turn for turn in part.turns if wanted in f"{turn.said}\n{turn.told}".casefold()] + found
        before = part.earlier
        if before is None:
            break
    return Turns(turns=tuple(found))


# The game master's desk.


@pages.get("/table/{campaign}/desk")
async def desk(
    service: Here,
    caller: Asker,
    seat: AtDesk,
    look: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """State, clocks, secrets and who knows them, reviews, attempts, everybody's intentions, seats."""
    return await _desk(service, caller, seat, look=look)


async def _desk(
    service: Service,
    caller: Caller,
    seat: Seat,
    *,
    look: str = "",
    invitation: str = "",
    problem: LorewrightError | None = None,
    preview: dict[str, Any] | None = None,
    ops: str = "",
    status: int = 200,
) -> Response:
    found = await service.read(seat, lambda campaign, seat: show_desk(campaign))
    reviews = await ask_table(service, seat, lambda queries: WriteTools(queries).waiting())
    lorebook = await ask_table(service, seat, lambda queries: WriteTools(queries).lorebook())
    attempts = await service.read(seat, lambda campaign, seat: show_attempts(campaign)[:20])
    stream = await service.read(seat, lambda campaign, seat: show_stream(campaign, look or "gm", last=6))
    revision = await service.read(seat, lambda campaign, seat: campaign.store.position().revision)
    dumped = found.model_dump()
    values = {
        "title": "Game master's desk",
        **_signed(caller),
        "table_nav": _nav(service, caller, seat, _name(service, seat)),
        "base": _base(seat),
        "desk": dumped,
        "place": dumped["state"]["place"],
        "clocks": [dict(clock) for clock in dumped["state"]["clocks"]],
        "secrets": [{**secret, "known": ", ".join(secret["known_by"]) or "–"} for secret in dumped["secrets"]],
        "personas": dumped["personas"],
        "viewers": [
            "gm",
            *(f"pc:{who['id']}" for who in dumped["personas"]),
            *(f"npc:{who['id']}" for who in dumped["people"]),
        ],
        "look": look or "gm",
        "stream": [
            {
                "who": message["owner"]["name"],
                "type": message["type"],
                "content": message["content"],
                "turn_no": message["turn_no"],
            }
            for message in stream.model_dump()["messages"]
        ],
        "reviews": [review.model_dump() for review in reviews.reviews],
        "lorebook": [entry.model_dump() for entry in lorebook.entries],
        "attempts": [attempt.model_dump() for attempt in attempts],
        "members": [
            {"name": account.name, "account_id": account.id, "role": held.role, "words": _role_in_words(held.role)}
            for account, held in service.accounts.seats(seat.campaign_id)
        ],
        "links": [
            {"id": link.id, "words": _role_in_words(link.role or ""), "expires_at": _time(link.expires_at)}
            for link in service.accounts.links(seat.campaign_id)
        ],
        "roles": [
            *({"role": f"pc:{who['id']}", "words": f"the player of {who['name']}"} for who in dumped["personas"]),
            {"role": "player", "words": "a player, of the persona who is played next"},
            {"role": "watcher", "words": "somebody who watches"},
            {"role": "gm", "words": "a game master"},
        ],
        "invitation": invitation,
        "problem": None if problem is None else problem_of(problem, service.workspace).model_dump(),
        "preview": preview,
        "ops": ops,
        "revision": revision,
        "audit": [
            {"at": _time(entry.at), "account": entry.account, "action": entry.action}
            for entry in service.accounts.audit(campaign_id=seat.campaign_id, last=20)
        ],
    }
    return render_page("desk", values, status=status)


@pages.post("/table/{campaign}/desk/invite")
async def invite(service: Here, caller: Asker, seat: AtDesk, role: Annotated[str, Form(max_length=200)]) -> Response:
    """Make an invitation; its link is shown once."""
    made = await make_invitation(service, caller, seat, role, days=14)
    return await _desk(service, caller, seat, invitation=made.url or "")


@pages.post("/table/{campaign}/desk/seat")
async def remove_seat(
    service: Here,
    caller: Asker,
    seat: AtDesk,
    account: Annotated[str, Form(max_length=40)] = "",
    role: Annotated[str, Form(max_length=200)] = "",
    link: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Take a seat or an invitation away."""
    if link:
        service.accounts.revoke_link(seat.campaign_id, link)
    else:
        service.accounts.remove_seat(seat.campaign_id, account, role)
        service.accounts.note(caller.account, "remove_member", campaign_id=seat.campaign_id, member=account, role=role)
    return _to(f"{_base(seat)}/desk")


@pages.post("/table/{campaign}/desk/reveal")
async def reveal(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtDesk,
    item: Annotated[str, Form(max_length=400)],
    to: Annotated[str, Form(max_length=300)],
    key: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Let a persona know a secret, in a turn of its own."""
    ops = ({"op": "reveal", "item_id": item, "to": to, "how": "told"},)
    return await _change(
        request, service, caller, seat, lambda tools: tools.apply(ops, call_id=key or None), "reveal", item=item, to=to
    )


@pages.post("/table/{campaign}/desk/ops")
async def change_world(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtDesk,
    ops: Annotated[str, Form(max_length=20_000)],
    revision: Annotated[int, Form(ge=0)],
    do: Annotated[str, Form(max_length=20)] = "preview",
    note: Text = "",
    key: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Change the world by ops, or only say what they would come to."""
    try:
        wanted = _ops(ops)
        if do != "apply":
            preview = await ask_table(service, seat, lambda queries: WriteTools(queries).preview(wanted))
            return await _desk(service, caller, seat, preview=preview.model_dump(), ops=ops)
    except LorewrightError as error:
        return await _desk(service, caller, seat, problem=error, ops=ops, status=_status(request, error, service))
    return await _change(
        request,
        service,
        caller,
        seat,
        lambda tools: tools.apply(wanted, call_id=key or None, note=note, revision=revision),
        "ops",
        ops=[op.get("op") for op in wanted],
    )


def _ops(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError as problem:
        raise SettingsError(
            f"the ops are no JSON: {problem}", hint='as in [{"op": "advance_time", "minutes": 10}]'
        ) from None
    listed = [found] if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(op, dict) for op in listed):
        raise SettingsError("ops are a list of objects", hint='as in [{"op": "advance_time", "minutes": 10}]')
    return listed


@pages.post("/table/{campaign}/desk/review")
async def decide(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtDesk,
    review: Annotated[str, Form(max_length=300)],
    verdict: Annotated[str, Form(max_length=20)],
) -> Response:
    """Accept or reject a proposal."""
    accept = verdict == "accept"
    return await _change(
        request,
        service,
        caller,
        seat,
        lambda tools: tools.decide(review, accept=accept),
        "review",
        review=review,
        accepted=accept,
    )


async def _change(
    request: Request,
    service: Service,
    caller: Caller,
    seat: Seat,
    change: Callable[[WriteTools], Any],
    action: str,
    **detail: Any,
) -> Response:
    try:
        await ask_table(service, seat, lambda queries: change(WriteTools(queries)), writes=True)
    except LorewrightError as error:
        return await _desk(service, caller, seat, problem=error, status=_status(request, error, service))
    await noted(service, caller, seat, action, **detail)
    return _to(f"{_base(seat)}/desk")


@pages.post("/table/{campaign}/desk/remove")
async def remove_table(
    service: Here, caller: Asker, seat: AtDesk, confirm: Annotated[str, Form(max_length=100)] = ""
) -> Response:
    """Delete the campaign, where its ID was typed to confirm it."""
    if confirm != seat.campaign_id:
        problem = SettingsError("nothing was deleted: the ID does not fit", hint=f"type {seat.campaign_id}")
        return await _desk(service, caller, seat, problem=problem, status=422)
    await service.remove(seat, caller.account)
    return _to("/")


# Account and administration.


@pages.get("/account")
async def account(service: Here, caller: Asker) -> Response:
    """My password and my tokens."""
    return _account(service, caller)


def _account(service: Service, caller: Caller, *, problem: str = "", secret: str = "", status: int = 200) -> Response:
    values = {
        "title": "Your account",
        **_signed(caller),
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
    }
    return render_page("account", values, status=status)


@pages.post("/account/password")
async def set_password(service: Here, caller: Asker, password: Annotated[str, Form(max_length=1_000)] = "") -> Response:
    """Set my password; this browser stays signed in, the others do not."""
    try:
        await asyncio.to_thread(_set_password, service, caller.account.id, password)
    except SettingsError as error:
        return _account(service, caller, problem=f"{error.message}: {error.hint}", status=422)
    response = _to("/account")
    set_cookie(response, service, service.accounts.begin_session(caller.account)[0])
    return response


def _set_password(service: Service, account_id: str, password: str) -> None:
    try:
        service.accounts.set_password(account_id, password)
    finally:
        service.accounts.close()


@pages.post("/account/tokens")
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


@pages.post("/account/tokens/revoke")
async def revoke_token(service: Here, caller: Asker, token: Annotated[str, Form(max_length=40)]) -> Response:
    """Revoke a token."""
    service.accounts.revoke_token(caller.account, token)
    return _to("/account")


@pages.get("/admin")
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
        **_signed(caller),
        "accounts": [
            {"id": known.id, "name": known.name, "is_owner": known.is_owner, "is_disabled": known.is_disabled}
            for known in service.accounts.all()
        ],
        **await service.engine.run(health),
        "open_count": service.engine.open_count,
        "streams": service.hub.streams,
        "audit": [
            {
                "at": _time(entry.at),
                "account": entry.account,
                "action": entry.action,
                "campaign_id": entry.campaign_id or "",
            }
            for entry in service.accounts.audit(last=50)
        ],
    }
    return render_page("admin", values)


@pages.post("/admin/accounts")
async def disable_account(
    service: Here,
    caller: Asker,
    account: Annotated[str, Form(max_length=40)],
    disabled: Annotated[bool, Form()],
) -> Response:
    """Shut an account out, or let it in again."""
    caller.needs("admin")
    service.accounts.disable(account, disabled=disabled)
    service.accounts.note(caller.account, "disable" if disabled else "enable", member=account)
    return _to("/admin")
