"""Names and shapes of MiniLM's weights -> the encoder of one text as an ONNX graph of 20 kB, without the weights.

One text, no batch: so nothing is padded, no mask is needed, every product is a plain matrix product, and the vector
of a text cannot depend on its neighbours. The word vectors come in as the input (tokens, 384); the table they are
taken from, half of the model, stays out of the graph and on the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Anything = np.ndarray[Any, Any]

# The shape of all-MiniLM-L6-v2, as its config.json has it.
LAYERS = 6
HEADS = 12
WIDTH = 384
WORD_TABLE = "embeddings.word_embeddings.weight"

_EPSILON = 1e-12
_OPSET = 20  # the first with Gelu
_RUNTIMES_OWN = "com.microsoft"  # where the runtime keeps operators that are not (yet) everybody's
_IR_VERSION = 9  # the oldest for that opset: older runtimes read it too


def build_graph(arrays: Mapping[str, Anything]) -> tuple[bytes, list[str]]:
    """The graph, and the names of the arrays that it wants handed in with it. Matrices of eight bits are multiplied in
    eight bits.

    Raises:
        KeyError: an array is missing.
    """
    graph = _Graph(arrays)
    hidden = _embeddings(graph)
    for layer in range(LAYERS):
        hidden = _layer(graph, hidden, f"encoder.layer.{layer}")
    mean = graph.node("ReduceMean", hidden, "first", keepdims=1)
    graph.node("Squeeze", graph.node("LpNormalization", mean, axis=-1, p=2), "first", output="vector")
    return graph.serialised(), graph.wanted


class _Graph:
    """Nodes as they are added; each gives the name of its output."""

    def __init__(self, arrays: Mapping[str, Anything]) -> None:
        # Imported late: 50 ms that a keyword search need not pay.
        import onnx

        self._onnx: Any = onnx
        self._arrays = arrays
        self._nodes: list[Any] = []
        self._values: list[Any] = [
            self._constant("first", np.array([0], dtype=np.int64)),
            self._constant("second", np.array([1], dtype=np.int64)),
            self._constant("by head", np.array([-1, HEADS, WIDTH // HEADS], dtype=np.int64)),
            self._constant("joined", np.array([-1, WIDTH], dtype=np.int64)),
            self._constant("scale", np.array((WIDTH // HEADS) ** -0.5, dtype=np.float32)),
        ]
        self.wanted: list[str] = []

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or f"value {len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def weight(self, name: str) -> str:
        """A weight that is handed in when the graph is loaded."""
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(self._arrays[name].dtype)
        value = self._onnx.TensorProto(name=name, data_type=kind)
        value.dims.extend(self._arrays[name].shape)
        value.data_location = self._onnx.TensorProto.EXTERNAL
        value.external_data.add(key="location", value="handed in")
        self._values.append(value)
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
        helper, floats = self._onnx.helper, self._onnx.TensorProto.FLOAT
        words = helper.make_tensor_value_info("words", floats, ["tokens", WIDTH])
        vector = helper.make_tensor_value_info("vector", floats, [WIDTH])
        graph = helper.make_graph(self._nodes, "minilm", [words], [vector], self._values)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIMES_OWN, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        return bytes(model.SerializeToString())

    def _constant(self, name: str, value: np.ndarray[Any, Any]) -> Any:
        return self._onnx.numpy_helper.from_array(value, name)


def _embeddings(graph: _Graph) -> str:
    """Words plus their places plus the one kind of token that there is."""
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
    """Every token looks at every token, each head for itself."""

    def heads(part: str, order: list[int]) -> str:
        split = graph.node("Reshape", graph.linear(hidden, f"{name}.{part}"), "by head")
        return graph.node("Transpose", split, perm=order)

    likeness = graph.node("MatMul", heads("query", [1, 0, 2]), heads("key", [1, 2, 0]))
    shares = graph.node("Softmax", graph.node("Mul", likeness, "scale"), axis=-1)
    mixed = graph.node("MatMul", shares, heads("value", [1, 0, 2]))
    return graph.node("Reshape", graph.node("Transpose", mixed, perm=[1, 0, 2]), "joined")
