"""Voyage's embeddings, which differ for texts and questions. They need one kind of request, so no client of Voyage."""

from __future__ import annotations

from typing import Any

from lorewright.addresses import KEY_VARIABLES, OWN_SERVERS
from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import name_space
from lorewright.index.embedders.remote import (
    RemoteEmbedder,
    RetryLimits,
    TransientFailure,
    open_http,
    read_key,
    refusal,
)

DEFAULT_MODEL = "voyage-3.5"


def open_voyage(
    model: str = DEFAULT_MODEL, *, base_url: str | None = None, patience: RetryLimits | None = None
) -> RemoteEmbedder:
    """Return an embedder that asks Voyage, or the server at `base_url` (with its `/v1`). Nothing is sent yet."""
    fingerprint = name_space("voyage", model, *((base_url,) if base_url else ()))
    return RemoteEmbedder(VoyageProvider(model, base_url), fingerprint=fingerprint, patience=patience)


class VoyageProvider:
    """Makes one attempt by HTTP."""

    name = "voyage"

    def __init__(self, model: str, base_url: str | None) -> None:
        self._model = model
        self._url = f"{(base_url or OWN_SERVERS[self.name]).rstrip('/')}/embeddings"
        self._http: Any = None
        self._key = ""

    def request(self, texts: list[str], *, question: bool, timeout_s: float) -> object:
        """Return the rows in the order of the texts."""
        if self._http is None:
            self._key = read_key(*KEY_VARIABLES[self.name])
            self._http = open_http(self)
        import httpx2  # late: it takes a while, and few use it

        body = {"model": self._model, "input": texts, "input_type": "query" if question else "document"}
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            answer = self._http.post(self._url, json=body, headers=headers, timeout=timeout_s)
            if answer.is_success:
                rows = answer.json()["data"]
                return [row["embedding"] for row in sorted(rows, key=lambda row: row.get("index", 0))]
        except EmbedderError:
            raise
        except httpx2.TransportError as problem:  # timeouts too
            raise TransientFailure(type(problem).__name__) from None
        except Exception as problem:  # a page where JSON was due, or JSON of another shape
            kind = type(problem).__name__
            raise EmbedderError(f"{self.name} gave no embeddings ({kind})", hint="check the address") from None
        error = refusal(self.name, answer.status_code, answer.reason_phrase or "no reason")
        if isinstance(error, TransientFailure):
            raise TransientFailure(error.reason, retry_after=answer.headers.get("retry-after"))
        raise error
