"""The seed's operations on lore: a query, the words of a scene, all of a scene, all of an entity."""

from __future__ import annotations

import pytest

from lorewright.index.generation import Generation
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.scene_lore.models import SceneFocus

SCENE = SceneFocus(scene_id="s1", location_id="town:bar", present_ids=("town:viktor",))


@pytest.fixture
def retriever(town: tuple[Generation, ...]) -> LoreRetriever:
    return LoreRetriever.of(LoreView(town, viewer="player"))


def test_a_scene_asks_in_the_words_of_the_seed_and_with_its_filters(retriever: LoreRetriever) -> None:
    names = {"town:bar": "The Neon Dragon", "town:viktor": "Viktor"}
    focus = SCENE.model_copy(update={"thread_ids": ("main_case",)})
    asked = retriever.build_query(focus, names, {"main_case": "Where is Jin?"}, "ask about Pier 9", "Jin was seen")
    assert asked.keywords.splitlines() == [
        "Location: The Neon Dragon",
        "Present: Viktor",
        "Player action: ask about Pier 9",
        "Active threads: Where is Jin?",
        "Recent: Jin was seen",
    ]
    assert (asked.location_id, asked.entity_ids, asked.thread_ids) == ("town:bar", ("town:viktor",), ("main_case",))
    assert asked.viewer == "player"


def test_what_has_no_name_stands_for_itself(retriever: LoreRetriever) -> None:
    assert "Location: town:bar" in retriever.build_query(SCENE, {}, {}, "look").keywords


def test_a_query_takes_its_budget_from_the_call(retriever: LoreRetriever) -> None:
    asked = LoreRetrievalQuery(
        keywords="Viktor, the bar, the laundry with its boilers, the pier and its gulls", viewer="player"
    )
    whole, little = retriever.query(asked), retriever.query(asked, max_tokens=45)
    assert whole.total_tokens > 45 >= little.total_tokens


def test_a_scene_is_gathered_with_the_threads_that_are_active(
    retriever: LoreRetriever, town: tuple[Generation, ...]
) -> None:
    found = retriever.retrieve_for_scene(SCENE, ["main_case"])
    gathered = gather(town, SCENE.model_copy(update={"thread_ids": ("main_case",)}))
    assert found.model_copy(update={"retrieved": ()}) == gathered
    assert found.thread_connections
    assert not retriever.retrieve_for_scene(SCENE).thread_connections


def test_an_entity_is_told_by_its_own_file_first(retriever: LoreRetriever) -> None:
    first = retriever.retrieve_for_entity("town:viktor").chunks[0]
    assert first.chunk_id.startswith("town:viktor:")
