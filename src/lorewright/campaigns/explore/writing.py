"""Scenario -> YAML as an author would write it: only what is not left at its default."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from lorewright.campaigns.scenario import Scenario
from lorewright.errors import SettingsError


def write_scenario(scenario: Scenario, path: Path, *, replace: bool = False) -> None:
    """Write a scenario's file, with `replace` in place of one that is there; the same scenario gives the same bytes.

    Raises:
        SettingsError: the file is there already, or cannot be written; what was there is as it was.
    """
    text = scenario_text(scenario)
    building = path.with_name(f".{path.name}.{os.getpid()}.building")
    try:
        building.write_text(text, encoding="utf-8")
        if replace:
            building.replace(path)
        else:
            path.hardlink_to(building)
    except FileExistsError:
        raise SettingsError(f"{path} is there already", hint="name another file") from None
    except OSError as problem:
        raise SettingsError(f"{path} cannot be written: {problem.strerror}", hint="name another file") from None
    finally:
        building.unlink(missing_ok=True)


def scenario_text(scenario: Scenario) -> str:
    """The text of a scenario's file."""
    data = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110))
