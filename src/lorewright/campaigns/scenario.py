"""A scenario as its author writes it: YAML -> Scenario, every key known and every value of its type."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from lorewright.errors import NotFound, ScenarioError
from lorewright.packs.bounded_yaml import YamlDocument, YamlProblem, load_yaml
from lorewright.rules.conditions import Condition
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import Phrase, Rule
from lorewright.turn.twins.narrator.phrases import phrase_problems
from lorewright.world.frozen import Frozen, FrozenMap


class ScenarioExit(Frozen):
    """A way out: where to, how long it takes, through which door."""

    to: str
    minutes: int = Field(default=1, ge=0)
    via: str | None = None


class ScenarioPlace(Frozen):
    """What a scenario adds to a pack's location; a place of its own needs a name."""

    name: str | None = None
    aliases: tuple[str, ...] = ()
    exits: FrozenMap[str, ScenarioExit] = Field(default_factory=dict)


class ScenarioThing(Frozen):
    """A thing or door. `at` is a place for a thing, the two places for a door; `key` the thing that opens the door."""

    name: str
    kind: Literal["item", "door"] = "item"
    aliases: tuple[str, ...] = ()
    at: str | tuple[str, str] | None = None
    held_by: str | None = None
    locked: bool = False
    key: str | None = None


class ScenarioCast(Frozen):
    """Where a character is at the start (`offstage`: nowhere yet), and how much they trust the player."""

    at: str
    trust: int = 0
    name: str | None = None
    aliases: tuple[str, ...] = ()
    pronoun: Literal["he", "she", "they", "it"] | None = None


class ScenarioPlayer(Frozen):
    """Who the player is."""

    name: str = "the traveller"
    pronoun: Literal["he", "she", "they", "it"] = "they"
    items: tuple[str, ...] = ()
    traits: FrozenMap[str, int] = Field(default_factory=dict)


class ScenarioThread(Frozen):
    """An open question and who it is about."""

    title: str
    status: str = "open"
    stakes: str = ""
    related: tuple[str, ...] = ()


class ScenarioClock(Frozen):
    """A clock; `at[value]` happens when it rises to the value."""

    name: str | None = None
    max: int = Field(ge=1, le=100)
    value: int = Field(default=0, ge=0)
    at: FrozenMap[int, tuple[Effect, ...]] = Field(default_factory=dict)


class ScenarioEnding(Frozen):
    """An ending: reached by an `end` effect, or when the condition holds after a turn."""

    say: str
    when: Condition | None = None


class Scenario(Frozen):
    """A playable situation on top of packs. IDs of entities may be bare or `pack:id`."""

    id: str
    name: str = ""
    summary: str = ""
    stakes: str = ""
    goals: FrozenMap[str, str] = Field(default_factory=dict)
    tone: str = ""
    intro_seed: str
    content_packs: tuple[str, ...] = Field(min_length=1)
    ruleset: str = "freeform"
    start: str
    player: ScenarioPlayer = Field(default_factory=ScenarioPlayer)
    places: FrozenMap[str, ScenarioPlace]
    things: FrozenMap[str, ScenarioThing] = Field(default_factory=dict)
    cast: FrozenMap[str, ScenarioCast] = Field(default_factory=dict)
    threads: FrozenMap[str, ScenarioThread] = Field(default_factory=dict)
    clocks: FrozenMap[str, ScenarioClock] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    finds: FrozenMap[str, tuple[Effect, ...]] = Field(default_factory=dict)
    endings: FrozenMap[str, ScenarioEnding] = Field(default_factory=dict)
    grammar: FrozenMap[str, tuple[Phrase, ...]] = Field(default_factory=dict)
    demo: tuple[str, ...] = ()
    demo_seed: int = 1

    @field_validator("grammar", mode="before")
    @classmethod
    def _phrases(cls, data: Any) -> Any:
        """A row may be a bare text, as it may in the narrator's own grammar."""
        if not isinstance(data, dict):
            return data
        return {
            group: tuple({"text": row} if isinstance(row, str) else row for row in rows)
            if isinstance(rows, list)
            else rows
            for group, rows in data.items()
        }

    @field_validator("grammar", mode="after")
    @classmethod
    def _fitting(cls, grammar: FrozenMap[str, tuple[Phrase, ...]]) -> FrozenMap[str, tuple[Phrase, ...]]:
        """Every phrase fits its group: a phrase that would never be told, or break when told, is refused here."""
        problems = phrase_problems(grammar)
        if problems:
            raise ValueError("; ".join(problems[:3]))
        return grammar

    @model_validator(mode="before")
    @classmethod
    def _one_pack(cls, data: Any) -> Any:
        """`content_pack: x` is `content_packs: [x]`."""
        if isinstance(data, dict) and "content_pack" in data and "content_packs" not in data:
            return {**{k: v for k, v in data.items() if k != "content_pack"}, "content_packs": [data["content_pack"]]}
        return data


def load_scenario(path: Path) -> Scenario:
    """Read a scenario file.

    Raises:
        NotFound: there is no such file.
        ScenarioError: it is not a scenario; the message has file, line and key.
    """
    if not path.is_file():
        raise NotFound(f"there is no scenario at {path}", hint="see the folder scenarios/")
    try:
        document = load_yaml(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: the file is not UTF-8", hint="save it as UTF-8") from None
    except YamlProblem as problem:
        raise ScenarioError(
            f"{path}:{problem.line}:{problem.column}: {problem.message}", hint="mend the YAML"
        ) from None
    if not isinstance(document.data, dict):
        raise ScenarioError(f"{path}:1: a scenario is `key: value` lines", hint="see docs/authoring.md")
    try:
        return Scenario.model_validate(document.data)
    except ValidationError as problem:
        raise _explained(path, document, problem) from None


def _explained(path: Path, document: YamlDocument, problem: ValidationError) -> ScenarioError:
    lines = []
    for one in problem.errors(include_url=False, include_input=False)[:5]:
        keys = [str(part) for part in one["loc"]]
        line = document.key_lines.get(keys[0], 1) if keys else 1
        lines.append(f"{path}:{line}: {'.'.join(keys)}: {one['msg']}")
    return ScenarioError("\n".join(lines), hint="see docs/authoring.md for the keys of a scenario")
