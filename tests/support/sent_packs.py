"""Packs as they are sent to a service: a .zip, with mistakes in it or without."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

PACK = {
    "pack.yaml": "id: island\nname: The Island\nversion: 1.0.0\n",
    "locations/mill.md": "---\ntype: location\nname: The Mill\n---\n\n# The Mill\n\n## Overview\n\nA mill with three sails.\n",
}
BROKEN = {**PACK, "npcs/nan.md": "---\ntype: npc\nname: [Nan\n---\n\n# Nan\n\n## Overview\n\nShe grinds.\n"}

# Three slips, each in a file: a list that is never closed, an ID that another file has, frontmatter without an end.
MISTAKEN = {
    **BROKEN,
    "npcs/ann.md": "---\nid: miller\ntype: npc\n---\n\n# Ann\n\nShe sweeps.\n",
    "npcs/mel.md": "---\nid: miller\ntype: npc\n---\n\n# Mel\n\nHe sweeps.\n",
    "npcs/tom.md": "---\ntype: npc\n\n# Tom\n\nHe carries sacks.\n",
}
MISTAKES = ("npcs/nan.md:4", "npcs/mel.md:2", "npcs/tom.md:1")


def zipped(files: Mapping[str, str]) -> bytes:
    """Return the archive of a pack's files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return held.getvalue()
