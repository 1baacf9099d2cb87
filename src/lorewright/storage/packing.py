"""Long texts of a campaign's file <-> bytes, a tenth as long or less. What is read back is what was written, byte for
byte; bytes that were altered never become another text.

What a stage is given in a turn is mostly what it was given in others, and what a campaign begins with is mostly what
others begin with. So a text is stored as what is new in it: which stretches to copy from a base that is known, and the
rest, which zlib makes shorter. (zlib's own dictionaries reach back 32 KB, less than a narrator is given.) The base is
`packing_words_1.gz`, which is never edited, followed by the text of at most one key: a row of `stage_keys`, which is
itself packed without one. So no text needs a chain of others to be read. Keys belong to no turn and are never deleted.

    byte 0      the form, 1
    a number    the key, 0 for none
    4 bytes     the CRC-32 of the text
    a number    the length of the text in bytes
    the rest    deflated, with the last 32 KB of the base as dictionary: the number of stretches, for each the length of
                what is new before it, where it begins in the base and its length; then everything that is new

Numbers are written seven bits a byte, the lowest first, with the highest bit set in all bytes but the last.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# What scenarios begin with, and prompts: made by scripts/packing_words.py.
_WORDS = Path(__file__).with_name("packing_words_1.gz")
_FORM = b"\x01"
_WINDOW = 32 * 1024
# A stretch costs some six bytes.
_SHORTEST_STRETCH = 24
# Shorter texts stay texts.
_SHORTEST_TEXT = 400
# Bytes of a hostile file unpack to at most so much, or so many times their length.
_MOST_BYTES = 1024 * 1024
_MOST_TIMES = 1000
# More than any world; it takes tenths of a second.
_MOST_COMPARED = 2 * 1024 * 1024
# Up to the end of a value or a sentence, or of a line.
_PIECE = re.compile(rb"[^,.}\]\n]*[,.}\]\n]+|[^,.}\]\n]+")


@dataclass(frozen=True, slots=True)
class PackingKey:
    """A text that others are packed by, with its number (from 1)."""

    number: int
    text: str


def pack(text: str, key: PackingKey | None = None) -> str | bytes:
    """Return a text as it is to be stored: packed, by the key if there is one, or as it is if that is not shorter."""
    data = text.encode()
    if len(data) < _SHORTEST_TEXT:
        return text
    number, known = (0, "") if key is None else (key.number, key.text)
    stretches, new = _compare(data, known) if len(data) <= _MOST_COMPARED else ([], data)
    body = _number(len(stretches)) + b"".join(_number(value) for stretch in stretches for value in stretch) + new
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=_base(known)[-_WINDOW:])
    head = _FORM + _number(number) + zlib.crc32(data).to_bytes(4, "big") + _number(len(data))
    packed = head + deflate.compress(body) + deflate.flush()
    return packed if len(packed) < len(data) <= _most(packed) else text


def key_of(packed: bytes) -> int:
    """Return the number of the key that a text was packed by, 0 for none.

    Raises:
        ValueError: the bytes are no packed text.
    """
    if packed[:1] != _FORM:
        raise ValueError("a packed text of an unknown form")
    return _read_number(packed, 1)[0]


def unpack(packed: bytes, key: PackingKey | None = None) -> str:
    """Return the text of packed bytes.

    Raises:
        ValueError: they are not what `pack` made of a text with that key.
    """
    known = "" if key is None else key.text
    if key_of(packed) != (0 if key is None else key.number):
        raise ValueError("a text that was packed by another key")
    at = _read_number(packed, 1)[1]
    checksum, (length, at) = packed[at : at + 4], _read_number(packed, at + 4)
    if length > _most(packed):
        raise ValueError("a packed text that is too long")
    base = _base(known)
    inflate = zlib.decompressobj(-zlib.MAX_WBITS, zdict=base[-_WINDOW:])
    try:
        # A stretch is described by fewer bytes than it has.
        body = inflate.decompress(packed[at:], length + 64)
    except zlib.error as problem:
        raise ValueError(f"a packed text that cannot be unpacked: {problem}") from None
    data = b"".join(_join(body, base, length))
    if not inflate.eof or inflate.unused_data or len(data) != length or zlib.crc32(data).to_bytes(4, "big") != checksum:
        raise ValueError("a packed text that is not what was packed")
    return data.decode()


def _most(packed: bytes) -> int:
    return max(_MOST_BYTES, _MOST_TIMES * len(packed))


@lru_cache(maxsize=1)
def _words() -> bytes:
    return gzip.decompress(_WORDS.read_bytes())


@lru_cache(maxsize=8)
def _base(key: str) -> bytes:
    return _words() + key.encode()


@lru_cache(maxsize=1)
def _places_of_words() -> dict[bytes, int]:
    """Return piece -> where it begins first in the words."""
    return _places(_words(), 0)


@lru_cache(maxsize=8)
def _places_of_key(key: str) -> dict[bytes, int]:
    """Return piece -> where it begins first in the key, which follows the words."""
    return _places(key.encode(), len(_words()))


def _places(data: bytes, start: int) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for piece in _PIECE.finditer(data):
        found.setdefault(piece[0], start + piece.start())
    return found


def _compare(data: bytes, key: str) -> tuple[list[tuple[int, int, int]], bytes]:
    """Return the stretches of a text that are in the base, each as (length of what is new before it, where it begins in
    the base, its length), and what is new."""
    return _differences(data, _base(key), (_places_of_key(key), _places_of_words()))


def new_in(data: bytes, base: bytes, *, repeated: int) -> bytes:
    """Return a text without the stretches of so many bytes or more that are in the base."""
    stretches, _ = _differences(data, base, (_places(base, 0),))
    left: list[bytes] = []
    at = 0
    for unsaid, _, taken in stretches:
        left.append(data[at : at + unsaid + (taken if taken < repeated else 0)])
        at += unsaid + taken
    return b"".join((*left, data[at:]))


def _differences(
    data: bytes, base: bytes, places: tuple[dict[bytes, int], ...]
) -> tuple[list[tuple[int, int, int]], bytes]:
    pieces = _PIECE.findall(data)
    stretches: list[tuple[int, int, int]] = []
    new: list[bytes] = []
    number = unsaid = 0
    while number < len(pieces):
        piece = pieces[number]
        begin = next((known[piece] for known in places if piece in known), -1)
        end, after = begin, number
        while begin >= 0 and after < len(pieces) and base.startswith(pieces[after], end):
            end += len(pieces[after])
            after += 1
        if end - begin >= _SHORTEST_STRETCH:
            stretches.append((unsaid, begin, end - begin))
            unsaid, number = 0, after
        else:
            new.append(piece)
            unsaid, number = unsaid + len(piece), number + 1
    return stretches, b"".join(new)


def _join(body: bytes, base: bytes, length: int) -> Iterator[bytes]:
    """Yield the parts of a text in order, at most a little more than its length."""
    count, at = _read_number(body, 0)
    stretches: list[tuple[int, int, int]] = []
    # Each has three bytes or more.
    for _ in range(min(count, len(body))):
        unsaid, at = _read_number(body, at)
        begin, at = _read_number(body, at)
        taken, at = _read_number(body, at)
        stretches.append((unsaid, begin, taken))
    for unsaid, begin, taken in stretches:
        yield body[at : at + unsaid]
        yield base[begin : begin + taken]
        at, length = at + unsaid, length - unsaid - taken
        if length < 0:
            raise ValueError("a packed text that is longer than it says")
    yield body[at:]


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, and the place after it."""
    value = 0
    # Five bytes hold more than any length.
    for shift in range(0, 35, 7):
        if at >= len(data):
            break
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
    raise ValueError("a packed text that ends in the midst")
