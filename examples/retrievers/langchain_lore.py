"""Lore as a LangChain retriever: what a seat may know, with its sources. Run: langchain_lore.py CAMPAIGN QUESTION"""

import os
import sys

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.shapes import LoreQuestion


class LoreRetriever(BaseRetriever):
    """Asks a service for lore: as your seat in a campaign; without one in packs, as `player` or `gm`."""

    client: object
    campaign: str | None = None
    viewer: str | None = None
    packs: tuple[str, ...] = ()
    limit: int = 4

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        assert isinstance(self.client, LorewrightClient)
        question = LoreQuestion(
            text=query[:2_000], campaign_id=self.campaign, seat=self.viewer, packs=self.packs, limit=self.limit
        )
        return [
            Document(
                id=chunk.chunk_id,
                page_content=chunk.text,
                metadata={
                    "source": f"{chunk.pack_id}/{chunk.file_path}",
                    "section": chunk.section_path,
                    "score": chunk.relevance_score,
                },
            )
            for chunk in self.client.query(question).chunks
        ]


if __name__ == "__main__":
    with LorewrightClient(os.environ["LOREWRIGHT_URL"], os.environ["LOREWRIGHT_TOKEN"]) as service:
        for found in LoreRetriever(client=service, campaign=sys.argv[1]).invoke(sys.argv[2]):
            print(f"{found.metadata['section']}: {found.page_content}\n")
