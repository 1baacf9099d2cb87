"""Installed packs, and the texts that campaigns pin -> an object store, for workers that have no packs of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.store import StoredPackTexts
from lorewright.errors import NotFound, PackError
from lorewright.index.artifacts.manifests import pointer_of
from lorewright.index.artifacts.objects import ObjectStore
from lorewright.index.artifacts.pushing import PushedGeneration, push_generation, push_pointer, push_text
from lorewright.index.generation import GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.packs.content_hash import reading_of
from lorewright.packs.files import Progress, no_progress
from lorewright.values.records import PackPin


@dataclass(frozen=True, slots=True)
class PushedPack:
    """A text of a pack that a store has: whether it is the current one, with which generations, whether its text went
    with it, and how much had to be sent."""

    pack_id: str
    version: str
    content_hash: str
    is_current: bool
    generations: tuple[PushedGeneration, ...]
    has_text: bool
    files: int
    bytes: int


class PackPusher:
    """Pushes packs of one workspace to one store."""

    def __init__(self, library: Library, campaigns: Campaigns, objects: ObjectStore) -> None:
        self._library = library
        self._campaigns = campaigns
        self._objects = objects

    def push(
        self, pack_ids: Sequence[str] = (), *, anew: bool = False, progress: Progress = no_progress
    ) -> Iterator[PushedPack]:
        """Push packs, embedded first where that is lacking, and make their installed texts the current ones. Without
        IDs all that are installed, and all texts that campaigns pin.

        Raises:
            NotFound: a pack is not installed.
            EmbedderError: a pack cannot be embedded; it was not pushed.
            DamagedFile, LoreStoreUnavailable: as `push_generation`.
        """
        installed = self._library.named(pack_ids) if pack_ids else self._library.packs()
        for pack in installed:
            yield self._push(pack.key, pack.version, Path(pack.path), pack, anew=anew, progress=progress)
        if not pack_ids:
            keys = {pack.key for pack in installed}
            for pin in self._campaigns.pins().texts:
                key = GenerationKey(pin.pack_id, pin.content_hash)
                if key not in keys:
                    yield self._push_pin(pin, key, anew=anew, progress=progress)

    def _push_pin(self, pin: PackPin, key: GenerationKey, *, anew: bool, progress: Progress) -> PushedPack:
        if not self._library.has(key):
            self._campaigns.restore(pin, progress=progress)
        return self._push(key, pin.version, None, None, anew=anew, progress=progress)

    def _push(
        self,
        key: GenerationKey,
        version: str,
        root: Path | None,
        current: InstalledPack | None,
        *,
        anew: bool,
        progress: Progress,
    ) -> PushedPack:
        self._library.hold_to_trust()
        self._library.embed(key, progress=progress)
        folders = self._library.spaces(key)
        if not folders:
            raise PackError(f"{key.pack_id} has no index", hint=f"run: lorewright pack reindex {key.pack_id}")
        generations = tuple(
            push_generation(self._objects, key, space, folder, anew=anew, progress=progress)
            for space, folder in folders.items()
        )
        sent = self._push_text(key, root, anew=anew)
        if current is not None:
            push_pointer(
                self._objects, pointer_of(current, {generation.name: generation.digest for generation in generations})
            )
        return PushedPack(
            pack_id=key.pack_id,
            version=version,
            content_hash=key.content_hash,
            is_current=current is not None,
            generations=generations,
            has_text=sent is not None,
            files=sum(generation.files for generation in generations) + bool(sent),
            bytes=sum(generation.bytes for generation in generations) + (sent or 0),
        )

    def _push_text(self, key: GenerationKey, root: Path | None, *, anew: bool) -> int | None:
        """Push the text that was indexed, from its folder or from what campaigns keep; return how many bytes had to be
        sent, None where neither has it any more."""
        with tempfile.TemporaryDirectory() as folder:
            texts = StoredPackTexts(Path(folder) / "texts")
            if root is not None and root.is_dir() and reading_of(root, key.content_hash) is not None:
                texts.keep(root, key.content_hash)
            else:
                unpacked = Path(folder) / key.pack_id
                unpacked.mkdir()
                with suppress(NotFound):
                    self._campaigns.kept.unpack(key.content_hash, unpacked)
                if reading_of(unpacked, key.content_hash) is None:
                    return None
                texts.keep(unpacked, key.content_hash)
            return push_text(self._objects, key.content_hash, texts.path(key.content_hash), anew=anew)
