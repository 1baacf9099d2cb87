"""How the tests of providers ask: a small schema, a prompt in its parts, models that do not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from lorewright.llm.gateway import LLMResponse, Options, run_structured
from lorewright.llm.model import CallLog, Model, ModelReply, ModelRequest, OnText
from lorewright.llm.opening import CallLimits, PatientModel, open_model
from lorewright.llm.prompt_template import PlainPrompt, RenderedPrompt
from lorewright.settings import ModelsSettings
from support.model_apis.server import ModelServer

# One of each vendor, and of each way to hold a model to a schema.
KEYS = ("claude-haiku", "gpt-5.2", "google-pro", "deepseek-v32", "ollama/some-model")
PROMPT = RenderedPrompt("narrator", "v1", "hash", "You narrate. " * 20, "The bar is dark. " * 20, "You look up.")


class Answer(BaseModel):
    text: str
    notes: list[str] = []


ANSWER = {"text": "The rain has stopped at last.", "notes": ["rain"]}


def asked_at(server: ModelServer, key: str, settings: ModelsSettings | None = None, **more: Any) -> Model:
    """A model of the server's, as the settings open it."""
    model = open_model(key, settings or ModelsSettings(), environ={**server.environ, **more.pop("environ", {})}, **more)
    assert model is not None
    return model


def at_once(model: Model, tries: int = 1, pauses: list[float] | None = None, **more: Any) -> PatientModel:
    """The same model, asked so often, without a pause."""
    assert isinstance(model, PatientModel)

    async def sleep(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)

    return PatientModel(model._model, CallLimits(tries=tries, **more), sleep=sleep)


def ask(model: Model, *, prose: bool = False, on_text: OnText | None = None, **more: Any) -> ModelReply:
    """One question."""
    schema = None if prose else Answer.model_json_schema()
    return asyncio.run(model.complete(ModelRequest("narrator", PROMPT, schema, **more), on_text=on_text))


class RenderedAsGiven:
    """A prompt that is rendered already."""

    name, version, content_hash, source = PROMPT.name, PROMPT.version, PROMPT.content_hash, ""

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        return PROMPT


def run(model: Model, *, prose: bool = False, log: CallLog | None = None, **more: Any) -> LLMResponse[Answer]:
    """One run of the gateway."""
    options: Options[Answer] = Options(
        model=model, stage="narrator", repair=PlainPrompt("repair"), prose=prose, log=log or CallLog(), **more
    )
    return asyncio.run(run_structured(RenderedAsGiven(), {}, Answer, options))
