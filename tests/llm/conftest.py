"""A model server on loopback, asked through the real SDKs; no other host can be reached."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from functools import cache
from unittest import mock

import pytest
import pytest_socket

from lorewright.llm.opening import load_sdk
from lorewright.settings import ModelsSettings
from support.model_apis.server import ModelServer


@pytest.fixture(scope="session")
def libraries() -> None:
    """What the first question would import otherwise, which takes seconds."""
    for key in ("claude-haiku", "gpt-5.2", "google-pro"):
        load_sdk(key, ModelsSettings())


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """The machine's certificates, read once: every client of an SDK reads them, and nothing here is asked over TLS."""
    create = cache(ssl.create_default_context)
    with mock.patch.object(ssl, "create_default_context", create):
        yield


@pytest.fixture
def server(libraries: None, socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that runs; a test says what it answers."""
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    # A proxy of the machine's would be asked for loopback as well.
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ModelServer().running() as running:
        yield running
