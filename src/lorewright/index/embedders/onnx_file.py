"""Nodes and tensors -> the bytes of an ONNX model, with the field numbers of `onnx.proto`.

ONNX's own library could do it, but importing it takes longer than all the rest of making the graph. A message is a
sequence of fields: a key (number and kind), then an integer of seven bits a byte, four bytes, or a length and that many
bytes (protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

# Values of TensorProto.DataType.
FLOAT = 1
_TYPES = {"float32": FLOAT, "int8": 3, "int64": 7}

# Values of AttributeProto.AttributeType.
_FLOAT, _INTEGER, _INTEGERS = 1, 2, 7

_INTEGER_KIND, _LENGTH_KIND, _FOUR_BYTES_KIND = 0, 2, 5

# Integers are written in 64 bits, negative ones as two's complement.
_MASK = (1 << 64) - 1

Attribute = float | int | Sequence[int]


def model(graph: bytes, *, opsets: Mapping[str, int], ir_version: int) -> bytes:
    """Return a ModelProto; `opsets` are versions by domain."""
    used = (_bytes(8, _text(1, domain) + _integer(2, version)) for domain, version in opsets.items())
    return _integer(1, ir_version) + _bytes(7, graph) + b"".join(used)


def graph(name: str, nodes: Iterable[bytes], values: Iterable[bytes], *, given: bytes, made: Iterable[bytes]) -> bytes:
    """Return a GraphProto with one input."""
    listed = [*(_bytes(1, node_bytes) for node_bytes in nodes), _text(2, name), *(_bytes(5, value) for value in values)]
    return b"".join(listed) + _bytes(11, given) + b"".join(_bytes(12, value) for value in made)


def node(operator: str, inputs: Iterable[str], output: str, *, domain: str = "", **attributes: Attribute) -> bytes:
    """Return a NodeProto."""
    fields = b"".join(_text(1, name) for name in inputs) + _text(2, output) + _text(4, operator)
    fields += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
    return fields + (_text(7, domain) if domain else b"")


def constant(name: str, value: np.ndarray[Any, Any]) -> bytes:
    """Return a TensorProto that holds its values."""
    return _tensor(name, value) + _bytes(9, np.ascontiguousarray(value).tobytes())


def external_tensor(name: str, value: np.ndarray[Any, Any]) -> bytes:
    """Return a TensorProto whose values are given when the model is loaded."""
    return _tensor(name, value) + _bytes(13, _text(1, "location") + _text(2, "handed in")) + _integer(14, 1)


def floats(name: str, *dimensions: int | str) -> bytes:
    """Return a ValueInfoProto of float32; a dimension that may differ has a name."""
    shape = b"".join(
        _bytes(1, _text(2, dimension) if isinstance(dimension, str) else _integer(1, dimension))
        for dimension in dimensions
    )
    return _text(1, name) + _bytes(2, _bytes(1, _integer(1, FLOAT) + _bytes(2, shape)))


def _tensor(name: str, value: np.ndarray[Any, Any]) -> bytes:
    dimensions = b"".join(_integer(1, size) for size in value.shape)
    return dimensions + _integer(2, _TYPES[value.dtype.name]) + _text(8, name)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FOUR_BYTES_KIND) + struct.pack("<f", value) + _integer(20, _FLOAT)
    if isinstance(value, int):
        return _text(1, name) + _integer(3, value) + _integer(20, _INTEGER)
    return _text(1, name) + b"".join(_integer(8, number) for number in value) + _integer(20, _INTEGERS)


def _integer(number: int, value: int) -> bytes:
    return _key(number, _INTEGER_KIND) + _varint(value & _MASK)


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


def _bytes(number: int, value: bytes) -> bytes:
    return _key(number, _LENGTH_KIND) + _varint(len(value)) + value


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    """Return an integer as seven bits a byte, lowest first; a byte above 127 is followed by another."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])
