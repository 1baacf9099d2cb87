"""`import lorewright` costs nothing and gives the short way in: install a pack, ask it, play."""

from __future__ import annotations

import ast
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lorewright
from lorewright import LoreRetrievalResult, LorewrightError, open_app, open_lore
from lorewright.errors import NotFound, SettingsError
from lorewright.lore_bootstrap import LoreApp
from support import harbour as h

STUB = Path(lorewright.__file__).with_suffix(".pyi")


@pytest.fixture
def lore(tmp_path: Path) -> LoreApp:
    return open_lore(h.harbour(tmp_path).workspace.root)


def imported_by(code: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(told.stdout.split())


def test_importing_the_package_imports_nothing_of_it() -> None:
    assert {name for name in imported_by("import lorewright") if name.startswith("lorewright.")} == set()


@pytest.mark.campaign
def test_the_way_to_lore_never_imports_the_game() -> None:
    names = "from lorewright import open_lore, LoreRetrievalQuery, LorewrightError, make_workspace"
    modules = imported_by(f"{names}\nimport lorewright.retrieval.pack_views, lorewright.scene_lore.lore_retriever")
    assert "lorewright.lore_bootstrap" in modules
    assert not modules & {"lorewright.world", "lorewright.rules", "lorewright.turn", "lorewright.campaigns"}


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    stub = {alias.asname: f"{node.module}" for node in imports for alias in node.names}
    assert stub == {name: f"lorewright.{module}" for name, module in lorewright._PUBLIC.items()}  # type: ignore[attr-defined]
    for name in stub:
        assert getattr(lorewright, name).__module__ == stub[name]
        assert name in dir(lorewright)
    with pytest.raises(AttributeError, match="no attribute 'open_everything'"):
        lorewright.open_everything  # type: ignore[attr-defined] # noqa: B018


def test_an_answer_is_what_the_desk_answers_with_the_workspaces_limits(lore: LoreApp) -> None:
    (lore.workspace.root / "lorewright.toml").write_text("[lore]\nlimit = 1\n")
    limited = open_lore(str(lore.workspace.root))
    assert isinstance(limited.query("Osk"), LoreRetrievalResult)
    assert len(limited.query("Osk").chunks) == 1
    assert len(limited.query("Osk", limit=3).chunks) == 3
    assert limited.query("Osk", packs=["harbour"]) == limited.query("Osk")


def test_a_player_is_answered_without_secrets(lore: LoreApp) -> None:
    assert h.WITHHOLDS in str(lore.query("Osk"))
    assert not any(canary in str(lore.query("Osk", viewer="player")) for canary in h.CANARIES)


def test_a_field_or_pack_that_there_is_not_is_told_with_a_hint(lore: LoreApp) -> None:
    with pytest.raises(SettingsError) as wrong:
        lore.query("Osk", veiwer="player")
    assert "viewer" in (wrong.value.hint or "")
    with pytest.raises(LorewrightError) as missing:
        lore.query("Osk", packs=["nowhere"])
    assert isinstance(missing.value, NotFound)


def test_a_pack_may_be_installed_again_by_the_name_of_its_folder(lore: LoreApp) -> None:
    folder = str(lore.workspace.content_packs / "harbour")
    again = lore.install(folder)
    assert (again.pack.id, again.built) == ("harbour", False)


def test_threads_that_ask_at_once_get_the_same_answer(lore: LoreApp) -> None:
    alone = lore.query("who is the landlord")
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lore.query, ["who is the landlord"] * 24)) == [alone] * 24


def test_the_whole_app_opens_by_the_name_of_a_folder(lore: LoreApp) -> None:
    assert open_app(str(lore.workspace.root)).campaigns.ids() == ["game"]
