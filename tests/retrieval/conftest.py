"""One built TOWN for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lorewright.index.generation import Generation
from support.pack_builder import TOWN, opened_packs


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as generations:
        yield generations
