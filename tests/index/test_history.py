"""What happened, as one witness saw it: a generation like any other, made of some turns and of nothing else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.history import HistoryIndex, HistoryRecord, TurnKey, history_generation
from lorewright.index.vector_building import VectorBuilder
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve, why_not
from lorewright.retrieval.view import LoreView

ADA, OSK, BEA, TAVERN, QUAY = "game:ada", "harbour:osk", "harbour:bea", "harbour:tavern", "harbour:quay"


def record(text: str, *who: str, kind: str = "event", at: str = TAVERN) -> HistoryRecord:
    return HistoryRecord(kind, text, who, who, (at,))  # type: ignore[arg-type]


def key(turn_no: int, branch: str = "a", made_from: str = "x") -> TurnKey:
    return TurnKey(f"turn_{branch}{turn_no}", turn_no, made_from)


ROOT = {
    key(0): (record("The rain drove Ada into the tavern.", ADA, OSK, kind="narration"),),
    key(1): (
        record("Ada asked Osk about the marmoset, and got no answer.", ADA, OSK),
        record("Bea mended a net and said a word about the walrus.", BEA, at=QUAY),
        HistoryRecord("fact", "Osk: owes a walrus.", (ADA,), (OSK,), (TAVERN,)),
    ),
}
ON = {key(2): (record("Ada came to the quay, where Bea spoke of the marmoset.", ADA, BEA, at=QUAY),)}
OTHERWISE = {key(2, "b"): (record("Ada stole the marmoset. The marmoset bit.", ADA, OSK),)}

Turns = Mapping[TurnKey, Sequence[HistoryRecord]]


def answer(
    turns: Turns, text: str, witness: str | None = None, vectors: VectorBuilder | None = None, **asked: object
) -> str:
    """The result and the trace of a query, as one text."""
    viewer = "gm" if witness is None else "player" if witness == ADA else f"npc:{witness}"
    with closing(history_generation(turns, name="game", witness=witness, vectors=vectors)) as generation:
        query = LoreRetrievalQuery.model_validate({"keywords": text, "corpus": "history", "viewer": viewer, **asked})
        found = retrieve(LoreView((generation,), viewer=viewer), query)
        return found.result.model_dump_json() + "\n" + found.trace.model_dump_json()


def texts(answered: str) -> list[str]:
    return [chunk["text"] for chunk in json.loads(answered.splitlines()[0])["chunks"]]


def dump(turns: Turns, witness: str | None = None) -> str:
    with closing(history_generation(turns, name="game", witness=witness)) as generation:
        return "\n".join(generation.connection.iterdump())


def test_a_chunk_of_history_has_the_seeds_shape_and_its_turn() -> None:
    (chunk,) = json.loads(answer({**ROOT, **ON}, "owes").splitlines()[0])["chunks"]
    assert chunk["source"] == "history"
    assert chunk["chunk_id"].startswith("game:turn_1:fact-")
    assert (chunk["pack_id"], chunk["section_path"]) == ("game", "Turn 1 > fact")
    assert chunk["metadata"] == {
        "type": "fact",
        "location_ids": [TAVERN],
        "entity_ids": [OSK],
        "faction_ids": [],
        "thread_ids": [],
        "tags": ["fact"],
        "turn_no": 1,
        "turn_id": "turn_a1",
        "witnesses": [ADA],
        "token_count": 5,
    }


def test_another_branch_changes_no_byte(tmp_path: Path) -> None:
    alone, both = HistoryIndex(tmp_path / "alone.db"), HistoryIndex(tmp_path / "both.db")
    line = {**ROOT, **ON}
    alone.add(line)
    both.add({**ROOT, **OTHERWISE})
    both.add(line)
    for witness in (None, ADA, OSK, BEA):
        for text in ("the marmoset", "Osk", "turn 2"):
            told = [answer(index.known(list(line)), text, witness) for index in (alone, both)]
            assert told[0] == told[1] == answer(line, text, witness)
    assert "bit" in answer({**ROOT, **OTHERWISE}, "marmoset")


def test_what_a_witness_did_not_see_changes_no_byte() -> None:
    seen = {turn: [one for one in records if ADA in one.witnesses] for turn, records in ROOT.items()}
    assert dump(ROOT, ADA) == dump(seen, ADA)
    assert answer(ROOT, "walrus marmoset", ADA) == answer(seen, "walrus marmoset", ADA)
    assert "Bea mended" not in answer(ROOT, "Bea walrus net", ADA)


def test_each_finds_what_they_saw_and_the_game_master_everything() -> None:
    line = {**ROOT, **ON}
    assert texts(answer(line, "walrus", BEA)) == ["Bea mended a net and said a word about the walrus."]
    assert texts(answer(line, "walrus", ADA)) == ["Osk: owes a walrus."]
    assert texts(answer(line, "walrus", OSK)) == []
    assert len(texts(answer(line, "walrus"))) == 2
    assert texts(answer(line, "anything", "harbour:lin", location_id=TAVERN)) == []


def test_filters_find_by_place_person_and_kind() -> None:
    line = {**ROOT, **ON}
    assert len(texts(answer(line, "", location_id=QUAY))) == 2
    assert len(texts(answer(line, "", entity_ids=[BEA]))) == 2
    assert texts(answer(line, "", tags=["fact"])) == ["Osk: owes a walrus."]


def test_a_turn_is_found_by_its_number() -> None:
    assert texts(answer({**ROOT, **ON}, "what happened in turn 2"))[0].startswith("Ada came to the quay")


def test_limit_and_budget_bound_it_and_the_trace_says_what_was_left_out() -> None:
    line = {**ROOT, **ON}
    limited, trace = answer(line, "marmoset", limit=1).splitlines()
    assert len(texts(limited)) == 1
    assert [chunk["reason"] for chunk in json.loads(trace)["chunks"]] == [None, "below_the_cut"]
    nothing, trace = answer(line, "marmoset", max_tokens=3).splitlines()
    assert texts(nothing) == []
    assert {chunk["reason"] for chunk in json.loads(trace)["chunks"]} == {"over_budget"}


def test_what_was_not_seen_does_not_exist_for_why_not() -> None:
    with closing(history_generation(ROOT, name="game")) as everything:
        hidden = next(chunk.id for chunk in everything.all_chunks() if "Bea mended" in chunk.text)
    query = LoreRetrievalQuery(keywords="rain", corpus="history", viewer="player")
    with closing(history_generation(ROOT, name="game", witness=ADA)) as generation:
        assert why_not(LoreView((generation,), viewer="player"), query, hidden) is None


def test_turns_added_one_by_one_are_as_turns_added_at_once(tmp_path: Path) -> None:
    line = {**ROOT, **ON}
    slowly, at_once = HistoryIndex(tmp_path / "slowly.db"), HistoryIndex(tmp_path / "at_once.db")
    for turn, records in reversed(line.items()):
        assert turn in slowly.missing(list(line))
        slowly.add({turn: records})
    at_once.add(line)
    assert slowly.missing(list(line)) == []
    assert [dump({turn: index.known(list(line))[turn] for turn in line}) for index in (slowly, at_once)] == [
        dump(line)
    ] * 2


def test_a_turn_made_from_something_else_is_missing(tmp_path: Path) -> None:
    index = HistoryIndex(tmp_path / "game.db")
    index.add(ROOT)
    assert index.missing([key(0), key(1, made_from="y"), key(2)]) == [key(1, made_from="y"), key(2)]


@pytest.mark.parametrize("damage", [b"this is no database at all, but it is long enough" * 9, b""])
def test_a_damaged_index_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    index = HistoryIndex(tmp_path / "game.db")
    index.add(ROOT)
    (tmp_path / "game.db").write_bytes(damage)
    assert index.missing(list(ROOT)) == list(ROOT)
    index.add(ROOT)
    assert index.missing(list(ROOT)) == []


def test_pages_that_are_damaged_never_give_another_answer(tmp_path: Path) -> None:
    index = HistoryIndex(tmp_path / "game.db")
    many = {key(number): (record(f"Ada counted {number} gulls. " * 30, ADA),) for number in range(40)}
    index.add(many)
    whole = (tmp_path / "game.db").read_bytes()
    for start in range(100, len(whole), 1500):
        (tmp_path / "game.db").write_bytes(whole[:start] + b"\xff" * 64 + whole[start + 64 :])
        known = index.known(list(many))
        assert all(many[turn] == records for turn, records in known.items())
        index.add({turn: records for turn, records in many.items() if turn not in known})


def test_an_altered_row_is_made_again(tmp_path: Path) -> None:
    index = HistoryIndex(tmp_path / "game.db")
    index.add(ROOT)
    with sqlite3.connect(tmp_path / "game.db") as connection:
        connection.execute("UPDATE turns SET records_json = replace(records_json, 'marmoset', 'mongoose')")
    connection.close()
    assert index.missing(list(ROOT)) == [key(1)]


class Counting(HashingEmbedder):
    """Counts the texts that it is given; fails on demand."""

    embedded = 0
    fails = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise EmbedderError("no")
        self.embedded += len(texts)
        return super().embed(texts)


def builder(tmp_path: Path) -> VectorBuilder:
    return VectorBuilder(Counting(), EmbeddingCache(tmp_path / "embeddings.db"), build_nearest=bool)


def test_it_is_found_by_meaning_and_embedded_once(tmp_path: Path) -> None:
    vectors = builder(tmp_path)
    first = answer(ROOT, "the tavern in the rain", vectors=vectors)
    assert isinstance(vectors.embedder, Counting)
    assert vectors.embedder.embedded == 4
    best = json.loads(first.splitlines()[1])["chunks"][0]
    assert best["vector_rank"] == 1
    assert answer(ROOT, "the tavern in the rain", vectors=vectors) == first
    answer({**ROOT, **ON}, "rain", ADA, vectors)
    assert vectors.embedder.embedded == 5


def test_another_branch_changes_no_byte_with_vectors_either(tmp_path: Path) -> None:
    vectors = builder(tmp_path)
    before = answer({**ROOT, **ON}, "who has the marmoset", ADA, vectors)
    answer({**ROOT, **OTHERWISE}, "who has the marmoset", ADA, vectors)
    assert answer({**ROOT, **ON}, "who has the marmoset", ADA, vectors) == before


def test_words_find_it_where_the_embedder_fails(tmp_path: Path) -> None:
    vectors = builder(tmp_path)
    assert isinstance(vectors.embedder, Counting)
    vectors.embedder.fails = True
    assert answer(ROOT, "marmoset", vectors=vectors) == answer(ROOT, "marmoset")
