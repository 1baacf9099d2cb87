"""The graph is the very file that ONNX's own library would write, without it."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from lorewright.index.embedders import onnx_file
from lorewright.index.embedders.minilm import MiniLM, build_graph, model_folder, open_weights

# Of the bytes that onnx 1.23 serialised for the same nodes, when the graph was last written by it.
WRITTEN_BY_ONNX = "89576fb6d43381e1284ca5725c26e5452a9233eaf858b2bf438712c2ad1214c9"


def test_the_graph_is_byte_by_byte_what_onnx_wrote(minilm: MiniLM) -> None:
    written, wanted = build_graph(open_weights(model_folder() / "model.safetensors").arrays)
    assert hashlib.sha256(written).hexdigest() == WRITTEN_BY_ONNX
    assert len(wanted) == len(set(wanted)) == 100


def test_every_kind_of_value_is_read_back_as_it_was_told() -> None:
    onnx = pytest.importorskip("onnx")
    values = {
        "halves": np.array([0.5, -2], np.float32),
        "long": np.array([[1, -1, 1 << 40]]),
        "one": np.array(3, np.int8),
    }
    nodes = [
        onnx_file.node("Softmax", ["in"], "x", axis=-1, epsilon=1e-12, perm=[1, 0, 300]),
        onnx_file.node("Mine", ["x", "halves"], "out", domain="my.own"),
    ]
    told = [onnx_file.constant(name, value) for name, value in values.items()]
    given, made = onnx_file.floats("in", "tokens", 384), onnx_file.floats("out", 2)
    whole = onnx_file.graph(
        "g", nodes, [*told, onnx_file.external_tensor("late", values["long"])], given=given, made=(made,)
    )
    read = onnx.load_model_from_string(onnx_file.model(whole, opsets={"": 20, "my.own": 1}, ir_version=9))
    assert {one.domain: one.version for one in read.opset_import} == {"": 20, "my.own": 1}
    helper, numbers = onnx.helper, onnx.numpy_helper
    expected = [
        helper.make_node("Softmax", ["in"], ["x"], axis=-1, epsilon=1e-12, perm=[1, 0, 300]),
        helper.make_node("Mine", ["x", "halves"], ["out"], domain="my.own"),
    ]
    assert [sorted(map(str, one.attribute)) for one in read.graph.node] == [
        sorted(map(str, one.attribute)) for one in expected
    ]
    assert [(one.op_type, one.domain, *one.input, *one.output) for one in read.graph.node] == [
        (one.op_type, one.domain, *one.input, *one.output) for one in expected
    ]
    for one, value in zip(read.graph.initializer, values.values(), strict=False):
        assert np.array_equal(numbers.to_array(one), value)
    late = read.graph.initializer[-1]
    assert (late.data_location, list(late.dims), late.external_data[0].key) == (1, [1, 3], "location")
    assert read.graph.input[0] == helper.make_tensor_value_info("in", 1, ["tokens", 384])
    assert read.graph.output[0] == helper.make_tensor_value_info("out", 1, [2])
