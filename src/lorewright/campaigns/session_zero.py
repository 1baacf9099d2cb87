"""Session zero: what players agree on before the first turn -> a Calibration, and the scenario and rules changed by it.

Tone, pace, lines and veils bind the model that tells the story; the built-in narrator cannot break them. The character
is written into the state; lethality is kept by the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.campaigns.scenarios.faults import faults_in_lines, faults_of
from lorewright.campaigns.scenarios.names import PLAYER_NAMES
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

# At most this many lines are agreed on, so that a model is shown all of them.
MOST_LINES = 12
_LINE, _NAME, _TONE, _DESCRIPTION = 120, 60, 200, 300
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
_HINT = "see docs/playing.md, Session zero, for the keys"


def _text(longest: int, shortest: int = 1) -> StringConstraints:
    """Return the constraints of a line of text of such a length, without control or direction characters."""
    return StringConstraints(
        strip_whitespace=True,
        min_length=shortest,
        max_length=longest,
        pattern=_PRINTABLE,
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
        """Return what planner and narrator are told of it, over what the scenario says: only the fields that were
        filled in."""
        fields: dict[str, Any] = {"tone": self.tone, "lines": list(self.lines), "veils": list(self.veils)}
        fields["lethality"] = "" if self.lethality == "as the rules say" else self.lethality
        fields["pace"] = "" if self.pace == "steady" else self.pace
        fields["character"] = self.character.description
        return {key: value for key, value in fields.items() if value}


def read_calibration(path: Path) -> Calibration:
    """Return the calibration in a JSON or YAML file.

    Raises:
        NotFound: there is no such file.
        CampaignError: the file is no valid calibration; the message has file, line and key.
    """
    try:
        text = read_text(path, MAX_WRITTEN_BYTES, CampaignError)
        data = load_yaml(text).data
    except FileNotFoundError:
        raise NotFound(
            f"there is no file {path}", hint="write one, or answer questions instead: --session-zero"
        ) from None
    except UnicodeDecodeError:
        raise CampaignError(f"{path}: the file is not UTF-8", hint="save it as UTF-8") from None
    except YamlProblem as problem:
        raise CampaignError(f"{path}:{problem.line}: {problem.message}", hint="mend the YAML or JSON") from None
    try:
        return Calibration.model_validate(data or {})
    except ValidationError as problem:
        faults = faults_of(problem, lines_of_yaml(text), data=data, model=Calibration, hint=_HINT)
        raise CampaignError(faults_in_lines(path, faults), hint=_HINT) from None


def calibration_of(given: Mapping[str, Any]) -> Calibration:
    """Return the calibration as a campaign's file has it. Keys that another version wrote there are ignored."""
    known = {key: value for key, value in given.items() if key in Calibration.model_fields}
    try:
        return Calibration.model_validate(known)
    except ValidationError:
        return Calibration()


def calibrate_scenario(scenario: Scenario, ruleset: Ruleset, calibration: Calibration) -> Scenario:
    """Return the scenario changed by a calibration: the player's name, pronoun, description and stats; lines and veils
    in the ruleset's scene where it has fields for them.

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


def calibrate_rules(rules: CampaignRules, calibration: Calibration) -> CampaignRules:
    """Return the rules changed by a calibration: with a lethality of `low` no escalation has its last step."""
    if calibration.lethality != "low":
        return rules
    ruleset = rules.ruleset.model_copy(update={"escalation": _without_lethal(rules.ruleset.escalation)})
    escalation = MappingProxyType({who: _without_lethal(steps) for who, steps in rules.escalation.items()})
    return rules.model_copy(update={"ruleset": ruleset, "escalation": escalation})


def _without_lethal(steps: Mapping[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType({step: done for step, done in steps.items() if step != "lethal"})


def _with_stats(scenario: Scenario, ruleset: Ruleset, stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scenario's stat blocks with the player's own numbers in theirs."""
    schema = ruleset.character_stat_schema
    if not schema:
        raise CampaignError(f"the ruleset {ruleset.id} has no stats", hint="leave `stats` out")
    blocks: dict[str, Any] = {key: block for key, block in scenario.stat_blocks.items() if key not in PLAYER_NAMES}
    given = next((scenario.stat_blocks[name] for name in PLAYER_NAMES if name in scenario.stat_blocks), {})
    # Traits are the scenario's older notation for stats; a block that omits one would lose it.
    traits = {trait: value for trait, value in scenario.player.traits.items() if trait in schema.get("properties", {})}
    block = {**traits, **plain(given), **plain(stats)}
    wrong = misfits(filled(block, schema), schema)
    if wrong:
        hint = f"see: lorewright ruleset show {ruleset.id}"
        raise CampaignError(f"character.stats do not fit the ruleset {ruleset.id}: {wrong[0]}", hint=hint)
    return {**blocks, "player": block}


def _agreed(ruleset: Ruleset, calibration: Calibration) -> dict[str, list[str]]:
    """Return lines and veils, where the ruleset's scene has array fields of these names."""
    properties = ruleset.scene_state_schema.get("properties", {})
    given = {"lines": list(calibration.lines), "veils": list(calibration.veils)}
    return {name: texts for name, texts in given.items() if texts and properties.get(name, {}).get("type") == "array"}
