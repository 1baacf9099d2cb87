"""Workspaces of which one has packs and pushes them, and others have none and fetch."""

from __future__ import annotations

from pathlib import Path

from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.index.artifacts.manifests import LIMIT, manifest_name, pointer_of, read_manifest
from lorewright.index.artifacts.objects import ObjectStore
from lorewright.index.artifacts.pushing import push_generation, push_pointer
from lorewright.index.artifacts.store_library import FOLDER, StoreLibrary
from lorewright.index.embedders.embedder import Embedder
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.generation import GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.index.vector_building import VectorBuilder
from support.pack_builder import TOWN, write_pack


def builder(folder: Path, embedder: Embedder | None = None) -> VectorBuilder:
    """Return what embeds by hashed words, or by another embedder."""
    folder.mkdir(parents=True, exist_ok=True)
    return VectorBuilder(embedder or HashingEmbedder(), EmbeddingCache(folder / "embeddings.db"), bool)


def author(root: Path, *, embedded: bool = True) -> Library:
    """Return the library of the workspace that has packs."""
    indexes = root / "author"
    return Library(indexes, builder(indexes) if embedded else None)


def installed(root: Path, pack_id: str = "town", *, more: str = "", embedded: bool = True) -> InstalledPack:
    """Install a pack, or another text of it, in the workspace that has packs."""
    files = {**TOWN, "lore/more.md": f"# More\n\nMore of {pack_id}. {more}\n"}
    folder = write_pack(root / "packs", files, pack_id=pack_id, manifest=None)
    (folder / "pack.yaml").write_text(f"id: {pack_id}\nname: {pack_id}\nversion: 1.0.0\n", encoding="utf-8")
    return LoreIndexer(author(root, embedded=embedded)).index_pack(folder, lenient=True).pack


def pushed(root: Path, url: str, pack: InstalledPack, *, anew: bool = False, embedded: bool = True) -> int:
    """Push a pack's generations, and make it current; return how many files had to be sent."""
    objects, library = ObjectStore(url), author(root, embedded=embedded)
    sent = [
        push_generation(objects, pack.key, space, folder, anew=anew)
        for space, folder in library.spaces(pack.key).items()
    ]
    push_pointer(objects, pointer_of(pack, {each.name: each.digest for each in sent}))
    return sum(each.files for each in sent)


def store_of(root: Path) -> str:
    """Return the URL of a store in a folder."""
    (root / "store").mkdir(exist_ok=True)
    return (root / "store").as_uri()


def worker(
    root: Path, url: str, name: str = "worker", *, embedder: Embedder | None = None, room_bytes: int = 10**9
) -> StoreLibrary:
    """Return the library of a workspace without packs, that looks at the store's list each time."""
    indexes = root / name
    store = LoreStore(url, room_bytes=room_bytes, looked_every_s=0)
    return StoreLibrary(indexes, builder(indexes, embedder), store=store)


def objects_of(url: str, key: GenerationKey, space: str) -> list[str]:
    """Return the names of the objects of a generation."""
    data = ObjectStore(url).read(manifest_name(key, space), limit=LIMIT)
    return [file.name for file in read_manifest(data, "", key, space).files.values()]


def fetched_folders(library: StoreLibrary) -> list[str]:
    """Return the names of the generations that a worker has, sorted."""
    root = library.database.parent / FOLDER
    return sorted(path.name for pack in root.glob("[!.]*") for path in pack.iterdir())


def leftovers(library: StoreLibrary) -> list[str]:
    """Return what stands in a worker's folder and is no generation."""
    root = library.database.parent / FOLDER
    return sorted(path.name for path in root.glob(".*") if path.name not in (".held", ".fetch.lock"))
