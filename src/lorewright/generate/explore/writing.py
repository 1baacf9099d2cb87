"""Scenario -> YAML as an author would write it: without values that equal their defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import yaml

from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.errors import SettingsError
from lorewright.storage.enclosure import Enclosure


def write_scenario(scenario: Scenario, path: Path, *, replace: bool = False) -> None:
    """Write a scenario's file, with `replace` in place of one that is there; the same scenario gives the same bytes.

    Raises:
        SettingsError: the file is there already, or cannot be written; an existing file is as it was.
        UnsafePath: it is a link.
    """
    text = scenario_text(scenario)
    # The folder was named by the user and may be a link; nothing in it is followed.
    here = Enclosure(path.parent.resolve())
    target = here.root / path.name
    building = target.with_name(f".{path.name}.{os.getpid()}.building")
    try:
        here.remove(building)
        here.write_new(building, text.encode())
        if replace:
            here.move(building, target)
        else:
            here.name_new(building, target)
    except FileExistsError:
        raise SettingsError(f"{path} is there already", hint="name another file") from None
    except OSError as problem:
        raise SettingsError(f"{path} cannot be written: {problem.strerror}", hint="name another file") from None
    finally:
        with suppress(OSError):
            here.remove(building)


def scenario_text(scenario: Scenario) -> str:
    """Return the text of a scenario's file."""
    return data_as_yaml(scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def data_as_yaml(data: Mapping[str, object]) -> str:
    """Return a scenario's data as YAML."""
    return str(yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True, width=110))
