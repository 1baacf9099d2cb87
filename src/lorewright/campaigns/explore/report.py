"""An install and a survey -> about ten lines: what was found in a folder, and what will not be met in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lorewright.campaigns.explore.making import has_map
from lorewright.campaigns.explore.survey import Survey
from lorewright.campaigns.scenario import Scenario
from lorewright.packs.findings import Finding

# What a code means to whoever wrote the notes; others are shown by their code.
_SAID = {
    "dangling-reference": "links without target",
    "missing-id": "notes without an ID (named by their path)",
    "missing-type": "notes whose type was guessed from their folder",
    "missing-frontmatter": "notes without frontmatter",
    "no-heading": "notes without a heading",
    "missing-manifest": "pack.yaml missing",
}
_MOST_CODES = 4


def report(
    survey: Survey, scenario: Scenario, *, files: int, roles: dict[str, int], findings: Sequence[Finding]
) -> list[str]:
    """The lines, most telling first. Of secrets only their number is said."""
    kinds = Counter(note.entity.type for note in survey.notes.values())
    counted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items(), key=lambda one: (-one[1], one[0])))
    links = sum(len(note.links) for note in survey.notes.values())
    lines = [f"{files:,} notes: {counted or 'none that anyone may read'}", f"{links:,} links between them"]
    secrets = sum(count for role, count in roles.items() if role in ("secret", "withholds"))
    if secrets:
        lines.append(f"{secrets:,} sections taken for secrets; they are kept")
    if survey.hidden:
        lines.append(f"{survey.hidden:,} notes for the game master alone; they are not in the walk")
    codes = Counter(
        finding.code for finding in findings if finding.severity != "info" and not finding.code.startswith("empty")
    )
    lines += [f"{count:,} {_SAID.get(code, code)}" for code, count in codes.most_common(_MOST_CODES)]
    broken = len({finding.file for finding in findings if finding.severity == "error"})
    if broken:
        lines.append(f"{broken:,} files left out: see lorewright pack validate")
    if survey.empty:
        lines.append(f"{survey.empty:,} notes without text")
    placed = len(scenario.cast) + len(scenario.things) + (len(scenario.places) if has_map(survey) else 0)
    if has_map(survey):
        lines.append(f"{len(scenario.places):,} places, {len(scenario.cast):,} people, {len(scenario.things):,} things")
    else:
        lines.append(f"no places: the notes stand on {len(scenario.places):,} shelves")
    away = len(survey.notes) - placed
    if away > 0:
        lines.append(f"{away:,} notes never reachable on foot; /lore and questions find them")
    return lines
