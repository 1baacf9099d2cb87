"""What the server's tools and resources give a player is words: the same bytes, whatever the links of a pack hide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.errors import NotFound
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.service.prompts import entity_text
from lorewright.service.queries import Queries
from lorewright.visibility import Viewer
from support.harbour import write_pack
from support.veiled_pack import MASK, WREN, Veil, files_of

QUESTIONS = ("the guest", "Vik", "who sits here", "lamp")


@pytest.fixture(autouse=True)
def _words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "none")


def app_of(tmp_path: Path, veil: Veil) -> App:
    root = tmp_path / veil.word
    make_empty_workspace(root)
    folder = write_pack(root / "content_packs" / "inn", files_of(veil))
    app = open_app(root)
    app.indexer.index_pack(folder, lenient=True)
    return app


def told(app: App) -> Iterator[str]:
    desk = Queries(app, Viewer("player"))
    for question in QUESTIONS:
        yield desk.lore(question, packs=("inn",), limit=50, max_tokens=20_000).model_dump_json()
    yield desk.entities().model_dump_json()
    yield desk.entities(named="zq").model_dump_json()
    for entity in ("inn:inn", "inn:vik"):
        found = desk.entity(entity)
        yield found.model_dump_json() + entity_text(found)


def test_tools_and_resources_tell_the_same_of_two_packs_that_hide_different_things(tmp_path: Path) -> None:
    mask, wren = (list(told(app_of(tmp_path, veil))) for veil in (MASK, WREN))
    assert mask == wren
    assert not [mark for mark in MASK.marks if mark in "".join(mask).casefold()]


def test_the_game_masters_server_gives_the_authors_text(tmp_path: Path) -> None:
    desk = Queries(app_of(tmp_path, MASK), Viewer("gm"))
    assert f"[[{MASK.id}|the guest]]" in desk.entity("inn:inn").model_dump_json()


def test_who_is_hidden_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Queries(app_of(tmp_path, MASK), Viewer("player")).entity(f"inn:{MASK.id}")
