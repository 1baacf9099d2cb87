"""LoreIndexer: the seed's operations on the index: packs are installed, indexed anew, removed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lorewright.errors import EmbedderError, PackError
from lorewright.index.building import TEMPORARY, build_generation, windows_of
from lorewright.index.generation import GenerationKey
from lorewright.index.installed_packs import MIGRATIONS, InstalledPack, values_of
from lorewright.index.library import Library
from lorewright.index.vector_building import Embedding
from lorewright.logs import log_event
from lorewright.packs.content_hash import content_hash_of, reading_of
from lorewright.packs.files import Finding, Progress, no_progress
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Chunk, Pack
from lorewright.packs.pack_loader import PackLoader
from lorewright.storage.database import opened
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.faults import step
from lorewright.storage.tables import migrate


@dataclass(frozen=True, slots=True)
class Installed:
    """The result of an install: the row, the findings, whether anything had to be built, how many windows were
    embedded; and if that failed, why: the pack is installed all the same, and searched by keywords."""

    pack: InstalledPack
    findings: tuple[Finding, ...]
    built: bool
    embedding: Embedding | None = None
    not_embedded: EmbedderError | None = None


class LoreIndexer:
    """Changes what is installed in a library, and indexes it."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def index_pack(self, folder: Path, *, lenient: bool = False, progress: Progress = no_progress) -> Installed:
        """Read a pack where it lies, build its generation and make it the current one; then embed it.

        The library changes in one transaction once keywords find the pack: before it nothing is installed, after it
        everything but the vectors, which are added when they are ready.

        Raises:
            PackError: the folder is no pack, has errors (unless `lenient`), or its ID belongs to a pack elsewhere.
        """
        pack = self.check(folder, lenient=lenient, progress=progress)
        return self.index_checked_pack(pack, lenient=lenient, progress=progress)

    def index_checked_pack(self, pack: Pack, *, lenient: bool = False, progress: Progress = no_progress) -> Installed:
        """Do the rest of `index_pack`, for a pack that was read and checked.

        Raises:
            PackError: it has errors (unless `lenient`).
            NotTrusted: the workspace's embedder may not be used; nothing was installed.
        """
        refuse_errors(pack, lenient=lenient)
        self.library.hold_to_trust()
        step("install:read")
        key = GenerationKey(pack.manifest.id, pack.content_hash)
        built = not self.library.has(key)
        with self.library.changing():
            build_generation(pack, self.library.generations)
            self._record(pack, lenient=lenient)
        return self._embedded(Installed(self.library.get(pack.manifest.id), pack.findings, built), progress)

    def _embedded(self, installed: Installed, progress: Progress) -> Installed:
        """Embed what is installed; return it with what came of that."""
        key = installed.pack.key
        try:
            installed = replace(installed, embedding=self.library.embed(key, progress=progress))
        except EmbedderError as problem:
            log_event("error", level="warning", pack=key.pack_id, code=problem.code)
            installed = replace(installed, not_embedded=problem)
        embedded = 0 if installed.embedding is None else installed.embedding.new
        chunks, built = installed.pack.chunks, installed.built
        log_event("reindexed", pack=key.pack_id, chunks=chunks, embedded=embedded, built=built)
        return installed

    def index_chunk(self, chunk: Chunk) -> str:
        """Embed a chunk before its pack is indexed, which then takes the vectors from the cache; return the chunk's ID.

        An index is written whole and never changed, so no chunk joins one by itself.

        Raises:
            EmbedderError: the embedder failed.
        """
        if self.library.vectors is not None:
            self.library.vectors.embed_ahead([window.text for window in windows_of(chunk.shown, chunk.items)])
        return chunk.id

    def index_folder(self, folder: Path, *, progress: Progress = no_progress) -> Installed:
        """Index a folder's text, files with errors left out, without changing what is installed.

        A pack that is not installed yet is installed. If the installed text differs, the new one gets a generation of
        its own that the library does not list; the result describes that text.

        Raises:
            PackError: as `index_pack`.
        """
        pack = self.check(folder, lenient=True, progress=progress)
        current = next((installed for installed in self.library.packs() if installed.id == pack.manifest.id), None)
        if current is None:
            return self.index_checked_pack(pack, lenient=True, progress=progress)
        key = GenerationKey(current.id, pack.content_hash)
        built = not self.library.has(key)
        if built:
            with self.library.changing():
                build_generation(pack, self.library.generations)
        if current.content_hash == pack.content_hash:
            return Installed(current, pack.findings, built)
        tokens = sum(chunk.token_count for chunk in pack.chunks)
        text = replace(
            current,
            name=pack.manifest.name,
            version=pack.manifest.version,
            layer=pack.manifest.layer,
            path=pack.root,
            content_hash=pack.content_hash,
            files=len(pack.entities),
            chunks=len(pack.chunks),
            tokens=tokens,
            depends_on=tuple((dependency.id, dependency.version) for dependency in pack.manifest.depends_on),
        )
        return Installed(text, pack.findings, built)

    def forget_text(self, key: GenerationKey) -> None:
        """Delete the generations of a text, unless it is that of an installed pack."""
        with self.library.changing():
            if key not in {pack.key for pack in self.library.packs()}:
                for folder in self.library.spaces(key).values():
                    self.library.folder.remove(folder)

    def reindex(self, pack_id: str, *, anew: bool = False, progress: Progress = no_progress) -> Installed:
        """Read an installed pack again from its folder and index what has changed. A text that has not changed is not
        parsed, unless `anew`: then its index is built again where it is missing or damaged.

        Raises:
            NotFound: no pack of that ID is installed.
            PackError: its folder is missing or has errors now; the installed pack stays.
        """
        pack = self.library.get(pack_id)
        findings = None if anew else self._findings_of_same_text(pack)
        if findings is not None:
            self.library.hold_to_trust()
            return self._embedded(Installed(pack, findings, built=False), progress)
        return self.index_pack(Path(pack.path), lenient=pack.lenient, progress=progress)

    def _findings_of_same_text(self, pack: InstalledPack) -> tuple[Finding, ...] | None:
        """Return the findings about an installed pack whose folder has the text that is indexed, sorted; None where it
        is to be read anew."""
        root = Path(pack.path)
        own = self.library.findings_of(pack.id) if root.is_dir() and self.library.has(pack.key) else None
        if own is None or content_hash_of(root) != pack.content_hash:
            return None
        beside = PackLoader(root.parent, self.library.neighbours()).check_beside(root)
        return None if any(finding.severity == "error" for finding in beside) else tuple(sorted({*own, *beside}))

    def check(self, folder: Path, *, lenient: bool = False, progress: Progress = no_progress) -> Pack:
        """Read a pack and check that it may be installed.

        Raises:
            PackError: it may not.
        """
        pack = PackLoader(folder.parent, self.library.neighbours()).check_pack(folder, progress=progress)
        refuse_errors(pack, lenient=lenient)
        return pack

    def remove(self, pack_id: str) -> None:
        """Forget a pack, then delete its generations; folders that a crash leaves are deleted by the next removal.

        Raises:
            NotFound: no pack of that ID is installed.
        """
        self.library.get(pack_id)
        with self.library.changing():
            with opened(self.library.database) as database, database.transaction() as connection:
                connection.execute("DELETE FROM content_packs WHERE id = ?", (pack_id,))
                step("remove:recording")
            step("remove:recorded")
            needed = {pack.id for pack in self.library.packs()} | self.library.lost()
            for folder in self.library.folder.entries(self.library.generations):
                if folder.name == pack_id or (folder.name[0] != "." and folder.name not in needed):
                    self._delete(folder)
        step("remove:deleted")

    def _delete(self, folder: Path) -> None:
        """Delete a pack's generations, renamed first, so that a process that builds Chroma in one of them fails to put
        it there."""
        home = Enclosure(self.library.generations)
        home.refuse_links(folder)
        aside = home.temporary_folder(TEMPORARY)
        home.move(folder, aside / folder.name)
        home.remove(aside)

    def rebuild(self, folder: Path, *, content_hash: str, progress: Progress = no_progress) -> GenerationKey:
        """Build the generation of a stored text, without installing it; without vectors where the embedder fails.

        Raises:
            PackError: the folder's text has another hash.
        """
        reading = reading_of(folder, content_hash)
        if reading is None:
            raise PackError(f"the kept text of {folder.name} is damaged", hint="restore it from a backup")
        pack = load_pack(folder, progress=progress, reading=reading)
        key = build_generation(pack, self.library.generations)
        with suppress(EmbedderError):
            self.library.embed(key, progress=progress)
        return key

    def _record(self, pack: Pack, *, lenient: bool) -> None:
        row = values_of(pack, self.library.home, lenient=lenient)
        with opened(self.library.database) as database:
            migrate(database, MIGRATIONS, rebuildable=True)
            with database.transaction() as connection:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT OR REPLACE INTO content_packs VALUES ({marks})", row)
                step("install:recording")
        step("install:recorded")

    def get_index_stats(self, pack_id: str) -> dict[str, Any]:
        """Return `{chunks, total_tokens, last_indexed}` of an installed pack; the last in ISO 8601.

        Raises:
            NotFound: no pack of that ID is installed.
        """
        pack = self.library.get(pack_id)
        return {"chunks": pack.chunks, "total_tokens": pack.tokens, "last_indexed": pack.installed_at}


def refuse_errors(pack: Pack, *, lenient: bool) -> None:
    """Pass a pack that may be installed; `lenient` leaves out files with errors, if `pack.yaml` has none.

    Raises:
        PackError: it may not be installed.
    """
    if not pack.errors or (lenient and not any(finding.file == "pack.yaml" for finding in pack.errors)):
        return
    first = "\n  ".join(str(finding) for finding in pack.errors[:5])
    more = f"\n  … and {len(pack.errors) - 5} more" if len(pack.errors) > 5 else ""
    raise PackError(
        f"{pack.manifest.id} was not installed: {len(pack.errors)} error(s)\n  {first}{more}",
        hint="mend them, or install the rest with --lenient",
    )
