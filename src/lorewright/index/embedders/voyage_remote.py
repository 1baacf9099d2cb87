"""Voyage's embeddings, which tell texts from questions. Needs the extra `voyage`."""

from __future__ import annotations

from typing import Any

from lorewright.errors import EmbedderError
from lorewright.index.embedders.checking import name_space
from lorewright.index.embedders.remote import Busy, Patience, RemoteEmbedder, read_key, refusal

DEFAULT_MODEL = "voyage-3.5"
KEY_VARIABLE = "VOYAGE_API_KEY"
INSTALL = 'pip install "lorewright[voyage]"'


def open_voyage(
    model: str = DEFAULT_MODEL, *, base_url: str | None = None, patience: Patience | None = None
) -> RemoteEmbedder:
    """An embedder that asks Voyage, or the server at `base_url` (with its `/v1`). Nothing is sent yet."""
    fingerprint = name_space("voyage", model, *((base_url,) if base_url else ()))
    return RemoteEmbedder(VoyageProvider(model, base_url), fingerprint=fingerprint, patience=patience)


class VoyageProvider:
    """One attempt by the official client."""

    name = "voyage"

    def __init__(self, model: str, base_url: str | None) -> None:
        self._model = model
        self._base_url = base_url
        self._key = ""

    def request(self, texts: list[str], *, question: bool, timeout_s: float) -> object:
        """The rows in the order of the texts."""
        client = self._opened(timeout_s)
        from voyageai import error  # late, as below

        purpose = "query" if question else "document"
        try:
            return client.embed(texts, model=self._model, input_type=purpose).embeddings
        except (error.Timeout, error.APIConnectionError) as problem:
            raise Busy(type(problem).__name__) from None
        except error.VoyageError as problem:
            told = refusal(self.name, problem.http_status, type(problem).__name__)
            if isinstance(told, Busy):
                raise Busy(told.reason, retry_after=_header(problem, "retry-after")) from None
            raise told from None
        except Exception as problem:  # a page where JSON was due fails somewhere inside the client
            told_kind = type(problem).__name__
            raise EmbedderError(f"{self.name} gave no embeddings ({told_kind})", hint="check the address") from None

    def _opened(self, timeout_s: float) -> Any:
        """A client, which is a small thing here: its connections are kept elsewhere, its timeout is fixed."""
        self._key = self._key or read_key(KEY_VARIABLE)
        try:
            # Imported late: it takes most of a second, and is an extra.
            from voyageai.client import Client
        except ImportError:
            raise EmbedderError("the client of Voyage is not installed", hint=INSTALL) from None
        return Client(api_key=self._key, base_url=self._base_url, timeout=timeout_s, max_retries=0)


def _header(problem: Any, name: str) -> str | None:
    found = {str(key).lower(): value for key, value in dict(problem.headers or {}).items()}.get(name)
    return found if isinstance(found, str) else None
