"""The pages of the game master's desk."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from lorewright.errors import LorewrightError, SettingsError
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.api.desk import noted
from lorewright.service.web.api.lore import ask_table
from lorewright.service.web.api.tables import make_invitation
from lorewright.service.web.desk import SECRETS_A_PAGE, show_attempts, show_desk, show_secrets, show_stream
from lorewright.service.web.pages.rendering import render_page
from lorewright.service.web.pages.requests import (
    Asker,
    AtDesk,
    Here,
    Text,
    base_of,
    navigation,
    redirect_to,
    role_in_words,
    session_values,
    show_time,
    status_of_page,
)
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service, remove_member
from lorewright.service.web.shapes import SecretPage
from lorewright.service.write_tools import WriteTools

desk_pages = APIRouter(include_in_schema=False)


@desk_pages.get("/table/{campaign}/desk")
async def desk(
    service: Here,
    caller: Asker,
    seat: AtDesk,
    seen_as: Annotated[str, Query(max_length=200)] = "",
    q: Annotated[str, Query(max_length=300)] = "",
    cursor: Annotated[str, Query(max_length=20, pattern="^[0-9]*$")] = "",
) -> Response:
    """State, clocks, secrets and who knows them, reviews, attempts, everybody's intentions, seats."""
    return await _desk(service, caller, seat, seen_as=seen_as, q=q, cursor=cursor)


async def _desk(
    service: Service,
    caller: Caller,
    seat: Seat,
    *,
    seen_as: str = "",
    q: str = "",
    cursor: str = "",
    invitation: str = "",
    problem: LorewrightError | None = None,
    preview: dict[str, Any] | None = None,
    ops: str = "",
    status: int = 200,
) -> Response:
    page = await service.read(seat, lambda campaign, seat: show_secrets(campaign, words=q, cursor=cursor or None))
    found = await service.read(seat, lambda campaign, seat: show_desk(campaign, secrets=page))
    reviews = await ask_table(service, seat, lambda queries: WriteTools(queries).waiting())
    lorebook = await ask_table(service, seat, lambda queries: WriteTools(queries).lorebook())
    attempts = await service.read(seat, lambda campaign, seat: show_attempts(campaign)[:20])
    stream = await service.read(seat, lambda campaign, seat: show_stream(campaign, seen_as or "gm", last=6))
    revision = await service.read(seat, lambda campaign, seat: campaign.store.position().revision)
    dumped = found.model_dump()
    values = {
        "title": "Game master's desk",
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, service.name_of(seat)),
        "base": base_of(seat),
        "desk": dumped,
        "place": dumped["state"]["place"],
        "clocks": [dict(clock) for clock in dumped["state"]["clocks"]],
        "secrets": [{**secret, "known": ", ".join(secret["known_by"]) or "–"} for secret in dumped["secrets"]],
        **_pages_of(page, base_of(seat), q=q, cursor=cursor, seen_as=seen_as),
        "personas": dumped["personas"],
        "viewers": [
            "gm",
            *(f"pc:{who['id']}" for who in dumped["personas"]),
            *(f"npc:{who['id']}" for who in dumped["people"]),
        ],
        "seen_as": seen_as or "gm",
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
            {"name": account.name, "account_id": account.id, "role": held.role, "words": role_in_words(held.role)}
            for account, held in service.accounts.seats(seat.campaign_id)
        ],
        "links": [
            {"id": link.id, "words": role_in_words(link.role or ""), "expires_at": show_time(link.expires_at)}
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
        "key": secrets.token_urlsafe(12),
        "audit": [
            {"at": show_time(entry.at), "account": entry.account, "action": entry.action}
            for entry in service.accounts.audit(campaign_id=seat.campaign_id, last=20)
        ],
    }
    return render_page("desk", values, status=status)


def _pages_of(page: SecretPage, base: str, *, q: str, cursor: str, seen_as: str) -> dict[str, Any]:
    """Return what the list of secrets says of itself, and the links to its other pages."""
    start = int(cursor or 0)

    def link(at: int) -> str:
        asked = {"q": q, "cursor": str(at) if at else "", "seen_as": seen_as}
        return f"{base}/desk?{urlencode({key: value for key, value in asked.items() if value})}#secrets"

    return {
        "q": q,
        "cursor": cursor,
        "found": page.found,
        "first": start + 1,
        "last": start + len(page.secrets),
        "is_part": len(page.secrets) < page.found,
        "before": link(max(0, start - SECRETS_A_PAGE)) if start else "",
        "further": link(int(page.next)) if page.next else "",
    }


@desk_pages.post("/table/{campaign}/desk/invite")
async def invite(service: Here, caller: Asker, seat: AtDesk, role: Annotated[str, Form(max_length=200)]) -> Response:
    """Make an invitation; its link is shown once."""
    made = await make_invitation(service, caller, seat, role, days=14)
    return await _desk(service, caller, seat, invitation=made.url or "")


@desk_pages.post("/table/{campaign}/desk/seat")
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
        remove_member(service, caller, seat.campaign_id, account, role)
    return redirect_to(f"{base_of(seat)}/desk")


@desk_pages.post("/table/{campaign}/desk/reveal")
async def reveal(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtDesk,
    item: Annotated[str, Form(max_length=400)],
    to: Annotated[str, Form(max_length=300)],
    key: Annotated[str, Form(max_length=200)] = "",
    q: Annotated[str, Form(max_length=300)] = "",
    cursor: Annotated[str, Form(max_length=20, pattern="^[0-9]*$")] = "",
) -> Response:
    """Let a persona know a secret, in a turn of its own; the page that follows shows the same secrets."""
    ops = ({"op": "reveal", "item_id": item, "to": to, "how": "told"},)
    return await _change(
        request,
        service,
        caller,
        seat,
        lambda tools: tools.apply(ops, call_id=f"{key}:{item}:{to}" if key else None),
        "reveal",
        q=q,
        cursor=cursor,
        item=item,
        to=to,
    )


@desk_pages.post("/table/{campaign}/desk/ops")
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
        return await _desk(
            service, caller, seat, problem=error, ops=ops, status=status_of_page(request, error, service)
        )
    return await _change(
        request,
        service,
        caller,
        seat,
        lambda tools: tools.apply(wanted, call_id=f"{key}:{ops}" if key else None, note=note, revision=revision),
        "ops",
        ops=[op.get("op") for op in wanted],
    )


def _ops(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise SettingsError(
            f"the ops are no JSON: {problem}", hint='as in [{"op": "advance_time", "minutes": 10}]'
        ) from None
    listed = [found] if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(op, dict) for op in listed):
        raise SettingsError("ops are a list of objects", hint='as in [{"op": "advance_time", "minutes": 10}]')
    return listed


@desk_pages.post("/table/{campaign}/desk/review")
async def decide(
    request: Request,
    service: Here,
    caller: Asker,
    seat: AtDesk,
    review: Annotated[str, Form(max_length=300)],
    verdict: Annotated[str, Form(max_length=20)],
    key: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Accept or reject a proposal."""
    accept = verdict == "accept"
    return await _change(
        request,
        service,
        caller,
        seat,
        lambda tools: tools.decide(review, accept=accept, call_id=f"{key}:{review}:{verdict}" if key else None),
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
    *,
    q: str = "",
    cursor: str = "",
    **detail: Any,
) -> Response:
    """Make a change, and lead back to the desk: to the same part of the secrets, where it is said."""
    try:
        await ask_table(service, seat, lambda queries: change(WriteTools(queries)), writes=True)
    except LorewrightError as error:
        return await _desk(
            service, caller, seat, problem=error, status=status_of_page(request, error, service), q=q, cursor=cursor
        )
    await noted(service, caller, seat, action, **detail)
    asked = urlencode({key: value for key, value in (("q", q), ("cursor", cursor)) if value})
    return redirect_to(f"{base_of(seat)}/desk{f'?{asked}#secrets' if asked else ''}")


@desk_pages.post("/table/{campaign}/desk/remove")
async def remove_table(
    service: Here, caller: Asker, seat: AtDesk, confirm: Annotated[str, Form(max_length=100)] = ""
) -> Response:
    """Delete the campaign, where its ID was typed to confirm it."""
    if confirm != seat.campaign_id:
        problem = SettingsError("nothing was deleted: the ID does not fit", hint=f"type {seat.campaign_id}")
        return await _desk(service, caller, seat, problem=problem, status=422)
    await service.remove(seat, caller.account)
    return redirect_to("/")
