"""The loop: a look for every save, an install for every pause, and a clean end; driven by what the test says was saved."""

from __future__ import annotations

from collections.abc import Iterable, Set
from pathlib import Path

import pytest

from lorewright.authoring.saves import IDLE_S, watch
from lorewright.authoring.watcher import Look, PackWatcher, Watched
from lorewright.errors import LorewrightError, PackError
from lorewright.index.library import Library
from lorewright.index.lore_indexer import Installed, LoreIndexer
from lorewright.settings import LoreSettings
from support.pack_builder import TOWN, write_pack

PAUSE: dict[str, str] = {}


class Author:
    """Saves files one after the other when the loop waits, makes pauses, and then interrupts it."""

    def __init__(self, folder: Path, saves: Iterable[dict[str, str]]) -> None:
        self.folder = folder
        self.saves = iter(saves)
        self.timeouts: list[float | None] = []

    def wait(self, timeout_s: float | None) -> Set[str]:
        self.timeouts.append(timeout_s)
        try:
            saved = next(self.saves)
        except StopIteration:
            raise KeyboardInterrupt from None
        for path, text in saved.items():
            if Path(path).suffix:
                (self.folder / path).write_text(text, encoding="utf-8")
        return set(saved)


class Told:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.looks: list[tuple[str, ...]] = []
        self.events: list[str] = []

    def seen(self, look: Look, saved: tuple[str, ...]) -> None:
        self.looks.append(saved)
        self.events.append("seen" if look.indexed else "wrong")

    def installed(self, installed: Installed) -> None:
        self.events.append("installed")

    def failed(self, problem: LorewrightError) -> None:
        self.events.append("failed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_pack(tmp_path, TOWN)


def events(folder: Path, *saves: dict[str, str], once: bool = False) -> tuple[Told, Author]:
    """What is told of some saves, and the author who made them."""
    library = Library(folder.parent / "indexes")
    watcher = PackWatcher(Watched(folder, install_as="town"), library, LoreSettings(), lambda key: False)
    watcher.look()
    told, author = Told(), Author(folder, saves)
    try:
        if once:
            watch(watcher, author, told, once=True)
        else:
            with pytest.raises(KeyboardInterrupt):
                watch(watcher, author, told)
    finally:
        watcher.close()
    return told, author


def test_it_installs_when_the_author_pauses_and_not_before(folder: Path) -> None:
    told, author = events(
        folder, {"a.md": "# A\n\none\n"}, {"a.md": "# A\n\ntwo\n"}, PAUSE, {"a.md": "# A\n\n3\n"}, PAUSE
    )
    assert told.events == ["seen", "seen", "installed", "seen", "installed"]
    assert author.timeouts == [None, IDLE_S, IDLE_S, None, IDLE_S, None]


def test_what_was_not_installed_when_it_is_interrupted_is_installed_at_the_end(folder: Path) -> None:
    assert events(folder, {"a.md": "# A\n\none\n"})[0].events == ["seen", "installed"]


def test_without_a_save_nothing_is_installed(folder: Path) -> None:
    assert events(folder)[0].events == []


def test_a_save_that_changes_nothing_is_not_told(folder: Path) -> None:
    told, author = events(folder, {"npcs/mara.md": str(TOWN["npcs/mara.md"])}, {"npcs/scratch": ""})
    assert told.events == []
    assert author.timeouts == [None, None, None]


def test_once_ends_after_the_first_save_that_changes_anything(folder: Path) -> None:
    told, _ = events(
        folder, {"npcs/mara.md": str(TOWN["npcs/mara.md"])}, {"a.md": "# A\n\none\n"}, {"a.md": "x"}, once=True
    )
    assert told.events == ["seen", "installed"]
    assert (folder / "a.md").read_text() == "# A\n\none\n"


def test_while_it_has_errors_nothing_is_installed(folder: Path) -> None:
    told, author = events(folder, {"a.md": "---\nid: [\n---\n"}, PAUSE)
    assert told.events == ["wrong"]
    assert author.timeouts == [None, None, None]


def test_with_an_error_what_was_seen_before_it_is_installed(folder: Path) -> None:
    told, _ = events(folder, {"a.md": "# A\n\none\n"}, {"b.md": "---\nid: [\n---\n"}, PAUSE)
    assert told.events == ["seen", "wrong", "installed"]


def test_files_are_told_in_order_and_what_editors_make_beside_them_is_not(folder: Path) -> None:
    told, _ = events(folder, {"b.md": "# B\n\nb\n", "a.md": "# A\n\na\n", "4913": ""})
    assert told.looks == [("a.md", "b.md")]


def test_an_install_that_fails_is_told_and_does_not_end_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*anything: object, **more: object) -> Installed:
        raise PackError("no room on the disk")

    monkeypatch.setattr(LoreIndexer, "index_checked_pack", full)
    told, _ = events(folder, {"a.md": "# A\n\none\n"}, PAUSE, {"a.md": "# A\n\ntwo\n"})
    assert told.events == ["seen", "failed", "seen", "failed"]
