"""Session zero: what players agree on before the first turn -> a Calibration, and what code makes of it.

Tone, pace, lines and veils are for whoever tells the story: a model is bound by them, and the built-in narrator has
nothing to cross them with. Who the character is stands in the state; how far people go is the rules' to keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.campaigns.scenarios.names import PLAYER_NAMES, faults_of, told
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.errors import CampaignError, NotFound
from lorewright.packs.bounded_yaml import YamlProblem, lines_of_yaml, load_yaml
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.schemas import filled, misfits, plain

Lethality = Literal["low", "as the rules say", "high"]
Pace = Literal["slow", "steady", "quick"]
Pronoun = Literal["he", "she", "they", "it"]
LETHALITIES: tuple[Lethality, ...] = ("low", "as the rules say", "high")
PACES: tuple[Pace, ...] = ("slow", "steady", "quick")
PRONOUNS: tuple[Pronoun, ...] = ("he", "she", "they", "it")

# So many lines are shown to a model whole; what is never cut is never crossed for want of having been read.
MOST_LINES = 12
_LINE, _NAME, _TONE, _DESCRIPTION = 120, 60, 200, 300
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
_HINT = "see docs/playing.md, Session zero, for what may be said"


def _text(longest: int, shortest: int = 1) -> StringConstraints:
    """One line of text that says something, without what a terminal would obey."""
    return StringConstraints(
        strip_whitespace=True,
        min_length=shortest,
        max_length=longest,
        pattern=r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$",
    )


Said = Annotated[str, _text(_LINE)]


class CalibratedCharacter(Frozen):
    """Who one plays. What is not said stays as the scenario has it; `stats` are those of the ruleset's schema."""

    name: Annotated[str, _text(_NAME)] | None = None
    pronoun: Pronoun | None = None
    description: Annotated[str, _text(_DESCRIPTION, 0)] = ""
    stats: FrozenMap[str, Any] = Field(default_factory=dict)


class Calibration(Frozen):
    """What was agreed on. Nothing of `lines` ever comes up; what is in `veils` happens out of sight."""

    tone: Annotated[str, _text(_TONE, 0)] = ""
    lethality: Lethality = "as the rules say"
    pace: Pace = "steady"
    lines: tuple[Said, ...] = Field(default=(), max_length=MOST_LINES)
    veils: tuple[Said, ...] = Field(default=(), max_length=MOST_LINES)
    character: CalibratedCharacter = Field(default_factory=CalibratedCharacter)

    def told(self) -> dict[str, Any]:
        """What planner and narrator are told of it, over what the scenario says: no more than was said."""
        found: dict[str, Any] = {"tone": self.tone, "lines": list(self.lines), "veils": list(self.veils)}
        found["lethality"] = "" if self.lethality == "as the rules say" else self.lethality
        found["pace"] = "" if self.pace == "steady" else self.pace
        found["character"] = self.character.description
        return {key: value for key, value in found.items() if value}


def read_calibration(path: Path) -> Calibration:
    """A calibration from a JSON or YAML file.

    Raises:
        NotFound: there is no such file.
        CampaignError: it is no calibration; the message has file, line and key.
    """
    try:
        text = read_text(path, MAX_WRITTEN_BYTES, CampaignError)
        data = load_yaml(text).data
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="write one, or let yourself be asked: --session-zero") from None
    except UnicodeDecodeError:
        raise CampaignError(f"{path}: the file is not UTF-8", hint="save it as UTF-8") from None
    except YamlProblem as problem:
        raise CampaignError(f"{path}:{problem.line}: {problem.message}", hint="mend the YAML or JSON") from None
    try:
        return Calibration.model_validate(data or {})
    except ValidationError as problem:
        faults = faults_of(problem, lines_of_yaml(text), hint=_HINT)
        raise CampaignError(told(path, faults), hint=_HINT) from None


def calibration_of(given: Mapping[str, Any]) -> Calibration:
    """The calibration as a campaign's file has it. What another version of ours wrote there is passed over."""
    known = {key: value for key, value in given.items() if key in Calibration.model_fields}
    try:
        return Calibration.model_validate(known)
    except ValidationError:
        return Calibration()


def calibrated(scenario: Scenario, ruleset: Ruleset, calibration: Calibration) -> Scenario:
    """The scenario as it is played by a calibration: the player as they want to be; lines and veils in the ruleset's
    scene where it has a place for them.

    Raises:
        CampaignError: the character's stats do not fit the ruleset; the message names the field.
    """
    character, player = calibration.character, scenario.player
    profile = {**player.profile, **({"description": character.description} if character.description else {})}
    changes: dict[str, Any] = {
        "calibration": MappingProxyType({**scenario.calibration, **calibration.told()}),
        "player": player.model_copy(
            update={
                "name": character.name or player.name,
                "pronoun": character.pronoun or player.pronoun,
                "profile": MappingProxyType(profile),
            }
        ),
    }
    if character.stats:
        changes["stat_blocks"] = MappingProxyType(_with_stats(scenario, ruleset, character.stats))
    agreed = _agreed(ruleset, calibration)
    if agreed:
        changes["scene_seed"] = {**plain(scenario.scene_seed or {}), **agreed}
    return scenario.model_copy(update=changes)


def kept_to(rules: CampaignRules, calibration: Calibration) -> CampaignRules:
    """The rules as they are played by a calibration: with a lethality of `low` nobody goes to the last step of an
    escalation."""
    if calibration.lethality != "low":
        return rules
    ruleset = rules.ruleset.model_copy(update={"escalation": _without_lethal(rules.ruleset.escalation)})
    escalation = MappingProxyType({who: _without_lethal(steps) for who, steps in rules.escalation.items()})
    return rules.model_copy(update={"ruleset": ruleset, "escalation": escalation})


def _without_lethal(steps: Mapping[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType({step: done for step, done in steps.items() if step != "lethal"})


def _with_stats(scenario: Scenario, ruleset: Ruleset, stats: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario's stat blocks with the player's own numbers in theirs."""
    schema = ruleset.character_stat_schema
    if not schema:
        raise CampaignError(f"the ruleset {ruleset.id} has no stats", hint="leave `stats` out")
    blocks: dict[str, Any] = {key: block for key, block in scenario.stat_blocks.items() if key not in PLAYER_NAMES}
    given = next((scenario.stat_blocks[one] for one in PLAYER_NAMES if one in scenario.stat_blocks), {})
    # Traits are the scenario's older way to say the same; a block that leaves one out would lose it.
    traits = {name: value for name, value in scenario.player.traits.items() if name in schema.get("properties", {})}
    block = {**traits, **plain(given), **plain(stats)}
    wrong = misfits(filled(block, schema), schema)
    if wrong:
        hint = f"see: lorewright ruleset show {ruleset.id}"
        raise CampaignError(f"character.stats do not fit the ruleset {ruleset.id}: {wrong[0]}", hint=hint)
    return {**blocks, "player": block}


def _agreed(ruleset: Ruleset, calibration: Calibration) -> dict[str, list[str]]:
    """Lines and veils, where the ruleset's scene has lists of texts of these names."""
    properties = ruleset.scene_state_schema.get("properties", {})
    given = {"lines": list(calibration.lines), "veils": list(calibration.veils)}
    return {name: said for name, said in given.items() if said and properties.get(name, {}).get("type") == "array"}
