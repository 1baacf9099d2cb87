"""The sections of a pack, each asked for by its own words -> those that no question finds, and those that are found but
never given."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import assert_never

from lorewright.authoring.leaks.recorded import sentences_of
from lorewright.authoring.pack_baseline import Case
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.ids import local
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.keywords import content_words, words_of
from lorewright.packs.conditions import of_item
from lorewright.packs.files import Progress
from lorewright.packs.markdown.chunking import plain_text
from lorewright.packs.models import Chunk, Pack, When, WhenClock, WhenFact, WhenPart, WhenThread
from lorewright.retrieval.budget import DUPLICATE_SHARE
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView
from lorewright.retrieval.why_not import WhyExcluded, exclusion_reasons


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """The most that an answer may hold by default: the workspace's settings."""

    limit: int
    max_tokens: int


class Asking:
    """Asks some generations as the game master, each question once."""

    def __init__(self, generations: Sequence[Generation], bounds: AnswerLimits) -> None:
        self.generations = tuple(generations)
        self.bounds = bounds
        self._view = LoreView(self.generations)
        self._answers: dict[str, tuple[str, ...]] = {}

    def query(self, words: str) -> LoreRetrievalQuery:
        """Return the query of some words."""
        return LoreRetrievalQuery(
            keywords=words, corpus="authored", limit=self.bounds.limit, max_tokens=self.bounds.max_tokens
        )

    def ask(self, words: str) -> Retrieval:
        """Return the answer to some words, with the reasons for it."""
        return retrieve(self._view, self.query(words))

    def answer(self, words: str) -> tuple[str, ...]:
        """Return the IDs of the chunks of an answer, in their order."""
        if words not in self._answers:
            found = self.ask(words).result.chunks
            self._answers[words] = tuple(chunk.chunk_id for chunk in found)
        return self._answers[words]


_FEWEST_TWIN_WORDS = 8  # fewer words are the same by chance


def near_duplicates_of(chunks: Sequence[StoredChunk]) -> Mapping[str, tuple[str, float]]:
    """Return for each chunk with a near duplicate the ID of the most similar chunk and the share of their words that
    both have. A near duplicate is so similar that retrieval leaves one of the two out."""
    words = {chunk.id: frozenset(words_of(chunk.text)) for chunk in chunks}
    words = {chunk_id: own_words for chunk_id, own_words in words.items() if len(own_words) >= _FEWEST_TWIN_WORDS}
    known = Counter(word for own_words in words.values() for word in own_words)
    # Two sets that share nine tenths of their words share one of their rarest tenth: only such pairs are compared.
    by_rare: dict[str, list[str]] = defaultdict(list)
    best: dict[str, tuple[str, float]] = {}
    for chunk_id, own_words in words.items():
        rare = sorted(own_words, key=lambda word: (known[word], word))
        rare = rare[: len(own_words) - math.ceil(DUPLICATE_SHARE * len(own_words)) + 1]
        for other in dict.fromkeys(other for word in rare for other in by_rare[word]):
            share = len(own_words & words[other]) / len(own_words | words[other])
            if share >= DUPLICATE_SHARE:
                for a, b in ((chunk_id, other), (other, chunk_id)):
                    if share > best.get(a, ("", 0.0))[1]:
                        best[a] = (b, share)
        for word in rare:
            by_rare[word].append(chunk_id)
    return best


_RAREST = 6  # rarest words of a section that are asked
_LINKING = 3  # sentences of other sections that link to it and are asked
_FEWEST_WORDS = 4  # a shorter sentence is no question


@dataclass(frozen=True, slots=True)
class Probed:
    """The result of asking for a section by its own words.

    `by_title` and `by_content` tell whether its own title and its own words bring it; where its title does, its words
    are asked only if another section (`twin`, with the share of words that both have) says the same. `in_place` is why
    its title does not bring it, `last` why the last question did not.
    """

    chunk: StoredChunk
    by_title: bool
    by_content: bool
    in_place: WhyExcluded | None = None
    last: WhyExcluded | None = None
    asked: tuple[str, ...] = ()
    twin: tuple[str, float] | None = None

    @property
    def found(self) -> bool:
        """Tell whether any question brings it."""
        return self.by_title or self.by_content


class Prober:
    """Asks for every section of a pack by its own words, as the game master."""

    def __init__(self, asking: Asking, own: Generation) -> None:
        self._asking = asking
        self._own = own
        self._chunks = own.all_chunks()
        self._known = Counter(word for chunk in self._chunks for word in content_words(chunk.text, english=own.english))
        self._twins: Mapping[str, tuple[str, float]] = {}

    def probe(self, *, progress: Progress) -> list[Probed]:
        """Return the result for every section that has text, in source order."""
        written = [chunk for chunk in self._chunks if chunk.text.strip()]
        self._twins = near_duplicates_of(written)
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

    def _why(self, words: str, chunk: StoredChunk) -> WhyExcluded | None:
        return exclusion_reasons(self._asking.ask(words), self._asking.query(words), chunk)

    def _content_of(self, chunk: StoredChunk) -> Iterator[str]:
        """Yield its first sentence, then its rarest words."""
        text = plain_text(chunk.text)
        first = next((sentence for sentence in sentences_of(text) if len(sentence.split()) >= _FEWEST_WORDS), text)
        yield first[:400]
        words = content_words(text, english=self._own.english)
        rarest = set(sorted(words, key=lambda word: (self._known[word], word))[:_RAREST])
        yield " ".join(word for word in words if word in rarest)

    def _most_telling(self, chunk: StoredChunk, asked: Sequence[str]) -> str:
        return next(iter(self._content_of(chunk)), asked[-1])

    def _linking(self, chunk: StoredChunk) -> Iterator[str]:
        """Yield sentences of other files that are tied to its subject and name it."""
        entity = self._own.entity(chunk.entity_id)
        if entity is None:
            return
        names = [name.casefold() for name in (entity.name, *entity.aliases)]
        rows = {row for kind in ("location", "entity", "faction") for row in self._own.linked(kind, [entity.id])}
        others = [other for other in self._own.chunks(rows).values() if other.entity_id != chunk.entity_id]
        said = (sentence for other in others for sentence in sentences_of(plain_text(other.text)))
        naming = [sentence for sentence in said if any(name in sentence.casefold() for name in names)]
        yield from naming[:_LINKING]


def titles_of(chunk: StoredChunk) -> list[str]:
    """Return the questions for a section by its title: with the name of its file's subject, and alone."""
    if not chunk.section:
        return [chunk.title]
    return [f"{chunk.title} {chunk.section}", chunk.section]


def headings_of(chunks: Sequence[StoredChunk]) -> Mapping[str, int]:
    """Return for each heading in how many files it stands."""
    files: dict[str, set[str]] = defaultdict(set)
    for chunk in chunks:
        files[chunk.section.casefold()].add(chunk.file_path)
    return {heading: len(found) for heading, found in files.items()}


# Conditions that can never hold in the scenarios that use the pack.


@dataclass(frozen=True, slots=True)
class NeverHolds:
    """A section, or with `item` one item of it, under a condition that cannot hold. With `surely` nothing can make it
    hold; else only no scenario of the workspace does."""

    line: int
    item: str | None
    why: str
    hint: str
    surely: bool


def never_holding(chunk: Chunk, scenarios: Sequence[Scenario]) -> Iterator[NeverHolds]:
    """Yield the conditions of a section and of its items that cannot hold."""
    if chunk.conditions and (found := _judge_conditions(chunk.conditions, scenarios)):
        yield NeverHolds(chunk.conditions[0].line, None, *found)
    for item in chunk.items:
        when = of_item(item)
        if when is not None and (found := _judge_conditions((*chunk.conditions, when), scenarios)):
            yield NeverHolds(item.line, item.id, *found)


def _judge_conditions(whens: Sequence[When], scenarios: Sequence[Scenario]) -> tuple[str, str, bool] | None:
    if any(not when.parts for when in whens):
        return "its condition cannot be read", "see: lorewright pack validate", True
    parts = [part for when in whens for part in when.parts]
    if contradiction := _contradiction(parts):
        return contradiction, "all conditions of a file, a section and an item must hold together", True
    if not scenarios:
        return None
    for part in parts:
        missing = [_lacks(part, scenario) for scenario in scenarios]
        if all(missing):
            return _describe_lack(part, scenarios, unknown=all(lack == "unknown" for lack in missing))
    return None


def _contradiction(parts: Iterable[WhenPart]) -> str | None:
    """Return why the parts cannot hold together, or one of them never; None where they can."""
    statuses: dict[str, str] = {}
    clocks: dict[str, tuple[int, int | None]] = {}
    for part in parts:
        if isinstance(part, WhenThread):
            before = statuses.setdefault(part.thread, part.status)
            if before != part.status:
                return f"thread {part.thread} would have to be {before} and {part.status} at once"
        elif isinstance(part, WhenClock):
            low, high = clocks.get(part.clock, (0, None))
            low = max(low, part.min or 0)
            high = part.max if high is None else high if part.max is None else min(high, part.max)
            if high is not None and high < low:
                return f"clock {part.clock} would have to be at least {low} and at most {high} at once"
            clocks[part.clock] = (low, high)
    return None


def _lacks(part: WhenPart, scenario: Scenario) -> str | None:
    """Return why a condition cannot hold in a scenario: `unknown`, or `never`; None where it can, as far as can be
    told."""
    match part:
        case WhenThread():
            if part.thread not in scenario.threads:
                return "unknown"
            began = scenario.threads[part.thread].status == part.status
            return None if began or _effects(scenario, "thread", part.thread, status=part.status) else "never"
        case WhenClock():
            clock = scenario.clocks.get(part.clock)
            if clock is None:
                return "unknown"
            return "never" if part.min is not None and part.min > clock.max else None
        case WhenFact():
            return None if _effects(scenario, "fact", part.fact) else "never"
        case _:
            assert_never(part)


def _effects(scenario: Scenario, key: str, value: str, **also: str) -> bool:
    """Tell whether anything in a scenario has a key of this value, as the effect that brings it about would."""
    waiting: list[object] = [scenario.model_dump(mode="json", exclude={"demo", "grammar"})]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if part.get(key) == value and all(part.get(name) == wanted for name, wanted in also.items()):
                return True
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
    return False


def _describe_lack(part: WhenPart, scenarios: Sequence[Scenario], *, unknown: bool) -> tuple[str, str, bool]:
    names = ", ".join(scenario.id for scenario in scenarios)
    match part:
        case WhenThread():
            known = {thread for scenario in scenarios for thread in scenario.threads}
            if unknown:
                return (
                    f"no scenario that uses the pack has a thread {part.thread} ({names})",
                    _suggest(part.thread, known),
                    True,
                )
            return (
                f"in no scenario that uses the pack thread {part.thread} comes to be {part.status} ({names})",
                _MOVE,
                False,
            )
        case WhenClock():
            known = {clock for scenario in scenarios for clock in scenario.clocks}
            if unknown:
                return (
                    f"no scenario that uses the pack has a clock {part.clock} ({names})",
                    _suggest(part.clock, known),
                    True,
                )
            return f"in no scenario that uses the pack clock {part.clock} rises to {part.min} ({names})", _MOVE, False
        case WhenFact():
            about = local(part.subject)
            return f"no scenario that uses the pack establishes {part.fact} of {about} ({names})", _MOVE, False
        case _:
            assert_never(part)


_MOVE = "have a rule of a scenario bring it about, or mend the condition"


def _suggest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, sorted(known), n=1)
    return f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known)) or 'none'}"


# A heading in so many files tells none of them apart.
_COMMON_HEADING = 5
_INSTEAD = 3


def retrievable_cases(pack: Pack, probed: Sequence[Probed], scenarios: Sequence[Scenario]) -> list[Case]:
    """Return a case for each section: can anybody ever be given it?"""
    by_id = {probe.chunk.id: probe for probe in probed}
    cases = []
    for chunk in pack.chunks:
        never = list(never_holding(chunk, scenarios))
        if chunk.id in by_id:
            cases.append(
                _retrievable(chunk, by_id[chunk.id], [condition for condition in never if condition.item is None])
            )
        elif not chunk.text.strip():
            cases.append(_empty(chunk, pack))
        cases += [_condition(chunk, condition) for condition in never if condition.item is not None]
    return cases


def starved_cases(probed: Sequence[Probed], *, given: Collection[str], bounds: AnswerLimits) -> list[Case]:
    """Return a case for each section that can be found: is it in a golden query's answer (`given`) or in that to its
    own title?"""
    headings = headings_of([probe.chunk for probe in probed])
    sections: dict[str, list[Probed]] = {}
    for probe in probed:
        if probe.found:
            sections.setdefault(probe.chunk.section_id, []).append(probe)
    cases = []
    for parts in sections.values():
        missing = [part for part in parts if not part.by_title and part.chunk.id not in given]
        cases.append(_starved(parts, missing, headings, bounds) if missing else _passed("starved", parts[0]))
    return cases


def _passed(kind: str, probe: Probed) -> Case:
    return Case(
        "starved" if kind == "starved" else "retrievable", probe.chunk.id, probe.chunk.file_path, probe.chunk.line
    )


def _retrievable(chunk: Chunk, probe: Probed, never: Sequence[NeverHolds]) -> Case:
    if never:
        return _condition(chunk, never[0])
    if not probe.found:
        return _never_found(probe)
    if not probe.by_content and probe.twin is not None:
        return _only_by_title(probe, *probe.twin)
    return _passed("retrievable", probe)


def _never_found(probe: Probed) -> Case:
    instead = ", ".join(probe.last.instead[:_INSTEAD]) if probe.last and probe.last.instead else "nothing"
    why, hint = (probe.last.why, probe.last.hint) if probe.last else ("", "")
    if probe.twin is not None:
        why = f"{probe.twin[0]} says the same ({int(probe.twin[1] * 100)} % of the words) and goes before it"
        hint = "keep one of the two, or say in this one what sets it apart"
    return Case(
        "retrievable",
        probe.chunk.id,
        probe.chunk.file_path,
        probe.chunk.line,
        "failed",
        expected="some question brings it: its title, its own words, or a sentence that speaks of it",
        found=f"{len(probe.asked)} questions were asked and none did; the answer was {instead}",
        why=why,
        hint=hint,
    )


def _only_by_title(probe: Probed, twin: str, share: float) -> Case:
    """Return the case of a section whose own words always bring the other section instead."""
    return Case(
        "retrievable",
        probe.chunk.id,
        probe.chunk.file_path,
        probe.chunk.line,
        "failed" if share == 1.0 else "warned",
        expected="its own words bring it",
        found=f"asked in its own words, {twin} is given in its place; only its title brings it",
        why=f"{twin} says the same ({int(share * 100)} % of the words) and goes before it",
        hint="keep one of the two, or say in this one what sets it apart",
    )


def _empty(chunk: Chunk, pack: Pack) -> Case:
    """Return the case of a section without text. A file may begin with a section at once; a heading that has nothing
    below it promises text that is not there."""
    alone = sum(other.entity_id == chunk.entity_id for other in pack.chunks) == 1
    if not chunk.section and not alone:
        why = "the title has no text of its own"
        return Case("retrievable", chunk.id, chunk.file_path, chunk.line, "skipped", why=why)
    return Case(
        "retrievable",
        chunk.id,
        chunk.file_path,
        chunk.line,
        "warned",
        expected="a section that says something",
        found="an empty section: it can never be found",
        why="there is nothing below its heading",
        hint="write something below it, or take the heading out",
    )


def _condition(chunk: Chunk, never: NeverHolds) -> Case:
    return Case(
        "retrievable",
        never.item or chunk.id,
        chunk.file_path,
        never.line,
        "failed" if never.surely else "warned",
        expected="a condition that holds at some time",
        found="it is never found in a campaign: its condition never holds",
        why=never.why,
        hint=never.hint,
    )


def _starved(
    parts: Sequence[Probed], missing: Sequence[Probed], headings: Mapping[str, int], bounds: AnswerLimits
) -> Case:
    """Return the case of a section that is not given, or some of whose parts are not."""
    first = missing[0]
    chunk, left = first.chunk, first.in_place
    tokens = sum(part.chunk.token_count for part in parts)
    reasons = [left.why] if left and len(parts) == 1 else []
    hints = []
    if len(parts) > 1 or tokens > bounds.max_tokens:
        reasons.append(f"it is long: {tokens} tokens in {len(parts)} parts, and an answer holds {bounds.max_tokens}")
        hints.append("split it under headings of their own")
    if chunk.section and not content_words(chunk.section):
        reasons.append(f"its heading says nothing: {chunk.section}")
        hints.append("give it a heading that says what it is about")
    elif chunk.section and headings.get(chunk.section.casefold(), 0) >= _COMMON_HEADING:
        files = headings[chunk.section.casefold()]
        reasons.append(f"its heading stands in {files} files: {chunk.section}")
        hints.append("name in the text what it is about, or give it a heading of its own")
    if first.twin is not None:
        hints.append(f"{first.twin[0]} says the same: keep one of the two")
    elif not hints:
        hints.append("use in it the words of its title, or write a golden query that asks for it")
    others = [chunk_id for chunk_id in left.instead if chunk_id.partition("~")[0] != chunk.section_id] if left else []
    pushed = f"; in its place: {', '.join(others[:_INSTEAD])}" if others else ""
    whole = len(missing) == len(parts)
    return Case(
        "starved",
        chunk.section_id,
        chunk.file_path,
        parts[0].chunk.line,
        "warned",
        expected="its own title or a golden query brings it",
        found=f"only its own words do{pushed}"
        if whole
        else f"{len(missing)} of its {len(parts)} parts are found only by their own words{pushed}",
        why="; ".join(reasons),
        hint="; ".join(hints),
    )
