"""Scenario -> YAML as an author would write it: only what is not left at its default."""

from __future__ import annotations

from pathlib import Path

import yaml

from lorewright.campaigns.scenario import Scenario
from lorewright.errors import SettingsError


def write_scenario(scenario: Scenario, path: Path) -> None:
    """Write a scenario's file; the same scenario gives the same bytes.

    Raises:
        SettingsError: the file is there already, or cannot be written.
    """
    data = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SettingsError(f"{path} is there already", hint="name another file") from None
    except OSError as problem:
        raise SettingsError(f"{path} cannot be written: {problem.strerror}", hint="name another file") from None
