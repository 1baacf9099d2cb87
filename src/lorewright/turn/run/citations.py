"""What a narration quotes -> where it stands. Only what the narrator was given can be cited."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.ids import shown_item
from lorewright.index.generation import Generation
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.values.records import NarratorInput, NarratorOutput
from lorewright.values.result import Citation


def citations(told: NarratorOutput, given: NarratorInput, generations: Sequence[Generation]) -> tuple[Citation, ...]:
    """A citation for each thing cited, in order, each once. IDs that were not in the narrator's input are dropped, and
    so are events, which stand in no chunk.

    A built-in narration cites what it quotes; a model's what it says it rests on, in words of its own.
    """
    quotes, in_own_words = _quotable(given), bool(told.support)
    if in_own_words:
        rested_on = [(one.id, (one.id.partition("#")[0], one.text)) for one in sources_of(given) if one.kind != "event"]
        # Of a chunk with several sentences the first that was shown stands for it.
        quotes |= {source_id: [quote] for source_id, quote in reversed(rested_on)}
    found: list[Citation] = []
    for cited in dict.fromkeys(told.cited):
        for chunk_id, quote in quotes.get(cited, ()):
            if quote not in told.final_text and "#" not in cited and not in_own_words:
                continue
            citation = _citation(cited, chunk_id, quote, generations)
            found += [citation] if citation else []
    return tuple(found)


def _quotable(given: NarratorInput) -> dict[str, list[tuple[str, str]]]:
    """Item or chunk ID -> (chunk ID, text) of each thing that stands under it."""
    quotes: dict[str, list[tuple[str, str]]] = {}
    for evidence in given.evidence:
        quotes.setdefault(evidence.item_id, []).append((evidence.chunk_id, evidence.text))
    lines = [*given.scene.atmosphere, *given.scene.overview]
    lines += [line for person in given.scene.people for line in person.disposition]
    lines += [line for texts in given.described.values() for line in texts]
    for line in lines:
        quotes.setdefault(line.chunk_id, []).append((line.chunk_id, line.text))
    return quotes


def _citation(cited: str, chunk_id: str, quote: str, generations: Sequence[Generation]) -> Citation | None:
    for generation in generations:
        chunk = generation.chunk(chunk_id)
        if chunk is not None:
            return Citation(
                cite=shown_item(cited),
                chunk_id=chunk_id,
                item_id=cited if "#" in cited else None,
                file_path=chunk.file_path,
                section_path=chunk.section_path,
                quote=quote,
            )
    return None
