"""People at a table, in Chromium: a game is begun, played, taken back, explained; two see what each of them knows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_workspace
from lorewright.service.web.serving import owner_link
from support import harbour as h
from support import harbour_crew as c
from support import two_at_a_table as t
from support.played_in_a_browser import WHAT_IS_MISSING, Connections, SlowTeller, chromium, faults_of, listening
from support.sent_packs import MISTAKEN, MISTAKES, PACK, zipped

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(bool(WHAT_IS_MISSING), reason=WHAT_IS_MISSING or "nothing is missing"),
]
PHONE = {"width": 390, "height": 844}


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
    return h.harbour(tmp_path)


def entered(browser: Any, service: Any, **options: Any) -> Any:
    """A page of the owner's, who has used the link that the service prints."""
    page = browser.new_context(**options).new_page()
    page.goto(owner_link(service))
    page.get_by_role("button", name="Enter").click()
    page.wait_for_url("**/")
    return page


def say(page: Any, words: str) -> None:
    """Type what is done, and wait until the table has it."""
    turn = int(page.locator("#scene").get_attribute("data-turn"))
    page.get_by_label("What do you do?").fill(words)
    page.get_by_role("button", name="Say it").click()
    page.locator(f"#scene[data-turn='{turn + 1}']").wait_for()


def test_a_game_is_begun_in_two_clicks_played_taken_back_and_explained(
    on_loopback: None, browser: Any, app: App
) -> None:
    with listening(app) as service:
        page = entered(browser, service)
        page.get_by_role("button", name=re.compile("^Begin")).first.click()
        page.get_by_label("What do you do?").wait_for()
        say(page, "ask Osk about the boat")
        assert h.KNOWS in page.locator(".turns").inner_text()
        assert page.get_by_label("What do you do?").input_value() == ""
        page.locator(".suggested button").first.click()
        page.locator("#scene[data-turn='2']").wait_for()
        page.get_by_role("button", name="Undo the last turn").click()
        page.locator("#scene[data-turn='1']").wait_for()
        page.get_by_role("link", name="Why? Turn 1").click()
        assert "osk/knows" in page.locator("main").inner_text()
        page.get_by_role("link", name="Codex").click()
        assert h.KNOWS in page.locator("main").inner_text()
        assert "turn 1" in page.locator("main").inner_text()


@pytest.mark.campaign
def test_two_at_a_table_see_each_others_deeds_and_different_codices(
    on_loopback: None, browser: Any, tmp_path: Path
) -> None:
    app = t.begun(tmp_path)
    with listening(app) as service:
        pages = {}
        for name, who in (("Ann", c.ADA), ("Ben", c.BO)):
            secret, _ = service.accounts.new_link(
                "seat", service.accounts.owner(), campaign_id="game", role=f"pc:{who}"
            )
            page = browser.new_context().new_page()
            page.goto(f"{service.address.url}/enter/{secret}")
            page.get_by_label("Choose a name").fill(name)
            page.get_by_label("and a password").fill("ten letters or more")
            page.get_by_role("button", name="Enter").click()
            page.get_by_label("What do you do?").wait_for()
            pages[name] = page
        ann, ben = pages["Ann"], pages["Ben"]
        say(ann, "ask Osk about the boat")
        # Ben's table follows, without what he was not there for.
        ben.locator("#scene[data-turn='1']").wait_for()
        assert h.KNOWS in ann.locator(".turns").inner_text()
        assert h.KNOWS not in ben.locator("body").inner_text()
        say(ben, "go to the tavern")
        ann.locator("#scene[data-turn='2']").wait_for()
        say(ann, "ask Osk about the weather")
        ben.locator("#scene[data-turn='3']").wait_for()
        for page, knows in ((ann, True), (ben, False)):
            page.get_by_role("link", name="Codex").click()
            page.get_by_role("heading", name="Codex").wait_for()
            assert (h.KNOWS in page.locator("main").inner_text()) is knows


@pytest.mark.campaign
def test_a_turn_that_is_being_told_survives_a_reload_and_a_lost_connection(
    on_loopback: None, browser: Any, tmp_path: Path
) -> None:
    told = "Osk looks up from the counter. " * 6
    narrator = SlowTeller(told.strip(), pause_s=0.08)
    app = h.harbour(tmp_path, models={"narrator": narrator})
    with listening(app) as service:
        page = entered(browser, service)
        page.goto(f"{service.address.url}/table/game")
        page.get_by_label("What do you do?").fill("look around")
        page.get_by_role("button", name="Say it").click()
        page.locator("#told", has_text="looks up").wait_for()
        page.reload()
        # What was told so far stands there again, then the committed turn.
        page.locator("#told", has_text="looks up").wait_for()
        page.locator("#scene[data-turn='1']").wait_for()
        assert "Osk looks up" in page.locator(".turns").inner_text()
        assert len(narrator.requests) == 1
        page.context.set_offline(True)
        page.get_by_label("What do you do?").fill("go to the quay")
        page.get_by_role("button", name="Say it").click()
        page.locator("#notice", has_text="your words are kept").wait_for()
        assert page.get_by_label("What do you do?").input_value() == "go to the quay"
        page.context.set_offline(False)
        page.get_by_role("button", name="Say it").click()
        page.locator("#scene[data-turn='2']").wait_for()


@pytest.mark.campaign
def test_a_stream_that_was_answered_with_an_error_comes_back_by_itself(
    on_loopback: None, browser: Any, tmp_path: Path
) -> None:
    with listening(t.begun(tmp_path)) as service:
        page, refused = entered(browser, service), []

        def answer(route: Any) -> None:
            if refused:
                route.continue_()
            else:
                refused.append(route.request.url)
                route.fulfill(status=502, body="bad gateway")

        page.route("**/events?*", answer)
        page.goto(f"{service.address.url}/table/game?as=player")
        page.locator("#notice", has_text="it comes back by itself").wait_for()
        other = entered(browser, service)
        other.goto(f"{service.address.url}/table/game?as=player")
        say(other, "look around")
        page.locator("#scene[data-turn='1']").wait_for()
        assert refused


@pytest.mark.campaign
def test_a_page_whose_session_has_ended_asks_for_events_no_more(on_loopback: None, browser: Any, app: App) -> None:
    connections = Connections()
    with listening(app, connections=connections) as service:
        # It ends while the page follows, by another tab, or while the page is asleep.
        for is_asleep in (False, True):
            page, answered = entered(browser, service), Answers()
            page.on("response", answered.note)
            page.goto(f"{service.address.url}/table/game?as=player")
            page.get_by_label("What do you do?").fill("half a line")
            page.wait_for_timeout(500)
            assert answered.statuses == [200]
            if is_asleep:
                page.context.set_offline(True)
                connections.cut()
            secret = next(found for found in page.context.cookies() if found["name"] == "lorewright")["value"]
            service.accounts.end_session(secret)
            service.hub.wake(service.accounts.owner().id)
            if is_asleep:
                page.locator("#notice", has_text="comes back by itself").wait_for()
                page.context.set_offline(False)
            page.locator("#notice", has_text="You are signed out").wait_for()
            page.wait_for_timeout(5_000)
            assert answered.statuses == ([200, 204] if is_asleep else [200])
            assert page.get_by_label("What do you do?").input_value() == "half a line"


class Answers:
    """The statuses with which a page's requests for events were answered."""

    def __init__(self) -> None:
        self.statuses: list[int] = []

    def note(self, response: Any) -> None:
        """Add the status of an answer."""
        if "/events" in response.url:
            self.statuses.append(response.status)


@pytest.mark.campaign
# The stream breaks off as well, or outlives a short time in which nothing else can be fetched.
@pytest.mark.parametrize(("offline_s", "is_cut"), [(30, True), (3, False)])
def test_a_page_that_was_offline_catches_up_and_nothing_is_lost(
    on_loopback: None, browser: Any, app: App, offline_s: int, is_cut: bool
) -> None:
    connections = Connections()
    with listening(app, connections=connections) as service:
        page, other = entered(browser, service), entered(browser, service)
        asked: list[Any] = []
        page.on("request", lambda request: asked.append(request) if "/events" in request.url else None)
        for opened in (page, other):
            opened.goto(f"{service.address.url}/table/game?as=player")
        say(other, "look around")
        # The page has followed so far, by its stream.
        page.locator("#scene[data-turn='1']").wait_for()
        page.get_by_label("What do you do?").fill("ask Osk about the weather")
        page.context.set_offline(True)
        if is_cut:
            connections.cut()
        page.get_by_role("button", name="Say it").click()
        page.locator("#notice", has_text="is kept" if is_cut else "are kept").wait_for()
        say(other, "ask Osk about the boat")
        say(other, "look at Osk")
        page.wait_for_timeout(offline_s * 1_000)
        assert page.locator("#scene").get_attribute("data-turn") == "1"
        assert page.get_by_label("What do you do?").input_value() == "ask Osk about the weather"
        asked.clear()
        page.context.set_offline(False)
        page.locator("#scene[data-turn='3']").wait_for()
        assert h.KNOWS in page.locator(".turns").inner_text()
        assert page.locator(".turns article").count() == other.locator(".turns article").count()
        # The words that could not be sent are still there, and are played once.
        assert page.get_by_label("What do you do?").input_value() == "ask Osk about the weather"
        say(page, "ask Osk about the weather")
        other.locator("#scene[data-turn='4']").wait_for()
        assert page.locator(".turns").inner_text() == other.locator(".turns").inner_text()
        assert page.locator("#notice").inner_text() == ""
        # The browser asked from the last turn that it had, and the stream told the others.
        asked_from = {request.all_headers().get("last-event-id") for request in asked}
        assert asked_from == ({"1.0"} if is_cut else set())


@pytest.mark.campaign
def test_ten_turns_are_played_by_typing_and_by_buttons(on_loopback: None, browser: Any, tmp_path: Path) -> None:
    make_workspace(tmp_path / "workspace")
    app = open_app(tmp_path / "workspace")
    with listening(app) as service:
        page = entered(browser, service)
        page.get_by_role("button", name="Begin Dead Drop").click()
        page.get_by_label("What do you do?").wait_for(timeout=60_000)
        for turn in range(1, 11):
            if turn % 2:
                say(page, ("look around", "ask Viktor about Jin", "wait", "look at Viktor", "look around")[turn // 2])
            else:
                page.locator(".suggested button").first.dblclick()
                page.locator(f"#scene[data-turn='{turn}']").wait_for()
        page.get_by_role("button", name="Undo the last turn").click()
        page.locator("#scene[data-turn='9']").wait_for()


@pytest.mark.campaign
def test_an_author_sends_a_pack_with_mistakes_mends_it_and_finds_why_a_section_does_not_come(
    on_loopback: None, browser: Any, app: App, tmp_path: Path
) -> None:
    for name, files in (("broken.zip", MISTAKEN), ("island.zip", PACK)):
        (tmp_path / name).write_bytes(zipped(files))
    with listening(app) as service:
        page = entered(browser, service, viewport=PHONE)
        page.get_by_role("link", name="Workshop").click()
        page.get_by_label("The .zip").set_input_files(tmp_path / "broken.zip")
        page.get_by_role("button", name="Send it").click()
        # The page follows the job by itself.
        page.get_by_role("alert").filter(has_text="has errors").wait_for(timeout=60_000)
        told = page.locator("main").inner_text()
        assert [place for place in MISTAKES if place not in told] == []
        plain = entered(browser, service, java_script_enabled=False)
        plain.goto(f"{service.address.url}/workshop")
        plain.get_by_label("The .zip").set_input_files(tmp_path / "island.zip")
        plain.get_by_role("button", name="Send it").click()
        for _ in range(120):
            if plain.get_by_role("link", name="The pack island").count():
                break
            plain.wait_for_timeout(250)
            plain.get_by_role("link", name="Look again").click()
        plain.get_by_role("link", name="The pack island").click()
        page.goto(f"{service.address.url}/workshop/query")
        page.get_by_label("The question").fill("what does Osk withhold")
        page.get_by_label("Why does this section not come?").fill("harbour:osk:withholds")
        page.get_by_role("button", name="Ask").click()
        seen = page.get_by_label("As player")
        assert "there is no such chunk for player" in seen.inner_text()
        page.goto(f"{service.address.url}/workshop/query?q=who+keeps+the+tavern&as=player")
        page.get_by_text("A golden test of it").click()
        page.get_by_role("button", name="Write it into harbour").click()
        assert "passed" in page.locator("main").inner_text()
        page.goto(f"{service.address.url}/workshop/scene?place=tavern&present=osk&as=player,npc:osk")
        assert h.WITHHOLDS in page.get_by_label("As npc:osk").inner_text()
        assert h.WITHHOLDS not in page.get_by_label("As player").inner_text()
        assert faults_of(page) == []


@pytest.mark.campaign
def test_a_pack_that_is_followed_is_shown_anew_after_a_save(on_loopback: None, browser: Any, app: App) -> None:
    note = Path(app.library.get("harbour").path) / "npcs" / "osk.md"
    with listening(app) as service:
        page = entered(browser, service, viewport=PHONE)
        page.goto(f"{service.address.url}/workshop/packs/harbour")
        with page.expect_response(re.compile(r"/v1/packs/harbour/lint")):
            page.get_by_role("link", name="Follow its files").click()
        assert "Its files are followed" in page.get_by_role("status").inner_text()
        page.wait_for_timeout(2_000)
        note.write_text("---\nid: osk\n" + note.read_text(encoding="utf-8").partition("---\n\n")[2], encoding="utf-8")
        page.get_by_text("unterminated-frontmatter", exact=True).wait_for(timeout=60_000)
        assert faults_of(page) == []


@pytest.mark.campaign
def test_all_of_it_works_without_javascript_and_by_keyboard_alone(on_loopback: None, browser: Any, app: App) -> None:
    with listening(app) as service:
        plain = entered(browser, service, java_script_enabled=False)
        plain.goto(f"{service.address.url}/table/game")
        plain.get_by_label("What do you do?").fill("ask Osk about the boat")
        plain.get_by_role("button", name="Say it").click()
        assert h.KNOWS in plain.locator(".turns").inner_text()
        plain.get_by_role("button", name="Undo the last turn").click()
        assert h.KNOWS not in plain.locator(".turns").inner_text()

        page = entered(browser, service)
        page.goto(f"{service.address.url}/table/game")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "To the page's content"
        for _ in range(60):
            if page.evaluate("document.activeElement.id") == "words":
                break
            page.keyboard.press("Tab")
        page.keyboard.type("look around")
        page.keyboard.press("Enter")
        page.locator("#scene[data-turn='1']").wait_for()
        assert page.evaluate("document.activeElement.id") == "words"


@pytest.mark.campaign
@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_no_page_has_a_fault_that_axe_finds_nor_scrolls_sideways_on_a_telephone(
    on_loopback: None, browser: Any, tmp_path: Path, scheme: str
) -> None:
    app = t.begun(tmp_path)
    t.plant(app)
    # In a thread without Playwright's event loop.
    with ThreadPoolExecutor(1) as other:
        other.submit(t.play, app).result()
    with listening(app) as service:
        page = entered(browser, service, viewport=PHONE, color_scheme=scheme)
        service.accounts.new_link("seat", service.accounts.owner(), campaign_id="game", role="watcher")
        faults = {}
        table = "/table/game"
        paths = ["/", "/account", "/admin", table, f"{table}/codex", f"{table}/codex?q=boat", f"{table}/story"]
        paths += [
            f"{table}/story?q=ask",
            f"{table}/desk",
            f"{table}/desk?q=boat",
            f"{table}/hint",
            f"{table}/why/2",
            f"{table}?as=gm",
        ]
        paths += [f"{table}/entity?id=osk", "/sign-in", "/nothing", "/workshop", "/workshop/packs/harbour?tests=true"]
        paths += ["/workshop/query?q=boat&as=gm,player,npc:osk&section=harbour:osk:withholds"]
        paths += ["/workshop/scene?place=tavern&present=osk", "/workshop/packs/harbour/entity?id=harbour:osk"]
        for path in paths:
            page.goto(f"{service.address.url}{path}")
            page.evaluate("document.querySelectorAll('details').forEach(found => { found.open = true; })")
            if found := faults_of(page):
                faults[path] = found
        assert faults == {}


@pytest.mark.campaign
def test_a_table_is_pictured(on_loopback: None, browser: Any, tmp_path: Path) -> None:
    # With LOREWRIGHT_PICTURES the picture of the documents is made anew.
    make_workspace(tmp_path / "workspace")
    app = open_app(tmp_path / "workspace")
    app.campaigns.new("dead_drop", campaign_id="friday", seed=7, library=app.by_words)
    with listening(app) as service:
        page = entered(browser, service, viewport={"width": 1200, "height": 900}, color_scheme="light")
        page.goto(f"{service.address.url}/table/friday")
        say(page, "look around")
        say(page, "ask Viktor about Jin")
        page.evaluate("window.scrollTo(0, 0)")
        picture = page.screenshot(path=tmp_path / "table.png")
    assert picture.startswith(b"\x89PNG")
    if folder := os.environ.get("LOREWRIGHT_PICTURES"):
        (Path(folder) / "table.png").write_bytes(picture)
