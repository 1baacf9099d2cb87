"""How others choose lore, written anew: keyword triggers, vectors alone, BM25 alone, and rank fusion of the last two.

All see the same chunks as ours and, where they embed, the same embedder; each fills a budget as its tool does: whole
chunks in their order, until the next does not fit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from keyword_triggers import Entry, WorldInfo, within
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.generation import StoredChunk
from lorewright.index.keywords import content_words
from lorewright.index.vectors.exact import nearest
from measures import BUDGETS, Answer, Passage
from question_sets import QuestionSet, Tell, cache, embedder, section_of

# So many of each lane are fused, as hybrid retrievers do.
DEPTH = 100
# k=60: Cormack, Clarke, Büttcher 2009.
RRF_K = 60

# A question -> indices of chunks, best first.
Ranker = Callable[[str], list[int]]
Arm = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class OtherArm:
    """A way of choosing lore: its name, what it is in one sentence, and how it ranks the chunks of a set."""

    name: str
    what: str
    rank: Ranker


def other_arms(asked: QuestionSet, tell: Tell) -> list[OtherArm]:
    """Every arm on one set. Texts that were never embedded are embedded now."""
    chunks = [chunk for chunk in asked.generation.all_chunks() if chunk.text.strip()]
    bm25 = _bm25(chunks)
    whole = _nearest_of(_embedded([chunk.text for chunk in chunks], "whole sections", tell))
    titled = _nearest_of(_embedded([f"{path_of(chunk)}\n{chunk.text}" for chunk in chunks], "with titles", tell))
    windows = _by_windows(asked, chunks)
    return [
        OtherArm(
            "keyword triggers",
            "World Info: keys are names and aliases; what is activated is scanned too",
            _triggers(asked, chunks, recursive=True, headings=False),
        ),
        OtherArm(
            "keyword triggers, once",
            "the same without recursion",
            _triggers(asked, chunks, recursive=False, headings=False),
        ),
        OtherArm(
            "keyword triggers, more keys",
            "the same without recursion, and each section's heading is a key of it",
            _triggers(asked, chunks, recursive=False, headings=True),
        ),
        OtherArm("vectors alone", "top-k by cosine; whole sections, of which the model reads 256 word pieces", whole),
        OtherArm("vectors alone, titles", "the same with `Title > Section` before each text", titled),
        OtherArm("vectors alone, windows", "top-k by cosine over our windows of a section", windows),
        OtherArm("BM25 alone", "SQLite FTS5 over title, heading and text, with its own bm25()", bm25),
        OtherArm("plain RRF", "BM25 and vectors (with titles), reciprocal rank fusion, k=60", _fused(bm25, titled)),
        OtherArm("plain RRF, windows", "the same with vectors over our windows", _fused(bm25, windows)),
    ]


def answering(asked: QuestionSet, rank: Ranker) -> Arm:
    """An arm that ranks -> one that answers."""
    chunks = [chunk for chunk in asked.generation.all_chunks() if chunk.text.strip()]
    passages = [Passage(section_of(chunk.file_path, chunk.section_path), chunk.text) for chunk in chunks]
    return lambda question: make_answer(rank(question), passages)


def make_answer(order: Sequence[int], passages: Sequence[Passage]) -> Answer:
    """Indices of passages, best first -> what is ranked, and what is handed over within each budget: whole passages in
    their order."""
    texts = [passage.text for passage in passages]
    returned = {
        budget: "\n\n".join(texts[at] for at in within(order, texts, budget_tokens=budget)) for budget in BUDGETS
    }
    return Answer(tuple(passages[at] for at in order), returned)


def path_of(chunk: StoredChunk) -> str:
    """What stands over a chunk: `Title > Section`."""
    return f"{chunk.title} > {chunk.section}" if chunk.section else chunk.title


def fused_ranks(lanes: Sequence[Sequence[int]], *, k: int = RRF_K) -> list[int]:
    """Reciprocal rank fusion: by the sum of 1 / (k + rank) over the lanes that hold it; ties go by index."""
    scores: dict[int, float] = {}
    for lane in lanes:
        for rank, at in enumerate(lane, start=1):
            scores[at] = scores.get(at, 0.0) + 1 / (k + rank)
    return sorted(scores, key=lambda at: (-scores[at], at))


def _fused(*rankers: Ranker) -> Ranker:
    return lambda question: fused_ranks([rank(question)[:DEPTH] for rank in rankers])


def _triggers(asked: QuestionSet, chunks: Sequence[StoredChunk], *, recursive: bool, headings: bool) -> Ranker:
    entities = asked.generation.entities()
    entries = []
    for chunk in chunks:
        entity = entities[chunk.entity_id]
        heading = (chunk.section,) if headings and chunk.section else ()
        entries.append(Entry((entity.name, *entity.aliases, *heading), chunk.text))
    return WorldInfo(entries, recursive=recursive).activated


def _bm25(chunks: Sequence[StoredChunk]) -> Ranker:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE chunks USING fts5(title, section, body, tokenize = 'porter unicode61')")
    rows = [(at, chunk.title, chunk.section, chunk.text) for at, chunk in enumerate(chunks)]
    database.executemany("INSERT INTO chunks (rowid, title, section, body) VALUES (?, ?, ?, ?)", rows)

    def rank(question: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in content_words(question))
        if not words:
            return []
        sql = "SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks), rowid LIMIT ?"
        return [row[0] for row in database.execute(sql, (words, DEPTH))]

    return rank


def _embedded(texts: Sequence[str], what: str, tell: Tell) -> Vectors:
    return cache().embed(texts, embedder(), progress=lambda done, of: tell(f"embedding {what} {done}/{of}")).vectors


def _nearest_of(vectors: Vectors) -> Ranker:
    def rank(question: str) -> list[int]:
        cosines = vectors @ embedder().embed_query(question)
        return [int(at) for at in np.argsort(-cosines, kind="stable")[:DEPTH]]

    return rank


def _by_windows(asked: QuestionSet, chunks: Sequence[StoredChunk]) -> Ranker:
    """By the best window of each chunk."""
    vectors = asked.generation.vectors
    if vectors is None:
        raise SystemExit(f"{asked.name} has no vectors: is the embedder installed?")
    table = asked.generation.window_table(len(vectors.vectors))
    places = {chunk.row: at for at, chunk in enumerate(chunks)}

    def rank(question: str) -> list[int]:
        cosines = np.asarray(vectors.vectors @ embedder().embed_query(question))
        best: dict[int, float] = {}
        for window in np.argsort(-cosines, kind="stable")[: 4 * DEPTH]:
            row = int(table.rows[window])
            if table.present[window] and row in places:
                best.setdefault(row, float(cosines[window]))
        return [places[row] for row, _ in nearest(best, top=DEPTH)]

    return rank
