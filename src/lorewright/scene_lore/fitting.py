"""A question and what somebody would tell -> the items that answer it: an incidental word is no answer.

A question in a sentence is read beside each item by the embedder that ships, adapted to this: `answers.npz`, made by
`scripts/train_answers.py` from questions whose items were labelled by hand. A topic of up to three words, and any
question where there is another embedder or none, goes by the words that both have and by their likeness.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from importlib import resources

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.ids import holder_of
from lorewright.index.embedders.embedder import Adaptation, Embedder, Vectors, adaptation_of, is_adapted, read_words_by
from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS, content_words, matching_words, words_of
from lorewright.scene_lore.cache import (
    COLOURLESS_WORDS,
    FAINT_WORDS,
    are_english,
    called_words,
    item_by_meaning,
    match_items,
    name_words,
    names_in,
    strangeness_of,
)
from lorewright.scene_lore.models import SceneItem

# What an item that words point at is to the question that has them.
FAR, NEAR, ANSWER = range(3)
# From so many standard deviations on (see `MIN_STRANGENESS`) an item with at most half of a question's telling words
# answers it; with more of them; with none, where it has no others; and from so many it is at least near.
_WITH_HALF, _WITH_MOST, _WITH_NONE, _WITH_SOME = 3.2, 1.5, 3.0, 2.2


def fit_of(words: str, whole: str, item: SceneItem, generations: Sequence[Generation]) -> int:
    """Return whether an item that the words of a question point at answers it, is near it, or only has one of its words
    by chance. `whole` is the question that the words are the topic of.

    Where the question is not read beside the item, it goes by how many of its telling words the item has, and by how
    near it is in meaning. Tried on 200 questions to the people of the packs that ship: of the items that are near
    neither way all were beside the point.
    """
    near = strangeness_of(words, whole, [item], generations)
    if (read := _scores(whole or words, [item], near, generations)).get(item.id) is not None:
        answers, is_about = read[item.id]
        return ANSWER if answers >= LEAST_SCORE else NEAR if is_about >= _LEAST_NEAR else FAR
    return _fit(words, whole, item, near[item.id], generations)


def _fit(words: str, whole: str, item: SceneItem, found: Sequence[float], generations: Sequence[Generation]) -> int:
    """Return the fit of an item that is `found` so strangely near to a question."""
    if not found or not words.strip() or not are_english([item], generations):
        return ANSWER
    weak = STOP_WORDS | COLOURLESS_WORDS | FAINT_WORDS | set(name_words(holder_of(item.id), generations))
    strong = {word for word in content_words(words) if word not in weak and "'" not in word}
    # `Money in taps`, of the man who sells taps, is about money.
    strong = strong - called_words([holder_of(item.id)], generations) or strong
    subject = f"{item.name.replace('_', ' ')} {item.trigger or ''}"
    shared = {word for word, found in matching_words(strong, (subject, item.text)).items() if found}
    shared |= _called_otherwise(words, strong, f"{subject} {item.text}", generations)
    is_subject = any(matching_words(shared, (subject,)).values())
    is_subject = is_subject or bool(_called_otherwise(words, strong, subject, generations))
    near = sum(found) / len(found)
    if not strong or (shared == strong and (len(strong) > 1 or not whole)):
        return ANSWER if strong or near >= _WITH_NONE else FAR
    has_most = len(shared) * 2 > len(strong)
    if shared and (near >= _WITH_HALF or (has_most and (is_subject or near >= _WITH_MOST))):
        return ANSWER
    is_near = (is_subject or near >= _WITH_SOME) and len(shared) * 3 >= len(strong)
    return NEAR if is_near or near >= _WITH_NONE else FAR


def _called_otherwise(words: str, strong: set[str], text: str, generations: Sequence[Generation]) -> set[str]:
    """Return the telling words that are a name of somebody whom a text calls by another: `Miss Orme` is Winifred."""
    has = set(content_words(text))
    return {
        word
        for entity_id, name in names_in(words, generations).items()
        if has.intersection(name_words(entity_id, generations))
        for word in content_words(name)
        if word in strong
    }


def answers_among(
    words: str, whole: str, items: Sequence[SceneItem], knows: Collection[str], generations: Sequence[Generation]
) -> tuple[SceneItem, ...]:
    """Return the items that a question's words point at, without what its person `knows` and would tell that is no
    answer; none where no more than that is pointed at. `whole` is the question that the words are the topic of."""
    open_items = [item for item in items if item.id in knows]
    # All at once: the question is compared with a whole pack each time.
    found = strangeness_of(words, whole, open_items, generations)
    read = _scores(whole or words, open_items, found, generations)
    answers = {
        item.id
        for item in open_items
        if (
            read[item.id][0] >= LEAST_SCORE
            if item.id in read
            else _fit(words, whole, item, found[item.id], generations) == ANSWER
        )
    }
    if open_items and not answers:
        return ()
    return tuple(item for item in items if item.id in answers or item.id not in knows)


def answers_of(
    words: str,
    whole: str,
    pointed_at: Sequence[SceneItem],
    freely: Sequence[SceneItem],
    generations: Sequence[Generation],
) -> tuple[SceneItem, ...]:
    """Return the answers to a question: of the items that its words point at, and of what its person tells `freely`.

    A question in a sentence gets what answers it best of what is pointed at or near it in meaning, best first, before
    the secrets that are pointed at. Another gets what it points at; where these are secrets alone, what is told freely
    of the same before them, however much better a secret's name fits; where it is nothing, what is nearest in meaning.
    """
    knows = {item.id for item in freely}
    named = [item for item in pointed_at if item.id in knows]
    if read := _read_beside(words, whole, named, freely, generations):
        best = sorted((item for item in freely if item.id in read), key=lambda item: -read[item.id][0])
        answers = tuple(item for item in best if read[item.id][0] >= LEAST_SCORE)
        return (*answers, *(item for item in pointed_at if item.id not in knows))
    answers = answers_among(words, whole, pointed_at, knows, generations)
    if answers and knows.isdisjoint(item.id for item in answers):
        open_items = match_items(words, freely, generations).items
        answers = (*answers_among(words, whole, open_items, knows, generations), *answers)
    if answers:
        return answers
    meant = item_by_meaning(words, freely, generations, whole=whole)
    return () if meant is None else (meant,)


def _read_beside(
    words: str, whole: str, named: Sequence[SceneItem], freely: Sequence[SceneItem], generations: Sequence[Generation]
) -> dict[str, tuple[float, float]]:
    """Return the scores of the first of the items that a question names and of the nearest to it in meaning."""
    if _reader(whole or words, freely, generations) is None:
        return {}
    near = strangeness_of(words, whole, freely, generations)
    nearest = sorted(freely, key=lambda item: -max(near[item.id], default=-9.0))[:_MOST_READ]
    tried = {item.id: item for item in (*named[:_MOST_READ], *nearest)}
    return _scores(whole or words, list(tried.values()), near, generations)


# A question in a sentence and an item -> how likely it is answered by it.

# From so much on an item answers. Chosen on labelled questions to people whose items were not learned.
LEAST_SCORE = 0.45
# And is at least about the same.
_LEAST_NEAR = 0.5
# A question of fewer words is a topic.
_SENTENCE = 4
# So many of the items that are pointed at, and of the nearest, are read beside a question: 13 ms each, as measured.
_MOST_READ = 2
# What is read of a question and of an item, in words.
_READ_OF_QUESTION, _READ_OF_ITEM = 60, 75
# Stands between a question and an item: a piece of the embedder's own.
SEPARATOR = "[SEP]"
# What the weights were made with: how near what answers usually is, in standard deviations; what evens out products.
USUAL_NEARNESS, PRODUCT_SCALE = 3.0, 8.0
_NEARNESS = (-1.0, 6.5)


def _scores(
    question: str, items: Sequence[SceneItem], near: dict[str, list[float]], generations: Sequence[Generation]
) -> dict[str, tuple[float, float]]:
    """Return for each item how likely it answers a question, and how likely it is at least about the same, from 0 to 1,
    three digits; nothing for what is no sentence, and where no embedder can tell. `near` is how strangely near each
    item is to the question's topic, and to all of it."""
    embedder = _reader(question, items, generations)
    if embedder is None:
        return {}
    scores = {}
    for item in items:
        try:
            read = _read(embedder, beside(question, f"{item.name.replace('_', ' ')}: {item.text}"))
        except EmbedderError:
            return {}
        values = near[item.id] or [0.0]
        scores[item.id] = _score(read, values[0], values[-1])
    return scores


def _reader(question: str, items: Sequence[SceneItem], generations: Sequence[Generation]) -> Embedder | None:
    """Return the embedder that reads a question beside items; None where it is no sentence, or where there is none."""
    embedder = next((found for found in (generation.embedder for generation in generations) if found is not None), None)
    is_sentence = len(words_of(question)) >= _SENTENCE
    return embedder if is_sentence and is_adapted(embedder) and are_english(items, generations) else None


def beside(question: str, told: str) -> str:
    """Return a question and an item as they are read: their first words."""
    asked, answer = question.replace("[", " ").split()[:_READ_OF_QUESTION], told.split()[:_READ_OF_ITEM]
    return f"{' '.join(asked)} {SEPARATOR} {' '.join(answer)}"


# A question is grounded several times in a turn.
@lru_cache(maxsize=512)
def _read(embedder: Embedder, text: str) -> bytes:
    """Return what a question and an item are to each other, as the bytes of float32 (768,).

    Raises:
        EmbedderError: the embedder fails, or the question alone is as long as what it reads.
    """
    read = read_words_by(embedder, text, _adaptation())
    between = text.index(SEPARATOR)
    last = next((at for at, (start, _) in enumerate(read.offsets) if at and start == between), len(read.offsets))
    if last + 1 >= len(read.offsets):
        raise EmbedderError("the question has more pieces than the embedder reads", hint="ask it in fewer words")
    question, item = read.states[: last + 1].mean(axis=0), read.states[last + 1 :].mean(axis=0)
    return np.concatenate([question * item * PRODUCT_SCALE, read.states[0]]).astype(np.float32).tobytes()


def _score(read: bytes, near_topic: float, near_whole: float) -> tuple[float, float]:
    weights = _weights()
    # In a pack of few or odd texts anything can be stranger than what the weights were made with.
    near = np.clip(np.array([near_topic, near_whole], np.float32), *_NEARNESS) / USUAL_NEARNESS - 1
    seen = np.concatenate([np.frombuffer(read, np.float32), near])
    hidden = np.maximum(np.einsum("ij,j->i", weights["head.1.weight"], seen) + weights["head.1.bias"], 0)
    kinds = np.exp(np.einsum("ij,j->i", weights["head.4.weight"], hidden) + weights["head.4.bias"])
    beside_point, _, answers = (kinds / kinds.sum()).tolist()
    return round(answers, 3), round(1 - beside_point, 3)


@cache
def _weights() -> dict[str, Vectors]:
    with resources.files(__package__).joinpath("answers.npz").open("rb") as file, np.load(file) as arrays:
        return {name: array.astype(np.float32) for name, array in arrays.items()}


@cache
def _adaptation() -> Adaptation:
    return adaptation_of("answers", _weights())
