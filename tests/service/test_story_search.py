"""The pages of a search through the story: each turn that says the words is found once, the oldest last, whatever lies
between."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import chain

import pytest

from lorewright.service.web.table import MOST_TURNS
from support import harbour as h
from support.table_service import Browser, Hall, hall

STORY = "/table/game/story"
# More than two pages of turns that say the words, with others between them.
LINES = tuple("ask Osk about the boat" if number % 2 else "wait" for number in range(1, 2 * MOST_TURNS + 31))
SAID = [number for number, line in enumerate(LINES, start=1) if line != "wait"]
_TURN = re.compile(r'<article id="turn-(\d+)">')
_EARLIER = re.compile(r'<a href="([^"]+)">Earlier turns</a>')


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path_factory.mktemp("long"), played=LINES)) as opened:
        yield opened


def pages(browser: Browser, path: str) -> list[list[int]]:
    """The turns on each page, from the last page of the story on, as a reader goes through them."""
    found = []
    while path:
        page = browser.get(path)
        assert page.status_code == 200
        found.append([int(number) for number in _TURN.findall(page.text)])
        earlier = _EARLIER.search(page.text)
        path = html.unescape(earlier[1]) if earlier else ""
    return found


@pytest.mark.campaign
def test_a_search_finds_each_turn_once_and_its_further_pages_are_of_the_same_search(room: Hall) -> None:
    owner = room.owner()
    found = pages(owner, f"{STORY}?as=player&q=about the boat")
    assert len(found) > 1
    assert list(chain(*reversed(found))) == SAID
    # What is typed otherwise is found, too; what nobody said is not.
    assert pages(owner, f"{STORY}?as=player&q=%20ABOUT THE Boat ") == found
    assert pages(owner, f"{STORY}?as=player&q=marmoset & co") == [[]]
    assert "Nothing was found" in owner.get(f"{STORY}?as=player&q=marmoset").text


@pytest.mark.campaign
def test_the_story_without_a_search_has_every_turn_once(room: Hall) -> None:
    found = pages(room.owner(), f"{STORY}?as=player")
    assert list(chain(*reversed(found))) == list(range(len(LINES) + 1))
    assert max(map(len, found)) <= MOST_TURNS


@pytest.mark.campaign
def test_who_watches_finds_what_was_told_and_not_what_players_typed(room: Hall) -> None:
    watcher = room.guest("Wat", "game", "watcher")
    assert pages(watcher, f"{STORY}?q=ask Osk about") == [[]]
    assert list(chain(*pages(watcher, f"{STORY}?q=night boat")))
