"""Each section of a pack, asked for in several ways -> which of them bring it, and what stands in its place."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorewright.authoring.leaks.recorded import sentences_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.keywords import content_words, words_of
from lorewright.packs.chunking import plain_text
from lorewright.packs.loader import Progress
from lorewright.retrieval.absence import LeftOut, left_out
from lorewright.retrieval.budget import DUPLICATE_SHARE
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView

# Packs that are asked as a game master asks them, many times over.


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much an answer may hold where nobody says otherwise: the workspace's settings."""

    limit: int
    max_tokens: int


class Asking:
    """Asks some generations as the game master, each question once."""

    def __init__(self, generations: Sequence[Generation], bounds: Bounds) -> None:
        self.generations = tuple(generations)
        self.bounds = bounds
        self._view = LoreView(self.generations)
        self._answers: dict[str, tuple[str, ...]] = {}

    def query(self, words: str) -> LoreRetrievalQuery:
        """The query of some words."""
        return LoreRetrievalQuery(
            keywords=words, corpus="authored", limit=self.bounds.limit, max_tokens=self.bounds.max_tokens
        )

    def ask(self, words: str) -> Retrieval:
        """The answer to some words, and the reasons for it."""
        return retrieve(self._view, self.query(words))

    def answer(self, words: str) -> tuple[str, ...]:
        """The IDs of the chunks of an answer, in their order."""
        if words not in self._answers:
            found = self.ask(words).result.chunks
            self._answers[words] = tuple(chunk.chunk_id for chunk in found)
        return self._answers[words]


# Sections -> pairs that say the same: whenever both would answer, only the better-ranked is given.

# Fewer words are said twice by chance.
_FEWEST_TWIN_WORDS = 8


def twins_of(chunks: Sequence[StoredChunk]) -> Mapping[str, tuple[str, float]]:
    """Chunk ID -> the chunk that says most nearly the same, and the share of their words that both have, where that is
    so much that one of them is left out as a duplicate."""
    words = {chunk.id: frozenset(words_of(chunk.text)) for chunk in chunks}
    words = {one: said for one, said in words.items() if len(said) >= _FEWEST_TWIN_WORDS}
    known = Counter(word for said in words.values() for word in said)
    # Two sets that share nine tenths of their words share one of their rarest tenth: only such pairs are compared.
    by_rare: dict[str, list[str]] = defaultdict(list)
    best: dict[str, tuple[str, float]] = {}
    for one, said in words.items():
        rare = sorted(said, key=lambda word: (known[word], word))
        rare = rare[: len(said) - math.ceil(DUPLICATE_SHARE * len(said)) + 1]
        for other in dict.fromkeys(other for word in rare for other in by_rare[word]):
            share = len(said & words[other]) / len(said | words[other])
            if share >= DUPLICATE_SHARE:
                for a, b in ((one, other), (other, one)):
                    if share > best.get(a, ("", 0.0))[1]:
                        best[a] = (b, share)
        for word in rare:
            by_rare[word].append(one)
    return best


# The rarest words of a section, and so many sentences of others that link to it.
_RAREST = 6
_LINKING = 3
# A shorter sentence says nothing that could be asked.
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Probed:
    """What came of asking a section for itself.

    `by_title` and `by_content` say whether its own title and its own words bring it; where its title does, its words
    are asked only if another section (`twin`, with the share of words that both have) says the same. `in_place` is why
    its title does not bring it, `last` why the last question did not.
    """

    chunk: StoredChunk
    by_title: bool
    by_content: bool
    in_place: LeftOut | None = None
    last: LeftOut | None = None
    asked: tuple[str, ...] = ()
    twin: tuple[str, float] | None = None

    @property
    def found(self) -> bool:
        """Whether anything brings it."""
        return self.by_title or self.by_content


class Prober:
    """Asks every section of a pack for itself, as the game master."""

    def __init__(self, asking: Asking, own: Generation) -> None:
        self._asking = asking
        self._own = own
        self._chunks = own.all_chunks()
        self._known = Counter(word for chunk in self._chunks for word in content_words(chunk.text, english=own.english))
        self._twins: Mapping[str, tuple[str, float]] = {}

    def probe(self, *, progress: Progress) -> list[Probed]:
        """Every section that has text, in source order."""
        written = [chunk for chunk in self._chunks if chunk.text.strip()]
        self._twins = twins_of(written)
        found = []
        for done, chunk in enumerate(written):
            progress("asking each section for itself", done, len(written))
            found.append(self._probed(chunk))
        return found

    def _probed(self, chunk: StoredChunk) -> Probed:
        titles = list(dict.fromkeys(titles_of(chunk)))
        twin = self._twins.get(chunk.id)
        in_place = None
        by_title = any(self._brings(words, chunk) for words in titles)
        if not by_title:
            in_place = self._why(titles[0], chunk)
        elif twin is None:
            return Probed(chunk, True, True)
        asked = list(titles)
        for words in self._content_of(chunk):
            asked.append(words)
            if self._brings(words, chunk):
                return Probed(chunk, by_title, True, in_place, None, tuple(asked), twin)
        if by_title:
            return Probed(chunk, True, False, None, self._why(asked[-1], chunk), tuple(asked), twin)
        for words in self._linking(chunk):
            asked.append(words)
            if self._brings(words, chunk):
                return Probed(chunk, False, True, in_place, None, tuple(asked), twin)
        return Probed(
            chunk, False, False, in_place, self._why(self._most_telling(chunk, asked), chunk), tuple(asked), twin
        )

    def _brings(self, words: str, chunk: StoredChunk) -> bool:
        return chunk.id in self._asking.answer(words)

    def _why(self, words: str, chunk: StoredChunk) -> LeftOut | None:
        return left_out(self._asking.ask(words), self._asking.query(words), chunk)

    def _content_of(self, chunk: StoredChunk) -> Iterator[str]:
        """Its first sentence, then its rarest words."""
        text = plain_text(chunk.text)
        first = next((one for one in sentences_of(text) if len(one.split()) >= _FEWEST_WORDS), text)
        yield first[:400]
        words = content_words(text, english=self._own.english)
        rarest = set(sorted(words, key=lambda word: (self._known[word], word))[:_RAREST])
        yield " ".join(word for word in words if word in rarest)

    def _most_telling(self, chunk: StoredChunk, asked: Sequence[str]) -> str:
        return next(iter(self._content_of(chunk)), asked[-1])

    def _linking(self, chunk: StoredChunk) -> Iterator[str]:
        """Sentences of other files that are tied to its subject and name it."""
        entity = self._own.entity(chunk.entity_id)
        if entity is None:
            return
        names = [name.casefold() for name in (entity.name, *entity.aliases)]
        rows = {row for kind in ("location", "entity", "faction") for row in self._own.linked(kind, [entity.id])}
        others = [one for one in self._own.chunks(rows).values() if one.entity_id != chunk.entity_id]
        said = (sentence for one in others for sentence in sentences_of(plain_text(one.text)))
        naming = [one for one in said if any(name in one.casefold() for name in names)]
        yield from naming[:_LINKING]


def titles_of(chunk: StoredChunk) -> list[str]:
    """How one asks for a section by its title: with the name of its file's subject, and alone."""
    if not chunk.section:
        return [chunk.title]
    return [f"{chunk.title} {chunk.section}", chunk.section]


def headings_of(chunks: Sequence[StoredChunk]) -> Mapping[str, int]:
    """In how many files each heading stands."""
    files: dict[str, set[str]] = defaultdict(set)
    for chunk in chunks:
        files[chunk.section.casefold()].add(chunk.file_path)
    return {heading: len(found) for heading, found in files.items()}
