"""A question what is known of something -> the words in which it was told, or stands in open lore."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.cache import COLOURLESS_WORDS
from lorewright.scene_lore.gather import in_sentences, sentences
from lorewright.scene_lore.nouns import singular
from lorewright.turn.views.asides.figures import counted_of, has_figure
from lorewright.values.records import Citation

# From so many telling words on what was told is looked through first.
_TELLING = 2
# The tokens of sections that are looked through for an answer.
_TOKENS = 600


# Before what is known of something of which it was asked why it is so: no sentence is looked through for reasons.
_NO_REASON, _ASKED = "Why, nobody has told you in so many words. ", "You ask yourself. "


def answer_from_known(
    words: str, told: Iterable[str], view: LoreView, asked: str = ""
) -> tuple[str, tuple[Citation, ...]]:
    """Return what the player was told of something, in the words of the first text that says it; else what a viewer may
    read of it, in the words of its section, with that section; a plain sentence where nothing says it. `asked` is the
    whole line: reasons nobody told them, and numbers are answered by numbers."""
    lead = _NO_REASON if re.search(r"\b(?:why|how come)\b", asked.casefold()) else ""
    texts = () if len(_stems(words)) < _TELLING else told
    for text in texts:
        if (quote := _quote_about(words, in_sentences(text))) and has_figure(quote, words, asked):
            return f"{lead}You remember: {quote}", ()
    query = LoreRetrievalQuery(keywords=words, corpus="authored", viewer="player", limit=3, max_tokens=_TOKENS)
    for chunk in retrieve(view, query).result.chunks:
        quote = _quote_about(words, sentences(chunk.text), title=chunk.section_path)
        if not (quote and has_figure(quote, words, asked)):
            continue
        path, section = chunk.file_path, chunk.section_path
        cited = Citation(
            cite=section, chunk_id=chunk.chunk_id, item_id=None, file_path=path, section_path=section, quote=quote
        )
        return f"{lead or _ASKED}So much you know: {quote}", (cited,)
    # A name alone stands in many sentences that say nothing of its bearer.
    for text in told if not texts else ():
        if (quote := _quote_about(words, in_sentences(text))) and has_figure(quote, words, asked):
            return f"{lead}You remember: {quote}", ()
    return counted_of(told, words, asked) or NOTHING_HEARD, ()


# What is answered where nobody has told the player anything of what they ask.
NOTHING_HEARD = "You ask yourself, and have no answer: you have heard nothing of it yet."


def _quote_about(words: str, said: Sequence[str], *, title: str = "") -> str:
    """Return two sentences from the one on that has the most of the words asked for, two thirds of them at least; empty
    where none has. The words of a title stand in each of its sentences."""
    asked = _stems(words)
    titled = _stems(title)
    found = [len(asked & (titled | _stems(sentence))) for sentence in said]
    best = max(found, default=0)
    if not asked or not best or 3 * best < 2 * len(asked):
        return ""
    at = found.index(best)
    return " ".join(said[at : at + 2])


def _stems(text: str) -> set[str]:
    words = (singular(word) for word in content_words(text) if word not in COLOURLESS_WORDS | STOP_WORDS)
    return {word.removesuffix("ing") if len(word) > _LONG_FORM else word for word in words}


# `crying` is a form of `cry`, and `king` is none.
_LONG_FORM = 5
