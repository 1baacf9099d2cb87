"""A file that a stranger may have written -> its bytes, text, lines or archive, up to a bound.

The bound is enforced while reading: the size that a folder or archive gives for a file is not trusted.
"""

from __future__ import annotations

import errno
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from lorewright.errors import LorewrightError

# Files that people write by hand: settings, manifests, rulesets, golden queries (64 KiB is a long one).
MAX_WRITTEN_BYTES = 256 * 1024
# The list of members at the end of an archive: a hundred thousand names of a hundred characters.
MAX_DIRECTORY_BYTES = 16 * 1024 * 1024
# A line of a script or of a JSON Lines file (characters).
MAX_LINE_CHARS = 1024 * 1024


def read_bytes(path: Path, max_bytes: int, error: type[LorewrightError], *, hint: str | None = None) -> bytes:
    """Return all bytes of a file of at most `max_bytes`; of a larger one only one byte more is read.

    Raises:
        LorewrightError: of the class `error`: the file is larger; the message names it and the bound.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise error(f"{path}: {describe_bound(max_bytes)}", hint=hint or "check that it is the right file, or split it")
    return data


def read_text(
    path: Path, max_bytes: int, error: type[LorewrightError], *, encoding: str = "utf-8-sig", hint: str | None = None
) -> str:
    """Return the text of a file of at most `max_bytes`, its line ends as line feeds.

    Raises:
        LorewrightError: of the class `error`: the file is larger.
        OSError: the file cannot be read.
        UnicodeDecodeError: it is no text in that encoding.
    """
    text = read_bytes(path, max_bytes, error, hint=hint).decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(
    file: TextIO, where: str, error: type[LorewrightError], *, max_chars: int = MAX_LINE_CHARS
) -> Iterator[str]:
    """Yield the lines of an open text, without their line ends; only one line is in memory at a time.

    Raises:
        LorewrightError: of the class `error`: a line is longer than `max_chars`; the message names its number.
    """
    number = 0
    while line := _line(file, where, number + 1, error, max_chars):
        number += 1
        if len(line) > max_chars and not line.endswith("\n"):
            raise error(f"{where}:{number}: the line is longer than {max_chars} characters", hint="split it")
        yield line.removesuffix("\n")


def _line(file: TextIO, where: str, number: int, error: type[LorewrightError], max_chars: int) -> str:
    try:
        return file.readline(max_chars + 1)
    except UnicodeDecodeError:
        raise error(f"{where}:{number}: it is not UTF-8 from here on", hint="save it as UTF-8") from None


@contextmanager
def open_zip(path: Path, *, max_members: int) -> Iterator[zipfile.ZipFile]:
    """Open an archive to read; a list of members that is too long is not read.

    Raises:
        zipfile.BadZipFile: it is no archive, lists too many members, or asks for what `zipfile` does not know (another
            version of the format, a compression, a password); while it is read in the block, too.
        OSError: it cannot be read.
    """
    try:
        with _Cautious(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            if len(archive.filelist) > max_members:
                raise zipfile.BadZipFile(f"it lists more than {max_members:,} members")
            file.is_listed = True
            yield archive
    except (NotImplementedError, EOFError, zlib.error) as problem:
        raise zipfile.BadZipFile(str(problem) or "it ends too early") from None
    except OSError as problem:
        if problem.errno != errno.EINVAL:
            raise
        raise zipfile.BadZipFile("it says of its members that they stand where nothing is") from None
    except RuntimeError as problem:
        # What is encrypted; its subclasses are faults of ours.
        if type(problem) is not RuntimeError:
            raise
        raise zipfile.BadZipFile(str(problem)) from None


def describe_bound(max_bytes: int) -> str:
    """Return the words for a message that something is larger than a bound, such as `over 16 MiB`."""
    size = f"{max_bytes // 2**20} MiB" if max_bytes >= 2**20 else f"{max_bytes // 2**10} KiB"
    return f"over {size}"


class _Cautious(io.BufferedReader):
    """The file of an archive. `zipfile` reads the list of members in one piece, of the length that the file gives."""

    is_listed = False

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as any file does, but refuse a list of members that is too long."""
        if not self.is_listed and size is not None and size > MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile(f"its list of members is {describe_bound(MAX_DIRECTORY_BYTES)}")
        return super().read(size)
