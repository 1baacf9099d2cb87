"""The rules of a pack's entries: written once with the facts about its generation, so that a pack without rules costs
nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from lorewright.ids import canonical_json
from lorewright.index.generation import ENTRY_RULES, Generation
from lorewright.packs.entry_rules import from_json, to_json
from lorewright.packs.models import Chunk, EntryRules
from lorewright.storage.database import read_json

_NONE: Mapping[str, EntryRules] = MappingProxyType({})


def rules_to_store(chunks: Iterable[Chunk]) -> dict[str, str]:
    """Return the fact with the rules of a pack's chunks; an empty dict where no entry has rules."""
    found = {chunk.id: to_json(chunk.rules) for chunk in chunks if chunk.rules is not None}
    return {ENTRY_RULES: canonical_json(found)} if found else {}


def entry_rules_of(generation: Generation) -> Mapping[str, EntryRules]:
    """Return the rules of a generation's chunks, by chunk ID; those of removed chunks may still be among them."""
    return _NONE if generation.entry_rules_json is None else _read(generation.entry_rules_json)


@lru_cache(maxsize=64)
def _read(text: str) -> Mapping[str, EntryRules]:
    return MappingProxyType({chunk_id: from_json(data) for chunk_id, data in read_json(text).items()})
