"""A new pack: an empty one to fill, or a manifest for a folder that has everything else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import yaml

from lorewright.errors import PackError
from lorewright.ids import is_id
from lorewright.packs.loader import load_pack
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.models import Manifest
from lorewright.storage.enclosure import FOR_ALL, Enclosure

_EXAMPLES = {
    "locations/tavern.md": """\
---
id: tavern
type: location
aliases: [the inn]
tags: [social_hub]
related_entities: [keeper]
---

# The Tavern

What anyone may know of the place.

## Atmosphere

Smoke hangs from the beams. Somebody is tuning a fiddle.

## Discoverable

- {#letter} search under the counter: A folded letter with no name on it.
""",
    "npcs/keeper.md": """\
---
id: keeper
type: npc
pronoun: they
related_locations: [tavern]
---

# The Keeper

What anyone may know of them.

## Disposition

- The keeper counts the same coins twice.

## Knows

- {#road} The bridge has been down since the flood; take the mill path.

## Withholds

- {#debt} The tavern belongs to someone else, and has for years.
""",
}


def new_pack(folder: Path) -> Path:
    """Write a small pack that installs and lints clean, to be filled; the path of its manifest.

    Raises:
        PackError: there is something in the folder, or its name cannot be an ID.
    """
    if folder.exists() and any(folder.iterdir()):
        raise PackError(f"{folder} is not empty", hint="name a new folder, or use --from for one that has files")
    pack_id = folder.name.replace("-", "_")
    if not is_id(pack_id):
        raise PackError(f"{folder.name!r} cannot be a pack's ID", hint="use letters, digits, _ and -")
    for name, text in _EXAMPLES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    manifest = Manifest(id=pack_id, name=folder.name.replace("_", " ").title(), version="0.1.0")
    return _write(folder, manifest, Counter({"location": 1, "npc": 1}))


def manifest_for(folder: Path) -> Path:
    """Write the manifest that was derived for a folder of markdown into it; its path.

    Raises:
        PackError: the folder has a `pack.yaml`, or no markdown.
    """
    if (folder / MANIFEST_FILE).exists():
        raise PackError(f"{folder} has a {MANIFEST_FILE} already", hint="edit that one")
    pack = load_pack(folder)
    manifest = pack.manifest.model_copy(update={"version": "0.1.0"})
    return _write(folder, manifest, Counter(entity.type for entity in pack.entities))


def _write(folder: Path, manifest: Manifest, types: Counter[str]) -> Path:
    data = {
        "id": manifest.id,
        "name": manifest.name,
        "version": manifest.version,
        "layer": manifest.layer,
        "language": manifest.language,
        "depends_on": [],
        "provides": dict(sorted(types.items())),
        "license": {"type": "custom", "publisher": ""},
    }
    path = folder / MANIFEST_FILE
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    home = Enclosure(folder.resolve())
    home.write(home.path(MANIFEST_FILE), text.encode(), mode=FOR_ALL)
    return path
