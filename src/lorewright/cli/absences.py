"""Why a chunk is not in an answer, in a few sentences that its author understands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.cli.output import say
from lorewright.cli.prose import wrapped
from lorewright.cli.tracing import ties
from lorewright.retrieval.absence import Absence
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.ranking import PARTS

# A part that gives less than this more is no reason.
_TELLS = 0.01


def show_absence(found: Absence, asked: LoreRetrievalQuery) -> None:
    """Print where the chunk stands, what it lacks, and what would bring it in."""
    for number, sentence in enumerate(told_of(found, asked)):
        say(wrapped(sentence, whole_words=True), style="" if number == 0 else "dim")


def told_of(found: Absence, asked: LoreRetrievalQuery) -> list[str]:
    """The sentences, one for each of these."""
    chunk = found.chunk
    if chunk is None:
        none = f"{found.chunk_id}: there is no such chunk for {asked.viewer} in the packs that are asked."
        return [none, *([f"Did you mean {_listed(found.similar, 'or')}?"] if found.similar else [])]
    if chunk.reason is None:
        return list(_chosen(chunk, found))
    return [_left_out(chunk, found), *_lacks(chunk, found), *_remedy(chunk, found, asked)]


def _chosen(chunk: ChunkTrace, found: Absence) -> Iterator[str]:
    place = f"rank {chunk.rank} of {found.ranked}, score {chunk.score:.3f}" if chunk.rank else chunk.rule
    yield f"{chunk.chunk_id} was chosen: {place}."
    parts = [f"{part} {chunk.parts[part]:.3f}" for part in PARTS if part in chunk.parts]
    tied = ties(chunk)
    if parts:
        yield f"Of its score: {', '.join(parts)}{f' ({tied})' if tied else ''}."
    if chunk.given < chunk.tokens:
        yield f"It was cut: {chunk.given} of its {chunk.tokens} tokens are in the answer."


def _left_out(chunk: ChunkTrace, found: Absence) -> str:
    last = found.last
    stands = f"it stands at rank {chunk.rank} of {found.ranked} with {chunk.score:.3f}"
    against = f"; the last one chosen is {last.chunk_id} (rank {last.rank}) with {last.score:.3f}" if last else ""
    match chunk.reason:
        case "below_the_cut":
            why = f"for there are enough better sections: {stands}{against}"
        case "over_budget":
            why = f"for the budget of tokens was spent: {stands}, and has {chunk.tokens} tokens{against}"
        case "duplicate":
            why = f"for a better chunk says the same: {found.by}"
        case "overridden":
            why = f"for a later pack's section stands for it: {found.by or 'one of the same name'}"
        case "condition":
            why = f"for its condition does not hold: {found.condition or 'one that cannot be read'}"
        case "not_rolled" | "cooldown" | "requires" | "excluded" | "group":
            why = f"for a rule of its entry keeps it out: {chunk.rule}"
        case _:
            why = "for neither words nor names, filters, links or meaning point at it"
    return f"{chunk.chunk_id} was left out, {why}."


def _lacks(chunk: ChunkTrace, found: Absence) -> Iterator[str]:
    """What the last one chosen has more of, and which of the question's words are not in the text."""
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
        held = f"holds {_quoted(found.holds)}, not" if found.holds else "does not hold"
        yield f"Of the question's words it {held} {_quoted(found.lacks, 'or')}."


def _remedy(chunk: ChunkTrace, found: Absence, asked: LoreRetrievalQuery) -> Iterator[str]:
    options = [f"--limit {found.from_limit}"] if found.from_limit else []
    options += [f"--max-tokens {found.from_tokens}"] if found.from_tokens else []
    if options:
        yield f"It is in the answer with {' '.join(options)}."
    match chunk.reason:
        case "duplicate" | "overridden":
            yield "Ask for one of them to be told otherwise: change its text, or take it out."
        case "not_rolled" | "cooldown" | "requires" | "excluded" | "group":
            yield "The rule stands in the frontmatter of its file."
        case "condition":
            yield "It comes in once the condition holds in the campaign."
        case _:
            written = f"its text or a heading says {_quoted(found.lacks[:3], 'or')}" if found.lacks else ""
            named = "an alias of its file is what people ask by" if not (chunk.name or chunk.mention) else ""
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
