"""The API that clients of OpenAI's speak: each seat of a token's account is a model, and an answer is a turn."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from lorewright.campaigns.branches import branch, switch
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import persona_of
from lorewright.errors import LorewrightError, NotFound, NotPlayed, SettingsError, TurnUndone
from lorewright.ids import content_hash
from lorewright.service.queries import TurnPlayed
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import ChatRequest, Seat, check_role
from lorewright.service.web.api.lore_chat import lore_names, pass_on
from lorewright.service.web.api.requests import Asker, Here, Key, needs
from lorewright.service.web.chat import (
    OwnTurn,
    Place,
    Said,
    Task,
    fingerprint_of,
    letters_of,
    message_of,
    place_of,
    said_in,
    task_answer,
    task_of,
    wants_json,
)
from lorewright.service.web.completions import ChatSent, chat_error, respond_with, usage_of, whole_answer
from lorewright.service.web.lore_chat import LORE_PREFIX
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service
from lorewright.service.web.table import show_recap, show_table
from lorewright.service.web.turn_rules import check_move, name_action
from lorewright.storage.heads import branch_rows, told_turns
from lorewright.tokens import count_tokens

# The longest words of a turn, in characters.
MOST_WORDS = 2_000
# An answer that is still being made after so long begins with a comment, so that no proxy takes the stream for dead.
_PATIENCE_S = 2.0
_COMMENT_EVERY_S = 5.0
# The kinds of turns in which the story went on, and of those in which a question or an aside was answered.
_PLAYED = ("play", "imported")
_UNPLAYED = ("clarification", "aside")


class ChatError(BaseModel):
    """A refusal in the shape of this protocol: `error` has `message`, `type`, `param` and `code`."""

    error: dict[str, Any]


_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ChatError, "description": "A refusal."}
    for status in (400, 401, 402, 403, 404, 408, 409, 413, 421, 422, 429, 500, 502, 503, 507)
}

chat_api = APIRouter(prefix="/v1", responses=_REFUSALS, tags=["chat"])


class ModelShown(BaseModel):
    """A seat, as a model."""

    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "lorewright"


class ModelsShown(BaseModel):
    """The seats that one can play from."""

    object: str = "list"
    data: tuple[ModelShown, ...]


@chat_api.get("/models", dependencies=[Depends(needs("read"))])
async def list_models(service: Here, caller: Asker) -> ModelsShown:
    """Your seats that play, each as a model: `CAMPAIGN/ROLE`; for the owner also models that are asked with lore."""
    seats = [
        seat
        for seat in service.accounts.seats_of(caller.account)
        if seat.may_play and not seat.is_gm
        if caller.campaign_id in (None, seat.campaign_id) and caller.role in (None, seat.role)
    ]
    names = [f"{seat.campaign_id}/{seat.role}" for seat in seats]
    return ModelsShown(data=tuple(ModelShown(id=name) for name in (*names, *lore_names(service, caller))))


@chat_api.post("/messages", include_in_schema=False)
async def refuse_messages() -> Response:
    """Say that this is another protocol."""
    text = "this service speaks the protocol of /v1/chat/completions, not Anthropic's: use an OpenAI client"
    return JSONResponse({"type": "error", "error": {"type": "not_found_error", "message": text}}, 404)


@chat_api.post(
    "/chat/completions",
    dependencies=[Depends(needs("play", "lore"))],
    responses={200: {"content": {"application/json": {}, "text/event-stream": {}}, "description": "The answer."}},
    response_class=Response,
)
async def complete_chat(request: Request, service: Here, caller: Asker, sent: ChatSent, key: Key = None) -> Response:
    """Play the last message of a chat as a turn of a seat, and answer with what is told of it. The last answer in the
    chat says where it goes: after the turn in which that was told. A model `lore:PACKS@VIEWER/MODEL` is asked with
    what a viewer may know of packs, and plays nothing."""
    if sent.model.startswith(LORE_PREFIX):
        return await pass_on(service, caller, sent)
    caller.needs("play")
    seat = _seat_of(service, caller, sent.model)
    if sent.n not in (None, 1):
        raise NotPlayed("a turn is played once", hint="leave n out", reason="one_answer_alone")
    messages = [message_of(message) for message in sent.messages]
    read = sum(count_tokens(message.text) for message in messages)
    if (task := task_of(messages)) is not None:
        named = partial(_answer_task, task=task, name=service.name_of(seat), as_json=wants_json(messages))
        text = await service.read(seat, named)
        return respond_with(
            sent,
            whole_answer(
                sent, f"task-{secrets.token_hex(8)}", text, usage_of(read, count_tokens(text)), {"task": task}
            ),
        )
    said = said_in(messages)
    if len(said.words) > MOST_WORDS:
        raise NotPlayed(
            f"a turn has at most {MOST_WORDS} characters", hint="say it in several turns", reason="too_long"
        )
    place = await service.read(seat, partial(_place, said=said))
    asked = _asked_for(service, seat, said, place, key)
    # A client that goes away stops nothing: the same request gets the turn.
    playing = asyncio.create_task(_play(service, caller, seat, said, place, asked))
    _PLAYING.add(playing)
    playing.add_done_callback(_PLAYING.discard)
    await asyncio.wait({playing}, timeout=_PATIENCE_S if sent.stream else None)
    if playing.done():
        # What is refused at once is refused with its status.
        playing.result()
    return respond_with(sent, _told(request, service, sent, playing, read))


# Turns that are played, whether anybody waits for them or not.
_Played = tuple[TurnPlayed, ChatRequest]
_PLAYING: set[asyncio.Task[_Played]] = set()


def _seat_of(service: Service, caller: Caller, model: str) -> Seat:
    campaign_id, _, role = model.partition("/")
    try:
        seat = caller.seat(service.accounts, campaign_id, role=check_role(role))
    except SettingsError:
        raise NotFound(f"there is no model {model}") from None
    if seat.is_gm or not seat.may_play:
        raise NotFound(f"there is no model {model}")
    return seat


def _answer_task(campaign: OpenCampaign, seat: Seat, *, task: Task, name: str, as_json: bool) -> str:
    recap = show_recap(campaign, seat).text if task == "summary" else ""
    suggested = show_table(campaign, seat).suggested_actions if task == "follow_ups" else ()
    return task_answer(task, name=name, recap=recap, suggested=suggested, as_json=as_json)


def _place(campaign: OpenCampaign, seat: Seat, *, said: Said) -> Place:
    """Return where words go in a seat's story."""
    if said.answer is None:
        return Place(None)
    store, wanted = campaign.store, letters_of(said.answer)
    path = store.path()
    on_path, last_own = {turn.turn_id for turn in path}, _last_own(campaign, seat)
    found = []
    for turn_id, turn_no, words, told in told_turns(store.database):
        if turn_id in last_own or (letters_of(told) == wanted and _is_own(campaign, seat, turn_id)):
            found.append(OwnTurn(turn_id, turn_no, words, told, turn_id in on_path))
    begun = store.turns(path[0].turn_id)[0]
    opening = OwnTurn(begun["turn_id"], 0, "", begun["result"]["final_text"], True)
    return place_of(said, found, opening=opening)


def _is_own(campaign: OpenCampaign, seat: Seat, turn_id: str) -> bool:
    state = campaign.store.head().state
    return not state.personas or campaign.store.state_at(turn_id).player_id == persona_of(state, seat.viewer)


def _last_own(campaign: OpenCampaign, seat: Seat) -> list[str]:
    """Return the last turn of a seat's on the path, the story's first where it has played none; before it the questions
    and asides of its since, the latest first. Nothing happened in them, so after each of these the story stands where
    it stands."""
    path, found = campaign.store.path(), []
    for turn in reversed(path[1:]):
        if turn.kind in (*_PLAYED, *_UNPLAYED) and _is_own(campaign, seat, turn.turn_id):
            found.append(turn.turn_id)
            if turn.kind in _PLAYED:
                return found
    return [*found, path[0].turn_id]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a request asks for: a turn under a key, which is the client's own where `is_keyed`, and the key of the
    turn that was told in its place before."""

    request: ChatRequest
    before: str | None = None
    is_keyed: bool = False


def _asked_for(service: Service, seat: Seat, said: Said, place: Place, key: str | None) -> _Asked:
    """Return what a request asks for: the same turn as before where its answer was cut, or is still being made; a new
    one where it was whole."""
    fingerprint = fingerprint_of(said, place)
    if key is not None:
        return _Asked(ChatRequest(seat, fingerprint, key, False), is_keyed=True)
    known = service.accounts.chat(seat, fingerprint)
    if known is None:
        asked = ChatRequest(seat, fingerprint, secrets.token_hex(16), False)
        service.accounts.keep_chat(asked)
        return _Asked(asked)
    if not known.is_whole:
        return _Asked(known)
    # The next key follows from the last one, so that it is the same until its answer was whole: also where the turn
    # fails, and after a restart.
    return _Asked(replace(known, key=content_hash(f"after {known.key}"), is_whole=False), known.key)


async def _play(service: Service, caller: Caller, seat: Seat, said: Said, place: Place, asked: _Asked) -> _Played:
    """Return the turn of a request, played now or before, and the request under the key that it was played under."""
    account, key = caller.account, asked.request.key

    def is_told_again(campaign: OpenCampaign, seat: Seat) -> bool:
        # A question that is asked again takes nothing back: the turn before it was told whole.
        if asked.before is None or campaign.store.path()[-1].kind not in _PLAYED:
            return False
        head = campaign.store.submission(campaign.store.position().turn_id)
        return head.action_id == name_action(account, asked.before)

    def is_of_earlier(campaign: OpenCampaign, seat: Seat) -> bool:
        """Return whether a chat without an answer said these words before, and the story has gone on since."""
        stored = campaign.store.result_of(name_action(account, key)) if is_begun else None
        return stored is not None and json.loads(stored)["turn_id"] not in _last_own(campaign, seat)

    is_begun = place.turn_id is None and not asked.is_keyed
    if await service.read(seat, is_of_earlier):
        asked = _anew(service, asked)
    elif await service.read(seat, is_told_again):
        return await service.retry(seat, account, key=key), asked.request
    go_to = partial(_go_to, service=service, caller=caller, seat=seat, place=place)
    try:
        return await service.play(seat, account, said.words, key=asked.request.key, go_to=go_to), asked.request
    except TurnUndone:
        if asked.is_keyed:
            raise
        # It was taken back since, so it is played anew.
        asked = _anew(service, asked)
        return await service.play(seat, account, said.words, key=asked.request.key, go_to=go_to), asked.request


def _anew(service: Service, asked: _Asked) -> _Asked:
    """Return a request under another key; that of another request for the same turn, where that came first."""
    known = service.accounts.chat(asked.request.seat, asked.request.fingerprint)
    if known is not None and known.key not in (asked.request.key, asked.before):
        return _Asked(known)
    anew = replace(asked.request, key=secrets.token_hex(16), is_whole=False)
    service.accounts.keep_chat(anew)
    return _Asked(anew)


def _go_to(
    campaign: OpenCampaign, *, service: Service, caller: Caller, seat: Seat, place: Place
) -> Callable[[], object]:
    """Go to where a new turn goes; an earlier place gets a branch of its own. Return what goes back."""
    if place.turn_id is None or place.turn_id in _last_own(campaign, seat):
        return lambda: None
    check_move(service.accounts, campaign, seat, caller.account, is_last=False)
    store = campaign.store
    rows = branch_rows(store.database)
    here = next(row.name for row in rows if row.at_hand)
    taken = {row.name for row in rows}
    name = next(free for number in count(1) if (free := f"chat-{number}") not in taken)
    branch(store, turn=place.turn_id, name=name)
    switch(store, name)
    return lambda: switch(store, here)


# Answers.


def _beside(played: TurnPlayed) -> dict[str, Any]:
    """Return what stands beside the text of an answer, for clients that read it."""
    return {
        "turn_no": played.turn_no,
        "turn_id": played.turn_id,
        "is_question": played.clarification_question is not None,
        "suggested_actions": list(played.suggested_actions),
        "citations": list(played.citations),
        "rolls": list(played.rolls),
    }


async def _told(
    request: Request, service: Service, sent: ChatSent, playing: asyncio.Task[_Played], read: int
) -> AsyncIterator[str]:
    """Yield the answer of a turn, with comments while it is being made. When its last byte has gone out it is whole:
    the same request then plays it anew."""
    while not playing.done():
        await asyncio.wait({playing}, timeout=_COMMENT_EVERY_S)
        if not playing.done():
            yield ": it is being played\n\n"
    try:
        played, asked = playing.result()
    except LorewrightError as error:
        # The status has gone out already.
        yield f"data: {json.dumps(chat_error(problem_of(error, service.workspace)))}\n\n"
        return
    usage = usage_of(read, count_tokens(played.final_text))
    for piece in whole_answer(sent, played.turn_id, played.final_text, usage, _beside(played)):
        yield piece
    if not await request.is_disconnected():
        service.accounts.keep_chat(replace(asked, is_whole=True))
