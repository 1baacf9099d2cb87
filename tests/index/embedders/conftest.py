"""Every embedder that can be had here, by name; loopback is allowed to those that ask it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest
import pytest_socket

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Embedder
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedders.minilm import MiniLM, model_folder
from lorewright.index.embedders.remote import open_openai
from lorewright.index.embedders.st import SentenceTransformersEmbedder
from lorewright.index.embedders.voyage_remote import open_voyage
from support.embedding_server import StandIn, serving


@pytest.fixture(autouse=True)
def no_key_and_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is none, and nothing between a test and loopback."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-no-key-at-all")
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-no-key-at-all")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def stand_in(socket_enabled: None) -> Iterator[StandIn]:
    """A provider on loopback; no other address can be reached."""
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """The model, loaded once."""
    try:
        return MiniLM()
    except EmbedderError as problem:
        pytest.skip(f"{problem.message}: {problem.hint}")


@pytest.fixture(scope="session")
def minilm_int8(minilm: MiniLM) -> MiniLM:
    """The same in eight bits."""
    return MiniLM(eight_bits=True)


@pytest.fixture(scope="session")
def original() -> SentenceTransformersEmbedder:
    """The same weights in sentence-transformers, where that is installed."""
    pytest.importorskip("sentence_transformers")
    embedder = SentenceTransformersEmbedder(str(model_folder()))
    # Reading the model takes seconds, and is no part of a test's time.
    embedder.embed(["gate"])
    return embedder


# To import torch takes longer than a fast test may.
ST = pytest.param("st", marks=pytest.mark.campaign)


@pytest.fixture(params=["hashing", "minilm", "minilm_int8", ST, "openai", "voyage"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """One after the other."""
    match request.param:
        case "hashing":
            return HashingEmbedder()
        case "minilm" | "minilm_int8":
            return request.getfixturevalue(request.param)
        case "st":
            return request.getfixturevalue("original")
    if request.param == "openai" and importlib.util.find_spec("openai"):
        # Its import alone takes a second, and is no part of a test's time.
        importlib.import_module("openai")
    url = request.getfixturevalue("stand_in").url
    return open_openai(base_url=url) if request.param == "openai" else open_voyage(base_url=url)
