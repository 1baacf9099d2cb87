"""Lorewright: packs of markdown in; lore that is found, explained and kept secret, and play grounded in it.

    from lorewright import open_lore

    lore = open_lore()
    lore.install("my_notes")
    for chunk in lore.query("who owes whom", viewer="player").chunks:
        print(chunk.chunk_id, chunk.text)

The names here are the interface for other programs. Each is imported on first use, so that `import lorewright` costs
nothing, and a question about lore never imports the game. `__init__.pyi` has the same names for type checkers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Name -> the module that has it.
_PUBLIC = {
    "Action": "rules.actions",
    "ContextPacket": "values.packet",
    "LoreIndexer": "index.lore_indexer",
    "LoreRetrievalQuery": "retrieval.query",
    "LoreRetrievalResult": "retrieval.query",
    "LoreRetriever": "scene_lore.lore_retriever",
    "LorewrightError": "errors",
    "NPCBriefing": "scene_lore.models",
    "PackLoader": "packs.pack_loader",
    "SceneLoreCache": "scene_lore.cache",
    "TurnResult": "values.records",
    "Validation": "rules.patch",
    "make_workspace": "lore_bootstrap",
    "open_app": "bootstrap",
    "open_lore": "lore_bootstrap",
}


def __getattr__(name: str) -> Any:
    """Import and return a public name."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the names of the module, also those that were not imported yet."""
    return sorted({*globals(), *_PUBLIC})
