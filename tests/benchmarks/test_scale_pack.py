"""A pack of any size grows out of a real one: seeded, every window with its vector, and read as it was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.index.building import pieces_of, windows_of
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedding_cache import hash_of
from lorewright.packs.loader import load_pack
from scale_pack import SourceFile, Wording, chosen, derived_vectors, reworded, source_files, source_texts, write_pack

TEXTS = {
    "gate": "The gate of Brenn stands open until the bell. " * 12,
    "well": "Old Marit draws water at the well and counts strangers. " * 25,
    "mill": "The mill grinds at night, though nobody has seen the miller since harvest. " * 9,
}


@pytest.fixture
def files(tmp_path: Path) -> list[SourceFile]:
    folder = tmp_path / "town" / "locations"
    folder.mkdir(parents=True)
    (folder.parent / "pack.yaml").write_text("id: town\nname: Town\nversion: 1.0.0\n", encoding="utf-8")
    for name, text in TEXTS.items():
        written = f"---\nid: {name}\ntype: location\n---\n\n# {name.title()}\n\nA place.\n\n## Around\n\n{text}\n"
        (folder / f"{name}.md").write_text(written, encoding="utf-8")
    return source_files([load_pack(folder.parent)])


def unit(count: int) -> Vectors:
    rows = np.random.default_rng(1).standard_normal((count, 384))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@pytest.mark.parametrize("size", [1, 5, 14, 40])
def test_every_window_of_the_pack_that_is_read_has_its_vector(
    files: list[SourceFile], size: int, tmp_path: Path
) -> None:
    vectors = write_pack(files, unit(len(source_texts(files))), size, tmp_path / "lore")
    pack = load_pack(tmp_path / "lore")
    read = [window.text for chunk in pack.chunks for window in windows_of(chunk.shown, chunk.items)]
    assert len(read) == size
    assert not pack.errors
    assert all(hash_of(text) in vectors for text in read)


def test_the_first_windows_are_the_real_ones_with_their_vectors(files: list[SourceFile], tmp_path: Path) -> None:
    texts = source_texts(files)
    sources = unit(len(texts))
    vectors = write_pack(files, sources, 3 * len(texts), tmp_path / "lore")
    last = {text: at for at, text in reversed(list(enumerate(texts)))}
    assert all(np.array_equal(vectors[hash_of(text)], sources[at]) for text, at in last.items())


@given(st.integers(1, 200), st.integers(1, 200))
def test_a_larger_choice_begins_with_the_smaller(first: int, second: int) -> None:
    text = " ".join(["word"] * 150)
    files = [SourceFile(f"p:{n}", "location", str(n), (), (), (("", text), ("More", text)), 6 * n) for n in range(4)]
    small, large = sorted((first, second))
    some, more = list(chosen(files, small)), list(chosen(files, large))
    assert sum(file.windows for _, file in some) == small
    assert sum(file.windows for _, file in more) == large
    assert some[:-1] == more[: len(some) - 1]


@given(st.integers(0, 40))
def test_derived_vectors_are_seeded_of_unit_length_and_near_their_sources(copy: int) -> None:
    sources = unit(50)
    derived = derived_vectors(sources, copy)
    assert np.array_equal(derived, derived_vectors(sources, copy))
    assert np.allclose(np.linalg.norm(derived, axis=1), 1, atol=1e-5)
    cosines = (derived * sources).sum(axis=1)
    assert (cosines == pytest.approx(1, abs=1e-5)) if copy == 0 else (0.6 < cosines.mean() < 0.95)


@given(st.integers(1, 30))
def test_other_words_make_as_many_windows_of_as_many_words(copy: int) -> None:
    sections = tuple(("Around", text) for text in TEXTS.values())
    words = Wording([SourceFile("town:all", "location", "All", (), (), sections, 0)]).of_copy(copy)
    for text in TEXTS.values():
        pieces, others = pieces_of(text), pieces_of(reworded(text, words))
        assert [len(one.split()) for one in pieces] == [len(one.split()) for one in others]


def test_a_copy_has_names_of_its_own(files: list[SourceFile]) -> None:
    wording = Wording(files)
    assert wording.of_copy(0) == {}
    assert wording.of_copy(1) == wording.of_copy(1) != wording.of_copy(2)
