"""The scenarios that ship -> what their packs give in place of each key that is taken out, and what of it differs.

`python scripts/underived.py` prints a line for each key of each scenario that can be derived: `same`, how what is made
differs from what the author wrote, or `needed`, where the packs do not give it and the check says what is missing. A
difference is no fault: a scenario says what its pack does not. `--write` lists them on docs/scenario_reference.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from lorewright.bootstrap import App, open_app
from lorewright.errors import LorewrightError
from lorewright.packs.bounded_yaml import load_yaml

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "scenario_reference.md"
_MARK, _END = "<!-- underived: made by scripts/underived.py --write -->", "<!-- end of underived -->"
# The keys that packs give where a scenario does not write them; of people, things and places key by key.
_WHOLE = ("start", "intro_seed", "places", "map", "cast", "things")


def cases(scenario: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each scenario without one key that its packs may give, with what was taken out."""
    for key in _WHOLE:
        if key in scenario:
            yield key, {name: value for name, value in scenario.items() if name != key}
    for group, inner in (("cast", "at"), ("things", "name"), ("places", "exits")):
        for key, entry in scenario.get(group, {}).items():
            if isinstance(entry, dict) and inner in entry:
                rest = {name: value for name, value in entry.items() if name != inner}
                yield f"{group}.{key}.{inner}", {**scenario, group: {**scenario[group], key: rest}}


def differences(app: App, folder: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield for each key the difference that its absence makes."""
    scenario = load_yaml(text, max_nodes=500_000).data
    whole = _opened(app, folder / "whole.yaml", scenario)
    for name, without in cases(scenario):
        try:
            found = _opened(app, folder / "without.yaml", without)
        except LorewrightError as problem:
            first = problem.message.partition("\n")[0].rpartition("without.yaml: ")[2]
            yield name, f"needed: {first}"
            continue
        parts = [part for part in whole if whole[part] != found[part]]
        yield name, "; ".join(_told(part, whole[part], found[part]) for part in parts) or "same"


def _opened(app: App, path: Path, scenario: dict[str, Any]) -> dict[str, Any]:
    path.write_text(yaml.safe_dump(scenario, sort_keys=False, allow_unicode=True), encoding="utf-8")
    made, state = app.scenarios.opening_state(path)
    return {
        "start": state.scene.location_id,
        "opening": " ".join(made.intro_seed.split()),
        "positions": dict(state.positions),
        "ways": {place: sorted(way.to for way in ways) for place, ways in state.exits.items()},
        "names": {entity.id: entity.name for entity in state.entities.values() if entity.type in ("item", "door")},
    }


def _told(part: str, was: Any, now: Any) -> str:
    if not isinstance(was, dict):
        return f"{part} {_short(was)} -> {_short(now)}"
    gone = [f"-{key}" for key in was if key not in now]
    new = [f"+{key}" for key in now if key not in was]
    other = [f"{key} {_short(was[key])} -> {_short(now[key])}" for key in was if key in now and was[key] != now[key]]
    return f"{part}: {', '.join((*gone, *new, *other)[:6])}{' …' if len(gone) + len(new) + len(other) > 6 else ''}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 50 else f"{text[:47]}…"


def lines() -> Iterator[tuple[str, str, str]]:
    """Yield scenario, key and difference for each scenario that ships."""
    app = open_app(PROJECT)
    with TemporaryDirectory() as folder:
        for path in sorted((PROJECT / "scenarios").glob("*.yaml")):
            for name, told in differences(app, Path(folder), path.read_text(encoding="utf-8")):
                yield path.stem, name, told


def table(found: Iterable[tuple[str, str, str]]) -> str:
    """Return the rows of the page: for each scenario the keys that its packs give as they are written, those that they
    give otherwise, and those that they do not give."""
    groups: dict[str, dict[str, list[str]]] = {}
    for scenario, key, told in found:
        group = told if told == "same" else "needed" if told.startswith("needed: ") else "other"
        shown = f"`{key}`: {_cell(told)}" if group == "other" else f"`{key}`"
        groups.setdefault(scenario, {"same": [], "other": [], "needed": []})[group].append(shown)
    rows = [
        f"| `{scenario}` | {', '.join(of['same'])} | {'<br>'.join(of['other'])} | {', '.join(of['needed'])} |"
        for scenario, of in groups.items()
    ]
    return "\n".join(("| scenario | the same | otherwise | not in the packs |", "|---|---|---|---|", *rows, ""))


def page_with(rows: str, page: str) -> str:
    """Return the page with these rows between its marks."""
    before, _, rest = page.partition(f"{_MARK}\n")
    _, _, after = rest.partition(_END)
    return f"{before}{_MARK}\n\n{rows}\n{_END}{after}"


def _cell(told: str) -> str:
    plain = re.sub(r"\b(?:neo_seattle|cyberpunk_core|orme_house|motel_verse):", "", told)
    return plain.replace("|", "\\|").replace(" -> ", " → ")


def main() -> None:
    """Print the lines, or write them to the page."""
    found = list(lines())
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page_with(table(found), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return
    for scenario, name, told in found:
        sys.stdout.write(f"{scenario}\t{name}\t{told}\n")


if __name__ == "__main__":
    main()
