"""The scenarios of a workspace: which there are, and the findings of a check of one."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lorewright.builtin.words.clauses import place_name
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.scenarios.cast import SCENE_SEED, STAT_BLOCKS
from lorewright.campaigns.scenarios.checks import (
    Doubt,
    find_doubts,
    mistaken_places,
    people_nowhere,
    places_of_other_types,
    play_demo,
    shown_though_hidden,
)
from lorewright.campaigns.scenarios.names import with_ids
from lorewright.campaigns.scenarios.opening import Opening, compose, try_composing
from lorewright.campaigns.scenarios.rulesets import load_ruleset, rulesets_beside
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario, read_scenario, scenario_text
from lorewright.errors import LorewrightError, NotFound, PackError, RulesetError, ScenarioError
from lorewright.generate.explore.completing import complete_scenario, people_unplaced
from lorewright.generate.explore.explorer import Explorer
from lorewright.generate.explore.making import demo_lines
from lorewright.ids import is_id, local, slug
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.packs.files import Finding, error, info, warning
from lorewright.rules.rulesets import Ruleset
from lorewright.values.records import CampaignRow
from lorewright.world.state import Exit, WorldState

_SUFFIXES = (".yaml", ".yml")
# The nodes of a scenario's YAML: the limit that reading it has, too.
_MAX_NODES = 500_000
# What to do about an unknown name, by the beginning of the message.
_HINTS = {
    "there is no act": "use one of them, or another ruleset: lorewright ruleset list",
    "there is no clock": "mend the name, or add it: `clocks: {storm: {max: 6}}`",
    "there is no ending": "mend the name, or add it: `endings: {lit: {say: The lamp burns.}}`",
    "there is no thread": "mend the name, or add it: `threads: {missing: {title: Where is Jin?}}`",
    "there is no situation": "mend the name, or add it: `situations: {storm: {summary: it storms}}`",
    "there is no threat": "mend the name, or add it: `threats: {gang: {title: Somebody looks for you}}`",
    "no pack has an item": "mend the name, or name the item in the pack: `- {#oil} …` below `## Withholds`",
    "dice": "mend the dice",
    "": "mend the name, or add it to the pack, or to `places`, `cast` or `things` here",
}
# The word that a message about an unknown name is about, and the indent of a line, a list's dash left out.
_NAMING = r"(?:is called|there is no \w+|no pack has an item|nobody has the trait|has no place|dice)"
_ABOUT = re.compile(_NAMING + r" \"?([\w:./#-]+(?: [\w:./#-]+)*?)\"?(?=[:;,(]| \(|$)")
_INDENT = re.compile(r"\s*")
# The groups of a scenario whose keys may be names.
_KEYED_BY_NAMES = ("places", "cast", "goals", "stat_blocks", "finds")


@dataclass(frozen=True, slots=True)
class ListedScenario:
    """A scenario as a list shows it; `packs_here` tells whether each of its packs is installed or lies in the
    workspace."""

    id: str
    name: str
    summary: str
    packs: tuple[str, ...]
    ruleset: str
    packs_here: bool
    file: str


@dataclass(frozen=True, slots=True)
class ShownScenario:
    """A scenario as data: what its author wrote, and what its packs give."""

    written: Mapping[str, object]
    derived: Mapping[str, object]


class Scenarios:
    """Lists and checks scenario files. The library that it is given searches by words alone: nothing is embedded
    here."""

    def __init__(self, folder: Path, content_packs: Path, library: Library, explorer: Explorer) -> None:
        self._folder = folder
        self._content_packs = content_packs
        self._library = library
        self._explorer = explorer

    def listed(self) -> tuple[list[ListedScenario], list[Path]]:
        """Return the scenarios of the workspace by file, and the files that are no scenarios."""
        found, broken = [], []
        installed = {pack.id for pack in self._library.packs()}
        for path in sorted(file for file in self._folder.glob("*") if file.suffix in _SUFFIXES and file.is_file()):
            scenario, _ = read_scenario(path)
            if scenario is None:
                broken.append(path)
                continue
            here = all(
                content_pack in installed or (self._content_packs / content_pack).is_dir()
                for content_pack in scenario.content_packs
            )
            summary = " ".join(scenario.summary.split())
            found.append(
                ListedScenario(
                    id=scenario.id,
                    name=scenario.name or scenario.id,
                    summary=summary,
                    packs=scenario.content_packs,
                    ruleset=scenario.ruleset,
                    packs_here=here,
                    file=path.name,
                )
            )
        return found, broken

    def findings(self, path: Path) -> list[Finding]:
        """Return what `campaign new` would refuse, as errors, and what is probably a mistake, as warnings; by line.

        Raises:
            NotFound: there is no such file.
        """
        scenario, faults = read_scenario(path)
        if scenario is None:
            found = [error(str(path), "invalid", fault.message, line=fault.line, hint=fault.hint) for fault in faults]
            return sorted({*found, *_twice(path)})
        checked = _Checked(str(path), lines_of_yaml(scenario_text(path), max_nodes=_MAX_NODES), scenario, scenario)
        with ExitStack() as stack:
            stack.enter_context(self._explorer.trying())
            found = list(self._checked(checked, scenario, stack))
        errors = " ".join(finding.message for finding in found if finding.severity == "error")
        said = (finding for finding in found if not (finding.code == "absent-target" and _is_said(finding, errors)))
        return sorted({*said, *_twice(path)})

    def opening_state(self, path: Path) -> tuple[Scenario, WorldState]:
        """Return a scenario and the state that it opens with; nothing is installed or begun.

        Raises:
            ScenarioError: the file is no scenario, or names what there is not.
            NotFound: there is no such file, pack or ruleset.
        """
        _, whole, opening = self._opened(path)
        return whole, opening.state

    def shown(self, path: Path) -> ShownScenario:
        """Return a scenario as a campaign would have it, and what of it its packs give; nothing is installed or begun.

        Raises:
            ScenarioError: the file is no scenario, or names what there is not.
            NotFound: there is no such file, pack or ruleset.
        """
        return _shown(*self._opened(path))

    def new_text(self, scenario_id: str, pack_id: str) -> str:
        """Return the text of a first scenario in a pack, with a comment on each part; nothing is written.

        Raises:
            NotFound: there is no such pack.
            ScenarioError: the pack has nothing to play in.
        """
        with self._explorer.trying():
            pack, _ = self._explorer.pack_of_id(pack_id)
            with closing(self._library.open(pack.key)) as generation:
                whole = complete_scenario(Scenario(id=scenario_id, content_packs=(pack_id,)), [generation])
                names = {key: place.name or key for key, place in whole.places.items()}
        return _new_text(scenario_id, pack_id, whole, names)

    def demo_findings(self, path: Path, campaigns: Campaigns) -> list[Finding]:
        """Return the lines of the demo of a scenario without errors that are asked back or refused, as warnings.

        It is played in `campaigns`, which should be thrown away afterwards.
        """
        with self._explorer.trying():
            return self._tried(path, load_scenario(path), campaigns)

    def begin_rehearsal(self, path: Path, campaigns: Campaigns, *, seed: int | None = None) -> CampaignRow:
        """Begin a scenario without errors in campaigns that are thrown away, with the dice of its demo unless there is
        a seed; return the campaign."""
        scenario = load_scenario(path)
        packs = [self._explorer.pack_of_id(pack_id)[0] for pack_id in scenario.content_packs]
        return campaigns.begin(
            scenario,
            packs,
            self._library,
            source=str(path),
            campaign_id=f"{scenario.id}_demo",
            seed=scenario.demo_seed if seed is None else seed,
        )

    def folders_of(self, path: Path) -> list[Path]:
        """Return the folders of a scenario's packs that are here; none while the file is no scenario."""
        with suppress(LorewrightError):
            scenario, _ = read_scenario(path)
            installed = {pack.id: Path(pack.path) for pack in self._library.packs()}
            packs = scenario.content_packs if scenario is not None else ()
            found = (installed.get(pack_id, self._content_packs / pack_id) for pack_id in packs)
            return [folder for folder in found if folder.is_dir()]
        return []

    def _opened(self, path: Path) -> tuple[Scenario, Scenario, Opening]:
        """Return a scenario as it is written, the whole of it, and its opening."""
        with self._explorer.trying(), ExitStack() as stack:
            written = load_scenario(path)
            ruleset, _ = load_ruleset(written.ruleset, rulesets_beside(self._folder))
            generations = [
                stack.enter_context(closing(self._library.open(self._explorer.pack_of_id(pack_id)[0].key)))
                for pack_id in written.content_packs
            ]
            whole = with_ids(complete_scenario(written, generations), generations)
            return written, whole, compose(whole, ruleset, generations, campaign_id=whole.id, source=str(path))

    def _tried(self, path: Path, scenario: Scenario, campaigns: Campaigns) -> list[Finding]:
        packs = [self._explorer.pack_of_id(pack_id)[0] for pack_id in scenario.content_packs]
        # The dice depend on the campaign's ID: it is the one that `play` gives a demo.
        demo_id = f"{scenario.id}_demo"
        row = campaigns.begin(
            scenario, packs, self._library, source=str(path), campaign_id=demo_id, seed=scenario.demo_seed
        )
        lines = lines_of_yaml(scenario_text(path), max_nodes=_MAX_NODES)
        checked = _Checked(str(path), lines, scenario, scenario)
        with campaigns.open(row.id) as campaign:
            return [checked.warning(doubt) for doubt in play_demo(campaign, scenario.demo)]

    def _checked(self, checked: _Checked, scenario: Scenario, stack: ExitStack) -> Iterator[Finding]:
        if not is_id(scenario.id):
            message = f"{scenario.id} is no ID: it names the campaign's file, and what you type"
            hint = f"write letters, digits, _ and - alone: {slug(scenario.id, fallback='my_game').replace('-', '_')}"
            yield error(checked.file, "invalid", f"id: {message}", line=line_of(checked.lines, ("id",)), hint=hint)
        try:
            ruleset, _ = load_ruleset(scenario.ruleset, rulesets_beside(self._folder))
        except (NotFound, RulesetError) as problem:
            yield checked.error(("ruleset",), "unknown-ruleset", problem)
            return
        generations: list[Generation] = []
        for number, pack_id in enumerate(scenario.content_packs):
            try:
                pack, _ = self._explorer.pack_of_id(pack_id)
            except (NotFound, PackError) as problem:
                yield checked.error(("content_packs", number), "pack-missing", problem)
                continue
            generations.append(self._library.open(pack.key))
            stack.callback(generations[-1].close)
        state: WorldState | None = None
        if len(generations) == len(scenario.content_packs):
            try:
                complete = complete_scenario(scenario, generations)
            except ScenarioError as problem:
                yield checked.error(("places",), "no-places", problem)
                return
            mistaken = list(mistaken_places(scenario, generations))
            lost = {} if mistaken else people_unplaced(scenario, complete, generations)
            yield from map(checked.warning, (*mistaken, *places_of_other_types(scenario, generations)))
            yield from map(checked.info, people_nowhere(lost))
            scenario = with_ids(complete, generations)
            checked = replace(checked, written=complete, scenario=scenario)
            state = yield from _composed(checked, scenario, ruleset, generations)
        for doubt in find_doubts(scenario, ruleset, state):
            yield checked.warning(doubt)
        if state is not None:
            for doubt in shown_though_hidden(scenario, state, generations):
                yield checked.warning(doubt)


def _shown(written: Scenario, whole: Scenario, opening: Opening) -> ShownScenario:
    data = whole.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    own = {key: value for key, value in data.items() if key in written.model_fields_set}
    derived = {key: value for key, value in data.items() if key not in written.model_fields_set}
    at_home = {who: {"at": member.at} for who, member in whole.cast.items() if who in _keys(written) and member.at}
    if at_home and "cast" not in derived and (lost := _without_place(written, whole)):
        derived["cast"] = {who: place for who, place in at_home.items() if who in lost}
    if not whole.map:
        for key, place in whole.places.items():
            ways = opening.state.exits.get(_id_in(opening.state, key), ())
            if ways and not place.exits:
                exits = {way.name: _shown_way(way) for way in ways}
                derived.setdefault("places", {}).setdefault(key, {})["exits"] = exits
    known = {rule.id for rule in whole.rules} | {f"rule_{n}" for n, _ in enumerate(whole.rules, start=1)}
    rules = [rule for rule in opening.rules.rules if rule.id not in known]
    if rules:
        derived["rules"] = [
            rule.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True) for rule in rules
        ]
    return ShownScenario(own, derived)


def _keys(written: Scenario) -> set[str]:
    return set(written.cast) | {local(key) for key in written.cast}


def _without_place(written: Scenario, whole: Scenario) -> set[str]:
    """Return the keys, as the whole scenario has them, of the cast for whom the file writes no place."""
    keys = dict(zip(whole.cast, written.cast, strict=False))
    return {key for key, own in keys.items() if not written.cast[own].at}


def _id_in(state: WorldState, key: str) -> str:
    return next((place for place in state.exits if place == key or local(place) == local(key)), key)


def _shown_way(way: Exit) -> dict[str, object]:
    shown: dict[str, object] = {"to": local(way.to), "minutes": way.minutes}
    return {**shown, "via": local(way.via)} if way.via else shown


# A new scenario, with a comment on each part.

_NEW = """\
# {name}: play it with `lorewright play {id}`, check it with `lorewright scenario validate {id}`.
# What is not written here comes from the pack: see it with `lorewright scenario show {id} --derived`.
id: {id}
content_packs: [{pack}]

# Where the story begins, and as whom. Places: {places}.
start: {start}
player: {{name: the stranger, traits: {{charm: 1}}}}

# The first words that the player reads; without them, the text of the place.
# intro_seed: It is dark when you come to {start_name}.

# People: {people}. With a `cast` of your own nobody else is there.
# cast: {{{somebody}: {{at: {start}, trust: 1}}}}

# A clock rises by itself or by an effect, and something happens when it is full.
clocks:
  patience: {{max: 6, every: 10 minutes, means: How long you can stay before somebody asks why.}}

# What comes of what the player tries, beside what it does by itself. A withheld item needs no rule where its note says
# what opens it: `- {{#debt}} (2d6 charm) He owes the harbour.` in the pack.
# rules:
#   - on: {{act: ask, target: {somebody}, topic: {start}}}
#     success: [{{clock: patience, by: 1}}]

# How it may end: when a condition holds.
endings:
  seen: {{say: You have seen all there is to see here., when: {seen}}}
  asked: {{say: Somebody asks why you are still here., when: {{clock: patience, min: 6}}}}

# Lines that show the game to somebody who only wants to watch; `validate` plays them.
demo:
{demo}
"""


def _new_text(scenario_id: str, pack_id: str, whole: Scenario, names: Mapping[str, str]) -> str:
    places, people = list(whole.places), list(whole.cast)
    far = [place for place in places if place != whole.start][-1:] or [whole.start]
    seen = f"{{visited: {far[0]}}}" if far[0] != whole.start else "{minutes: 30}"
    shown = demo_lines(whole)[:6]
    # The demo ends where the story does: at the first line to the place that ends it.
    last = next((at for at, line in enumerate(shown) if far[0] != whole.start and _leads_to(line, names[far[0]])), 5)
    lines = "\n".join(f"  - {line}" for line in shown[: last + 1]) or "  - look"
    return _NEW.format(
        id=scenario_id,
        name=scenario_id.replace("_", " "),
        pack=pack_id,
        places=", ".join(places[:12]) + (" …" if len(places) > 12 else ""),
        people=(", ".join(people[:12]) + (" …" if len(people) > 12 else "")) or "nobody",
        start=whole.start,
        start_name=names.get(whole.start, whole.start),
        somebody=people[0] if people else "somebody",
        seen=seen,
        demo=lines,
    )


def _leads_to(line: str, name: str) -> bool:
    return line.startswith("go ") and place_name(name).casefold().removeprefix("the ") in line.casefold()


def _is_said(finding: Finding, errors: str) -> bool:
    """Tell whether an error says already that nothing has the name that a remark on a rule's target is about."""
    name = finding.message.partition(" is about ")[2].partition(", which")[0]
    return f"is called {name}" in errors


def _twice(path: Path) -> Iterator[Finding]:
    """Yield a warning for each key of a file that comes twice; none for a file that is not YAML."""
    with suppress(LorewrightError, YamlProblem, UnicodeDecodeError):
        for key, line in load_yaml(scenario_text(path), max_nodes=_MAX_NODES).duplicates:
            message = f"the key {key} comes twice; the last holds"
            yield warning(str(path), "duplicate-yaml-key", message, line=line, hint="leave one of them out")


def _composed(
    checked: _Checked, scenario: Scenario, ruleset: Ruleset, generations: Sequence[Generation]
) -> Generator[Finding, None, WorldState]:
    opening, problems, in_packs = try_composing(scenario, ruleset, generations, campaign_id=scenario.id)
    for problem in problems:
        where, _, message = problem.partition(": ")
        yield checked.named(where, message)
    for line in in_packs:
        yield error(checked.file, "pack-condition", line, hint="add what it names to the scenario, or mend the pack")
    return opening.state


@dataclass(frozen=True, slots=True)
class _Checked:
    """A file that is checked, with the lines of its keys. `written` is the scenario as its author wrote it, `scenario`
    the same with IDs."""

    file: str
    lines: Mapping[tuple[str, ...], int]
    written: Scenario
    scenario: Scenario

    def error(self, path: tuple[object, ...], code: str, problem: LorewrightError) -> Finding:
        return error(self.file, code, problem.message, line=line_of(self.lines, path), hint=problem.hint or "")

    def named(self, where: str, message: str) -> Finding:
        """Return the finding of an unknown name, at the place where composing met it (`rules.debt`,
        `clocks.heat.at.4`)."""
        path = self._path(where)
        line = self._line_of_word(self._line(path), message)
        if where.split(".")[0] in (STAT_BLOCKS, SCENE_SEED):
            hint = f"see what the ruleset asks for: lorewright ruleset show {self.scenario.ruleset}"
            return error(self.file, "ruleset-schema", f"{where}: {message}", line=line, hint=hint)
        hint = next((hint for start, hint in _HINTS.items() if message.startswith(start)), "")
        return error(self.file, "unknown-name", f"{where}: {message}", line=line, hint=hint)

    def _line_of_word(self, line: int, message: str) -> int:
        """Return the line on which the word that a message is about stands, in the entry that begins on a line."""
        found = _ABOUT.search(message)
        text = scenario_text(Path(self.file)).splitlines()
        if found is None or not 0 < line <= len(text):
            return line
        word = re.compile(rf"(?<![\w-]){re.escape(found[1])}(?![\w-])")
        indent = _INDENT.match(text[line - 1])
        for number, row in enumerate(text[line - 1 :], start=line):
            deeper = not row.strip() or indent is None or len(row) - len(row.lstrip()) > len(indent[0])
            if number > line and not deeper:
                break
            if word.search(row):
                return number
        return line

    def warning(self, doubt: Doubt) -> Finding:
        return warning(self.file, doubt.code, doubt.message, line=self._line(doubt.path), hint=doubt.hint)

    def info(self, doubt: Doubt) -> Finding:
        return info(self.file, doubt.code, doubt.message, line=self._line(doubt.path), hint=doubt.hint)

    def _line(self, path: Sequence[object]) -> int:
        """Return the line of a path of keys, whose second key may stand in the file as another name of it."""
        if len(path) < 2 or path[0] not in _KEYED_BY_NAMES:
            return line_of(self.lines, path)
        group, key, *rest = map(str, path)
        keys = dict(zip(getattr(self.scenario, group), getattr(self.written, group), strict=True))
        return line_of(self.lines, (group, keys.get(key, key), *rest))

    def _path(self, where: str) -> list[object]:
        """Return the path of keys of a place. Rules are named by their ID and found by their number; agendas and acts
        count from 1."""
        parts: list[object] = [*where.split(".")]
        if parts[0] == "rules" and len(parts) > 1:
            ids = [rule.id or f"rule_{n}" for n, rule in enumerate(self.scenario.rules, start=1)]
            parts[1] = ids.index(str(parts[1])) if parts[1] in ids else 0
        if parts[0] == "cast" and parts[2:3] in (["agenda"], ["acts"]):
            parts[3] = int(str(parts[3])) - 1
        return parts
