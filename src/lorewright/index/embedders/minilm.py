"""all-MiniLM-L6-v2 on onnxruntime: texts -> unit vectors of 384 dimensions, without torch and offline.

Each text runs alone on one thread, and as many texts at a time as there are processors. Nothing is spent
on padding, and the same text gives the same bits in whatever company: padded batches change the last bits of most rows.
On another kind of processor the last bits may differ too.

Nothing is written: each process builds the graph anew (some milliseconds) and maps the weights of the package.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.checking import encodable
from lorewright.index.embedders.eight_bits import in_eight_bits
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.graph import WIDTH, WORD_TABLE, build_graph
from lorewright.index.embedders.weights import REINSTALL, model_folder, open_weights, package_version
from lorewright.telemetry import import_silenced

GRAPH_VERSION = 1  # part of the fingerprint: raise it when the graph gives other vectors
MOST_TOKENS = 256  # what the original reads; the rest of a text is not seen
MOST_THREADS = 8
QUESTION_THREADS = 2  # a question alone takes 3.5 ms instead of 5; more threads gain nothing on so short a text
BATCH_SIZE = 64  # about a second of work; 128 measured no faster, 8 slower by a tenth


class MiniLM:
    """The default embedder. The first text loads the model (about a quarter of a second); safe to use from threads."""

    def __init__(self, *, eight_bits: bool = False) -> None:
        """Find the weights; nothing is read yet. With `eight_bits` it is a faster embedder of another vector space.

        Raises:
            EmbedderError: they are not installed.
        """
        self._folder = model_folder()
        self._eight_bits = eight_bits
        self._version = re.sub(r"[^a-z0-9.]+", "-", package_version().lower())
        self._encoders: dict[int, _Encoder] = {}
        self._loading = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """The version of the weights and of the graph, as `minilm-0.1.0-g1` or `minilm-int8-0.1.0-g1`."""
        return f"minilm-{'int8-' if self._eight_bits else ''}{self._version}-g{GRAPH_VERSION}"

    @property
    def batch_size(self) -> int:
        """What an interruption may lose, about a second of work."""
        return BATCH_SIZE

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, float32 (texts, 384). Of each its first 256 word pieces are read.

        Raises:
            EmbedderError: the weights are damaged.
        """
        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        encoder = self._loaded(threads=1)
        if len(texts) == 1:
            return encoder.vector(texts[0])[np.newaxis]
        with ThreadPoolExecutor(min(_processors(), MOST_THREADS, len(texts))) as pool:
            return np.stack(list(pool.map(encoder.vector, texts)))

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 (384,): questions and texts are embedded alike.

        Raises:
            EmbedderError: the weights are damaged.
        """
        return self._loaded(threads=min(_processors(), QUESTION_THREADS)).vector(text)

    def _loaded(self, *, threads: int) -> _Encoder:
        with self._loading:
            if threads not in self._encoders:
                self._encoders[threads] = _Encoder(self._folder, threads, eight_bits=self._eight_bits)
            return self._encoders[threads]


class _Encoder:
    """Tokenizer, word table and session, loaded."""

    def __init__(self, folder: Path, threads: int, *, eight_bits: bool = False) -> None:
        # Imported late: together 0.1 s and 60 MB, for nothing when words are enough.
        import_silenced("onnxruntime")
        from tokenizers import Tokenizer

        weights = open_weights(folder / "model.safetensors")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(MOST_TOKENS)
            self._word_table = weights.arrays[WORD_TABLE]
            arrays = in_eight_bits(weights.arrays) if eight_bits else weights.arrays
            self._session = _open_session(arrays, threads)
        except Exception as problem:  # the runtime and the tokenizer have no common error of their own
            raise EmbedderError(f"{folder}: the model cannot be loaded: {problem}", hint=REINSTALL) from None
        weights.let_go()

    def vector(self, text: str) -> Vectors:
        """float32 (384,), of unit length."""
        tokens = self._tokenizer.encode(encodable(text)).ids
        found: Vectors = self._session.run(None, {"words": self._word_table[tokens]})[0]
        if not np.isfinite(found).all():
            raise EmbedderError("MiniLM gave a vector that is not finite: its weights are damaged", hint=REINSTALL)
        return found


def _open_session(arrays: Mapping[str, np.ndarray[Any, Any]], threads: int) -> Any:
    """A session in which one text runs on so many threads, to the same bits whatever their number.

    The runtime packs the weights into a copy of its own (43 MB, in eight bits 11).
    """
    onnxruntime = import_silenced("onnxruntime")  # late, as above
    graph, wanted = build_graph(arrays)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    # Processors without instructions of their own for eight bits add two products in sixteen, which may not hold them;
    # there the slower way is taken.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3  # errors; warnings would go to the player's terminal
    handed_in = [onnxruntime.OrtValue.ortvalue_from_numpy(arrays[name]) for name in wanted]
    options.add_external_initializers(wanted, handed_in)
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
