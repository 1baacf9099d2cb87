"""Lorebooks in Chinese and Japanese, and questions by somebody who knew nothing of the search: words alone find the
entry that is meant. `contains_key` says whether the question holds one of the entry's keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lorewright.formats.reading import read_file
from lorewright.formats.writer import write_pack
from lorewright.index.building import build_generation
from lorewright.index.generation import Generation
from lorewright.packs.loader import load_pack
from support.pack_builder import ask

BOOKS = Path(__file__).parent.parent / "fixtures" / "lorebooks"


@pytest.fixture(scope="module", params=["zh", "ja"])
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Generation]]:
    folder = tmp_path_factory.mktemp(request.param)
    write_pack(read_file(BOOKS / f"{request.param}.json"), folder / "book")
    pack = load_pack(folder / "book")
    assert pack.manifest.language == request.param
    generation = Generation(folder / build_generation(pack, folder).folder)
    yield request.param, generation
    generation.close()


def is_among_the_first(generation: Generation, question: dict[str, Any], places: int) -> bool:
    """Tell whether the entry that is meant is among so many first entries of the answer; entries that are always there
    take no place."""
    answer = ask((generation,), question["question"])
    kept = {chunk.chunk_id: chunk.kept for chunk in answer.trace.chunks}
    entities = dict.fromkeys(":".join(chunk.chunk_id.split(":")[:2]) for chunk in answer.result.chunks)
    always = {":".join(chunk_id.split(":")[:2]) for chunk_id, by in kept.items() if "always" in by}
    meant = next(entity.id for entity in generation.entities().values() if entity.attrs.get("x_uid") == question["uid"])
    return meant in [entity for entity in entities if entity == meant or entity not in always][:places]


def share(book: tuple[str, Generation], *, contains_key: bool, places: int = 3) -> float:
    language, generation = book
    asked = json.loads((BOOKS / f"questions.{language}.json").read_text(encoding="utf-8"))
    found = [is_among_the_first(generation, one, places) for one in asked if one["contains_key"] is contains_key]
    return sum(found) / len(found)


def test_a_question_that_holds_a_key_finds_its_entry(book: tuple[str, Generation]) -> None:
    assert share(book, contains_key=True) == 1


def test_most_questions_without_a_key_find_theirs(book: tuple[str, Generation]) -> None:
    assert share(book, contains_key=False) >= 0.85
