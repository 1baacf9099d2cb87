"""Two answers to one question -> what moved between them, and why; an answer and several budgets -> what each of them
gives, and what each larger budget adds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.retriever import Retrieval

# Steps of a budget.


class GivenChunk(BaseModel):
    """A chunk in an answer: how many of its tokens the answer holds, of how many."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunk_id: str
    section_path: str
    rank: int
    given: int
    tokens: int


class BudgetStep(BaseModel):
    """The chunks that a budget gives. `new` are the chunks that the step before did not give, `longer` those of which
    it gave less. `cut` is the chunk that was cut to fit; `next` the first chunk that found no room but would in a
    larger budget."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    max_tokens: int
    sections: int
    tokens: int
    new: tuple[GivenChunk, ...]
    longer: tuple[GivenChunk, ...]
    cut: GivenChunk | None
    next: GivenChunk | None


def budget_steps(retrieval: Retrieval, budgets: Sequence[int], *, limit: int) -> tuple[BudgetStep, ...]:
    """Return a step for each budget, from the smallest to the largest, each budget once. What a smaller budget gives, a
    larger one keeps."""
    steps: list[BudgetStep] = []
    before: dict[str, int] = {}
    for budget in sorted(set(budgets)):
        given = retrieval.refit(budget, limit)
        steps.append(_budget_step(retrieval, budget, limit, given, before))
        before = given
    return tuple(steps)


def _budget_step(
    retrieval: Retrieval, budget: int, limit: int, given: dict[str, int], before: dict[str, int]
) -> BudgetStep:
    ranks = {chunk.chunk_id: chunk.rank for chunk in retrieval.trace.chunks}
    chunks = [
        GivenChunk(
            chunk_id=hit.chunk.id,
            section_path=hit.chunk.section_path,
            rank=ranks[hit.chunk.id],
            given=given.get(hit.chunk.id, 0),
            tokens=hit.token_count,
        )
        for hit in retrieval.at_hand
    ]
    chosen = [chunk for chunk in chunks if chunk.given]
    # A chunk that an unlimited budget would not bring in was not kept out by the budget.
    roomy = retrieval.refit(sum(chunk.tokens for chunk in chunks), limit)
    waiting = [chunk for chunk in chunks if not chunk.given and chunk.chunk_id in roomy]
    return BudgetStep(
        max_tokens=budget,
        sections=len({chunk.chunk_id.partition("~")[0] for chunk in chosen}),
        tokens=sum(given.values()),
        new=tuple(chunk for chunk in chosen if chunk.chunk_id not in before),
        longer=tuple(chunk for chunk in chosen if 0 < before.get(chunk.chunk_id, 0) < chunk.given),
        cut=next((chunk for chunk in chosen if chunk.given < chunk.tokens), None),
        next=waiting[0] if waiting else None,
    )


# Two answers to one question -> what came in, left or moved, and why.

# `edited`: the text changed, the place among the others did not. `shifted`: only the number changed, because other
# chunks came, went or moved.
Kind = Literal["entered", "left", "up", "down", "shifted", "edited"]

_WORDS_TOLD = 3


@dataclass(frozen=True, slots=True)
class ExplainedAnswer:
    """The answer to a question with everything that explains it, without the index that it came from.

    `texts` are those of the chunks that were chosen, by ID, best first, as they were shown; `known` is the text of
    every chunk that was searched, by ID.
    """

    texts: Mapping[str, str]
    traces: Mapping[str, ChunkTrace]
    vector_weight: float
    total_tokens: int
    known: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChunkMove:
    """The move of one chunk: its place in the answer before and after, from 1; None where the answer does not hold
    it."""

    chunk_id: str
    kind: Kind
    before: int | None
    after: int | None
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """All moves between two answers: the chunks of the new answer in its order, then those that left it. `of_all` are
    reasons that concern every chunk."""

    moves: tuple[ChunkMove, ...]
    of_all: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.moves)


def answer_of(retrieval: Retrieval, known: Mapping[str, str]) -> ExplainedAnswer:
    """Return a retrieval in a form that can be stored; `known` are the texts of all chunks that were searched, by
    ID."""
    trace, result = retrieval.trace, retrieval.result
    return ExplainedAnswer(
        texts={chunk.chunk_id: chunk.text for chunk in result.chunks},
        traces={chunk.chunk_id: chunk for chunk in trace.chunks},
        vector_weight=trace.vector_weight,
        total_tokens=result.total_tokens,
        known=known,
    )


def changes_between(before: ExplainedAnswer, after: ExplainedAnswer) -> Changes:
    """Return what moved from one answer to the next. `moved` with these moves turns the old order into the new one."""
    own = {chunk_id: tuple(_own_reasons(chunk_id, before, after)) for chunk_id in {**before.texts, **after.texts}}
    moves = [*_moves_in_answer(before, after, own), *_moves_out(before, after, own)]
    return Changes(tuple(moves), tuple(_reasons_for_all(before, after)) if moves else ())


def moved(order: Sequence[str], moves: Sequence[ChunkMove]) -> list[str]:
    """Return an order of chunks as it is after some moves."""
    of = {move.chunk_id: move for move in moves}
    places = {
        chunk_id: place if chunk_id not in of else of[chunk_id].after for place, chunk_id in enumerate(order, start=1)
    }
    places |= {move.chunk_id: move.after for move in moves if move.before is None}
    there = {chunk_id: place for chunk_id, place in places.items() if place is not None}
    return sorted(there, key=lambda chunk_id: there[chunk_id])


Reasons = Mapping[str, tuple[str, ...]]


def _reasons_for_all(before: ExplainedAnswer, after: ExplainedAnswer) -> Iterator[str]:
    """Yield what changed for every chunk: how much the vectors count, and how much a word counts, which is the less the
    more sections hold it."""
    if before.vector_weight != after.vector_weight:
        yield f"meaning counts {_format_change(before.vector_weight, after.vector_weight, 2)}"
    lost: dict[str, float] = {}
    for chunk_id in sorted({*before.traces} & {*after.traces}):
        if not _is_edited(chunk_id, before, after):
            was, now = before.traces[chunk_id].terms, after.traces[chunk_id].terms
            lost |= {word: was[word] - now[word] for word in was if word in now and word not in lost}
    for told, sign in (("less", 1), ("more", -1)):
        words = sorted(word for word, less in lost.items() if round(sign * less, 1) > 0)
        if words:
            more = f" and {len(words) - _WORDS_TOLD} more" if len(words) > _WORDS_TOLD else ""
            yield f"{told} is said by: {', '.join(words[:_WORDS_TOLD])}{more}"


def _moves_in_answer(before: ExplainedAnswer, after: ExplainedAnswer, own: Reasons) -> Iterator[ChunkMove]:
    old, new = _places(before), _places(after)
    steady = _steady_chunks([chunk_id for chunk_id in new if chunk_id in old], old, own)
    for chunk_id, place in new.items():
        was = old.get(chunk_id)
        if was is None:
            yield ChunkMove(chunk_id, "entered", None, place, _why_entered(chunk_id, before, after, own[chunk_id]))
        elif was == place or chunk_id in steady:
            if before.texts[chunk_id] != after.texts[chunk_id]:
                yield ChunkMove(chunk_id, "edited", was, place, own[chunk_id])
            elif was != place:
                yield ChunkMove(chunk_id, "shifted", was, place)
        else:
            why = own[chunk_id] or _passing_chunk(chunk_id, old, new, own)
            yield ChunkMove(chunk_id, "up" if place < was else "down", was, place, why)


def _moves_out(before: ExplainedAnswer, after: ExplainedAnswer, own: Reasons) -> Iterator[ChunkMove]:
    for chunk_id, place in _places(before).items():
        if chunk_id not in after.texts:
            yield ChunkMove(chunk_id, "left", place, None, _why_left(chunk_id, after, own[chunk_id]))


def _places(answer: ExplainedAnswer) -> dict[str, int]:
    return {chunk_id: place for place, chunk_id in enumerate(answer.texts, start=1)}


def _steady_chunks(shared: Sequence[str], old: Mapping[str, int], own: Reasons) -> frozenset[str]:
    """Return the largest part of an order that was in this order before: the chunks that did not move of themselves.
    Chunks without a reason of their own to move count double, so that of two that changed places the one with such a
    reason counts as moved."""
    best: list[tuple[int, tuple[str, ...]]] = []
    for at, chunk_id in enumerate(shared):
        weight = 1 if own[chunk_id] else 2
        ends = [best[n] for n in range(at) if old[shared[n]] < old[chunk_id]]
        most, chain = max(ends, key=lambda end: end[0], default=(0, ()))
        best.append((most + weight, (*chain, chunk_id)))
    return frozenset(max(best, key=lambda end: end[0], default=(0, ()))[1])


def _passing_chunk(chunk_id: str, old: Mapping[str, int], new: Mapping[str, int], own: Reasons) -> tuple[str, ...]:
    """Return which other chunk went by, where a chunk has no reason of its own to move; chunks with a reason come
    first."""
    ahead = [other for other in new if new[other] < new[chunk_id] and old.get(other, len(old) + 1) > old[chunk_id]]
    behind = [other for other in old if old[other] < old[chunk_id] and new.get(other, len(new) + 1) > new[chunk_id]]
    found, told = (ahead, "went by") if ahead else (behind, "fell back")
    first = sorted(found, key=lambda other: not own[other])[:1]
    return tuple(f"{_shorten(other)} {told}" for other in first)


def _why_entered(
    chunk_id: str, before: ExplainedAnswer, after: ExplainedAnswer, own: tuple[str, ...]
) -> tuple[str, ...]:
    was = before.traces.get(chunk_id)
    if was is not None and was.reason is not None:
        place = f" (#{was.rank} of all)" if was.rank else ""
        return (f"was {_spell_reason(was.reason)}{place}", *(own or ("others fell back",)))
    new = "a new section" if chunk_id not in before.known else "found now"
    return (new, *_findings(after.traces[chunk_id]))


def _why_left(chunk_id: str, after: ExplainedAnswer, own: tuple[str, ...]) -> tuple[str, ...]:
    if chunk_id not in after.known:
        return ("the section is gone",)
    now = after.traces.get(chunk_id)
    if now is None or now.reason is None:
        return ("nothing points at it any more",)
    place = f" (#{now.rank} of all)" if now.rank else ""
    return (f"{_spell_reason(now.reason)}{place}", *own)


def _own_reasons(chunk_id: str, before: ExplainedAnswer, after: ExplainedAnswer) -> Iterator[str]:
    """Yield what changed about a chunk itself. Where its text is the same, so are its words: their shares differ only
    because more or fewer of the other sections hold them."""
    was, now = before.traces.get(chunk_id), after.traces.get(chunk_id)
    if was is None or now is None:
        return
    if was.tokens != now.tokens:
        yield f"its text: {was.tokens} → {now.tokens} tokens"
    elif _is_text_changed(chunk_id, before, after):
        yield "its text"
    words = list(_changed_words(was.terms, now.terms)) if _is_edited(chunk_id, before, after) else []
    if words:
        more = f" and {len(words) - _WORDS_TOLD} more" if len(words) > _WORDS_TOLD else ""
        yield f"its words: {', '.join(words[:_WORDS_TOLD])}{more}"
    if _rounded(was.vector_score, 2) != _rounded(now.vector_score, 2):
        yield f"its meaning: {_format_change(was.vector_score, now.vector_score, 2)}"
    yield from _changed_ties(was, now)


def _is_text_changed(chunk_id: str, before: ExplainedAnswer, after: ExplainedAnswer) -> bool:
    texts = before.texts.get(chunk_id), after.texts.get(chunk_id)
    return None not in texts and texts[0] != texts[1]


def _is_edited(chunk_id: str, before: ExplainedAnswer, after: ExplainedAnswer) -> bool:
    """Tell whether a chunk was edited."""
    return before.known.get(chunk_id) != after.known.get(chunk_id)


def _changed_words(before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[str]:
    """Yield each word whose share changed, the largest difference first."""
    shares = {word: (before.get(word, 0.0), after.get(word, 0.0)) for word in {**before, **after}}
    for word, (was, now) in sorted(shares.items(), key=lambda entry: (-abs(entry[1][1] - entry[1][0]), entry[0])):
        if round(was, 1) != round(now, 1):
            yield f"{word} {_format_change(was, now, 1)}"


def _changed_ties(was: ChunkTrace, now: ChunkTrace) -> Iterator[str]:
    if was.name != now.name:
        yield f"named {_shorten(now.name)}" if now.name else f"not named {_shorten(was.name or '')} any more"
    if was.rule != now.rule:
        yield f"by its rules: {now.rule}" if now.rule else f"not by its rules any more: {was.rule}"
    yield from (f"tied by {tie}" for tie in now.filters if tie not in was.filters)
    yield from (f"not tied by {tie} any more" for tie in was.filters if tie not in now.filters)


def _findings(now: ChunkTrace) -> Iterator[str]:
    """Yield what found a chunk that was not in the answer before."""
    words = [f"{word} {share:.1f}" for word, share in sorted(now.terms.items(), key=lambda term: (-term[1], term[0]))]
    if words:
        yield f"its words: {', '.join(words[:_WORDS_TOLD])}"
    if now.vector_score is not None:
        yield f"its meaning: {now.vector_score:.2f}"
    if now.name:
        yield f"named {now.name}"


def _format_change(was: float | None, now: float | None, digits: int) -> str:
    return f"{_format_number(was, digits)} → {_format_number(now, digits)}"


def _format_number(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:.{digits}f}"


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _spell_reason(reason: str) -> str:
    return reason.replace("_", " ")


def _shorten(chunk_id: str) -> str:
    """Return `bar:overview` for `town:bar:overview`; leave a name as it is."""
    return chunk_id.partition(":")[2] if chunk_id.count(":") == 2 else chunk_id
