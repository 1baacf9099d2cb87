"""The page of a scene: what is there by its ID and what beside, and for a player nothing that is kept back."""

from __future__ import annotations

import pytest

from lorewright.authoring.query_page import scene_page
from lorewright.index.generation import Generation
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.scene_trace import find_scene
from support.html_page import read_page
from support.pack_builder import TOWN, opened_packs

Town = tuple[Generation, ...]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> object:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as generations:
        yield generations


def html_of(view: LoreView) -> str:
    return scene_page(find_scene(view, location="bar", present=["viktor"], limit=10, max_tokens=900))


def test_the_game_master_reads_why_each_section_is_there_and_what_is_kept_back(town: Town) -> None:
    told = read_page(html_of(LoreView(town))).told
    for part in ("The Neon Dragon", "with Viktor", "the person town:viktor", "kept from players", "Found beside"):
        assert part in told
    assert "Zenith bought his debt" in told


@pytest.mark.parametrize("viewer", ["player", "npc:town:mara"])
def test_nobody_else_reads_what_is_kept_back(town: Town, viewer: str) -> None:
    html = html_of(LoreView(town, viewer=viewer))
    read_page(html)
    for secret in ("Zenith", "viktor:withholds", "ledger", "shotgun", "kept from players", "Drowned", "cult"):
        assert secret not in html
