"""Items that a question's words point at -> those that answer it: an incidental word is no answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lorewright.ids import holder_of
from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS, content_words, matching_words
from lorewright.scene_lore.cache import (
    COLOURLESS_WORDS,
    FAINT_WORDS,
    are_english,
    called_words,
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
    by chance: by how many of its telling words the item has, and by how near it is in meaning. `whole` is the question
    that the words are the topic of. Tried on 200 questions to the people of the packs that ship: of the items that are
    near neither way all were beside the point."""
    return _fit(words, whole, item, strangeness_of(words, whole, [item], generations)[item.id], generations)


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
    answers = {item.id for item in open_items if _fit(words, whole, item, found[item.id], generations) == ANSWER}
    if open_items and not answers:
        return ()
    return tuple(item for item in items if item.id in answers or item.id not in knows)


def freely_first(
    words: str, whole: str, items: Sequence[SceneItem], freely: Sequence[SceneItem], generations: Sequence[Generation]
) -> tuple[SceneItem, ...]:
    """Return the answers among the items that words point at; where these are secrets alone, what their person tells
    `freely` of the same before them, however much better a secret's name fits."""
    knows = {item.id for item in freely}
    answers = answers_among(words, whole, items, knows, generations)
    if not answers or not knows.isdisjoint(item.id for item in answers):
        return answers
    open_items = match_items(words, freely, generations).items
    return (*answers_among(words, whole, open_items, knows, generations), *answers)
