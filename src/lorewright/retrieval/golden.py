"""Golden queries: what a pack's author expects of the answers to questions -> what is not as expected.

They stand in the pack's folder, in `tests/*.yaml`, and are no content of it:

    - query: "how long does a log last"
      viewer: player          # gm (default) or player
      budget: 600             # tokens, 1000 by default
      include: [neo_seattle:courier_comms:pairs]     # chunks that must be in the answer
      exclude: [neo_seattle:mira:withholds]          # chunks that must not
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from lorewright.errors import PackError
from lorewright.index.generation import Generation
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.packs.files import TESTS_FOLDER
from lorewright.packs.limits import MAX_MANIFEST_BYTES
from lorewright.retrieval.query import LoreRetrievalQuery, RetrievedChunk
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView

_SUFFIXES = (".yaml", ".yml")
# So many faults of a file are told at once.
_TOLD = 10
# Shorter words may well stand in open lore, too.
_FEWEST_WORDS = 4

# `neo_seattle:viktor:withholds`, and `…~2` for the second part of a section that was split.
ChunkId = Annotated[str, StringConstraints(pattern=r"^[^\s:]+:[^\s:]+:[^\s:]+$")]


class GoldenQuery(BaseModel):
    """A question, who asks it within how many tokens, and the IDs of chunks that must or must not be in the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str = Field(min_length=1)
    viewer: Literal["gm", "player"] = "gm"
    budget: int = Field(default=1000, ge=1)
    include: tuple[ChunkId, ...] = ()
    exclude: tuple[ChunkId, ...] = ()

    @model_validator(mode="after")
    def _can_fail(self) -> Self:
        """One that names nothing would hold whatever the answer, and one that contradicts itself never."""
        if not self.include and not self.exclude:
            raise ValueError("name a chunk under include or exclude")
        both = sorted({*self.include} & {*self.exclude})
        if both:
            raise ValueError(f"{both[0]} is to be both in the answer and not in it")
        return self


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden query and where it stands: the file, relative to the pack, and the line from 1."""

    file: str
    line: int
    query: GoldenQuery

    @property
    def place(self) -> str:
        """`tests/golden.yaml:12`."""
        return f"{self.file}:{self.line}"


_QUERIES = TypeAdapter(tuple[GoldenQuery, ...])


def read_golden(root: Path) -> tuple[Golden, ...]:
    """The golden queries in a pack's folder, by file and then as they stand; none where it has none.

    Raises:
        PackError: what is wrong with the files, line by line.
    """
    faults: list[str] = []
    found: list[Golden] = []
    for path in _files(root):
        name = path.relative_to(root).as_posix()
        try:
            found += _read(path, root, name)
        except _Faults as problem:
            faults += [f"{name}:{line}: {message}" for line, message in problem.faults]
    if faults:
        raise PackError("\n".join(faults[:_TOLD]), hint="a list of {query, viewer, budget, include, exclude}")
    return tuple(found)


def misses(generations: Sequence[Generation], golden: GoldenQuery) -> tuple[str, ...]:
    """What is not as expected of the answer that these packs give; empty where all is.

    A chunk that there is not is told, too: one that must not be found never could be.
    """
    view = LoreView(tuple(generations), viewer=golden.viewer)
    asked = LoreRetrievalQuery(keywords=golden.query, viewer=golden.viewer, max_tokens=golden.budget)
    chunks = retrieve(view, asked).result.chunks
    return (
        *_misplaced([chunk.chunk_id for chunk in chunks], golden, view.generations),
        *(_told_secrets(view.generations, chunks) if golden.viewer == "player" else ()),
    )


class _Faults(Exception):
    """What is wrong with a file: lines and messages."""

    def __init__(self, *faults: tuple[int, str]) -> None:
        super().__init__()
        self.faults = faults


def _files(root: Path) -> list[Path]:
    folder = root / TESTS_FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and not path.name.startswith("."))


def _read(path: Path, root: Path, name: str) -> Iterator[Golden]:
    if not path.resolve().is_relative_to(root.resolve()):
        raise _Faults((1, "the link leads out of the pack"))
    if not path.is_file():
        raise _Faults((1, "this is not a file"))
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise _Faults((1, f"over {MAX_MANIFEST_BYTES // 1024} KiB"))
    try:
        text = path.read_text(encoding="utf-8-sig")
        document = load_yaml(text)
        lines = lines_of_yaml(text)
    except UnicodeDecodeError:
        raise _Faults((1, "the file is not UTF-8")) from None
    except YamlProblem as problem:
        raise _Faults((problem.line, problem.message)) from None
    if document.duplicates:
        raise _Faults(*((line, f"{key} is written twice") for key, line in document.duplicates))
    if not isinstance(document.data, list):
        raise _Faults((1, "golden queries are a list: `- query: …`"))
    try:
        queries = _QUERIES.validate_python(document.data)
    except ValidationError as problem:
        raise _Faults(
            *(
                (line_of(lines, one["loc"]), _message(one["loc"], one["msg"]))
                for one in problem.errors(include_url=False)
            )
        ) from None
    return (Golden(name, lines[(str(number),)], query) for number, query in enumerate(queries))


def _message(path: Sequence[int | str], message: str) -> str:
    keys = ".".join(map(str, path[1:]))
    return f"{keys}: {message}" if keys else message


def _misplaced(answer: Sequence[str], golden: GoldenQuery, generations: Sequence[Generation]) -> Iterator[str]:
    found = ", ".join(answer) or "nothing"
    for chunk_id in (*golden.include, *golden.exclude):
        is_found = chunk_id in answer
        if all(generation.chunk(chunk_id) is None for generation in generations):
            yield f"there is no chunk {chunk_id}"
        elif is_found and chunk_id in golden.exclude:
            yield f"{chunk_id} is in the answer, at place {answer.index(chunk_id) + 1} of {len(answer)}"
        elif not is_found and chunk_id in golden.include:
            yield f"{chunk_id} is not in the answer, which is {found}"


def _told_secrets(generations: Sequence[Generation], chunks: Sequence[RetrievedChunk]) -> Iterator[str]:
    """Whatever of sections that are not open stands in an answer, wherever it stands there."""
    for generation in generations:
        for hidden in generation.hidden_chunks():
            texts = [hidden.text, *(item.text for item in generation.items_of(hidden.row))]
            secrets = [text for text in texts if len(text.split()) >= _FEWEST_WORDS]
            for chunk in chunks:
                if any(text in chunk.text for text in secrets):
                    yield f"{chunk.chunk_id} tells what is kept in {hidden.id}"
