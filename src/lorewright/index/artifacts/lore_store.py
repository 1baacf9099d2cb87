"""The packs of an object store, as one process knows them: which are there, which text of each is current, and with
which of them this process's embedder does not agree."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock, Thread

from lorewright.errors import DamagedFile, LoreStoreUnavailable
from lorewright.ids import is_id
from lorewright.index.artifacts.manifests import LIMIT, Pointer, pointer_name, read_pointer, text_name
from lorewright.index.artifacts.objects import ObjectMissing, ObjectStore
from lorewright.logs import log_event

# How many gigabytes of fetched generations are kept by default.
ROOM_GB = 20.0
# So old may the list of packs be that an answer rests on.
LOOKED_EVERY_S = 10.0
# A store that does not answer is asked again after this; what is known of it holds meanwhile.
_WAITED_S = 60.0
# So many pointers are read at a time.
_AT_ONCE = 8
# The archive of a pack's text: as much as the text of a pack may be, and more.
_LONGEST_TEXT = 1 << 29
_SUFFIX = ".json"


class LoreStore:
    """An object store of lore. Threads may share it."""

    def __init__(
        self,
        url: str,
        *,
        room_bytes: int = int(ROOM_GB * 1e9),
        looked_every_s: float = LOOKED_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Of what is fetched from it, up to `room_bytes` are kept.

        Raises: as `ObjectStore`.
        """
        self.objects = ObjectStore(url)
        self.room_bytes = room_bytes
        self._looked_every_s = looked_every_s
        self._clock = clock
        self._lock = Lock()
        self._looking = Lock()
        self._looks_at: float | None = None
        self._stamps: dict[str, str] = {}
        self._pointers: dict[str, Pointer] = {}
        self._is_answering = True
        self._agrees: dict[str, bool] = {}

    @property
    def url(self) -> str:
        """Where it is."""
        return self.objects.url

    @property
    def is_answering(self) -> bool:
        """False where it did not answer when it was asked last."""
        return self._is_answering

    def pointers(self) -> dict[str, Pointer]:
        """Return the pointers to all packs, by ID, as they were some seconds ago: they are read anew beside, so that
        nobody waits for the store but who is the first. While it does not answer, they are those that were read last.

        Raises:
            LoreStoreUnavailable: it does not answer, and never has.
        """
        with self._lock:
            now = self._clock()
            is_first = self._looks_at is None or self._looked_every_s <= 0
            is_due = is_first or (self._looks_at is not None and now >= self._looks_at)
            if is_due and not is_first:
                # Until that look has ended, nobody begins another.
                self._looks_at = now + _WAITED_S
        if is_first:
            self._look()
        elif is_due:
            Thread(target=self._look_beside, name="lore-store", daemon=True).start()
        return self._pointers

    def look_again(self) -> None:
        """Read the pointers anew, now.

        Raises:
            LoreStoreUnavailable: it does not answer.
        """
        with self._lock:
            self._stamps = {}
        self._look()

    def text(self, content_hash: str) -> bytes | None:
        """Return the archive of a pack's text; None where it was not pushed.

        Raises:
            LoreStoreUnavailable: it does not answer.
        """
        try:
            return self.objects.read(text_name(content_hash), limit=_LONGEST_TEXT)
        except ObjectMissing:
            return None

    def note_agreement(self, folder: str, *, agrees: bool) -> None:
        """Note whether this process's embedder agrees with a generation, named by its folder."""
        with self._lock:
            self._agrees[folder] = agrees

    def agreement(self, folder: str) -> bool | None:
        """Return what was noted of a generation; None where nothing was."""
        return self._agrees.get(folder)

    def disagreements(self) -> tuple[int, int]:
        """Return with how many generations this process's embedder does not agree, and how many were compared."""
        with self._lock:
            return sum(not agrees for agrees in self._agrees.values()), len(self._agrees)

    def _look_beside(self) -> None:
        with suppress(LoreStoreUnavailable):
            self._look()

    def _look(self) -> None:
        """Read the pointers that were written since the last time, some at once.

        Raises:
            LoreStoreUnavailable: the store does not answer, and never has.
        """
        with self._looking:
            try:
                pointers, stamps = self._read_pointers()
            except LoreStoreUnavailable as problem:
                log_event("error", level="warning", code=problem.code)
                with self._lock:
                    self._is_answering = False
                    if self._looks_at is None:
                        raise
                    self._looks_at = self._clock() + _WAITED_S
                return
            with self._lock:
                self._pointers, self._stamps, self._is_answering = pointers, stamps, True
                self._looks_at = self._clock() + self._looked_every_s

    def _read_pointers(self) -> tuple[dict[str, Pointer], dict[str, str]]:
        listed = self.objects.entries("packs")
        stamps = {name.removesuffix(_SUFFIX): stamp for name, stamp in listed.items() if name.endswith(_SUFFIX)}
        stamps = {pack_id: stamp for pack_id, stamp in stamps.items() if is_id(pack_id)}
        changed = [pack_id for pack_id, stamp in stamps.items() if self._stamps.get(pack_id) != stamp]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            read = dict(zip(changed, pool.map(self._pointer, changed), strict=True))
        kept = {pack_id: pointer for pack_id, pointer in self._pointers.items() if pack_id in stamps}
        found = {**kept, **{pack_id: pointer for pack_id, pointer in read.items() if pointer is not None}}
        return {pack_id: found[pack_id] for pack_id in sorted(found)}, stamps

    def _pointer(self, pack_id: str) -> Pointer | None:
        """Return a pointer; None where it is gone or damaged, which the log tells: other packs are served all the
        same."""
        name = pointer_name(pack_id)
        try:
            return read_pointer(self.objects.read(name, limit=LIMIT), f"{self.url}/{name}", pack_id)
        except ObjectMissing:
            return None
        except DamagedFile as problem:
            log_event("error", level="error", code=problem.code, pack=pack_id)
            return None
