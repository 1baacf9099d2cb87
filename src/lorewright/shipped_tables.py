"""Tables of words and rules that ship with the package, as YAML beside the modules that read them."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml

# The C loader takes a tenth of the time, where PyYAML has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_table(package: str | None, name: str) -> Any:
    """Return the data of a YAML file in a package (a module's `__package__`); the file is ours, so that nothing about
    it is checked."""
    return parse_table(resources.files(package or "lorewright").joinpath(name).read_text("utf-8"))


def parse_table(text: str) -> Any:
    """Return the data of a YAML text that ships with the package."""
    return yaml.load(text, Loader=_LOADER)
