"""Golden queries: what a pack's author expects of the answers to questions -> what is not as expected.

They stand in the pack's folder, in `tests/*.yaml`, and are no content of it (docs/testing_packs.md has every key):

    - query: "how long does a log last"
      viewer: player          # gm (default), player, or npc:ID
      budget: 600             # tokens, 1000 by default
      include: [courier_comms:pairs]           # sections that must be in the answer
      exclude: [mira:withholds]                # sections that must not
    - scene: {location: neon_dragon, present: [viktor]}
      include: [viktor:overview]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from lorewright.authoring.judging import (
    GOLDEN_QUERIES,
    GivenFact,
    GoldenQuery,
    GoldenScene,
    QueryConditions,
    golden_schema,
    judge,
)
from lorewright.bounded_files import read_text
from lorewright.errors import PackError
from lorewright.index.generation import Generation
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.packs.files import MAX_MANIFEST_BYTES, TESTS_FOLDER
from lorewright.packs.manifest import load_manifest

__all__ = ["Golden", "GoldenFault", "GoldenQuery", "golden_in", "golden_schema", "misses", "read_golden"]

_SUFFIXES = (".yaml", ".yml")
# At most so many faults of a file are reported at once.
_TOLD = 10


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden query with the place where it is written: the file, relative to the pack, and the line from 1. Its IDs
    are full."""

    file: str
    line: int
    query: GoldenQuery
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def place(self) -> str:
        """Return the place as `tests/golden.yaml:12`."""
        return f"{self.file}:{self.line}"

    def line_of(self, key: str, number: int = 0) -> int:
        """Return the line of an entry of one of its lists, else of the key, else of the query."""
        return self.lines.get((key, str(number)), self.lines.get((key,), self.line))


@dataclass(frozen=True, slots=True)
class GoldenFault:
    """A fault in a file of golden queries; `str()` is `file:line: message`."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def read_golden(root: Path) -> tuple[Golden, ...]:
    """Return the golden queries in a pack's folder, by file and then in their order; none where it has none.

    Raises:
        PackError: what is wrong with the files, line by line.
    """
    found, faults = golden_in(root)
    if faults:
        raise PackError(
            "\n".join(map(str, faults[:_TOLD])), hint="a list of {query or scene, viewer, budget, include, exclude, …}"
        )
    return found


def golden_in(root: Path) -> tuple[tuple[Golden, ...], tuple[GoldenFault, ...]]:
    """Return the golden queries in a pack's folder that can be read, and the faults of the others."""
    faults: list[GoldenFault] = []
    found: list[Golden] = []
    paths = _golden_files(root)
    pack_id = load_manifest(root)[0].id if paths else ""
    for path in paths:
        name = path.relative_to(root).as_posix()
        try:
            of_file, wrong = _read_file(path, root, name, pack_id)
            found += of_file
            faults += [GoldenFault(name, line, message) for line, message in wrong]
        except _Faults as problem:
            faults += [GoldenFault(name, line, message) for line, message in problem.faults]
    faults += _named_twice(found)
    return tuple(found), tuple(faults)


def misses(generations: Sequence[Generation], golden: GoldenQuery) -> tuple[str, ...]:
    """Ask a golden query of these packs and return what is not as expected; empty where all is.

    The name of a chunk that does not exist is a miss, too: it could never be found, nor be excluded.
    """
    return tuple(str(miss) for miss in judge(generations, golden).misses)


class _Faults(Exception):
    """The faults of a file: lines and messages."""

    def __init__(self, *faults: tuple[int, str]) -> None:
        super().__init__()
        self.faults = faults


def _golden_files(root: Path) -> list[Path]:
    folder = root / TESTS_FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and not path.name.startswith("."))


def _read_file(path: Path, root: Path, name: str, pack_id: str) -> tuple[list[Golden], list[tuple[int, str]]]:
    """Return the queries of a file that can be read, and the lines and messages of the faults of the others.

    Raises:
        _Faults: nothing of the file can be read.
    """
    if not path.resolve().is_relative_to(root.resolve()):
        raise _Faults((1, "the link leads out of the pack"))
    if not path.is_file():
        raise _Faults((1, "this is not a file"))
    try:
        text = read_text(path, MAX_MANIFEST_BYTES, PackError)
        document = load_yaml(text)
        lines = lines_of_yaml(text)
    except UnicodeDecodeError:
        raise _Faults((1, "the file is not UTF-8")) from None
    except PackError as problem:
        raise _Faults((1, problem.message.removeprefix(f"{path}: "))) from None
    except YamlProblem as problem:
        raise _Faults((problem.line, problem.message)) from None
    if document.duplicates:
        raise _Faults(*((line, f"{key} is written twice") for key, line in document.duplicates))
    if not isinstance(document.data, list):
        raise _Faults((1, "golden queries are a list: `- query: …`"))
    found: list[Golden] = []
    wrong: list[tuple[int, str]] = []
    for number, written in enumerate(document.data):
        try:
            (query,) = GOLDEN_QUERIES.validate_python([written])
        except ValidationError as problem:
            places = [(str(number), *error["loc"][1:]) for error in problem.errors(include_url=False)]
            messages = map(_message, problem.errors(include_url=False))
            wrong += [(line_of(lines, place), message) for place, message in zip(places, messages, strict=True)]
            continue
        of_query = {keys[1:]: line for keys, line in lines.items() if keys[0] == str(number) and len(keys) > 1}
        found.append(Golden(name, lines[(str(number),)], _with_full_ids(query, pack_id), of_query))
    return found, wrong


def _with_full_ids(query: GoldenQuery, pack_id: str) -> GoldenQuery:
    """Return a query whose bare section IDs got the ID of the pack to which the file belongs."""

    def full(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(entity_id if entity_id.count(":") == 2 else f"{pack_id}:{entity_id}" for entity_id in ids)

    return query.model_copy(update={"include": full(query.include), "exclude": full(query.exclude)})


def _named_twice(found: Sequence[Golden]) -> Iterator[GoldenFault]:
    first: dict[str, str] = {}
    for golden in found:
        if (name := golden.query.name) is not None:
            if name in first:
                message = f"name: “{name}” is the name of {first[name]}, too: reports could not tell them apart"
                yield GoldenFault(golden.file, golden.line_of("name"), message)
            first.setdefault(name, golden.place)


# What a value must look like, by the name of its key; told when it does not.
_FORMS = {
    "viewer": "one of gm, player, npc:ID",
    "include": "a section's ID is ENTITY:SECTION or PACK:ENTITY:SECTION",
    "exclude": "a section's ID is ENTITY:SECTION or PACK:ENTITY:SECTION",
    "revealed": "an item's ID is ENTITY:SECTION#NAME or PACK:ENTITY:SECTION#NAME",
}
_KEYS_OF: Mapping[str, type[BaseModel]] = {"scene": GoldenScene, "given": QueryConditions, "facts": GivenFact}


def _message(problem: Any) -> str:
    """Return a fault in an author's words: which key, and what its value should be."""
    loc: tuple[int | str, ...] = problem["loc"][1:]
    keys = ".".join(map(str, loc))
    names = [part for part in loc if isinstance(part, str)]
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        known = _KEYS_OF.get(names[-2] if len(names) > 1 else "", GoldenQuery).model_fields
        near = get_close_matches(names[-1], known, n=1)
        message = "there is no such key" + (f"; did you mean {near[0]}?" if near else f"; keys: {', '.join(known)}")
    elif problem["type"] == "string_pattern_mismatch" and names and names[0] in _FORMS:
        message = f"{problem['input']} is none: {_FORMS[names[0]]}"
    return f"{keys}: {message}" if keys else message
