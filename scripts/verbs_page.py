"""The records of the verbs and the ruleset `freeform` -> docs/verbs.md: what each means, how it is typed, its costs.

`python scripts/verbs_page.py` writes the page; a test compares it with what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lorewright.builtin.words.clauses import Phrasing
from lorewright.campaigns.scenarios.rulesets import checked_by, load_ruleset, priced
from lorewright.rules.rulesets import ActionType
from lorewright.rules.verbs import Verb, verbs

FILE = Path(__file__).parents[1] / "docs" / "verbs.md"
RULESET = "freeform"
# What the lines on the page are about.
_NAMES = {
    "door": "gate",
    "minutes": "10",
    "person": "Ada",
    "place": "the mill",
    "thing": "lamp",
    "topic": "the flood",
    "way": "back",
}
_HEAD = f"""\
# Verbs

What a player can mean without a model, and what the rules know by name. Each verb is one record in
`src/lorewright/verbs/`; this page is made from the records (`python scripts/verbs_page.py`), the costs from the ruleset
`{RULESET}`. A ruleset may charge otherwise, leave verbs out, and add its own: [rulesets.md](rulesets.md). Small acts
without dice are there wherever `attempt` is. How lines are read that begin with none of the phrases:
[playing.md](playing.md).

"""


def page() -> str:
    """Return the whole page."""
    ruleset = load_ruleset(RULESET)[0]
    known = [(verb, row) for verb in verbs().values() if (row := ruleset.find_row(verb.name)) is not None]
    table = ["| verb | meaning | minutes | dice |", "|---|---|---|---|"]
    table += [
        f"| [{verb.name}](#{verb.name}) | {verb.summary} | {_minutes(verb, row)} | {checked_by(row)} |"
        for verb, row in known
    ]
    sections = ["\n".join(_section(verb, row)) for verb, row in known]
    return _HEAD + "\n".join(table) + "\n\n" + "\n\n".join(sections) + "\n"


def _section(verb: Verb, row: ActionType) -> Iterator[str]:
    yield f"## {verb.name}\n"
    yield f"{verb.summary[:1].upper()}{verb.summary[1:]}.\n"
    yield f"- Typed: {' · '.join(f'`{line.format(**_NAMES)}`' for line in verb.lines.values())}"
    if phrases := _phrases(verb):
        yield f"- Phrases: {', '.join(phrases)}"
    yield f"- Needs: {verb.condition}"
    yield f"- Costs in `{RULESET}`: {'; '.join(_costs(verb, row))}"
    yield f"- Remembered by those who see it: {verb.remembered or 'nothing'}"
    if verb.needs or verb.needs_one_of[0]:
        yield f"- An author's `do: {{type: {verb.name}}}` needs {', '.join(_keys(verb))}"


def _phrases(verb: Verb) -> list[str]:
    """Return the phrases that begin a line with this meaning, each once, in alphabetical order."""
    found = (part.phrases.split(", ") for part in verb.parts if isinstance(part, Phrasing))
    return sorted({phrase for phrases in found for phrase in phrases})


def _minutes(verb: Verb, row: ActionType) -> str:
    return f"{row.minutes} or more" if verb.minutes is not None else str(row.minutes)


def _costs(verb: Verb, row: ActionType) -> Iterator[str]:
    yield f"{_minutes(verb, row)} {'minute' if row.minutes == 1 and verb.minutes is None else 'minutes'}"
    if row.costs:
        yield priced(row)
    if row.check is not None:
        yield f"dice, with {checked_by(row)} added"
    if row.provokes:
        yield f"its target goes a step further after {', '.join(row.provokes)}"


def _keys(verb: Verb) -> Iterator[str]:
    yield from (f"`{key}`" for key in verb.needs)
    if verb.needs_one_of[0]:
        yield verb.needs_one_of[1]


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
