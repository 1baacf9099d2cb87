"""Plug-ins: a package of ours -> its modules, found rather than named, so that adding or removing a file is enough."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def module_names(package: str) -> list[str]:
    """Return the names of a package's modules, sorted, without importing them; those of packages in it are not among
    them."""
    return sorted(module.name for module in pkgutil.iter_modules(importlib.import_module(package).__path__))


def modules_of(package: str) -> list[ModuleType]:
    """Return the modules of a package, by name."""
    return [importlib.import_module(f"{package}.{name}") for name in module_names(package)]
