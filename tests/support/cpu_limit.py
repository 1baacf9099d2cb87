"""The limit on what a test of the fast tier may cost, so that the tiers cannot rot: CPU time of the test itself and of the
children it waited for, its fixtures not counted."""

from __future__ import annotations

import os
import resource
from collections.abc import Generator

import pytest

from support.scale import scaled

# Of the tests with one of these marks no limit is asked: the long ones, and those that talk to a server.
UNLIMITED = ("campaign", "server")
LIMIT_S = 1.0
# CI's machine is slower and shared.
CI_LIMIT_S = 2.0


def cpu_seconds() -> float:
    """Return the CPU seconds that this process and the children it waited for have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test without one of the marks that passed but used more CPU seconds than the limit."""
    before = cpu_seconds()
    yield
    used = cpu_seconds() - before
    limit = (CI_LIMIT_S if os.environ.get("CI") else LIMIT_S) * scaled(1)
    if used > limit and not any(item.get_closest_marker(name) for name in UNLIMITED):
        pytest.fail(
            f"took {used:.2f} CPU s, and a fast test has {limit:.0f}: make it smaller, or mark it `campaign`",
            pytrace=False,
        )
