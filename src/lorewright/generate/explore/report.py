"""An install and a survey -> about ten lines: what was found in a folder, and what will not be met in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lorewright.campaigns.scenario import Scenario
from lorewright.generate.explore.making import has_map
from lorewright.generate.explore.survey import Survey
from lorewright.packs.findings import Finding

# What a code means to whoever wrote the notes, of one and of several; others are shown by their code.
_SAID = {
    "dangling-reference": ("link without target", "links without target"),
    "missing-id": ("note without an ID (named by its path)", "notes without an ID (named by their paths)"),
    "missing-type": ("note whose type was guessed from its folder", "notes whose type was guessed from their folders"),
    "missing-frontmatter": ("note without frontmatter", "notes without frontmatter"),
    "no-heading": ("note without a heading", "notes without a heading"),
    "missing-manifest": ("pack.yaml to be written: lorewright pack new --from FOLDER", ""),
}
_MOST_CODES = 4


def report(
    survey: Survey, scenario: Scenario, *, files: int, roles: dict[str, int], findings: Sequence[Finding]
) -> list[str]:
    """The lines, most telling first. Of secrets only their number is said."""
    kinds = Counter(note.entity.type for note in survey.notes.values())
    counted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items(), key=lambda one: (-one[1], one[0])))
    links = sum(len(note.links) for note in survey.notes.values())
    lines = [
        f"{_count(files, 'note')}: {counted or 'none that anyone may read'}",
        _count(links, "link") + " between them",
    ]
    secrets = sum(count for role, count in roles.items() if role in ("secret", "withholds"))
    if secrets:
        lines.append(_count(secrets, "section taken for a secret", "sections taken for secrets"))
    if survey.hidden:
        lines.append(f"{_count(survey.hidden, 'note')} for the game master alone, not in the walk")
    codes = Counter(
        finding.code for finding in findings if finding.severity != "info" and not finding.code.startswith("empty")
    )
    lines += [_count(count, *_SAID.get(code, (code, code))) for code, count in codes.most_common(_MOST_CODES)]
    broken = len({finding.file for finding in findings if finding.severity == "error"})
    if broken:
        lines.append(f"{_count(broken, 'file')} left out: see lorewright pack validate")
    if survey.empty:
        lines.append(_count(survey.empty, "note") + " without text")
    placed = len(scenario.cast) + len(scenario.things) + (len(scenario.places) if has_map(survey) else 0)
    if has_map(survey):
        lines.append(f"in the walk: {placed_counts(scenario)}")
    else:
        lines.append(f"no map of its own: the notes stand on {_count(len(scenario.places), 'shelf', 'shelves')}")
    away = len(survey.notes) - placed
    if away > 0:
        lines.append(_count(away, "note") + " never reachable on foot; /lore and questions find them")
    return lines


def placed_counts(scenario: Scenario) -> str:
    """`4 places, 1 person, 0 things`."""
    counts = (len(scenario.places), "place", "places"), (len(scenario.cast), "person", "people")
    return ", ".join(_count(*one) for one in (*counts, (len(scenario.things), "thing", "things")))


def _count(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
