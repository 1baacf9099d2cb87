"""The corpora -> sets of questions, each with the pack that it asks, indexed as it ships or otherwise.

Vectors are kept between runs in `indexes/benchmarks/`, below the checkout.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests")]

from lorewright.authoring.golden import read_golden  # noqa: E402
from lorewright.errors import EmbedderError  # noqa: E402
from lorewright.index import building as windows  # noqa: E402
from lorewright.index import keywords as schema  # noqa: E402
from lorewright.index import vector_building  # noqa: E402
from lorewright.index.embedders.embedder import RememberingEmbedder  # noqa: E402
from lorewright.index.embedders.minilm import MiniLM  # noqa: E402
from lorewright.index.embedding_cache import EmbeddingCache  # noqa: E402
from lorewright.index.generation import Generation, StoredChunk  # noqa: E402
from lorewright.index.library import Library  # noqa: E402
from lorewright.index.lore_indexer import LoreIndexer  # noqa: E402
from lorewright.index.vector_building import VectorBuilder  # noqa: E402
from lorewright.packs.markdown import chunking  # noqa: E402
from measures import Gold, Question, Section, normalised  # noqa: E402
from support.game_text_pack import DESCRIPTIONS, write_game_texts  # noqa: E402
from support.tale_pack import write_tales  # noqa: E402

CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
KEPT = Path(os.environ.get("LOREWRIGHT_BENCHMARKS", ROOT / "indexes" / "benchmarks"))
BOOK, RULES, SITE, TALES = "eclipse-phase", "dnd-srd", "cairn", "tales"
# The files of questions of each pack that people wrote, and the pack's folder.
_ASKED = {
    BOOK: (("eclipse-phase", "eclipse-phase-2"), "eclipse-phase"),
    RULES: (("dnd-srd",), "asis-dnd-srd"),
    SITE: (("cairn",), "asis-cairn"),
}
# Our own packs: their golden queries are questions, too.
OWN = ("cyberpunk_core", "motel_verse", "neo_seattle", "orme_house")
SETS = (*_ASKED, TALES, *OWN)
# A pack that nobody who worked on retrieval has read, and questions by somebody who never saw retrieval: asked once.
BLIND = "crawl"
BLIND_QUESTIONS = Path(os.environ.get("LOREWRIGHT_BLIND", ROOT / "benchmarks" / "golden" / "blind_questions.jsonl"))

Tell = Callable[[str], None]
_MODEL: list[RememberingEmbedder] = []


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions and the pack that they are about. `generation` is open until the run ends."""

    name: str
    questions: tuple[Question, ...]
    generation: Generation


def embedder() -> RememberingEmbedder:
    """The shipped embedder, one for the whole run; every question is embedded once."""
    if not _MODEL:
        try:
            _MODEL.append(RememberingEmbedder(MiniLM(), kept=4_000))
        except EmbedderError as problem:
            raise SystemExit(f"{problem}") from None
    return _MODEL[0]


def cache() -> EmbeddingCache:
    """The vectors of every text that a benchmark ever embedded."""
    return EmbeddingCache(KEPT / "embeddings.db")


def question_set(name: str, tell: Tell) -> QuestionSet:
    """A set by its name, its pack indexed and embedded where that was not done before.

    Raises:
        SystemExit: the corpora or the embedder's weights are not here.
    """
    if not (CORPORA / "questions").is_dir():
        raise SystemExit(f"no questions at {CORPORA}: name the folder of the corpora in LOREWRIGHT_CORPORA")
    if name == TALES:
        found = _tales()
        generation = opened(pack_of(name), "shipped", tell)
        return QuestionSet(name, tuple(_of_tale(one, generation) for one in found), generation)
    if name in OWN:
        generation = opened(pack_of(name), "shipped", tell)
        return QuestionSet(name, tuple(_of_golden(pack_of(name), generation)), generation)
    files = [BLIND_QUESTIONS]
    if name != BLIND:
        files = [CORPORA / "questions" / f"{file}.jsonl" for file in _ASKED[name][0]]
    asked = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    questions = tuple(_of_line(json.loads(line)) for line in asked if line.strip())
    return QuestionSet(name, questions, opened(pack_of(name), "shipped", tell))


def pack_of(name: str) -> Path:
    """The folder of a set's pack; the tales' is there once their questions were read."""
    if name == BLIND:
        return _blind_pack()
    if name in OWN:
        return ROOT / "content_packs" / name
    return KEPT / TALES if name == TALES else CORPORA / "packs" / _ASKED[name][1]


def has_blind() -> bool:
    """Tell whether the questions that were written blind and the Debian package that they ask about are here."""
    return BLIND_QUESTIONS.is_file() and DESCRIPTIONS.is_dir()


def _blind_pack() -> Path:
    folder = KEPT / BLIND
    shutil.rmtree(folder, ignore_errors=True)
    write_game_texts(DESCRIPTIONS, folder)
    return folder


def opened(pack: Path, way: str, tell: Tell) -> Generation:
    """A pack, indexed in a way of its own (`shipped`, or how it is cut for embedding) unless that was done before."""
    KEPT.mkdir(parents=True, exist_ok=True)
    folder = KEPT / f"{way}-{_stamp()}"
    for other in KEPT.glob(f"{way}-????????"):
        if other != folder:
            shutil.rmtree(other)
    library = Library(folder, VectorBuilder(embedder(), cache(), bool))

    def progress(what: str, done: int, total: int) -> None:
        tell(f"{pack.name}, {way}: {what} {done}/{total}")

    installed = LoreIndexer(library).index_pack(pack, lenient=True, progress=progress)
    return library.open(installed.pack.key)


def section_of(file_path: str, section_path: str) -> Section:
    """Where a chunk stands, as gold names it."""
    return (file_path, " > ".join(section_path.split(" > ")[1:]))


def _stamp() -> str:
    """Changes where how an index is made does, which its folder's name does not say of itself."""
    sources = [inspect.getsource(one) for one in (windows, vector_building, chunking)]
    sources += [*schema.STATEMENTS, *schema.keyword_statements(english=True), inspect.getsource(schema.indexed_row)]
    return hashlib.sha256("\n".join(sources).encode()).hexdigest()[:8]


def _tales() -> list[Any]:
    """Write the tales' pack anew; the questions on it."""
    new = KEPT / "tales.new"
    shutil.rmtree(new, ignore_errors=True)
    asked = write_tales(CORPORA / "ir" / "fairytaleqa", new)
    shutil.rmtree(pack_of(TALES), ignore_errors=True)
    new.rename(pack_of(TALES))
    return asked


def _of_line(line: dict[str, Any]) -> Question:
    elsewhere = tuple(dict.fromkeys(one["file"] for one in line["also_ok"]))

    def gold_of(one: dict[str, Any]) -> Gold:
        path = one["section_path"]
        return Gold((one["file"], path[1] if len(path) > 1 else ""), one.get("evidence", ""), elsewhere)

    return Question(
        kind=line["kind"],
        text=line["query"],
        gold=tuple(gold_of(one) for one in line["gold"]),
        also=tuple(gold_of(one) for one in line["also_ok"]),
        evidence=tuple(one["evidence"] for one in line["gold"]),
    )


def _of_tale(asked: Any, generation: Generation) -> Question:
    """Of a tale's question only the passages that answer are known."""
    found = [chunk for one in sorted(asked.gold) if (chunk := generation.chunk(one)) is not None]
    return _of_chunks("tales", asked.text, found)


def _of_golden(pack: Path, generation: Generation) -> Iterator[Question]:
    """The golden queries of words alone that the game master asks of this pack alone, each with its sections."""
    for one in (golden.query for golden in read_golden(pack)):
        filtered = one.scene or one.location or one.entities or one.factions or one.threads or one.tags
        chunks = [generation.chunk(chunk_id) for chunk_id in one.include]
        if one.query and one.viewer == "gm" and chunks and None not in chunks and not filtered:
            yield _of_chunks("golden", one.query, [chunk for chunk in chunks if chunk])


def _of_chunks(kind: str, text: str, chunks: Iterable[StoredChunk]) -> Question:
    """A question of which the sections that answer are known: each is gold, and evidence."""
    found = list(chunks)
    gold = tuple(Gold(section_of(chunk.file_path, chunk.section_path)) for chunk in found)
    return Question(kind, text, gold, (), tuple(map(_evidence_of, found)))


def _evidence_of(chunk: StoredChunk) -> str:
    """The whole text of a chunk; where its author wrote more than others read, its longest line of which both are."""
    written = normalised(chunk.written)
    if normalised(chunk.text) in written:
        return chunk.text
    return max((line for line in chunk.text.splitlines() if normalised(line) in written), key=len)
