"""Why an answer is what it is: the trace of a query as tables that fit the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lorewright.cli.output import console, say, show_table
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace

_TERMS_SHOWN = 4
_LEFT_OUT_SHOWN = 8

_COLUMNS = ("rank", "score", "chunk", "by words", "by meaning", "ties", "tokens")
_NUMBERS = frozenset({"rank", "score", "tokens"})
_GAP = 2
# What the other columns leave of a narrow screen is shared by these; what one does not need goes to the next.
_SHARES = {"chunk": 0.42, "by words": 0.3, "ties": 0.28}


def show_trace(trace: RetrievalTrace) -> None:
    """What was chosen in the order of its rank, then the best of what was left out, by the one reason each."""
    chosen = [chunk for chunk in trace.chunks if chunk.reason is None]
    left = [chunk for chunk in trace.chunks if chunk.reason is not None]
    shown = [*chosen, *left[:_LEFT_OUT_SHOWN]]
    packs = {chunk.chunk_id.partition(":")[0] for chunk in shown}
    # Where all of it is of one pack, its name is said once.
    rows = {chunk.chunk_id: _row(chunk, short=len(packs) == 1) for chunk in shown}
    widths = _widths(list(rows.values()))
    weight = trace.vector_weight
    say("why these", style="bold")
    say(
        f"meaning counts {weight:.2f}, words {1 - weight:.2f}; names, filters and introductions come on top"
        + (f"; all of {packs.pop()}" if len(packs) == 1 else ""),
        style="dim",
    )
    show_table(_COLUMNS, [rows[chunk.chunk_id] for chunk in chosen], right=_NUMBERS, widths=widths)
    for reason in dict.fromkeys(chunk.reason for chunk in left[:_LEFT_OUT_SHOWN]):
        say()
        say(f"why not those: {_told(reason)}", style="bold")
        out = [rows[chunk.chunk_id] for chunk in left[:_LEFT_OUT_SHOWN] if chunk.reason == reason]
        show_table(_COLUMNS, out, right=_NUMBERS, widths=widths)
    if counts := Counter(_told(chunk.reason) for chunk in left[_LEFT_OUT_SHOWN:]):
        more = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
        say(f"… and {more}; --why-not CHUNK answers for any one", style="dim")


def by_words(chunk: ChunkTrace) -> str:
    """`#1: smuggler 4.2, jin 3.1`: the rank among the words' hits and what each word gives."""
    terms = sorted(chunk.terms.items(), key=lambda term: -term[1])
    words = ", ".join(f"{word} {share:.1f}" for word, share in terms[:_TERMS_SHOWN])
    more = f" +{len(terms) - _TERMS_SHOWN}" if len(terms) > _TERMS_SHOWN else ""
    return f"#{chunk.keyword_rank}: {words}{more}" if chunk.keyword_rank else ""


def by_meaning(chunk: ChunkTrace) -> str:
    """`#3: .512`: the rank among the nearest and the cosine; the cosine alone where it is none of the nearest."""
    if chunk.vector_score is None:
        return ""
    return f"#{chunk.vector_rank}: {chunk.vector_score:.2f}" if chunk.vector_rank else f"{chunk.vector_score:.2f}"


def ties(chunk: ChunkTrace) -> str:
    """What ties the chunk to the question: a rule of its entry, a name, a mention, the filters, a link."""
    named = [f"named: {chunk.name}"] if chunk.name else [f"mentions: {chunk.mention}"] if chunk.mention else []
    linked = [f"linked from {_short(chunk.linked_from)}"] if chunk.linked_from else []
    return ", ".join([*([chunk.rule] if chunk.rule else []), *named, *chunk.filters, *linked])


def _short(chunk_id: str) -> str:
    """`neo_seattle:viktor:knows` -> `viktor:knows`."""
    return chunk_id.partition(":")[2]


def _told(reason: str | None) -> str:
    return (reason or "").replace("_", " ")


def _row(chunk: ChunkTrace, *, short: bool) -> tuple[str, ...]:
    return (
        str(chunk.rank or "-"),
        f"{chunk.score:.3f}",
        _short(chunk.chunk_id) if short else chunk.chunk_id,
        by_words(chunk),
        by_meaning(chunk),
        ties(chunk),
        str(chunk.tokens),
    )


def _widths(rows: Sequence[Sequence[str]]) -> Mapping[str, int]:
    """The same columns for every table: as wide as what is in them, or what the screen leaves to them."""
    widths = {name: max([len(name), *(len(row[at]) for row in rows)]) for at, name in enumerate(_COLUMNS)}
    left = console().width - _GAP * (len(widths) - 1) - sum(widths[name] for name in widths if name not in _SHARES)
    given = {name: min(widths[name], int(left * share)) for name, share in _SHARES.items()}
    for name in given:
        given[name] += min(widths[name] - given[name], max(left - sum(given.values()), 0))
    return {**widths, **given}
