"""A URL (`file:///mnt/lore`, `s3://bucket/prefix`) -> objects that are read and written whole, through fsspec.

An object is there whole or not at all: object stores promise that of each upload, and in a folder a file is written
under another name and renamed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lorewright.errors import DamagedFile, LoreStoreUnavailable, LorewrightError, SettingsError
from lorewright.extras import require_extra
from lorewright.storage.enclosure import FOR_ALL, Enclosure, is_plain_name, raising_our_errors

# Kind of URL -> the extra that brings it.
_EXTRAS = {"file": "lore-store", "s3": "s3"}
_URL_HINT = "as in file:///mnt/lore or s3://bucket/prefix"
# How long a server may take to answer; botocore's own default is a minute for each of five tries.
_CONNECT_S, _READ_S, _TRIES = 5, 15, 2
_BLOCK_BYTES = 1 << 20

# It is told how many bytes of an object have come.
OnBytes = Callable[[int], None]


class ObjectMissing(Exception):
    """There is no object of that name."""


class ObjectStore:
    """The objects below a URL, by names such as `packs/harbour.json`. Threads may share it."""

    def __init__(self, url: str) -> None:
        """Open a store; nothing is read before the first object is.

        Raises:
            SettingsError: the URL is none of a store that is known here, or has a password in it.
            ExtraMissing: the library for it is not installed.
        """
        self.url = url.strip().rstrip("/")
        parts = urlsplit(self.url)
        if parts.scheme not in _EXTRAS or "::" in url:
            raise SettingsError(f"{_shown(url)} is no store of lore", hint=_URL_HINT)
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise SettingsError("a store's URL has a bucket and a folder, no more", hint=_CREDENTIALS)
        require_extra(_EXTRAS[parts.scheme], needed_by=f"lore at {parts.scheme}://")
        self._folder: Enclosure | None = None
        if parts.scheme == "file":
            if parts.netloc not in ("", "localhost") or not Path(unquote(parts.path)).is_absolute():
                raise SettingsError(f"{_shown(url)} names no folder of this machine", hint=_URL_HINT)
            self._root = unquote(parts.path)
            self._folder = Enclosure(Path(self._root))
        else:
            if not parts.netloc:
                raise SettingsError(f"{_shown(url)} names no bucket", hint=_URL_HINT)
            self._root = f"{parts.netloc}{parts.path}".rstrip("/")
        self._system = _file_system(parts.scheme)

    def make(self) -> None:
        """Make the folder of a store that is one, unless it is there.

        Raises:
            LoreStoreUnavailable: it cannot be made.
        """
        with self._answering(""):
            if self._folder is not None:
                self._folder.make_folder(self._folder.root)

    def read(self, name: str, *, limit: int) -> bytes:
        """Return a small object's bytes.

        Raises:
            ObjectMissing: there is none of that name.
            DamagedFile: it is larger than the limit.
            LoreStoreUnavailable: the store does not answer.
        """
        with self._answering(name):
            found: bytes = self._system.cat_file(self._at(name), start=0, end=limit + 1)
        if len(found) > limit:
            raise DamagedFile(f"{self.url}/{name} is too large", hint="push its pack again, with --anew")
        return found

    def fetch(self, name: str, into: Path, *, size: int, sha256: str, on_bytes: OnBytes) -> None:
        """Write an object to a new file, and compare its bytes with their digest.

        Raises:
            ObjectMissing: there is none of that name.
            DamagedFile: it has other bytes.
            LoreStoreUnavailable: the store does not answer.
            FileUnavailable: the file cannot be written.
        """
        enclosure, digest, done = Enclosure(into.parent), hashlib.sha256(), 0
        with enclosure.writing(into) as file, self._opened(name) as source:
            while True:
                with self._answering(name):
                    block: bytes = source.read(_BLOCK_BYTES)
                if not block or done > size:
                    break
                done += len(block)
                digest.update(block)
                with raising_our_errors(into):
                    file.write(block)
                on_bytes(done)
        if done != size or digest.hexdigest() != sha256:
            enclosure.remove(into)
            raise DamagedFile(
                f"{self.url}/{name} holds other bytes than were pushed",
                hint="push its pack again where it is installed: lorewright pack push PACK --to URL --anew",
            )

    def size(self, name: str) -> int | None:
        """Return an object's size in bytes; None where there is none of that name.

        Raises:
            LoreStoreUnavailable: the store does not answer.
        """
        try:
            with self._answering(name):
                return int(self._system.info(self._at(name))["size"])
        except ObjectMissing:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Write an object, in place of one of that name.

        Raises:
            LoreStoreUnavailable: the store does not answer, or takes nothing.
        """
        with self._answering(name):
            if self._folder is None:
                self._system.pipe_file(self._at(name), data)
                return
            path = self._folder.checked(self._folder.root / name)
            self._folder.make_folder(path.parent)
            self._folder.write(path, data, mode=FOR_ALL)

    def upload(self, name: str, source: Path) -> None:
        """Write a file as an object; as `write`."""
        with self._answering(name):
            if self._folder is None:
                self._system.put_file(str(source), self._at(name))
                return
            path = self._folder.checked(self._folder.root / name)
            self._folder.make_folder(path.parent)
            with source.open("rb") as read, self._folder.writing(path, mode=FOR_ALL) as written:
                while block := read.read(_BLOCK_BYTES):
                    written.write(block)

    def entries(self, folder: str) -> dict[str, str]:
        """Return the names of the objects in a folder, sorted, each with a stamp that changes when it is written.

        Raises:
            LoreStoreUnavailable: the store does not answer.
        """
        try:
            with self._answering(folder):
                listed = self._system.ls(self._at(folder), detail=True)
        except ObjectMissing:
            return {}
        found = {str(entry["name"]).rsplit("/", 1)[-1]: entry for entry in listed if entry["type"] == "file"}
        return {name: _stamp_of(found[name]) for name in sorted(found) if is_plain_name(name)}

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        with self._answering(name):
            source = self._system.open(self._at(name), "rb", block_size=4 * _BLOCK_BYTES, cache_type="readahead")
        try:
            yield source
        finally:
            source.close()

    @contextmanager
    def _answering(self, name: str) -> Iterator[None]:
        """Turn what a store raises into our errors: each has kinds of its own."""
        try:
            yield
        except LorewrightError:
            raise
        except FileNotFoundError:
            if self._folder is not None and not self._folder.root.is_dir():
                # A disk that is not mounted is no store without packs.
                raise LoreStoreUnavailable(f"{self.url} is not there", hint="mount it, or push packs to it") from None
            raise ObjectMissing(name) from None
        except Exception as problem:
            # Libraries of stores raise whatever the libraries below them do.
            what = _WORDS.sub(" ", str(problem))[:200].strip()
            raise LoreStoreUnavailable(
                f"{self.url} does not answer: {type(problem).__name__}{': ' if what else ''}{what}",
                hint="check that it can be reached and that its keys are set; nothing was changed",
            ) from problem


_CREDENTIALS = "keys stand in the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
_WORDS = re.compile(r"\s+")


def _shown(url: str) -> str:
    return ascii(url.split("@")[-1][:80])


def _stamp_of(entry: dict[str, Any]) -> str:
    """Return what changes when an object is written again: its ETag, or size and time."""
    return str(entry.get("ETag") or (entry.get("size"), entry.get("mtime"), entry.get("ino")))


def _file_system(kind: str) -> Any:
    # Late: only who uses a store pays for these libraries.
    import fsspec

    options: dict[str, Any] = {"skip_instance_cache": True, "use_listings_cache": False}
    if kind == "s3":
        config = {"connect_timeout": _CONNECT_S, "read_timeout": _READ_S, "retries": {"total_max_attempts": _TRIES}}
        options |= {"config_kwargs": config, "default_cache_type": "readahead"}
    system = fsspec.filesystem(kind, **options)
    if kind == "s3":
        # Its own tries come on top of botocore's.
        system.retries = 1
    return system
