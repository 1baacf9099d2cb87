"""The packs that ship, taken together: sound, large enough to try everything on, and using what packs can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.golden import read_golden
from lorewright.ids import local
from lorewright.packs.markdown.exits import ways_of
from lorewright.packs.models import Pack
from lorewright.packs.pack_loader import PackLoader

FOLDERS = sorted(path.parent for path in (Path(__file__).parents[2] / "content_packs").glob("*/pack.yaml"))
# A section is `secret` where its file is hidden as a whole; all others have titles of their own.
ROLES = ("lore", "atmosphere", "disposition", "knows", "withholds", "capabilities", "discoverable", "threads")


@pytest.fixture(scope="module")
def packs() -> list[Pack]:
    return [PackLoader(folder.parent).check_pack(folder) for folder in FOLDERS]


def test_nothing_is_found_wrong(packs: list[Pack]) -> None:
    found = [finding for pack in packs for finding in pack.findings if finding.severity in ("error", "warning")]
    assert [str(finding) for finding in found] == []


def test_every_pack_has_golden_queries_on_itself(packs: list[Pack]) -> None:
    without = []
    for folder, pack in zip(FOLDERS, packs, strict=True):
        named = {chunk for one in read_golden(folder) for chunk in (*one.query.include, *one.query.exclude)}
        without += [] if named & {chunk.id for chunk in pack.chunks} else [folder.name]
    assert without == []


def test_there_is_enough_to_try_everything_on(packs: list[Pack]) -> None:
    assert sum(len({chunk.file_path for chunk in pack.chunks}) for pack in packs) >= 60
    assert sum(len(pack.chunks) for pack in packs) >= 250


def test_every_role_of_a_section_is_used(packs: list[Pack]) -> None:
    used = {chunk.role for pack in packs for chunk in pack.chunks}
    assert [role for role in ROLES if role not in used] == []


def test_every_file_is_linked_to_by_another(packs: list[Pack]) -> None:
    """In its text or its frontmatter, of the same pack or another. What overrides a file is linked to where that is."""
    linked: set[str] = set()
    for pack in packs:
        for chunk in pack.chunks:
            linked |= {link.value for link in chunk.links if link.value != chunk.entity_id}
        for entity in pack.entities:
            linked |= {way.to for way in ways_of(entity)}
    entities = [entity for pack in packs for entity in pack.entities]
    overridden = {entity.id: local(entity.overrides.target) for entity in entities if entity.overrides}
    locally = {local(one) for one in linked} | set(overridden.values())
    alone = [one for one in entities if one.id not in linked and overridden.get(one.id, local(one.id)) not in locally]
    assert [f"{one.id} in {one.file_path}" for one in alone] == []


def test_files_override_others_hold_at_times_and_lead_somewhere(packs: list[Pack]) -> None:
    entities = [entity for pack in packs for entity in pack.entities]
    whole = [chunk for pack in packs for chunk in pack.chunks if chunk.conditions]
    items = [item for pack in packs for chunk in pack.chunks for item in chunk.items if item.condition]
    assert sum(entity.overrides is not None for entity in entities) >= 2
    assert whole
    assert items
    assert sum(bool(ways_of(entity)) for entity in entities) >= 5


def test_no_open_section_says_what_is_kept_back(packs: list[Pack]) -> None:
    """Whole items only: a sentence that is in both was copied."""
    open_texts = {
        chunk.id: chunk.text for pack in packs for chunk in pack.chunks if chunk.role in ("lore", "atmosphere")
    }
    kept = [
        item
        for pack in packs
        for chunk in pack.chunks
        for item in chunk.items
        if chunk.role in ("withholds", "discoverable")
    ]
    assert [(item.id, where) for item in kept for where, text in open_texts.items() if item.text in text] == []
    assert kept
