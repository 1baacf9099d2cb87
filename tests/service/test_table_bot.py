"""The bot of the examples plays, looks things up, and survives refusals."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lorewright.service.web.client import LorewrightClient
from support import harbour as h
from support.table_service import URL, hall

BOT = Path(__file__).parents[2] / "examples" / "bot" / "table_bot.py"

Posts = Callable[..., list[str]]


@pytest.fixture
def posts(tmp_path: Path) -> Iterator[Posts]:
    """Return a function that gives what the bot posts for messages."""
    run: Any = runpy.run_path(str(BOT))["run"]
    with hall(h.harbour(tmp_path)) as room:
        accounts = room.service.accounts
        secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=("read", "play", "lore"))
        client = LorewrightClient(URL, secret, http=room.stranger().client)
        yield lambda *messages: list(run(client, "game", messages))


def test_the_bot_is_at_most_forty_lines() -> None:
    assert len(BOT.read_text(encoding="utf-8").splitlines()) <= 40


def test_a_message_is_played_and_one_that_comes_twice_is_played_once(posts: Posts) -> None:
    first, again, back = posts(("1", "ask Osk about the boat"), ("1", "ask Osk about the boat"), ("2", "!undo"))
    assert h.KNOWS in first
    assert again == first
    assert back == "Back at turn 0."


def test_the_bot_gives_hints_and_lore_that_players_may_see(posts: Posts) -> None:
    assert posts(("1", "!hint"))[0]
    found = "\n".join(posts(("2", "!lore smoke and a fiddle"), ("3", "!lore passage marmoset")))
    assert "> " in found
    assert h.WITHHOLDS not in found


def test_a_refusal_is_posted_and_the_bot_goes_on(posts: Posts) -> None:
    refused, played = posts(("1", "!undo"), ("2", "look around"))
    assert refused.startswith("(")
    assert played
