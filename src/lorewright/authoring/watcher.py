"""A pack's folder, looked at again and again -> what each look finds, and an index that others see too."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lorewright.authoring.changes import Changes, ExplainedAnswer, answer_of, changes_between
from lorewright.authoring.golden import golden_in, misses
from lorewright.bounded_files import read_bytes
from lorewright.errors import EmbedderError, LorewrightError, NotFound, PackError
from lorewright.index import health as upkeep
from lorewright.index.building import names_of
from lorewright.index.generation import Generation, GenerationKey
from lorewright.index.library import Library
from lorewright.index.live import LiveIndex, NeededPacks
from lorewright.index.lore_indexer import Installed, LoreIndexer
from lorewright.packs.files import MAX_MANIFEST_BYTES, Finding, Progress, no_progress
from lorewright.packs.manifest import load_manifest
from lorewright.packs.models import Pack, PackEntity
from lorewright.packs.pack_loader import PackLoader, ParseCaches
from lorewright.retrieval.pack_views import qualified_viewer
from lorewright.retrieval.query import LoreRetrievalQuery, scene_query
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView, qualified
from lorewright.settings import LoreSettings


# The values of a look: a pack after a save, and what is new about it since the look before.
@dataclass(frozen=True, slots=True)
class WatchedQuestion:
    """A question that is asked after each save, and its viewer: `words`, or with `location` what a scene there asks, as
    play would."""

    viewer: str = "gm"
    words: str = ""
    location: str | None = None

    @property
    def title(self) -> str:
        """Return what a person calls the question."""
        asked = f"scene {self.location}" if self.location is not None else f"“{self.words}”"
        return asked if self.viewer == "gm" else f"{asked} ({self.viewer})"


def ask(question: WatchedQuestion, generations: Sequence[Generation], settings: LoreSettings) -> Retrieval:
    """Return the answer of some packs, whose generations are in the order of their IDs.

    Raises:
        NotFound: there is no such character or place.
    """
    view = LoreView(tuple(generations), viewer=qualified_viewer(question.viewer, generations))
    return retrieve(view, _query(question, view).model_copy(update=settings.model_dump()))


def _query(question: WatchedQuestion, view: LoreView) -> LoreRetrievalQuery:
    if question.location is None:
        return LoreRetrievalQuery(keywords=question.words, viewer=view.viewer)
    place = _place(question.location, view.generations)
    return scene_query(place.id, names={place.id: place.name}, viewer=view.viewer)


def _place(location: str, generations: Sequence[Generation]) -> PackEntity:
    names = qualified([location], generations)
    found = [
        place for generation in generations for name in sorted(names) if (place := generation.entity(name)) is not None
    ]
    if not found:
        raise NotFound(f"there is no place {location}", hint="see: lorewright pack show PACK")
    return found[0]


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings about a pack now, which of them are new, and which earlier ones are solved."""

    now: tuple[Finding, ...]
    new: tuple[Finding, ...] = ()
    solved: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Return the findings that keep a pack from being indexed."""
        return tuple(finding for finding in self.now if finding.severity == "error")


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its answer now, and what moved since it was last answered; None the first time."""

    question: WatchedQuestion
    answer: ExplainedAnswer
    changes: Changes | None = None


@dataclass(frozen=True, slots=True)
class GoldenAnswer:
    """A golden query that is not answered as expected, or is so again since this look: where it stands, what it asks,
    and its misses."""

    place: str
    title: str
    misses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenLook:
    """The golden queries of the pack: how many there are, which fail, which of those did not before, and which do not
    any more. `fault` says which of them cannot be read, and why; the others are asked."""

    asked: int
    failing: tuple[GoldenAnswer, ...] = ()
    broken: tuple[GoldenAnswer, ...] = ()
    mended: tuple[GoldenAnswer, ...] = ()
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """A pack as it is now. `indexed` is False while new errors keep it from being asked: then the earlier index is
    kept, and there are no answers. `changed` counts the chunks that were written and that are gone, `embedded` the
    windows that had to be. `problem` is why it is not indexed, or only in part or by words alone. `milliseconds` is how
    long each part took; it is not compared."""

    files: int
    chunks: int
    findings: Findings
    indexed: bool
    changed: int = 0
    embedded: int = 0
    problem: str | None = None
    answers: tuple[Answered, ...] = ()
    golden: GoldenLook | None = None
    milliseconds: tuple[tuple[str, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the look as values for JSON."""
        return {
            "files": self.files,
            "chunks": self.chunks,
            "indexed": self.indexed,
            "changed": self.changed,
            "embedded": self.embedded,
            "problem": self.problem,
            "errors": len(self.findings.errors),
            "findings": len(self.findings.now),
            "new_findings": list(map(_finding_as_dict, self.findings.new)),
            "solved_findings": list(map(_finding_as_dict, self.findings.solved)),
            "answers": list(map(_answer_as_dict, self.answers)),
            "golden": None if self.golden is None else _golden_as_dict(self.golden),
            "milliseconds": {name: round(took, 1) for name, took in self.milliseconds},
        }


def compare_findings(now: Sequence[Finding], before: Sequence[Finding]) -> Findings:
    """Compare findings: return those of now, which are new, and which are solved. A finding that only moved to another
    line is neither."""
    left, gone = Counter(map(_finding_key, before)), Counter(map(_finding_key, now))
    new = [finding for finding in now if not _take(left, finding)]
    solved = [finding for finding in before if not _take(gone, finding)]
    return Findings(tuple(now), tuple(new), tuple(solved))


def _finding_key(finding: Finding) -> tuple[str, ...]:
    return (finding.file, finding.severity, finding.code, finding.message, finding.hint)


def _take(counts: Counter[tuple[str, ...]], finding: Finding) -> bool:
    there = counts[_finding_key(finding)] > 0
    counts[_finding_key(finding)] -= there
    return there


def _finding_as_dict(finding: Finding) -> dict[str, Any]:
    return {field: getattr(finding, field) for field in Finding.__dataclass_fields__}


def _answer_as_dict(answered: Answered) -> dict[str, Any]:
    moves = answered.changes.moves if answered.changes else ()
    return {
        "query": answered.question.words,
        "scene": answered.question.location,
        "viewer": answered.question.viewer,
        "chunks": list(answered.answer.texts),
        "tokens": answered.answer.total_tokens,
        "moves": [
            {"chunk": move.chunk_id, "kind": move.kind, "from": move.before, "to": move.after, "why": list(move.why)}
            for move in moves
        ],
        "of_all": list(answered.changes.of_all) if answered.changes else [],
    }


def _golden_as_dict(look: GoldenLook) -> dict[str, Any]:
    return {
        "asked": look.asked,
        "fault": look.fault,
        **{
            name: [{"place": query.place, "title": query.title, "misses": list(query.misses)} for query in golden]
            for name, golden in (("failing", look.failing), ("broken", look.broken), ("mended", look.mended))
        },
    }


@dataclass(frozen=True, slots=True)
class Watched:
    """What to watch: a pack's folder, the questions asked of it, and whether its golden queries are, too. It is
    installed as it is watched if it is the pack `install_as`, and never without that."""

    folder: Path
    questions: tuple[WatchedQuestion, ...] = ()
    golden: bool = False
    lenient: bool = False
    install_as: str | None = None


IsPinned = Callable[[GenerationKey], bool]


class PackWatcher:
    """Looks at a pack. `close` it."""

    def __init__(self, watched: Watched, library: Library, settings: LoreSettings, is_pinned: IsPinned) -> None:
        """Prepare to look. `library` is where packs that this one depends on are found, and into which it is installed,
        if ever; `is_pinned` tells whether a campaign plays with a text."""
        self._watched = watched
        self._library = library
        self._settings = settings
        self._is_pinned = is_pinned
        self._made: GenerationKey | None = None
        self._memories = ParseCaches()
        self._live = LiveIndex(library.vectors)
        self._needed = NeededPacks(library, self._memories)
        self._seen: tuple[object, ...] | None = None
        self._errors: tuple[Finding, ...] = ()
        self._remarks: tuple[Finding, ...] | None = None
        self._answers: dict[WatchedQuestion, ExplainedAnswer] = {}
        self._failing: dict[tuple[str, str], GoldenAnswer] = {}
        self._indexed: Pack | None = None
        self._watch = PartTimes()

    @property
    def indexed(self) -> Pack | None:
        """Return the last text of the pack that was indexed, if any was."""
        return self._indexed

    def needed_folders(self) -> tuple[Path, ...]:
        """Return the folders of the installed packs that the pack depends on."""
        try:
            wanted = {dependency.id for dependency in load_manifest(self._watched.folder)[0].depends_on}
        except PackError:
            return ()
        folders = [Path(pack.path) for pack in self._library.packs() if pack.id in wanted]
        return tuple(folder for folder in folders if folder.is_dir() and folder != self._watched.folder)

    def look(self, *, needed: bool = False, progress: Progress = no_progress) -> Look | None:
        """Look at the pack; return None where nothing differs from the look before. With `needed` the folders of the
        packs that it depends on are read, too: they are asked as they are now, whatever is installed of them.

        Raises:
            NotFound: at the first look: a question names what is not there.
            StaleIndexError, DamagedFile: a pack that this one depends on has to be indexed anew.
        """
        self._watch = PartTimes()
        try:
            with self._watch.of("read"):
                loader = PackLoader(self._watched.folder.parent, self._library.neighbours(), memories=self._memories)
                pack = loader.check_pack(self._watched.folder, progress=progress)
        except FileNotFoundError:
            # Deleted during the look; the deletion is a save of its own.
            return None
        except (PackError, OSError) as problem:
            return self._look_without_pack(problem)
        if needed:
            self._needed.read(pack)
        seen = (pack.content_hash, pack.findings, self._golden_text(), self._needed.texts)
        if seen == self._seen:
            return None
        look = Look(len(pack.entities), len(pack.chunks), self._compare_findings(pack), indexed=False)
        if self._is_held_back(pack):
            look = replace(look, problem="errors keep it from being indexed; what was indexed before is kept")
        else:
            look = self._look_with_answers(pack, look, progress)
            self._remarks = _without_errors(pack)
        self._seen, self._errors = seen, pack.errors
        return replace(look, milliseconds=self._watch.read())

    def _is_held_back(self, pack: Pack) -> bool:
        """Return True if there are errors that the indexed text did not have: half a file must not empty an answer.
        Errors that were there from the start only leave out the files that have them."""
        if self._indexed is None or self._watched.lenient:
            return False
        return bool(compare_findings(pack.errors, self._indexed.errors).new)

    def _compare_findings(self, pack: Pack) -> Findings:
        """Compare errors with those of the look before. All other findings are compared with those of the last indexed
        text, and only where there is no error: links that dangle because a file cannot be read are no news."""
        errors = compare_findings(pack.errors, self._errors)
        if self._is_held_back(pack):
            return Findings(pack.findings, errors.new, errors.solved)
        before = _without_errors(pack) if self._remarks is None else self._remarks
        remarks = compare_findings(_without_errors(pack), before)
        return Findings(pack.findings, (*errors.new, *remarks.new), (*errors.solved, *remarks.solved))

    def install(self, *, progress: Progress = no_progress) -> Installed | None:
        """Let others see what was indexed last; return None where nothing was, or it is not to be installed or has
        errors.

        No part that is there already is built again, and no approximate vector index: the search is exact. What the
        watch itself installed before is deleted, unless a campaign was begun with it.

        Raises:
            DamagedFile: the disk refuses.
        """
        pack = self._indexed
        if pack is None or self._watched.install_as != pack.manifest.id:
            return None
        if pack.errors and not self._watched.lenient:
            return None
        indexer = LoreIndexer(self._library.searched_exactly())
        installed = indexer.index_checked_pack(pack, lenient=self._watched.lenient, progress=progress)
        if self._made is not None and self._made != installed.pack.key:
            self._delete(self._made)
            self._made = None
        if installed.built:
            self._made = installed.pack.key
        return installed

    def _delete(self, key: GenerationKey) -> None:
        with upkeep.hold_index_locks(self._library):
            if not self._is_pinned(key):
                for folder in self._library.spaces(key).values():
                    upkeep.delete_generation(self._library, folder)

    def close(self) -> None:
        """Let go of the index and of what was opened."""
        self._live.close()
        self._needed.close()

    def _look_without_pack(self, problem: Exception) -> Look | None:
        """Return the look at a folder that is no pack at the moment; None where that is no news."""
        told = problem.message if isinstance(problem, LorewrightError) else str(problem)
        if self._seen == (told,):
            return None
        self._seen = (told,)
        return Look(0, 0, Findings(()), indexed=False, problem=told)

    def _look_with_answers(self, pack: Pack, look: Look, progress: Progress) -> Look:
        with self._watch.of("index"):
            updated = self._live.update(pack, progress=progress)
        self._indexed = pack
        with self._watch.of("ask"):
            generations = self._needed.beside(pack, updated.generation)
            titles = names_of(pack)
            known = {chunk.id: f"{titles[chunk.entity_id]}\n{chunk.section}\n{chunk.text}" for chunk in pack.chunks}
            known |= self._needed.said
            answers = tuple(self._answer(question, generations, known) for question in self._watched.questions)
        with self._watch.of("golden"):
            golden = self._ask_golden(pack, generations) if self._watched.golden else None
        return replace(
            look,
            indexed=True,
            changed=updated.changed,
            embedded=updated.embedded,
            problem=_words_alone(updated.problem) or _left_out(pack) or self._needed.problem,
            answers=answers,
            golden=golden,
        )

    def _answer(
        self, question: WatchedQuestion, generations: Sequence[Generation], known: Mapping[str, str]
    ) -> Answered:
        before = self._answers.get(question)
        try:
            answer = answer_of(ask(question, generations, self._settings), known)
        except NotFound:
            if before is None:
                raise
            # The place or character of the question was deleted: nothing is found for it until it is back.
            answer = ExplainedAnswer({}, {}, before.vector_weight, 0, known)
        self._answers[question] = answer
        changes = None if before is None else changes_between(before, answer)
        return Answered(question, answer, changes)

    def _ask_golden(self, pack: Pack, generations: Sequence[Generation]) -> GoldenLook:
        asked, faults = golden_in(Path(pack.root))
        fault = "\n".join(map(str, faults)) or None
        if faults and not asked:
            return GoldenLook(0, tuple(self._failing.values()), fault=fault)
        answers = {
            (golden.file, golden.query.model_dump_json()): GoldenAnswer(
                golden.place, golden.query.title, misses(generations, golden.query)
            )
            for golden in asked
        }
        failing = {key: golden for key, golden in answers.items() if golden.misses}
        broken = [golden for key, golden in failing.items() if key not in self._failing]
        mended = [answers[key] for key in self._failing if key in answers and key not in failing]
        self._failing = failing
        return GoldenLook(len(asked), tuple(failing.values()), tuple(broken), tuple(mended), fault)

    def _golden_text(self) -> object:
        """Return the text that the golden queries are read from: when it changes, they are asked again."""
        if not self._watched.golden:
            return None
        found = []
        for path in sorted((self._watched.folder / "tests").glob("*.y*ml")):
            with suppress(OSError, PackError):
                found.append((path.name, read_bytes(path, MAX_MANIFEST_BYTES, PackError)))
        return tuple(found)


class PartTimes:
    """The times that each part of something took."""

    def __init__(self) -> None:
        self._took: list[tuple[str, float]] = []

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Time a part."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._took.append((name, (time.perf_counter() - started) * 1000))

    def read(self) -> tuple[tuple[str, float], ...]:
        """Return each part with its milliseconds, in order."""
        return tuple(self._took)


def _without_errors(pack: Pack) -> tuple[Finding, ...]:
    return tuple(finding for finding in pack.findings if finding.severity != "error")


def _left_out(pack: Pack) -> str | None:
    return "what has errors is left out" if pack.errors else None


def _words_alone(problem: EmbedderError | None) -> str | None:
    return None if problem is None else f"found by words alone: {problem.message}"
