"""The pages of a table: the table itself, hints, reasons, codex, story."""

from __future__ import annotations

import re
import secrets
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from lorewright.errors import LorewrightError, SettingsError
from lorewright.service.queries import LoreFound
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.api.lore import ask_table
from lorewright.service.web.pages.place_map import draw_places
from lorewright.service.web.pages.rendering import render_page
from lorewright.service.web.pages.requests import (
    Asker,
    AtTable,
    Here,
    Text,
    base_of,
    navigation,
    query_of,
    redirect_to,
    session_values,
    status_of_page,
)
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import TableShown, Turns, TurnShown
from lorewright.service.web.table import (
    MOST_TURNS,
    explain_turn,
    show_codex,
    show_hint,
    show_recap,
    show_table,
    show_turns,
)

table_pages = APIRouter(include_in_schema=False)

# So many turns stand on the table's page; the story's page has all.
_TURNS = 12
# A search reads at most so many turns, and then offers to go on.
_SEARCHED = 2_000
_PARAGRAPH = re.compile(r"\n\s*\n")


@table_pages.get("/table/{campaign}")
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
    shown = shown.model_copy(update={"name": service.name_of(seat, shown.name)})
    refusal = None if problem is None else problem_of(problem, service.workspace).model_dump()
    if refusal is not None and refusal["status"] == 404:
        refusal["detail"] = "nobody and nothing here is called so"
    values = {
        "title": shown.name,
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, shown.name),
        "t": shown.model_dump(),
        "base": base_of(seat),
        "as": query_of(seat),
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
        "is_spent": service.spending.of(caller.account).is_spent,
        "can_move": seat.may_play,
        "other_branches": [branch.model_dump() for branch in shown.branches if not branch.is_here],
    }
    return render_page("table", values, status=status)


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    return {
        **turn,
        "paragraphs": [part.strip() for part in _PARAGRAPH.split(turn["told"]) if part.strip()],
        "is_edit": turn["kind"] == "edit",
        "has_why": turn["is_own"] and turn["kind"] == "play",
    }


@table_pages.post("/table/{campaign}/say")
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
        return await _table(
            service, caller, seat, problem=error, typed=words, status=status_of_page(request, error, service)
        )
    return redirect_to(base_of(seat) + query_of(seat))


@table_pages.post("/table/{campaign}/move")
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
    key: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Take a turn back, do it again, play it once more, branch off, go on with another branch."""
    try:
        match move:
            case "retry":
                words, own = text.strip(), f"{key}:retry:{text.strip()}" if key else None
                await service.retry(seat, caller.account, words=words, key=own, revision=revision)
            case "undo" | "redo" | "branch" | "switch":
                await service.move(seat, caller.account, move, name=name, turn=turn, revision=revision)
            case _:
                raise SettingsError(f"there is no move {move[:20]}", hint="undo, redo, retry, branch or switch")
    except LorewrightError as error:
        return await _table(service, caller, seat, problem=error, status=status_of_page(request, error, service))
    return redirect_to(base_of(seat) + query_of(seat))


@table_pages.get("/table/{campaign}/hint")
async def hint(
    request: Request, service: Here, caller: Asker, seat: AtTable, step: Annotated[int, Query(ge=1, le=3)] = 1
) -> Response:
    """A hint, plainer with each step."""
    try:
        found = await service.read(seat, lambda campaign, seat: show_hint(campaign, seat, step=step))
    except LorewrightError as error:
        return await _table(service, caller, seat, problem=error, status=status_of_page(request, error, service))
    values = {
        "title": "A hint",
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, service.name_of(seat)),
        "text": found.text,
        "next": f"{base_of(seat)}/hint{query_of(seat)}&step={step + 1}" if step < 3 else "",
        "back": base_of(seat) + query_of(seat),
    }
    return render_page("hint", values)


@table_pages.get("/table/{campaign}/why/{turn}")
async def why(service: Here, caller: Asker, seat: AtTable, turn: int) -> Response:
    """Why a turn came out as it did: each sentence with its sources."""
    found = await service.read(seat, lambda campaign, seat: explain_turn(campaign, seat, turn))
    values = {
        "title": f"Turn {turn}: why",
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, service.name_of(seat)),
        "why": found.model_dump(),
        "is_builtin": found.told_by == "builtin",
        "back": base_of(seat) + query_of(seat),
    }
    return render_page("why", values)


@table_pages.get("/table/{campaign}/codex")
async def codex(service: Here, caller: Asker, seat: AtTable, q: Annotated[str, Query(max_length=300)] = "") -> Response:
    """What my character knows, with the turn in which they learned it; and questions to the lore."""
    known = await service.read(seat, show_codex)
    lore: LoreFound | None = None
    if q.strip():
        lore = await ask_table(service, seat, lambda queries: queries.lore(q, limit=5, max_tokens=1_500))
    values = {
        "title": "Codex",
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, service.name_of(seat)),
        "base": base_of(seat),
        "as": query_of(seat),
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


@table_pages.get("/table/{campaign}/entity")
async def entity(
    service: Here, caller: Asker, seat: AtTable, entity_id: Annotated[str, Query(alias="id", max_length=300)]
) -> Response:
    """All that I may read of a person, place or thing."""
    found = await ask_table(service, seat, lambda queries: queries.entity(entity_id))
    values = {
        "title": found.entity.name,
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, service.name_of(seat)),
        "entity": found.entity.model_dump(),
        "aliases": ", ".join(found.entity.aliases),
        "chunks": _chunks(found.chunks),
        "back": f"{base_of(seat)}/codex{query_of(seat)}",
    }
    return render_page("entity", values)


@table_pages.get("/table/{campaign}/story")
async def story(
    service: Here,
    caller: Asker,
    seat: AtTable,
    before: Annotated[int | None, Query(ge=0, le=10**9)] = None,
    q: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """The story to read, to search and to take along."""
    if q.strip():
        found = await _search(service, seat, q, before)
    else:
        found = await service.read(seat, partial(show_turns, last=MOST_TURNS, before=before))
    recap = await service.read(seat, show_recap)
    values = {
        "title": "Story",
        **session_values(caller),
        "table_nav": navigation(service, caller, seat, service.name_of(seat)),
        "base": base_of(seat),
        "as": query_of(seat),
        "role": seat.role,
        "turns": [_turn(turn.model_dump()) for turn in found.turns],
        "earlier": found.earlier,
        "q": q,
        # A search goes on with its words.
        "further": f"&q={quote(q)}" if q.strip() else "",
        "recap": [line for line in recap.text.splitlines() if line.strip()],
        "export": f"/v1/campaigns/{quote(seat.campaign_id)}/export{query_of(seat)}" if seat.may_play else "",
    }
    return render_page("story", values)


async def _search(service: Service, seat: Seat, words: str, before: int | None) -> Turns:
    """Return turns in whose words or telling the words stand, oldest first: of the last turns before one, or of all.
    `earlier` says where to go on. Each page is read by itself, so that nobody waits for a search."""
    wanted = words.casefold().strip()
    found: list[TurnShown] = []
    for _ in range(_SEARCHED // MOST_TURNS):
        read = partial(show_turns, last=MOST_TURNS, before=before)
        part = await service.read(seat, read)
        found = [turn for turn in part.turns if wanted in f"{turn.said}\n{turn.told}".casefold()] + found
        before = part.earlier
        if before is None or len(found) >= MOST_TURNS:
            break
    return Turns(turns=tuple(found), earlier=before)
