"""Sources as other tools write them, made by hand; and what a pack says when it was imported from one."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from lorewright.formats.reading import read
from lorewright.formats.writer import LEFT_FILE, WrittenPack, write_pack
from lorewright.packs.bounded_yaml import load_yaml
from lorewright.packs.frontmatter import SourceFile, read_source
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack


def world(*entries: Any, **fields: Any) -> dict[str, Any]:
    return {"entries": {str(number): entry for number, entry in enumerate(entries)}, **fields}


def card(**data: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Mara", "first_mes": "Hello.", **data}}


def bytes_of(source: Any) -> bytes:
    return json.dumps(source).encode()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def text_chunk(keyword: str, text: bytes, *, kind: bytes = b"tEXt") -> bytes:
    key = keyword.encode() + b"\0"
    bodies = {
        b"tEXt": key + text,
        b"zTXt": key + b"\0" + zlib.compress(text),
        b"iTXt": key + b"\1\0en\0\0" + zlib.compress(text),
    }
    return chunk(kind, bodies[kind])


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + b"".join(chunks) + chunk(b"IEND", b"")


def picture(source: Any, *, keyword: str = "chara", kind: bytes = b"tEXt") -> bytes:
    return png(text_chunk(keyword, base64.b64encode(bytes_of(source)), kind=kind))


def charx(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


class ImportedPack:
    """A source, imported into a folder and loaded again."""

    def __init__(self, source: Any, folder: Path, *, filename: str = "source.json") -> None:
        data = source if isinstance(source, bytes) else bytes_of(source)
        self.folder = folder
        self.written: WrittenPack = write_pack(read(data, filename), folder)
        self.pack: Pack = load_pack(folder)

    @property
    def manifest(self) -> dict[str, Any]:
        data = load_yaml((self.folder / "pack.yaml").read_text(encoding="utf-8")).data
        assert isinstance(data, dict)
        return data

    @property
    def files(self) -> list[SourceFile]:
        """The markdown files, in the order of the source."""
        return [read_source(entry.path, (self.folder / entry.path).read_bytes()) for entry in self.written.entries]

    @property
    def left(self) -> dict[str, Any]:
        """What frontmatter had no room for, by file."""
        path = self.folder / LEFT_FILE
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        assert isinstance(found, dict)
        return found

    def sections(self, entity_id: str) -> dict[str, str]:
        """The texts of one entity's sections, by their title; the introduction is ""."""
        qualified = f"{self.pack.manifest.id}:{entity_id}"
        texts: dict[str, str] = {}
        for one in self.pack.chunks:
            if one.entity_id == qualified:
                texts[one.section] = texts.get(one.section, "") + one.text
        return texts

    def place_of(self, field: str) -> list[str]:
        """Where the report says that a field went."""
        return [row.place for row in self.written.rows if row.field == field]
