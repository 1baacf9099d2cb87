"""What somebody knows is read beside a question: an item answers it, or has a word of it by chance."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from lorewright.errors import EmbedderError
from lorewright.index.building import build_generation
from lorewright.index.embedders.embedder import Adaptation, Vectors, WordStates
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.generation import Generation
from lorewright.index.vector_building import window_texts
from lorewright.index.vectors.stored import StoredVectors
from lorewright.scene_lore.cache import match_items
from lorewright.scene_lore.fitting import ANSWER, FAR, answers_of, beside, fit_of
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import NPCBriefing, SceneFocus, SceneItem
from support.pack_builder import loaded

FERRYMAN = """\
---
id: ferryman
type: npc
---
# The Ferryman

## Knows

- {#tolls} A copper each way, and two for a cow. The toll board at the landing has not been painted since my father.
- {#wife} My wife went over to the mill on Tuesday with her sister, and they will be back when the quarrel is over.
- {#flood} The year of the flood the water stood in the church up to the third hymn number.
- {#rope} Every rope on this boat is spliced by hand. A knot would jam in the block, and then you swim.

## Withholds

- {#passenger} I rowed the steward across on the night of the fire, and he paid me to say nothing.
"""


# What stands about the places of the pack, so that no question is near to it by chance.
PLACES = (
    "The landing is a heap of planks with a bell on a post, and anybody who is late may ring it.",
    "Two willows lean over the ford, and children have tied a swing between them.",
    "The chapel is cold in summer too, and its sexton sells candles by the inch.",
    "At the market they weigh eels in buckets and quarrel about the buckets.",
    "The smith's yard is full of wheels that nobody came back for.",
    "Behind the mill the geese have a pond of their own, and mean to keep it.",
    "The road to the hills is dust for half the year and mud for the rest.",
    "In the tavern a fire burns at noon, and the cat has the best chair.",
    "The toll house has one window, and its curtain moves when carts go by.",
    "Under the bridge somebody keeps nets, a lantern and a very old dog.",
    "The orchard wall has a hole of the size of a boy.",
    "From the hill one sees three villages and the smoke of a fourth.",
)


class Broken(MiniLM):
    """An embedder that embeds, and cannot read words."""

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        raise EmbedderError("away")


class OtherSpace(MiniLM):
    """The same vectors under another name."""

    @property
    def fingerprint(self) -> str:
        return "other-1"

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        raise AssertionError("the weights hold for MiniLM alone")


class Counted(MiniLM):
    """Keeps what it has read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        self.read.append(text)
        return super().read_words(text, adaptation)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Vectors]:
    folder = tmp_path_factory.mktemp("ferry")
    places = {
        f"p{n}.md": f"---\nid: p{n}\ntype: location\n---\n# Place {n}\n\n{' '.join(told)}\n"
        for n, told in enumerate(combinations(PLACES, 2))
    }
    texts: dict[str, str | bytes] = {"ferryman.md": FERRYMAN, **places}
    built = folder / "generations" / build_generation(loaded(folder, texts), folder / "generations").folder
    return str(built), MiniLM().embed(window_texts(built))


@pytest.fixture
def ferry(vectors: tuple[str, Vectors]) -> Iterator[tuple[Generation, ...]]:
    yield from opened(vectors, MiniLM())


def opened(vectors: tuple[str, Vectors], embedder: MiniLM) -> Iterator[tuple[Generation, ...]]:
    generation = Generation(Path(vectors[0]), vectors=StoredVectors(vectors[1]), embedder=embedder)
    yield (generation,)
    generation.close()


def briefing(ferry: tuple[Generation, ...]) -> NPCBriefing:
    return gather(ferry, SceneFocus(scene_id="s", location_id="town:p1", present_ids=("town:ferryman",))).briefings[0]


def answers(ferry: tuple[Generation, ...], question: str, topic: str = "") -> list[str]:
    person = briefing(ferry)
    withheld = [item.model_copy(update={"text": ""}) for item in person.withholds]
    pointed_at = match_items(topic or question, (*person.knows, *withheld), ferry).items
    return [item.name for item in answers_of(topic or question, question, pointed_at, person.knows, ferry)]


def item(ferry: tuple[Generation, ...], name: str) -> SceneItem:
    return next(item for item in briefing(ferry).knows if item.name == name)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("When will your wife be back from the mill?", "wife"),
        ("Is it true that the water stood in the church?", "flood"),
        ("Why are there no knots on your boat?", "rope"),
    ],
)
def test_a_question_gets_what_answers_it_first(ferry: tuple[Generation, ...], question: str, name: str) -> None:
    assert answers(ferry, question)[:1] == [name]


@pytest.mark.parametrize(
    "question",
    [
        "Did you see my brother on Tuesday evening?",
        "Does the baker owe you a copper?",
        "Would you swim in this weather for a bet?",
    ],
)
def test_a_word_that_an_item_has_by_chance_is_no_answer(ferry: tuple[Generation, ...], question: str) -> None:
    assert answers(ferry, question) == []


def test_a_secret_that_is_named_stays_to_be_refused(ferry: tuple[Generation, ...]) -> None:
    assert answers(ferry, "Who was your passenger on the night of the fire?", topic="passenger") == ["passenger"]


def test_a_topic_of_a_word_or_two_is_not_read(vectors: tuple[str, Vectors]) -> None:
    embedder = Counted()
    for ferry in opened(vectors, embedder):
        assert answers(ferry, "the tolls") == ["tolls"]
        assert embedder.read == []
        answers(ferry, "Is the toll the same for a cow?")
        assert embedder.read
        assert all("steward" not in text for text in embedder.read)


@pytest.mark.parametrize("embedder", [Broken(), OtherSpace(), MiniLM(eight_bits=True)], ids=["broken", "other", "int8"])
def test_without_the_embedder_that_it_was_made_for_words_decide(vectors: tuple[str, Vectors], embedder: MiniLM) -> None:
    for ferry in opened(vectors, embedder):
        assert fit_of("rope on the boat", "Is every rope on this boat spliced?", item(ferry, "rope"), ferry) == ANSWER


def test_a_question_may_have_any_signs(ferry: tuple[Generation, ...]) -> None:
    odd = "where [SEP] is [CLS] the \x00 wife ]] [SEP] my wife went over to the mill"
    assert fit_of(odd, odd, item(ferry, "rope"), ferry) == FAR


@pytest.mark.parametrize("question", ["x" * 5000 + " a b c", "ㄱㄴㄷ" * 30 + " 하나둘셋" * 300, "q1w2e3r4t5 " * 200])
def test_a_question_of_too_many_pieces_goes_by_words(ferry: tuple[Generation, ...], question: str) -> None:
    assert fit_of(question, question, item(ferry, "rope"), ferry) == FAR
    assert answers(ferry, question) == []


def test_only_the_first_words_are_read() -> None:
    asked, _, told = beside("why " * 500, "so " * 500).partition(" [SEP] ")
    assert len(asked.split()) < 100 > len(told.split())


def test_the_same_question_is_read_once(vectors: tuple[str, Vectors]) -> None:
    embedder = Counted()
    for ferry in opened(vectors, embedder):
        first = answers(ferry, "Is the toll the same for a cow and a calf?")
        count = len(embedder.read)
        assert answers(ferry, "Is the toll the same for a cow and a calf?") == first
        assert len(embedder.read) == count
