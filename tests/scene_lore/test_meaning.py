"""Items that are asked for in words that they do not use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from lorewright.errors import EmbedderError
from lorewright.index.building import build_generation
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.generation import Generation
from lorewright.index.vector_building import window_texts
from lorewright.index.vectors.stored import StoredVectors
from lorewright.scene_lore.cache import item_by_meaning
from lorewright.scene_lore.fitting import ANSWER, FAR, NEAR, fit_of
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import NPCBriefing, SceneFocus, SceneItem
from support.pack_builder import loaded

VIKTOR = """\
---
id: viktor
type: npc
---
# Viktor

## Knows

- {#boat} A lighter lies off the pier until the tide turns.
- {#fruit} The man in the coat buys one peach and does not eat it.

## Withholds

- {#debt} Zenith bought what I owe.
"""

# What means the like, for the embedder below.
ALIKE = (("peach", "apricot"), ("owe", "arrears"))


class Thesaurus:
    """An embedder that knows a few words to mean the like; everything else is far from everything."""

    fingerprint = "thesaurus-1"
    batch_size = 8
    broken = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if self.broken:
            raise EmbedderError("away")
        vector = np.random.default_rng(sum(map(ord, text))).normal(size=64).astype(np.float32)
        vector /= np.linalg.norm(vector)
        for axis, words in enumerate(ALIKE):
            if any(word in text for word in words):
                vector[axis] += 4.0
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def files(places: int) -> dict[str, str | bytes]:
    town = {f"p{n}.md": f"---\nid: p{n}\ntype: location\n---\n# Place {n}\n\nStreet {n}.\n" for n in range(places)}
    return {"viktor.md": VIKTOR, **town}


@pytest.fixture
def town(tmp_path: Path) -> Iterator[tuple[Generation, ...]]:
    yield from opened(tmp_path, files(60))


def opened(folder: Path, texts: dict[str, str | bytes]) -> Iterator[tuple[Generation, ...]]:
    built = folder / "generations" / build_generation(loaded(folder, texts), folder / "generations").folder
    embedder = Thesaurus()
    generation = Generation(built, vectors=StoredVectors(embedder.embed(window_texts(built))), embedder=embedder)
    yield (generation,)
    generation.close()


def told(town: tuple[Generation, ...], words: str) -> str | None:
    return name(item_by_meaning(words, _viktor(town).knows, town))


def _viktor(town: tuple[Generation, ...]) -> NPCBriefing:
    return gather(town, SceneFocus(scene_id="s", location_id="town:p1", present_ids=("town:viktor",))).briefings[0]


def name(item: SceneItem | None) -> str | None:
    return item.name if item else None


def test_what_means_the_like_is_pointed_at(town: tuple[Generation, ...]) -> None:
    assert told(town, "apricots") == "fruit"


@pytest.mark.parametrize("words", ["the opera", "", "  ", "arrears"])
def test_what_means_nothing_that_may_be_told_points_at_nothing(town: tuple[Generation, ...], words: str) -> None:
    assert told(town, words) is None


@pytest.mark.parametrize(
    ("words", "fit"),
    [
        ("the pier", ANSWER),
        ("what lies off the pier", ANSWER),
        ("apricot of the man in the coat", ANSWER),
        ("the pier where the opera sang", FAR),
        ("an opera that one sings by heart at a pier", FAR),
        ("the boat that the opera paid for", NEAR),
        ("the opera", FAR),
    ],
)
def test_an_item_with_one_word_of_many_answers_no_question_that_it_is_not_near_in_meaning(
    town: tuple[Generation, ...], words: str, fit: int
) -> None:
    items = {item.name: item for item in _viktor(town).knows}
    item = items["fruit" if "apricot" in words else "boat"]
    assert fit_of(words, "", item, town) == fit


def test_without_vectors_every_item_that_words_point_at_may_answer(tmp_path: Path) -> None:
    built = tmp_path / build_generation(loaded(tmp_path, files(60)), tmp_path).folder
    generation = Generation(built)
    assert fit_of("the pier where the opera sang", "", _viktor((generation,)).knows[0], (generation,)) == ANSWER
    generation.close()


def test_an_embedder_that_is_away_points_at_nothing(town: tuple[Generation, ...]) -> None:
    embedder = town[0].embedder
    assert isinstance(embedder, Thesaurus)
    embedder.broken = True
    assert told(town, "apricots") is None


def test_among_a_handful_of_texts_nothing_stands_out(tmp_path: Path) -> None:
    for few in opened(tmp_path, files(4)):
        assert told(few, "apricots") is None


def test_without_vectors_nothing_is_pointed_at(tmp_path: Path) -> None:
    built = tmp_path / build_generation(loaded(tmp_path, files(60)), tmp_path).folder
    generation = Generation(built)
    assert told((generation,), "apricots") is None
    generation.close()


def test_a_secret_beside_the_items_changes_nothing(tmp_path: Path) -> None:
    """What is near is judged against open lore: more secrets that mean the like make an item no less strange."""
    secrets = "\n".join(f"- {{#s{n}}} An apricot, number {n}." for n in range(40))
    texts = files(60) | {"viktor.md": VIKTOR + secrets + "\n"}
    for town in opened(tmp_path, texts):
        assert told(town, "apricots") == "fruit"
