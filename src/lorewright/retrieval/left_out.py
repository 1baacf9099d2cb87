"""An answer and a section that is not in it -> why, and what its author can do, in their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.index.generation import StoredChunk
from lorewright.index.words import content_words, words_of
from lorewright.retrieval.budget import DUPLICATE_SHARE
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.query import LoreRetrievalQuery, RetrievedChunk
from lorewright.retrieval.retriever import Retrieval

# So many of what stands before it are named.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`reason` is the trace's own word, `filtered` where nothing points at the section; `rank` counts from 1, 0 where
    it was not ranked; `instead` are the sections of the answer, best first."""

    reason: str
    rank: int
    why: str
    hint: str
    instead: tuple[str, ...] = ()


def left_out(
    retrieval: Retrieval, query: LoreRetrievalQuery, chunk: StoredChunk, *, visible: bool = True
) -> LeftOut | None:
    """Why a section is not in the answer to a query; None where it is. `visible` says whether the viewer may read any
    of it."""
    chunks = retrieval.result.chunks
    if any(one.chunk_id == chunk.id for one in chunks):
        return None
    instead = tuple(dict.fromkeys(one.chunk_id for one in chunks))
    if not visible:
        why = f"{_who(query.viewer)} may not read it: it stands under a heading that is {_kept(chunk.role)}"
        return LeftOut("not_visible", 0, why, "ask as gm, or say under revealed what they have learned", instead)
    trace = retrieval.trace.why(chunk.id)
    if trace is None:
        return LeftOut("filtered", 0, *_filtered(query, chunk), instead)
    why, hint = _said(trace, query, chunk, chunks)
    return LeftOut(trace.reason or "", trace.rank, why, hint, instead)


def same_said(chunk: StoredChunk, text: str, others: Sequence[tuple[str, str]]) -> tuple[str, float] | None:
    """Of other sections (ID, text) the one that says nearly the same, and how much of their words they share."""
    best = max(((one, share_of(text, said)) for one, said in others if one != chunk.id), key=_second, default=None)
    return best if best is not None and best[1] >= DUPLICATE_SHARE else None


def share_of(text: str, other: str) -> float:
    """Of all words of two texts the share that both have."""
    a, b = frozenset(words_of(text)), frozenset(words_of(other))
    return len(a & b) / len(a | b) if a or b else 1.0


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


def _said(
    trace: ChunkTrace, query: LoreRetrievalQuery, chunk: StoredChunk, chunks: Sequence[RetrievedChunk]
) -> tuple[str, str]:
    before = list(dict.fromkeys(one.chunk_id.partition("~")[0] for one in chunks))
    match trace.reason:
        case "below_the_cut":
            why = f"below the cut, rank {trace.rank}; {_stands(before)}"
            return why, f"{_words_hint(trace, query)}, or raise limit"
        case "over_budget":
            used = sum(one.metadata["token_count"] for one in chunks)
            why = f"over budget, rank {trace.rank}: {used} of {query.max_tokens} tokens went to what stands before it"
            why += f" ({', '.join(before[:_NAMED])}{', …' if len(before) > _NAMED else ''})"
            hint = "raise budget, shorten what stands before it, or split what is long"
            if trace.rank > query.limit:
                hint = f"{_words_hint(trace, query)}: no budget brings it, with {query.limit} sections"
            return f"{why}; it has {trace.tokens}", hint
        case "duplicate":
            twin = same_said(chunk, chunk.text, [(one.chunk_id, one.text) for one in chunks])
            same = f"{twin[0]} says the same ({_percent(twin[1])} of the words)" if twin else "another says the same"
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
        case None:
            return f"rank {trace.rank}", "ask for it"
        case other:
            place = f", rank {trace.rank}" if trace.rank else ""
            said = trace.rule or str(other).replace("_", " ")
            return (
                f"a rule of its entry keeps it out{place}: {said}",
                "mend its entry's rules, or ask where they let it in",
            )


def _filtered(query: LoreRetrievalQuery, chunk: StoredChunk) -> tuple[str, str]:
    if not chunk.text:
        return "it is empty: there is nothing in it to be found", "write something below its heading"
    why = "nothing of what is asked points at it: no word, name or link, nor what it means"
    return why, "use a word of the question in it, or give its file an alias or a tag"


def _words_hint(trace: ChunkTrace, query: LoreRetrievalQuery) -> str:
    asked = content_words(query.keywords)
    lacking = [word for word in asked if not any(word in term.split() for term in trace.terms)]
    if not asked or not lacking:
        return "say more plainly in it what it is about"
    held = "no word" if len(lacking) == len(asked) else "not all"
    return f"it holds {held} of what is asked: it lacks {', '.join(lacking[:5])}"


def _stands(before: Sequence[str]) -> str:
    if not before:
        return "nothing stands before it"
    if len(before) == 1:
        return f"{before[0]} stands before it"
    return f"these {len(before)} stand before it: {', '.join(before[:_NAMED])}{', …' if len(before) > _NAMED else ''}"


def _who(viewer: str) -> str:
    return "the player" if viewer == "player" else viewer


def _kept(role: str) -> str:
    return "a secret" if role in ("withholds", "secret") else f"not open to all ({role})"


def _percent(share: float) -> str:
    return f"{int(share * 100)} %"
