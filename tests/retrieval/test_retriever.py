"""A query finds what its words, names and filters tie it to, whatever the words are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from lorewright.index.generation import Generation
from lorewright.retrieval.query import LoreRetrievalQuery, scene_query
from support.pack_builder import TOWN, as_bytes, ask, found, opened_packs

Town = tuple[Generation, ...]


def test_words_find_the_text_that_says_them(town: Town) -> None:
    assert found(ask(town, "laundry boilers"))[0] == "bar:history"
    assert found(ask(town, "who keeps a shotgun?"))[0] == "viktor:capabilities"


def test_a_result_says_where_each_chunk_stands(town: Town) -> None:
    result = ask(town, "laundry", limit=1).result
    (chunk,) = result.chunks
    assert (chunk.chunk_id, chunk.pack_id, chunk.file_path) == ("town:bar:history", "town", "locations/bar.md")
    assert (chunk.section_path, chunk.source) == ("The Neon Dragon > History", "authored")
    assert chunk.metadata["token_count"] == result.total_tokens
    assert result.query_time_ms is not None and result.query_time_ms > 0
    assert result.model_dump(mode="json")["query_time_ms"] is None
    assert result == result.model_copy(update={"query_time_ms": 5_000})
    assert 0 < chunk.relevance_score <= 1


def test_a_name_brings_its_own_file_first(town: Town) -> None:
    retrieval = ask(town, "What about the barman?")
    assert {chunk.rpartition(":")[0] for chunk in found(retrieval)[:5]} == {"viktor"}
    why = retrieval.trace.why("town:viktor:overview")
    assert why is not None
    assert why.name == "the barman"


@pytest.mark.parametrize(
    ("filters", "kind", "entities"),
    [
        ({"location_id": "bar"}, "location", {"bar", "viktor", "mara"}),
        ({"location_id": "town:bar"}, "location", {"bar", "viktor", "mara"}),
        ({"entity_ids": ("viktor",)}, "entity", {"bar", "viktor"}),
        ({"entity_ids": ("pier",)}, "location", {"pier", "cult"}),
        ({"faction_ids": ("guild",)}, "faction", {"guild", "viktor"}),
        ({"thread_ids": ("main_case",)}, "thread", {"bar"}),
        ({"tags": ("harbour",)}, "tag", {"pier"}),
        ({"thread_tags": ("nightlife",)}, "tag", {"bar"}),
    ],
)
def test_a_filter_alone_finds_what_is_tied_to_it(
    town: Town, filters: dict[str, object], kind: str, entities: set[str]
) -> None:
    retrieval = ask(town, limit=100, **filters)
    assert {chunk.partition(":")[0] for chunk in found(retrieval)} == entities
    assert all(kind in chunk.filters for chunk in retrieval.trace.chunks)


def test_a_filter_ranks_and_does_not_wall_off(town: Town) -> None:
    assert "pier:access" in found(ask(town, "steel door water", location_id="bar"))
    here = ask(town, "door", location_id="bar").trace.why("town:viktor:disposition")
    away = ask(town, "door", location_id="pier").trace.why("town:viktor:disposition")
    assert here is not None
    assert away is not None
    assert here.score > away.score


def test_neither_words_nor_filters_find_nothing(town: Town) -> None:
    for retrieval in (
        ask(town),
        ask(town, "  \n"),
        ask(town, "zebra"),
        ask(town, location_id="nowhere"),
        ask((), "bar"),
    ):
        assert retrieval.result.chunks == ()
        assert retrieval.trace.chunks == ()


def test_history_is_not_authored_lore(town: Town) -> None:
    assert found(ask(town, "laundry", corpus="history")) == []
    assert found(ask(town, "laundry", corpus="authored")) == found(ask(town, "laundry", corpus="all"))


def test_the_game_master_finds_secrets(town: Town) -> None:
    assert found(ask(town, "who bought the debt of forty thousand"))[0] == "viktor:withholds"
    assert found(ask(town, "drowns debtors"))[0] == "cult:overview"


@pytest.mark.parametrize("fields", [{"limit": 0}, {"max_tokens": -1}, {"nonsense": 1}, {"corpus": "some"}])
def test_a_query_that_makes_no_sense_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        LoreRetrievalQuery.model_validate(fields)


def test_what_else_is_installed_changes_no_byte(tmp_path: Path) -> None:
    other = {"a.md": "# Viktor\n\nThe laundry boilers of the bar, the pier, the guild.\n" * 5}
    queries = ("laundry boilers", "Viktor", "the barman at the pier", "debt")
    with opened_packs(tmp_path / "alone", {"town": TOWN}) as alone:
        before = [as_bytes(ask(alone, words)) for words in queries]
    with opened_packs(tmp_path / "both", {"other": other, "town": TOWN}) as (_, town):
        assert [as_bytes(ask((town,), words)) for words in queries] == before


def test_packs_asked_together_are_one_ranking(tmp_path: Path) -> None:
    other = {"a.md": "# Annex\n\nThe annex has a laundry, a laundry and a laundry.\n", "b.md": "# B\n\nrain\n"}
    with opened_packs(tmp_path, {"annex": other, "town": TOWN}) as packs:
        retrieval = ask(packs, "laundry")
        assert {chunk.pack_id for chunk in retrieval.result.chunks} == {"annex", "town"}
        scores = [chunk.score for chunk in retrieval.trace.chunks]
        assert scores == sorted(scores, reverse=True)
        assert retrieval.trace.packs == ("annex", "town")


LONG = 'the bar\'s "ledger" AND (NOT pier) 🔥 ' * 260

hostile = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                '"',
                "'",
                "*",
                "(",
                ")",
                "AND",
                "OR",
                "NEAR(",
                "^",
                "-",
                ":",
                "title:",
                "\0",
                "\ud800",
                "bar",
                "_",
                "%",
                "🔥",
            ]
        )
    ).map(" ".join),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(hostile, st.sampled_from(["gm", "player", "npc:town:viktor"]))
@example(LONG, "player")
@example("x" * 10_000, "gm")
@example('"' * 10_000, "gm")
@example("\ud800\udfff bar", "player")
@example("a\0b", "gm")
@example("bar) OR (title: x", "gm")
@example("'; DROP TABLE pack_chunks; --", "gm")
def test_any_words_may_be_asked(town: Town, words: str, viewer: str) -> None:
    retrieval = ask(town, words, viewer=viewer, revealed=frozenset({"town:viktor:knows#pier9"}))
    assert retrieval.result.total_tokens <= 3000


def test_names_among_hostile_characters_are_still_found(town: Town) -> None:
    assert found(ask(town, '"Viktor") OR *'))[0].startswith("viktor:")


def test_every_ranked_chunk_is_in_the_result_or_has_a_reason(town: Town) -> None:
    for words, limit, budget in (("the bar", 2, 3000), ("Viktor", 10, 60), ("pier", 1, 20), ("bar pier guild", 100, 0)):
        retrieval = ask(town, words, limit=limit, max_tokens=budget)
        chosen = {chunk.chunk_id for chunk in retrieval.result.chunks}
        assert retrieval.trace.chunks
        assert chosen == {chunk.chunk_id for chunk in retrieval.trace.chunks if chunk.reason is None}
        assert len({chunk.chunk_id for chunk in retrieval.trace.chunks}) == len(retrieval.trace.chunks)
        assert [chunk.rank for chunk in retrieval.trace.chunks] == list(range(1, len(retrieval.trace.chunks) + 1))
        assert retrieval.trace.why("town:none") is None


def test_the_labels_of_a_scene_are_not_looked_up(tmp_path: Path) -> None:
    files = {"a.md": "# A\n\nThe present location is recent.\n", "b.md": "# B\n\nRain.\n", "c.md": "# C\n\nSnow.\n"}
    with opened_packs(tmp_path, {"p": files}) as packs:
        asked = scene_query("quay", names={}, player_input="rain")
        assert [chunk.file_path for chunk in ask(packs, asked.keywords).result.chunks] == ["b.md"]
        assert [chunk.file_path for chunk in ask(packs, "the present location").result.chunks] == ["a.md"]
