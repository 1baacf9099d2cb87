"""The modules that the lints look at, parsed once."""

from __future__ import annotations

import pytest

from support.source_trees import SourceModule, source_modules


@pytest.fixture(scope="session")
def modules() -> tuple[SourceModule, ...]:
    """All modules of the package."""
    return source_modules()
