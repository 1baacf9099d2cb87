"""A workspace's indexes -> what was wrong with them, and what was done about it.

The order matters: without the list of packs nothing else can be judged; texts come before their vectors, vectors before
Chroma; unused files are deleted last, while nobody installs or embeds, judged by what is needed at that time. Play goes
on meanwhile: no index that a campaign pins is ever deleted, and no damaged index is replaced while another process
searches it through Chroma.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import assert_never

from lorewright.campaigns.campaigns import Campaigns, Pins
from lorewright.errors import EmbedderError, LorewrightError, NotFound
from lorewright.index import health as upkeep
from lorewright.index.building import has_sound_chunks
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.fulltext import fulltext_here
from lorewright.index.generation import GenerationKey
from lorewright.index.health import HealthCheck, IndexFault, journals_below, links_below, unless_unknown
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.index.vectors.chroma_files import chroma_version
from lorewright.packs.files import Progress, no_progress
from lorewright.storage.database import SQLITE_VERSION
from lorewright.storage.enclosure import Enclosure, Trouble, error_for, is_link
from lorewright.storage.temporary import abandoned_in, sweep

# Stands in place of the IDs of unreadable campaigns where the campaigns' folder is missing.
_AWAY = ("campaigns",)
_AWAY_HINT = "put it back (is its disk mounted?); if the campaigns are gone for good, make an empty folder of that name"
_IN_USE = "another process has it open: end that and run: lorewright doctor"


@dataclass(frozen=True, slots=True)
class Treated:
    """A fault and its treatment: `done` says what was done, or would be where the doctor only examines. `left` says
    what a person has to do; None where nothing is left to do."""

    fault: IndexFault
    done: str
    left: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """The versions that a workspace runs with, and its counts."""

    sqlite: str
    fulltext: str
    embedder: str | None
    chroma: str | None
    packs: int
    vectors: int
    campaigns: int
    unreadable_campaigns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All faults, in the order in which they were found. `mended` tells whether anything was done about them."""

    treated: tuple[Treated, ...]
    facts: Facts
    mended: bool

    @property
    def clean(self) -> bool:
        """Tell whether nothing is wrong, or nothing is left to do after mending."""
        return not self.treated if not self.mended else all(treated.left is None for treated in self.treated)


@dataclass(frozen=True, slots=True)
class Doctor:
    """Checks and mends everything below `indexes/`. `without_vectors` is why the settings' embedder cannot be used;
    generations of `chroma_from` windows or more are searched through Chroma; none where that is None."""

    library: Library
    campaigns: Campaigns
    cache: EmbeddingCache
    indexes: Path
    content_packs: Path
    without_vectors: EmbedderError | None = None
    chroma_from: int | None = None

    def examine(self, *, progress: Progress = no_progress) -> DoctorReport:
        """Report what is wrong and change nothing."""
        links = self._links()
        if self._is_barred(links):
            return self._barred(links, mended=False)
        health, pins = self._checkup(progress)
        found = [*links, *self._campaigns_away(), *unless_unknown("indexes", health.databases)]
        if not _is_blind(found):
            stages = (health.texts, health.vectors, self._settings, health.nearest, health.orphans, self._temporary)
            for stage in stages:
                found += [fault for fault in unless_unknown("indexes", stage) if not _is_spared(fault, pins, ())]
        treated = tuple(Treated(fault, *_would(fault)) for fault in found)
        return DoctorReport(treated, self._facts(health, pins, found), mended=False)

    def mend(self, *, progress: Progress = no_progress) -> DoctorReport:
        """Rebuild or delete what can be, and report what was wrong. What cannot be examined now, because the disk is
        full or another process holds it, is left as it is, and so is everything that depends on it."""
        links = self._links()
        if self._is_barred(links):
            return self._barred(links, mended=True)
        return _Treatment(self, progress, links).run()

    def _links(self) -> list[IndexFault]:
        """Return what came from elsewhere and is left to a person: links, and journals that name a file."""
        folders = ((self.indexes, "indexes"), (self.campaigns.folder, "campaigns"))
        return [
            fault
            for find in (links_below, journals_below)
            for folder, shown in folders
            for fault in unless_unknown(shown, partial(find, folder, shown))
        ]

    def _campaigns_away(self) -> list[IndexFault]:
        """Return a fault where the campaigns' folder is missing (its disk may not be mounted) although campaigns have
        been indexed: what they need is unknown."""
        history = self.indexes / "history"
        histories = () if is_link(history) else Enclosure(history).entries()
        if self.campaigns.folder.exists() or not any(path.suffix == ".db" for path in histories):
            return []
        return [IndexFault("unknown", "not-examined", "campaigns", "the folder is not there", _AWAY_HINT)]

    def _is_barred(self, links: Iterable[IndexFault]) -> bool:
        """Tell whether a folder that everything else depends on is a link."""
        return any(fault.path in (self.indexes, self.indexes / "generations", self.campaigns.folder) for fault in links)

    def _barred(self, links: Iterable[IndexFault], *, mended: bool) -> DoctorReport:
        treated = tuple(Treated(fault, *_would(fault)) for fault in links)
        return DoctorReport(treated, self._facts(None, Pins((), ()), ()), mended=mended)

    def _checkup(self, progress: Progress) -> tuple[HealthCheck, Pins]:
        pins = self.campaigns.pins()
        if self._campaigns_away():
            pins = Pins((), _AWAY)
        keys = [GenerationKey(pin.pack_id, pin.content_hash) for pin in pins.texts]
        ids = self.campaigns.ids()
        return HealthCheck(self.library, self.cache, self.indexes, keys, ids, self.chroma_from, progress), pins

    def _settings(self) -> Iterator[IndexFault]:
        if self.without_vectors is not None:
            problem = self.without_vectors
            yield IndexFault(
                "degraded", "embedder-missing", "lorewright.toml", problem.message, problem.hint or "mend it"
            )

    def _temporary(self) -> Iterator[IndexFault]:
        """Yield the files and folders that processes which died were making."""
        for folder in (self.campaigns.folder, self.campaigns.folder / "packs-kept", self.content_packs, self.indexes):
            for path in () if is_link(folder) else abandoned_in(folder):
                where = str(Path(folder.name, path.name))
                yield IndexFault("orphaned", "temporary", where, "left by a process that died", path=path)

    def _facts(self, health: HealthCheck | None, pins: Pins, found: Sequence[IndexFault]) -> Facts:
        """Return the facts; `found` tells whether the list of packs can be read, which saves waiting for it again."""
        packs, vectors = (0, 0) if health is None or _is_blind(found) else _counts(health)
        return Facts(
            sqlite=SQLITE_VERSION,
            fulltext=fulltext_here().name,
            embedder=self.library.vectors.embedder.fingerprint if self.library.vectors else None,
            chroma=_chroma_version(),
            packs=packs,
            vectors=vectors,
            campaigns=0 if health is None else len(health.campaigns),
            unreadable_campaigns=pins.unreadable,
        )


class _Treatment:
    """One run of a doctor who mends."""

    def __init__(self, doctor: Doctor, progress: Progress, links: Iterable[IndexFault]) -> None:
        self._doctor = doctor
        self._library = doctor.library
        self._indexer = LoreIndexer(doctor.library)
        self._progress = progress
        self._treated = [Treated(fault, *_would(fault)) for fault in links]
        # Packs whose folder is not known any more: their indexes are left until they are installed again.
        self._lost: tuple[str, ...] = ()
        self._begun_anew = False

    def run(self) -> DoctorReport:
        self._stage(lambda health: health.databases())
        if not self._is_blind():
            self._stage(lambda health: health.texts())
            self._stage(lambda health: health.vectors())
            self._stage(lambda health: self._doctor._settings())
            self._stage(lambda health: health.nearest())
            self._stage(lambda health: self._doctor._temporary())
            self._progress("waiting for other processes", 0, 1)
            self._treated += [Treated(fault, *_would(fault)) for fault in self._doctor._campaigns_away()]
            self._clear_away()
        health, pins = self._doctor._checkup(self._progress)
        blind = [treated.fault for treated in self._treated] if self._is_blind() else ()
        return DoctorReport(tuple(self._treated), self._doctor._facts(health, pins, blind), mended=True)

    def _is_blind(self) -> bool:
        """Tell whether the list of packs still cannot be read: then nothing is known to be unused."""
        return not self._begun_anew and _is_blind([treated.fault for treated in self._treated])

    def _clear_away(self) -> None:
        """Delete what nothing needs, while nobody else installs or embeds."""
        try:
            with upkeep.hold_index_locks(self._library):
                self._stage(lambda health: health.orphans(alone=True))
        except (LorewrightError, *Trouble) as problem:
            trouble = error_for(problem, self._doctor.indexes)
            fault = IndexFault(
                "unknown", "not-examined", "indexes", trouble.message, trouble.hint or "look at the disk"
            )
            self._treated.append(Treated(fault, *_would(fault)))

    def _stage(self, find: Callable[[HealthCheck], Iterable[IndexFault]]) -> None:
        """Find the current faults of one kind, and mend each."""
        health, pins = self._doctor._checkup(self._progress)
        done: set[GenerationKey] = set()
        for fault in unless_unknown("indexes", lambda: find(health)):
            if _is_spared(fault, pins, self._lost) or (fault.key is not None and fault.key in done):
                continue
            treated = self._tried(fault, health, pins)
            self._treated.append(treated)
            if fault.key is not None and treated.left is None:
                done.add(fault.key)

    def _tried(self, fault: IndexFault, health: HealthCheck, pins: Pins) -> Treated:
        try:
            return self._mend(fault, health, pins)
        except (LorewrightError, *Trouble) as problem:
            trouble = error_for(problem, Path(fault.where))
            return Treated(fault, f"not mended: {trouble.message}", trouble.hint or "see what it says")

    def _mend(self, fault: IndexFault, health: HealthCheck, pins: Pins) -> Treated:
        match fault.code:
            case "library-damaged":
                return self._begin_library_anew(fault)
            case "embeddings-damaged":
                with upkeep.hold_index_locks(self._library):
                    aside = self._doctor.cache.begin_anew()
                return Treated(fault, f"moved to {aside.name} and begun anew")
            case "link-found" | "journal-found" | "not-examined":
                return Treated(fault, *_would(fault))
            case "generation-unused" if fault.hint is not None:
                return Treated(fault, "left as it is", fault.hint)
            case "history-damaged" | "history-unused":
                upkeep.delete_database(_path(fault))
                return Treated(fault, "deleted")
            case "folder-gone" | "folder-unreadable" | "pack-renamed" | "embedder-missing":
                return Treated(fault, "left as it is", fault.hint)
            case "text-changed" | "index-missing":
                return self._reindex(fault, pins)
            case "chunks-damaged" if fault.path is None:
                return self._reindex(fault, pins)
            case "chunks-damaged" | "vectors-damaged" | "other-embedder" | "not-embedded":
                return self._embed(fault)
            case "chroma-damaged" | "chroma-missing":
                return self._mend_chroma(fault)
            case "chroma-scratch":
                return _done(fault, upkeep.delete_scratch(_path(fault)), "deleted")
            case "temporary":
                sweep(_path(fault).parent)
                return Treated(fault, "deleted")
            case "leftover" | "generation-unused":
                return _done(fault, upkeep.delete_generation(self._library, _path(fault)), "deleted")
            case "embeddings-unused":
                assert self._library.vectors is not None
                fingerprint = self._library.vectors.embedder.fingerprint
                forgotten = self._doctor.cache.keep_only(fingerprint, health.needed_texts())
                return Treated(fault, f"{forgotten} forgotten")
            case _:
                assert_never(fault.code)

    def _reindex(self, fault: IndexFault, pins: Pins) -> Treated:
        """Index an installed pack from its folder; where it is not installed, or its folder is gone or has errors,
        index a pinned text from its stored copy."""
        key = _key(fault)
        pinned = next((pin for pin in pins.texts if GenerationKey(pin.pack_id, pin.content_hash) == key), None)
        try:
            if not any(pack.key == key for pack in self._library.packs()):
                raise NotFound(f"{key.pack_id} is not installed with this text")
            self._indexer.reindex(key.pack_id, anew=True, progress=self._progress)
        except LorewrightError:
            if pinned is None or fault.code == "text-changed":
                raise
            self._doctor.campaigns.restore(pinned, progress=self._progress)
            return Treated(fault, "indexed again, from the text that campaigns keep")
        if pinned is not None and not has_sound_chunks(self._library.generations / key.folder):
            self._doctor.campaigns.restore(pinned, progress=self._progress)
        return Treated(fault, "reindexed")

    def _embed(self, fault: IndexFault) -> Treated:
        if upkeep.is_searched(_path(fault)):
            return _done(fault, False, "")
        self._library.embed(_key(fault), progress=self._progress)
        return Treated(fault, "embedded again" if fault.kind == "torn" else "embedded")

    def _mend_chroma(self, fault: IndexFault) -> Treated:
        self._progress("building Chroma", 0, 1)
        folder = _path(fault)
        # A damaged Chroma is built again, also where it is only for other programs.
        wanted = self._doctor.chroma_from is not None
        if upkeep.is_searched(folder):
            return _done(fault, False, "")
        if upkeep.mend_chroma(folder, wanted=wanted):
            return Treated(fault, "rebuilt" if wanted else "deleted")
        return Treated(fault, "it cannot be built here: searched exactly", 'set chroma = "never" under [index]')

    def _begin_library_anew(self, fault: IndexFault) -> Treated:
        """Install again the packs that the damaged list still names, and packs of the workspace that have an index;
        other folders in `content_packs` were never installed, or not completely."""
        known = {pack_id: (Path(path), lenient) for pack_id, path, lenient in self._library.salvaged()}
        for pack_id in self._library.indexed_ids():
            known.setdefault(pack_id, (self._doctor.content_packs / pack_id, False))
        aside = self._library.begin_anew()
        self._begun_anew = True
        installed = self._install_all({pack_id: known[pack_id] for pack_id in sorted(known)})
        # The folder that a damaged list names may not exist any more.
        own = {pack_id: (self._doctor.content_packs / pack_id, known[pack_id][1]) for pack_id in known}
        installed |= self._install_all({pack_id: own[pack_id] for pack_id in sorted(set(own) - installed)})
        self._lost = tuple(sorted(set(known) - installed))
        done = f"moved to {aside.name} and begun anew with {', '.join(sorted(installed)) or 'no pack'}"
        if not self._lost:
            return Treated(fault, done)
        return Treated(
            fault, f"{done}; not found: {', '.join(self._lost)}", "run, for each: lorewright pack install FOLDER"
        )

    def _install_all(self, waiting: dict[str, tuple[Path, bool]]) -> set[str]:
        """Install folders in the order that their dependencies ask for; return the IDs of those that could be
        installed."""
        installed: set[str] = set()
        while waiting:
            failed = {}
            for pack_id, (folder, lenient) in waiting.items():
                try:
                    found = self._indexer.index_pack(folder, lenient=lenient, progress=self._progress)
                    installed.add(found.pack.id)
                except (LorewrightError, OSError, ValueError):
                    failed[pack_id] = (folder, lenient)
            if len(failed) == len(waiting):
                break
            waiting = failed
        return installed


def _is_blind(found: Sequence[IndexFault]) -> bool:
    """Tell whether the list of packs cannot be read, or could not be examined."""
    unknown = any(fault.code == "not-examined" and fault.where in ("indexes", "library.db") for fault in found)
    return unknown or any(fault.code == "library-damaged" for fault in found)


def _is_spared(fault: IndexFault, pins: Pins, lost: Iterable[str]) -> bool:
    """Tell whether an unused generation may be needed after all: by a campaign that cannot be read, or by a lost
    pack."""
    if fault.code == "history-unused":
        return pins.unreadable == _AWAY
    if fault.code == "embeddings-unused":
        return bool(pins.unreadable or tuple(lost))
    if fault.code != "generation-unused":
        return False
    return bool(pins.unreadable) or _path(fault).parent.name in lost


def _would(fault: IndexFault) -> tuple[str, str]:
    if fault.hint is not None and fault.kind in ("foreign", "unknown"):
        return "left as it is", fault.hint
    if fault.hint is not None:
        return "a person must mend it", fault.hint
    return ("would be deleted" if fault.kind == "orphaned" else "would be rebuilt"), "run: lorewright doctor"


def _counts(health: HealthCheck) -> tuple[int, int]:
    """Return how many packs are installed, and how many vectors their texts have; 0 and 0 where they cannot be counted
    now."""
    try:
        return len(health.library.packs()), health.count_vectors()
    except (LorewrightError, *Trouble):
        return 0, 0


def _done(fault: IndexFault, done: bool, action: str) -> Treated:
    return Treated(fault, action) if done else Treated(fault, "left as it is", _IN_USE)


def _path(fault: IndexFault) -> Path:
    assert fault.path is not None
    return fault.path


def _key(fault: IndexFault) -> GenerationKey:
    assert fault.key is not None
    return fault.key


def _chroma_version() -> str | None:
    try:
        return chroma_version()
    except PackageNotFoundError:
        return None
