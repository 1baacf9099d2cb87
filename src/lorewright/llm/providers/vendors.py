"""Row, key and an HTTP client -> pydantic-ai's model of that vendor; SDKs are imported here, late."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, assert_never

from lorewright.addresses import OWN_SERVERS
from lorewright.llm.taxonomy import ModelRow

if TYPE_CHECKING:
    from pydantic_ai import JsonSchemaTransformer, ModelProfile
    from pydantic_ai.models import Model

# A key for servers that want none, because their SDK wants one all the same.
_NO_KEY = "none"
# Under such names gateways pass a request on to a vendor that refuses a strict schema with lengths of texts.
_REFUSES_LENGTHS = "openai/"
_LENGTHS = ("minLength", "maxLength")


def vendor_model(row: ModelRow, *, api_key: str | None, base_url: str | None, http: Any) -> Model:
    """Return the vendor's model. It never retries by itself: retries are decided in one place.

    `http` is an `httpx2.AsyncClient` that the caller closes.
    """
    match row.provider:
        case "anthropic":
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            # Without an explicit address the SDK would take one from the environment; that is read elsewhere.
            claude = AsyncAnthropic(
                api_key=api_key, base_url=base_url or OWN_SERVERS["anthropic"], http_client=http, max_retries=0
            )
            return AnthropicModel(row.model, provider=AnthropicProvider(anthropic_client=claude))
        case "openai" | "openai-compatible":
            return _of_openai(row, api_key, base_url, http)
        case "google":
            from google.genai.types import HttpRetryOptions
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            once = HttpRetryOptions(attempts=1)
            google = GoogleProvider(api_key=api_key, base_url=base_url, http_client=http, retry_options=once)
            return GoogleModel(row.model, provider=google)
        case "builtin":
            raise AssertionError("what is built in asks nobody")
    assert_never(row.provider)


def _of_openai(row: ModelRow, api_key: str | None, base_url: str | None, http: Any) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = AsyncOpenAI(
        api_key=api_key or _NO_KEY,
        base_url=base_url or OWN_SERVERS["openai"],
        http_client=http,
        max_retries=0,
    )
    if row.provider == "openai":
        return OpenAIChatModel(row.model, provider=OpenAIProvider(openai_client=client))
    if row.family == "deepseek":
        return OpenAIChatModel(row.model, provider=DeepSeekProvider(openai_client=client))
    # Every such server knows the older name of the bound, few the newer one; those that do not know it ignore it.
    bounded = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    there = OpenAICompatibleProvider(row.family, openai_client=client)

    def profile_of(known: ModelProfile) -> ModelProfile:
        own = merge_profile(known, bounded)
        keeps = known.get("json_schema_transformer") is OpenAIJsonSchemaTransformer
        if not keeps or row.model.startswith(_REFUSES_LENGTHS):
            return own
        return merge_profile(own, OpenAIModelProfile(json_schema_transformer=_bounded_transformer()))

    return OpenAIChatModel(row.model, provider=there, profile=profile_of)


@cache
def _bounded_transformer() -> type[JsonSchemaTransformer]:
    """Return the transformer of schemas for servers other than OpenAI's: that of OpenAI's strict mode, but with the
    lengths of texts, which it moves into descriptions. Grammars of llama.cpp and vLLM hold a model to them."""
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

    class Bounded(OpenAIJsonSchemaTransformer):
        def transform(self, schema: dict[str, Any]) -> dict[str, Any]:
            """Return a part of a schema as strict mode wants it, with its lengths."""
            lengths: dict[str, Any] = {key: schema.pop(key) for key in _LENGTHS if key in schema}
            return {**super().transform(schema), **lengths}

    return Bounded
