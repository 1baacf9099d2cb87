"""OpenAI's embeddings, and those of any server that speaks the same protocol. Needs the extra `openai`."""

from __future__ import annotations

from typing import Any

from lorewright.errors import EmbedderError
from lorewright.index.embedders.checking import name_space
from lorewright.index.embedders.remote import Busy, Patience, RemoteEmbedder, open_http, read_key, refusal

DEFAULT_MODEL = "text-embedding-3-small"
KEY_VARIABLE = "OPENAI_API_KEY"
INSTALL = 'pip install "lorewright[openai]"'
_OWN_URL = "https://api.openai.com/v1"


def open_openai(
    model: str = DEFAULT_MODEL, *, base_url: str | None = None, patience: Patience | None = None
) -> RemoteEmbedder:
    """An embedder that asks OpenAI, or the server at `base_url` (with its `/v1`). Nothing is sent yet."""
    fingerprint = name_space("openai", model, *((base_url,) if base_url else ()))
    return RemoteEmbedder(OpenAIProvider(model, base_url or _OWN_URL), fingerprint=fingerprint, patience=patience)


class OpenAIProvider:
    """One attempt by the official client. It knows no difference between texts and questions."""

    name = "openai"

    def __init__(self, model: str, base_url: str) -> None:
        self._model = model
        self._base_url = base_url
        self._client: Any = None

    def request(self, texts: list[str], *, question: bool, timeout_s: float) -> object:
        """The rows in the order of the texts."""
        client = self._opened()
        import openai  # late, as below

        try:
            answer = client.embeddings.create(
                model=self._model, input=texts, timeout=timeout_s, encoding_format="float"
            )
            ordered = sorted(answer.data, key=lambda one: one.index)
            return [one.embedding for one in ordered]
        except EmbedderError:
            raise
        except openai.APIConnectionError as problem:  # timeouts too
            if isinstance(problem.__cause__, EmbedderError):
                raise problem.__cause__ from None
            raise Busy(type(problem).__name__) from None
        except openai.APIStatusError as problem:
            told = refusal(self.name, problem.status_code, type(problem).__name__)
            if isinstance(told, Busy):
                raise Busy(told.reason, retry_after=problem.response.headers.get("retry-after")) from None
            raise told from None
        except Exception as problem:  # a page where JSON was due comes back as whatever the client makes of it
            told_kind = type(problem).__name__
            raise EmbedderError(f"{self.name} gave no embeddings ({told_kind})", hint="check the address") from None

    def _opened(self) -> Any:
        if self._client is None:
            key = read_key(KEY_VARIABLE)
            try:
                # Imported late: it takes most of a second, and is an extra.
                import openai
            except ImportError:
                raise EmbedderError("the client of OpenAI is not installed", hint=INSTALL) from None
            # Its own retries obey Retry-After without a limit: ours do not.
            self._client = openai.OpenAI(
                api_key=key, base_url=self._base_url, max_retries=0, http_client=open_http(self)
            )
        return self._client
