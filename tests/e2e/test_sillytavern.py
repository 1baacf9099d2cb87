"""The real SillyTavern in Chromium at a table: a chat is played, swiped and edited; books and cards of ours are imported."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_socket
from typer.testing import CliRunner

from lorewright.bootstrap import App
from lorewright.cli import app as command_line
from lorewright.service.web.client import LorewrightClient
from support import harbour as h
from support.played_in_a_browser import chromium, listening
from support.sillytavern import WHAT_IS_MISSING, Tavern, running_sillytavern

pytestmark = [
    pytest.mark.server,
    pytest.mark.campaign,
    pytest.mark.skipif(bool(WHAT_IS_MISSING), reason=WHAT_IS_MISSING or "nothing is missing"),
]
WORDS = ("look around", "ask Osk about the boat", "wait", "go to the quay", "look around")
# An entry with a rule of each kind that has a place in world info.
TIDES = """
    ---
    id: tides
    type: event
    aliases: [high water]
    lore: {group: weather, probability: 0.5, priority: 7, sticky: 2, cooldown: 3, keys: ["/tides?/i"], any: [moon, rain]}
    section_lore:
      Always: {always: true}
    ---
    # The Tides

    The water comes at six and again at half past.

    ## Always

    Nobody in the harbour owns a clock that agrees with the sea.
"""
FILES = {
    **h.FILES,
    "events/tides.md": TIDES,
    "npcs/osk.md": h.FILES["npcs/osk.md"].replace("type: npc", "type: npc\n        tags: [innkeeper]"),
}


@pytest.fixture
def on_loopback(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path / "table", files=FILES)


@contextmanager
def at_the_table(app: App, browser: Any, folder: Path) -> Iterator[tuple[Tavern, LorewrightClient]]:
    """Yield SillyTavern, connected to the seat of a table's player, and a client of the same seat."""
    with listening(app) as service, running_sillytavern(folder) as url:
        key, _ = service.accounts.new_token(service.accounts.owner(), name="tavern", scopes=("read", "play"))
        tavern = Tavern(browser, url, persona="Ada")
        tavern.connect(f"{service.address.url}/v1", key=key, model="game/player")
        with LorewrightClient(service.address.url, key) as client:
            yield tavern, client


def keep_picture(picture: bytes, name: str) -> None:
    """With LOREWRIGHT_PICTURES, make a picture of the documents anew."""
    assert picture.startswith(b"\x89PNG")
    if folder := os.environ.get("LOREWRIGHT_PICTURES"):
        (Path(folder) / name).write_bytes(picture)


def played(client: LorewrightClient) -> list[tuple[str, str]]:
    """Return what was said and told in the turns of the story as it stands, without its opening."""
    return [(turn.said, turn.told) for turn in client.turns("game").turns if turn.turn_no]


def shown(tavern: Tavern) -> list[tuple[str, str]]:
    """Return what the chat shows as said and told."""
    roles, texts = zip(*tavern.chat(), strict=True)
    assert roles == ("user", "assistant") * (len(roles) // 2)
    return list(zip(texts[::2], texts[1::2], strict=True))


def branches_of(client: LorewrightClient) -> dict[str, bool]:
    """Return the names of the branches, and which of them the table is on."""
    return {branch.name: branch.is_here for branch in client.table("game").branches}


def test_a_chat_in_sillytavern_is_played_swiped_and_edited(
    on_loopback: None, browser: Any, app: App, tmp_path: Path
) -> None:
    with at_the_table(app, browser, tmp_path) as (tavern, client):
        keep_picture(tavern.picture(), "sillytavern_connection.png")
        tavern.close_drawer()
        for words in WORDS:
            tavern.say(words)
        assert [said for said, _ in played(client)] == list(WORDS)
        assert shown(tavern) == played(client)
        assert h.KNOWS in shown(tavern)[1][1]

        # Another answer to the last message: the turn is taken back and played anew.
        before = client.table("game")
        tavern.swipe()
        after = client.table("game")
        assert (after.turn_no, after.can_be_redone) == (before.turn_no, 0) == (5, 0)
        assert after.turn_id != before.turn_id
        assert shown(tavern) == played(client)
        assert branches_of(client) == {"main": True}
        keep_picture(tavern.picture(), "sillytavern_chat.png")

        # What is no turn is refused in words that the page shows, and plays nothing.
        for option in ("continue", "impersonate"):
            assert "say what your character does" in tavern.ask_refused(option)
        assert client.table("game").turn_id == after.turn_id

        # Other words at an earlier place, and all after them deleted: a branch. The old story stays.
        tavern.edit(4, "ask Osk about the weather")
        tavern.delete_from(5)
        tavern.generate()
        assert [said for said, _ in played(client)] == [*WORDS[:2], "ask Osk about the weather"]
        assert shown(tavern) == played(client)
        assert branches_of(client) == {"main": False, "chat-1": True}
        tavern.say("look at Osk")
        assert shown(tavern) == played(client)
        client.switch("game", "main")
        assert client.table("game").turn_id == after.turn_id

    with app.campaigns.reading("game") as store:
        assert [turn["player_text"] for turn in store.turns()][1:] == list(WORDS)


def test_sillytavern_has_all_of_a_book_and_a_card_of_ours_and_plays_with_its_characters(
    on_loopback: None, browser: Any, app: App, tmp_path: Path
) -> None:
    book, card = tmp_path / "harbour.json", tmp_path / "osk.json"
    export(app, book, "--as", "gm")
    export(app, card, "--card", "osk")
    with at_the_table(app, browser, tmp_path) as (tavern, client):
        sent = json.loads(book.read_text(encoding="utf-8"))["entries"]
        tavern.import_book(book)
        assert sorted(tavern.shown_entries()) == sorted(entry["comment"] for entry in sent.values())
        keep_picture(tavern.picture(width=1600), "sillytavern_book.png")
        kept = tavern.book("harbour")["entries"]
        assert kept.keys() == sent.keys()
        assert {uid: fields_of(entry, sent[uid]) for uid, entry in kept.items()} == {
            uid: fields_of(entry, entry) for uid, entry in sent.items()
        }
        # It carries what the table shows only game masters, switched off.
        assert {entry["disable"] for entry in kept.values() if h.WITHHOLDS in entry["content"]} == {True}

        written = json.loads(card.read_text(encoding="utf-8"))["data"]
        tavern.import_card(card)
        read = tavern.characters()["Osk"]
        assert read.pop("extensions") == {**written.pop("extensions"), "fav": False}
        assert read == written
        tavern.chat_with("Osk", takes_book=True)
        converted = tavern.book(written["character_book"].get("name") or "Osk's Lorebook")["entries"]
        assert [said_by(entry) for entry in converted.values()] == [
            said_in_card(entry) for entry in written["character_book"]["entries"]
        ]
        # The lore is sent along, and read by nobody.
        tavern.say("ask Osk about the boat")
        assert shown(tavern) == played(client)

        # A character who greets: the story goes on after it.
        tavern.chat_with("Seraphina")
        assert [role for role, _ in tavern.chat()] == ["assistant"]
        for words in ("look around", "wait"):
            tavern.say(words)
        tavern.swipe()
        assert [said for said, _ in played(client)] == ["ask Osk about the boat", "look around", "wait"]
        assert [text for _, text in tavern.chat()][2::2] == [told for _, told in played(client)[1:]]
        assert branches_of(client) == {"main": True}


def export(app: App, out: Path, *options: str) -> None:
    """Export the harbour pack for SillyTavern, as it is typed."""
    pack = app.workspace.root / "content_packs" / "harbour"
    words = ["pack", "export", str(pack), str(out), "--format", "sillytavern", *options]
    done = CliRunner().invoke(command_line, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output


def fields_of(entry: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """Return what an entry has of the fields that were sent. The editor empties the role of an entry that is not put
    into the chat at a depth, where it says nothing."""
    return {name: entry.get(name) for name in sent if name != "role"}


def said_by(entry: dict[str, Any]) -> tuple[Any, ...]:
    """Return what an entry of world info says."""
    names = ("comment", "key", "keysecondary", "content", "constant", "order", "disable")
    rules = ("selectiveLogic", "probability", "group", "sticky", "cooldown")
    return (*(entry[name] for name in names), *(entry[name] for name in rules))


def said_in_card(entry: dict[str, Any]) -> tuple[Any, ...]:
    """Return what an entry of a card's book says, in the same order; SillyTavern takes the last ones for granted."""
    names = ("comment", "keys", "secondary_keys", "content", "constant", "insertion_order")
    rules = {"selectiveLogic": 0, "probability": 100, "group": "", "sticky": None, "cooldown": None}
    beside = {**rules, **entry["extensions"]}
    return (*(entry[name] for name in names), not entry["enabled"], *(beside[name] for name in rules))
