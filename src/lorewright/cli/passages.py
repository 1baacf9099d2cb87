"""What was found, as it is read: each chunk with its place, ID and score."""

from __future__ import annotations

from lorewright.cli.output import say, say_parts
from lorewright.cli.prose import laid_out
from lorewright.retrieval.query import LoreRetrievalResult


def show_passages(result: LoreRetrievalResult) -> None:
    """Print the chunks of a result, best first, and how much they are."""
    if not result.chunks:
        say("Nothing was found.")
    for chunk in result.chunks:
        say_parts(
            (chunk.section_path, "bold"), (f"  [{chunk.chunk_id}]", "dim"), (f"  {chunk.relevance_score:.2f}", "")
        )
        say(laid_out(chunk.text))
        say()
    if result.chunks:
        many = f"{len(result.chunks)} chunks" if len(result.chunks) > 1 else "1 chunk"
        say(f"{many}, {result.total_tokens} tokens", style="dim")
