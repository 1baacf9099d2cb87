"""Models of scenarios, effects, conditions and acts -> the tables of docs/scenario_reference.md.

Run without arguments it writes the tables between the marks of the page; what stands around them is written by hand. A
test runs `tables` and compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from lorewright.authoring.author_schemas import descriptions, scenario_schema
from lorewright.rules import conditions, effects
from lorewright.rules.verbs import verbs

PAGE = Path(__file__).parents[1] / "docs" / "scenario_reference.md"
_MARK = "<!-- {name}: made by scripts/reference_page.py -->"
_END = "<!-- end of {name} -->"
# The models of a scenario with keys of their own, and what each is called on the page.
_PARTS = {
    "ScenarioPlayer": "`player`",
    "ScenarioPersona": "one of `personas`",
    "ScenarioPlace": "one of `places`",
    "ScenarioExit": "one of the `exits` of a place",
    "ScenarioWay": "an entry of `map`",
    "ScenarioThing": "one of `things`",
    "ScenarioCast": "one of `cast`",
    "ScenarioAct": "one of the `acts` of somebody",
    "Deed": "`do` of an act",
    "AgendaStep": "a step of an `agenda`",
    "ScenarioMemory": "one of `observations`",
    "CharacterState": "one of `states`",
    "ScenarioTie": "an entry of `ties`",
    "ScenarioEntity": "an entry of `entities`",
    "ScenarioThread": "one of `threads`",
    "Inquiry": "`inquiry` of a thread",
    "ScenarioClock": "one of `clocks`",
    "ThreatRule": "one of `threats`",
    "Hindrance": "one of `situations`",
    "EscalationStep": "a step of `escalation`",
    "Rule": "an entry of `rules`",
    "RuleTrigger": "`on` of a rule",
    "Check": "`check` of a rule",
    "ScenarioEnding": "one of `endings`",
    "Phrase": "a sentence of `grammar`",
}
# An example of each effect and condition, by the key that says its kind.
_EFFECTS = {
    "reveal": "{reveal: ilse/withholds#bridge}",
    "clock": "{clock: storm, by: 1}",
    "relation": "{relation: [ilse, you], trust: 1}",
    "arrive": "{arrive: ilse}",
    "depart": "{depart: ilse, to: quay}",
    "give": "{give: lamp_oil}",
    "lose": "{lose: lamp_oil}",
    "put": "{put: lamp_oil, at: quay}",
    "unlock": "{unlock: cellar_door}",
    "thread": "{thread: missing, status: solved}",
    "fact": "{fact: dead, subject: jin, object: true}",
    "promise": '{promise: {by: ilse, to: you, what: "take you across"}}',
    "threat": '{threat: {by: ilse, to: you, what: "leave you here"}}',
    "owes": "{owes: {by: you, to: ilse, what: three copper}}",
    "path": "{op: increment, path: pressure, value: 1}",
    "end": "{end: lit}",
    "condition": "{condition: bound, of: ilse}",
    "state": "{state: mood, of: ilse, value: grim}",
    "observe": '{observe: "You lied to her.", of: ilse}',
    "tie": "{tie: [ilse, keeper], type: employer}",
    "announce": "{announce: gang, minutes: 30}",
    "avert": "{avert: gang}",
    "situation": "{situation: blackout, minutes: 20}",
    "progress": "{progress: missing, by: 1}",
    "escalate": "{escalate: ilse}",
    "pass_turn": "{pass_turn: true}",
    "minutes": "{minutes: 10}",
}
_CONDITIONS = {
    "has": "{has: lamp_oil}",
    "at": "{at: quay}",
    "present": "{present: ilse}",
    "visited": "{visited: quay}",
    "clock": "{clock: storm, min: 3}",
    "thread": "{thread: missing, status: open}",
    "revealed": "{revealed: ilse/withholds#bridge}",
    "minutes": "{minutes: 30}",
    "path": "{path: minutes_left, max: 0}",
    "company": "{company: true}",
    "all": "{all: [{at: quay}, {has: lamp_oil}]}",
    "any": "{any: [{at: quay}, {at: tavern}]}",
    "not": "{not: {has: lamp_oil}}",
    "condition": "{condition: bound, of: ilse}",
    "state": "{state: mood, of: ilse, is: grim}",
    "fact": "{fact: dead, subject: jin}",
    "announced": "{announced: gang}",
    "situation": "{situation: blackout}",
    "progress": "{progress: missing, min: 2}",
    "escalation": "{escalation: ilse, min: hard}",
    "turn": "{turn: you}",
    "regard": "{regard: ilse, min: 1}",
    "did": "{did: warn_jo, by: ilse}",
    "tried": "{tried: warn_jo, by: ilse}",
}


def tables() -> dict[str, str]:
    """Return the tables of the page, by name."""
    return {
        "keys": "\n".join(_keys()),
        "effects": "\n".join(_kinds("effect", effects.Effect, _EFFECTS)),
        "conditions": "\n".join(_kinds("condition", conditions.Condition, _CONDITIONS)),
        "acts": "\n".join(_acts()),
    }


def page_with(tables_of_page: Mapping[str, str], page: str) -> str:
    """Return the page with these tables between its marks."""
    for name, table in tables_of_page.items():
        start, end = _MARK.format(name=name), _END.format(name=name)
        before, _, rest = page.partition(f"{start}\n")
        page = f"{before}{start}\n{table}\n{end}{rest.partition(end)[2]}"
    return page


def _keys() -> Iterator[str]:
    schema = scenario_schema()
    yield from ("", "| key | what it holds |", "|---|---|")
    yield from (f"| `{key}` | {_cell(part['description'])} |" for key, part in schema["properties"].items())
    for model, title in _PARTS.items():
        yield from ("", f"**{title[0].upper()}{title[1:]}**", "", "| key | what it holds |", "|---|---|")
        for key, part in schema["$defs"][model]["properties"].items():
            needed = " (must be there)" if key in schema["$defs"][model].get("required", ()) else ""
            yield f"| `{key}` | {_cell(part['description'])}{needed} |"
    yield ""


def _kinds(noun: str, union: Any, examples: Mapping[str, str]) -> Iterator[str]:
    """Yield the rows of the effects or conditions, in the order of the union."""
    yield from ("", f"| {noun} | what it means | its keys |", "|---|---|---|")
    for choice in get_args(get_args(union)[0]):
        model, tag = get_args(choice)[0], get_args(choice)[1].tag
        said = re.sub(r" \(`\w+: [^)]*\)", "", " ".join((model.__doc__ or "").split())).rstrip(".")
        keys = [f"`{key}`: {_lower(said_of)}" for key, said_of in descriptions().get(model.__name__, {}).items()]
        yield f"| `{_cell(examples[tag])}` | {_cell(said)}. | {_cell('; '.join(key.rstrip('.') for key in keys))} |"
    yield ""


def _acts() -> Iterator[str]:
    yield from ("", "| act | what the player does | a line |", "|---|---|---|")
    names = {"person": "Ilse", "place": "the quay", "thing": "the rope", "topic": "the bridge", "item": "the rope"}
    for name, verb in verbs().items():
        line = next((line for lines in verb.lines.values() for line in _several(lines)), "")
        line = re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], "…"), line).replace("the the ", "the ")
        yield f"| `{name}` | {_cell(verb.summary)} | {f'`{line}`' if line else ''} |"
    yield ""


def _several(lines: Any) -> tuple[str, ...]:
    return (lines,) if isinstance(lines, str) else tuple(map(str, lines))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page_with(tables(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
