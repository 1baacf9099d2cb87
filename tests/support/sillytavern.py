"""The real SillyTavern, as npm installs it: its server in a folder of its own, and its page in Chromium as people use it."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import yaml
from filelock import FileLock

from support import played_in_a_browser as browsers

# Where `make extras` installs it, for all runs.
FOLDER = Path(__file__).parents[2] / ".sillytavern"
_PACKAGE = FOLDER / "node_modules" / "sillytavern"
_OLDEST_NODE = 20
# The first start after an installation compiles the page's libraries.
_START_S = 240
_WAIT_MS = 30_000
_PRESS_MS = 3_000
_WINDOW = {"width": 1100, "height": 800}
# The messages of the chat, without those that its first page shows before one has begun.
_CHAT = "SillyTavern.getContext().chat.filter(said => !said.extra?.type)"


def _find_missing() -> str:
    if browsers.WHAT_IS_MISSING:
        return browsers.WHAT_IS_MISSING
    node = shutil.which("node")
    if node is None:
        return f"SillyTavern needs Node {_OLDEST_NODE} or newer, and there is no node"
    told = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    if not told.startswith("v") or int(told[1:].partition(".")[0]) < _OLDEST_NODE:
        return f"SillyTavern needs Node {_OLDEST_NODE} or newer, and node is {told or 'broken'}"
    if not (_PACKAGE / "server.js").is_file():
        return "SillyTavern is not installed: " + ("make extras" if shutil.which("npm") else "there is no npm")
    return ""


WHAT_IS_MISSING = _find_missing()


def _write_settings(folder: Path) -> Path:
    """Write the settings that it comes with, but so that it stays on this machine and opens no browser."""
    settings = yaml.safe_load((_PACKAGE / "default" / "config.yaml").read_text(encoding="utf-8"))
    settings["browserLaunch"]["enabled"] = False
    settings["whitelistDockerHosts"] = False
    settings["extensions"]["autoUpdate"] = False
    settings["extensions"]["models"]["autoDownload"] = False
    settings["enableDownloadableTokenizers"] = False
    # What would leave the machine is sent to a port that nothing listens at.
    settings["requestProxy"] = {"enabled": True, "url": "http://127.0.0.1:9", "bypass": ["localhost", "127.0.0.1"]}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return path


def _answers(url: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=5):
            return True
    except (URLError, OSError):
        return False


@contextmanager
def running_sillytavern(folder: Path) -> Iterator[str]:
    """Run its server with its data below a folder until the block ends; yield the address of its page."""
    data, port = folder / "data", browsers.free_port()
    data.mkdir()
    # Compiled once, and found again by the next run; in a container it keeps that in its own folder by itself.
    kept = FOLDER / "webpack"
    kept.mkdir(exist_ok=True)
    (data / "_webpack").symlink_to(kept)
    command = ["node", "server.js", "--configPath", str(_write_settings(folder)), "--dataRoot", str(data)]
    command += ["--port", str(port), "--listen", "false", "--browserLaunchEnabled", "false"]
    # It asks git for its version, and compiles anew for each: the commit of our checkout is not its version.
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(_PACKAGE.parent)}
    url, log = f"http://127.0.0.1:{port}", folder / "log"
    with log.open("wb") as written, ExitStack() as stack:
        # What is compiled is written by one at a time.
        with FileLock(FOLDER / "starting.lock"):
            server = subprocess.Popen(
                command, cwd=_PACKAGE, env=env, stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT
            )
            stack.callback(_end, server)
            for _ in range(_START_S * 4):
                if _answers(url):
                    break
                assert server.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-4_000:]
                threading.Event().wait(0.25)
            else:
                raise TimeoutError(f"SillyTavern did not answer within {_START_S} s")
        yield url


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


class Tavern:
    """Its page, used as a person uses it."""

    def __init__(self, browser: Any, url: str, *, persona: str) -> None:
        context = browser.new_context(viewport=_WINDOW)
        context.route(lambda asked: not asked.startswith(url), lambda route: route.abort())
        self.page = context.new_page()
        self.page.set_default_timeout(_WAIT_MS)
        self.page.goto(url)
        self.page.locator("#preloader").wait_for(state="detached")
        welcome = self.page.get_by_role("dialog").filter(has_text="Welcome to SillyTavern")
        welcome.get_by_role("textbox").fill(persona)
        welcome.get_by_text("Save", exact=True).click()
        welcome.wait_for(state="detached")

    def connect(self, address: str, *, key: str, model: str) -> None:
        """Connect to a service as a custom source of chat completions, and choose one of its models."""
        page = self.page
        self._open("#sys-settings-button")
        page.locator("#main_api").select_option(label="Chat Completion")
        page.locator("#chat_completion_source").select_option(label="Custom (OpenAI-compatible)")
        page.locator("#custom_api_url_text").fill(address)
        page.locator("#api_key_custom").fill(key)
        page.locator("#api_button_openai").click()
        page.locator("#model_custom_select").select_option(model)
        page.locator("#openai_api .online_status_text", has_text="Valid").wait_for()

    def close_drawer(self) -> None:
        """Close the drawer that is open, so that the chat is seen."""
        drawer = self.page.locator(".drawer", has=self.page.locator(".openDrawer"))
        drawer.locator(".drawer-toggle").first.click()
        self.page.locator(".openDrawer").wait_for(state="detached")

    def _open(self, drawer: str) -> None:
        # Any other is closed by that.
        if not self.page.locator(f"{drawer} .openDrawer").count():
            self.page.locator(f"{drawer} .drawer-toggle").first.click()
            self.page.locator(f"{drawer} .openDrawer").wait_for()

    def chat(self) -> list[tuple[str, str]]:
        """Return who says what in the chat: `user` or `assistant`, and the text as it is kept."""
        found = self.page.evaluate(f"{_CHAT}.map(said => [said.is_user, said.mes])")
        return [("user" if is_user else "assistant", text) for is_user, text in found]

    def say(self, words: str) -> str:
        """Send a message; return the answer when it stands there whole."""
        expected = len(self.chat()) + 2
        written = self.page.locator("#send_textarea")
        written.fill(words)
        # A press is lost while it is still keeping the answer before.
        while written.input_value() == words:
            self.page.locator("#send_but").click()
            self.page.wait_for_timeout(200)
        return self._answer(expected)

    def swipe(self) -> str:
        """Ask for another answer to the last message; return it."""
        said = "SillyTavern.getContext().chat.at(-1)"
        known = self.page.evaluate(f"{said}.swipes?.length ?? 1")
        self.page.locator("#chat .mes").last.locator(".swipe_right").click()
        # The place of the other answer is there before its text.
        self.page.wait_for_function(f"known => {said}.swipe_id === known && {said}.swipes[known]", arg=known)
        return self._answer(len(self.chat()))

    def edit(self, place: int, words: str) -> None:
        """Write other words into a message of the chat."""
        message = self.page.locator(f"#chat .mes[mesid='{place}']")
        message.locator(".mes_edit").click()
        message.locator("textarea").fill(words)
        message.locator(".mes_edit_done").click()
        message.locator("textarea").wait_for(state="detached")

    def delete_from(self, place: int) -> None:
        """Delete a message and all after it."""
        self._choose("#option_delete_mes")
        self.page.locator(f"#chat .mes[mesid='{place}'] .del_checkbox").click()
        self.page.locator("#dialogue_del_mes_ok").click()
        self.page.locator(f"#chat .mes[mesid='{place}']").wait_for(state="detached")

    def generate(self) -> str:
        """Ask for an answer to the last message, which is the user's; return it."""
        expected = len(self.chat()) + 1
        self._choose("#option_regenerate")
        return self._answer(expected)

    def ask_refused(self, option: str) -> str:
        """Choose something beside the story (`continue`, `impersonate`); return what the page says of the refusal."""
        self._choose(f"#option_{option}")
        said = self.page.locator(".toast-error .toast-message")
        said.wait_for()
        text = str(said.inner_text())
        said.click()
        said.wait_for(state="detached")
        return text

    def import_book(self, book: Path) -> None:
        """Import a book of world info; it then stands in the editor, as `shown_entries` has it."""
        self._open("#WI-SP-button")
        self.page.locator("#world_import_file").set_input_files(book)
        self._await_toast(f'World Info "{book.stem}" imported successfully!')

    def shown_entries(self) -> list[str]:
        """Return the titles of the entries that the editor of world info shows."""
        titles = self.page.locator("#world_popup_entries_list .world_entry textarea[name='comment']")
        titles.first.wait_for()
        return [str(title.input_value()) for title in titles.all()]

    def book(self, name: str) -> dict[str, Any]:
        """Return a book of world info as the page loads it."""
        return dict(self.page.evaluate("name => SillyTavern.getContext().loadWorldInfo(name)", name))

    def characters(self) -> dict[str, Any]:
        """Return the characters by their names, each with the data of its card."""
        found = self.page.evaluate("SillyTavern.getContext().characters.map(found => [found.name, found.data])")
        return dict(found)

    def import_card(self, card: Path) -> None:
        """Import a character's card, all its tags too."""
        self._open_characters()
        self.page.locator("#character_import_file").set_input_files(card)
        tags = self.page.get_by_role("dialog").filter(has_text="Import Tags")
        tags.get_by_text("Import All", exact=True).click()
        tags.wait_for(state="detached")

    def chat_with(self, character: str, *, takes_book: bool = False) -> None:
        """Begin to chat with a character; the book of its card is imported if so asked."""
        self._open_characters()
        self._select(character)
        if takes_book:
            asked = self.page.get_by_role("dialog").filter(has_text="embedded World/Lorebook")
            asked.get_by_text("Yes", exact=True).click()
            self._await_toast("has been imported and linked")
            # Its editor opens.
            self.page.locator("#WI-SP-button .openDrawer").wait_for()
        self.close_drawer()

    def _select(self, character: str) -> None:
        """Press a character in the list until it is chosen: a press is lost while the list is drawn anew, as it is
        some time after an import."""
        chosen = "(({ characters, characterId }) => characters[characterId]?.name)(SillyTavern.getContext())"
        for _ in range(_WAIT_MS // _PRESS_MS):
            self.page.locator(".character_select", has_text=character).click()
            for _ in range(_PRESS_MS // 100):
                if self.page.evaluate(chosen) == character:
                    return
                self.page.wait_for_timeout(100)
        raise TimeoutError(f"SillyTavern did not choose {character} within {_WAIT_MS} ms")

    def _open_characters(self) -> None:
        self._open("#rightNavHolder")
        listed = self.page.locator("#rm_print_characters_block")
        if not listed.is_visible():
            self.page.locator("#rm_button_characters").click()
            listed.wait_for()

    def _await_toast(self, words: str) -> None:
        said = self.page.locator(".toast", has_text=words)
        said.first.wait_for()

    def picture(self, *, width: int = _WINDOW["width"]) -> bytes:
        """Return a picture of the middle of the window, where all is that is open, without news that pass."""
        self.page.set_viewport_size({**_WINDOW, "width": width})
        self.page.evaluate("document.querySelectorAll('.toast').forEach(news => news.remove())")
        middle = self.page.locator("#sheld").bounding_box()
        taken = self.page.screenshot(clip={**middle, "y": 0, "height": _WINDOW["height"]}, animations="disabled")
        self.page.set_viewport_size(_WINDOW)
        return bytes(taken)

    def _choose(self, option: str) -> None:
        self.page.locator("#options_button").click()
        self.page.locator(option).click()

    def _answer(self, expected: int) -> str:
        self.page.wait_for_function(
            f"expected => {{ const chat = {_CHAT};"
            " return chat.length === expected && !chat.at(-1).is_user && !document.body.dataset.generating; }",
            arg=expected,
        )
        return self.chat()[-1][1]
