"""Plug-ins: a package of ours -> its modules, found rather than named, so that adding or removing a file is enough."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules_of(package: str) -> list[ModuleType]:
    """Return the modules of a package, by name; those of packages in it are not among them."""
    paths = importlib.import_module(package).__path__
    return [
        importlib.import_module(f"{package}.{name}") for name in sorted(m.name for m in pkgutil.iter_modules(paths))
    ]
