"""A folder -> a disk of some size mounted on it, which can be filled and made read-only. Only root may, and not everywhere."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, size: int = 64_000_000) -> Iterator[None]:
    """Mount a disk of `size` bytes on a new folder; skip the test where that is not allowed."""
    folder.mkdir(parents=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("nobody but root may mount a disk here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """Let nobody write to a mounted disk within the block."""
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
