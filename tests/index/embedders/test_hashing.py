"""The hashing embedder is the same everywhere and near where words are shared."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.index.embedders.hashing import HashingEmbedder
from support.scale import scaled


def test_gives_the_same_bits_on_every_machine() -> None:
    raw = HashingEmbedder().embed_query("The warden of the north gate").tobytes()
    assert hashlib.sha256(raw).hexdigest()[:16] == "2837cbdf11438cb8"


def test_texts_that_share_words_are_near() -> None:
    embedder = HashingEmbedder()
    rows = embedder.embed(["the warden of the gate", "a warden at the gate", "fish soup for two coins"])
    assert rows[0] @ rows[1] > 0.3 > abs(rows[0] @ rows[2])


def test_case_does_not_matter() -> None:
    embedder = HashingEmbedder()
    assert embedder.embed_query("NORTH Gate") @ embedder.embed_query("north gate") == pytest.approx(1)


@settings(max_examples=scaled(12))
@given(st.text())
def test_any_text_has_a_vector_of_unit_length(text: str) -> None:
    for dimensions in (1, 2, 256):
        vector = HashingEmbedder(dimensions).embed_query(text)
        assert (vector @ vector) == pytest.approx(1, abs=1e-5)


def test_its_fingerprint_names_its_dimensions() -> None:
    assert HashingEmbedder(64).fingerprint == "hashing-64"
    with pytest.raises(ValueError, match="positive"):
        HashingEmbedder(0)
