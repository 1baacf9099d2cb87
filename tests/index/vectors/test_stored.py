"""Vectors are opened as they were written, or not at all: no damage of the file changes an answer unseen."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.exact import VECTORS_FILE
from lorewright.index.vectors.stored import (
    ABOUT_FILE,
    DamagedVectors,
    GrowingVectors,
    VectorFiles,
    checksum_of,
    has_sound_vectors,
    write_vectors,
)
from support.sample_vectors import clustered
from support.scale import scaled

_HEAD_BYTES = 128
# More than one block of what is added up, and a rest.
_VECTORS = clustered(7, 9001)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_vectors(tmp_path, _VECTORS, "sample")
    return tmp_path


def opened(folder: Path) -> Vectors | None:
    """Return the vectors, or None where their damage is told."""
    try:
        return VectorFiles().open(folder)
    except DamagedVectors:
        return None


def damaged(data: bytes, how: str, at: int, chance: random.Random) -> bytes:
    if how == "bit":
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if how == "bytes":
        return data[:at] + chance.randbytes(8) + data[at + 8 :]
    if how == "cut":
        return data[:at]
    page = at // 4096 * 4096
    return data[:page] + bytes(len(data[page : page + 4096])) + data[page + 4096 :]


@pytest.mark.parametrize("how", ["bit", "bytes", "page", "cut"])
@pytest.mark.parametrize("where", ["head", "vectors"])
def test_damaged_vectors_are_told_or_are_as_before(folder: Path, how: str, where: str) -> None:
    whole, chance = (folder / VECTORS_FILE).read_bytes(), random.Random(how + where)
    for _ in range(scaled(30)):
        at = chance.randrange(_HEAD_BYTES) if where == "head" else chance.randrange(_HEAD_BYTES, len(whole))
        data = damaged(whole, how, at, chance)
        (folder / VECTORS_FILE).write_bytes(data)
        found = opened(folder)
        assert found is None or np.array_equal(found, _VECTORS), (how, at)
        assert found is None or where == "head" or data == whole


def test_a_bit_that_leaves_the_length_as_it_was_is_told(folder: Path) -> None:
    rows = np.load(folder / VECTORS_FILE, mmap_mode="r+")
    rows.view(np.uint32)[4000, 3] ^= 1
    rows.flush()
    assert abs(float(np.linalg.norm(rows[4000])) - 1) < 1e-6
    assert opened(folder) is None


def test_vectors_that_change_places_are_told(folder: Path) -> None:
    np.save(folder / VECTORS_FILE, _VECTORS[::-1])
    assert opened(folder) is None


def test_vectors_of_no_length_are_as_good_as_others(tmp_path: Path) -> None:
    write_vectors(tmp_path, np.zeros((3, 5), np.float32), "sample")
    assert np.array_equal(VectorFiles().open(tmp_path), np.zeros((3, 5)))


def test_an_open_library_notices_that_the_file_was_changed(folder: Path) -> None:
    files = VectorFiles()
    assert np.array_equal(files.open(folder), _VECTORS)
    data = bytearray((folder / VECTORS_FILE).read_bytes())
    data[-3] ^= 1
    (folder / VECTORS_FILE).write_bytes(data)
    for _ in range(2):
        with pytest.raises(DamagedVectors, match="other bytes than were written"):
            files.open(folder)


def test_a_file_that_was_found_sound_is_not_read_again(folder: Path) -> None:
    files = VectorFiles()
    files.open(folder)
    about = json.loads((folder / ABOUT_FILE).read_text())
    (folder / ABOUT_FILE).write_text(json.dumps({**about, "checksum": 0}))
    assert np.array_equal(files.open(folder), _VECTORS)
    assert opened(folder) is None


def test_vectors_of_earlier_versions_are_compared_with_the_hash_of_their_file(folder: Path) -> None:
    about = json.loads((folder / ABOUT_FILE).read_text())
    del about["checksum"]
    (folder / ABOUT_FILE).write_text(json.dumps(about))
    assert np.array_equal(VectorFiles().open(folder), _VECTORS)
    assert has_sound_vectors(folder, "sample")
    data = bytearray((folder / VECTORS_FILE).read_bytes())
    data[50_000] ^= 4
    (folder / VECTORS_FILE).write_bytes(data)
    assert opened(folder) is None


def test_vectors_that_are_not_opened_are_not_sound_either(folder: Path) -> None:
    """What `doctor` takes for sound it does not mend."""
    whole, chance = (folder / ABOUT_FILE).read_bytes(), random.Random(1)
    for _ in range(scaled(300)):
        (folder / ABOUT_FILE).write_bytes(damaged(whole, "bit", chance.randrange(len(whole)), chance))
        assert opened(folder) is not None or not has_sound_vectors(folder, "sample")


@settings(max_examples=scaled(30), deadline=None)
@given(st.integers(0, 3000), st.integers(1, 40), st.data())
def test_every_word_counts_in_the_checksum(count: int, dimensions: int, data: st.DataObject) -> None:
    vectors = np.random.default_rng(count).standard_normal((count, dimensions)).astype(np.float32)
    before = checksum_of(vectors)
    assert checksum_of(vectors.copy()) == before
    if count:
        at = data.draw(st.integers(0, vectors.size - 1))
        vectors.reshape(-1).view(np.uint32)[at] ^= 1 << data.draw(st.integers(0, 31))
        assert checksum_of(vectors) != before


def test_growing_vectors_are_those_that_were_added_and_what_was_read_before_stays_as_it_was() -> None:
    growing, read = GrowingVectors(), list[Vectors]()
    assert (len(growing), len(growing.vectors)) == (0, 0)
    for end in (3, 4, len(_VECTORS)):
        growing.append(_VECTORS[len(growing) : end])
        read.append(growing.vectors)
    growing.close()
    growing.close()
    for vectors, end in zip(read, (3, 4, len(_VECTORS)), strict=True):
        assert np.array_equal(vectors, _VECTORS[:end])
        assert vectors.dtype == np.float32
