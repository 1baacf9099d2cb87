"""The scenarios of a workspace: which there are, and the findings of a check of one."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.scenarios.cast import SCENE_SEED, STAT_BLOCKS
from lorewright.campaigns.scenarios.checks import Doubt, find_doubts, play_demo, shown_though_hidden
from lorewright.campaigns.scenarios.names import with_ids
from lorewright.campaigns.scenarios.opening import try_composing
from lorewright.campaigns.scenarios.rulesets import load_ruleset, rulesets_beside
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario, read_scenario, scenario_text
from lorewright.errors import LorewrightError, NotFound, PackError, RulesetError
from lorewright.generate.explore.explorer import Explorer
from lorewright.index.generation import Generation
from lorewright.index.library import Library
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.packs.files import Finding, error, warning
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import WorldState

_SUFFIXES = (".yaml", ".yml")
# The nodes of a scenario's YAML: the limit that reading it has, too.
_MAX_NODES = 500_000
# What to do about an unknown name, by the beginning of the message.
_HINTS = {
    "there is no act": "use one of them, or another ruleset: lorewright ruleset list",
    "dice": "mend the dice",
    "": "add it to the pack or scenario, or mend the name",
}
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
        return sorted({*found, *_twice(path)})

    def demo_findings(self, path: Path, campaigns: Campaigns) -> list[Finding]:
        """Return the lines of the demo of a scenario without errors that are asked back or refused, as warnings.

        It is played in `campaigns`, which should be thrown away afterwards.
        """
        with self._explorer.trying():
            return self._tried(path, load_scenario(path), campaigns)

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
            scenario = with_ids(scenario, generations)
            checked = replace(checked, scenario=scenario)
            state = yield from _composed(checked, scenario, ruleset, generations)
        for doubt in find_doubts(scenario, ruleset, state):
            yield checked.warning(doubt)
        if state is not None:
            for doubt in shown_though_hidden(scenario, state, generations):
                yield checked.warning(doubt)


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
        line = self._line(path)
        if where.split(".")[0] in (STAT_BLOCKS, SCENE_SEED):
            hint = f"see what the ruleset asks for: lorewright ruleset show {self.scenario.ruleset}"
            return error(self.file, "ruleset-schema", f"{where}: {message}", line=line, hint=hint)
        hint = next((hint for start, hint in _HINTS.items() if message.startswith(start)), "")
        return error(self.file, "unknown-name", f"{where}: {message}", line=line, hint=hint)

    def warning(self, doubt: Doubt) -> Finding:
        return warning(self.file, doubt.code, doubt.message, line=self._line(doubt.path), hint=doubt.hint)

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
