"""A workspace's indexes -> what was wrong with them, and what was done about it.

The order matters: without the list of packs nothing else can be judged; texts come before their vectors, vectors before
Chroma; and what nothing needs is deleted last, while nobody installs or embeds, by what is needed then. What is played
meanwhile goes on: no index that a campaign pins is ever deleted, and none that is torn is replaced while another
process searches it through Chroma.
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
from lorewright.index.vectors.chroma_files import chroma_version
from lorewright.packs.loader import Progress, no_progress
from lorewright.storage.database import SQLITE_VERSION
from lorewright.storage.enclosure import Enclosure, Trouble, is_link, trouble_of

# In place of the IDs of unreadable campaigns, where none can be listed.
_AWAY = ("campaigns",)
_AWAY_HINT = "put it back (is its disk mounted?); if the campaigns are gone for good, make an empty folder of that name"
_IN_USE = "another process has it open: end that and run: lorewright doctor"


@dataclass(frozen=True, slots=True)
class Treated:
    """A fault and what became of it: `done` says what was, or where it was only looked at, would be. `left` says what a
    person has to do; None where nothing is left to do."""

    fault: IndexFault
    done: str
    left: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a workspace has to do with, and how much there is of it."""

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
    """All that was wrong, in the order in which it was found. `mended` tells whether anything was done about it."""

    treated: tuple[Treated, ...]
    facts: Facts
    mended: bool

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return not self.treated if not self.mended else all(one.left is None for one in self.treated)


@dataclass(frozen=True, slots=True)
class Doctor:
    """Looks after everything below `indexes/`. `without_vectors` is why the settings' embedder cannot be had; asked is
    the Chroma of generations of `chroma_from` windows or more, and none where that is None."""

    library: Library
    campaigns: Campaigns
    cache: EmbeddingCache
    indexes: Path
    content_packs: Path
    without_vectors: EmbedderError | None = None
    chroma_from: int | None = None

    def examine(self, *, progress: Progress = no_progress) -> DoctorReport:
        """Say what is wrong and change nothing."""
        links = self._links()
        if self._is_barred(links):
            return self._barred(links, mended=False)
        checkup, pins = self._checkup(progress)
        found = [*links, *self._campaigns_away(), *unless_unknown("indexes", checkup.databases)]
        if not _is_blind(found):
            for stage in (checkup.texts, checkup.vectors, self._settings, checkup.nearest, checkup.orphans):
                found += [fault for fault in unless_unknown("indexes", stage) if not _is_spared(fault, pins, ())]
        treated = tuple(Treated(fault, *_would(fault)) for fault in found)
        return DoctorReport(treated, self._facts(checkup, pins, found), mended=False)

    def mend(self, *, progress: Progress = no_progress) -> DoctorReport:
        """Say what is wrong and rebuild or clear away whatever can be. What cannot be examined now, because the disk is
        full or another process holds it, is left as it is, and so is all that would be judged by it."""
        links = self._links()
        if self._is_barred(links):
            return self._barred(links, mended=True)
        return _Treatment(self, progress, links).run()

    def _links(self) -> list[IndexFault]:
        """What came from elsewhere, and is left to a person: links, and journals that name a file."""
        folders = ((self.indexes, "indexes"), (self.campaigns.folder, "campaigns"))
        return [
            fault
            for find in (links_below, journals_below)
            for folder, shown in folders
            for fault in unless_unknown(shown, partial(find, folder, shown))
        ]

    def _campaigns_away(self) -> list[IndexFault]:
        """Return a finding where the campaigns' folder is not there, as on a disk that is not mounted, though campaigns
        have been indexed: what they need cannot be told."""
        kept = self.indexes / "history"
        histories = () if is_link(kept) else Enclosure(kept).entries()
        if self.campaigns.folder.exists() or not any(path.suffix == ".db" for path in histories):
            return []
        return [IndexFault("unknown", "not-examined", "campaigns", "the folder is not there", _AWAY_HINT)]

    def _is_barred(self, links: Iterable[IndexFault]) -> bool:
        """Whether a folder is a link without which nothing can be judged."""
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

    def _facts(self, checkup: HealthCheck | None, pins: Pins, found: Sequence[IndexFault]) -> Facts:
        """`found` says whether the list of packs can be read: to ask again would be to wait again."""
        packs, vectors = (0, 0) if checkup is None or _is_blind(found) else _counts(checkup)
        return Facts(
            sqlite=SQLITE_VERSION,
            fulltext=fulltext_here().name,
            embedder=self.library.vectors.embedder.fingerprint if self.library.vectors else None,
            chroma=_chroma_version(),
            packs=packs,
            vectors=vectors,
            campaigns=0 if checkup is None else len(checkup.campaigns),
            unreadable_campaigns=pins.unreadable,
        )


class _Treatment:
    """One run of a doctor who mends."""

    def __init__(self, doctor: Doctor, progress: Progress, links: Iterable[IndexFault]) -> None:
        self._doctor = doctor
        self._library = doctor.library
        self._progress = progress
        self._treated = [Treated(fault, *_would(fault)) for fault in links]
        # Packs whose folder is not known any more: what is there of them is left until they are installed again.
        self._lost: tuple[str, ...] = ()
        self._begun_anew = False

    def run(self) -> DoctorReport:
        self._stage(lambda checkup: checkup.databases())
        if not self._is_blind():
            self._stage(lambda checkup: checkup.texts())
            self._stage(lambda checkup: checkup.vectors())
            self._stage(lambda checkup: self._doctor._settings())
            self._stage(lambda checkup: checkup.nearest())
            self._progress("waiting for other processes", 0, 1)
            self._treated += [Treated(fault, *_would(fault)) for fault in self._doctor._campaigns_away()]
            self._clear_away()
        checkup, pins = self._doctor._checkup(self._progress)
        blind = [one.fault for one in self._treated] if self._is_blind() else ()
        return DoctorReport(tuple(self._treated), self._doctor._facts(checkup, pins, blind), mended=True)

    def _is_blind(self) -> bool:
        """Whether the list of packs still cannot be read: then nothing is known to be needed by nobody."""
        return not self._begun_anew and _is_blind([one.fault for one in self._treated])

    def _clear_away(self) -> None:
        """Delete what nothing needs, while nobody else installs or embeds."""
        try:
            with upkeep.alone(self._library):
                self._stage(lambda checkup: checkup.orphans(alone=True))
        except (LorewrightError, *Trouble) as problem:
            trouble = trouble_of(problem, self._doctor.indexes)
            fault = IndexFault(
                "unknown", "not-examined", "indexes", trouble.message, trouble.hint or "look at the disk"
            )
            self._treated.append(Treated(fault, *_would(fault)))

    def _stage(self, find: Callable[[HealthCheck], Iterable[IndexFault]]) -> None:
        """Find the faults of one kind by what is there now, and mend each."""
        checkup, pins = self._doctor._checkup(self._progress)
        done: set[GenerationKey] = set()
        for fault in unless_unknown("indexes", lambda: find(checkup)):
            if _is_spared(fault, pins, self._lost) or (fault.key is not None and fault.key in done):
                continue
            treated = self._tried(fault, checkup, pins)
            self._treated.append(treated)
            if fault.key is not None and treated.left is None:
                done.add(fault.key)

    def _tried(self, fault: IndexFault, checkup: HealthCheck, pins: Pins) -> Treated:
        try:
            return self._mend(fault, checkup, pins)
        except (LorewrightError, *Trouble) as problem:
            trouble = trouble_of(problem, Path(fault.where))
            return Treated(fault, f"not mended: {trouble.message}", trouble.hint or "see what it says")

    def _mend(self, fault: IndexFault, checkup: HealthCheck, pins: Pins) -> Treated:
        match fault.code:
            case "library-damaged":
                return self._begin_library_anew(fault)
            case "embeddings-damaged":
                with upkeep.alone(self._library):
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
            case "leftover" | "generation-unused":
                return _done(fault, upkeep.delete_generation(self._library, _path(fault)), "deleted")
            case "embeddings-unused":
                assert self._library.vectors is not None
                fingerprint = self._library.vectors.embedder.fingerprint
                gone = self._doctor.cache.keep_only(fingerprint, checkup.needed_texts())
                return Treated(fault, f"{gone} forgotten")
            case _:
                assert_never(fault.code)

    def _reindex(self, fault: IndexFault, pins: Pins) -> Treated:
        """An installed pack from its folder; else, or where that is gone or has errors, a pinned text from what is
        kept."""
        key = _key(fault)
        pinned = next((pin for pin in pins.texts if GenerationKey(pin.pack_id, pin.content_hash) == key), None)
        try:
            if not any(pack.key == key for pack in self._library.packs()):
                raise NotFound(f"{key.pack_id} is not installed with this text")
            self._library.reindex(key.pack_id, progress=self._progress)
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
        # One that was built and is damaged is built again, also where it is for other programs alone.
        wanted = self._doctor.chroma_from is not None
        if upkeep.is_searched(folder):
            return _done(fault, False, "")
        if upkeep.mend_chroma(folder, wanted=wanted):
            return Treated(fault, "rebuilt" if wanted else "deleted")
        return Treated(fault, "it cannot be built here: searched exactly", 'set chroma = "never" under [index]')

    def _begin_library_anew(self, fault: IndexFault) -> Treated:
        """Install again what the damaged list still says, and packs of the workspace of which there is an index; what
        lies in `content_packs` besides was not installed, or not to the end."""
        known = {pack_id: (Path(path), lenient) for pack_id, path, lenient in self._library.salvaged()}
        for pack_id in self._library.indexed_ids():
            known.setdefault(pack_id, (self._doctor.content_packs / pack_id, False))
        aside = self._library.begin_anew()
        self._begun_anew = True
        installed = self._install_all({pack_id: known[pack_id] for pack_id in sorted(known)})
        # The folder that a damaged list names may be none any more.
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
        """Install folders in whatever order their dependencies ask for; the IDs of those that could be."""
        installed: set[str] = set()
        while waiting:
            failed = {}
            for pack_id, (folder, lenient) in waiting.items():
                try:
                    found = self._library.install(folder, lenient=lenient, progress=self._progress)
                    installed.add(found.pack.id)
                except (LorewrightError, OSError, ValueError):
                    failed[pack_id] = (folder, lenient)
            if len(failed) == len(waiting):
                break
            waiting = failed
        return installed


def _is_blind(found: Sequence[IndexFault]) -> bool:
    """Whether the list of packs cannot be read, or could not be examined."""
    unknown = any(fault.code == "not-examined" and fault.where in ("indexes", "library.db") for fault in found)
    return unknown or any(fault.code == "library-damaged" for fault in found)


def _is_spared(fault: IndexFault, pins: Pins, lost: Iterable[str]) -> bool:
    """Whether an unused generation may be needed after all: by a campaign that cannot be read, or by a lost pack."""
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


def _counts(checkup: HealthCheck) -> tuple[int, int]:
    """How many packs are installed, and how many vectors their texts have; what cannot be counted now is none."""
    try:
        return len(checkup.library.packs()), checkup.count_vectors()
    except (LorewrightError, *Trouble):
        return 0, 0


def _done(fault: IndexFault, done: bool, told: str) -> Treated:
    return Treated(fault, told) if done else Treated(fault, "left as it is", _IN_USE)


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
