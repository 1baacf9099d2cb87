"""A game begins by words, and what finds lore by its meaning joins while it is played."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from pathlib import Path

import pexpect
import pytest

from lorewright.bootstrap import App, open_app
from lorewright.cli.game.background_embedding import embedding_environment, embedding_in_background, never
from lorewright.index.generation import KEYWORDS, GenerationKey
from lorewright.settings import EMBEDDER_VARIABLE, read_workspace
from lorewright.storage.enclosure import Enclosure
from support import harbour as h
from support.trusted_settings import trusted

_NOTE = "lore is found by its words for now"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """A workspace that has an embedder now; its campaign and its pack were made without one."""
    root = h.harbour(tmp_path).workspace.root
    monkeypatch.setenv(EMBEDDER_VARIABLE, "hashing")
    return open_app(root)


def spaces(app: App) -> list[str]:
    return sorted(app.library.spaces(app.library.get("harbour").key))


def at_terminal(root: Path, name: str) -> pexpect.spawn:
    plain = {"TERM": "xterm", "NO_COLOR": "1", "LOREWRIGHT_PLAIN": "1"}
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(root), **plain}
    return pexpect.spawn(
        sys.executable, ["-m", "lorewright", "play", name], env=environment, encoding="utf-8", timeout=60
    )


def wait_for_vectors(app: App) -> None:
    deadline = time.monotonic() + 60
    while spaces(app) == [KEYWORDS] and time.monotonic() < deadline:
        time.sleep(0.1)


def answer(child: pexpect.spawn, line: str) -> str:
    child.sendline(line)
    child.expect("\r\n> $")
    return str(child.before)


def quit_it(child: pexpect.spawn) -> None:
    child.sendline("/quit")
    child.expect("Saved.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.campaign
def test_a_first_start_answers_by_keywords_while_the_meaning_is_still_being_built(app: App) -> None:
    (app.workspace.campaigns / "game.db").unlink()
    shutil.rmtree(app.workspace.indexes)
    home = Enclosure(app.library.generations)
    with home.locked(app.library.generations / ".embed.lock"):
        child = at_terminal(app.workspace.root, "night_boat")
        child.expect("\r\n> $")
        assert str(child.before).count(_NOTE) == 1
        assert "kestrel" in answer(child, "ask osk about lin")
        assert spaces(app) == [KEYWORDS]
    wait_for_vectors(app)
    assert KEYWORDS in spaces(app) and len(spaces(app)) == 2
    assert "Osk" in answer(child, "look")
    quit_it(child)
    again = at_terminal(app.workspace.root, "night_boat")
    again.expect("\r\n> $")
    assert _NOTE not in str(again.before)
    quit_it(again)


@pytest.mark.campaign
def test_a_player_who_quits_before_the_meaning_is_built_has_it_built_at_the_next_start(app: App) -> None:
    with Enclosure(app.library.generations).locked(app.library.generations / ".embed.lock"):
        child = at_terminal(app.workspace.root, "game")
        child.expect("\r\n> $")
        quit_it(child)
    assert spaces(app) == [KEYWORDS]
    child = at_terminal(app.workspace.root, "game")
    child.expect("\r\n> $")
    assert str(child.before).count(_NOTE) == 1
    wait_for_vectors(app)
    assert len(spaces(app)) == 2
    quit_it(child)


def test_vectors_that_come_while_a_campaign_is_open_are_used_from_the_next_turn(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        assert [pack.vectors for pack in campaign.setting.generations] == [None]
        h.say(app, "look")
        app.library.embed(app.library.get("harbour").key)
        assert [pack.vectors for pack in campaign.setting.generations] == [None]
        campaign.reopen_packs()
        assert None not in [pack.vectors for pack in campaign.setting.generations]
    h.say(app, "ask osk about lin")
    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()] == ["", "look", "ask osk about lin"]


def test_turns_from_before_the_vectors_came_are_replayed_by_words(app: App) -> None:
    h.say(app, "ask osk about the kestrel")
    app.library.embed(app.library.get("harbour").key)
    h.say(app, "ask osk about lin")
    with app.campaigns.reading("game") as store:
        records = [store.stage_records(turn["turn_id"]) for turn in store.turns()]
    recorded = [[record["output"] for record in found if record["stage"] == "by_words"] for found in records]
    assert recorded == [[], [{"packs": ["harbour"]}], []]
    replay = asyncio.run(app.replays.rerun_turns("game"))
    assert [turn.differences for turn in replay.turns] == [(), ()]


def test_a_campaign_that_is_begun_by_words_leaves_embedding_for_later(app: App) -> None:
    shutil.rmtree(app.workspace.indexes)
    app.campaigns.new("night_boat", library=app.by_words)
    assert spaces(app) == [KEYWORDS]
    assert not (app.workspace.indexes / "embeddings.db").exists()


def test_what_another_embedder_made_is_embedded_before_a_campaign_begins_by_words(app: App) -> None:
    key = app.library.get("harbour").key
    app.library.embed(key)
    made = app.library.spaces(key)[next(space for space in spaces(app) if space != KEYWORDS)]
    made.rename(made.with_name(Path(key.folder_in("another-embedder")).name))
    assert app.library.foreign_spaces(key)
    app.campaigns.new("night_boat", library=app.by_words)
    assert not app.library.foreign_spaces(key)


def test_no_process_is_started_where_the_vectors_are_there_or_cannot_be(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("lorewright.cli.game.background_embedding.start_child", refuse)
    with pytest.raises(AssertionError), embedding_in_background(app, "game"):
        pass
    lin = app.workspace.content_packs / "harbour" / "npcs" / "lin.md"
    before = lin.read_bytes()
    lin.write_bytes(before + b"\nShe has changed.\n")
    with embedding_in_background(app, "game") as of_another_text:
        assert of_another_text is never
    lin.write_bytes(before)
    app.library.embed(GenerationKey("harbour", app.library.get("harbour").content_hash))
    with embedding_in_background(app, "game") as of_what_is_embedded:
        assert of_what_is_embedded is never
    monkeypatch.setenv(EMBEDDER_VARIABLE, "none")
    with embedding_in_background(open_app(app.workspace.root), "game") as without_embedder:
        assert without_embedder is never


def test_vectors_have_come_once_when_the_process_has_ended_well(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    class Child:
        code: int | None = None

        def __enter__(self) -> Child:
            return self

        def __exit__(self, *_: object) -> None:
            assert self.is_stopped

        is_stopped = False

        def poll(self) -> int | None:
            return self.code

        def terminate(self) -> None:
            self.is_stopped = True

    child = Child()
    monkeypatch.setattr("lorewright.cli.game.background_embedding.start_child", lambda *_, **__: child)
    with embedding_in_background(app, "game") as have_come:
        told = [have_come()]
        for child.code in (1, 0):
            told += [have_come(), have_come()]
    assert told == [False, False, False, True, False]


def test_another_process_is_told_of_no_embedder_that_nobody_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOREWRIGHT_EMBEDDER", raising=False)
    (tmp_path / "lorewright.toml").write_text('[index]\nembedder = "openai"\n', encoding="utf-8")
    assert embedding_environment(read_workspace(tmp_path)) is None
    trusted(tmp_path)
    allowed = embedding_environment(read_workspace(tmp_path))
    assert allowed == {
        "LOREWRIGHT_WORKSPACE": str(tmp_path),
        "LOREWRIGHT_EMBEDDER": "openai",
        "LOREWRIGHT_CHROMA": "never",
    }
