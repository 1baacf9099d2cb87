"""A folder or pack -> a walk in it: found, installed, surveyed, begun, continued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.errors import NotFound
from lorewright.generate.explore.making import has_map, has_people, key_of_note, make_scenario, scenario_id, thing_key
from lorewright.generate.explore.survey import Survey, display_name, survey
from lorewright.ids import did_you_mean
from lorewright.index.generation import GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.files import Finding, Progress, no_progress
from lorewright.rules.rulesets import TurnProfile
from lorewright.values.records import CampaignRow

# The report of an install and a survey in about ten lines: what a folder holds, and what the walk leaves out.

# The meaning of a code for the author of the notes, for one finding and for several; other codes are shown as they are.
_SAID = {
    "dangling-reference": ("link without target", "links without target"),
    "missing-id": ("note without an ID (named by its path)", "notes without an ID (named by their paths)"),
    "missing-type": ("note whose type was guessed from its folder", "notes whose type was guessed from their folders"),
    "missing-frontmatter": ("note without frontmatter", "notes without frontmatter"),
    "no-heading": ("note without a heading", "notes without a heading"),
    "missing-manifest": ("pack.yaml to be written: lorewright pack new --from FOLDER", ""),
}
_MOST_CODES = 4
_MOST_LINES = 12

# The rules by which a note without a type was taken for something, in the words of the report.
_RULES = {
    "name": "by name",
    "sentence": "by what the text calls it",
    "headings": "by a heading",
    "keys": "by frontmatter",
    "tags": "by a tag",
    "folders": "by a folder",
    "pronouns": "by a pronoun",
    "acts": "by what it says somebody does",
    "speech": "by speech",
    "list": "by the heading that it is linked under",
    "before": "by how a note links it",
    "after": "by how a note links it",
    "called": "by how a note links it",
}
_KINDS = {"location": "places", "npc": "people", "item": "things"}


def report(
    survey: Survey, scenario: Scenario, *, files: int, roles: dict[str, int], findings: Sequence[Finding]
) -> list[str]:
    """Return the lines, most telling first. Of secrets only their number is told."""
    kinds = Counter(
        "to read" if note.id in survey.untold or not is_taken(survey, note.id) else note.entity.type
        for note in survey.notes.values()
    )
    counted = ", ".join(
        f"{count:,} {kind}" for kind, count in sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))
    )
    links = sum(len(note.links) for note in survey.notes.values())
    lines = [
        f"{_count(files, 'note')}: {counted or 'none that anyone may read'}",
        _count(links, "link") + " between them",
        *guess_lines(survey),
    ]
    secrets = sum(count for role, count in roles.items() if role in ("secret", "withholds"))
    if secrets:
        lines.append(_count(secrets, "section taken for a secret", "sections taken for secrets"))
    if survey.hidden:
        lines.append(f"{_count(survey.hidden, 'note')} for the game master alone, not in the walk")
    last = []
    broken = len({finding.file for finding in findings if finding.severity == "error"})
    if broken:
        last.append(f"{_count(broken, 'file')} left out: see lorewright pack validate")
    if survey.empty:
        last.append(_count(survey.empty, "note") + " without text")
    if has_map(survey):
        last.append(f"in the walk: {placed_counts(scenario)}")
    else:
        last.append(f"no map of its own: the notes stand on {_count(len(scenario.places), 'shelf', 'shelves')}")
    away = len(survey.notes) - len(placed_notes(survey, scenario))
    if away > 0:
        last.append(_count(away, "note") + " never reachable on foot; /lore and questions find them")
    elif survey.places_all:
        last.append("every note can be reached on foot")
    codes = Counter(
        finding.code
        for finding in findings
        if (finding.severity != "info" or finding.code in _SAID) and not finding.code.startswith("empty")
    )
    room = min(_MOST_CODES, _MOST_LINES - len(lines) - len(last))
    lines += [_count(count, *_SAID.get(code, (code, code))) for code, count in codes.most_common(room)]
    return [*lines, *last]


def guess_lines(survey: Survey) -> list[str]:
    """Return for each kind that notes without a type were taken for a line that says how many, by which rules, and an
    example of each."""
    lines = []
    for kind, several in _KINDS.items():
        by_rule: dict[str, list[str]] = {}
        for note_id, guess in survey.guesses.items():
            if guess.type == kind and is_taken(survey, note_id):
                name = display_name(survey.notes[note_id].entity.name)
                by_rule.setdefault(_RULES[guess.rule], []).append(f"{name}: “{guess.words}”")
        if by_rule:
            count = sum(map(len, by_rule.values()))
            ranked = sorted(by_rule.items(), key=lambda entry: -len(entry[1]))
            said = ", ".join(f"{len(examples):,} {rule} ({examples[0]})" for rule, examples in ranked)
            lines.append(f"{_count(count, 'note')} taken for {several}: {said}")
    return lines


def is_taken(survey: Survey, note_id: str) -> bool:
    """Tell whether a note is in the walk as its type: a guess is not on shelves, where everything is a note."""
    is_person = survey.notes[note_id].entity.type == "npc"
    return note_id not in survey.guesses or has_map(survey) or (is_person and has_people(survey))


def placed_notes(survey: Survey, scenario: Scenario) -> list[str]:
    """Return the notes that are somewhere in a walk: as a place, somebody or something."""
    keys = {*scenario.places, *scenario.cast, *scenario.things}
    return [note.id for note in survey.notes.values() if not keys.isdisjoint((key_of_note(note.id), thing_key(note)))]


def placed_counts(scenario: Scenario) -> str:
    """Return the counts as `4 places, 1 person, 0 things`."""
    counts = (len(scenario.places), "place", "places"), (len(scenario.cast), "person", "people")
    return ", ".join(_count(*count) for count in (*counts, (len(scenario.things), "thing", "things")))


def _count(count: int, singular: str, plural: str | None = None) -> str:
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


# The walk: found, installed, surveyed, begun, continued.


@dataclass(frozen=True, slots=True)
class ReadyPack:
    """A pack that is ready for a walk: its walk for a seed, and the lines of the report."""

    pack: InstalledPack
    scenario: Scenario
    lines: tuple[str, ...]


class Explorer:
    """Makes walks. Its library searches by words alone, so that no embedding delays a first prompt."""

    def __init__(self, library: Library, content_packs: Path) -> None:
        self._library = library
        self._content_packs = content_packs
        # The texts that were indexed here, as opposed to those found indexed.
        self._built: list[GenerationKey] = []

    def pack(self, name: str, *, progress: Progress = no_progress) -> tuple[InstalledPack, tuple[Finding, ...]]:
        """Return the pack of a folder, or of an ID, as its folder is now, files with errors left out. A pack that is
        not installed yet is; an installed pack stays as it is, also where its folder holds another text by now.

        Raises:
            NotFound: there is no such folder or pack.
            PackError: the folder cannot be installed.
        """
        folder = Path(name)
        return self._installed(folder, progress) if folder.is_dir() else self.pack_of_id(name, progress=progress)

    def unchanged(self, name: str, *, installed: bool = False) -> InstalledPack | None:
        """Return the installed pack of a folder or an ID as its folder is now, where that text was indexed before, or
        is the `installed` one; None else."""
        folder = Path(name)
        for pack in self._library.packs():
            root = Path(pack.path)
            meant = (
                root.samefile(folder) if folder.is_dir() and root.is_dir() else pack.id == name and not folder.is_dir()
            )
            now = replace(pack, content_hash=content_hash_of(root)) if meant and root.is_dir() else None
            if now is not None and self._library.has(now.key) and (now.key == pack.key or not installed):
                return now
        return None

    def pack_of_id(self, name: str, *, progress: Progress = no_progress) -> tuple[InstalledPack, tuple[Finding, ...]]:
        """Return an installed pack as its folder is now, or as it was where the folder was deleted; a pack of the
        workspace is installed where it is not yet.

        Raises:
            NotFound: there is no such pack.
        """
        installed = {pack.id: pack for pack in self._library.packs()}
        if name in installed:
            there = Path(installed[name].path)
            return self._installed(there, progress) if there.is_dir() else (installed[name], ())
        if (self._content_packs / name).is_dir() and name not in ("", ".", "..") and "/" not in name:
            return self._installed(self._content_packs / name, progress)
        known = ", ".join(installed) or "none"
        beside = self._content_packs.iterdir() if self._content_packs.is_dir() else ()
        near = did_you_mean(name, {*installed, *(folder.name for folder in beside if folder.is_dir())})
        hint = f"name a folder of markdown files, or an installed pack ({known}){f'; {near}' if near else ''}"
        raise NotFound(f"there is no folder or pack {name}", hint=hint)

    def _installed(self, folder: Path, progress: Progress) -> tuple[InstalledPack, tuple[Finding, ...]]:
        indexed = LoreIndexer(self._library).index_folder(folder, progress=progress)
        if indexed.built:
            self._built.append(indexed.pack.key)
        return indexed.pack, indexed.findings

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Delete the index of every text that is read within, unless it is of an installed pack; no campaign that is
        kept may be begun with such a text."""
        before = len(self._built)
        try:
            yield
        finally:
            while len(self._built) > before:
                LoreIndexer(self._library).forget_text(self._built.pop())

    def walk(
        self,
        pack: InstalledPack,
        findings: tuple[Finding, ...],
        *,
        seed: int,
        profile: TurnProfile | None = None,
    ) -> ReadyPack:
        """Return the walk in an installed pack; in a profile, if not the ruleset's.

        Raises:
            NotFound: the pack has nothing that a player may read.
        """
        generation = self._library.open(pack.key)
        try:
            seen = survey(generation, guessing=True)
            roles = generation.role_counts()
        finally:
            generation.close()
        if not seen.notes:
            raise NotFound(f"{pack.id} has no note that a player may read", hint="see: lorewright pack validate FOLDER")
        scenario = make_scenario(seen, seed=seed, profile=profile)
        lines = report(seen, scenario, files=pack.files, roles=roles, findings=findings)
        return ReadyPack(pack, scenario, tuple(lines))

    def begin(
        self, found: ReadyPack, campaigns: Campaigns, *, campaign_id: str | None = None, seed: int
    ) -> CampaignRow:
        """Begin a campaign of a walk, searched by words for now.

        Raises:
            CampaignError: the ID is taken.
        """
        source = f"the walk in {found.pack.id}"
        return campaigns.begin(
            found.scenario, [found.pack], self._library, source=source, campaign_id=campaign_id, seed=seed
        )


def latest_walk(pack_id: str, campaigns: Campaigns) -> CampaignRow | None:
    """Return the campaign of the walk in a pack that was begun last, or None."""
    wanted = scenario_id(pack_id)
    walks = [
        row for row in campaigns.rows() if row.scenario_id == wanted and pack_id in {pin.pack_id for pin in row.pins}
    ]
    return max(walks, key=lambda row: (row.created_at, len(row.id), row.id), default=None)
