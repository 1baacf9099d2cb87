"""The trace of an answer in words: what was spent, why a chunk stands in the answer, and why another does not."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace

# At most this many words of a question are shown with their shares.
_TERMS_SHOWN = 4

REASONS: dict[str, str] = {
    "filtered": "nothing points at them",
    "overridden": "a later pack's section stands for them",
    "condition": "their condition does not hold",
    "duplicate": "a better one says the same",
    "over_budget": "the budget of tokens was spent",
    "over_half": "what is always there has at most half of the budget",
    "below_the_cut": "there are enough better sections",
    "not_rolled": "the dice of the turn were against them",
    "cooldown": "they were found a few turns ago",
    "keys": "the question does not fulfil their secondary keys",
    "requires": "what they require is not in the answer",
    "excluded": "they may not stand beside another entry",
    "group": "another entry of their group is there",
}


def cut_of(trace: RetrievalTrace, chosen: Sequence[ChunkTrace]) -> str:
    """Return what was spent, and what stopped it: `the budget is spent: 10 of 10 sections, 1,314 of 3,000 tokens`."""
    sections = len({chunk.chunk_id.partition("~")[0] for chunk in chosen})
    spent = sum(chunk.given for chunk in chosen)
    reasons = {chunk.reason for chunk in trace.chunks}
    stopped = "the budget is spent" if {"over_budget", "over_half"} & reasons or _is_cut(chosen) else ""
    stopped = stopped or ("enough sections" if "below_the_cut" in reasons else "all that was found")
    return f"{stopped}: {sections} of {trace.limit} sections, {spent:,} of {trace.max_tokens:,} tokens"


def why(chunk: ChunkTrace) -> list[str]:
    """Return the reasons for a chunk: its words, its nearness in meaning, and its ties to the question."""
    words = [f"words {by_words(chunk)}"] if chunk.keyword_rank else []
    meaning = [f"meaning {by_meaning(chunk)}"] if chunk.vector_score is not None else []
    again = [f"read again: {chunk.rerank_score:.2f}"] if chunk.rerank_score is not None else []
    tied = ties(chunk)
    return [*words, *meaning, *again, *([tied] if tied else [])]


def by_words(chunk: ChunkTrace) -> str:
    """Return `#1: smuggler 4.2, jin 3.1`: the rank among the words' hits and the share of each word."""
    terms = sorted(chunk.terms.items(), key=lambda term: -term[1])
    words = ", ".join(f"{word} {share:.1f}" for word, share in terms[:_TERMS_SHOWN])
    more = f" +{len(terms) - _TERMS_SHOWN}" if len(terms) > _TERMS_SHOWN else ""
    return f"#{chunk.keyword_rank}: {words}{more}" if chunk.keyword_rank else ""


def by_meaning(chunk: ChunkTrace) -> str:
    """Return `#3: 0.51`: the rank among the nearest and the cosine; the cosine alone where it is not among them."""
    if chunk.vector_score is None:
        return ""
    rank = f"#{chunk.vector_rank}: " if chunk.vector_rank else ""
    return f"{rank}{chunk.vector_score:.2f}"


def ties(chunk: ChunkTrace) -> str:
    """Return what ties the chunk to the question: a rule of its entry, a name, the filters."""
    named = [f"named: {chunk.name}"] if chunk.name else []
    return ", ".join([*([chunk.rule] if chunk.rule else []), *named, *chunk.filters])


def reason_in_words(reason: str) -> str:
    """Return a reason in words: `below_the_cut` -> `below the cut`."""
    return reason.replace("_", " ")


def _is_cut(chosen: Sequence[ChunkTrace]) -> bool:
    return any(chunk.given < chunk.tokens for chunk in chosen)
