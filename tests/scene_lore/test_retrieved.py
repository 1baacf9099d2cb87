"""What is retrieved for a scene: the rest of what packs openly tell of its place and people, and what bears on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from lorewright.index.generation import Generation
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.view import LoreView, generations_in_force
from lorewright.scene_lore.cache import SceneLoreCache
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.scene_lore.models import LorePassage, SceneFocus
from lorewright.scene_lore.retrieved import SceneRetrieval
from support.pack_builder import opened_packs

FILES = {
    "locations/inn.md": """---
id: inn
type: location
tags: [courier]
related_factions: [guild]
section_when:
  Old Feud: {thread: feud, status: open}
---

# The Inn

The inn stands on piles above the mud.

## Atmosphere

Smoke, and a bucket under the drip.

## History

The inn was a customs house until the harbour silted up.

## Regulars

Ferrymen drink by the window, eel wives by the stove.

## House Rules

Nobody counts money at the table.

## Discoverable

- {#chest} search the loft: A chest with a false marmoset floor.

## Old Feud

The ferrymen and the eel wives have not spoken since the raft sank.
""",
    "npcs/greta.md": """---
id: greta
type: npc
related_locations: [inn]
---

# Greta

Greta keeps the inn and says little.

## Background

She came upriver with a drowned man's papers and bought the lease.

## Withholds

- {#papers} The pangolin papers are forged.
""",
    "npcs/rolf.md": """---
id: rolf
type: npc
---

# Rolf

Rolf rows the ferry.

## Background

He was born on a raft.
""",
    "npcs/watcher.md": """---
id: watcher
type: npc
visibility: gm
related_locations: [inn]
---

# The Watcher

The axolotl watcher sits in the inn every night.
""",
    "factions/guild.md": """---
id: guild
type: faction
---

# The Ferry Guild

The guild sets the price of a crossing, and the fines.
""",
    "culture/errands.md": """---
id: errands
type: culture
tags: [courier]
---

# Errands

A courier is paid half before and half after.
""",
}
NOTHING = LoreConditions()
RETRIEVAL = SceneRetrieval(2_000)


@pytest.fixture(scope="module")
def shore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    with opened_packs(tmp_path_factory.mktemp("shore"), {"shore": FILES}) as generations:
        yield generations


def scene(*present: str) -> SceneFocus:
    return SceneFocus(
        scene_id="scene_001", location_id="shore:inn", present_ids=tuple(f"shore:{who}" for who in present)
    )


def found(shore: Sequence[Generation], focus: SceneFocus, retrieval: SceneRetrieval = RETRIEVAL) -> list[str]:
    known = {line.chunk_id for line in gather(shore, focus, NOTHING).sights()}
    return [passage.chunk_id for passage in retrieval.passages(focus, shore, NOTHING, known=known)]


def test_the_rest_of_a_place_and_of_its_people_is_there_with_what_bears_on_them(shore: tuple[Generation, ...]) -> None:
    ids = set(found(shore, scene("greta")))
    assert {"shore:inn:history", "shore:inn:regulars", "shore:inn:house-rules"} <= ids
    assert {"shore:greta:overview", "shore:greta:background"} <= ids
    assert {"shore:guild:overview", "shore:errands:overview"} <= ids


def test_what_belongs_to_the_scene_by_id_is_not_repeated(shore: tuple[Generation, ...]) -> None:
    assert not {"shore:inn:atmosphere", "shore:inn:overview"} & set(found(shore, scene("greta")))


def test_nothing_hidden_is_in_it_even_with_somebody_hidden_present(shore: tuple[Generation, ...]) -> None:
    focus = scene("greta", "watcher")
    passages = RETRIEVAL.passages(focus, shore, NOTHING, known=frozenset())
    text = " ".join(f"{passage.section_path} {passage.text}" for passage in passages)
    assert passages and not any(word in text for word in ("marmoset", "pangolin", "axolotl", "Watcher"))
    assert found(shore, focus) == found(shore, scene("greta"))


def test_by_turns_everybody_has_something_before_anybody_has_all(shore: tuple[Generation, ...]) -> None:
    whole = RETRIEVAL.passages(scene("greta", "rolf"), shore, NOTHING, known=frozenset())
    owners = [passage.chunk_id.split(":")[1] for passage in whole if passage.about == "cast"]
    assert owners[:2] == ["greta", "rolf"] and len(owners) > 2


def test_the_place_is_told_alike_with_anybody_there_and_any_thread_open(shore: tuple[Generation, ...]) -> None:
    def of_place(focus: SceneFocus, retrieval: SceneRetrieval = RETRIEVAL) -> list[LorePassage]:
        passages = retrieval.passages(focus, shore, NOTHING, known=frozenset())
        return [passage for passage in passages if passage.about == "place"]

    feud = replace(RETRIEVAL, threads={"feud": "The feud of the ferrymen"}, tags=("courier",))
    assert len(of_place(scene())) > 3
    assert of_place(scene()) == of_place(scene("greta", "rolf")) == of_place(scene("greta"), feud)


def test_more_room_never_loses_what_less_room_had(shore: tuple[Generation, ...]) -> None:
    def at(max_tokens: int) -> dict[str, int]:
        retrieval = replace(RETRIEVAL, max_tokens=max_tokens)
        passages = retrieval.passages(scene("greta", "rolf"), shore, NOTHING, known=frozenset())
        return {passage.chunk_id: passage.tokens for passage in passages}

    for less in range(0, 200, 7):
        assert at(less).keys() <= at(less + 7).keys()
        assert sum(at(less).values()) <= less
    assert at(0) == {}


def test_a_section_under_a_condition_is_there_while_it_holds(shore: tuple[Generation, ...]) -> None:
    def ids(conditions: LoreConditions) -> set[str]:
        passages = RETRIEVAL.passages(scene(), shore, conditions, known=frozenset())
        return {passage.chunk_id for passage in passages}

    assert "shore:inn:old-feud" not in ids(NOTHING)
    assert "shore:inn:old-feud" in ids(LoreConditions(threads={"feud": "open"}))


class Counting:
    """A retrieval that counts its questions, by who is present."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, ...]] = []
        real = SceneRetrieval.passages

        def counted(
            retrieval: SceneRetrieval, focus: SceneFocus, *given: object, **more: object
        ) -> tuple[LorePassage, ...]:
            self.asked.append(focus.present_ids)
            return real(retrieval, focus, *given, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(SceneRetrieval, "passages", counted)


def look(
    cache: SceneLoreCache,
    shore: tuple[Generation, ...],
    focus: SceneFocus,
    *,
    learned: frozenset[str] = frozenset(),
    retrieval: SceneRetrieval = RETRIEVAL,
) -> tuple[LorePassage, ...]:
    lore = cache.lore_of(
        focus, shore, lambda: generations_in_force(shore, NOTHING), conditions=NOTHING, learned=learned
    )
    known = {line.chunk_id for line in lore.sights()}
    return cache.retrieved_for(focus, shore, retrieval, conditions=NOTHING, known=known)


def test_a_cached_scene_is_looked_up_once_and_again_when_somebody_comes(
    shore: tuple[Generation, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    counting, cache = Counting(monkeypatch), SceneLoreCache()
    first = look(cache, shore, scene("greta"))
    kept = cache.to_keep("scene_001")
    assert kept is not None

    later = SceneLoreCache([kept])
    assert look(later, shore, scene("greta")) == first
    assert look(later, shore, scene("greta"), learned=frozenset({"shore:inn:discoverable#chest"})) == first
    assert counting.asked == [("shore:greta",)]
    both = look(later, shore, scene("greta", "rolf"))
    assert counting.asked == [("shore:greta",), ("shore:greta", "shore:rolf")]
    assert both == look(SceneLoreCache(), shore, scene("greta", "rolf"))


def test_a_thread_that_opens_asks_anew(shore: tuple[Generation, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    counting, cache = Counting(monkeypatch), SceneLoreCache()
    look(cache, shore, scene())
    look(cache, shore, scene(), retrieval=replace(RETRIEVAL, threads={"fines": "Who pays the guild's fines?"}))
    assert len(counting.asked) == 2


def test_programs_get_it_with_the_scene(shore: tuple[Generation, ...]) -> None:
    retriever = LoreRetriever.of(LoreView(shore, viewer="player", conditions=NOTHING))
    lore = retriever.retrieve_for_scene(scene("greta"))
    assert [passage.chunk_id for passage in lore.retrieved] == found(shore, scene("greta"))
    assert not retriever.retrieve_for_scene(scene("greta"), max_tokens=0).retrieved


def test_lore_of_the_tags_of_an_open_thread_is_found(shore: tuple[Generation, ...]) -> None:
    focus = SceneFocus(scene_id="scene_001", location_id="shore:rolf")
    assert "shore:errands:overview" not in found(shore, focus)
    assert "shore:errands:overview" in found(shore, focus, replace(RETRIEVAL, tags=("courier",)))
