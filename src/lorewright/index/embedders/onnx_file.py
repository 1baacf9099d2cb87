"""Nodes and tensors -> the bytes of an ONNX model, as its `onnx.proto` numbers them.

ONNX's own library would do; but to import it, with what it brings along, takes longer than all else that makes the
graph. A message is a row of fields: a key (number and kind), then an integer of seven bits a byte, four bytes, or a
length and so many bytes (protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

# Of TensorProto.DataType.
FLOAT = 1
_TYPES = {"float32": FLOAT, "int8": 3, "int64": 7}

# Of AttributeProto.AttributeType.
_FLOAT, _INTEGER, _INTEGERS = 1, 2, 7

_INTEGER_KIND, _LENGTH_KIND, _FOUR_BYTES_KIND = 0, 2, 5

# Integers are told in 64 bits, negative ones as their complement.
_MASK = (1 << 64) - 1

Attribute = float | int | Sequence[int]


def model(graph: bytes, *, opsets: Mapping[str, int], ir_version: int) -> bytes:
    """A ModelProto; `opsets` are versions by domain."""
    used = (_bytes(8, _text(1, domain) + _integer(2, version)) for domain, version in opsets.items())
    return _integer(1, ir_version) + _bytes(7, graph) + b"".join(used)


def graph(name: str, nodes: Iterable[bytes], values: Iterable[bytes], *, given: bytes, made: bytes) -> bytes:
    """A GraphProto with one input and one output."""
    listed = [*(_bytes(1, one) for one in nodes), _text(2, name), *(_bytes(5, value) for value in values)]
    return b"".join(listed) + _bytes(11, given) + _bytes(12, made)


def node(operator: str, inputs: Iterable[str], output: str, *, domain: str = "", **attributes: Attribute) -> bytes:
    """A NodeProto."""
    told = b"".join(_text(1, one) for one in inputs) + _text(2, output) + _text(4, operator)
    told += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
    return told + (_text(7, domain) if domain else b"")


def constant(name: str, value: np.ndarray[Any, Any]) -> bytes:
    """A TensorProto that holds its values."""
    return _tensor(name, value) + _bytes(9, np.ascontiguousarray(value).tobytes())


def handed_in(name: str, value: np.ndarray[Any, Any]) -> bytes:
    """A TensorProto whose values are given when the model is loaded."""
    return _tensor(name, value) + _bytes(13, _text(1, "location") + _text(2, "handed in")) + _integer(14, 1)


def floats(name: str, *dimensions: int | str) -> bytes:
    """A ValueInfoProto of float32; a dimension that may differ has a name."""
    shape = b"".join(
        _bytes(1, _text(2, dimension) if isinstance(dimension, str) else _integer(1, dimension))
        for dimension in dimensions
    )
    return _text(1, name) + _bytes(2, _bytes(1, _integer(1, FLOAT) + _bytes(2, shape)))


def _tensor(name: str, value: np.ndarray[Any, Any]) -> bytes:
    dimensions = b"".join(_integer(1, one) for one in value.shape)
    return dimensions + _integer(2, _TYPES[value.dtype.name]) + _text(8, name)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FOUR_BYTES_KIND) + struct.pack("<f", value) + _integer(20, _FLOAT)
    if isinstance(value, int):
        return _text(1, name) + _integer(3, value) + _integer(20, _INTEGER)
    return _text(1, name) + b"".join(_integer(8, one) for one in value) + _integer(20, _INTEGERS)


def _integer(number: int, value: int) -> bytes:
    return _key(number, _INTEGER_KIND) + _varint(value & _MASK)


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


def _bytes(number: int, value: bytes) -> bytes:
    return _key(number, _LENGTH_KIND) + _varint(len(value)) + value


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    """Seven bits a byte, lowest first; a byte above 127 has one after it."""
    told = bytearray()
    while value > 127:
        told.append(value & 127 | 128)
        value >>= 7
    return bytes([*told, value])
