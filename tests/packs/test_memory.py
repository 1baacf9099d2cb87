"""A folder that is read again with a memory gives the very pack that a fresh reading gives, whatever was done to it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lorewright.packs import loader
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.files import ParseCache
from lorewright.packs.loader import load_pack
from support.pack_builder import TOWN, write_pack
from support.pack_edits import EDITS, TEXTS, apply_edit
from support.scale import scaled


@pytest.mark.campaign
@settings(max_examples=scaled(10))
@given(edits=st.lists(EDITS, min_size=1, max_size=6))
@example(edits=[("write", "a.md", TEXTS[9]), ("delete", "npcs/viktor.md", ""), ("rename", "a.md", "npcs/viktor.md")])
def test_after_any_edits_the_pack_is_as_a_fresh_reading_has_it(edits: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = write_pack(Path(parent), {**TOWN, "hand.md": "# Hand\n\nA hand.\n"})
        memory = ParseCache()
        load_pack(folder, memory=memory)
        for edit in edits:
            apply_edit(folder, edit)
            read = load_pack(folder, memory=memory)
            assert repr(read) == repr(load_pack(folder))
            assert read.content_hash == content_hash_of(folder)


def test_only_what_changed_is_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_pack(tmp_path, TOWN)
    memory, parsed = ParseCache(), []
    real = loader.read_file
    monkeypatch.setattr(
        loader, "read_file", lambda path, *more, **how: (parsed.append(path), real(path, *more, **how))[1]
    )
    first = load_pack(folder, memory=memory)
    assert len(parsed) == len(TOWN)
    parsed.clear()
    assert all(one is other for one, other in zip(first.chunks, load_pack(folder, memory=memory).chunks, strict=True))
    assert parsed == []
    apply_edit(folder, ("append", "npcs/mara.md", "\n- {#lamp} The lamp is hers.\n"))
    load_pack(folder, memory=memory)
    assert parsed == ["npcs/mara.md"]


def test_what_is_gone_is_forgotten_and_a_failed_reading_forgets_nothing(tmp_path: Path) -> None:
    memory = ParseCache()
    made: list[str] = []

    def ask(*keys: str) -> None:
        with memory.round():
            for key in keys:
                memory.get(key, lambda key=key: made.append(key))  # type: ignore[misc]

    ask("a", "b")
    with pytest.raises(ZeroDivisionError), memory.round():
        memory.get("c", lambda: made.append("c"))
        raise ZeroDivisionError
    ask("a", "b", "c")
    assert made == ["a", "b", "c"]
    ask("a")
    ask("b")
    assert made == ["a", "b", "c", "b"]


def test_a_copy_of_the_folder_shares_no_memory_of_its_name(tmp_path: Path) -> None:
    """The same memory for two folders: nothing of the one shows in the other."""
    memory = ParseCache()
    folder = write_pack(tmp_path, TOWN)
    shutil.copytree(folder, tmp_path / "other")
    assert load_pack(folder, memory=memory).root != load_pack(tmp_path / "other", memory=memory).root
