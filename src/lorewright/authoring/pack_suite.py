"""`pack test`: a pack's name -> a report of everything that was looked at in it. Nothing is installed or written."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lorewright.authoring.golden import golden_in
from lorewright.authoring.leaks.planting import LeakReport
from lorewright.authoring.leaks.recorded import sentences_of
from lorewright.authoring.leaks.suite import LeakSuite
from lorewright.authoring.pack_baseline import (
    BASELINE_FILE,
    KINDS,
    AskedQuery,
    Baseline,
    Case,
    Kind,
    LinkFigures,
    PackReport,
    WorstLink,
    ask_all,
    baseline_of,
    golden_cases,
    leak_cases,
    read_baseline,
    regression_cases,
)
from lorewright.authoring.pack_figures import PackRoots
from lorewright.authoring.section_coverage import AnswerLimits, Asking, Prober, retrievable_cases, starved_cases
from lorewright.errors import EmbedderError, PackError
from lorewright.index.building import build_generation
from lorewright.index.cuts import Cut, pruned
from lorewright.index.generation import Generation, GenerationKey
from lorewright.index.keywords import content_words
from lorewright.index.library import Library
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.loader import load_pack
from lorewright.packs.markdown.chunking import plain_text
from lorewright.packs.models import OPEN_ROLES, Chunk, Pack, PackEntity
from lorewright.packs.references import LinkTable
from lorewright.retrieval.pack_views import close_with

# The test by masked links: a sentence with a link, without the linked name, must find the linked entity again. It needs
# no labels. The section of the sentence is taken out of the pack before the question, so that neither its words nor its
# links give the answer away.

_LINK = re.compile(r"!?\[\[([^\[\]|#]{1,200})(?:#[^\[\]|]{0,200})?(?:\|([^\[\]]{1,200}))?\]\]")
# Stands for the linked name while a text is taken apart; no author writes it.
_MASK = "\ue000"
# The rest of a sentence must have so many words to say whom it means.
_FEWEST_WORDS = 4
_WORST = 10
_RANKS = 10
_SEED = 20_11


@dataclass(frozen=True, slots=True)
class MaskedLink:
    """A sentence without the name that it links, the chunk that holds it, and the entity that was meant."""

    chunk: Chunk
    target: str
    asked: str


def masked_links(pack: Pack) -> list[MaskedLink]:
    """Return every link of a pack to another of its files, in source order, each sentence once."""
    table = LinkTable(pack.manifest.id, pack.entities)
    entities = {entity.id: entity for entity in pack.entities}
    found = (link for chunk in pack.chunks for link in _links_of_chunk(chunk, table, entities[chunk.entity_id]))
    return list({(link.chunk.id, link.target, link.asked): link for link in found}.values())


def sample(links: Sequence[MaskedLink], most: int) -> list[MaskedLink]:
    """Return at most `most` links, the same ones each time, in source order; all of them where `most` is 0."""
    if not most or len(links) <= most:
        return list(links)
    chosen = sorted(random.Random(_SEED).sample(range(len(links)), most))
    return [links[place] for place in chosen]


def measure_links(pack: Pack, own: Generation, asking: Asking, *, most: int, progress: Progress) -> LinkFigures | None:
    """Return how well linked entities are found; None where there are no links to ask for."""
    links = masked_links(pack)
    asked = sample(links, most)
    ranks = []
    for done, link in enumerate(asked):
        progress("asking links without their names", done, len(asked))
        ranks.append(_rank(link, own, asking))
    if not asked:
        return None
    worst = sorted(zip(ranks, asked, strict=True), key=lambda pair: (pair[0] != 0, -pair[0], pair[1].chunk.id))
    return LinkFigures(
        links=len(links),
        asked=len(asked),
        any_at_1=round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
        any_at_10=round(sum(0 < rank <= _RANKS for rank in ranks) / len(ranks), 3),
        mrr=round(sum(1 / rank for rank in ranks if rank) / len(ranks), 3),
        worst=tuple(
            WorstLink(link.chunk.file_path, link.chunk.line, link.target, link.asked, rank)
            for rank, link in worst[:_WORST]
            if rank != 1
        ),
    )


def _links_of_chunk(chunk: Chunk, table: LinkTable, entity: PackEntity) -> Iterator[MaskedLink]:
    for match in _LINK.finditer(chunk.text) if chunk.role in OPEN_ROLES else ():
        target = table.find(match.group(1).strip())
        if target is None or target.id == entity.id:
            continue
        text = plain_text(f"{chunk.text[: match.start()]}{_MASK}{chunk.text[match.end() :]}")
        sentence = next((part for part in sentences_of(text) if _MASK in part), "")
        asked = _without_names(sentence.replace(_MASK, " "), target)
        if len(content_words(asked)) >= _FEWEST_WORDS:
            yield MaskedLink(chunk, target.id, asked)


def _without_names(sentence: str, target: PackEntity) -> str:
    """Return the sentence without any of the target's names."""
    for name in sorted((target.name, *target.aliases), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", sentence, flags=re.IGNORECASE)
    return " ".join(sentence.split())


def _rank(link: MaskedLink, own: Generation, asking: Asking) -> int:
    """Return the rank at which the entity first stands in the answer, 0 where it is not among the first ten
    sections."""
    rows = frozenset(
        chunk.row
        for chunk in own.chunks_of(link.chunk.entity_id)
        if chunk.section_id == link.chunk.id.partition("~")[0]
    )
    there = tuple(
        pruned(generation, Cut(rows=rows)) if generation is own else generation for generation in asking.generations
    )
    bounds = replace(asking.bounds, limit=_RANKS, max_tokens=1_000_000)
    answer = Asking(there, bounds).answer(link.asked)
    sections = list(dict.fromkeys(chunk_id.partition("~")[0] for chunk_id in answer))
    return next((rank for rank, section in enumerate(sections, 1) if section.rpartition(":")[0] == link.target), 0)


# The generations to ask: the installed one where its text is the same, else a temporary one. Nothing is installed.

_TOLD = 5


@dataclass(frozen=True, slots=True)
class TestedPacks:
    """The generations to ask: those that the tested pack depends on, then its own. `notes` say why packs that have
    vectors are asked by words alone."""

    pack: Pack
    generations: tuple[Generation, ...]
    notes: tuple[str, ...] = ()

    @property
    def own(self) -> Generation:
        """Return the generation of the tested pack."""
        return self.generations[-1]

    @property
    def embedder(self) -> str:
        """Return what the pack was embedded with; empty where it is searched by words alone."""
        own = self.own
        return own.embedder.fingerprint if own.vectors is not None and own.embedder is not None else ""


@contextmanager
def open_tested_packs(roots: Sequence[Path], library: Library, *, progress: Progress) -> Iterator[TestedPacks]:
    """Open packs by their folders, the last of which is the one that is tested; close them when the block ends.

    What is embedded is stored in the workspace's cache, so that an install afterwards finds it there.

    Raises:
        PackError: a folder is no pack, or has errors.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lorewright-test-")))
        vectors = library.vectors
        # Without an approximate vector index: to build it takes longer than all the questions.
        here = Library(folder, None if vectors is None else replace(vectors, build_nearest=bool))
        packs = [_read_pack(root, progress) for root in roots]
        notes: list[str] = []
        generations = []
        for pack in packs:
            key = GenerationKey(pack.manifest.id, pack.content_hash)
            if not _is_usable(key, library):
                build_generation(pack, here.generations)
                try:
                    here.embed(key, progress=progress)
                except EmbedderError as problem:
                    notes.append(f"{pack.manifest.id} is found by words alone: {problem.message}")
                generations.append(close_with(stack, here.open(key)))
            else:
                generations.append(close_with(stack, library.open(key)))
        yield TestedPacks(packs[-1], tuple(generations), tuple(notes))


def _read_pack(root: Path, progress: Progress) -> Pack:
    pack = load_pack(root, progress=progress)
    if pack.errors:
        first = "\n  ".join(str(finding) for finding in pack.errors[:_TOLD])
        raise PackError(
            f"{pack.manifest.id} has {len(pack.errors)} error(s), and is not tested before they are mended\n  {first}",
            hint=f"see: lorewright pack validate {root}",
        )
    return pack


def _is_usable(key: GenerationKey, library: Library) -> bool:
    if library.vectors is None:
        return library.has(key)
    return library.vectors.embedder.fingerprint in library.spaces(key)


# The suite: a pack's name -> the report of everything that was looked at.

# At most so many links are asked by default.
LINKS_ASKED = 200


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What to look at: kinds of cases (all where none is named), a baseline to compare with (where None, the pack's own
    if it has one; none at all without `compare`), and how many links to ask at most (0: all). With `deep_leaks` the
    whole leak suite runs."""

    only: frozenset[Kind] = frozenset()
    baseline: Path | None = None
    links: int = LINKS_ASKED
    deep_leaks: bool = False
    compare: bool = True

    def wants(self, *kinds: Kind) -> bool:
        """Tell whether any of the kinds is to be looked at."""
        return not self.only or bool(self.only & set(kinds))


@dataclass(frozen=True, slots=True)
class PackTestRun:
    """A report, and the answers to the golden queries as a baseline stores them."""

    report: PackReport
    baseline: Baseline


@dataclass(frozen=True, slots=True)
class PackTests:
    """Tests packs with a workspace's embedder, cache, settings and scenarios."""

    library: Library
    roots: PackRoots
    leaks: LeakSuite
    bounds: AnswerLimits

    def run(self, name: str, wanted: SuiteOptions = SuiteOptions(), *, progress: Progress = no_progress) -> PackTestRun:
        """Test a pack, by its folder or ID, as its text lies there now.

        Raises:
            NotFound: there is no such folder or pack.
            PackError: it is no pack, has errors, or what it depends on is not there.
            SettingsError: the baseline cannot be read.
        """
        root = self.roots.root(name)
        kept = _baseline(root, wanted)
        with open_tested_packs(self.roots.with_dependencies([root]), self.library, progress=progress) as shelf:
            goldens, faults = golden_in(root)
            asked = ask_all(goldens, shelf.generations, embedded=bool(shelf.embedder), progress=progress)
            cases: list[Case] = []
            if wanted.wants("golden"):
                cases += golden_cases(asked, faults)
            if wanted.wants("golden", "regression") and kept is not None:
                cases += regression_cases(kept, asked, embedder=shelf.embedder)
            cases += self._sections(shelf, asked, wanted, progress)
            figures = self._links(shelf, wanted, progress)
            if wanted.wants("leaks"):
                cases += leak_cases(asked)
            tested = shelf.pack.manifest
            baseline = baseline_of(tested.id, shelf.embedder, asked)
            sections, embedder, notes = len(shelf.pack.chunks), shelf.embedder, shelf.notes
        if wanted.deep_leaks:
            cases += suite_cases(self.leaks.pack(name, progress=progress))
        order = {kind: place for place, kind in enumerate(KINDS)}
        report = PackReport(
            pack=tested.id,
            version=tested.version,
            folder=str(root),
            embedder=embedder,
            sections=sections,
            cases=tuple(sorted(cases, key=lambda case: order[case.kind])),
            links=figures,
            notes=notes,
        )
        return PackTestRun(report, baseline)

    def _sections(
        self, shelf: TestedPacks, asked: Collection[AskedQuery], wanted: SuiteOptions, progress: Progress
    ) -> list[Case]:
        if not wanted.wants("retrievable", "starved"):
            return []
        probed = Prober(Asking(shelf.generations, self.bounds), shelf.own).probe(progress=progress)
        cases: list[Case] = []
        if wanted.wants("retrievable"):
            scenarios = [scenario for _, scenario in self.roots.scenarios_of(shelf.pack.manifest.id)]
            cases += retrievable_cases(shelf.pack, probed, scenarios)
        if wanted.wants("starved"):
            given = {chunk.chunk_id for query in asked for chunk in query.judged.answer}
            cases += starved_cases(probed, given=given, bounds=self.bounds)
        return cases

    def _links(self, shelf: TestedPacks, wanted: SuiteOptions, progress: Progress) -> LinkFigures | None:
        if not wanted.wants("links"):
            return None
        asking = Asking(shelf.generations, self.bounds)
        return measure_links(shelf.pack, shelf.own, asking, most=wanted.links, progress=progress)


def suite_cases(report: LeakReport) -> list[Case]:
    """Return what the leak suite found as cases: one for each leak, or one that passed."""
    if not report.leaks:
        found = f"{report.secrets} secrets, {len(report.viewers)} viewers, {sum(report.checks.values())} texts: no leak"
        return [Case("leaks", f"all secrets of {report.subject}", "pack.yaml", 1, "passed", found=found)]
    return [
        Case(
            "leaks",
            f"{leak.secret} to {leak.viewer} by {leak.channel}",
            leak.file,
            leak.line,
            "failed",
            expected=f"{leak.secret} is kept from {leak.viewer}",
            found=f"{leak.where}: “{leak.quote}”",
            why=f"{leak.viewer} reads it by {leak.channel}",
            hint=leak.hint,
        )
        for leak in report.leaks
    ]


def _baseline(root: Path, wanted: SuiteOptions) -> Baseline | None:
    """Return the baseline to compare with: the one that is named, else the pack's own."""
    if not wanted.compare or not wanted.wants("golden", "regression"):
        return None
    if wanted.baseline is not None:
        return read_baseline(wanted.baseline)
    own = root / BASELINE_FILE
    return read_baseline(own) if own.is_file() else None
