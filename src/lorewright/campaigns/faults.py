"""What keeps a file that an author wrote from being what it should be: line, message, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from lorewright.packs.bounded_yaml import line_of

# What an author is told in place of the model's own words, which speak of Python.
_IN_PLAIN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "missing": "is missing, and must be there",
        "extra_forbidden": "there is no such key",
        "string_type": "write text; in quotation marks where it is a number or begins with a bracket",
        "string_pattern_mismatch": "is empty; write text",
        "dict_type": "write `key: value` lines",
        "model_type": "write `key: value` lines",
        "tuple_type": "write a list: [one, another]",
        "int_type": "write a whole number",
        "int_parsing": "write a whole number",
        "bool_parsing": "write true or false",
    }
)
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
        Fault(line_of(lines, one["loc"]), f"{'.'.join(map(str, one['loc']))}: {_said(one)}", hint)
        for one in problem.errors(include_url=False, include_input=False)
    ]


def _said(one: ErrorDetails) -> str:
    return _IN_PLAIN_WORDS.get(one["type"], one["msg"])


def told(path: Path, faults: Sequence[Fault]) -> str:
    """The first faults as `file:line: message`, a line each."""
    return "\n".join(f"{path}:{fault.line}: {fault.message}" for fault in faults[:_MOST_TOLD])
