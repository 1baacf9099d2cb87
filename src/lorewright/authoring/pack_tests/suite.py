"""`pack test`: a pack's name -> a report of everything that was looked at in it. Nothing is installed or written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from lorewright.authoring.golden import golden_in
from lorewright.authoring.leaks.findings import LeakReport
from lorewright.authoring.leaks.suite import LeakSuite
from lorewright.authoring.pack_roots import PackRoots
from lorewright.authoring.pack_tests.asking import Asking, Bounds
from lorewright.authoring.pack_tests.baseline import (
    BASELINE_FILE,
    Baseline,
    baseline_of,
    read_baseline,
    regression_cases,
)
from lorewright.authoring.pack_tests.golden_cases import Asked, ask_all, golden_cases, leak_cases
from lorewright.authoring.pack_tests.probing import Prober
from lorewright.authoring.pack_tests.results import KINDS, Case, Kind, LinkFigures, PackReport
from lorewright.authoring.pack_tests.sections import retrievable_cases, starved_cases
from lorewright.authoring.pack_tests.shelf import Shelf, open_shelf
from lorewright.authoring.pack_tests.wikilinks import measure_links
from lorewright.index.library import Library
from lorewright.packs.loader import Progress, no_progress

# So many links are asked at most, unless somebody wants more.
LINKS_ASKED = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look at: kinds of cases (all where none is named), a baseline to compare with (where None, the pack's own
    if it has one; none at all without `compare`), and how many links to ask at most (0: all). With `deep_leaks` the
    whole leak suite runs."""

    only: frozenset[Kind] = frozenset()
    baseline: Path | None = None
    links: int = LINKS_ASKED
    deep_leaks: bool = False
    compare: bool = True

    def wants(self, *kinds: Kind) -> bool:
        """Whether any of the kinds is to be looked at."""
        return not self.only or bool(self.only & set(kinds))


@dataclass(frozen=True, slots=True)
class PackTestRun:
    """The report, and the answers to the golden queries as a baseline keeps them."""

    report: PackReport
    baseline: Baseline


@dataclass(frozen=True, slots=True)
class PackTests:
    """Tests packs with a workspace's embedder, cache, settings and scenarios."""

    library: Library
    roots: PackRoots
    leaks: LeakSuite
    bounds: Bounds

    def run(self, name: str, wanted: Wanted = Wanted(), *, progress: Progress = no_progress) -> PackTestRun:
        """Test a pack, by its folder or ID, as its text lies there now.

        Raises:
            NotFound: there is no such folder or pack.
            PackError: it is no pack, has errors, or what it depends on is not there.
            SettingsError: the baseline cannot be read.
        """
        root = self.roots.root(name)
        kept = _baseline(root, wanted)
        with open_shelf(self.roots.with_dependencies([root]), self.library, progress=progress) as shelf:
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

    def _sections(self, shelf: Shelf, asked: Collection[Asked], wanted: Wanted, progress: Progress) -> list[Case]:
        if not wanted.wants("retrievable", "starved"):
            return []
        probed = Prober(Asking(shelf.generations, self.bounds), shelf.own).probe(progress=progress)
        cases: list[Case] = []
        if wanted.wants("retrievable"):
            scenarios = [scenario for _, scenario in self.roots.scenarios_of(shelf.pack.manifest.id)]
            cases += retrievable_cases(shelf.pack, probed, scenarios)
        if wanted.wants("starved"):
            given = {chunk.chunk_id for one in asked for chunk in one.judged.answer}
            cases += starved_cases(probed, given=given, bounds=self.bounds)
        return cases

    def _links(self, shelf: Shelf, wanted: Wanted, progress: Progress) -> LinkFigures | None:
        if not wanted.wants("links"):
            return None
        asking = Asking(shelf.generations, self.bounds)
        return measure_links(shelf.pack, shelf.own, asking, most=wanted.links, progress=progress)


def suite_cases(report: LeakReport) -> list[Case]:
    """What the leak suite found, as cases: one for each leak, or one that passed."""
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


def _baseline(root: Path, wanted: Wanted) -> Baseline | None:
    """The baseline to compare with: the one that is named, else the pack's own."""
    if not wanted.compare or not wanted.wants("golden", "regression"):
        return None
    if wanted.baseline is not None:
        return read_baseline(wanted.baseline)
    own = root / BASELINE_FILE
    return read_baseline(own) if own.is_file() else None
