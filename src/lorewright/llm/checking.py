"""Checking: a model's key -> whether it answers just now, how fast, and for how much. One tiny question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from lorewright.errors import SettingsError
from lorewright.ids import content_hash
from lorewright.llm.gateway import Options, run_structured
from lorewright.llm.metered import estimated_input
from lorewright.llm.model import CallLog, ModelRequest
from lorewright.llm.opening import open_model
from lorewright.llm.prompt import RenderedPrompt
from lorewright.llm.taxonomy import row_of
from lorewright.settings import ModelsSettings

# Models that cannot but think before they answer think within this as well.
_MAX_TOKENS = 512


class Ready(BaseModel):
    """The answer that is wanted."""

    ready: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """A model that answered: by its own name, and what that took."""

    key: str
    model_name: str
    milliseconds: int
    input_tokens: int
    output_tokens: int
    cost_microusd: int
    tries: tuple[str, ...]


class _Question:
    name, version = "check", "v1"
    source = "Say whether you are ready."

    @property
    def content_hash(self) -> str:
        return content_hash(self.source)

    def render(self, context: Mapping[str, object]) -> RenderedPrompt:
        system = "You are asked whether you can be reached. Answer with JSON."
        return RenderedPrompt(self.name, self.version, self.content_hash, system, "", self.source)


def most_microusd(key: str, settings: ModelsSettings) -> int:
    """What a check can cost at most, in millionths of a dollar; 0 where the table has no price.

    Raises:
        SettingsError: there is no such key.
    """
    prices = row_of(key, settings).prices
    request = ModelRequest("check", _Question().render({}), Ready.model_json_schema(), max_tokens=_MAX_TOKENS)
    # An answer that does not fit is asked for twice more.
    return 3 * prices.cost_microusd(estimated_input(request), _MAX_TOKENS) if prices is not None else 0


async def check_model(key: str, settings: ModelsSettings, *, environ: Mapping[str, str]) -> Checked:
    """Ask a model for a structured answer, as the stages of a turn do.

    Raises:
        SettingsError: it cannot be asked with these settings, or is built in.
        ProviderError: it did not answer, or not as it was asked to.
    """
    model = open_model(key, settings, environ=environ)
    if model is None:
        raise SettingsError(f"{key} asks no model", hint="it is part of the program, and always there")
    log = CallLog()
    options: Options[Ready] = Options(model=model, stage="check", max_tokens=_MAX_TOKENS, log=log)
    await run_structured(_Question(), {}, Ready, options)
    return Checked(
        key=key,
        model_name=log.model_name,
        milliseconds=sum(call.milliseconds for call in log.calls),
        input_tokens=log.input_tokens,
        output_tokens=log.output_tokens,
        cost_microusd=log.cost_microusd,
        tries=tuple(one for call in log.calls for one in call.tries),
    )
