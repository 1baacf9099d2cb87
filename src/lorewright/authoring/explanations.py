"""The trace of an answer in words: what was spent, why a chunk stands in the answer, and why another does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.ranking import PARTS
from lorewright.retrieval.why_not import WhyNot

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


# The explanation of why a chunk is not in an answer, in a few sentences for its author.

# A part that gives less than this more is not named as a reason.
_TELLS = 0.01


def told_of(found: WhyNot, asked: LoreRetrievalQuery) -> list[str]:
    """Return the sentences of the explanation, in order."""
    chunk = found.chunk
    if chunk is None:
        unknown = f"{found.chunk_id}: there is no such chunk for {asked.viewer} in the packs that are asked."
        return [unknown, *([f"Did you mean {_listed(found.similar, 'or')}?"] if found.similar else [])]
    if chunk.reason is None:
        return list(_chosen(chunk, found))
    return [_left_out(chunk, found), *_lacks(chunk, found), *_remedy(chunk, found, asked)]


def _chosen(chunk: ChunkTrace, found: WhyNot) -> Iterator[str]:
    place = f"rank {chunk.rank} of {found.ranked}, score {chunk.score:.3f}" if chunk.rank else chunk.rule
    yield f"{chunk.chunk_id} was chosen: {place}."
    parts = [f"{part} {chunk.parts[part]:.3f}" for part in PARTS if part in chunk.parts]
    tied = ties(chunk)
    if parts:
        yield f"Of its score: {', '.join(parts)}{f' ({tied})' if tied else ''}."
    if chunk.given < chunk.tokens:
        yield f"It was cut: {chunk.given} of its {chunk.tokens} tokens are in the answer."


def _left_out(chunk: ChunkTrace, found: WhyNot) -> str:
    last = found.last
    stands = f"it stands at rank {chunk.rank} of {found.ranked} with {chunk.score:.3f}"
    last_chosen = f"; the last one chosen is {last.chunk_id} (rank {last.rank}) with {last.score:.3f}" if last else ""
    match chunk.reason:
        case "below_the_cut":
            because = f"for there are enough better sections: {stands}{last_chosen}"
        case "over_budget":
            because = f"for the budget of tokens was spent: {stands}, and has {chunk.tokens} tokens{last_chosen}"
        case "duplicate":
            because = f"for a better chunk says the same: {found.by}"
        case "overridden":
            because = f"for a later pack's section stands for it: {found.by or 'one of the same name'}"
        case "condition":
            because = f"for its condition does not hold: {found.condition or 'one that cannot be read'}"
        case "over_half":
            because = "for entries that are always there fill at most half of the budget, those of more priority first"
        case "not_rolled" | "cooldown" | "keys" | "requires" | "excluded" | "group":
            because = f"for a rule of its entry keeps it out: {chunk.rule}"
        case _:
            because = "for neither words nor names, filters, links or meaning point at it"
    return f"{chunk.chunk_id} was left out, {because}."


def _lacks(chunk: ChunkTrace, found: WhyNot) -> Iterator[str]:
    """Yield what the last chosen chunk has more of, and which of the question's words are not in the text."""
    if chunk.reason not in ("over_budget", "below_the_cut", "filtered"):
        return
    if chunk.rank and found.last is not None:
        more = [
            f"{part} give{'' if part in ('words', 'filters') else 's'} it {own:.3f} against {others:.3f}"
            for part in PARTS
            if (others := found.last.parts.get(part, 0.0)) - (own := chunk.parts.get(part, 0.0)) > _TELLS
        ]
        if more:
            yield f"What it lacks: {'; '.join(more)}."
    if found.lacks:
        holding = f"holds {_quoted(found.holds)}, not" if found.holds else "does not hold"
        yield f"Of the question's words it {holding} {_quoted(found.lacks, 'or')}."


def _remedy(chunk: ChunkTrace, found: WhyNot, asked: LoreRetrievalQuery) -> Iterator[str]:
    options = [f"--limit {found.from_limit}"] if found.from_limit else []
    options += [f"--max-tokens {found.from_tokens}"] if found.from_tokens else []
    if options:
        yield f"It is in the answer with {' '.join(options)}."
    match chunk.reason:
        case "duplicate" | "overridden":
            yield "Ask for one of them to be told otherwise: change its text, or take it out."
        case "over_half":
            yield "It is in the answer with a larger budget, or where the question names it."
        case "not_rolled" | "cooldown" | "keys" | "requires" | "excluded" | "group":
            yield "The rule stands in the frontmatter of its file."
        case "condition":
            yield "It comes in once the condition holds in the campaign."
        case _:
            written = f"its text or a heading says {_quoted(found.lacks[:3], 'or')}" if found.lacks else ""
            named = "an alias of its file is what people ask by" if not chunk.name else ""
            tied = (
                "" if asked.has_filters and chunk.filters else "it is tied to the place, the people or a tag asked by"
            )
            ways = [way for way in (written, named, tied) if way]
            if ways:
                yield f"It ranks higher where {'; or where '.join(ways)}."


def _quoted(words: Sequence[str], last: str = "and") -> str:
    return _listed([f"“{word}”" for word in words], last)


def _listed(parts: Sequence[str], last: str) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
