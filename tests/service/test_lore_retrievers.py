"""The examples for LangChain and LlamaIndex: lore of a service as their retrievers give it, and no more of it."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import AccessRefused
from lorewright.service.web.client import LorewrightClient
from support import harbour as h
from support.table_service import URL, hall

EXAMPLES = Path(__file__).parents[2] / "examples" / "retrievers"
LIBRARIES = {"langchain_lore": "langchain_core", "llama_index_lore": "llama_index"}

# A question -> the texts and the metadata that a retriever gives.
Retrieve = Callable[..., list[tuple[str, dict[str, Any]]]]


@pytest.fixture(scope="module", params=LIBRARIES)
def example(request: pytest.FixtureRequest) -> tuple[str, Any]:
    name: str = request.param
    if find_spec(LIBRARIES[name]) is None:
        pytest.skip(f"{LIBRARIES[name]} is not installed: pip install 'lorewright[retrievers]'")
    return name, runpy.run_path(str(EXAMPLES / f"{name}.py"))["LoreRetriever"]


@pytest.fixture
def retrieve(tmp_path: Path, example: tuple[str, Any]) -> Iterator[Retrieve]:
    name, retriever = example
    with hall(h.harbour(tmp_path)) as room:
        accounts = room.service.accounts

        def found(question: str, *, scopes: tuple[Any, ...] = ("lore",), **options: Any) -> Any:
            secret, _ = accounts.new_token(accounts.owner(), name=name, scopes=scopes)
            client = LorewrightClient(URL, secret, http=room.stranger().client)
            if name == "langchain_lore":
                documents = retriever(client=client, **options).invoke(question)
                return [(document.page_content, document.metadata) for document in documents]
            nodes = retriever(client, **options).retrieve(question)
            return [(node.text, node.node.metadata) for node in nodes]

        yield found


def test_a_retriever_gives_sections_with_their_sources(retrieve: Retrieve) -> None:
    found = retrieve("who keeps the tavern?", campaign="game", limit=2)
    assert 1 <= len(found) <= 2
    for text, metadata in found:
        assert text
        assert metadata["source"].startswith("harbour/")
        assert metadata["section"]


def test_a_retriever_gives_what_its_viewer_may_know_and_no_more(retrieve: Retrieve) -> None:
    secret = f"What does Osk withhold of the {h.WITHHOLDS}?"
    for options in ({"campaign": "game"}, {"viewer": "player"}):
        assert h.WITHHOLDS not in str(retrieve(secret, limit=20, **options))
    assert h.WITHHOLDS in str(retrieve(secret, limit=20, viewer="gm", scopes=("lore", "gm")))
    with pytest.raises(AccessRefused):
        retrieve(secret, viewer="gm")
