"""Finding: what a linter says of a file: where, how bad, which code, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One remark. `line` and `column` count from 1; `file` is relative to the pack.

    An `error` means that the file (or, on `pack.yaml`, the pack) cannot be read as meant; a `warning` that something
    was derived or left out; an `info` is worth knowing.
    """

    file: str
    line: int
    column: int
    severity: Severity
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column}: {self.severity} {self.code} {self.message}{hint}"


def error(file: str, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = "") -> Finding:
    """A finding that stops an install."""
    return Finding(file, line, column, "error", code, message, hint)


def warning(file: str, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = "") -> Finding:
    """A finding that is told and does not stop anything."""
    return Finding(file, line, column, "warning", code, message, hint)


def info(file: str, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = "") -> Finding:
    """A finding that is only worth knowing."""
    return Finding(file, line, column, "info", code, message, hint)
