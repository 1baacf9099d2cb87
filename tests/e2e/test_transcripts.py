"""The transcripts in docs/ are what the program prints today, and every turn of them was told."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.transcripts import DOCS, TRANSCRIPTS, Transcript, page


@pytest.mark.campaign
@pytest.mark.parametrize("one", TRANSCRIPTS, ids=lambda one: one.file)
def test_a_transcript_is_what_the_program_prints(one: Transcript, tmp_path: Path) -> None:
    shown = page(one, tmp_path)
    assert shown == (DOCS / one.file).read_text(encoding="utf-8"), (
        "make it anew: PYTHONPATH=tests python -m support.transcripts"
    )
    assert len(one.lines) >= 20
