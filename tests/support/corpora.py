"""Where the shared corpora lie, for tests that read what real authors wrote. They are no part of the checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.scale import scaled

PACKS = ("eclipse-phase", "asis-cairn", "asis-dnd-srd")
# The least of them first, and as many as CAMPAIGN_SCALE says, for what takes long and needs the words of a real author.
SOME_PACKS = sorted(PACKS)[: scaled(1)]


def corpora() -> Path:
    """The folder of the corpora: LOREWRIGHT_CORPORA, or `shared/corpora` beside the checkout. Skips without one."""
    given = os.environ.get("LOREWRIGHT_CORPORA")
    folder = Path(given) if given else Path(__file__).parents[3] / "shared" / "corpora"
    if not folder.is_dir():
        pytest.skip("the corpora are not here; name their folder in LOREWRIGHT_CORPORA")
    return folder


def corpus_pack(name: str) -> Path:
    """The folder of one pack of the corpora."""
    folder = corpora() / "packs" / name
    if not folder.is_dir():
        pytest.skip(f"the corpora hold no pack {name}")
    return folder


def questions(kind: str | None = None) -> list[dict[str, Any]]:
    """The public questions on the pack eclipse-phase, of one kind or all."""
    lines = (corpora() / "questions" / "eclipse-phase.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return [question for question in found if kind in (None, question["kind"])]
