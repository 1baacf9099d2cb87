"""What holds of every answer, held on the packs of real authors."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from support.corpora import SOME_PACKS, corpus_pack, questions
from support.scale import scaled
from support.shared_build import built_once, embedding_library

pytestmark = [pytest.mark.campaign, pytest.mark.corpora]

SECRET = """---
id: the_hidden_hand
type: faction
---

# The Hidden Hand

## Secrets

- Oberon's Cobweb is run by the Hidden Hand, who sell every ego that passes to the Factors.
- Phelan's Ma is distilled from a TITAN nanovirus.
"""


def embedded(indexes: Path) -> Library:
    return embedding_library(indexes, HashingEmbedder())


# What holds of every answer needs no large pack: all of it with CAMPAIGN_SCALE=4.
LARGE = ("technology", "items", "cultures", "events") if scaled(1) < 4 else ()


@pytest.fixture(scope="module")
def eclipse_phase(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack eclipse-phase, without the largest of its folders."""
    folder = tmp_path_factory.mktemp("packs") / "eclipse-phase"
    shutil.copytree(corpus_pack("eclipse-phase"), folder, ignore=shutil.ignore_patterns(*LARGE))
    return folder


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, eclipse_phase: Path) -> Library:
    """Packs of the corpora, each indexed as its author keeps it."""
    folders = [eclipse_phase, *map(corpus_pack, SOME_PACKS)]

    def build(shared: Path) -> None:
        for folder in folders:
            LoreIndexer(embedded(shared)).index_pack(folder, lenient=True)

    return embedded(built_once(tmp_path_factory, "real-packs", build))


@pytest.fixture(scope="module")
def packs(library: Library) -> Iterator[dict[str, Generation]]:
    opened = {pack.id: library.open(pack.key) for pack in library.packs()}
    yield opened
    for generation in opened.values():
        generation.close()


def answers(view: LoreView, count: int = 24) -> list[str]:
    """Some answers with their traces, as they are printed."""
    asked = [question["query"] for question in questions()][:: 96 // count]
    found = [retrieve(view, LoreRetrievalQuery(keywords=text, viewer=view.viewer)) for text in asked]
    return [one.result.model_dump_json() + one.trace.model_dump_json() for one in found]


def test_what_else_is_installed_or_removed_changes_no_byte_of_an_answer(
    tmp_path: Path, packs: dict[str, Generation], eclipse_phase: Path
) -> None:
    beside_others = answers(LoreView((packs["eclipse-phase"],)))
    alone = embedded(tmp_path / "indexes")
    generation = alone.open(LoreIndexer(alone).index_pack(eclipse_phase).pack.key)
    assert answers(LoreView((generation,))) == beside_others
    LoreIndexer(alone).index_pack(corpus_pack("asis-cairn"), lenient=True)
    assert answers(LoreView((generation,))) == beside_others
    LoreIndexer(alone).remove(next(pack.id for pack in alone.packs() if pack.id != "eclipse-phase"))
    generation.close()
    again = alone.open(alone.get("eclipse-phase").key)
    assert answers(LoreView((again,))) == beside_others
    again.close()


def test_a_secret_changes_no_byte_of_a_players_answer(
    tmp_path: Path, packs: dict[str, Generation], eclipse_phase: Path
) -> None:
    folder = tmp_path / "eclipse-phase"
    shutil.copytree(eclipse_phase, folder)
    (folder / "factions" / "zz-the-hidden-hand.md").write_text(SECRET, encoding="utf-8")
    library = embedded(tmp_path / "indexes")
    with_secret = library.open(LoreIndexer(library).index_pack(folder).pack.key)
    player = answers(LoreView((packs["eclipse-phase"],), viewer="player"))
    assert answers(LoreView((with_secret,), viewer="player")) == player
    gm = retrieve(LoreView((with_secret,)), LoreRetrievalQuery(keywords="Phelan's Ma distilled nanovirus")).result
    assert "the_hidden_hand" in gm.chunks[0].chunk_id
    with_secret.close()


@settings(max_examples=scaled(20))
@given(number=st.integers(0, 95), small=st.integers(0, 3000), more=st.integers(0, 3000), everything=st.booleans())
def test_a_larger_budget_never_loses_a_chunk(
    packs: dict[str, Generation], number: int, small: int, more: int, everything: bool
) -> None:
    view = LoreView(tuple(packs.values()) if everything else (packs["eclipse-phase"],))
    text = questions()[number]["query"]
    chosen = [
        {chunk.chunk_id for chunk in retrieve(view, LoreRetrievalQuery(keywords=text, max_tokens=tokens)).result.chunks}
        for tokens in (small, small + more)
    ]
    assert chosen[0] <= chosen[1]


def test_an_unchanged_pack_is_not_embedded_again(library: Library) -> None:
    for pack in library.packs():
        embedding = LoreIndexer(library).reindex(pack.id).embedding
        assert embedding is not None
        assert embedding.windows > 0
        assert embedding.new == 0


def test_an_edit_of_a_section_embeds_that_section_alone(tmp_path: Path, eclipse_phase: Path) -> None:
    folder = tmp_path / "eclipse-phase"
    shutil.copytree(eclipse_phase, folder)
    library = embedded(tmp_path / "indexes")
    first = LoreIndexer(library).index_pack(folder).embedding
    file = folder / "locations" / "mitre.md"
    text = file.read_text(encoding="utf-8")
    assert "Radio Argosy" in text
    file.write_text(text.replace("Radio Argosy", "Radio Argo", 1), encoding="utf-8")
    second = LoreIndexer(library).reindex("eclipse-phase").embedding
    assert first is not None
    assert second is not None
    assert second.windows == first.windows
    assert 1 <= second.new <= 3
