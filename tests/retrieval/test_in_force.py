"""What stands under a condition is there while it holds, and else as if it had never been written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.index.generation import Generation
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus
from support.layered_packs import TOWN_GUARD, core, town
from support.pack_builder import as_bytes, found, opened_packs

Packs = tuple[Generation, ...]

OPEN = LoreConditions(threads={"case": "open"})
SHUT = LoreConditions(threads={"case": "closed"})

VIKTOR = """---
id: viktor
type: npc
section_when:
  Rumours of the Fire: {thread: case, status: open}
---

# Viktor

Viktor owns the bar.

## Rumours of the Fire

They say the laundry burned twice.

## Knows

- {#pier} (when thread case is open) Jin went to the pier with a heron.
- {#rain} Rain comes before midnight.
"""
GHOST = """---
id: ghost
type: npc
when: {thread: case, status: open}
related_entities: [viktor]
---

# Pale Rider

A laundry ghost walks where it burned.
"""
# The same packs as somebody would write them for whom the case is closed.
VIKTOR_SHUT = VIKTOR[: VIKTOR.index("section_when")] + VIKTOR[VIKTOR.index("---\n\n# Viktor") :]
VIKTOR_SHUT = VIKTOR_SHUT[: VIKTOR_SHUT.index("## Rumours")] + VIKTOR_SHUT[VIKTOR_SHUT.index("## Knows") :]
VIKTOR_SHUT = VIKTOR_SHUT.replace("- {#pier} (when thread case is open) Jin went to the pier with a heron.\n", "")
WORDS = "viktor laundry burned ghost pale rider heron pier rain midnight bar"
HERON, RAIN = "town:viktor:knows#pier", "town:viktor:knows#rain"


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packs]:
    files = {"viktor.md": VIKTOR, "ghost.md": GHOST}
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": files}) as generations:
        yield generations


def ask(packs: Packs, viewer: str, conditions: LoreConditions | None, *revealed: str, words: str = WORDS) -> Retrieval:
    view = LoreView(packs, viewer=viewer, revealed=frozenset(revealed), conditions=conditions)
    return retrieve(view, LoreRetrievalQuery(keywords=words, viewer=viewer, limit=1000, max_tokens=10**6))


def test_while_it_holds_it_is_found(packs: Packs) -> None:
    assert set(found(ask(packs, "player", OPEN))) == {
        "viktor:overview",
        "viktor:rumours-of-the-fire",
        "ghost:overview",
    }


@pytest.mark.parametrize("viewer", ["player", "npc:town:viktor"])
def test_what_does_not_hold_changes_no_byte(tmp_path: Path, packs: Packs, viewer: str) -> None:
    with opened_packs(tmp_path, {"town": {"viktor.md": VIKTOR_SHUT}}) as bare:
        for words in (WORDS, "pale rider", "heron", "Viktor", "rain"):
            now = ask(packs, viewer, SHUT, HERON, RAIN, words=words)
            assert as_bytes(now) == as_bytes(ask(bare, viewer, SHUT, HERON, RAIN, words=words))


def test_the_game_master_is_told_what_does_not_hold_and_nobody_else(packs: Packs) -> None:
    reasons = {one.chunk_id: one.reason for one in ask(packs, "gm", SHUT).trace.chunks}
    assert reasons["town:ghost:overview"] == reasons["town:viktor:rumours-of-the-fire"] == "condition"
    assert not any(one.reason for one in ask(packs, "player", SHUT).trace.chunks)
    assert not any(one.reason for one in ask(packs, "gm", OPEN).trace.chunks)


def test_without_a_campaign_only_the_game_master_reads_what_has_a_condition(packs: Packs) -> None:
    assert {"ghost:overview", "viktor:rumours-of-the-fire", "viktor:knows"} <= set(found(ask(packs, "gm", None)))
    assert set(found(ask(packs, "player", None, HERON, RAIN))) == {"viktor:overview", "viktor:knows"}


def texts(retrieval: Retrieval) -> dict[str, str]:
    return {chunk.chunk_id: chunk.text for chunk in retrieval.result.chunks}


def test_an_item_is_visible_while_it_holds(packs: Packs) -> None:
    knows = "town:viktor:knows"
    assert "heron" in texts(ask(packs, "player", OPEN, HERON))[knows]
    assert texts(ask(packs, "player", SHUT, HERON, RAIN))[knows] == "Rain comes before midnight."
    assert "heron" in texts(ask(packs, "npc:town:viktor", OPEN))[knows]
    for viewer in ("gm", "npc:town:viktor"):
        assert texts(ask(packs, viewer, SHUT))[knows] == "- {#rain} Rain comes before midnight."


def test_a_scene_has_what_holds(packs: Packs) -> None:
    focus = SceneFocus(scene_id="s", location_id="x:y", present_ids=("town:viktor",))
    for conditions, names in ((OPEN, ["pier", "rain"]), (SHUT, ["rain"]), (None, ["pier", "rain"])):
        (sheet,) = gather(packs, focus, conditions).briefings
        assert [item.name for item in sheet.knows] == names


def test_what_does_not_hold_overrides_nothing(tmp_path: Path) -> None:
    guard = TOWN_GUARD.replace("overrides:", "section_when: {Knows: {thread: case, status: open}}\noverrides:")
    with opened_packs(tmp_path, {"core": core(), "town": town(guard=guard)}) as layered:
        assert found(ask(layered, "gm", OPEN, words="password")) == ["watchman:knows"]
        assert found(ask(layered, "gm", SHUT, words="password")) == ["guard:knows"]
