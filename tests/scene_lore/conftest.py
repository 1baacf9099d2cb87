"""One built TOWN, and the scene in its bar with Viktor and Mara."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lorewright.index.generation import Generation
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus, SceneLore
from support.pack_builder import TOWN, opened_packs


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as generations:
        yield generations


@pytest.fixture(scope="module")
def lore(town: tuple[Generation, ...]) -> SceneLore:
    focus = SceneFocus(
        scene_id="s1", location_id="town:bar", present_ids=("town:viktor", "town:mara"), thread_ids=("main_case",)
    )
    return gather(town, focus)
