"""What keeps a file that an author wrote from being what it should be: line, message, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from lorewright.packs.bounded_yaml import line_of

# More than these nobody reads at once.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a file: on which line (from 1), what, and what to do about it."""

    line: int
    message: str
    hint: str


def faults_of(problem: ValidationError, lines: Mapping[tuple[str, ...], int], *, hint: str) -> list[Fault]:
    """What a model says of the data of a file whose keys stand on these lines, in the model's order."""
    return [
        Fault(line_of(lines, one["loc"]), f"{'.'.join(map(str, one['loc']))}: {one['msg']}", hint)
        for one in problem.errors(include_url=False, include_input=False)
    ]


def told(path: Path, faults: Sequence[Fault]) -> str:
    """The first faults as `file:line: message`, a line each."""
    return "\n".join(f"{path}:{fault.line}: {fault.message}" for fault in faults[:_MOST_TOLD])
