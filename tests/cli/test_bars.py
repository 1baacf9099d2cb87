"""A bar shows what a score is made of, in cells that add up, with colour or without."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.cli import tracing as bars
from lorewright.retrieval.ranking import PARTS

parts = st.dictionaries(st.sampled_from(PARTS), st.floats(min_value=0, max_value=0.5), max_size=6)


@given(parts=parts, room=st.floats(min_value=0, max_value=1), width=st.integers(min_value=8, max_value=40))
def test_a_bar_fills_its_width_and_is_as_long_as_its_score(parts: dict[str, float], room: float, width: int) -> None:
    total = sum(parts.values())
    full = total + room
    cells = bars.cells_of(parts, full=full, width=width)
    assert all(count >= 0 and parts[part] > 0 for part, count in cells.items())
    drawn = sum(cells.values())
    assert drawn <= width
    if total > 0:
        assert drawn == max(1, round(width * total / full)) or abs(drawn - width * total / full) <= 1
    assert sum(len(text) for text, _ in bars.bar(parts, full=full, width=width)) == width


def test_no_two_parts_look_the_same_without_colour() -> None:
    assert set(bars.INKS) == set(PARTS)
    for look in ("sign", "letter", "style"):
        assert len({getattr(ink, look) for ink in bars.INKS.values()}) == len(PARTS)


def test_a_stream_without_such_signs_gets_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = {"words": 0.5, "meaning": 0.5}
    assert "".join(text for text, _ in bars.bar(drawn, full=1.0, width=4)) == "██▓▓"
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert "".join(text for text, _ in bars.bar(drawn, full=1.0, width=4)) == "WWMM"
    assert [text for text, _ in bars.legend(["words"])] == ["W", " words   "]
