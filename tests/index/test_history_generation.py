"""GrowingHistory: however turns were added, what is found is what is found in all of them made at once."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.history import GrowingHistory, HistoryRecord, TurnKey, history_generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.retrieval.filters import LINKED_HISTORY
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from support.scale import scaled

ADA, OSK, TAVERN, QUAY = "game:ada", "harbour:osk", "harbour:tavern", "harbour:quay"
QUESTIONS = ("marmoset", "the net and the walrus", "who told of the rain on the quay?", "")

words = st.lists(st.sampled_from("marmoset walrus net rain quay Osk told sold the of".split()), max_size=8)
people = st.lists(st.sampled_from([ADA, OSK]), max_size=2, unique=True).map(tuple)
records = st.builds(
    HistoryRecord,
    kind=st.sampled_from(["event", "fact", "narration"]),
    text=words.map(" ".join),
    witnesses=people,
    entity_ids=people,
    location_ids=st.sampled_from([(), (TAVERN,), (QUAY,)]),
)
turns = st.lists(st.lists(records, max_size=4), max_size=8)

Turns = dict[TurnKey, Sequence[HistoryRecord]]


def numbered(told: list[list[HistoryRecord]]) -> Turns:
    return {TurnKey(f"turn_{number}", number, "x"): of_turn for number, of_turn in enumerate(told)}


def part(all_turns: Turns, start: int, end: int) -> Turns:
    return dict(list(all_turns.items())[start:end])


def answers(generation: Generation) -> list[str]:
    """Results with all scores and reasons, of several questions."""
    view = LoreView((generation,), viewer="player")
    asked = [
        LoreRetrievalQuery(keywords=text, location_id=TAVERN, entity_ids=(OSK,), corpus="history", viewer="player")
        for text in QUESTIONS
    ]
    found = [retrieve(view, query) for query in asked]
    return [one.result.model_dump_json() + one.trace.model_dump_json() for one in found]


def fresh(told: Turns, witness: str | None, vectors: VectorBuilder | None) -> list[str]:
    with closing(history_generation(told, name="game", witness=witness, vectors=vectors)) as generation:
        return answers(generation)


@settings(deadline=None, max_examples=scaled(5))
@given(turns, st.sets(st.integers(min_value=0, max_value=8)), st.sampled_from([None, ADA]), st.booleans())
def test_turns_that_were_added_one_by_one_are_found_as_if_they_had_been_there_at_once(
    told: list[list[HistoryRecord]], cuts: set[int], witness: str | None, by_meaning: bool
) -> None:
    all_turns = numbered(told)
    with TemporaryDirectory() as folder:
        vectors = VectorBuilder(HashingEmbedder(), EmbeddingCache(Path(folder) / "e.db"), bool) if by_meaning else None
        with closing(GrowingHistory(name="game", witness=witness, vectors=vectors)) as growing:
            ends = sorted({*(cut for cut in cuts if cut <= len(told)), len(told)})
            for start, end in zip([0, *ends], ends, strict=False):
                found = answers(growing.grown(part(all_turns, start, end)))
                assert found == fresh(part(all_turns, 0, end), witness, vectors)


class Failing(HashingEmbedder):
    """Fails while it is told to."""

    failing = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.failing:
            raise EmbedderError("the line is down")
        return super().embed(texts)


def test_an_embedder_that_fails_for_a_while_is_missed_only_meanwhile(tmp_path: Path) -> None:
    said = ["the marmoset bit", "a walrus was sold", "rain on the quay"]
    told = numbered([[HistoryRecord("event", text, (ADA,))] for text in said])
    embedder = Failing()
    vectors = VectorBuilder(embedder, EmbeddingCache(tmp_path / "e.db"), bool)
    with closing(GrowingHistory(name="game", witness=ADA, vectors=vectors)) as growing:
        growing.grown(part(told, 0, 1))
        embedder.failing = True
        by_words = growing.grown(part(told, 1, 2))
        assert by_words.vectors is None
        assert answers(by_words) == fresh(part(told, 0, 2), ADA, None)
        embedder.failing = False
        assert answers(growing.grown(part(told, 2, 3))) == fresh(told, ADA, vectors)


def test_of_a_long_story_only_what_is_late_or_says_the_words_is_ranked() -> None:
    told = [[HistoryRecord("event", f"Rain {number}.", (ADA,), (OSK,), (TAVERN,))] for number in range(260)]
    told[3] = [HistoryRecord("event", "The walrus came.", (ADA,), (OSK,), (TAVERN,))]
    with closing(history_generation(numbered(told), name="game", witness=ADA)) as generation:
        view = LoreView((generation,), viewer="player")
        asked = LoreRetrievalQuery(keywords="walrus", location_id=TAVERN, corpus="history", viewer="player", limit=1000)
        found = retrieve(view, asked.model_copy(update={"max_tokens": 100_000})).at_hand
    assert len(found) == LINKED_HISTORY + 1
    assert found[0].text == "The walrus came."
    assert found[0].filters == ("location",)
    assert {hit.text for hit in found[1:]} == {f"Rain {number}." for number in range(260 - LINKED_HISTORY, 260)}


def test_of_a_long_story_few_chunks_stay_in_memory_however_much_is_asked() -> None:
    said = ["rain fell", "a walrus came", "the net tore", "the quay froze", "Osk sang", "a marmoset bit"]
    told = numbered([[HistoryRecord("event", f"{said[number % 6]} {number}", (ADA,), (OSK,))] for number in range(900)])

    def count_chunks() -> int:
        return sum(isinstance(thing, StoredChunk) for thing in gc.get_objects())

    before = count_chunks()
    with closing(history_generation(told, name="game", witness=ADA)) as generation:
        view, found = LoreView((generation,), viewer="player"), set[str]()
        for words in said:
            asked = LoreRetrievalQuery(keywords=words, corpus="history", viewer="player", limit=100, max_tokens=10_000)
            found |= {chunk.chunk_id for chunk in retrieve(view, asked).result.chunks}
        assert len(found) > 400
        assert 0 < count_chunks() - before <= 300
