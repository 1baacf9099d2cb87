"""A service without packs: it fetches what its campaigns pin from a store, and plays, asks and begins as one that has
them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_workshop import ended
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.cli import app as command_line
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.index.artifacts.objects import ObjectStore
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.workspace.pushing import PackPusher
from support import harbour as h
from support.sent_packs import PACK, zipped
from support.table_service import hall

LINES = ("look", "take rope", "ask Osk about Lin")


def push(app: App, url: str) -> None:
    list(PackPusher(app.library, app.campaigns, ObjectStore(url)).push())


@pytest.fixture
def author(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return (tmp_path / "store").as_uri()


@pytest.fixture
def bare(tmp_path: Path, author: App, url: str) -> Iterator[App]:
    """A workspace with the campaign and the scenario, and without packs, texts or indexes."""
    push(author, url)
    root = tmp_path / "bare"
    make_empty_workspace(root)
    shutil.copy(author.workspace.root / "campaigns" / "game.db", root / "campaigns" / "game.db")
    for path in author.workspace.scenarios.glob("*.yaml"):
        shutil.copy(path, root / "scenarios" / path.name)
    # The author's machine is gone.
    author.workspace.root.rename(tmp_path / "gone")
    yield open_app(root, lore_store=LoreStore(url))


def test_a_worker_plays_the_bytes_that_the_workspace_with_the_packs_plays(bare: App, tmp_path: Path) -> None:
    told = h.say(bare, *LINES)
    assert list(bare.workspace.content_packs.iterdir()) == []
    (tmp_path / "gone").rename(tmp_path / "workspace")
    assert told == h.say(open_app(tmp_path / "workspace"), *LINES)


def test_a_worker_serves_tables_questions_and_new_games(bare: App) -> None:
    with hall(bare) as room:
        owner = room.owner()
        assert owner.say("game", "look", key="k1").status_code == 200
        asked = owner.post("/v1/lore/query", {"text": "Osk", "as": "gm"})
        assert asked.status_code == 200 and "harbour:osk" in asked.text, asked.text
        begun = owner.post("/v1/campaigns", {"scenario_id": "night_boat"})
        assert begun.status_code == 201, begun.text
        ready = owner.get("/readyz").json()
        assert ready["detail"] == {"packs": 1, "lore_store_answers": True, "embedder_differs": 0}


def test_a_pinned_text_is_fetched_though_a_newer_one_is_current(author: App, url: str, tmp_path: Path) -> None:
    push(author, url)
    lore = author.workspace.content_packs / "harbour" / "news.md"
    lore.write_text("# News\n\nThe boat is gone.\n", encoding="utf-8")
    author.indexer.reindex("harbour")
    push(author, url)
    root = tmp_path / "bare"
    make_empty_workspace(root)
    shutil.copy(author.workspace.root / "campaigns" / "game.db", root / "campaigns" / "game.db")
    worker = open_app(root, lore_store=LoreStore(url))
    (pin,) = worker.campaigns.pins().texts
    assert worker.library.get("harbour").content_hash != pin.content_hash
    with worker.campaigns.open("game"), worker.campaigns.reading("game") as store:
        (generation,) = worker.campaigns.generations(store.campaign())
        assert "The boat is gone." not in "".join(chunk.text for chunk in generation.all_chunks())
        generation.close()


@pytest.mark.campaign
def test_a_pack_that_is_sent_to_one_worker_is_there_for_the_others(bare: App, url: str) -> None:
    with hall(bare) as room:
        owner = room.owner()
        headers = {"X-CSRF-Token": owner.csrf, "Content-Type": "application/zip"}
        job = owner.client.post("/v1/packs?name=island", content=zipped(PACK), headers=headers).json()
        assert ended(owner, job)["state"] == "done"
    assert "island" in LoreStore(url).pointers()


def test_the_command_pushes_and_says_what_it_sent(author: App, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(author.workspace.root))
    first = CliRunner().invoke(command_line, ["pack", "push", "--to", url, "--json"])
    (pack,) = json.loads(first.stdout)
    assert (pack["pack_id"], pack["is_current"], pack["has_text"]) == ("harbour", True, True)
    assert pack["files"] == 3 and pack["bytes"] > 10_000
    again = CliRunner().invoke(command_line, ["pack", "push", "harbour", "--to", url])
    assert "it was there already" in again.stdout
