"""Import every module of the program and build every model of it, as a process does that has done everything once."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from pydantic import BaseModel

import lorewright


def import_everything() -> None:
    """Import all modules that need no extra, and build all models."""
    for found in pkgutil.walk_packages(lorewright.__path__, "lorewright."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    _build(BaseModel)


def _build(model: type[BaseModel]) -> None:
    if model.__module__.startswith("lorewright"):
        model.model_rebuild()
    for made in model.__subclasses__():
        _build(made)
