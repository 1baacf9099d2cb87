"""Lore as a LlamaIndex retriever: what a seat may know, with its sources. Run: llama_index_lore.py CAMPAIGN QUESTION"""

import os
import sys

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.shapes import LoreQuestion


class LoreRetriever(BaseRetriever):
    """Asks a service for lore: as your seat in a campaign; without one in packs, as `player` or `gm`."""

    def __init__(
        self,
        client: LorewrightClient,
        *,
        campaign: str | None = None,
        viewer: str | None = None,
        packs: tuple[str, ...] = (),
        limit: int = 4,
    ) -> None:
        self._service = client
        self._asked = LoreQuestion(campaign_id=campaign, seat=viewer, packs=packs, limit=limit)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = self._asked.model_copy(update={"text": query_bundle.query_str[:2_000]})
        return [
            NodeWithScore(
                node=TextNode(
                    id_=chunk.chunk_id,
                    text=chunk.text,
                    metadata={"source": f"{chunk.pack_id}/{chunk.file_path}", "section": chunk.section_path},
                ),
                score=chunk.relevance_score,
            )
            for chunk in self._service.query(question).chunks
        ]


if __name__ == "__main__":
    with LorewrightClient(os.environ["LOREWRIGHT_URL"], os.environ["LOREWRIGHT_TOKEN"]) as service:
        for found in LoreRetriever(service, campaign=sys.argv[1]).retrieve(sys.argv[2]):
            print(f"{found.node.metadata['section']}: {found.text}\n")
