"""What is kept of a scene is what would be gathered anew, and is gathered anew when that may have changed."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.index.generation import Generation
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.view import generations_in_force
from lorewright.scene_lore.cache import MaterializedScene, SceneLoreCache, basis_of
from lorewright.scene_lore.gather import gather, gather_person, gather_place
from lorewright.scene_lore.models import SceneFocus, SceneLore

Town = tuple[Generation, ...]

BAR = SceneFocus(scene_id="scene_001", location_id="town:bar", present_ids=("town:mara", "town:viktor"))
NOTHING = LoreConditions()


class Gatherer:
    """Hands out what is in force, and counts how often it is asked."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.asked = 0

    def __call__(self) -> Town:
        self.asked += 1
        return generations_in_force(self.town, NOTHING)


def look(
    cache: SceneLoreCache, town: Town, focus: SceneFocus = BAR, learned: frozenset[str] = frozenset(), **fields: Any
) -> tuple[SceneLore, int]:
    """The lore that the cache has, and how often something had to be gathered for it."""
    gatherer = Gatherer(town)
    conditions = fields.get("conditions", NOTHING)
    return cache.lore_of(focus, town, gatherer, conditions=conditions, learned=learned), gatherer.asked


def kept(cache: SceneLoreCache, scene_id: str = "scene_001") -> str:
    text = cache.to_keep(scene_id)
    assert text is not None
    return text


def test_what_is_kept_reads_as_what_is_gathered(town: Town) -> None:
    cache = SceneLoreCache()
    first, asked = look(cache, town)
    assert asked == 3
    assert first == gather(town, BAR, NOTHING)
    again, asked = look(SceneLoreCache([kept(cache)]), town)
    assert (again, asked) == (first, 0)


def test_an_arrival_appends_one_briefing(town: Town) -> None:
    alone = BAR.model_copy(update={"present_ids": ("town:viktor",)})
    cache = SceneLoreCache()
    look(cache, town, alone)
    later = SceneLoreCache([kept(cache)])
    lore, asked = look(later, town)
    assert asked == 1
    assert lore == gather(town, BAR, NOTHING)
    assert later.gathered == set()


def test_a_departure_hides_and_who_comes_back_is_there_at_once(town: Town) -> None:
    cache = SceneLoreCache()
    full, _ = look(cache, town)
    alone = BAR.model_copy(update={"present_ids": ("town:viktor",)})
    assert look(cache, town, alone) == (gather(town, alone, NOTHING), 0)
    assert look(cache, town) == (full, 0)


def test_what_was_learned_of_it_gathers_it_anew_once(town: Town) -> None:
    cache = SceneLoreCache()
    full, _ = look(cache, town)
    item = full.items()[0].id
    assert look(cache, town, learned=frozenset({"town:elsewhere:knows#x"})) == (full, 0)
    assert look(cache, town, learned=frozenset({item}))[1] == 3
    assert look(cache, town, learned=frozenset({item})) == (full, 0)
    assert look(cache, town)[1] == 3


def test_another_place_under_the_same_scene_is_another_scene(town: Town) -> None:
    cache = SceneLoreCache()
    look(cache, town)
    pier = BAR.model_copy(update={"location_id": "town:pier", "present_ids": ()})
    assert look(cache, town, pier) == (gather(town, pier, NOTHING), 1)


def test_the_basis_tells_places_packs_and_conditions_apart(town: Town) -> None:
    bases = {
        basis_of("town:bar", town, NOTHING),
        basis_of("town:pier", town, NOTHING),
        basis_of("town:bar", (*town, *town), NOTHING),
    }
    assert len(bases) == 3
    assert basis_of("town:bar", town, NOTHING) in bases


def test_an_invalidated_scene_is_gathered_whole(town: Town) -> None:
    cache = SceneLoreCache()
    look(cache, town)
    cache.invalidate("scene_001")
    assert cache.get("scene_001") is None
    assert look(cache, town)[1] == 3


def test_without_reuse_everything_is_gathered_each_time(town: Town) -> None:
    cache = SceneLoreCache(reuse=False)
    first, _ = look(cache, town)
    assert look(cache, town) == (first, 3)


def test_what_cannot_be_read_is_as_if_it_had_not_been_kept(town: Town) -> None:
    cache = SceneLoreCache()
    look(cache, town)
    for damaged in ("", "{}", "null", kept(cache)[:-5], kept(cache).replace("basis", "bases")):
        assert look(SceneLoreCache([damaged]), town)[1] == 3


def test_only_what_changed_is_to_be_kept(town: Town) -> None:
    cache = SceneLoreCache(session_id="game:session_1")
    look(cache, town)
    text = kept(cache)
    assert MaterializedScene.model_validate_json(text).session_id == "game:session_1"
    later = SceneLoreCache([text])
    look(later, town)
    assert later.to_keep("scene_001") is None
    assert later.to_keep("scene_002") is None


def test_the_operations_one_by_one(town: Town) -> None:
    cache = SceneLoreCache()
    with pytest.raises(KeyError):
        cache.append_npc("scene_001", gather_person(town, "town:viktor"))
    made = cache.materialize(gather_place(town, "town:bar"), "scene_001", basis="b")
    assert cache.get("scene_001") == made
    cache.append_npc("scene_001", gather_person(town, "town:viktor"))
    found = cache.get("scene_001")
    assert found is not None
    assert found.person("town:viktor") is not None
    assert found.person("town:mara") is None
