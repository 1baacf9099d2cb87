"""The composition root of the lore half: settings -> installed packs that can be searched.

Nothing of the game is imported, so that a question on the command line is answered quickly.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from lorewright.errors import EmbedderError, SettingsError
from lorewright.index.embedders.choosing import open_embedder
from lorewright.index.embedders.embedder import Embedder, GuardedEmbedder, GuardedReranker, RememberingEmbedder, Vectors
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library, OpenNearest, without_index
from lorewright.index.reranker import Reranker
from lorewright.index.reranker_choice import open_reranker
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.vectors.stored import StoredVectors
from lorewright.settings import FOLDERS, SETTINGS_FILE, IndexSettings, Workspace, find_workspace, read_workspace
from lorewright.storage.enclosure import is_link
from lorewright.trust import hold_embedder, hold_reranker, is_granted, reaches_by_embedder, reaches_by_reranker

if TYPE_CHECKING:
    from lorewright.index.artifacts.lore_store import LoreStore
    from lorewright.index.lore_indexer import Installed, LoreIndexer
    from lorewright.retrieval.query import LoreRetrievalResult
    from lorewright.scene_lore.lore_retriever import LoreRetriever

_DEFAULT_SETTINGS = """\
# A Lorewright workspace: packs, scenarios, and the campaigns made from them.
name = "{name}"

[lore]
limit = 10          # sections that a query gives
max_tokens = 3000   # and how much text; docs/retrieval.md has the budgets of games

[index]
embedder = "minilm" # or none, openai, voyage, st/NAME: after a change run `lorewright pack reindex`
"""

# Below this many windows comparing all of them is faster than asking Chroma (`benchmarks/nearest.py`): of 25,000 ten
# times, of 100,000 five times. Chroma's advantage begins beyond what was measured.
_CHROMA_FROM = 500_000


@dataclass(frozen=True, slots=True)
class LoreApp:
    """The parts that search the packs of a workspace."""

    workspace: Workspace
    library: Library
    cache: EmbeddingCache
    # Why packs are searched by words alone although the settings name an embedder.
    without_vectors: EmbedderError | None = None

    @property
    def indexer(self) -> LoreIndexer:
        """Installs packs, indexes them anew and removes them."""
        from lorewright.index.lore_indexer import LoreIndexer

        return LoreIndexer(self.library)

    @property
    def retriever(self) -> LoreRetriever:
        """Answers questions about the installed packs."""
        from lorewright.retrieval.pack_views import PackViews
        from lorewright.scene_lore.lore_retriever import LoreRetriever

        return LoreRetriever(PackViews(self.library))

    def install(self, folder: Path | str, *, lenient: bool = False) -> Installed:
        """Install a pack where it lies, or read it again; existing parts are not rebuilt. See `LoreIndexer.index_pack`.

        Raises:
            PackError: the folder is no pack, has errors (unless `lenient`), or its ID belongs to a pack elsewhere.
        """
        return self.indexer.index_pack(Path(folder), lenient=lenient)

    def query(self, words: str = "", *, packs: Sequence[str] = (), **fields: Any) -> LoreRetrievalResult:
        """Return the best lore of the packs (all installed ones, if none is named) for some words, best first.

        `fields` are those of `LoreRetrievalQuery` besides the words: `viewer`, `location_id`, `entity_ids`, `tags` and
        so on; `limit` and `max_tokens` default to the workspace's. The `retriever` also gives the explanation of an
        answer, and all that tells of one entity.

        Raises:
            NotFound: no pack is installed, or a pack or character does not exist.
            SettingsError: there is no such field, or its value is invalid.
        """
        from lorewright.retrieval.query import LoreRetrievalQuery

        try:
            query = LoreRetrievalQuery(**{**self.workspace.settings.lore.of_query, **fields, "keywords": words})
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            known = ", ".join(sorted(LoreRetrievalQuery.model_fields))
            where = ".".join(map(str, first["loc"]))
            raise SettingsError(f"{where}: {first['msg']}", hint=f"fields of a query: {known}") from None
        return self.retriever.retrieve(query, packs=packs, explained=False).result


def open_lore(
    start: Path | str | None = None, *, long_lived: bool = False, lore_store: LoreStore | None = None
) -> LoreApp:
    """Return the lore half for the workspace around a folder; outside of any workspace the user's own, made on first
    use.

    `long_lived` is for a process that answers many questions: it may take the time to open what makes them faster.
    With a `lore_store` packs that are not installed come from there.

    Raises:
        SettingsError: the settings cannot be read as intended.
    """
    workspace = find_workspace(Path(start or Path.cwd()).absolute())
    if not workspace.root.is_dir():
        make_workspace(workspace.root)
        workspace = read_workspace(workspace.root)
    embedder, missing = _embedder(workspace.settings.index)
    cache = EmbeddingCache(workspace.indexes / "embeddings.db")
    library = _library(workspace, embedder, cache, long_lived=long_lived, lore_store=lore_store)
    return LoreApp(workspace, library, cache, missing)


def _embedder(settings: IndexSettings) -> tuple[Embedder | None, EmbedderError | None]:
    """Return the embedder that the settings name, or the reason why packs are searched by words alone. An embedder that
    needs a grant is used only after it."""

    def open_it() -> Embedder | None:
        return open_embedder(settings.embedder, base_url=settings.base_url)

    try:
        found = _guarded(settings, open_it)
    except EmbedderError as problem:
        return None, problem
    return RememberingEmbedder(found) if found else None, None


def _guarded(settings: IndexSettings, open_it: Callable[[], Embedder | None]) -> Embedder | None:
    if not reaches_by_embedder(settings) or is_granted(settings):
        return open_it()

    def opened() -> Embedder:
        found = open_it()
        assert found is not None
        return found

    # The fingerprint of a model in a folder needs reading the folder, so it is not known before the grant. That of a
    # server needs only its address.
    known = None if settings.embedder.startswith("st/") else opened().fingerprint
    return GuardedEmbedder(opened, partial(hold_embedder, settings), fingerprint=known)


def _reranker(settings: IndexSettings) -> Reranker | None:
    found = open_reranker(settings.reranker)
    if found is None or not reaches_by_reranker(settings):
        return found
    return GuardedReranker(found, partial(hold_reranker, settings))


def _library(
    workspace: Workspace,
    embedder: Embedder | None,
    cache: EmbeddingCache,
    *,
    long_lived: bool,
    lore_store: LoreStore | None,
) -> Library:
    reranker = _reranker(workspace.settings.index)
    if embedder is None:
        return make_library(workspace.indexes, lore_store, reranker=reranker)
    smallest = chroma_from(workspace.settings.index)
    worth_opening = long_lived or workspace.settings.index.chroma == "always"

    def build_nearest(folder: Path) -> bool:
        # Otherwise the command that installs builds it, once its pack answers.
        if workspace.settings.index.chroma != "always":
            return False
        from lorewright.index.vectors.chroma_building import build_missing_chroma

        return build_missing_chroma(folder)

    def open_nearest(folder: Path, found: Vectors) -> StoredVectors:
        is_worth_it = worth_opening and smallest is not None and len(found) >= smallest
        if not is_worth_it:
            return StoredVectors(found)
        from lorewright.index.vectors.chroma import open_chroma

        return StoredVectors(found, open_chroma(folder))

    hold = partial(hold_embedder, workspace.settings.index)
    vectors = VectorBuilder(embedder, cache, build_nearest, hold)
    return make_library(workspace.indexes, lore_store, vectors, open_nearest=open_nearest, reranker=reranker)


def make_library(
    indexes: Path,
    lore_store: LoreStore | None,
    vectors: VectorBuilder | None = None,
    *,
    open_nearest: OpenNearest = without_index,
    reranker: Reranker | None = None,
) -> Library:
    """Return the library of a folder of indexes, with the packs of a store where there is one."""
    if lore_store is None:
        return Library(indexes, vectors, open_nearest=open_nearest, reranker=reranker)
    from lorewright.index.artifacts.store_library import StoreLibrary

    return StoreLibrary(indexes, vectors, store=lore_store, open_nearest=open_nearest, reranker=reranker)


def chroma_from(settings: IndexSettings) -> int | None:
    """Return the least number of windows at which a generation's Chroma is searched; None where none is."""
    return {"always": 1, "auto": _CHROMA_FROM, "never": None}[settings.chroma]


def make_workspace(root: Path) -> list[str]:
    """Make a workspace with the packs and scenarios that ship; return the new paths, relative to it. Nothing is
    overwritten, and nothing is written through a link.

    Raises:
        SettingsError: the path is a file.
    """
    made = make_empty_workspace(root)
    shipped = shipped_content()
    for source in (*sorted((shipped / "content_packs").iterdir()), *sorted((shipped / "scenarios").iterdir())):
        target = root / source.relative_to(shipped)
        if os.path.lexists(target) or is_link(target.parent) or source.name.startswith("."):
            continue
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)
        made.append(target.relative_to(root).as_posix())
    return made


def make_empty_workspace(root: Path) -> list[str]:
    """Make the folders and the settings of a workspace, without what ships; return as `make_workspace` does.

    Raises:
        SettingsError: the path is a file.
    """
    if root.exists() and not root.is_dir():
        raise SettingsError(f"{root} is not a folder", hint="name a folder")
    made: list[str] = []
    for folder in FOLDERS:
        if not os.path.lexists(root / folder):
            (root / folder).mkdir(parents=True)
            made.append(f"{folder}/")
    if not os.path.lexists(root / SETTINGS_FILE):
        (root / SETTINGS_FILE).write_text(_DEFAULT_SETTINGS.format(name=root.name), encoding="utf-8")
        made.append(SETTINGS_FILE)
    return made


def shipped_content() -> Path:
    """Return the folder with the packs and scenarios that ship: in the package, or in the checkout of an editable
    install."""
    packaged = Path(__file__).parent / "shipped"
    return packaged if packaged.is_dir() else Path(__file__).parents[2]
