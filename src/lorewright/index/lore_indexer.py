"""LoreIndexer: the seed's operations on the index, under Python names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lorewright.index.building import windows_of
from lorewright.index.library import Installed, Library
from lorewright.packs.loader import Progress, no_progress
from lorewright.packs.models import Chunk


class LoreIndexer:
    """Indexes packs into a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def index_pack(self, folder: Path, *, lenient: bool = False, progress: Progress = no_progress) -> Installed:
        """Read a pack where it lies, index and embed it, and make it current; see `Library.install`."""
        return self._library.install(folder, lenient=lenient, progress=progress)

    def index_chunk(self, chunk: Chunk) -> str:
        """Embed a chunk before its pack is indexed, which then takes the vectors from the cache; return the chunk's ID.

        An index is written whole and never changed, so no chunk joins one by itself.

        Raises:
            EmbedderError: the embedder failed.
        """
        if self._library.vectors is not None:
            self._library.vectors.embed_ahead([window.text for window in windows_of(chunk.shown, chunk.items)])
        return chunk.id

    def reindex(self, pack_id: str, *, progress: Progress = no_progress) -> Installed:
        """Read an installed pack again and index its changes; see `Library.reindex`."""
        return self._library.reindex(pack_id, progress=progress)

    def get_index_stats(self, pack_id: str) -> dict[str, Any]:
        """Return `{chunks, total_tokens, last_indexed}` of an installed pack; the last in ISO 8601.

        Raises:
            NotFound: no pack of that ID is installed.
        """
        pack = self._library.get(pack_id)
        return {"chunks": pack.chunks, "total_tokens": pack.tokens, "last_indexed": pack.installed_at}
