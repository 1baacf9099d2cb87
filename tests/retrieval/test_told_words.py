"""What others than the game master read of a pack are its words: nothing that an editor does not show, and nobody who is
hidden, wherever an answer has texts, titles, IDs, counts or scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lorewright.errors import NotFound
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.retrieval.pack_views import entity_lore
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import find_chunk, retrieve, why_not
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.scene_trace import find_scene
from lorewright.tokens import count_tokens
from support.harbour import write_pack
from support.shared_build import embedding_library
from support.veiled_pack import MASK, WAYS, WREN, Veil, files_of

ASKED = (
    "the guest",
    "who sits here",
    "Vik",
    "about someone",
    "lamp",
    "ZQKILLER",
    "zq_mask",
    "The Grey Mask",
    "md npcs",
)
EVERYTHING = {"limit": 1000, "max_tokens": 1_000_000}


@contextmanager
def viewed(tmp_path: Path, veil: Veil, viewer: str, revealed: frozenset[str] = frozenset()) -> Iterator[LoreView]:
    folder = write_pack(tmp_path / f"pack-{veil.id}" / "inn", files_of(veil))
    library = embedding_library(tmp_path / f"indexes-{veil.id}", HashingEmbedder())
    generation = library.open(LoreIndexer(library).index_pack(folder, lenient=True).pack.key)
    try:
        yield LoreView((generation,), viewer=viewer, revealed=revealed)
    finally:
        generation.close()


def texts_of(view: LoreView) -> dict[str, str]:
    """What a viewer may read of each section, near-duplicates too."""
    ids = [chunk.id for generation in view.generations for chunk in generation.all_chunks()]
    return {one: found.text for one in ids if (found := find_chunk(view, one)) is not None}


def answers(view: LoreView) -> Iterator[str]:
    """All that a viewer is told, however they ask."""
    for words in ASKED:
        for fields in ({}, {"location_id": "inn"}, {"tags": ("wet",)}, {"max_tokens": 300}):
            query = LoreRetrievalQuery(keywords=words, viewer=view.viewer, **{**EVERYTHING, **fields})
            found = retrieve(view, query)
            yield found.result.model_dump_json()
            yield found.trace.model_dump_json()
    about = entity_lore(view, "inn", max_tokens=1_000_000)
    yield repr(about.entity) + about.lore.result.model_dump_json() + about.lore.trace.model_dump_json()
    scene = find_scene(view, location="inn", present=["vik"], limit=1000, max_tokens=1_000_000)
    yield json.dumps(scene.shown) + repr(scene.lines) + scene.trace.model_dump_json() + repr(scene.place)
    yield scene.beside.result.model_dump_json()
    for number in range(1, len(WAYS) + 1):
        query = LoreRetrievalQuery(keywords="the guest", viewer=view.viewer)
        traced = why_not(view, query, f"inn:way-{number}")
        yield "" if traced is None else traced.model_dump_json()


@pytest.mark.campaign
@pytest.mark.parametrize("viewer", ["player", "npc:inn:vik"])
def test_nothing_that_is_not_shown_is_in_any_answer(tmp_path: Path, viewer: str) -> None:
    with viewed(tmp_path, MASK, viewer) as view:
        asked = {word for words in ASKED for word in words.casefold().split()}
        for answer in answers(view):
            assert not [mark for mark in MASK.marks if mark in answer.casefold() and mark not in asked]
            assert "zq_" not in answer and "ZQK" not in answer


@pytest.mark.campaign
def test_what_is_hidden_changes_no_byte_of_an_answer(tmp_path: Path) -> None:
    with viewed(tmp_path, MASK, "player") as mask, viewed(tmp_path, WREN, "player") as wren:
        for one, other in zip(answers(mask), answers(wren), strict=True):
            assert one == other


def test_nobody_finds_a_section_by_a_word_that_no_editor_shows(tmp_path: Path) -> None:
    with viewed(tmp_path, MASK, "player") as view:
        for words in ("ZQKILLER", "zq_mask", "zq_mask.md", "npcs/zq_mask"):
            trace = retrieve(view, LoreRetrievalQuery(keywords=words, viewer="player", **EVERYTHING)).trace
            assert not [one.chunk_id for one in trace.chunks if one.keyword_rank or one.terms or one.name]


def test_the_words_of_a_link_stay(tmp_path: Path) -> None:
    with viewed(tmp_path, MASK, "player") as view:
        texts = texts_of(view)
    ways = {way: texts[f"inn:inn:way-{number}"] for number, way in enumerate(WAYS, start=1)}
    assert texts["inn:inn:overview"] == "A low house, which Vik keeps."
    assert ways["a wikilink"] == ways["a bare ID"] == ways["words that are the name"] == "Here someone sits."
    for way in (
        "a link",
        "a link with a title",
        "a wikilink with words",
        "an anchor of HTML",
        "a link by another's name",
    ):
        assert ways[way] == "Here the guest sits."
    assert ways["a row of a table"].endswith("| the guest | here |")
    for way, text in ways.items():
        assert "guest" in text or "someone" in text or "something" in text or "picture" in way, way


def test_tokens_are_those_of_the_text_that_is_given(tmp_path: Path) -> None:
    for viewer in ("player", "gm"):
        with viewed(tmp_path, MASK, viewer) as view:
            query = LoreRetrievalQuery(keywords="the guest", viewer=viewer, **EVERYTHING)
            for chunk in retrieve(view, query).result.chunks:
                assert chunk.metadata["token_count"] == count_tokens(chunk.text)


def test_the_game_master_reads_what_the_author_wrote(tmp_path: Path) -> None:
    with viewed(tmp_path, MASK, "gm") as view:
        texts = texts_of(view)
    for number, (way, text) in enumerate(WAYS.items(), start=1):
        if "comment" not in way:
            assert texts[f"inn:inn:way-{number}"] == text.format(id=MASK.id, w=MASK.word, name=MASK.name)


def test_whoever_learned_an_item_reads_its_words_and_the_names_in_them(tmp_path: Path) -> None:
    with viewed(tmp_path, MASK, "player", frozenset({"inn:inn:discoverable#note"})) as view:
        texts = texts_of(view)
    assert texts["inn:inn:discoverable"] == "A note lies there."


def test_who_is_hidden_exists_for_nobody(tmp_path: Path) -> None:
    with viewed(tmp_path, MASK, "player") as view, pytest.raises(NotFound):
        entity_lore(view, MASK.id, max_tokens=100)
