"""What a bar says: counts where there are steps to count, and only that it goes on where there is one."""

from __future__ import annotations

import pytest

from lorewright.cli.output import progress_bar


@pytest.mark.parametrize(("what", "total", "counted"), [("embedding", 140, True), ("indexing vectors", 1, False)])
def test_a_bar_counts_only_what_has_steps(
    what: str, total: int, counted: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar() as progress:
        progress("reading", 2, 2)
        progress(what, 0, total)
    shown = capsys.readouterr().err
    assert what in shown
    assert (f"0/{total}" in shown) == counted


def test_where_there_is_no_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as progress:
        progress("embedding", 1, 2)
    assert capsys.readouterr().err.strip() == ""
