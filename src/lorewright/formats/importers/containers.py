"""A picture or an archive with a card in it -> the card's JSON text. Bounded; nothing is unpacked to disk."""

from __future__ import annotations

import base64
import binascii
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from lorewright.errors import PackError
from lorewright.formats.importers.bounds import MAX_SOURCE_BYTES, too_large

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
ZIP_SIGNATURE = b"PK\x03\x04"

# What tools call the text that holds a card (version 3, version 2) or a NovelAI lorebook, best first.
CARD_KEYWORDS = ("ccv3", "chara", "naidata")

# Everything that the library raises on archives that are damaged or locked.
_ARCHIVE_PROBLEMS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
)

_CARD_FILE = "card.json"
_MAX_MEMBERS = 10_000
_AGAIN = "download the file again; pictures that a chat or a forum has converted lose their card"


def card_texts(data: bytes, *, what: str) -> dict[str, bytes]:
    """The JSON texts in a PNG, by their keyword; the first of a keyword counts.

    Raises:
        PackError: the picture is damaged, or holds no card.
    """
    found: dict[str, bytes] = {}
    for kind, body in _chunks(data, what):
        if kind in (b"tEXt", b"zTXt", b"iTXt"):
            keyword, _, rest = body.partition(b"\0")
            name = keyword.decode("latin-1").casefold()
            if name in CARD_KEYWORDS and name not in found:
                found[name] = _from_base64(_text(kind, rest, what), what)
    if not found:
        raise PackError(f"{what} is a picture without a character card in it", hint=_AGAIN)
    return found


def card_of_archive(data: bytes, *, what: str) -> bytes:
    """The text of `card.json` in a `.charx` archive; its pictures and sounds stay where they are.

    Raises:
        PackError: the archive is damaged, encrypted or hostile, or holds no card.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > _MAX_MEMBERS:
                raise PackError(f"{what} holds more than {_MAX_MEMBERS} files", hint="this is no character card")
            if archive.getinfo(_CARD_FILE).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise PackError(f"{what} is packed in an unusual way", hint="pack it again as a plain zip archive")
            with archive.open(_CARD_FILE) as member:
                text = member.read(MAX_SOURCE_BYTES + 1)
    except KeyError:
        raise PackError(f"{what} holds no {_CARD_FILE}", hint="import a .charx character card") from None
    except _ARCHIVE_PROBLEMS as problem:
        raise PackError(f"{what} is a damaged or locked archive: {problem}", hint="download the file again") from None
    if len(text) > MAX_SOURCE_BYTES:
        raise too_large(f"{_CARD_FILE} in {what}", MAX_SOURCE_BYTES)
    return text


def _chunks(data: bytes, what: str) -> Iterator[tuple[bytes, bytes]]:
    """Type and body of each chunk, in order, up to the picture's end."""
    start = len(PNG_SIGNATURE)
    kind = b""
    while kind != b"IEND":
        if start + 12 > len(data):
            raise PackError(f"{what} is cut off: the picture has no end", hint=_AGAIN)
        length, kind = struct.unpack_from(">I4s", data, start)
        end = start + 8 + length
        if end + 4 > len(data):
            raise PackError(f"{what} is damaged: a part is longer than the file", hint=_AGAIN)
        body = data[start + 8 : end]
        if zlib.crc32(body, zlib.crc32(kind)) != struct.unpack_from(">I", data, end)[0]:
            raise PackError(f"{what} is damaged: a checksum is wrong at byte {start}", hint=_AGAIN)
        yield kind, body
        start = end + 4


def _text(kind: bytes, rest: bytes, what: str) -> bytes:
    """A chunk's text after its keyword. zTXt: a method, then deflate. iTXt: flag, method, language, translation."""
    if kind == b"tEXt":
        return rest
    if kind == b"zTXt":
        return _inflated(rest[1:], what)
    _language, _, after = rest[2:].partition(b"\0")
    text = after.partition(b"\0")[2]
    return _inflated(text, what) if rest[:1] == b"\1" else text


def _inflated(data: bytes, what: str) -> bytes:
    # Base64 is a third longer than what it stands for.
    limit = MAX_SOURCE_BYTES * 4 // 3 + 4
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, limit + 1)
    except zlib.error as problem:
        raise PackError(f"{what} is damaged: {problem}", hint=_AGAIN) from None
    if len(text) > limit:
        raise too_large(f"the card in {what}", MAX_SOURCE_BYTES)
    if not inflater.eof:
        raise PackError(f"{what} is damaged: the card in it is cut off", hint=_AGAIN)
    return text


def _from_base64(text: bytes, what: str) -> bytes:
    try:
        return base64.b64decode(text)
    except binascii.Error as problem:
        raise PackError(f"{what} is damaged: the card in it is not base64 ({problem})", hint=_AGAIN) from None
