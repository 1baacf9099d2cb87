"""CORE, and TOWN_GUARD that overrides its guard: two packs of different layers for tests."""

from __future__ import annotations

MANIFEST = "id: {id}\nname: {id}\nversion: 1.0.0\nlayer: {layer}\nlicense: {{type: CC0}}\n"

CORE_GUARD = """---
id: guard
type: npc
aliases: [the sentry]
pronoun: they
---

# Guard

A guard leans on a halberd by the gate.

## Atmosphere

Iron scrapes on stone.

## Knows

- {#password} The password is marmalade.
- {#shift} The shift changes at noon.

## Withholds

- {#bribe} A silver coin opens the gate.
"""

TOWN_GUARD = """---
id: watchman
type: npc
pronoun: she
overrides: core:guard
---

# Watchman Edda

## Knows

- {#password} The password is quince.
"""


def manifest(pack_id: str, layer: str, *, depends_on: str = "") -> str:
    """A `pack.yaml` of a layer."""
    return MANIFEST.format(id=pack_id, layer=layer) + (f"depends_on: [{depends_on}]\n" if depends_on else "")


def core(layer: str = "core") -> dict[str, str | bytes]:
    """The earlier pack."""
    return {"pack.yaml": manifest("core", layer), "guard.md": CORE_GUARD}


def town(layer: str = "setting", *, guard: str = TOWN_GUARD, depends_on: str = "") -> dict[str, str | bytes]:
    """The later pack."""
    return {"pack.yaml": manifest("town", layer, depends_on=depends_on), "watchman.md": guard}
