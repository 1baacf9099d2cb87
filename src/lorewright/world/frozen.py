"""Immutable building blocks: a frozen model, and a mapping that cannot be written to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, SerializerFunctionWrapHandler, WrapSerializer

K = TypeVar("K")
V = TypeVar("V")


class Frozen(BaseModel):
    """A model that cannot be changed and that knows every key it may have."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", validate_default=True)


def _freeze(mapping: Mapping[K, V]) -> Mapping[K, V]:
    return MappingProxyType(_copied(mapping))


def _thaw(mapping: Mapping[Any, Any], handler: SerializerFunctionWrapHandler) -> Any:
    return handler(_copied(mapping))


def _copied(mapping: Mapping[K, V]) -> dict[K, V]:
    """The same entries; asked of a frozen mapping one by one, thousands of them take fifty times as long."""
    return mapping.copy() if isinstance(mapping, MappingProxyType) else dict(mapping)


FrozenMap = Annotated[Mapping[K, V], AfterValidator(_freeze), WrapSerializer(_thaw)]


def with_entry(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    """The mapping with one entry set; the given one is unchanged."""
    entries = _copied(mapping)
    entries[key] = value
    return MappingProxyType(entries)


def without_entry(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    """The mapping without one entry; the given one is unchanged."""
    return MappingProxyType({k: v for k, v in mapping.items() if k != key})
