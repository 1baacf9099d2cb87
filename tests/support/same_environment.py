"""A test that leaves the environment changed fails by itself, so that no other one fails for it."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping

import pytest

from lorewright.telemetry import SWITCHES

# What the program reads. Other names that are new were set by a library that was loaded, for as long as it is.
_READ = ("LOREWRIGHT_", "XDG_", "HTTP", "NO_COLOR", "COLUMNS")
_BEFORE = pytest.StashKey[Mapping[str, str]]()


def settings_now() -> Mapping[str, str]:
    """Return the environment without what pytest itself keeps there, and what the program switches off for good."""
    kept = os.environ.items()
    return {name: value for name, value in kept if name not in SWITCHES and not name.startswith("PYTEST_")}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Keep what the environment is before the test's fixtures are made."""
    item.stash[_BEFORE] = settings_now()
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Put the environment back, and fail a test whose fixtures left it changed."""
    yield
    before, after = item.stash[_BEFORE], settings_now()
    known = {*before, *(name for name in after if name.startswith(_READ) or name.endswith("_KEY"))}
    changed = sorted(name for name in known if before.get(name) != after.get(name))
    for name in changed:
        os.environ.pop(name, None)
        if name in before:
            os.environ[name] = before[name]
    if changed:
        pytest.fail(f"left the environment changed: {', '.join(changed)}", pytrace=False)
