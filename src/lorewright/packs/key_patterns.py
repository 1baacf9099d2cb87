"""A key of an entry, as authors write it (`dragon`, `/dragons?/i`) -> what of a text it matches.

Patterns are RE2's: it needs a time in proportion to the text whatever the pattern, so the same question gets the same
answer on a slow machine, where a time limit would not. In return it has neither look-around nor references to groups.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from lorewright.scripts import folded, holds_name

MAX_KEYS = 50
MAX_KEY_CHARS = 500
# In RE2's instructions, as is the bound of all patterns of a pack that are tried together (`retrieval.keys`).
MAX_PATTERN_SIZE = 5_000

_PATTERN = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
_FLAGS = frozenset("gimsuy")
_SLASH = re.compile(r"(?<!\\)(?:\\\\)*/")
_UNICODE = re.compile(r"\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")


@dataclass(frozen=True, slots=True)
class EntryKey:
    """A key that was read: a pattern and its size in RE2's instructions, or the words of a plain one."""

    pattern: Any = None
    size: int = 0
    words: str = ""

    def find(self, text: str) -> str | None:
        """Return the first part of a text that the key matches, or None; a pattern that matches nothing at all counts
        as not found."""
        if self.pattern is None:
            return self.words if holds_name(folded(text), self.words) else None
        found = self.pattern.search(text)
        return " ".join(found.group(0).split()) or None if found else None


def is_pattern(key: str) -> bool:
    """Return True if a key has the form of a pattern: `/…/`, maybe with flags."""
    return _PATTERN.fullmatch(key.strip()) is not None


@lru_cache(maxsize=4096)
def read_key(key: str) -> EntryKey:
    """Return a key that can be looked for.

    Raises:
        ValueError: it is empty or too long, or its pattern cannot be read; the message says why.
    """
    key = key.strip()
    if not key or len(key) > MAX_KEY_CHARS:
        raise ValueError(f"must have 1 to {MAX_KEY_CHARS} characters")
    match = _PATTERN.fullmatch(key)
    if match is None:
        if not folded(key):
            raise ValueError(f"has no letter or digit: {key}")
        return EntryKey(words=folded(key))
    body, flags = match.groups()
    if len(set(flags)) < len(flags) or not _FLAGS.issuperset(flags):
        raise ValueError(f"has other flags than {''.join(sorted(_FLAGS))}, or one twice: {key}")
    if _SLASH.search(body):
        raise ValueError(f"has a slash inside, which is written \\/: {key}")
    pattern = _compiled(body, "".join(flag for flag in "ims" if flag in flags), key)
    if pattern.programsize > MAX_PATTERN_SIZE:
        raise ValueError(f"is too large a pattern: {key}")
    return EntryKey(pattern, pattern.programsize)


def _compiled(body: str, flags: str, key: str) -> Any:
    """Return the pattern, written for JavaScript, as RE2's."""
    written = _UNICODE.sub(lambda code: rf"\x{{{code[1] or code[2]}}}", body).replace("[^]", r"[\s\S]")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?{flags}:{written})" if flags else written, options)
    except (re2.error, UnicodeError) as problem:
        said = problem.args[0] if problem.args else problem
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else "it is not text"
        raise ValueError(f"is a pattern that cannot be read ({reason}): {key}") from None
