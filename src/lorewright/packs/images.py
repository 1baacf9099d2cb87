"""`image:` in a note's frontmatter -> a picture file of the pack, which is part of its text.

A note has at most one. Only PNG, JPEG and WebP are taken, by their first bytes: an SVG is a program.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.packs.files import Finding, warning
from lorewright.packs.frontmatter import read_source

MAX_IMAGE_BYTES = 4 * 1024 * 1024
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp"})
# Folders beside a note, or at the top of the pack, in which a picture may be named without them.
_FOLDERS = ("", "images", "attachments", "assets")
_KEY = re.compile(rb"^image[ \t]*:", re.MULTILINE)
_WIKI = re.compile(r"!?\[\[([^\[\]|#]{1,300})(?:[|#][^\[\]]*)?\]\]")
_IS_MARKDOWN = (".md", ".markdown")


def image_in(root: Path, path: str, data: bytes) -> str | None:
    """Return the picture of a note, relative to the pack, given the note's path and bytes; None where it has none that
    can be taken."""
    if not path.lower().endswith(_IS_MARKDOWN) or not data.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    if _KEY.search(data) is None:
        return None
    return image_of(root, path, read_source(path, data).metadata)[0]


def image_of(root: Path, path: str, metadata: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return the picture that a note's frontmatter names, relative to the pack; else None and why it is not taken. Both
    are empty where it names none."""
    given = metadata.get("image")
    if given is None or given == "":
        return None, ""
    if not isinstance(given, str):
        return None, "image: must be the path of one file"
    wiki = _WIKI.fullmatch(given.strip())
    written = (wiki[1] if wiki else given).strip()
    if "://" in written or written.startswith("data:"):
        return None, "image: must be a file of the pack; nothing is fetched"
    suffix = PurePath(written).suffix.lower()
    if suffix not in IMAGE_SUFFIXES:
        return None, f"image: {suffix or 'a file without ending'} is not taken; PNG, JPEG and WebP are"
    found = next(iter(_candidates(root, PurePosixPath(path).parent, written)), None)
    if found is None:
        return None, f"image: there is no file {written[:80]} in the pack"
    try:
        read_picture(root / found)
    except PackError as problem:
        return None, problem.message
    return found, ""


def _candidates(root: Path, folder: PurePosixPath, written: str) -> Iterator[str]:
    """Yield the files of the pack that a written path may mean: from the note's folder, then from the top."""
    real = root.resolve()
    for start in dict.fromkeys((folder, PurePosixPath())):
        for among in _FOLDERS:
            file = (root / start / among / written).resolve()
            if file.is_relative_to(real) and file.is_file():
                yield file.relative_to(real).as_posix()


def read_picture(file: Path) -> bytes:
    """Return the bytes of a picture.

    Raises:
        PackError: it is too large, or no picture of the three kinds.
    """
    data = read_bytes(file, MAX_IMAGE_BYTES, PackError)
    if _kind(data) is None:
        raise PackError(f"image: {file.name} is no PNG, JPEG or WebP inside")
    return data


def _kind(data: bytes) -> str | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def as_data_url(file: Path) -> str:
    """Return a picture as a `data:` URL.

    Raises:
        PackError: it is too large, or no picture of the three kinds.
    """
    data = read_picture(file)
    return f"data:{_kind(data)};base64,{base64.b64encode(data).decode('ascii')}"


def lint_images(root: Path, notes: Mapping[str, tuple[Mapping[str, Any], int]]) -> Iterator[Finding]:
    """Yield a finding for each note whose picture is not taken; `notes` are path -> frontmatter, and the line of
    `image:`."""
    for path, (metadata, line) in notes.items():
        _, problem = image_of(root, path, metadata)
        if problem:
            hint = "image: images/mara.png, a PNG, JPEG or WebP file of at most 4 MiB in the pack"
            yield warning(path, "bad-image", problem, line=line, hint=hint)
