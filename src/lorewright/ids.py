"""IDs and hashes: slugs, pack-qualified IDs, item references, content hashes; and the nearest of known names."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from slugify import slugify

# An ID may be written in any script, but contains no character that separates IDs or leads out of a folder.
_ID = re.compile(r"[^\W_][\w-]*")
_SEPARATOR = re.compile("[:#/]")
_HASH = re.compile(r"[0-9a-f]{64}")


def is_id(text: str) -> bool:
    """Tell whether the text can be a pack or entity ID: letters, digits, `_`, `-`, first a letter or digit."""
    return bool(_ID.fullmatch(text)) and len(text) <= 120 and text == unicodedata.normalize("NFC", text)


class NumberedIds:
    """IDs in the order of numbers, in place of random ones, for worlds that are to be alike in every byte."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self, size: int) -> str:
        """Return the next ID, of so many bytes, in hex."""
        self._last += 1
        return f"{self._last:0{2 * size}x}"


def is_hash(text: str) -> bool:
    """Return True if the text is a SHA-256 in hex, as `content_hash` returns it."""
    return bool(_HASH.fullmatch(text))


def hash_of_texts(*texts: str) -> str:
    """Return the SHA-256, in hex, of texts in their order. Each goes in with its length, so that no two lists of texts
    are alike."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


# A pack that is read again and again needs the same slugs every time.
@lru_cache(maxsize=16_384)
def slug(text: str, *, fallback: str = "section") -> str:
    """`History & Lore` -> `history-lore`; other scripts are transliterated; never empty."""
    return slugify(text, max_length=80, word_boundary=True) or fallback


def qualify(pack_id: str, entity_id: str) -> str:
    """`neo_seattle`, `viktor` -> `neo_seattle:viktor`; an ID that is qualified already is returned as it is."""
    return entity_id if ":" in entity_id else f"{pack_id}:{entity_id}"


def local(qualified_id: str) -> str:
    """`neo_seattle:viktor` -> `viktor`; a bare ID stays."""
    return qualified_id.rpartition(":")[2]


def holder_of(item_or_chunk_id: str) -> str:
    """`neo_seattle:viktor:knows#pier9` or `neo_seattle:viktor:knows` -> its owner `neo_seattle:viktor`."""
    return item_or_chunk_id.partition("#")[0].rpartition(":")[0]


def shown_item(item_id: str) -> str:
    """`neo_seattle:viktor:knows#pier9` -> `viktor/knows#pier9`, as citations are shown to people."""
    _, _, rest = item_id.partition(":")
    entity, _, section = rest.partition(":")
    return f"{entity}/{section}" if section else item_id


# How much of a word must be the same for a name to be near it.
_LIKENESS = 0.6


def nearest(word: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """Return the known names that are most like a word, the nearest first, then those that contain it; none where
    nothing is near."""
    names = {name.casefold(): name for name in sorted(known, reverse=True)}
    said = word.casefold().strip()
    near = get_close_matches(said, names, n=most, cutoff=_LIKENESS)
    near += [name for name in sorted(names) if len(said) > 2 and said in name]
    return [names[name] for name in dict.fromkeys(near)][:most]


def misspelt(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that a key is with letters swapped, doubled or missing; None where it is a word of its own
    or no key is that near."""
    names = sorted(known)
    said = key.casefold().strip()
    if key in names or len(said) < 4:
        return None
    swapped = next((name for name in names if sorted(name) == sorted(said)), None)
    near = get_close_matches(said, names, n=1, cutoff=0.88)
    return swapped or (near[0] if near else None)


def did_you_mean(word: str, known: Iterable[str], *, most: int = 3) -> str:
    """Return `did you mean quay or quays?` with the nearest of the known names; empty where nothing is near."""
    near = nearest(word, known, most=most)
    return f"did you mean {' or '.join(near)}?" if near else ""


def with_other_ids(value: Any, ids: Mapping[str, str]) -> Any:
    """Return a value of JSON in which IDs are others, as keys and as texts: an ID that is given, else the longest that
    a text begins with, up to `:`, `#` or `/`."""
    if isinstance(value, dict):
        return {_other_id(key, ids): with_other_ids(entry, ids) for key, entry in value.items()}
    if isinstance(value, list):
        return [with_other_ids(entry, ids) for entry in value]
    return _other_id(value, ids) if isinstance(value, str) else value


def _other_id(text: str, ids: Mapping[str, str]) -> str:
    ends = [len(text), *(found.start() for found in reversed(list(_SEPARATOR.finditer(text))))]
    return next((ids[text[:end]] + text[end:] for end in ends if text[:end] in ids), text)


def canonical_json(value: Any) -> str:
    """Return the canonical JSON text of a value: the same bytes in every process.

    Raises:
        ValueError: the value holds NaN or an infinity.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(text: str) -> str:
    """Return the SHA-256 of the text, in hex; a lone surrogate is replaced rather than refused."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
