"""Bounds on a source that strangers wrote, and the error that says which was passed."""

from __future__ import annotations

from lorewright.errors import PackError

MAX_SOURCE_BYTES = 16 * 1024 * 1024
# A picture or an archive around the text may be larger than the text may be.
MAX_CONTAINER_BYTES = 64 * 1024 * 1024
MAX_ENTRIES = 10_000
MAX_JSON_DEPTH = 64
MAX_JSON_VALUES = 1_000_000

MAX_NAME_CHARS = 100
MAX_ALIASES = 50
MAX_ALIAS_CHARS = 80
MAX_TAGS = 30
MAX_TAG_CHARS = 60
MAX_DESCRIPTION_CHARS = 2_000


def too_large(what: str, limit: int) -> PackError:
    """The error for a source that passes a bound on its size, in bytes."""
    return PackError(f"{what} is larger than {limit // 2**20} MiB", hint="split the book into several files")
