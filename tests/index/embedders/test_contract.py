"""What every embedder keeps, whoever makes its vectors."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from lorewright.index.embedders.embedder import Embedder

TEXTS = [
    "The warden of the north gate sleeps by day.",
    "gate",
    "Neon rain falls on the corporate towers, and nobody looks up any more. " * 6,
    "A bowl of fish soup costs two coins.",
    "The dragon hoards silver beneath the mountain; " * 3,
]
HOSTILE = {
    "empty": "",
    "spaces": " \n\t ",
    "control characters": "a\x00b\x07\x1b[31m\x9d c",
    "NUL alone": "\x00",
    "a lone surrogate": "half \ud800 of a pair",
    "only marks": "?! … — ∅",
    "another script": "龍は山の下に銀を蓄える 🐉",
    "one word without end": "a" * 50_000,
    "very long": "The river runs past the mill. " * 5_000,
}


def test_gives_one_finite_row_of_unit_length_for_each_text(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape[0] == len(TEXTS)
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


def test_keeps_the_order_of_the_texts(embedder: Embedder) -> None:
    rows, reversed_rows = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
    assert np.array_equal(rows, reversed_rows[::-1])
    assert len({row.tobytes() for row in rows}) == len(TEXTS)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    dimensions = embedder.embed(["gate"]).shape[1]
    assert embedder.embed([]).shape == (0, dimensions)


@pytest.mark.campaign
def test_a_text_gives_the_same_bits_in_any_company(embedder: Embedder) -> None:
    chance = random.Random(7)
    words = "gate warden silver mountain rain tower soup coin night under the of a".split()
    texts = [*TEXTS, *(" ".join(chance.choices(words, k=chance.randint(1, 90))) for _ in range(12))]
    alone = [embedder.embed([text])[0] for text in texts]
    for _ in range(4):
        chosen = chance.sample(range(len(texts)), chance.randint(2, len(texts)))
        together = embedder.embed([texts[number] for number in chosen])
        for row, number in zip(together, chosen, strict=True):
            assert np.array_equal(row, alone[number])


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    row = embedder.embed([text, "gate"])[0]
    question = embedder.embed_query(text)
    for vector in (row, question):
        assert np.isfinite(vector).all()
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_question_lies_in_the_space_of_the_texts_and_finds_its_own(embedder: Embedder) -> None:
    question = embedder.embed_query("the warden of the north gate")
    assert question.dtype == np.float32
    assert question.shape == embedder.embed(["gate"])[0].shape
    assert int(np.argmax(embedder.embed(TEXTS) @ question)) == 0


def test_a_fingerprint_is_short_safe_and_lasting(embedder: Embedder) -> None:
    assert re.fullmatch(r"[a-z0-9.-]{3,60}", embedder.fingerprint)
    before = embedder.fingerprint
    embedder.embed(["gate"])
    assert embedder.fingerprint == before


def test_a_batch_is_of_some_size(embedder: Embedder) -> None:
    assert 1 <= embedder.batch_size <= 1000
