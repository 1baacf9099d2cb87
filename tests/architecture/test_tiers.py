"""The two tiers of the tests: what is fast stays fast, and no test hangs on another."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SLOW = """
    import pytest
    import time

    def burn():
        end = time.process_time() + 1.2
        while time.process_time() < end:
            pass

    def test_that_takes_long():
        burn()

    @pytest.mark.campaign
    def test_that_says_so():
        burn()

    @pytest.fixture
    def prepared():
        burn()

    def test_whose_fixture_takes_long(prepared):
        pass

    def test_that_is_fast():
        pass
"""


@pytest.mark.campaign
def test_an_unmarked_test_that_takes_over_a_second_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makepyfile(SLOW)
    pytester.makeini("[pytest]\nmarkers =\n    campaign: long\n")
    result = pytester.runpytest_subprocess("-p", "support.cpu_limit", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*test_that_takes_long*", "took * CPU s, and a fast test has 1:*"])


LEAKY = """
    import os

    def test_that_leaves_something():
        os.environ["LOREWRIGHT_LEFT"] = "1"

    def test_that_comes_after():
        assert "LOREWRIGHT_LEFT" not in os.environ

    def test_that_puts_it_back(monkeypatch):
        monkeypatch.setenv("LOREWRIGHT_LEFT", "1")
"""


@pytest.mark.campaign
def test_a_test_that_leaves_the_environment_changed_fails_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makepyfile(LEAKY)
    result = pytester.runpytest_subprocess("-p", "support.same_environment", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["left the environment changed: LOREWRIGHT_LEFT"])
