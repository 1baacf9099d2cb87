"""What all operations of the API share: who asks, from which seat, with which scope, and their refusals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from lorewright.service.web.access import Caller, caller_of
from lorewright.service.web.accounts import Scope, Seat, check_role
from lorewright.service.web.service import Service

# What any operation may be refused with.
_PROBLEM = {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, **_PROBLEM}
    for status, text in (
        (400, "The request cannot be read."),
        (401, "Nobody is signed in."),
        (402, "A model costs money, and nobody has agreed to that."),
        (403, "The account, seat or token does not allow it."),
        (404, "There is no such thing, or it may not be seen."),
        (408, "The request took too long to arrive."),
        (409, "The story is not where the request takes it to be."),
        (413, "The request is too large."),
        (421, "The service is not called by this name."),
        (422, "What was sent does not fit."),
        (429, "Too many requests."),
        (500, "Something of the workspace is damaged; its operator has to look."),
        (502, "The provider of a model failed; nothing was played."),
        (503, "It cannot be done just now."),
        (507, "There is no room on the disk; nothing was written."),
    )
}


# A plain function is called in a thread of its own, which waits for the engine to let it run: what asks the accounts is
# plain, since they may have to be waited for.
async def service_of(request: Request) -> Service:
    """Return the running service."""
    service: Service = request.app.state.service
    return service


Here = Annotated[Service, Depends(service_of)]


def signed_in(request: Request, service: Here) -> Caller:
    """Return who asks; every request counts.

    Raises:
        NotSignedIn, AccessRefused, TooManyRequests: as `caller_of` and `RateLimit` raise them.
    """
    caller = caller_of(request, service.accounts)
    service.requests.take(caller.account.id)
    return caller


Asker = Annotated[Caller, Depends(signed_in)]
CampaignId = Annotated[
    str, Path(alias="campaign", max_length=100, description="The campaign's ID.", examples=["friday"])
]
As = Annotated[
    str | None,
    Query(
        alias="as",
        max_length=200,
        description="One of your own seats here, where you have several; a game master may also look as `player` or "
        "`pc:ID`.",
    ),
]
Revision = Annotated[
    int | None, Field(ge=0, description="Do it only while the table is at this revision.", examples=[12])
]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="Your own ID of this turn: sent again, it gives the first answer and plays nothing.",
    ),
]


class Sent(BaseModel):
    """A body of a request: frozen, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def seated(service: Here, campaign: CampaignId, caller: Asker, role: As = None) -> Seat:
    """Return the seat of the request at a table.

    Raises:
        NotFound: there is none.
    """
    return caller.seat(service.accounts, campaign, role=None if role is None else check_role(role))


AtTable = Annotated[Seat, Depends(seated)]


def needs(scope: Scope, *others: Scope) -> Callable[[Caller], Awaitable[None]]:
    """Return a dependency that refuses requests without a scope, or one of others."""

    async def check(caller: Asker) -> None:
        if not caller.scopes.intersection(others):
            caller.needs(scope)

    return check


READS = [Depends(needs("read"))]
PLAYS = [Depends(needs("play"))]
JUDGES = [Depends(needs("gm"))]
