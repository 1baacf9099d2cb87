"""Session zero at a terminal: each question is asked again until its answer is valid; or all answers from a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.campaigns.session_zero import (
    LETHALITIES,
    PACES,
    PRONOUNS,
    CalibratedCharacter,
    Calibration,
    calibrate_scenario,
    read_calibration,
)
from lorewright.cli.output import note, say
from lorewright.errors import CampaignError, SettingsError
from lorewright.packs.markdown.text_layout import clean
from lorewright.rules.rulesets import Ruleset

# Asks a question and returns the line that was typed.
Ask = Callable[[str], str]


def agreed_on(campaigns: Campaigns, scenario_name: str, file: Path | None, *, ask: bool) -> Calibration | None:
    """Return the calibration from a file, else from questions if `ask` is set, else None.

    Raises:
        SettingsError: there is no terminal at which to ask.
        And what reading the file or the scenario raises.
    """
    if file is not None:
        if ask:
            raise SettingsError("--calibration answers all questions of --session-zero", hint="give one of them")
        return read_calibration(file)
    if not ask:
        return None
    if not sys.stdin.isatty():
        hint = "give it in a file: --calibration FILE.yaml, see docs/playing.md"
        raise SettingsError("session zero is asked at a terminal, and there is none", hint=hint)
    try:
        return asked(*campaigns.read(scenario_name), _typed)
    except EOFError:
        raise SettingsError("session zero was broken off; no campaign was begun", hint="begin it again") from None


def asked(scenario: Scenario, ruleset: Ruleset, ask: Ask) -> Calibration:
    """Return the calibration that the answers to the questions make; an empty answer leaves the scenario's value."""
    say("Before the first turn. An empty line leaves a thing as it is; several things are parted by semicolons.")
    given: dict[str, Any] = {}
    for key, question, read in _questions(scenario):
        _put(Calibration, given, key, question, read, ask)
    character: dict[str, Any] = {}
    for key, question, read in _about_character(scenario):
        _put(CalibratedCharacter, character, key, question, read, ask)
    if integers := _integers(ruleset):
        _put_stats(given, character, scenario, ruleset, integers, ask)
    return Calibration.model_validate({**given, "character": character})


Read = Callable[[str], Any]


def _questions(scenario: Scenario) -> Iterator[tuple[str, str, Read]]:
    now = f" (the scenario: {clean(scenario.tone)})" if scenario.tone else ""
    yield "tone", f"Tone{now}: ", str
    yield "lethality", f"Lethality ({' / '.join(LETHALITIES)}): ", _begun(LETHALITIES)
    yield "pace", f"Pace ({' / '.join(PACES)}): ", _begun(PACES)
    yield "lines", "Lines, what never comes up: ", _several
    yield "veils", "Veils, what happens out of sight: ", _several


def _about_character(scenario: Scenario) -> Iterator[tuple[str, str, Read]]:
    yield "name", f"Your name ({clean(scenario.player.name)}): ", str
    yield "pronoun", f"Your pronoun ({' / '.join(PRONOUNS)}; now {scenario.player.pronoun}): ", str
    yield "description", "Who you are, in a sentence or two: ", str


def _put(model: type[BaseModel], given: dict[str, Any], key: str, question: str, read: Read, ask: Ask) -> None:
    """Ask until the answer fits the model, together with what was given before."""
    while answer := ask(question).strip():
        try:
            model.model_validate({**given, key: read(answer)})
        except ValidationError as problem:
            note(_told(problem))
            continue
        given[key] = read(answer)
        return


def _put_stats(
    given: dict[str, Any],
    character: dict[str, Any],
    scenario: Scenario,
    ruleset: Ruleset,
    integers: Mapping[str, str],
    ask: Ask,
) -> None:
    """Ask for stats in one line (`charm 2, wits -1`), until they fit the ruleset's schema."""
    shown = ", ".join(f"{name} {bounds}" for name, bounds in integers.items())
    while answer := ask(f"Your stats ({shown}), as in {next(iter(integers))} 1: ").strip():
        try:
            stats = dict(_stats(answer))
            agreed = Calibration.model_validate({**given, "character": {**character, "stats": stats}})
            calibrate_scenario(scenario, ruleset, agreed)
        except (CampaignError, ValueError) as problem:
            note(_told(problem) if isinstance(problem, ValidationError) else str(problem))
            continue
        character["stats"] = stats
        return


def _stats(answer: str) -> Iterator[tuple[str, int]]:
    for part in answer.replace(";", ",").split(","):
        name, _, number = part.strip().rpartition(" ")
        try:
            yield name.strip().lower().replace(" ", "_").replace("-", "_"), int(number)
        except ValueError:
            raise ValueError(f"{clean(part.strip())!r} is no stat and number") from None


def _integers(ruleset: Ruleset) -> dict[str, str]:
    """Return the whole numbers of a stat block, each with its bounds in words."""
    properties = ruleset.character_stat_schema.get("properties", {})
    return {
        name: f"{part.get('minimum', '')} to {part.get('maximum', '')}".strip()
        for name, part in properties.items()
        if part.get("type") == "integer"
    }


def _begun(options: tuple[str, ...]) -> Read:
    """Return a reader that completes an option from its first letters."""

    def read(answer: str) -> str:
        found = [option for option in options if option.startswith(answer.lower())]
        return found[0] if len(found) == 1 else answer

    return read


def _several(answer: str) -> list[str]:
    return [part.strip() for part in answer.split(";") if part.strip()]


def _told(problem: ValidationError) -> str:
    return "; ".join(str(error["msg"]) for error in problem.errors(include_url=False, include_input=False)[:2])


def _typed(question: str) -> str:
    return input(question)


def calibration_lines(calibration: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was agreed on, a line each, as a campaign shows it."""
    for key in ("tone", "lethality", "pace"):
        if calibration.get(key):
            yield f"{key}: {calibration[key]}"
    for key in ("lines", "veils"):
        if calibration.get(key):
            yield f"{key}: {'; '.join(calibration[key])}"
    character = calibration.get("character") or {}
    texts = [str(character[key]) for key in ("name", "description") if character.get(key)]
    if texts:
        yield f"character: {': '.join(texts)}"
