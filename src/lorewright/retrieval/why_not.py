"""view, query, chunk ID -> why that chunk is not in the answer, against what is, and what would bring it in.

A chunk that the viewer may not read does not exist: the answer is the same as for an ID that nobody ever wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.keywords import content_words, matching_words, words_of
from lorewright.packs.conditions import in_words
from lorewright.retrieval.budget import DUPLICATE_SHARE
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace
from lorewright.retrieval.query import LoreRetrievalQuery, RetrievedChunk
from lorewright.retrieval.ranking import Hit
from lorewright.retrieval.retriever import FoundChunk, Retrieval, find_chunk, retrieve, why_not
from lorewright.retrieval.view import LoreView, find_same_things, ids_of, in_force, visible_text
from lorewright.scripts import is_unspaced, parts_of

# An answer and a section that is not in it -> why, and what its author can do, in their words.

# How many sections that stand before it are named.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class WhyExcluded:
    """The reason why a section is not in an answer.

    `reason` is the trace's own word, `filtered` where nothing points at the section; `rank` counts from 1, 0 where it
    was not ranked; `instead` are the sections of the answer, best first."""

    reason: str
    rank: int
    why: str
    hint: str
    instead: tuple[str, ...] = ()


def exclusion_reasons(
    retrieval: Retrieval, query: LoreRetrievalQuery, chunk: StoredChunk, *, visible: bool = True
) -> WhyExcluded | None:
    """Return why a section is not in the answer to a query; None where it is. `visible` says whether the viewer may
    read any of it."""
    chunks = retrieval.result.chunks
    if any(answer_chunk.chunk_id == chunk.id for answer_chunk in chunks):
        return None
    instead = tuple(dict.fromkeys(answer_chunk.chunk_id for answer_chunk in chunks))
    if not visible:
        role = _describe_role(chunk.role)
        why = f"{_name_viewer(query.viewer)} may not read it: it stands under a heading that is {role}"
        return WhyExcluded("not_visible", 0, why, "ask as gm, or say under revealed what they have learned", instead)
    trace = retrieval.trace.why(chunk.id)
    if trace is None:
        return WhyExcluded("filtered", 0, *_filtered(chunk), instead)
    why, hint = _explain(trace, query, chunk, chunks)
    return WhyExcluded(trace.reason or "", trace.rank, why, hint, instead)


def find_near_duplicate(chunk: StoredChunk, text: str, others: Sequence[tuple[str, str]]) -> tuple[str, float] | None:
    """Return the other section (of ID, text) that says nearly the same, and the share of common words; or None."""
    best = max(
        ((chunk_id, share_of(text, said)) for chunk_id, said in others if chunk_id != chunk.id),
        key=_second,
        default=None,
    )
    return best if best is not None and best[1] >= DUPLICATE_SHARE else None


def share_of(text: str, other: str) -> float:
    """Return the Jaccard index of two texts: common words over all words."""
    a, b = frozenset(words_of(text)), frozenset(words_of(other))
    return len(a & b) / len(a | b) if a or b else 1.0


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


def _explain(
    trace: ChunkTrace, query: LoreRetrievalQuery, chunk: StoredChunk, chunks: Sequence[RetrievedChunk]
) -> tuple[str, str]:
    before = list(dict.fromkeys(answer_chunk.chunk_id.partition("~")[0] for answer_chunk in chunks))
    match trace.reason:
        case "below_the_cut":
            why = f"below the cut, rank {trace.rank}; {_list_before(before)}"
            return why, f"{_words_hint(trace, query)}, or raise limit"
        case "over_budget":
            used = sum(answer_chunk.metadata["token_count"] for answer_chunk in chunks)
            why = f"over budget, rank {trace.rank}: {used} of {query.max_tokens} tokens went to what stands before it"
            why += f" ({', '.join(before[:_NAMED])}{', …' if len(before) > _NAMED else ''})"
            hint = "raise budget, shorten what stands before it, or split what is long"
            if trace.rank > query.limit:
                hint = f"{_words_hint(trace, query)}: no budget brings it, with {query.limit} sections"
            return f"{why}; it has {trace.tokens}", hint
        case "duplicate":
            other_section = find_near_duplicate(
                chunk, chunk.text, [(answer_chunk.chunk_id, answer_chunk.text) for answer_chunk in chunks]
            )
            same = (
                f"{other_section[0]} says the same ({_percent(other_section[1])} of the words)"
                if other_section
                else "another says the same"
            )
            return f"{same} and goes before it, rank {trace.rank}", "keep one of the two, or say what sets them apart"
        case "condition":
            hint = "say under given what holds, or mend its when:"
            if query.viewer != "gm":
                hint = (
                    "outside of a campaign only the game master reads what has a condition: say what holds under given"
                )
            return "its condition does not hold", hint
        case "overridden":
            return "a later pack's section of the same heading stands for it", "ask for that section instead"
        case "over_half":
            why = "entries that are always there fill at most half of the budget, those of more priority first"
            return why, "raise budget, give it more priority, or let fewer entries be always there"
        case None:
            return f"rank {trace.rank}", "ask for it"
        case other:
            place = f", rank {trace.rank}" if trace.rank else ""
            said = trace.rule or str(other).replace("_", " ")
            return (
                f"a rule of its entry keeps it out{place}: {said}",
                "change the rules of its entry, or query when they let it in",
            )


def _filtered(chunk: StoredChunk) -> tuple[str, str]:
    if not chunk.text:
        return "it is empty: there is nothing in it to be found", "write something below its heading"
    why = "nothing in the query matches it: no word, name, filter or meaning"
    return why, "use a word of the question in it, or give its file an alias or a tag"


def _words_hint(trace: ChunkTrace, query: LoreRetrievalQuery) -> str:
    question_words = content_words(query.keywords)
    lacking = [word for word in question_words if not _stands_in(word, trace.terms)]
    if not question_words or not lacking:
        return "say more plainly in it what it is about"
    matched = "no word" if len(lacking) == len(question_words) else "not all"
    return f"it holds {matched} of the query: it lacks {', '.join(lacking[:5])}"


def _stands_in(word: str, terms: Iterable[str]) -> bool:
    return any(part in term.split() for part in (word, *parts_of(word)) for term in terms)


def _list_before(before: Sequence[str]) -> str:
    if not before:
        return "nothing stands before it"
    if len(before) == 1:
        return f"{before[0]} stands before it"
    return f"these {len(before)} stand before it: {', '.join(before[:_NAMED])}{', …' if len(before) > _NAMED else ''}"


def _name_viewer(viewer: str) -> str:
    return "the player" if viewer == "player" else viewer


def _describe_role(role: str) -> str:
    return "a secret" if role in ("withholds", "secret") else f"not open to all ({role})"


def _percent(share: float) -> str:
    return f"{int(share * 100)} %"


# IDs less alike than this (of 100) are not suggested.
_ALIKE = 80
_SUGGESTED = 3


class WhyNot(BaseModel):
    """The reasons for a chunk's place. `chunk` is None where there is no such chunk for the viewer; `similar` are then
    IDs similar to the requested one.

    `last` is the worst-ranked chunk of the answer, `ranked` how many chunks were ranked. `holds` and `lacks` are the
    question's content words that stand in the chunk and those that do not. `from_tokens` and `from_limit` are the
    smallest budget and number of sections with which it is in the answer, each where the other is as in the query or,
    if both are set and neither helps alone, together; None where they would not help. `by` is the chunk that says the
    same or replaces it, `condition` the condition that does not hold.
    """

    model_config = ConfigDict(defer_build=True, frozen=True)

    chunk_id: str
    chunk: ChunkTrace | None = None
    last: ChunkTrace | None = None
    ranked: int = 0
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    from_tokens: int | None = None
    from_limit: int | None = None
    by: str | None = None
    condition: str | None = None
    similar: tuple[str, ...] = ()


def explain_why_not(view: LoreView, query: LoreRetrievalQuery, chunk_id: str) -> WhyNot:
    """Return why a chunk (by its ID, with or without its pack) is or is not in the answer to a query."""
    chunk = why_not(view, query, chunk_id)
    if chunk is None:
        return WhyNot(chunk_id=chunk_id, similar=_find_similar(chunk_id, in_force(view).view))
    retrieval = retrieve(view, query)
    found = _find(view, chunk)
    holds, lacks = _split_words(query.keywords, found, view.generations)
    tokens, limit = _find_bounds(retrieval, query, chunk)
    return WhyNot(
        chunk_id=chunk.chunk_id,
        chunk=chunk,
        last=_find_last(retrieval.trace),
        ranked=sum(traced.rank > 0 for traced in retrieval.trace.chunks),
        holds=holds,
        lacks=lacks,
        from_tokens=tokens,
        from_limit=limit,
        by=_find_other(view, retrieval, chunk, found),
        condition=_describe_conditions(view, found) if chunk.reason == "condition" else None,
    )


def _find(view: LoreView, chunk: ChunkTrace) -> FoundChunk:
    """Return the chunk as the viewer reads it, also where it is not in force."""
    force = in_force(view)
    for earlier in (force.view, *(removal.before for removal in reversed(force.removals))):
        if (found := find_chunk(earlier, chunk.chunk_id)) is not None:
            return found
    raise LookupError(chunk.chunk_id)  # a trace names only what the viewer can read


def _find_last(trace: RetrievalTrace) -> ChunkTrace | None:
    chosen = [chunk for chunk in trace.chunks if chunk.given and chunk.rank]
    return max(chosen, key=lambda chunk: chunk.rank, default=None)


def _split_words(
    question: str, found: FoundChunk, generations: Sequence[Generation]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the content words of the question that the chunk holds, and those that it does not."""
    if not question.strip():
        return (), ()
    english = next(generation.english for generation in generations if generation.pack_id == found.chunk.pack_id)
    words = content_words(question, english=english)
    texts = (found.text, found.chunk.title, found.chunk.section)
    matching = matching_words(words, texts, english=english)
    held = [part for word in words if matching[word] for part in _held(word, matching[word])]
    return tuple(dict.fromkeys(held)), tuple(word for word in words if not matching[word])


def _held(word: str, matching: frozenset[str]) -> list[str]:
    """Return a word, or in a script without spaces the longest of its parts that were matched."""
    if not is_unspaced(word):
        return [word]
    return [
        part for part in parts_of(word) if part in matching and not any(part in other != part for other in matching)
    ]


def _find_bounds(retrieval: Retrieval, query: LoreRetrievalQuery, chunk: ChunkTrace) -> tuple[int | None, int | None]:
    """Return the smallest budget and the smallest limit with which a chunk that was left out is in the answer."""
    if chunk.reason not in ("over_budget", "below_the_cut"):
        return None, None
    tokens, limit = sum(hit.token_count for hit in retrieval.at_hand), max(len(retrieval.at_hand), 1)

    def is_in(max_tokens: int, sections: int) -> bool:
        return chunk.chunk_id in retrieval.refit(max_tokens, sections)

    if is_in(query.max_tokens, limit):
        return None, _smallest(query.limit, limit, lambda sections: is_in(query.max_tokens, sections))
    if is_in(tokens, query.limit):
        return _smallest(query.max_tokens, tokens, lambda max_tokens: is_in(max_tokens, query.limit)), None
    if is_in(tokens, limit):
        sections = _smallest(query.limit, limit, lambda number: is_in(tokens, number))
        return _smallest(query.max_tokens, tokens, lambda max_tokens: is_in(max_tokens, sections)), sections
    return None, None


def _smallest(low: int, high: int, is_enough: Callable[[int], bool]) -> int:
    """Return the smallest number that is enough, for which `low` is not and `high` and all above it are."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _find_other(view: LoreView, retrieval: Retrieval, chunk: ChunkTrace, found: FoundChunk) -> str | None:
    if chunk.reason == "duplicate":
        return same_as(found.text, [hit for hit in retrieval.at_hand if hit.chunk.id in _chosen(retrieval)])
    if chunk.reason == "overridden":
        return _find_override(found.chunk, in_force(view).view)
    return None


def _chosen(retrieval: Retrieval) -> set[str]:
    return {chunk.chunk_id for chunk in retrieval.result.chunks}


def same_as(text: str, hits: Sequence[Hit]) -> str | None:
    """Return the ID of the hit whose words are most like a text's; the first of equals."""
    shares = {hit.chunk.id: share_of(text, hit.text) for hit in hits}
    return max(shares, key=lambda chunk_id: shares[chunk_id]) if shares else None


def _find_override(chunk: StoredChunk, view: LoreView) -> str | None:
    """Return the section of the same slug in another pack's file on the same thing, or None."""
    slug = chunk.section_id.removeprefix(f"{chunk.entity_id}:")
    same = ids_of(chunk.entity_id, find_same_things(view.generations))
    ids = [f"{same_id}:{slug}" for same_id in same if same_id != chunk.entity_id]
    return next((entity_id for entity_id in ids if find_chunk(view, entity_id) is not None), None)


def _describe_conditions(view: LoreView, found: FoundChunk) -> str | None:
    generation = next(pack for pack in view.generations if pack.pack_id == found.chunk.pack_id)
    told = [in_words(condition.when) for condition in generation.conditions() if condition.row == found.chunk.row]
    return "; ".join(dict.fromkeys(told)) or None


def _find_similar(chunk_id: str, view: LoreView) -> tuple[str, ...]:
    """Return IDs similar to the requested one, among those that the viewer may read."""
    # Imported late: only an ID that nobody has is compared with others.
    from rapidfuzz import fuzz, process

    ids = [
        chunk.id
        for generation in view.generations
        for chunk in generation.all_chunks()
        if visible_text(view, generation, chunk)
    ]
    full = ":" in chunk_id and chunk_id.partition(":")[0] in {generation.pack_id for generation in view.generations}
    names = ids if full else [entity_id.partition(":")[2] for entity_id in ids]
    found = process.extract(chunk_id, names, scorer=fuzz.ratio, limit=_SUGGESTED, score_cutoff=_ALIKE)
    return tuple(ids[place] for _, _, place in found)
