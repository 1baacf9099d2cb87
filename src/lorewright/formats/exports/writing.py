"""Texts -> a file, or a folder of files, that is there whole or not at all; what stands there goes only when asked."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.errors import PackError
from lorewright.storage.enclosure import is_link

# A vault's own settings and layout; they outlive a new export.
_KEPT_FOLDER = ".obsidian"


def write_file(path: Path, text: str, *, force: bool) -> None:
    """Write a file by way of one beside it, which then takes its name.

    Raises:
        PackError: there is a file already and `force` is not given, or it cannot be written; nothing was changed.
    """
    if path.is_dir() or (path.exists() and not force):
        hint = "name a file" if path.is_dir() else "name another file, or add --force to write over it"
        raise PackError(f"{path} is there already", hint=hint)
    part = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            file.write(text.encode("utf-8", "replace"))
        part.replace(path)
    except OSError as problem:
        raise _unwritable(path, problem) from None
    finally:
        part.unlink(missing_ok=True)


def write_folder(folder: Path, texts: Mapping[str, str], *, force: bool, mark: str) -> None:
    """Write files by way of a folder beside, which then takes its name. `force` replaces a folder only where its
    `pack.yaml` says `mark`: what this very program wrote. Its `.obsidian` stays.

    Raises:
        PackError: the folder is taken, or cannot be written; what stood there still stands.
    """
    folder = folder.absolute()
    taken = folder.is_symlink() or folder.is_file() or (folder.is_dir() and any(folder.iterdir()))
    if taken and not (force and _is_marked(folder, mark)):
        hint = "name a new folder" if not force else "--force replaces only what pack export wrote; name a new folder"
        raise PackError(f"{folder} is there already and not empty", hint=hint)
    part, old = _beside(folder), _beside(folder)
    try:
        for path, text in texts.items():
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_bytes(text.encode("utf-8", "replace"))
        if folder.is_dir():
            if (folder / _KEPT_FOLDER).is_dir() and not is_link(folder / _KEPT_FOLDER):
                shutil.copytree(folder / _KEPT_FOLDER, part / _KEPT_FOLDER, symlinks=True)
            folder.rename(old)
        try:
            part.rename(folder)
        except OSError:
            if old.is_dir():
                old.rename(folder)
            raise
    except OSError as problem:
        raise _unwritable(folder, problem) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _is_marked(folder: Path, mark: str) -> bool:
    try:
        return not folder.is_symlink() and mark in read_text(folder / "pack.yaml", MAX_WRITTEN_BYTES, PackError)
    except (OSError, UnicodeDecodeError, PackError):
        return False


def _beside(path: Path) -> Path:
    return path.parent / f".export-{os.getpid()}-{secrets.token_hex(4)}.part"


def _unwritable(path: Path, problem: OSError) -> PackError:
    message = f"{path} cannot be written: {problem.strerror or problem}"
    return PackError(message, hint="check the name, the permissions and the room on the disk")
