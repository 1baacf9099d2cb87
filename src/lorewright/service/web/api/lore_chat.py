"""Chats with lore over the API: who may have them, the lore, the model's answer with what it cites."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response

from lorewright.errors import LorewrightError, NotFound, NotPlayed
from lorewright.llm.gateway import Budget
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.service.web.access import Caller
from lorewright.service.web.api.lore import ask_packs, context_of, end_of, found_by
from lorewright.service.web.chat import message_of
from lorewright.service.web.completions import (
    AnswerStream,
    ChatSent,
    LoreWish,
    chat_error,
    respond_with,
    usage_of,
    whole_answer,
)
from lorewright.service.web.engine import Tables
from lorewright.service.web.lore_chat import (
    LoreModel,
    check_lore_caller,
    cited_in,
    footnotes_of,
    lore_model,
    request_of,
)
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import LoreContext, LoreQuestion

# Before an answer whose model needs longer the stream begins, and a failure is told in it.
_PATIENCE_S = 2.0


def lore_names(service: Service, caller: Caller) -> list[str]:
    """Return the names of the models that a caller can ask with lore; none where they may not."""
    if not caller.account.is_owner or caller.campaign_id is not None or "lore" not in caller.scopes:
        return []
    viewers = ("player", "gm") if "gm" in caller.scopes else ("player",)
    return [LoreModel((), viewer, key).name for key in service.lore_models for viewer in viewers]


async def pass_on(service: Service, caller: Caller, sent: ChatSent) -> Response:
    """Return the answer of a model to a chat, with the lore that its viewer may know.

    Raises:
        AccessRefused: the caller may not ask packs, or not with these eyes.
        NotFound: the service was not started to ask this model for others, or there is no such pack.
        NotPlayed: several answers are wanted, or the chat says nothing new.
    And what the model raises.
    """
    model = lore_model(sent.model)
    check_lore_caller(caller, model.viewer)
    if model.key not in service.lore_models:
        raise NotFound(f"there is no model {sent.model}")
    if sent.n not in (None, 1):
        raise NotPlayed("one answer is given", hint="leave n out", reason="one_answer_alone")
    wish = sent.lorewright or LoreWish()
    question = LoreQuestion(text=end_of(sent.messages), packs=model.packs, max_tokens=wish.max_tokens)
    messages = [message_of(message) for message in sent.messages]
    # Refused before anything is looked for.
    request_of(messages, LoreContext(text="", sources=(), tokens=0), max_tokens=None)
    service.turns.take(caller.account.id)
    found = await ask_packs(service, caller, lambda queries: found_by(queries, question), viewer=model.viewer)
    lore = context_of(found)
    most = sent.max_completion_tokens or sent.max_tokens
    asking = _Asking(service, sent, model, lore, request_of(messages, lore, max_tokens=most), wish)
    return await asking.response()


class _Asking:
    """One request to a model."""

    def __init__(
        self,
        service: Service,
        sent: ChatSent,
        model: LoreModel,
        lore: LoreContext,
        request: ModelRequest,
        wish: LoreWish,
    ) -> None:
        self._service = service
        self._sent = sent
        self._model = model
        self._lore = lore
        self._request = request
        self._wish = wish
        self._name = secrets.token_hex(12)

    async def response(self) -> Response:
        """Return the answer, as a whole or as a stream that begins with the first piece."""
        if not self._sent.stream:
            reply = await self._ask(None)
            text = reply.text + self._notes(reply.text)
            ends = {"reason": _reason(reply)}
            whole = whole_answer(self._sent, self._name, text, _usage(reply), self._beside(reply.text), **ends)
            return respond_with(self._sent, whole)
        loop = asyncio.get_running_loop()
        heard: asyncio.Queue[str | None] = asyncio.Queue()

        def hear(piece: str | None) -> None:
            # Pieces come in the thread of the engine.
            loop.call_soon_threadsafe(heard.put_nowait, piece)

        asking = asyncio.create_task(self._ask(hear))
        asking.add_done_callback(lambda _: heard.put_nowait(None))
        await asyncio.wait({asking}, timeout=_PATIENCE_S)
        if asking.done():
            # What is refused at once is refused with its status.
            asking.result()
        return respond_with(self._sent, self._pieces(asking, heard))

    async def _pieces(self, asking: asyncio.Task[ModelReply], heard: asyncio.Queue[str | None]) -> AsyncIterator[str]:
        stream = AnswerStream(self._sent, self._name)
        yield stream.begin()
        told = ""
        while (piece := await heard.get()) is not None:
            told += piece
            yield stream.piece(piece)
        try:
            reply = asking.result()
        except LorewrightError as error:
            yield f"data: {json.dumps(chat_error(problem_of(error, self._service.workspace)))}\n\n"
            return
        for rest in (reply.text.removeprefix(told) if not told else "", self._notes(reply.text)):
            if rest:
                yield stream.piece(rest)
        for event in stream.end(_usage(reply), self._beside(reply.text), reason=_reason(reply)):
            yield event

    async def _ask(self, on_text: OnText | None) -> ModelReply:
        service, key, request = self._service, self._model.key, self._request

        async def work(tables: Tables) -> ModelReply:
            if service.lore_budget is None:
                service.lore_budget = Budget(tables.app.workspace.settings.models.budget)
            service.lore_budget.begin_turn()
            return await tables.app.open_model(key, service.lore_budget).complete(request, on_text=on_text)

        return await service.engine.run(work)

    def _notes(self, text: str) -> str:
        return footnotes_of(cited_in(text, self._lore.sources)) if self._wish.footnotes else ""

    def _beside(self, text: str) -> dict[str, Any]:
        cited = {source.mark for source in cited_in(text, self._lore.sources)}
        sources = [{**source.model_dump(), "is_cited": source.mark in cited} for source in self._lore.sources]
        return {"viewer": self._model.viewer, "citations": sources, "lore_tokens": self._lore.tokens}


def _usage(reply: ModelReply) -> dict[str, int]:
    return usage_of(reply.input_tokens, reply.output_tokens)


def _reason(reply: ModelReply) -> str:
    return "stop" if reply.unfinished is None else "length"
