"""The game master's list of secrets: found by words, page by page, over the API, by the client and on the page without a
script."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest

from lorewright.service.web.access import Scope
from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.desk import MOST_SECRETS, SECRETS_A_PAGE
from support import harbour as h
from support.table_service import URL, Browser, Hall, hall

API = "/v1/campaigns/game/secrets"
DESK = "/table/game/desk"
SCOPES: tuple[Scope, ...] = ("read", "play", "gm")
# So many that the last page is not full.
MANY = 2 * SECRETS_A_PAGE + 7
LOCKERS = "\n".join(
    f"- {{#locker{number}}} open locker {number}: A rope, coiled {number} times." for number in range(MANY)
)
FILES = {
    **h.FILES,
    "locations/boathouse.md": f"---\nid: boathouse\ntype: location\n---\n# The Boathouse\n\nDry.\n\n## Discoverable\n\n{LOCKERS}\n",
}
_ROW = re.compile(r'<th scope="row">.*?</th><td>(.*?)</td>')
_LINK = re.compile(r'<a href="([^"]+)">(Further secrets|Secrets before these)</a>')


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path_factory.mktemp("secrets"), files=FILES)) as opened:
        yield opened


def listed(browser: Browser, query: str = "") -> list[list[str]]:
    """The IDs on each page of the API."""
    found, cursor = [], ""
    while True:
        page = browser.get(f"{API}?{query}{cursor}").json()
        found.append([secret["item_id"] for secret in page["secrets"]])
        if page["next"] is None:
            assert sum(map(len, found)) == page["found"]
            return found
        cursor = f"&cursor={page['next']}"


def shown(browser: Browser, path: str, link: str = "Further secrets") -> list[list[str]]:
    """The texts on each page of the desk, as a reader follows its links."""
    found = []
    while path:
        page = browser.get(path)
        assert page.status_code == 200
        found.append([html.unescape(text) for text in _ROW.findall(page.text)])
        links = {said: html.unescape(to) for to, said in _LINK.findall(page.text)}
        path = links.get(link, "").removesuffix("#secrets")
    return found


def test_every_secret_is_on_one_page_and_the_pages_are_bounded(room: Hall) -> None:
    owner = room.owner()
    pages = listed(owner)
    every = [item for page in pages for item in page]
    assert len(every) == len(set(every)) > MANY
    assert [len(page) for page in pages[:-1]] == [SECRETS_A_PAGE] * (len(pages) - 1)
    assert listed(owner, f"limit={MOST_SECRETS}") == [every]
    assert [item for page in listed(owner, "limit=1&q=rope") for item in page] == [
        item for item in every if "#locker" in item
    ]
    assert owner.get(f"{API}?limit={MOST_SECRETS + 1}").status_code == 422
    assert owner.get(f"{API}?cursor=-1").status_code == 422
    assert owner.get(f"{API}?cursor=99999").json()["secrets"] == []


def test_the_desk_has_the_first_page_and_says_where_it_goes_on(room: Hall) -> None:
    owner = room.owner()
    desk, first = owner.get("/v1/campaigns/game/desk").json(), owner.get(API).json()
    assert desk["secrets"] == first["secrets"]
    assert desk["more_secrets"] == first["next"] == str(SECRETS_A_PAGE)


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("boathouse rope", MANY),
        ("ROPE  discover", MANY),
        ("coiled 17 times", 1),
        ("Discoverable pangolin", 1),
        ("rope marmoset", 0),
        ("withholds", 1),
        ("  ", None),
    ],
)
def test_all_words_must_stand_in_the_title_the_section_or_the_text(room: Hall, words: str, count: int | None) -> None:
    found = room.owner().client.get(API, params={"q": words}).json()
    assert found["found"] == (count if count is not None else sum(map(len, listed(room.owner()))))


def test_the_client_reads_the_pages_of_a_search(room: Hall) -> None:
    accounts = room.service.accounts
    secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=SCOPES)
    client = LorewrightClient(URL, secret, http=room.stranger().client)
    first = client.find_secrets("game", "rope", limit=100)
    rest = client.find_secrets("game", "rope", limit=100, cursor=first.next)
    assert (len(first.secrets), len(rest.secrets), first.found, rest.next) == (100, MANY - 100, MANY, None)


def test_the_page_shows_the_list_part_by_part_forwards_and_backwards(room: Hall) -> None:
    owner = room.owner()
    pages = shown(owner, DESK)
    assert [len(page) for page in pages] == [len(page) for page in listed(owner)]
    last = (len(pages) - 1) * SECRETS_A_PAGE
    assert shown(owner, f"{DESK}?cursor={last}", "Secrets before these") == pages[::-1]
    assert f"{last + 1} to" in owner.get(f"{DESK}?cursor={last}").text


def test_a_search_on_the_page_goes_on_with_its_words_and_keeps_whose_eyes_are_borrowed(room: Hall) -> None:
    owner = room.owner()
    found = shown(owner, f"{DESK}?q=rope+%26+locker")
    assert found == [[]]
    assert "Nothing was found" in owner.get(f"{DESK}?q=rope+%26+locker").text
    found = shown(owner, f"{DESK}?q=rope&seen_as=pc:player")
    assert sum(map(len, found)) == MANY
    assert all("rope" in text for page in found for text in page)
    page = owner.get(f"{DESK}?q=rope&seen_as=pc:player").text
    assert "seen_as=pc%3Aplayer" in html.unescape(page)
    assert "&lt;b&gt;" in owner.get(f"{DESK}?q=<b>").text
    assert owner.get(f"{DESK}?cursor=x").status_code == 422


def test_a_secret_that_is_revealed_leads_back_to_the_same_part_of_the_list(room: Hall) -> None:
    owner = room.owner()
    item = owner.get(f"{API}?q=60+times").json()["secrets"][0]["item_id"]
    part = {"q": "rope", "cursor": str(SECRETS_A_PAGE)}
    answer = owner.client.post(
        f"{DESK}/reveal",
        data={"csrf": owner.csrf, "item": item, "to": "game:player", **part},
        follow_redirects=False,
    )
    assert answer.status_code == 303, answer.text.partition("alert")[2][:300]
    assert answer.headers["location"] == f"{DESK}?q=rope&cursor={SECRETS_A_PAGE}#secrets"
    (secret,) = owner.get(f"{API}?q=60+times").json()["secrets"]
    assert (secret["item_id"], len(secret["known_by"])) == (item, 1)
    assert "(turn " in secret["known_by"][0]


def test_nobody_but_a_game_master_searches_the_secrets(room: Hall) -> None:
    for role in ("player", "watcher"):
        guest = room.guest(f"A {role}", "game", role)
        answers = {guest.get(f"{path}?q={word}").content for path in (API,) for word in ("rope", "nothing")}
        assert len(answers) == 1
        assert guest.get(f"{API}?q=rope").status_code == guest.get(f"{DESK}?q=rope").status_code == 404
