"""What every search of vectors keeps: the nearest chunks, by their best window that is shown, ties by row."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.exact import WindowVectors
from lorewright.index.vectors.search import ChromaSearch, NearestSearch, ProposalFailed
from lorewright.packs.loader import load_pack
from lorewright.telemetry import import_silenced
from support.corpora import SOME_PACKS, corpus_pack, questions
from support.sample_vectors import Counted, clustered, embedded, unit, with_chroma
from support.scale import scaled

ARMS = ("exact", "chroma")


@pytest.fixture(scope="module", autouse=True)
def _chroma_is_imported() -> None:
    """It takes a second or two, which is no test's."""
    import_silenced("chromadb")


@contextmanager
def searching(arm: str, windows: WindowVectors) -> Iterator[NearestSearch]:
    if arm == "exact":
        yield windows
        return
    with tempfile.TemporaryDirectory() as folder, with_chroma(Path(folder), windows.vectors) as index:
        yield ChromaSearch(index, windows)


def by_hand(windows: WindowVectors, query: Vectors, top: int) -> list[tuple[int, float]]:
    best: dict[int, float] = {}
    for index, cosine in enumerate(
        np.round(np.einsum("ij,j->i", windows.vectors, query).astype(np.float64), 5).tolist()
    ):
        if windows.shown is None or windows.shown[index]:
            row = int(windows.chunk_rows[index])
            best[row] = max(best.get(row, -2.0), cosine)
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


@st.composite
def tasks(draw: st.DrawFn) -> tuple[WindowVectors, Vectors, int]:
    """Windows, some questions of which some are windows themselves, and how many chunks are wanted."""
    count = draw(st.integers(1, 40) | st.integers(200, 700))
    seed = draw(st.integers(0, 2**32 - 1))
    twins = draw(st.sampled_from([0.0, 0.2, 0.95]))
    vectors = clustered(seed, count, clusters=draw(st.integers(1, 12)), twins=twins)
    chance = np.random.default_rng(seed)
    chunk_rows = np.sort(chance.integers(1, 1 + draw(st.integers(1, count)), size=count))
    hidden = draw(st.sampled_from([None, 0.1, 0.9, 1.0]))
    shown = None if hidden is None else chance.random(count) >= hidden
    asked = np.concatenate([clustered(seed + 1, 3), vectors[chance.integers(count, size=3)]])
    return WindowVectors(vectors, chunk_rows, shown), asked, draw(st.integers(0, 12))


@pytest.mark.parametrize("arm", ["exact", pytest.param("chroma", marks=pytest.mark.campaign)])
@settings(max_examples=scaled(15))
@given(task=tasks())
def test_the_nearest_chunks_are_found(arm: str, task: tuple[WindowVectors, Vectors, int]) -> None:
    windows, asked, top = task
    with searching(arm, windows) as search:
        for query in asked:
            assert search.best_chunks(query, top=top) == by_hand(windows, query, top)


@given(task=tasks())
def test_a_chunk_has_the_same_cosine_whatever_else_is_looked_at(task: tuple[WindowVectors, Vectors, int]) -> None:
    windows, asked, top = task
    for query in asked:
        whole = dict(by_hand(windows, query, len(windows.vectors)))
        rows = [*range(0, max(whole, default=0) + 3, 2), *list(whole)[:top]]
        wanted = {row: whole[row] for row in sorted({*rows}) if row in whole}
        assert windows.of_rows(rows, query) == wanted
        windows.best_chunks(query, top=top)
        assert windows.of_rows(rows, query) == wanted


@pytest.mark.parametrize("arm", ARMS)
def test_ties_go_by_row(arm: str) -> None:
    axes = np.eye(8, dtype=np.float32)
    windows = WindowVectors(np.repeat(axes, 50, axis=0), np.arange(400))
    with searching(arm, windows) as search:
        assert search.best_chunks(axes[3], top=3) == [(150, 1.0), (151, 1.0), (152, 1.0)]
        assert search.best_chunks(axes[3], top=52)[-2:] == [(0, 0.0), (1, 0.0)]


@pytest.mark.parametrize("arm", ARMS)
def test_a_question_that_nothing_is_near_to_is_answered_alike(arm: str) -> None:
    vectors = unit(np.c_[np.abs(clustered(5, 400)), np.zeros(400)])
    far = np.eye(17, dtype=np.float32)[16]
    with searching(arm, WindowVectors(vectors, np.arange(400))) as search:
        assert search.best_chunks(far, top=4) == [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0)]


@pytest.mark.parametrize("arm", ARMS)
def test_what_is_not_shown_takes_no_places(arm: str) -> None:
    vectors = clustered(6, 500, clusters=1)
    near = np.argsort(-(vectors @ vectors[0]))
    shown = np.ones(500, dtype=bool)
    shown[near[:300]] = False
    windows = WindowVectors(vectors, np.arange(500), shown)
    with searching(arm, windows) as search:
        found = search.best_chunks(vectors[0], top=10)
    assert found == by_hand(windows, vectors[0], 10)
    assert not {row for row, _ in found} & set(near[:300].tolist())


class Broken:
    strays = ()

    def __init__(self) -> None:
        self.asked = 0

    def nearest(self, query: Vectors, *, top: int) -> list[int]:
        self.asked += 1
        raise ProposalFailed("as it does")


class Stingy:
    strays = ()

    def nearest(self, query: Vectors, *, top: int) -> list[int]:
        return [399, 3]


def test_after_a_failure_every_search_is_exact() -> None:
    windows = WindowVectors(clustered(7, 400), np.arange(400))
    proposer = Broken()
    search = ChromaSearch(proposer, windows)
    assert not search.exact_only
    for query in windows.vectors[:5]:
        assert search.best_chunks(query, top=10) == windows.best_chunks(query, top=10)
    assert (proposer.asked, search.exact_only) == (1, True)


def test_too_few_proposals_are_no_answer() -> None:
    windows = WindowVectors(clustered(8, 400), np.arange(400))
    search = ChromaSearch(Stingy(), windows)
    assert search.best_chunks(windows.vectors[9], top=2) == windows.best_chunks(windows.vectors[9], top=2)


class Partial:
    """Knows all windows but some that it calls strays."""

    strays = range(0, 400, 40)

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    def nearest(self, query: Vectors, *, top: int) -> list[int]:
        order = np.argsort(-(self.vectors @ query))
        return order[~np.isin(order, self.strays)][:top].tolist()


def test_strays_are_found_all_the_same() -> None:
    counted = Counted(WindowVectors(clustered(9, 400, twins=0), np.arange(400)))
    search = ChromaSearch(Partial(counted.vectors), counted)
    for query in (*counted.vectors[:3], *counted.vectors[::40]):
        assert search.best_chunks(query, top=5) == counted.windows.best_chunks(query, top=5)
    assert counted.full_scans == 0


def windows_of(name: str) -> WindowVectors:
    """Every chunk of a pack of the corpora in windows of 60 words."""
    texts, rows = [], []
    for row, chunk in enumerate(load_pack(corpus_pack(name)).chunks, start=1):
        words = chunk.text.split()
        for start in range(0, len(words), 60):
            texts.append(" ".join(words[start : start + 60]))
            rows.append(row)
    return WindowVectors(embedded(texts), np.array(rows))


@pytest.mark.campaign
@pytest.mark.corpora
@pytest.mark.parametrize("name", SOME_PACKS)
def test_on_real_packs_chroma_and_exact_search_give_the_same_ten(name: str, tmp_path: Path) -> None:
    windows = windows_of(name)
    asked = embedded([question["query"] for question in questions()[:100]])
    with ExitStack() as stack:
        counted = Counted(windows)
        search = ChromaSearch(stack.enter_context(with_chroma(tmp_path, windows.vectors)), counted)
        for query in asked:
            assert search.best_chunks(query, top=10) == windows.best_chunks(query, top=10)
    assert counted.full_scans <= len(asked) // 10
